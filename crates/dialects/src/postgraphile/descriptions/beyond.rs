//! What the API says about what PostGraphile has not.

use super::super::naming::Verb;
use super::mutations::done;
use super::wrap::wrap;

pub(in crate::postgraphile) const CONDITION: &str =
    "Which rows are meant: those that equal this in every column that is given.";
pub(in crate::postgraphile) const FILTER: &str =
    "Which rows are meant, with the condition if both are given.";
pub(in crate::postgraphile) const AT_MOST: &str =
    "If more rows than this would be changed, none is, and an error says so.";

pub(in crate::postgraphile) fn changes_many(verb: Verb, r#type: &str) -> String {
    match verb {
        Verb::Create => format!("Creates several rows of `{type}`: all or none."),
        Verb::Update => format!("Updates all rows of `{type}` that are meant: so many at most."),
        Verb::Delete => format!("Deletes all rows of `{type}` that are meant: so many at most."),
    }
}

pub(in crate::postgraphile) fn rows_to_be_created(r#type: &str) -> String {
    format!("The rows of `{type}` to be created by this mutation.")
}

pub(in crate::postgraphile) fn affected(verb: Verb) -> String {
    format!("How many rows were {} by this mutation.", done(verb))
}

pub(in crate::postgraphile) fn changed_rows(verb: Verb, r#type: &str) -> String {
    format!("The rows of `{type}` that were {} by this mutation.", done(verb))
}

pub(in crate::postgraphile) fn upserts(r#type: &str) -> String {
    format!(
        "Creates a single `{type}`, or updates the one that has the same unique key with all columns \
         that are given.",
        type = r#type
    )
}

pub(in crate::postgraphile) fn upsert_payload(r#type: &str) -> String {
    wrap(&format!("The output of our upsert `{type}` mutation.", type = r#type))
}

pub(in crate::postgraphile) fn to_be_upserted(r#type: &str) -> String {
    format!("The `{type}` to be created or updated by this mutation.", type = r#type)
}

pub(in crate::postgraphile) fn upserted(r#type: &str) -> String {
    format!("The `{type}` that was created or updated by this mutation.", type = r#type)
}
