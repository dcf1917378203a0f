//! Modules shared with the tests of other methods.
#![expect(dead_code, reason = "each test file uses its share")]

#[path = "../../../integrators/tests/common/constrained.rs"]
pub mod constrained;
#[path = "../../../integrators/tests/common/higher_index.rs"]
pub mod higher_index;
