//! Newton's matrix, solutions, charts, consistent rates.

use approx::assert_relative_eq;
use mbsbench_problem::dae::{Dae, Point};
use nalgebra::{DMatrix, DVector};
use num_dual::{Dual2_64 as Series, Dual64};

use super::support::{at_rest, checked, matrix, medley, numbers, shaft};
use crate::flexible::{Flexible, Law};

const C: f64 = 0.03;
const TIME: f64 = 0.4;

/// An arbitrary point: chart, coordinates, rates and multipliers without pattern.
struct Anywhere {
    chart: Vec<f64>,
    y: Vec<f64>,
    rates: Vec<f64>,
}

impl Anywhere {
    fn of(flexible: &Flexible) -> Self {
        let equations = flexible.equations::<f64>();
        let state = at_rest(flexible);
        let (mut chart, mut y) = (vec![0.0; equations.chart_length()], vec![0.0; equations.differential()]);
        equations.locate(&state, &mut chart, &mut y);
        y.iter_mut().zip(numbers(1)).for_each(|(y, number)| *y += 0.3 * number);
        let centre = chart.clone();
        equations.recentre(&centre, &y, &mut chart);
        let rates = numbers(2).take(equations.differential() + equations.algebraic()).collect();
        Self { chart, y, rates }
    }

    fn point(&self) -> Point<'_> {
        Point { t: TIME, chart: &self.chart, y: &self.y, rates: &self.rates }
    }
}

/// Newton's matrix by dual numbers, one column at a time.
fn by_duals(flexible: &Flexible, at: &Anywhere) -> DMatrix<f64> {
    let mut equations = flexible.equations::<Dual64>();
    let size = at.rates.len();
    let chart: Vec<_> = at.chart.iter().map(|&x| Dual64::from(x)).collect();
    let mut residual = vec![Dual64::from(0.0); size];
    let mut matrix = DMatrix::zeros(size, size);
    for column in 0..size {
        let seeded = |values: &[f64], seed: f64| -> Vec<_> {
            let part = |k: usize| if k == column { seed } else { 0.0 };
            values.iter().enumerate().map(|(k, &x)| Dual64::new(x, part(k))).collect()
        };
        let (y, rates) = (seeded(&at.y, C), seeded(&at.rates, 1.0));
        let point = Point { t: Dual64::from(TIME), chart: &chart, y: &y, rates: &rates };
        equations.residual(point, Dual64::from(C), &mut residual).expect("it exists");
        matrix.column_mut(column).iter_mut().zip(&residual).for_each(|(entry, row)| *entry = row.eps);
    }
    matrix
}

#[test]
fn the_matrix_matches_dual_numbers() {
    let flexible = checked(medley());
    let at = Anywhere::of(&flexible);
    let expected = by_duals(&flexible, &at);
    let given = matrix(&mut flexible.equations(), at.point(), C);
    let worst = (&given - &expected).amax();
    assert!(worst < 1e-12 * expected.amax(), "{worst:e} of {:e}", expected.amax());
}

#[test]
fn solutions_match_the_matrix() {
    for assembly in [medley(), shaft(Law::constant(9.81), Law::constant(0.0))] {
        let flexible = checked(assembly);
        let at = Anywhere::of(&flexible);
        let mut equations = flexible.equations::<f64>();
        let matrix = matrix(&mut equations, at.point(), C);
        let right = DVector::from_iterator(at.rates.len(), numbers(3).take(at.rates.len()));
        let mut x = right.clone();
        equations.factorize(at.point(), C).expect("it is regular");
        equations.solve(x.as_mut_slice());
        // backward error
        let defect = (&matrix * &x - &right).amax();
        assert!(defect < 1e-10 * matrix.amax().max(1.0) * x.amax().min(1.0), "{defect:e}");
    }
}

/// With moving charts, `y` depends on `y'` by [`Dae::follow`], and increments follow that relation.
#[test]
fn solutions_follow_moving_charts() {
    let flexible = checked(medley());
    let at = Anywhere::of(&flexible);
    let n = at.y.len();
    let centre: Vec<f64> = numbers(4).take(n).collect();
    let direction: Vec<f64> = numbers(5).take(at.rates.len()).collect();
    let start = |k: usize| C * (at.rates[k] - centre[k]);

    let mut equations = flexible.equations::<Dual64>();
    let constant = |values: &[f64]| -> Vec<_> { values.iter().map(|&x| Dual64::from(x)).collect() };
    let mut y: Vec<_> = (0..n).map(|k| Dual64::new(start(k), C * direction[k])).collect();
    let rates: Vec<_> = at.rates.iter().zip(&direction).map(|(&rate, &part)| Dual64::new(rate, part)).collect();
    equations.follow(&constant(&centre), Dual64::from(C), &mut y);
    let (chart, mut change) = (constant(&at.chart), rates.clone());
    let point = Point { t: Dual64::from(TIME), chart: &chart, y: &y, rates: &rates };
    equations.residual(point, Dual64::from(C), &mut change).expect("it exists");
    let change: Vec<f64> = change.iter().map(|row| row.eps).collect();

    let mut equations = flexible.equations::<f64>();
    let solved = |equations: &mut dyn Dae, y: &[f64]| {
        let (point, mut residual) = (Point { y, ..at.point() }, vec![0.0; at.rates.len()]);
        equations.residual(point, C, &mut residual).expect("it exists");
        equations.factorize(point, C).expect("it is regular");
        let mut x = change.clone();
        equations.solve(&mut x);
        x.iter().zip(&direction).map(|(x, part)| (x - part).abs()).fold(0.0, f64::max)
    };
    let mut y: Vec<f64> = (0..n).map(start).collect();
    equations.follow(&centre, C, &mut y);
    let along = solved(&mut equations, &y);
    assert!(along < 1e-9, "{along:e}");
    let at_rest = solved(&mut equations, &y);
    assert!(at_rest > 1e-4, "the next factorization is of charts at rest: {at_rest:e}");
}

#[test]
fn a_change_of_chart_changes_nothing() {
    let flexible = checked(medley());
    let at = Anywhere::of(&flexible);
    let mut equations = flexible.equations::<f64>();
    let mut to = at.chart.clone();
    equations.recentre(&at.chart, &at.y, &mut to);
    let (mut y, mut rates) = (at.y.clone(), at.rates.clone());
    let n = y.len();
    equations.transport(&at.chart, &to, &mut y, &mut rates[..n]);
    assert!(y.chunks_exact(12).all(|y| y[3..6].iter().all(|g| g.abs() < 1e-14)), "the chart is centred there");
    let (mut before, mut after) = (vec![0.0; rates.len()], vec![0.0; rates.len()]);
    equations.residual(at.point(), C, &mut before).expect("it exists");
    equations.residual(Point { chart: &to, y: &y, rates: &rates, ..at.point() }, C, &mut after).expect("it exists");
    assert_relative_eq!(&before[..], &after[..], epsilon = 1e-10);
    let (mut first, mut second) = (vec![0.0; flexible.state_dimension()], vec![0.0; flexible.state_dimension()]);
    equations.state(&at.chart, &at.y, &mut first);
    equations.state(&to, &y, &mut second);
    assert_relative_eq!(&first[..], &second[..], epsilon = 1e-13);
}

#[test]
fn consistent_rates_satisfy_equations_and_constraints() {
    let flexible = checked(medley());
    let at = Anywhere::of(&flexible);
    let (n, m) = (at.y.len(), at.rates.len() - at.y.len());
    let mut equations = flexible.equations::<f64>();
    let mut rates = at.rates.clone();
    equations.consistent(TIME, &at.chart, &at.y, &mut rates).expect("they exist");
    let mut residual = vec![0.0; n + m];
    let point = Point { rates: &rates, ..at.point() };
    equations.residual(point, C, &mut residual).expect("it exists");
    let scale = rates.iter().fold(1.0_f64, |most, rate| most.max(rate.abs()));
    assert!(residual[..n].iter().all(|row| row.abs() < 1e-11 * scale), "{residual:?}");
    // rows along x + τ x' + τ²/2 x'', with x'' from the effect of the momentum rates on velocities
    let series = |value: &[f64], first: &[f64], second: &[f64]| -> Vec<Series> {
        (0..value.len()).map(|k| Series::new(value[k], first[k], second[k])).collect()
    };
    let zeros = vec![0.0; n + m];
    let chart = series(&at.chart, &vec![0.0; at.chart.len()], &vec![0.0; at.chart.len()]);
    let mut equations = flexible.equations::<Series>();
    let mut velocities = series(&rates, &zeros, &zeros);
    equations.kinematic(&chart, &series(&at.y, &rates, &zeros), &mut velocities);
    let accelerations: Vec<_> = velocities.iter().map(|velocity| velocity.v1).collect();
    let y = series(&at.y, &rates, &accelerations);
    let mut rows = velocities.clone();
    let moving = Point { t: Series::new(TIME, 1.0, 0.0), chart: &chart, y: &y, rates: &velocities };
    equations.residual(moving, Series::from(1.0), &mut rows).expect("it exists");
    let drive = n + m - 1;
    for row in n..n + m {
        let defect = if row == drive { rows[row].v1 } else { rows[row].v2 };
        assert!(defect.abs() < 1e-12 * scale, "row {row}: {defect:e} of {scale:e}");
    }
}
