//! Settings shared by several formulas.

use mbsbench_problem::parameters;
use mbsbench_problem::parameters::spelling;

use crate::newton::{EXACT, JacobianUse, of_accelerations, options};

parameters! {
    /// Accelerations and multipliers from which the iteration of the first step starts. All other steps start from
    /// those of the previous step.
    #[derive(Copy, Default, Eq)]
    pub enum FirstGuess {
        /// The solution of the equations of motion at the initial state.
        #[default]
        Consistent,
        /// Zero. If a stiff spring makes the initial accelerations large, the iteration may converge only from here.
        Zero,
    }

    /// Solver of the linear systems of a formula with constraints on both levels. Mechanisms with many bodies always
    /// use sparse systems: two, one after the other, or one of all unknowns while that iteration is slow and for
    /// HHT-ADD with another b than 0.
    #[derive(Copy, Default, Eq)]
    pub enum LinearAlgebra {
        /// Eliminates dependent unknowns block by block from Newton's system. The iterates are the same as with
        /// `dense`, except that HHT-SI2 and NSTIFF-SI2 keep the blocks of the velocities over a step while corrections
        /// decrease fast.
        #[default]
        Structured,
        /// One dense system of all `2 n + 2 n_c` unknowns.
        Dense,
    }

    /// Solver of the linear systems of HHT-SI2 and HHT-ADD; for many bodies see [`LinearAlgebra`].
    #[derive(Copy, Default, Eq)]
    pub enum PairAlgebra {
        /// Corrects the pairs of positions and of velocities one after the other, with the same factorized matrix of
        /// `n + n_c` unknowns. The iteration converges linearly, at a ratio of order h with damping and h² without. If
        /// the ratio exceeds 0.1 (a spring stiff for the step), the rest of the step uses `structured`, and so do the
        /// next 1, 2, 4, … steps. HHT-ADD with b = 0 solves for the positions with such a matrix and then for the
        /// velocities with one of `n_c` unknowns; with any other b it uses `structured`.
        #[default]
        Shared,
        /// As [`LinearAlgebra::Structured`].
        Structured,
        /// As [`LinearAlgebra::Dense`].
        Dense,
    }

    /// Configuration at which HHT-I3 evaluates the mass matrix.
    #[derive(Copy, Default, Eq)]
    pub enum MassAt {
        /// At the end of the step, as printed. Order one if the mass depends on the configuration, because the
        /// acceleration belongs to `t_{n+1} + α h`.
        #[default]
        End,
        /// At `q_n + (1 + α) h v_n`, as in HHT-SI2: order two.
        Shifted,
    }

    /// Newton's method.
    #[derive(Copy)]
    pub struct NewtonSettings {
        /// The iteration ends with a correction `‖Δa‖ ≤ tolerance (1 + ‖a‖)` (largest component, m/s² or rad/s²), or
        /// when corrections no longer decrease and move positions by rounding only. If the convergence ratio ρ is above
        /// 1/2, the test uses the estimated remaining correction `ρ/(1 − ρ) ‖Δa‖`.
        pub tolerance: f64 [above 0.0, to 1.0] = 1e-10,
        /// Maximum number of iterations in a step; beyond it the run fails with `newton-diverged`.
        pub max_iterations: u32 [from 1] = 20,
        /// When the matrix is formed and factorized: `full`, `modified` or `kept`.
        pub jacobian: JacobianUse = JacobianUse::default(),
        /// Start of the first step's iteration: `consistent` or `zero`.
        pub first_guess: FirstGuess = FirstGuess::default(),
        /// Factor of the derivatives of the applied forces in the matrix: 1 is exact, 0 omits them. The residuals, and
        /// so the solution, do not depend on it.
        #[serde(skip_serializing_if = "is_one")]
        pub load_derivatives: f64 = 1.0,
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

impl MassAt {
    /// Selects one of two matrices.
    pub(super) fn choose<T>(self, end: T, shifted: T) -> T {
        match self {
            Self::End => end,
            Self::Shifted => shifted,
        }
    }
}

impl NewtonSettings {
    /// The settings, for [`Method::solver_options`](mbsbench_problem::Method::solver_options).
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

/// True if the setting changes nothing; it is then omitted from a run's name.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}
