//! Start times of counters: <https://opentelemetry.io/docs/specs/otel/metrics/data-model/#resets-and-gaps>.

use std::collections::HashMap;
use std::time::SystemTime;

use crate::metrics::Labels;

/// The start times of all series. A reload can begin a count again, which a collector learns from a
/// later start time.
#[derive(Debug)]
pub(super) struct Starts {
    /// The start of the process.
    started: SystemTime,
    /// The time of the message before.
    previous: Option<SystemTime>,
    series: HashMap<(String, Labels), Series>,
}

#[derive(Clone, Copy, Debug)]
struct Series {
    start: SystemTime,
    /// Of the last message.
    value: f64,
    seen: SystemTime,
}

impl Starts {
    pub(super) fn new(started: SystemTime) -> Self {
        Self { started, previous: None, series: HashMap::new() }
    }

    /// The start of a series that has this value now.
    pub(super) fn of(
        &mut self,
        name: &str,
        labels: &Labels,
        value: f64,
        now: SystemTime,
    ) -> SystemTime {
        let first = Series { start: self.started, value, seen: now };
        let series = self.series.entry((name.to_owned(), labels.clone())).or_insert(first);
        if value < series.value {
            series.start = self.previous.unwrap_or(self.started);
        }
        (series.value, series.seen) = (value, now);
        series.start
    }

    /// Ends a message. Series that are gone are forgotten.
    pub(super) fn end(&mut self, now: SystemTime) {
        self.series.retain(|_, series| series.seen == now);
        self.previous = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_count_that_falls_has_begun_again() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let mut starts = Starts::new(at(1));
        let mut of = |value, now| {
            let start = starts.of("a", &Vec::new(), value, at(now));
            starts.end(at(now));
            start
        };
        assert_eq!([of(5.0, 10), of(5.0, 20), of(7.0, 30)], [at(1); 3]);
        assert_eq!([of(2.0, 40), of(3.0, 50)], [at(30); 2]);
    }
}
