//! Field sets of `@key`, `@requires` and `@provides`, with resolved names.

use std::sync::Arc;

use graphql::definitions::{FieldSetSelection, Literal};
use graphql::schema::{FieldId, Schema, TypeId, TypeKind};
use rustc_hash::FxHashSet;

/// Index of a field set in its supergraph; equal field sets have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldSetId(u32);

graphql::heap_size!(plain FieldSetId);

impl FieldSetId {
    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A selection set on a type.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSet {
    pub parent: TypeId,
    pub selections: Vec<SetSelection>,
}

/// A selection of a field set.
#[derive(Clone, Debug, PartialEq)]
pub enum SetSelection {
    Typename,
    Field {
        field: FieldId,
        arguments: Vec<(Arc<str>, Literal)>,
        /// Selection set below; `None` for leaf fields.
        set: Option<FieldSetId>,
    },
    /// A selection set for objects of its type.
    On(FieldSetId),
}

/// Returns the names of fields with a selection set in some field set.
pub(super) fn nested(schema: &Schema, sets: &[FieldSet]) -> FxHashSet<Arc<str>> {
    let selections = sets.iter().flat_map(|set| &set.selections);
    let names = selections.filter_map(|selection| match selection {
        SetSelection::Field { field, set: Some(_), .. } => Some(schema[*field].name.clone()),
        SetSelection::Field { set: None, .. } | SetSelection::Typename | SetSelection::On(_) => {
            None
        }
    });
    names.collect()
}

/// Resolves the names of a field set on `parent` and adds it to `sets`, behind its inner ones; on
/// failure returns the message.
pub(super) fn resolve(
    schema: &Schema,
    parent: TypeId,
    selections: &[FieldSetSelection],
    sets: &mut Vec<FieldSet>,
) -> Result<FieldSetId, String> {
    let mut resolved = Vec::with_capacity(selections.len());
    for selection in selections {
        resolved.push(match selection {
            FieldSetSelection::Field { name, .. } if &**name == "__typename" => {
                SetSelection::Typename
            }
            FieldSetSelection::Field { name, arguments, selections } => {
                let field = schema
                    .find_field(parent, name)
                    .ok_or_else(|| format!("`{}` has no field `{name}`", schema[parent].name))?;
                let base = schema[field].r#type.base;
                let is_composite = matches!(
                    schema[base].kind,
                    TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. }
                );
                let set = match (is_composite, selections.is_empty()) {
                    (true, false) => Some(resolve(schema, base, selections, sets)?),
                    (false, true) => None,
                    (true, true) => return Err(format!("of `{name}` nothing is selected")),
                    (false, false) => return Err(format!("`{name}` has no fields")),
                };
                SetSelection::Field { field, arguments: arguments.clone(), set }
            }
            FieldSetSelection::Fragment { on, selections } => {
                let on = match on {
                    Some(name) => schema
                        .find_type(name)
                        .ok_or_else(|| format!("there is no type `{name}`"))?,
                    None => parent,
                };
                SetSelection::On(resolve(schema, on, selections, sets)?)
            }
        });
    }
    let id = FieldSetId::new(sets.len());
    sets.push(FieldSet { parent, selections: resolved });
    Ok(id)
}
