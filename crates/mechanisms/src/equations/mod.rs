//! Models given by formulas: `y' = f(t, y)` or `M y' = f(t, y)`, with events.
//!
//! ```text
//! Equations ── compile ─▶ EquationsModel: tapes of right-hand sides, events, observables ── ode ─▶ Ode
//!  (as in file)           (elements of vectors, numbers for names)
//! ```

mod compile;
mod definition;
mod ode;
mod start;
mod tape;

pub use compile::EquationsModel;
pub use definition::{Direction, Equations, Event, State};

#[cfg(test)]
#[path = "../../tests/all/pleiades.rs"]
mod pleiades;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mbsbench_input::{Document, read};

    use super::{Equations, EquationsModel, pleiades};

    /// Each of the 21 pairs of stars needs 2 differences, a squared distance (3), its power -3/2 (3), and, for both
    /// components, a pull, its products with both masses, and two additions to rates.
    #[test]
    fn formulas_take_as_many_operations_as_a_program_by_hand() {
        let document = Document::parse(Path::new("pleiades.yaml"), pleiades::PLEIADES.as_bytes()).expect("YAML");
        let equations: Equations = read(&document.root).unwrap_or_else(|error| panic!("{error}"));
        let count = EquationsModel::new(&equations).unwrap_or_else(|error| panic!("{error}")).rates.operations();
        assert!((300..=21 * (2 + 3 + 3 + 2 * 5)).contains(&count), "{count} operations");
    }
}
