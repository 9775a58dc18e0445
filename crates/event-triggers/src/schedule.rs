//! Times of cron expressions, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Utc};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};

/// A schedule.
#[derive(Clone, Debug)]
pub struct Schedule {
    text: Box<str>,
    cron: Cron,
}

/// The reason why a text is no cron expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no cron expression of five fields, as in `0 22 * * 1-5`: {reason}")]
pub struct ScheduleError {
    text: Box<str>,
    reason: Box<str>,
}

impl PartialEq for Schedule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Schedule {
    /// Parses the five fields of a cron expression, or a name such as `@daily`.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let parser =
            CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let failed = |reason: String| ScheduleError { text: text.into(), reason: reason.into() };
        let cron = parser.parse(text.trim()).map_err(|error| failed(error.to_string()))?;
        let schedule = Self { text: text.into(), cron };
        if schedule.after(now()).next().is_none() {
            return Err(failed("it has no time".into()));
        }
        Ok(schedule)
    }

    /// The times after a moment, in microseconds since 1970.
    pub fn after(&self, micros: i64) -> impl Iterator<Item = i64> + '_ {
        let mut last = DateTime::<Utc>::from_timestamp_micros(micros);
        std::iter::from_fn(move || {
            let next = self.cron.find_next_occurrence(&last?, false).ok();
            last = next;
            Some(next?.timestamp_micros())
        })
    }

    /// Whether a moment is a time of the schedule.
    #[must_use]
    pub fn includes(&self, micros: i64) -> bool {
        let time = DateTime::<Utc>::from_timestamp_micros(micros);
        time.is_some_and(|time| self.cron.is_time_matching(&time).unwrap_or_default())
    }
}

/// The current time in microseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A moment that is written as of RFC 3339, in microseconds since 1970.
#[must_use]
pub fn parse_time(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first times after the beginning of 2024, a Monday.
    fn check(text: &str, expected: &[&str]) {
        let schedule = Schedule::parse(text).unwrap();
        let start = parse_time("2024-01-01T00:00:00Z").unwrap();
        let times: Vec<i64> = schedule.after(start).take(expected.len()).collect();
        assert!(times.iter().all(|time| schedule.includes(*time)), "{text}");
        let shown = times.iter().map(|time| {
            DateTime::from_timestamp_micros(*time).unwrap().format("%m-%d %H:%M:%S").to_string()
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn the_times_are_those_of_cron() {
        check("*/20 * * * *", &["01-01 00:20:00", "01-01 00:40:00", "01-01 01:00:00"]);
        check("0 22 * * 1-5", &["01-01 22:00:00", "01-02 22:00:00", "01-03 22:00:00"]);
        check("0 0 * * 0", &["01-07 00:00:00", "01-14 00:00:00"]);
        check("0 0 * * 7", &["01-07 00:00:00", "01-14 00:00:00"]);
        check("0 0 * * SUN,MON", &["01-07 00:00:00", "01-08 00:00:00"]);
        // A day of the month, or one of the week.
        check("0 0 13 * 5", &["01-05 00:00:00", "01-12 00:00:00", "01-13 00:00:00"]);
        check("5,10 4 1 2,3 *", &["02-01 04:05:00", "02-01 04:10:00", "03-01 04:05:00"]);
        check("0 0 29 2 *", &["02-29 00:00:00"]);
        check("@hourly", &["01-01 01:00:00", "01-01 02:00:00"]);
        check("@daily", &["01-02 00:00:00"]);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "* * * *", "* * * * * *", "61 * * * *", "a b c d e", "0 0 31 2 *"] {
            let error = Schedule::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{text:?} is no cron expression")), "{error}");
        }
    }

    #[test]
    fn a_time_between_two_is_not_included() {
        let schedule = Schedule::parse("*/5 * * * *").unwrap();
        assert!(!schedule.includes(parse_time("2024-01-01T00:04:00Z").unwrap()));
        assert!(!schedule.includes(parse_time("2024-01-01T00:05:01Z").unwrap()));
    }
}
