//! Field sets of keys, `requires` and `provides`, their names resolved.

use std::sync::Arc;

use graphql::definitions::{FieldSetSelection, Literal};
use graphql::schema::{FieldId, Schema, TypeId, TypeKind};
use rustc_hash::FxHashSet;

/// The place of a field set among those of the supergraph; equal ones are one.
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

/// What is selected of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldSet {
    pub parent: TypeId,
    pub selections: Vec<SetSelection>,
}

/// One selection of a field set.
#[derive(Clone, Debug, PartialEq)]
pub enum SetSelection {
    Typename,
    Field {
        field: FieldId,
        arguments: Vec<(Arc<str>, Literal)>,
        /// What is selected below; `None` for leaf fields.
        set: Option<FieldSetId>,
    },
    /// What is selected of those values that are of the set's type.
    On(FieldSetId),
}

/// The names of the fields of whose objects some set says something.
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

/// Resolves the names of a field set of `parent` and adds it to `sets`, after those within it; in
/// words, what is wrong with it.
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
