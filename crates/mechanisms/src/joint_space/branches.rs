//! Derivatives of the accelerations of a tree, joint by joint.

use mbsbench_problem::branches::Motion6;
use mbsbench_problem::{Branch, Branches, Recursion, Scalar};
use num_dual::Dual64;

use super::articulated::Articulated;
use super::coordinates::JointSpace;
use super::kinematics::{Kinematics, changing};
use super::tree::Link;
use crate::space::{Space, Vector};
use crate::system::{Action, At};

/// Number of joints from which these derivatives are faster than full matrices. On a chain of rods in the plane, steps
/// take 0.23 (`hht-i3`), 0.35 (`lms2`) and 0.71 (`radau5`) of the time with 10 joints, and 0.30, 0.88 and 1.05 with 6.
const LEAST_JOINTS: usize = 10;

/// The forces in the joints of a tree, and their derivatives.
pub(super) struct Linearised<'m, X: Space> {
    space: &'m JointSpace<X>,
    recursion: Articulated<f64, X>,
    /// Joints by number.
    joints: Vec<Joint<X>>,
    /// For each body, the number of the last joint on the way from the ground, including the body's own.
    last: Vec<Option<usize>>,
    /// Coordinates of the bodies, their rates, and forces on them.
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    forces: Vec<Dual64>,
}

/// A joint with the body that it carries, about the origin: see [`Branch`].
#[derive(Clone)]
struct Joint<X: Space> {
    column: X::Motion<f64>,
    by_velocity: X::Motion<f64>,
    twist: X::Motion<f64>,
    acceleration: X::Motion<f64>,
    wrench: X::Motion<f64>,
    /// Sums of the magnitudes of the parts of the wrench.
    size: X::Motion<f64>,
}

/// The motion about the origin of a body with this centre of mass.
fn at_origin<S: Scalar, X: Space>(motion: &X::Motion<S>, centre: &Vector<S>) -> X::Motion<S> {
    X::carried(motion, &centre.map(|x| -x))
}

/// Place of a component among six.
fn place<X: Space>(component: usize) -> usize {
    if X::DIMENSION == 2 && component == 2 { 5 } else { component }
}

fn six<X: Space>(motion: &X::Motion<f64>) -> Motion6 {
    let mut all = [0.0; 6];
    (0..X::FREEDOMS).for_each(|i| all[place::<X>(i)] = motion[i]);
    all
}

/// Adds `factor` times the images of all unit motions, which `image` returns, to the columns of a map.
fn add_columns<X: Space>(sum: &mut [Motion6; 6], factor: f64, mut image: impl FnMut(X::Motion<f64>) -> X::Motion<f64>) {
    for k in 0..X::FREEDOMS {
        let mut unit = X::nothing::<f64>();
        unit[k] = 1.0;
        let column = image(unit);
        (0..X::FREEDOMS).for_each(|i| sum[place::<X>(i)][place::<X>(k)] += factor * column[i]);
    }
}

/// Returns `V ×* F` for a wrench `F`: the opposite of the power of `F` along `V × m`, for every `m`.
fn carrying<X: Space>(motion: &X::Motion<f64>, wrench: &X::Motion<f64>) -> X::Motion<f64> {
    let mut turned = X::nothing::<f64>();
    for i in 0..X::FREEDOMS {
        let mut unit = X::nothing::<f64>();
        unit[i] = 1.0;
        turned[i] = -X::power::<f64>(wrench, &changing::<f64, X>(motion, &unit));
    }
    turned
}

impl<X: Space> JointSpace<X> {
    /// The joint between two bodies on which an action acts along it; none for an action on a single body.
    ///
    /// # Errors
    /// Fails for any other action.
    fn joint_of(&self, action: &Action) -> Result<Option<&Link>, ()> {
        let [Some(a), Some(b)] = action.bodies().ok_or(())? else { return Ok(None) };
        let link = |(body, parent): (usize, usize)| {
            let link = &self.tree.links[self.tree.of_body[body]];
            (link.parent == Some(parent) && link.sizes[1] == 1).then_some(link)
        };
        if a == b { Ok(None) } else { link((a, b)).or_else(|| link((b, a))).map(Some).ok_or(()) }
    }

    /// Forces and derivatives joint by joint, if there is nothing but a tree of many joints with vectors as
    /// coordinates, and forces act on single bodies and along joints only.
    pub(super) fn linearised(&self) -> Option<Linearised<'_, X>> {
        let is_possible = self.tree.velocities >= LEAST_JOINTS
            && self.is_mere_tree()
            && self.tree.has_vector_coordinates()
            && self.system.actions.iter().all(|action| self.joint_of(action).is_ok());
        is_possible.then(|| Linearised::new(self))
    }
}

/// The magnitudes of the components.
fn sizes<X: Space>(motion: &X::Motion<f64>) -> X::Motion<f64> {
    let mut sizes = *motion;
    (0..X::FREEDOMS).for_each(|i| sizes[i] = sizes[i].abs());
    sizes
}

impl<'m, X: Space> Linearised<'m, X> {
    fn new(space: &'m JointSpace<X>) -> Self {
        let (tree, bodies, none) = (&space.tree, space.system.bodies.len(), X::nothing::<f64>());
        let mut last = vec![None; bodies];
        for link in &tree.links {
            last[link.body] = link.columns().last().or_else(|| last[link.parent?]);
        }
        let joint =
            Joint { column: none, by_velocity: none, twist: none, acceleration: none, wrench: none, size: none };
        let zeros = vec![Dual64::from_re(0.0); bodies * X::COORDINATES];
        Self {
            space,
            recursion: Articulated::new(space),
            joints: vec![joint; tree.velocities],
            last,
            q: zeros.clone(),
            v: zeros.clone(),
            forces: zeros,
        }
    }

    fn write_actions(&mut self, t: f64, tree: &mut Branches) {
        let space = self.space;
        if space.system.actions.is_empty() {
            return;
        }
        let Kinematics { q, v, .. } = &self.recursion.kinematics;
        self.q.iter_mut().zip(q).for_each(|(to, &from)| *to = Dual64::from_re(from));
        self.v.iter_mut().zip(v).for_each(|(to, &from)| *to = Dual64::from_re(from));
        let none = X::nothing::<f64>();
        for action in &space.system.actions {
            if let Ok(Some(link)) = space.joint_of(action) {
                let (j, Joint { column, by_velocity, .. }) = (link.column, self.joints[link.column].clone());
                for (derivative, [displacement, change]) in [[column, by_velocity], [none, column]].iter().enumerate() {
                    let [wrench, by] = self.action(t, action, link.body, [displacement, change]);
                    tree.joints[j].joint[derivative] -= X::power::<f64>(&column, &by);
                    if derivative == 0 {
                        tree.forces[j] += X::power::<f64>(&column, &wrench);
                        tree.sizes[j] += X::power::<f64>(&sizes::<X>(&column), &sizes::<X>(&wrench));
                    }
                }
                continue;
            }
            let body = action.bodies().and_then(|[a, b]| a.or(b));
            let Some((body, j)) = body.and_then(|body| Some((body, self.last[body]?))) else { continue };
            let [wrench, _] = self.action(t, action, body, [&none, &none]);
            let [stiffness, damping, _] = &mut tree.bodies[j];
            add_columns::<X>(stiffness, -1.0, |unit| {
                let [_, by] = self.action(t, action, body, [&unit, &none]);
                X::plus(&by, &carrying::<X>(&unit, &wrench), -1.0)
            });
            add_columns::<X>(damping, -1.0, |unit| self.action(t, action, body, [&none, &unit])[1]);
            self.joints[j].wrench = X::plus(&self.joints[j].wrench, &wrench, -1.0);
            self.joints[j].size = X::plus(&self.joints[j].size, &sizes::<X>(&wrench), 1.0);
        }
    }

    /// The wrench of an action on a body, and its change along a displacement `ξ` of the body and a change `η` of its
    /// twist.
    fn action(
        &mut self,
        t: f64,
        action: &Action,
        body: usize,
        [displacement, change]: [&X::Motion<f64>; 2],
    ) -> [X::Motion<f64>; 2] {
        let Self { recursion: Articulated { kinematics, .. }, joints, last, q, v, forces, .. } = self;
        let own = X::own(body);
        let mut rates = [0.0; 7];
        let of_centre = X::carried(displacement, &kinematics.bodies[body].frame.centre);
        X::write_rates(&kinematics.q[own.clone()], &of_centre, &mut rates[..X::COORDINATES]);
        q[own.clone()].iter_mut().zip(rates).for_each(|(q, rate)| q.eps = rate);
        let mut centre = [Dual64::from_re(0.0); 3];
        centre[..X::DIMENSION].copy_from_slice(&q[own.clone()][..X::DIMENSION]);
        let twist = last[body].map_or_else(X::nothing, |j| joints[j].twist);
        let changed = X::plus(&changing::<f64, X>(displacement, &twist), change, 1.0);
        let mut moving = X::nothing::<Dual64>();
        (0..X::FREEDOMS).for_each(|i| moving[i] = Dual64::new(twist[i], changed[i]));
        X::write_rates(&q[own.clone()], &X::carried(&moving, &centre), &mut v[own.clone()]);
        forces[own.clone()].fill(Dual64::from_re(0.0));
        At::<Dual64, X>::new(Dual64::from_re(t), q, v).add(action, forces);
        let wrench = X::borne(&X::wrench(&q[own.clone()], &forces[own.clone()]), &centre);
        q[own.clone()].iter_mut().for_each(|q| q.eps = 0.0);
        v[own].iter_mut().for_each(|v| v.eps = 0.0);
        let (mut value, mut by) = (X::nothing::<f64>(), X::nothing::<f64>());
        (0..X::FREEDOMS).for_each(|i| (value[i], by[i]) = (wrench[i].re, wrench[i].eps));
        [value, by]
    }
}

impl<X: Space> Recursion for Linearised<'_, X> {
    fn branches(&self) -> Branches {
        Branches::new(self.space.tree.links.iter().flat_map(Link::columns).collect())
    }

    fn write(&mut self, t: f64, q: &[f64], v: &[f64], is_given: bool, tree: &mut Branches) {
        let Self { space, recursion, joints, last, .. } = self;
        if is_given {
            recursion.kinematics.place(&space.tree, q);
            recursion.kinematics.go(&space.tree, v);
            recursion.kinematics.write_rates();
        } else {
            recursion.accelerations(space, t, q, v, &mut tree.accelerations);
        }
        let (kinematics, rate) = (&recursion.kinematics, &tree.accelerations);
        tree.bodies.fill([[[0.0; 6]; 6]; 3]);
        tree.forces.fill(0.0);
        tree.sizes.fill(0.0);
        for link in &space.tree.links {
            let moved = &kinematics.bodies[link.body];
            let centre = &moved.frame.centre;
            let mut before = link.parent.and_then(|parent| last[parent]);
            for j in link.columns() {
                let (twist, acceleration) = match before {
                    Some(before) => (joints[before].twist, joints[before].acceleration),
                    None => (X::nothing(), space.ground()),
                };
                let column = at_origin::<f64, X>(&kinematics.columns[j], centre);
                let by_velocity = changing::<f64, X>(&twist, &column);
                let relative = X::plus(&X::nothing(), &column, v[j]);
                let twist = X::plus(&twist, &relative, 1.0);
                let acceleration = X::plus(&X::plus(&acceleration, &column, rate[j]), &by_velocity, v[j]);
                let none = X::nothing();
                joints[j] = Joint { column, by_velocity, twist, acceleration, wrench: none, size: none };
                let branch = &mut tree.joints[j];
                *branch = Branch {
                    parent: before,
                    column: six::<X>(&column),
                    by_velocity: six::<X>(&by_velocity),
                    by_acceleration: six::<X>(&changing::<f64, X>(&acceleration, &column)),
                    ..Branch::default()
                };
                add_columns::<X>(&mut branch.turning, -1.0, |unit| changing::<f64, X>(&relative, &unit));
                before = Some(j);
            }
            let Some(j) = before else { continue };
            let Joint { twist, acceleration, wrench, size, .. } = &mut joints[j];
            let inertia = X::inertia(&space.system.bodies[link.body], &moved.frame.turn);
            let inertia = X::at_beginning::<f64>(&inertia, centre);
            let momentum = X::times::<f64>(&inertia, twist);
            for part in [X::times::<f64>(&inertia, acceleration), carrying::<X>(twist, &momentum)] {
                *wrench = X::plus(wrench, &part, 1.0);
                *size = X::plus(size, &sizes::<X>(&part), 1.0);
            }
            let [_, damping, mass] = &mut tree.bodies[j];
            add_columns::<X>(mass, 1.0, |unit| X::times::<f64>(&inertia, &unit));
            add_columns::<X>(damping, 1.0, |unit| {
                let of_change = carrying::<X>(twist, &X::times::<f64>(&inertia, &unit));
                X::plus(&carrying::<X>(&unit, &momentum), &of_change, 1.0)
            });
        }
        self.write_actions(t, tree);
        for j in tree.order.iter().rev().copied() {
            let Joint { column, wrench, size, .. } = self.joints[j].clone();
            tree.forces[j] -= X::power::<f64>(&column, &wrench);
            tree.sizes[j] += X::power::<f64>(&sizes::<X>(&column), &size);
            tree.joints[j].reaction = six::<X>(&carrying::<X>(&column, &wrench));
            if let Some(parent) = tree.joints[j].parent {
                let parent = &mut self.joints[parent];
                parent.wrench = X::plus(&parent.wrench, &wrench, 1.0);
                parent.size = X::plus(&parent.size, &size, 1.0);
            }
        }
    }
}
