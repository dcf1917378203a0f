//! Third derivatives of holonomic constraints, which the derivatives of the constraints at acceleration level need.

use num_dual::Dual;

use crate::{MechanicalModel, Motion, Scalar};

/// Two derivatives along a path, and a third one in an independent direction.
type Level<S> = Dual<Dual<Dual<S>>>;

/// Scratch memory for [`along`](Self::along).
pub(super) struct Third<S: Scalar> {
    q: Vec<Level<S>>,
    phi: Vec<Level<S>>,
}

impl<S: Scalar> Third<S> {
    pub(super) fn new(coordinates: usize, holonomic: usize) -> Self {
        let no_derivative = Level::from_re(Dual::from_re(Dual::from_re(S::zero())));
        Self { q: vec![no_derivative; coordinates], phi: vec![no_derivative; holonomic] }
    }

    /// Sets the path `q + s v + s² a / 2`, whose second derivative of Φ is `J a + bias`.
    pub(super) fn place(&mut self, Motion { q, v, a, .. }: Motion<'_, S>) {
        let no_derivative = Dual::from_re(Dual::from_re(S::zero()));
        for (i, level) in self.q.iter_mut().enumerate() {
            *level = Dual::new(Dual::new(Dual::new(q[i], v[i]), Dual::new(v[i], a[i])), no_derivative);
        }
    }

    /// Evaluates Φ along the path; `eps.eps` is `J a + bias`, and `eps.eps.eps` is its derivative along the sum of
    /// some coordinates, or in time.
    pub(super) fn along(&mut self, model: &impl MechanicalModel, t: S, by: Option<&[usize]>) -> &[Level<S>] {
        let (zero, one) = (S::zero(), S::from(1.0));
        let seed = Dual::from_re(Dual::from_re(one));
        let no_derivative = Dual::from_re(Dual::from_re(zero));
        let mut time = Dual::new(Dual::new(Dual::new(t, one), Dual::new(one, zero)), no_derivative);
        match by {
            Some(by) => by.iter().for_each(|&k| self.q[k].eps = seed),
            None => time.eps = seed,
        }
        model.holonomic_constraints(time, &self.q, &mut self.phi);
        by.into_iter().flatten().for_each(|&k| self.q[k].eps = no_derivative);
        &self.phi
    }
}
