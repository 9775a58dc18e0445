//! Further sources of Hasura's metadata: each is served by an engine of its own, whose schema is a
//! part of the API of the first one.
//!
//! `worker::further` passes documents of one source on to its engine; `worker::resolve` asks the
//! engines for fields of documents that have several.

use std::borrow::Cow;
use std::sync::Arc;

use catalog::EntityId;
use dialects::hasura::SchemaKind;
use dialects::hasura::environment::Environment;
use dialects::hasura::further_sources::{
    FurtherSource as ReadSource, FurtherSources, SourceSchema, SourceTable,
};
use dialects::hasura::metadata::{MetadataSetting, ServedSource};
use dialects::{Dialect, TableRows};
use graphql::View;
use graphql::schema::{FieldDefinition, FieldId, InputId, TypeId, TypeKind};
use http_resolvers::remote_schema::{
    RemoteField, RemoteInput, RemoteKind, RemoteSchema, RemoteType, RemoteTypeText, RemoteValue,
};
use rustc_hash::FxHashMap;
use sources::{Address, OpenOptions};

use crate::answer_cache::CacheOptions;
use crate::engine::{Engine, OpenError, Options};

/// The end of the name of a view with the permissions of backends.
const OF_BACKENDS: &str = " (backend)";

/// A further source of metadata, as an option.
#[derive(Clone, PartialEq)]
pub struct FurtherSource {
    pub name: Box<str>,
    /// `None`: the metadata has it.
    pub address: Option<Address>,
}

/// Addresses may have passwords.
impl std::fmt::Debug for FurtherSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FurtherSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl FurtherSource {
    /// The address of its database. The error is the reason why there is none.
    pub fn address_of(
        &self,
        served: &ServedSource,
        environment: &Environment,
    ) -> Result<Address, Box<str>> {
        match &self.address {
            Some(address) => Ok(address.clone()),
            None => served
                .address(environment)
                .and_then(|text| Address::parse(&text).map_err(|error| error.to_string().into())),
        }
    }
}

/// The engine of a further source.
#[derive(Debug)]
pub(crate) struct SourceEngine {
    pub(crate) name: Box<str>,
    pub(crate) engine: Arc<Engine>,
}

/// The options with the schemas of the further sources, and the engines of these.
pub(crate) async fn open<'o>(
    address: &Address,
    options: Cow<'o, Options>,
) -> Result<(Cow<'o, Options>, Vec<SourceEngine>), OpenError> {
    let Dialect::Hasura(dialect) = &options.dialect else { return Ok((options, Vec::new())) };
    // The Relay API has the first source only.
    let has_further = !options.further.is_empty() && dialect.schema == SchemaKind::Lists;
    let Some(served) = dialect.metadata.served().filter(|_| has_further) else {
        return Ok((options, Vec::new()));
    };
    if options.policies.is_some() {
        return Err(OpenError::PoliciesAndSources);
    }
    let (mut engines, mut read) = (Vec::new(), Vec::new());
    for further in &options.further {
        let name = &further.name;
        let served = served.further(name).map_err(crate::stored_metadata::unserved)?;
        let address = further.address_of(&served, &dialect.environment);
        let own = options_of(&options, served);
        let opened = match &address {
            Ok(address) => {
                let opened = Box::pin(Engine::inspect(address, &own)).await;
                opened.map_err(|error| error.to_string().into())
            }
            Err(error) => Err(error.clone()),
        };
        let schema = match opened {
            Ok(engine) => {
                let schema = schema_of(name, &engine);
                engines.push(SourceEngine { name: name.clone(), engine });
                schema.ok_or_else(|| "its schema cannot be read".into())
            }
            // A source that is down must not keep the others from being served.
            Err(error) => Err(error),
        };
        let is_first = false;
        read.push(ReadSource { name: name.clone(), is_first, schema: schema.map(Arc::new) });
    }
    // Keys are read by functions of PostgreSQL. Relationships that lead to another database are told.
    let first = served.first_with_relationships();
    if let Some(name) = first.filter(|_| matches!(address, Address::Postgres(_))) {
        // Relationships from the other sources lead to the first one: an engine of its own follows
        // them, by fields that the API does not have.
        let own = served.further(name).map_err(crate::stored_metadata::unserved)?;
        let written = own.written_queries();
        let mut first = options_of(&options, own);
        first.source = OpenOptions { written, ..options.source.clone() };
        let engine = Box::pin(Engine::inspect(address, &first)).await?;
        let schema = schema_of(name, &engine).map(Arc::new);
        let schema = schema.ok_or_else(|| "its schema cannot be read".into());
        engines.push(SourceEngine { name: name.into(), engine });
        read.push(ReadSource { name: name.into(), is_first: true, schema });
    }
    let mut options = options.into_owned();
    options.cache.bytes = share_of_cache(&options);
    if let Dialect::Hasura(dialect) = &mut options.dialect {
        dialect.further_sources = FurtherSources(read);
    }
    Ok((Cow::Owned(options), engines))
}

/// The options of a further source's engine: those of the server, and nothing that is of the first
/// source's database.
fn options_of(options: &Options, served: ServedSource) -> Options {
    let source = OpenOptions {
        namespaces: served.schemas(),
        written: served.written_queries(),
        direct: None,
        reads: None,
        called: None,
        stored_as: Vec::new(),
        ..options.source.clone()
    };
    let bytes = share_of_cache(options);
    let cache = CacheOptions { has_fields_of_others: true, bytes, ..options.cache.clone() };
    let mut own =
        Options { source, federation: None, further: Vec::new(), cache, ..options.clone() };
    if let Dialect::Hasura(dialect) = &mut own.dialect {
        dialect.metadata = MetadataSetting::Read(served);
    }
    own
}

/// The bytes of answers that each source may keep.
fn share_of_cache(options: &Options) -> u64 {
    options.cache.bytes / (options.further.len() as u64 + 1)
}

/// The API of a source for the one of the first: as the administrator and as each role sees it.
fn schema_of(name: &str, engine: &Engine) -> Option<SourceSchema> {
    let schema = &engine.api.schema;
    let views = &engine.api.role_views;
    // Permissions of backends are those of the first source only.
    let roles = engine.role_names().into_iter().filter(|role| !role.ends_with(OF_BACKENDS));
    let roles = roles.filter_map(|role| {
        let visibility = views.find(role).and_then(|id| views.get(id))?;
        Some((role.into(), remote_schema(View::new(schema, Some(visibility)))?))
    });
    let roles = roles.collect::<Vec<_>>();
    SourceSchema::new(name, remote_schema(schema.into())?, roles, tables(engine))
}

/// The types of tables.
fn tables(engine: &Engine) -> Vec<SourceTable> {
    let (schema, catalog) = (&engine.api.schema, &engine.catalog);
    let roots = root_fields(engine);
    let root_of = |entity, form| roots.get(&(entity, form)).map(|field| Box::from(*field));
    let table = |definition: &graphql::schema::TypeDefinition| {
        let TypeKind::Object { fields, .. } = &definition.kind else { return None };
        let columns = fields.iter().filter_map(|id| Some((*id, engine.api.column_of(*id)?)));
        let columns: Vec<_> = columns.collect();
        let (_, first) = columns.first()?;
        let id = catalog[*first].entity;
        let entity = &catalog[id];
        let columns = columns
            .into_iter()
            .map(|(id, column)| (catalog[column].name.clone(), Box::from(&*schema[id].name)));
        Some(SourceTable {
            schema: entity.namespace.clone(),
            name: entity.name.clone(),
            r#type: Box::from(&*definition.name),
            columns: columns.collect(),
            list: root_of(id, TableRows::List),
            aggregate: root_of(id, TableRows::Aggregates),
        })
    };
    schema.types().filter_map(|(_, definition)| table(definition)).collect()
}

/// The fields of queries, or of their namespace, that give the rows of a table.
fn root_fields(engine: &Engine) -> FxHashMap<(EntityId, TableRows), &str> {
    let (schema, api) = (&engine.api.schema, &engine.api);
    let fields = |r#type: TypeId| match &schema[r#type].kind {
        TypeKind::Object { fields, .. } => fields.as_slice(),
        _ => &[],
    };
    let roots = schema.query.into_iter().flat_map(fields);
    let below = roots.clone().flat_map(|id| fields(schema[*id].r#type.base));
    let mut found = FxHashMap::default();
    for id in roots.chain(below) {
        if let Some(rows) = api.table_rows_of(*id) {
            found.entry(rows).or_insert(&*schema[*id].name);
        }
    }
    found
}

/// A schema in the form of those of other servers.
fn remote_schema(view: View<'_>) -> Option<RemoteSchema> {
    let whole = view.whole;
    let name_of = |id: graphql::schema::TypeId| Box::from(&*whole[id].name);
    let types = view.types().map(|(id, definition)| {
        let names = |all: &mut dyn Iterator<Item = graphql::schema::TypeId>| {
            all.map(name_of).collect::<Vec<Box<str>>>()
        };
        let kind = match &definition.kind {
            TypeKind::Scalar => RemoteKind::Scalar,
            TypeKind::Object { fields: all, interfaces } => RemoteKind::Object {
                fields: fields(view, all),
                interfaces: names(&mut interfaces.iter().copied()),
            },
            TypeKind::Interface { fields: all, interfaces } => RemoteKind::Interface {
                fields: fields(view, all),
                interfaces: names(&mut interfaces.iter().copied()),
            },
            TypeKind::Union { members } => {
                RemoteKind::Union { members: names(&mut members.iter().copied()) }
            }
            TypeKind::Enum { values } => {
                let values = view.values(values).map(|id| &whole[id]);
                let value = values.map(|value| RemoteValue {
                    name: (&*value.name).into(),
                    description: value.description.as_deref().map(Into::into),
                    deprecated: value.deprecated.as_deref().map(Into::into),
                });
                RemoteKind::Enum { values: value.collect() }
            }
            TypeKind::InputObject { fields } => RemoteKind::Input { fields: inputs(view, fields) },
        };
        let description = definition.description.as_deref().map(Into::into);
        (name_of(id), RemoteType { description, kind })
    });
    Some(RemoteSchema {
        query: name_of(whole.query?),
        mutation: whole.mutation.map(name_of),
        subscription: whole.subscription.map(name_of),
        types: types.collect(),
    })
}

fn fields(view: View<'_>, all: &[FieldId]) -> Vec<RemoteField> {
    let made = view.fields(all).map(|id| {
        let FieldDefinition { name, description, arguments, deprecated, .. } = &view.whole[id];
        RemoteField {
            name: (&**name).into(),
            description: description.as_deref().map(Into::into),
            arguments: inputs(view, arguments),
            r#type: RemoteTypeText::of(&graphql::print_type(view.whole, view.type_of(id))),
            deprecated: deprecated.as_deref().map(Into::into),
        }
    });
    made.collect()
}

fn inputs(view: View<'_>, all: &[InputId]) -> Vec<RemoteInput> {
    let made = view.inputs(all).map(|id| {
        let own = &view.whole[id];
        RemoteInput {
            name: (&*own.name).into(),
            description: own.description.as_deref().map(Into::into),
            r#type: RemoteTypeText::of(&graphql::print_type(view.whole, own.r#type)),
            default: own.default.as_deref().cloned(),
        }
    });
    made.collect()
}
