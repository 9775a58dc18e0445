//! A client for one server of this machine: one connection, one request at a time.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any query of the corpus takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A connection that is kept alive between requests.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

/// A server did not answer as GraphQL servers do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error(transparent)]
    Connection(#[from] io::Error),
    #[error("the answer's head makes no sense: {0:?}")]
    Head(String),
    #[error("the answer is not JSON: {0}")]
    Json(String),
}

/// Status and body of a response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// An answer, and when it came.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) answer: Answer,
    /// From the request to the first byte of the body.
    pub(crate) first_byte: Duration,
    /// To the last one.
    pub(crate) whole: Duration,
}

/// An answer with the position of its change, which a query may then wait for.
#[derive(Debug)]
pub(crate) struct Positioned {
    pub(crate) answer: Answer,
    pub(crate) position: Option<String>,
}

/// The head of a response.
struct Head {
    status: u16,
    length: Length,
    position: Option<String>,
}

/// The length of a response body.
enum Length {
    Known(usize),
    Chunked,
    UntilClosed,
}

impl Connection {
    pub(crate) fn open(port: u16) -> Result<Self, HttpError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Asks an operation and reads the answer's JSON, whatever its status.
    pub(crate) fn ask(&mut self, body: &Value) -> Result<Value, HttpError> {
        self.ask_as(body, None)
    }

    /// Sends an operation with a token, if there is one.
    pub(crate) fn ask_as(&mut self, body: &Value, token: Option<&str>) -> Result<Value, HttpError> {
        let header = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        let request = request_with("/graphql", &body.to_string(), &header.unwrap_or_default());
        self.stream.get_mut().write_all(request.as_bytes())?;
        let text = self.read_answer()?.answer.body;
        serde_json::from_slice(&text)
            .map_err(|_| HttpError::Json(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Sends one body and reads another.
    pub(crate) fn post(&mut self, body: &str) -> Result<Vec<u8>, HttpError> {
        self.post_to("/graphql", body).map(|answer| answer.body)
    }

    /// Posts a body as [`Self::post`] does, with further lines of the head, each of which ends in a
    /// line break.
    pub(crate) fn post_with(&mut self, body: &str, head: &str) -> Result<Vec<u8>, HttpError> {
        self.stream.get_mut().write_all(request_with("/graphql", body, head).as_bytes())?;
        Ok(self.read_answer()?.answer.body)
    }

    /// Posts a body, which reads what has been changed up to a position.
    pub(crate) fn post_after(
        &mut self,
        body: &str,
        position: Option<&str>,
    ) -> Result<Positioned, HttpError> {
        let head = position.map(|position| format!("Thalweg-Position: {position}\r\n"));
        let request = request_with("/graphql", body, &head.unwrap_or_default());
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.read_answer()
    }

    /// Sends one body to a path and reads what comes back.
    pub(crate) fn post_to(&mut self, path: &str, body: &str) -> Result<Answer, HttpError> {
        let request = request(path, body);
        self.stream.get_mut().write_all(request.as_bytes())?;
        Ok(self.read_answer()?.answer)
    }

    /// Asks for what is at a path.
    pub(crate) fn get(&mut self, path: &str) -> Result<Answer, HttpError> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host()?);
        self.stream.get_mut().write_all(request.as_bytes())?;
        Ok(self.read_answer()?.answer)
    }

    /// The server as a URL names it: some servers build URLs of it.
    fn host(&self) -> io::Result<SocketAddr> {
        self.stream.get_ref().peer_addr()
    }

    /// Sends one body to the usual path, and times the response.
    pub(crate) fn post_timed(&mut self, body: &str) -> Result<Timed, HttpError> {
        let started = Instant::now();
        self.stream.get_mut().write_all(request("/graphql", body).as_bytes())?;
        let head = self.read_head()?;
        self.stream.fill_buf()?;
        let first_byte = started.elapsed();
        let body = self.read_body(&head.length)?;
        let answer = Answer { status: head.status, body };
        Ok(Timed { answer, first_byte, whole: started.elapsed() })
    }

    fn read_answer(&mut self) -> Result<Positioned, HttpError> {
        let Head { status, length, position } = self.read_head()?;
        let answer = Answer { status, body: self.read_body(&length)? };
        Ok(Positioned { answer, position })
    }

    fn read_head(&mut self) -> Result<Head, HttpError> {
        let line = self.read_line()?;
        let digits = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
        let Some(status) = digits.and_then(|digits| digits.parse().ok()) else {
            return Err(HttpError::Head(line));
        };
        let (mut length, mut position) = (Length::UntilClosed, None);
        loop {
            let line = self.read_line()?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok(Head { status, length, position });
            }
            let Some((name, value)) = line.split_once(':') else {
                return Err(HttpError::Head(line));
            };
            match (name, value.trim()) {
                ("content-length", text) => {
                    let bytes = text.parse().map_err(|_| HttpError::Head(line.clone()))?;
                    length = Length::Known(bytes);
                }
                ("transfer-encoding", "chunked") => length = Length::Chunked,
                ("thalweg-position", text) => position = Some(text.to_owned()),
                _ => {}
            }
        }
    }

    fn read_body(&mut self, length: &Length) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        match length {
            Length::Known(bytes) => self.read_bytes(*bytes, &mut body)?,
            Length::UntilClosed => {
                self.stream.read_to_end(&mut body)?;
            }
            Length::Chunked => loop {
                let line = self.read_line()?;
                let digits = line.split(';').next().unwrap_or_default().trim();
                let bytes =
                    usize::from_str_radix(digits, 16).map_err(|_| HttpError::Head(line.clone()))?;
                self.read_bytes(bytes, &mut body)?;
                // The line break after each piece; after the last one it ends the body.
                self.read_line()?;
                if bytes == 0 {
                    break;
                }
            },
        }
        Ok(body)
    }

    fn read_bytes(&mut self, bytes: usize, body: &mut Vec<u8>) -> Result<(), HttpError> {
        let start = body.len();
        body.resize(start + bytes, 0);
        self.stream.read_exact(&mut body[start..])?;
        Ok(())
    }

    fn read_line(&mut self) -> Result<String, HttpError> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(line.trim_end().to_owned())
    }
}

/// A request as it is sent.
pub(crate) fn request(path: &str, body: &str) -> String {
    request_with(path, body, "")
}

/// A request with more headers, each with its end of line.
fn request_with(path: &str, body: &str, headers: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
