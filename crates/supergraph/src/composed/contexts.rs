//! Contexts: values of objects that fields below them take as arguments.
//! <https://specs.apollo.dev/context/v0.1/>

use std::sync::Arc;

use graphql::definitions::Literal;
use graphql::schema::{TypeId, TypeRef};
use rustc_hash::FxHashMap;

use super::FieldSetId;

/// A context argument, which the API hides: its value comes from an enclosing object.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextArgument {
    pub name: Arc<str>,
    pub r#type: TypeRef,
    /// Sources by type of the enclosing object; the first that matches counts.
    pub sources: Vec<ContextSource>,
}

/// The value of a context argument in objects of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextSource {
    pub r#type: TypeId,
    /// A field set with one leaf.
    pub set: FieldSetId,
}

/// Types by the context that they set.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    by_name: FxHashMap<Arc<str>, Vec<TypeId>>,
}

impl Contexts {
    pub(super) fn add(&mut self, name: &str, r#type: TypeId) {
        let types = self.by_name.entry(name.into()).or_default();
        if !types.contains(&r#type) {
            types.push(r#type);
        }
    }

    pub(super) fn named(&self, name: &str) -> &[TypeId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns all distinct types.
    pub(super) fn types(&self) -> Vec<TypeId> {
        let mut types: Vec<TypeId> = self.by_name.values().flatten().copied().collect();
        types.sort_unstable();
        types.dedup();
        types
    }
}

/// Returns a selection without its braces, unless it begins with a type condition.
pub(super) fn strip_braces(selection: &str) -> &str {
    let trimmed = selection.trim();
    let inner = trimmed.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inner.unwrap_or(trimmed)
}

/// Returns string members of an input object by name.
pub(super) fn members<'l, const N: usize>(
    written: &'l Literal,
    names: [&str; N],
) -> [Option<&'l str>; N] {
    names.map(|name| match written {
        Literal::Object(members) => members.iter().find_map(|(known, value)| match value {
            Literal::String(text) if **known == *name => Some(&**text),
            _ => None,
        }),
        _ => None,
    })
}
