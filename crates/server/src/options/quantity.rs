//! Sizes and times in human notation.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;

/// A number of bytes: `1MiB`, `64 kB`, `4096`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

/// A time: `30s`, `250ms`, `1m 30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time(pub(crate) Duration);

impl Size {
    /// As a length in memory.
    pub(crate) fn length(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<ByteSize>() {
            Ok(size) => Ok(Self(size.as_u64())),
            Err(_) => Err("a size is wanted, such as `1MiB`, `64KiB` or `4096`".into()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteSize::b(self.0).display().iec().fmt(f)
    }
}

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(time) if !time.is_zero() => Ok(Self(time)),
            Ok(_) | Err(_) => Err("a time is wanted, such as `30s`, `250ms` or `5m`".into()),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_both_kinds() {
        let sizes = ["1MiB", "64 kB", "4096", "0"].map(|text| text.parse::<Size>().unwrap().0);
        assert_eq!(sizes, [1 << 20, 64_000, 4096, 0]);
        for text in ["", "-1", "1 mile", "MiB"] {
            let error = text.parse::<Size>().unwrap_err();
            assert_eq!(error, "a size is wanted, such as `1MiB`, `64KiB` or `4096`", "{text}");
        }
    }

    #[test]
    fn times_have_units_and_are_more_than_nothing() {
        let times = ["30s", "250ms", "1m 30s"].map(|text| text.parse::<Time>().unwrap().0);
        assert_eq!(times.map(|time| time.as_millis()), [30_000, 250, 90_000]);
        for text in ["", "30", "0s", "-1s", "soon"] {
            let error = text.parse::<Time>().unwrap_err();
            assert_eq!(error, "a time is wanted, such as `30s`, `250ms` or `5m`", "{text}");
        }
    }
}
