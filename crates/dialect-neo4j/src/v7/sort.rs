//! The orders that lists can have.

use super::attribute::{Attribute, Spot};
use super::build::{Build, Owner};
use super::link::Link;
use crate::model::Target;
use crate::shared::draft::{DraftInput, DraftKind};
use crate::shared::naming::upper_first;
use api::binding::{InputBinding, OrderRole};

/// The order of nodes, if they have one.
pub(super) fn owner(build: &mut Build<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let sorted: Vec<_> = attributes.iter().filter(|attribute| attribute.is_sorted()).collect();
    if sorted.is_empty() {
        return;
    }
    let name = format!("{}Sort", build.name(owner.into()));
    let several = upper_first(&build.names(owner.into()).plural);
    let text = format!(
        "Fields to sort {several} by. The order in which sorts are applied is not guaranteed when \
         specifying many fields in one {name} object."
    );
    let fields = sorted.into_iter().map(|attribute| direction(attribute)).collect();
    build.draft.add(&name, Some(&text), DraftKind::Input { fields, form: None });
}

/// The order of relationships by their properties; the library has lists in it as well.
pub(super) fn properties(build: &mut Build<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let name = format!("{name}Sort");
    build.draft.input(&name);
    for attribute in attributes {
        let input = direction(attribute).deprecated(attribute.field.deprecated.as_ref());
        build.draft.add_input(&name, input);
    }
}

/// The name of the order of the nodes of a type, if they have one.
pub(super) fn name(build: &Build<'_>, target: Target) -> Option<String> {
    let attributes = build.target_attributes(target);
    let is_sorted = attributes.iter().any(Attribute::is_sorted);
    is_sorted.then(|| format!("{}Sort", build.name(target)))
}

/// The order of a connection, if it has one: of its nodes, and of the relationships to them.
pub(super) fn connection(build: &mut Build<'_>, link: &Link<'_>) -> Option<String> {
    let node = name(build, link.target());
    if node.is_none() && !link.has_properties() {
        return None;
    }
    let own = format!("{}Sort", link.connection_type());
    if build.draft.has(&own) {
        return Some(own);
    }
    let edge = link.has_properties().then(|| format!("{}Sort", link.edge));
    for (name, r#type) in [("node", node), ("edge", edge)] {
        if let Some(r#type) = r#type {
            let binding = InputBinding::lenient(OrderRole::Sort);
            build.draft.add_input(&own, DraftInput::new(name, &r#type, binding));
        }
    }
    Some(own)
}

fn direction(attribute: &Attribute<'_>) -> DraftInput {
    let binding = match attribute.spot {
        Spot::Node(field) => InputBinding::lenient(OrderRole::Field(field)),
        Spot::Edge(field) => InputBinding::lenient(OrderRole::Edge(field)),
        Spot::Common(place) => InputBinding::lenient(OrderRole::Common(place)),
        Spot::Made(made) => InputBinding::lenient(OrderRole::Computed(made.function)),
        Spot::Apart => super::conditions::several(),
    };
    DraftInput::new(attribute.name(), "SortDirection", binding)
}
