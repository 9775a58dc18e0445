//! Defaults of columns: which of them are literals.

use catalog::FieldDefault;

/// The value of a default that is a literal, with or without casts: `3`, `(-1)`, `'a'::text`, `true`.
/// `None` of every other expression, and of null, which is no default.
#[must_use]
pub fn of_default(expression: &str) -> Option<FieldDefault> {
    let text = without_casts(expression.trim())?;
    let text = within_brackets(text);
    if let Some(quoted) = text.strip_prefix('\'') {
        return without_quotes(quoted).map(|text| FieldDefault::Text(text.into()));
    }
    if text.eq_ignore_ascii_case("true") {
        return Some(FieldDefault::Boolean(true));
    }
    if text.eq_ignore_ascii_case("false") {
        return Some(FieldDefault::Boolean(false));
    }
    is_number(text).then(|| FieldDefault::Number(text.into()))
}

/// What stands before the casts of a value; `None` if there is something else behind it.
fn without_casts(expression: &str) -> Option<&str> {
    let end = end_of_value(expression)?;
    let (value, rest) = expression.split_at_checked(end)?;
    match rest.strip_prefix("::") {
        None => rest.is_empty().then_some(value),
        // `character varying`, `numeric(3,1)`, `"Mood"`, `public.mood`, and further casts.
        Some(types) => types.chars().all(is_of_type).then_some(value),
    }
}

fn is_of_type(character: char) -> bool {
    character.is_alphanumeric() || "_ \"$.,:()[]".contains(character)
}

/// The length of the value at the beginning.
fn end_of_value(text: &str) -> Option<usize> {
    if let Some(quoted) = text.strip_prefix('\'') {
        let mut characters = quoted.char_indices().peekable();
        while let Some((index, character)) = characters.next() {
            match character {
                '\'' if characters.peek().is_some_and(|(_, next)| *next == '\'') => {
                    characters.next();
                }
                '\'' => return Some(index + 2),
                _ => {}
            }
        }
        return None;
    }
    Some(text.find("::").unwrap_or(text.len()))
}

/// A value in brackets, without them.
fn within_brackets(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.map_or(text, str::trim)
}

/// The text of a literal behind its first quote.
fn without_quotes(quoted: &str) -> Option<String> {
    Some(quoted.strip_suffix('\'')?.replace("''", "'"))
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use catalog::FieldDefault;

    use super::of_default;

    fn text(text: &str) -> Option<FieldDefault> {
        Some(FieldDefault::Text(text.into()))
    }

    fn number(text: &str) -> Option<FieldDefault> {
        Some(FieldDefault::Number(text.into()))
    }

    #[test]
    fn literals_are_values() {
        for (expression, expected) in [
            ("'abc'::text", text("abc")),
            ("'it''s ::'::character varying(20)", text("it's ::")),
            ("''", text("")),
            ("'-1'::integer", text("-1")),
            ("'A'::public.\"Mood\"", text("A")),
            ("'a'::text::mood", text("a")),
            ("3", number("3")),
            ("3.40", number("3.40")),
            (".5", number(".5")),
            ("(-1)", number("-1")),
            ("(- 1)", None),
            ("(3.4)::double precision", number("3.4")),
            ("1e3", number("1e3")),
            ("TRUE", Some(FieldDefault::Boolean(true))),
            ("false", Some(FieldDefault::Boolean(false))),
        ] {
            assert_eq!(of_default(expression), expected, "{expression}");
        }
    }

    #[test]
    fn other_expressions_are_none() {
        for expression in [
            "NULL",
            "NULL::text",
            "now()",
            "CURRENT_TIMESTAMP",
            "nextval('a_id_seq'::regclass)",
            "('a'::text || 'b'::text)",
            "'a' || 'b'",
            "'a",
            "1 + 1",
            "E'a\\\\b'::text",
            "x'00'",
            "inf",
            "nan",
            "'a'::text || 'b'::text",
            "",
        ] {
            assert_eq!(of_default(expression), None, "{expression}");
        }
    }
}
