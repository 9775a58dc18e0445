//! The answer to an operation, <https://spec.graphql.org/draft/#sec-Execution>.

use std::cell::{Cell, RefCell};

use graphql::operation::{FieldRef, Operation, OperationKind, SelectionSetId};
use graphql::schema::{Schema, TypeRef};
use graphql::variables::{Steering, Variables};
use graphql::{Budget, collect_fields};
use serde_json::{Map, Value as Json, json};

use super::arguments;
use super::resolver::{Given, Resolver, Seen};
use super::truth::{Member, Truth};
use super::world::Identity;

/// The interpreter of an operation over a schema.
#[derive(Debug)]
struct Interpreter<'i> {
    resolver: &'i Resolver<'i>,
    schema: &'i Schema,
    operation: &'i Operation,
    variables: &'i Variables,
    /// Whether there was a null in a non-null position.
    nulled: Cell<bool>,
    /// The errors, and the current response path.
    errors: RefCell<Vec<Json>>,
    path: RefCell<Vec<Json>>,
}

/// The result of an operation.
#[derive(Debug)]
pub(super) struct Interpreted {
    pub(super) data: String,
    pub(super) errors: Vec<Json>,
    /// Whether there was a null in a non-null position.
    pub(super) has_nulled: bool,
}

/// A null where none may stand.
struct Nulled;

/// The answer to an operation, the root being one of the types of `roots`.
pub(super) fn data(
    resolver: &Resolver<'_>,
    (schema, roots): (&Schema, &Schema),
    operation: &Operation,
    variables: &Variables,
) -> Result<Interpreted, String> {
    let root = match operation.kind {
        OperationKind::Query => roots.query,
        OperationKind::Mutation => roots.mutation,
        OperationKind::Subscription => roots.subscription,
    };
    let r#type = root.ok_or("there is no root type")?;
    let interpreter = Interpreter {
        resolver,
        schema,
        operation,
        variables,
        nulled: Cell::new(false),
        errors: RefCell::default(),
        path: RefCell::default(),
    };
    let root = Seen::plain(Identity { r#type, number: 0 });
    let data = interpreter.object(&root, &[operation.root]);
    let (has_nulled, errors) = (interpreter.nulled.get(), interpreter.errors.take());
    let data = data.unwrap_or_else(|_| "null".to_owned());
    Ok(Interpreted { data, errors, has_nulled })
}

/// The true values of an operation, before nulls propagate.
pub(super) fn truth(
    resolver: &Resolver<'_>,
    schema: &Schema,
    operation: &Operation,
    variables: &Variables,
) -> Result<Truth, String> {
    let root = match operation.kind {
        OperationKind::Query => schema.query,
        OperationKind::Mutation => schema.mutation,
        OperationKind::Subscription => schema.subscription,
    };
    let r#type = root.ok_or("there is no such root type")?;
    let (errors, path) = (RefCell::default(), RefCell::default());
    let nulled = Cell::new(false);
    let interpreter = Interpreter { resolver, schema, operation, variables, nulled, errors, path };
    let root = Seen::plain(Identity { r#type, number: 0 });
    interpreter.true_object(&root, &[operation.root]).ok_or_else(|| "it has no fields".to_owned())
}

impl Interpreter<'_> {
    fn object(&self, seen: &Seen, sets: &[SelectionSetId]) -> Result<String, Nulled> {
        let name = &self.resolver.world.supergraph.schema[seen.r#type].name;
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
                        name => self.resolver.field(seen, name, &given),
                    };
                    let r#type = self.schema[declared].r#type;
                    self.path.borrow_mut().push(field.response_name.into());
                    let value = self.value(&given, r#type, &field.selection_sets);
                    self.path.borrow_mut().pop();
                    text.push_str(&value?);
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
            self.resolver.entity(representation).map_or(Given::Null, Given::Object)
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
            Ok(None) if matches!(given, Given::Broken) => Ok("null".to_owned()),
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
            Given::Null | Given::Broken => Ok(None),
            Given::Failed => {
                let path = self.path.borrow().clone();
                let message = format!("{} fails", Json::from(path.clone()));
                self.errors.borrow_mut().push(json!({ "message": message, "path": path }));
                Ok(None)
            }
            Given::Leaf(leaf) => Ok((!leaf.is_null()).then(|| leaf.to_string())),
            Given::List(items) => {
                let item = r#type.item().unwrap_or(r#type);
                let items = items.iter().enumerate().map(|(place, given)| {
                    self.path.borrow_mut().push(place.into());
                    let value = self.value(given, item, sets);
                    self.path.borrow_mut().pop();
                    value
                });
                let items = items.collect::<Result<Vec<_>, _>>()?;
                Ok(Some(format!("[{}]", items.join(","))))
            }
            Given::Object(seen) => {
                let supergraph = self.resolver.world.supergraph;
                // Types that the clients' schema lacks do not exist for them.
                if self.resolver.subgraph.is_none() && !supergraph.api.has(seen.identity.r#type) {
                    return Ok(None);
                }
                self.object(seen, sets).map(Some)
            }
        }
    }

    /// `None` if the fields cannot be collected.
    fn true_object(&self, seen: &Seen, sets: &[SelectionSetId]) -> Option<Truth> {
        let world = self.resolver.world;
        let name = &world.supergraph.schema[seen.r#type].name;
        let own = self.schema.find_type(name)?;
        let steering = Steering::new(self.variables);
        let mut budget = Budget::new(1_000_000);
        let fields = collect_fields(self.operation, self.schema, own, sets, &steering, &mut budget);
        let members = fields.ok()?.into_iter().map(|field| {
            let key = field.response_name.to_owned();
            let FieldRef::Field(id) = field.field else {
                let value = match field.field {
                    FieldRef::Typename => Truth::Leaf((&**name).into()),
                    _ => Truth::Null,
                };
                return Some(Member { key, of: seen.identity, name: String::new(), value });
            };
            let name = &self.schema[id].name;
            let given = arguments::of_operation(self.schema, field.arguments, self.variables);
            let given = self.resolver.field(seen, name, &given);
            let value = self.true_value(&given, &field.selection_sets)?;
            Some(Member { key, of: seen.identity, name: name.to_string(), value })
        });
        members.collect::<Option<Vec<_>>>().map(Truth::Object)
    }

    fn true_value(&self, given: &Given, sets: &[SelectionSetId]) -> Option<Truth> {
        Some(match given {
            Given::Null => Truth::Null,
            Given::Failed | Given::Broken => Truth::Failed,
            Given::Leaf(leaf) if leaf.is_null() => Truth::Null,
            Given::Leaf(leaf) => Truth::Leaf(leaf.clone()),
            Given::List(items) => {
                let items = items.iter().map(|given| self.true_value(given, sets));
                Truth::List(items.collect::<Option<_>>()?)
            }
            Given::Object(seen) => {
                match self.resolver.world.supergraph.api.has(seen.identity.r#type) {
                    true => self.true_object(seen, sets)?,
                    false => Truth::Null,
                }
            }
        })
    }
}
