//! A watch over a solve for right-hand sides that jump.
//!
//! The watch evaluates equations of its own, so that neither counters nor memory of the solve change. It looks only at
//! runs with error control, since constant steps neither grow nor shrink:
//!
//! - At most 110 long steps are sampled for changes of `f` in time alone, with the state held. A change that stays as
//!   large however often its interval is halved is a jump. A change within a small part of a step is a pulse that
//!   the method may have stepped over: then the sixth differences of the samples are large, as they are not for any
//!   function that a method resolves.
//! - After a thousand very short steps, every 256th is examined. The solution chatters if `f` jumps within a hundred
//!   steps ahead at eight of these.

use std::ops::ControlFlow;

use crate::{Failure, Form, Ode, Properties, Settings, Step, StepControl};

/// Least number of intervals in which a step is sampled, and their number in a step as long as the span.
const PARTS: [f64; 2] = [12.0, 240.0];
/// Coefficients of sixth differences.
const SIXTH: [f64; 7] = [1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0];
/// Least share of the span of a long step, and of one that is always sampled; largest number of the others.
const LONG: [f64; 2] = [1e-3, 2e-2];
const MOST: u32 = 60;
/// Largest share of the span of a very short step.
const SHORT: f64 = 1e-6;

/// A watch over a solve.
pub struct Probe<'m> {
    make: Box<dyn Fn() -> Box<dyn Ode + 'm> + 'm>,
    /// The equations, made on first use.
    ode: Option<Box<dyn Ode + 'm>>,
    span: [f64; 2],
    /// The end of the span and the break points, s.
    stops: Vec<f64>,
    tolerances: [f64; 2],
    /// True if `f` does not depend on time, so that it has no jumps in time.
    is_autonomous: bool,
    /// Size of the step before, s.
    before: f64,
    sampled: u32,
    /// Consecutive very short steps, and jumps ahead of them.
    short: u64,
    jumps: u32,
    warning: Option<String>,
}

impl<'m> Probe<'m> {
    /// A watch over a solve of `solved`, over a span with break points, s; `make` makes the equations for the watch.
    /// None for constant steps, or equations that cannot be evaluated at any state.
    pub fn new(
        solved: &mut dyn Ode,
        make: impl Fn() -> Box<dyn Ode + 'm> + 'm,
        (span, breaks): ([f64; 2], &[f64]),
        settings: &Settings,
    ) -> Option<Self> {
        let StepControl::Tolerance { rel, abs, .. } = settings.control else { return None };
        let Properties { has_rhs, locks, projects, mass, is_autonomous, .. } = solved.properties();
        if !has_rhs || locks || projects || mass.is_some() || matches!(solved.form(), Form::Events(_)) {
            return None;
        }
        let stops = [breaks, &solved.breaks(), &span[1..]].concat();
        let (ode, before, sampled, short, jumps, warning) = Default::default();
        let make = Box::new(make);
        Some(Self {
            make,
            ode,
            span,
            stops,
            tolerances: [rel, abs],
            is_autonomous,
            before,
            sampled,
            short,
            jumps,
            warning,
        })
    }

    fn rhs(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Failure> {
        self.ode.get_or_insert_with(&self.make).rhs(t, y, rate)
    }

    /// A warning about the right-hand side, if there is one.
    pub fn warning(self) -> Option<String> {
        self.warning
    }

    /// Looks at an accepted step.
    pub fn step(&mut self, step: &Step<'_>) -> ControlFlow<Failure> {
        let size = step.t_end - step.t_start;
        let share = |size: f64| size / (self.span[1] - self.span[0]);
        let before = std::mem::replace(&mut self.before, size);
        let long = share(size).max(share(before));
        self.short = if share(size) < SHORT { self.short + 1 } else { 0 };
        if self.short == 0 {
            self.jumps = 0;
        } else if self.short > 1000 && self.short.is_multiple_of(256) {
            let jumps = self.jumps_ahead(step).unwrap_or(false);
            self.jumps = if jumps { self.jumps + 1 } else { self.jumps.saturating_sub(1) };
            if self.jumps == 8 {
                return ControlFlow::Break(Failure::Chattering { time: step.t_end, step: size.abs() });
            }
        }
        let is_sampled = long >= LONG[1] || long >= LONG[0] && self.sampled < MOST;
        if is_sampled && !self.is_autonomous && self.warning.is_none() {
            self.sampled += 1;
            self.warning = self.sample(step, before).unwrap_or_default();
        }
        ControlFlow::Continue(())
    }

    /// Samples a step, or an attempt of the size `before` that was cut to it, with the state held.
    fn sample(&mut self, step: &Step<'_>, before: f64) -> Result<Option<String>, Failure> {
        let (t, size, y) = (step.t_start, step.t_end - step.t_start, step.start);
        let was_cut = size.abs() < 0.5 * before.abs();
        let rests = self.stops.iter().map(|stop| stop - t).filter(|rest| rest * size > 0.0);
        let attempt = rests.chain([before]).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(size);
        let length = if was_cut { attempt } else { size };
        let parts = PARTS[0].max((PARTS[1] * length / (self.span[1] - self.span[0])).floor());
        // The ends are not sampled, since they may be break points.
        let at = |part: usize| t + length * (part as f64 + 0.5) / (parts + 1.0);
        let mut rates = vec![vec![0.0; y.len()]; parts as usize + 1];
        for (part, rate) in rates.iter_mut().enumerate() {
            self.rhs(at(part), y, rate)?;
        }
        for i in 0..y.len() {
            let values: Vec<f64> = rates.iter().map(|rate| rate[i]).collect();
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
            let [rel, abs] = self.tolerances;
            let range = high - low;
            if !(range.is_finite() && length.abs() * range > rel * y[i].abs() + abs) {
                continue;
            }
            let rise = |part: &usize| (values[part + 1] - values[*part]).abs();
            let steepest = (0..values.len() - 1).max_by(|a, b| rise(a).total_cmp(&rise(b))).unwrap_or_default();
            let between = [at(steepest), at(steepest + 1)];
            if rise(&steepest) > 0.3 * range
                && let Some(time) = self.jump((i, y.len()), between, |t, held| (t, held.copy_from_slice(y)).0)?
            {
                let time: f64 = format!("{time:.8e}").parse().unwrap_or(time);
                return Ok(Some(format!(
                    "the right-hand side jumps at t = {time}: steps lose accuracy there and may pass over short \
                     pulses; give the times of jumps as `breaks`, or bound steps by `max_step`"
                )));
            }
            let sixth = |window: &[f64]| window.iter().zip(SIXTH).map(|(value, factor)| value * factor).sum::<f64>();
            if !was_cut && values.windows(SIXTH.len()).any(|window| sixth(window).abs() > 0.08 * 64.0 * range) {
                return Ok(Some(format!(
                    "near t = {}, the right-hand side has a pulse that is short compared with a step of {:.1e} s, \
                     which may have passed over it; bound steps by `max_step`",
                    between[0],
                    size.abs()
                )));
            }
        }
        Ok(None)
    }

    /// True if the right-hand side jumps within the step or a hundred steps ahead.
    fn jumps_ahead(&mut self, step: &Step<'_>) -> Result<bool, Failure> {
        const AHEAD: f64 = 100.0;
        let (n, size) = (step.start.len(), step.t_end - step.t_start);
        let [mut way, mut near, mut far] = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        self.rhs(step.t_end, step.end, &mut way)?;
        for (way, (start, end)) in way.iter_mut().zip(step.start.iter().zip(step.end)) {
            *way = end - start + AHEAD * size * *way;
        }
        let place = |part: f64, y: &mut [f64]| {
            y.iter_mut().zip(step.start.iter().zip(&way)).for_each(|(y, (start, way))| *y = start + part * way);
            step.t_start + part * (1.0 + AHEAD) * size
        };
        self.rhs(step.t_start, step.start, &mut near)?;
        let mut y = vec![0.0; n];
        let t = place(1.0, &mut y);
        self.rhs(t, &y, &mut far)?;
        let change = |&i: &usize| (far[i] - near[i]).abs() / far[i].abs().max(near[i].abs()).max(f64::MIN_POSITIVE);
        // Rounding errors of a component near zero change by their own size.
        let scale = far.iter().chain(&near).fold(0.0, |most: f64, rate| most.max(rate.abs()));
        let matters = |&i: &usize| (far[i] - near[i]).abs() > 1e-8 * scale;
        let largest = (0..n).filter(matters).max_by(|a, b| change(a).total_cmp(&change(b)));
        match largest.filter(|i| change(i) > 0.1) {
            Some(i) => Ok(self.jump((i, n), [0.0, 1.0], place)?.is_some()),
            None => Ok(false),
        }
    }

    /// Halves an interval forty times towards the largest change of component `i` among `n` of `f`, and returns the end
    /// of the last one if the change has lasted. `place` writes the state at a point of the interval, and returns the
    /// time.
    fn jump(
        &mut self,
        (i, n): (usize, usize),
        [mut a, mut b]: [f64; 2],
        mut place: impl FnMut(f64, &mut [f64]) -> f64,
    ) -> Result<Option<f64>, Failure> {
        let (mut y, mut rate) = (vec![0.0; n], vec![0.0; n]);
        let mut value = |at: f64| {
            let t = place(at, &mut y);
            self.rhs(t, &y, &mut rate).map(|()| rate[i])
        };
        let (mut at_a, mut at_b) = (value(a)?, value(b)?);
        let whole = (at_b - at_a).abs();
        for _ in 0..40 {
            let middle = 0.5 * (a + b);
            let at_middle = value(middle)?;
            if (at_middle - at_a).abs() > (at_b - at_middle).abs() {
                (b, at_b) = (middle, at_middle);
            } else {
                (a, at_a) = (middle, at_middle);
            }
        }
        Ok(((at_b - at_a).abs() > 0.5 * whole).then_some(b))
    }
}
