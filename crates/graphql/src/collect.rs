//! Flattening and merging of selections.
//!
//! <https://spec.graphql.org/draft/#sec-Field-Collection>. Merged fields keep the selection sets
//! of all their occurrences; the level below is collected from them together.

use std::collections::{HashMap, HashSet};

use crate::operation::{
    Condition, ConditionValue, FieldRef, Location, Operation, Selection, SelectionSetId,
};
use crate::schema::{InputId, Schema, TypeId, TypeKind};
use crate::value::Value;
use crate::variables::{Path, Steering};
use serde_json_bytes::Value as Json;

/// A field of the response, with all selections of its response name merged.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedField<'o> {
    pub response_name: &'o str,
    pub field: FieldRef,
    /// Those of the first occurrence; validation made sure that all agree.
    pub arguments: &'o [(InputId, Value)],
    /// The selection sets of all occurrences; empty for leaf fields.
    pub selection_sets: Vec<SelectionSetId>,
    /// Of the first occurrence.
    pub location: Location,
}

/// How many selections may still be visited while one operation is lowered.
///
/// Fragments make a short document select exponentially many fields.
#[derive(Clone, Debug)]
pub struct Budget {
    left: usize,
}

/// The budget is used up: the operation selects too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyFields;

impl std::fmt::Display for TooManyFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("The operation selects too many fields.")
    }
}

impl std::error::Error for TooManyFields {}

impl Budget {
    #[must_use]
    pub fn new(selections: usize) -> Self {
        Self { left: selections }
    }

    fn spend(&mut self) -> Result<(), TooManyFields> {
        self.left = self.left.checked_sub(1).ok_or(TooManyFields)?;
        Ok(())
    }
}

/// The fields that `sets` select of the object type `object`, in the order of their first
/// occurrence.
pub fn collect_fields<'o>(
    operation: &'o Operation,
    schema: &Schema,
    object: TypeId,
    sets: &[SelectionSetId],
    steering: &Steering<'_>,
    budget: &mut Budget,
) -> Result<Vec<CollectedField<'o>>, TooManyFields> {
    let mut collector = Collector {
        operation,
        schema,
        object,
        steering,
        budget,
        fields: Vec::new(),
        places: HashMap::new(),
        visited: HashSet::new(),
    };
    for set in sets {
        collector.collect(*set)?;
    }
    Ok(collector.fields)
}

/// Whether selections on `condition` count for the object type `object`.
#[must_use]
pub fn does_fragment_type_apply(schema: &Schema, object: TypeId, condition: TypeId) -> bool {
    if object == condition {
        return true;
    }
    match &schema[condition].kind {
        TypeKind::Interface { .. } => match &schema[object].kind {
            TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                interfaces.contains(&condition)
            }
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => false,
        },
        TypeKind::Union { members } => members.contains(&object),
        TypeKind::Scalar
        | TypeKind::Object { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => false,
    }
}

struct Collector<'o, 'c> {
    operation: &'o Operation,
    schema: &'c Schema,
    object: TypeId,
    steering: &'c Steering<'c>,
    budget: &'c mut Budget,
    fields: Vec<CollectedField<'o>>,
    /// Where in `fields` a response name is.
    places: HashMap<&'o str, usize>,
    /// A set seen again selects nothing new.
    visited: HashSet<SelectionSetId>,
}

impl Collector<'_, '_> {
    /// Recursion is bounded: validation limits how deep fragments are nested.
    fn collect(&mut self, set: SelectionSetId) -> Result<(), TooManyFields> {
        if !self.visited.insert(set) {
            return Ok(());
        }
        for selection in &self.operation.selection_set(set).selections {
            self.budget.spend()?;
            match selection {
                Selection::Field(field) => {
                    if !self.counts(&field.conditions) {
                        continue;
                    }
                    let place = *self.places.entry(&field.response_name).or_insert_with(|| {
                        self.fields.push(CollectedField {
                            response_name: &field.response_name,
                            field: field.field,
                            arguments: &field.arguments,
                            selection_sets: Vec::new(),
                            location: field.location,
                        });
                        self.fields.len() - 1
                    });
                    self.fields[place].selection_sets.extend(field.selection_set);
                }
                Selection::Fragment { conditions, on, selection_set } => {
                    if self.counts(conditions)
                        && does_fragment_type_apply(self.schema, self.object, *on)
                    {
                        self.collect(*selection_set)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn counts(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| match condition.value {
            ConditionValue::Constant(value) => value == condition.expected,
            ConditionValue::Variable(slot) => {
                let value = self.steering.value(slot, &Path::default());
                value == Some(&Json::Bool(condition.expected))
            }
        })
    }
}
