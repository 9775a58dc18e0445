//! Server-sent events of the distinct connections mode:
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>.

use bytes::{Buf, Bytes, BytesMut};

use super::super::request::SubgraphError;
use super::source_event::SourceEvent;

/// Parser of a stream, up to a size of each event.
#[derive(Debug)]
pub(super) struct EventStream {
    most: u64,
    received: BytesMut,
    /// Number of received bytes without the end of a line.
    scanned: usize,
    /// The event that is being read.
    name: Box<[u8]>,
    data: Option<Vec<u8>>,
    /// True if the last line ended with a carriage return, which a line feed may follow.
    after_return: bool,
}

impl EventStream {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            received: BytesMut::new(),
            scanned: 0,
            name: Box::default(),
            data: None,
            after_return: false,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), SubgraphError> {
        self.received.extend_from_slice(bytes);
        let length = self.received.len() + self.data.as_ref().map_or(0, Vec::len);
        // Several events may come at once.
        if length as u64 > self.most.saturating_add(bytes.len() as u64) {
            return Err(SubgraphError::TooLarge { most: self.most });
        }
        Ok(())
    }

    /// Returns the next event of the received bytes.
    pub(super) fn next(&mut self) -> Option<SourceEvent> {
        while let Some(line) = self.line() {
            if !line.is_empty() {
                self.field(&line);
                continue;
            }
            let (name, data) = (std::mem::take(&mut self.name), self.data.take());
            match (&*name, data) {
                (b"next", Some(data)) => return Some(SourceEvent::Response(data.into())),
                (b"complete", _) => return Some(SourceEvent::Complete),
                _ => {}
            }
        }
        None
    }

    /// Takes the next line, without its end.
    fn line(&mut self) -> Option<Bytes> {
        if let (true, Some(first)) = (self.after_return, self.received.first()) {
            self.after_return = false;
            if *first == b'\n' {
                self.received.advance(1);
            }
        }
        let rest = self.received.get(self.scanned..).unwrap_or_default();
        let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.scanned = self.received.len();
            return None;
        };
        let line = self.received.split_to(self.scanned + end).freeze();
        self.after_return = self.received.first() == Some(&b'\r');
        self.received.advance(1);
        self.scanned = 0;
        Some(line)
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"event" => self.name = value.into(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            // Comments, ids and pauses.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a text that comes in pieces of any length.
    fn events(text: &str, piece: usize) -> Vec<SourceEvent> {
        let mut stream = EventStream::new(1 << 20);
        let mut events = Vec::new();
        for piece in text.as_bytes().chunks(piece) {
            stream.push(piece).unwrap();
            events.extend(std::iter::from_fn(|| stream.next()));
        }
        events
    }

    fn check(text: &str, expected: &[SourceEvent]) {
        for piece in [1, 2, 3, text.len()] {
            assert_eq!(events(text, piece), expected, "{text:?} by {piece}");
        }
    }

    fn response(text: &'static str) -> SourceEvent {
        SourceEvent::Response(text.into())
    }

    #[test]
    fn events_are_parsed() {
        let text = ":\n\nevent: next\ndata: {\"data\":1}\n\nevent: complete\ndata:\n\n";
        check(text, &[response("{\"data\":1}"), SourceEvent::Complete]);
        check("event:next\r\ndata:{\r\ndata: }\r\n\r\n", &[response("{\n}")]);
        check("data: 1\revent: next\r\rdata: 2\revent: next\r\r", &[response("1"), response("2")]);
        check("event: other\ndata: 1\n\nid: 7\nretry: 1\n\n", &[]);
        check("event: next\ndata: 1\n", &[]);
        check("event: next\n\n", &[]);
    }

    #[test]
    fn an_event_has_a_size_limit() {
        let mut stream = EventStream::new(8);
        stream.push(b"data: 12").unwrap();
        assert_eq!(stream.next(), None);
        let error = stream.push(b"3456789").and_then(|()| stream.push(b"0"));
        assert_eq!(error, Err(SubgraphError::TooLarge { most: 8 }));
    }
}
