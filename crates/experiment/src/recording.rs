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
    /// Parts of the run that are drawn alone, s, in order: of each as much has to be kept as of the whole.
    pub windows: Vec<[f64; 2]>,
    /// Whether some are drawn on a logarithmic axis, where small values are seen as well.
    pub logarithmic: bool,
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{}", self.trajectories, if self.orbits { " as orbits" } else { "" })?;
        if let Some(every) = self.every {
            write!(f, " every {every:?} s")?;
        }
        if !self.windows.is_empty() {
            write!(f, " within {:?} s", self.windows)?;
        }
        f.write_str(if self.logarithmic { " on logarithmic axes" } else { "" })
    }
}
