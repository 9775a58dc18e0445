//! Raw bytes for the built program, over sockets: heads, chunked and compressed bodies, query
//! strings, several requests on one connection.
//!
//! `THALWEG_FUZZ_SECONDS` and `THALWEG_FUZZ_SEED` as for every target, see `testkit::fuzz`.

mod answers;
mod attacked;
mod frames;

use std::path::Path;

use testkit::fuzz::{Choices, Target, mutate};

use self::attacked::Attacked;

/// What means something to HTTP, to the server, to JSON or to URLs.
const PIECES: [&[u8]; 64] = [
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"\r\n ",
    b":",
    b" ",
    b"\t",
    b"\0",
    b"\x7f",
    b"\xff",
    b"%",
    b"%00",
    b"%ff",
    b"%2",
    b"+",
    b"&",
    b"&query=",
    b"&variables=",
    b"&variables=null",
    b"&extensions={}",
    b"?",
    b"#",
    b"//",
    b"/../",
    b"*",
    b"GET ",
    b"POST ",
    b"HEAD /graphql?query={__typename} HTTP/1.1\r\nHost: a\r\n\r\n",
    b"OPTIONS ",
    b"CONNECT ",
    b" HTTP/1.1",
    b" HTTP/1.0",
    b" HTTP/2.0",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"Host: a\r\nHost: b\r\n",
    b"Content-Length: 0\r\n",
    b"Content-Length: 18446744073709551616\r\n",
    b"Content-Length: -1\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"0\r\n\r\n",
    b"ffffffffffffffff\r\n",
    b"1;a=b\r\n{\r\n",
    b"Content-Encoding: gzip\r\n",
    b"Content-Encoding: br, zstd\r\n",
    b"Accept-Encoding: gzip;q=0.5, br, zstd, *;q=0\r\n",
    b"Content-Type: application/json; charset=utf-16\r\n",
    b"Content-Type: text/plain\r\n",
    b"Accept: application/graphql-response+json;q=0.1, */*;q=0\r\n",
    b"Connection: close\r\n",
    b"Connection: upgrade\r\nUpgrade: h2c\r\n",
    b"Expect: 100-continue\r\n",
    b"Sec-Fetch-Site: cross-site\r\n",
    b"Origin: null\r\n",
    b"traceparent: 00-00000000000000000000000000000000-0000000000000000-ff\r\n",
    b"x-request-id: \xc3\xa9\r\n",
    b"{\"query\":\"{__typename}\"}",
    b"Accept: text/event-stream\r\n",
    b"Sec-WebSocket-Protocol: graphql-ws\r\n",
    // Frames of WebSockets, with a mask that changes nothing.
    b"\x89\x80\0\0\0\0",
    b"\x81\x8f\0\0\0\0{\"type\":\"ping\"}",
    b"\x01\xff\0\0\0\0\xff\xff\xff\xff",
    b"\x82\xfe\0\x01\0\0\0\0",
];

#[test]
fn whatever_bytes_come_are_answered_or_refused_and_the_program_lives_on() {
    let attacked = Attacked::start();
    let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
        let mut input = Vec::new();
        for _ in 0..=choices.below(3) {
            let mut request = choices.pick(seeds).cloned().unwrap_or_default();
            if choices.chance(80) {
                mutate::mutate(&mut request, &PIECES, choices);
            }
            input.extend_from_slice(&request);
        }
        input
    };
    let check = |input: &[u8]| attacked.check(input);
    let target = Target { name: "http", cases: 600, make: &make, check: &check };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    if let Err(error) = target.run(&fixtures) {
        panic!("{error}");
    }
    attacked.assert_saw_all_kinds();
}
