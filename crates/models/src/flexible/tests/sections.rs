//! Cross sections from material and dimensions, for tests.

use std::f64::consts::PI;

use approx::assert_relative_eq;

use crate::flexible::CrossSection;

/// An isotropic material.
pub(in crate::flexible) struct Solid {
    pub(in crate::flexible) youngs_modulus: f64,
    pub(in crate::flexible) poisson_ratio: f64,
    pub(in crate::flexible) density: f64,
}

impl Solid {
    fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))
    }

    fn section(&self, area: f64, moments: [f64; 2], torsion: f64, shear_factors: [f64; 2]) -> CrossSection {
        let inertia = moments.map(|moment| self.density * moment);
        CrossSection {
            axial: self.youngs_modulus * area,
            shear: shear_factors.map(|factor| factor * self.shear_modulus() * area),
            torsion: self.shear_modulus() * torsion,
            bending: moments.map(|moment| self.youngs_modulus * moment),
            mass: self.density * area,
            inertia: [inertia[0] + inertia[1], inertia[0], inertia[1]],
        }
    }

    /// A rectangle with sides along axes 2 and 3.
    pub(in crate::flexible) fn rectangle(&self, [b, h]: [f64; 2], shear_factors: [f64; 2]) -> CrossSection {
        let moments = [b * h.powi(3) / 12.0, h * b.powi(3) / 12.0];
        self.section(b * h, moments, torsion_of_rectangle(b.min(h), b.max(h)), shear_factors)
    }

    /// A tube, or a rod if the inner radius is zero.
    pub(in crate::flexible) fn tube(&self, inner: f64, outer: f64, shear_factor: f64) -> CrossSection {
        let moment = 0.25 * PI * (outer.powi(4) - inner.powi(4));
        self.section(PI * (outer * outer - inner * inner), [moment; 2], 2.0 * moment, [shear_factor; 2])
    }
}

/// Saint-Venant's torsion constant of a rectangle `a ≤ b` by its series.
fn torsion_of_rectangle(a: f64, b: f64) -> f64 {
    let terms = (1..200).step_by(2).map(f64::from);
    let sum: f64 = terms.map(|k| (0.5 * k * PI * b / a).tanh() / k.powi(5)).sum();
    b * a.powi(3) / 3.0 * (1.0 - 192.0 * a / (PI.powi(5) * b) * sum)
}

/// Checks that all properties of a section are the expected ones within a relative tolerance.
pub(in crate::flexible) fn assert_section(section: &CrossSection, expected: &CrossSection, tolerance: f64) {
    let numbers = |section: &CrossSection| {
        let CrossSection { axial, shear, torsion, bending, mass, inertia } = *section;
        [&[axial, torsion, mass], &shear[..], &bending, &inertia].concat()
    };
    for (value, expected) in numbers(section).into_iter().zip(numbers(expected)) {
        assert_relative_eq!(value, expected, max_relative = tolerance);
    }
}
