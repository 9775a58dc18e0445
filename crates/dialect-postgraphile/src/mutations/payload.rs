//! Payloads of mutations: the client's own text, the row with its relations, and the root.

use catalog::{Entity, EntityId};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};

use super::claim_type;
use crate::Version;
use crate::arguments;
use crate::build::{Build, field, object};
use crate::claims::{Claimant, Claims};
use crate::descriptions;
use crate::entity::Served;
use crate::naming::Verb;
use crate::relations::{forward_field, outgoing_in_order};
use crate::tags::deprecation;
use crate::tags::omit::Action;
use api::binding::{FieldBinding, IdForm, PayloadField};

/// Adds the payload type of a mutation of an entity's rows.
pub(super) fn of_rows(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    verb: Verb,
) -> Option<TypeId> {
    let table = build.table_name(one.entity.id);
    let name = build.inflection.payload(verb, table);
    let row = one.types?.row;
    if !claim_type(build, one, &name, "payload type") {
        return None;
    }
    let description = descriptions::mutations::payload(verb, &one.name);
    let mut payload = Payload::new(build, &name, description)?;
    let description = descriptions::mutations::changed_row(verb, &one.name);
    let name = build.inflection.table_field(table);
    // As in PostGraphile, which deprecates it for new rows only.
    let deprecated = match verb {
        Verb::Create => deprecation(build.entity_tags(one.entity.id)),
        Verb::Update | Verb::Delete => None,
    };
    let definition =
        FieldDefinition { deprecated, ..field(&name, &description, TypeRef::named(row)) };
    let subject = build.entity_name(one.entity.id);
    payload.add(build, &subject, definition, FieldBinding::Payload(PayloadField::Row));
    if verb == Verb::Delete {
        payload.add_deleted_id(build, one, &subject);
    }
    payload.add_query(build);
    payload.add_around_row(build, served, one, &subject);
    Some(payload.r#type)
}

/// Adds the payload type of an upsert of an entity's rows.
pub(super) fn of_upsert(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
) -> Option<TypeId> {
    let table = build.table_name(one.entity.id);
    let name = build.inflection.upsert_payload(table);
    let row = one.types?.row;
    if !claim_type(build, one, &name, "payload type") {
        return None;
    }
    let description = descriptions::beyond::upsert_payload(&one.name);
    let mut payload = Payload::new(build, &name, description)?;
    let description = descriptions::beyond::upserted(&one.name);
    let name = build.inflection.table_field(table);
    let subject = build.entity_name(one.entity.id);
    let definition = field(&name, &description, TypeRef::named(row));
    payload.add(build, &subject, definition, FieldBinding::Payload(PayloadField::Row));
    payload.add_query(build);
    payload.add_around_row(build, served, one, &subject);
    Some(payload.r#type)
}

/// Adds the payload type of a bulk mutation of an entity's rows.
pub(super) fn of_many(
    build: &mut Build<'_>,
    one: &Served<'_>,
    verb: Verb,
    field_name: &str,
) -> Option<TypeId> {
    let table = build.table_name(one.entity.id);
    let name = build.inflection.many_payload(field_name);
    let row = one.types?.row;
    let number = build.scalar("Int")?;
    if !claim_type(build, one, &name, "payload type") {
        return None;
    }
    let description = descriptions::mutations::function_payload(field_name);
    let mut payload = Payload::new(build, &name, description)?;
    let subject = build.entity_name(one.entity.id);
    let description = descriptions::beyond::affected(verb);
    let definition = field("affectedCount", &description, number.non_null());
    payload.add(build, &subject, definition, FieldBinding::Payload(PayloadField::Length));
    let description = descriptions::beyond::changed_rows(verb, &one.name);
    let name = build.inflection.many_rows(table);
    let definition = field(&name, &description, TypeRef::named(row).list().non_null());
    payload.add(build, &subject, definition, FieldBinding::Payload(PayloadField::Rows));
    payload.add_query(build);
    Some(payload.r#type)
}

/// A payload type under construction.
pub(super) struct Payload {
    pub(super) r#type: TypeId,
    names: Claims,
}

impl Payload {
    /// A type whose name was claimed, with the first fields of every such type.
    pub(super) fn new(build: &mut Build<'_>, name: &str, description: String) -> Option<Self> {
        let text = build.scalar("String")?;
        let r#type = build.add_type(name, Some(description.into()), object(Vec::new()))?;
        let mut names = Claims::default();
        names.reserve("clientMutationId", "a field of every payload");
        names.reserve("query", "a field of every payload");
        let definition = field("clientMutationId", descriptions::mutations::CLIENT_ID, text);
        let binding = FieldBinding::Payload(PayloadField::ClientMutationId);
        build.api.add_plain_field(r#type, definition, binding);
        Some(Self { r#type, names })
    }

    /// Adds a field without arguments, unless its name is taken.
    pub(super) fn add(
        &mut self,
        build: &mut Build<'_>,
        subject: &str,
        definition: FieldDefinition,
        binding: FieldBinding,
    ) -> Option<graphql::schema::FieldId> {
        let claimant = Claimant { subject, what: "field of a payload" };
        match self.names.claim(&definition.name, claimant) {
            Ok(()) => Some(build.api.add_plain_field(self.r#type, definition, binding)),
            Err(note) => {
                build.note(note);
                None
            }
        }
    }

    /// Adds the global id of the deleted row; null, as in PostGraphile, where it had none.
    fn add_deleted_id(&mut self, build: &mut Build<'_>, one: &Served<'_>, subject: &str) {
        let Some(id) = build.scalar("ID") else { return };
        let table = match build.options.version {
            Version::Four => &*one.entity.name,
            Version::Five => build.table_name(one.entity.id),
        };
        let name = build.inflection.deleted_node_id(table);
        let binding = match build.has_node_ids(one.entity.id) {
            false => FieldBinding::Literal(b"null".as_slice().into()),
            true => {
                let prefix = build.node_prefix(one.entity.id);
                FieldBinding::NodeId {
                    prefix,
                    key: one.primary_key().to_vec(),
                    form: IdForm::Tagged,
                }
            }
        };
        self.add(build, subject, FieldDefinition::new(&name, id), binding);
    }

    /// Adds the root of queries, which are executed after the mutation.
    pub(super) fn add_query(&self, build: &mut Build<'_>) {
        let Some(query) = build.api.schema().query else { return };
        let definition = field("query", descriptions::mutations::QUERY, TypeRef::named(query));
        let binding = FieldBinding::Payload(PayloadField::Query);
        build.api.add_plain_field(self.r#type, definition, binding);
    }

    /// Adds the relations of a decomposed value.
    pub(super) fn add_around_value(
        &mut self,
        build: &mut Build<'_>,
        served: &[Served<'_>],
        entity: EntityId,
        subject: &str,
    ) {
        let catalog = build.catalog;
        let Some(row) = build.row_types.get(&entity).copied() else { return };
        let name = build.api.schema()[row].name.to_string();
        self.add_forward(build, served, &catalog[entity], &name, subject);
    }

    /// Adds the relations of a row of the type `name`.
    fn add_forward(
        &mut self,
        build: &mut Build<'_>,
        served: &[Served<'_>],
        entity: &Entity,
        name: &str,
        subject: &str,
    ) {
        // Payloads of version 5 have no relations: those of the row are below it.
        if build.options.version == Version::Five {
            return;
        }
        for relationship in outgoing_in_order(build, entity) {
            if let Some((definition, binding)) = forward_field(build, served, name, relationship) {
                self.add(build, subject, definition, binding);
            }
        }
    }

    /// Adds the relations of the row, and the row with its cursor.
    pub(super) fn add_around_row(
        &mut self,
        build: &mut Build<'_>,
        served: &[Served<'_>],
        one: &Served<'_>,
        subject: &str,
    ) {
        self.add_forward(build, served, one.entity, &one.name, subject);
        let id = one.entity.id;
        let shown = build.offers_entity(id, Action::All) || build.offers_entity(id, Action::Many);
        let edge = one.types.and_then(|types| types.edge);
        // Version 5 has no edge of a row without a primary key.
        let edge = match build.options.version {
            Version::Five if one.primary_key().is_empty() => None,
            Version::Four | Version::Five => edge,
        };
        let Some(edge) = edge.filter(|_| shown && build.collections(id).has_connections()) else {
            return;
        };
        let name = build.inflection.edge_field(build.table_name(id));
        let description = descriptions::mutations::edge_of_row(&one.name);
        let definition = FieldDefinition {
            deprecated: deprecation(build.entity_tags(id)),
            ..field(&name, &description, TypeRef::named(edge))
        };
        let claimant = Claimant { subject, what: "field of a payload" };
        if let Err(note) = self.names.claim(&definition.name, claimant) {
            return build.note(note);
        }
        // All mutations of an entity share it.
        if let Some(known) = build.payload_edges.get(&id).copied() {
            return build.api.attach_field(self.r#type, known);
        }
        let binding = FieldBinding::Payload(PayloadField::Edge);
        let field = build.api.add_field(self.r#type, definition, binding);
        arguments::add_order_of_edge(build, field, one);
        build.payload_edges.insert(id, field);
    }
}
