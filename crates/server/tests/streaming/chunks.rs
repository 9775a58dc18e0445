//! A client that reads an answer piece by piece.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;

/// An answer whose head has come.
#[derive(Debug)]
pub(crate) struct Reading {
    reader: BufReader<TcpStream>,
    pub(crate) head: String,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By the last chunk.
    Whole,
    /// The connection ended before it.
    CutOff,
}

impl Reading {
    /// Reads the head.
    pub(crate) fn begin(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "no answer: {head}");
        }
        Self { reader, head: head.to_ascii_lowercase() }
    }

    pub(crate) fn is_chunked(&self) -> bool {
        self.head.contains("\r\ntransfer-encoding: chunked\r\n")
    }

    /// The next chunk, or how the answer ends.
    pub(crate) fn next(&mut self) -> Result<Vec<u8>, Ending> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) | Err(_) => return Err(Ending::CutOff),
            Ok(_) => {}
        }
        let Ok(length) = usize::from_str_radix(line.trim_end(), 16) else {
            panic!("no length of a chunk: {line:?}");
        };
        let mut bytes = vec![0; length + 2];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) if length > 0 => {}
            Ok(()) => return Err(Ending::Whole),
            Err(_) => return Err(Ending::CutOff),
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// All chunks together, and the ending.
    pub(crate) fn rest(&mut self) -> (Vec<u8>, Ending) {
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                Ok(chunk) => bytes.extend(chunk),
                Err(ending) => return (bytes, ending),
            }
        }
    }
}
