//! The methods under their names in experiment files.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};

use super::run::{Levels, Steps};
use crate::drive;
use crate::low_order;
use crate::newton::{STRUCTURED, options};
use crate::sizes::check_equal_steps;

/// A method with its parameters.
macro_rules! verlet {
    ($(#[$doc:meta])* $type:ident, $levels:ident, $name:literal, $summary:literal, $source:literal) => {
        method! {
            $(#[$doc])*
            pub struct $type {
                /// The iteration ends when the correction of velocities is below this, relative to one plus the largest
                /// velocity, or when corrections no longer decrease and move positions by rounding only.
                pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-12,
                /// Maximum number of iterations in a step; beyond it the run fails with `newton-diverged`.
                pub max_iterations: u32 [from 1] = 50,
            }
            $name, "verlet", $summary, $source,
            |settings| Verlet {
                levels: Levels::$levels,
                tolerance: settings.newton_tolerance,
                max_iterations: settings.max_iterations,
            }
        }
    };
}

verlet!(
    /// RATTLE: the Störmer–Verlet method with constraints on positions and velocities, which hold at the end of each
    /// step (H. C. Andersen, J. Comput. Phys. 52 (1983) 24–34; Hairer, Lubich, Wanner, Geometric Numerical Integration,
    /// section VII.1.4). It is symmetric, and symplectic for conservative forces, so that the energy does not drift.
    /// Constant steps, order 2 in positions and velocities. The multipliers are those that keep the velocities at the
    /// end of a step on their constraints, of order 1.
    ///
    /// Masses may depend on positions; the method is then the general one for Hamiltonian systems (Eq. 1.26 there), in
    /// momenta. Forces may depend on velocities and are evaluated with those of the half step. Both dependencies make
    /// the step implicit. It is solved by the iteration for the multipliers, whose matrix contains masses and
    /// constraints only: damping that is stiff for the step makes the iteration fail. Positions have to form a vector
    /// space; nonholonomic constraints are refused.
    ///
    /// Counters: one evaluation per step if neither dependency is present, otherwise one for each iteration and one
    /// more; two factorizations, and with variable masses one for each iteration and a Jacobian.
    Rattle, Both, "rattle",
    "Störmer–Verlet method for constrained mechanics, with position and velocity constraints (RATTLE)",
    "H. C. Andersen, J. Comput. Phys. 52 (1983) 24–34; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4"
);

verlet!(
    /// SHAKE: the Störmer–Verlet method with constraints on positions alone (J.-P. Ryckaert, G. Ciccotti, H. J. C.
    /// Berendsen, J. Comput. Phys. 23 (1977) 327–341; Hairer, Lubich, Wanner, Geometric Numerical Integration, section
    /// VII.1.4),
    ///
    /// ```text
    /// M (q₊ − 2 q + q₋) = h² (D + Jᵀ λ),   0 = Φ(t₊, q₊),   v = (q₊ − q₋)/2h
    /// ```
    ///
    /// Its positions are those of `rattle`, up to rounding. Velocities and multipliers depend on the following step,
    /// which is therefore solved in advance, even beyond the end of the span. Velocity constraints are violated by
    /// O(h²). Constant steps, order 2 in positions, velocities and multipliers; the span has to be a whole number of
    /// steps. Masses have to be constant, and forces independent of velocities.
    ///
    /// Counters: one evaluation and one factorization per step, and one of each at the start.
    Shake, Positions, "shake",
    "Störmer–Verlet method for constrained mechanics, with position constraints only (SHAKE)",
    "J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327–341"
);

struct Verlet {
    levels: Levels,
    tolerance: f64,
    max_iterations: u32,
}

impl Method for Verlet {
    fn order(&self) -> u32 {
        2
    }

    fn properties(&self) -> MethodProperties {
        MethodProperties { counts_flops: true, full_matrices: 3, ..MethodProperties::default() }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        options([
            ("linear-algebra", STRUCTURED.to_owned()),
            ("newton-matrix", "masses and constraints only".to_owned()),
            ("newton-stop", format!("correction of velocities ≤ {} (1 + size)", spelling(&self.tolerance))),
            ("max-iterations", self.max_iterations.to_string()),
        ])
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        low_order::suits(problem)?;
        if self.levels == Levels::Positions {
            let structure = problem.form().mechanics()?.structure();
            let varies = !structure.mass.is_empty();
            Unsuitable::when(varies, "a constant mass matrix", "has one that depends on positions")?;
            let lacks = "has some that depend on velocities, or branch";
            Unsuitable::when(structure.forces_depend_on_velocity(), "forces of positions alone", lacks)?;
        }
        Ok(())
    }

    fn solve(&self, problem: Counted<'_>, task: &Task<'_>, observer: &mut dyn Observer) -> Solution {
        drive::run(self, problem, task, observer, |problem| {
            if self.levels == Levels::Positions {
                check_equal_steps(task)?;
            }
            let newton = (self.tolerance, self.max_iterations);
            Ok(Steps::new(self.levels, newton, &mut problem.mechanics()?, task.initial))
        })
    }
}
