//! Letters of the Latin script by their base letters.

/// Base letters, and the letters of Unicode's blocks Latin-1 Supplement and Latin Extended-A that
/// have them.
const BASE_LETTERS: &[(&str, &str)] = &[
    ("A", "ÀÁÂÃÄÅĀĂĄ"),
    ("Ae", "Æ"),
    ("C", "ÇĆĈĊČ"),
    ("D", "ÐĎĐ"),
    ("E", "ÈÉÊËĒĔĖĘĚ"),
    ("G", "ĜĞĠĢ"),
    ("H", "ĤĦ"),
    ("I", "ÌÍÎÏĨĪĬĮİ"),
    ("IJ", "Ĳ"),
    ("J", "Ĵ"),
    ("K", "Ķ"),
    ("L", "ĹĻĽĿŁ"),
    ("N", "ÑŃŅŇŊ"),
    ("O", "ÒÓÔÕÖØŌŎŐ"),
    ("Oe", "Œ"),
    ("R", "ŔŖŘ"),
    ("S", "ŚŜŞŠ"),
    ("T", "ŢŤŦ"),
    ("Th", "Þ"),
    ("U", "ÙÚÛÜŨŪŬŮŰŲ"),
    ("W", "Ŵ"),
    ("Y", "ÝŶŸ"),
    ("Z", "ŹŻŽ"),
    ("a", "àáâãäåāăą"),
    ("ae", "æ"),
    ("c", "çćĉċč"),
    ("d", "ðďđ"),
    ("e", "èéêëēĕėęě"),
    ("g", "ĝğġģ"),
    ("h", "ĥħ"),
    ("i", "ìíîïĩīĭįı"),
    ("ij", "ĳ"),
    ("j", "ĵ"),
    ("k", "ķĸ"),
    ("l", "ĺļľŀł"),
    ("n", "ñńņňŉŋ"),
    ("o", "òóôõöøōŏő"),
    ("oe", "œ"),
    ("r", "ŕŗř"),
    ("s", "śŝşšſ"),
    ("ss", "ß"),
    ("t", "ţťŧ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűų"),
    ("w", "ŵ"),
    ("y", "ýÿŷ"),
    ("z", "źżž"),
];

/// The base letters of an accented or joined Latin letter.
pub(super) fn base_letters(character: char) -> Option<&'static str> {
    // As most characters are, and none of the table.
    if character.is_ascii() {
        return None;
    }
    // Nearly every character, and none of the table.
    if character.is_ascii() {
        return None;
    }
    BASE_LETTERS.iter().find(|(_, letters)| letters.contains(character)).map(|(base, _)| *base)
}

/// An accent that follows its letter.
pub(super) fn is_combining_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{fe20}'..='\u{fe2f}' | '\u{20d0}'..='\u{20ff}')
}
