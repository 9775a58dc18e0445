//! The calls of a fetch, with the values of their variables.

use graphql::operation::FieldRef;
use graphql::schema::TypeId;
use graphql::variables::{Steering, Variables};
use graphql::{Budget, CollectedField, TooManyFields, collect_fields};
use serde_json::{Map, Value};
use serde_json_bytes::Value as Json;
use supergraph::{Connector, Entry};

use super::fetch::{ConnectorFetch, ConnectorSchema, field_id};
use super::key::Key;
use crate::arguments::argument_values;

/// A call of a connector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// `$args`
    pub arguments: Value,
    /// `$this`
    pub this: Option<Value>,
    /// `$batch`
    pub batch: Option<Value>,
}

/// All calls of a request to a connector, with the places of their results in the response.
#[derive(Debug)]
pub struct FetchCalls<'f> {
    pub(super) schema: &'f ConnectorSchema,
    pub(super) fetch: &'f ConnectorFetch,
    pub(super) variables: Variables,
    pub(super) roots: Vec<Root<'f>>,
    pub calls: Vec<Call>,
}

/// A root field of the request.
#[derive(Debug)]
pub(super) enum Root<'f> {
    Typename(CollectedField<'f>),
    Field { field: CollectedField<'f>, call: usize },
    Entities { field: CollectedField<'f>, items: Vec<Item<'f>> },
}

/// An item of `_entities`.
#[derive(Debug)]
pub(super) struct Item<'f> {
    pub(super) representation: Map<String, Value>,
    /// Its type, and the fields that are selected of it; `None` for an unknown type.
    pub(super) object: Option<(TypeId, Vec<CollectedField<'f>>)>,
    pub(super) from: From,
}

/// What the fields of an item are taken from, beside its representation.
#[derive(Debug)]
pub(super) enum From {
    /// The result of a call.
    Result(usize),
    /// The object with the same key in the result of a call.
    Batch(usize, Key),
    /// Each field with a call has its result: by the index of the field.
    Fields(Vec<Option<usize>>),
}

impl<'f> FetchCalls<'f> {
    /// Plans the calls of a request to a connector, with the body of the request.
    pub fn new(
        schema: &'f ConnectorSchema,
        fetch: &'f ConnectorFetch,
        (connector, entry): (&Connector, Entry),
        body: &[u8],
    ) -> Result<Self, TooManyFields> {
        let variables = fetch.variables(body);
        let mut planning = Planning { schema, fetch, connector, entry, calls: Vec::new() };
        let roots = planning.roots(&variables)?;
        let calls = planning.calls;
        Ok(Self { schema, fetch, variables, roots, calls })
    }
}

struct Planning<'f, 'c> {
    schema: &'f ConnectorSchema,
    fetch: &'f ConnectorFetch,
    connector: &'c Connector,
    entry: Entry,
    calls: Vec<Call>,
}

impl<'f> Planning<'f, '_> {
    fn roots(&mut self, variables: &Variables) -> Result<Vec<Root<'f>>, TooManyFields> {
        let steering = Steering::new(variables);
        let (schema, fetch) = (self.schema, self.fetch);
        let mut roots = Vec::new();
        for field in fetch.roots(&schema.schema, &steering)? {
            roots.push(match field_id(&field) {
                None => Root::Typename(field),
                Some(id) if id == schema.entities => {
                    let items = self.items(&field, variables, &steering)?;
                    Root::Entities { field, items }
                }
                Some(_) => {
                    let arguments = self.arguments(&field, variables);
                    let call = self.add(Call { arguments, ..Call::default() });
                    Root::Field { field, call }
                }
            });
        }
        Ok(roots)
    }

    fn items(
        &mut self,
        field: &CollectedField<'f>,
        variables: &Variables,
        steering: &Steering<'_>,
    ) -> Result<Vec<Item<'f>>, TooManyFields> {
        let mut arguments =
            argument_values(&self.schema.schema, self.schema.entities, field.arguments, variables);
        let representations = match arguments.remove("representations") {
            Some(Json::Array(representations)) => representations,
            _ => Vec::new(),
        };
        let representations: Vec<_> =
            representations.into_iter().map(|one| object(plain(&one))).collect();
        let mut items = Vec::with_capacity(representations.len());
        for representation in representations {
            let object = self.object(&representation, field, steering)?;
            let from = From::Fields(Vec::new());
            items.push(Item { representation, object, from });
        }
        match (self.entry, self.connector.is_batch()) {
            (Entry::Entity(_), true) => self.add_batches(&mut items),
            (Entry::Entity(_), false) => {
                for item in &mut items {
                    let values = without_typename(&item.representation);
                    let call = match self.connector.uses_arguments() {
                        true => Call { arguments: values, ..Call::default() },
                        false => Call { this: Some(values), ..Call::default() },
                    };
                    item.from = From::Result(self.add(call));
                }
            }
            (Entry::Field { field, .. }, _) => {
                for item in &mut items {
                    let this = without_typename(&item.representation);
                    let selected = item.object.iter().flat_map(|(_, fields)| fields);
                    let calls = selected.map(|selected| {
                        (field_id(selected) == Some(field)).then(|| {
                            let arguments = self.arguments(selected, variables);
                            let call = Call { arguments, this: Some(this.clone()), batch: None };
                            self.add(call)
                        })
                    });
                    item.from = From::Fields(calls.collect());
                }
            }
            (Entry::Root { .. }, _) => {}
        }
        Ok(items)
    }

    /// Returns the type of an entity and the fields that are selected of it.
    fn object(
        &self,
        representation: &Map<String, Value>,
        field: &CollectedField<'f>,
        steering: &Steering<'_>,
    ) -> Result<Option<(TypeId, Vec<CollectedField<'f>>)>, TooManyFields> {
        let typename = representation.get("__typename").and_then(Value::as_str);
        let schema = &self.schema.schema;
        let Some(object) = typename.and_then(|name| schema.find_type(name)) else {
            return Ok(None);
        };
        let mut budget = Budget::new(usize::MAX);
        let (operation, sets) = (&self.fetch.operation, &field.selection_sets);
        let fields = collect_fields(operation, schema, object, sets, steering, &mut budget)?;
        Ok(Some((object, fields)))
    }

    /// Adds calls for several items each.
    fn add_batches(&mut self, items: &mut [Item<'f>]) {
        let used = self.connector.used();
        for chunk in items.chunks_mut(self.connector.batch_size().max(1)) {
            let batch = chunk.iter().map(|item| without_typename(&item.representation));
            let call = Call { batch: Some(batch.collect()), ..Call::default() };
            let call = self.add(call);
            for item in chunk {
                item.from = From::Batch(call, Key::new(&item.representation, used));
            }
        }
    }

    /// Adds a call; equal calls of a query are one.
    fn add(&mut self, call: Call) -> usize {
        let is_query = self.fetch.operation.kind == graphql::operation::OperationKind::Query;
        let known = self.calls.iter().rev().take(MOST_COMPARED).position(|known| *known == call);
        match known.filter(|_| is_query) {
            Some(back) => self.calls.len() - 1 - back,
            None => {
                self.calls.push(call);
                self.calls.len() - 1
            }
        }
    }

    fn arguments(&self, field: &CollectedField<'_>, variables: &Variables) -> Value {
        match field.field {
            FieldRef::Field(id) => {
                let schema = &self.schema.schema;
                let values = argument_values(schema, id, field.arguments, variables);
                plain(&Json::Object(values))
            }
            FieldRef::Typename | FieldRef::Introspection => Value::Object(Map::new()),
        }
    }
}

/// The number of calls that a new one is compared with: equal ones are of the same object.
const MOST_COMPARED: usize = 8;

/// Returns a value in the data model of mappings.
fn plain(value: &Json) -> Value {
    // All keys are strings, and all numbers are those of JSON.
    serde_json::to_value(value).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn without_typename(representation: &Map<String, Value>) -> Value {
    let members = representation.iter().filter(|(name, _)| *name != "__typename");
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
}
