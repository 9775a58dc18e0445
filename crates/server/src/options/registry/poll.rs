//! The interval of polling a supergraph.

use std::str::FromStr;
use std::time::Duration;

use crate::options::quantity::Time;

/// An interval, or never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Poll {
    Never,
    Every(Duration),
}

impl Poll {
    /// None for never.
    pub(crate) fn pause(self) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::Every(pause) => Some(pause),
        }
    }
}

impl FromStr for Poll {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "never" => Ok(Self::Never),
            text => match text.parse() {
                Ok(Time(pause)) => Ok(Self::Every(pause)),
                Err(_) => Err("a time is wanted, such as `10s` or `5m`, or `never`".into()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_time_or_never() {
        assert_eq!("never".parse(), Ok(Poll::Never));
        assert_eq!("10s".parse(), Ok(Poll::Every(Duration::from_secs(10))));
        for wrong in ["", "0s", "10", "Never", "often"] {
            let error = wrong.parse::<Poll>().unwrap_err();
            assert_eq!(error, "a time is wanted, such as `10s` or `5m`, or `never`", "{wrong}");
        }
    }
}
