//! `# Dgraph.Authorization`: the verification of tokens.

use serde_json::{Map, Value};

use crate::model::{Authorization, TokenKeys};

const ALGORITHMS: &[&str] = &["HS256", "HS384", "HS512", "RS256", "RS384", "RS512"];

const MEMBERS: &[&str] = &[
    "Header",
    "Namespace",
    "Algo",
    "VerificationKey",
    "JWKUrl",
    "JWKUrls",
    "Audience",
    "ClosedByDefault",
];

/// The settings, from JSON or from the form before it: a header, a namespace, an algorithm, and a key
/// in quotes. Returns the mistake with its remedy.
pub(super) fn read(text: &str, line: usize) -> Result<Authorization, String> {
    let json: Box<str> = match text.starts_with('{') {
        true => text.into(),
        false => older_form(text).ok_or(
            "it has no settings: write `# Dgraph.Authorization {\"Header\":\"…\",\
             \"Namespace\":\"…\",\"Algo\":\"HS256\",\"VerificationKey\":\"…\"}`",
        )?,
    };
    match serde_json::from_str(&json) {
        Ok(Value::Object(members)) => settings(&members, line),
        Ok(_) => Err("it is no JSON object: write it in braces".to_owned()),
        // The error of the parser may show a part of the key.
        Err(_) => Err("it is no JSON: correct its syntax".to_owned()),
    }
}

fn older_form(text: &str) -> Option<Box<str>> {
    let (header, rest) = text.split_once(char::is_whitespace)?;
    let (namespace, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let (algorithm, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    let (key, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let [header, namespace, algorithm] = [header, namespace, algorithm].map(escaped);
    // In PEM files in quotes, `\n` stands for a line break, as in JSON.
    let json = format!(
        "{{\"Header\":\"{header}\",\"Namespace\":\"{namespace}\",\"Algo\":\"{algorithm}\",\
         \"VerificationKey\":\"{key}\"}}"
    );
    Some(json.into())
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn settings(members: &Map<String, Value>, line: usize) -> Result<Authorization, String> {
    let is_known = |name: &String| MEMBERS.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some(unknown) = members.keys().find(|name| !is_known(name)) {
        return Err(format!("`{unknown}` is no setting: use {}", MEMBERS.join(", ")));
    }
    let header = text(members, "Header")?;
    let namespace = text(members, "Namespace")?;
    let algorithm = text(members, "Algo")?;
    let key = text(members, "VerificationKey")?;
    let url = text(members, "JWKUrl")?;
    let urls = texts(members, "JWKUrls")?;
    let audiences = texts(members, "Audience")?;
    let is_required = match find(members, "ClosedByDefault") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(is_closed)) => *is_closed,
        Some(_) => return Err("`ClosedByDefault` is no boolean: write true or false".to_owned()),
    };
    let mut required = vec![("Header", header.is_empty()), ("Namespace", namespace.is_empty())];
    if url.is_empty() && urls.is_empty() {
        required.push(("VerificationKey", key.is_empty()));
        required.push(("Algo", algorithm.is_empty()));
    } else {
        required.push(("Audience", audiences.is_empty()));
    }
    if let Some((name, _)) = required.iter().find(|(_, is_absent)| *is_absent) {
        return Err(format!("it has no `{name}`: add it"));
    }
    let keys = match (url.is_empty() && urls.is_empty(), key.is_empty() && algorithm.is_empty()) {
        (true, _) if !ALGORITHMS.contains(&algorithm) => {
            return Err(format!("`{algorithm}` is no `Algo`: use {}", ALGORITHMS.join(", ")));
        }
        (false, _) if !url.is_empty() && !urls.is_empty() => {
            return Err("`JWKUrl` and `JWKUrls` exclude each other: remove one of both".to_owned());
        }
        (false, false) => {
            return Err(
                "keys come from `JWKUrl` or `JWKUrls`: remove `VerificationKey` and `Algo`"
                    .to_owned(),
            );
        }
        (false, true) if url.is_empty() => TokenKeys::Sets(urls),
        (false, true) => TokenKeys::Sets(vec![url.into()]),
        (true, _) if algorithm.starts_with("HS") => {
            TokenKeys::Secret { algorithm: algorithm.into(), secret: key.into() }
        }
        // A line break may be written as a backslash with an `n`, as in Dgraph.
        (true, _) => {
            TokenKeys::Public { algorithm: algorithm.into(), pem: key.replace("\\n", "\n").into() }
        }
    };
    let (header, namespace) = (header.into(), namespace.into());
    Ok(Authorization { header, namespace, keys, audiences, is_required, line })
}

/// Names of members are compared without regard to case, as in Dgraph.
fn find<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    let mut members = members.iter();
    members.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A text; an absent one is empty.
fn text<'m>(members: &'m Map<String, Value>, name: &str) -> Result<&'m str, String> {
    match find(members, name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{name}` is no text: write it in quotes")),
    }
}

/// The texts of a list.
fn texts(members: &Map<String, Value>, name: &str) -> Result<Vec<Box<str>>, String> {
    let error = || format!("`{name}` is no list of texts: write `\"{name}\":[\"…\"]`");
    match find(members, name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(Into::into).ok_or_else(error)).collect()
        }
        Some(_) => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        match read(text, 1) {
            Ok(settings) => expected.assert_eq(&format!("{settings:?}")),
            Err(message) => expected.assert_eq(&message),
        }
    }

    #[test]
    fn settings_are_json() {
        for text in [
            r#"{"Header":"X","Namespace":"n","Algo":"HS256","VerificationKey":"k"}"#,
            r#"{"header":"X","namespace":"n","JWKUrl":"u","Audience":["a"],"ClosedByDefault":true}"#,
            r#"{"Header":"X","Namespace":"n","JWKUrls":["u"],"Audience":["a"]}"#,
        ] {
            assert!(read(text, 1).is_ok(), "{text}");
        }
        check(
            "X-Auth https://a.example/claims  RS256 \"a\\nb\"",
            &expect![[
                r#"Authorization { header: "X-Auth", namespace: "https://a.example/claims", keys: Public("RS256"), audiences: [], is_required: false, line: 1 }"#
            ]],
        );
    }

    #[test]
    fn settings_are_complete() {
        for (text, expected) in [
            (
                "",
                &expect![[
                    r#"it has no settings: write `# Dgraph.Authorization {"Header":"…","Namespace":"…","Algo":"HS256","VerificationKey":"…"}`"#
                ]],
            ),
            (
                "X n \"key\"",
                &expect![[
                    r#"it has no settings: write `# Dgraph.Authorization {"Header":"…","Namespace":"…","Algo":"HS256","VerificationKey":"…"}`"#
                ]],
            ),
            ("{\"Header\"}", &expect!["it is no JSON: correct its syntax"]),
            (r#"{"Header":"X","Namespace":"n"}"#, &expect!["it has no `VerificationKey`: add it"]),
            (
                r#"{"Header":"X","Algo":"HS256","VerificationKey":"k"}"#,
                &expect!["it has no `Namespace`: add it"],
            ),
            (
                r#"{"Header":"X","Namespace":"n","Algo":"ES256","VerificationKey":"k"}"#,
                &expect!["`ES256` is no `Algo`: use HS256, HS384, HS512, RS256, RS384, RS512"],
            ),
            (
                r#"{"Header":"X","Namespace":"n","JWKUrl":"u"}"#,
                &expect!["it has no `Audience`: add it"],
            ),
            (
                r#"{"Header":"X","Namespace":"n","JWKUrl":"u","JWKUrls":["v"],"Audience":["a"]}"#,
                &expect!["`JWKUrl` and `JWKUrls` exclude each other: remove one of both"],
            ),
            (
                r#"{"Header":"X","Namespace":"n","JWKUrl":"u","Algo":"HS256","Audience":["a"]}"#,
                &expect![
                    "keys come from `JWKUrl` or `JWKUrls`: remove `VerificationKey` and `Algo`"
                ],
            ),
            (r#"{"Header":1}"#, &expect!["`Header` is no text: write it in quotes"]),
            (
                r#"{"Header":"X","Audience":"a"}"#,
                &expect![[r#"`Audience` is no list of texts: write `"Audience":["…"]`"#]],
            ),
            (
                r#"{"Header":"X","Namespace":"n","Algo":"HS256","VerificationKey":"k","ClosedByDefaults":true}"#,
                &expect![
                    "`ClosedByDefaults` is no setting: use Header, Namespace, Algo, VerificationKey, JWKUrl, JWKUrls, Audience, ClosedByDefault"
                ],
            ),
            (
                r#"{"ClosedByDefault":"yes"}"#,
                &expect!["`ClosedByDefault` is no boolean: write true or false"],
            ),
        ] {
            check(text, expected);
        }
    }
}
