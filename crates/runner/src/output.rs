//! The only module through which the program writes to standard output and standard error.

use std::io::{self, Write};

use mbsbench_input::printable;

/// Standard output and standard error, or their replacements in a test.
pub struct Output<'o> {
    writer: &'o mut dyn Write,
    errors: &'o mut dyn Write,
    closed: bool,
}

impl<'o> Output<'o> {
    /// Writes answers to `writer` and messages to `errors`, which is the standard error.
    pub fn new(writer: &'o mut dyn Write, errors: &'o mut dyn Write) -> Self {
        Self { writer, errors, closed: false }
    }

    /// Writes a message that does not end the command, for example about a reference that failed. Errors of writing are
    /// ignored.
    pub fn eprintln(&mut self, text: impl AsRef<str>) {
        self.rendered(&printable(text.as_ref()));
    }

    /// Writes a message that is already formatted for a terminal.
    pub fn rendered(&mut self, text: &str) {
        let _ = writeln!(self.errors, "{}", text.trim_end());
    }

    /// Writes a text and a new line; control characters are escaped. If the reader has closed the pipe
    /// (`mbsbench list | head`), nothing more is written, which is not an error.
    ///
    /// # Errors
    /// Fails if the text cannot be written for another reason.
    pub fn println(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match writeln!(self.writer, "{}", printable(text.as_ref())).and_then(|()| self.writer.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Gone(usize);
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        let (mut gone, mut aside) = (Gone(0), Vec::new());
        let mut output = Output::new(&mut gone, &mut aside);
        output.println("one").unwrap();
        output.println("two").unwrap();
        assert_eq!(gone.0, 1, "nothing is written to a closed pipe");
    }
}
