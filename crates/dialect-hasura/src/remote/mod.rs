//! Remote schemas: GraphQL servers whose root fields are part of the API, for the role `admin`.
//! <https://hasura.io/docs/2.0/remote-schemas/overview/>
//!
//! * `names`: names of types and root fields, which the metadata may change
//! * `types`: the types of a server in the API
//! * `relationships`: from tables to root fields
//!
//! Whoever has a transport reads the schemas ([`wanted`]) before the API is made ([`RemoteSchemas`]).

mod names;
mod relationships;
mod types;

use std::sync::Arc;
use std::time::Duration;

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, InputRole, ResolverId};
use graphql::operation::OperationKind;
use hasura_metadata::types::remote_schema::RemoteSchema as Definition;
use hasura_metadata::{Metadata, Problem, ProblemKind};
use http::Method;
use http_resolvers::headers::Headers;
use http_resolvers::remote_schema::{RemoteField, RemoteSchema};
use http_resolvers::url::UrlTemplate;
use http_resolvers::webhook::ClientHeaders;
use http_resolvers::{AnswerRules, HttpResolver, InputSource, RemoteOperation, RequestBody};

use crate::Options;
use crate::actions::webhook::header;
use crate::draft::{Draft, DraftField, DraftInput};
use crate::environment::Environment;
use crate::schema::Build;
use names::Names;

/// The timeout of requests in seconds, for which the metadata has none.
const TIMEOUT: u64 = 60;

/// The schemas of the remote schemas of metadata, by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemoteSchemas(pub Vec<(Box<str>, ReadSchema)>);

/// The schema of a server, or the reason why it cannot be read.
pub type ReadSchema = Arc<Result<RemoteSchema, Box<str>>>;

/// Schemas have numbers in defaults, which are never NaN.
impl Eq for RemoteSchemas {}

/// A server whose schema is to be read.
#[derive(Clone, Debug)]
pub struct WantedSchema {
    pub name: Box<str>,
    pub url: UrlTemplate,
    pub headers: Headers,
    pub timeout: Duration,
}

/// The fields of remote schemas in an API.
#[derive(Debug, Default)]
pub(crate) struct Remote {
    /// Remote types by their names in the API, each with its own name.
    types: Vec<(String, Box<str>)>,
}

/// The servers of metadata whose schemas are to be read, without those that have a problem.
#[must_use]
pub fn wanted(metadata: &Metadata, environment: &Environment) -> Vec<WantedSchema> {
    let of = |definition: &Definition| {
        let (url, headers) = endpoint(definition, environment).ok()?;
        let name = definition.name.text.as_str().into();
        Some(WantedSchema { name, url, headers, timeout: timeout(definition) })
    };
    metadata.remote_schemas.iter().filter_map(of).collect()
}

/// Adds the remote schemas of metadata to the types of an API. What does not fit is left out, and
/// told.
pub(crate) fn add(
    build: &mut Build<'_>,
    options: &Options,
    resolvers: &mut Vec<HttpResolver>,
    problems: &mut Vec<Problem>,
) -> Remote {
    let mut remote = Remote::default();
    let Some(served) = options.metadata.served() else { return remote };
    let mut schemas = Vec::new();
    for definition in served.metadata().remote_schemas.iter() {
        match add_one(build, options, definition, resolvers, &mut remote) {
            Ok(schema) => schemas.push(schema),
            Err(mut found) => problems.append(&mut found),
        }
    }
    relationships::add(build, options, &schemas, resolvers, problems);
    remote
}

impl Remote {
    /// Binds the types, which are in the API now.
    pub(crate) fn bind(self, builder: &mut ApiBuilder) {
        for (name, own) in self.types {
            if let Some(id) = builder.schema().find_type(&name) {
                builder.mark_remote(id);
                if name != *own {
                    builder.bind_answer_type(id, &own);
                }
            }
        }
    }
}

/// A remote schema in the API.
struct ServedSchema<'o> {
    definition: &'o Definition,
    schema: &'o RemoteSchema,
    names: Names<'o>,
    url: UrlTemplate,
    headers: Headers,
}

fn add_one<'o>(
    build: &mut Build<'_>,
    options: &'o Options,
    definition: &'o Definition,
    resolvers: &mut Vec<HttpResolver>,
    remote: &mut Remote,
) -> Result<ServedSchema<'o>, Vec<Problem>> {
    let environment = &options.environment;
    let (url, headers) = endpoint(definition, environment).map_err(|problem| vec![problem])?;
    let name = &definition.name.text;
    let known = options.remote_schemas.0.iter().find(|(known, _)| **known == **name);
    let schema = match known.map(|(_, schema)| &**schema) {
        Some(Ok(schema)) => schema,
        Some(Err(error)) => {
            let message =
                format!("The schema of the remote schema {name} cannot be read: {error}.");
            return Err(vec![wrong(definition, ProblemKind::MissingPart, message)]);
        }
        None => {
            let message = format!("The schema of the remote schema {name} was not read.");
            return Err(vec![wrong(definition, ProblemKind::MissingPart, message)]);
        }
    };
    let names = Names::new(definition, schema)?;
    types::check(&build.draft, definition, schema, &names)?;
    let roots = [
        ("query_root", OperationKind::Query, Some(&schema.query)),
        ("mutation_root", OperationKind::Mutation, schema.mutation.as_ref()),
    ];
    let mut problems = Vec::new();
    for (parent, _, root) in &roots {
        for field in root.iter().flat_map(|root| schema.fields(root)) {
            let root_name = root.map_or("", |root| root);
            let own = names.field(root_name, &field.name);
            if build.draft.has_field(parent, &own) {
                let message = format!(
                    "The remote schema {name}: {parent} has another field {own}; rename it by \
                     customization.field_names."
                );
                problems.push(wrong(definition, ProblemKind::Duplicate, message));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    types::add(&mut build.draft, schema, &names);
    for r#type in schema.types.keys().filter(|own| !names.is_root(own)) {
        remote.types.push((names.r#type(r#type), r#type.clone()));
    }
    for (parent, kind, root) in roots {
        let Some(root) = root else { continue };
        let fields = schema.fields(root).iter();
        // The roots of the API are other objects than those of the server.
        for field in fields.filter(|field| !names.is_root(&field.r#type.name)) {
            // As many as fields of schemas that were read.
            let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
            let own = names.field(root, &field.name);
            add_root(&mut build.draft, parent, &own, field, &names, id);
            resolvers.push(HttpResolver {
                parent: parent.into(),
                field: own.into(),
                url: url.clone(),
                method: Method::POST,
                body: RequestBody::Operation(Box::new(operation(kind, field))),
                is_batch: false,
                headers: headers.clone(),
                inputs: InputSource::Arguments,
                answers: AnswerRules::Strict,
                timeout: Some(timeout(definition)),
            });
        }
    }
    Ok(ServedSchema { definition, schema, names, url, headers })
}

fn add_root(
    draft: &mut Draft,
    parent: &str,
    name: &str,
    field: &RemoteField,
    names: &Names<'_>,
    id: ResolverId,
) {
    let arguments = field.arguments.iter().map(|argument| {
        // Arguments of resolvers are read as JSON.
        let binding = InputBinding::lenient(InputRole::Ignored);
        let r#type = argument.r#type.named(&names.r#type(&argument.r#type.name));
        let input = DraftInput::new(&argument.name, r#type, binding).verbatim();
        let input = input.described_by(argument.description.as_deref());
        match &argument.default {
            Some(default) => input.or(default.clone()),
            None => input,
        }
    });
    let r#type = field.r#type.named(&names.r#type(&field.r#type.name));
    let made = DraftField::new(name, r#type, FieldBinding::Resolved(id)).verbatim();
    let made = made.described_by(field.description.as_deref()).with(arguments.collect());
    draft.add_field(parent, made.deprecated_for(field.deprecated.as_deref()));
}

/// The operation of a root field, whose variables are its arguments.
fn operation(kind: OperationKind, field: &RemoteField) -> RemoteOperation {
    let word = match kind {
        OperationKind::Mutation => "mutation",
        OperationKind::Query | OperationKind::Subscription => "query",
    };
    let mut text = String::from(word);
    let mut given = String::new();
    for (number, argument) in field.arguments.iter().enumerate() {
        let separator = if number == 0 { " (" } else { ", " };
        let name = &argument.name;
        text.push_str(&format!("{separator}${name}: {}", argument.r#type));
        let separator = if number == 0 { "(" } else { ", " };
        given.push_str(&format!("{separator}{name}: ${name}"));
    }
    if !field.arguments.is_empty() {
        text.push(')');
        given.push(')');
    }
    text.push_str(&format!(" {{ {}{given}", field.name));
    RemoteOperation {
        kind,
        text: text.into(),
        field: field.name.clone(),
        arguments: Vec::new(),
        batch: None,
        is_introspected: false,
    }
}

/// The address and the headers of a remote schema.
fn endpoint(
    definition: &Definition,
    environment: &Environment,
) -> Result<(UrlTemplate, Headers), Problem> {
    let own = &definition.definition;
    let url = match (&own.url, &own.url_from_env) {
        (Some(url), _) => environment.fill(url, &own.place)?,
        (None, Some(variable)) => environment.require(variable, &own.place)?.to_owned(),
        // Metadata without an address is refused when it is read.
        (None, None) => String::new(),
    };
    let url = UrlTemplate::fixed(&url).map_err(|error| {
        let message = format!("The remote schema {}: {error}.", definition.name.text);
        wrong(definition, ProblemKind::WrongValue, message)
    })?;
    let secret = own.headers.iter().map(|one| header(one, environment));
    let secret: Vec<_> = secret.collect::<Result<_, _>>()?;
    let headers = Headers {
        introspection: secret.clone(),
        secret,
        client: own.forward_client_headers.then(|| ClientHeaders::except(None)),
        has_session: true,
        ..Headers::default()
    };
    Ok((url, headers))
}

fn timeout(definition: &Definition) -> Duration {
    Duration::from_secs(definition.definition.timeout_seconds.unwrap_or(TIMEOUT))
}

fn wrong(definition: &Definition, kind: ProblemKind, message: String) -> Problem {
    Problem { kind, place: definition.name.place.clone(), message }
}
