//! The methods as experiment files name them.

use mbsbench_problem::parameters::spelling;
use mbsbench_problem::{Counted, Method, MethodProperties, Observer, Ode, Solution, Task, Unsuitable};

use super::run::{Levels, Steps};
use crate::drive;
use crate::low_order;
use crate::newton::{DENSE, options};
use crate::sizes::check_equal_steps;

/// A method with its parameters.
macro_rules! verlet {
    ($(#[$doc:meta])* $type:ident, $levels:ident, $name:literal, $summary:literal, $source:literal) => {
        method! {
            $(#[$doc])*
            pub struct $type {
                /// The iteration ends with a correction of velocities below this, relative to one and the largest velocity, or where
                /// corrections no longer decrease and move positions by rounding only.
                pub newton_tolerance: f64 [above 0.0, to 1.0] = 1e-12,
                /// Most iterations in a step; the run fails with `newton-diverged` beyond them.
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
    /// RATTLE: the method of Störmer and Verlet with constraints on positions and on velocities, which hold at the end of each step
    /// (H. C. Andersen, J. Comput. Phys. 52 (1983) 24–34; Hairer, Lubich, Wanner, Geometric Numerical Integration, section VII.1.4).
    /// Symmetric; symplectic for conservative forces, so that the energy does not drift. Constant steps, order 2 in positions and
    /// velocities. The multipliers are those that hold the velocities at the end of a step, of order 1.
    ///
    /// Masses may depend on positions: it is then the general method for Hamiltonian systems (Eq. 1.26 there), in momenta. Forces may depend
    /// on velocities, those of the half step. Both are implicit then, and solved by the iteration that solves for the multipliers, whose
    /// matrix has the masses and the constraints alone: damping that is stiff for the step ends it. Positions are vectors; nonholonomic
    /// constraints are refused. The linear systems have all entries, whatever the number of bodies.
    ///
    /// Counted: one evaluation a step where neither is so, else one for each iteration and one more; two factorizations, and
    /// for masses that change one for each iteration and a Jacobian.
    Rattle, Both, "rattle",
    "Störmer–Verlet method for constrained mechanics, with constraints on positions and velocities",
    "H. C. Andersen, J. Comput. Phys. 52 (1983) 24–34; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4"
);

verlet!(
    /// SHAKE: the method of Störmer and Verlet with constraints on positions alone (J.-P. Ryckaert, G. Ciccotti, H. J. C. Berendsen,
    /// J. Comput. Phys. 23 (1977) 327–341; Hairer, Lubich, Wanner, Geometric Numerical Integration, section VII.1.4),
    ///
    /// ```text
    /// M (q₊ − 2 q + q₋) = h² (D + Jᵀ λ),   0 = Φ(t₊, q₊),   v = (q₊ − q₋)/2h
    /// ```
    ///
    /// Its positions are those of `rattle`, to rounding; velocities and multipliers need those of the step that follows, which is solved
    /// for ahead, beyond the end of the span, too. Velocities are off their constraints by O(h²). Constant steps, order 2 in positions,
    /// velocities and multipliers; a span has to be a whole number of steps. Masses have to be constant, and forces independent of
    /// velocities.
    ///
    /// Counted: one evaluation and one factorization a step, and one of each at the start.
    Shake, Positions, "shake",
    "Störmer–Verlet method for constrained mechanics, with constraints on positions",
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
        MethodProperties {
            counts_flops: true,
            full_matrices: 3,
            keeps_all_entries: true,
            ..MethodProperties::default()
        }
    }

    fn solver_options(&self) -> Vec<(String, String)> {
        options([
            ("linear-algebra", DENSE.to_owned()),
            ("newton-matrix", "of masses and constraints alone".to_owned()),
            ("newton-stop", format!("correction of velocities ≤ {} (1 + size)", spelling(&self.tolerance))),
            ("max-iterations", self.max_iterations.to_string()),
        ])
    }

    fn suits(&self, problem: &mut dyn Ode) -> Result<(), Unsuitable> {
        low_order::suits(problem)?;
        if self.levels == Levels::Positions {
            let structure = problem.form().mechanics()?.structure();
            if !structure.mass.is_empty() {
                return Err(Unsuitable::new("a constant mass matrix", "has one that depends on positions"));
            }
            if structure.forces_depend_on_velocity() {
                return Err(Unsuitable::new(
                    "forces of positions alone",
                    "has some that depend on velocities, or branch",
                ));
            }
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
