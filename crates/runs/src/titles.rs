//! Titles of runs in messages.

use mbsbench_experiment::{Plan, RunSpec};

/// Names the runs of a plan in messages by the axes on which they differ.
#[derive(Debug)]
pub struct Titles<'p> {
    plan: &'p Plan,
    /// The axes on which the runs differ.
    varying: Vec<usize>,
}

impl<'p> Titles<'p> {
    /// Creates the titles of a plan. All runs are inspected to find how they differ, so call this once for each plan
    /// and not for each run.
    pub fn of(plan: &'p Plan) -> Self {
        #[cfg(test)]
        LOOKED_AT.set(LOOKED_AT.get() + plan.runs.len());
        Self { plan, varying: (0..plan.axes.len()).filter(|&axis| plan.varies(axis)).collect() }
    }

    /// Returns `method=rk3, step=0.05`.
    pub fn of_run(&self, run: &RunSpec) -> String {
        let cells = self.varying.iter().filter_map(|&axis| Some((&self.plan.axes[axis], run.cells[axis].as_ref()?)));
        cells.map(|(name, cell)| format!("{name}={cell}")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
thread_local! {
    /// The number of runs inspected to distinguish others.
    pub(crate) static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
