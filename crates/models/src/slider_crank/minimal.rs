//! The slider crank in the crank's angle.

use mbsbench_problem::Scalar;

use super::SliderCrank;
use crate::linkage::{FollowingRod, Linkage, LinkageFormulation, dot, slender};

/// `u = θ` and, with primes for derivatives by `θ`, `r = θ₂'`, `p` the rod's centre, `x_s` the slider's position,
///
/// ```text
/// J  = m₁ L₁²/3 + m₂ p'·p' + m₂ L₂²/12 r² + m_p x_s'²
/// J'/2 = m₂ p'·p'' + m₂ L₂²/12 r r' + m_p x_s' x_s''
/// J θ̈ + J' θ̇²/2 = F x_s' − m₁ g L₁ cos θ/2 − m₂ g p_y'
/// ```
impl Linkage for SliderCrank {
    fn formulation(&self) -> LinkageFormulation {
        self.formulation
    }

    fn freedoms(&self) -> usize {
        1
    }

    fn reduced_initial<S: Scalar>(&self) -> Vec<S> {
        vec![S::from(self.crank_angle), S::from(self.crank_rate)]
    }

    fn reduced_rhs<S: Scalar>(&self, y: &[S], dydt: &mut [S]) {
        let Self { crank_mass, crank_length, rod_mass, rod_length, gravity, point_mass, .. } = *self;
        let rod = FollowingRod::new(y[0], crank_length, rod_length);
        let [_, centre, centre_rate] = rod.point(crank_length, 0.5 * rod_length);
        let [slider, slider_rate, slider_second] = rod.point(crank_length, rod_length).map(|[x, _]| x);
        let about_pin = S::from(crank_mass) * crank_length * crank_length / 3.0;
        let about_centre = slender::<S>(rod_mass, rod_length);
        let inertia = about_pin
            + dot(centre, centre) * rod_mass
            + about_centre * rod.ratio * rod.ratio
            + slider_rate * slider_rate * point_mass;
        let half_rate = dot(centre, centre_rate) * rod_mass
            + about_centre * rod.ratio * rod.ratio_rate
            + slider_rate * slider_second * point_mass;
        let weights = (rod.crank[1] * crank_length * (0.5 * crank_mass) + centre[1] * rod_mass) * gravity;
        let spring = self.slider_force(slider, slider_rate * y[1]);
        dydt[0] = y[1];
        dydt[1] = (spring * slider_rate - half_rate * y[1] * y[1] - weights) / inertia;
    }

    fn expand<S: Scalar>(&self, y: &[S], full: &mut [S]) {
        let rod = FollowingRod::new(y[0], self.crank_length, self.rod_length);
        let [sin, cos] = rod.crank;
        let half = 0.5 * self.crank_length;
        let [centre, centre_rate, _] = rod.point(self.crank_length, 0.5 * self.rod_length);
        full[0] = cos * half;
        full[1] = sin * half;
        full[2] = y[0];
        full[3..5].copy_from_slice(&centre);
        full[5] = rod.angle();
        full[6] = -(sin * half * y[1]);
        full[7] = cos * half * y[1];
        full[8] = y[1];
        full[9] = centre_rate[0] * y[1];
        full[10] = centre_rate[1] * y[1];
        full[11] = rod.ratio * y[1];
    }

    fn pin_distances(&self) -> [f64; 2] {
        [0.5 * self.crank_length, 0.5 * self.rod_length]
    }

    fn slider_distance(&self) -> Option<f64> {
        Some(0.5 * self.rod_length)
    }
}
