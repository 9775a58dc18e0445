//! Clients that do not read.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::network::site::{LIVE, LONG, SHORT, Site, happens_within, request};
use crate::program::{PATIENCE, read_answer};

/// A client with a small buffer of its own, which has asked for a long answer.
fn ask_for_much(site: &Site, buffer: usize) -> TcpStream {
    let mut stream = site.connect();
    SockRef::from(&stream).set_recv_buffer_size(buffer).unwrap();
    stream.write_all(&request(LONG)).unwrap();
    stream
}

#[test]
fn a_client_that_never_reads_is_let_go() {
    let site = Site::serve(&["--stall-timeout", "500ms"]);
    let before = site.descriptors();
    let stalled: Vec<TcpStream> = (0..4).map(|_| ask_for_much(&site, 16 * 1024)).collect();
    site.assert_answers();
    let line = "connection reset: the client does not read its response";
    assert!(happens_within(PATIENCE, || site.log().matches(line).count() == 4), "{}", site.log());
    // Its database keeps a connection that it may have opened meanwhile, with its two files.
    let gone = || site.descriptors() <= before + 12;
    assert!(happens_within(PATIENCE, gone), "{before} {}", site.descriptors());
    site.assert_answers();
    drop(stalled);
}

#[test]
fn a_client_that_reads_slowly_gets_its_answer() {
    let site = Site::serve(&["--stall-timeout", "3s"]);
    let mut stream = ask_for_much(&site, 256 * 1024);
    // For longer than the time that it may take nothing.
    let mut answer = vec![0; 4_000_000];
    for part in answer.chunks_mut(100_000) {
        stream.read_exact(part).unwrap();
        thread::sleep(Duration::from_millis(100));
    }
    let mut reader = BufReader::new(stream);
    let mut rest = Vec::new();
    let (mut length, goal) = (4_000_000, 8_000_000);
    while length < goal {
        rest.resize(1_000_000, 0);
        length += reader.read(&mut rest).unwrap();
    }
    assert!(answer.starts_with(b"HTTP/1.1 200 OK"));
    assert!(!site.log().contains("connection reset"), "{}", site.log());
}

#[test]
fn a_client_that_asks_without_end_and_never_reads_is_let_go() {
    let site = Site::serve(&["--stall-timeout", "500ms"]);
    let mut stream = site.connect();
    SockRef::from(&stream).set_recv_buffer_size(16 * 1024).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    let requests = request(LONG).repeat(1000);
    let mut sent = 0;
    // The server stops to read long before it has all these requests in memory.
    let error = loop {
        match stream.write(&requests) {
            Ok(count) => sent += count,
            Err(error) => break error,
        }
    };
    assert!(sent < 50_000_000, "{sent}: {error}");
    assert!(happens_within(PATIENCE, || site.log().contains("connection reset")), "{}", site.log());
    site.assert_answers();
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let site = Site::serve(&[]);
    let mut stream = site.connect();
    let mut requests = Vec::new();
    for _ in 0..100 {
        requests.extend_from_slice(&request(SHORT));
        requests.extend_from_slice(LIVE);
    }
    let mut sender = stream.try_clone().unwrap();
    let sending = thread::spawn(move || sender.write_all(&requests).unwrap());
    let mut reader = BufReader::new(&mut stream);
    for _ in 0..100 {
        assert_eq!(read_answer(&mut reader, true).body, crate::network::site::SHORT_ANSWER);
        assert_eq!(read_answer(&mut reader, true).body, crate::network::site::LIVES);
    }
    sending.join().unwrap();
}
