//! The arguments of fields of several rows.

use graphql::schema::{FieldId, InputDefinition, TypeId, TypeRef};
use graphql::value::Const;

use super::build::{Build, input};
use super::entity::Served;
use super::{Version, descriptions, filter, order};
use api::binding::{ArgumentRole, FilterRole, InputBinding};

/// Forms of several rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collection {
    Connection,
    List,
}

/// Adds `first`, `offset`, `orderBy` and `condition`, and to connections `last`, `before` and
/// `after`.
pub(super) fn add(build: &mut Build<'_>, field: FieldId, collection: Collection, of: &Served<'_>) {
    add_page(build, field, collection);
    let default = (collection == Collection::Connection).then(|| default_order(of));
    add_order(build, field, default, of);
    add_condition(build, field, of);
    add_filter(build, field, of);
}

/// Adds `orderBy`.
pub(super) fn add_order(
    build: &mut Build<'_>,
    field: FieldId,
    default: Option<Const>,
    of: &Served<'_>,
) {
    let Some(order) = of.types.and_then(|types| types.order) else { return };
    let r#type = TypeRef::named(order).non_null().list();
    add_order_of_type(build, field, default, of, r#type);
}

/// Adds `orderBy` to the edge of a payload.
pub(super) fn add_order_of_edge(build: &mut Build<'_>, field: FieldId, of: &Served<'_>) {
    let Some(order) = of.types.and_then(|types| types.order) else { return };
    let r#type = TypeRef::named(order).non_null().list();
    let r#type = r#type.non_null_if(build.options.version == Version::Five);
    add_order_of_type(build, field, Some(default_order(of)), of, r#type);
}

fn add_order_of_type(
    build: &mut Build<'_>,
    field: FieldId,
    default: Option<Const>,
    of: &Served<'_>,
    r#type: TypeRef,
) {
    let definition = input("orderBy", &descriptions::order_by(&of.name), r#type);
    let definition = InputDefinition { default: default.map(Box::new), ..definition };
    build.api.add_argument(field, definition, InputBinding::lenient(ArgumentRole::OrderBy));
}

/// Adds `condition`.
pub(super) fn add_condition(build: &mut Build<'_>, field: FieldId, of: &Served<'_>) {
    let Some(condition) = of.types.and_then(|types| types.condition) else { return };
    let definition = input("condition", descriptions::CONDITION, TypeRef::named(condition));
    build.api.add_argument(field, definition, InputBinding::lenient(FilterRole::Conditions));
}

/// Adds `filter`, where the API has it.
pub(super) fn add_filter(build: &mut Build<'_>, field: FieldId, of: &Served<'_>) {
    let filter = of.types.and_then(|types| types.filter);
    if let (Some(r#type), Some(options)) = (filter, &build.options.connection_filter) {
        add_filter_of(build, field, r#type, filter::argument(options));
    }
}

/// Adds `filter` of this type.
pub(super) fn add_filter_of(
    build: &mut Build<'_>,
    field: FieldId,
    r#type: TypeId,
    binding: InputBinding,
) {
    let definition = input("filter", descriptions::FILTER, TypeRef::named(r#type));
    build.api.add_argument(field, definition, binding);
}

/// Adds `first` and `offset`, and to connections `last`, `before` and `after`.
pub(super) fn add_page(build: &mut Build<'_>, field: FieldId, collection: Collection) {
    match collection {
        Collection::Connection => add_pages(build, field, Pages::BothWays),
        Collection::List => add_pages(build, field, Pages::ByOffset),
    }
}

/// Adds the pages of a function's rows. Those of version 5 are read forwards only.
pub(super) fn add_page_of_function(build: &mut Build<'_>, field: FieldId, collection: Collection) {
    match (build.options.version, collection) {
        (Version::Five, Collection::Connection) => add_pages(build, field, Pages::Forwards),
        (Version::Four | Version::Five, _) => add_page(build, field, collection),
    }
}

/// The arguments that choose a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pages {
    ByOffset,
    Forwards,
    BothWays,
}

fn add_pages(build: &mut Build<'_>, field: FieldId, pages: Pages) {
    let Some(int) = build.scalar("Int") else { return };
    let (offset, cursor) = match pages {
        Pages::ByOffset => (descriptions::LIST_OFFSET, None),
        Pages::Forwards | Pages::BothWays => {
            (descriptions::CONNECTION_OFFSET, build.scalar("Cursor"))
        }
    };
    let mut add = |definition, role| {
        build.api.add_argument(field, definition, InputBinding::lenient(role));
    };
    let has_backwards = cursor.is_some() && pages == Pages::BothWays;
    add(input("first", descriptions::FIRST, int), ArgumentRole::Limit);
    if has_backwards {
        add(input("last", descriptions::LAST, int), ArgumentRole::Last);
    }
    add(input("offset", offset, int), ArgumentRole::Offset);
    if let Some(cursor) = cursor {
        if has_backwards {
            add(input("before", descriptions::BEFORE, cursor), ArgumentRole::Before);
        }
        add(input("after", descriptions::AFTER, cursor), ArgumentRole::After);
    }
}

/// The order of a list without a requested one.
pub(super) fn default_order(of: &Served<'_>) -> Const {
    let name = if of.primary_key().is_empty() { order::NATURAL } else { order::PRIMARY_KEY_ASC };
    Const::List(vec![Const::Enum(name.into())])
}
