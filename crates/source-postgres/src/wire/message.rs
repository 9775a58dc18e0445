//! The messages of the server that this client reads itself, and the rest by `postgres_protocol`.

use bytes::BytesMut;
use postgres_protocol::message::backend::{self, Message};

use super::error::{DatabaseError, WireError};

/// The types of message that a running session sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    DataRow,
    BindComplete,
    ParseComplete,
    CloseComplete,
    CommandComplete,
    EmptyQuery,
    PortalSuspended,
    ReadyForQuery,
    Error,
    Notice,
    ParameterStatus,
    Notification,
    /// COPY and descriptions, which are never requested.
    Other,
}

impl Kind {
    pub(super) fn of(tag: u8) -> Kind {
        match tag {
            backend::DATA_ROW_TAG => Kind::DataRow,
            backend::BIND_COMPLETE_TAG => Kind::BindComplete,
            backend::PARSE_COMPLETE_TAG => Kind::ParseComplete,
            backend::CLOSE_COMPLETE_TAG => Kind::CloseComplete,
            backend::COMMAND_COMPLETE_TAG => Kind::CommandComplete,
            backend::EMPTY_QUERY_RESPONSE_TAG => Kind::EmptyQuery,
            backend::PORTAL_SUSPENDED_TAG => Kind::PortalSuspended,
            backend::READY_FOR_QUERY_TAG => Kind::ReadyForQuery,
            backend::ERROR_RESPONSE_TAG => Kind::Error,
            backend::NOTICE_RESPONSE_TAG => Kind::Notice,
            backend::PARAMETER_STATUS_TAG => Kind::ParameterStatus,
            backend::NOTIFICATION_RESPONSE_TAG => Kind::Notification,
            _ => Kind::Other,
        }
    }
}

/// The type of the message at the beginning of some bytes, and its length, as soon as the header is
/// complete.
pub(super) fn header(bytes: &[u8]) -> Option<(u8, usize)> {
    let (&[tag, a, b, c, d], _) = bytes.split_first_chunk::<5>()?;
    // The length counts itself.
    let length = (u32::from_be_bytes([a, b, c, d]) as usize).max(4);
    Some((tag, 1 + length))
}

/// Parses a whole message. It is copied, so this is for the rare ones.
pub(super) fn parse(message: &[u8]) -> Result<Message, WireError> {
    match Message::parse(&mut BytesMut::from(message)) {
        Ok(Some(message)) => Ok(message),
        Ok(None) => Err(WireError::Protocol("a message is cut off".to_owned())),
        Err(error) => Err(WireError::Protocol(error.to_string())),
    }
}

/// Parses an error or a notice.
pub(super) fn parse_error(message: &[u8]) -> Result<DatabaseError, WireError> {
    match parse(message)? {
        Message::ErrorResponse(body) => Ok(DatabaseError::from_fields(body.fields())),
        Message::NoticeResponse(body) => Ok(DatabaseError::from_fields(body.fields())),
        _ => Err(WireError::Protocol("an error message was expected".to_owned())),
    }
}

/// The number of rows at the end of a command tag: `SELECT 3`, `INSERT 0 3`; zero without one.
pub(super) fn affected_rows(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let number = tag.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::affected_rows;

    #[test]
    fn a_command_tag_says_how_many_rows() {
        assert_eq!(affected_rows(b"SELECT 3\0"), 3);
        assert_eq!(affected_rows(b"INSERT 0 12\0"), 12);
        assert_eq!(affected_rows(b"BEGIN\0"), 0);
        assert_eq!(affected_rows(b""), 0);
    }
}
