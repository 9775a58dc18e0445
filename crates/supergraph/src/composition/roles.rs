//! Roles of fields in a subgraph: external, provided, shareable, used.

use std::sync::Arc;

use graphql::definitions::Literal;
use graphql::parse_field_set;
use rustc_hash::FxHashSet;

use super::field_sets::{self, Coordinate};
use super::schema::{Kind, Roles, Subgraph, Type, all, has};
use super::specifications::{Directive, FEDERATION_1, Meaning};

/// Fields by what the directives of the subgraph select.
#[derive(Debug, Default)]
struct Selected {
    /// In keys of extensions, where `@external` has no effect.
    extension_keys: FxHashSet<Coordinate>,
    keys: FxHashSet<Coordinate>,
    provided: FxHashSet<Coordinate>,
    /// In other field sets, or declared by an interface.
    others: FxHashSet<Coordinate>,
}

/// Sets the roles of all fields.
pub(crate) fn assign(subgraph: &mut Subgraph) {
    let selected = select(subgraph);
    // Federation 1 ignored `@external` on types.
    let has_external_types = subgraph.links.federation > FEDERATION_1;
    for r#type in &mut subgraph.types {
        let is_object = matches!(r#type.kind, Kind::Object(_));
        let is_external =
            is_object && has_external_types && has(&r#type.applied, Meaning::External);
        let shareable = all(&r#type.applied, Meaning::Shareable).filter(|_| is_object);
        // It is of the fields of the definition, or of those of the extension that has it.
        let shareable: Vec<bool> = shareable.map(|applied| applied.is_in_extension).collect();
        let name = r#type.name.clone();
        let Some(composite) = r#type.composite_mut() else { continue };
        for field in &mut composite.fields {
            let coordinate = (name.clone(), field.name.clone());
            let is_marked = is_external || has(&field.applied, Meaning::External);
            let is_external = is_marked && !selected.extension_keys.contains(&coordinate);
            let is_key = selected.keys.contains(&coordinate);
            let is_provided = selected.provided.contains(&coordinate);
            field.roles = Roles {
                is_external,
                is_provided,
                is_shareable: shareable.contains(&field.is_in_extension)
                    || is_key
                    || (is_external && is_provided)
                    || has(&field.applied, Meaning::Shareable),
                is_used: is_key || is_provided || selected.others.contains(&coordinate),
            };
        }
    }
}

fn select(subgraph: &Subgraph) -> Selected {
    let mut selected = Selected::default();
    for r#type in &subgraph.types {
        for key in all(&r#type.applied, Meaning::Key) {
            field_sets::collect(subgraph, &r#type.name, key, &mut selected.keys);
            if key.is_in_extension || has(&r#type.applied, Meaning::Extends) {
                field_sets::collect(subgraph, &r#type.name, key, &mut selected.extension_keys);
            }
        }
        for field in r#type.fields() {
            for provides in all(&field.applied, Meaning::Provides) {
                let base = field.r#type.base();
                field_sets::collect(subgraph, base, provides, &mut selected.provided);
            }
            for requires in all(&field.applied, Meaning::Requires) {
                field_sets::collect(subgraph, &r#type.name, requires, &mut selected.others);
            }
            for argument in &field.arguments {
                for source in all(&argument.applied, Meaning::FromContext) {
                    if let Some(Literal::String(text)) = source.argument("field") {
                        select_in_context(subgraph, text, &mut selected.others);
                    }
                }
            }
        }
        if let Kind::Interface(composite) = &r#type.kind {
            for object in subgraph.objects_of(&r#type.name) {
                let fields = composite.fields.iter();
                let fields = fields.map(|field| (object.clone(), field.name.clone()));
                selected.others.extend(fields);
            }
        }
    }
    selected
}

/// Adds the fields of `$context { selections }` in all types that set the context.
fn select_in_context(subgraph: &Subgraph, text: &str, into: &mut FxHashSet<Coordinate>) {
    let Some((name, selection)) = split_context(text) else { return };
    let Ok(selections) = parse_field_set(selection) else { return };
    for r#type in context_types(subgraph, name) {
        field_sets::collect_selections(subgraph, &r#type.name, &selections, into);
    }
}

/// Splits `$context { selections }` into the name of the context and the selections as written.
pub(crate) fn split_context(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().strip_prefix('$')?;
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, selection) = text.split_at(end);
    (!name.is_empty()).then_some((name, selection))
}

/// Returns the types that set a context.
pub(crate) fn context_types<'s>(
    subgraph: &'s Subgraph,
    name: &'s str,
) -> impl Iterator<Item = &'s Type> {
    subgraph.types.iter().filter(move |r#type| {
        let mut contexts = all(&r#type.applied, Meaning::Merged(Directive::Context));
        contexts.any(|context| context.text("name").is_some_and(|own: &Arc<str>| **own == *name))
    })
}
