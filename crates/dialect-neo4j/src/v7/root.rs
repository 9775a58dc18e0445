//! The fields of the roots.

use super::connections::{add_aggregate, add_connection, limited, sorted};
use super::{groups, objects, sort};
use crate::model::{Offers, Target};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::mutations::{Mutations, add_mutations};
use crate::shared::rows::{add_edge, default_limit, filter};
use crate::shared::{node_field, variants};
use api::binding::{ArgumentRole, FieldBinding, RowsBinding, RowsForm, RowsFrom, WriteRole};

const QUERY: &str = "Query";

/// Adds the field that finds nodes by global ids, if a type has these.
pub(super) fn global_ids(build: &mut Builder<'_>) {
    build.draft.object(QUERY);
    node_field::root(build, objects::unserved());
}

/// The list of a union.
pub(super) fn union(build: &mut Builder<'_>, union: usize) {
    let Some(known) = build.model.unions.get(union) else { return };
    if known.offers.read && !known.members.is_empty() {
        list(build, Target::Union(union));
    }
}

/// The lists and the changes of a node type, or the lists of an interface that types implement.
pub(super) fn owner(build: &mut Builder<'_>, owner: Owner) {
    let offers = match owner {
        Owner::Node(index) => build.model.nodes.get(index).map(|known| known.offers),
        Owner::Interface(index) => {
            let known = build.model.interfaces.get(index);
            let known = known.filter(|known| !known.implementations.is_empty());
            known.map(|known| known.offers)
        }
    };
    let Some(offers) = offers else { return };
    if offers.connection || offers.aggregate {
        connection(build, owner, offers);
    }
    if offers.read {
        list(build, owner.into());
    }
    if let (Owner::Node(node), true) = (owner, build.options.mutations) {
        let facts = Mutations { nested: &[], role: WriteRole::Inputs, deprecated: None };
        add_mutations(build, node, &facts);
    }
}

/// `movies(where: …): [Movie!]!`.
fn list(build: &mut Builder<'_>, target: Target) {
    let own = build.name(target);
    let binding = rows(build, target, RowsForm::List);
    let field = DraftField::new(&build.names(target).plural, &format!("[{own}!]!"), binding)
        .argument(filter(build, target))
        .argument(limited(build, "limit", target))
        .argument(DraftInput::lenient("offset", "Int", ArgumentRole::Offset));
    let field = match sort::name(build, target) {
        Some(sort) => field.argument(sorted(&sort)),
        None => field,
    };
    build.draft.add_field(QUERY, field);
}

/// `moviesConnection(where: …): MoviesConnection!`.
fn connection(build: &mut Builder<'_>, owner: Owner, offers: Offers) {
    let target = Target::from(owner);
    let own = build.name(target);
    let names = build.names(target);
    let (name, r#type) = (names.plural.clone(), format!("{}Connection", names.pascal_plural()));
    let edge = format!("{own}Edge");
    // A relationship may have given its connection the name: then that is the type of both.
    if !build.draft.has(&r#type) {
        if offers.connection {
            add_edge(build, &edge, own);
        }
        add_connection(build, &r#type, offers.connection.then_some(&*edge));
        if offers.aggregate {
            add_aggregate(build, &r#type, &format!("{own}Aggregate"));
        }
        if let Owner::Node(node) = owner {
            groups::add(build, node, &r#type);
        }
    }
    let binding = rows(build, target, RowsForm::Connection);
    let field = DraftField::new(&format!("{name}Connection"), &format!("{type}!"), binding)
        .argument(limited(build, "first", target))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset))
        .argument(filter(build, target));
    let field = match sort::name(build, target) {
        Some(sort) => field.argument(sorted(&sort)),
        None => field,
    };
    build.draft.add_field(QUERY, field);
}

fn rows(build: &mut Builder<'_>, target: Target, form: RowsForm) -> FieldBinding {
    let default_limit = default_limit(build, target);
    match target {
        Target::Node(index) => match build.placed.nodes.get(index) {
            Some(placed) => {
                let (from, entity) = (RowsFrom::Entity, placed.entity);
                FieldBinding::Rows(RowsBinding { from, entity, form, default_limit })
            }
            None => objects::unserved(),
        },
        Target::Interface(_) | Target::Union(_) => match variants::of_root(build, target) {
            Some(variants) => variants.rows(form, true, default_limit),
            None => objects::unserved(),
        },
    }
}
