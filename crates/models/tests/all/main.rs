//! Tests across modules and models, in one program so that shared code is compiled and linked once.

mod ball_bearing;
#[path = "../common/mod.rs"]
mod common;
mod conditions;
mod flexible_mechanisms;
mod formulations;
mod four_bar_windows;
mod linkage_equations;
mod linkage_motions;
mod located;
mod marble_jar;
mod matrices;
mod penalty_ball;
mod published_tables;
mod reaching_phase;
mod readings_of_the_hybrid;
mod references;
mod rod_chain;
mod squeezer;
mod squeezer_elimination;
mod squeezer_momenta;
mod squeezer_motions;
mod stand_ins;
mod stiff_double_pendulum;
mod test_equations;
mod tip_loaded_beam;
mod two_bouncing_balls;
