//! Formulas with constraints on positions and velocities.

use mbsbench_problem::OutOfRange;

use super::{Constraints, LowOrder};
use crate::low_order::predictor::Discretisation;
use crate::low_order::settings::{LinearAlgebra, NewtonSettings, PairAlgebra};

method! {
    /// HHT-ADD: HHT formulas with constraint forces added to the accelerations; positions and velocities satisfy their
    /// constraints.
    ///
    /// Order of q and v: 2, for every b. The reported multiplier is ψ₁, of order 1.
    pub struct HhtAdd where b_is_not_half {
        /// α, from −1/3 (most damping of high frequencies) to 0.
        pub alpha: f64 [from -1.0 / 3.0, to 0.0] = -0.3,
        /// b, fraction of the constraint force at the end of the step in the positions; not 1/2.
        pub b: f64 = 0.0,
        /// Solver of the linear systems: `shared`, `structured` or `dense`. For few coordinates (about 6), `structured`
        /// takes more time than `dense`; `shared` does not.
        pub linear_algebra: PairAlgebra = PairAlgebra::Dense,
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "hht-add", "low-order",
    "HHT method with additional constraint forces, for position and velocity constraints (HHT-ADD)",
    "negrut2007, section 2, Eqs. 10 to 13; the default of b is our choice",
    |formula| {
        let constraints = Constraints::Additive { b: formula.b, algebra: formula.linear_algebra };
        LowOrder::hht(formula.alpha, constraints, formula.newton)
    }
}

impl HhtAdd {
    fn b_is_not_half(&self) -> Result<(), OutOfRange> {
        if self.b == 0.5 {
            return Err(OutOfRange::new("b", self.b, "a finite number other than 0.5"));
        }
        Ok(())
    }
}

method! {
    /// HHT-SI2: HHT formulas with two accelerations per step, one for the position constraints and one for the velocity
    /// constraints.
    ///
    /// Order of q, v and λ: 2.
    pub struct HhtSi2 {
        /// α, from −1/3 (most damping of high frequencies) to 0.
        pub alpha: f64 [from -1.0 / 3.0, to 0.0] = -0.3,
        /// Solver of the linear systems: `shared`, `structured` or `dense`.
        pub linear_algebra: PairAlgebra = PairAlgebra::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "hht-si2", "low-order",
    "HHT method on the stabilised index-2 equations (HHT-SI2)",
    "negrut2007, section 2, Eqs. 14 to 18, corrected: f₀ restored, second acceleration in positions only",
    |formula| LowOrder::hht(formula.alpha, Constraints::Stabilised(formula.linear_algebra), formula.newton)
}

method! {
    /// NSTIFF-SI2: second-order BDF on the stabilised index-2 equations of Gear, Gupta and Leimkuhler; the first step
    /// has order one.
    ///
    /// Order of q, v and λ: 2. The span must be a whole number of steps.
    pub struct NstiffSi2 {
        /// Solver of the linear systems: `structured` or `dense`.
        pub linear_algebra: LinearAlgebra = LinearAlgebra::default(),
        /// Newton's method.
        pub newton: NewtonSettings = NewtonSettings::default(),
    }
    "nstiff-si2", "low-order",
    "Second-order BDF on the stabilised index-2 equations (NSTIFF-SI2)",
    "negrut2007, section 2, Eqs. 8 and 9 with position and velocity constraints; the GGL form is our reading",
    |formula| LowOrder {
        constraints: Constraints::Stabilised(formula.linear_algebra.into()),
        ..LowOrder::new(Discretisation::Bdf, formula.newton)
    }
}
