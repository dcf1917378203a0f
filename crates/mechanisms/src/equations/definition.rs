//! Equations as experiment files describe them.

use mbsbench_problem::parameters::{Interval, Ranged};
use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::EquationsModel;
use crate::definition::{Named, Numbers, Start};
use crate::formula::Formula;

parameters! {
    /// Differential or differential-algebraic equations `M y' = f(t, y)` by formulas. Keys of `rates`, `mass`,
    /// `indices` and `set` name a state `x`, an element `x[1]` or `x[n]` of a vector, or all remaining elements,
    /// `x[i]`.
    pub struct Equations where can_be_compiled {
        /// Numbers by name, for formulas.
        pub parameters: Named<f64> = default,
        /// States by name, with initial values.
        pub states: Named<State>,
        /// Formulas by name, for use in other formulas. Names with indices, `d[i,j]`, are formulas of these indices.
        pub terms: Named<Formula> = default,
        /// The right-hand side of each state's equation.
        pub rates: Named<Formula>,
        /// Rows of the matrix before the rates, by state; each is a list of factors by state. Rows that are not given
        /// are those of the identity. An empty row makes the equation algebraic. A matrix that depends on the state
        /// must be regular.
        pub mass: Named<Named<Formula>> = default,
        /// Differentiation indices of states, 1 to 3, if the matrix is singular; by default 1.
        pub indices: Named<u32> [from 1, to 3] = default,
        /// Treatment of initial values that do not satisfy the equations without derivatives, if these have any:
        /// refused if not given, or `as-written`; changed as little as possible with `assembled`, states without
        /// derivatives first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub start: Option<Start>,
        /// Events by name.
        pub events: Named<Event> = default,
        /// Times at which rates jump, s: numbers, or formulas of parameters. Every method stops and starts again there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub breaks: Vec<Formula> [unit "s"],
        /// Further quantities to observe, by name.
        pub observables: Named<Formula> = default,
        /// Energy, J, which becomes the observable `energy`.
        pub energy: Option<Formula>,
    }

    /// Zeros of a function of time and state, at which the solver stops and continues with new values.
    #[derive(Default)]
    pub struct Event {
        /// The function. Magnitudes below 1e-12 count as zero.
        pub when: Formula [unit "1"],
        /// Sign changes that count.
        pub direction: Direction = default,
        /// New values of states and parameters, from the values before the event.
        pub set: Named<Formula> = default,
    }

    /// Sign changes of a function.
    #[derive(Copy, Default, Eq)]
    pub enum Direction {
        /// All.
        #[default]
        Any,
        /// From negative to positive.
        Rising,
        /// From positive to negative.
        Falling,
    }

    /// A vector with a size.
    #[derive(Default)]
    pub struct Vector {
        /// Number of elements.
        pub size: Formula [unit "1"],
        /// Initial values: one formula, in which `i` is the index of the element, or one for each element; by default
        /// zero.
        pub initial: Numbers = default,
    }
}

/// A state by its initial value; a vector by a list of initial values, or by its size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "accepted: an initial value, a list of them, or `{ size: 10, initial: 0 }`")]
pub enum State {
    /// Initial values.
    Values(Numbers),
    /// A vector with a size.
    Vector(Vector),
}

impl Ranged for State {
    fn check_in(&self, interval: Interval) -> Result<(), OutOfRange> {
        match self {
            Self::Values(values) => values.check_in(interval),
            Self::Vector(vector) => vector.check_in(interval),
        }
    }
}

impl Equations {
    /// Fails unless all formulas can be compiled.
    fn can_be_compiled(&self) -> Result<(), OutOfRange> {
        EquationsModel::new(self).map(|_| ())
    }
}

/// An oscillator with frequency 1 rad/s.
impl Default for Equations {
    fn default() -> Self {
        let oscillator = json!({
            "states": { "x": 1.0, "v": 0.0 },
            "rates": { "x": "v", "v": "-x" },
            "energy": "(x^2 + v^2)/2",
        });
        serde_json::from_value(oscillator).expect("equations as files have them")
    }
}

impl ModelDefinition for Equations {
    const NAME: &'static str = "equations";
    const SUMMARY: &'static str = "differential or differential-algebraic equations by the formulas of a file";
    const SOURCE: &'static str = "the experiment file";
    const IS_WRITTEN_OUT: bool = true;

    fn model(&self) -> Box<dyn Model> {
        Box::new(EquationsModel::new(self).expect("checked before"))
    }
}
