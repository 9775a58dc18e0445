//! How new the state of a source must be that a read sees, where replicas may answer it.

use std::fmt;
use std::str::FromStr;

/// The required freshness of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// The newest state: only the primary has it.
    #[default]
    Newest,
    /// Any state that a replica may have within its limits.
    Any,
    /// A state with all changes up to a position.
    After(LogPosition),
}

/// A position in the log of a database cluster, which all changes before it have passed.
///
/// Its text is a token of three hexadecimal numbers, `6a4b2c-1-16b3748`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The identifier of the cluster, which its standbys share.
    pub system: u64,
    /// The history of the cluster that the position belongs to: each promotion begins a new one.
    pub timeline: u32,
    /// The byte in the log (LSN).
    pub offset: u64,
}

/// The position behind the changes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangePosition {
    Known(LogPosition),
    /// The changes may have been committed, and no position of them is known.
    Unknown,
}

/// The text of an unknown position. It is no token, so that reads with it see the newest state.
const UNKNOWN: &str = "unknown";

/// A text that is no token of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no position in the log of a database")]
pub struct NoPosition;

impl Freshness {
    /// The freshness of a read after all changes that clients name by tokens. A text that is none is
    /// answered by the newest state: the client has changed something, and it is unknown what.
    #[must_use]
    pub fn after<'t>(tokens: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut freshness = Self::Any;
        for token in tokens {
            let token = str::from_utf8(token).ok().and_then(|token| token.trim().parse().ok());
            freshness = match (freshness, token) {
                (Self::Newest, _) | (_, None) => return Self::Newest,
                (Self::Any, Some(position)) => Self::After(position),
                (Self::After(known), Some(position)) => match known.later(position) {
                    Some(later) => Self::After(later),
                    None => return Self::Newest,
                },
            };
        }
        freshness
    }
}

impl ChangePosition {
    /// The position behind the changes of two requests.
    #[must_use]
    pub fn later(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(one), Self::Known(other)) => {
                one.later(other).map_or(Self::Unknown, Self::Known)
            }
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
        }
    }
}

impl LogPosition {
    /// The later of two positions; `None` if they belong to different clusters.
    fn later(self, other: Self) -> Option<Self> {
        let key = |one: Self| (one.timeline, one.offset);
        (self.system == other.system).then(|| match key(self) < key(other) {
            true => other,
            false => self,
        })
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, timeline, offset } = self;
        write!(f, "{system:x}-{timeline:x}-{offset:x}")
    }
}

impl fmt::Display for ChangePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(position) => position.fmt(f),
            Self::Unknown => f.write_str(UNKNOWN),
        }
    }
}

impl FromStr for LogPosition {
    type Err = NoPosition;

    fn from_str(text: &str) -> Result<Self, NoPosition> {
        // A sign is no digit here, though `from_str_radix` takes one.
        let is_digit = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
        let mut parts = text.split('-');
        let (Some(system), Some(timeline), Some(offset), None, true) =
            (parts.next(), parts.next(), parts.next(), parts.next(), text.bytes().all(is_digit))
        else {
            return Err(NoPosition);
        };
        let number = |text| u64::from_str_radix(text, 16).map_err(|_| NoPosition);
        let timeline = u32::from_str_radix(timeline, 16).map_err(|_| NoPosition)?;
        Ok(Self { system: number(system)?, timeline, offset: number(offset)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(timeline: u32, offset: u64) -> LogPosition {
        LogPosition { system: 0x6a4b_2c11_0000_0001, timeline, offset }
    }

    fn check(tokens: &[&str], expected: Freshness) {
        assert_eq!(Freshness::after(tokens.iter().map(|token| token.as_bytes())), expected);
    }

    #[test]
    fn a_position_is_its_token() {
        let token = position(2, 0x16b_3748).to_string();
        assert_eq!(token, "6a4b2c1100000001-2-16b3748");
        assert_eq!(token.parse(), Ok(position(2, 0x16b_3748)));
    }

    #[test]
    fn a_read_without_a_token_may_see_any_state() {
        check(&[], Freshness::Any);
    }

    #[test]
    fn a_read_is_after_the_latest_change() {
        let [first, second] = [position(1, 0x20), position(1, 0x100)].map(|one| one.to_string());
        check(&[&first], Freshness::After(position(1, 0x20)));
        check(&[&first, &second], Freshness::After(position(1, 0x100)));
        check(&[&second, &first], Freshness::After(position(1, 0x100)));
        // A promotion may begin at an earlier byte.
        let third = position(2, 0x10);
        check(&[&second, &third.to_string()], Freshness::After(third));
    }

    #[test]
    fn what_is_no_token_gets_the_newest_state() {
        let wrong = [
            "",
            "unknown",
            "1",
            "1-1",
            "1-1-1-1",
            "x-1-1",
            "1-1-",
            "+1-1-1",
            "1-+1-1",
            "-1-1",
            "1-1ffffffff-1",
            "1-1-1ffffffffffffffff",
            "1 -1-1",
        ];
        for wrong in wrong {
            check(&[wrong], Freshness::Newest);
            check(&[&position(1, 1).to_string(), wrong], Freshness::Newest);
        }
        assert_eq!(Freshness::after([b"\xff".as_slice()]), Freshness::Newest);
        assert_eq!(ChangePosition::Unknown.to_string().parse::<LogPosition>(), Err(NoPosition));
    }

    #[test]
    fn positions_of_two_clusters_have_no_order() {
        let other = LogPosition { system: 1, ..position(1, 1) };
        check(&[&position(1, 1).to_string(), &other.to_string()], Freshness::Newest);
    }
}
