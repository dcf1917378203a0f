//! Termination of the program by a signal.

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

/// Lets SIGINT and SIGTERM end the program without partially written files, with exit code 130 or 143 and a message
/// about the runs kept. A second signal ends it at once. If signals cannot be handled, they have their default effect.
///
/// # Errors
/// Fails if signals cannot be handled.
pub(super) fn watch() -> io::Result<()> {
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
    // The lock is never released: complete files remain, and runs in progress are not worth waiting for.
    let _writing = stop_writing();
    let name = if signal == SIGINT { "SIGINT" } else { "SIGTERM" };
    let mut stderr = io::stderr();
    // On a terminal, the progress bar occupies the current line.
    let bar = if stderr.is_terminal() { "\n" } else { "" };
    let _ = writeln!(stderr, "{bar}ended by {name}{}", left(kept_of_all()));
    exit(code(signal));
}

/// The exit code by which shells report that a signal ended a program.
fn code(signal: i32) -> i32 {
    128 + signal
}

/// Describes the finished runs, and how to continue.
fn left((kept, all): (usize, usize)) -> String {
    if all == 0 {
        return String::new();
    }
    format!(
        ": {kept} of {all} runs are finished and kept; run the same command without `--fresh` to compute the others"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_report_the_remaining_runs() {
        assert_eq!(left((0, 0)), "");
        assert!(left((3, 7)).starts_with(": 3 of 7 runs are finished"));
    }
}
