//! The program `mbsbench` with three additional methods and one additional model (docs/extending.md).

mod bdf3;
mod bead_on_hoop;
mod half_explicit;
mod three_eighths;

use std::process::ExitCode;

use mbsbench::Registry;

use bdf3::Bdf3;
use bead_on_hoop::BeadOnHoop;
use half_explicit::HalfExplicit;
use three_eighths::ThreeEighths;

fn main() -> ExitCode {
    let registry = Registry::builtin().method::<Bdf3>().method::<HalfExplicit>().method::<ThreeEighths>();
    mbsbench::main_with(registry.model::<BeadOnHoop>())
}
