//! A linkage as the runner sees it.

use mbsbench_problem::model::Class;
use mbsbench_problem::{AccelerationLevel, Formulated, MechanicsOf, Model, Observable, Observation, Ode, Scalar};

use super::observables::observables;
use super::observation::LinkageObservation;
use super::{Linkage, LinkageFormulation, ReducedOde};

/// A linkage with parameters and formulation chosen.
#[derive(Debug, Clone)]
pub struct LinkageModel<L>(pub L);

impl<S: Scalar, L: Linkage> Formulated<S> for LinkageModel<L> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        match self.0.formulation() {
            LinkageFormulation::Cartesian => Box::new(AccelerationLevel::new(MechanicsOf::new(&self.0))),
            LinkageFormulation::Minimal => Box::new(ReducedOde(&self.0)),
        }
    }

    fn initial_state(&self) -> Vec<S> {
        match self.0.formulation() {
            LinkageFormulation::Cartesian => self.0.full_initial(),
            LinkageFormulation::Minimal => self.0.reduced_initial(),
        }
    }
}

impl<L: Linkage> Model for LinkageModel<L> {
    fn observables(&self) -> Vec<Observable> {
        observables(&self.0)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(LinkageObservation::new(&self.0))
    }

    fn classes(&self) -> Vec<Class> {
        let n = match self.0.formulation() {
            LinkageFormulation::Cartesian => self.0.coordinates(),
            LinkageFormulation::Minimal => self.0.freedoms(),
        };
        [vec![Class::Position; n], vec![Class::Velocity; n]].concat()
    }
}
