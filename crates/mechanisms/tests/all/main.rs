//! Tests of mechanisms by their descriptions, in one program so that shared code is compiled and linked once.

mod bicycle;
#[path = "../common/mod.rs"]
mod common;
mod contacts;
mod cost;
mod dependence;
mod equations;
mod gallery;
mod joint_coordinates;
mod motions;
mod openings;
mod papers;
mod pleiades;
mod random;
mod urdf;
