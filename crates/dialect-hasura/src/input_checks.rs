//! Inputs of changes that other servers check before anything is executed, as Hasura sends them.
//! <https://hasura.io/docs/2.0/schema/postgres/input-validations/>

use std::sync::Arc;

use api::binding::{TreeRole, WriteRole};
use api::{Api, CheckedChange, FieldBinding, InputRole, MutationForm};
use catalog::{Catalog, EntityId};
use graphql::operation::{FieldRef, Operation};
use graphql::schema::{TypeId, TypeKind};
use graphql::variables::{Steering, Variables};
use graphql::{Budget, TooManyFields, collect_fields};
use http_resolvers::{HttpResolver, Inputs};
use serde_json::{Map, Value, json};

/// The inputs of one request to a server.
#[derive(Debug)]
pub struct CheckedInputs {
    pub check: Arc<HttpResolver>,
    pub inputs: Vec<Value>,
}

/// An operation whose inputs are checked.
#[derive(Clone, Copy, Debug)]
pub struct Checking<'a> {
    pub api: &'a Api,
    pub catalog: &'a Catalog,
    pub operation: &'a Operation,
    pub variables: &'a Variables,
    /// The most selections, fragments expanded.
    pub most_fields: usize,
    pub role: &'a str,
}

/// Rows of new rows by their entities, in the order in which the entities occur.
type Rows = Vec<(EntityId, Vec<Value>)>;

impl Checking<'_> {
    /// The requests for all root fields, in order.
    pub fn requests(self) -> Result<Vec<CheckedInputs>, TooManyFields> {
        let Self { api, operation, variables, .. } = self;
        let schema = &api.schema;
        let Some(root) = schema.mutation else { return Ok(Vec::new()) };
        let mut budget = Budget::new(self.most_fields);
        let steering = Steering::new(variables);
        let sets = [operation.root];
        let fields = collect_fields(operation, schema, root, &sets, &steering, &mut budget)?;
        let mut requests = Vec::new();
        for field in fields {
            let FieldRef::Field(id) = field.field else { continue };
            let FieldBinding::Mutation(mutation) = api.field(id) else { continue };
            let Some((change, entity)) = mutation.change.checked() else { continue };
            // The server sees the numbers that are stored.
            let inputs = Inputs::of_written_arguments(schema, id, field.arguments, variables);
            let inputs = inputs.to_json();
            match change {
                CheckedChange::Insert => {
                    let argument = schema[id].arguments.iter();
                    let mut argument = argument.filter(|input| self.is_rows(**input));
                    let Some(argument) = argument.next() else { continue };
                    let argument = &schema[*argument];
                    let given = inputs.get(&*argument.name).unwrap_or(&Value::Null);
                    let mut rows = Rows::new();
                    self.rows(entity, argument.r#type.base, given, &mut rows);
                    for (entity, inputs) in rows {
                        self.add(entity, change, inputs, &mut requests);
                    }
                }
                CheckedChange::Update => {
                    let inputs = match inputs.get("updates") {
                        Some(Value::Array(updates)) => updates.clone(),
                        Some(update) => vec![update.clone()],
                        None => vec![inputs],
                    };
                    self.add(entity, change, inputs, &mut requests);
                }
                CheckedChange::Delete => {
                    let inputs = match mutation.form {
                        MutationForm::Row => json!({ "pk_columns": inputs }),
                        MutationForm::Payload => inputs,
                    };
                    self.add(entity, change, vec![inputs], &mut requests);
                }
            }
        }
        Ok(requests)
    }

    fn add(
        self,
        entity: EntityId,
        change: CheckedChange,
        inputs: Vec<Value>,
        requests: &mut Vec<CheckedInputs>,
    ) {
        if let Some(check) = self.api.input_checks.find(self.role, entity, change) {
            requests.push(CheckedInputs { check: Arc::clone(check), inputs });
        }
    }

    fn is_rows(self, input: graphql::schema::InputId) -> bool {
        let role = &self.api.input(input).role;
        matches!(role, InputRole::Write(WriteRole::Tree(TreeRole::Rows)))
    }

    /// Adds new rows and those that are related to them. Recursion is bounded by the depth of values,
    /// which was checked.
    fn rows(self, entity: EntityId, r#type: TypeId, given: &Value, rows: &mut Rows) {
        let given = match given {
            Value::Array(items) => items.as_slice(),
            Value::Null => return,
            item => std::slice::from_ref(item),
        };
        let written = given.iter().map(|row| self.row(r#type, row)).collect();
        match rows.iter_mut().find(|(known, _)| *known == entity) {
            Some((_, known)) => known.extend::<Vec<Value>>(written),
            None => rows.push((entity, written)),
        }
        for row in given {
            self.each_related(r#type, row, |entity, r#type, data| {
                self.rows(entity, r#type, data, rows);
            });
        }
    }

    /// A new row as the server receives it: columns by their names in the database, and related rows.
    fn row(self, r#type: TypeId, given: &Value) -> Value {
        let mut members = Map::new();
        for (name, value) in given.as_object().into_iter().flatten() {
            let Some(input) = self.api.schema.find_input_field(r#type, name) else { continue };
            match &self.api.input(input).role {
                InputRole::Write(WriteRole::Stored(field)) => {
                    let name = String::from(&*self.catalog[*field].name);
                    members.insert(name, value.clone());
                }
                InputRole::Write(WriteRole::Tree(TreeRole::Related(_))) => {
                    let Some((r#type, data)) = self.data(input, value) else { continue };
                    let data = match data {
                        Value::Array(items) => {
                            items.iter().map(|one| self.row(r#type, one)).collect()
                        }
                        item => self.row(r#type, item),
                    };
                    members.insert(name.clone(), json!({ "data": data }));
                }
                _ => {}
            }
        }
        Value::Object(members)
    }

    fn each_related(
        self,
        r#type: TypeId,
        given: &Value,
        mut each: impl FnMut(EntityId, TypeId, &Value),
    ) {
        for (name, value) in given.as_object().into_iter().flatten() {
            let Some(input) = self.api.schema.find_input_field(r#type, name) else { continue };
            let InputRole::Write(WriteRole::Tree(TreeRole::Related(related))) =
                &self.api.input(input).role
            else {
                continue;
            };
            if let Some((r#type, data)) = self.data(input, value) {
                each(related.entity, r#type, data);
            }
        }
    }

    /// The new rows in the value of a relationship, with the type of their inputs.
    fn data(
        self,
        relationship: graphql::schema::InputId,
        value: &Value,
    ) -> Option<(TypeId, &Value)> {
        let schema = &self.api.schema;
        let TypeKind::InputObject { fields, .. } = &schema[schema[relationship].r#type.base].kind
        else {
            return None;
        };
        let mut inputs = fields.iter();
        let data = inputs.find(|input| {
            let role = &self.api.input(**input).role;
            matches!(role, InputRole::Write(WriteRole::Tree(TreeRole::Data)))
        })?;
        let data = &schema[*data];
        Some((data.r#type.base, value.get(&*data.name)?))
    }
}
