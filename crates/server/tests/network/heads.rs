//! Heads that come slowly, are too large, are none.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use crate::network::site::{SHORT, SHORT_ANSWER, Site, refusal, request};
use crate::program::{PATIENCE, read_answer};

#[test]
fn a_part_of_a_head_is_answered_when_its_time_is_up_and_nothing_is_closed_silently() {
    let site = Site::serve(&["--header-timeout", "300ms"]);
    let mut half = site.connect();
    half.write_all(b"POST /graphql HTTP/1.1\r\nHost: te").unwrap();
    let mut silent = site.connect();
    assert_eq!(refusal(half), (408, "HEADER_TIMEOUT".to_owned()));
    let mut rest = Vec::new();
    silent.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    assert!(site.log().contains("HeadTimeout"));
    site.assert_answers();
}

#[test]
fn the_time_of_a_head_is_that_of_the_whole_head() {
    let site = Site::serve(&["--header-timeout", "500ms"]);
    let mut slow = site.connect();
    let mut reader = slow.try_clone().unwrap();
    let trickle = thread::spawn(move || {
        // Until the server closes; it takes a moment to be noticed.
        while slow.write_all(b"a").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let answer = read_answer(&mut BufReader::new(&mut reader), true);
    assert_eq!(answer.status, 408);
    drop(reader);
    trickle.join().unwrap();
}

/// Sends a request byte by byte.
fn trickle(stream: &mut TcpStream, bytes: &[u8]) {
    stream.set_nodelay(true).unwrap();
    for byte in bytes {
        stream.write_all(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let site = Site::serve(&[]);
    let mut stream = site.connect();
    // Twice: the connection is kept.
    for _ in 0..2 {
        trickle(&mut stream, &request(SHORT));
        let answer = read_answer(&mut BufReader::new(stream.try_clone().unwrap()), true);
        assert_eq!(answer.body, SHORT_ANSWER);
    }
}

#[test]
fn a_connection_is_kept_for_its_own_time_which_begins_with_each_answer() {
    let site = Site::serve(&["--header-timeout", "200ms", "--keep-alive-timeout", "1s"]);
    let mut stream = site.connect();
    // Each pause is longer than the time of a head.
    for _ in 0..4 {
        stream.write_all(&request(SHORT)).unwrap();
        let answer = read_answer(&mut BufReader::new(stream.try_clone().unwrap()), true);
        assert_eq!(answer.body, SHORT_ANSWER);
        thread::sleep(Duration::from_millis(400));
    }
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
}

#[test]
fn the_head_of_a_later_request_has_its_own_time_too() {
    let site = Site::serve(&["--header-timeout", "300ms", "--keep-alive-timeout", "1h"]);
    let mut stream = site.connect();
    stream.write_all(&request(SHORT)).unwrap();
    let answer = read_answer(&mut BufReader::new(stream.try_clone().unwrap()), true);
    assert_eq!(answer.body, SHORT_ANSWER);
    stream.write_all(b"GET /graphql HT").unwrap();
    assert_eq!(refusal(stream), (408, "HEADER_TIMEOUT".to_owned()));
}

/// A request whose head has so many bytes.
fn head(length: usize) -> Vec<u8> {
    let begin = "GET /health/live HTTP/1.1\r\nHost: test\r\nX-Padding: ";
    let padding = "a".repeat(length - begin.len() - 4);
    format!("{begin}{padding}\r\n\r\n").into_bytes()
}

#[test]
fn a_head_of_64_kibibytes_is_read_and_a_byte_more_is_431() {
    let site = Site::serve(&[]);
    let ask = |length| {
        let mut stream = site.connect();
        stream.write_all(&head(length)).unwrap();
        stream
    };
    let mut reader = BufReader::new(ask(64 * 1024));
    assert_eq!(read_answer(&mut reader, true).status, 200);
    assert_eq!(refusal(ask(64 * 1024 + 1)), (431, "HEADER_TOO_LARGE".to_owned()));
    // One that goes on long after the answer gets the answer nevertheless.
    assert_eq!(refusal(ask(4 * 1024 * 1024)), (431, "HEADER_TOO_LARGE".to_owned()));
}

#[test]
fn the_size_of_heads_is_an_option() {
    let site = Site::serve(&["--max-header-size", "1MiB"]);
    let mut stream = site.connect();
    stream.write_all(&head(1024 * 1024)).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(stream), true).status, 200);
    let mut stream = site.connect();
    let target = "a".repeat(70_000);
    stream.write_all(format!("GET /{target} HTTP/1.1\r\nHost: test\r\n\r\n").as_bytes()).unwrap();
    assert_eq!(refusal(stream), (414, "HEADER_TOO_LARGE".to_owned()));
}

#[test]
fn a_hundred_fields_are_read_and_more_are_431() {
    let site = Site::serve(&[]);
    let ask = |count: usize| {
        let mut stream = site.connect();
        let others = "X-Field: a\r\n".repeat(count - 1);
        let request = format!("GET /health/live HTTP/1.1\r\nHost: test\r\n{others}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    assert_eq!(read_answer(&mut BufReader::new(ask(100)), true).status, 200);
    assert_eq!(refusal(ask(101)), (431, "HEADER_TOO_LARGE".to_owned()));
}

#[test]
fn what_is_no_request_of_http_1_is_400() {
    let site = Site::serve(&[]);
    let noise: [&[u8]; 3] =
        [b"\x16\x03\x01\x00\xa5\r\n\r\n", b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"];
    for noise in noise {
        let mut stream = site.connect();
        stream.write_all(noise).unwrap();
        assert_eq!(refusal(stream), (400, "BAD_USER_INPUT".to_owned()), "{noise:?}");
    }
    // After a request that was answered, too.
    let mut stream = site.connect();
    stream.write_all(&request(SHORT)).unwrap();
    let answer = read_answer(&mut BufReader::new(stream.try_clone().unwrap()), true);
    assert_eq!(answer.body, SHORT_ANSWER);
    stream.write_all(b"noise\r\n\r\n").unwrap();
    assert_eq!(refusal(stream), (400, "BAD_USER_INPUT".to_owned()));
}

#[test]
fn three_hundred_half_open_connections_disturb_nobody() {
    let site = Site::serve(&["--header-timeout", "1h"]);
    let mut halves = Vec::new();
    for number in 0..300 {
        let mut half = site.connect();
        match number % 3 {
            0 => {}
            1 => half.write_all(b"POST /graphql HTTP/1.1\r\nHost: te").unwrap(),
            _ => {
                let request = request(SHORT);
                half.write_all(&request[..request.len() - 3]).unwrap();
            }
        }
        halves.push(half);
    }
    for _ in 0..50 {
        site.assert_answers();
    }
    // They were not given up: those that finish are answered.
    for half in halves.iter_mut().skip(2).step_by(3) {
        let request = request(SHORT);
        half.write_all(&request[request.len() - 3..]).unwrap();
        let answer = read_answer(&mut BufReader::new(half), true);
        assert_eq!(answer.body, SHORT_ANSWER);
    }
    drop(halves);
    let all_gone = crate::network::site::happens_within(PATIENCE, || site.descriptors() < 100);
    assert!(all_gone, "{}", site.descriptors());
}
