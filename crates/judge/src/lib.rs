//! Judgement of results: verdicts on the statements of papers, their dependence on information that a paper leaves out,
//! and the cheapest methods.

pub mod claims;
pub mod comparison;
pub mod folders;
pub mod publication;
pub mod reconstruction;
pub mod statistics;
