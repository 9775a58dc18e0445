//! A service for tests: a program in the place of Thalweg, and a server with prepared answers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use super::{Database, Service};

/// It migrates all datamodels but those that are called so, some only by force, and prints a schema
/// for each.
const PROGRAM: &str = "#!/bin/sh
case $1 in
  migrate) if grep -q Refused \"$2\"; then echo 'The type is refused.' >&2; exit 1; fi
    if grep -q Lossy \"$2\"; then
      echo 'Values are lost.' >&2
      if [ \"$7\" != --allow-loss ]; then exit 1; fi
    fi
    : > \"$6\";;
  serve) echo 'serving at http://ADDRESS/' >&2; exec sleep 60;;
  schema) echo 'type Query {'; echo '  a(x: Int): Int'; echo '}';;
esac
";

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A service whose server gives these answers, one after another.
pub(crate) fn service(answers: &[&str]) -> Service {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    thread::spawn(move || {
        for answer in answers {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            while !is_whole(&request) {
                match stream.read(&mut buffer) {
                    Ok(count @ 1..) => request.extend_from_slice(&buffer[..count]),
                    _ => return,
                }
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = answer.len();
            let response = format!("{head}\r\ncontent-length: {length}\r\n\r\n{answer}");
            drop(stream.write_all(response.as_bytes()));
        }
    });
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder =
        std::env::temp_dir().join(format!("prisma-cases-test-{}-{number}", std::process::id()));
    let program = folder.join("thalweg.sh");
    let service = Service::new(program.clone(), folder, Database::Sqlite).expect("a service");
    fs::write(&program, PROGRAM.replace("ADDRESS", &address)).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    service
}

/// A request has its whole body.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0_usize)
}
