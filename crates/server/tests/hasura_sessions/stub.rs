//! An HTTP server that answers as a test says, and keeps the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request: its head in lower case, and its body.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) head: String,
    pub(super) body: String,
}

/// Makes the whole text of a response.
type Says = Arc<Mutex<Box<dyn Fn(&Question) -> String + Send>>>;

pub(super) struct Stub {
    pub(super) address: SocketAddr,
    says: Says,
    questions: Arc<Mutex<Vec<Question>>>,
}

impl Stub {
    pub(super) fn serve(says: impl Fn(&Question) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let says: Says = Arc::new(Mutex::new(Box::new(says)));
        let questions = Arc::new(Mutex::new(Vec::new()));
        let (now, kept) = (Arc::clone(&says), Arc::clone(&questions));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (now, kept) = (Arc::clone(&now), Arc::clone(&kept));
                thread::spawn(move || drop(answer(stream, &now, &kept)));
            }
        });
        Self { address, says, questions }
    }

    /// Answers otherwise from now on.
    pub(super) fn say(&self, says: impl Fn(&Question) -> String + Send + 'static) {
        *self.says.lock().unwrap() = Box::new(says);
    }

    /// The requests that came since the last call.
    pub(super) fn take(&self) -> Vec<Question> {
        std::mem::take(&mut *self.questions.lock().unwrap())
    }
}

fn answer(stream: TcpStream, says: &Says, kept: &Mutex<Vec<Question>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body)?;
    let question = Question { head, body: String::from_utf8(body).unwrap() };
    kept.lock().unwrap().push(question.clone());
    let text = says.lock().unwrap()(&question);
    reader.get_mut().write_all(text.as_bytes())
}

/// A response with a JSON body; the connection ends after it.
pub(super) fn response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n{headers}\r\n{body}",
        body.len()
    )
}
