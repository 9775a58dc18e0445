//! Settings in comments: `# Dgraph.Authorization`, `# Dgraph.Secret` and `# Dgraph.Allow-Origin`.

mod authorization;

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{Literal, Template, parse_template};

use crate::model::{Authorization, Settings};

pub(super) fn read(text: &str, problems: &mut Problems) -> Settings {
    let mut settings = Settings::default();
    for (idx, written) in text.lines().enumerate() {
        let Some(comment) = written.trim_start_matches('\u{feff}').trim().strip_prefix('#') else {
            continue;
        };
        let column = written.chars().take_while(|char| *char != '#').count() + 1;
        let at = At::definitions(idx + 1, column);
        let comment = comment.trim();
        if let Some(rest) = comment.strip_prefix("Dgraph.Authorization") {
            add_authorization(rest.trim(), at, &mut settings, problems);
        } else if let Some(rest) = comment.strip_prefix("Dgraph.Allow-Origin") {
            match quoted(rest.trim()) {
                Some(origin) => {
                    if !settings.allowed_origins.contains(&origin) {
                        settings.allowed_origins.push(origin);
                    }
                }
                None => problems.refuse(
                    at,
                    "`Dgraph.Allow-Origin` has no origin in quotes: \
                     write `# Dgraph.Allow-Origin \"https://example.com\"`",
                ),
            }
        } else if let Some(rest) = comment.strip_prefix("Dgraph.Secret") {
            add_secret(rest.trim(), at, &mut settings, problems);
        }
    }
    settings
}

fn add_authorization(rest: &str, at: At<'_>, settings: &mut Settings, problems: &mut Problems) {
    if let Some(Authorization { line, .. }) = &settings.authorization {
        let message = format!("`Dgraph.Authorization` is on line {line} already: keep one of both");
        problems.refuse(at, message);
        return;
    }
    match authorization::read(rest, at.line()) {
        Ok(authorization) => settings.authorization = Some(authorization),
        Err(message) => problems.refuse(at, format!("`Dgraph.Authorization`: {message}")),
    }
}

fn add_secret(rest: &str, at: At<'_>, settings: &mut Settings, problems: &mut Problems) {
    let parts = rest.split_once(char::is_whitespace);
    let parts = parts.map(|(name, value)| (name.trim_matches('"'), value.trim()));
    let is_value = |value: &str| {
        value.len() > 1
            && value.starts_with('"')
            && value.ends_with('"')
            && value.matches('"').count() == 2
    };
    match parts {
        Some((name, value)) if !name.is_empty() && is_value(value) => {
            settings.secrets.retain(|(known, _)| **known != *name);
            settings.secrets.push((name.into(), value.trim_matches('"').into()));
        }
        _ => problems.refuse(
            at,
            "`Dgraph.Secret` has no name with a value in quotes: \
             write `# Dgraph.Secret name \"value\"`",
        ),
    }
}

/// A text in quotes without spaces. Escapes are those of GraphQL, which are those of JSON.
fn quoted(text: &str) -> Option<Box<str>> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    match parse_template(text) {
        Ok(Template::Leaf(Literal::String(text))) => Some((&*text).into()),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};

    const TYPE: &str = "type A { b: String }\n";

    #[test]
    fn comments_are_settings() {
        let text = "  # Dgraph.Authorization {\"Header\":\"X\",\"Namespace\":\"n\",\"Algo\":\"HS256\",\"VerificationKey\":\"k\"} \n\
                    #Dgraph.Secret GITHUB  \"a b\"\n# Dgraph.Secret \"of\" \"c\"\n\
                    # Dgraph.Allow-Origin \"https://a.example\"\n\
                    # Dgraph.Allow-Origin \"https://b.example\"\n# Dgraph is a database\n";
        check(
            &[TYPE, text].concat(),
            |model| model.settings.clone(),
            &expect![[r#"
                Settings {
                    authorization: Some(
                        Authorization {
                            header: "X",
                            namespace: "n",
                            keys: Secret(
                                "HS256",
                            ),
                            audiences: [],
                            is_required: false,
                            line: 2,
                        },
                    ),
                    secrets: [
                        (
                            "GITHUB",
                            "a b",
                        ),
                        (
                            "of",
                            "c",
                        ),
                    ],
                    allowed_origins: [
                        "https://a.example",
                        "https://b.example",
                    ],
                }
            "#]],
        );
    }

    #[test]
    fn mistakes_in_settings_have_remedies() {
        let text = "# Dgraph.Authorization\n# Dgraph.Authorization a b HS256 \"c\"\n\
                    # Dgraph.Authorization {}\n \
                    # Dgraph.Secret name value\n# Dgraph.Secret name\n# Dgraph.Allow-Origin a\n";
        refused(
            &[TYPE, text].concat(),
            &expect![[r#"
                line 2, column 1: definitions: `Dgraph.Authorization`: it has no settings: write `# Dgraph.Authorization {"Header":"…","Namespace":"…","Algo":"HS256","VerificationKey":"…"}`
                line 4, column 1: definitions: `Dgraph.Authorization` is on line 3 already: keep one of both
                line 5, column 2: definitions: `Dgraph.Secret` has no name with a value in quotes: write `# Dgraph.Secret name "value"`
                line 6, column 1: definitions: `Dgraph.Secret` has no name with a value in quotes: write `# Dgraph.Secret name "value"`
                line 7, column 1: definitions: `Dgraph.Allow-Origin` has no origin in quotes: write `# Dgraph.Allow-Origin "https://example.com"`
            "#]],
        );
    }
}
