//! A problem of ours as equations for the library: budgets, Jacobians, roots.

use mbsbench_problem::{Counted, Counts, EventFunctions, Failure, Settings, Statistics};
use nalgebra::DMatrix;

use crate::settings::{Jacobian, Sizes};
use crate::{cvode, ida};

/// A counted problem with what the library's calls need.
pub struct Equations<'p> {
    problem: Counted<'p>,
    jacobian: Jacobian,
    /// Increment of a difference quotient, as a share of a component's size.
    increment: f64,
    /// Smallest sizes to be taken for that.
    typical: Vec<f64>,
    /// Budgets of the run.
    settings: Settings,
    /// Time of the last accepted state, s.
    reached: f64,
    roots: usize,
    /// The last event, s, and the functions that are zero there.
    event: (f64, Vec<usize>),
    matrix: DMatrix<f64>,
    moved: Vec<f64>,
    base: Vec<f64>,
    column: Vec<f64>,
}

/// The sizes for a problem of this dimension, which writes its own where `problem` is chosen.
pub fn sizes(choice: &Sizes, dimension: usize, stated: impl FnOnce(&mut [f64])) -> Result<Vec<f64>, Failure> {
    let mut sizes = vec![1.0; dimension];
    match choice {
        Sizes::Uniform => {}
        Sizes::Problem => stated(&mut sizes),
        Sizes::Components(pattern) => {
            if !sizes.len().is_multiple_of(pattern.len()) {
                let (given, wanted) = (pattern.len(), sizes.len());
                let reason = format!("{wanted} components are no multiple of the {given} sizes given");
                return Err(Failure::NotApplicable { reason });
            }
            for (size, &given) in sizes.iter_mut().zip(pattern.iter().cycle()) {
                *size = given;
            }
        }
    }
    Ok(sizes)
}

impl<'p> Equations<'p> {
    /// The equations of a problem, from `t` (s) on.
    pub fn new(
        mut problem: Counted<'p>,
        jacobian: Jacobian,
        (increment, typical): (f64, Vec<f64>),
        settings: Settings,
        t: f64,
    ) -> Self {
        let (n, roots) = (problem.dimension(), problem.functions_to_locate());
        let size = if jacobian == Jacobian::Exact { n } else { 0 };
        Self {
            problem,
            jacobian,
            increment,
            typical,
            settings,
            reached: t,
            roots,
            event: (f64::NAN, Vec::with_capacity(roots)),
            matrix: DMatrix::zeros(size, size),
            moved: vec![0.0; n],
            base: vec![0.0; n],
            column: vec![0.0; n],
        }
    }

    /// The problem.
    pub fn problem(&mut self) -> &mut Counted<'p> {
        &mut self.problem
    }

    /// The state at `t` (s) is accepted.
    pub fn accept(&mut self, t: f64) {
        self.reached = t;
    }

    /// The equations begin anew at `t` (s), where these functions are zero. What rounding has left of them there would be
    /// another root right behind.
    pub fn begin_at_roots(&mut self, t: f64, roots: &[usize]) {
        self.event.0 = t;
        self.event.1.clear();
        self.event.1.extend_from_slice(roots);
    }

    /// Writes `f(t, y)`.
    pub fn evaluate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        self.spend()?;
        self.problem.rhs(t, y, rate)
    }

    /// Fails where another evaluation would exceed the budget.
    fn spend(&self) -> Result<(), Failure> {
        let Statistics { rhs_evaluations, jacobian_rhs_evaluations, .. } = self.problem.statistics();
        self.settings.afford_evaluations(self.reached, rhs_evaluations + jacobian_rhs_evaluations, 1)
    }

    /// Writes `∂f/∂y`, column by column, where `base` is `f(t, y)`.
    fn differentiate(&mut self, t: f64, y: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        if self.jacobian == Jacobian::Exact {
            self.problem.jacobian(t, y, &mut self.matrix)?;
            jacobian.copy_from_slice(self.matrix.as_slice());
            return Ok(());
        }
        self.moved.copy_from_slice(y);
        for (j, entries) in jacobian.chunks_exact_mut(y.len()).enumerate() {
            self.spend()?;
            self.moved[j] = y[j] + self.increment * y[j].abs().max(self.typical[j]);
            // What the sum was rounded to.
            let moved_by = self.moved[j] - y[j];
            self.problem.rhs_for_jacobian(t, &self.moved, &mut self.column)?;
            self.moved[j] = y[j];
            for ((entry, &moved), &base) in entries.iter_mut().zip(&self.column).zip(&self.base) {
                *entry = (moved - base) / moved_by;
            }
        }
        Ok(())
    }

    fn event_values(&mut self, t: f64, y: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        let mut functions = self.problem.events()?;
        functions.values(t, y, values)?;
        for (index, value) in values.iter_mut().enumerate() {
            if !functions.is_watched(index) {
                *value = 1.0;
            }
        }
        let (event, roots) = &self.event;
        if t == *event {
            for &index in roots {
                values[index] = if functions.is_watched(index) { 0.0 } else { 1.0 };
            }
        }
        Ok(())
    }
}

impl Counts for Equations<'_> {
    fn statistics(&self) -> Statistics {
        self.problem.statistics()
    }
}

impl cvode::Equations for Equations<'_> {
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        self.evaluate(t, y, rate)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], rate: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        self.base.copy_from_slice(rate);
        self.differentiate(t, y, jacobian)
    }

    fn root_count(&self) -> usize {
        self.roots
    }

    fn roots(&mut self, t: f64, y: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        self.event_values(t, y, values)
    }
}

/// `F(t, y, y') = y' − f(t, y)`.
impl ida::Equations for Equations<'_> {
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    fn residual(&mut self, t: f64, y: &[f64], rate: &[f64], residual: &mut [f64]) -> Result<(), Failure> {
        self.evaluate(t, y, residual)?;
        for (residual, rate) in residual.iter_mut().zip(rate) {
            *residual = rate - *residual;
        }
        Ok(())
    }

    fn jacobian(
        &mut self,
        t: f64,
        c_j: f64,
        y: &[f64],
        rate: &[f64],
        residual: &[f64],
        jacobian: &mut [f64],
    ) -> Result<(), Failure> {
        for ((base, rate), residual) in self.base.iter_mut().zip(rate).zip(residual) {
            *base = rate - residual;
        }
        self.differentiate(t, y, jacobian)?;
        for entry in jacobian.iter_mut() {
            *entry = -*entry;
        }
        for diagonal in jacobian.iter_mut().step_by(y.len() + 1) {
            *diagonal += c_j;
        }
        Ok(())
    }

    fn root_count(&self) -> usize {
        self.roots
    }

    fn roots(&mut self, t: f64, y: &[f64], _rate: &[f64], values: &mut [f64]) -> Result<(), Failure> {
        self.event_values(t, y, values)
    }
}
