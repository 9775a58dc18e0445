//! Documents changed token by token.

use graphql::schema::Schema;

use testkit::fuzz::Choices;

/// What a token may become, beside the names of the schema.
const REPLACEMENTS: [&str; 46] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ":",
    "!",
    "$",
    "@",
    "...",
    "=",
    "|",
    "&",
    ",",
    "on",
    "query",
    "mutation",
    "subscription",
    "fragment",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1",
    "2147483648",
    "1e400",
    "1.5",
    "\"\"",
    "\"a\"",
    "\"\\u0000\"",
    "\"\\uD83D\\uDE00\"",
    "\"\\uD800\"",
    "\"\"\"block \"x\" \"\"\"",
    "\"",
    "__typename",
    "__schema",
    "__type",
    "$v",
    "$b",
    "@skip(if: $b)",
    "@include(if: false)",
    "{}",
    "[]",
    "#c\n",
];

/// Values that variables get, whatever their types are.
const VALUES: [&str; 16] = [
    "null",
    "true",
    "0",
    "1",
    "-1",
    "2147483648",
    "1.5",
    "\"\"",
    "\"a\"",
    "\"\\u0000\"",
    "[]",
    "[1]",
    "[null]",
    "{}",
    "{\"id\":1}",
    "[[[1]]]",
];

/// The tokens of a text, which need not be a document.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\t' | '\r' | '\n' | ',' => {
                rest = &rest[1..];
                continue;
            }
            '#' => {
                rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
                continue;
            }
            '.' if rest.starts_with("...") => 3,
            '"' => string_length(rest),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token.to_owned());
        rest = after;
    }
    tokens
}

/// Changes the tokens a few times. `others` are those of another document, to splice with.
pub(crate) fn mutate(
    tokens: &mut Vec<String>,
    others: &[String],
    schema: &Schema,
    choices: &mut Choices<'_>,
) {
    for _ in 0..=choices.below(5) {
        let place = choices.below(tokens.len());
        match choices.below(12) {
            0 => {
                tokens.splice(place..(place + 1).min(tokens.len()), []);
            }
            1 => duplicate(tokens, place, choices),
            2 => {
                let other = choices.below(tokens.len());
                if place < tokens.len() && other < tokens.len() {
                    tokens.swap(place, other);
                }
            }
            3 | 4 => {
                let replacement = replacement(schema, choices);
                if let Some(token) = tokens.get_mut(place) {
                    *token = replacement;
                }
            }
            5 => tokens.insert(place.min(tokens.len()), replacement(schema, choices)),
            6 => {
                // The beginning of one document and the end of another.
                let from = choices.below(others.len());
                tokens.splice(place.min(tokens.len()).., others[from.min(others.len())..].to_vec());
            }
            7 => insert_group(tokens, place, others, choices),
            8 => wrap(tokens, place, &["...", "{"], &["}"]),
            9 => wrap(tokens, place, &["...", "@include", "(", "if", ":", "$b", ")", "{"], &["}"]),
            10 => insert_before_name(tokens, place, &["x", ":"]),
            _ => insert_before_name(tokens, place + 1, &["@skip", "(", "if", ":", "$b", ")"]),
        }
    }
}

/// Variables for the names that documents use: what a seed has, changed, and a few more.
pub(crate) fn variables(seed: &str, choices: &mut Choices<'_>) -> String {
    let mut values: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(seed).unwrap_or_default();
    let mut names: Vec<String> = values.keys().cloned().collect();
    names.extend(["b".to_owned(), "v".to_owned()]);
    for name in names {
        let seeded = values.contains_key(&name);
        let value = match (name.as_str(), choices.below(8)) {
            ("b", 0..=5) => serde_json::Value::Bool(choices.below(2) == 1),
            (_, 0..=5) if seeded => continue,
            (_, 6) => {
                values.remove(&name);
                continue;
            }
            _ => choices
                .pick(&VALUES)
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_default(),
        };
        values.insert(name, value);
    }
    serde_json::Value::Object(values).to_string()
}

fn replacement(schema: &Schema, choices: &mut Choices<'_>) -> String {
    if choices.below(2) == 0 {
        return choices.pick(&REPLACEMENTS).map_or_else(String::new, |text| (*text).to_owned());
    }
    let (fields, inputs, values) = schema.sizes();
    let types = schema.types().count();
    let some = |choices: &mut Choices<'_>, size: usize| choices.below(size);
    match choices.below(4) {
        0 if fields > 0 => {
            let id = graphql::schema::FieldId::new(some(choices, fields));
            schema[id].name.to_string()
        }
        1 if inputs > 0 => {
            let id = graphql::schema::InputId::new(some(choices, inputs));
            schema[id].name.to_string()
        }
        2 if values > 0 => {
            let id = graphql::schema::EnumValueId::new(some(choices, values));
            schema[id].name.to_string()
        }
        _ => schema[graphql::schema::TypeId::new(some(choices, types))].name.to_string(),
    }
}

fn duplicate(tokens: &mut Vec<String>, place: usize, choices: &mut Choices<'_>) {
    let end = (place + 1 + choices.below(12)).min(tokens.len());
    if place < end {
        let copy = tokens[place..end].to_vec();
        tokens.splice(end..end, copy);
    }
}

/// Puts a whole group of braces of another document here.
fn insert_group(
    tokens: &mut Vec<String>,
    place: usize,
    others: &[String],
    choices: &mut Choices<'_>,
) {
    let openings: Vec<usize> =
        others.iter().enumerate().filter(|(_, token)| *token == "{").map(|(at, _)| at).collect();
    let Some(start) = choices.pick(&openings) else { return };
    let group = others[*start..=closing(others, *start)].to_vec();
    let place = place.min(tokens.len());
    tokens.splice(place..place, group);
}

/// Wraps the next selections in braces, so that nothing is left open.
fn wrap(tokens: &mut Vec<String>, place: usize, before: &[&str], after: &[&str]) {
    let Some(start) = (place..tokens.len()).find(|at| tokens[*at] == "{") else { return };
    let end = closing(tokens, start);
    tokens.splice(end..end, after.iter().map(|token| (*token).to_owned()));
    tokens.splice(start + 1..start + 1, before.iter().map(|token| (*token).to_owned()));
}

fn insert_before_name(tokens: &mut Vec<String>, place: usize, inserted: &[&str]) {
    let name = |token: &String| token.starts_with(|c: char| c.is_ascii_alphabetic());
    let Some(at) = (place..tokens.len()).find(|at| name(&tokens[*at])) else { return };
    tokens.splice(at..at, inserted.iter().map(|token| (*token).to_owned()));
}

/// Where the brace at `start` is closed, or the last token.
fn closing(tokens: &[String], start: usize) -> usize {
    let mut open = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "{" => open += 1,
            "}" => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '+'
}

/// The length of the string that the text begins with.
fn string_length(text: &str) -> usize {
    let mark = if text.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
    let mut from = mark.len();
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(mark)) {
        let end = from + found;
        from = end + mark.len();
        if !text[..end].ends_with('\\') {
            return from;
        }
    }
    text.len()
}
