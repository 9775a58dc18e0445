//! Orders and pages of lists.

use super::classes::{USUAL, stored};
use super::descriptions::sort_option;
use super::roles::{limit, unserved};
use super::statements::statement_orders;
use crate::model::Target;
use crate::shared::attribute::Attribute;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftInput, DraftKind};
use crate::shared::sort;
use api::binding::{ArgumentRole, InputBinding};

/// Adds the input types for the order and the page of lists of a node type or an interface.
pub(super) fn add_orders(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let target = Target::from(owner);
    let options = format!("{}Options", build.name(target));
    let most = crate::shared::rows::limit(build, target).max;
    if let Owner::Interface(_) = owner {
        put_page(build, &options, ["limit", "offset"], most);
    }
    let names = build.names(target);
    let (several, list) = match owner {
        Owner::Node(_) => (names.pascal_plural(), "!"),
        Owner::Interface(_) => (names.several.clone(), ""),
    };
    if let Some(sort) = add_sort(build, owner, attributes, &several) {
        let input = DraftInput::lenient("sort", &format!("[{sort}{list}]"), ArgumentRole::Sort);
        build.draft.add_input(&options, input.described(&sort_option(&several, &sort)));
    }
    put_page(build, &options, ["limit", "offset"], most);
}

/// Adds the page of lists of unions.
pub(super) fn add_query_options(build: &mut Builder<'_>) {
    put_page(build, "QueryOptions", ["offset", "limit"], None);
}

/// Adds the order by the properties of a relationship: by all that are shown, lists too.
pub(super) fn add_edge_orders(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let sort = format!("{name}Sort");
    build.draft.input(&sort);
    for one in stored(attributes, &USUAL) {
        if one.field.offers.on_read {
            build.draft.add_input(&sort, sort::direction(&one, order_unserved()));
        }
    }
}

/// Adds the type of orders, if rows can be ordered by anything.
fn add_sort(
    build: &mut Builder<'_>,
    owner: Owner,
    attributes: &[Attribute<'_>],
    several: &str,
) -> Option<String> {
    let mut sortable = stored(attributes, &USUAL);
    sortable.retain(Attribute::is_sorted);
    let mut fields: Vec<DraftInput> = Vec::new();
    fields.extend(sortable.iter().map(|one| {
        sort::direction(one, order_unserved()).deprecated(one.field.deprecated.as_ref())
    }));
    fields.extend(statement_orders(build, owner));
    if fields.is_empty() {
        return None;
    }
    let sort = format!("{}Sort", build.name(owner.into()));
    build.draft.add(
        &sort,
        Some(&sort::description(several, &sort)),
        DraftKind::Input { fields, form: None },
    );
    Some(sort)
}

fn order_unserved() -> InputBinding {
    unserved("An order by what statements give of nodes of several types")
}

fn put_page(build: &mut Builder<'_>, options: &str, names: [&str; 2], most: Option<u32>) {
    for name in names {
        let binding = match name {
            "limit" => limit(most),
            _ => InputBinding::lenient(ArgumentRole::Offset),
        };
        build.put(options, name, "Int", binding);
    }
}
