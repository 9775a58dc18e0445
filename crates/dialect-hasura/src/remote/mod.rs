//! Remote schemas: GraphQL servers whose root fields are part of the API.
//! <https://hasura.io/docs/2.0/remote-schemas/overview/>
//!
//! * `names`: names of types and fields, which the metadata may change
//! * `types`: the types of a server in the API
//! * `roots`: its root fields
//! * `paths`: fields to which relationships lead, and values for their arguments
//! * `relationships`: from tables to fields
//! * `source_relationships`: from tables to tables of further sources
//! * `object_relationships`: from objects of other servers to tables of further sources
//! * `type_relationships`: from types of a remote schema to tables, and to fields of others
//! * [`access`]: the part that a role sees, as positions of the API
//!
//! Whoever has a transport reads the schemas ([`wanted`]) before the API is made ([`RemoteSchemas`]).

pub(crate) mod access;
mod names;
mod object_relationships;
mod paths;
mod relationships;
mod roots;
mod source_relationships;
mod type_relationships;
mod types;

use std::sync::Arc;
use std::time::Duration;

use api::ApiBuilder;
use hasura_metadata::types::remote_schema::RemoteSchema as Definition;
use hasura_metadata::{Metadata, Problem, ProblemKind};
use http::Method;
use http_resolvers::headers::Headers;
use http_resolvers::remote_path::{PathServer, RemotePath};
use http_resolvers::remote_schema::{RemoteKind, RemoteSchema, RemoteType};
use http_resolvers::url::UrlTemplate;
use http_resolvers::webhook::ClientHeaders;
use http_resolvers::{AnswerRules, HttpResolver, InputSource, RequestBody};
use rustc_hash::FxHashSet;

use crate::Options;
use crate::actions::webhook::header;
use crate::environment::Environment;
use crate::further_sources::{self, SourceSchema};
use crate::schema::Build;
use access::Origins;
use names::Names;
use type_relationships::TypeRelationship;

/// The timeout of requests in seconds, for which the metadata has none.
const TIMEOUT: u64 = 60;

/// The schemas of the remote schemas of metadata, by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RemoteSchemas(pub Vec<(Box<str>, ReadSchema)>);

/// The schema of a server, or the reason why it cannot be read.
pub type ReadSchema = Result<Arc<RemoteSchema>, Box<str>>;

/// Schemas have numbers in defaults, which are never NaN.
impl Eq for RemoteSchemas {}

impl RemoteSchemas {
    /// The schema of a name, if it was read.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<RemoteSchema>> {
        let (_, schema) = self.0.iter().find(|(known, _)| **known == *name)?;
        schema.as_ref().ok()
    }
}

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
pub(crate) struct Remote<'o> {
    served: Vec<ServedSchema<'o>>,
    relationships: Vec<TypeRelationship>,
    origins: Origins,
    /// Customizations and relationships without effect.
    pub(crate) ignored: Vec<Problem>,
}

/// A remote schema in the API.
#[derive(Debug)]
struct ServedSchema<'o> {
    definition: &'o Definition,
    schema: &'o Arc<RemoteSchema>,
    names: Names<'o>,
    url: UrlTemplate,
    headers: Headers,
    /// The further source that it stands for, with its name.
    source: Option<(&'o str, &'o SourceSchema)>,
    /// Types that the API has without it.
    shared: FxHashSet<&'o str>,
}

impl<'o> ServedSchema<'o> {
    /// A further source among them.
    fn of_source(name: &'o str, source: &'o SourceSchema) -> Result<Self, Vec<Problem>> {
        let (definition, schema) = (&source.definition, &source.schema);
        let (url, headers) = (UrlTemplate::none(), Headers::default());
        let (names, shared) = (Names::new(definition, schema)?, FxHashSet::default());
        let source = Some((name, source));
        Ok(Self { definition, schema, names, url, headers, source, shared })
    }

    /// The kind and the name of the schema, for messages.
    fn subject(&self) -> String {
        let kind = if self.source.is_some() { "" } else { "remote schema " };
        format!("{kind}{}", self.definition.name.text)
    }

    /// The types that the API has.
    fn visible_types(&self) -> impl Iterator<Item = (&'o Box<str>, &'o RemoteType)> {
        let source = self.source;
        let is_visible = move |name: &str| source.is_none_or(|(_, source)| source.has(name));
        self.schema.types.iter().filter(move |(name, _)| is_visible(name))
    }

    /// The server that answers requests.
    fn server(&self) -> PathServer {
        match self.source {
            Some((name, _)) => PathServer::Source(name.into()),
            None => PathServer::Http,
        }
    }

    /// The resolver of a field of an object, by this schema. Fields of the object as inputs, which a
    /// relationship has, are sent for all objects together.
    fn resolver(
        &self,
        (object, field): (&str, &str),
        path: RemotePath,
        inputs: InputSource,
    ) -> HttpResolver {
        HttpResolver {
            parent: object.into(),
            field: field.into(),
            url: self.url.clone(),
            method: Method::POST,
            body: RequestBody::Remote(Box::new(path)),
            is_batch: matches!(inputs, InputSource::Fields(_)),
            headers: self.headers.clone(),
            inputs,
            answers: AnswerRules::Strict,
            timeout: self.timeout(),
        }
    }

    /// The timeout of requests. A source has those of its statements.
    fn timeout(&self) -> Option<Duration> {
        self.source.is_none().then(|| timeout(self.definition))
    }
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
/// told. Objects of actions, which are in the API already, may have relationships to further sources.
pub(crate) fn add<'o>(
    build: &mut Build<'_>,
    options: &'o Options,
    objects: &[String],
    resolvers: &mut Vec<HttpResolver>,
    problems: &mut Vec<Problem>,
) -> Remote<'o> {
    let mut remote = Remote::default();
    let Some(served) = options.metadata.served() else { return remote };
    for definition in served.metadata().remote_schemas.iter() {
        match add_one(build, options, definition, &remote.served, resolvers) {
            Ok(schema) => {
                remote.ignored.extend(schema.names.unknown());
                remote.served.push(schema);
            }
            Err(mut found) => problems.append(&mut found),
        }
    }
    for source in &options.further_sources.0 {
        let place = further_sources::place(served, &source.name);
        let added = match &source.schema {
            Ok(schema) if source.is_first => {
                let first = ServedSchema::of_source(&source.name, schema);
                let all = schema.schema.types.keys().map(|name| &**name).collect();
                first.map(|first| ServedSchema { shared: all, ..first })
            }
            Ok(schema) => add_source(build, (&source.name, schema), &remote.served, resolvers),
            Err(error) => {
                let message = format!("The source {} cannot be served: {error}.", source.name);
                Err(vec![Problem { kind: ProblemKind::MissingPart, place: place.clone(), message }])
            }
        };
        match added {
            Ok(schema) => remote.served.push(schema),
            Err(found) => {
                let found = found.into_iter();
                problems.extend(found.map(|one| Problem { place: place.clone(), ..one }));
            }
        }
    }
    relationships::add(build, options, &mut remote, resolvers, problems);
    type_relationships::add(build, options, &mut remote, problems);
    source_relationships::add_all(build, served, &mut remote, problems);
    object_relationships::add_of_actions(build, served, (objects, &mut remote), problems);
    remote
}

impl Remote<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.served.is_empty()
    }

    /// Binds the types and fields, which are in the API now.
    pub(crate) fn bind(&self, builder: &mut ApiBuilder) {
        for served in &self.served {
            let ServedSchema { schema, names, .. } = served;
            for (own, _) in served.visible_types() {
                if served.shared.contains(&**own) {
                    continue;
                }
                let name = names.r#type(own);
                let Some(id) = builder.schema().find_type(&name) else { continue };
                for field in schema.fields(own) {
                    let known = names.field(own, &field.name);
                    let found = builder.schema().find_field(id, &known);
                    if let Some(found) = found.filter(|_| known != *field.name) {
                        builder.bind_answer_name(found, &field.name);
                    }
                }
                if schema.is_root(own) {
                    continue;
                }
                builder.mark_remote(id);
                if name != **own {
                    builder.bind_answer_type(id, own);
                }
            }
        }
        for TypeRelationship { object, field, related } in &self.relationships {
            let schema = builder.schema();
            let field = schema.find_type(object).and_then(|id| schema.find_field(id, field));
            if let Some(field) = field {
                builder.bind_related(field, related.clone());
            }
        }
    }
}

fn add_one<'o>(
    build: &mut Build<'_>,
    options: &'o Options,
    definition: &'o Definition,
    others: &[ServedSchema<'o>],
    resolvers: &mut Vec<HttpResolver>,
) -> Result<ServedSchema<'o>, Vec<Problem>> {
    let (url, headers) =
        endpoint(definition, &options.environment).map_err(|problem| vec![problem])?;
    let name = &definition.name.text;
    let known = options.remote_schemas.0.iter().find(|(known, _)| **known == **name);
    let schema = match known.map(|(_, schema)| schema) {
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
    let (source, shared) = (None, FxHashSet::default());
    let served = ServedSchema { definition, schema, names, url, headers, source, shared };
    types::check(&build.draft, &served, others)?;
    roots::check(&build.draft, &served)?;
    types::add(&mut build.draft, &served);
    roots::add(&mut build.draft, &served, resolvers);
    Ok(served)
}

fn add_source<'o>(
    build: &mut Build<'_>,
    (name, source): (&'o str, &'o SourceSchema),
    others: &[ServedSchema<'o>],
    resolvers: &mut Vec<HttpResolver>,
) -> Result<ServedSchema<'o>, Vec<Problem>> {
    let mut served = ServedSchema::of_source(name, source)?;
    types::check(&build.draft, &served, others)?;
    roots::check(&build.draft, &served)?;
    let types = served.visible_types().filter(|(_, known)| known.kind != RemoteKind::Scalar);
    let types = types.map(|(own, _)| &**own);
    let known = types.filter(|own| !served.schema.is_root(own) && build.draft.has(own));
    served.shared = known.collect();
    types::add(&mut build.draft, &served);
    roots::add(&mut build.draft, &served, resolvers);
    Ok(served)
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
