//! Paths to parts of JSON values, in the form of JSONPath that has keys and indexes alone:
//! `$.tags[0]`, `size.height`, `["odd key"]`. The `$` may be absent.

use std::sync::Arc;

use graphql::CollectedField;
use graphql::value::Value;
use response::Leaf;

use super::input::{Input, Presence};
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{ArgumentRole, InputRole};

impl Context<'_> {
    /// The leaf of a column with the arguments of its field: of JSON the part at the end of a path.
    /// The path steers.
    pub(super) fn leaf_at_path(
        &self,
        leaf: Leaf,
        field: &CollectedField<'_>,
    ) -> Result<Leaf, LowerError> {
        let mut leaf = leaf;
        for (id, value) in field.arguments {
            let input = Input::new(value);
            match self.api.input(*id).role {
                InputRole::Argument(ArgumentRole::JsonPath) => {}
                InputRole::Ignored => continue,
                _ => return Err(misplaced("an argument of a column")),
            }
            if self.presence(&input) != Presence::Present {
                continue;
            }
            let text: Option<&str> = match &input {
                Input::Literal(Value::String(text)) => Some(text),
                Input::Literal(_) => None,
                Input::Variable(slot, path) => {
                    self.steering.value(*slot, path).and_then(|value| value.as_str())
                }
            };
            let path = text.map(parse).transpose();
            let path = path.map_err(|message| LowerError::refused(&message, field.location))?;
            let is_json = matches!(leaf, Leaf::Json(_));
            leaf = match path {
                Some(path) if is_json => Leaf::JsonPart(path),
                _ => return Err(misplaced("the path of another value than JSON")),
            };
        }
        Ok(leaf)
    }
}

/// The keys and indexes of a path.
fn parse(text: &str) -> Result<Arc<[Box<str>]>, String> {
    let invalid = |place: usize| format!("parse json path error: {text:?} at character {place}");
    let mut path = Vec::new();
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let place = |rest: &str| text.len() - rest.len() + 1;
    // A key stands at the beginning without a dot, too.
    let mut may_begin = rest.len() == text.len();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (item, end) = match inside.chars().next() {
                Some(quote @ ('"' | '\'')) => quoted(&inside[1..], quote),
                _ => index(inside),
            }
            .ok_or_else(|| invalid(place(inside)))?;
            rest = end.strip_prefix(']').ok_or_else(|| invalid(place(end)))?;
            path.push(item);
        } else {
            let key = rest.strip_prefix('.');
            // `.["key"]` and `.[0]` are steps as well.
            if let Some(bracket) = key.filter(|key| key.starts_with('[')) {
                rest = bracket;
                may_begin = false;
                continue;
            }
            let key = key.or(may_begin.then_some(rest)).ok_or_else(|| invalid(place(rest)))?;
            let length = key.find(['.', '[']).unwrap_or(key.len());
            if length == 0 {
                return Err(invalid(place(key)));
            }
            path.push(key[..length].into());
            rest = &key[length..];
        }
        may_begin = false;
    }
    Ok(path.into())
}

/// A key up to its quote, and what follows it; a backslash escapes a character.
fn quoted(text: &str, quote: char) -> Option<(Box<str>, &str)> {
    let mut key = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => key.push(letters.next()?),
            _ if letter == quote => return Some((key.into(), letters.as_str())),
            _ => key.push(letter),
        }
    }
    None
}

/// A whole number, and what follows it.
fn index(text: &str) -> Option<(Box<str>, &str)> {
    let (index, rest) = text.split_at(text.find(']')?);
    index.parse::<i64>().ok().map(|index| (index.to_string().into(), rest))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn paths_have_keys_and_indexes() {
        let check = |text: &str, expect: &[&str]| {
            let path = parse(text).unwrap();
            assert_eq!(path.iter().map(|item| &**item).collect::<Vec<_>>(), expect, "{text}");
        };
        check("", &[]);
        check("$", &[]);
        check("$.a.b", &["a", "b"]);
        check("a.b[0]", &["a", "b", "0"]);
        check(".a[-1].c", &["a", "-1", "c"]);
        check("$[\"odd \\\"key\"].x", &["odd \"key", "x"]);
        check("['a.b'][12]", &["a.b", "12"]);
        check("$.é", &["é"]);
        check("a.[0].[\"é!\"].b", &["a", "0", "é!", "b"]);
    }

    #[test]
    fn other_paths_are_refused_with_a_place() {
        let check = |text: &str, place: usize| {
            let error = parse(text).unwrap_err();
            assert!(error.ends_with(&format!("at character {place}")), "{text}: {error}");
        };
        check("$a", 2);
        check("$..a", 3);
        check("a.", 3);
        check("a[", 3);
        check("a.[", 4);
        check("a[x]", 3);
        check("a[\"b]", 3);
        check("a[0", 3);
        check("a[0]b", 5);
        check("a['b'", 6);
    }
}
