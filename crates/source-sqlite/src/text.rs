//! Values as the text that SQLite's own LIKE and GLOB match.

use std::borrow::Cow;

use rusqlite::types::ValueRef;

/// A value as text, up to a zero byte; `None` of null.
pub(super) fn text_of(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        ValueRef::Null => return None,
        ValueRef::Integer(number) => Cow::Owned(number.to_string()),
        ValueRef::Real(number) => Cow::Owned(real(number)),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
            let bytes = bytes.get(..end).unwrap_or(bytes);
            match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => Cow::Owned(decoded(bytes)),
            }
        }
    })
}

/// A floating point number with the fewest digits that read as the same number.
fn real(number: f64) -> String {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return [sign, "Inf"].concat();
    }
    if number == 0.0 {
        return "0.0".into();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..17).contains(&exponent) {
        let plain = number.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

/// Bytes that are no UTF-8, as SQLite reads them: a byte that continues nothing is a letter by
/// itself, and of what begins a letter all that continues it belongs to it.
fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(first) = rest.next() {
        if first < 0xc0 {
            text.push(char::from(first));
            continue;
        }
        let bits = match first {
            0xc0..=0xdf => first & 0x1f,
            0xe0..=0xef => first & 0x0f,
            0xf0..=0xf7 => first & 0x07,
            0xf8..=0xfb => first & 0x03,
            0xfc..=0xfd => first & 0x01,
            _ => 0,
        };
        let mut code = u32::from(bits);
        while let Some(next) = rest.next_if(|next| next & 0xc0 == 0x80) {
            code = code << 6 | u32::from(next & 0x3f);
        }
        let letter = char::from_u32(code).filter(|_| code >= 0x80);
        text.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    text
}
