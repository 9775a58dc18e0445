//! Reads long answers of servers and programs without keeping them: their length, their digest, and
//! when they came.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::failure::RestaurantsError;
use crate::http::{self, HttpError};
use crate::process_group;

const PIECE: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(600);

/// An answer as it came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Received {
    pub(super) bytes: u64,
    pub(super) digest: u64,
    /// From the request to the first byte of the body.
    pub(super) first_byte: Duration,
    /// To the last one.
    pub(super) whole: Duration,
    /// The time of the GraphQL layer as the server tells it: the document and the plan.
    pub(super) prepared: Duration,
}

/// The head of a response.
#[derive(Debug)]
struct Head {
    status: u16,
    /// None if the body comes in pieces.
    length: Option<usize>,
    prepared: Duration,
}

/// A digest of bytes, whatever pieces they come in. It is fast and no protection: both answers are
/// the benchmark's own.
#[derive(Debug, Default)]
struct Digest {
    state: u64,
    bytes: u64,
    rest: [u8; 8],
}

impl Digest {
    fn take(&mut self, mut bytes: &[u8]) {
        let kept = usize::try_from(self.bytes % 8).unwrap_or_default();
        self.bytes += bytes.len() as u64;
        if kept > 0 {
            let taken = bytes.len().min(8 - kept);
            self.rest[kept..kept + taken].copy_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if kept + taken < 8 {
                return;
            }
            self.mix(u64::from_le_bytes(self.rest));
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    fn mix(&mut self, word: u64) {
        self.state = (self.state.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(mut self) -> u64 {
        let kept = usize::try_from(self.bytes % 8).unwrap_or_default();
        self.rest[kept..].fill(0);
        self.mix(u64::from_le_bytes(self.rest));
        self.mix(self.bytes);
        self.state
    }
}

/// Sends a query to a server, and reads its answer.
pub(super) fn ask(port: u16, query: &str) -> Result<Received, RestaurantsError> {
    let body = serde_json::json!({ "query": query }).to_string();
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut stream = BufReader::with_capacity(PIECE, stream);
    let started = Instant::now();
    stream.get_mut().write_all(http::request("/graphql", &body).as_bytes())?;
    let Head { status, length, prepared } = read_head(&mut stream)?;
    stream.fill_buf()?;
    let first_byte = started.elapsed();
    let mut digest = Digest::default();
    let mut text = Vec::new();
    let mut take = |bytes: &[u8]| {
        digest.take(bytes);
        if status != 200 {
            text.extend_from_slice(bytes);
        }
    };
    match length {
        Some(length) => take_bytes(&mut stream, length, &mut take)?,
        None => loop {
            let line = read_line(&mut stream)?;
            let digits = line.split(';').next().unwrap_or_default().trim();
            let length =
                usize::from_str_radix(digits, 16).map_err(|_| HttpError::Head(line.clone()))?;
            take_bytes(&mut stream, length, &mut take)?;
            read_line(&mut stream)?;
            if length == 0 {
                break;
            }
        },
    }
    let whole = started.elapsed();
    if status != 200 {
        let text = String::from_utf8_lossy(&text).into_owned();
        return Err(RestaurantsError::Refused { query: query.to_owned(), status, text });
    }
    let bytes = digest.bytes;
    Ok(Received { bytes, digest: digest.finish(), first_byte, whole, prepared })
}

fn read_head(stream: &mut impl BufRead) -> Result<Head, RestaurantsError> {
    let line = read_line(stream)?;
    let digits = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = digits.and_then(|digits| digits.parse().ok());
    let status = status.ok_or(HttpError::Head(line))?;
    let mut head = Head { status, length: None, prepared: Duration::ZERO };
    loop {
        let line = read_line(stream)?.to_ascii_lowercase();
        if line.is_empty() {
            return Ok(head);
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            head.length = value.trim().parse().ok();
        }
        if let Some(stages) = line.strip_prefix("server-timing:") {
            head.prepared = prepared(stages);
        }
    }
}

/// The stages before the statements run: `document;dur=0.021, plan;dur=0.012, execute;dur=1.702`.
fn prepared(stages: &str) -> Duration {
    let stages = stages.split(',').filter_map(|stage| stage.trim().split_once(";dur="));
    let of_graphql = stages.filter(|(name, _)| matches!(*name, "document" | "plan"));
    let milliseconds: f64 =
        of_graphql.filter_map(|(_, milliseconds)| milliseconds.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(milliseconds / 1e3)
}

fn read_line(stream: &mut impl BufRead) -> Result<String, RestaurantsError> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(line.trim_end().to_owned())
}

fn take_bytes(
    stream: &mut impl BufRead,
    mut length: usize,
    take: &mut impl FnMut(&[u8]),
) -> Result<(), RestaurantsError> {
    while length > 0 {
        let bytes = stream.fill_buf()?;
        if bytes.is_empty() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let taken = bytes.len().min(length);
        take(&bytes[..taken]);
        stream.consume(taken);
        length -= taken;
    }
    Ok(())
}

/// Runs a program, and reads what it prints.
pub(super) fn run(mut command: Command) -> Result<Received, RestaurantsError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let started = Instant::now();
    let mut child = process_group::bind(&mut command)?.spawn()?;
    let mut digest = Digest::default();
    let mut first_byte = None;
    let mut buffer = vec![0; PIECE];
    if let Some(mut output) = child.stdout.take() {
        loop {
            let bytes = output.read(&mut buffer)?;
            first_byte.get_or_insert_with(|| started.elapsed());
            if bytes == 0 {
                break;
            }
            digest.take(&buffer[..bytes]);
        }
    }
    let status = child.wait()?;
    let whole = started.elapsed();
    if !status.success() {
        let program = command.get_program().to_string_lossy().into_owned();
        return Err(RestaurantsError::Failed { program, status, text: String::new() });
    }
    let bytes = digest.bytes;
    let first_byte = first_byte.unwrap_or(whole);
    let digest = digest.finish();
    Ok(Received { bytes, digest, first_byte, whole, prepared: Duration::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graphql_layer_is_the_document_and_the_plan() {
        let stages = " document;dur=0.5, plan;dur=1.25, execute;dur=3, total;dur=4.8";
        assert_eq!(prepared(stages), Duration::from_micros(1_750));
        assert_eq!(prepared(""), Duration::ZERO);
    }

    #[test]
    fn a_digest_does_not_depend_on_the_pieces() {
        let text: Vec<u8> = (0..=255).collect();
        let whole = |pieces: &mut dyn Iterator<Item = &[u8]>| {
            let mut digest = Digest::default();
            pieces.for_each(|piece| digest.take(piece));
            digest.finish()
        };
        let expected = whole(&mut [&*text].into_iter());
        for length in 1..20 {
            assert_eq!(whole(&mut text.chunks(length)), expected);
        }
        assert_ne!(whole(&mut [&text[..255]].into_iter()), expected);
        assert_ne!(whole(&mut [&*text, &[0]].into_iter()), expected);
    }
}
