//! The program `mbsbench`.

use std::process::ExitCode;

use mbsbench::Registry;

fn main() -> ExitCode {
    mbsbench::main_of(Registry::builtin)
}
