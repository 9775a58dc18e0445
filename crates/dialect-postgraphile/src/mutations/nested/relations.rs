//! Relations of an entity to others, as in the fields of its type.

use catalog::{EntityId, FieldId, Relationship};
use graphql::schema::TypeKind;
use ir::{Hop, HopDirection};

use super::super::inputs::{can_be_given, has_default};
use super::super::is_offered;
use crate::api_types::RowInput;
use crate::build::Build;
use crate::entity::Served;
use crate::naming::Verb;
use crate::root;
use crate::tags::omit::Action;
use api::binding::{FieldBinding, NestedReference, NestedVerb, RowsForm, RowsFrom};

/// A relation of an entity, by which rows can be connected.
pub(super) struct NestedRelation {
    /// The name of the relation's field.
    pub(super) name: String,
    /// The entity of the rows at the other end.
    pub(super) entity: EntityId,
    pub(super) reference: NestedReference,
    pub(super) is_single: bool,
    /// The verbs for a new row.
    pub(super) of_new: Vec<NestedVerb>,
    /// The verbs for an existing row.
    pub(super) of_there: Vec<NestedVerb>,
}

/// The relations of an entity with a verb, each once.
pub(super) fn relations(
    build: &Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
) -> Vec<NestedRelation> {
    let schema = build.api.schema();
    let shown = one.types.map(|types| &schema[types.row].kind);
    let Some(TypeKind::Object { fields, .. }) = shown else { return Vec::new() };
    let mut known: Vec<RowsFrom> = Vec::new();
    let mut ways = Vec::new();
    for field in fields {
        let FieldBinding::Rows(binding) = build.api.field(*field) else { continue };
        if known.contains(&binding.from) {
            continue;
        }
        known.push(binding.from);
        let other = build.places.get(&binding.entity).and_then(|place| served.get(*place));
        let Some(other) = other else { continue };
        let found = match binding.from {
            RowsFrom::Relation(Hop { relationship, direction }) => {
                let relationship = &build.catalog[relationship];
                match direction {
                    HopDirection::Forward => forward(build, one, other, relationship),
                    HopDirection::Backward => backward(build, other, relationship),
                }
            }
            RowsFrom::Through { near, far } => joined(build, served, other, (near, far)),
            _ => continue,
        };
        let Some((reference, of_new, of_there)) = found else { continue };
        let omitted = omitted(build, binding.from);
        let is_offered = |verb: &NestedVerb| {
            let is_single = matches!(binding.form, RowsForm::Single | RowsForm::First);
            // A single row has no set.
            !(omitted.contains(verb) || is_single && *verb == NestedVerb::Set)
        };
        let offered = |verbs: Vec<NestedVerb>| verbs.into_iter().filter(is_offered).collect();
        let (of_new, of_there): (Vec<_>, Vec<_>) = (offered(of_new), offered(of_there));
        if of_new.is_empty() && of_there.is_empty() {
            continue;
        }
        ways.push(NestedRelation {
            name: String::from(&*schema[*field].name),
            entity: binding.entity,
            reference,
            is_single: matches!(binding.form, RowsForm::Single | RowsForm::First),
            of_new,
            of_there,
        });
    }
    ways
}

/// True if a row of the entity can be identified.
pub(super) fn can_be_said(build: &Build<'_>, one: &Served<'_>) -> bool {
    let by_id = build.has_node_ids(one.entity.id);
    by_id || (!one.primary_key().is_empty() && !keys_said(build, one).is_empty())
}

/// The keys that identify a row of the entity.
pub(super) fn keys_said<'s>(build: &Build<'_>, one: &'s Served<'_>) -> Vec<&'s [FieldId]> {
    let can_be_said = |field: &FieldId| {
        let column = one.column(*field).filter(|column| column.value.input.is_some());
        column.is_some() && build.offers_field(*field, Action::Read)
    };
    let key = |place: usize| {
        let key = one.entity.keys.get(place).filter(|key| key.enforced)?;
        let is_offered = build.offers_key(one.entity.id, place, Action::Read);
        (is_offered && key.fields.iter().all(can_be_said)).then_some(key.fields.as_slice())
    };
    root::keys(one).into_iter().filter_map(key).collect()
}

type ReferenceVerbs = Option<(NestedReference, Vec<NestedVerb>, Vec<NestedVerb>)>;

/// The verbs that tags of the foreign keys omit.
fn omitted(build: &Build<'_>, from: RowsFrom) -> Vec<NestedVerb> {
    let hops = match from {
        RowsFrom::Relation(hop) => vec![hop],
        RowsFrom::Through { near, far } => vec![near, far],
        _ => Vec::new(),
    };
    let omits = |action| {
        let mut relationships = hops.iter().map(|hop| &build.catalog[hop.relationship]);
        relationships.any(|relationship| !build.offers_relationship(relationship, action))
    };
    let mut omitted = Vec::new();
    if omits(Action::Create) {
        omitted.push(NestedVerb::Create);
    }
    if omits(Action::Update) {
        omitted.extend([NestedVerb::Connect, NestedVerb::Disconnect, NestedVerb::Set]);
    }
    omitted
}

fn forward(
    build: &Build<'_>,
    one: &Served<'_>,
    other: &Served<'_>,
    relationship: &Relationship,
) -> ReferenceVerbs {
    let from = &relationship.from_fields;
    let can = |row| from.iter().all(|field| can_be_given(build, *field, row));
    let cleared = cleared(build, one, from);
    let mut verbs = Vec::new();
    if is_offered(build, other, Verb::Create) {
        verbs.push(NestedVerb::Create);
    }
    if can_be_said(build, other) {
        verbs.push(NestedVerb::Connect);
    }
    let of_new = if can(RowInput::NestedCreate) { verbs.clone() } else { Vec::new() };
    let mut of_there = if can(RowInput::NestedPatch) { verbs } else { Vec::new() };
    if !cleared.is_empty() && cleared.iter().all(|field| is_changeable(build, *field)) {
        of_there.push(NestedVerb::Disconnect);
    }
    let fields = pairs(from, &relationship.to_fields);
    Some((NestedReference::Forward { fields, cleared }, of_new, of_there))
}

fn backward(build: &Build<'_>, other: &Served<'_>, relationship: &Relationship) -> ReferenceVerbs {
    let from = &relationship.from_fields;
    let can = |row| from.iter().all(|field| can_be_given(build, *field, row));
    let cleared = cleared(build, other, from);
    let mut of_new = Vec::new();
    if is_offered(build, other, Verb::Create) && can(RowInput::NestedCreate) {
        of_new.push(NestedVerb::Create);
    }
    let is_updated = is_offered(build, other, Verb::Update);
    if is_updated && can(RowInput::NestedPatch) && can_be_said(build, other) {
        of_new.push(NestedVerb::Connect);
    }
    let mut of_there = of_new.clone();
    let is_cleared =
        !cleared.is_empty() && cleared.iter().all(|field| is_changeable(build, *field));
    if is_updated && is_cleared && can_be_said(build, other) {
        of_there.push(NestedVerb::Disconnect);
        if can(RowInput::NestedPatch) {
            of_there.push(NestedVerb::Set);
        }
    }
    let fields = pairs(&relationship.to_fields, from);
    Some((NestedReference::Backward { fields, cleared }, of_new, of_there))
}

/// Many-to-many: only where there is one join row for each two, without required columns beside its
/// references.
fn joined(
    build: &Build<'_>,
    served: &[Served<'_>],
    other: &Served<'_>,
    (near, far): (Hop, Hop),
) -> ReferenceVerbs {
    let (near, far) = (&build.catalog[near.relationship], &build.catalog[far.relationship]);
    let joining = served.get(*build.places.get(&near.from)?)?;
    let joins: Vec<FieldId> = near.from_fields.iter().chain(&far.from_fields).copied().collect();
    let is_key = |key: &&catalog::Key| {
        key.detects_conflicts()
            && key.fields.len() == joins.len()
            && joins.iter().all(|field| key.fields.contains(field))
    };
    let key = joining.entity.keys.iter().find(is_key)?.fields.as_slice().into();
    let may_be_left_out = |field: &FieldId| {
        joins.contains(field) || build.catalog[*field].nullable || has_default(build, *field)
    };
    let is_made = is_offered(build, joining, Verb::Create)
        && joining.entity.fields.iter().all(may_be_left_out)
        && joins.iter().all(|field| can_be_given(build, *field, RowInput::NestedCreate));
    let mut of_new = Vec::new();
    if is_made && is_offered(build, other, Verb::Create) {
        of_new.push(NestedVerb::Create);
    }
    if is_made && can_be_said(build, other) {
        of_new.push(NestedVerb::Connect);
    }
    let mut of_there = of_new.clone();
    if is_offered(build, joining, Verb::Delete) && can_be_said(build, other) {
        of_there.push(NestedVerb::Disconnect);
        if is_made {
            of_there.push(NestedVerb::Set);
        }
    }
    let reference = NestedReference::Joined {
        joining: joining.entity.id,
        key,
        near: pairs(&near.to_fields, &near.from_fields),
        far: pairs(&far.from_fields, &far.to_fields),
    };
    Some((reference, of_new, of_there))
}

fn is_changeable(build: &Build<'_>, field: FieldId) -> bool {
    can_be_given(build, field, RowInput::NestedPatch)
}

/// The nullable columns of a foreign key: a single null makes it refer to no row.
fn cleared(build: &Build<'_>, one: &Served<'_>, from: &[FieldId]) -> Box<[FieldId]> {
    let is_null = |field: &&FieldId| {
        let shown = one.columns.iter().chain(&one.unread).find(|column| column.field == **field);
        shown.map_or(build.catalog[**field].nullable, |column| !column.not_null)
    };
    from.iter().filter(is_null).copied().collect()
}

fn pairs(one: &[FieldId], other: &[FieldId]) -> Box<[(FieldId, FieldId)]> {
    one.iter().copied().zip(other.iter().copied()).collect()
}
