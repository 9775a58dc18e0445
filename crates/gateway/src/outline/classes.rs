//! Classes of possible types: types that need not be distinguished at a position.
//!
//! Every subgraph resolves the selected fields of these types in the same way, so a plan for one
//! holds for all.

use std::fmt::Write;

use graphql::schema::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Class;
use supergraph::{FieldSetId, SetSelection, Supergraph, TypeSet};

/// Returns the classes of `possible`; `selections` describes the selections of a type, with equal texts
/// for equal ones.
pub(super) fn classes(
    supergraph: &Supergraph,
    possible: &TypeSet,
    selections: impl Fn(TypeId) -> (String, Vec<Box<str>>),
) -> Vec<Class> {
    if possible.len() == 1 {
        return singletons(supergraph, possible);
    }
    let mut classes: Vec<Class> = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for object in supergraph.members(possible) {
        let (mut text, names) = selections(object);
        describe(supergraph, object, names, &mut text);
        let only = supergraph.only(object);
        match known.get(&text) {
            Some(place) => classes[*place].types.unite(&only),
            None => {
                known.insert(text, classes.len());
                classes.push(Class { representative: object, types: only });
            }
        }
    }
    classes
}

/// Returns a class for each type, for positions whose selections are unknown.
pub(super) fn singletons(supergraph: &Supergraph, possible: &TypeSet) -> Vec<Class> {
    let objects = supergraph.members(possible);
    let classes =
        objects.map(|object| Class { representative: object, types: supergraph.only(object) });
    classes.collect()
}

/// Describes how subgraphs resolve a type; equal texts mean equal resolution.
fn describe(supergraph: &Supergraph, object: TypeId, names: Vec<Box<str>>, text: &mut String) {
    let mut names: FxHashSet<Box<str>> = names.into_iter().collect();
    let types = std::iter::once(object).chain(supergraph.interfaces(object).iter().copied());
    let types: Vec<TypeId> = types.collect();
    if supergraph.is_context(object) {
        // The context values it sets may depend on the type.
        text.push_str(&supergraph.schema[object].name);
    }
    // Writing to a string cannot fail.
    for subgraph in supergraph.subgraph_ids() {
        for (place, r#type) in types.iter().enumerate() {
            let Some(owner) = supergraph.type_in(*r#type, subgraph) else { continue };
            let _ = write!(text, "|{}", subgraph.0);
            if place > 0 {
                let is_known =
                    supergraph.contains(supergraph.possible_in(*r#type, subgraph), object);
                let _ = write!(
                    text,
                    "{}{is_known}{}",
                    supergraph.schema[*r#type].name, owner.is_interface_object
                );
            }
            for key in owner.keys.iter().filter(|key| key.is_resolvable) {
                describe_set(supergraph, key.fields, &mut names, text);
            }
        }
    }
    for (union, subgraph) in supergraph.unions_of(object) {
        let _ = write!(text, "|{}{}", supergraph.schema[*union].name, subgraph.0);
    }
    let mut described = FxHashSet::default();
    loop {
        let mut open: Vec<Box<str>> =
            names.iter().filter(|name| !described.contains(*name)).cloned().collect();
        if open.is_empty() {
            return;
        }
        open.sort_unstable();
        for name in open {
            let _ = write!(text, "|{name}");
            for r#type in &types {
                describe_field(supergraph, *r#type, &name, &mut names, text);
            }
            described.insert(name);
        }
    }
}

fn describe_field(
    supergraph: &Supergraph,
    parent: TypeId,
    name: &str,
    names: &mut FxHashSet<Box<str>>,
    text: &mut String,
) {
    let Some(field) = supergraph.find_field(parent, name) else { return };
    for own in &supergraph.field_owners(field).subgraphs {
        let base = &supergraph.schema[own.r#type.base].name;
        let wrappers: Vec<_> = own.r#type.wrappers().collect();
        let _ =
            write!(text, "({}{wrappers:?}{base}{}{:?}", own.subgraph.0, own.is_external, own.when);
        if let Some(set) = own.requires {
            describe_set(supergraph, set, names, text);
        }
        // Equal field sets of different types have different ids; at worst a class is split.
        let _ = write!(text, "{:?})", own.provides);
    }
}

/// Describes a field set, and adds the fields of its own type to `names`.
fn describe_set(
    supergraph: &Supergraph,
    set: FieldSetId,
    names: &mut FxHashSet<Box<str>>,
    text: &mut String,
) {
    text.push('{');
    for selection in &supergraph.field_set(set).selections {
        match selection {
            SetSelection::Typename => text.push_str("__typename "),
            SetSelection::Field { field, arguments, set } => {
                let name = &supergraph.schema[*field].name;
                names.insert((&**name).into());
                let _ = write!(text, "{name}{arguments:?}");
                if let Some(set) = set {
                    // Field names below belong to other types.
                    describe_set(supergraph, *set, &mut FxHashSet::default(), text);
                }
            }
            SetSelection::On(set) => {
                let _ =
                    write!(text, "on{}", supergraph.schema[supergraph.field_set(*set).parent].name);
                describe_set(supergraph, *set, names, text);
            }
        }
    }
    text.push('}');
}
