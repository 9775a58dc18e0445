//! Rules for forwarded headers, each a table of a list.

use engine::gateway::headers::{HeaderSource, NameError, Names, Rule, is_own};
use hyper::header::{HeaderName, HeaderValue};
use toml::Spanned;
use toml::de::{DeString, DeTable};

use super::table::{Reader, Value};

/// Actions of rules.
const VERBS: [&str; 4] = ["forward", "insert", "remove", "rename"];

/// Sources of inserted values.
const VALUES: [&str; 3] = ["value", "claim", "env"];

const ALL: [&str; 8] = ["forward", "insert", "remove", "rename", "value", "claim", "env", "to"];

/// Reads the rules of a list, without the wrong ones.
pub(super) fn read(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Vec<Rule> {
    let wanted = "a list of rules, such as `[{ forward = \"authorization\" }]`,";
    let Some(rules) = reader.array(name, value, wanted) else { return Vec::new() };
    rules.iter().filter_map(|rule| one(reader, name, rule)).collect()
}

fn one(reader: &mut Reader<'_>, name: &str, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(name, value)?;
    for key in table.keys() {
        if !ALL.contains(&&**key.get_ref()) {
            reader.unknown(key, "a rule", &ALL);
            return None;
        }
    }
    let place = value.span().start;
    let mut verbs = VERBS.into_iter().filter_map(|verb| Some((verb, find(table, verb)?)));
    let (Some((verb, (key, subject))), None) = (verbs.next(), verbs.next()) else {
        let message = "a rule has one action: `forward`, `insert`, `remove` or `rename`";
        reader.wrong(place, message.to_owned());
        return None;
    };
    let foreign = |key: &&Spanned<DeString<'_>>| {
        let name = &**key.get_ref();
        match verb {
            "insert" => name == "to",
            "rename" => VALUES.contains(&name),
            _ => name == "to" || VALUES.contains(&name),
        }
    };
    if let Some(key) = table.keys().find(foreign) {
        let message = format!("`{}` has no place beside `{verb}`", key.get_ref());
        reader.wrong(key.span().start, message);
        return None;
    }
    match verb {
        "forward" => reader.parsed::<Names>(verb, subject).map(Rule::Forward),
        "remove" => reader.parsed::<Names>(verb, subject).map(Rule::Remove),
        "insert" => {
            let name = header(reader, verb, subject);
            let value = inserted(reader, table, key.span().start);
            Some(Rule::Insert { name: name?, value: value? })
        }
        _ => {
            let from = header(reader, verb, subject);
            let Some((_, to)) = find(table, "to") else {
                let message = "`rename` needs `to`, the new name".to_owned();
                reader.wrong(place, message);
                return None;
            };
            let to = header(reader, "to", to);
            Some(Rule::Rename { from: from?, to: to? })
        }
    }
}

fn find<'v, 's>(
    table: &'v DeTable<'s>,
    name: &str,
) -> Option<(&'v Spanned<DeString<'s>>, &'v Value<'s>)> {
    table.iter().find(|(key, _)| &**key.get_ref() == name)
}

/// A header name without wildcards.
fn header(reader: &mut Reader<'_>, key: &str, value: &Value<'_>) -> Option<HeaderName> {
    let text = reader.string(key, value)?;
    let name = text.parse::<HeaderName>().ok().filter(|_| !text.contains('*'));
    let wrong = match name {
        Some(name) if !is_own(&name) => return Some(name),
        Some(_) => NameError::Own.to_string(),
        None => "the name of one header is wanted, such as `x-tenant`".to_owned(),
    };
    reader.wrong(value.span().start, format!("`{key}`: {wrong}"));
    None
}

fn inserted(reader: &mut Reader<'_>, table: &DeTable<'_>, place: usize) -> Option<HeaderSource> {
    let mut values = VALUES.into_iter().filter_map(|name| Some((name, find(table, name)?.1)));
    let (Some((name, value)), None) = (values.next(), values.next()) else {
        let message = "`insert` needs one of `value`, `claim` and `env`";
        reader.wrong(place, message.to_owned());
        return None;
    };
    let text = match name {
        "claim" => {
            let claim = reader.string(name, value)?;
            if claim.is_empty() {
                let message = "`claim`: the name of a claim is wanted, such as `sub`";
                reader.wrong(value.span().start, message.to_owned());
                return None;
            }
            return Some(HeaderSource::Claim(claim.into()));
        }
        "env" => reader.variable(name, value)?,
        _ => reader.string(name, value)?,
    };
    match HeaderValue::from_bytes(text.as_bytes()) {
        Ok(mut value) => {
            // The value may be a secret.
            value.set_sensitive(true);
            Some(HeaderSource::Value(value))
        }
        Err(_) => {
            let message = format!("`{name}`: a header's value has no line breaks");
            reader.wrong(value.span().start, message);
            None
        }
    }
}
