//! An API as a subgraph of a federated graph.
//!
//! Routers use two more fields of a subgraph's query type: `_service` for its definitions with
//! federation directives, and `_entities` for rows by the keys in other subgraphs' representations.
//! Both are derived from the API: a type whose rows have a key, all fields of which are in the API
//! or in an opaque id of it, is an entity.
//!
//! * [`keys`](self): `keys.rs`: keys of entities
//! * [`extension`](self): `extension.rs`: extensions of the API's types in SDL; `custom.rs`: custom
//!   directives; `retyped.rs`: changed types of fields; `required.rs`: fields that require fields
//!   of other subgraphs; `foreign.rs`: types and fields of other subgraphs
//! * `references.rs`: references to entities of other subgraphs
//! * `prefixed.rs`: a prefix of all names
//! * [`applied`](self): `applied.rs`: directives of the API itself
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>

mod applied;
mod custom;
mod directives;
mod extension;
mod foreign;
mod keys;
mod prefixed;
mod references;
mod required;
mod retyped;

use std::sync::Arc;

use catalog::{Catalog, EntityId};
use graphql::definitions::Directive;
use graphql::schema::{
    FieldDefinition, InputDefinition, Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use graphql::{Applied, GraphQLError, print_schema_applying};
use rustc_hash::FxHashSet;

use crate::api::Api;
use crate::binding::{
    AggregateField, EntitiesBinding, EventPart, FieldBinding, InputBinding, InputRole, PayloadField,
};
use crate::builder::ApiBuilder;
pub use applied::AppliedDirectives;
use directives::{KNOWN, argument, directive, strings};
use extension::Extended;
use keys::{Entity, entities, number};
use references::referring;
use required::tell;
use retyped::retype;

/// The specification of the directives, before its version.
const SPECIFICATION: &str = "https://specs.apollo.dev/federation/v2.";

/// Reserved for this module's own link.
const FEDERATION: &str = "https://specs.apollo.dev/federation/";

/// The earliest linked version: that of `@interfaceObject`, which all composers support.
const VERSION: u16 = 3;

/// The entity field.
const ENTITIES: &str = "_entities";

/// Options of a subgraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Extensions of the API's types in SDL, whose directives are added to the subgraph's
    /// definitions.
    pub extension: Option<Arc<str>>,
    /// Prefix of the names of types and root fields; the extension has the prefixed names.
    pub prefix: Option<Arc<str>>,
}

/// The types whose rows routers find by keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityTypes {
    /// All whose rows have a key, by each of their keys.
    All,
    /// Those of these tables, by their primary keys.
    Tables(FxHashSet<EntityId>),
}

/// Reasons why an API cannot be a subgraph.
#[derive(Debug, thiserror::Error)]
pub enum FederationError {
    #[error("the API has a type or a field of the name `{0}`, which federation has another for")]
    Taken(&'static str),
    #[error(
        "the prefix `{0}` does not make names: letters, digits and `_` are wanted, and no digit first"
    )]
    Prefix(Box<str>),
    #[error(
        "types of remote schemas have no prefix of the subgraph: name them by their `customization`, \
         and tables by that of the source"
    )]
    RemotePrefix,
    #[error("the API has a type `{0}`, which is said to be one of another subgraph")]
    Reference(Arc<str>),
    #[error("the API has no query type, which federation adds to")]
    NoQuery,
    #[error("the extension of the subgraph is wrong: {}", list(.0))]
    Extension(Vec<GraphQLError>),
    #[error("what the type definitions say of federation is wrong: {}", list(.0))]
    Definitions(Vec<GraphQLError>),
}

fn list(errors: &[GraphQLError]) -> String {
    let told = |error: &GraphQLError| match error.locations.first() {
        Some(location) => format!("line {}: {}", location.line, error.message),
        None => error.message.to_string(),
    };
    errors.iter().map(told).collect::<Vec<_>>().join("; ")
}

/// Adds the subgraph fields to an API. `own` are directives of the API itself.
pub fn add_subgraph(
    mut api: Api,
    catalog: &Catalog,
    own: &[AppliedDirectives],
    types: &EntityTypes,
    options: &Options,
) -> Result<Api, FederationError> {
    let query = api.schema.query.ok_or(FederationError::NoQuery)?;
    if let Some(prefix) = &options.prefix {
        api = prefixed::prefix(api, prefix)?;
    }
    let mut entities = entities(&api, catalog, types);
    let mut applied = applied(&api, &entities);
    if !own.is_empty() {
        let said = extension::apply_own(own, (&api, catalog), &mut entities, &mut applied);
        said.map_err(FederationError::Definitions)?;
        number(&mut entities);
    }
    if let Some(text) = &options.extension {
        let said = extension::apply(text, (&api, catalog), &mut entities, &mut applied);
        let Extended { retyped, required, references } =
            said.map_err(FederationError::Extension)?;
        api = tell(retype(api, &retyped)?, &required);
        api = referring(api, &references, &mut applied)?;
        number(&mut entities);
    }
    link(&mut applied);
    let sdl = print_schema_applying(&api.schema, &applied);
    add(api, query, &sdl, entities)
}

/// The entity types, if the API is a subgraph with entities.
#[must_use]
pub fn find_entities(api: &Api) -> Option<&EntitiesBinding> {
    let field = api.schema.find_field(api.schema.query?, ENTITIES)?;
    match api.field(field) {
        FieldBinding::Entities(binding) => Some(binding),
        _ => None,
    }
}

/// The fields of other subgraphs that a field of the API requires.
pub fn required(api: &Api, field: graphql::schema::FieldId) -> impl Iterator<Item = &str> {
    let external = match api.field(field) {
        FieldBinding::Computed(computed) => computed.external.as_slice(),
        _ => &[],
    };
    external.iter().map(|argument| &*argument.input.name)
}

/// The directives of the API's definitions: keys of types, and shareable fields.
fn applied(api: &Api, entities: &[Entity]) -> Applied {
    let mut applied = Applied::default();
    for entity in entities {
        let keys =
            entity.field_sets().map(|fields| directive("key", [argument("fields", &fields)]));
        applied.types.insert(entity.r#type, keys.collect());
    }
    let shareable = || vec![directive("shareable", [])];
    for (id, definition) in api.schema.types() {
        let TypeKind::Object { fields, .. } = &definition.kind else { continue };
        if Some(id) == api.schema.query {
            for field in fields {
                let name: Box<str> = api.schema[*field].name.as_ref().into();
                match api.field(*field) {
                    // The same in every subgraph of the kind.
                    FieldBinding::Same | FieldBinding::Literal(_) => {
                        applied.members.insert((id, name), shareable());
                    }
                    // Routers cannot tell the subgraph of an opaque id.
                    FieldBinding::Lookup { .. } => {
                        applied.left_out.insert((id, name));
                    }
                    _ => {}
                }
            }
            continue;
        }
        if Some(id) == api.schema.subscription {
            // Routers allow no field of subscriptions in several subgraphs.
            let is_common = |field: &graphql::schema::FieldId| {
                use FieldBinding::{Listen, Literal, Lookup, Same};
                matches!(api.field(*field), Same | Literal(_) | Lookup { .. } | Listen(_))
            };
            let common = fields.iter().copied().filter(is_common);
            let names = common.map(|field| (id, api.schema[field].name.as_ref().into()));
            applied.left_out.extend(names);
            continue;
        }
        if is_value_type(api, id) {
            applied.types.insert(id, shareable());
        }
    }
    applied
}

/// True for an object type that is the same in every subgraph of the kind: it has values only, such as
/// those of a page.
fn is_value_type(api: &Api, id: TypeId) -> bool {
    let TypeKind::Object { fields, .. } = &api.schema[id].kind else { return false };
    let is_value = |field: &graphql::schema::FieldId| match api.field(*field) {
        FieldBinding::PageInfo(_)
        | FieldBinding::Part { .. }
        | FieldBinding::Literal(_)
        | FieldBinding::Constants
        | FieldBinding::RelatedNode
        | FieldBinding::RelatedNodeId
        | FieldBinding::EventTime
        | FieldBinding::EventMember(_)
        | FieldBinding::EventPart(EventPart::Kind | EventPart::UpdatedFields)
        | FieldBinding::Payload(PayloadField::Counter(_)) => true,
        // An aggregate of any field of any rows.
        FieldBinding::Aggregate(AggregateField::Value(values)) => {
            values.iter().all(|value| value.field.is_none())
        }
        _ => false,
    };
    !fields.is_empty() && fields.iter().all(is_value)
}

/// Links the version of the directives, and imports the used ones.
fn link(applied: &mut Applied) {
    let types = applied.types.values().flatten();
    let types = types.chain(applied.added_types.iter().flat_map(foreign::directives));
    let used = types.chain(applied.members.values().flatten()).chain(&applied.schema);
    let used: Vec<&Directive> = used.collect();
    let mut names: Vec<String> = Vec::new();
    let mut version = VERSION;
    for known in KNOWN {
        let own: Vec<_> = used.iter().filter(|one| *one.name == *known.name).collect();
        if !own.is_empty() {
            names.push(format!("@{}", known.name));
            version = version.max(own.iter().map(|one| known.since(one)).max().unwrap_or(version));
        }
    }
    let url = format!("{SPECIFICATION}{version}");
    let mut arguments = vec![argument("url", &url)];
    if !names.is_empty() {
        arguments.push(strings("import", &names));
    }
    applied.schema.insert(0, directive("link", arguments));
}

/// Adds the fields to the query type, with their types.
fn add(api: Api, query: TypeId, sdl: &str, entities: Vec<Entity>) -> Result<Api, FederationError> {
    let mut builder = ApiBuilder::reopen(api);
    for name in ["_service", ENTITIES] {
        if builder.schema().find_field(query, name).is_some() {
            return Err(FederationError::Taken(name));
        }
    }
    let string = scalar(&mut builder, "String")?;
    let service = named(&mut builder, "_Service", object())?;
    let mut text = Vec::new();
    response::escape::write_string(sdl, &mut text);
    let definition = FieldDefinition::new("sdl", TypeRef::named(string));
    builder.add_field(service, definition, FieldBinding::Literal(text.into()));
    let definition = FieldDefinition::new("_service", TypeRef::named(service).non_null());
    builder.add_field(query, definition, FieldBinding::Constants);
    if !entities.is_empty() {
        add_entities(&mut builder, query, entities)?;
    }
    let mut api = builder.finish();
    api.subgraph_sdl = Some(sdl.into());
    Ok(api)
}

/// Without an entity the union would have no members, which no schema may have.
fn add_entities(
    builder: &mut ApiBuilder,
    query: TypeId,
    entities: Vec<Entity>,
) -> Result<(), FederationError> {
    let any = named(builder, "_Any", TypeKind::Scalar)?;
    let members = entities.iter().map(|entity| entity.r#type).collect();
    let union = named(builder, "_Entity", TypeKind::Union { members })?;
    let (types, represented): (Vec<_>, Vec<_>) =
        entities.into_iter().map(Entity::into_binding).unzip();
    let binding = EntitiesBinding { types: types.into(), represented: represented.into() };
    let r#type = TypeRef::named(union).list().non_null();
    let definition = FieldDefinition::new(ENTITIES, r#type);
    let field = builder.add_field(query, definition, FieldBinding::Entities(Arc::new(binding)));
    let r#type = TypeRef::named(any).non_null().list().non_null();
    let definition = InputDefinition::new("representations", r#type);
    builder.add_argument(field, definition, InputBinding::lenient(InputRole::Representations));
    Ok(())
}

fn object() -> TypeKind {
    TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
}

fn named(
    builder: &mut ApiBuilder,
    name: &'static str,
    kind: TypeKind,
) -> Result<TypeId, FederationError> {
    let definition = TypeDefinition { name: name.into(), description: None, kind };
    builder.add_type(definition).ok_or(FederationError::Taken(name))
}

fn scalar(builder: &mut ApiBuilder, name: &'static str) -> Result<TypeId, FederationError> {
    match builder.schema().find_type(name) {
        Some(id) => Ok(id),
        None => named(builder, name, TypeKind::Scalar),
    }
}

/// The name of a type.
fn name_of(schema: &Schema, id: TypeId) -> &str {
    &schema[id].name
}
