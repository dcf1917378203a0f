//! Equations of constrained mechanics for IDA.

use std::sync::Arc;

use mbsbench_problem::linalg::{Blocks, Matrix, Pattern, Place, Singular};
use mbsbench_problem::{Counted, Derivatives, Failure, Structure, Terms};

use crate::callbacks::NEWTON_MATRIX;
use crate::settings::Form;

/// ```text
/// q' − v + Jᵀ μ = 0
/// M(q) v' − D(t, q, v) − Jᵀ λ = 0
/// Φ(t, q) = 0
/// J v + Φ_t = 0
/// ```
///
/// with `y = (q, v, λ, μ)` (C. W. Gear, B. Leimkuhler, G. K. Gupta, J. Comput. Appl. Math. 12/13 (1985) 77–90). The
/// index-3 form has neither μ nor the last row. μ is zero for exact solutions.
///
/// Newton's matrix, with `K = ∂(M v' − D − Jᵀ λ)/∂q`, `C = ∂D/∂v`, `G = ∂(Jᵀ μ)/∂q` and `R = ∂(J v + Φ_t)/∂q`, is
///
/// ```text
/// ( c_j + G  −1         0    Jᵀ )
/// ( K        c_j M − C  −Jᵀ  0  )
/// ( J        0          0    0  )
/// ( R        J          0    0  )
/// ```
///
/// Its condition number grows like `c_j³`. The matrix that is factorized has its rows multiplied by `(1, c, 1/c, 1)`
/// and its columns by `(c, 1, 1/c, 1)`, with `c = 1/c_j`. As the step goes to zero, it tends to a matrix without `c`.
pub struct Constrained {
    form: Form,
    terms: Terms<f64>,
    derivatives: Derivatives<f64>,
    /// `K`.
    stiffness: Matrix<f64>,
    /// `G`.
    turning: Matrix<f64>,
    /// `R`.
    rates: Matrix<f64>,
    identity: Matrix<f64>,
    /// Time and state of the terms.
    at: (f64, Vec<f64>),
    /// Memory for sparse factors; none if the library factorizes a dense matrix.
    blocks: Option<Blocks>,
    c: f64,
}

/// Block row and block column of a part of the matrix, and whether the part is transposed.
struct Part([usize; 2], bool);

/// Positions of the parts; the parts of both forms come first.
const PARTS: [Part; 10] = [
    Part([0, 0], false),
    Part([0, 1], false),
    Part([1, 0], false),
    Part([1, 1], false),
    Part([1, 2], true),
    Part([2, 0], false),
    Part([0, 0], false),
    Part([0, 3], true),
    Part([3, 0], false),
    Part([3, 1], false),
];
/// The number of parts in the index-3 form, and the number of summands of [`Constrained::summands`] in it.
const OF_INDEX_3: (usize, usize) = (6, 7);

impl Constrained {
    /// Equations for the mechanics of `problem`. If `sparse`, they factorize their own sparse matrix; otherwise the
    /// library factorizes a dense one.
    ///
    /// # Errors
    /// Returns [`Failure::NotApplicable`] if the problem has no mechanics.
    pub fn new(problem: &mut Counted<'_>, form: Form, sparse: bool) -> Result<Self, Failure> {
        let structure = problem.mechanics()?.structure();
        let n = structure.dynamics.rows();
        let diagonal = Arc::new(Pattern::new((n, n), (0..n).map(|i| (i, i))));
        let mut identity = Matrix::new(&diagonal, true);
        identity.values_mut().fill(1.0);
        let square = Matrix::new(&structure.dynamics, sparse);
        Ok(Self {
            form,
            terms: Terms::of(&structure, sparse),
            derivatives: Derivatives::of(&structure, sparse),
            stiffness: square.clone(),
            turning: square,
            rates: Matrix::new(&structure.jacobian, sparse),
            identity,
            at: (f64::NAN, vec![0.0; 2 * n]),
            blocks: sparse.then(|| layout(form, &structure, &diagonal)),
            c: 0.0,
        })
    }

    fn coordinates(&self) -> usize {
        self.terms.forces.len()
    }

    /// Number of constraints, which is also the number of multipliers λ.
    pub fn constraints(&self) -> usize {
        self.terms.constraints.len()
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        starts(self.form, self.coordinates(), self.constraints())[4]
    }

    /// Writes the unknowns and their rates at the start, for a state `(q ; v)` that satisfies its constraints.
    /// Accelerations and λ follow from the constraints at acceleration level; the rates of multipliers are zero.
    ///
    /// # Errors
    /// Fails if the problem cannot be evaluated, or with [`Failure::NotApplicable`] if a constraint is violated by more
    /// than `most`.
    pub fn start(
        &mut self,
        problem: &mut Counted<'_>,
        t: f64,
        (state, most): (&[f64], f64),
        (y, rates): (&mut [f64], &mut [f64]),
    ) -> Result<(), Failure> {
        let (n, m) = (self.coordinates(), self.constraints());
        problem.uncounted(|problem| self.evaluate(problem, t, state))?;
        for (values, of) in [(&self.terms.constraints, "positions"), (&self.terms.constraint_rates, "velocities")] {
            let worst = values.iter().enumerate().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
            if let Some((index, value)) = worst.filter(|(_, value)| value.abs() > most) {
                let (number, size) = (index + 1, value.abs());
                let reason = format!(
                    "the initial state violates constraint {number} on {of} by {size:.1e}, more than ten times the \
                     tolerance; use a consistent initial state or `form: index1`"
                );
                return Err(Failure::NotApplicable { reason });
            }
        }
        let mut consistent = vec![0.0; 2 * n + m];
        problem.with_dae(|dae| dae.consistent(t, &[], state, &mut consistent))??;
        let (of_state, lambda) = consistent.split_at(2 * n);
        y[..2 * n].copy_from_slice(state);
        y[2 * n..][..m].copy_from_slice(lambda);
        rates[..2 * n].copy_from_slice(of_state);
        Ok(())
    }

    /// Writes `F(t, y, y')`.
    pub fn residual(
        &mut self,
        problem: &mut Counted<'_>,
        t: f64,
        (y, rates): (&[f64], &[f64]),
        residual: &mut [f64],
    ) -> Result<(), Failure> {
        let (n, m) = (self.coordinates(), self.constraints());
        self.evaluate(problem, t, y)?;
        let Self { terms, .. } = self;
        let (state, multipliers) = y.split_at(2 * n);
        let (lambda, mu) = multipliers.split_at(m);
        let (kinematic, rest) = residual.split_at_mut(n);
        let (dynamic, rest) = rest.split_at_mut(n);
        let (constraints, velocity_constraints) = rest.split_at_mut(m);
        for ((row, &rate), &v) in kinematic.iter_mut().zip(rates).zip(&state[n..]) {
            *row = rate - v;
        }
        terms.dynamics(&rates[n..2 * n], lambda, dynamic);
        constraints.copy_from_slice(&terms.constraints);
        if self.form == Form::Ggl {
            terms.jacobian.add_transposed_product(1.0, mu, kinematic);
            velocity_constraints.copy_from_slice(&terms.constraint_rates);
        }
        Ok(())
    }

    /// Evaluates the terms at the state in `y`.
    fn evaluate(&mut self, problem: &mut Counted<'_>, t: f64, y: &[f64]) -> Result<(), Failure> {
        let (q, v) = y[..2 * self.coordinates()].split_at(self.coordinates());
        problem.mechanics()?.terms(t, q, v, &mut self.terms);
        self.at.0 = t;
        self.at.1.copy_from_slice(&y[..q.len() + v.len()]);
        Ok(())
    }

    /// Evaluates the derivatives at a point, usually the point of the last residual.
    fn linearise(&mut self, problem: &mut Counted<'_>, t: f64, (y, rates): (&[f64], &[f64])) -> Result<(), Failure> {
        let (n, m) = (self.coordinates(), self.constraints());
        let (state, multipliers) = y.split_at(2 * n);
        if self.at.0 != t || self.at.1 != state {
            self.evaluate(problem, t, y)?;
        }
        let (q, v) = state.split_at(n);
        let (lambda, mu) = multipliers.split_at(m);
        let Self { derivatives, stiffness, turning, .. } = self;
        problem.mechanics()?.derivatives(t, q, v, derivatives);
        stiffness.negate(&derivatives.forces_by_position);
        derivatives.add_inertia(1.0, &rates[n..2 * n], stiffness);
        derivatives.add_curvature(-1.0, lambda, stiffness);
        if self.form == Form::Ggl {
            turning.values_mut().fill(0.0);
            derivatives.add_curvature(1.0, mu, turning);
            derivatives.constraint_rates(v, &mut self.rates);
        }
        Ok(())
    }

    /// The summands of the parts of the matrix: number of the part, factor, block.
    fn summands(&self, c_j: f64) -> impl Iterator<Item = (usize, f64, &Matrix<f64>)> {
        let Self { terms: Terms { mass, jacobian, .. }, derivatives, stiffness, turning, rates, identity, .. } = self;
        let all = [
            (0, c_j, identity),
            (1, -1.0, identity),
            (2, 1.0, stiffness),
            (3, c_j, mass),
            (3, -1.0, &derivatives.forces_by_velocity),
            (4, -1.0, jacobian),
            (5, 1.0, jacobian),
            (6, 1.0, turning),
            (7, 1.0, jacobian),
            (8, 1.0, rates),
            (9, 1.0, jacobian),
        ];
        let count = if self.form == Form::Ggl { all.len() } else { OF_INDEX_3.1 };
        all.into_iter().take(count)
    }

    /// Writes `∂F/∂y + c_j ∂F/∂y'`, column by column.
    pub fn jacobian(
        &mut self,
        problem: &mut Counted<'_>,
        (t, c_j): (f64, f64),
        point: (&[f64], &[f64]),
        jacobian: &mut [f64],
    ) -> Result<(), Failure> {
        self.linearise(problem, t, point)?;
        let starts = starts(self.form, self.coordinates(), self.constraints());
        let size = starts[4];
        jacobian.fill(0.0);
        for (part, factor, block) in self.summands(c_j) {
            let Part([row, column], transposed) = PARTS[part];
            block.for_each(|i, j, entry| {
                let (i, j) = if transposed { (j, i) } else { (i, j) };
                jacobian[(starts[column] + j) * size + starts[row] + i] += factor * entry;
            });
        }
        Ok(())
    }

    /// Factorizes the same matrix.
    ///
    /// # Errors
    /// Fails if the problem cannot be evaluated, or with [`Failure::SingularMatrix`].
    pub fn factorize(
        &mut self,
        problem: &mut Counted<'_>,
        (t, c_j): (f64, f64),
        point: (&[f64], &[f64]),
    ) -> Result<(), Failure> {
        self.linearise(problem, t, point)?;
        self.c = 1.0 / c_j;
        let Some(mut blocks) = self.blocks.take() else { return Ok(()) };
        let (of_rows, of_columns) = scales(self.c);
        blocks.clear();
        for (part, factor, block) in self.summands(c_j) {
            let Part([row, column], _) = PARTS[part];
            blocks.add(part, factor * of_rows[row] * of_columns[column], block);
        }
        let factorized = blocks.factorize();
        self.blocks = Some(blocks);
        factorized.map_err(|Singular| Failure::SingularMatrix { time: t, matrix: NEWTON_MATRIX })
    }

    /// Solves with the factors, in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        let starts = starts(self.form, self.coordinates(), self.constraints());
        let Some(blocks) = &mut self.blocks else { return };
        let (of_rows, of_columns) = scales(self.c);
        for (k, range) in starts.windows(2).enumerate() {
            let range = range[0]..range[1];
            blocks.x[range.clone()].iter_mut().zip(&x[range]).for_each(|(to, from)| *to = from * of_rows[k]);
        }
        blocks.solve();
        for (k, range) in starts.windows(2).enumerate() {
            let range = range[0]..range[1];
            x[range.clone()].iter_mut().zip(&blocks.x[range]).for_each(|(to, from)| *to = from * of_columns[k]);
        }
    }
}

/// Indices at which block rows and block columns begin, followed by the number of unknowns.
fn starts(form: Form, n: usize, m: usize) -> [usize; 5] {
    let stabilising = if form == Form::Ggl { m } else { 0 };
    [0, n, 2 * n, 2 * n + m, 2 * n + m + stabilising]
}

/// Scaling factors of block rows and block columns.
fn scales(c: f64) -> ([f64; 4], [f64; 4]) {
    ([1.0, c, 1.0 / c, 1.0], [c, 1.0, 1.0 / c, 1.0])
}

/// Allocates memory for the factors.
fn layout(form: Form, structure: &Structure, diagonal: &Pattern) -> Blocks {
    let (dynamics, jacobian) = (&*structure.dynamics, &*structure.jacobian);
    let starts = starts(form, dynamics.rows(), jacobian.rows());
    let patterns = [diagonal, diagonal, dynamics, dynamics, jacobian, jacobian, dynamics, jacobian, jacobian, jacobian];
    let place = |(pattern, Part([row, column], transposed)): (_, &Part)| Place {
        corner: (starts[*row], starts[*column]),
        pattern,
        transposed: *transposed,
    };
    let count = if form == Form::Ggl { PARTS.len() } else { OF_INDEX_3.0 };
    let places: Vec<Place<'_>> = patterns.into_iter().zip(&PARTS).map(place).take(count).collect();
    Blocks::new(starts[4], &places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_models::{RodChain, Squeezer};
    use mbsbench_problem::{Formulated, ModelDefinition, Ode};

    /// `F` and its matrix at a point off the solution, where no term vanishes.
    struct Sample<'p> {
        constrained: Constrained,
        problem: Counted<'p>,
        y: Vec<f64>,
        rates: Vec<f64>,
    }

    impl<'p> Sample<'p> {
        fn new(ode: &'p mut dyn Ode, state: &[f64], form: Form, sparse: bool) -> Self {
            let mut problem = Counted::new(ode);
            let constrained = Constrained::new(&mut problem, form, sparse).unwrap();
            let mut y: Vec<f64> = state.iter().zip(1..).map(|(y, i)| y + 0.1 * f64::from(i).sin()).collect();
            y.resize(constrained.size(), 0.0);
            let behind = y.iter_mut().enumerate().skip(state.len());
            behind.for_each(|(i, y)| *y = (1.7 * i as f64).cos());
            let rates = (0..y.len()).map(|i| (0.9 * i as f64).sin()).collect();
            Self { constrained, problem, y, rates }
        }

        fn residual(&mut self, y: &[f64], rates: &[f64]) -> Vec<f64> {
            let mut residual = vec![0.0; y.len()];
            self.constrained.residual(&mut self.problem, 0.3, (y, rates), &mut residual).unwrap();
            residual
        }

        fn jacobian(&mut self, c_j: f64) -> Vec<f64> {
            let mut jacobian = vec![f64::NAN; self.y.len() * self.y.len()];
            let point = (&self.y[..], &self.rates[..]);
            self.constrained.jacobian(&mut self.problem, (0.3, c_j), point, &mut jacobian).unwrap();
            jacobian
        }
    }

    const FORMS: [Form; 2] = [Form::Ggl, Form::Index3];

    fn check(form: Form, ode: &mut dyn Ode, state: &[f64]) {
        for (sparse, c_j) in [(false, 20.0), (true, 20.0), (true, 1e5)] {
            let mut sample = Sample::new(ode, state, form, sparse);
            let size = sample.y.len();
            let jacobian = sample.jacobian(c_j);
            let largest = jacobian.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            for j in 0..size {
                let step = 1e-5;
                let [ahead, behind] = [step, -step].map(|step| {
                    let (mut y, mut rates) = (sample.y.clone(), sample.rates.clone());
                    y[j] += step;
                    rates[j] += c_j * step;
                    sample.residual(&y, &rates)
                });
                for i in 0..size {
                    let difference = (ahead[i] - behind[i]) / (2.0 * step);
                    let error = (jacobian[j * size + i] - difference).abs();
                    // third derivatives times 1e-10, and rounding divided by 1e-5
                    assert!(error < 1e-8 * largest, "{form:?} {sparse}: ({i}, {j}) {difference} {error:e}");
                }
            }
            if !sparse {
                continue;
            }
            let point = (&sample.y[..], &sample.rates[..]);
            sample.constrained.factorize(&mut sample.problem, (0.3, c_j), point).unwrap();
            let expected: Vec<f64> = (0..size).map(|i| (1.3 * i as f64).sin()).collect();
            let mut x = vec![0.0; size];
            for (column, expected) in jacobian.chunks(size).zip(&expected) {
                x.iter_mut().zip(column).for_each(|(x, entry)| *x += entry * expected);
            }
            sample.constrained.solve(&mut x);
            let error = x.iter().zip(&expected).fold(0.0f64, |most, (x, expected)| most.max((x - expected).abs()));
            // some rows are 1e9 times as large as others
            assert!(error < 1e-15 * c_j * c_j.max(1e3), "{form:?} at {c_j}: {error:e}");
        }
    }

    #[test]
    fn matrices_are_derivatives_and_solve_systems() {
        let chain = RodChain { rods: 4, damping: 0.03, ..RodChain::default() }.model();
        let squeezer = Squeezer::default().model();
        for form in FORMS {
            for model in [&chain, &squeezer] {
                let state = Formulated::<f64>::initial_state(&**model);
                check(form, Formulated::<f64>::ode(&**model).as_mut(), &state);
            }
        }
    }

    /// The derivatives are evaluated at the requested state, even if the last residual was evaluated at another one.
    #[test]
    fn derivatives_are_taken_at_the_point() {
        let model = Squeezer::default().model();
        let state = Formulated::<f64>::initial_state(&*model);
        let (mut first, mut second) = (Formulated::<f64>::ode(&*model), Formulated::<f64>::ode(&*model));
        let mut here = Sample::new(first.as_mut(), &state, Form::Ggl, false);
        let mut elsewhere = Sample::new(second.as_mut(), &state, Form::Ggl, false);
        let (moved, rates): (Vec<f64>, _) = (elsewhere.y.iter().map(|y| y + 0.5).collect(), elsewhere.rates.clone());
        elsewhere.residual(&moved, &rates);
        assert_eq!(here.jacobian(3.0), elsewhere.jacobian(3.0));
    }
}
