//! The data recorded of a run besides its measures.

use std::fmt;

/// The observables of a run to be recorded, for drawing over time or over each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// The observables and properties of steps whose trajectories are recorded.
    pub trajectories: Vec<String>,
    /// True if some are drawn over each other, which requires more points than a drawing over time.
    pub orbits: bool,
    /// The largest distance of recorded states, s; `None` if the ends of steps suffice.
    pub every: Option<f64>,
    /// Parts of the run that are drawn separately, s, in order. Each part is recorded with as many points as a whole
    /// run.
    pub windows: Vec<[f64; 2]>,
    /// True if some are drawn on a logarithmic axis, which also shows small values.
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
