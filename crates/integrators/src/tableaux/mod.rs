//! The tableaux of the built-in methods, in files like those of users; each file has its source.

use std::sync::LazyLock;

use crate::Tableau;

/// Declares lists of tableaux and reads each from its file when it is first used.
macro_rules! tableaux {
    ($($(#[$about:meta])* $all:ident: $($name:ident $file:literal)*;)*) => {$(
        $(
            #[doc = concat!("The formula of `", $file, "`.")]
            pub static $name: LazyLock<Tableau> = LazyLock::new(|| {
                Tableau::read($file, include_str!($file)).expect("a test reads all files")
            });
        )*
        $(#[$about])*
        pub static $all: &[&LazyLock<Tableau>] = &[$(&$name),*];
    )*};
}

tableaux! {
    /// The explicit formulas.
    EXPLICIT:
        RK3 "rk3.yaml" BS32 "bs32.yaml" RK4 "rk4.yaml" RK5 "rk5.yaml" DOPRI5 "dopri5.yaml" RK8 "rk8.yaml"
        DOP853 "dop853.yaml";
    /// The diagonally implicit formulas without parameters.
    IMPLICIT:
        ESDIRK324L2SA "esdirk324l2sa.yaml" ESDIRK325L2SA "esdirk325l2sa.yaml" ESDIRK436L2SA2 "esdirk436l2sa2.yaml"
        ESDIRK547L2SA2 "esdirk547l2sa2.yaml" ARK436L2SA_IMPLICIT "ark436l2sa-implicit.yaml" SDIRK4 "sdirk4.yaml";
}
