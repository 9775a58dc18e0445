//! The text of a statement: where in it the values of arguments stand.

use std::sync::Arc;

use crate::model::StatementPart;

/// What claims are called where no argument has the name.
const CLAIMS: &str = "jwt";

/// The parts of a text in which `$name` stands for the value of an argument or for the claims of who
/// asks, or the first name that is none of these. What is quoted or commented out is no parameter.
pub(super) fn parts<'t>(text: &'t str, arguments: &[&str]) -> Result<Vec<StatementPart>, &'t str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let name = match first {
            '$' => name_of(rest),
            _ => None,
        };
        let Some(name) = name else {
            rest = rest.get(token(rest)..).unwrap_or_default();
            continue;
        };
        let part = match arguments.iter().position(|argument| *argument == name) {
            Some(place) => StatementPart::Argument(place),
            None if name == CLAIMS => StatementPart::Claims,
            None => return Err(name),
        };
        push(&mut parts, text.get(begin..at));
        parts.push(part);
        begin = at + 1 + name.len();
        rest = text.get(begin..).unwrap_or_default();
    }
    push(&mut parts, text.get(begin..));
    Ok(parts)
}

fn push(parts: &mut Vec<StatementPart>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        parts.push(StatementPart::Text(Arc::from(text)));
    }
}

/// The name behind the `$` that a text begins with.
fn name_of(text: &str) -> Option<&str> {
    let name = text.get(1..)?;
    let is_letter = |one: char| one == '_' || one.is_ascii_alphanumeric();
    let end = name.find(|one| !is_letter(one)).unwrap_or(name.len());
    name.get(..end).filter(|name| !name.is_empty())
}

/// How long the first token of a text is: what is quoted, a comment, or a letter.
pub(super) fn token(text: &str) -> usize {
    let letter = text.chars().next().map_or(1, char::len_utf8);
    if text.starts_with("//") {
        return text.find(['\n', '\r']).unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        let end = text.get(2..).and_then(|inner| inner.find("*/"));
        return end.map_or(text.len(), |end| end + 4);
    }
    let Some(quote @ ('\'' | '"' | '`')) = text.chars().next() else { return letter };
    let mut is_escaped = false;
    for (at, one) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if one == '\\' && quote != '`' {
            is_escaped = true;
        } else if one == quote {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments as their places in braces.
    fn check(text: &str, expected: &str) {
        let said = match parts(text, &["a", "ab", "title"]) {
            Ok(parts) => parts
                .iter()
                .map(|part| match part {
                    StatementPart::Text(text) => text.to_string(),
                    StatementPart::Argument(place) => format!("{{{place}}}"),
                    StatementPart::Claims => "{claims}".to_owned(),
                    part @ (StatementPart::Name(_) | StatementPart::Nothing(_)) => {
                        panic!("{part:?}")
                    }
                })
                .collect(),
            Err(name) => format!("no {name}"),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn arguments_stand_where_their_whole_name_does() {
        check("RETURN $title AS t", "RETURN {2} AS t");
        check("$a$ab+$a", "{0}{1}+{0}");
        check("WHERE x=$a.b AND y IN [$ab]", "WHERE x={0}.b AND y IN [{1}]");
        check("RETURN $abc AS t", "no abc");
        check("RETURN $ AS t, ü", "RETURN $ AS t, ü");
        check("", "");
    }

    #[test]
    fn claims_are_one_parameter_unless_an_argument_has_the_name() {
        check("RETURN $jwt.sub AS s, $jwt", "RETURN {claims}.sub AS s, {claims}");
        check("RETURN $jwts", "no jwts");
        check("RETURN '$jwt', $context.jwt", "no context");
        let parts = parts("$jwt", &["jwt"]).map_err(str::to_owned);
        assert_eq!(parts, Ok(vec![StatementPart::Argument(0)]));
    }

    #[test]
    fn what_is_quoted_or_a_comment_is_left_alone() {
        for text in ["RETURN '$x \\' $x'", "RETURN \"$x ' $x\"", "RETURN `$x``$x`", "RETURN '$x"] {
            check(text, text);
        }
        check("RETURN 1 // $x ' \n + $a", "RETURN 1 // $x ' \n + {0}");
        check("/* $x ' */ $a /* $x", "/* $x ' */ {0} /* $x");
        check("'$x'$a'$x'", "'$x'{0}'$x'");
        check("RETURN 4 / $a", "RETURN 4 / {0}");
    }
}
