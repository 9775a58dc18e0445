//! Relationships from types of a remote schema: to tables of sources, and to fields of remote schemas.
//! The request to the server has the fields on which they depend.
//! <https://hasura.io/docs/2.0/remote-schemas/remote-relationships/remote-schema-relationships/>

use graphql::operation::OperationKind;
use hasura_metadata::types::name::Name;
use hasura_metadata::types::remote_relationship::{
    RelationshipType, RemoteFields, RemoteRelationship, RemoteRelationshipDefinition, ToSource,
};
use hasura_metadata::{Location, Problem};
use http_resolvers::related_field::{RelatedField, RelatedKey, RelatedRemote};
use http_resolvers::remote_path::{PathServer, RemotePath, RemoteStep};
use http_resolvers::remote_schema::{RemoteKind, RemoteSchema};

use super::access::RelationshipOrigin;
use super::object_relationships::{self, Target};
use super::paths::{self, FoundPath, Side};
use super::relationships::{find_served, name_of, wrong};
use super::types::given;
use super::{Remote, ServedSchema};
use crate::Options;
use crate::actions::relationships::{RelatedKind, find_planned, related_fields};
use crate::draft::DraftField;
use crate::plan::Planned;
use crate::schema::Build;

/// A relationship, whose field is in the types of the API.
#[derive(Debug)]
pub(super) struct TypeRelationship {
    pub(super) object: String,
    pub(super) field: String,
    pub(super) related: RelatedField,
}

/// Adds the relationships of all types. What does not fit is left out, and told.
pub(super) fn add(
    build: &mut Build<'_>,
    options: &Options,
    remote: &mut Remote<'_>,
    problems: &mut Vec<Problem>,
) {
    let Some(metadata) = options.metadata.served() else { return };
    let source = &metadata.source().name.text;
    for number in 0..remote.served.len() {
        let definition = remote.served[number].definition;
        for of_type in definition.remote_relationships.iter() {
            for relationship in of_type.relationships.iter() {
                let from = From { number, own: &of_type.type_name, relationship };
                if let Err(problem) = add_one(build, source, remote, from) {
                    problems.push(problem);
                }
            }
        }
    }
}

/// The place from which a relationship leads.
#[derive(Clone, Copy)]
struct From<'m> {
    /// The index of the remote schema.
    number: usize,
    /// The name of the type at the server.
    own: &'m str,
    relationship: &'m RemoteRelationship,
}

fn add_one(
    build: &mut Build<'_>,
    source: &str,
    remote: &mut Remote<'_>,
    from: From<'_>,
) -> Result<(), Problem> {
    let From { number, own, relationship } = from;
    let name = &*relationship.name.text;
    let wrong = |place: &Location, message: String| {
        wrong(place, format!("The remote relationship {name} of {own}: {message}"))
    };
    let place = &relationship.name.place;
    let ServedSchema { definition, schema, names, .. } = &remote.served[number];
    match schema.types.get(own).map(|known| &known.kind) {
        Some(RemoteKind::Object { .. }) if !schema.is_root(own) => {}
        Some(_) => return Err(wrong(place, format!("{own} is no object type below a root."))),
        None => {
            let message = format!("the remote schema {} has no such type.", definition.name.text);
            return Err(wrong(place, message));
        }
    }
    let object = names.r#type(own);
    if build.draft.has_field(&object, name) {
        return Err(wrong(place, format!("the type {object} has another field of the name.")));
    }
    let (lhs_fields, fields, target, place) = match &relationship.definition {
        RemoteRelationshipDefinition::ToSource(to) => {
            let added = match to.source.text == source {
                true => to_source(build, schema, (own, &object, name), to),
                false => to_further(build, remote, schema, (own, &object, name), to),
            };
            let added = added.map_err(|message| wrong(&to.place, message))?;
            remote.relationships.extend(added);
            return Ok(());
        }
        RemoteRelationshipDefinition::ToRemoteSchema(to) => {
            (&to.lhs_fields, &to.remote_field, &to.remote_schema, &to.place)
        }
        RemoteRelationshipDefinition::Legacy(to) => {
            (&to.hasura_fields, &to.remote_field, &to.remote_schema, &to.place)
        }
    };
    let to = ToFields { lhs_fields, fields, target: &target.text };
    to_remote(build, remote, (number, own, &object, name), &to)
        .map_err(|message| wrong(place, message))
}

/// The field of the server that is a key: a scalar or an enum.
fn key<'s>(schema: &'s RemoteSchema, own: &str, name: &str) -> Result<&'s str, String> {
    let field = schema.fields(own).iter().find(|field| *field.name == *name);
    let field = field.ok_or_else(|| format!("{own} has no field {name}."))?;
    let kind = schema.types.get(&field.r#type.name).map(|known| &known.kind);
    let is_leaf = matches!(kind, Some(RemoteKind::Scalar | RemoteKind::Enum { .. }));
    if !is_leaf || !field.r#type.before.is_empty() {
        return Err(format!("the field {name} is no single scalar."));
    }
    let needed =
        field.arguments.iter().find(|one| one.r#type.is_required() && one.default.is_none());
    match needed {
        Some(argument) => Err(format!("the field {name} needs the argument {}.", argument.name)),
        None => Ok(&field.name),
    }
}

fn to_further(
    build: &mut Build<'_>,
    remote: &Remote<'_>,
    schema: &RemoteSchema,
    (own, object, name): (&str, &str, &str),
    to: &ToSource,
) -> Result<Vec<TypeRelationship>, String> {
    let (source, table) = (&*to.source.text, &to.table.0);
    let columns = to
        .field_mapping
        .iter()
        .map(|(member, column)| Ok((key(schema, own, member)?.into(), &*column.text)));
    let columns = columns.collect::<Result<_, String>>()?;
    let target = Target { source, table, kind: kind_of(to.relationship_type), columns };
    object_relationships::add(build, remote, (object, name), &target)
}

fn kind_of(r#type: RelationshipType) -> RelatedKind {
    match r#type {
        RelationshipType::Object => RelatedKind::Object,
        RelationshipType::Array => RelatedKind::Array,
    }
}

fn to_source(
    build: &mut Build<'_>,
    schema: &RemoteSchema,
    (own, object, name): (&str, &str, &str),
    to: &ToSource,
) -> Result<Vec<TypeRelationship>, String> {
    let target = find_planned(build, &to.table.0)
        .ok_or_else(|| format!("the table {} is not tracked.", to.table.0.sort_key()))?;
    let mut keys = Vec::with_capacity(to.field_mapping.len());
    for (member, column) in &to.field_mapping {
        let member = key(schema, own, member)?.into();
        keys.push(key_of(target, member, &column.text)?);
    }
    if keys.is_empty() {
        return Err("it has no field_mapping.".to_owned());
    }
    let kind = kind_of(to.relationship_type);
    let added = related_fields(build, (object, name), target, &keys, kind)?;
    let of = |(field, related)| TypeRelationship { object: object.to_owned(), field, related };
    Ok(added.into_iter().map(of).collect())
}

fn key_of(target: &Planned<'_>, member: Box<str>, column: &str) -> Result<RelatedKey, String> {
    let known = target.read().find(|known| *known.field.name == *column);
    let known = known.filter(|known| known.values.lists == 0 && known.values.is_comparable());
    let known = known.ok_or_else(|| {
        format!("{} has no column {column} whose values can be compared.", target.name)
    })?;
    let r#type = (&*known.values.scalar).into();
    Ok(RelatedKey { member, column: known.name().into(), r#type })
}

/// The definition of a relationship to a remote schema.
struct ToFields<'m> {
    lhs_fields: &'m [Name],
    fields: &'m RemoteFields,
    target: &'m str,
}

fn to_remote(
    build: &mut Build<'_>,
    remote: &mut Remote<'_>,
    (number, own, object, name): (usize, &str, &str, &str),
    to: &ToFields<'_>,
) -> Result<(), String> {
    let from = &remote.served[number];
    let find = |field: &str| {
        if !to.lhs_fields.iter().any(|known| *known.text == *field) {
            return Err(format!("`${field}` is not among its lhs_fields."));
        }
        key(from.schema, own, field).map(Into::into)
    };
    let lhs = name_of(&from.definition.name.text);
    let side = Side { find: &find, suffix: format!("{lhs}{name}") };
    let (target, served) = find_served(remote, to.target)?;
    let found = paths::find(&mut build.draft, served, to.fields, &side)?;
    let FoundPath { steps, field, arguments, inputs, derived } = found;
    let r#type = field.r#type.named(&served.names.r#type(&field.r#type.name));
    let made = DraftField::new(name, r#type.trim_end_matches('!'), given(object, name));
    build.draft.add_field(object, made.verbatim().with(arguments));
    let types_of = |step: &RemoteStep| {
        let fields = served.schema.fields(&step.r#type).iter();
        let arguments = fields.filter(|field| field.name == step.field);
        let arguments = arguments.flat_map(|field| &field.arguments).map(|argument| {
            let r#type = argument.r#type.named(&served.names.r#type(&argument.r#type.name));
            (argument.name.clone(), r#type.into())
        });
        arguments.collect()
    };
    let arguments = steps.iter().map(types_of).collect();
    let schema = (*served.schema).clone();
    let (kind, server) = (OperationKind::Query, PathServer::Http);
    let path = RemotePath { kind, schema, steps: steps.clone(), server };
    let namespace = served.names.namespace().map(Into::into);
    let related = RelatedRemote { namespace, path, members: inputs.into(), arguments };
    let (object, field) = (object.to_owned(), name.to_owned());
    let origin = RelationshipOrigin {
        object: object.clone(),
        field: field.clone(),
        schema: target,
        steps,
        is_document: true,
        keys: None,
    };
    remote.origins.add(origin, derived);
    let related = RelatedField::Remote(Box::new(related));
    remote.relationships.push(TypeRelationship { object, field, related });
    Ok(())
}
