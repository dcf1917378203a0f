//! Shared parts of the mechanisms of negrut2007 (section 3) and the double pendulum of gil2013 (section 2): a crank
//! that turns about the origin, and a rod pinned to its end.

use mbsbench_problem::{
    AccelerationLevel, Class, ConstraintWatch, Failure, Formulated, MechanicsOf, Model, Observable, Observation, Ode,
    Scalar, View, pass_on,
};

use super::{Linkage, LinkageFormulation, slender};
use crate::drawing::{Part, block, pin, rod, upright};
use crate::mechanism::{Coordinate, WithMultipliers, multipliers, positions, rates};

/// A linkage of two bodies with absolute coordinates `q = (x₁, y₁, θ₁, x₂, y₂, θ₂, …)`. The third and fourth
/// constraints are those of the pin between crank and rod.
///
/// All constraints have the unit m. They depend on the configuration only through terms linear in positions and
/// through sines and cosines of the two angles.
pub trait TwoRods: Linkage {
    /// Writes the rates of `y = (u ; u')`; the equations of linkages do not depend on time.
    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]);

    /// Distances (m) from the pin to the reference point of the crank and to that of the rod.
    fn pin_distances(&self) -> [f64; 2];

    /// Distance (m) from the reference point of the rod to the slider at its far end; `None` if there is no slider.
    fn slider_distance(&self) -> Option<f64> {
        None
    }

    /// Number of coordinates after those of the two bodies, which describe the rod's deflection.
    fn modes(&self) -> usize {
        self.dimensions().coordinates - 6
    }

    /// `Φ_q q'''` of the pin's constraints (rows 3 and 4) along a motion with velocities `v` and accelerations `a`,
    /// m/s³: `−(3 Φ_qq v a + Φ_qqq v³)`. A method that imposes constraints at position level only leaves
    /// `Φ_q v = C h² Φ_q q''' + O(h³)` with its own constant `C`.
    fn pin_drift(&self, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 2] {
        let mut drift = [0.0; 2];
        for (distance, body) in self.pin_distances().into_iter().zip([2, 5]) {
            let (sin, cos) = q[body].sin_cos();
            let (cube, mixed) = (v[body].powi(3), 3.0 * v[body] * a[body]);
            drift[0] -= distance * (sin * cube - cos * mixed);
            drift[1] += distance * (cos * cube + sin * mixed);
        }
        drift
    }
}

/// The equations of a linkage's minimal formulation.
#[derive(Debug, Clone, Copy)]
pub struct ReducedOde<'m, L>(pub &'m L);

impl<S: Scalar, L: TwoRods> Ode<S> for ReducedOde<'_, L> {
    fn dimension(&self) -> usize {
        2 * self.0.freedoms()
    }

    fn rhs(&mut self, _t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        self.0.reduced_rhs(y, dydt);
        Ok(())
    }
}

/// A linkage of two bodies with parameters and a chosen formulation.
#[derive(Debug, Clone)]
pub struct TwoRodsModel<L> {
    pub(crate) linkage: L,
    /// Circular frequency (rad/s), at a configuration `q`, of small oscillations of the two bodies against each
    /// other on the spring between them, fast compared to all other motion; an observable together with the angle
    /// between the bodies.
    pub(crate) spring_frequency: Option<fn(&L, &[f64]) -> f64>,
}

impl<S: Scalar, L: TwoRods> Formulated<S> for TwoRodsModel<L> {
    pass_on! { self.linkage =>
        fn ode(&self) -> Box<dyn Ode<S> + '_>;
        fn initial_state(&self) -> Vec<S>;
    }
}

impl<L: TwoRods> Model for TwoRodsModel<L> {
    /// Observables in the order of the observation: coordinates, rates, slider, angle between the bodies,
    /// multipliers, energies, drift, and in the Cartesian formulation the constraints.
    fn observables(&self) -> Vec<Observable> {
        let linkage = &self.linkage;
        let coordinates = coordinates(linkage.pin_distances()[1] == 0.0);
        let mut list: Vec<_> = positions(&coordinates).collect();
        // Modal coordinates have no class: they differ in size from the rigid coordinates, whose errors
        // the paper reports.
        for k in 1..=linkage.modes() {
            list.push(Observable::new(format!("e{k}"), "m", "amplitude of a bending mode of the rod"));
        }
        list.extend(rates(&coordinates));
        for k in 1..=linkage.modes() {
            list.push(Observable::new(format!("e{k}_rate"), "m/s", "rate of the amplitude of a bending mode"));
        }
        if linkage.slider_distance().is_some() {
            list.push(Observable::new("slider_position", "m", "x coordinate of the far end of the rod"));
            list.push(Observable::new("slider_velocity", "m/s", "x velocity of the far end of the rod"));
        }
        if self.spring_frequency.is_some() {
            list.push(Observable::new("relative_angle", "rad", "angle of the second body minus that of the first"));
            let about = "angular frequency of the spring between the bodies";
            list.push(Observable::new("fast_frequency", "rad/s", about));
        }
        list.extend(multipliers(linkage.dimensions().holonomic));
        list.extend([
            Observable::new("energy", "J", "total energy, with potential energy zero at the height of the origin"),
            Observable::new("energy_change", "J", "change of the total energy since the initial state"),
            Observable::new("drift_x", "m/s³", "Φ_q q''' of the constraint that holds the pin along x"),
            Observable::new("drift_y", "m/s³", "Φ_q q''' of the constraint that holds the pin along y"),
        ]);
        if linkage.formulation() == LinkageFormulation::Cartesian {
            let along_x = "Φ_q v of the pin between first and second body, along x";
            let along_y = "Φ_q v of the pin between first and second body, along y";
            list.extend([
                Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
                Observable::new("velocity_constraint", "m/s", "largest magnitude of a component of Φ_q v"),
                Observable::new("velocity_constraint_x", "m/s", along_x),
                Observable::new("velocity_constraint_y", "m/s", along_y),
            ]);
        }
        list
    }

    /// Values that are not in the state come from the solve at acceleration level.
    fn observation(&self) -> Box<dyn Observation + '_> {
        let linkage = &self.linkage;
        let n = linkage.dimensions().coordinates;
        let mut full = linkage.full_initial::<f64>();
        let initial_energy = linkage.energy(&full[..n], &full[n..]);
        let pairs = usize::from(linkage.slider_distance().is_some()) + usize::from(self.spring_frequency.is_some());
        let multipliers = 2 * (n + pairs)..2 * (n + pairs) + linkage.dimensions().holonomic;
        let mut acceleration = AccelerationLevel::new(MechanicsOf::new(linkage));
        // Surfaces with speed zero are the constraints at velocity level.
        let mut watch = ConstraintWatch::new(linkage, 0.0);
        let mut rate = vec![0.0; 2 * n];
        let at = multipliers.clone();
        let observe = move |t: f64, y: &[f64], values: &mut [f64]| {
            linkage.to_full(y, &mut full);
            let (q, v) = full.split_at(n);
            values[..2 * n].copy_from_slice(&full);
            if let Some(distance) = linkage.slider_distance() {
                let (sin, cos) = q[5].sin_cos();
                values[2 * n] = q[3] + distance * cos;
                values[2 * n + 1] = v[3] - distance * sin * v[5];
            }
            if let Some(frequency) = self.spring_frequency {
                values[at.start - 2] = q[5] - q[2];
                values[at.start - 1] = frequency(linkage, q);
            }
            // Far-off states of a diverging method have neither accelerations nor multipliers.
            if acceleration.rhs(t, &full, &mut rate).is_err() {
                values[at.start..].fill(f64::NAN);
                return;
            }
            let (head, tail) = values.split_at_mut(at.end);
            head[at.clone()].copy_from_slice(acceleration.multipliers());
            let energy = linkage.energy(q, v);
            tail[..2].copy_from_slice(&[energy, energy - initial_energy]);
            tail[2..4].copy_from_slice(&linkage.pin_drift(q, v, &rate[n..]));
            if let [constraint, velocity_constraint, pin @ ..] = &mut tail[4..] {
                watch.evaluate(t, q, v);
                *constraint = watch.constraint();
                *velocity_constraint = watch.surface();
                pin.copy_from_slice(&watch.surfaces[2..4]);
            }
        };
        Box::new(WithMultipliers { observe, multipliers })
    }

    fn classes(&self) -> Vec<Class> {
        self.linkage.classes()
    }

    /// Crank and rod (a flexible rod as the line between its ends), and the slider if there is one.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let linkage = &self.linkage;
        let mut full = vec![0.0; 2 * linkage.dimensions().coordinates];
        linkage.to_full(y, &mut full);
        let [crank, before] = linkage.pin_distances();
        let ends = |q: &[f64], before: f64, after: f64| {
            let (sin, cos) = q[2].sin_cos();
            [-before, after].map(|along| [q[0] + along * cos, q[1] + along * sin])
        };
        let rod_ends = ends(&full[3..], before, linkage.slider_distance().unwrap_or(before));
        let mut parts: Vec<Part> = pin([0.0; 2], 0.4 * crank).collect();
        parts.push(("crank", rod(ends(&full, crank, crank))));
        parts.push(("rod", rod(rod_ends)));
        if linkage.slider_distance().is_some() {
            parts.push(("slider", block(rod_ends[1], 0.4 * crank, 0.25 * crank)));
        }
        vec![upright(["x", "y"], parts)]
    }
}

/// Names, units and meanings of the six coordinates that every linkage has.
fn coordinates(rod_at_pin: bool) -> [Coordinate; 6] {
    let (x, y) = if rod_at_pin {
        ("x coordinate of the pin between crank and rod", "y coordinate of the pin between crank and rod")
    } else {
        ("x coordinate of the centre of the second body", "y coordinate of the centre of the second body")
    };
    [
        ("x1", "m", "x coordinate of the centre of the first body"),
        ("y1", "m", "y coordinate of the centre of the first body"),
        ("theta1", "rad", "angle of the first body from the x axis"),
        ("x2", "m", x),
        ("y2", "m", y),
        ("theta2", "rad", "angle of the second body from the x axis"),
    ]
}

/// Kinetic energy and gravity (J) of two slender rods, each with mass (kg) and length (m); the potential is zero at
/// the height of the origin.
pub(crate) fn rods_energy<S: Scalar>(rods: [(f64, f64); 2], gravity: f64, q: &[S], v: &[S]) -> S {
    let mut energy = S::zero();
    for ((m, length), first) in rods.into_iter().zip([0, 3]) {
        let (x, y, omega) = (v[first], v[first + 1], v[first + 2]);
        energy += (x * x + y * y) * m * 0.5 + omega * omega * slender::<S>(m, length) * 0.5;
        energy += q[first + 1] * m * gravity;
    }
    energy
}
