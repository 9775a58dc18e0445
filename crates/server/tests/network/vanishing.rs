//! Clients that go away: nothing of them stays behind.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::network::site::{ENDLESS, LONG, SHORT, Site, happens_within, request};
use crate::program::PATIENCE;

/// How a client goes.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// It closes the connection.
    Closes,
    /// It resets the connection, as a program that is killed may.
    Resets,
    /// It says that it will send no more.
    EndsSending,
}

fn leave(stream: TcpStream, way: Way) -> Option<TcpStream> {
    match way {
        Way::Closes => drop(stream),
        Way::Resets => SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap(),
        Way::EndsSending => {
            // The server may have reset it already.
            drop(stream.shutdown(Shutdown::Write));
            return Some(stream);
        }
    }
    None
}

#[test]
fn hundreds_of_clients_that_vanish_leave_nothing_behind() {
    let site = Site::serve(&["--threads", "2", "--connections", "2"]);
    // Each thread has opened its connection to the database before the count.
    for _ in 0..20 {
        site.assert_answers();
    }
    let before = site.described_descriptors();
    // Long requests may open the second of their two connections to the database, and keep it.
    let others = |all: &[PathBuf]| all.iter().filter(|path| !path.ends_with("tables.db")).count();
    let (most_files, most_others) = (2 + 2, others(&before));
    let short = request(SHORT);
    let moments: [(&str, usize, Vec<u8>); 6] = [
        ("at once", 60, Vec::new()),
        ("in the head", 60, short[..30].to_vec()),
        ("in the body", 60, short[..short.len() - 5].to_vec()),
        ("before the answer", 60, short.clone()),
        ("in the statement", 60, request(ENDLESS)),
        ("in the answer", 20, request(LONG)),
    ];
    for (moment, count, bytes) in &moments {
        for way in [Way::Closes, Way::Resets, Way::EndsSending] {
            let mut half_closed = Vec::new();
            for number in 0..*count {
                let mut stream = site.connect();
                stream.write_all(bytes).unwrap();
                if *moment == "in the answer" && number % 10 == 0 {
                    drop(stream.read(&mut [0; 1000]));
                } else if number % 10 == 0 {
                    thread::sleep(Duration::from_millis(2));
                }
                half_closed.extend(leave(stream, way));
            }
            drop(half_closed);
        }
        let mut after = Vec::new();
        let all_gone = happens_within(PATIENCE, || {
            after = site.described_descriptors();
            let count = others(&after);
            count <= most_others && after.len() - count <= most_files
        });
        assert!(all_gone, "{moment}: before {before:#?}, after {after:#?}");
        site.assert_answers();
    }
}

#[test]
fn a_client_that_only_says_that_it_sends_no_more_ends_its_request() {
    let site = Site::serve(&["--connections", "1"]);
    let mut stream = site.connect();
    stream.write_all(&request(ENDLESS)).unwrap();
    thread::sleep(Duration::from_millis(100));
    stream.shutdown(Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    // The only connection to the database is free again.
    site.assert_answers();
}
