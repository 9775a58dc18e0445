//! Attacks on HTTP/2: the server closes the connection, and others are answered meanwhile.

use std::io::Write;
use std::iter;
use std::thread;
use std::time::Duration;

use crate::network::frames::{
    CONTINUATION, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GOAWAY, HEADERS, PING, RST_STREAM,
    SETTINGS, flood, frame, head, preface, query, read, read_until, reset,
};
use crate::network::site::{LONG, SHORT, Site, happens_within};
use crate::program::PATIENCE;

const WINDOW: u32 = 65_535;

/// The most memory of the process so far.
fn peak_memory(site: &Site) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", site.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// Asserts that these frames end their connection, and take little memory.
fn check(name: &str, excess: &str, parts: impl Iterator<Item = Vec<u8>>) {
    let site = Site::serve(&[]);
    site.assert_answers();
    let before = peak_memory(&site);
    let mut stream = site.connect();
    stream.set_nodelay(true).unwrap();
    let port = stream.local_addr().unwrap().port();
    stream.write_all(&preface(WINDOW)).unwrap();
    let error = flood(stream, parts);
    let line =
        format!("connection closed: the client floods it peer=127.0.0.1:{port} excess={excess}");
    assert!(site.log().contains(&line), "{name}: {}", site.log());
    // Nothing is said if a frame could not be written as a whole.
    assert!(error.is_none_or(|error| error == ENHANCE_YOUR_CALM), "{name}: {error:?}");
    assert!(error.is_some() || excess == "Frames", "{name}: {}", site.log());
    site.assert_answers();
    let grown = peak_memory(&site).saturating_sub(before);
    assert!(grown < 16 << 20, "{name}: {grown} bytes");
}

fn odd(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| 2 * number + 1)
}

#[test]
fn requests_that_are_taken_back_at_once_end_the_connection() {
    // Rapid reset, CVE-2023-44487.
    let of = |stream| {
        let head = frame(HEADERS, END_HEADERS | END_STREAM, stream, &head(&[]));
        [head, reset(stream)].concat()
    };
    check("rapid reset", "Protocol", odd(10_000).map(of));
}

#[test]
fn requests_that_are_abandoned_while_they_are_answered_end_the_connection() {
    // Few at a time, so that the server has begun with each.
    let streams: Vec<u32> = odd(2_000).collect();
    let batches = streams.chunks(10).flat_map(|streams| {
        let heads = |stream: &u32| frame(HEADERS, END_HEADERS, *stream, &head(&[]));
        let heads = streams.iter().flat_map(heads).collect();
        let resets: Vec<u8> = streams.iter().flat_map(|stream| reset(*stream)).collect();
        [heads, resets]
    });
    let slowly = batches.inspect(|_| thread::sleep(Duration::from_millis(5)));
    check("abandoned requests", "AbandonedRequests", slowly);
}

#[test]
fn heads_without_an_end_end_the_connection() {
    let begin = frame(HEADERS, 0, 1, &head(&[]));
    let more = frame(CONTINUATION, 0, 1, &[0x00, 1, b'a', 1, b'b']);
    check("continuation", "Protocol", iter::once(begin).chain(iter::repeat_n(more, 100_000)));
}

#[test]
fn frames_without_a_use_end_the_connection() {
    let ping = frame(PING, 0, 0, &[0; 8]);
    let settings = frame(SETTINGS, 0, 0, &[]);
    // Of streams that do not exist: to be ignored.
    let priority = frame(2, 0, 1, &[0, 0, 0, 0, 16]);
    let unknown = frame(99, 0, 0, &[0; 1000]);
    for (name, part) in
        [("ping", ping), ("settings", settings), ("priority", priority), ("unknown", unknown)]
    {
        let batch = part.repeat(100);
        check(name, "Frames", iter::repeat_n(batch, 20_000));
    }
}

#[test]
fn a_stream_that_is_not_read_is_reset_and_its_connection_lives_on() {
    let site = Site::serve(&["--stall-timeout", "500ms", "--log-requests", "all"]);
    let mut stream = site.connect();
    stream.write_all(&preface(WINDOW)).unwrap();
    stream.write_all(&query(1, LONG)).unwrap();
    let end = read_until(&mut stream, |frame| frame.kind == RST_STREAM || frame.kind == GOAWAY);
    let end = end.unwrap();
    assert_eq!((end.kind, end.stream, end.error()), (RST_STREAM, 1, 8), "{}", site.log());
    let line = "stream reset: the client does not read its response";
    assert!(happens_within(PATIENCE, || site.log().contains(line)), "{}", site.log());
    // The window of the connection is used up: nothing is left for other streams until it is opened.
    let opened = frame(8, 0, 0, &1_000_000u32.to_be_bytes());
    stream.write_all(&[opened, query(3, SHORT)].concat()).unwrap();
    let end = |flags: u8| flags & END_STREAM != 0;
    assert!(read_until(&mut stream, |frame| frame.stream == 3 && end(frame.flags)).is_some());
}

#[test]
fn a_connection_ends_if_a_complete_response_is_not_read() {
    // The library has all of it, and sends a byte.
    let site = Site::serve(&["--stall-timeout", "500ms"]);
    let mut stream = site.connect();
    stream.write_all(&preface(1)).unwrap();
    stream.write_all(&query(1, SHORT)).unwrap();
    while read(&mut stream).is_some() {}
    let line = "connection reset: the client does not read its response";
    assert!(happens_within(PATIENCE, || site.log().contains(line)), "{}", site.log());
    site.assert_answers();
}
