//! Messages as bytes: <https://protobuf.dev/programming-guides/encoding/>.
//!
//! Traces need texts, numbers and nested messages only, and are never read here: this is smaller
//! than a dependency.

/// The fields of a message that were put so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message(Vec<u8>);

/// The wire type of a field's value.
#[derive(Clone, Copy, Debug)]
enum WireType {
    Varint = 0,
    Fixed64 = 1,
    Delimited = 2,
}

impl Message {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Appends a number; zero, which is the default, is omitted.
    pub(super) fn put_number(&mut self, field: u32, number: u64) {
        if number != 0 {
            self.tag(field, WireType::Varint);
            self.varint(number);
        }
    }

    pub(super) fn put_double(&mut self, field: u32, number: f64) {
        self.tag(field, WireType::Fixed64);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Appends a text; an empty one, which is the default, is omitted.
    pub(super) fn put_text(&mut self, field: u32, text: &str) {
        if !text.is_empty() {
            self.delimited(field, text.as_bytes());
        }
    }

    /// Appends a message, even an empty one.
    pub(super) fn put_message(&mut self, field: u32, message: &Self) {
        self.delimited(field, &message.0);
    }

    fn delimited(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, WireType::Delimited);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn tag(&mut self, field: u32, wire_type: WireType) {
        self.varint(u64::from(field) << 3 | wire_type as u64);
    }

    /// Base-128 encoding: seven bits per byte, the lowest first; the eighth is the continuation
    /// bit.
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's own guide, and what lies at the edges of a byte.
    #[test]
    fn fields_are_the_bytes_that_the_encoding_says() {
        let mut inner = Message::default();
        inner.put_number(1, 150);
        assert_eq!(inner.bytes(), [0x08, 0x96, 0x01]);
        let mut message = Message::default();
        message.put_text(2, "testing");
        message.put_message(3, &inner);
        message.put_number(14, 127);
        message.put_number(15, 128);
        message.put_double(31, 1.0);
        let expected = [
            &b"\x12\x07testing"[..],
            b"\x1a\x03\x08\x96\x01",
            b"\x70\x7f",
            b"\x78\x80\x01",
            b"\xf9\x01\0\0\0\0\0\0\xf0\x3f",
        ];
        assert_eq!(message.bytes(), expected.concat());
        let mut largest = Message::default();
        largest.put_number(1, u64::MAX);
        assert_eq!(largest.bytes(), [&[0x08][..], &[0xff; 9], &[0x01]].concat());
    }

    #[test]
    fn what_has_its_default_is_left_out_and_an_empty_message_is_not() {
        let mut message = Message::default();
        message.put_number(1, 0);
        message.put_text(2, "");
        assert_eq!(message.bytes(), b"");
        message.put_message(14, &Message::default());
        assert_eq!(message.bytes(), [0x72, 0x00]);
    }
}
