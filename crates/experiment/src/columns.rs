//! Names of columns that are not measures of an experiment.

/// Columns of `runs.csv` that are neither axes of models, methods and settings nor measures.
pub const FIXED: [&str; 6] = ["case", "status", "assurance", "t_reached", "run", "message"];

/// Prefix of the columns of `timings.csv` in other files: `timing.ratio`.
pub const TIMING: &str = "timing.";

/// The columns of `timings.csv` that tables, figures and verdicts can name.
pub const TIMINGS: [&str; 4] = ["timing.median_s", "timing.ratio", "timing.step_ns", "timing.setup_s"];
