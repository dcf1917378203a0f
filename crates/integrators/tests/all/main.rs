//! Methods on problems with known solutions, and properties that all methods share. All tests form one program, so
//! that shared code is compiled and linked once.

#[path = "../common/mod.rs"]
mod common;
mod conformance;
mod contact_formulas;
mod contact_power;
mod convergence;
mod dense_output;
mod dode;
mod events;
mod flops;
mod from_file;
mod half_explicit;
mod higher_index;
mod implicit;
mod implicit_coefficients;
mod implicit_conformance;
mod implicit_multistep;
mod implicit_runge_kutta;
mod lie;
mod lie_group;
mod linear_analysis;
mod llm;
mod llm_pendulum;
mod low_order;
mod low_order_conformance;
mod low_order_controlled;
mod low_order_shared;
mod projected;
mod published_codes;
mod radau5;
mod rattle;
mod stiff;
mod tableaux;
mod time;
