//! Environment variables in strings of a file: `${NAME}`, `${NAME:-default}`, and `$$` for a dollar
//! sign. `${env.NAME}` is Rover's form of the same.

use std::borrow::Cow;

/// The value of a variable, if it is set. The error means that it is not UTF-8.
pub(crate) type Variable = Result<Option<String>, NotText>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText;

/// A string with its variables expanded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expanded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether there were variables: the text may be a secret then.
    pub(super) has_variables: bool,
}

/// Expands the variables of a string.
pub(super) fn expand<'a>(
    text: &'a str,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<Expanded<'a>, String> {
    if !text.contains('$') {
        return Ok(Expanded { text: text.into(), has_variables: false });
    }
    let mut has_variables = false;
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        rest = if let Some(after) = after.strip_prefix('$') {
            expanded.push('$');
            after
        } else if let Some(after) = after.strip_prefix('{') {
            let (inside, after) = after.split_once('}').ok_or("a `${` has no `}`")?;
            expanded.push_str(&value(inside, variable)?);
            has_variables = true;
            after
        } else {
            return Err("a `$` is written as `$$`, and a variable as `${NAME}`".into());
        };
    }
    expanded.push_str(rest);
    Ok(Expanded { text: expanded.into(), has_variables })
}

/// Expands one variable. As in a shell, the default applies to unset and empty variables.
fn value(inside: &str, variable: &dyn Fn(&str) -> Variable) -> Result<String, String> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let name = name.strip_prefix("env.").unwrap_or(name);
    if !is_name(name) {
        return Err("the name of a variable has letters, digits and `_` only: `${NAME}`".into());
    }
    if default.is_some_and(|default| default.contains('$')) {
        return Err(format!("the default of `{name}` cannot have a `$`"));
    }
    match (variable(name), default) {
        (Ok(Some(value)), None) => Ok(value),
        (Ok(Some(value)), Some(_)) if !value.is_empty() => Ok(value),
        (Ok(_), Some(default)) => Ok(default.to_owned()),
        (Ok(None), None) => Err(format!(
            "the environment variable `{name}` is not set; `${{{name}:-…}}` gives a default"
        )),
        (Err(NotText), _) => Err(format!("the environment variable `{name}` is not UTF-8")),
    }
}

fn is_name(name: &str) -> bool {
    let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word && name.starts_with(|first: char| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let variable = |name: &str| match name {
            "USER" => Ok(Some("ada".to_owned())),
            "EMPTY" => Ok(Some(String::new())),
            "BYTES" => Err(NotText),
            _ => Ok(None),
        };
        let expanded = expand(text, &variable).map(|expanded| expanded.text.into_owned());
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(expanded, expected, "{text}");
    }

    #[test]
    fn variables_are_filled_in() {
        check("postgres://${USER}@host/${DATABASE:-shop}", Ok("postgres://ada@host/shop"));
        check("${USER}${USER:-eve}", Ok("adaada"));
        check("[${EMPTY}] [${EMPTY:-none}] [${NOTHING:-}]", Ok("[] [none] []"));
        check("${env.USER}-${env.NOTHING:-x}", Ok("ada-x"));
        check("plain", Ok("plain"));
        check("", Ok(""));
    }

    #[test]
    fn a_dollar_is_written_twice() {
        check("a$$b$${USER}", Ok("a$b${USER}"));
        check("a$b", Err("a `$` is written as `$$`, and a variable as `${NAME}`"));
        check("a$", Err("a `$` is written as `$$`, and a variable as `${NAME}`"));
    }

    #[test]
    fn what_is_no_variable_is_refused() {
        let not_set =
            "the environment variable `NOTHING` is not set; `${NOTHING:-…}` gives a default";
        check("${NOTHING}", Err(not_set));
        check("${BYTES}", Err("the environment variable `BYTES` is not UTF-8"));
        check("${BYTES:-x}", Err("the environment variable `BYTES` is not UTF-8"));
        check("${USER", Err("a `${` has no `}`"));
        check("${A:-${B}}", Err("the default of `A` cannot have a `$`"));
        for name in ["", "1A", "A-B", "A B", ":-x"] {
            let message = "the name of a variable has letters, digits and `_` only: `${NAME}`";
            check(&format!("${{{name}}}"), Err(message));
        }
    }
}
