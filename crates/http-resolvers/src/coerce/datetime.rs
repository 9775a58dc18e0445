//! Moments in the form of RFC 3339, to the second.

/// Parts of a moment.
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    /// Hours, minutes and seconds.
    clock: [i64; 3],
}

/// A moment of a text: a year, a month, a day, or a day with a time, whose offset is UTC unless it
/// is written.
pub(super) fn of_text(text: &str) -> Option<String> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| number(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| number(part, 2))?;
    let is_whole = date.len() == 10;
    if parts.next().is_some() || !(1..=12).contains(&month) || time.is_some() && !is_whole {
        return None;
    }
    if !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let (clock, offset) = match time {
        Some(time) => clock(time)?,
        None => ([0; 3], "Z"),
    };
    Some(print(&Moment { year, month, day, clock }, offset))
}

/// A moment of seconds since 1970.
pub(super) fn of_seconds(seconds: i64) -> Option<String> {
    let days = seconds.div_euclid(86_400);
    let rest = seconds.rem_euclid(86_400);
    // Days of the proleptic Gregorian calendar, in eras of 400 years that begin in March.
    let days = days.checked_add(719_468)?;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let clock = [rest / 3_600, rest / 60 % 60, rest % 60];
    (0..=9_999).contains(&year).then(|| print(&Moment { year, month, day, clock }, "Z"))
}

/// Hours, minutes and seconds, and the offset.
fn clock(time: &str) -> Option<([i64; 3], &str)> {
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, offset) = time.split_at(end);
    let clock = match clock.split_once('.') {
        Some((clock, fraction)) => {
            let is_fraction =
                !fraction.is_empty() && fraction.bytes().all(|digit| digit.is_ascii_digit());
            if !is_fraction {
                return None;
            }
            clock
        }
        None => clock,
    };
    let mut parts = clock.split(':').map(|part| number(part, 2));
    let clock = [parts.next()??, parts.next()??, parts.next()??];
    let [hours, minutes, seconds] = clock;
    if parts.next().is_some() || hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    match offset {
        "" | "Z" | "z" | "+00:00" | "-00:00" => Some((clock, "Z")),
        offset => {
            let (hours, minutes) = offset.get(1..)?.split_once(':')?;
            let is_offset = number(hours, 2)? < 24 && number(minutes, 2)? < 60;
            is_offset.then_some((clock, offset))
        }
    }
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn print(moment: &Moment, offset: &str) -> String {
    let Moment { year, month, day, clock: [hours, minutes, seconds] } = moment;
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}{offset}")
}
