//! Watches over a run that look at its answer by means of their own.
//!
//! They have equations of their own, so that neither counters nor memory of the solve change, and look at
//!
//! - the start, and the first step behind a random time: the mass matrix is symmetric and positive, the Jacobians of
//!   constraints and right-hand side agree with differences;
//! - every step: it has a length, and the energy is balanced;
//! - every step, or a part of them if there are many functions: no event function has a zero inside that was not
//!   located;
//! - sampled steps: constraints hold on both levels, and a step repeated by a Runge–Kutta formula in small
//!   parts ends at the same state. So do steps over events, if the method does not locate these.
//!
//! # Thresholds
//!
//! An answer is doubted if what is watched is off by more than 500 tolerances *and* half a hundredth of its size
//! (`accepted`). Methods control the error of a step and not that of a run, a hundredth is visible in a figure, and
//! what is watched may grow on its way to a result: an angle of three radians that is off by 0.7 % moves a point by
//! 2 %. The energy is quadratic in velocities and may be off by twice as much. A matrix contradicts the equations if it
//! differs from converged differences by a thousandth, which neither rounding (1e-8) nor the differences (1e-5)
//! explain.

use mbsbench_problem::dae::Point;
use mbsbench_problem::{
    Class, Deviation, Doubt, Events, Failure, Findings, Form, MethodProperties, Ode, Properties, Settings, Step,
    StepControl,
};
use nalgebra::DMatrix;

/// Largest number of unknowns for which dense matrices are formed.
const DENSE: usize = 300;
/// Largest relative difference between a Jacobian and converged differences; largest difference of these.
const JACOBIAN: [f64; 2] = [1e-3, 1e-5];
/// The widths of these differences, relative to the state.
const WIDTHS: [f64; 2] = [1e-5, 1e-6];
/// Most parts of a repeated step that are doubled.
const MOST_PARTS: u32 = 256;
/// Values of event functions and components of states that may be looked at inside all steps; of later steps, one of
/// this many is looked at.
const LOOKS: (usize, u64) = (300_000, 32);
/// Values of event functions right behind their events, relative to the largest so far, that are errors of location.
const LOCATED: f64 = 1e-9;
/// The order for which event functions state what counts as zero.
const ORDER: u32 = 5;
/// Largest difference, relative to the states, at which a repeated step is taken for known.
const KNOWN: f64 = 1e-3;
/// Weight of an error relative to the largest states until then beside one relative to the largest of the run.
const THEN: f64 = 0.01;
/// Limits to which the sizes of errors may add up, because errors cancel and die out.
const CANCEL: f64 = 10.0;
/// Steps at the start that are all sampled, and whose errors are added up.
const FIRST: u64 = 32;
/// Steps over events that are all repeated; of later ones, as many are each time their number doubles.
const CROSSINGS: u64 = 64;

/// Times, s, and states.
type Timed = Vec<(f64, Vec<f64>)>;

/// The energy of a model at a state, J.
pub type EnergyAt<'e> = &'e mut dyn FnMut(f64, &[f64]) -> f64;

/// Watches over a solve.
pub struct Scrutiny<'m> {
    make: Box<dyn Fn() -> Box<dyn Ode + 'm> + 'm>,
    /// The equations, made on first use.
    ode: Option<Box<dyn Ode + 'm>>,
    is: Kind,
    span: [f64; 2],
    /// The largest deviation that is accepted, relative to the size of what is watched.
    accepted: f64,
    /// True if the method has to locate the zeros of event functions.
    locates: bool,
    /// True for a method without matrices.
    is_explicit: bool,
    /// The class of each component of the state.
    classes: Vec<Class>,
    random: fastrand::Rng,
    /// The time of the second look at the matrices, s; none if it is over.
    later: Option<f64>,
    /// Number of the next sampled step.
    next: u64,
    /// The largest components of each class in sampled steps.
    largest: [f64; 3],
    /// Largest errors of repeated steps in each class, with the times of the steps: those that are known, and those of
    /// repetitions that should be known.
    worst: [[(f64, f64); 3]; 2],
    /// Sums of the errors of the first steps and of steps over events.
    errors: Vec<f64>,
    /// Sums of the sizes of the errors of sampled steps; each stands for the steps since the one before.
    sizes: Vec<f64>,
    /// Number of steps until the last repeated one.
    repeated_until: u64,
    /// Events at the end of the last step, for a problem whose configuration does not follow signs.
    events_before: Vec<usize>,
    /// The largest error of a repeated step relative to the states of its class until then, with the time of the step.
    worst_then: (f64, f64),
    /// Evaluations of the right-hand side for repeated sampled steps and for repeated steps over events.
    spent: [f64; 2],
    /// Number of steps over events.
    crossings: u64,
    /// Values of event functions and components of states looked at inside steps so far.
    looked: usize,
    energies: Option<Energies>,
    /// Largest violation of a constraint on both levels, as a displacement or a change of velocities.
    violations: [f64; 2],
    /// True if anybody looked at the equations.
    has_looked: bool,
    /// States inside a step at which event functions are looked at, with their times.
    inner: Timed,
    functions: Functions,
    findings: Findings,
}

/// Properties of the equations that decide what can be looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    has_rhs: bool,
    has_jacobian: bool,
    has_events: bool,
    /// True if events change the configuration even if the method does not locate them.
    follows_signs: bool,
    /// True if the state jumps at events, and the method ignores these.
    ignores_jumps: bool,
    /// True if a step can be repeated by an explicit formula.
    repeats: bool,
    /// Parts in which a step is repeated first. The signs of event functions are looked at between them.
    parts: u32,
}

/// Values of event functions, in kept memory.
#[derive(Debug, Default)]
struct Functions {
    /// The largest so far.
    sizes: Vec<f64>,
    /// At both ends of a step.
    ends: [Vec<f64>; 2],
    /// The least and the largest inside it.
    range: [Vec<f64>; 2],
    /// At a state inside.
    at: Vec<f64>,
    /// Rates at the start of a step behind events.
    rates: Vec<f64>,
}

/// Energies of a run, J.
#[derive(Debug, Default)]
struct Energies {
    first: f64,
    last: f64,
    /// Largest magnitude, for a model without a velocity.
    largest: f64,
    /// Largest kinetic energy; least and largest potential energy.
    parts: Option<[f64; 3]>,
    /// The supplied energy by the trapezoidal rule over all steps, and over pairs of steps.
    supplied: [f64; 2],
    /// Time and power two steps ago, and at the last step; none without power.
    power: Option<[[f64; 2]; 2]>,
    steps: u64,
    /// True if the model has been seen to supply or dissipate energy without stating a power, or this cannot be seen.
    varies: bool,
}

impl<'m> Scrutiny<'m> {
    /// Watches over a solve of `solved` from `initial`; `make` makes the equations for the watches, and `seed` decides
    /// which times are looked at.
    pub fn new(
        solved: &mut dyn Ode,
        make: impl Fn() -> Box<dyn Ode + 'm> + 'm,
        (span, initial, classes): ([f64; 2], &[f64], Vec<Class>),
        (settings, method): (&Settings, MethodProperties),
        seed: u64,
    ) -> Self {
        let rel = if let StepControl::Tolerance { rel, .. } = settings.control { rel } else { 0.0 };
        let mut random = fastrand::Rng::with_seed(seed);
        let later = Some(span[0] + random.f64() * (span[1] - span[0]));
        let ignores_jumps = settings.events == Events::Ignored && !method.locates_events && solved.form().jumps();
        let mut is = Kind { ignores_jumps, parts: 2, ..Kind::default() };
        match solved.form() {
            Form::Events(functions) => {
                is = Kind { has_events: true, follows_signs: functions.follows_signs(), parts: 8, ..is };
            }
            Form::Explicit | Form::ContactPower(_) => is.has_jacobian = true,
            Form::Mechanics(_) | Form::Implicit(_) => {}
        }
        let Properties { has_rhs, has_jacobian, locks, projects, mass, .. } = solved.properties();
        (is.has_rhs, is.has_jacobian) = (has_rhs, is.has_jacobian && has_jacobian && mass.is_none());
        is.repeats = has_rhs && mass.is_none() && !locks && !projects && !(is.follows_signs && method.locates_events);
        let mut scrutiny = Self {
            make: Box::new(make),
            ode: None,
            is,
            span,
            accepted: (500.0 * rel).clamp(5e-3, 0.1),
            is_explicit: method.full_matrices == 0,
            locates: method.locates_events || !is.follows_signs,
            classes,
            random,
            later,
            next: 0,
            largest: [f64::MIN_POSITIVE; 3],
            worst: [[(0.0, span[0]); 3]; 2],
            errors: vec![0.0; initial.len()],
            sizes: vec![0.0; initial.len()],
            repeated_until: 0,
            events_before: Vec::new(),
            worst_then: (0.0, span[0]),
            spent: [0.0; 2],
            crossings: 0,
            looked: 0,
            energies: None,
            violations: [0.0; 2],
            has_looked: false,
            inner: vec![(span[0], initial.to_vec()); 2],
            functions: Functions::default(),
            findings: Findings::default(),
        };
        scrutiny.matrices(span[0], initial);
        scrutiny
    }

    /// Adds a doubt.
    fn doubt(&mut self, about: impl Into<Option<Deviation>>, why: String) {
        let about = about.into();
        if self.findings.doubts.iter().all(|doubt| doubt.about.is_none() || doubt.about != about) {
            self.findings.doubts.push(Doubt { about, why });
        }
    }

    fn refute(&mut self, about: impl Into<Option<Deviation>>, why: impl FnOnce() -> String) {
        let about = about.into();
        self.findings.refuted.get_or_insert_with(|| Doubt { about, why: why() });
    }

    /// Takes the initial energy, if the model has one, and its power, if it states that.
    pub fn start(&mut self, energy: Option<f64>, power: Option<f64>) {
        self.energies = energy.filter(|_| !self.is.has_events).map(|energy| Energies {
            first: energy,
            last: energy,
            largest: energy.abs(),
            power: power.map(|power| [[self.span[0], power]; 2]),
            varies: power.is_none() && !self.is.has_rhs,
            ..Energies::default()
        });
    }

    /// Looks at an accepted step, with the energy and the power at its end.
    pub fn step(&mut self, step: &mut Step<'_>, at_end: [Option<f64>; 2], energy_at: EnergyAt<'_>) {
        let (t, size) = (step.t_end, step.t_end - step.t_start);
        if size == 0.0 && step.further.events.is_empty() || (size < 0.0) != (self.span[1] < self.span[0]) {
            self.refute(Deviation::Wrong, || format!("a step does not advance the time (first at t = {t})"));
        }
        if let (Some(energies), [Some(energy), power]) = (&mut self.energies, at_end) {
            energies.add(t, energy, power);
        }
        let is_sampled = step.index >= self.next;
        if is_sampled {
            // All of the first ones, then ever fewer: a hundred of a million.
            self.next = step.index + 1 + step.index.saturating_sub(FIRST).div_ceil(4);
            self.take_largest(step.end);
            self.constraints(t, step.end);
            self.supply(step, energy_at).unwrap_or_default();
        }
        if let Some(steps) = self.events(step).unwrap_or_default() {
            self.crossing(step, steps);
        } else if is_sampled {
            self.repeat(step, None);
        }
        self.jumps(step).unwrap_or_default();
        let is_later = self.later.take_if(|at| (t - *at) * (self.span[1] - self.span[0]) >= 0.0).is_some();
        // Differences along larger states, of runs that diverge, turn angles by more than a radian.
        if is_later && largest(step.end) < 1e4 {
            self.matrices(t, step.end);
            self.constraints(t, step.end);
        }
    }

    /// Returns what was found, at the end of the run; `warning` is one that the solve has.
    pub fn finish(mut self, warning: Option<&str>) -> Findings {
        let (accepted, largest) = (self.accepted, self.largest);
        for (class, what) in ["constraints", "rates of constraints"].into_iter().enumerate() {
            let violation = self.violations[class] / largest[class];
            if violation.is_nan() || violation > accepted {
                self.doubt(Deviation::Drift, format!("{what} are violated (by {violation:.0e} of the state)"));
            }
        }
        if let Some(energies) = self.energies.take() {
            let [supplied, in_pairs] = energies.supplied();
            let off = (energies.last - energies.first - supplied).abs() - (supplied - in_pairs).abs();
            let size = energies.size() + supplied.abs();
            if !energies.varies {
                self.has_looked = true;
                if off.is_nan() || off > 2.0 * accepted * size {
                    self.doubt(Deviation::Energy, format!("the energy is off (by {:.0e} of its size)", off / size));
                }
            }
        }
        // States of a run that explodes later hide the errors that made it explode.
        let then = (THEN * self.worst_then.0, self.worst_then.1);
        let [(off, at), (unknown, without)] = [(0, then), (1, (0.0, 0.0))].map(|(index, from)| {
            let worst = self.worst[index].iter().zip(largest).map(|(&(off, t), largest)| (off / largest, t));
            worst.fold(from, |most, off| if off.0 > most.0 { off } else { most })
        });
        let [sum, sizes] = [&self.errors, &self.sizes]
            .map(|errors| self.relative(self.differences(errors, &vec![0.0; self.classes.len()])));
        if off > accepted {
            self.doubt(Deviation::Wrong, format!("a repeated step ends elsewhere (at t = {at:.6e} by {off:.0e})"));
        }
        if unknown > KNOWN {
            self.doubt(Deviation::Wrong, format!("a repeated step stays unknown (at t = {without:.6e})"));
        }
        if sum > accepted {
            self.doubt(Deviation::Wrong, format!("the errors of repeated steps add up (to {sum:.0e} of the state)"));
        }
        if sizes > CANCEL * accepted {
            let why = format!("the sizes of the errors of repeated steps add up (to {sizes:.0e} of the state)");
            self.doubt(Deviation::Wrong, why);
        }
        if self.is.ignores_jumps {
            self.doubt(Deviation::Wrong, "the method ignores events at which the state jumps".to_owned());
        }
        let unseen = (!self.has_looked).then_some("the equations offer nothing to look at independently");
        for why in warning.into_iter().chain(unseen) {
            self.doubt(None, why.to_owned());
        }
        self.findings
    }

    fn ode(&mut self) -> &mut (dyn Ode + 'm) {
        self.ode.get_or_insert_with(&self.make).as_mut()
    }

    /// A direction with components of the size of those of `like`, at least a thousandth of the largest.
    fn direction(&mut self, like: &[f64]) -> Vec<f64> {
        let least = if largest(like) > 0.0 { 1e-3 * largest(like) } else { 1.0 };
        like.iter().map(|x| x.abs().max(least) * (2.0 * self.random.f64() - 1.0)).collect()
    }

    /// Looks at mass matrix and Jacobians.
    fn matrices(&mut self, t: f64, y: &[f64]) {
        if y.iter().all(|x| x.is_finite()) && y.len() <= 2 * DENSE {
            self.mechanics(t, y).unwrap_or_default();
            self.newton_matrix(t, y).unwrap_or_default();
            if self.is.has_jacobian {
                self.jacobian(t, y).unwrap_or_default();
            }
        }
    }

    /// Compares the Jacobian of the right-hand side with differences.
    fn jacobian(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let (n, along) = (y.len(), self.direction(y));
        let ode = self.ode();
        let (mut jacobian, mut rates) = (DMatrix::zeros(n, n), vec![0.0; n]);
        ode.jacobian(t, y, &mut jacobian)?;
        ode.rhs(t, y, &mut rates)?;
        // Rates may be sums of larger numbers of the size of other rates, whose rounding can also be lost.
        let (at, mut rounding) = (rates.clone(), vec![f64::EPSILON * largest(&rates); n]);
        for ulps in [2.0, 4.0, 6.0, 8.0] {
            ode.rhs(t, &moved(y, &along, ulps * f64::EPSILON), &mut rates)?;
            rounding.iter_mut().zip(&rates).zip(&at).for_each(|((most, rate), at)| *most = most.max((rate - at).abs()));
        }
        let measured = differences(|width| ode.rhs(t, &moved(y, &along, width), &mut rates).map(|()| rates.clone()))?;
        let [mut terms, product] = product(&jacobian, &along);
        // Terms below this are lost in the rounding of differences, of which two may agree by chance.
        let lost = 4.0 / (WIDTHS[1] * JACOBIAN[0]);
        terms.iter_mut().zip(&rounding).for_each(|(term, rounding)| *term = term.max(lost * rounding));
        self.compare(t, "the right-hand side", &[terms, product], &measured);
        Ok(())
    }

    /// Compares solutions with the Newton matrix of implicit equations with the directions along which differences of
    /// their residuals are taken.
    fn newton_matrix(&mut self, t: f64, state: &[f64]) -> Result<(), Failure> {
        let c = 1e-3 * (self.span[1] - self.span[0]).abs();
        let random: Vec<f64> = (0..state.len() * 4).map(|_| 2.0 * self.random.f64() - 1.0).collect();
        let Form::Implicit(dae) = self.ode().form() else { return Ok(()) };
        let (n, all) = (dae.differential(), dae.differential() + dae.algebraic());
        let (mut chart, mut y, mut rates) = (vec![0.0; dae.chart_length()], vec![0.0; n], vec![0.0; all]);
        dae.locate(state, &mut chart, &mut y);
        dae.consistent(t, &chart, &y, &mut rates)?;
        let mut residual = vec![0.0; all];
        let at = Point { t, chart: &chart, y: &y, rates: &rates };
        dae.residual(at, c, &mut residual)?;
        let Ok(()) = dae.factorize(at, c) else { return Ok(()) };
        // Displacements `c y'` stay a small part of the state.
        let [of_rates, of_others] = [largest(&y).max(1e-3) / c, largest(&rates[n..]).max(1.0)];
        let sizes: Vec<f64> = (0..all).map(|i| if i < n { of_rates } else { of_others }).collect();
        let along: Vec<f64> = sizes.iter().enumerate().map(|(i, size)| random[i % random.len()] * size).collect();
        let mut differences = differences(|width| {
            let (rates, y) = (moved(&rates, &along, width), moved(&y, &along, c * width));
            dae.residual(Point { t, chart: &chart, y: &y, rates: &rates }, c, &mut residual).map(|()| residual.clone())
        })?;
        differences.iter_mut().for_each(|solved| dae.solve(solved));
        self.compare(t, "the implicit equations", &[sizes, along], &differences);
        Ok(())
    }

    /// Compares a derivative along a direction with differences of two widths, if these have converged.
    fn compare(&mut self, t: f64, of: &str, [terms, product]: &[Vec<f64>; 2], [wide, narrow]: &[Vec<f64>; 2]) {
        for i in 0..terms.len() {
            let size = terms[i].max(narrow[i].abs());
            if size > 0.0 && (wide[i] - narrow[i]).abs() <= JACOBIAN[1] * size {
                self.has_looked = true;
                let off = (product[i] - narrow[i]).abs() / size;
                if off.is_nan() || off > JACOBIAN[0] {
                    self.refute(None, || {
                        format!("the Jacobian of {of} differs from differences (in row {i} by {off:.0e} at t = {t})")
                    });
                }
            }
        }
    }

    /// Looks at the mass matrix and the constraints' Jacobian of a mechanical system.
    fn mechanics(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let Form::Mechanics(mechanics) = self.ode().form() else { return Ok(()) };
        let of = mechanics.dimensions();
        let (n, first, rows) = (of.velocities, of.nonholonomic, of.constraints());
        let (q, v) = y.split_at(y.len() - n);
        let along = self.direction(v);
        // A displacement has the size of the positions.
        let unit = largest(q).max(1e-3) / largest(&along).max(f64::MIN_POSITIVE);
        let along = moved(&vec![0.0; n], &along, unit);
        let Form::Mechanics(mechanics) = self.ode().form() else { return Ok(()) };
        let [mut mass, mut jacobian] = [DMatrix::zeros(n, n), DMatrix::zeros(rows, n)];
        mechanics.mass(q, &mut mass);
        mechanics.constraint_jacobian(t, q, v, &mut jacobian);
        let (mut values, mut reached) = (vec![0.0; rows], q.to_vec());
        let differences = differences(|width| {
            mechanics.retract(q, &moved(&vec![0.0; n], &along, width), &mut reached);
            mechanics.constraint_values(t, &reached, v, &mut values);
            // Nonholonomic rows depend on velocities; their derivatives are checked with the rates of constraints.
            Ok(values[first..].to_vec())
        })?;
        let is_skew = |(i, j): (usize, usize)| {
            let off = (mass[(i, j)] - mass[(j, i)]).abs();
            off.is_nan() || off > 1e-8 * (mass[(i, i)] * mass[(j, j)]).abs().sqrt()
        };
        if (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).any(is_skew) {
            self.refute(None, || format!("the mass matrix is not symmetric (at t = {t})"));
        } else if mass.cholesky().is_none() {
            self.refute(None, || format!("the mass matrix is not positive (at t = {t})"));
        }
        self.has_looked = true;
        let product = product(&jacobian, &along).map(|values| values[first..].to_vec());
        self.compare(t, "the constraints", &product, &differences);
        Ok(())
    }

    /// Measures the constraints on both levels, as displacements and changes of velocities that close them.
    fn constraints(&mut self, t: f64, y: &[f64]) {
        if y.len() > 2 * DENSE {
            return;
        }
        let Form::Mechanics(mechanics) = self.ode().form() else { return };
        let of = mechanics.dimensions();
        let (rows, n) = (of.constraints(), of.velocities);
        let (q, v) = y.split_at(y.len() - n);
        let (mut jacobian, mut levels) = (DMatrix::zeros(rows, n), [(); 2].map(|()| vec![0.0; rows]));
        mechanics.constraint_jacobian(t, q, v, &mut jacobian);
        mechanics.constraint_values(t, q, v, &mut levels[0]);
        mechanics.velocity_constraints(t, q, v, &mut levels[1]);
        let [norms, _] = product(&jacobian, &vec![1.0; n]);
        let least = 1e-3 * largest(&norms);
        for ((values, worst), first) in levels.iter().zip(&mut self.violations).zip([of.nonholonomic, 0]) {
            for (value, norm) in values.iter().zip(&norms).skip(first) {
                let off = value.abs() / norm.max(least).max(f64::MIN_POSITIVE);
                *worst = if off.is_nan() { f64::INFINITY } else { worst.max(off) };
            }
        }
        self.has_looked |= rows > 0;
    }

    /// Measures whether a model without a stated power supplies energy.
    fn supply(&mut self, step: &Step<'_>, energy_at: EnergyAt<'_>) -> Result<(), Failure> {
        let Some(energies) = &mut self.energies else { return Ok(()) };
        let mut at_rest = step.end.to_vec();
        let velocities = at_rest.iter_mut().zip(&self.classes).filter(|(_, class)| **class == Class::Velocity);
        velocities.for_each(|(x, _)| *x = 0.0);
        energies.take_parts(energy_at(step.t_end, &at_rest));
        if energies.varies || energies.power.is_some() {
            return Ok(());
        }
        let (t, y, exchanged) = (step.t_end, step.end, energies.size());
        let width = 1e-3 * (step.t_end - step.t_start);
        let mut rate = vec![0.0; y.len()];
        self.ode().rhs(t, y, &mut rate)?;
        let [ahead, behind] = [width, -width].map(|width| energy_at(t + width, &moved(y, &rate, width)));
        let supplied = (ahead - behind) / (2.0 * width) * (self.span[1] - self.span[0]);
        let varies = supplied.abs() > 0.1 * self.accepted * exchanged;
        self.energies.iter_mut().for_each(|energies| energies.varies = varies);
        Ok(())
    }

    /// Looks for zeros of event functions inside a step. If it passes one that the method does not locate, returns the
    /// number of steps for which it stands.
    fn events(&mut self, step: &mut Step<'_>) -> Result<Option<u64>, Failure> {
        let (t_start, size) = (step.t_start, step.t_end - step.t_start);
        let stands_for = if self.looked <= LOOKS.0 { 1 } else { LOOKS.1 };
        if !self.is.has_events || !step.index.is_multiple_of(stands_for) {
            return Ok(None);
        }
        let shares = [0.45 * self.random.f64() + 0.05, 0.45 * self.random.f64() + 0.5];
        let mut inner = std::mem::take(&mut self.inner);
        let known = inner.iter_mut().zip(shares).try_for_each(|((t, y), share)| {
            *t = t_start + share * size;
            step.within.state_at(*t, y)
        });
        let passes = known.and_then(|()| self.zeros(step, &inner, true));
        self.inner = inner;
        Ok((passes? && !self.locates).then_some(stands_for))
    }

    /// Applies the jumps at the end of a step, which change the configuration of a problem that does not follow signs.
    fn jumps(&mut self, step: &Step<'_>) -> Result<(), Failure> {
        if self.is.follows_signs || step.further.events.is_empty() && self.events_before.is_empty() {
            return Ok(());
        }
        self.events_before = step.further.events.to_vec();
        let mut end = step.before_projection().to_vec();
        let Form::Events(functions) = self.ode().form() else { return Ok(()) };
        step.further.events.iter().try_for_each(|&index| functions.jump(index, step.t_end, &mut end))
    }

    /// Looks at a step over an event or the begin or end of a contact, which stands for a number of steps: the first
    /// ones and, of later ones, as many each time their number doubles.
    pub fn crossing(&mut self, step: &Step<'_>, steps: u64) {
        self.crossings += 1;
        let stands_for = (self.crossings / CROSSINGS).max(1).next_power_of_two();
        if self.crossings.is_multiple_of(stands_for) {
            self.repeat(step, Some((stands_for * steps) as f64));
        }
    }

    /// Compares the signs of event functions at times inside a step with those at its ends. If the function has one
    /// sign at both ends, or until the event that ends the step, and the other one at a time inside, zeros were missed.
    /// Returns true if any sign differs. `is_own` marks states of the method itself.
    fn zeros(&mut self, step: &Step<'_>, inner: &[(f64, Vec<f64>)], is_own: bool) -> Result<bool, Failure> {
        let (locates, follows_signs) = (self.locates, self.is.follows_signs);
        let (before, mut of) = (std::mem::take(&mut self.events_before), std::mem::take(&mut self.functions));
        let mut rate = vec![0.0; if before.is_empty() { 0 } else { step.start.len() }];
        if !before.is_empty() {
            self.ode().rhs(step.t_start, step.start, &mut rate)?;
        }
        let Form::Events(functions) = self.ode().form() else { return Ok(false) };
        let size = step.t_end - step.t_start;
        functions.prepare(step.t_start, step.start, size)?;
        let count = functions.count();
        let Functions { sizes, ends, range, at, rates } = &mut of;
        for values in ends.iter_mut().chain(&mut *range).chain([&mut *sizes, &mut *at, &mut *rates]) {
            values.resize(count, 0.0);
        }
        if !before.is_empty() {
            functions.rates(step.t_start, step.start, &rate, rates)?;
        }
        functions.values(step.t_start, step.start, &mut ends[0])?;
        functions.values(step.t_end, step.before_projection(), &mut ends[1])?;
        range[0].fill(f64::INFINITY);
        range[1].fill(f64::NEG_INFINITY);
        for (t, y) in inner {
            functions.values(*t, y, at)?;
            range[0].iter_mut().zip(&*at).for_each(|(least, x)| *least = least.min(*x));
            range[1].iter_mut().zip(&*at).for_each(|(most, x)| *most = most.max(*x));
        }
        let (mut passes, mut missed) = (false, None);
        for index in (0..count).filter(|&index| functions.is_watched(index)) {
            let [a, b] = ends.each_ref().map(|values| values[index]);
            let [least, most] = range.each_ref().map(|values| values[index]);
            let size_of_all = largest(&[a, b, least, most]);
            sizes[index] = size_of_all.max(sizes[index]);
            let differs = [b, least, most].into_iter().any(|x| (x >= 0.0) != (a >= 0.0));
            passes |= differs;
            if !differs && !before.contains(&index) {
                continue;
            }
            let is_clear = |x: f64| x.abs() > 1e-2 * size_of_all;
            let is_located = locates && step.further.events.contains(&index);
            // If a function is still zero after its event, its side is the one to which it moves.
            let at_zero = functions.tolerance(size, ORDER).max(LOCATED * sizes[index]);
            let is_at_zero = before.contains(&index) && a.abs() <= at_zero;
            let side = if is_at_zero { rates[index] } else { a * f64::from(u8::from(is_clear(a))) };
            // Repeated steps pass a located zero a little earlier or later.
            let returns = if is_located { is_own } else { is_clear(b) && side * b > 0.0 };
            let opposite = if side > 0.0 { least } else { most };
            let leaves = !follows_signs && !is_located && is_clear(b) && side * b < 0.0;
            if leaves || returns && is_clear(opposite) && opposite * side < 0.0 {
                missed = missed.or(Some(index));
            }
        }
        (self.events_before, self.functions) = (before, of);
        self.looked += count + step.start.len();
        self.has_looked = true;
        if let Some(index) = missed {
            let why = format!("a zero inside a step was missed (of function {index} after t = {:.6e})", step.t_start);
            if locates {
                self.refute(Deviation::Wrong, || why);
            } else {
                self.doubt(Deviation::Wrong, why);
            }
        }
        Ok(passes)
    }

    /// Repeats a step by the classical Runge–Kutta formula in two and in four parts, and in more as long as twice as
    /// many agree much better, if few evaluations were spent on that: one in twenty steps, and 2500 (10 000 components
    /// of their results, if these are fewer), and four times as many for steps over events. Errors of steps over events
    /// and at the start, and sizes of those of all other steps, are added up.
    fn repeat(&mut self, step: &Step<'_>, over_events: Option<f64>) {
        let dimension = self.classes.len() as f64;
        let allowed = (1e4 / dimension).min(2500.0) + 0.05 * step.index as f64;
        let (budget, times) = if over_events.is_some() { (1, 4.0) } else { (0, 1.0) };
        // At least as many parts twice, of four evaluations each.
        if !self.is.repeats || self.spent[budget] + f64::from(12 * self.is.parts) > times * allowed {
            return;
        }
        let Some((states, known)) = self.repeated(step, budget) else { return };
        let passes = self.zeros(step, &states, false).unwrap_or_default() && !self.locates;
        let over_events = over_events.or(passes.then_some(1.0));
        let (before, fine) = (step.before_projection(), &states[states.len() - 1].1);
        let off = self.differences(before, fine);
        let is_known = self.relative(known) < KNOWN;
        for class in 0..3 {
            let [worst, unknown] = &mut self.worst;
            let excess = off[class] - 2.0 * known[class];
            if excess > worst[class].0 {
                worst[class] = (excess, step.t_start);
            }
            // The first step from zero has no size to which its error could be compared.
            if step.index > 0 && excess / self.largest[class] > self.worst_then.0 {
                self.worst_then = (excess / self.largest[class], step.t_start);
            }
            // Implicit formulas make steps in which explicit ones blow up.
            if (self.is_explicit || over_events.is_some()) && !is_known && known[class] > unknown[class].0 {
                unknown[class] = (known[class], step.t_start);
            }
        }
        self.has_looked |= is_known;
        if is_known && over_events.is_none() {
            let stands_for = (step.index + 1 - self.repeated_until) as f64;
            let errors = before.iter().zip(fine).map(|(end, fine)| stands_for * (end - fine).abs());
            self.sizes.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
            self.repeated_until = step.index + 1;
        }
        if let Some(stands_for) = over_events.or((step.index < FIRST).then_some(1.0)) {
            let errors = before.iter().zip(fine).map(|(end, fine)| stands_for * (end - fine));
            self.errors.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
        }
    }

    /// States of a step repeated at the expense of a budget, and by how much its ends differ with half as many parts in
    /// each class; nothing if it blows up.
    fn repeated(&mut self, step: &Step<'_>, budget: usize) -> Option<(Timed, [f64; 3])> {
        let first = self.in_parts(step, self.is.parts, budget).ok()?;
        let (mut parts, mut coarse, mut last) = (2 * self.is.parts, first, f64::INFINITY);
        loop {
            let states = self.in_parts(step, parts, budget).ok()?;
            let known = self.differences(&states[states.len() - 1].1, &coarse[coarse.len() - 1].1);
            let relative = self.relative(known);
            parts *= 2;
            // Smooth steps improve by 16, and those over a jump by two.
            if !(relative >= KNOWN && relative < 0.7 * last && parts <= MOST_PARTS) {
                return Some((states, known));
            }
            (coarse, last) = (states, relative);
        }
    }

    fn take_largest(&mut self, state: &[f64]) {
        for (x, &class) in state.iter().zip(&self.classes) {
            let largest = &mut self.largest[class as usize];
            *largest = largest.max(x.abs());
        }
    }

    /// The largest differences between two states in each class.
    fn differences(&self, a: &[f64], b: &[f64]) -> [f64; 3] {
        let mut differences = [0.0; 3];
        for ((a, b), &class) in a.iter().zip(b).zip(&self.classes) {
            let largest = &mut differences[class as usize];
            *largest = if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs().max(*largest) };
        }
        differences
    }

    /// Differences relative to the largest components of each class so far.
    fn relative(&self, differences: [f64; 3]) -> f64 {
        differences.iter().zip(&self.largest).map(|(off, largest)| off / largest).fold(0.0, f64::max)
    }

    /// Times and states at the ends of equal parts of a step, by the classical Runge–Kutta formula.
    fn in_parts(&mut self, step: &Step<'_>, parts: u32, budget: usize) -> Result<Timed, Failure> {
        self.spent[budget] += 4.0 * f64::from(parts);
        let h = (step.t_end - step.t_start) / f64::from(parts);
        let (mut y, n) = (step.start.to_vec(), step.start.len());
        let mut rates = [(); 4].map(|()| vec![0.0; n]);
        let ode = self.ode();
        let one = |part: u32| {
            let t = step.t_start + f64::from(part) * h;
            ode.rhs(t, &y, &mut rates[0])?;
            for (stage, share) in [(1, 0.5), (2, 0.5), (3, 1.0)] {
                ode.rhs(t + share * h, &moved(&y, &rates[stage - 1], share * h), &mut rates[stage])?;
            }
            for (i, y) in y.iter_mut().enumerate() {
                *y += h / 6.0 * (rates[0][i] + 2.0 * rates[1][i] + 2.0 * rates[2][i] + rates[3][i]);
            }
            Ok((t + h, y.clone()))
        };
        (0..parts).map(one).collect()
    }
}

impl Energies {
    /// The energy that the motion exchanges: potential energy has an arbitrary zero.
    fn size(&self) -> f64 {
        let exchanged = self.parts.map_or(0.0, |[kinetic, least, largest]| kinetic + (largest - least));
        if exchanged > 0.0 { exchanged } else { self.largest }
    }

    /// Takes the potential energy at the state whose energy was added last.
    fn take_parts(&mut self, potential: f64) {
        let [kinetic, least, largest] = self.parts.unwrap_or([0.0, potential, potential]);
        self.parts = Some([kinetic.max(self.last - potential), least.min(potential), largest.max(potential)]);
    }

    /// The supplied energy by both sums, the last of which also has the step behind the last pair.
    fn supplied(&self) -> [f64; 2] {
        let rest = self.power.map_or(0.0, |[before, last]| 0.5 * (last[0] - before[0]) * (last[1] + before[1]));
        [self.supplied[0], self.supplied[1] + rest]
    }

    /// Takes the energy and the power at the end of a step.
    fn add(&mut self, t: f64, energy: f64, power: Option<f64>) {
        self.steps += 1;
        self.largest = if energy.is_nan() { energy } else { self.largest.max(energy.abs()) };
        self.last = energy;
        let (Some([before, last]), Some(power)) = (&mut self.power, power) else { return };
        let trapezoid = |from: &[f64; 2]| 0.5 * (t - from[0]) * (power + from[1]);
        self.supplied[0] += trapezoid(last);
        if self.steps.is_multiple_of(2) {
            self.supplied[1] += trapezoid(before);
            *before = [t, power];
        }
        *last = [t, power];
    }
}

/// The largest magnitude.
fn largest(of: &[f64]) -> f64 {
    of.iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// `from + by · along`.
fn moved(from: &[f64], along: &[f64], by: f64) -> Vec<f64> {
    from.iter().zip(along).map(|(from, along)| from + by * along).collect()
}

/// The derivative of a function at zero by central differences of two widths.
fn differences(mut of: impl FnMut(f64) -> Result<Vec<f64>, Failure>) -> Result<[Vec<f64>; 2], Failure> {
    let [wide, narrow] = WIDTHS.map(|width| {
        let (ahead, behind) = (of(width)?, of(-width)?);
        Ok::<_, Failure>(ahead.iter().zip(&behind).map(|(ahead, behind)| (ahead - behind) / (2.0 * width)).collect())
    });
    Ok([wide?, narrow?])
}

/// The sizes of the terms of a product of a matrix with a vector, row by row, and the product.
fn product(matrix: &DMatrix<f64>, by: &[f64]) -> [Vec<f64>; 2] {
    let rows = |of: fn(f64) -> f64| {
        matrix.row_iter().map(|row| row.iter().zip(by).map(|(entry, x)| of(entry * x)).sum()).collect()
    };
    [rows(f64::abs), rows(|x| x)]
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use mbsbench_integrators::dode::EventRules;
    use mbsbench_integrators::{Bs32, Dode, Dopri5, Rk4};
    use mbsbench_problem::constrained::equations;
    use mbsbench_problem::{
        AsEventOde, AsOde, Assurance, Dimensions, Entries, EventModel, MechanicalModel, Method, MethodDefinition,
        Observer, OdeModel, Scalar, Task,
    };

    use super::*;

    type Energy<'e> = Option<&'e dyn Fn(&[f64]) -> f64>;

    /// Shows a solve to the scrutiny.
    struct Shown<'m, 'e> {
        scrutiny: Scrutiny<'m>,
        energy: Energy<'e>,
    }

    impl Observer for Shown<'_, '_> {
        fn start(&mut self, _t: f64, y: &[f64]) {
            self.scrutiny.start(self.energy.map(|energy| energy(y)), None);
        }

        fn step(&mut self, step: &mut Step<'_>) -> ControlFlow<Failure> {
            let energy = self.energy;
            let at_end = [energy.map(|energy| energy(step.end)), None];
            self.scrutiny.step(step, at_end, &mut |_, y| energy.map_or(f64::NAN, |energy| energy(y)));
            ControlFlow::Continue(())
        }
    }

    /// Solves a problem from t = 0 and returns the assurance, if no deviation is expected.
    fn assured<'m>(
        make: impl Fn() -> Box<dyn Ode + 'm> + Copy + 'm,
        problem: (&[f64], f64),
        method: &dyn Method,
        settings: Settings,
        energy: Energy<'_>,
    ) -> Assurance {
        assured_by(1, make, problem, method, settings, energy)
    }

    /// Like [`assured`], with a seed.
    fn assured_by<'m>(
        seed: u64,
        make: impl Fn() -> Box<dyn Ode + 'm> + Copy + 'm,
        (initial, end): (&[f64], f64),
        method: &dyn Method,
        settings: Settings,
        energy: Energy<'_>,
    ) -> Assurance {
        let n = initial.len();
        let classes = (0..n).map(|i| if 2 * i < n { Class::Position } else { Class::Velocity }).collect();
        let mut ode = make();
        let span = [0.0, end];
        let scrutiny =
            Scrutiny::new(ode.as_mut(), make, (span, initial, classes), (&settings, method.properties()), seed);
        let mut shown = Shown { scrutiny, energy };
        let task = Task { t_start: 0.0, t_end: end, initial, settings };
        let solution = task.solve(method, ode.as_mut(), &mut shown);
        let found = shown.scrutiny.finish(None).assurance(&[]);
        assert!(found.is_refuted() || solution.failure.is_none(), "{:?}", solution.failure);
        found
    }

    fn begins(assurance: &Assurance, text: &str) {
        assert!(assurance.to_string().starts_with(text), "{assurance}");
    }

    /// An oscillator whose Jacobian is that of another frequency if `wrong`.
    struct Oscillator {
        wrong: bool,
    }
    impl OdeModel for Oscillator {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
            // `S::from(value)` has no derivative.
            let x = if self.wrong { S::from(y[0].value()) } else { y[0] };
            (dydt[0], dydt[1]) = (y[1], -x);
        }
    }

    fn energy_of(y: &[f64]) -> f64 {
        0.5 * (y[0] * y[0] + y[1] * y[1])
    }

    #[test]
    fn an_accurate_run_is_vouched_for() {
        let right = Oscillator { wrong: false };
        let settings = Settings::tolerance(1e-8, 1e-8);
        let method = Dopri5::default().method();
        let assurance = assured(|| Box::new(AsOde(&right)), (&[1.0, 0.0], 10.0), &*method, settings, Some(&energy_of));
        assert_eq!(assurance, Assurance::Vouched);
    }

    #[test]
    fn a_wrong_jacobian_refutes() {
        let wrong = Oscillator { wrong: true };
        let settings = Settings::tolerance(1e-8, 1e-8);
        let assurance =
            assured(|| Box::new(AsOde(&wrong)), (&[1.0, 0.0], 10.0), &*Dopri5::default().method(), settings, None);
        begins(&assurance, "refuted: the Jacobian of the right-hand side differs from differences (in row 1");
    }

    /// Rates that consist of rounding errors, but for the first one. Their derivatives are zero or lost.
    struct Noise;
    impl OdeModel for Noise {
        fn dimension(&self) -> usize {
            40
        }
        fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
            for (i, rate) in dydt.iter_mut().enumerate().skip(1) {
                let large = S::from(4.0 + i as f64);
                *rate = y.iter().fold(S::zero(), |sum, &y| sum + ((y + large) - large - y));
            }
            // a change that is lost in a sum
            dydt[1] = (y[0] * 1e-30 + 1.0) - 1.0;
            dydt[0] = y[0];
        }
    }

    #[test]
    fn differences_of_rounding_errors_do_not_refute() {
        let problem = ([0.0, 1.0], &[0.1; 40][..], vec![Class::Position; 40]);
        for seed in 0..200 {
            let make = || Box::new(AsOde(&Noise)) as Box<dyn Ode>;
            let of = (&Settings::fixed(0.1), Dopri5::default().method().properties());
            let found = Scrutiny::new(make().as_mut(), make, problem.clone(), of, seed).finish(None).assurance(&[]);
            assert!(!found.is_refuted(), "seed {seed}: {found}");
        }
    }

    #[test]
    fn dissipation_is_doubted() {
        let right = Oscillator { wrong: false };
        let settings = Settings::fixed(0.6);
        let method = Rk4::default().method();
        let assurance = assured(|| Box::new(AsOde(&right)), (&[1.0, 0.0], 60.0), &*method, settings, Some(&energy_of));
        begins(&assurance, "unvouched: the energy is off (by ");
    }

    #[test]
    fn a_long_step_is_doubted() {
        let right = Oscillator { wrong: false };
        let settings = Settings::fixed(0.8);
        let assurance =
            assured(|| Box::new(AsOde(&right)), (&[1.0, 0.0], 8.0), &*Bs32::default().method(), settings, None);
        begins(&assurance, "unvouched: a repeated step ends elsewhere (at t = ");
    }

    /// Each step is off by 2e-5, and the phase by 0.1 after 5000 of them.
    #[test]
    fn small_errors_of_many_steps_are_doubted() {
        let right = Oscillator { wrong: false };
        let until = |end| {
            let make = || Box::new(AsOde(&right)) as Box<dyn Ode>;
            assured(make, (&[1.0, 0.0], end), &*Rk4::default().method(), Settings::fixed(0.3), None)
        };
        assert_eq!(until(300.0), Assurance::Vouched);
        begins(&until(1500.0), "unvouched: the sizes of the errors of repeated steps add up (to ");
    }

    /// An oscillator that becomes unstable at t = 10.
    struct Unstable;
    impl OdeModel for Unstable {
        fn dimension(&self) -> usize {
            2
        }
        fn rhs<S: Scalar>(&self, t: S, y: &[S], dydt: &mut [S]) {
            (dydt[0], dydt[1]) = (y[1], y[0] * S::from(if t.value() < 10.0 { -1.0 } else { 0.04 }));
        }
    }

    /// Only the first four steps are too long, and the state grows ten thousandfold behind them.
    #[test]
    fn growth_hides_no_error() {
        let settings = Settings::fixed(2.5);
        let make = || Box::new(AsOde(&Unstable)) as Box<dyn Ode>;
        let assurance = assured(make, (&[1.0, 0.0], 80.0), &*Rk4::default().method(), settings, None);
        begins(&assurance, "unvouched: a repeated step ends elsewhere (at t = ");
        let later = assured(make, (&[1.0, 0.0], 10.0), &*Rk4::default().method(), Settings::fixed(0.1), None);
        assert_eq!(later, Assurance::Vouched);
    }

    /// A point on a circle, m, with one fault.
    #[derive(Clone, Copy, PartialEq)]
    enum Circle {
        Right,
        /// The constraint has no derivative in x.
        Row,
        /// The mass matrix is not symmetric.
        Mass,
    }
    impl MechanicalModel for Circle {
        fn dimensions(&self) -> Dimensions {
            Dimensions::vectors(2, 1)
        }
        fn mass<S: Scalar>(&self, _q: &[S], mass: &mut impl Entries<S>) {
            (mass[(0, 0)], mass[(1, 1)]) = (S::one(), S::one());
            mass[(0, 1)] = S::from(if *self == Self::Mass { 0.1 } else { 0.0 });
        }
        fn forces<S: Scalar>(&self, _t: S, _q: &[S], _v: &[S], forces: &mut [S]) {
            (forces[0], forces[1]) = (S::zero(), S::from(-9.81));
        }
        fn holonomic_constraints<S: Scalar>(&self, _t: S, q: &[S], phi: &mut [S]) {
            let x = if *self == Self::Row { S::from(q[0].value()) } else { q[0] };
            phi[0] = x * x + q[1] * q[1] - S::one();
        }
        fn energy<S: Scalar>(&self, q: &[S], v: &[S]) -> S {
            (v[0] * v[0] + v[1] * v[1]) * S::from(0.5) + q[1] * S::from(9.81)
        }
    }

    fn on_a_circle(circle: Circle, settings: Settings) -> Assurance {
        let make = || equations(&circle, None, &[0.6, 0.8, 0.0, 0.0]);
        assured(make, (&[0.6, 0.8, 0.0, 0.0], 10.0), &*Dopri5::default().method(), settings, None)
    }

    #[test]
    fn mechanics_are_held_against_differences_and_constraints_measured() {
        let tight = Settings::tolerance(1e-9, 1e-9);
        assert_eq!(on_a_circle(Circle::Right, tight), Assurance::Vouched);
        begins(&on_a_circle(Circle::Row, tight), "refuted: the Jacobian of the constraints differs from diff");
        begins(&on_a_circle(Circle::Mass, tight), "refuted: the mass matrix is not symmetric (at t = 0)");
        begins(&on_a_circle(Circle::Right, Settings::fixed(0.1)), "unvouched: constraints are violated (by ");
    }

    /// A constant velocity, with a function that is negative from t = 1/3 to 2/3.
    struct Brief;
    impl EventModel for Brief {
        fn sizes(&self) -> [usize; 2] {
            [1, 1]
        }
        fn rhs<S: Scalar>(&self, _t: S, _y: &[S], _on: &[bool], dydt: &mut [S]) {
            dydt[0] = S::one();
        }
        fn values<S: Scalar>(&self, _t: S, y: &[S], g: &mut [S]) {
            g[0] = (y[0] * S::from(std::f64::consts::TAU)).cos() + S::from(0.5);
        }
    }

    /// Rules that only look at the ends of steps pass over both zeros of the function in the single step of a run. The
    /// two times at which the watch looks are random; some of a hundred seeds see the zeros, and not all do.
    #[test]
    fn a_missed_event_refutes() {
        let method = Dode { events: true, rules: EventRules::Compere2001, ..Dode::default() }.method();
        let make = || Box::new(AsEventOde::<_, f64>::new(&Brief)) as Box<dyn Ode>;
        let control = StepControl::Tolerance { rel: 1e-3, abs: 1e-3, initial_step: Some(1.0), max_step: Some(1.0) };
        let settings = Settings { control, ..Settings::tolerance(1e-3, 1e-3) };
        let found = (0..100).map(|seed| assured_by(seed, make, (&[0.0], 1.0), &*method, settings, None));
        let missed = found.filter(|found| {
            found.to_string().starts_with("refuted: a zero inside a step was missed (of function 0 after t = 0.0")
        });
        let missed = missed.count();
        assert!((1..100).contains(&missed), "{missed}");
        let located = Dode::default().method();
        assert_eq!(assured(make, (&[0.0], 1.0), &*located, settings, None), Assurance::Vouched);
    }
}
