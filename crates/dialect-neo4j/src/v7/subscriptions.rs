//! `@subscription`: events of created, updated and deleted nodes.

use access::{Action, RowRule};
use catalog::{Note, NoteKind};
use graphql::schema::EnumValueDefinition;
use ir::{EventKind, State};

use super::conditions::attribute_conditions;
use super::objects;
use crate::model::rules::{WrittenNode, WrittenPlace, WrittenRestriction};
use crate::model::{Model, Target};
use crate::shared::attribute::{Attribute, Origin, of_statement};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::naming::{lower_camel, upper_first};
use crate::shared::node_field;
use crate::shared::objects::column;
use crate::shared::statements::{StatementCall, statement_field};
use api::ApiBuilder;
use api::binding::{
    FieldBinding, FilterRole, InputBinding, InputRole, RowsBinding, RowsForm, RowsFrom,
    ValueBinding,
};

pub(crate) const SUBSCRIPTION: &str = "Subscription";

/// The name of the enum of events.
pub(crate) const EVENT_TYPE: &str = "EventType";

/// Values of the enum; those of relationships have no subscriptions.
const EVENT_TYPES: [&str; 5] =
    ["CREATE", "DELETE", stringify!(UPDATE), "CREATE_RELATIONSHIP", "DELETE_RELATIONSHIP"];

/// The names of a kind of event.
struct KindNames {
    kind: EventKind,
    value: &'static str,
    /// The end of the names of the field and of its type.
    end: &'static str,
    /// The states of the node, each with the name or the beginning of the name of its field.
    states: &'static [(State, StateName)],
}

enum StateName {
    Whole(&'static str),
    Prefix(&'static str),
}

const KINDS: [KindNames; 3] = [
    KindNames {
        kind: EventKind::Created,
        value: "CREATE",
        end: "Created",
        states: &[(State::After, StateName::Prefix("created"))],
    },
    KindNames {
        kind: EventKind::Updated,
        value: stringify!(UPDATE),
        end: "Updated",
        states: &[
            (State::Before, StateName::Whole("previousState")),
            (State::After, StateName::Prefix("updated")),
        ],
    },
    KindNames {
        kind: EventKind::Deleted,
        value: "DELETE",
        end: "Deleted",
        states: &[(State::Before, StateName::Prefix("deleted"))],
    },
];

/// The name of the conditions on events of a type of nodes.
pub(crate) fn conditions_name(node: &str) -> String {
    format!("{node}SubscriptionWhere")
}

/// Adds the events of a type of nodes.
pub(super) fn events(build: &mut Builder<'_>, node: usize, attributes: &[Attribute<'_>]) {
    let Some(events) = build.model.nodes.get(node).map(|known| known.events) else { return };
    let Some(entity) = build.placed.nodes.get(node).map(|placed| placed.entity) else { return };
    if !events.are_some() {
        return;
    }
    event_type(build);
    let name = build.name(Target::Node(node));
    let singular = lower_camel(name);
    let conditions = conditions(build, node, name, attributes);
    let has_payload = payload(build, node, name, attributes);
    for KindNames { kind, value, end, states } in KINDS {
        if !events.has(kind) {
            continue;
        }
        let of_type = format!("{}{end}Event", upper_first(&singular));
        build.draft.object(&of_type);
        let value = ["\"", value, "\""].concat().into_bytes().into();
        build.show(&of_type, "event", "EventType!", FieldBinding::Literal(value));
        build.show(&of_type, "timestamp", "Float!", FieldBinding::EventTime);
        for (state, field) in states.iter().filter(|_| has_payload) {
            let field = match field {
                StateName::Whole(name) => (*name).to_owned(),
                StateName::Prefix(prefix) => [prefix, &*upper_first(&singular)].concat(),
            };
            let shown = format!("{name}EventPayload!");
            build.show(&of_type, &field, &shown, row(RowsFrom::EventState(*state), entity));
        }
        let binding = row(RowsFrom::Event(kind), entity);
        let field = DraftField::new(&format!("{singular}{end}"), &format!("{of_type}!"), binding);
        let field = match &conditions {
            Some(name) => {
                field.argument(DraftInput::lenient("where", name, FilterRole::Conditions))
            }
            None => field,
        };
        build.draft.add_field(SUBSCRIPTION, field);
    }
}

/// Notes the types whose `@authorization` does not apply to their events.
pub(super) fn note_authorization(builder: &mut ApiBuilder, model: &Model) {
    for (place, node) in model.nodes.iter().enumerate().filter(|(_, node)| node.events.are_some()) {
        let is_own = |written: &&WrittenRestriction| match written.place {
            WrittenPlace::Node { node, .. } | WrittenPlace::Field { node, .. } => node == place,
            WrittenPlace::Schema | WrittenPlace::Root(_) | WrittenPlace::RootField { .. } => false,
        };
        let own = || model.restrictions.iter().filter(is_own);
        let is_event = |action: &Action| matches!(action, Action::Receive(_));
        let is_of_events = |rule: &RowRule<WrittenNode>| rule.actions.iter().any(is_event);
        let has_events = own().flat_map(|written| &written.filters).any(is_of_events);
        let rules = own().flat_map(|written| written.filters.iter().chain(&written.validations));
        let has_rules = rules.filter(|rule| !is_of_events(rule)).count() > 0;
        if has_rules && !has_events {
            builder.note(Note {
                kind: NoteKind::Declaration,
                subject: (&*node.name).into(),
                message: "`@authorization` does not apply to the events of the type.".into(),
                remedy: "add `@subscriptionsAuthorization` to the type.".into(),
            });
        }
    }
}

fn event_type(build: &mut Builder<'_>) {
    let value = |name: &str| (EnumValueDefinition::new(name), ValueBinding::Label(name.into()));
    let values = EVENT_TYPES.into_iter().map(value).collect();
    build.draft.add(EVENT_TYPE, None, DraftKind::Enum { values });
}

fn row(from: RowsFrom, entity: catalog::EntityId) -> FieldBinding {
    FieldBinding::Rows(RowsBinding { from, entity, form: RowsForm::Single, default_limit: None })
}

/// Adds the conditions on the node's own properties; returns their name, if there are any.
fn conditions(
    build: &mut Builder<'_>,
    node: usize,
    name: &str,
    attributes: &[Attribute<'_>],
) -> Option<String> {
    let name = conditions_name(name);
    build.draft.input(&name);
    for attribute in attributes.iter().filter(|one| matches!(one.origin, Origin::Node(_))) {
        // As the library prints them: without the reasons of deprecated fields.
        attribute_conditions(build, &name, attribute, None);
    }
    if build.draft.inputs_of(&name).is_empty() {
        return None;
    }
    build.put_logic(&name, ["OR", "AND", "NOT"]);
    node_field::condition(build, node, &name, attributes);
    Some(name)
}

/// Adds the type of the node's own properties; returns false if it shows none.
fn payload(build: &mut Builder<'_>, node: usize, name: &str, attributes: &[Attribute<'_>]) -> bool {
    let name = format!("{name}EventPayload");
    let mut has_fields = false;
    for attribute in attributes.iter().filter(|attribute| attribute.is_shown()) {
        let field = match attribute.origin {
            Origin::Computed(_) => computed(build, node, attribute),
            _ => Some(column(build, attribute, objects::unserved())),
        };
        if let Some(field) = field {
            build.draft.add_field(&name, field);
            has_fields = true;
        }
    }
    has_fields
}

/// The field of a statement: the node of an event may not be there any more, so that the statement
/// is not executed.
fn computed(build: &mut Builder<'_>, node: usize, attribute: &Attribute<'_>) -> Option<DraftField> {
    let owner = Owner::Node(node);
    let place = build.fields(owner).iter().position(|own| own.name == attribute.field.name)?;
    let (statement, placed) = of_statement(build, owner, place, attribute.field)?;
    let call = StatementCall { statement, placed, of_row: true };
    let mut field = statement_field(build, attribute.field, call);
    for argument in &mut field.arguments {
        argument.binding = InputBinding::lenient(InputRole::Ignored);
    }
    field.binding = match attribute.property.is_required {
        true => FieldBinding::Refused("A computed field has no value in an event.".into()),
        false => FieldBinding::Literal(b"null"[..].into()),
    };
    Some(field)
}
