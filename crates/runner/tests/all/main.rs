//! Tests of the program through its command line. They form one binary, so that shared code is compiled and linked
//! once.

#[path = "../bad_input/fixture.rs"]
mod bad_input_fixture;
#[path = "../chapter/mod.rs"]
mod chapter;

mod accidents;
mod advice;
mod animations;
mod bad_input;
mod bad_input_properties;
mod bad_ledgers;
mod browser;
mod builtin;
mod comparison;
mod compere2001;
#[cfg(unix)]
mod equal_terms;
mod examine;
mod export;
mod guest;
mod help;
mod jumps;
#[cfg(target_os = "linux")]
mod limits;
mod main_claims;
mod methods;
mod mutations;
mod pages;
mod panics;
mod parts;
mod plots;
mod public_cases;
mod rank;
mod recognition;
mod recompute;
mod reconstruct;
mod reference;
mod render;
mod schema;
mod screen;
mod silence;
mod spans;
#[cfg(unix)]
mod special_files;
mod times;
mod units;
mod verify;
mod zhang2022;
