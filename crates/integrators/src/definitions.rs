//! The methods as experiment files name them.

use mbsbench_problem::{OutOfRange, parameters};

use crate::control::ControllerSettings;
use crate::{Advance, ExplicitRungeKutta, Extrapolation, tableaux};

/// An explicit Runge–Kutta method with its parameters.
macro_rules! explicit {
    (
        $(#[$doc:meta])* $type:ident { $($fields:tt)* }
        $name:literal, $summary:literal, $source:literal, $method:expr
    ) => {
        parameters! {
            $(#[$doc])*
            #[derive(Copy)]
            pub struct $type { $($fields)* }
        }

        definition!($type, $name, "explicit-runge-kutta", $summary, $source, $method, precise);
    };
}

/// A method that a tableau without parameters defines.
macro_rules! fixed_formula {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tableau:ident, $control:expr, $summary:literal, $source:literal) => {
        explicit!(
            $(#[$doc])*
            $type {}
            $name, $summary, $source, |_| ExplicitRungeKutta::new(&tableaux::$tableau, $control)
        );
    };
}

/// A pair with continuous output.
macro_rules! continuous_pair {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tableau:ident, $control:expr, $summary:literal, $source:literal) => {
        explicit!(
            $(#[$doc])*
            $type {
                /// Whether states inside a step come from the continuous output of the pair instead of an extra,
                /// uncounted step.
                pub dense_output: bool = false,
            }
            $name, $summary, $source,
            |pair| ExplicitRungeKutta::new(&tableaux::$tableau, $control).with_dense_output(pair.dense_output)
        );
    };
}

/// A method that a pair defines, with the choice which formula advances.
macro_rules! pair {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tableau:ident, $control:expr, $summary:literal, $source:literal) => {
        explicit!(
            $(#[$doc])*
            $type {
                /// Which formula of the pair advances the solution: `higher` (local extrapolation) or `lower`.
                pub advance: Advance = Advance::default(),
            }
            $name, $summary, $source,
            |pair| ExplicitRungeKutta::new(&tableaux::$tableau, $control).advancing(pair.advance)
        );
    };
}

fixed_formula!(
    /// Kutta's third-order rule: three stages, constant step.
    Rk3, "rk3", KUTTA_3, ControllerSettings::elementary(),
    "Kutta's third-order rule, three stages",
    "W. Kutta, Z. Math. Phys. 46 (1901) 435–453; RK-3 of compere2001"
);

pair!(
    /// Bogacki–Shampine 3(2): three stages a step, first same as last; elementary controller.
    Bs32, "bs32", BOGACKI_SHAMPINE_32, ControllerSettings::elementary(),
    "Bogacki–Shampine pair of orders 3(2), three stages",
    "P. Bogacki, L. F. Shampine, Appl. Math. Lett. 2 (1989) 321–325"
);

fixed_formula!(
    /// The classical fourth-order rule: four stages, constant step.
    Rk4, "rk4", CLASSICAL_4, ControllerSettings::elementary(),
    "The classical fourth-order rule, four stages",
    "W. Kutta, Z. Math. Phys. 46 (1901) 435–453; Hairer, Nørsett, Wanner, Solving ODEs I, table II.1.2"
);

pair!(
    /// Fehlberg 4(5): six stages (five with a constant step and `advance: lower`); elementary controller.
    Rk5, "rk5", FEHLBERG_45, ControllerSettings::elementary(),
    "Fehlberg pair of orders 4(5), six stages, advancing with order five",
    "E. Fehlberg, NASA TR R-315 (1969), table III; RK-5 of compere2001"
);

continuous_pair!(
    /// Dormand–Prince 5(4): six stages a step, first same as last; PI controller of the code DOPRI5.
    Dopri5, "dopri5", DOPRI5, ControllerSettings::dopri5(),
    "Dormand–Prince pair of orders 5(4), six stages",
    "J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19–26; code DOPRI5 of Hairer and Wanner"
);

pair!(
    /// Fehlberg 7(8): thirteen stages (eleven with a constant step and `advance: lower`); elementary controller.
    Rk8, "rk8", FEHLBERG_78, ControllerSettings::elementary(),
    "Fehlberg pair of orders 7(8), thirteen stages, advancing with order eight",
    "E. Fehlberg, NASA TR R-287 (1968), table X; RK-8 of compere2001"
);

continuous_pair!(
    /// Dormand–Prince 8(5,3): twelve stages; error estimate and controller of the code DOP853.
    Dop853, "dop853", DOP853, ControllerSettings::dop853(),
    "Dormand–Prince formula of order 8 with error estimates of orders 5 and 3, twelve stages",
    "Hairer, Nørsett, Wanner, Solving ODEs I, section II.5; code DOP853 of Hairer and Wanner"
);

parameters! {
    /// Gragg–Bulirsch–Stoer: extrapolation of the explicit midpoint rule to a fixed order, constant step.
    #[derive(Copy)]
    pub struct Gbs where order_is_even {
        /// Order, even, from 2 to 40. Substeps 2, 4, …, `order`.
        pub order: u32 [from 2, to 40] = 16,
    }
}

impl Gbs {
    fn order_is_even(&self) -> Result<(), OutOfRange> {
        if self.order.is_multiple_of(2) {
            return Ok(());
        }
        Err(OutOfRange::new("order", self.order, "an even number from 2 to 40"))
    }
}

definition!(
    Gbs,
    "gbs",
    "extrapolation",
    "Extrapolated explicit midpoint rule (Gragg–Bulirsch–Stoer) of a fixed even order",
    "Hairer, Nørsett, Wanner, Solving ODEs I, section II.9",
    |settings| Extrapolation::new(settings.order),
    precise
);
