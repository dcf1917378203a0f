//! What a solve cost, in counts that do not depend on the machine.

/// Counters of one solve.
///
/// | field | counted when | called elsewhere |
/// |---|---|---|
/// | `steps_accepted` | a step's result becomes the state | Nacc (compere2001), `nst` (CVODE), NACCPT (RADAU5) |
/// | `steps_rejected` | a step is repeated after a failed error test or Newton iteration | Nrej, `netf + ncfn`, NREJCT |
/// | `convergence_failures` | a step is repeated because its implicit equations were not solved; part of `steps_rejected` | `ncfn` |
/// | `steps_repeated` | a step is repeated to locate an event | |
/// | `rhs_evaluations` | the right-hand side (or residual) is evaluated, by whomever | Nrhs, `nfe`, NFCN |
/// | `jacobian_rhs_evaluations` | the same, for a column of a Jacobian by differences; apart from `rhs_evaluations` where a method names them | `nfeLS` |
/// | `jacobian_evaluations` | a Jacobian is formed | `nje`, NJAC |
/// | `factorizations` | a matrix is factorised by the method (not inside the model) | `nsetups`, NDEC |
/// | `newton_iterations` | a Newton correction is computed | `nni` |
/// | `linear_solves` | a right-hand side is solved for with a factorised matrix | NSOL |
/// | `switch_evaluations` | the switching functions are evaluated | |
/// | `events` | an event is located and handled | Nev |
/// | `location_iterations` | a step is repeated in the Newton iteration that locates an event | Nit (compere2001) |
/// | `catches` | a located event turns out not to be the first one | Nctch |
/// | `failed_locations` | an event that was expected in a step cannot be found there | Nfl |
/// | `sign_changes` | a discontinuity function changes sides at a located event | |
/// | `hidden_events` | an event is located in a step over which its function does not change sides | |
/// | `unlocked_steps` | a step is made without locating events, because they follow too fast on each other | |
/// | `projections` | a state is projected after a step | |
/// | `matrix_exponentials` | an exponential of a matrix is formed | |
/// | `matrix_products` | two matrices are multiplied for an exponential, squarings not among them | |
/// | `matrix_squarings` | a matrix is squared to undo the scaling of an exponential | |
/// | `tests` | the criterion that the size of a step has to meet is tested | sum of m (modin2005) |
/// | `tests_per_step` | the largest number of such tests in one step | |
/// | `forced_accepts` | a step is accepted that does not meet the criterion, because no other would | |
/// | `linear_algebra_flops` | see the field | |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps_accepted: u64,
    /// Rejected steps.
    pub steps_rejected: u64,
    /// Rejected steps whose implicit equations were not solved.
    pub convergence_failures: u64,
    /// Steps repeated to locate an event.
    pub steps_repeated: u64,
    /// Evaluations of the right-hand side.
    pub rhs_evaluations: u64,
    /// Evaluations of the right-hand side for Jacobians, not among [`rhs_evaluations`](Self::rhs_evaluations).
    pub jacobian_rhs_evaluations: u64,
    /// Evaluations of a Jacobian.
    pub jacobian_evaluations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Linear solves.
    pub linear_solves: u64,
    /// Evaluations of the switching functions.
    pub switch_evaluations: u64,
    /// Events.
    pub events: u64,
    /// Newton iterations, each an integration step, that locate events.
    pub location_iterations: u64,
    /// Located events that were not the first one.
    pub catches: u64,
    /// Expected events that were not found.
    pub failed_locations: u64,
    /// Discontinuity functions that changed sign, and jumps, at located events.
    pub sign_changes: u64,
    /// Located events of functions with the same sign at both ends of the step they were found in.
    pub hidden_events: u64,
    /// Steps without location of events.
    pub unlocked_steps: u64,
    /// Projections after a step.
    pub projections: u64,
    /// Matrix exponentials.
    pub matrix_exponentials: u64,
    /// Products of matrices for exponentials, without squarings.
    pub matrix_products: u64,
    /// Squarings of matrices for exponentials.
    pub matrix_squarings: u64,
    /// Tests of a criterion that the size of a step has to meet.
    pub tests: u64,
    /// Largest number of them in one step.
    pub tests_per_step: u64,
    /// Steps accepted without meeting it.
    pub forced_accepts: u64,
    /// Additions, multiplications and divisions of the dense linear algebra that a method makes itself: factorisations, solves,
    /// products of matrices, and products of matrices and vectors where they stand for a solve with a larger matrix. Each
    /// counts as by the formulas of [`flops`](crate::linalg::flops) for the size it has: single entries that happen to be zero are
    /// no less work, but a diagonal matrix, and columns of zeros that are left out, are. Neither residuals nor what a model
    /// does for its own equations are in it. None for a method that does not count this.
    pub linear_algebra_flops: Option<u64>,
}

impl Statistics {
    /// Counts operations of linear algebra.
    pub fn add_flops(&mut self, flops: u64) {
        *self.linear_algebra_flops.get_or_insert(0) += flops;
    }

    /// The counters that every method has, with their names, in the order of the table above.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 25] {
        [
            ("steps_accepted", self.steps_accepted),
            ("steps_rejected", self.steps_rejected),
            ("convergence_failures", self.convergence_failures),
            ("steps_repeated", self.steps_repeated),
            ("rhs_evaluations", self.rhs_evaluations),
            ("jacobian_rhs_evaluations", self.jacobian_rhs_evaluations),
            ("jacobian_evaluations", self.jacobian_evaluations),
            ("factorizations", self.factorizations),
            ("newton_iterations", self.newton_iterations),
            ("linear_solves", self.linear_solves),
            ("switch_evaluations", self.switch_evaluations),
            ("events", self.events),
            ("location_iterations", self.location_iterations),
            ("catches", self.catches),
            ("failed_locations", self.failed_locations),
            ("sign_changes", self.sign_changes),
            ("hidden_events", self.hidden_events),
            ("unlocked_steps", self.unlocked_steps),
            ("projections", self.projections),
            ("matrix_exponentials", self.matrix_exponentials),
            ("matrix_products", self.matrix_products),
            ("matrix_squarings", self.matrix_squarings),
            ("tests", self.tests),
            ("tests_per_step", self.tests_per_step),
            ("forced_accepts", self.forced_accepts),
        ]
    }
}
