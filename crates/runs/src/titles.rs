//! Names of runs in messages.

use mbsbench_experiment::{Plan, RunSpec};

/// What tells the runs of a plan apart in messages.
#[derive(Debug)]
pub struct Titles<'p> {
    plan: &'p Plan,
    /// The axes on which its runs differ.
    varying: Vec<usize>,
}

impl<'p> Titles<'p> {
    /// Of all runs of a plan. All of them are looked at to find how they differ: this is for once a plan, and not for
    /// once a run.
    pub fn of(plan: &'p Plan) -> Self {
        #[cfg(test)]
        LOOKED_AT.set(LOOKED_AT.get() + plan.runs.len());
        Self { plan, varying: (0..plan.axes.len()).filter(|&axis| plan.varies(axis)).collect() }
    }

    /// `method=rk3, step=0.05`.
    pub fn of_run(&self, run: &RunSpec) -> String {
        let cells = self.varying.iter().filter_map(|&axis| Some((&self.plan.axes[axis], run.cells[axis].as_ref()?)));
        cells.map(|(name, cell)| format!("{name}={cell}")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
thread_local! {
    /// Runs that were looked at to tell others apart.
    pub(crate) static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}
