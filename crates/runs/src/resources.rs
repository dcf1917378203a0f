//! The resources for executing runs and references.

use crate::cache::Cache;
use crate::costs::Costs;
use crate::memory::Memory;
use crate::progress::Progress;

/// The resources for executing runs.
#[derive(Debug, Clone, Copy)]
pub struct Resources<'m> {
    /// The cache of finished runs.
    pub cache: &'m Cache,
    /// The memory that runs share.
    pub memory: &'m Memory,
    /// The display of progress.
    pub progress: &'m Progress,
    /// The costs of earlier runs, used for the order and the remaining time; without them runs are executed in order.
    pub costs: Option<&'m Costs>,
    /// True if all runs are executed again, even if they are in the cache.
    pub fresh: bool,
}
