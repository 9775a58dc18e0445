//! A scripted server.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::spawn_local;

/// Address of the server, and what it recorded.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) port: u16,
    pub(crate) accepted: Rc<Cell<usize>>,
}

/// The server's end of a connection.
pub(crate) struct Connection<S = TcpStream> {
    pub(crate) stream: S,
    pending: Vec<u8>,
}

/// A received request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Starts a server that runs a script for each connection, with its number from 0.
    pub(crate) async fn start<F, R>(script: F) -> Self
    where
        F: Fn(usize, Connection) -> R + 'static,
        R: Future<Output = ()> + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepted = Rc::new(Cell::new(0));
        let seen = Rc::clone(&accepted);
        spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = seen.replace(seen.get() + 1);
                spawn_local(script(number, Connection::new(stream)));
            }
        });
        Self { url: format!("http://127.0.0.1:{port}/graphql"), port, accepted }
    }

    /// Starts a server that computes each response from the request, with kept-alive connections.
    pub(crate) async fn answering(text: impl Fn(&Request) -> String + 'static) -> Self {
        let text = Rc::new(text);
        Self::start(move |_, mut connection| {
            let text = Rc::clone(&text);
            async move {
                while let Some(request) = connection.request().await {
                    let text = text(&request);
                    connection.write(text.as_bytes()).await;
                }
            }
        })
        .await
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, pending: Vec::new() }
    }

    /// Returns the next request; `None` if the client has closed the connection.
    pub(crate) async fn request(&mut self) -> Option<Request> {
        let end = loop {
            if let Some(end) = find(&self.pending, b"\r\n\r\n") {
                break end + 4;
            }
            self.read().await?;
        };
        let head = String::from_utf8(self.pending.drain(..end).collect()).unwrap();
        let length = header(&head, "content-length").map_or(0, |text| text.parse().unwrap());
        while self.pending.len() < length {
            self.read().await?;
        }
        Some(Request { head, body: self.pending.drain(..length).collect() })
    }

    async fn read(&mut self) -> Option<()> {
        match self.stream.read_buf(&mut self.pending).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(()),
        }
    }

    /// Bytes that the client no longer reads are lost.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes).await);
        drop(self.stream.flush().await);
    }

    pub(crate) async fn answer(&mut self, body: &str) {
        self.write(json(body).as_bytes()).await;
    }
}

impl Connection {
    /// Closes the connection with a reset instead of an end.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().unwrap();
    }
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

/// A record for later assertions.
pub(crate) struct Seen<T>(Rc<RefCell<Vec<T>>>);

impl<T> Seen<T> {
    pub(crate) fn new() -> Self {
        Self(Rc::default())
    }

    pub(crate) fn add(&self, seen: T) {
        self.0.borrow_mut().push(seen);
    }

    pub(crate) fn take(&self) -> Vec<T> {
        self.0.take()
    }
}

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// A usual response.
pub(crate) fn json(body: &str) -> String {
    with("200 OK", "content-type: application/json\r\n", body)
}

/// A response with these headers and its length.
pub(crate) fn with(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(found, value)| found.eq_ignore_ascii_case(name).then_some(value.trim()))
}

fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}
