//! `thalweg health`, which images ask instead of a browser.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::program::{Folder, Server, outcome, run};

fn check(listen: &str, expected: (i32, &str, &str)) {
    let (code, output, error) = outcome(&run(&["health", "--listen", listen]));
    let error = error.replace(listen, "ADDRESS");
    assert_eq!((code, output.as_str(), error.as_str()), (Some(expected.0), expected.1, expected.2));
}

#[test]
fn a_server_that_is_ready_is_said_to_be_by_every_address() {
    let folder = Folder::new();
    let socket = format!("unix:{}", folder.file("thalweg.sock").display());
    let file = folder.file("shop.db");
    let listen = format!("127.0.0.1:0,{socket}");
    let server = Server::start(&["demo", "--listen", &listen, "--file", file.to_str().unwrap()]);
    let body = "{\"status\":\"ready\"}\n";
    check(&server.address.to_string(), (0, body, ""));
    check(&socket, (0, body, ""));
    // Nobody listens at the first: a server may speak TLS there, and a Unix socket has none.
    check(&format!("127.0.0.1:9,{socket}"), (0, body, ""));
}

#[test]
fn a_server_that_does_not_answer_is_not_ready() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error =
        "error: the server at ADDRESS cannot be reached: Connection refused (os error 111)\n";
    check(&address, (1, "", error));
}

#[test]
fn a_server_that_answers_otherwise_is_not_ready() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let other = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).unwrap();
        assert!(request[..length].starts_with(b"GET /health/ready HTTP/1.1\r\n"));
        stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\nlater").unwrap();
    });
    let error =
        "error: the server at ADDRESS is not ready: HTTP/1.1 503 Service Unavailable: later\n";
    check(&address, (1, "", error));
    other.join().unwrap();
}
