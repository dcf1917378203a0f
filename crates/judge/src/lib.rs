//! Judgement of results: verdicts on what papers state, how far they depend on what a paper leaves out, and which method is
//! the cheapest.

pub mod claims;
pub mod comparison;
pub mod folders;
pub mod publication;
pub mod reconstruction;
pub mod statistics;
