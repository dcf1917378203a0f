//! What is recorded of a run besides its measures.

use std::fmt;

/// What of a run is recorded, to be drawn over time, or one observable over another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Observables and properties of steps whose trajectories are recorded.
    pub trajectories: Vec<String>,
    /// Whether some are drawn over each other, for which more of them has to be kept than for a drawing over time.
    pub orbits: bool,
    /// Largest distance of recorded states, s; none where ends of steps will do.
    pub every: Option<f64>,
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.trajectories, if self.orbits { " as orbits" } else { "" })?;
        self.every.map_or(Ok(()), |every| write!(f, " every {every:?} s"))
    }
}
