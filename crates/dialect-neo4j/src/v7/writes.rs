//! The inputs of new and of changed nodes, and what changes give.

use super::attribute::Attribute;
use super::build::{Build, Owner};
use super::changes;
use super::conditions::of_member;
use super::link::Link;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput};
use api::binding::{FieldBinding, InputBinding, PayloadField, WriteRole};

/// What is said of the only input of an object that has no others.
const EMPTY: &str = "Appears because this input type would be empty otherwise because this type is \
    composed of just generated and/or relationship properties. See \
    https://neo4j.com/docs/graphql-manual/current/troubleshooting/faqs/";

/// The inputs of stored values; those of what a node is connected with are added later.
pub(super) fn inputs(build: &mut Build<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let own = build.name(owner.into());
    let (create, update) = (format!("{own}CreateInput"), format!("{own}UpdateInput"));
    match owner {
        Owner::Node(_) => {
            changes::created(build, &create, attributes);
            changes::updated(build, &update, attributes, true);
            responses(build, owner);
        }
        Owner::Interface(interface) => {
            build.draft.input(&create);
            for (number, node) in build.implementations(interface).iter().enumerate() {
                let name = build.name(Target::Node(*node));
                let input = DraftInput::new(name, &format!("{name}CreateInput"), of_member(number));
                build.draft.add_input(&create, input);
            }
            changes::updated(build, &update, attributes, false);
            let has_links = build.links(owner).iter().any(Link::is_list);
            if build.draft.inputs_of(&update).is_empty() && !has_links {
                add_empty(build, &update);
            }
        }
    }
}

/// Gives inputs without fields the one that says so.
pub(super) fn fill_empty(build: &mut Build<'_>, owner: Owner) {
    let Owner::Node(_) = owner else { return };
    let own = build.name(owner.into());
    for name in [format!("{own}UpdateInput"), format!("{own}CreateInput")] {
        if build.draft.inputs_of(&name).is_empty() {
            add_empty(build, &name);
        }
    }
}

fn add_empty(build: &mut Build<'_>, name: &str) {
    let binding = InputBinding::lenient(WriteRole::Inputs);
    build
        .draft
        .add_input(name, DraftInput::new("_emptyInput", "Boolean", binding).described(EMPTY));
}

/// `CreateMoviesMutationResponse` and that of updates.
fn responses(build: &mut Build<'_>, owner: Owner) {
    let names = build.names(owner.into());
    let (several, field) = (names.pascal_plural(), names.plural.clone());
    let own = build.name(owner.into());
    for verb in ["Create", "Update"] {
        let name = format!("{verb}{several}MutationResponse");
        let counters = FieldBinding::Payload(PayloadField::Counters);
        let info = DraftField::new("info", &format!("{verb}Info!"), counters);
        build.draft.add_field(&name, info);
        let rows = FieldBinding::Payload(PayloadField::Rows);
        build.draft.add_field(&name, DraftField::new(&field, &format!("[{own}!]!"), rows));
    }
}
