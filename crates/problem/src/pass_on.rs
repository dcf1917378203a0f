//! Functions that pass a call on.

/// Functions that pass a call on as it is: to a part of `self`, or with `as` to another trait that the type has.
///
/// ```
/// # use mbsbench_problem::pass_on;
/// struct Named(String);
///
/// impl Named {
///     pass_on! { self.0 =>
///         /// Length of the name.
///         pub fn len(&self) -> usize;
///         fn push_str(&mut self, more: &str);
///     }
/// }
///
/// trait Text {
///     fn to_string(&self) -> String;
/// }
///
/// impl<T: ToString> Text for T {
///     pass_on! { as ToString =>
///         fn to_string(&self) -> String;
///     }
/// }
///
/// let mut name = Named("rod".to_owned());
/// name.push_str("s");
/// assert_eq!(name.len(), Text::to_string(&"rods").len());
/// ```
#[macro_export]
macro_rules! pass_on {
    (as $trait:ident => $(
        $(#[$about:meta])*
        fn $name:ident$(<$of:ident: $bound:ident>)?(&$own:ident $(, $input:ident: $type:ty)*) $(-> $result:ty)?;
    )*) => {$(
        $(#[$about])*
        fn $name$(<$of: $bound>)?(&$own $(, $input: $type)*) $(-> $result)? {
            $trait::$name($own $(, $input)*)
        }
    )*};
    ($part:expr => $(
        $(#[$about:meta])*
        $reach:vis fn $name:ident$(<$of:ident: $bound:ident>)?(&$($own:ident)+ $(, $input:ident: $type:ty)*)
            $(-> $result:ty)?;
    )*) => {$(
        $(#[$about])*
        $reach fn $name$(<$of: $bound>)?(&$($own)+ $(, $input: $type)*) $(-> $result)? {
            $part.$name($($input),*)
        }
    )*};
}
