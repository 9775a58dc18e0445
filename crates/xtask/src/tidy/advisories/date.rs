//! Days of the calendar.

use std::time::SystemTime;

/// Days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Date(i64);

impl Date {
    pub(crate) fn today() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_secs() / 86_400).unwrap_or(i64::MAX))
    }

    /// Reads `2026-01-31`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-');
        let [year, month, day] = [4, 2, 2].map(|digits| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse::<i64>().ok()).flatten()
        });
        let (year, month, day) = (year?, month?, day?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        // Years that begin in March have the leap day at their end.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        Some(Self(year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468))
    }

    pub(super) fn days_until(self, later: Self) -> i64 {
        later.0.saturating_sub(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_of_the_calendar() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-03-01", Some(59)),
            ("2000-02-29", Some(11_016)),
            ("2000-03-01", Some(11_017)),
            ("2026-08-21", Some(20_686)),
            ("2026-13-01", None),
            ("2026-01-00", None),
            ("2026-1-1", None),
            ("2026-01", None),
            ("2026-01-01T00", None),
            ("+026-01-01", None),
            ("", None),
        ] {
            assert_eq!(Date::parse(text), expected.map(Date), "{text}");
        }
    }
}
