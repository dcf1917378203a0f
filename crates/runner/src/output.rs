//! The one place through which the program writes to standard output.

use std::io::{self, Write};

/// Standard output, or what stands for it in a test.
pub struct Output<'o> {
    writer: &'o mut dyn Write,
    closed: bool,
}

impl<'o> Output<'o> {
    /// Writes to `writer`.
    pub fn new(writer: &'o mut dyn Write) -> Self {
        Self { writer, closed: false }
    }

    /// Writes a text and a new line. Where the reader has gone (`mbsbench list | head`), nothing more is written,
    /// which is no error.
    ///
    /// # Errors
    /// Where the text cannot be written for another reason.
    pub fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match writeln!(self.writer, "{}", text.as_ref()).and_then(|()| self.writer.flush()) {
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
        let mut gone = Gone(0);
        let mut output = Output::new(&mut gone);
        output.line("one").unwrap();
        output.line("two").unwrap();
        assert_eq!(gone.0, 1, "nothing is written to a closed pipe");
    }
}
