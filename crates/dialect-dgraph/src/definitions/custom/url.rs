//! Variables in URLs, as in `https://example.com/users/$id?name=$name`.

use graphql::definitions::problem::{At, Problems};

use super::Context;

/// A variable of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable<'u> {
    pub(super) name: &'u str,
    /// A part of the path cannot be absent.
    is_in_path: bool,
}

/// The variables of a URL; `None` if it is none that can be requested.
pub(super) fn variables(url: &str) -> Option<Vec<Variable<'_>>> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    let (target, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = target.split_once('/').unwrap_or((target, ""));
    if host.is_empty() || url.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return None;
    }
    let in_path = path.split('/').filter_map(|part| part.strip_prefix('$'));
    let in_path = in_path.map(|name| Variable { name, is_in_path: true });
    let in_query = query.split('&').filter_map(|pair| pair.split_once('=')?.1.strip_prefix('$'));
    let in_query = in_query.map(|name| Variable { name, is_in_path: false });
    Some(in_path.chain(in_query).collect())
}

/// Reports variables that are no arguments or fields, and parts of paths that may be null.
pub(super) fn check(
    context: Context<'_, '_>,
    at: At<'_>,
    variables: &[Variable<'_>],
    problems: &mut Problems,
) {
    let kind = if context.owner.kind.is_root() { "argument" } else { "field" };
    for Variable { name, is_in_path } in variables {
        let found = match context.owner.kind.is_root() {
            true => {
                let mut arguments = context.definition.arguments.iter();
                arguments.find(|one| *one.name == **name).map(|one| &one.r#type)
            }
            false => {
                let mut fields = context.owner.fields.iter().map(|field| field.definition);
                fields.find(|one| *one.name == **name).map(|one| &one.r#type)
            }
        };
        match found {
            None => {
                let message =
                    format!("`url` uses `${name}`, but there is no such {kind}: declare it");
                problems.refuse(at, message);
            }
            Some(r#type) if *is_in_path && !r#type.is_required() => {
                let message = format!(
                    "the path of `url` uses `${name}`, which may be null: give the {kind} the \
                     type `{type}!`"
                );
                problems.refuse(at, message);
            }
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_parts_of_paths_and_queries() {
        let names = |url| {
            let variables = variables(url)?.into_iter();
            Some(variables.map(|one| (one.name, one.is_in_path)).collect::<Vec<_>>())
        };
        assert_eq!(
            names("https://a.example/b/$c/d$?e=$f&g=h#/$i"),
            Some(vec![("c", true), ("f", false)])
        );
        assert_eq!(names("http://a.example"), Some(vec![]));
        assert_eq!(names("http://a.example?b=$c"), Some(vec![("c", false)]));
        for url in ["", "123", "ftp://a.example", "http://", "http://a.example/b c", "/b"] {
            assert_eq!(names(url), None, "{url}");
        }
    }
}
