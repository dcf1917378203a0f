//! A flexible mechanism as the runner sees it.

use mbsbench_problem::{Class, Formulated, Model, Observable, Observation, Ode, OutOfRange, Scalar, View};
use nalgebra::{Matrix3, Vector3};

use super::equations::STATE;
use super::refused::Refused;
use super::{Assembly, Energy, Flexible, SectionLoad, Twist};

/// A mechanism with what is watched of it.
pub(super) trait Mechanism: Send + Sync {
    /// What it is put together from. At time zero its joints hold where its nodes rest.
    fn assembly(&self) -> &Assembly;

    /// Velocities of the nodes at the start, which the joints need not admit; at rest, where nothing is said.
    fn start(&self) -> Vec<Twist> {
        vec![Twist { linear: Vector3::zeros(), angular: Vector3::zeros() }; self.assembly().nodes.len()]
    }

    /// What can be watched beside [what all mechanisms](COMMON) have.
    fn observables(&self) -> Vec<Observable>;

    /// Writes these.
    fn observe(&self, now: &Snapshot<'_>, values: &mut [f64]);

    /// See [`Model::views`].
    fn views(&self, now: &Snapshot<'_>) -> Vec<View>;
}

/// Names, units and meanings of what can be watched of every mechanism.
const COMMON: [(&str, &str, &str); 4] = [
    ("kinetic_energy", "J", "kinetic energy"),
    ("strain_energy", "J", "energy of the strains, by two points of each beam"),
    ("energy", "J", "kinetic energy and that of the strains, without that of weight"),
    ("constraint", "1", "largest magnitude among the joints' Φ, in m or rad"),
];

/// A mechanism at an instant.
pub(super) struct Snapshot<'s> {
    flexible: &'s Flexible,
    t: f64,
    state: &'s [f64],
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

    /// Velocities of a node.
    pub(super) fn twist(&self, node: usize) -> Twist {
        self.flexible.twist(self.state, node)
    }

    /// Accelerations of a node that no joint holds.
    pub(super) fn acceleration(&self, node: usize) -> Twist {
        self.flexible.acceleration(self.t, self.state, node)
    }

    /// Mean of the loads in two sections, each given by its beam and its number there.
    pub(super) fn mean_load(&self, sections: [(usize, usize); 2]) -> SectionLoad {
        let [one, other] = sections.map(|(beam, section)| self.flexible.section_loads(self.state, beam)[section]);
        SectionLoad { force: (one.force + other.force) * 0.5, moment: (one.moment + other.moment) * 0.5 }
    }
}

/// A flexible mechanism, ready to be solved in its implicit form; there is no other.
pub(super) struct FlexibleModel<M> {
    mechanism: M,
    flexible: Flexible,
}

/// Whether a mechanism can be assembled, and set in motion at the start; parameters that are in range each may be out of all proportion.
pub(super) fn assembles(mechanism: &impl Mechanism) -> Result<(), OutOfRange> {
    let refused = |refused: Refused| {
        OutOfRange::new("", format!("no mechanism: {refused}"), "lengths, masses and stiffnesses in proportion")
    };
    let flexible = Flexible::new(mechanism.assembly().clone()).map_err(refused)?;
    let state = flexible.launched(0.0, &mechanism.start()).map_err(refused)?;
    if state.iter().all(|x: &f64| x.is_finite()) { Ok(()) } else { Err(refused(Refused::NotFinite)) }
}

impl<M: Mechanism> FlexibleModel<M> {
    /// The mechanism with parameters in range, which [assembles].
    pub(super) fn new(mechanism: M) -> Self {
        let flexible = Flexible::new(mechanism.assembly().clone()).expect("its parameters were checked");
        Self { mechanism, flexible }
    }
}

impl<S: Scalar, M: Mechanism> Formulated<S> for FlexibleModel<M> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        Box::new(self.flexible.equations())
    }

    fn initial_state(&self) -> Vec<S> {
        self.flexible.launched(0.0, &self.mechanism.start()).expect("the joints hold where the nodes rest")
    }
}

impl<M: Mechanism> Model for FlexibleModel<M> {
    fn observables(&self) -> Vec<Observable> {
        let common = COMMON.map(|(name, unit, about)| Observable::new(name, unit, about));
        [self.mechanism.observables(), common.to_vec()].concat()
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(|t: f64, state: &[f64], values: &mut [f64]| {
            let Self { mechanism, flexible } = self;
            let (own, common) = values.split_at_mut(values.len() - COMMON.len());
            mechanism.observe(&Snapshot { flexible, t, state }, own);
            let Energy { kinetic, strain } = flexible.energy(state);
            common.copy_from_slice(&[kinetic, strain, kinetic + strain, flexible.constraint(t, state)]);
        })
    }

    fn classes(&self) -> Vec<Class> {
        let node = |k: usize| if k % STATE < 12 { Class::Position } else { Class::Velocity };
        (0..self.flexible.state_dimension()).map(node).collect()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        self.mechanism.views(&Snapshot { flexible: &self.flexible, t: 0.0, state: y })
    }
}
