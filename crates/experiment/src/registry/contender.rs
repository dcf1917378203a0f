//! A single method in place of `every`.

use mbsbench_input::Node;

/// A method that replaces `every` in experiment files, so that it runs everything that they define for all methods.
#[derive(Debug, Clone)]
pub struct Contender {
    /// The name in the registry.
    pub method: String,
    /// The parameters, with the label if there is one; an empty map for a registered method with its defaults.
    pub parameters: Node,
}
