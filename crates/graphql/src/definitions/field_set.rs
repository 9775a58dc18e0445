//! Field sets: arguments of type `FieldSet`, such as `id organization { id }`.

use std::sync::Arc;

use apollo_compiler::ast;
use apollo_compiler::parser::Parser;

use super::{Literal, MAX_NESTING, convert};
use crate::document::library_error;
use crate::error::{ErrorCode, GraphQLError};
use crate::schema::is_name;

/// One selection of a field set.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldSetSelection {
    Field {
        name: Arc<str>,
        arguments: Vec<(Arc<str>, Literal)>,
        /// Empty for leaf fields.
        selections: Vec<FieldSetSelection>,
    },
    /// `... on Type { … }`, or the same without a type.
    Fragment { on: Option<Arc<str>>, selections: Vec<FieldSetSelection> },
}

/// Parses a field set, with or without braces. Aliases, variables, directives and named fragments
/// are errors.
pub fn parse_field_set(text: &str) -> Result<Vec<FieldSetSelection>, GraphQLError> {
    if let Some(names) = plain_names(text) {
        return Ok(names);
    }
    match parse_document(text)?.definitions.as_slice() {
        [ast::Definition::OperationDefinition(only)] => selections(&only.selection_set),
        _ => Err(refused("it is no selection of fields")),
    }
}

/// The selections of a field set of names only, as most are: a parser costs more than their composition.
fn plain_names(text: &str) -> Option<Vec<FieldSetSelection>> {
    let names = text.split([' ', '\t', '\n', '\r', ',']).filter(|name| !name.is_empty());
    let fields = names.map(|name| {
        let (arguments, selections) = (Vec::new(), Vec::new());
        is_name(name).then(|| FieldSetSelection::Field { name: name.into(), arguments, selections })
    });
    let fields: Vec<FieldSetSelection> = fields.collect::<Option<_>>()?;
    (!fields.is_empty()).then_some(fields)
}

fn parse_document(text: &str) -> Result<ast::Document, GraphQLError> {
    let text = text.trim();
    // The line breaks end a trailing comment.
    let document = match text.starts_with('{') {
        true => text.to_owned(),
        false => ["{\n", text, "\n}"].concat(),
    };
    let mut parser = Parser::new().recursion_limit(MAX_NESTING);
    parser.parse_ast(document, "field_set.graphql").map_err(|invalid| {
        let first = invalid.errors.iter().next();
        first.map_or_else(
            || refused("it is no selection of fields"),
            |error| library_error(ErrorCode::ParseFailed, error.to_json()),
        )
    })
}

/// Parses a field set with aliases and directives, which have no effect; `None` if it cannot be parsed.
#[must_use]
pub fn parse_field_set_leniently(text: &str) -> Option<Vec<FieldSetSelection>> {
    if let Some(names) = plain_names(text) {
        return Some(names);
    }
    let mut parsed = parse_document(text).ok()?;
    match parsed.definitions.as_mut_slice() {
        [ast::Definition::OperationDefinition(only)] => {
            let only = only.make_mut();
            simplify(&mut only.selection_set);
            selections(&only.selection_set).ok()
        }
        _ => None,
    }
}

/// Removes aliases and directives. Recursion is bounded by the parser's limit.
fn simplify(set: &mut [ast::Selection]) {
    for selection in set {
        match selection {
            ast::Selection::Field(field) => {
                let field = field.make_mut();
                field.alias = None;
                field.directives.clear();
                simplify(&mut field.selection_set);
            }
            ast::Selection::InlineFragment(fragment) => {
                let fragment = fragment.make_mut();
                fragment.directives.clear();
                simplify(&mut fragment.selection_set);
            }
            ast::Selection::FragmentSpread(_) => {}
        }
    }
}

/// Returns the name of the first directive in a field set, which makes it invalid.
#[must_use]
pub fn find_directive_in_field_set(text: &str) -> Option<Arc<str>> {
    if !text.contains('@') {
        return None;
    }
    let parsed = parse_document(text).ok()?;
    let mut sets: Vec<&[ast::Selection]> = parsed
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            ast::Definition::OperationDefinition(operation) => Some(&*operation.selection_set),
            _ => None,
        })
        .collect();
    while let Some(set) = sets.pop() {
        for selection in set {
            let directives = match selection {
                ast::Selection::Field(field) => {
                    sets.push(&field.selection_set);
                    &field.directives
                }
                ast::Selection::InlineFragment(fragment) => {
                    sets.push(&fragment.selection_set);
                    &fragment.directives
                }
                ast::Selection::FragmentSpread(spread) => &spread.directives,
            };
            if let Some(first) = directives.first() {
                return Some(first.name.as_str().into());
            }
        }
    }
    None
}

/// Recursion is bounded by the parser's limit.
fn selections(set: &[ast::Selection]) -> Result<Vec<FieldSetSelection>, GraphQLError> {
    let selections = set.iter().map(|selection| match selection {
        ast::Selection::Field(field) => {
            if field.alias.is_some() || !field.directives.is_empty() {
                return Err(refused("a field set has no aliases and no directives"));
            }
            let arguments = field.arguments.iter().map(|argument| {
                Ok((argument.name.as_str().into(), convert::literal(&argument.value)))
            });
            Ok(FieldSetSelection::Field {
                name: field.name.as_str().into(),
                arguments: arguments.collect::<Result<_, GraphQLError>>()?,
                selections: selections(&field.selection_set)?,
            })
        }
        ast::Selection::InlineFragment(fragment) => {
            if !fragment.directives.is_empty() {
                return Err(refused("a field set has no directives"));
            }
            Ok(FieldSetSelection::Fragment {
                on: fragment.type_condition.as_ref().map(|name| name.as_str().into()),
                selections: selections(&fragment.selection_set)?,
            })
        }
        ast::Selection::FragmentSpread(_) => Err(refused("a field set has no named fragments")),
    });
    selections.collect()
}

fn refused(message: &str) -> GraphQLError {
    GraphQLError::new(ErrorCode::ParseFailed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        fn print(selections: &[FieldSetSelection]) -> String {
            let parts = selections.iter().map(|selection| match selection {
                FieldSetSelection::Field { name, arguments, selections } => {
                    let arguments = match arguments.as_slice() {
                        [] => String::new(),
                        some => format!("{some:?}"),
                    };
                    format!("{name}{arguments}{}", nested(selections))
                }
                FieldSetSelection::Fragment { on, selections } => {
                    format!("...{}{}", on.as_deref().unwrap_or(""), nested(selections))
                }
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        fn nested(selections: &[FieldSetSelection]) -> String {
            if selections.is_empty() { String::new() } else { format!("{{{}}}", print(selections)) }
        }
        let printed = match parse_field_set(text) {
            Ok(selections) => print(&selections),
            Err(error) => error.message,
        };
        assert_eq!(printed, expected);
    }

    #[test]
    fn fields_fragments_and_arguments_are_read() {
        check("id", "id");
        check("{ id name }", "id name");
        check(
            "id organization { id, tags(first: 2) } # last",
            "id organization{id tags[(\"first\", Int(\"2\"))]}",
        );
        check("... on Cat { id ... { name } }", "...Cat{id ...{name}}");
    }

    #[test]
    fn aliases_and_directives_have_no_effect() {
        let lenient = parse_field_set_leniently("a: id @skip(if: true) b { ... @x { c } }");
        assert_eq!(lenient, parse_field_set("id b { ... { c } }").ok());
    }

    #[test]
    fn directives_are_found() {
        let find = |text| find_directive_in_field_set(text).map(|name| name.to_string());
        assert_eq!(find("id a { b @skip(if: true) }").as_deref(), Some("skip"));
        assert_eq!(find("id ... @include(if: true) { b }").as_deref(), Some("include"));
        assert_eq!(find("id a { b }"), None);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        check("a: id", "a field set has no aliases and no directives");
        check("id @include(if: true)", "a field set has no aliases and no directives");
        check("...Name", "a field set has no named fragments");
        check("{ id } { name }", "it is no selection of fields");
        check("id } type A { id: ID", "it is no selection of fields");
    }
}
