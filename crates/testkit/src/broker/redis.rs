//! Client of Redis: <https://redis.io/docs/latest/develop/reference/protocol-spec/>.

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

impl Client {
    pub fn connect(broker: &Broker) -> io::Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, broker.port()))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    /// Sends a command and returns its reply: a word for each simple value.
    pub fn command(&mut self, words: &[&str]) -> io::Result<Vec<String>> {
        let mut text = format!("*{}\r\n", words.len());
        for word in words {
            text.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        self.reader.get_mut().write_all(text.as_bytes())?;
        self.receive()
    }

    /// Waits for the next reply or message.
    pub fn receive(&mut self) -> io::Result<Vec<String>> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let rest = line.trim_end().to_owned();
        let (kind, rest) = rest.split_at_checked(1).ok_or(io::ErrorKind::InvalidData)?;
        match kind {
            "+" | ":" => Ok(vec![rest.to_owned()]),
            "$" => {
                let Ok(length) = rest.parse::<usize>() else { return Ok(Vec::new()) };
                let mut bytes = vec![0; length + 2];
                self.reader.read_exact(&mut bytes)?;
                bytes.truncate(length);
                Ok(vec![String::from_utf8_lossy(&bytes).into_owned()])
            }
            "*" => {
                let count: usize = rest.parse().map_err(io::Error::other)?;
                let mut all = Vec::new();
                for _ in 0..count {
                    all.extend(self.receive()?);
                }
                Ok(all)
            }
            _ => Err(io::Error::other(rest.to_owned())),
        }
    }

    /// Publishes a message; returns the number of its receivers.
    pub fn publish(&mut self, channel: &str, message: &str) -> io::Result<usize> {
        self.number(&["PUBLISH", channel, message])
    }

    /// Waits until there are so many patterns with subscriptions.
    pub fn wait_for_patterns(&mut self, count: usize) -> io::Result<()> {
        let started = Instant::now();
        loop {
            let found = self.number(&["PUBSUB", "NUMPAT"])?;
            if found == count {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                return Err(io::Error::other(format!("there are {found} patterns")));
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn number(&mut self, words: &[&str]) -> io::Result<usize> {
        let reply = self.command(words)?.into_iter().next().unwrap_or_default();
        reply.parse().map_err(io::Error::other)
    }
}
