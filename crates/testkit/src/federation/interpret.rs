//! The answer to an operation, <https://spec.graphql.org/draft/#sec-Execution>.

use std::cell::Cell;

use graphql::operation::{FieldRef, Operation, OperationKind, SelectionSetId};
use graphql::schema::{Schema, TypeRef};
use graphql::variables::{Steering, Variables};
use graphql::{Budget, collect_fields};
use serde_json::{Map, Value as Json};

use super::arguments;
use super::knower::{Given, Knower, Seen};
use super::world::Identity;

/// An operation over the schema of whoever answers.
#[derive(Debug)]
struct Interpreter<'i> {
    knower: &'i Knower<'i>,
    schema: &'i Schema,
    operation: &'i Operation,
    variables: &'i Variables,
    /// Whether a null stood where none may.
    nulled: Cell<bool>,
}

/// A null where none may stand.
struct Nulled;

/// `data` of an operation, the root being one of the types of `roots`, and whether a null stood where
/// none may.
pub(super) fn data(
    knower: &Knower<'_>,
    (schema, roots): (&Schema, &Schema),
    operation: &Operation,
    variables: &Variables,
) -> Result<(String, bool), String> {
    let root = match operation.kind {
        OperationKind::Query => roots.query,
        OperationKind::Mutation => roots.mutation,
        OperationKind::Subscription => roots.subscription,
    };
    let r#type = root.ok_or("there is no root type")?;
    let interpreter =
        Interpreter { knower, schema, operation, variables, nulled: Cell::new(false) };
    let root = Seen::plain(Identity { r#type, number: 0 });
    let data = interpreter.object(&root, &[operation.root]);
    Ok((data.unwrap_or_else(|_| "null".to_owned()), interpreter.nulled.get()))
}

impl Interpreter<'_> {
    fn object(&self, seen: &Seen, sets: &[SelectionSetId]) -> Result<String, Nulled> {
        let name = &self.knower.world.supergraph.schema[seen.r#type].name;
        let own = self.schema.find_type(name).ok_or(Nulled)?;
        let steering = Steering::new(self.variables);
        let mut budget = Budget::new(1_000_000);
        let fields = collect_fields(self.operation, self.schema, own, sets, &steering, &mut budget);
        let mut text = String::from("{");
        for field in fields.map_err(|_| Nulled)? {
            if text.len() > 1 {
                text.push(',');
            }
            text.push('"');
            text.push_str(field.response_name);
            text.push_str("\":");
            match field.field {
                FieldRef::Typename => text.push_str(&Json::from(&**name).to_string()),
                FieldRef::Introspection => text.push_str("null"),
                FieldRef::Field(id) => {
                    let name = &self.schema[id].name;
                    let declared = self.schema.find_field(own, name).unwrap_or(id);
                    let given =
                        arguments::of_operation(self.schema, field.arguments, self.variables);
                    let given = match &**name {
                        "_entities" => self.entities(&given),
                        name => self.knower.field(seen, name, &given),
                    };
                    let r#type = self.schema[declared].r#type;
                    text.push_str(&self.value(&given, r#type, &field.selection_sets)?);
                }
            }
        }
        text.push('}');
        Ok(text)
    }

    fn entities(&self, arguments: &Map<String, Json>) -> Given {
        let all = arguments.get("representations").and_then(Json::as_array);
        let entities = all.into_iter().flatten();
        let entities = entities.map(|representation| {
            self.knower.entity(representation).map_or(Given::Null, Given::Object)
        });
        Given::List(entities.collect())
    }

    fn value(
        &self,
        given: &Given,
        r#type: TypeRef,
        sets: &[SelectionSetId],
    ) -> Result<String, Nulled> {
        match self.inner(given, r#type, sets) {
            Ok(Some(text)) => Ok(text),
            Ok(None) if !r#type.is_non_null() => Ok("null".to_owned()),
            Ok(None) | Err(Nulled) => {
                self.nulled.set(true);
                if r#type.is_non_null() { Err(Nulled) } else { Ok("null".to_owned()) }
            }
        }
    }

    /// `None` is null.
    fn inner(
        &self,
        given: &Given,
        r#type: TypeRef,
        sets: &[SelectionSetId],
    ) -> Result<Option<String>, Nulled> {
        match given {
            Given::Null => Ok(None),
            Given::Leaf(leaf) => Ok((!leaf.is_null()).then(|| leaf.to_string())),
            Given::List(items) => {
                let item = r#type.item().unwrap_or(r#type);
                let items = items.iter().map(|given| self.value(given, item, sets));
                let items = items.collect::<Result<Vec<_>, _>>()?;
                Ok(Some(format!("[{}]", items.join(","))))
            }
            Given::Object(seen) => {
                let supergraph = self.knower.world.supergraph;
                // What clients do not know of is not there for them.
                if self.knower.subgraph.is_none() && !supergraph.api.has(seen.identity.r#type) {
                    return Ok(None);
                }
                self.object(seen, sets).map(Some)
            }
        }
    }
}
