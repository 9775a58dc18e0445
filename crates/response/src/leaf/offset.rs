//! The offset of a time from UTC.

/// An offset from UTC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offset {
    negative: bool,
    hour: [u8; 2],
    minute: [u8; 2],
    second: [u8; 2],
}

const ZERO: [u8; 2] = *b"00";

impl Offset {
    /// Reads `Z`, `+01`, `+01:30`, `+01:30:15` or `+0130`.
    pub(super) fn take(text: &[u8]) -> Option<(Self, &[u8])> {
        let (sign, rest) = text.split_first()?;
        let negative = match sign {
            b'Z' | b'z' => {
                let utc = Self { negative: false, hour: ZERO, minute: ZERO, second: ZERO };
                return Some((utc, rest));
            }
            b'+' => false,
            b'-' => true,
            _ => return None,
        };
        let (hour, rest) = take_pair(rest)?;
        let (minute, second, rest) = match rest {
            [b':', rest @ ..] => {
                let (minute, rest) = take_pair(rest)?;
                match rest {
                    [b':', rest @ ..] => {
                        let (second, rest) = take_pair(rest)?;
                        (minute, second, rest)
                    }
                    _ => (minute, ZERO, rest),
                }
            }
            [b'0'..=b'9', ..] => {
                let (minute, rest) = take_pair(rest)?;
                (minute, ZERO, rest)
            }
            _ => (ZERO, ZERO, rest),
        };
        // PostgreSQL's limits.
        let is_valid = &hour <= b"15" && &minute <= b"59" && &second <= b"59";
        let is_zero = hour == ZERO && minute == ZERO && second == ZERO;
        let offset = Self { negative: negative && !is_zero, hour, minute, second };
        is_valid.then_some((offset, rest))
    }

    /// The offset in seconds, positive ahead of UTC.
    pub(super) fn seconds(self) -> i64 {
        let number = |[tens, ones]: [u8; 2]| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
        let seconds = (number(self.hour) * 60 + number(self.minute)) * 60 + number(self.second);
        if self.negative { -seconds } else { seconds }
    }

    /// Appends the offset as PostgreSQL's text form has it: minutes only where there are any.
    pub(super) fn write_short(self, out: &mut Vec<u8>) {
        out.push(if self.negative { b'-' } else { b'+' });
        out.extend_from_slice(&self.hour);
        if self.minute != ZERO || self.second != ZERO {
            self.write_minute(out);
        }
    }

    /// Appends the offset as PostgreSQL's JSON form has it: always with minutes.
    pub(super) fn write_long(self, out: &mut Vec<u8>) {
        out.push(if self.negative { b'-' } else { b'+' });
        out.extend_from_slice(&self.hour);
        self.write_minute(out);
    }

    fn write_minute(self, out: &mut Vec<u8>) {
        out.push(b':');
        out.extend_from_slice(&self.minute);
        if self.second != ZERO {
            out.push(b':');
            out.extend_from_slice(&self.second);
        }
    }
}

fn take_pair(text: &[u8]) -> Option<([u8; 2], &[u8])> {
    match text {
        [first @ b'0'..=b'9', second @ b'0'..=b'9', rest @ ..] => Some(([*first, *second], rest)),
        _ => None,
    }
}
