//! Flattening and merging of selections.
//!
//! <https://spec.graphql.org/draft/#sec-Field-Collection>. Merged fields keep the selection sets
//! of all their occurrences; the level below is collected from them together.

use std::collections::{HashMap, HashSet};

use serde_json_bytes::Value as Json;

use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{
    AppliedDirective, Condition, ConditionValue, FieldRef, Location, Operation, Selection,
    SelectionSetId,
};
use crate::schema::{InputId, Schema, TypeId, TypeKind};
use crate::value::Value;
use crate::variables::{Path, Steering};

/// A field of the response, with all selections of its response name merged.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedField<'o> {
    pub response_name: &'o str,
    pub field: FieldRef,
    /// Those of the first occurrence; validation ensures that all are equal.
    pub arguments: &'o [(InputId, Value)],
    /// Custom directives of the first occurrence.
    pub directives: &'o [AppliedDirective],
    /// The selection sets of all occurrences; empty for leaf fields.
    pub selection_sets: Vec<SelectionSetId>,
    /// Of the first occurrence.
    pub location: Location,
}

/// The limit of selections that are still to be visited while one operation is lowered.
///
/// Fragments make a short document select exponentially many fields.
#[derive(Clone, Debug)]
pub struct Budget {
    left: usize,
}

/// The budget is exceeded: the operation selects too many fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyFields;

impl std::fmt::Display for TooManyFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("The operation selects too many fields.")
    }
}

impl std::error::Error for TooManyFields {}

impl From<TooManyFields> for GraphQLError {
    fn from(error: TooManyFields) -> Self {
        Self::new(ErrorCode::QueryTooComplex, error.to_string())
    }
}

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

/// True if selections on `condition` apply to the object type `object`.
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

/// True if `@skip` and `@include` include a selection.
#[must_use]
pub fn does_condition_hold(conditions: &[Condition], steering: &Steering<'_>) -> bool {
    conditions.iter().all(|condition| match condition.value {
        ConditionValue::Constant(value) => value == condition.expected,
        ConditionValue::Variable(slot) => {
            let value = steering.value(slot, &Path::default());
            value == Some(&Json::Bool(condition.expected))
        }
    })
}

struct Collector<'o, 'c> {
    operation: &'o Operation,
    schema: &'c Schema,
    object: TypeId,
    steering: &'c Steering<'c>,
    budget: &'c mut Budget,
    fields: Vec<CollectedField<'o>>,
    /// Indices of response names in `fields`.
    places: HashMap<&'o str, usize>,
    /// Visited sets, which select nothing new.
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
                    if !does_condition_hold(&field.conditions, self.steering) {
                        continue;
                    }
                    let place = *self.places.entry(&field.response_name).or_insert_with(|| {
                        self.fields.push(CollectedField {
                            response_name: &field.response_name,
                            field: field.field,
                            arguments: &field.arguments,
                            directives: &field.directives,
                            selection_sets: Vec::new(),
                            location: field.location,
                        });
                        self.fields.len() - 1
                    });
                    self.fields[place].selection_sets.extend(field.selection_set);
                }
                Selection::Fragment { conditions, on, selection_set, .. } => {
                    if does_condition_hold(conditions, self.steering)
                        && does_fragment_type_apply(self.schema, self.object, *on)
                    {
                        self.collect(*selection_set)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json_bytes::{ByteString, Map};

    use super::*;
    use crate::schema::FieldId;
    use crate::test_schema::{test_operation, test_schema};

    /// The response as fields in fields, the object type of every abstract position `object`.
    fn collected(text: &str, given: &[(&str, bool)], object: &str, budget: usize) -> String {
        let schema = test_schema();
        let operation = test_operation(&schema, text);
        let given: Map<ByteString, Json> =
            given.iter().map(|(name, value)| ((*name).into(), Json::Bool(*value))).collect();
        let variables = crate::coerce_variable_values(&schema, &operation, &given).unwrap();
        let steering = Steering::new(&variables);
        let mut response = Response {
            operation: &operation,
            schema: &schema,
            steering: &steering,
            object: schema.find_type(object).unwrap(),
            budget: Budget::new(budget),
            output: String::new(),
        };
        match response.object(schema.query.unwrap(), &[operation.root], 0) {
            Ok(()) => {
                let output = response.output;
                let structure = steering.into_structure();
                let seen = structure.observations.into_iter().map(|seen| format!("{seen:?}\n"));
                output + &seen.collect::<String>()
            }
            Err(error) => error.to_string(),
        }
    }

    struct Response<'r> {
        operation: &'r Operation,
        schema: &'r Schema,
        steering: &'r Steering<'r>,
        object: TypeId,
        budget: Budget,
        output: String,
    }

    impl Response<'_> {
        fn object(
            &mut self,
            object: TypeId,
            sets: &[SelectionSetId],
            depth: usize,
        ) -> Result<(), TooManyFields> {
            let (operation, schema, steering) = (self.operation, self.schema, self.steering);
            let fields =
                collect_fields(operation, schema, object, sets, steering, &mut self.budget)?;
            for field in fields {
                let indentation = "  ".repeat(depth);
                let count = field.arguments.len();
                let name = match field.field {
                    FieldRef::Field(id) => &*schema[id].name,
                    FieldRef::Typename => "__typename",
                    FieldRef::Introspection => "introspection",
                };
                let response_name = field.response_name;
                let line = format!("{indentation}{response_name}: {name}, {count} arguments\n");
                self.output.push_str(&line);
                if let FieldRef::Field(id) = field.field {
                    self.object(self.below(id), &field.selection_sets, depth + 1)?;
                }
            }
            Ok(())
        }

        fn below(&self, field: FieldId) -> TypeId {
            let base = self.schema[field].r#type.base;
            match self.schema[base].kind {
                TypeKind::Interface { .. } | TypeKind::Union { .. } => self.object,
                TypeKind::Scalar
                | TypeKind::Object { .. }
                | TypeKind::Enum { .. }
                | TypeKind::InputObject { .. } => base,
            }
        }
    }

    const MERGED: &str = "query ($y: Boolean!) {
        albums(first: 1) { id ...A }
        albums(first: 1) { artist { id } ...A }
        b: albums @include(if: $y) { id }
        n: node(id: 1) { ...N ... on Album { title } ... on SearchHit { __typename } }
        n: node(id: 1) @skip(if: $y) { ... on Artist { name } }
      }
      fragment A on Album { artist { name ...N } id title @skip(if: $y) }
      fragment N on Node { id }";

    #[test]
    fn selections_of_one_response_name_are_merged() {
        expect![[r#"
            albums: albums, 1 arguments
              id: id, 0 arguments
              artist: artist, 0 arguments
                name: name, 0 arguments
                id: id, 0 arguments
            b: albums, 0 arguments
              id: id, 0 arguments
            n: node, 1 arguments
              id: id, 0 arguments
              title: title, 0 arguments
              __typename: __typename, 0 arguments
            Observation { slot: Slot(0), path: Path([]), aspect: Equal(Bool(true)) }
        "#]]
        .assert_eq(&collected(MERGED, &[("y", true)], "Album", 100));
    }

    #[test]
    fn conditions_and_types_decide_what_counts() {
        expect![[r#"
            albums: albums, 1 arguments
              id: id, 0 arguments
              artist: artist, 0 arguments
                name: name, 0 arguments
                id: id, 0 arguments
              title: title, 0 arguments
            n: node, 1 arguments
              id: id, 0 arguments
              __typename: __typename, 0 arguments
              name: name, 0 arguments
            Observation { slot: Slot(0), path: Path([]), aspect: Equal(Bool(false)) }
        "#]]
        .assert_eq(&collected(MERGED, &[("y", false)], "Artist", 100));
    }

    #[test]
    fn the_budget_bounds_what_fragments_multiply() {
        let mut text = String::from("{ albums { ...F0 } }");
        for index in 0..7 {
            let next = format!("artist {{ albums {{ ...F{} }} }}", index + 1);
            text.push_str(&format!(" fragment F{index} on Album {{ {next} again: {next} }}"));
        }
        text.push_str(" fragment F7 on Album { id }");
        expect!["The operation selects too many fields."].assert_eq(&collected(
            &text,
            &[],
            "Album",
            300,
        ));
    }
}
