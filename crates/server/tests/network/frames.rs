//! Frames of HTTP/2, byte by byte: what no client library sends.

use std::io::{Read, Write};
use std::net::TcpStream;

pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const CONTINUATION: u8 = 9;

pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

pub(crate) const CANCEL: u32 = 8;
pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;

/// A received frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    /// The error of RST_STREAM and GOAWAY.
    pub(crate) fn error(&self) -> u32 {
        let at = if self.kind == GOAWAY { 4 } else { 0 };
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }
}

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// The preface with a setting: the window of each stream.
pub(crate) fn preface(window: u32) -> Vec<u8> {
    let setting = [&[0, 4][..], &window.to_be_bytes()].concat();
    [PREFACE, &frame(SETTINGS, 0, 0, &setting)].concat()
}

/// The head of a POST to `/graphql`, without names or values from tables that change.
pub(crate) fn head(extra: &[(&str, &str)]) -> Vec<u8> {
    // :method POST and :scheme http of the static table; literals of its names :path and :authority.
    let mut block = vec![0x83, 0x86, 0x04, 8];
    block.extend(b"/graphql");
    block.extend([0x01, 9]);
    block.extend(b"localhost");
    for (name, value) in [("content-type", "application/json")].iter().chain(extra) {
        block.push(0x00);
        for text in [name, value] {
            block.push(u8::try_from(text.len()).unwrap());
            block.extend(text.as_bytes());
        }
    }
    block
}

pub(crate) fn reset(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes())
}

/// A whole request.
pub(crate) fn query(stream: u32, query: &str) -> Vec<u8> {
    let body = serde_json::json!({ "query": query }).to_string();
    let head = frame(HEADERS, END_HEADERS, stream, &head(&[]));
    [head, frame(DATA, END_STREAM, stream, body.as_bytes())].concat()
}

/// The next frame; none at the end of the connection, or if it is reset.
pub(crate) fn read(stream: &mut TcpStream) -> Option<Frame> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).ok()?;
    let length = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).ok()?;
    let stream = u32::from_be_bytes(head[5..].try_into().unwrap());
    Some(Frame { kind: head[3], flags: head[4], stream, payload })
}

/// Reads until a frame is this.
pub(crate) fn read_until(stream: &mut TcpStream, is_it: impl Fn(&Frame) -> bool) -> Option<Frame> {
    loop {
        let frame = read(stream)?;
        if is_it(&frame) {
            return Some(frame);
        }
    }
}

/// Sends everything while it reads what comes, until the connection ends; returns the error of the last
/// GOAWAY, and whether all could be sent.
pub(crate) fn flood(stream: TcpStream, parts: impl Iterator<Item = Vec<u8>>) -> Option<u32> {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = stream;
    let reading = std::thread::spawn(move || {
        let mut error = None;
        while let Some(frame) = read(&mut reader) {
            if frame.kind == GOAWAY {
                error = Some(frame.error());
            }
        }
        error
    });
    for part in parts {
        // The server has closed the connection.
        if writer.write_all(&part).is_err() {
            break;
        }
    }
    reading.join().unwrap()
}
