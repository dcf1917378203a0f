//! The cost of a solve, in counts that do not depend on the machine.

/// Passes all counters to a macro. Each counter is declared only here: the event that increments it, its name, and a
/// description of its number. The fields of [`Statistics`] and the measures of runs are generated from this list.
#[macro_export]
macro_rules! for_each_counter {
    ($macro:ident) => {
        $macro! {
            /// A step's result becomes the state; elsewhere Nacc (compere2001), `nst` (CVODE), NACCPT (RADAU5).
            steps_accepted "accepted steps";
            /// A step is repeated after a failed error test or Newton iteration; elsewhere Nrej, `netf + ncfn`, NREJCT.
            steps_rejected "steps repeated after a failed error test or Newton iteration";
            /// A step is repeated because its implicit equations were not solved; part of `steps_rejected`; elsewhere
            /// `ncfn`.
            convergence_failures "steps repeated because their implicit equations were not solved";
            /// A step is repeated to locate an event.
            steps_repeated "steps repeated to locate an event";
            /// The right-hand side (or residual) is evaluated for any purpose; elsewhere Nrhs, `nfe`, NFCN.
            rhs_evaluations "evaluations of the right-hand side, without those for Jacobians (`rhs_cost` has all)";
            /// The right-hand side is evaluated for a column of a Jacobian by differences, if a method reports such
            /// evaluations separately from `rhs_evaluations`; elsewhere `nfeLS`.
            jacobian_rhs_evaluations "evaluations of the right-hand side for Jacobians, counted separately";
            /// A Jacobian is formed; elsewhere `nje`, NJAC.
            jacobian_evaluations "evaluations of a Jacobian";
            /// A column of an exact Jacobian is formed. Columns without a common row, which one difference quotient
            /// would give together, count as one. Jacobians by differences do not count, since their right-hand sides
            /// do.
            jacobian_columns "columns of exact Jacobians; columns without a common row count as one";
            /// A matrix is factorized by the method (not inside the model); elsewhere `nsetups`, NDEC.
            factorizations "factorizations";
            /// A Newton correction is computed; elsewhere `nni`.
            newton_iterations "Newton iterations";
            /// A right-hand side is solved for with a factorized matrix; elsewhere NSOL.
            linear_solves "solves with a factorized matrix";
            /// The event functions are evaluated.
            switch_evaluations "evaluations of the event functions";
            /// An event is located and handled; elsewhere Nev.
            events "events";
            /// A step is repeated in the Newton iteration that locates an event; elsewhere Nit (compere2001).
            location_iterations "Newton iterations to locate events, each of which repeats a step";
            /// A located event turns out not to be the first one; elsewhere Nctch.
            catches "located events that were not the first one";
            /// An event that was expected in a step cannot be found there; elsewhere Nfl.
            failed_locations "expected events that were not found";
            /// An event function changes sides, or jumps, at a located event.
            sign_changes "event functions that changed sides at located events";
            /// An event is located in a step over which its function does not change sides.
            hidden_events "events located in a step over which their function does not change sides";
            /// A step is made without locating events, because they follow each other too fast.
            unlocked_steps "steps without event location, because events follow each other too fast";
            /// A state is projected after a step.
            projections "projections after a step";
            /// An exponential of a matrix is formed.
            matrix_exponentials "matrix exponentials";
            /// Two matrices are multiplied for an exponential, except for squarings.
            matrix_products "matrix products in matrix exponentials, except squarings";
            /// A matrix is squared to undo the scaling of an exponential.
            matrix_squarings "matrix squarings in matrix exponentials";
            /// The step-size criterion is tested; elsewhere sum of m (modin2005).
            tests "tests of the step-size criterion";
            /// A step is accepted although it does not meet the criterion, because no step size would.
            forced_accepts "steps accepted without meeting the step-size criterion";
        }
    };
}

macro_rules! statistics {
    ($($(#[$doc:meta])* $name:ident $about:literal;)*) => {
        /// Counters of one solve. The description of a field names the event that increments it, and the names of the
        /// counter elsewhere.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Statistics {
            $($(#[$doc])* pub $name: u64,)*
            /// The largest number of tests of the step-size criterion in one step.
            pub tests_per_step: u64,
            /// Additions, multiplications and divisions of the method's own dense linear algebra: factorizations,
            /// solves, products of matrices, and products of matrices and vectors if they replace a solve with a
            /// larger matrix. Each is counted by the formulas of [`flops`](crate::linalg::flops) for its size.
            /// Entries that happen to be zero count in full, but a diagonal matrix, and columns of zeros that are
            /// left out, cost less. Residuals and a model's work on its own equations do not count. None for a method
            /// that does not count operations.
            pub linear_algebra_flops: Option<u64>,
        }

        impl Statistics {
            /// The sum of these counters and those counted elsewhere in the same solve.
            pub fn with(&self, other: &Self) -> Self {
                let tests_per_step = self.tests_per_step.max(other.tests_per_step);
                let mut sum = Self { $($name: self.$name + other.$name,)* tests_per_step, ..*self };
                if let Some(flops) = other.linear_algebra_flops {
                    sum.add_flops(flops);
                }
                sum
            }
        }
    };
}

for_each_counter!(statistics);

impl Statistics {
    /// Counts an exact Jacobian with this number of columns, unless the counters are stopped.
    pub(crate) fn count_exact_jacobian(&mut self, columns: usize, is_paused: bool) {
        if !is_paused {
            self.jacobian_evaluations += 1;
            self.jacobian_columns += columns as u64;
        }
    }

    /// Counts operations of linear algebra.
    pub fn add_flops(&mut self, flops: u64) {
        *self.linear_algebra_flops.get_or_insert(0) += flops;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_add_up() {
        let first = Statistics { rhs_evaluations: 3, tests_per_step: 5, ..Statistics::default() };
        let second = Statistics { rhs_evaluations: 4, tests_per_step: 2, events: 1, ..Statistics::default() };
        let both = Statistics { rhs_evaluations: 7, tests_per_step: 5, events: 1, ..Statistics::default() };
        assert_eq!(first.with(&second), both);
        for (first, second, sum) in [(None, None, None), (Some(2), None, Some(2)), (Some(2), Some(3), Some(5))] {
            let with = |linear_algebra_flops| Statistics { linear_algebra_flops, ..Statistics::default() };
            assert_eq!(with(first).with(&with(second)), with(sum));
            assert_eq!(with(second).with(&with(first)), with(sum));
        }
    }
}
