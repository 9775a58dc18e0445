//! Paths into JSON, as Hasura's settings of tokens have them: `$.user.roles[0]`, `$['x-y']`.

use std::fmt;
use std::str::FromStr;

use serde_json_bytes::Value as Json;

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonPath {
    text: Box<str>,
    steps: Box<[Step]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(Box<str>),
    Element(usize),
}

impl JsonPath {
    /// The value at the end of the path.
    pub(super) fn find<'j>(&self, value: &'j Json) -> Option<&'j Json> {
        self.steps.iter().try_fold(value, |value, step| match (step, value) {
            (Step::Member(name), Json::Object(members)) => members.get(&**name),
            (Step::Element(index), Json::Array(items)) => items.get(*index),
            (Step::Member(_) | Step::Element(_), _) => None,
        })
    }
}

impl FromStr for JsonPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |at: usize| {
            format!(
                "the path `{text}` is wrong at character {}: it is `$`, followed by `.name`, \
                 `['name']` or `[0]`",
                text.get(..at).map_or(at, |before| before.chars().count()) + 1
            )
        };
        let mut rest = text.strip_prefix('$').ok_or_else(|| wrong(0))?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let at = text.len() - rest.len();
            let (step, after) = step(rest).ok_or_else(|| wrong(at))?;
            steps.push(step);
            rest = after;
        }
        Ok(Self { text: text.into(), steps: steps.into() })
    }
}

/// The first step of a text, and the rest.
fn step(text: &str) -> Option<(Step, &str)> {
    if let Some(text) = text.strip_prefix('.') {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        return (!name.is_empty()).then(|| (Step::Member(name.into()), rest));
    }
    let text = text.strip_prefix('[')?;
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let (index, rest) = text.split_once(']')?;
        let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        return is_number.then(|| index.parse().ok()).flatten().map(|i| (Step::Element(i), rest));
    };
    let text = text.get(1..)?;
    let mut name = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => name.push(characters.next()?.1),
            c if c == quote => {
                let rest = text.get(at + 1..)?.strip_prefix(']')?;
                return Some((Step::Member(name.into()), rest));
            }
            c => name.push(c),
        }
    }
    None
}

impl fmt::Display for JsonPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    #[test]
    fn a_path_leads_to_one_value() {
        let value = json!({
            "user": { "roles": ["a", { "b": 1 }], "x-y": true },
            "https://a/b": { "it's": 2 },
            "": 3,
            "ä": 4,
        });
        let check = |text: &str, expected: Option<Json>| {
            let path: JsonPath = text.parse().unwrap();
            assert_eq!(path.find(&value), expected.as_ref(), "{text}");
            assert_eq!(path.to_string(), text);
        };
        check("$", Some(value.clone()));
        check("$.user.roles[0]", Some(json!("a")));
        check("$.user['roles'][1].b", Some(json!(1)));
        check("$.user.x-y", Some(json!(true)));
        check("$[\"https://a/b\"]['it\\'s']", Some(json!(2)));
        check("$['']", Some(json!(3)));
        check("$.ä", Some(json!(4)));
        check("$.user.roles[2]", None);
        check("$.user.roles.b", None);
        check("$.user[0]", None);
        check("$.nobody.x", None);
    }

    #[test]
    fn what_is_no_path_is_refused_with_its_place() {
        let check = |text: &str, place: usize| {
            let found = text.parse::<JsonPath>().unwrap_err();
            assert!(found.contains(&format!("at character {place}:")), "{text}: {found}");
        };
        check("", 1);
        check("user", 1);
        check("$user", 2);
        check("$.", 2);
        check("$.ä.b..c", 6);
        check("$.a[", 4);
        check("$.a[-1]", 4);
        check("$.a[+1]", 4);
        check("$.a[]", 4);
        check("$['a]", 2);
        check("$['a\\", 2);
        check("$['a'", 2);
        check("$.a b", 4);
        check("$.a[99999999999999999999999]", 4);
    }
}
