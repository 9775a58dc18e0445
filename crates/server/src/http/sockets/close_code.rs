//! Codes with which the server closes a WebSocket.

use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

/// The length limit of a reason: a control frame has 125 bytes, two of them for the code.
const MOST_REASON_BYTES: usize = 123;

/// The reason why the server closes a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CloseCode {
    /// The client has ended the connection by a message.
    Normal,
    /// The server stops.
    GoingAway,
    /// A frame violates the WebSocket protocol.
    Protocol,
    /// A text is not UTF-8.
    NotUtf8,
    /// A message is larger than the limit.
    TooLarge,
    /// A message is none of the subprotocol.
    Invalid(String),
    /// An operation came before the connection was acknowledged.
    Unauthorized,
    /// The credentials are refused, or have expired.
    Forbidden,
    /// The client offers no known subprotocol.
    Subprotocol,
    /// The client did not initialize the connection in time.
    InitTimeout,
    /// An operation has the id of a running one.
    IdInUse(String),
    /// The client initialized the connection twice.
    SecondInit,
    /// An operation has panicked.
    Internal,
}

impl CloseCode {
    fn code(&self) -> u16 {
        match self {
            Self::Normal => 1000,
            Self::GoingAway => 1001,
            Self::Protocol => 1002,
            Self::NotUtf8 => 1007,
            Self::TooLarge => 1009,
            Self::Invalid(_) => 4400,
            Self::Unauthorized => 4401,
            Self::Forbidden => 4403,
            Self::Subprotocol => 4406,
            Self::InitTimeout => 4408,
            Self::IdInUse(_) => 4409,
            Self::SecondInit => 4429,
            Self::Internal => 4500,
        }
    }

    /// The text beside the code; clients of `graphql-ws` show it.
    fn reason(&self) -> String {
        match self {
            Self::Normal => "Normal Closure".into(),
            Self::GoingAway => "Going Away".into(),
            Self::Protocol => "Protocol error".into(),
            Self::NotUtf8 => "Text is not UTF-8".into(),
            Self::TooLarge => "Message too large (--max-body-size)".into(),
            Self::Invalid(reason) => reason.clone(),
            Self::Unauthorized => "Unauthorized".into(),
            Self::Forbidden => "Forbidden".into(),
            Self::Subprotocol => "Subprotocol not acceptable".into(),
            Self::InitTimeout => "Connection initialisation timeout".into(),
            Self::IdInUse(id) => format!("Subscriber for {id} already exists"),
            Self::SecondInit => "Too many initialisation requests".into(),
            Self::Internal => "Internal server error".into(),
        }
    }

    pub(super) fn frame(&self) -> CloseFrame {
        let reason = self.reason();
        let end = reason.floor_char_boundary(MOST_REASON_BYTES);
        CloseFrame { code: self.code().into(), reason: Utf8Bytes::from(&reason[..end]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_fits_into_a_control_frame() {
        let frame = CloseCode::Invalid("é".repeat(100)).frame();
        assert_eq!((u16::from(frame.code), frame.reason.len()), (4400, 122));
        let frame = CloseCode::IdInUse("7".into()).frame();
        assert_eq!(
            (u16::from(frame.code), &*frame.reason),
            (4409, "Subscriber for 7 already exists")
        );
    }
}
