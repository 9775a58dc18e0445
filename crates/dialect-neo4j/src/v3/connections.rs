//! Relationships as connections, with their properties.

use super::descriptions::NEGATION;
use super::objects::add_edges;
use super::related::{add_any, add_quantities, directed_argument, null_connection, rows};
use super::roles::{filter, limit, of_variant};
use crate::model::Target;
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::link::Link;
use crate::shared::rows::{EDGES_FIRST, add_page, limit as limit_of};
use api::binding::{ArgumentRole, FilterRole, OrderRole, RowsForm};

/// The connection of a relationship, its conditions, and the condition on it.
pub(super) fn add_connection<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    add_edges(build, link);
    let connection = link.shared("Connection");
    add_page(build, &connection, &link.shared("Relationship"), EDGES_FIRST);
    let r#where = link.shared("ConnectionWhere");
    add_connection_where(build, link, &r#where);
    let name = format!("{}Connection", link.name());
    let of_source = format!("{}Where", link.source);
    add_any(build, &of_source, &name, &r#where, link, null_connection());
    add_quantities(build, &of_source, &name, (&connection, &r#where), link, false);

    let sort = add_connection_sort(build, link);
    if !link.field.offers.on_read {
        return;
    }
    let binding = rows(build, link, RowsForm::Connection);
    let most = limit_of(build, link.target()).max;
    let mut field = DraftField::new(&name, &format!("{connection}!"), binding)
        .deprecated(link.field.deprecated.as_ref())
        .argument(DraftInput::lenient("where", &r#where, FilterRole::Conditions))
        .argument(DraftInput::new("first", "Int", limit(most)))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset));
    field.arguments.extend(directed_argument(link));
    if let Some(sort) = sort {
        let sort = DraftInput::lenient("sort", &format!("[{sort}!]"), ArgumentRole::Sort);
        field.arguments.push(sort);
    }
    build.draft.add_field(link.source, field);
}

fn add_connection_where<'m>(build: &mut Builder<'m>, link: &Link<'m>, r#where: &str) {
    let target = link.target();
    if let Target::Union(_) = target {
        let all = build.variant_types(target);
        for place in &all {
            let member = build.name(Target::Node(*place));
            let of_member = format!("{}{member}ConnectionWhere", link.shared(""));
            build.put_logic(&of_member, ["OR", "AND", "NOT"]);
            put_both(build, &of_member, "node", &format!("{member}Where"));
            put_edge_conditions(build, link, &of_member);
            build.put(r#where, member, &of_member, of_variant(&all, *place));
        }
        return;
    }
    build.put_logic(r#where, ["AND", "OR", "NOT"]);
    put_edge_conditions(build, link, r#where);
    let name = build.name(target);
    put_both(build, r#where, "node", &format!("{name}Where"));
}

fn put_edge_conditions<'m>(build: &mut Builder<'m>, link: &Link<'m>, r#where: &str) {
    if link.has_properties() {
        put_both(build, r#where, "edge", &format!("{}Where", link.edge));
    }
}

/// Adds a condition and its `_NOT`, which the library evaluates as the same.
fn put_both(build: &mut Builder<'_>, r#where: &str, name: &str, r#type: &str) {
    build.put(r#where, name, r#type, filter());
    build.put_for(r#where, &format!("{name}_NOT"), r#type, filter(), Some(NEGATION));
}

/// The type of the orders of a connection, if it can be ordered by anything.
fn add_connection_sort<'m>(build: &mut Builder<'m>, link: &Link<'m>) -> Option<String> {
    let sort = link.shared("ConnectionSort");
    let edge = link.has_properties().then(|| format!("{}Sort", link.edge));
    let node = match link.target() {
        Target::Union(_) => None,
        target => Some(format!("{}Sort", build.name(target))),
    };
    // The types that all node types have are made before all of this.
    let node = node.filter(|node| build.draft.has(node));
    if edge.is_none() && node.is_none() {
        return None;
    }
    for (name, r#type) in [("edge", edge), ("node", node)] {
        if let Some(r#type) = r#type {
            build.put_lenient(&sort, name, &r#type, OrderRole::Sort);
        }
    }
    Some(sort)
}
