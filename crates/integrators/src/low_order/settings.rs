//! Settings that several of the formulas share.

use mbsbench_problem::parameters;
use mbsbench_problem::parameters::spelling;

use crate::newton::{EXACT, JacobianUse, of_accelerations, options};

parameters! {
    /// Accelerations and multipliers from which the first step's iteration starts. All other steps start from those of
    /// the step before.
    #[derive(Copy, Default, Eq)]
    pub enum FirstGuess {
        /// Those that the equations of motion have at the initial state.
        #[default]
        Consistent,
        /// None: where a stiff spring makes the initial accelerations large, the iteration may converge from here
        /// alone.
        Zero,
    }
}

parameters! {
    /// How the linear systems of a formula with constraints on both levels are solved. Of mechanisms with many bodies it is one
    /// sparse system of all unknowns, whichever is chosen.
    #[derive(Copy, Default, Eq)]
    pub enum LinearAlgebra {
        /// Unknowns that others determine are eliminated block by block from Newton's system. The iterates are the
        /// same, but that HHT-SI2 and NSTIFF-SI2 keep the blocks of the velocities over a step while corrections
        /// decrease fast.
        #[default]
        Structured,
        /// One dense system of all `2 n + 2 n_c` unknowns.
        Dense,
    }
}

parameters! {
    /// How the linear systems of HHT-SI2 and HHT-ADD are solved; of many bodies as [`LinearAlgebra`] says.
    #[derive(Copy, Default, Eq)]
    pub enum PairAlgebra {
        /// The pairs of positions and of velocities are corrected one after the other, with one and the same factorized
        /// matrix of `n + n_c` unknowns. The iteration converges linearly, at a ratio of order h with damping and h²
        /// without; where it is seen to be above 0.1 (a spring stiff for the step), the rest of the step is made as in
        /// `structured`, and so are the next 1, 2, 4, … steps. HHT-ADD with b = 0 solves for the positions with such a matrix and
        /// for the velocities, given these, with one of `n_c` unknowns; with another b it does as `structured`.
        #[default]
        Shared,
        /// As [`LinearAlgebra::Structured`].
        Structured,
        /// As [`LinearAlgebra::Dense`].
        Dense,
    }
}

impl From<LinearAlgebra> for PairAlgebra {
    fn from(algebra: LinearAlgebra) -> Self {
        match algebra {
            LinearAlgebra::Structured => Self::Structured,
            LinearAlgebra::Dense => Self::Dense,
        }
    }
}

parameters! {
    /// Where HHT-I3 evaluates the mass matrix.
    #[derive(Copy, Default, Eq)]
    pub enum MassAt {
        /// At the end of the step, as printed. First order where the mass depends on the configuration, since the
        /// acceleration belongs to `t_{n+1} + α h`.
        #[default]
        End,
        /// At `q_n + (1 + α) h v_n`, as HHT-SI2 does: second order.
        Shifted,
    }
}

impl MassAt {
    /// The one of two matrices that is meant.
    pub(super) fn choose<T>(self, end: T, shifted: T) -> T {
        match self {
            Self::End => end,
            Self::Shifted => shifted,
        }
    }
}

parameters! {
    /// Newton's method.
    #[derive(Copy)]
    pub struct NewtonSettings {
        /// The iteration ends with a correction `‖Δa‖ ≤ tolerance (1 + ‖a‖)` (largest component, m/s² or rad/s²), or
        /// when corrections no longer decrease and move positions by rounding only. If the convergence ratio ρ is above
        /// 1/2, the test uses the estimated remaining correction `ρ/(1 − ρ) ‖Δa‖`.
        pub tolerance: f64 [above 0.0, to 1.0] = 1e-10,
        /// Most iterations in a step; the run fails with `newton-diverged` beyond them.
        pub max_iterations: u32 [from 1] = 20,
        /// When the matrix is formed and factorized: `full`, `modified` or `kept`.
        pub jacobian: JacobianUse = JacobianUse::default(),
        /// Start of the first step's iteration: `consistent` or `zero`.
        pub first_guess: FirstGuess = FirstGuess::default(),
        /// Factor of the derivatives of the applied forces in the matrix: 1 has them right, 0 leaves them out. The
        /// iteration ends on the same residuals.
        #[serde(skip_serializing_if = "is_one")]
        pub load_derivatives: f64 = 1.0,
    }
}

impl NewtonSettings {
    /// The settings as [`Method::solver_options`](mbsbench_problem::Method::solver_options) has them.
    pub fn named(&self) -> Vec<(String, String)> {
        let Self { tolerance, max_iterations, jacobian, first_guess, load_derivatives } = self;
        options([
            ("jacobians", EXACT.to_owned()),
            ("newton-stop", of_accelerations(*tolerance)),
            ("max-iterations", spelling(max_iterations)),
            ("newton-matrix", spelling(jacobian)),
            ("newton.first-guess", spelling(first_guess)),
            ("newton.load-derivatives", spelling(load_derivatives)),
        ])
    }
}

/// A setting that changes nothing is no part of a run's name.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}
