//! A mechanism as a benchmark model.

use std::cell::RefCell;

use mbsbench_problem::constrained::equations;
use mbsbench_problem::model::Class;
use mbsbench_problem::{
    Formulated, MechanicalModel, Model, ModelDefinition, Observable, Observation, Ode, OutOfRange, Scalar,
    SlidingModeSettings, View,
};

use crate::compile::{Compiled, compile};
use crate::definition::{Mechanism, Motion};
use crate::drawing;
use crate::joint_space::JointSpace;
use crate::observation::MechanismObservation;
use crate::space::{Plane, Space, Spatial};
use crate::system::System;
use crate::watched::Watched;

thread_local! {
    /// The last mechanism that could be assembled, and its model until that is needed. Files are read several times on
    /// the way to their runs.
    static LAST: RefCell<(String, Option<Box<dyn Model>>)> = const { RefCell::new((String::new(), None)) };
}

impl Mechanism {
    /// Fails unless the mechanism is valid, closes and can move.
    pub(crate) fn can_be_assembled(&self) -> Result<(), OutOfRange> {
        match self.motion {
            Motion::Planar => self.assembles::<Plane>(),
            Motion::Spatial => self.assembles::<Spatial>(),
        }
    }

    fn assembles<X: Space>(&self) -> Result<(), OutOfRange> {
        let text = self.text();
        if LAST.with_borrow(|(last, _)| *last == text) {
            return Ok(());
        }
        let model = MechanismModel::<X>::new(self)?;
        self.formulation.check_surfaces(model.system().dimensions().constraints())?;
        LAST.set((text, Some(Box::new(model))));
        Ok(())
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("a mechanism can be written")
    }
}

impl ModelDefinition for Mechanism {
    const NAME: &'static str = "mechanism";
    const SUMMARY: &'static str = "mechanism with the bodies, joints and forces of a file, planar or spatial";
    const SOURCE: &'static str = "the experiment file";
    const IS_WRITTEN_OUT: bool = true;

    fn model(&self) -> Box<dyn Model> {
        let last = |(last, model): &mut (String, Option<Box<dyn Model>>)| {
            if model.is_some() && *last == self.text() { model.take() } else { None }
        };
        LAST.with_borrow_mut(last).unwrap_or_else(|| match self.motion {
            Motion::Planar => Box::new(MechanismModel::<Plane>::new(self).expect("checked before")),
            Motion::Spatial => Box::new(MechanismModel::<Spatial>::new(self).expect("checked before")),
        })
    }
}

/// A mechanism in the chosen formulation.
#[derive(Debug, Clone)]
pub struct MechanismModel<X> {
    compiled: Compiled<X>,
    settings: Option<SlidingModeSettings>,
    watched: Watched,
}

impl<X: Space> MechanismModel<X> {
    /// Returns the model of a mechanism.
    ///
    /// # Errors
    /// Fails with the first error in the description, with its path in the file.
    pub fn new(mechanism: &Mechanism) -> Result<Self, OutOfRange> {
        let compiled = compile::<X>(mechanism)?;
        let watched = Watched::new(&compiled, &mechanism.observe)?;
        Ok(Self { compiled, settings: mechanism.formulation.sliding_mode().cloned(), watched })
    }

    /// Returns the model of a compiled mechanism.
    #[cfg(test)]
    pub(crate) fn of(compiled: Compiled<X>, watched: Watched) -> Self {
        Self { compiled, settings: None, watched }
    }

    /// The equations in joint coordinates, if these are requested.
    pub fn joint_space(&self) -> Option<&JointSpace<X>> {
        self.compiled.joint_space.as_ref()
    }

    /// The equations in absolute coordinates.
    pub fn system(&self) -> &System<X> {
        &self.compiled.system
    }
}

impl<S: Scalar, X: Space> Formulated<S> for MechanismModel<X> {
    fn ode(&self) -> Box<dyn Ode<S> + '_> {
        if let Some(space) = &self.compiled.joint_space {
            return space.ode();
        }
        equations(&self.compiled.system, self.settings.as_ref(), &self.initial_state())
    }

    fn initial_state(&self) -> Vec<S> {
        let initial = self.compiled.joint_space.as_ref().map_or(&self.compiled.initial, |space| &space.initial);
        initial.iter().flatten().map(|&x| S::from(x)).collect()
    }
}

impl<X: Space> Model for MechanismModel<X> {
    fn observables(&self) -> Vec<Observable> {
        self.watched.observables(&self.compiled)
    }

    fn observation(&self) -> Box<dyn Observation + '_> {
        Box::new(MechanismObservation::new(&self.compiled, &self.watched))
    }

    fn classes(&self) -> Vec<Class> {
        let system = &self.compiled.system;
        let sizes = self.compiled.joint_space.as_ref().map_or_else(|| system.dimensions(), |space| space.dimensions());
        [vec![Class::Position; sizes.coordinates], vec![Class::Velocity; sizes.velocities]].concat()
    }

    fn views(&self, y: &[f64]) -> Vec<View> {
        drawing::views(&self.compiled, &self.compiled.absolute(y))
    }
}
