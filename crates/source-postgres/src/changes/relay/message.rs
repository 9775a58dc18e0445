//! Messages between servers: texts of at most 7,999 bytes, as NOTIFY has them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Bytes of changes in a message, before their encryption and encoding.
pub(super) const MOST_BYTES: usize = 5_800;

/// A message. Sessions are named by their processes, which the server tells of each sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// A follower wants to receive changes, by NOTIFY or over a broker.
    Hello { public: Vec<u8>, is_over_bus: bool },
    /// The leader sends no changes to a session.
    Refusal { to: i32 },
    /// The changes after the numbered message are sent to a follower, encrypted by this key.
    Welcome { to: i32, number: u64, process: u64, public: Vec<u8>, key: Vec<u8> },
    /// Changes, or a part of them. Each message has the number after that of the last one.
    Changes { number: u64, encrypted: Vec<u8> },
}

impl Message {
    /// `None` if the text is no message.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        let mut parts = rest.split(' ');
        let message = match kind {
            "hello" => Self::Hello { public: bytes(parts.next()?)?, is_over_bus: false },
            "hello-bus" => Self::Hello { public: bytes(parts.next()?)?, is_over_bus: true },
            "refusal" => Self::Refusal { to: parts.next()?.parse().ok()? },
            "welcome" => Self::Welcome {
                to: parts.next()?.parse().ok()?,
                number: parts.next()?.parse().ok()?,
                process: parts.next()?.parse().ok()?,
                public: bytes(parts.next()?)?,
                key: bytes(parts.next()?)?,
            },
            "changes" => Self::Changes {
                number: parts.next()?.parse().ok()?,
                encrypted: bytes(parts.next()?)?,
            },
            _ => return None,
        };
        parts.next().is_none().then_some(message)
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD_NO_PAD.decode(text).ok()
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| STANDARD_NO_PAD.encode(bytes);
        match self {
            Self::Hello { public, is_over_bus: false } => write!(f, "hello {}", text(public)),
            Self::Hello { public, is_over_bus: true } => {
                write!(f, "hello-bus {}", text(public))
            }
            Self::Refusal { to } => write!(f, "refusal {to}"),
            Self::Welcome { to, number, process, public, key } => {
                write!(f, "welcome {to} {number} {process} {} {}", text(public), text(key))
            }
            Self::Changes { number, encrypted } => {
                write!(f, "changes {number} {}", text(encrypted))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_parsed_as_they_were_printed() {
        let check = |message: Message| {
            let text = message.to_string();
            assert!(text.len() < 8_000, "{}", text.len());
            assert_eq!(Message::parse(&text), Some(message));
        };
        check(Message::Hello { public: vec![7; 32], is_over_bus: false });
        check(Message::Hello { public: vec![7; 32], is_over_bus: true });
        check(Message::Refusal { to: 12 });
        let (public, key) = (vec![0; 32], vec![255; 48]);
        check(Message::Welcome { to: i32::MAX, number: 3, process: u64::MAX, public, key });
        // With the mark of the last part, and the tag of the encryption.
        let encrypted = vec![9; MOST_BYTES + 1 + 16];
        check(Message::Changes { number: u64::MAX, encrypted });
    }

    #[test]
    fn other_texts_are_no_messages() {
        for text in ["", "hello", "hello !", "refusal x", "refusal 1 2", "welcome 1 2", "other 1"] {
            assert_eq!(Message::parse(text), None, "{text}");
        }
    }
}
