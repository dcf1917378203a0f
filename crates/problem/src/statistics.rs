//! What a solve cost, in counts that do not depend on the machine.

/// Declares the counters, each once: what it counts, and its name.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counters of one solve. A field says at what it goes up by one, and what others call it.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Statistics {
            $($(#[$doc])* pub $name: u64,)*
            /// Additions, multiplications and divisions of the dense linear algebra that a method makes itself:
            /// factorisations, solves, products of matrices, and products of matrices and vectors where they stand for
            /// a solve with a larger matrix. Each counts as by the formulas of [`flops`](crate::linalg::flops) for the
            /// size it has: single entries that happen to be zero are no less work, but a diagonal matrix, and columns
            /// of zeros that are left out, are. Neither residuals nor what a model does for its own equations are in
            /// it. None for a method that does not count this.
            pub linear_algebra_flops: Option<u64>,
        }

        impl Statistics {
            /// The counters that every method has, with their names, in the order of the fields.
            #[must_use]
            pub fn named(&self) -> [(&'static str, u64); [$(stringify!($name)),*].len()] {
                [$((stringify!($name), self.$name)),*]
            }

            /// With what was counted elsewhere in the same solve.
            #[must_use]
            pub fn with(&self, other: &Self) -> Self {
                let mut sum = Self { $($name: self.$name + other.$name,)* ..*self };
                sum.tests_per_step = self.tests_per_step.max(other.tests_per_step);
                if let Some(flops) = other.linear_algebra_flops {
                    sum.add_flops(flops);
                }
                sum
            }
        }
    };
}

counters! {
    /// A step's result becomes the state; elsewhere Nacc (compere2001), `nst` (CVODE), NACCPT (RADAU5).
    steps_accepted,
    /// A step is repeated after a failed error test or Newton iteration; elsewhere Nrej, `netf + ncfn`, NREJCT.
    steps_rejected,
    /// A step is repeated because its implicit equations were not solved; part of `steps_rejected`; elsewhere `ncfn`.
    convergence_failures,
    /// A step is repeated to locate an event.
    steps_repeated,
    /// The right-hand side (or residual) is evaluated, by whomever; elsewhere Nrhs, `nfe`, NFCN.
    rhs_evaluations,
    /// The same, for a column of a Jacobian by differences; apart from `rhs_evaluations` where a method names
    /// them; elsewhere `nfeLS`.
    jacobian_rhs_evaluations,
    /// A Jacobian is formed; elsewhere `nje`, NJAC.
    jacobian_evaluations,
    /// A matrix is factorised by the method (not inside the model); elsewhere `nsetups`, NDEC.
    factorizations,
    /// A Newton correction is computed; elsewhere `nni`.
    newton_iterations,
    /// A right-hand side is solved for with a factorised matrix; elsewhere NSOL.
    linear_solves,
    /// The switching functions are evaluated.
    switch_evaluations,
    /// An event is located and handled; elsewhere Nev.
    events,
    /// A step is repeated in the Newton iteration that locates an event; elsewhere Nit (compere2001).
    location_iterations,
    /// A located event turns out not to be the first one; elsewhere Nctch.
    catches,
    /// An event that was expected in a step cannot be found there; elsewhere Nfl.
    failed_locations,
    /// A discontinuity function changes sides, or jumps, at a located event.
    sign_changes,
    /// An event is located in a step over which its function does not change sides.
    hidden_events,
    /// A step is made without locating events, because they follow too fast on each other.
    unlocked_steps,
    /// A state is projected after a step.
    projections,
    /// An exponential of a matrix is formed.
    matrix_exponentials,
    /// Two matrices are multiplied for an exponential, squarings not among them.
    matrix_products,
    /// A matrix is squared to undo the scaling of an exponential.
    matrix_squarings,
    /// The criterion that the size of a step has to meet is tested; elsewhere sum of m (modin2005).
    tests,
    /// The largest number of such tests in one step.
    tests_per_step,
    /// A step is accepted that does not meet the criterion, because no other would.
    forced_accepts,
}

impl Statistics {
    /// Counts operations of linear algebra.
    pub fn add_flops(&mut self, flops: u64) {
        *self.linear_algebra_flops.get_or_insert(0) += flops;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_in_two_places_is_added() {
        let first = Statistics { rhs_evaluations: 3, tests_per_step: 5, ..Statistics::default() };
        let second = Statistics { rhs_evaluations: 4, tests_per_step: 2, events: 1, ..Statistics::default() };
        let both = Statistics { rhs_evaluations: 7, tests_per_step: 5, events: 1, ..Statistics::default() };
        assert_eq!(first.with(&second), both);
        assert_eq!(both.named().len(), 25);
        assert_eq!(both.named()[4], ("rhs_evaluations", 7));
        for (first, second, sum) in [(None, None, None), (Some(2), None, Some(2)), (Some(2), Some(3), Some(5))] {
            let with = |linear_algebra_flops| Statistics { linear_algebra_flops, ..Statistics::default() };
            assert_eq!(with(first).with(&with(second)), with(sum));
            assert_eq!(with(second).with(&with(first)), with(sum));
        }
    }
}
