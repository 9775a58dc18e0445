//! Descriptions of features beyond PostGraphile.

use super::super::naming::Verb;
use super::mutations::done;
use super::wrap::wrap;

pub(crate) const CONDITION: &str =
    "Which rows are meant: those that equal this in every column that is given.";
pub(crate) const FILTER: &str = "Which rows are meant, with the condition if both are given.";
pub(crate) const AT_MOST: &str =
    "If more rows than this would be changed, none is, and an error says so.";

pub(crate) const NESTED_NODE_ID: &str = "The global id of the row.";
pub(crate) const NESTED_CREATE_ONE: &str = "A row to be created.";
pub(crate) const NESTED_CREATE: &str = "Rows to be created.";
pub(crate) const NESTED_CONNECT_ONE: &str = "A row that is there and is to be connected.";
pub(crate) const NESTED_CONNECT: &str = "Rows that are there and are to be connected.";
pub(crate) const NESTED_DISCONNECT_ONE: &str =
    "Whether the row that is connected is to be so no longer.";
pub(crate) const NESTED_DISCONNECT: &str = "Rows that are connected and are to be so no longer.";
pub(crate) const NESTED_SET: &str =
    "Rows that are to be connected; others that are connected are to be so no longer.";

pub(crate) fn nested_input(r#type: &str) -> String {
    format!("A new `{type}`, with rows that it is to be connected with.", type = r#type)
}

pub(crate) fn nested_patch(r#type: &str) -> String {
    format!(
        "What a `{type}` is to become, with rows that it is to be connected with or no longer.",
        type = r#type
    )
}

pub(crate) fn nested_key(r#type: &str, by_id: bool) -> String {
    let id = if by_id { "its global id, or " } else { "" };
    format!("Which `{type}` is meant: {id}all columns of one of its keys.", type = r#type)
}

pub(crate) fn nested_relation(r#type: &str) -> String {
    format!("What is done with rows of `{type}` that a row is connected with.", type = r#type)
}

pub(crate) fn nested(description: &str) -> String {
    format!("{description} Rows that it is connected with are changed with it: all or none.")
}

pub(crate) fn changes_many(verb: Verb, r#type: &str) -> String {
    match verb {
        Verb::Create => format!("Creates several rows of `{type}`: all or none."),
        Verb::Update => format!("Updates all rows of `{type}` that are meant: so many at most."),
        Verb::Delete => format!("Deletes all rows of `{type}` that are meant: so many at most."),
    }
}

pub(crate) fn rows_to_be_created(r#type: &str) -> String {
    format!("The rows of `{type}` to be created by this mutation.")
}

pub(crate) fn affected(verb: Verb) -> String {
    format!("How many rows were {} by this mutation.", done(verb))
}

pub(crate) fn changed_rows(verb: Verb, r#type: &str) -> String {
    format!("The rows of `{type}` that were {} by this mutation.", done(verb))
}

pub(crate) fn upserts(r#type: &str) -> String {
    format!(
        "Creates a single `{type}`, or updates the one that has the same unique key with all columns \
         that are given.",
        type = r#type
    )
}

pub(crate) fn upsert_payload(r#type: &str) -> String {
    wrap(&format!("The output of our upsert `{type}` mutation.", type = r#type))
}

pub(crate) fn to_be_upserted(r#type: &str) -> String {
    format!("The `{type}` to be created or updated by this mutation.", type = r#type)
}

pub(crate) fn upserted(r#type: &str) -> String {
    format!("The `{type}` that was created or updated by this mutation.", type = r#type)
}
