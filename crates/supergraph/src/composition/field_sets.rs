//! Field sets of a subgraph: which fields a `@key`, `@requires` or `@provides` selects.

use std::sync::Arc;

use graphql::definitions::{FieldSetSelection, Literal};
use graphql::parse_field_set_leniently;
use rustc_hash::FxHashSet;

use super::schema::{Applied, Kind, Subgraph};
use super::specifications::FEDERATION_1;

/// A field by the names of its type and its own.
pub(crate) type Coordinate = (Arc<str>, Arc<str>);

/// Returns the field set of a directive. Federation 1 allowed lists of texts.
pub(crate) fn text(applied: &Applied) -> Option<String> {
    match applied.argument("fields")? {
        Literal::String(text) | Literal::Enum(text) => Some(text.as_ref().to_owned()),
        Literal::List(items) => {
            let texts = items.iter().map(|item| match item {
                Literal::String(text) | Literal::Enum(text) => Some(&**text),
                _ => None,
            });
            Some(texts.collect::<Option<Vec<_>>>()?.join(" "))
        }
        _ => None,
    }
}

/// Selections as the text of a field set. Recursion is bounded by the parser's limit.
pub(crate) fn print(selections: &[FieldSetSelection]) -> String {
    let printed = selections.iter().map(|selection| match selection {
        FieldSetSelection::Field { name, arguments, selections } => {
            let given =
                arguments.iter().map(|(name, value)| [&**name, ": ", &value.to_string()].concat());
            let given: Vec<String> = given.collect();
            let arguments = match given.is_empty() {
                true => String::new(),
                false => ["(", &given.join(", "), ")"].concat(),
            };
            [name.as_ref(), &arguments, &print_braces(selections)].concat()
        }
        FieldSetSelection::Fragment { on: Some(on), selections } => {
            ["... on ", on, &print_braces(selections)].concat()
        }
        FieldSetSelection::Fragment { on: None, selections } => {
            ["...", &print_braces(selections)].concat()
        }
    });
    printed.collect::<Vec<_>>().join(" ")
}

fn print_braces(selections: &[FieldSetSelection]) -> String {
    match selections.is_empty() {
        true => String::new(),
        false => [" { ", &print(selections), " }"].concat(),
    }
}

/// Adds the fields that a field set on a type selects. Fields of interfaces are selected in their
/// implementations too. Errors of the text and unknown fields are left to validation.
pub(crate) fn collect(
    subgraph: &Subgraph,
    parent: &str,
    applied: &Applied,
    into: &mut FxHashSet<Coordinate>,
) {
    let is_text = matches!(applied.argument("fields"), Some(Literal::String(_)));
    if !is_text && subgraph.links.federation != FEDERATION_1 {
        return;
    }
    let selections = text(applied).and_then(|text| parse_field_set_leniently(&text));
    if let Some(selections) = selections {
        collect_selections(subgraph, parent, &selections, into);
    }
}

/// Adds the fields of parsed selections. Recursion is bounded by the parser's limit.
pub(crate) fn collect_selections(
    subgraph: &Subgraph,
    parent: &str,
    selections: &[FieldSetSelection],
    into: &mut FxHashSet<Coordinate>,
) {
    let Some(r#type) = subgraph.find_type(parent) else { return };
    for selection in selections {
        match selection {
            FieldSetSelection::Field { name, selections, .. } => {
                let Some(field) = r#type.find_field(name) else { continue };
                into.insert((r#type.name.clone(), name.clone()));
                if let Kind::Interface(_) = r#type.kind {
                    let objects = subgraph.objects_of(parent).into_iter();
                    into.extend(objects.map(|object| (object.clone(), name.clone())));
                }
                collect_selections(subgraph, field.r#type.base(), selections, into);
            }
            FieldSetSelection::Fragment { on, selections } => {
                let on = on.as_deref().unwrap_or(parent);
                collect_selections(subgraph, on, selections, into);
            }
        }
    }
}
