//! Judgement of results: verdicts on the statements of papers, their dependence on information that a paper leaves out,
//! and the cheapest methods.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod claims;
pub mod comparison;
pub mod folders;
pub mod publication;
pub mod reconstruction;
pub mod statistics;
