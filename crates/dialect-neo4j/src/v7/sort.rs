//! The orders that lists can have.

use super::conditions::several;
use crate::model::Target;
use crate::shared::attribute::{Attribute, target_attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::DraftKind;
use crate::shared::link::Link;
use crate::shared::naming::upper_first;
use crate::shared::sort::{description, direction};
use api::binding::OrderRole;

/// The order of nodes, if they have one.
pub(super) fn owner(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let sorted: Vec<_> = attributes.iter().filter(|attribute| attribute.is_sorted()).collect();
    if sorted.is_empty() {
        return;
    }
    let name = format!("{}Sort", build.name(owner.into()));
    let rows = upper_first(&build.names(owner.into()).plural);
    let text = description(&rows, &name);
    let fields = sorted.into_iter().map(|attribute| direction(attribute, several())).collect();
    build.draft.add(&name, Some(&text), DraftKind::Input { fields, form: None });
}

/// The order of relationships by their properties; the library has lists in it as well.
pub(super) fn properties(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let name = format!("{name}Sort");
    build.draft.input(&name);
    for attribute in attributes {
        let input = direction(attribute, several()).deprecated(attribute.field.deprecated.as_ref());
        build.draft.add_input(&name, input);
    }
}

/// The name of the order of the nodes of a type, if they have one.
pub(super) fn name(build: &Builder<'_>, target: Target) -> Option<String> {
    let attributes = target_attributes(build, target);
    let is_sorted = attributes.iter().any(Attribute::is_sorted);
    is_sorted.then(|| format!("{}Sort", build.name(target)))
}

/// The order of a connection, if it has one: of its nodes, and of the relationships to them.
pub(super) fn connection(build: &mut Builder<'_>, link: &Link<'_>) -> Option<String> {
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
            build.put_lenient(&own, name, &r#type, OrderRole::Sort);
        }
    }
    Some(own)
}
