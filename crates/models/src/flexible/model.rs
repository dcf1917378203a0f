//! A flexible mechanism as the runner sees it.

use mbsbench_problem::dae::{ImplicitOnly, InOtherPrecision};
use mbsbench_problem::{Class, Dae, DoubleDouble, Formulated, Model, Observable, Observation, Ode, View};
use nalgebra::{Matrix3, Vector3};

use super::{Assembly, Flexible, SectionLoad, Twist};

/// A mechanism with what is watched of it.
pub(super) trait Mechanism: Send + Sync {
    /// What it is put together from.
    fn assembly(&self) -> &Assembly;

    /// Velocities of the nodes at the start; at rest, where nothing is said.
    fn start(&self) -> Vec<Twist> {
        vec![Twist { linear: Vector3::zeros(), angular: Vector3::zeros() }; self.assembly().nodes.len()]
    }

    /// Whether [`observe`](Self::observe) asks for accelerations.
    fn watches_accelerations(&self) -> bool {
        false
    }

    /// What can be watched beside the energies and constraints of all mechanisms.
    fn observables(&self) -> Vec<Observable>;

    /// Writes these.
    fn observe(&self, now: &Snapshot<'_>, values: &mut [f64]);

    /// See [`Model::views`].
    fn views(&self, now: &Snapshot<'_>) -> Vec<View>;
}

/// A mechanism at an instant.
pub(super) struct Snapshot<'s> {
    flexible: &'s Flexible,
    state: &'s [f64],
    accelerations: &'s [Twist],
}

impl Snapshot<'_> {
    /// Position of a node, m.
    pub(super) fn position(&self, node: usize) -> Vector3<f64> {
        self.flexible.position(self.state, node)
    }

    /// Orientation of a node: columns are its axes.
    pub(super) fn rotation(&self, node: usize) -> Matrix3<f64> {
        self.flexible.rotation(self.state, node)
    }

    /// Velocity of a node.
    pub(super) fn twist(&self, node: usize) -> Twist {
        self.flexible.twist(self.state, node)
    }

    /// Accelerations of a node, m/s² and rad/s².
    pub(super) fn acceleration(&self, node: usize) -> Twist {
        self.accelerations[node]
    }

    /// Mean of the loads in two sections, each given by its beam and its number there.
    pub(super) fn mean_load(&self, sections: [(usize, usize); 2]) -> SectionLoad {
        let [one, other] = sections.map(|(beam, point)| self.flexible.section_loads(self.state, beam)[point]);
        SectionLoad { force: (one.force + other.force) * 0.5, moment: (one.moment + other.moment) * 0.5 }
    }
}

/// A flexible mechanism, ready to be solved in its implicit form; there is no other, and none in double-double precision.
pub(super) struct FlexibleModel<M> {
    mechanism: M,
    flexible: Flexible,
}

impl<M: Mechanism> FlexibleModel<M> {
    /// The mechanism with parameters in range.
    pub(super) fn new(mechanism: M) -> Self {
        let flexible = Flexible::new(mechanism.assembly()).expect("parameters in range make a proper assembly");
        Self { mechanism, flexible }
    }

    fn initial(&self) -> Vec<f64> {
        self.flexible.initial_state(&self.mechanism.start())
    }
}

impl<M: Mechanism> Formulated<f64> for FlexibleModel<M> {
    fn ode(&self) -> Box<dyn Ode<f64> + '_> {
        Box::new(ImplicitOnly(self.flexible.clone()))
    }
    fn initial_state(&self) -> Vec<f64> {
        self.initial()
    }
}

impl<M: Mechanism> Formulated<DoubleDouble> for FlexibleModel<M> {
    fn ode(&self) -> Box<dyn Ode<DoubleDouble> + '_> {
        Box::new(InOtherPrecision { dimension: self.flexible.state_dimension() })
    }
    fn initial_state(&self) -> Vec<DoubleDouble> {
        self.initial().into_iter().map(DoubleDouble::from).collect()
    }
}

impl<M: Mechanism> Model for FlexibleModel<M> {
    fn observables(&self) -> Vec<Observable> {
        let mut list = self.mechanism.observables();
        list.extend([
            Observable::new("kinetic_energy", "J", "kinetic energy"),
            Observable::new("strain_energy", "J", "energy of the strains, by two points of each beam"),
            Observable::new("energy", "J", "kinetic energy and that of the strains, without weight"),
            Observable::new("constraint", "1", "largest magnitude among the joints' Φ, m or rad"),
        ]);
        list
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(Watch::new(self))
    }

    fn classes(&self) -> Vec<Class> {
        self.flexible.classes()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.mechanism.views(&Snapshot { flexible: &self.flexible, state: y, accelerations: &[] })
    }
}

/// Computes the observables.
struct Watch<'m, M> {
    model: &'m FlexibleModel<M>,
    flexible: Flexible,
    accelerations: Vec<Twist>,
}
