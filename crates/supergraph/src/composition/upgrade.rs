//! Upgrade of the schemas of Federation 1 to the rules of Federation 2.
//!
//! Federation 1 has no `@shareable`: fields that other subgraphs resolve too are made shareable. It
//! ignored directives where they have no effect, which Federation 2 refuses: they are removed.
//! <https://www.apollographql.com/docs/graphos/reference/migration/to-federation-version-2>

use std::borrow::Cow;
use std::sync::Arc;

use graphql::definitions::{Directive, DirectiveArgument, FieldSetSelection, Literal};
use graphql::parse_field_set;
use rustc_hash::{FxHashMap, FxHashSet};

use super::field_sets::{self, Coordinate};
use super::roles;
use super::schema::{Applied, Composite, Field, Kind, Subgraph, Type, all, has};
use super::specifications::{self, FEDERATION_1, Meaning};
use super::{Code, Finding};

const TAG: Meaning = Meaning::Merged(specifications::Directive::Tag);

/// Returns the subgraphs with the rules of Federation 2; those that have them already are borrowed.
pub(crate) fn upgrade<'s>(
    subgraphs: &[&'s Subgraph],
    errors: &mut Vec<Finding>,
) -> Vec<Cow<'s, Subgraph>> {
    let prepared: Vec<Cow<'s, Subgraph>> = subgraphs
        .iter()
        .map(|subgraph| match subgraph.links.federation {
            FEDERATION_1 => Cow::Owned(without_inactive_directives(subgraph, subgraphs)),
            _ => Cow::Borrowed(*subgraph),
        })
        .collect();
    check_bases(&prepared, errors);
    let shareable: Vec<_> = prepared.iter().map(|own| shareable_fields(own, &prepared)).collect();
    let tags = tags(&prepared);
    let upgraded =
        prepared.into_iter().zip(shareable).map(|(subgraph, shareable)| match subgraph {
            Cow::Borrowed(subgraph) => Cow::Borrowed(subgraph),
            Cow::Owned(mut subgraph) => {
                share(&mut subgraph, &shareable);
                define_extensions(&mut subgraph);
                remove_unused_externals(&mut subgraph, &tags, errors);
                roles::assign(&mut subgraph);
                Cow::Owned(subgraph)
            }
        });
    upgraded.collect()
}

/// Adds an error for each type that a subgraph of Federation 1 extends and no other subgraph defines.
fn check_bases(subgraphs: &[Cow<'_, Subgraph>], errors: &mut Vec<Finding>) {
    // A definition with `@extends` is a base for other subgraphs.
    let mut bases: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for subgraph in subgraphs {
        for r#type in subgraph.types.iter().filter(|r#type| r#type.is_defined) {
            bases.entry(&r#type.name).or_default().push(&subgraph.name);
        }
    }
    let first = subgraphs.iter().filter(|subgraph| subgraph.links.federation == FEDERATION_1);
    for subgraph in first {
        for r#type in subgraph.types.iter().filter(|r#type| !r#type.is_root()) {
            let is_extension = !r#type.is_defined || has(&r#type.applied, Meaning::Extends);
            let mut bases = bases.get(&*r#type.name).into_iter().flatten();
            if is_extension && !bases.any(|base| **base != *subgraph.name) {
                let message = format!(
                    "`{}` is extended in the subgraph \"{}\", but no subgraph defines it.",
                    r#type.name, subgraph.name
                );
                let finding = Finding::new(Code::ExtensionWithNoBase, message)
                    .on(&*r#type.name)
                    .at(subgraph.location(r#type.at))
                    .remedy("Remove `extend`, or add the definition to a subgraph.");
                errors.push(finding);
            }
        }
    }
}

/// Removes directives that Federation 1 ignored. `others` are all subgraphs.
fn without_inactive_directives(subgraph: &Subgraph, others: &[&Subgraph]) -> Subgraph {
    let mut own = subgraph.clone();
    for r#type in &mut own.types {
        r#type.applied.retain(|applied| applied.meaning != Meaning::External);
        let is_interface = matches!(r#type.kind, Kind::Interface(_));
        if is_interface {
            r#type.applied.retain(|applied| applied.meaning != Meaning::Key);
        }
        let is_extension = !r#type.is_defined || has(&r#type.applied, Meaning::Extends);
        let is_keyless = is_extension && !has(&r#type.applied, Meaning::Key);
        let keys = match is_keyless {
            true => keys_of_others(&own.name, &r#type.name, others),
            false => FxHashSet::default(),
        };
        let is_root_extension = r#type.is_root() && !r#type.is_defined;
        let Some(composite) = r#type.composite_mut() else { continue };
        for field in &mut composite.fields {
            if is_interface {
                field.applied.retain(|applied| {
                    !matches!(
                        applied.meaning,
                        Meaning::External | Meaning::Requires | Meaning::Provides
                    )
                });
            }
            if is_root_extension || keys.contains(&field.name) {
                field.applied.retain(|applied| applied.meaning != Meaning::External);
            }
        }
    }
    roles::assign(&mut own);
    let read = own.clone();
    for r#type in &mut own.types {
        let name = r#type.name.clone();
        let Some(composite) = r#type.composite_mut() else { continue };
        for field in &mut composite.fields {
            activate(&read, &name, field);
        }
    }
    roles::assign(&mut own);
    own
}

/// Returns the fields of a type that are in its first key in another subgraph: an extension without
/// a key has them as that subgraph.
fn keys_of_others(own: &str, name: &str, subgraphs: &[&Subgraph]) -> FxHashSet<Arc<str>> {
    let mut fields = FxHashSet::default();
    for subgraph in subgraphs.iter().filter(|subgraph| *subgraph.name != *own) {
        let Some(r#type) = subgraph.find_type(name) else { continue };
        let Some(key) = all(&r#type.applied, Meaning::Key).next() else { continue };
        let mut selected: FxHashSet<Coordinate> = FxHashSet::default();
        field_sets::collect(subgraph, name, key, &mut selected);
        let own = selected.into_iter().filter(|(on, _)| **on == *name);
        fields.extend(own.map(|(_, field)| field));
    }
    fields
}

/// Removes own leaf fields from `@requires` and `@provides`, and the directives that select nothing
/// else. Errors of field sets are left to validation.
fn activate(subgraph: &Subgraph, parent: &Arc<str>, field: &mut Field) {
    let base = field.r#type.base().clone();
    field.applied.retain_mut(|applied| {
        let on = match applied.meaning {
            Meaning::Requires => parent,
            Meaning::Provides => &base,
            _ => return true,
        };
        let selections = field_sets::text(applied).and_then(|text| parse_field_set(&text).ok());
        let Some(selections) = selections else { return true };
        let is_composite = subgraph.find_type(on).is_some_and(|r#type| {
            matches!(r#type.kind, Kind::Object(_) | Kind::Interface(_) | Kind::Union(_))
        });
        let kept = external_selections(subgraph, on, &selections);
        if kept != selections {
            let text = field_sets::print(&kept);
            let fields = |argument: &&mut DirectiveArgument| &*argument.name == "fields";
            if let Some(argument) = applied.directive.arguments.iter_mut().find(fields) {
                argument.value = Literal::String(text.into());
            }
        }
        is_composite && !kept.is_empty()
    });
}

/// The selections without own leaf fields. Recursion is bounded by the parser's limit.
fn external_selections(
    subgraph: &Subgraph,
    parent: &str,
    selections: &[FieldSetSelection],
) -> Vec<FieldSetSelection> {
    let Some(r#type) = subgraph.find_type(parent) else { return selections.to_vec() };
    let kept = selections.iter().filter_map(|selection| match selection {
        FieldSetSelection::Field { name, arguments, selections } => {
            // Validation names an unknown field.
            let Some(field) = r#type.find_field(name) else { return Some(selection.clone()) };
            if subgraph.is_external_in(r#type, field) {
                return Some(selection.clone());
            }
            let selections = external_selections(subgraph, field.r#type.base(), selections);
            let (name, arguments) = (name.clone(), arguments.clone());
            let is_kept = !selections.is_empty();
            is_kept.then_some(FieldSetSelection::Field { name, arguments, selections })
        }
        FieldSetSelection::Fragment { on, selections } => {
            let selections =
                external_selections(subgraph, on.as_deref().unwrap_or(parent), selections);
            let is_kept = !selections.is_empty();
            is_kept.then(|| FieldSetSelection::Fragment { on: on.clone(), selections })
        }
    });
    kept.collect()
}

/// Returns the fields of a subgraph of Federation 1 that other subgraphs resolve too.
fn shareable_fields(own: &Subgraph, all: &[Cow<'_, Subgraph>]) -> FxHashSet<Coordinate> {
    let mut shareable = FxHashSet::default();
    if own.links.federation > FEDERATION_1 {
        return shareable;
    }
    let others = || all.iter().filter(|other| other.name != own.name);
    for r#type in &own.types {
        let Kind::Object(composite) = &r#type.kind else { continue };
        if &*r#type.name == "Subscription" {
            continue;
        }
        let is_entity = has(&r#type.applied, Meaning::Key) || r#type.is_root();
        for field in composite.fields.iter().filter(|field| !field.roles.is_shareable) {
            // The upgrade makes the definition shareable, and no extension beside it.
            if !is_entity && field.is_in_extension && r#type.is_defined {
                continue;
            }
            let is_resolved = |other: &Subgraph| match is_entity {
                true => resolves(other, &r#type.name, &field.name),
                false => other.find_type(&r#type.name).is_some(),
            };
            if others().any(|other| is_resolved(other)) {
                shareable.insert((r#type.name.clone(), field.name.clone()));
            }
        }
    }
    shareable
}

/// Whether a subgraph resolves a field of an object, at least below a field that provides it.
fn resolves(subgraph: &Subgraph, parent: &str, name: &str) -> bool {
    let r#type = subgraph.find_type(parent);
    let object = r#type.filter(|r#type| matches!(r#type.kind, Kind::Object(_)));
    let field = object.and_then(|object| object.find_field(name));
    field.is_some_and(|field| !field.roles.is_fully_external())
}

/// Turns extensions into definitions, whose key fields are not external. Types with `@extends` stay
/// as they are.
fn define_extensions(subgraph: &mut Subgraph) {
    for r#type in &mut subgraph.types {
        let is_extended = r#type.is_extended;
        for applied in &mut r#type.applied {
            applied.is_in_extension = false;
        }
        let Some(composite) = r#type.composite_mut() else { continue };
        for field in &mut composite.fields {
            field.is_in_extension = false;
        }
        for field in composite.fields.iter_mut().filter(|_| is_extended) {
            let is_key = !field.roles.is_external;
            field.applied.retain(|applied| !(is_key && applied.meaning == Meaning::External));
        }
    }
}

fn share(subgraph: &mut Subgraph, shareable: &FxHashSet<Coordinate>) {
    for r#type in &mut subgraph.types {
        let name = r#type.name.clone();
        let Some(composite) = r#type.composite_mut() else { continue };
        for field in &mut composite.fields {
            if shareable.contains(&(name.clone(), field.name.clone())) {
                field.applied.push(Applied {
                    meaning: Meaning::Shareable,
                    directive: Directive {
                        name: "shareable".into(),
                        line: field.at.line,
                        column: field.at.column,
                        arguments: Vec::new(),
                    },
                    is_in_extension: false,
                });
            }
        }
    }
}

/// A tag of a field.
type FieldTag = (Coordinate, Arc<str>);

/// Returns the tags of fields in the subgraphs that resolve them.
fn tags(subgraphs: &[Cow<'_, Subgraph>]) -> FxHashSet<FieldTag> {
    let mut tags = FxHashSet::default();
    for r#type in subgraphs.iter().flat_map(|subgraph| &subgraph.types) {
        for field in r#type.fields().iter().filter(|field| !field.roles.is_external) {
            let names = all(&field.applied, TAG).filter_map(|tag| tag.text("name"));
            let coordinate = (r#type.name.clone(), field.name.clone());
            tags.extend(names.map(|name| (coordinate.clone(), name.clone())));
        }
    }
    tags
}

/// Removes external fields that no field set and no interface uses, and tags of external fields
/// that a subgraph has which resolves the field.
fn remove_unused_externals(
    subgraph: &mut Subgraph,
    tags: &FxHashSet<FieldTag>,
    errors: &mut Vec<Finding>,
) {
    let mut emptied = Vec::new();
    for r#type in &mut subgraph.types {
        let Type { name, at, kind: Kind::Object(Composite { fields, .. }), .. } = r#type else {
            continue;
        };
        let before = fields.len();
        fields.retain(|field| !field.roles.is_external || field.roles.is_used);
        if before > 0 && fields.is_empty() {
            emptied.push((name.clone(), *at));
        }
        for field in fields.iter_mut().filter(|field| field.roles.is_external) {
            let coordinate = (name.clone(), field.name.clone());
            field.applied.retain(|applied| match applied.text("name") {
                Some(tag) if applied.meaning == TAG => {
                    !tags.contains(&(coordinate.clone(), tag.clone()))
                }
                _ => true,
            });
        }
    }
    for (name, at) in emptied {
        let message = format!(
            "All fields of `{name}` in the subgraph \"{}\" are external, and none is used.",
            subgraph.name
        );
        let finding = Finding::new(Code::TypeWithOnlyUnusedExternal, message)
            .on(&*name)
            .at(subgraph.location(at))
            .remedy("Remove the type from the subgraph.");
        errors.push(finding);
    }
}
