//! What runs and references are made with.

use crate::costs::Costs;
use crate::memory::Memory;
use crate::progress::Progress;
use crate::store::Store;

/// What runs are made with.
#[derive(Debug, Clone, Copy)]
pub struct Means<'m> {
    /// Where finished runs are kept.
    pub store: &'m Store,
    /// What they may take of memory.
    pub memory: &'m Memory,
    /// What a person sees of it.
    pub progress: &'m Progress,
    /// What runs took before, for their order and the time that is left; where it is not known, runs are made as they come.
    pub costs: Option<&'m Costs>,
    /// Whether all are made again, whatever the store has.
    pub fresh: bool,
}
