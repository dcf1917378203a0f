//! The program `mbsbench` with one method and one model more (docs/extending.md).

mod bead_on_hoop;
mod three_eighths;

use std::process::ExitCode;

use mbsbench::Registry;

use bead_on_hoop::BeadOnHoop;
use three_eighths::ThreeEighths;

fn main() -> ExitCode {
    mbsbench::main_with(Registry::builtin().method::<ThreeEighths>().model::<BeadOnHoop>())
}
