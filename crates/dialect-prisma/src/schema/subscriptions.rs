//! The subscriptions of the schema: events of the rows that mutations create, update and delete.

use api::InputBinding;
use api::binding::{
    ArgumentRole, EventPart, EventRole, FieldBinding, InputRole, NamedValue, ValuePlace,
};
use api::draft::{DraftField, DraftInput};

use super::builder::{Builder, described, lower_first, required_if};
use super::objects::MISSING;
use super::rows;
use super::type_order::type_order;
use crate::located::LocatedField;
use crate::model::{FieldKind, TypeIndex};

const AND: &str = "Logical AND on all given filters.";
const OR: &str = "Logical OR on all given filters.";
const NOT: &str = "Logical NOT on all given filters combined by AND.";
const MUTATION_IN: &str = "The subscription event gets dispatched when it's listed in mutation_in";
const CONTAINS: &str = "The subscription event gets only dispatched when one of the updated fields \
     names is included in this list";
const CONTAINS_EVERY: &str = "The subscription event gets only dispatched when all of the field \
     names included in this list have been updated";
const CONTAINS_SOME: &str = "The subscription event gets only dispatched when some of the field \
     names included in this list have been updated";

/// Adds the subscriptions to the rows of all types.
pub(super) fn add(build: &mut Builder<'_>) {
    let types = type_order(build.model);
    let mut fields = Vec::with_capacity(types.len());
    for index in types {
        let name = build.r#type(index).name.clone();
        add_payload(build, index);
        add_conditions(build, &name);
        let own = format!("{name}SubscriptionWhereInput");
        let condition = input("where", &own, EventRole::Conditions);
        let binding = match build.located.r#type(index) {
            Some(_) => FieldBinding::RowEvent(rows::id(index)),
            None => FieldBinding::Refused(MISSING.into()),
        };
        let payload = format!("{name}SubscriptionPayload");
        fields.push(DraftField::new(&lower_first(&name), &payload, binding).with(vec![condition]));
    }
    if !fields.is_empty() {
        build.object("Subscription", fields);
    }
}

/// The values of the rows of a type that their events have.
pub(super) fn values(build: &Builder<'_>, index: TypeIndex) -> Vec<NamedValue> {
    let fields = build.r#type(index).fields.iter().enumerate();
    let value = |(place, field): (usize, &crate::model::Field)| {
        let value = match build.located.field(index, place) {
            LocatedField::Column(column) => ValuePlace::Field(column.field),
            LocatedField::List(list) => {
                ValuePlace::Elements { hop: list.hop, rows: rows::elements(list) }
            }
            LocatedField::Missing | LocatedField::Relation => return None,
        };
        Some(NamedValue { name: field.name.clone(), place: value })
    };
    fields.filter_map(value).collect()
}

fn part(name: &str, r#type: &str, part: EventPart) -> DraftField {
    DraftField::new(name, r#type, FieldBinding::EventPart(part))
}

fn input(name: &str, r#type: &str, role: EventRole) -> DraftInput {
    let role = InputRole::Argument(ArgumentRole::Event(role));
    DraftInput::new(name, r#type, InputBinding::lenient(role))
}

fn add_payload(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let former =
        |field: &str, r#type: &str| part(field, r#type, EventPart::FormerValue(field.into()));
    let previous = r#type.fields.iter().filter_map(|field| match &field.kind {
        FieldKind::Scalar(scalar) => {
            let scalar = build.scalar_name(scalar.r#type);
            Some(former(&field.name, &required_if(field.is_required, scalar)))
        }
        FieldKind::ScalarList { r#type, .. } => {
            Some(former(&field.name, &format!("[{}!]!", build.scalar_name(*r#type))))
        }
        FieldKind::Relation { .. } => None,
    });
    let previous: Vec<DraftField> = previous.collect();
    let mut fields = vec![
        part("mutation", "MutationType!", EventPart::Kind),
        part("node", name, EventPart::Row),
        part("updatedFields", "[String!]", EventPart::UpdatedFields),
    ];
    if !previous.is_empty() {
        let of_type = format!("{name}PreviousValues");
        fields.push(part("previousValues", &of_type, EventPart::FormerValues));
        build.object(&of_type, previous);
    }
    build.object(&format!("{name}SubscriptionPayload"), fields);
}

fn add_conditions(build: &mut Builder<'_>, name: &str) {
    let own = format!("{name}SubscriptionWhereInput");
    let list = format!("[{own}!]");
    let members = vec![
        described(input("AND", &list, EventRole::And), AND),
        described(input("OR", &list, EventRole::Or), OR),
        described(input("NOT", &list, EventRole::Not), NOT),
        described(input("mutation_in", "[MutationType!]", EventRole::KindIn), MUTATION_IN),
        described(input("updatedFields_contains", "String", EventRole::Sets), CONTAINS),
        described(
            input("updatedFields_contains_every", "[String!]", EventRole::SetsEvery),
            CONTAINS_EVERY,
        ),
        described(
            input("updatedFields_contains_some", "[String!]", EventRole::SetsSome),
            CONTAINS_SOME,
        ),
        input("node", &format!("{name}WhereInput"), EventRole::Row),
    ];
    build.input(&own, members);
}
