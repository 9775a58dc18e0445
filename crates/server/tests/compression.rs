//! Compressed answers and compressed requests, on raw sockets against the built program.

use std::fs;
use std::io::{BufReader, Read, Write};

use crate::program::{Answer, Folder, Server, post_bytes, read_answer};

const SMALL: &str = "{ artistById(id: 127) { id } }";
const SMALL_ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;
/// Some ten thousand bytes.
const MIDDLING: &str = "{ allTracksList(first: 100) { trackId name albumByAlbumId { title } } }";
/// Some hundreds of thousand bytes.
const LARGE: &str =
    "{ allTracksList { trackId name milliseconds composer albumByAlbumId { title } } }";

fn plain(server: &Server, query: &str) -> Vec<u8> {
    let answer = server.query("", query);
    assert_eq!((answer.status, answer.header("content-encoding")), (200, None));
    answer.bytes
}

fn query(server: &Server, accept_encoding: &str, query: &str) -> Answer {
    server.query(&format!("Accept-Encoding: {accept_encoding}\r\n"), query)
}

fn decompress(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    match coding {
        "gzip" => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text).unwrap(),
        "br" => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut text).unwrap(),
        "zstd" => zstd::stream::read::Decoder::new(bytes).unwrap().read_to_end(&mut text).unwrap(),
        _ => panic!("{coding} is none of the server's"),
    };
    text
}

fn compress(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let mut compressed = Vec::new();
    match coding {
        "gzip" => flate2::read::GzEncoder::new(bytes, level).read_to_end(&mut compressed).unwrap(),
        "deflate" => {
            flate2::read::ZlibEncoder::new(bytes, level).read_to_end(&mut compressed).unwrap()
        }
        "br" => {
            brotli::CompressorReader::new(bytes, 4096, 5, 22).read_to_end(&mut compressed).unwrap()
        }
        "zstd" => zstd::stream::read::Encoder::new(bytes, 3)
            .unwrap()
            .read_to_end(&mut compressed)
            .unwrap(),
        _ => panic!("{coding} is no coding"),
    };
    compressed
}

/// Sends a compressed JSON body.
fn send(server: &Server, coding: &str, body: &[u8]) -> Answer {
    let headers = format!("Content-Type: application/json\r\nContent-Encoding: {coding}\r\n");
    server.send(&post_bytes(&headers, body))
}

/// A JSON body with a request, padded by spaces to so many bytes.
fn padded(length: usize) -> Vec<u8> {
    let mut body = format!("{{\"query\":\"{SMALL}\"}}").into_bytes();
    body.resize(length, b' ');
    body
}

fn code(answer: &Answer) -> (u16, &str) {
    let code = answer.body.split("\"code\":\"").nth(1).and_then(|rest| rest.split('"').next());
    (answer.status, code.unwrap_or_default())
}

#[test]
fn answers_of_every_size_come_as_the_client_reads_them() {
    let server = Server::sample();
    for coding in ["gzip", "br", "zstd"] {
        for (document, is_chunked) in [(MIDDLING, false), (LARGE, true)] {
            let answer = query(&server, coding, document);
            assert_eq!((answer.status, answer.header("content-encoding")), (200, Some(coding)));
            assert_eq!(answer.header("transfer-encoding").is_some(), is_chunked, "{coding}");
            let plain = plain(&server, document);
            assert!(answer.bytes.len() < plain.len() / 3, "{} {coding}", answer.bytes.len());
            assert!(decompress(coding, &answer.bytes) == plain, "{coding}");
        }
    }
}

#[test]
fn the_best_of_the_client_is_taken_and_of_equals_the_best_of_the_server() {
    let server = Server::sample();
    for (accept_encoding, coding) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("gzip, br", Some("br")),
        ("gzip, zstd", Some("gzip")),
        ("zstd", Some("zstd")),
        ("zstd, gzip;q=0.9, br;q=0.9", Some("zstd")),
        ("gzip;q=1.0, br;q=0.9", Some("gzip")),
        ("*", Some("br")),
        ("deflate", None),
        ("gzip;q=0", None),
        ("identity, gzip;q=0.5", None),
    ] {
        let answer = query(&server, accept_encoding, MIDDLING);
        assert_eq!((answer.status, answer.header("content-encoding")), (200, coding));
    }
}

#[test]
fn small_answers_are_not_compressed_unless_the_client_reads_nothing_else() {
    let server = Server::sample();
    let answer = query(&server, "gzip, br, zstd", SMALL);
    assert_eq!((answer.body.as_str(), answer.header("content-encoding")), (SMALL_ANSWER, None));
    let answer = query(&server, "gzip, identity;q=0", SMALL);
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(decompress("gzip", &answer.bytes), SMALL_ANSWER.as_bytes());
    for accept_encoding in ["identity;q=0", "*;q=0", "deflate, *;q=0"] {
        let answer = query(&server, accept_encoding, SMALL);
        assert_eq!(code(&answer), (406, "BAD_USER_INPUT"), "{accept_encoding}");
    }
}

#[test]
fn an_answer_of_the_smallest_size_is_compressed_and_one_below_is_not() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let start = |options: &[&str]| {
        let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
        Server::start(&[demo.as_slice(), options].concat())
    };
    let size = SMALL_ANSWER.len().to_string();
    let server = start(&["--compression-min-size", &size]);
    assert_eq!(query(&server, "gzip", SMALL).header("content-encoding"), Some("gzip"));
    let above = (SMALL_ANSWER.len() + 1).to_string();
    let server = start(&["--compression-min-size", &above]);
    assert_eq!(query(&server, "gzip", SMALL).header("content-encoding"), None);
    // Only what the option names is used, the first of it first.
    let server = start(&["--compression", "gzip,br"]);
    assert_eq!(query(&server, "br, gzip, zstd", MIDDLING).header("content-encoding"), Some("gzip"));
    assert_eq!(query(&server, "zstd", MIDDLING).header("content-encoding"), None);
    let server = start(&["--compression", "off"]);
    assert_eq!(query(&server, "br, gzip, zstd", MIDDLING).header("content-encoding"), None);
    assert_eq!(query(&server, "gzip, identity;q=0", MIDDLING).status, 406);
}

#[test]
fn every_answer_says_what_it_depends_on_and_that_it_is_not_kept() {
    let server = Server::sample();
    let requests = [
        server.query("", SMALL),
        query(&server, "gzip", MIDDLING),
        server.query("Accept: text/html\r\n", SMALL),
        server.get("/health/live", ""),
        server.get("/nothing", ""),
    ];
    for answer in requests {
        assert_eq!(answer.header("vary"), Some("accept, accept-encoding"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}

#[test]
fn a_slow_reader_of_a_compressed_answer_holds_up_nobody() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let file = file.to_str().unwrap();
    let server =
        Server::start(&["demo", "--listen", "127.0.0.1:0", "--threads", "1", "--file", file]);
    let expected = plain(&server, LARGE);
    let mut slow = server.connect();
    let body = format!("{{\"query\":\"{LARGE}\"}}");
    let headers = "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n";
    slow.write_all(&post_bytes(headers, body.as_bytes())).unwrap();
    let mut slow = BufReader::new(slow);
    let mut first = [0; 1];
    slow.read_exact(&mut first).unwrap();
    assert_eq!(server.query("", SMALL).body, SMALL_ANSWER);
    let answer = read_answer(&mut first.chain(slow), true);
    assert!(decompress("gzip", &answer.bytes) == expected);
}

#[test]
fn compressed_requests_are_read() {
    let server = Server::sample();
    for coding in ["gzip", "x-gzip", "deflate", "br", "zstd", "GZIP"] {
        let body =
            compress(coding.trim_start_matches("x-").to_ascii_lowercase().as_str(), &padded(500));
        let answer = send(&server, coding, &body);
        assert_eq!((answer.status, answer.body.as_str()), (200, SMALL_ANSWER), "{coding}");
    }
    assert_eq!(send(&server, "identity", &padded(500)).body, SMALL_ANSWER);
}

#[test]
fn a_compressed_body_of_one_mebibyte_is_read_and_a_byte_more_is_413() {
    let server = Server::sample();
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let answer = send(&server, coding, &compress(coding, &padded(1 << 20)));
        assert_eq!((answer.status, answer.body.as_str()), (200, SMALL_ANSWER), "{coding}");
        let answer = send(&server, coding, &compress(coding, &padded((1 << 20) + 1)));
        assert_eq!(code(&answer), (413, "BODY_TOO_LARGE"), "{coding}");
    }
}

/// The most memory that the server has had so far.
fn peak_memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn a_bomb_takes_no_more_memory_than_the_largest_body() {
    let server = Server::sample();
    // 100 MiB as parts, each compressed for itself, and 8 MiB where there are no parts.
    let mebibyte = vec![b' '; 1 << 20];
    let bombs = [
        ("gzip", compress("gzip", &mebibyte).repeat(100)),
        ("zstd", compress("zstd", &mebibyte).repeat(100)),
        ("br", compress("br", &mebibyte.repeat(8))),
    ];
    for (coding, _) in &bombs {
        assert_eq!(send(&server, coding, &compress(coding, &padded(1 << 20))).status, 200);
    }
    let before = peak_memory(&server);
    for (coding, bomb) in &bombs {
        assert!(bomb.len() < 1 << 20);
        assert_eq!(code(&send(&server, coding, bomb)), (413, "BODY_TOO_LARGE"), "{coding}");
    }
    let grown = peak_memory(&server).saturating_sub(before);
    assert!(grown < 24 << 20, "it took {grown} bytes");
    assert_eq!(server.query("", SMALL).body, SMALL_ANSWER);
}

#[test]
fn what_is_cut_off_or_something_else_is_400() {
    let server = Server::sample();
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let body = compress(coding, &padded(500));
        let mut longer = body.clone();
        longer.extend_from_slice(b"more");
        for body in [&body[..body.len() - 1], &body[..10], &[], &padded(500), &longer] {
            let answer = send(&server, coding, body);
            assert_eq!(code(&answer), (400, "BAD_USER_INPUT"), "{coding}");
            assert!(answer.body.contains("not what its \\\"Content-Encoding\\\" says"), "{coding}");
        }
    }
}

#[test]
fn other_codings_are_415_and_those_that_are_read_are_named() {
    let server = Server::sample();
    let two = "gzip\r\nContent-Encoding: br";
    for coding in ["compress", "gzip, br", "gzip;q=1", "", two] {
        let answer = send(&server, coding, &padded(500));
        assert_eq!(code(&answer), (415, "BAD_USER_INPUT"), "{coding}");
        assert_eq!(answer.header("accept-encoding"), Some("gzip, deflate, br, zstd"), "{coding}");
    }
}

#[test]
fn a_body_that_does_not_come_is_408() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let file = file.to_str().unwrap();
    let demo = ["demo", "--listen", "127.0.0.1:0", "--file", file, "--body-timeout", "200ms"];
    let server = Server::start(&demo);
    for coding in ["identity", "gzip"] {
        let head = format!(
            "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
             Content-Encoding: {coding}\r\nContent-Length: 100\r\n\r\n"
        );
        assert_eq!(code(&server.send(head.as_bytes())), (408, "BODY_TIMEOUT"), "{coding}");
    }
}
