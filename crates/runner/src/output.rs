//! The one place through which the program writes to standard output, and says beside it what went wrong on the way.

use std::io::{self, Write};

use mbsbench_input::printable;

/// Standard output, or what stands for it in a test.
pub struct Output<'o> {
    writer: &'o mut dyn Write,
    beside: &'o mut dyn Write,
    closed: bool,
}

impl<'o> Output<'o> {
    /// Writes to `writer`, and to `beside`, the standard error, what is no part of the answer.
    pub fn new(writer: &'o mut dyn Write, beside: &'o mut dyn Write) -> Self {
        Self { writer, beside, closed: false }
    }

    /// Says something that does not end the command: a reference that failed. Where nobody can be told, nobody is.
    pub fn beside(&mut self, text: impl AsRef<str>) {
        self.rendered(&printable(text.as_ref()));
    }

    /// The same of a text that is for a terminal already.
    pub fn rendered(&mut self, text: &str) {
        let _ = writeln!(self.beside, "{}", text.trim_end());
    }

    /// Writes a text and a new line; what would act on a terminal is written out. Where the reader has gone (`mbsbench list | head`), nothing more is written,
    /// which is no error.
    ///
    /// # Errors
    /// Where the text cannot be written for another reason.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
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
    fn a_reader_that_has_gone_is_no_error() {
        let (mut gone, mut aside) = (Gone(0), Vec::new());
        let mut output = Output::new(&mut gone, &mut aside);
        output.line("one").unwrap();
        output.line("two").unwrap();
        assert_eq!(gone.0, 1, "nothing is written to a closed pipe");
    }
}
