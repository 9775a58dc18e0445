//! Client of NATS: <https://docs.nats.io/reference/reference-protocols/nats-protocol>.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::Broker;

/// Longer than everything that a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection.
#[derive(Debug)]
pub struct Client {
    reader: BufReader<TcpStream>,
}

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub subject: String,
    pub reply: Option<String>,
    pub payload: String,
}

impl Client {
    /// Connects with options of `CONNECT`, as JSON.
    pub fn connect_with(broker: &Broker, options: &str) -> io::Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, broker.port()))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut client = Self { reader: BufReader::new(stream) };
        client.send(&format!("CONNECT {options}\r\n"))?;
        client.flush()?;
        Ok(client)
    }

    pub fn connect(broker: &Broker) -> io::Result<Self> {
        Self::connect_with(broker, r#"{"verbose":false,"pedantic":false}"#)
    }

    /// Publishes a message, and waits until the server has it.
    pub fn publish(&mut self, subject: &str, payload: &str) -> io::Result<()> {
        self.send(&format!("PUB {subject} {}\r\n{payload}\r\n", payload.len()))?;
        self.flush()
    }

    /// Subscribes to a subject.
    pub fn subscribe(&mut self, subject: &str) -> io::Result<()> {
        self.send(&format!("SUB {subject} 1\r\n"))?;
        self.flush()
    }

    /// Waits for the next message.
    pub fn receive(&mut self) -> io::Result<Message> {
        loop {
            let line = self.line()?;
            let mut words = line.split_whitespace();
            if words.next() != Some("MSG") {
                continue;
            }
            let words: Vec<&str> = words.collect();
            let (subject, reply, length) = match *words.as_slice() {
                [subject, _, length] => (subject, None, length),
                [subject, _, reply, length] => (subject, Some(reply.to_owned()), length),
                _ => return Err(io::Error::other(line)),
            };
            let length: usize = length.parse().map_err(io::Error::other)?;
            let mut payload = vec![0; length + 2];
            self.reader.read_exact(&mut payload)?;
            payload.truncate(length);
            let payload = String::from_utf8_lossy(&payload).into_owned();
            return Ok(Message { subject: subject.to_owned(), reply, payload });
        }
    }

    /// Responds to each request with a subject, on another thread, until the connection ends.
    pub fn respond(mut self, subject: &str, response: &'static str) -> io::Result<()> {
        self.subscribe(subject)?;
        thread::spawn(move || {
            while let Ok(Message { reply: Some(reply), .. }) = self.receive() {
                // Without a flush, which would skip the next request.
                let publication = format!("PUB {reply} {}\r\n{response}\r\n", response.len());
                if self.send(&publication).is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    /// Sends a request and returns the response.
    pub fn request(&mut self, subject: &str, payload: &str) -> io::Result<String> {
        let inbox = format!("_INBOX.{}", std::process::id());
        self.send(&format!("SUB {inbox} 2\r\n"))?;
        self.send(&format!("PUB {subject} {inbox} {}\r\n{payload}\r\n", payload.len()))?;
        let message = self.receive()?;
        self.send("UNSUB 2\r\n")?;
        Ok(message.payload)
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        self.reader.get_mut().write_all(text.as_bytes())
    }

    /// Waits until the server has processed everything that was sent.
    fn flush(&mut self) -> io::Result<()> {
        self.send("PING\r\n")?;
        loop {
            let line = self.line()?;
            if line.starts_with("PONG") {
                return Ok(());
            }
            if line.starts_with("-ERR") {
                return Err(io::Error::other(line));
            }
        }
    }

    /// Reads a line, and answers pings.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.starts_with("PING") {
            self.send("PONG\r\n")?;
        }
        Ok(line)
    }
}

/// Number of subscriptions to a subject, over all connections.
pub fn subscriptions(broker: &Broker, subject: &str) -> io::Result<usize> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, broker.monitoring()))?;
    stream.write_all(b"GET /connz?subs=1 HTTP/1.0\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text.matches(&format!("\"{subject}\"")).count())
}

/// Waits until a subject has so many subscriptions.
pub fn wait_for_subscriptions(broker: &Broker, subject: &str, count: usize) -> io::Result<()> {
    let started = Instant::now();
    loop {
        // The endpoint is not ready at once after a start.
        let found = subscriptions(broker, subject);
        if matches!(found, Ok(found) if found == count) {
            return Ok(());
        }
        if started.elapsed() > PATIENCE {
            return Err(io::Error::other(format!("{subject} has {found:?} subscriptions")));
        }
        thread::sleep(Duration::from_millis(10));
    }
}
