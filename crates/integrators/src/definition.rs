//! The macro that turns parameters into a method that an experiment file can name.

/// Declares the parameters of a method with its name, family, summary and source, and how the method is built from
/// them. With `precise` at the end, the method also exists in double-double precision.
macro_rules! method {
    (
        $(#[$about:meta])*
        pub struct $type:ident $(where $condition:ident)? { $($fields:tt)* }
        $name:literal, $family:literal, $summary:literal, $source:literal, $method:expr $(, $precise:ident)?
    ) => {
        mbsbench_problem::parameters! {
            $(#[$about])*
            #[derive(Copy)]
            pub struct $type $(where $condition)? { $($fields)* }
        }

        impl mbsbench_problem::MethodDefinition for $type {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const SOURCE: &'static str = $source;
            const FAMILY: &'static str = $family;

            fn method(&self) -> Box<dyn mbsbench_problem::Method> {
                let method: fn(&Self) -> _ = $method;
                Box::new(method(self))
            }

            $(fn $precise(&self) -> Option<Box<dyn mbsbench_problem::Method<mbsbench_problem::DoubleDouble>>> {
                let method: fn(&Self) -> _ = $method;
                Some(Box::new(method(self)))
            })?
        }
    };
}
