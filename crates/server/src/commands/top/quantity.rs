//! Numbers as text.

use std::time::Duration;

/// Shown for a number that is not known.
pub(super) const UNKNOWN: &str = "-";

/// Powers of 1024.
const BYTES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

/// A number of things, or of things a second.
pub(super) fn number(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.1}M", value / 1e6),
        value if value >= 1e4 => format!("{:.1}k", value / 1e3),
        value if value >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

pub(super) fn rate(value: f64) -> String {
    number(value) + "/s"
}

pub(super) fn percent(fraction: Option<f64>) -> String {
    fraction.map_or_else(|| UNKNOWN.into(), |fraction| format!("{:.1} %", fraction * 100.0))
}

pub(super) fn bytes(value: f64) -> String {
    let (mut value, mut units) = (value, BYTES.iter().peekable());
    let mut unit = units.next();
    while value >= 1024.0 && units.peek().is_some() {
        value /= 1024.0;
        unit = units.next();
    }
    let digits = usize::from(value.fract() != 0.0);
    format!("{value:.digits$} {}", unit.unwrap_or(&"B"))
}

pub(super) fn seconds(value: Option<f64>) -> String {
    match value {
        None => UNKNOWN.into(),
        Some(value) if value < 0.01 => format!("{:.2} ms", value * 1e3),
        Some(value) if value < 1.0 => format!("{:.0} ms", value * 1e3),
        Some(value) => format!("{value:.1} s"),
    }
}

/// A long time, such as `3d 4h`.
pub(super) fn age(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, minutes) => format!("{minutes}m {}s", seconds % 60),
        (0, hours, _) => format!("{hours}h {}m", minutes % 60),
        (days, ..) => format!("{days}d {}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_a_reader_needs() {
        let numbers = [0.0, 0.256, 7.0, 12.34, 432.1, 23_456.0, 7_000_000.0].map(number);
        assert_eq!(numbers, ["0", "0.26", "7", "12.3", "432", "23.5k", "7.0M"]);
        let bytes = [0.0, 1_024.0, 1_600.0, 1e9].map(bytes);
        assert_eq!(bytes, ["0 B", "1 KiB", "1.6 KiB", "953.7 MiB"]);
        let times = [None, Some(0.0012), Some(0.25), Some(2.5)].map(seconds);
        assert_eq!(times, ["-", "1.20 ms", "250 ms", "2.5 s"]);
        let ages = [5, 65, 3_700, 90_000].map(|seconds| age(Duration::from_secs(seconds)));
        assert_eq!(ages, ["5s", "1m 5s", "1h 1m", "1d 1h"]);
    }
}
