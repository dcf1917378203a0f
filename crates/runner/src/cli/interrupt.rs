//! What the program does when it is told to end.

use std::io::{self, IsTerminal, Write};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use mbsbench_input::stop_writing;
use mbsbench_runs::progress::kept_of_all;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// From now on SIGINT and SIGTERM end the program with no file half written, the exit code 130 or 143, and a word on what is kept.
/// The second one ends it at once. Where signals cannot be watched they do what they do to every program.
pub(super) fn watch() {
    let _ = begin();
}

fn begin() -> io::Result<()> {
    let is_ending = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, code(signal), Arc::clone(&is_ending))?;
        flag::register(signal, Arc::clone(&is_ending))?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    thread::Builder::new().spawn(move || signals.forever().next().map(end))?;
    Ok(())
}

fn end(signal: i32) {
    // Never given back: what is whole by now stays, and runs under way are not worth a wait.
    let _writing = stop_writing();
    let name = if signal == SIGINT { "SIGINT" } else { "SIGTERM" };
    let mut stderr = io::stderr();
    // The bar of a terminal stands in the line.
    let bar = if stderr.is_terminal() { "\n" } else { "" };
    let _ = writeln!(stderr, "{bar}ended by {name}{}", left(kept_of_all()));
    exit(code(signal));
}

/// As shells say that a program was ended by a signal.
fn code(signal: i32) -> i32 {
    128 + signal
}

/// What is there of the runs, and how to go on.
fn left((kept, all): (usize, usize)) -> String {
    match (kept, all) {
        (_, 0) => String::new(),
        (kept, all) => {
            format!(
                ": {kept} of {all} runs are finished and kept; the same command, without `--fresh`, goes on with the others"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_where_runs_are_made() {
        assert_eq!(left((0, 0)), "");
        assert!(left((3, 7)).starts_with(": 3 of 7 runs are finished"));
    }
}
