//! Which root fields there are, and where a field stands.

use graphql::definitions::Literal;

use super::directives::{Arguments, Known, Said, UPDATE};
use super::problem::{At, Problems};
use crate::model::{ApiVersion, Events, FieldOffers, Limit, Offers};

/// What a type offers, or without one the schema. A type's directives come before the schema's.
pub(super) fn offers(
    version: ApiVersion,
    of_type: Option<&Said<'_>>,
    of_schema: &Said<'_>,
) -> Offers {
    let mut offers = Offers::default();
    let said = |known| {
        let own = of_type.and_then(|said| said.find(known));
        own.or_else(|| of_schema.find(known))
    };
    if let Some(query) = said(Known::Query) {
        offers.read = query.boolean("read").unwrap_or(true);
        offers.connection = query.boolean("connection").unwrap_or(offers.read);
        // Not as where nothing is said.
        offers.aggregate = query.boolean("aggregate").unwrap_or(false);
    }
    if let Some(mutation) = said(Known::Mutation) {
        let (create, update, delete) = changes(mutation);
        (offers.create, offers.update, offers.delete) = (create, update, delete);
    }
    if let (ApiVersion::V3, Some(exclude)) = (version, said(Known::Exclude)) {
        let words = exclude.words("operations");
        let keeps = |word: &str| match &words {
            Some(words) => !words.iter().any(|one| &***one == word),
            None => false,
        };
        offers = Offers {
            read: keeps("READ"),
            connection: keeps("READ"),
            aggregate: keeps("READ"),
            create: keeps("CREATE"),
            update: keeps(UPDATE),
            delete: keeps("DELETE"),
        };
    }
    offers
}

/// The events of a type: its own `@subscription` precedes that of the schema. Version 3 has events by
/// an option of the program only.
pub(super) fn events(version: ApiVersion, of_type: &Said<'_>, of_schema: &Said<'_>) -> Events {
    let own = of_type.find(Known::Subscription);
    let said = own.or_else(|| of_schema.find(Known::Subscription));
    let Some(said) = said.filter(|_| version == ApiVersion::V7) else { return Events::default() };
    let Some(words) = said.words("events") else {
        return Events { created: true, updated: true, deleted: true };
    };
    let has = |word: &str| words.iter().any(|one| &***one == word);
    Events { created: has("CREATED"), updated: has("UPDATED"), deleted: has("DELETED") }
}

/// Interfaces and unions take from the schema's `@query` a connection only if it says so.
pub(super) fn offers_of_abstract(
    version: ApiVersion,
    of_type: &Said<'_>,
    of_schema: &Said<'_>,
) -> Offers {
    let mut offers = offers(version, Some(of_type), of_schema);
    if let (None, Some(query)) = (of_type.find(Known::Query), of_schema.find(Known::Query)) {
        offers.connection = query.boolean("connection").unwrap_or(false);
    }
    offers
}

fn changes(mutation: Arguments<'_>) -> (bool, bool, bool) {
    let Some(words) = mutation.words("operations") else { return (true, true, true) };
    let has = |word: &str| words.iter().any(|one| &***one == word);
    (has("CREATE"), has(UPDATE), has("DELETE"))
}

/// Where a field stands.
pub(super) fn field_offers(said: &Said<'_>) -> FieldOffers {
    let mut offers = FieldOffers { grouped: said.has(Known::GroupBy), ..FieldOffers::ALL };
    if let Some(selectable) = said.find(Known::Selectable) {
        offers.on_read = selectable.boolean("onRead").unwrap_or(true);
        offers.on_aggregate = selectable.boolean("onAggregate").unwrap_or(false);
    }
    if let Some(settable) = said.find(Known::Settable) {
        offers.on_create = settable.boolean("onCreate").unwrap_or(true);
        offers.on_update = settable.boolean("onUpdate").unwrap_or(true);
    }
    if let Some(filterable) = said.find(Known::Filterable) {
        offers.by_value = filterable.boolean("byValue").unwrap_or(true);
        offers.by_aggregate = filterable.boolean("byAggregate").unwrap_or(false);
    }
    if let Some(sortable) = said.find(Known::Sortable) {
        offers.sortable = sortable.boolean("byValue").unwrap_or(true);
    }
    // version 3's `@readonly` values are given when a node is created.
    if said.has(Known::Readonly) {
        offers.on_update = false;
    }
    // version 3's `@writeonly` values are aggregated, compared and sorted by.
    if said.has(Known::Writeonly) {
        offers.on_read = false;
    }
    if said.has(Known::Private) {
        offers = FieldOffers {
            on_read: false,
            on_aggregate: false,
            on_create: false,
            on_update: false,
            by_value: false,
            by_aggregate: false,
            sortable: false,
            grouped: false,
        };
    }
    offers
}

/// `@limit`, and version 3's `@queryOptions`.
pub(super) fn limit(said: &Said<'_>, at: At<'_>, problems: &mut Problems) -> Limit {
    let (line, default, max) = if let Some(limit) = said.find(Known::Limit) {
        (limit.line(), limit.value("default"), limit.value("max"))
    } else if let Some(options) = said.find(Known::QueryOptions) {
        let member = |name: &str| match options.value("limit")? {
            Literal::Object(fields) => {
                let mut fields = fields.iter();
                fields.find(|(field, _)| &**field == name).map(|(_, value)| value)
            }
            _ => None,
        };
        (options.line(), member("default"), member("max"))
    } else {
        return Limit::default();
    };
    let at = at.on_line(line);
    let mut number = |name: &str, value: Option<&Literal>| {
        let Literal::Int(digits) = value? else { return None };
        let number = digits.parse::<u32>().ok().filter(|number| *number > 0);
        if number.is_none() {
            problems.wrong(at, format!("the {name} of its limit is {digits}, but at least 1"));
        }
        number
    };
    let limit = Limit { default: number("default", default), max: number("max", max) };
    if let (Some(default), Some(max)) = (limit.default, limit.max)
        && max < default
    {
        let message = format!("the default of its limit is {default}, but {max} at most");
        problems.wrong(at, message);
    }
    limit
}
