//! The sliding-mode form: constraints as the outputs of a controlled system, held by an equivalent control and by
//! corrections at acceleration level and after each step (compere2001, chapter 3).

mod settings;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;

use crate::acceleration::{Multipliers, is_finite, not_invertible};
use crate::linalg::{Lu, multiply};
use crate::{Dimensions, EventFunctions, Failure, Form, Mechanics, Ode, Properties, Scalar};

pub use settings::{EquivalentControl, Gain, Metric, PositionCorrection, RobustControl, SlidingModeSettings};

/// Fraction of the sum of a surface's terms below which its initial value is roundoff, so that the surface counts as
/// reached. A surface is a sum of a few products, each rounded a few times.
const ROUNDOFF: f64 = 64.0 * f64::EPSILON;

/// Mechanics as `y' = f(t, y)` with `y = (q ; v)`, in sliding-mode form.
///
/// With `a₀ = M⁻¹ D`, `W = M⁻¹ Jᵀ`, `GB = J W` and the surfaces of compere2001, Eq. 3.21,
///
/// ```text
/// S = (Γ ; Φ̇ + σ Φ),   Ṡ = A v + J v'         (A v: acceleration bias, plus σ Φ̇ in the holonomic rows)
/// u_eq = −(GB)⁻¹ (A v + J a₀)                   Eq. 3.24
/// v' = a₀ + W (u_eq + u_rob)                    Eq. 3.14,  u_rob,i = −η_i sgn(s_i) while s_i is being reached
/// v' ← v' − W (GB)⁻¹ (A v + J v')               section 3.4.2, held surfaces only
/// ```
///
/// After each step, each pass (Eqs. 3.27–3.30, held surfaces only) corrects `q ← q − F (Γ ; Φ)`, then
/// `v ← v − F S(q, v)`, with `F = Jᵀ (J Jᵀ)⁻¹` at the state before the pass.
///
/// With [`Gain::Rate`] the robust control is multiplied by `(GB)⁻¹`. With [`RobustControl::Always`] its sign is that
/// of the surface at each evaluation, and there are no corrections.
///
/// A surface is *held* from the start if no gains η are given or if it holds initially. Otherwise it is *being
/// reached*, with the sign of its initial value, until the method locates its zero ([`EventFunctions`], where
/// function `i` is `s_i`); from then on it is held. The accuracy of the surfaces is that of the post-stabilisation;
/// the accuracy of the motion is that of the method.
pub struct SlidingMode<'m, S: Scalar = f64> {
    mechanics: Box<dyn Mechanics<S> + 'm>,
    settings: SlidingModeSettings,
    coordinates: usize,
    nonholonomic: usize,
    /// Robust control `−η_i sgn(s_i)` of a surface being reached; none for a held surface.
    robust_control: Vec<Option<f64>>,
    /// Robust control of an evaluation, in the units of the control.
    robust: Vec<S>,
    /// Equivalent control at the start of the step, if it is frozen.
    frozen_control: Vec<S>,
    multipliers: Multipliers<S>,
    /// `A v` of the last evaluation.
    bias: Vec<S>,
    held: HeldSurfaces<S>,
    control: Vec<S>,
    constraints: Vec<S>,
    acceleration: Vec<S>,
    displacement: Vec<S>,
    moved: Vec<S>,
}

/// Factors of `J W` for all surfaces; rows and columns of surfaces that are not held are replaced by those of the
/// unit matrix.
struct HeldSurfaces<S> {
    matrix: DMatrix<S>,
    factors: Lu<S>,
}

impl<S: Scalar> HeldSurfaces<S> {
    fn new(surfaces: usize) -> Self {
        Self { matrix: DMatrix::from_element(surfaces, surfaces, S::zero()), factors: Lu::new(surfaces) }
    }

    /// Factorizes the matrix `entry(a, b)`, with the rows and columns for which `is_held` is false replaced by those
    /// of the unit matrix. If the right-hand side is zero in such a row, so is the solution.
    fn factorize(
        &mut self,
        is_held: impl Fn(usize) -> bool,
        entry: impl Fn(usize, usize) -> S,
        time: S,
        name: &'static str,
    ) -> Result<(), Failure> {
        let n = self.matrix.nrows();
        for a in 0..n {
            for b in 0..n {
                self.matrix[(a, b)] =
                    if is_held(a) && is_held(b) { entry(a, b) } else { S::from(f64::from(u8::from(a == b))) };
            }
        }
        self.factors.factorize(&self.matrix).map_err(|_| not_invertible(is_finite(&self.matrix), time, name))
    }
}

impl<'m, S: Scalar> SlidingMode<'m, S> {
    /// Wraps a mechanical system. Surfaces that do not hold at the initial state `y = (q ; v)` at time `t` (s) are to
    /// be reached.
    ///
    /// # Panics
    /// If gains η are given, but not one for each constraint ([`SlidingModeSettings::check_surfaces`]).
    pub fn new(mechanics: impl Mechanics<S> + 'm, settings: SlidingModeSettings, t: S, y: &[S]) -> Self {
        let Dimensions { coordinates, velocities, nonholonomic, .. } = mechanics.dimensions();
        let surfaces = mechanics.dimensions().constraints();
        assert!(settings.eta.is_empty() || settings.eta.len() == surfaces, "one reaching gain for each surface");
        let zeros = |n| vec![S::zero(); n];
        let mut form = Self {
            coordinates,
            nonholonomic,
            robust_control: vec![None; surfaces],
            robust: zeros(surfaces),
            frozen_control: zeros(surfaces),
            multipliers: Multipliers::new(velocities, surfaces),
            bias: zeros(surfaces),
            held: HeldSurfaces::new(surfaces),
            control: zeros(surfaces),
            constraints: zeros(surfaces),
            acceleration: zeros(velocities),
            displacement: zeros(velocities),
            moved: zeros(coordinates),
            mechanics: Box::new(mechanics),
            settings,
        };
        if form.is_always_discontinuous() {
            form.robust_control.fill(Some(0.0));
        } else if !form.settings.eta.is_empty() {
            form.lock_signs(t, y);
        }
        form
    }

    /// True if the discontinuous control is never switched off, so that no surface is ever held.
    fn is_always_discontinuous(&self) -> bool {
        self.settings.robust_control == RobustControl::Always
    }

    /// True if surface `index` is held (and not still being reached).
    pub fn is_held(&self, index: usize) -> bool {
        self.robust_control[index].is_none()
    }

    /// Writes the surfaces `S(t, q, v)`, m/s for constraints in metres.
    pub fn surfaces(&mut self, t: S, q: &[S], v: &[S], s: &mut [S]) {
        self.mechanics.constraint_values(t, q, v, &mut self.constraints);
        self.mechanics.velocity_constraints(t, q, v, s);
        for (s, &phi) in s.iter_mut().zip(&self.constraints).skip(self.nonholonomic) {
            *s += phi * self.settings.sigma;
        }
    }

    /// Determines the surfaces to be reached, and their signs, from the initial state.
    fn lock_signs(&mut self, t: S, y: &[S]) {
        let (q, v) = y.split_at(self.coordinates);
        let mut s = vec![S::zero(); self.control.len()];
        self.surfaces(t, q, v, &mut s);
        self.mechanics.constraint_jacobian(t, q, v, &mut self.multipliers.jacobian);
        for (index, s) in s.iter().enumerate() {
            let sigma = if index < self.nonholonomic { 0.0 } else { self.settings.sigma };
            let largest_position = q.iter().map(|q| q.value().abs()).fold(0.0, f64::max);
            let terms: f64 = (0..v.len())
                .map(|j| {
                    self.multipliers.jacobian[(index, j)].value().abs()
                        * (v[j].value().abs() + sigma * largest_position)
                })
                .sum();
            self.robust_control[index] =
                (s.value().abs() > ROUNDOFF * terms).then(|| -self.settings.eta[index] * s.value().signum());
        }
    }

    /// Forms `M⁻¹ D`, `W`, `GB` and `A v` at a state.
    fn evaluate(&mut self, t: S, q: &[S], v: &[S]) -> Result<(), Failure> {
        self.multipliers.evaluate(&mut *self.mechanics, t, q, v, &mut self.bias)?;
        // The rate of the holonomic constraints also moves the surface through σ Φ.
        self.mechanics.velocity_constraints(t, q, v, &mut self.control);
        for c in self.nonholonomic..self.bias.len() {
            self.bias[c] += self.control[c] * self.settings.sigma;
        }
        Ok(())
    }

    /// Writes the equivalent control at the state evaluated last into `self.control`.
    fn equivalent_control(&mut self, t: S) -> Result<(), Failure> {
        let grammian = &self.multipliers.grammian;
        self.held.factorize(|_| true, |a, b| grammian[(a, b)], t, "G B")?;
        multiply(&self.multipliers.jacobian, &self.multipliers.free_acceleration, &mut self.control);
        for (control, &bias) in self.control.iter_mut().zip(&self.bias) {
            *control = -(bias + *control);
        }
        self.held.factors.solve(&mut self.control);
        Ok(())
    }

    /// Writes the accelerations `v'` at a state into `self.acceleration`. Afterwards `self.bias` and the Jacobian are
    /// those of that state.
    fn accelerate(&mut self, t: S, q: &[S], v: &[S]) -> Result<(), Failure> {
        self.evaluate(t, q, v)?;
        match self.settings.equivalent_control {
            EquivalentControl::EveryStage => self.equivalent_control(t)?,
            EquivalentControl::Frozen => self.control.copy_from_slice(&self.frozen_control),
        }
        if self.robust_control.iter().any(Option::is_some) {
            self.add_robust_control(t, q, v)?;
        }
        self.acceleration.copy_from_slice(&self.multipliers.free_acceleration);
        self.add_control(1.0);
        if self.settings.acceleration_stabilization && !self.is_always_discontinuous() {
            self.surface_rates_into_control();
            let (robust, grammian) = (&self.robust_control, &self.multipliers.grammian);
            self.held.factorize(|c| robust[c].is_none(), |a, b| grammian[(a, b)], t, "G B")?;
            self.release_reaching();
            self.held.factors.solve(&mut self.control);
            self.add_control(-1.0);
        }
        Ok(())
    }

    /// Adds `u_rob` at a state to `self.control`, with `G B` of the evaluation at that state.
    fn add_robust_control(&mut self, t: S, q: &[S], v: &[S]) -> Result<(), Failure> {
        if self.is_always_discontinuous() {
            let mut s = std::mem::take(&mut self.robust);
            self.surfaces(t, q, v, &mut s);
            self.robust = s;
            for (s, &eta) in self.robust.iter_mut().zip(&self.settings.eta) {
                let sign = if s.value() == 0.0 { 0.0 } else { s.value().signum() };
                *s = S::from(-eta * sign);
            }
        } else {
            for (robust, reaching) in self.robust.iter_mut().zip(&self.robust_control) {
                *robust = S::from(reaching.unwrap_or(0.0));
            }
        }
        if self.settings.gain == Gain::Rate {
            let grammian = &self.multipliers.grammian;
            self.held.factorize(|_| true, |a, b| grammian[(a, b)], t, "G B")?;
            self.held.factors.solve(&mut self.robust);
        }
        for (control, &robust) in self.control.iter_mut().zip(&self.robust) {
            *control += robust;
        }
        Ok(())
    }

    /// `v' ← v' + sign W u`, with `u` in `self.control`.
    fn add_control(&mut self, sign: f64) {
        for (i, rate) in self.acceleration.iter_mut().enumerate() {
            let sum = self
                .control
                .iter()
                .enumerate()
                .fold(S::zero(), |sum, (c, &u)| sum + self.multipliers.weights[(i, c)] * u);
            *rate += sum * sign;
        }
    }

    /// Writes `Ṡ = A v + J v'` for the last evaluated accelerations into `self.control`.
    fn surface_rates_into_control(&mut self) {
        multiply(&self.multipliers.jacobian, &self.acceleration, &mut self.control);
        for (rate, &bias) in self.control.iter_mut().zip(&self.bias) {
            *rate += bias;
        }
    }

    /// Excludes the surfaces that are being reached from a correction in `self.control`.
    fn release_reaching(&mut self) {
        for (value, robust) in self.control.iter_mut().zip(&self.robust_control) {
            if robust.is_some() {
                *value = S::zero();
            }
        }
    }

    /// Factorizes `J Jᵀ` or `J M⁻¹ Jᵀ` at the state at which a pass of the post-stabilisation starts.
    fn prepare_correction(&mut self, t: S, q: &[S], v: &[S]) -> Result<(), Failure> {
        let robust = &self.robust_control;
        match self.settings.metric {
            Metric::Identity => {
                self.mechanics.constraint_jacobian(t, q, v, &mut self.multipliers.jacobian);
                let jacobian = &self.multipliers.jacobian;
                let entry =
                    |a, b| (0..jacobian.ncols()).fold(S::zero(), |sum, i| sum + jacobian[(a, i)] * jacobian[(b, i)]);
                self.held.factorize(|c| robust[c].is_none(), entry, t, "J Jᵀ")
            }
            Metric::Mass => {
                self.multipliers.evaluate(&mut *self.mechanics, t, q, v, &mut self.bias)?;
                let grammian = &self.multipliers.grammian;
                self.held.factorize(|c| robust[c].is_none(), |a, b| grammian[(a, b)], t, "J M⁻¹ Jᵀ")
            }
        }
    }

    /// Writes `−F` times the constraints or surfaces in `self.control` into `self.displacement`.
    fn displace(&mut self) {
        self.release_reaching();
        self.held.factors.solve(&mut self.control);
        let (jacobian, weights) = (&self.multipliers.jacobian, &self.multipliers.weights);
        let metric = self.settings.metric;
        let weight = |i, c| match metric {
            Metric::Identity => jacobian[(c, i)],
            Metric::Mass => weights[(i, c)],
        };
        for (i, displacement) in self.displacement.iter_mut().enumerate() {
            *displacement = -self.control.iter().enumerate().fold(S::zero(), |sum, (c, &mu)| sum + weight(i, c) * mu);
        }
    }

    /// One pass: Eqs. 3.27 and 3.28.
    fn correct(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at_mut(self.coordinates);
        self.prepare_correction(t, q, v)?;
        self.mechanics.constraint_values(t, q, v, &mut self.control);
        if self.settings.position_correction == PositionCorrection::Holonomic {
            self.control[..self.nonholonomic].fill(S::zero());
        }
        self.displace();
        self.mechanics.retract(q, &self.displacement, &mut self.moved);
        q.copy_from_slice(&self.moved);

        let mut s = std::mem::take(&mut self.control);
        self.surfaces(t, q, v, &mut s);
        self.control = s;
        self.displace();
        for (v, &displacement) in v.iter_mut().zip(&self.displacement) {
            *v += displacement;
        }
        Ok(())
    }
}

impl<S: Scalar> Ode<S> for SlidingMode<'_, S> {
    fn dimension(&self) -> usize {
        self.coordinates + self.acceleration.len()
    }

    fn properties(&self) -> Properties<'_, S> {
        Properties {
            locks: self.settings.equivalent_control == EquivalentControl::Frozen,
            projects: self.settings.post_stabilization_passes > 0 && !self.is_always_discontinuous(),
            ..Properties::default()
        }
    }

    fn begin_step(&mut self, t: S, y: &[S]) -> Result<(), Failure> {
        if self.settings.equivalent_control == EquivalentControl::Frozen {
            let (q, v) = y.split_at(self.coordinates);
            self.evaluate(t, q, v)?;
            self.equivalent_control(t)?;
            self.frozen_control.copy_from_slice(&self.control);
        }
        Ok(())
    }

    fn rhs(&mut self, t: S, y: &[S], dydt: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.coordinates);
        let (q_rate, v_rate) = dydt.split_at_mut(self.coordinates);
        self.mechanics.position_rate(q, v, q_rate);
        self.accelerate(t, q, v)?;
        v_rate.copy_from_slice(&self.acceleration);
        Ok(())
    }

    fn project(&mut self, t: S, y: &mut [S]) -> Result<(), Failure> {
        (0..self.settings.post_stabilization_passes).try_for_each(|_| self.correct(t, y))
    }

    fn form(&mut self) -> Form<'_, S> {
        let is_reached = !self.settings.eta.is_empty() && !self.is_always_discontinuous();
        if is_reached { Form::Events(self) } else { Form::Explicit }
    }
}

/// The reaching phase: function `i` is the surface `s_i`, which counts as reached if `|s_i| ≤ h^p`.
impl<S: Scalar> EventFunctions<S> for SlidingMode<'_, S> {
    fn count(&self) -> usize {
        self.robust_control.len()
    }

    fn is_watched(&self, index: usize) -> bool {
        !self.is_held(index)
    }

    fn values(&mut self, t: S, y: &[S], g: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.coordinates);
        self.surfaces(t, q, v, g);
        Ok(())
    }

    fn rates(&mut self, t: S, y: &[S], dydt: &[S], rates: &mut [S]) -> Result<(), Failure> {
        let (q, v) = y.split_at(self.coordinates);
        self.evaluate(t, q, v)?;
        self.acceleration.copy_from_slice(&dydt[self.coordinates..]);
        self.surface_rates_into_control();
        rates.copy_from_slice(&self.control);
        Ok(())
    }

    /// Drops `η_i`, holds the surface from now on, and corrects the state at once. A holonomic constraint that is
    /// still violated when its surface is reached makes the correction a jump. At the end of the next step, the
    /// correction would depend on the length of that step.
    fn jump(&mut self, index: usize, t: S, y: &mut [S]) -> Result<(), Failure> {
        self.robust_control[index] = None;
        self.project(t, y)
    }
}
