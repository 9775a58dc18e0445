//! What a request took, for the developer tools of browsers:
//! <https://www.w3.org/TR/server-timing/>.

use std::fmt::Write;
use std::time::Duration;

use engine::Stages;
use hyper::header::{HeaderName, HeaderValue};

pub(super) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The stages that were reached, and the whole.
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
        let comma = if text.is_empty() { "" } else { ", " };
        let milliseconds = time.as_micros() as f64 / 1_000.0;
        write!(text, "{comma}{name};dur={milliseconds}").ok()?;
    }
    HeaderValue::from_maybe_shared(bytes::Bytes::from(text)).ok()
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
}
