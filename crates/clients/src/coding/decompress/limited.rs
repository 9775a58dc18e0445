//! A writer with a size limit.

use std::io::{self, Write};

use super::Fault;

/// Collects bytes up to a limit.
#[derive(Debug)]
pub(crate) struct Limited {
    pub(super) bytes: Vec<u8>,
    most: usize,
    is_exceeded: bool,
}

impl Limited {
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, is_exceeded: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() > self.most - self.bytes.len() {
            self.is_exceeded = true;
            return Err(Fault::TooLarge);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Reason why a decoder stopped writing here.
    pub(super) fn fault(&self) -> Fault {
        match self.is_exceeded {
            true => Fault::TooLarge,
            false => Fault::Malformed,
        }
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.push(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(_) => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
