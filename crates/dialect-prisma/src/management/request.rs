//! A request of one of the schemas: its root fields with their arguments, and its answer.

use graphql::operation::FieldRef;
use graphql::operation::{Location, Operation, OperationKind, SelectionSetId};
use graphql::schema::{FieldId, InputId, Schema, TypeId};
use graphql::value::Value;
use graphql::variables::{Steering, Variables};
use graphql::{
    Budget, DocumentLimits, GraphQLError, PathSegment, Request, Validator, coerce_variable_values,
    collect_fields,
};
use serde_json::{Map, Value as Json};

use super::schema;

/// The most selections of a request.
const MOST_SELECTIONS: usize = 10_000;

/// The member of a value that names its type, where several are possible.
pub(super) const TYPE: &str = "__typename";

/// A schema whose fields are resolved by hand.
#[derive(Debug)]
pub struct Endpoint {
    schema: Schema,
    validator: Validator,
}

/// A validated request.
#[derive(Debug)]
pub struct Begun<'e> {
    endpoint: &'e Endpoint,
    operation: Operation,
    variables: Variables,
    roots: Vec<Root>,
    introspected: Vec<(String, Vec<u8>)>,
}

/// A root field.
#[derive(Debug)]
struct Root {
    response_name: Box<str>,
    field: FieldRef,
    arguments: Map<String, Json>,
    sets: Vec<SelectionSetId>,
    location: Location,
}

/// A root field of a request, which is to be resolved.
#[derive(Clone, Copy, Debug)]
pub struct RequestedField<'b> {
    pub name: &'b str,
    pub arguments: &'b Map<String, Json>,
}

impl Endpoint {
    pub(super) fn new(text: &str) -> Self {
        let schema = schema::read(text);
        let validator = Validator::new(&schema);
        Self { schema, validator }
    }

    /// Validates a request.
    pub fn begin(
        &self,
        request: &Request,
        limits: &DocumentLimits,
    ) -> Result<Begun<'_>, Vec<GraphQLError>> {
        let (text, name) = (&*request.query, request.operation_name.as_deref());
        let operation = self.validator.operation(&self.schema, text, name, limits)?;
        let variables = coerce_variable_values(&self.schema, &operation, &request.variables)?;
        let introspected =
            self.validator.introspect(&self.schema, text, name, limits, &operation, &variables)?;
        let mut begun =
            Begun { endpoint: self, operation, variables, roots: Vec::new(), introspected };
        begun.roots = begun.collect_roots().map_err(|error| vec![error])?;
        Ok(begun)
    }
}

impl Begun<'_> {
    fn collect_roots(&self) -> Result<Vec<Root>, GraphQLError> {
        let schema = &self.endpoint.schema;
        let root = match self.operation.kind {
            OperationKind::Query | OperationKind::Subscription => schema.query,
            OperationKind::Mutation => schema.mutation,
        };
        let Some(root) = root else { return Ok(Vec::new()) };
        let mut budget = Budget::new(MOST_SELECTIONS);
        let steering = Steering::new(&self.variables);
        let sets = [self.operation.root];
        let fields = collect_fields(&self.operation, schema, root, &sets, &steering, &mut budget)?;
        let roots = fields.into_iter().map(|field| Root {
            response_name: field.response_name.into(),
            field: field.field,
            arguments: self.members(field.arguments),
            sets: field.selection_sets,
            location: field.location,
        });
        Ok(roots.collect())
    }

    /// Root fields whose values are wanted, in the order of the request.
    pub fn wanted(&self) -> impl Iterator<Item = RequestedField<'_>> {
        self.roots.iter().filter_map(|root| {
            let FieldRef::Field(id) = root.field else { return None };
            let name = &*self.endpoint.schema[id].name;
            Some(RequestedField { name, arguments: &root.arguments })
        })
    }

    /// The data of the answer, by the values of the wanted fields in their order. The error of a value
    /// is that of the whole request.
    pub fn data(
        &self,
        values: impl IntoIterator<Item = Result<Json, GraphQLError>>,
    ) -> Result<Json, GraphQLError> {
        let mut values = values.into_iter();
        let mut introspected = self.introspected.iter();
        let mut budget = Budget::new(MOST_SELECTIONS);
        let mut data = Map::new();
        for root in &self.roots {
            let value = match root.field {
                FieldRef::Typename => Json::from(match self.operation.kind {
                    OperationKind::Mutation => "Mutation",
                    OperationKind::Query | OperationKind::Subscription => "Query",
                }),
                FieldRef::Introspection => introspected
                    .next()
                    .and_then(|(_, text)| serde_json::from_slice(text).ok())
                    .unwrap_or_default(),
                FieldRef::Field(id) => {
                    let value = values.next().unwrap_or(Ok(Json::Null)).map_err(|error| {
                        let path = vec![PathSegment::Field(root.response_name.clone())];
                        error.at(root.location).with_path(path)
                    })?;
                    self.complete(id, &value, &root.sets, &mut budget)?
                }
            };
            data.insert(root.response_name.to_string(), value);
        }
        Ok(Json::Object(data))
    }

    /// What a selection has of a value.
    fn complete(
        &self,
        field: FieldId,
        value: &Json,
        sets: &[SelectionSetId],
        budget: &mut Budget,
    ) -> Result<Json, GraphQLError> {
        let schema = &self.endpoint.schema;
        let base = schema[field].r#type.base;
        match value {
            Json::Array(items) => {
                let items = items.iter().map(|item| self.complete(field, item, sets, budget));
                Ok(Json::Array(items.collect::<Result<_, _>>()?))
            }
            Json::Object(members) if !sets.is_empty() => {
                let named = members.get(TYPE).and_then(Json::as_str);
                let object = named.and_then(|name| schema.find_type(name)).unwrap_or(base);
                self.object(object, members, sets, budget)
            }
            leaf => Ok(leaf.clone()),
        }
    }

    fn object(
        &self,
        object: TypeId,
        members: &Map<String, Json>,
        sets: &[SelectionSetId],
        budget: &mut Budget,
    ) -> Result<Json, GraphQLError> {
        let schema = &self.endpoint.schema;
        let steering = Steering::new(&self.variables);
        let fields = collect_fields(&self.operation, schema, object, sets, &steering, budget)?;
        let mut made = Map::new();
        for field in fields {
            let value = match field.field {
                FieldRef::Typename => Json::from(&*schema[object].name),
                FieldRef::Introspection => Json::Null,
                FieldRef::Field(id) => {
                    let value = members.get(&*schema[id].name).unwrap_or(&Json::Null);
                    self.complete(id, value, &field.selection_sets, budget)?
                }
            };
            made.insert(field.response_name.to_owned(), value);
        }
        Ok(Json::Object(made))
    }

    fn members(&self, given: &[(InputId, Value)]) -> Map<String, Json> {
        let members = given.iter().filter_map(|(input, value)| {
            Some((self.endpoint.schema[*input].name.to_string(), self.value(value)?))
        });
        members.collect()
    }

    /// A value of an argument; none for an absent variable. The nesting of values is limited.
    fn value(&self, value: &Value) -> Option<Json> {
        Some(match value {
            Value::Variable(slot) => {
                let value = self.variables.values.get(usize::from(slot.0))?.as_ref()?;
                serde_json::from_str(&value.to_string()).unwrap_or_default()
            }
            Value::Null => Json::Null,
            Value::Boolean(value) => Json::Bool(*value),
            Value::Int(value) => Json::from(*value),
            Value::Number(digits) => serde_json::from_str(digits).unwrap_or_default(),
            Value::String(text) => Json::from(&**text),
            Value::Enum(value) => Json::from(&*self.endpoint.schema[*value].name),
            Value::List(items) => {
                items.iter().map(|item| self.value(item).unwrap_or_default()).collect()
            }
            Value::Object(given) => Json::Object(self.members(given)),
            Value::Json(text) => serde_json::from_str(text).unwrap_or_default(),
            Value::Members(members) => {
                let members = members.iter();
                let members = members
                    .filter_map(|(name, value)| Some((name.to_string(), self.value(value)?)));
                Json::Object(members.collect())
            }
        })
    }
}
