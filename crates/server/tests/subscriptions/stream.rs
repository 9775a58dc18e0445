//! A response that is read chunk by chunk.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::program::Server;

pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
    headers: Vec<(String, String)>,
}

impl Stream {
    /// Sends a request, and reads the head of its response, whose status is 200.
    pub(crate) fn open(server: &Server, request: &str) -> Self {
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Self { reader, headers }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The next chunk; empty at the end.
    pub(crate) fn chunk(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.reader.read_exact(&mut chunk).unwrap();
        chunk.truncate(length);
        String::from_utf8(chunk).unwrap()
    }
}
