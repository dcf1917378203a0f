//! The program `mbsbench`.

use std::process::ExitCode;

use mbsbench::Registry;

/// Reading and writing files is half of what a command does that finds its runs in the store, and allocates a million times.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mbsbench::main_of(Registry::builtin)
}
