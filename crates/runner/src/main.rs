//! The program `mbsbench`.

use std::process::ExitCode;

use mbsbench::Registry;

/// A command that finds its runs in the cache spends half of its time on reading and writing files, with a million
/// allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mbsbench::main_of(Registry::builtin)
}
