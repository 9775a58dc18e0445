//! Session variables: texts as values of other types, and as lists of them.

use ir::TextValue;

use super::Resolved;
use super::given::Given;
use crate::error::SourceError;

/// A text as one value. A value that is no text already has its type.
pub(super) fn text_value(
    value: Resolved<'_>,
    wanted: TextValue,
) -> Result<Resolved<'_>, SourceError> {
    let Resolved::Text(text) = &value else {
        return Ok(match (wanted, value.text()) {
            // A claim may be a number where a text is compared.
            (TextValue::Text, Some(text)) => Resolved::Text(text.into_owned().into()),
            _ => value,
        });
    };
    let trimmed = text.trim();
    Ok(match wanted {
        TextValue::Text => value,
        TextValue::Json => Resolved::Json(text.clone()),
        TextValue::Boolean => Resolved::Boolean(
            boolean(trimmed).ok_or_else(|| SourceError::invalid("boolean", text))?,
        ),
        TextValue::Integer => {
            let number = trimmed.parse().map_err(|_| SourceError::invalid("bigint", text))?;
            Resolved::Integer(number)
        }
        TextValue::Number => match is_number(trimmed) {
            true => Resolved::Number(trimmed.to_owned().into()),
            false => return Err(SourceError::invalid("numeric", text)),
        },
    })
}

/// A text as a list of values; a list of texts as well.
pub(super) fn text_array<'v>(
    given: Given<'v>,
    wanted: TextValue,
) -> Result<Resolved<'v>, SourceError> {
    if let Some(items) = given.items() {
        let items = items.into_iter().map(|item| text_value(item.plain()?, wanted));
        return Ok(Resolved::List(items.collect::<Result<_, _>>()?));
    }
    let value = given.plain()?;
    let text = value.text().unwrap_or_default();
    let elements = elements(&text).ok_or_else(|| malformed(&text))?;
    let elements = elements.into_iter().map(|element| match element {
        None => Ok(Resolved::Null),
        Some(element) => text_value(Resolved::Text(element.into()), wanted),
    });
    Ok(Resolved::List(elements.collect::<Result<_, _>>()?))
}

fn malformed(text: &str) -> SourceError {
    SourceError::input(format!("malformed array literal: {text:?}"))
}

/// The words that PostgreSQL reads as booleans.
fn boolean(text: &str) -> Option<bool> {
    Some(match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => true,
        "false" | "f" | "no" | "n" | "off" | "0" => false,
        _ => return None,
    })
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The elements of an array of one dimension, as PostgreSQL writes it; `None`: a null.
/// <https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>
fn elements(text: &str) -> Option<Vec<Option<String>>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut elements = Vec::new();
    if inner.trim().is_empty() {
        return Some(elements);
    }
    let mut letters = inner.chars().peekable();
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        let mut element = String::new();
        let is_quoted = letters.next_if_eq(&'"').is_some();
        if is_quoted {
            loop {
                match letters.next()? {
                    '"' => break,
                    '\\' => element.push(letters.next()?),
                    letter => element.push(letter),
                }
            }
            while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        } else {
            while let Some(letter) = letters.next_if(|letter| *letter != ',') {
                match letter {
                    '\\' => element.push(letters.next()?),
                    // Of arrays within arrays, and of misplaced quotes.
                    '{' | '}' | '"' => return None,
                    letter => element.push(letter),
                }
            }
            element.truncate(element.trim_end().len());
            if element.is_empty() {
                return None;
            }
        }
        let is_null = !is_quoted && element.eq_ignore_ascii_case("null");
        elements.push((!is_null).then_some(element));
        match letters.next() {
            None => return Some(elements),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ir::Value;

    use super::*;

    #[test]
    fn a_text_is_read_as_the_type_that_it_is_compared_with() {
        let check = |text: &str, wanted, expected: Option<Resolved<'_>>| {
            let read = text_value(Resolved::Text(text.into()), wanted).ok();
            assert_eq!(read, expected, "{text} {wanted:?}");
        };
        check("7", TextValue::Integer, Some(Resolved::Integer(7)));
        check(" -7 ", TextValue::Integer, Some(Resolved::Integer(-7)));
        check("7.5", TextValue::Integer, None);
        check("", TextValue::Integer, None);
        check("7.50", TextValue::Number, Some(Resolved::Number("7.50".into())));
        check("inf", TextValue::Number, None);
        check("T", TextValue::Boolean, Some(Resolved::Boolean(true)));
        check("off", TextValue::Boolean, Some(Resolved::Boolean(false)));
        check("maybe", TextValue::Boolean, None);
        check("7", TextValue::Text, Some(Resolved::Text("7".into())));
        check("{}", TextValue::Json, Some(Resolved::Json("{}".into())));
        let number = text_value(Resolved::Integer(7), TextValue::Text).ok();
        assert_eq!(number, Some(Resolved::Text("7".into())));
    }

    #[test]
    fn a_text_is_read_as_an_array() {
        let check = |text: &str, expected: Option<&[Option<&str>]>| {
            let found = elements(text);
            let found: Option<Vec<Option<&str>>> =
                found.as_ref().map(|found| found.iter().map(Option::as_deref).collect());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("{}", Some(&[]));
        check("{ }", Some(&[]));
        check("{1,2}", Some(&[Some("1"), Some("2")]));
        check("{ a b , \"c,\\\"d\" }", Some(&[Some("a b"), Some("c,\"d")]));
        check("{NULL,\"NULL\"}", Some(&[None, Some("NULL")]));
        check("{\"\"}", Some(&[Some("")]));
        for malformed in
            ["", "1,2", "{1,}", "{,1}", "{{1}}", "{\"a}", "{a\"b}", "{\"a\"b}", "{a\\}"]
        {
            check(malformed, None);
        }
    }

    #[test]
    fn a_list_of_claims_is_a_list_as_well() {
        let text = Value::Text("{1,2}".into());
        let list = Value::List(vec![Value::Text("1".into()), Value::Integer(2)]);
        for value in [&text, &list] {
            let read = text_array(Given::Constant(value), TextValue::Integer).unwrap();
            assert_eq!(read, Resolved::List(vec![Resolved::Integer(1), Resolved::Integer(2)]));
        }
        let no_list = Value::Text("1".into());
        assert!(text_array(Given::Constant(&no_list), TextValue::Integer).is_err());
    }
}
