//! Our problems as equations for the library: budgets, Jacobians, roots.

use mbsbench_problem::linalg::{Singular, add_product, multiply};
use mbsbench_problem::{Counted, Counts, Failure, Settings, Statistics, Tangent, TangentSystem};
use nalgebra::{DMatrix, DVector};

use crate::callbacks::NEWTON_MATRIX;
use crate::constrained::Constrained;
use crate::settings::{Jacobian, Sizes};
use crate::solver::{self, Point};
use crate::systems::Systems;

/// The form in which the library receives a problem.
pub enum Taken {
    /// `y' = f(t, y)`, with the chosen derivatives and the library's linear algebra.
    Ordinary(Jacobian),
    /// `y' = f(t, y)`, with linear systems solved through the equations from which `∂f/∂y` follows.
    Structured(Box<Structured>),
    /// Mechanics with its constraints, and the solver of its linear systems.
    Constrained(Box<Constrained>, Systems),
}

/// Linear systems with `∂f/∂y` of a mechanism with many bodies.
pub struct Structured {
    tangent: Tangent,
    system: TangentSystem,
    /// The factor by which solutions are multiplied.
    scale: f64,
}

impl Taken {
    /// Ordinary equations whose systems are solved through `tangent`.
    pub fn structured(tangent: Tangent) -> Self {
        let system = TangentSystem::new(&tangent);
        Self::Structured(Box::new(Structured { tangent, system, scale: 1.0 }))
    }

    /// The solver of the linear systems.
    pub fn systems(&self) -> Systems {
        match self {
            Self::Ordinary(Jacobian::Internal | Jacobian::Automatic) => Systems::Differences,
            Self::Ordinary(Jacobian::Exact | Jacobian::FiniteDifference) => Systems::Dense,
            Self::Structured(_) => Systems::Own,
            Self::Constrained(_, systems) => *systems,
        }
    }
}

/// A counted problem with the memory that the library's calls need.
pub struct Equations<'p> {
    problem: Counted<'p>,
    taken: Taken,
    /// True if the equations are for IDA.
    is_implicit: bool,
    /// `M` of `M y' = f(t, y)`, if the problem has a mass matrix.
    mass: Option<DMatrix<f64>>,
    /// Increment of a difference quotient, as a fraction of a component's size.
    increment: f64,
    /// Minimum component sizes for the increment.
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

/// The smallest `y'` with `M y' = f` in the least-squares sense: rates of differential unknowns, and zero for the
/// algebraic unknowns, which the library computes in its first step.
fn least_rates(mass: &DMatrix<f64>, f: &[f64]) -> Vec<f64> {
    let svd = mass.clone().svd(true, true);
    let threshold = f.len() as f64 * f64::EPSILON * svd.singular_values.max();
    let rates = svd.solve(&DVector::from_column_slice(f), threshold).expect("both factors were asked for");
    rates.as_slice().to_vec()
}

/// The component sizes for a problem of this dimension; for `problem`, the function `stated` writes them.
pub fn sizes(choice: &Sizes, dimension: usize, stated: impl FnOnce(&mut [f64])) -> Result<Vec<f64>, Failure> {
    let mut sizes = vec![1.0; dimension];
    match choice {
        Sizes::Uniform => {}
        Sizes::Problem => stated(&mut sizes),
        Sizes::Components(pattern) => {
            if !sizes.len().is_multiple_of(pattern.len()) {
                let (given, wanted) = (pattern.len(), sizes.len());
                let reason =
                    format!("the problem has {wanted} components, which is not a multiple of the {given} given sizes");
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
    /// Equations of a problem that starts at `t` (s).
    pub fn new(
        mut problem: Counted<'p>,
        (taken, is_implicit): (Taken, bool),
        (increment, typical): (f64, Vec<f64>),
        settings: Settings,
        t: f64,
    ) -> Self {
        let (n, roots) = (problem.dimension(), problem.functions_to_locate());
        let size = if matches!(taken, Taken::Ordinary(Jacobian::Exact)) { n } else { 0 };
        Self {
            mass: problem.properties().mass.cloned(),
            problem,
            taken,
            is_implicit,
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

    /// The solver of the linear systems.
    pub fn systems(&self) -> Systems {
        self.taken.systems()
    }

    /// Number of multipliers that follow the state of the problem.
    pub fn multipliers(&self) -> usize {
        if let Taken::Constrained(constrained, _) = &self.taken { constrained.constraints() } else { 0 }
    }

    /// See [`Properties::indices`](mbsbench_problem::Properties::indices).
    pub fn indices(&self) -> Option<Vec<u8>> {
        self.problem.properties().indices.map(<[u8]>::to_vec)
    }

    /// Unknowns of IDA and their rates at `t` (s), for a state of the problem that violates constraints by at most
    /// `most`.
    pub fn start(&mut self, t: f64, state: &[f64], most: f64) -> Result<(Vec<f64>, Vec<f64>), Failure> {
        let size = solver::Equations::dimension(self);
        let (mut y, mut rates) = (state.to_vec(), vec![0.0; size]);
        y.resize(size, 0.0);
        self.spend()?;
        match &mut self.taken {
            Taken::Constrained(constrained, _) => {
                constrained.start(&mut self.problem, t, (state, most), (&mut y, &mut rates))?;
            }
            _ => self.problem.rhs(t, state, &mut rates)?,
        }
        if let Some(mass) = &self.mass {
            rates = least_rates(mass, &rates);
        }
        Ok((y, rates))
    }

    /// The problem.
    pub fn problem(&mut self) -> &mut Counted<'p> {
        &mut self.problem
    }

    /// Records that the state at `t` (s) is accepted.
    pub fn accept(&mut self, t: f64) {
        self.reached = t;
    }

    /// Restarts the equations at `t` (s), where these functions are zero. Without this, their rounding residues would
    /// be found as further roots immediately afterwards.
    pub fn begin_at_roots(&mut self, t: f64, roots: &[usize]) {
        self.event.0 = t;
        self.event.1.clear();
        self.event.1.extend_from_slice(roots);
    }

    /// Fails if another evaluation would exceed the budget.
    fn spend(&self) -> Result<(), Failure> {
        let Statistics { rhs_evaluations, jacobian_rhs_evaluations, .. } = self.problem.statistics();
        self.settings.check_evaluations(self.reached, rhs_evaluations + jacobian_rhs_evaluations, 1)
    }

    /// Writes `∂f/∂y`, column by column; `base` holds `f(t, y)`.
    fn differentiate(&mut self, t: f64, y: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        if matches!(self.taken, Taken::Ordinary(Jacobian::Exact)) {
            self.problem.jacobian(t, y, &mut self.matrix)?;
            jacobian.copy_from_slice(self.matrix.as_slice());
            return Ok(());
        }
        self.moved.copy_from_slice(y);
        for (j, entries) in jacobian.chunks_exact_mut(y.len()).enumerate() {
            self.spend()?;
            self.moved[j] = y[j] + self.increment * y[j].abs().max(self.typical[j]);
            // The increment after rounding.
            let moved_by = self.moved[j] - y[j];
            self.problem.rhs_for_jacobian(t, &self.moved, &mut self.column)?;
            self.moved[j] = y[j];
            for ((entry, &moved), &base) in entries.iter_mut().zip(&self.column).zip(&self.base) {
                *entry = (moved - base) / moved_by;
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

/// `f(t, y)` for CVODE; `F(t, y, y') = M y' − f(t, y)`, or the residual of [`Constrained`], for IDA.
impl solver::Equations for Equations<'_> {
    fn dimension(&self) -> usize {
        if let Taken::Constrained(constrained, _) = &self.taken { constrained.size() } else { self.problem.dimension() }
    }

    fn evaluate(&mut self, Point { t, y, rate, .. }: Point<'_>, value: &mut [f64]) -> Result<(), Failure> {
        self.spend()?;
        if let Taken::Constrained(constrained, _) = &mut self.taken {
            return constrained.residual(&mut self.problem, t, (y, rate), value);
        }
        self.problem.rhs(t, y, value)?;
        match &self.mass {
            _ if !self.is_implicit => {}
            None => value.iter_mut().zip(rate).for_each(|(value, rate)| *value = rate - *value),
            Some(mass) => {
                value.iter_mut().for_each(|value| *value = -*value);
                add_product(1.0, mass, rate, value);
            }
        }
        Ok(())
    }

    fn jacobian(&mut self, at: Point<'_>, value: &[f64], jacobian: &mut [f64]) -> Result<(), Failure> {
        let Point { t, y, rate, factor: c_j } = at;
        if let Taken::Constrained(constrained, _) = &mut self.taken {
            return constrained.jacobian(&mut self.problem, (t, c_j), (y, rate), jacobian);
        }
        if !self.is_implicit {
            self.base.copy_from_slice(value);
            return self.differentiate(t, y, jacobian);
        }
        match &self.mass {
            None => self.base.copy_from_slice(rate),
            Some(mass) => multiply(mass, rate, &mut self.base),
        }
        self.base.iter_mut().zip(value).for_each(|(base, residual)| *base -= residual);
        self.differentiate(t, y, jacobian)?;
        for entry in jacobian.iter_mut() {
            *entry = -*entry;
        }
        match &self.mass {
            None => jacobian.iter_mut().step_by(y.len() + 1).for_each(|diagonal| *diagonal += c_j),
            Some(mass) => jacobian.iter_mut().zip(mass.iter()).for_each(|(entry, mass)| *entry += c_j * mass),
        }
        Ok(())
    }

    fn prepare(&mut self, Point { t, y, rate, factor }: Point<'_>, keep: bool) -> Result<(), Failure> {
        let structured = match &mut self.taken {
            Taken::Constrained(constrained, _) => {
                return constrained.factorize(&mut self.problem, (t, factor), (y, rate));
            }
            Taken::Structured(structured) => structured,
            Taken::Ordinary(_) => return Ok(()),
        };
        if !keep {
            self.problem.linearise(t, y, &mut structured.tangent)?;
        }
        let gamma = if self.is_implicit { 1.0 / factor } else { factor };
        structured.scale = if self.is_implicit { gamma } else { 1.0 };
        let factorized = structured.system.factorize(gamma, &structured.tangent);
        factorized.map_err(|Singular| Failure::SingularMatrix { time: t, matrix: NEWTON_MATRIX })
    }

    fn solve(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        match &mut self.taken {
            Taken::Ordinary(_) => {}
            Taken::Structured(structured) => {
                structured.system.solve(x);
                x.iter_mut().for_each(|x| *x *= structured.scale);
            }
            Taken::Constrained(constrained, _) => constrained.solve(x),
        }
        Ok(())
    }

    fn root_count(&self) -> usize {
        self.roots
    }

    fn roots(&mut self, t: f64, y: &[f64], values: &mut [f64]) -> Result<(), Failure> {
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
