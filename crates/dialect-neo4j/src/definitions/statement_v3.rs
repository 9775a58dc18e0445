//! Statements as version 3 has them: the column that they give need not be said, and those of the roots
//! are written as they stand within quotes.

use std::borrow::Cow;
use std::sync::Arc;

use super::statement::Of;
use super::statement_column::{self, Columns, Untold};
use super::statement_text;
use crate::model::StatementPart;

/// What a statement of version 3 says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) parts: Vec<StatementPart>,
    pub(super) column: Arc<str>,
    /// Whether its first row alone counts.
    pub(super) only_first: bool,
}

/// Reads the text of a statement. `column` is the one that its author says; `gives_rows` whether
/// each of its rows is one of what it gives.
pub(super) fn read(
    (text, column): (&str, Option<&Arc<str>>),
    of: Of,
    gives_rows: bool,
    arguments: &[&str],
) -> Result<Said, String> {
    // Where the column is said, it is a statement as any other, but for those that change the graph.
    let is_plain = column.is_some() && of != Of::Mutation;
    let text = match of {
        Of::Query | Of::Mutation if !is_plain => unquoted(text),
        Of::Query | Of::Mutation | Of::Node => Cow::Borrowed(text),
    };
    let only_first = !is_plain && of != Of::Mutation && !gives_rows;
    let columns = match column {
        Some(column) => Columns { first: column.clone(), unnamed: Vec::new(), end: text.len() },
        None => match statement_column::columns(&text) {
            Ok(columns) => columns,
            Err(Untold::Nothing) if of == Of::Mutation => {
                let column = statement_column::made(0);
                let mut parts = parts(&text, of, is_plain, arguments)?;
                parts.push(StatementPart::Nothing(column.clone()));
                return Ok(Said { parts, column, only_first });
            }
            Err(Untold::Nothing) => {
                return Err("its statement has no RETURN at its end, and gives nothing".into());
            }
            Err(Untold::All) => {
                let message = "which of the columns of `RETURN *` it gives cannot be told: name \
                               it, or say it by `columnName:`";
                return Err(message.into());
            }
        },
    };
    let mut all = Vec::new();
    let mut begin = 0;
    for (end, name) in &columns.unnamed {
        let piece = text.get(begin..*end).unwrap_or_default();
        all.extend(parts(piece, of, is_plain, arguments)?);
        all.push(StatementPart::Name(name.clone()));
        begin = *end;
    }
    let piece = text.get(begin..columns.end).unwrap_or_default();
    all.extend(parts(piece, of, is_plain, arguments)?);
    Ok(Said { parts: all, column: columns.first, only_first })
}

/// The parts of a text. Where the column is not said, the node that is asked is a parameter, too;
/// claims are a part of what is known of who asks.
fn parts(
    text: &str,
    of: Of,
    is_plain: bool,
    arguments: &[&str],
) -> Result<Vec<StatementPart>, String> {
    // Those behind the arguments, of which one may have such a name, are what version 3 has itself.
    let names: Vec<&str> = arguments.iter().copied().chain([AUTH, NODE, CLAIMS]).collect();
    let read = statement_text::parts(text, &names).map_err(super::statement::unknown)?;
    let mut parts: Vec<StatementPart> = Vec::with_capacity(read.len());
    let mut is_auth = false;
    for part in read {
        if std::mem::take(&mut is_auth) {
            let rest = match &part {
                StatementPart::Text(text) => text.strip_prefix(".jwt"),
                _ => None,
            };
            let is_letter = |one: char| one == '_' || one.is_alphanumeric();
            let rest = rest.filter(|rest| !rest.starts_with(is_letter));
            let rest = rest.ok_or_else(|| ONLY_CLAIMS.to_owned())?;
            parts.push(StatementPart::Claims);
            if !rest.is_empty() {
                parts.push(StatementPart::Text(rest.into()));
            }
            continue;
        }
        let own = match &part {
            StatementPart::Argument(place) => place.checked_sub(arguments.len()),
            _ => None,
        };
        match own.and_then(|own| [AUTH, NODE, CLAIMS].get(own).copied()) {
            None => parts.push(part),
            Some(AUTH) => is_auth = true,
            Some(NODE) if of == Of::Node && !is_plain => {
                parts.push(StatementPart::Text(NODE.into()));
            }
            Some(name) => return Err(super::statement::unknown(name)),
        }
    }
    match is_auth {
        true => Err(ONLY_CLAIMS.into()),
        false => Ok(parts),
    }
}

/// What statements call the node that they are asked of.
const NODE: &str = "this";

/// What they call all that is known of who asks.
const AUTH: &str = "auth";

/// What version 7 calls the claims of who asks, and version 3 does not.
const CLAIMS: &str = "jwt";

const ONLY_CLAIMS: &str = "of `$auth` there are the claims here, `$auth.jwt`, and nothing else";

/// What stands between the quotes of a text, as that text is read.
fn unquoted(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut read = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            read.push(letter);
            continue;
        }
        match letters.next() {
            Some(same @ ('\\' | '\'' | '"' | '`')) => read.push(same),
            Some('n') => read.push('\n'),
            Some('r') => read.push('\r'),
            Some('t') => read.push('\t'),
            // The server reads what else there is, as it does in any text.
            other => {
                read.push('\\');
                read.extend(other);
            }
        }
    }
    Cow::Owned(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments as their places in braces, names in parentheses.
    fn check((text, column): (&str, Option<&str>), of: Of, gives_rows: bool, expected: &str) {
        let column = column.map(Arc::from);
        let said = match read((text, column.as_ref()), of, gives_rows, &["a"]) {
            Ok(Said { parts, column, only_first }) => {
                let mut said: String = parts
                    .iter()
                    .map(|part| match part {
                        StatementPart::Text(text) => text.to_string(),
                        StatementPart::Argument(place) => format!("{{{place}}}"),
                        StatementPart::Claims => "{claims}".to_owned(),
                        StatementPart::Name(name) => format!("({name})"),
                        StatementPart::Nothing(name) => format!("(nothing: {name})"),
                    })
                    .collect();
                said.push_str(&format!(" | {column}"));
                said.push_str(if only_first { " | first" } else { "" });
                said
            }
            Err(message) => message,
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn the_column_need_not_be_said() {
        check(("RETURN $a", None), Of::Node, false, "RETURN {0}(the value) | the value | first");
        check(("MATCH (b) RETURN b", None), Of::Node, true, "MATCH (b) RETURN b | b");
        check(("RETURN b, c.d", Some("b")), Of::Query, false, "RETURN b, c.d | b");
    }

    #[test]
    fn the_node_is_a_parameter_where_the_column_is_not_said() {
        check(("RETURN $this.x AS x", None), Of::Node, true, "RETURN this.x AS x | x");
        for (column, of) in [(Some("x"), Of::Node), (None, Of::Query)] {
            check(
                ("RETURN $this.x AS x", column),
                of,
                true,
                "its statement has the parameter `$this`, and the field no argument of this name",
            );
        }
    }

    #[test]
    fn claims_are_a_part_of_what_is_known_of_who_asks() {
        for of in [Of::Node, Of::Query, Of::Mutation] {
            let text = "RETURN $auth.jwt.sub AS x, $auth.jwt";
            let named = "RETURN {claims}.sub AS x, {claims}(the value 2) | x";
            check((text, None), of, true, named);
        }
        check(("$auth.jwt['a']", Some("x")), Of::Query, true, "{claims}['a'] | x");
        for text in ["$auth AS x", "$auth.roles", "$auth.jwts", "$auth"] {
            check((text, Some("x")), Of::Query, true, ONLY_CLAIMS);
        }
        let message =
            "its statement has the parameter `$jwt`, and the field no argument of this name";
        check(("$jwt.sub", Some("x")), Of::Query, true, message);
    }

    #[test]
    fn statements_of_the_roots_are_read_as_they_stand_in_quotes() {
        let text = r#"RETURN \"\\n\u0041\" + '\n' AS x"#;
        let read = "RETURN \"\\n\\u0041\" + '\n' AS x | x";
        check((text, None), Of::Query, true, read);
        check((text, Some("x")), Of::Mutation, false, read);
        check((text, Some("x")), Of::Query, true, &format!("{text} | x"));
        check(("RETURN '\\n' AS x", None), Of::Node, true, "RETURN '\\n' AS x | x");
    }

    #[test]
    fn only_changes_may_give_nothing() {
        check(
            ("MATCH (n) DELETE n", None),
            Of::Mutation,
            false,
            "MATCH (n) DELETE n(nothing: the value) | the value",
        );
        check(
            ("MATCH (n)", None),
            Of::Query,
            true,
            "its statement has no RETURN at its end, and gives nothing",
        );
    }
}
