//! The rod's modes: their shares in mass, inertia and stiffness.

use mbsbench_problem::Scalar;

use super::{FlexibleSliderCrank, MODES};

/// One sine over the rod, `sin(k π x/L₂)`, with `μ = m₂/L₂`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode<S> {
    /// `S_k = μ L₂ (1 − cos k π)/(k π)`, kg: the share in the rod's first moment.
    pub first_moment: S,
    /// `B_k = −μ L₂² cos(k π)/(k π)`, kg m: the coupling with the rod's rotation.
    pub coupling: S,
    /// `K_k = E I (k π/L₂)⁴ L₂/2`, N/m.
    pub stiffness: S,
    /// `c_k = 2 ζ √(K_k m_k)`, N s/m.
    pub damping: S,
}

/// The modes that are kept, and the mass `m_k = μ L₂/2` (kg) that each of them has.
pub(super) struct Modes<S> {
    modes: [Mode<S>; MODES],
    count: usize,
    pub mass: S,
}

impl<S: Scalar> Modes<S> {
    pub fn as_slice(&self) -> &[Mode<S>] {
        &self.modes[..self.count]
    }

    /// First moment of the deflected rod about its chord, `Σ S_k e_k`, kg m; also its rate, from the rates of `e`.
    pub fn moment(&self, e: &[S]) -> S {
        self.as_slice().iter().zip(e).fold(S::nought(), |sum, (mode, &e)| sum + mode.first_moment * e)
    }

    /// `Σ m_k a_k b_k` for two sets of modal coordinates or rates.
    pub fn product(&self, a: &[S], b: &[S]) -> S {
        a.iter().zip(b).fold(S::nought(), |sum, (&a, &b)| sum + a * b) * self.mass
    }
}

impl FlexibleSliderCrank {
    /// The constants of the modes, formed in the scalar's own precision.
    pub(super) fn rod_modes<S: Scalar>(&self) -> Modes<S> {
        let mass = S::from(0.5 * self.rod_mass);
        let unused =
            Mode { first_moment: S::nought(), coupling: S::nought(), stiffness: S::nought(), damping: S::nought() };
        let mut modes = [unused; MODES];
        for (index, mode) in modes[..self.modes].iter_mut().enumerate() {
            let k = index as f64 + 1.0;
            let wave = S::pi() * k;
            let cos = if index % 2 == 0 { -1.0 } else { 1.0 };
            let square = wave * wave / self.rod_length / self.rod_length;
            let stiffness = S::from(self.young_modulus) * self.second_moment * square * square * 0.5 * self.rod_length;
            *mode = Mode {
                first_moment: S::from(self.rod_mass) * (1.0 - cos) / wave,
                coupling: -(S::from(self.rod_mass) * self.rod_length * cos / wave),
                stiffness,
                damping: (stiffness * mass).sqrt() * 2.0 * self.modal_damping,
            };
        }
        Modes { modes, count: self.modes, mass }
    }
}
