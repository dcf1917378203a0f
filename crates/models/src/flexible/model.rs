//! A flexible mechanism as a benchmark model.

use mbsbench_problem::view::Shape;
use mbsbench_problem::{Class, Formulated, Model, Observable, Observation, Ode, OutOfRange, Parameters, Scalar, View};
use nalgebra::{Matrix3, Vector3};

use super::bar::Mesh;
use super::equations::STATE;
use super::{Assembly, CrossSection, Energy, Flexible, Snapshot, Twist, Wrench};

/// A flexible mechanism that is described by its parameters.
pub(super) trait Mechanism: Parameters {
    /// Nodes and beams of the bars.
    type Bars: Send + Sync;

    /// Returns the unloaded assembly and its bars.
    fn assembly(&self) -> (Assembly, Self::Bars);

    /// Initial velocities of the nodes; zero by default.
    fn start(&self, assembly: &Assembly, _bars: &Self::Bars) -> Vec<Twist> {
        vec![Twist { linear: Vector3::zeros(), angular: Vector3::zeros() }; assembly.nodes.len()]
    }

    /// Observables besides energies and constraints.
    fn observables(&self) -> Vec<Observable>;

    /// Writes the values of the [`observables`](Self::observables).
    fn observe(&self, bars: &Self::Bars, now: &Snapshot<'_>, values: &mut [f64]);

    /// Drawings of a state.
    fn views(&self, bars: &Self::Bars, now: &Snapshot<'_>) -> Vec<View>;

    /// Fails unless the mechanism can be assembled and set in motion at the start. Parameters that are each in range
    /// may still not fit together.
    ///
    /// # Errors
    /// Returns [`OutOfRange`] with the reason.
    fn assembles(&self) -> Result<(), OutOfRange> {
        let (assembly, bars) = self.assembly();
        let start = self.start(&assembly, &bars);
        let state = Flexible::new(assembly).and_then(|flexible| flexible.launched(0.0, &start));
        let problem = match state {
            Ok(state) if state.iter().all(|x: &f64| x.is_finite()) => return Ok(()),
            Ok(_) => "positions or momenta at the start are not finite".to_owned(),
            Err(problem) => problem,
        };
        let accepted = "consistent lengths, masses and stiffnesses";
        Err(OutOfRange::new("", format!("not a valid mechanism: {problem}"), accepted))
    }
}

/// Names, units and meanings of the observables that every mechanism has.
const COMMON: [(&str, &str, &str); 4] = [
    ("kinetic_energy", "J", "kinetic energy"),
    ("strain_energy", "J", "strain energy, from two points of each beam"),
    ("energy", "J", "kinetic energy plus strain energy, without that of gravity"),
    ("constraint", "1", "largest magnitude among the joint constraints Φ, in m or rad"),
];

impl Snapshot<'_> {
    /// Mean of the loads in two sections, each given by its beam and its number in the beam.
    pub(super) fn mean_load(&self, sections: [(usize, usize); 2]) -> Wrench {
        let [one, other] = sections.map(|(beam, section)| self.section_loads(beam)[section]);
        Wrench { force: (one.force + other.force) * 0.5, moment: (one.moment + other.moment) * 0.5 }
    }

    /// The outline of a deformed bar, seen in the plane of two ground coordinates: along the nodes at half the
    /// section's width on one side, and back on the other. `across` is the number, 1 or 2 counted from 0, of the
    /// bar's own axis in that plane.
    pub(super) fn outline(&self, mesh: &Mesh, section: &CrossSection, [x, y]: [usize; 2], across: usize) -> Shape {
        let half_width = section.half_widths()[across - 1];
        let edge = |node: usize, sign: f64| {
            let at = self.position(node) + self.rotation(node).column(across) * (sign * half_width);
            [at[x], at[y]]
        };
        let nodes = mesh.nodes.clone();
        Shape::Outline(
            nodes.clone().map(|node| edge(node, 1.0)).chain(nodes.rev().map(|node| edge(node, -1.0))).collect(),
        )
    }
}

/// A flexible mechanism that is solved in its implicit form, the only one it has.
pub(super) struct FlexibleModel<M: Mechanism> {
    mechanism: M,
    bars: M::Bars,
    flexible: Flexible,
}

impl<M: Mechanism> FlexibleModel<M> {
    /// Returns the model of a mechanism whose parameters were checked.
    pub(super) fn new(mechanism: &M) -> Self {
        let (assembly, bars) = mechanism.assembly();
        let flexible = Flexible::new(assembly).expect("its parameters were checked");
        Self { mechanism: mechanism.clone(), bars, flexible }
    }
}

impl<S: Scalar, M: Mechanism> Formulated<S> for FlexibleModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(self.flexible.equations())
    }

    fn initial_state(&self) -> Vec<S> {
        let start = self.mechanism.start(&self.flexible.assembly, &self.bars);
        self.flexible.launched(0.0, &start).expect("the joints hold where the nodes rest")
    }
}

impl<M: Mechanism> Model for FlexibleModel<M> {
    fn observables(&self) -> Vec<Observable> {
        let common = COMMON.map(|(name, unit, about)| Observable::new(name, unit, about));
        [self.mechanism.observables(), common.to_vec()].concat()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, state: &[f64], values: &mut [f64]| {
            let Self { mechanism, bars, flexible } = self;
            let now = flexible.at(t, state);
            let (own, common) = values.split_at_mut(values.len() - COMMON.len());
            mechanism.observe(bars, &now, own);
            let Energy { kinetic, strain } = now.energy();
            common.copy_from_slice(&[kinetic, strain, kinetic + strain, now.constraint()]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let node = |k: usize| if k % STATE < 12 { Class::Position } else { Class::Velocity };
        (0..self.flexible.state_dimension()).map(node).collect()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.mechanism.views(&self.bars, &self.flexible.at(0.0, y))
    }
}

/// The angle (rad) about the first axis in the sequence 3-1-2 of Euler angles, `R = R₃(φ) R₁(θ) R₂(ψ)`.
pub(super) fn euler_312(r: &Matrix3<f64>) -> f64 {
    let psi = (-r[(2, 0)]).atan2(r[(2, 2)]);
    let (sin, cos) = psi.sin_cos();
    r[(2, 1)].atan2(r[(2, 2)] * cos - r[(2, 0)] * sin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use nalgebra::{Rotation3, Vector3};

    #[test]
    fn the_middle_angle_is_independent_of_the_others() {
        let about = |axis, angle| Rotation3::from_axis_angle(&axis, angle);
        for (phi, theta, psi) in [(0.0, 0.3, 0.0), (2.5, -0.02, -0.4), (-3.0, 1.2, 2.9), (0.1, -1.5, 3.1)] {
            let turned =
                about(Vector3::z_axis(), phi) * about(Vector3::x_axis(), theta) * about(Vector3::y_axis(), psi);
            assert_relative_eq!(euler_312(turned.matrix()), theta, epsilon = 1e-14);
        }
    }
}
