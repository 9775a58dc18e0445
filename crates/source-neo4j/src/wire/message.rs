//! The messages of the protocol, see <https://neo4j.com/docs/bolt/current/bolt/message/>.

use response::packed::{Entries, Packed, begin};

use super::error::WireError;

/// A request message: the tag of its structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Request {
    Hello = 0x01,
    Goodbye = 0x02,
    Reset = 0x0f,
    Run = 0x10,
    Begin = 0x11,
    Commit = 0x12,
    Rollback = 0x13,
    Discard = 0x2f,
    Pull = 0x3f,
    Route = 0x66,
    Logon = 0x6a,
}

/// A message of the server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reply<'a> {
    /// With the metadata of the answer.
    Success(Entries<'a>),
    /// A list of fields, which is decoded by its reader.
    Record,
    /// An earlier message failed.
    Ignored,
    Failure(Entries<'a>),
}

/// Bytes before a record's list of fields.
pub(super) const RECORD_HEAD: usize = 2;

/// The message that these bytes are.
pub(super) fn read(bytes: &[u8]) -> Result<Reply<'_>, WireError> {
    Ok(match bytes {
        [0xb1, 0x71, ..] => Reply::Record,
        [0xb1, 0x70, metadata @ ..] => Reply::Success(map(metadata)?),
        [0xb1, 0x7f, metadata @ ..] => Reply::Failure(map(metadata)?),
        // Some servers add empty metadata.
        [0xb0 | 0xb1, 0x7e, ..] => Reply::Ignored,
        _ => {
            let first: Vec<String> =
                bytes.iter().take(2).map(|byte| format!("{byte:02x}")).collect();
            return Err(WireError::Protocol(
                ["the server sent an unknown message: ", &first.join(" ")].concat(),
            ));
        }
    })
}

/// An entry that has to be a text or be missing.
pub(super) fn text<'a>(entries: &Entries<'a>, name: &[u8]) -> Result<Option<&'a str>, WireError> {
    match entries.find(name)? {
        Some(Packed::Text(text)) => std::str::from_utf8(text).map(Some).map_err(|_| {
            WireError::Protocol("the server sent a text that is not UTF-8".to_owned())
        }),
        Some(Packed::Null) | None => Ok(None),
        Some(other) => Err(of_another_type(name, other)),
    }
}

pub(super) fn integer(entries: &Entries<'_>, name: &[u8]) -> Result<Option<i64>, WireError> {
    match entries.find(name)? {
        Some(Packed::Integer(integer)) => Ok(Some(integer)),
        Some(Packed::Null) | None => Ok(None),
        Some(other) => Err(of_another_type(name, other)),
    }
}

pub(super) fn map_in<'a>(
    entries: &Entries<'a>,
    name: &[u8],
) -> Result<Option<Entries<'a>>, WireError> {
    match entries.find(name)? {
        Some(Packed::Map(map)) => Ok(Some(map)),
        Some(Packed::Null) | None => Ok(None),
        Some(other) => Err(of_another_type(name, other)),
    }
}

fn map(bytes: &[u8]) -> Result<Entries<'_>, WireError> {
    match begin(bytes)? {
        Packed::Map(entries) => Ok(entries),
        _ => Err(WireError::Protocol("the metadata of a message is no map".to_owned())),
    }
}

pub(super) fn of_another_type(name: &[u8], found: Packed<'_>) -> WireError {
    let name = String::from_utf8_lossy(name);
    let found = match found {
        Packed::Null => "null",
        Packed::Boolean(_) => "a boolean",
        Packed::Integer(_) => "an integer",
        Packed::Float(_) => "a float",
        Packed::Bytes(_) => "bytes",
        Packed::Text(_) => "a text",
        Packed::List(_) => "a list",
        Packed::Map(_) => "a map",
        Packed::Structure { .. } => "a structure",
    };
    WireError::Protocol(["the server sent ", found, " as ", &name].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_apart_by_their_tags() {
        assert!(matches!(read(b"\xb1\x71\x91\x01"), Ok(Reply::Record)));
        assert!(matches!(read(b"\xb0\x7e"), Ok(Reply::Ignored)));
        assert!(matches!(read(b"\xb1\x7e\xa0"), Ok(Reply::Ignored)));
        assert!(matches!(read(b"\xb1\x7f\xa0"), Ok(Reply::Failure(_))));
        let Ok(Reply::Success(entries)) = read(b"\xb1\x70\xa3\x81a\x07\x81b\x81t\x81c\xc0") else {
            panic!()
        };
        assert_eq!(integer(&entries, b"a").unwrap(), Some(7));
        assert_eq!(text(&entries, b"b").unwrap(), Some("t"));
        assert_eq!(text(&entries, b"c").unwrap(), None);
        assert_eq!(
            text(&entries, b"a").unwrap_err().to_string(),
            "protocol: the server sent an integer as a"
        );
    }

    #[test]
    fn what_is_no_reply_is_an_error() {
        for bytes in [&b""[..], b"\xb1", b"\xb1\x01\xa0", b"\xb1\x70", b"\xb1\x70\x01", b"HTTP"] {
            assert!(matches!(read(bytes), Err(WireError::Protocol(_))), "{bytes:?}");
        }
        let Ok(Reply::Success(entries)) = read(b"\xb1\x70\xa1\x81a\xc4") else { panic!() };
        assert!(matches!(text(&entries, b"a"), Err(WireError::Protocol(_))));
    }
}
