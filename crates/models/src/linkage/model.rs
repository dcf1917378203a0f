//! A linkage as the runner sees it.

use mbsbench_problem::model::Class;
use mbsbench_problem::{AccelerationLevel, Formulated, MechanicsOf, Model, Observable, Observation, Ode, Scalar, View};

use super::observables::observables;
use super::observation::LinkageObservation;
use super::{Linkage, LinkageFormulation, ReducedOde};
use crate::drawing::{Part, block, pin, rod, upright};

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

    /// Crank and rod, a rod that bends as the line between its ends, and a slider where there is one.
    fn views(&self, y: &[f64]) -> Vec<View> {
        let linkage = &self.0;
        let mut full = vec![0.0; 2 * linkage.coordinates()];
        match linkage.formulation() {
            LinkageFormulation::Cartesian => full.copy_from_slice(y),
            LinkageFormulation::Minimal => linkage.expand(y, &mut full),
        }
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
