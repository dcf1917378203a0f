//! The interface between benchmark models and time integration methods.
//!
//! A model is written once, generic over [`Scalar`] (the authoring traits [`OdeModel`] and [`MechanicalModel`]).
//! Methods use the object-safe traits [`Ode`] and [`Mechanics`], and only through a counting wrapper ([`Counted`]),
//! so that no method can misreport its cost. Adaptors convert one formulation into another.
//!
//! ```text
//! MechanicalModel ──MechanicsOf──▶ Mechanics ──AccelerationLevel──▶ Ode ◀──AsOde── OdeModel
//!  (any scalar)                    (derivatives   (index 1)         (what a method steps)
//!                                   from duals)  ──SlidingMode──▶
//!                                                 (held surfaces)
//! ```
//!
//! Methods with implicit stages use all of these as a [`Dae`], `r(t, y, y', λ) = 0`: the problem's own, or one that
//! an adaptor ([`dae`]) makes from [`Mechanics`] in index-3 form or from an [`Ode`].
//!
//! Contacts are forces in a [`ContactModel`], which [`AsContactOde`] turns into an [`Ode`] with its [`ContactPower`].
//! Discontinuities that can be located are zeros of the [`EventFunctions`] of an [`EventModel`].
//!
//! A [`Method`] steps in the loop of a [`Run`], which has budgets, counters and the observer; the method's own part
//! is a [`Stepping`].
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

// The code that `parameters!` generates names this crate.
extern crate self as mbsbench_problem;
// Every program that links this crate has correctly rounded `f64::sin` and its like.
use mbsbench_elementary as _;

pub mod acceleration;
pub mod assurance;
mod backward;
pub mod benchmark;
pub mod branches;
pub mod constrained;
pub mod contact_power;
pub mod counting;
pub mod dae;
pub mod definition;
pub mod descriptor;
pub mod double_double;
pub mod events;
pub mod exact;
pub mod failure;
pub mod form;
pub mod formulation;
pub mod grid;
mod legs;
pub mod linalg;
pub mod linear;
pub mod mechanics;
pub mod method;
pub mod model;
mod number;
pub mod observer;
pub mod ode;
pub mod parameters;
mod pass_on;
pub mod probe;
pub mod rotation;
pub mod scalar;
pub mod sliding_mode;
pub mod statistics;
pub mod stepping;
pub mod tangent;
pub mod verbatim;
pub mod view;

pub use acceleration::AccelerationLevel;
pub use assurance::{Assurance, Deviation, Doubt, Findings};
pub use benchmark::BenchmarkModel;
pub use branches::{Branch, BranchSystem, Branches, Recursion};
pub use constrained::ConstraintWatch;
pub use contact_power::{AsContactOde, ContactModel, ContactPower};
pub use counting::{Counted, CountedContactPower, CountedDae, CountedEvents, CountedMechanics, Counts, Evaluations};
pub use dae::Dae;
pub use definition::{Fault, MethodDefinition, ModelDefinition, OutOfRange, Parameters};
pub use descriptor::{AsDescriptor, ConstrainedFormulation, Descriptor, DescriptorModel, Level};
pub use double_double::DoubleDouble;
pub use events::{AsEventOde, EventFunctions, EventKind, EventModel, Events};
pub use exact::Exact;
pub use failure::{Failure, Status};
pub use form::Form;
pub use formulation::Formulation;
pub use linalg::{Accumulate, Entries};
pub use mechanics::{
    ClosedForm, ClosedTerms, Derivatives, Dimensions, Matrices, MechanicalModel, Mechanics, MechanicsOf, Motion,
    Partials, Structure, Terms,
};
pub use method::{Clock, Method, MethodProperties, Settings, Solution, StepControl, Task, Unsuitable};
pub use model::{Class, Formulated, Model, Observable, Observation};
pub use observer::{Further, Interpolant, Observer, Silent, Step};
pub use ode::{AsOde, Ode, OdeModel, Properties};
pub use probe::Probe;
pub use scalar::Scalar;
pub use sliding_mode::{SlidingMode, SlidingModeSettings};
pub use statistics::Statistics;
pub use stepping::{AcceptedStep, Run, Stepping};
pub use tangent::{MatrixSystem, Tangent, TangentMatrices, TangentSystem};
pub use verbatim::Verbatim;
pub use view::View;
