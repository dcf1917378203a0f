//! The windows in one angle.

use mbsbench_problem::{OdeModel, Scalar};

use super::FourBarWindows;

/// `y = (φ, φ')` with the angle of the uprights from the upward vertical, clockwise. With N windows
///
/// ```text
/// φ'' = c sin φ,   c = (g/l) ((N + 1)/2 + N) / ((N + 1)/3 + N)
/// ```
///
/// since the uprights have the inertia `m l²/3` and the rods between them move in circles.
impl OdeModel for FourBarWindows {
    fn dimension(&self) -> usize {
        2
    }

    fn rhs<S: Scalar>(&self, _t: S, y: &[S], dydt: &mut [S]) {
        let n = self.windows as f64;
        let c = S::from(self.gravity) / self.length * (0.5 * (n + 1.0) + n) / (S::from(n + 1.0) / 3.0 + n);
        dydt[0] = y[1];
        dydt[1] = y[0].sin() * c;
    }
}
