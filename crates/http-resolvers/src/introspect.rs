//! Check of a resolver against the schema of its GraphQL server, when the API is made.

use bytes::Bytes;
use graphql::operation::OperationKind;
use graphql::schema::{FieldId, Schema, TypeId, TypeKind};
use http::Method;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde_json::json;

use crate::body::BodyTemplate;
use crate::http_call::HttpCall;
use crate::inputs::Inputs;
use crate::resolver::{HttpResolver, RemoteOperation};

/// The part of the introspection schema that is compared.
const QUERY: &str = "query { __schema { queryType { name } mutationType { name } types { kind name \
     fields(includeDeprecated: true) { name args { name defaultValue type { ...T } } type { ...T } } \
     inputFields { name defaultValue type { ...T } } } } } \
     fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name \
     ofType { kind name ofType { kind name ofType { kind name } } } } } } }";

/// Difference between a resolver and the schema of its server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    #[error("its answer to introspection is not the JSON that is expected: {0}")]
    Unreadable(Box<str>),
    #[error("it has no {0}")]
    NoRoot(&'static str),
    #[error("it has no {kind} `{name}`")]
    NoField { kind: &'static str, name: Box<str> },
    #[error("`{name}` has the type `{found}`, not `{expected}`")]
    Type { name: Box<str>, expected: Box<str>, found: Box<str> },
    #[error("`{field}` has no argument `{argument}`")]
    NoArgument { field: Box<str>, argument: Box<str> },
    #[error("`{field}` needs the argument `{argument}`")]
    ArgumentNeeded { field: Box<str>, argument: Box<str> },
    #[error("`{field}` has no argument that is a list of input objects, which a batch needs")]
    NoBatch { field: Box<str> },
    #[error("it has no type `{0}`")]
    NoType(Box<str>),
}

#[derive(Debug, Deserialize)]
struct Answer {
    data: Option<Data>,
}

#[derive(Debug, Deserialize)]
struct Data {
    #[serde(rename = "__schema")]
    schema: RemoteSchema,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteSchema {
    query_type: Option<Named>,
    mutation_type: Option<Named>,
    types: Vec<RemoteType>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: Box<str>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteType {
    name: Box<str>,
    fields: Option<Vec<RemoteField>>,
}

#[derive(Debug, Deserialize)]
struct RemoteField {
    name: Box<str>,
    args: Vec<RemoteInput>,
    r#type: RemoteTypeRef,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteInput {
    name: Box<str>,
    default_value: Option<Box<str>>,
    r#type: RemoteTypeRef,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteTypeRef {
    kind: Box<str>,
    name: Option<Box<str>>,
    of_type: Option<Box<RemoteTypeRef>>,
}

/// A field with a resolver, and the schema that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Resolved<'a> {
    pub schema: &'a Schema,
    /// The type of the field.
    pub parent: TypeId,
    pub field: FieldId,
    /// Types that only other servers have.
    pub remote_types: &'a FxHashSet<TypeId>,
    pub resolver: &'a HttpResolver,
}

impl HttpResolver {
    /// The request for the schema of the server, if the resolver is checked against it.
    #[must_use]
    pub fn introspection_call(&self) -> Option<HttpCall> {
        self.operation().filter(|operation| operation.is_introspected)?;
        let body = Bytes::from(json!({ "query": QUERY }).to_string());
        let url = self.url.fill(&Inputs::default()).ok()?;
        let headers = self.headers.for_introspection();
        Some(HttpCall { method: Method::POST, url, headers, body })
    }
}

impl Resolved<'_> {
    /// Compares the resolver with the answer to [`HttpResolver::introspection_call`].
    pub fn check(self, answer: &[u8]) -> Result<(), Difference> {
        let Some(operation) = self.resolver.operation() else { return Ok(()) };
        let read = serde_json::from_slice::<Answer>(answer);
        let read = read.map_err(|error| Difference::Unreadable(error.to_string().into()))?;
        let none = || Difference::Unreadable("it has no `data`".into());
        let remote = read.data.ok_or_else(none)?.schema;
        let types: FxHashMap<&str, &RemoteType> =
            remote.types.iter().map(|known| (&*known.name, known)).collect();
        let (kind, root) = match operation.kind {
            OperationKind::Mutation => ("mutations", remote.mutation_type),
            OperationKind::Query | OperationKind::Subscription => ("queries", remote.query_type),
        };
        let root = root.ok_or(Difference::NoRoot(kind))?;
        let root = types.get(&*root.name).ok_or(Difference::NoRoot(kind))?;
        let found = root.fields.iter().flatten().find(|field| field.name == operation.field);
        let kind = if kind == "queries" { "query" } else { "mutation" };
        let no_field = || Difference::NoField { kind, name: operation.field.clone() };
        let found = found.ok_or_else(no_field)?;
        let own = graphql::print_type(self.schema, self.schema[self.field].r#type);
        let expected = match self.resolver.is_batch {
            true => format!("[{own}]"),
            false => own,
        };
        same_type(&found.name, &expected, &found.r#type)?;
        self.check_arguments(operation, found)?;
        self.check_types(&types)
    }

    fn check_arguments(
        self,
        operation: &RemoteOperation,
        found: &RemoteField,
    ) -> Result<(), Difference> {
        for (name, value) in &operation.arguments {
            let argument = found.args.iter().find(|argument| argument.name == *name);
            let argument = argument.ok_or_else(|| Difference::NoArgument {
                field: found.name.clone(),
                argument: name.clone(),
            })?;
            if self.resolver.is_batch {
                if !argument.r#type.print().trim_end_matches('!').ends_with(']') {
                    return Err(Difference::NoBatch { field: found.name.clone() });
                }
            } else if let BodyTemplate::Input(input) = value
                && let Some(own) = self.input_type(input)
            {
                // A value that may not be null fits where it may be.
                let wanted = argument.r#type.print();
                if own.trim_end_matches('!') != wanted.trim_end_matches('!')
                    || wanted.ends_with('!') && !own.ends_with('!')
                {
                    let name = format!("{}.{name}", found.name).into();
                    let (expected, found) = (own.into(), wanted.into());
                    return Err(Difference::Type { name, expected, found });
                }
            }
        }
        let is_needed = |argument: &&RemoteInput| {
            &*argument.r#type.kind == "NON_NULL"
                && argument.default_value.is_none()
                && !operation.arguments.iter().any(|(name, _)| *name == argument.name)
        };
        match found.args.iter().find(is_needed) {
            Some(argument) => Err(Difference::ArgumentNeeded {
                field: found.name.clone(),
                argument: argument.name.clone(),
            }),
            None => Ok(()),
        }
    }

    /// The type of an input as text: of an argument, or of a field of the object.
    fn input_type(self, name: &str) -> Option<String> {
        let schema = self.schema;
        let r#type = match self.resolver.is_of_root() {
            true => schema[schema.find_argument(self.field, name)?].r#type,
            false => schema[schema.find_field(self.parent, name)?].r#type,
        };
        Some(graphql::print_type(schema, r#type))
    }

    /// Compares the fields of all remote types that values of the field may contain.
    fn check_types(self, types: &FxHashMap<&str, &RemoteType>) -> Result<(), Difference> {
        let mut seen = FxHashSet::default();
        let mut rest = vec![self.schema[self.field].r#type.base];
        while let Some(id) = rest.pop() {
            if !self.remote_types.contains(&id) || !seen.insert(id) {
                continue;
            }
            let definition = &self.schema[id];
            let (TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) =
                &definition.kind
            else {
                continue;
            };
            let no_type = || Difference::NoType(String::from(&*definition.name).into());
            let remote = types.get(&*definition.name).ok_or_else(no_type)?;
            for field in fields.iter().map(|id| &self.schema[*id]) {
                let name: Box<str> = format!("{}.{}", definition.name, field.name).into();
                let mut known = remote.fields.iter().flatten();
                let found = known.find(|known| *known.name == *field.name);
                let no_field = || Difference::NoField { kind: "field", name: name.clone() };
                let found = found.ok_or_else(no_field)?;
                let own = graphql::print_type(self.schema, field.r#type);
                same_type(&name, &own, &found.r#type)?;
                rest.push(field.r#type.base);
            }
        }
        Ok(())
    }
}

fn same_type(name: &str, expected: &str, found: &RemoteTypeRef) -> Result<(), Difference> {
    let found = found.print();
    match found == expected {
        true => Ok(()),
        false => {
            let (expected, found) = (expected.into(), found.into());
            Err(Difference::Type { name: name.into(), expected, found })
        }
    }
}

impl RemoteTypeRef {
    /// The type as text. Recursion is bounded by the limit of the parser.
    fn print(&self) -> String {
        let inner = || self.of_type.as_ref().map(|inner| inner.print()).unwrap_or_default();
        match &*self.kind {
            "NON_NULL" => format!("{}!", inner()),
            "LIST" => format!("[{}]", inner()),
            _ => self.name.as_deref().unwrap_or_default().to_owned(),
        }
    }
}
