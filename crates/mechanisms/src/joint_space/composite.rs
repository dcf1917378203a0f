//! Masses and forces in joint coordinates, where loops are closed by constraints.

use mbsbench_problem::{Dimensions, Entries, MechanicalModel, Scalar};

use super::coordinates::JointSpace;
use super::kinematics::{Kinematics, gyroscopic};
use crate::space::Space;
use crate::system::{Rate, Relation};

/// `M(q) v' = D(t, q, v) + Jᵀ λ` with the constraints of the joints that are no part of the tree, those of cut loops among them.
///
/// The matrix of masses is that of the composite-rigid-body algorithm, and `−D` what the recursive Newton–Euler algorithm gives at
/// zero acceleration (R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, tables 6.2 and 5.1). Constraints are those of the
/// absolute form on the absolute coordinates that follow from the tree.
impl<X: Space> MechanicalModel for JointSpace<X> {
    fn dimensions(&self) -> Dimensions {
        Dimensions {
            coordinates: self.tree.coordinates,
            velocities: self.tree.velocities,
            holonomic: self.system.relations.iter().map(Relation::rows::<X>).sum::<usize>()
                - self.system.redundant.len(),
            nonholonomic: self.system.rates.iter().map(Rate::rows).sum(),
        }
    }

    fn position_rate<S: Scalar>(&self, q: &[S], v: &[S], q_rate: &mut [S]) {
        self.tree.position_rate(q, v, q_rate);
    }

    fn retract<S: Scalar>(&self, q: &[S], delta: &[S], moved: &mut [S]) {
        self.tree.retract(q, delta, moved);
    }

    /// With `I` of a body and all that hangs on it, `M_jk = s_kᵀ Xᵀ I s_j` of each of its columns and those of the bodies it hangs on.
    fn mass<S: Scalar>(&self, q: &[S], mass: &mut impl Entries<S>) {
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        let inertias = self.system.bodies.iter().zip(&kinematics.bodies);
        let mut inertias: Vec<X::Square<S>> =
            inertias.map(|(body, moved)| X::inertia(body, &moved.frame.turn)).collect();
        for link in self.tree.links.iter().rev() {
            let inertia = inertias[link.body];
            if let Some(parent) = link.parent {
                let at_parent = X::at_beginning(&inertia, &kinematics.bodies[link.body].arm);
                for row in 0..X::FREEDOMS {
                    inertias[parent][row] = X::plus(&inertias[parent][row], &at_parent[row], S::from(1.0));
                }
            }
            for j in link.velocities() {
                let mut wrench = X::times::<S>(&inertia, &kinematics.columns[j]);
                let mut on = link;
                let mut last = j + 1;
                loop {
                    for k in on.first[1]..last {
                        let entry = X::power::<S>(&kinematics.columns[k], &wrench);
                        mass[(j, k)] = entry;
                        if j != k {
                            mass[(k, j)] = entry;
                        }
                    }
                    let Some(parent) = on.parent else { break };
                    wrench = X::borne(&wrench, &kinematics.bodies[on.body].arm);
                    on = &self.tree.links[self.tree.of_body[parent]];
                    last = on.velocities().end;
                }
            }
        }
    }

    fn forces<S: Scalar>(&self, t: S, q: &[S], v: &[S], forces: &mut [S]) {
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        kinematics.go(&self.tree, v);
        let mut of_actions = Vec::new();
        let acted = self.act(t, &mut kinematics, &mut of_actions);
        let one = S::from(1.0);
        let mut accelerations: Vec<X::Motion<S>> = kinematics.bodies.iter().map(|moved| moved.bias).collect();
        let mut wrenches = Vec::with_capacity(accelerations.len());
        for link in &self.tree.links {
            let from_parent = match link.parent {
                Some(parent) => X::carried(&accelerations[parent], &kinematics.bodies[link.body].arm),
                None => self.ground(),
            };
            accelerations[link.body] = X::plus(&accelerations[link.body], &from_parent, one);
        }
        for (k, (body, moved)) in self.system.bodies.iter().zip(&kinematics.bodies).enumerate() {
            let inertia = X::inertia(body, &moved.frame.turn);
            let mut wrench = X::times::<S>(&inertia, &accelerations[k]);
            wrench = X::plus(&wrench, &gyroscopic::<S, X>(body, &inertia, &moved.twist), one);
            if acted {
                let own = X::own(k);
                wrench = X::plus(&wrench, &X::wrench(&kinematics.q[own.clone()], &of_actions[own]), -one);
            }
            wrenches.push(wrench);
        }
        for link in self.tree.links.iter().rev() {
            let wrench = wrenches[link.body];
            for j in link.velocities() {
                forces[j] = -X::power::<S>(&kinematics.columns[j], &wrench);
            }
            if let Some(parent) = link.parent {
                let at_parent = X::borne(&wrench, &kinematics.bodies[link.body].arm);
                wrenches[parent] = X::plus(&wrenches[parent], &at_parent, one);
            }
        }
    }

    fn holonomic_constraints<S: Scalar>(&self, t: S, q: &[S], phi: &mut [S]) {
        let mut kinematics = Kinematics::<S, X>::new(&self.tree);
        kinematics.place(&self.tree, q);
        self.system.write_relations(t, &kinematics.q, phi);
    }

    fn nonholonomic_constraints<S: Scalar>(&self, t: S, q: &[S], v: &[S], gamma: &mut [S]) {
        let kinematics = self.moving(q, v);
        self.system.nonholonomic_constraints(t, &kinematics.q, &kinematics.v, gamma);
    }

    fn is_autonomous(&self) -> bool {
        self.system.is_autonomous()
    }

    fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
        let kinematics = self.moving(q, v);
        self.system.energy(&kinematics.q, &kinematics.v)
    }
}
