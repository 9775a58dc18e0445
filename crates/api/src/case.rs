//! Changing the case of names, word by word.
//!
//! The words are those of lodash's `camelCase`, which GraphQL layers over SQL databases use:
//! digits are words of their own, so `c_int4range` becomes `cInt4Range`. Underscores around a
//! name stay. Every function gives ASCII letters, digits and underscores only, whatever it gets;
//! characters without a Latin base letter are spelled by their code point, so that names in any
//! script stay apart.

mod latin;
mod words;

use words::words;

/// Replaces the characters of `name` that GraphQL names cannot have: Latin letters by their base
/// letters, letters and digits of other scripts by `u` and their code point. Signs stay, unless the
/// name has nothing else.
#[must_use]
pub fn spell(name: &str) -> String {
    let only_signs = !name.chars().any(|character| character.is_alphanumeric());
    let mut spelled = String::with_capacity(name.len());
    for character in name.chars() {
        if let Some(base) = latin::base_letters(character) {
            spelled.push_str(base);
        } else if is_foreign(character) || (only_signs && character != '_') {
            spelled.push_str(&code_point(character));
        } else if !latin::is_combining_mark(character) {
            spelled.push(character);
        }
    }
    spelled
}

/// As [`spell`], but accents stay where the name has letters or digits without them.
#[must_use]
pub fn spell_foreign(name: &str) -> String {
    if !name.contains(|character: char| character.is_ascii_alphanumeric()) {
        return spell(name);
    }
    let mut spelled = String::with_capacity(name.len());
    for character in name.chars() {
        if is_foreign(character) && latin::base_letters(character).is_none() {
            spelled.push_str(&code_point(character));
        } else {
            spelled.push(character);
        }
    }
    spelled
}

/// A letter or digit of another script. Latin-1 has signs that Unicode counts among letters and
/// digits, such as `µ` and `²`: they separate words.
fn is_foreign(character: char) -> bool {
    character > '\u{bf}' && character.is_alphanumeric()
}

fn code_point(character: char) -> String {
    format!("u{:04x}", u32::from(character))
}

/// `post_tags` → `postTags`.
#[must_use]
pub fn camel_case(name: &str) -> String {
    inside_underscores(name, |middle, output| {
        let spelled = spell(middle).replace(['\'', '\u{2019}'], "");
        for (index, word) in words(&spelled).into_iter().enumerate() {
            if index == 0 {
                output.push_str(&word.to_ascii_lowercase());
            } else {
                push_capitalized(word, output);
            }
        }
    })
}

/// `post_tags` → `PostTags`.
#[must_use]
pub fn upper_camel_case(name: &str) -> String {
    inside_underscores(&camel_case(name), |middle, output| {
        let mut characters = middle.chars();
        output.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        output.push_str(characters.as_str());
    })
}

/// `postTags` → `POST_TAGS`. Only capital letters begin a word here, digits do not: `c_int4` →
/// `C_INT4`.
#[must_use]
pub fn constant_case(name: &str) -> String {
    inside_underscores(name, |middle, output| {
        let mut previous = None;
        for character in middle.chars() {
            let upper = character.is_ascii_uppercase();
            let separates = !character.is_ascii_alphanumeric();
            let begins = upper && !previous.is_some_and(|p: char| p.is_ascii_uppercase());
            if (separates || begins) && !output.ends_with('_') {
                output.push('_');
            }
            if !separates {
                output.push(character.to_ascii_uppercase());
            }
            previous = Some(character);
        }
        let kept = output.trim_start_matches('_').len();
        output.drain(..output.len() - kept);
        if output.starts_with(|first: char| first.is_ascii_digit()) {
            output.insert(0, '_');
        }
    })
}

/// Applies `change` to the part between the underscores around a name.
fn inside_underscores(name: &str, change: impl FnOnce(&str, &mut String)) -> String {
    let without_start = name.trim_start_matches('_');
    let middle = without_start.trim_end_matches('_');
    let mut changed = String::with_capacity(name.len() + 4);
    change(middle, &mut changed);
    let start = name.len() - without_start.len();
    let end = without_start.len() - middle.len();
    format!("{}{changed}{}", "_".repeat(start), "_".repeat(end))
}

fn push_capitalized(word: &str, output: &mut String) {
    let mut characters = word.chars();
    output.extend(characters.next().map(|first| first.to_ascii_uppercase()));
    output.extend(characters.map(|character| character.to_ascii_lowercase()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case_of_words_digits_and_ordinals() {
        let cases = [
            ("post_tags", "postTags"),
            ("c_int4range", "cInt4Range"),
            ("c_char1", "cChar1"),
            ("all-ent2s-list", "allEnt2SList"),
            ("c_1st", "c1st"),
            ("c_21ST_x", "c21stX"),
            ("c_11th", "c11Th"),
            ("c_1ab", "c1Ab"),
            ("HTMLParser", "htmlParser"),
            ("XMLs", "xmLs"),
            ("mixedCase", "mixedCase"),
            ("ALLCAPS_B", "allcapsB"),
            ("_x_y_", "_xY_"),
            ("with space", "withSpace"),
            ("it's", "its"),
            ("größe_æther", "grosseAether"),
            ("Ünïcode", "unicode"),
            ("имя", "u0438U043Cu044F"),
            ("%", "u0025"),
            ("a%", "a"),
            ("_", "_"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(camel_case(name), expected, "{name}");
        }
    }

    #[test]
    fn upper_camel_case_keeps_underscores_around() {
        assert_eq!(upper_camel_case("post_tags"), "PostTags");
        assert_eq!(upper_camel_case("_secret"), "_Secret");
        assert_eq!(upper_camel_case("_1st"), "_1st");
    }

    #[test]
    fn constant_case_of_names_and_labels() {
        let cases = [
            ("full_name_asc", "FULL_NAME_ASC"),
            ("c_int4range", "C_INT4RANGE"),
            ("mixedCase", "MIXED_CASE"),
            ("VeryHTMLish", "VERY_HTMLISH"),
            ("very-happy", "VERY_HAPPY"),
            ("C d", "C_D"),
            ("1st", "_1ST"),
            ("a.b", "A_B"),
            ("__x", "__X"),
            ("x__y_", "X_Y_"),
            ("-a", "A"),
            ("é", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(constant_case(name), expected, "{name}");
        }
    }
}
