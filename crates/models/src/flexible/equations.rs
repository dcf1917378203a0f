//! The equations of motion in the form that methods solve.
//!
//! ```text
//! m v + ω × S − β = 0             β' − f = 0
//! S × v + J ω − γ = 0             γ' + v × β − m = 0            Φ/c = 0
//! ```
//!
//! for each node, with `v = x'`, `ω = G(g) g'`, momentum β, angular momentum γ about the node, and the loads `f`, `m`
//! of beams, weight, dampers and joints. The chart is the orientation of all nodes.

use mbsbench_problem::dae::{Dae, Point};
use mbsbench_problem::linalg::{Banded, Singular};
use mbsbench_problem::scalar::{is_double, only_in_double};
use mbsbench_problem::{Failure, Form, Ode, Properties, Scalar};
use nalgebra::{DMatrix, Matrix3, Matrix6, Vector3, Vector6};
use num_dual::Dual2;

use super::coupling::Constraint;
use super::layout::Layout;
use super::motion::{Motion, POSITIONS, UNKNOWNS, identity, pair, stacked};
use super::so3::{following, inverse_tangent, parameters, rotation, skew, tangent};
use super::system::System;
use super::{Assembly, Wrench};

/// Size of a node's state: position, rotation matrix by columns, momentum, angular momentum.
pub(super) const STATE: usize = 18;

/// Size of a node's chart: rotation matrix by columns.
const CHART: usize = 9;

/// A checked mechanism with memory for its solution.
///
/// The unknowns of each node, one after the other, are its position, Cayley–Gibbs–Rodrigues parameters relative to
/// the chart, momentum, and angular momentum about the node. The multipliers of the joints are algebraic unknowns.
/// In Newton's system the momenta of each node are eliminated; this leaves six unknowns per node and the
/// multipliers, in a band matrix.
pub struct FlexibleEquations<'f, S: Scalar = f64> {
    assembly: &'f Assembly,
    layout: &'f Layout,
    system: System<S>,
    motions: Vec<Motion<S>>,
    loads: Vec<Wrench<S>>,
    /// Data for the elimination of the momenta, from the last factorization.
    eliminated: Vec<Eliminated<S>>,
    banded: Banded<S>,
    /// Right-hand side and solution of the reduced system.
    reduced: Vec<S>,
    c: S,
    /// Angular velocities of the centres of the charts, for the next factorization.
    turning: Vec<Vector3<S>>,
    /// True if the charts turn.
    moving: bool,
}

/// A node's momentum rows, linearised: `δβ' = (A δ(x', g') − r)/c`.
#[derive(Debug, Clone, Copy)]
struct Eliminated<S> {
    /// `A`, derivatives of the momenta by `(x', g')` for `x = x̂ + c x'`, `g = ĝ + c g'`, or by `(x', g/c)` if
    /// the chart turns.
    momentum: Matrix6<S>,
    velocity: Vector3<S>,
    /// Map from `δg/c` to `δg'`: the identity unless the chart turns.
    rate: Matrix3<S>,
}

impl<'f, S: Scalar> FlexibleEquations<'f, S> {
    /// Returns the equations of a mechanism.
    pub(super) fn new(assembly: &'f Assembly, layout: &'f Layout) -> Self {
        let system = System::new(assembly);
        let nodes = system.nodes();
        let motions = system.rest.iter().map(Motion::still).collect();
        let (momentum, velocity) = (Matrix6::from_element(S::zero()), Vector3::from_element(S::zero()));
        let eliminated = Eliminated { momentum, velocity, rate: identity() };
        Self {
            assembly,
            layout,
            motions,
            loads: vec![Wrench::zero(); nodes],
            eliminated: vec![eliminated; nodes],
            banded: Banded::new(layout.size, layout.half),
            reduced: vec![S::zero(); layout.size],
            c: S::zero(),
            turning: vec![velocity; nodes],
            moving: false,
            system,
        }
    }

    /// Number of nodes.
    fn nodes(&self) -> usize {
        self.system.nodes()
    }

    /// Sets the poses and velocities of the nodes.
    fn move_to(&mut self, chart: &[S], y: &[S], rates: &[S]) {
        let coordinates = y.chunks_exact(UNKNOWNS).zip(rates.chunks_exact(UNKNOWNS));
        for ((motion, reference), (y, rates)) in self.motions.iter_mut().zip(references(chart)).zip(coordinates) {
            *motion = Motion::new(&reference, &y[..POSITIONS], &rates[..POSITIONS]);
        }
    }

    /// Linearises the momenta as functions of velocities at the current motion.
    fn linearise_momenta(&mut self, c: S) {
        let inertia = self.system.inertia.iter().zip(&self.motions);
        for (eliminated, (inertia, motion)) in self.eliminated.iter_mut().zip(inertia) {
            let derivatives = inertia.turned(&motion.pose.r).derivatives(motion);
            let momentum = derivatives.by_rates + derivatives.by_positions * c;
            *eliminated = Eliminated { momentum, velocity: motion.twist.linear, rate: identity() };
        }
    }

    /// Linearises the momenta in the unknowns `(x', g/c)`, which replace `(x', g')` for [moving charts](Dae::follow).
    fn follow_charts(&mut self, c: S) {
        let inertia = self.system.inertia.iter().zip(&self.motions);
        for ((eliminated, turning), (inertia, motion)) in self.eliminated.iter_mut().zip(&self.turning).zip(inertia) {
            let Motion { g, pose, .. } = motion;
            // c ∂((g gᵀ/4 + g×/2) Ω)/∂g
            let mut excess = (g * turning.transpose()) * (c * 0.25) - skew(turning) * (c * 0.5);
            (0..3).for_each(|i| excess[(i, i)] += g.dot(turning) * c * 0.25);
            let by_rates = inertia.turned(&pose.r).derivatives(motion).by_rates;
            let mut columns = eliminated.momentum.fixed_columns_mut::<3>(3);
            columns += by_rates.fixed_columns::<3>(3) * excess;
            eliminated.rate += excess;
        }
    }

    /// Forms the reduced matrix. The rows of a node are those of its momentum rates, times `c`, with the momenta
    /// inserted; the rows of constraints are unchanged. The unknowns are `(x', g')` of the nodes and `c λ`.
    fn form(&mut self, at: Point<'_, S>, c: S) {
        self.linearise_momenta(c);
        let moving = std::mem::take(&mut self.moving);
        if moving {
            self.follow_charts(c);
        }
        let (n, layout) = (self.differential(), self.layout);
        let Self { system, motions, banded, eliminated, .. } = self;
        let (_, lambda) = at.split(n);
        banded.clear();
        for ((&first, eliminated), y) in layout.nodes.iter().zip(&*eliminated).zip(at.y.chunks_exact(UNKNOWNS)) {
            banded.add(first, first, S::from(1.0), &eliminated.balance(y, c));
        }
        let square = c * c;
        system.stiffness(at.t, motions, lambda, |row, column, matrix| {
            banded.add(layout.nodes[row], layout.nodes[column], square, matrix);
        });
        system.damping(at.t, motions, |node, matrix| {
            banded.add(layout.nodes[node], layout.nodes[node], c, matrix);
        });
        border(system, layout, at.t, motions, c, banded);
        if moving {
            system.drive_rates(motions, |row, node, gradient| {
                let excess = eliminated[node].rate.tr_mul(gradient) - gradient;
                let (row, first) = (layout.rows[row], layout.nodes[node] + 3);
                (0..3).for_each(|k| *banded.entry(row, first + k) += excess[k]);
            });
        }
        self.c = c;
    }

    /// Second derivatives of holonomic rows and first derivatives of the others along the motion with
    /// constant `(x', g')`.
    fn acceleration_bias(&self, t: S, chart: &[S], y: &[S], rates: &[S]) -> Vec<S> {
        let system = System::<Dual2<S>>::new(self.assembly);
        let (zero, one) = (S::zero(), S::from(1.0));
        let constant = |x: S| Dual2::new(x, zero, zero);
        let coordinates = y.chunks_exact(UNKNOWNS).zip(rates.chunks_exact(UNKNOWNS));
        let motions: Vec<_> = references(chart)
            .zip(coordinates)
            .map(|(reference, (y, rates))| {
                let positions: [_; POSITIONS] = std::array::from_fn(|i| Dual2::new(y[i], rates[i], zero));
                let rates: [_; POSITIONS] = std::array::from_fn(|i| constant(rates[i]));
                Motion::new(&reference.map(constant), &positions, &rates)
            })
            .collect();
        let mut values = vec![constant(zero); system.rows()];
        system.constraint_rows(Dual2::new(t, one, zero), &motions, constant(one), &mut values);
        let rows = system.constraints.iter().flat_map(|constraint| vec![constraint; constraint.rows()]);
        let derivative = |(value, constraint): (Dual2<S>, &Constraint<_>)| match constraint {
            Constraint::Coupling(_) => value.v2,
            Constraint::Drive(_) => value.v1,
        };
        values.into_iter().zip(rows).map(derivative).collect()
    }
}

impl<S: Scalar> Eliminated<S> {
    /// Derivative of `c (β' ; γ' + v × β)` with `β' = A (x', g')/c` and `β = β̂ + c β'`.
    fn balance(&self, y: &[S], c: S) -> Matrix6<S> {
        let (beta, _) = pair(&y[POSITIONS..]);
        let carried = skew(&self.velocity) * self.momentum.fixed_rows::<3>(0) * c;
        let mut balance = self.momentum;
        let mut moments = balance.fixed_rows_mut::<3>(3);
        moments += carried;
        let mut by_velocity = moments.fixed_columns_mut::<3>(0);
        by_velocity -= skew(&beta) * c;
        balance
    }

    /// The right-hand side of [`balance`](Self::balance), for residuals `momenta` and `rates` of a node.
    fn right(&self, momenta: &Vector6<S>, rates: &Vector6<S>, c: S) -> Vector6<S> {
        let (of_force, _) = pair(momenta.as_slice());
        let carried = stacked(&Vector3::from_element(S::zero()), &self.velocity.cross(&of_force));
        momenta + (rates + carried) * c
    }
}

/// Adds the rows and columns of the constraints.
fn border<S: Scalar>(system: &System<S>, layout: &Layout, t: S, motions: &[Motion<S>], c: S, banded: &mut Banded<S>) {
    system.constraint_derivatives(t, motions, c, |row, node, load, columns| {
        let (row, node) = (layout.rows[row], layout.nodes[node]);
        for k in 0..POSITIONS {
            *banded.entry(row, node + k) += columns[k];
            *banded.entry(node + k, row) -= load[k];
        }
    });
}

/// The reference orientations that make up a chart.
fn references<S: Scalar>(chart: &[S]) -> impl Iterator<Item = Matrix3<S>> {
    chart.chunks_exact(CHART).map(Matrix3::from_column_slice)
}

/// Returns the matrix after one step that squares its orthogonality error.
fn orthogonal<S: Scalar>(r: &Matrix3<S>) -> Matrix3<S> {
    let product = r.tr_mul(r);
    r * (Matrix3::from_diagonal_element(S::from(1.5)) - product * S::from(0.5))
}

impl<S: Scalar> Dae<S> for FlexibleEquations<'_, S> {
    fn differential(&self) -> usize {
        UNKNOWNS * self.nodes()
    }

    fn algebraic(&self) -> usize {
        self.system.rows()
    }

    fn state_dimension(&self) -> usize {
        STATE * self.nodes()
    }

    fn chart_length(&self) -> usize {
        CHART * self.nodes()
    }

    fn locate(&self, state: &[S], chart: &mut [S], y: &mut [S]) {
        let nodes = chart.chunks_exact_mut(CHART).zip(y.chunks_exact_mut(UNKNOWNS));
        for (state, (chart, y)) in state.chunks_exact(STATE).zip(nodes) {
            chart.copy_from_slice(&state[3..12]);
            y[..3].copy_from_slice(&state[..3]);
            y[3..6].fill(S::zero());
            y[6..].copy_from_slice(&state[12..]);
        }
    }

    fn state(&self, chart: &[S], y: &[S], state: &mut [S]) {
        let nodes = references(chart).zip(y.chunks_exact(UNKNOWNS));
        for (state, (reference, y)) in state.chunks_exact_mut(STATE).zip(nodes) {
            let (_, g) = pair(y);
            state[..3].copy_from_slice(&y[..3]);
            state[3..12].copy_from_slice((rotation(&g) * reference).as_slice());
            state[12..].copy_from_slice(&y[6..]);
        }
    }

    fn recentre(&self, chart: &[S], y: &[S], centred: &mut [S]) {
        let nodes = references(chart).zip(y.chunks_exact(UNKNOWNS));
        for (centred, (reference, y)) in centred.chunks_exact_mut(CHART).zip(nodes) {
            let (_, g) = pair(y);
            centred.copy_from_slice(orthogonal(&(rotation(&g) * reference)).as_slice());
        }
    }

    fn transport(&self, from: &[S], to: &[S], y: &mut [S], rates: &mut [S]) {
        let charts = references(from).zip(references(to));
        let nodes = y.chunks_exact_mut(UNKNOWNS).zip(rates.chunks_exact_mut(UNKNOWNS));
        for ((from, to), (y, rates)) in charts.zip(nodes) {
            let ((_, g), (_, rate)) = (pair(y), pair(rates));
            let moved = parameters(&(rotation(&g) * from * to.transpose()));
            let moved_rate = inverse_tangent(&moved) * (tangent(&g) * rate);
            y[3..6].copy_from_slice(moved.as_slice());
            rates[3..6].copy_from_slice(moved_rate.as_slice());
        }
    }

    /// For angular velocity `Ω` of the centre and `ω = G(g) y'` of the node, the rates of `g` about the moving centre
    /// are `G⁻¹(g) (ω − R(g) Ω) = y' − (1 + g gᵀ/4 + g×/2) Ω`, so that `g = c y' − c Ω − c (g gᵀ/4 + g×/2) Ω`.
    fn follow(&mut self, d: &[S], c: S, y: &mut [S]) {
        self.moving = true;
        let nodes = d.chunks_exact(UNKNOWNS).zip(y.chunks_exact_mut(UNKNOWNS));
        for ((d, y), turning) in nodes.zip(&mut self.turning) {
            let ((_, centre), (_, fixed)) = (pair(d), pair(y));
            *turning = centre;
            y[3..6].copy_from_slice(following(turning, c, &fixed).as_slice());
        }
    }

    fn residual(&mut self, at: Point<'_, S>, c: S, residual: &mut [S]) -> Result<(), Failure> {
        let n = self.differential();
        let (rates, lambda) = at.split(n);
        self.move_to(at.chart, at.y, rates);
        let Self { system, motions, loads, .. } = self;
        loads.fill(Wrench::zero());
        system.add_loads(at.t, motions, loads);
        system.add_constraint_loads(at.t, motions, lambda, loads);
        let (nodes, rows) = residual.split_at_mut(n);
        let coordinates = at.y.chunks_exact(UNKNOWNS).zip(rates.chunks_exact(UNKNOWNS));
        for (k, (residual, (y, rates))) in nodes.chunks_exact_mut(UNKNOWNS).zip(coordinates).enumerate() {
            let twist = &motions[k].twist;
            let momentum = system.inertia[k].turned(&motions[k].pose.r).momentum(twist);
            let ((beta, gamma), (beta_rate, gamma_rate)) = (pair(&y[POSITIONS..]), pair(&rates[POSITIONS..]));
            let carried = twist.linear.cross(&beta);
            residual[..3].copy_from_slice((momentum.force - beta).as_slice());
            residual[3..6].copy_from_slice((momentum.moment - gamma).as_slice());
            residual[6..9].copy_from_slice((beta_rate - loads[k].force).as_slice());
            residual[9..].copy_from_slice((gamma_rate + carried - loads[k].moment).as_slice());
        }
        system.constraint_rows(at.t, motions, c, rows);
        Ok(())
    }

    fn factorize(&mut self, at: Point<'_, S>, c: S) -> Result<(), Singular> {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        self.form(at, c);
        self.banded.factorize()
    }

    /// Returns the number of columns of the band.
    fn jacobian_columns(&self) -> usize {
        let Layout { size, half, .. } = self.layout;
        *size.min(&(2 * half + 1))
    }

    fn solve(&mut self, x: &mut [S]) {
        let (n, layout, c) = (self.differential(), self.layout, self.c);
        let Self { eliminated, banded, reduced, .. } = self;
        let (nodes, rows) = x.split_at_mut(n);
        let each = || layout.nodes.iter().zip(&*eliminated);
        for (x, (&first, eliminated)) in nodes.chunks_exact(UNKNOWNS).zip(each()) {
            let (momenta, rates) = x.split_at(POSITIONS);
            let (momenta, rates) = (Vector6::from_column_slice(momenta), Vector6::from_column_slice(rates));
            reduced[first..first + POSITIONS].copy_from_slice(eliminated.right(&momenta, &rates, c).as_slice());
        }
        for (&row, &x) in layout.rows.iter().zip(&*rows) {
            reduced[row] = x;
        }
        banded.solve(reduced);
        for (x, (&first, eliminated)) in nodes.chunks_exact_mut(UNKNOWNS).zip(each()) {
            let velocities = Vector6::from_column_slice(&reduced[first..first + POSITIONS]);
            let momenta = Vector6::from_column_slice(&x[..POSITIONS]);
            let rates = (eliminated.momentum * velocities - momenta) / c;
            x[..3].copy_from_slice(&velocities.as_slice()[..3]);
            x[3..POSITIONS].copy_from_slice((eliminated.rate * velocities.fixed_rows::<3>(3)).as_slice());
            x[POSITIONS..].copy_from_slice(rates.as_slice());
        }
        for (&row, x) in layout.rows.iter().zip(rows) {
            *x = reduced[row] / c;
        }
    }

    fn jacobian(&mut self, at: Point<'_, S>, c: S, matrix: &mut DMatrix<S>) {
        if const { !is_double::<S>() } {
            only_in_double();
        }
        let n = self.differential();
        self.linearise_momenta(c);
        matrix.fill(S::zero());
        for (k, (eliminated, y)) in self.eliminated.iter().zip(at.y.chunks_exact(UNKNOWNS)).enumerate() {
            let (momenta, rates) = (k * UNKNOWNS, k * UNKNOWNS + POSITIONS);
            matrix.fixed_view_mut::<6, 6>(momenta, momenta).copy_from(&eliminated.momentum);
            for i in 0..POSITIONS {
                matrix[(momenta + i, rates + i)] = -c;
                matrix[(rates + i, rates + i)] = S::from(1.0);
            }
            let (beta, _) = pair(&y[POSITIONS..]);
            matrix.fixed_view_mut::<3, 3>(rates + 3, momenta).copy_from(&-skew(&beta));
            matrix.fixed_view_mut::<3, 3>(rates + 3, rates).copy_from(&(skew(&eliminated.velocity) * c));
        }
        let Self { system, motions, .. } = self;
        let (_, lambda) = at.split(n);
        let mut add = |row: usize, column: usize, block: &Matrix6<S>| {
            let mut view = matrix.fixed_view_mut::<6, 6>(row * UNKNOWNS + POSITIONS, column * UNKNOWNS);
            view += block;
        };
        system.stiffness(at.t, motions, lambda, |row, column, block| add(row, column, &(block * c)));
        system.damping(at.t, motions, |node, block| add(node, node, block));
        system.constraint_derivatives(at.t, motions, c, |row, node, load, columns| {
            for k in 0..POSITIONS {
                matrix[(n + row, node * UNKNOWNS + k)] += columns[k];
                matrix[(node * UNKNOWNS + POSITIONS + k, n + row)] -= load[k];
            }
        });
    }

    /// Velocities follow from the momenta; accelerations and multipliers follow from the constraints, with holonomic
    /// ones differentiated twice. This includes the change of the constraint Jacobian along the motion, which the
    /// authors' code leaves out.
    fn consistent(&mut self, t: S, chart: &[S], y: &[S], rates: &mut [S]) -> Result<(), Failure> {
        self.kinematic(chart, y, rates);
        let (n, layout) = (self.differential(), self.layout);
        self.move_to(chart, y, &rates[..n]);
        let bias = self.acceleration_bias(t, chart, y, rates);
        self.linearise_momenta(S::zero());
        let Self { system, motions, loads, eliminated, banded, reduced, .. } = self;
        loads.fill(Wrench::zero());
        system.add_loads(t, motions, loads);
        banded.clear();
        for (k, (rates, y)) in rates.chunks_exact_mut(UNKNOWNS).zip(y.chunks_exact(UNKNOWNS)).enumerate() {
            let first = layout.nodes[k];
            banded.add(first, first, S::from(1.0), &eliminated[k].momentum);
            let derivatives = system.inertia[k].turned(&motions[k].pose.r).derivatives(&motions[k]);
            let drift = derivatives.by_positions * Vector6::from_column_slice(&rates[..POSITIONS]);
            let (beta, _) = pair(&y[POSITIONS..]);
            let moment = loads[k].moment - eliminated[k].velocity.cross(&beta);
            let right = stacked(&loads[k].force, &moment) - drift;
            reduced[first..first + POSITIONS].copy_from_slice(right.as_slice());
            rates[POSITIONS..].copy_from_slice(drift.as_slice());
        }
        border(system, layout, t, motions, S::zero(), banded);
        for (&row, bias) in layout.rows.iter().zip(bias) {
            reduced[row] = -bias;
        }
        let matrix = "[M Jᵀ; J 0]";
        banded.factorize().map_err(|Singular| Failure::SingularMatrix { time: t.value(), matrix })?;
        banded.solve(reduced);
        let (nodes, multipliers) = rates.split_at_mut(n);
        for ((rates, &first), eliminated) in nodes.chunks_exact_mut(UNKNOWNS).zip(&layout.nodes).zip(&*eliminated) {
            let accelerated = eliminated.momentum * Vector6::from_column_slice(&reduced[first..first + POSITIONS]);
            rates[POSITIONS..].iter_mut().zip(&accelerated).for_each(|(rate, &part)| *rate += part);
        }
        for (lambda, &row) in multipliers.iter_mut().zip(&layout.rows) {
            *lambda = reduced[row];
        }
        Ok(())
    }

    fn kinematic(&self, chart: &[S], y: &[S], rates: &mut [S]) {
        rates.fill(S::zero());
        let coordinates = rates.chunks_exact_mut(UNKNOWNS).zip(y.chunks_exact(UNKNOWNS));
        for ((inertia, reference), (rates, y)) in self.system.inertia.iter().zip(references(chart)).zip(coordinates) {
            let (_, g) = pair(y);
            let twist = inertia.turned(&(rotation(&g) * reference)).twist(&Wrench::of(&y[POSITIONS..]));
            rates[..3].copy_from_slice(twist.linear.as_slice());
            rates[3..6].copy_from_slice((inverse_tangent(&g) * twist.angular).as_slice());
        }
    }
}

impl<S: Scalar> Ode<S> for FlexibleEquations<'_, S> {
    fn dimension(&self) -> usize {
        self.state_dimension()
    }

    /// Always fails: the equations are differential-algebraic.
    fn rhs(&mut self, _t: S, _y: &[S], _dydt: &mut [S]) -> Result<(), Failure> {
        let reason =
            "flexible mechanisms are differential-algebraic equations; use one of the implicit methods of zhang2022"
                .to_owned();
        Err(Failure::NotApplicable { reason })
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties { has_rhs: false, ..Properties::default() }
    }

    fn form(&mut self) -> Form<'_, S> {
        Form::Implicit(self)
    }
}
