//! The formulations of the linkages.

use mbsbench_problem::parameters;

parameters! {
    /// How a linkage's equations are put to a method.
    #[derive(Copy, Default, Eq)]
    pub enum LinkageFormulation {
        /// Absolute coordinates of both bodies with the joints as constraints, `y = (q ; v)`: index 3 for a method that
        /// asks for the mechanics, acceleration level (index 1, not stabilised) for one that takes the right-hand side.
        #[default]
        Cartesian,
        /// As few coordinates as the motion has, without constraints.
        Minimal,
    }
}
