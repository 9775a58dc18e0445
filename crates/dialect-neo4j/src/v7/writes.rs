//! The inputs of new and of updated nodes.

use super::changes;
use super::link::links;
use crate::model::Target;
use crate::shared::attribute::Attribute;
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::Link;
use crate::shared::variants::of_member;
use api::binding::WriteRole;

/// Adds the inputs of stored values; those of nested writes are added later.
pub(super) fn inputs(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let own = build.name(owner.into());
    let (create, update) = (format!("{own}CreateInput"), format!("{own}UpdateInput"));
    match owner {
        Owner::Node(_) => {
            changes::created(build, &create, attributes);
            changes::updated(build, &update, attributes, true);
        }
        Owner::Interface(interface) => {
            build.draft.input(&create);
            for (number, node) in build.implementations(interface).iter().enumerate() {
                let name = build.name(Target::Node(*node));
                build.put(&create, name, &format!("{name}CreateInput"), of_member(number));
            }
            changes::updated(build, &update, attributes, false);
            let has_links = links(build, owner).iter().any(Link::is_list);
            if !has_links {
                build.fill(&update, WriteRole::Inputs);
            }
        }
    }
}

/// Adds the field of empty inputs to those without others.
pub(super) fn fill_empty(build: &mut Builder<'_>, owner: Owner) {
    let Owner::Node(_) = owner else { return };
    let own = build.name(owner.into());
    build.fill(&format!("{own}UpdateInput"), WriteRole::Inputs);
    build.fill(&format!("{own}CreateInput"), WriteRole::Inputs);
}
