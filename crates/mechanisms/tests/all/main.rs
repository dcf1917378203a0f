//! Mechanisms by their descriptions. One program: what they share is compiled and linked once.

mod bicycle;
#[path = "../common/mod.rs"]
mod common;
mod cost;
mod dependence;
mod gallery;
mod joint_coordinates;
mod motions;
mod papers;
mod random;
mod urdf;
