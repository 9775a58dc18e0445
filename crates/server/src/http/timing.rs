//! The `Server-Timing` header, for the developer tools of browsers:
//! <https://www.w3.org/TR/server-timing/>.

use std::time::Duration;

use engine::Stages;
use hyper::header::{HeaderName, HeaderValue};

pub(super) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The durations of the stages that were reached, and of the whole request.
pub(super) fn server_timing(stages: &Stages, total: Duration) -> Option<HeaderValue> {
    let times = [
        ("document", stages.document),
        ("plan", stages.plan),
        ("execute", stages.execute),
        ("write", stages.write),
        ("total", Some(total)),
    ];
    let mut text = String::with_capacity(96);
    for (name, time) in times {
        let Some(time) = time else { continue };
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(name);
        text.push_str(";dur=");
        push_milliseconds(time, &mut text);
    }
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text)).ok()
}

/// Writes `1.25` with integer arithmetic: each response of a private server has five durations.
fn push_milliseconds(time: Duration, text: &mut String) {
    let mut digits = itoa::Buffer::new();
    text.push_str(digits.format(time.as_millis()));
    let thousandths = time.subsec_micros() % 1_000;
    if thousandths > 0 {
        // The added digit keeps leading zeros.
        let thousandths = digits.format(1_000 + thousandths);
        text.push('.');
        text.push_str(thousandths[1..].trim_end_matches('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_that_were_not_reached_are_left_out() {
        let document = Some(Duration::from_micros(1_250));
        let stages = Stages { document, ..Stages::default() };
        let header = server_timing(&stages, Duration::from_millis(2)).unwrap();
        assert_eq!(header, "document;dur=1.25, total;dur=2");
    }

    #[test]
    fn times_are_milliseconds_without_needless_digits() {
        for (nanoseconds, expect) in [
            (0, "0"),
            (999, "0"),
            (1_000, "0.001"),
            (10_000, "0.01"),
            (400_000, "0.4"),
            (1_000_000, "1"),
            (61_000_001_999, "61000.001"),
            (61_012_300_000, "61012.3"),
        ] {
            let mut text = String::new();
            push_milliseconds(Duration::from_nanos(nanoseconds), &mut text);
            assert_eq!(text, expect);
        }
    }
}
