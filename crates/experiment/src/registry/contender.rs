//! A method in the place of all.

use mbsbench_input::{Node, Place};

/// A method that stands alone wherever a file says `every`: what an experiment asks of all methods is asked of it.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its name in the registry.
    pub method: String,
    /// Its parameters, with its label if it has one; an empty map for those of a registered method.
    pub parameters: Node,
}

impl Contender {
    /// A registered method with the parameters that a file sets in all, and its own defaults.
    pub fn registered(method: &str) -> Self {
        Self { method: method.to_owned(), parameters: Node::empty(Place::default()) }
    }
}
