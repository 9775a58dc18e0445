//! Descriptions of the API in PostGraphile's words: clients and generated documentation compare
//! schemas by their text. So the line breaks are PostGraphile's, too.
//!
//! * [`mutations`]: descriptions of mutations
//! * [`subscriptions`]: descriptions of subscriptions
//! * [`wrap`](mod@wrap): line breaks in texts that contain names

pub(super) mod beyond;
pub(super) mod mutations;
pub(super) mod subscriptions;
mod wrap;

use wrap::wrap;

pub(super) const QUERY: &str =
    "The root query type which gives access points into the data universe.";
pub(super) const QUERY_QUERY: &str = "Exposes the root query type nested one level down. This is \
     helpful for Relay 1\nwhich can only query top level fields if they are in a particular form.";
pub(super) const QUERY_NODE_ID: &str = "The root query type must be a `Node` to work well with \
     Relay 1 mutations. This just resolves to `query`.";
pub(super) const NODE: &str = "An object with a globally unique `ID`.";
pub(super) const NODE_ID: &str = "A globally unique identifier. Can be used in various places \
     throughout the system to identify this single value.";

pub(super) const FIRST: &str = "Only read the first `n` values of the set.";
pub(super) const LAST: &str = "Only read the last `n` values of the set.";
pub(super) const BEFORE: &str = "Read all values in the set before (above) this cursor.";
pub(super) const AFTER: &str = "Read all values in the set after (below) this cursor.";
pub(super) const QUERY_NODE: &str = "Fetches an object given its globally unique `ID`.";
pub(super) const NODE_ARGUMENT: &str = "The globally unique `ID`.";
pub(super) const CONNECTION_OFFSET: &str = "Skip the first `n` values from our `after` cursor, an \
     alternative to cursor\nbased pagination. May not be used with `last`.";
pub(super) const LIST_OFFSET: &str = "Skip the first `n` values.";
pub(super) const CONDITION: &str =
    "A condition to be used in determining which values should be returned by the collection.";

pub(super) const FILTER: &str =
    "A filter to be used in determining which values should be returned by the collection.";
pub(super) const FILTER_AND: &str = "Checks for all expressions in this list.";
pub(super) const FILTER_OR: &str = "Checks for any expressions in this list.";
pub(super) const FILTER_NOT: &str = "Negates the expression.";
pub(super) const NO_NULL_FILTER: &str = "Null literals are forbidden in filter argument input.";
pub(super) const NO_EMPTY_FILTER: &str = "Empty objects are forbidden in filter argument input.";

pub(super) const PAGE_INFO_FIELD: &str = "Information to aid in pagination.";
pub(super) const PAGE_INFO: &str = "Information about pagination in a connection.";
pub(super) const HAS_NEXT_PAGE: &str = "When paginating forwards, are there more items?";
pub(super) const HAS_PREVIOUS_PAGE: &str = "When paginating backwards, are there more items?";
pub(super) const START_CURSOR: &str = "When paginating backwards, the cursor to continue.";
pub(super) const END_CURSOR: &str = "When paginating forwards, the cursor to continue.";
pub(super) const CURSOR: &str = "A cursor for use in pagination.";

pub(super) const INTERVAL: &str =
    "An interval of time that has passed where the smallest distinct unit is a second.";
pub(super) const SECONDS: &str = "A quantity of seconds. This is the only non-integer field, as \
     all the other\nfields will dump their overflow into a smaller unit of time. Intervals don’t\n\
     have a smaller unit than seconds.";
pub(super) const LINE: &str = "An infinite line that passes through points 'a' and 'b'.";
pub(super) const SEGMENT: &str = "An finite line between points 'a' and 'b'.";
pub(super) const BOX: &str = "A rectangular box defined by two opposite corners 'a' and 'b'";
/// Only version 5 describes polygons, circles and points.
pub(super) const POLYGON: &str = "A polygon made up of points";
pub(super) const CIRCLE: &str = "A circle about the given center point with the given radius";
pub(super) const POINT: &str = "A cartesian point.";
pub(super) const PATH: &str = "A path (open or closed) made up of points";
/// PostGraphile's text is the opposite of its behaviour.
pub(super) const IS_OPEN: &str =
    "True if this is a closed path (similar to a polygon), false otherwise.";
pub(super) const RANGE_START: &str = "The starting bound of our range.";
pub(super) const RANGE_END: &str = "The ending bound of our range.";
pub(super) const BOUND: &str =
    "The value at one end of a range. A range can either include this value, or not.";
pub(super) const BOUND_VALUE: &str = "The value at one end of our range.";
pub(super) const BOUND_INCLUSIVE: &str =
    "Whether or not the value of this bound is included in the range.";

pub(super) const AGGREGATES: &str = "Aggregates across the matching connection (ignoring \
     before/after/first/last/offset)";
pub(super) const GROUPED_AGGREGATES: &str = "Grouped aggregates across the matching connection \
     (ignoring before/after/first/last/offset)";

pub(super) fn aggregates_by(function: &str) -> String {
    format!(
        "{function} aggregates across the matching connection (ignoring \
         before/after/first/last/offset)"
    )
}

pub(super) const HAVING: &str = "Conditions on the grouped aggregates.";

pub(super) fn having_type(r#type: &str) -> String {
    format!("Conditions for `{type}` aggregates.", type = r#type)
}

pub(super) fn filter_aggregates(r#type: &str) -> String {
    format!("Aggregates across related `{type}` match the filter criteria.", type = r#type)
}

pub(super) fn aggregates_filter_type(r#type: &str) -> String {
    format!("A filter to be used against aggregates of `{type}` object types.", type = r#type)
}

pub(super) fn aggregated_if(r#type: &str) -> String {
    format!(
        "A filter that must pass for the relevant `{type}` object to be included within the \
         aggregate.",
        type = r#type
    )
}

pub(super) fn aggregate_over(function: &str, r#type: &str) -> String {
    format!("{function} aggregate over matching `{type}` objects.", type = r#type)
}

/// The error of a filter by aggregates without any; `None` if there are none.
pub(super) fn no_aggregate(names: &[&str]) -> Option<String> {
    let (last, others) = names.split_last()?;
    let others = match others {
        [] => String::new(),
        others => format!("'{}' or ", others.join("', '")),
    };
    Some(format!("'aggregates' filter must specify at least one aggregate: {others}'{last}')."))
}

pub(super) fn aggregated(function: &str, field: &str) -> String {
    format!("{function} of {field} across the matching connection")
}

/// The description of aggregates of a function's values, with the function's own description.
pub(super) fn aggregated_computed(function: &str, description: Option<&str>) -> String {
    let after = description.map(|text| format!("\n\n---\n\n{text}")).unwrap_or_default();
    format!("{function} of this field across the matching connection.{after}")
}

pub(super) fn group_by_type(r#type: &str) -> String {
    format!("Grouping methods for `{type}` for usage during aggregation.", type = r#type)
}

pub(super) fn group_by(r#type: &str) -> String {
    format!("The method to use when grouping `{type}` for these aggregates.", type = r#type)
}

/// A row by its key; only version 5 describes it.
pub(super) fn reads_by_key(r#type: &str) -> String {
    format!("Get a single `{type}`.", type = r#type)
}

pub(super) fn reads_by_node_id(r#type: &str) -> String {
    format!("Reads a single `{type}` using its globally unique `ID`.", type = r#type)
}

pub(super) fn node_id_argument(r#type: &str) -> String {
    format!("The globally unique `ID` to be used in selecting a single `{type}`.", type = r#type)
}

pub(super) fn quantity(unit: &str) -> String {
    format!("A quantity of {unit}.")
}

pub(super) fn range(element: &str) -> String {
    format!("A range of `{element}`.")
}

/// PostGraphile's description of a composite's input type.
pub(super) fn input_type(r#type: &str) -> String {
    format!("An input for mutations affecting `{type}`", type = r#type)
}

pub(super) fn function_record(field: &str, only_reads: bool) -> String {
    let operation = if only_reads { "query" } else { "mutation" };
    format!("The return type of our `{field}` {operation}.")
}

pub(super) fn connection(r#type: &str, through: Option<&str>) -> String {
    let through = with_data(through);
    format!("A connection to a list of `{type}` values{through}.", type = r#type)
}

/// The addition for rows behind join rows.
fn with_data(through: Option<&str>) -> String {
    through.map(|through| format!(", with data from `{through}`")).unwrap_or_default()
}

pub(super) fn nodes(r#type: &str) -> String {
    format!("A list of `{type}` objects.", type = r#type)
}

pub(super) fn edges(r#type: &str, through: Option<&str>) -> String {
    match through {
        None => format!(
            "A list of edges which contains the `{type}` and cursor to aid in pagination.",
            type = r#type
        ),
        Some(through) => format!(
            "A list of edges which contains the `{type}`, info from the `{through}`, and the \
             cursor to aid in pagination.",
            type = r#type
        ),
    }
}

pub(super) fn total_count(r#type: &str) -> String {
    format!("The count of *all* `{type}` you could get from the connection.", type = r#type)
}

pub(super) fn edge(r#type: &str, through: Option<&str>) -> String {
    let through = with_data(through);
    format!("A `{type}` edge in the connection{through}.", type = r#type)
}

pub(super) fn edge_node(r#type: &str) -> String {
    format!("The `{type}` at the end of the edge.", type = r#type)
}

pub(super) fn reads_connection(r#type: &str) -> String {
    format!("Reads and enables pagination through a set of `{type}`.", type = r#type)
}

pub(super) fn reads_list(r#type: &str) -> String {
    format!("Reads a set of `{type}`.", type = r#type)
}

pub(super) fn reads_related(r#type: &str, to: &str) -> String {
    format!("Reads a single `{type}` that is related to this `{to}`.", type = r#type)
}

pub(super) fn please_use(field: &str) -> String {
    format!("Please use {field} instead")
}

pub(super) fn order_by(r#type: &str) -> String {
    format!("The method to use when ordering `{type}`.", type = r#type)
}

pub(super) fn order_type(r#type: &str) -> String {
    format!("Methods to use when ordering `{type}`.", type = r#type)
}

pub(super) fn condition_type(r#type: &str) -> String {
    wrap(&format!(
        "A condition to be used against `{type}` object types. All fields are tested for equality \
         and combined with a logical ‘and.’",
        type = r#type
    ))
}

pub(super) fn condition_field(field: &str) -> String {
    format!("Checks for equality with the object’s `{field}` field.")
}

pub(super) fn filter_type(r#type: &str) -> String {
    format!(
        "A filter to be used against `{type}` object types. All fields are combined with a \
         logical ‘and.’",
        type = r#type
    )
}

pub(super) fn filter_many_type(r#type: &str) -> String {
    format!(
        "A filter to be used against many `{type}` object types. All fields are combined with a \
         logical ‘and.’",
        type = r#type
    )
}

pub(super) fn operators_type(value: &str) -> String {
    format!(
        "A filter to be used against {value} fields. All fields are combined with a logical ‘and.’"
    )
}

pub(super) fn filter_field(field: &str) -> String {
    format!("Filter by the object’s `{field}` field.")
}

pub(super) fn filter_relation(field: &str) -> String {
    format!("Filter by the object’s `{field}` relation.")
}

pub(super) fn related_exists(field: &str) -> String {
    format!("A related `{field}` exists.")
}

pub(super) fn related_exist(field: &str) -> String {
    format!("Some related `{field}` exist.")
}

pub(super) fn quantified(word: &str, r#type: &str) -> String {
    format!(
        "{word} related `{type}` matches the filter criteria. All fields are combined with a \
         logical ‘and.’",
        type = r#type
    )
}
