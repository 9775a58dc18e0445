//! Descriptions of mutations, in PostGraphile's words.

use super::super::naming::Verb;
use super::wrap::wrap;

pub(crate) const MUTATION: &str =
    "The root mutation type which contains root level fields which mutate data.";
pub(crate) const INPUT: &str = "The exclusive input argument for this mutation. \
     An object type, make sure to see documentation for this object’s fields.";
pub(crate) const CLIENT_ID_INPUT: &str = "An arbitrary string value with no \
     semantic meaning. Will be included in the\npayload verbatim. May be used to track mutations \
     by the client.";
pub(crate) const CLIENT_ID: &str = "The exact same `clientMutationId` that was \
     provided in the mutation input,\nunchanged and unused. May be used by a client to track \
     mutations.";
pub(crate) const QUERY: &str =
    "Our root query field type. Allows us to run any query from our mutation payload.";

/// The participle of a verb: `updated`.
pub(super) fn done(verb: Verb) -> String {
    format!("{}d", verb.name())
}

pub(crate) fn creates(r#type: &str) -> String {
    format!("Creates a single `{type}`.", type = r#type)
}

pub(crate) fn changes_by_node_id(verb: Verb, r#type: &str) -> String {
    let (verb, patch) = verb_and_patch(verb);
    format!("{verb} a single `{type}` using its globally unique id{patch}.", type = r#type)
}

pub(crate) fn changes_by_key(verb: Verb, r#type: &str) -> String {
    let (verb, patch) = verb_and_patch(verb);
    format!("{verb} a single `{type}` using a unique key{patch}.", type = r#type)
}

fn verb_and_patch(verb: Verb) -> (&'static str, &'static str) {
    match verb {
        Verb::Create => ("Creates", ""),
        Verb::Update => ("Updates", " and a patch"),
        Verb::Delete => ("Deletes", ""),
    }
}

pub(crate) fn create_input(r#type: &str) -> String {
    wrap(&format!("All input for the create `{type}` mutation.", type = r#type))
}

pub(crate) fn input_of(field: &str) -> String {
    wrap(&format!("All input for the `{field}` mutation."))
}

pub(crate) fn to_be_created(r#type: &str) -> String {
    format!("The `{type}` to be created by this mutation.", type = r#type)
}

pub(crate) fn node_id_input(verb: Verb, r#type: &str) -> String {
    let done = done(verb);
    format!(
        "The globally unique `ID` which will identify a single `{type}` to be {done}.",
        type = r#type
    )
}

pub(crate) fn patch_input(r#type: &str) -> String {
    format!(
        "An object where the defined keys will be set on the `{type}` being updated.",
        type = r#type
    )
}

pub(crate) fn patch_type(r#type: &str) -> String {
    wrap(&format!(
        "Represents an update to a `{type}`. Fields that are set will be updated.",
        type = r#type
    ))
}

pub(crate) fn base_input_type(r#type: &str) -> String {
    wrap(&format!("An input representation of `{type}` with nullable fields.", type = r#type))
}

pub(crate) fn payload(verb: Verb, r#type: &str) -> String {
    let verb = verb.name();
    wrap(&format!("The output of our {verb} `{type}` mutation.", type = r#type))
}

pub(crate) fn function_payload(field: &str) -> String {
    wrap(&format!("The output of our `{field}` mutation."))
}

pub(crate) fn changed_row(verb: Verb, r#type: &str) -> String {
    let done = done(verb);
    format!("The `{type}` that was {done} by this mutation.", type = r#type)
}

pub(crate) fn edge_of_row(r#type: &str) -> String {
    format!("An edge for our `{type}`. May be used by Relay 1.", type = r#type)
}

/// The error if there is no row to change.
pub(crate) fn missing(verb: Verb, collection: &str) -> String {
    let (done, verb) = (done(verb), verb.name());
    format!(
        "No values were {done} in collection '{collection}' because no values you can {verb} were \
         found matching these criteria."
    )
}
