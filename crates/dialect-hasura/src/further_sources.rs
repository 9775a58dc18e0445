//! Further sources of metadata: databases whose root fields are part of the API beside those of the
//! served source, and relationships that lead to their tables.
//!
//! Each source is served by an engine of its own, and its fields are resolved as those of a remote
//! schema: the API of the first source has their types, and the views of roles have what the engine
//! of the source shows to them. Documents that have fields of one source only go to its engine as
//! they are.
//!
//! There was another way: each root type of the API could be composed from the engines, as a gateway
//! composes subgraphs. A supergraph has no roles, so each role would have a supergraph of its own;
//! and the relationships to and from remote schemas and actions would be executed in two ways.

use std::sync::Arc;

use catalog::{Note, NoteKind};
use hasura_metadata::types::remote_schema::RemoteSchema as Definition;
use hasura_metadata::{Location, read_text};
use http_resolvers::remote_schema::RemoteSchema;
use rustc_hash::FxHashSet;
use serde_json::json;

use crate::key_queries;
use crate::metadata::ServedSource;
use crate::remote_permission::RemotePermission;
pub use crate::source_table::SourceTable;
use crate::{ADMIN, Options};

/// The further sources of an API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FurtherSources(pub Vec<FurtherSource>);

/// Schemas have numbers in defaults, which are never NaN.
impl Eq for FurtherSources {}

/// A further source, or the reason why it cannot be served.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherSource {
    pub name: Box<str>,
    /// True for the first source itself, to whose tables relationships lead from others: the API has
    /// its types already.
    pub is_first: bool,
    pub schema: Result<Arc<SourceSchema>, Box<str>>,
}

/// The API of a further source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSchema {
    pub(crate) schema: Arc<RemoteSchema>,
    /// A remote schema without a server.
    pub(crate) definition: Definition,
    /// The part of the schema that each role sees.
    pub(crate) roles: Vec<(Box<str>, Arc<RemotePermission>)>,
    /// The types of tables.
    pub(crate) tables: Vec<SourceTable>,
    /// The types that fields of the API lead to.
    visible: FxHashSet<Box<str>>,
}

impl SourceSchema {
    /// The schema of a source, as the administrator and as its roles see it.
    #[must_use]
    pub fn new(
        name: &str,
        schema: RemoteSchema,
        roles: impl IntoIterator<Item = (Box<str>, RemoteSchema)>,
        tables: Vec<SourceTable>,
    ) -> Option<Self> {
        let definition = json!({ "version": 3, "sources": [], "remote_schemas": [{
            "name": subject(name),
            "definition": { "url": "http://localhost" },
        }] });
        let read = read_text(&subject(name), &definition.to_string());
        let definition = read.metadata?.remote_schemas.first()?.clone();
        let visible = visible(&schema);
        let roles = roles.into_iter().filter(|(role, _)| **role != *ADMIN);
        let of_view = |view: &RemoteSchema| Arc::new(RemotePermission::of_view(view, &schema));
        let roles = roles.map(|(role, view)| (role, of_view(&view))).collect();
        Some(Self { schema: Arc::new(schema), definition, roles, tables, visible })
    }

    /// True for a type that the API has.
    pub(crate) fn has(&self, r#type: &str) -> bool {
        self.visible.contains(r#type)
    }

    /// The field of queries that gives the rows of a relationship, with those before it: the
    /// namespace of the source.
    pub(crate) fn path_of(&self, root_field: &str) -> Option<Vec<(Box<str>, Box<str>)>> {
        let query = &*self.schema.query;
        let find = |r#type: &str| {
            self.schema.fields(r#type).iter().any(|field| *field.name == *root_field)
        };
        if find(query) {
            return Some(vec![(query.into(), root_field.into())]);
        }
        let namespaces = self.schema.fields(query).iter();
        let namespace = namespaces.into_iter().find(|field| find(&field.r#type.name))?;
        let below = namespace.r#type.name.clone();
        Some(vec![(query.into(), namespace.name.clone()), (below, root_field.into())])
    }
}

/// The name of a source among remote schemas.
pub(crate) fn subject(name: &str) -> String {
    format!("source {name}")
}

/// The types that fields lead to, without those that relationships from other sources need.
fn visible(schema: &RemoteSchema) -> FxHashSet<Box<str>> {
    use http_resolvers::remote_schema::RemoteKind;
    let roots = [Some(&schema.query), schema.mutation.as_ref(), schema.subscription.as_ref()];
    let mut waiting: Vec<&str> = roots.into_iter().flatten().map(|name| &**name).collect();
    let mut visible = FxHashSet::default();
    while let Some(name) = waiting.pop() {
        if !visible.insert(Box::from(name)) {
            continue;
        }
        match schema.types.get(name).map(|known| &known.kind) {
            Some(
                RemoteKind::Object { fields, interfaces }
                | RemoteKind::Interface { fields, interfaces },
            ) => {
                waiting.extend(interfaces.iter().map(|name| &**name));
                let fields = fields.iter().filter(|field| !key_queries::is_hidden(&field.name));
                for field in fields {
                    waiting.push(&field.r#type.name);
                    waiting.extend(field.arguments.iter().map(|one| &*one.r#type.name));
                }
            }
            Some(RemoteKind::Union { members }) => {
                waiting.extend(members.iter().map(|name| &**name));
            }
            Some(RemoteKind::Input { fields }) => {
                waiting.extend(fields.iter().map(|one| &*one.r#type.name));
            }
            Some(RemoteKind::Scalar | RemoteKind::Enum { .. }) | None => {}
        }
    }
    visible
}

impl FurtherSources {
    /// The sources that are served.
    pub(crate) fn served(&self) -> impl Iterator<Item = &Arc<SourceSchema>> {
        self.0.iter().filter_map(|one| one.schema.as_ref().ok())
    }
}

/// The note that the Relay API has no tables of further sources.
pub(crate) fn without_relay(options: &Options) -> Option<Note> {
    let first = &options.metadata.served()?.source().name.text;
    let mut further = options.further_sources.0.iter().filter(|source| !source.is_first);
    further.next().map(|_| Note {
        kind: NoteKind::Unserved,
        subject: "/v1beta1/relay".into(),
        message: format!("the Relay API has the tables of the source {first} only.").into(),
        remedy: "read those of further sources by `/v1/graphql`.".into(),
    })
}

/// The place of a source in the metadata.
pub(crate) fn place(served: &ServedSource, name: &str) -> Location {
    let sources = &served.metadata().sources;
    let source = sources.iter().find(|source| source.name.text == name);
    source.map(|source| source.name.place.clone()).unwrap_or_default()
}
