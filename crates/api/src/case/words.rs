//! Splitting a name into words.

/// The words of an ASCII text: runs of lower-case letters with a capital before them, runs of
/// capitals, ordinal numbers, runs of digits. Everything else separates.
pub(super) fn words(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut start = 0;
    while let Some(first) = bytes.get(start) {
        let rest = bytes.get(start..).unwrap_or_default();
        let length = match first {
            b'a'..=b'z' => run(rest, u8::is_ascii_lowercase),
            b'A'..=b'Z' => capitals(rest),
            b'0'..=b'9' => number(rest),
            _ => {
                start += 1;
                continue;
            }
        };
        words.extend(text.get(start..start + length));
        start += length;
    }
    words
}

/// The last capital of a run belongs to the lower-case letters that follow it.
fn capitals(rest: &[u8]) -> usize {
    let run_of_capitals = run(rest, u8::is_ascii_uppercase);
    let small = run(rest.get(run_of_capitals..).unwrap_or_default(), u8::is_ascii_lowercase);
    match (run_of_capitals, small) {
        (_, 0) => run_of_capitals,
        (1, _) => 1 + small,
        (_, _) => run_of_capitals - 1,
    }
}

/// Digits, together with the letters that make them an ordinal number.
fn number(rest: &[u8]) -> usize {
    let digits = run(rest, u8::is_ascii_digit);
    let last = digits.checked_sub(1).and_then(|index| rest.get(index));
    let Some(suffix) = rest.get(digits..digits + 2) else { return digits };
    let next = rest.get(digits + 2);
    let is_suffix = match last {
        Some(b'1') => suffix.eq_ignore_ascii_case(b"st"),
        Some(b'2') => suffix.eq_ignore_ascii_case(b"nd"),
        Some(b'3') => suffix.eq_ignore_ascii_case(b"rd"),
        _ => suffix.eq_ignore_ascii_case(b"th"),
    };
    let upper = suffix.iter().all(u8::is_ascii_uppercase);
    let lower = suffix.iter().all(u8::is_ascii_lowercase);
    let ends = next.is_none_or(|next| {
        !next.is_ascii_alphanumeric()
            || (upper && next.is_ascii_lowercase())
            || (lower && next.is_ascii_uppercase())
    });
    if is_suffix && (upper || lower) && ends { digits + 2 } else { digits }
}

fn run(rest: &[u8], belongs: impl Fn(&u8) -> bool) -> usize {
    rest.iter().take_while(|byte| belongs(byte)).count()
}
