//! Identifiers of new rows.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use ir::NewId;

/// The number of digits of each part of a CUID.
const MOMENT: u32 = 8;
const BLOCK: u32 = 4;

/// The bits of the counter of a UUID.
const COUNTER_BITS: u32 = 12;

/// A new identifier as a text; `None` for those that the source makes.
pub(crate) fn new_id(kind: NewId) -> Option<String> {
    match kind {
        NewId::Uuid => Some(uuid()),
        NewId::Cuid => Some(cuid()),
        NewId::Sequence => None,
    }
}

/// An identifier of 25 characters, as the first version of CUID has it: `c`, milliseconds since 1970,
/// a counter, digits of the process, and random digits, all of base 36. Those of the process are
/// random as well: in containers its number is often the same. <https://github.com/paralleldrive/cuid>
#[must_use]
pub fn cuid() -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    static PROCESS: LazyLock<u64> = LazyLock::new(random);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut text = String::from("c");
    push_digits(since.as_millis() as u64, MOMENT, &mut text);
    push_digits(COUNTER.fetch_add(1, Ordering::Relaxed).into(), BLOCK, &mut text);
    push_digits(*PROCESS, BLOCK, &mut text);
    push_digits(random(), 2 * BLOCK, &mut text);
    text
}

/// A UUID of version 7: milliseconds since 1970, a counter, random bits. Rows of one millisecond, which
/// are ordered by their ids, so have the order in which they were made. RFC 9562, 5.7 and 6.2.
fn uuid() -> String {
    /// The milliseconds and the counter of the last one; more in a millisecond than the counter has
    /// numbers take those of the next.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = (since.as_millis() as u64) << COUNTER_BITS;
    let next = |last: u64| now.max(last + 1);
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
    let moment = next(last.unwrap_or_else(|last| last));
    let (moment, count) = (moment >> COUNTER_BITS, moment & ((1 << COUNTER_BITS) - 1));
    let bits = (u128::from(moment) << 80) | (0x7000_u128 << 64) | (u128::from(count) << 64);
    let bits = bits | (0b10_u128 << 62) | u128::from(random() >> 2);
    let digits = format!("{bits:032x}");
    let mut text = String::with_capacity(36);
    for (place, digit) in digits.chars().enumerate() {
        if matches!(place, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}

/// The last digits of a number, of base 36.
fn push_digits(number: u64, count: u32, out: &mut String) {
    for place in (0..count).rev() {
        let digit = number / 36_u64.pow(place) % 36;
        out.extend(char::from_digit(digit as u32, 36));
    }
}

/// Random bits: the keys of a new hasher differ each time, and those of a thread begin at random bits
/// of the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn identifiers_differ_and_have_their_form() {
        let ids: HashSet<String> = (0..1_000).filter_map(|_| new_id(NewId::Cuid)).collect();
        assert_eq!(ids.len(), 1_000);
        let is_digit = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let is_cuid =
            |id: &String| id.len() == 25 && id.starts_with('c') && id.chars().all(is_digit);
        assert!(ids.iter().all(is_cuid), "{ids:?}");
        let uuid = new_id(NewId::Uuid).unwrap();
        let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12]);
        assert_eq!(uuid.as_bytes()[14], b'7');
        assert!(matches!(uuid.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{uuid}");
    }

    #[test]
    fn uuids_have_the_order_in_which_they_were_made() {
        let made: Vec<String> = (0..10_000).filter_map(|_| new_id(NewId::Uuid)).collect();
        assert!(made.is_sorted_by(|before, after| before < after));
        let milliseconds = u64::from_str_radix(&made[0][..13].replace('-', ""), 16).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
        assert!(now.abs_diff(milliseconds) < 60_000, "{milliseconds}, and it is {now}");
    }
}
