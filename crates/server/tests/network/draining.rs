//! How the server stops.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::network::site::{
    ENDLESS, LIVE, SHORT, SHORT_ANSWER, Site, ask, assert_answers, assert_lives, connect_by_path,
    happens_within, path, request,
};
use crate::program::{Folder, PATIENCE, read_answer};

fn begin(mut stream: impl Write) {
    let request = request(SHORT);
    stream.write_all(&request[..request.len() - 3]).unwrap();
}

fn end(mut stream: impl Read + Write) {
    let request = request(SHORT);
    stream.write_all(&request[request.len() - 3..]).unwrap();
    let answer = read_answer(&mut BufReader::new(stream), true);
    assert_eq!((answer.status, answer.body.as_str()), (200, SHORT_ANSWER));
    assert_eq!(answer.header("connection"), Some("close"));
}

#[test]
fn what_was_begun_is_answered_by_the_last_answer_of_its_connection() {
    let mut site = Site::serve(&["--threads", "2"]);
    let fresh: Vec<TcpStream> = (0..4).map(|_| site.connect()).collect();
    let mut kept: Vec<TcpStream> = (0..4).map(|_| site.connect()).collect();
    for stream in &mut kept {
        assert_answers(&mut *stream);
    }
    for stream in fresh.iter().chain(&kept) {
        begin(stream);
    }
    let mut idle = site.connect();
    assert_answers(&mut idle);
    thread::sleep(Duration::from_millis(100));
    site.signal("TERM");
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    fresh.into_iter().chain(kept).for_each(end);
    assert!(site.wait().success(), "{}", site.log());
    assert!(!site.log().contains("closed before"), "{}", site.log());
}

#[test]
fn no_request_is_lost_that_is_on_its_way_when_the_server_stops() {
    let mut site = Site::serve(&["--threads", "2"]);
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = site.connect();
            thread::spawn(move || {
                // One request after another, until an answer says that it is the last.
                let mut count = 0;
                loop {
                    let answer = ask(&mut stream, &request(SHORT));
                    assert_eq!((answer.status, answer.body.as_str()), (200, SHORT_ANSWER));
                    count += 1;
                    if answer.header("connection") == Some("close") {
                        return count;
                    }
                }
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    site.signal("TERM");
    for client in clients {
        assert!(client.join().unwrap() > 1);
    }
    assert!(site.wait().success(), "{}", site.log());
}

#[test]
fn what_takes_too_long_is_ended_and_said() {
    let mut site = Site::serve(&["--drain-timeout", "500ms"]);
    let mut endless = site.connect();
    endless.write_all(&request(ENDLESS)).unwrap();
    let half = site.connect();
    begin(&half);
    thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    site.signal("TERM");
    let mut rest = Vec::new();
    drop(endless.read_to_end(&mut rest));
    assert_eq!(rest, b"");
    assert!(site.wait().success());
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    let log = site.log();
    assert!(log.contains("connections were closed before their requests were answered"), "{log}");
    assert!(log.contains("count=2"), "{log}");
}

#[test]
fn requests_are_taken_for_a_while_after_the_signal_if_that_is_wanted() {
    let mut site = Site::serve(&["--drain-delay", "1s"]);
    site.signal("TERM");
    assert!(happens_within(PATIENCE, || site.log().contains("stopping soon")), "{}", site.log());
    site.assert_answers();
    let ready = b"GET /health/ready HTTP/1.1\r\nHost: test\r\n\r\n";
    assert_eq!(ask(site.connect(), ready).status, 503);
    let begun = site.connect();
    begin(&begun);
    assert!(happens_within(PATIENCE, || site.log().contains("stopping: ")), "{}", site.log());
    end(begun);
    assert!(site.wait().success());
}

#[test]
fn a_second_signal_ends_the_wait_too() {
    let mut site = Site::serve(&["--drain-delay", "1h"]);
    site.signal("TERM");
    assert!(happens_within(PATIENCE, || site.log().contains("stopping soon")), "{}", site.log());
    site.signal("TERM");
    assert!(site.wait().success());
}

#[test]
fn unix_sockets_are_drained_too() {
    let folder = Folder::new();
    let listen = format!("unix:{}", folder.file("a.sock").display());
    let mut site = Site::start(folder, &listen, &[]);
    let socket = path(&site.places[0]);
    let mut begun = connect_by_path(&socket);
    begun.write_all(&LIVE[..LIVE.len() - 2]).unwrap();
    let mut kept = connect_by_path(&socket);
    assert_lives(&mut kept);
    thread::sleep(Duration::from_millis(100));
    site.signal("TERM");
    let gone = happens_within(PATIENCE, || !socket.exists());
    assert!(gone);
    let mut rest = Vec::new();
    kept.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    begun.write_all(&LIVE[LIVE.len() - 2..]).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(begun), true).header("connection"), Some("close"));
    assert!(site.wait().success());
}
