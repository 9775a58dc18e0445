//! Texts that mean dates and times.
//!
//! Texts that the library parses with JavaScript's `Date` are parsed in its forms of ISO 8601, and
//! those without an offset as UTC. Invalid days are refused, where JavaScript would take later
//! ones.

use response::calendar::{Clock, Day, Moment, Offset, join_seconds, split_seconds};

use super::super::wire::Pack;

/// A day; of a moment, its day in UTC.
pub(super) fn day(text: &str) -> Option<Day> {
    let moment = Moment::read(text)?;
    split_seconds(moment.seconds, 0).map(|(day, _)| day)
}

/// `12:34:56.789`.
pub(super) fn clock(text: &str) -> Option<Clock> {
    let (clock, rest) = Clock::take_seconds(text.as_bytes())?;
    (rest.is_empty() && has_short_fraction(text)).then_some(clock)
}

/// A time of the day, with an offset or without; or `12:34`.
pub(super) fn zoned_clock(text: &str) -> Option<(Clock, Offset)> {
    let Some((clock, rest)) = Clock::take_seconds(text.as_bytes()) else {
        let (clock, rest) = Clock::take_minutes(text.as_bytes())?;
        return rest.is_empty().then_some((clock, Offset(0)));
    };
    let offset = match rest {
        [] => Offset(0),
        rest => Offset::read(rest)?,
    };
    has_short_fraction(text).then_some((clock, offset))
}

/// `2020-02-29T12:34:56.789`.
pub(super) fn local(text: &str) -> Option<(Day, Clock)> {
    let (day, rest) = Day::take(text.as_bytes())?;
    let (clock, rest) = Clock::take_seconds(rest.strip_prefix(b"T")?)?;
    (rest.is_empty() && (0..=9999).contains(&day.year)).then_some((day, clock))
}

pub(super) fn pack_day(day: Day, out: &mut Pack) {
    out.structure(b'D', 1);
    out.integer(day.to_epoch());
}

pub(super) fn pack_clock(clock: Clock, out: &mut Pack) {
    out.structure(b't', 1);
    out.integer(clock.to_midnight());
}

pub(super) fn pack_zoned_clock((clock, offset): (Clock, Offset), out: &mut Pack) {
    out.structure(b'T', 2);
    out.integer(clock.to_midnight());
    out.integer(offset.0.into());
}

pub(super) fn pack_local((day, clock): (Day, Clock), out: &mut Pack) {
    out.structure(b'd', 2);
    out.integer(join_seconds(day, clock));
    out.integer(clock.nanosecond.into());
}

pub(super) fn pack_moment(moment: &Moment, out: &mut Pack) {
    out.structure(b'I', 3);
    out.integer(moment.seconds);
    out.integer(moment.nanosecond.into());
    out.integer(moment.offset.0.into());
}

/// Whether a fraction has nine digits at most.
fn has_short_fraction(text: &str) -> bool {
    let Some((_, fraction)) = text.split_once('.') else { return true };
    fraction.bytes().take_while(u8::is_ascii_digit).count() < 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_moment_is_that_of_utc() {
        assert_eq!(day("1970-01-01T23:30:00-01:00"), Day::new(1970, 1, 2));
    }

    #[test]
    fn times_of_day_are_those_that_the_library_takes() {
        let noon = Clock::new(12, 0, 0, 0).unwrap();
        assert_eq!(clock("12:00:00"), Some(noon));
        assert_eq!(zoned_clock("12:00"), Some((noon, Offset(0))));
        assert_eq!(zoned_clock("12:00:00"), Some((noon, Offset(0))));
        assert_eq!(zoned_clock("12:00:00.0z"), Some((noon, Offset(0))));
        assert_eq!(zoned_clock("12:00:00-02:00"), Some((noon, Offset(-7_200))));
        for text in ["12:00", "12:00:00Z", "12:00:00.1234567890", "24:00:00"] {
            assert_eq!(clock(text), None, "{text}");
        }
        for text in ["12", "12:00Z", "12:00:00 Z", "12:00:00.1234567890Z"] {
            assert_eq!(zoned_clock(text), None, "{text}");
        }
    }

    #[test]
    fn local_moments_have_years_of_four_digits_and_no_offset() {
        assert_eq!(local("1970-01-01T12:00:00"), Day::new(1970, 1, 1).zip(Clock::new(12, 0, 0, 0)));
        for text in
            ["1970-01-01", "1970-01-01T12:00", "1970-01-01T12:00:00Z", "+012000-01-01T12:00:00"]
        {
            assert_eq!(local(text), None, "{text}");
        }
    }
}
