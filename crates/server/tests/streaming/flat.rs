//! Long answers take little memory, and are the same as if they were made as a whole.

use std::io::{BufReader, Write};

use crate::program::{post, read_answer};
use crate::served::Served;
use crate::streaming::chunks::{Ending, Reading};
use crate::streaming::shops::{self, FAMILIES, LINES};

/// What the process may take beyond what it takes for a small answer: less than a long one has.
pub(crate) const MEMORY: u64 = 32 << 20;

/// By one thread, which has enough connections for long answers.
pub(crate) fn serve(source: &str, options: &[&str]) -> Served {
    let usual = ["--threads", "1", "--simple-collections", "both", "--log-requests", "all"];
    Served::start(source, &[&usual, options].concat())
}

/// Asserts that the answer comes in pieces, and that it is this one.
fn assert_streamed(served: &Served, query: &str, expected: &str) {
    let mut reading = Reading::begin(served.send(query));
    assert!(reading.is_chunked(), "{}", reading.head);
    let (bytes, ending) = reading.rest();
    assert_eq!(ending, Ending::Whole);
    assert_eq!(bytes.len(), expected.len());
    assert!(bytes == expected.as_bytes(), "the answer to {query} is another");
}

fn assert_long_answers_take_little_memory(source: &str) {
    let served = serve(source, &[]);
    let (lines, families) = (shops::lines(), shops::families());
    assert!(lines.len() as u64 > MEMORY && families.len() as u64 > MEMORY, "{}", families.len());
    served.ask(shops::SMALL);
    let before = served.peak_memory();
    for _ in 0..3 {
        assert_streamed(&served, LINES, &lines);
        assert_streamed(&served, FAMILIES, &families);
    }
    let taken = served.peak_memory() - before;
    assert!(taken < MEMORY, "{taken} bytes");
}

#[test]
fn long_answers_of_sqlite_take_little_memory() {
    assert_long_answers_take_little_memory(shops::file("").source());
}

#[test]
fn long_answers_of_postgresql_take_little_memory() {
    let Some(database) = shops::database("") else { return };
    assert_long_answers_take_little_memory(&database.url());
}

#[test]
fn answers_that_are_short_have_a_length() {
    let file = shops::file("");
    let served = serve(file.source(), &[]);
    // It takes too long for the thread that serves it, and is not long itself.
    for query in ["{ allLines { totalCount } allParents(last: 3) { nodes { id } } }", LINES] {
        let reading = Reading::begin(served.send(query));
        assert_eq!(reading.is_chunked(), query == LINES, "{}", reading.head);
    }
}

#[test]
fn who_cannot_tell_the_end_of_a_part_gets_a_whole_answer() {
    let file = shops::file("");
    let served = serve(file.source(), &["--batching"]);
    let body = serde_json::json!({ "query": LINES }).to_string();
    let old = post("application/json", "", &body).replace("HTTP/1.1", "HTTP/1.0");
    let expected = shops::lines();
    let batch = post("application/json", "", &format!("[{body}]"));
    for (request, expected) in [(old, expected.clone()), (batch, format!("[{expected}]"))] {
        let mut stream = std::net::TcpStream::connect(served.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(&mut BufReader::new(stream), true);
        let length = expected.len().to_string();
        assert_eq!(answer.header("content-length"), Some(length.as_str()));
        assert!(answer.body == expected);
    }
}

#[test]
fn long_answers_are_compressed_on_the_way() {
    let file = shops::file("");
    let served = serve(file.source(), &[]);
    let query = "{ allLinesList(first: 9000) { id name } }";
    let expected = served.ask(query);
    for coding in ["gzip", "br", "zstd"] {
        let body = serde_json::json!({ "query": query }).to_string();
        let headers = format!("Accept-Encoding: {coding}\r\n");
        let mut stream = std::net::TcpStream::connect(served.address).unwrap();
        stream.write_all(post("application/json", &headers, &body).as_bytes()).unwrap();
        let mut reading = Reading::begin(stream);
        assert!(reading.is_chunked(), "{}", reading.head);
        assert!(reading.head.contains(&format!("content-encoding: {coding}\r\n")));
        let (bytes, ending) = reading.rest();
        assert_eq!(ending, Ending::Whole);
        assert!(bytes.len() < 500_000, "{}", bytes.len());
        let answer = decompress(coding, &bytes);
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
        assert!(answer == expected, "{coding}");
    }
}

fn decompress(coding: &str, bytes: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut all = Vec::new();
    match coding {
        "gzip" => flate2::read::GzDecoder::new(bytes).read_to_end(&mut all).unwrap(),
        "br" => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut all).unwrap(),
        _ => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut all).unwrap(),
    };
    all
}
