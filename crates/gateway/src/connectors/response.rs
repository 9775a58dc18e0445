//! The response to a fetch, made of the results of its calls.

use bytes::Bytes;
use graphql::CollectedField;
use graphql::variables::Steering;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use supergraph::{Connector, Supergraph};

use super::call::{FetchCalls, From, Item, Root};
use super::error::CallError;
use super::fetch::field_id;
use super::key::Key;
use super::projection::{Output, Problems, Projection, append, append_name};

/// A step of a path in the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(Box<str>),
    Index(usize),
}

/// The result of a call.
pub type CallResult = Result<Value, CallError>;

impl FetchCalls<'_> {
    /// Returns the response as JSON; `results` are those of the calls, in their order.
    #[must_use]
    pub fn response(
        &self,
        supergraph: &Supergraph,
        connector: &Connector,
        results: &[CallResult],
    ) -> Bytes {
        let steering = Steering::new(&self.variables);
        let projection = Projection {
            schema: &self.schema.schema,
            operation: &self.fetch.operation,
            steering: &steering,
        };
        let mut writer = Writer {
            projection,
            supergraph,
            connector,
            results,
            batches: FxHashMap::default(),
            data: Vec::new(),
            path: Vec::new(),
            problems: Problems::new(),
            errors: Vec::new(),
        };
        for root in &self.roots {
            writer.root(root);
        }
        writer.finish()
    }
}

/// Objects of the result of a batch, by their keys.
type Batch<'r> = FxHashMap<Key, &'r Map<String, Value>>;

struct Writer<'w> {
    projection: Projection<'w>,
    supergraph: &'w Supergraph,
    connector: &'w Connector,
    results: &'w [CallResult],
    /// By call.
    batches: FxHashMap<usize, Batch<'w>>,
    data: Vec<u8>,
    path: Vec<Step>,
    problems: Problems,
    errors: Vec<u8>,
}

/// Objects whose members are the fields of an item; a later one counts for what others lack.
type Sources<'s> = [Option<&'s Map<String, Value>>; 2];

impl<'w> Writer<'w> {
    fn root(&mut self, root: &Root<'_>) {
        if !self.data.is_empty() {
            self.data.push(b',');
        }
        match root {
            Root::Typename(field) => {
                let schema = self.projection.schema;
                let root = match self.projection.operation.kind {
                    graphql::operation::OperationKind::Mutation => schema.mutation,
                    _ => schema.query,
                };
                let name = root.map(|root| Value::from(&*schema[root].name));
                append_name(field.response_name, &mut self.data);
                append(&name.unwrap_or_default(), &mut self.data);
            }
            Root::Field { field, call } => {
                append_name(field.response_name, &mut self.data);
                self.path.push(Step::Key(field.response_name.into()));
                self.result(field, *call);
                self.path.pop();
            }
            Root::Entities { field, items } => {
                append_name(field.response_name, &mut self.data);
                self.path.push(Step::Key(field.response_name.into()));
                self.data.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.data.push(b',');
                    }
                    self.path.push(Step::Index(index));
                    self.item(item);
                    self.path.pop();
                }
                self.data.push(b']');
                self.path.pop();
            }
        }
    }

    /// Writes the result of a call, which is the value of a field.
    fn result(&mut self, field: &CollectedField<'_>, call: usize) {
        let Some(id) = field_id(field) else { return };
        match self.results.get(call) {
            Some(Ok(value)) => {
                let r#type = self.projection.schema[id].r#type;
                let Self { projection, data, path, problems, .. } = self;
                let mut output = Output { text: data, path, problems };
                projection.value(value, r#type, &field.selection_sets, &mut output);
            }
            Some(Err(error)) => self.fail(error),
            None => self.data.extend_from_slice(b"null"),
        }
    }

    fn item(&mut self, item: &Item<'_>) {
        let Some((object, fields)) = &item.object else {
            return self.data.extend_from_slice(b"null");
        };
        let result = match &item.from {
            From::Fields(calls) => {
                self.data.push(b'{');
                for (index, field) in fields.iter().enumerate() {
                    if index > 0 {
                        self.data.push(b',');
                    }
                    match calls.get(index).copied().flatten() {
                        Some(call) => {
                            append_name(field.response_name, &mut self.data);
                            self.path.push(Step::Key(field.response_name.into()));
                            self.result(field, call);
                            self.path.pop();
                        }
                        None => self.member([Some(&item.representation), None], *object, field),
                    }
                }
                return self.data.push(b'}');
            }
            From::Result(call) => self.results.get(*call).map(|result| match result {
                Ok(Value::Object(members)) => Ok(Some(members)),
                Ok(_) => Ok(None),
                Err(error) => Err(error),
            }),
            From::Batch(call, key) => self.results.get(*call).map(|result| match result {
                Ok(_) => Ok(self.in_batch(*call, key)),
                Err(error) => Err(error),
            }),
        };
        match result {
            Some(Ok(Some(members))) => {
                self.data.push(b'{');
                for (index, field) in fields.iter().enumerate() {
                    if index > 0 {
                        self.data.push(b',');
                    }
                    self.member([Some(members), Some(&item.representation)], *object, field);
                }
                self.data.push(b'}');
            }
            Some(Err(error)) => self.fail(error),
            Some(Ok(None)) | None => self.data.extend_from_slice(b"null"),
        }
    }

    /// Writes a member of the first object that has it.
    fn member(
        &mut self,
        sources: Sources<'_>,
        object: graphql::schema::TypeId,
        field: &CollectedField<'_>,
    ) {
        let name = field_id(field).map(|id| &*self.projection.schema[id].name);
        let has = |source: &&Map<String, Value>| name.is_none_or(|name| source.contains_key(name));
        let source = sources.into_iter().flatten().find(has);
        let nothing = Map::new();
        let Self { projection, data, path, problems, .. } = self;
        let mut output = Output { text: data, path, problems };
        projection.member(source.unwrap_or(&nothing), object, field, &mut output);
    }

    /// Returns the object with a key in the result of a batch.
    fn in_batch(&mut self, call: usize, key: &Key) -> Option<&'w Map<String, Value>> {
        let used = self.connector.used();
        let batch = self.batches.entry(call).or_insert_with(|| {
            let items = match self.results.get(call) {
                Some(Ok(Value::Array(items))) => items.as_slice(),
                Some(Ok(single @ Value::Object(_))) => std::slice::from_ref(single),
                _ => &[],
            };
            let objects = items.iter().filter_map(Value::as_object);
            objects.map(|object| (Key::new(object, used), object)).collect()
        });
        batch.get(key).copied()
    }

    /// Writes null, with an error.
    fn fail(&mut self, error: &CallError) {
        self.data.extend_from_slice(b"null");
        let path = self.path.clone();
        self.error(&path, &error.message, error.extensions(self.supergraph, self.connector));
    }

    fn error(&mut self, path: &[Step], message: &str, extensions: Map<String, Value>) {
        let path = path.iter().map(|step| match step {
            Step::Key(key) => Value::from(&**key),
            Step::Index(index) => Value::from(*index),
        });
        let mut error = Map::new();
        error.insert("message".into(), message.into());
        error.insert("path".into(), path.collect());
        error.insert("extensions".into(), Value::Object(extensions));
        if !self.errors.is_empty() {
            self.errors.push(b',');
        }
        append(&Value::Object(error), &mut self.errors);
    }

    fn finish(mut self) -> Bytes {
        for (path, message) in std::mem::take(&mut self.problems) {
            let error = CallError::value(message);
            let extensions = error.extensions(self.supergraph, self.connector);
            self.error(&path, &error.message, extensions);
        }
        let mut text = b"{\"data\":{".to_vec();
        text.append(&mut self.data);
        text.push(b'}');
        if !self.errors.is_empty() {
            text.extend_from_slice(b",\"errors\":[");
            text.append(&mut self.errors);
            text.push(b']');
        }
        text.push(b'}');
        text.into()
    }
}
