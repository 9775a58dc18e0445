//! The subscriptions of the schema. Nothing serves them yet: each is an error that says so, while
//! clients that are generated from the schema have all of its types.

use api::InputBinding;
use api::binding::{FieldBinding, InputRole};
use api::draft::{DraftField, DraftInput};

use super::builder::{Builder, described, lower_first, required_if};
use super::type_order::type_order;
use crate::model::{FieldKind, TypeIndex};

const NOT_SERVED: &str =
    "Subscriptions of Prisma's API are not served: ask for the rows again, or poll them.";

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
        let condition = input("where", &format!("{name}SubscriptionWhereInput"));
        let field = refused(&lower_first(&name), &format!("{name}SubscriptionPayload"));
        fields.push(field.with(vec![condition]));
    }
    if !fields.is_empty() {
        build.object("Subscription", fields);
    }
}

fn refused(name: &str, r#type: &str) -> DraftField {
    DraftField::new(name, r#type, FieldBinding::Refused(NOT_SERVED.into()))
}

fn input(name: &str, r#type: &str) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(InputRole::Refused(NOT_SERVED.into())))
}

fn add_payload(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let previous = r#type.fields.iter().filter_map(|field| match &field.kind {
        FieldKind::Scalar(scalar) => {
            let scalar = build.scalar_name(scalar.r#type);
            Some(refused(&field.name, &required_if(field.is_required, scalar)))
        }
        FieldKind::ScalarList { r#type, .. } => {
            Some(refused(&field.name, &format!("[{}!]!", build.scalar_name(*r#type))))
        }
        FieldKind::Relation { .. } => None,
    });
    let previous: Vec<DraftField> = previous.collect();
    let mut fields = vec![
        refused("mutation", "MutationType!"),
        refused("node", name),
        refused("updatedFields", "[String!]"),
    ];
    if !previous.is_empty() {
        fields.push(refused("previousValues", &format!("{name}PreviousValues")));
        build.object(&format!("{name}PreviousValues"), previous);
    }
    build.object(&format!("{name}SubscriptionPayload"), fields);
}

fn add_conditions(build: &mut Builder<'_>, name: &str) {
    let own = format!("{name}SubscriptionWhereInput");
    let list = format!("[{own}!]");
    let members = vec![
        described(input("AND", &list), AND),
        described(input("OR", &list), OR),
        described(input("NOT", &list), NOT),
        described(input("mutation_in", "[MutationType!]"), MUTATION_IN),
        described(input("updatedFields_contains", "String"), CONTAINS),
        described(input("updatedFields_contains_every", "[String!]"), CONTAINS_EVERY),
        described(input("updatedFields_contains_some", "[String!]"), CONTAINS_SOME),
        input("node", &format!("{name}WhereInput")),
    ];
    build.input(&own, members);
}
