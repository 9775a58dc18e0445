//! More clients than there may be, or than there are file descriptors for.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::network::site::{
    ENDLESS, LIVE, SHORT, SHORT_ANSWER, Site, ask, assert_answers, happens_within, refusal, request,
};
use crate::program::{Folder, PATIENCE, read_answer};

/// Clients whose requests go on.
fn busy(site: &Site, count: usize) -> Vec<TcpStream> {
    let begin = |_| {
        let mut stream = site.connect();
        let request = request(SHORT);
        stream.write_all(&request[..request.len() - 3]).unwrap();
        stream
    };
    (0..count).map(begin).collect()
}

fn end(mut stream: TcpStream) {
    let request = request(SHORT);
    stream.write_all(&request[request.len() - 3..]).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(stream), true).body, SHORT_ANSWER);
}

#[test]
fn so_many_clients_are_served_and_one_more_is_told_to_come_again() {
    let site = Site::serve(&["--max-clients", "5"]);
    let mut clients = busy(&site, 4);
    // The fifth is served.
    site.assert_answers();
    clients.extend(busy(&site, 1));
    let mut beyond = site.connect();
    beyond.write_all(LIVE).unwrap();
    let answer = read_answer(&mut BufReader::new(beyond), true);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(
        answer.body,
        r#"{"errors":[{"message":"The server has 5 connections, as many as --max-clients allows; try again.","extensions":{"code":"TOO_MANY_CONNECTIONS"}}]}"#
    );
    assert_eq!(refusal(site.connect()), (503, "TOO_MANY_CONNECTIONS".to_owned()));
    assert!(site.log().contains("connections were refused"), "{}", site.log());
    // Those who were there first are served, and then there is room again.
    clients.into_iter().for_each(end);
    site.assert_answers();
}

#[test]
fn a_client_that_waits_for_nothing_makes_room_the_oldest_first() {
    let site = Site::serve(&["--max-clients", "3"]);
    let mut idle: Vec<TcpStream> = (0..3).map(|_| site.connect()).collect();
    for stream in &mut idle {
        assert_answers(stream);
    }
    site.assert_answers();
    let mut oldest = idle.remove(0);
    let mut rest = Vec::new();
    oldest.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    // The connection of the new client is gone again, so the others stay.
    for stream in &mut idle {
        assert_answers(stream);
    }
}

#[test]
fn threads_make_room_for_each_other() {
    let site = Site::serve(&["--max-clients", "4", "--threads", "4"]);
    for _ in 0..10 {
        let mut idle: Vec<TcpStream> = (0..4).map(|_| site.connect()).collect();
        for stream in &mut idle {
            assert_eq!(ask(stream, LIVE).status, 200);
        }
        site.assert_answers();
    }
}

#[test]
fn clients_that_say_nothing_make_room_after_a_moment() {
    let site = Site::serve(&["--max-clients", "20", "--header-timeout", "1h"]);
    let mut silent: Vec<TcpStream> = (0..20).map(|_| site.connect()).collect();
    for stream in &mut silent[..10] {
        stream.write_all(b"GET /gra").unwrap();
    }
    let served = happens_within(PATIENCE, || {
        let mut stream = site.connect();
        stream.write_all(LIVE).unwrap();
        read_answer(&mut BufReader::new(stream), true).status == 200
    });
    assert!(served);
}

#[test]
fn a_crowd_far_beyond_the_limit_is_answered_or_sent_away_and_the_server_lives() {
    let site = Site::serve(&["--max-clients", "10"]);
    let clients = busy(&site, 10);
    let crowd: Vec<TcpStream> = (0..400).map(|_| site.connect()).collect();
    let mut refused = 0;
    for mut stream in crowd {
        let mut answer = String::new();
        // Some may be closed so abruptly that the system tells nothing else.
        if stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 503") {
            refused += 1;
        }
    }
    assert!(refused > 300, "{refused}");
    clients.into_iter().for_each(end);
    site.assert_answers();
    let log = site.log();
    assert_eq!(log.matches("connections were refused").count(), 1, "{log}");
}

#[test]
fn few_file_descriptors_mean_few_clients_not_the_end() {
    let folder = Folder::new();
    let inner = Site::command(&folder, &["--connections", "1"]);
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -n 60; exec \"$0\" \"$@\"").arg(inner.get_program());
    command.args(inner.get_args());
    let site = Site::spawn(folder, command, 1);
    assert!(site.log().contains("too few files for so many clients"), "{}", site.log());
    let clients = busy(&site, 30);
    assert_eq!(refusal(site.connect()), (503, "TOO_MANY_CONNECTIONS".to_owned()));
    clients.into_iter().for_each(end);
    site.assert_answers();
}

/// Lets the process have so many more files than it has.
fn limit_descriptors(site: &Site, more: usize) {
    let limit = (site.descriptors() + more) as u64;
    let limit = rustix::process::Rlimit { current: Some(limit), maximum: Some(20_000) };
    let process = rustix::process::Pid::from_raw(site.child.id().try_into().unwrap());
    rustix::process::prlimit(process, rustix::process::Resource::Nofile, limit).unwrap();
}

#[test]
fn without_file_descriptors_open_connections_are_answered_and_new_ones_are_later() {
    let site = Site::serve(&["--connections", "1"]);
    site.assert_answers();
    let before = site.descriptors();
    limit_descriptors(&site, 10);
    let mut clients = busy(&site, 10);
    // No more can be accepted; they are told so, or wait for the system to have them accepted.
    let crowd: Vec<TcpStream> = (0..50).map(|_| site.connect()).collect();
    let last = crowd.last().unwrap();
    last.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(refusal(last), (503, "TOO_MANY_CONNECTIONS".to_owned()));
    let open = clients.pop().unwrap();
    end(open);
    clients.into_iter().for_each(end);
    drop(crowd);
    assert!(happens_within(PATIENCE, || site.descriptors() <= before), "{}", site.descriptors());
    for _ in 0..20 {
        site.assert_answers();
    }
    let log = site.log();
    assert_eq!(log.matches("no file descriptor is left").count(), 1, "{log}");
}

#[test]
fn without_file_descriptors_idle_connections_make_room() {
    let site = Site::serve(&["--connections", "1"]);
    site.assert_answers();
    limit_descriptors(&site, 5);
    let mut idle: Vec<TcpStream> = (0..5).map(|_| site.connect()).collect();
    for stream in &mut idle {
        assert_eq!(ask(stream, LIVE).status, 200);
    }
    for _ in 0..5 {
        site.assert_answers();
    }
}

#[test]
fn the_soft_limit_of_file_descriptors_is_raised() {
    let folder = Folder::new();
    let inner = Site::command(&folder, &["--connections", "1"]);
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -Sn 60; exec \"$0\" \"$@\"").arg(inner.get_program());
    command.args(inner.get_args());
    let site = Site::spawn(folder, command, 1);
    let clients = busy(&site, 100);
    site.assert_answers();
    clients.into_iter().for_each(end);
}

#[test]
fn a_client_that_left_makes_room_while_its_statement_is_ended() {
    let site = Site::serve(&["--max-clients", "2", "--connections", "2"]);
    for _ in 0..5 {
        let abandoned: Vec<TcpStream> = (0..2)
            .map(|_| {
                let mut stream = site.connect();
                stream.write_all(&request(ENDLESS)).unwrap();
                stream
            })
            .collect();
        std::thread::sleep(Duration::from_millis(100));
        drop(abandoned);
        let served = happens_within(PATIENCE, || {
            let mut stream = site.connect();
            stream.write_all(&request(SHORT)).unwrap();
            read_answer(&mut BufReader::new(stream), true).status == 200
        });
        assert!(served);
    }
}
