//! What is said of directives that a form does not have: mostly they are the other form's.

use crate::neo4j::model::ApiForm;

/// Directives of form 3 only, and what form 7 has instead.
const OF_THREE: &[(&str, &str)] = &[
    ("auth", "`@authorization` and `@authentication`"),
    ("callback", "nothing: it needs JavaScript"),
    ("computed", "nothing: it needs JavaScript"),
    ("exclude", "`@query` and `@mutation`"),
    ("jwtPayload", "`@jwt`"),
    ("private", "`@selectable`, `@settable`, `@filterable` and `@sortable`"),
    ("queryOptions", "`@limit`"),
    ("readonly", "`@settable(onCreate: true, onUpdate: false)`"),
    ("unique", "nothing: create the constraint in the graph"),
    ("writeonly", "`@selectable(onRead: false, onAggregate: false)`"),
];

/// Directives of form 7 only, and what form 3 has instead.
const OF_SEVEN: &[(&str, &str)] = &[
    ("authentication", "`@auth`"),
    ("declareRelationship", "`@relationship` on the interface's field"),
    ("filterable", "`@private` at most"),
    ("groupBy", "nothing"),
    ("jwt", "`@jwtPayload`"),
    ("limit", "`@queryOptions(limit: {default:, max:})`"),
    ("relayId", "`@id(global: true)`"),
    ("selectable", "`@writeonly` or `@private`"),
    ("settable", "`@readonly`"),
    ("sortable", "`@private` at most"),
    ("subscriptionsAuthorization", "`@auth`"),
    ("vector", "nothing"),
];

/// What is said of a directive that `form` does not have.
pub(super) fn unknown(form: ApiForm, name: &str) -> String {
    let (table, this, other) = match form {
        ApiForm::Seven => (OF_THREE, "7", "3"),
        ApiForm::Three => (OF_SEVEN, "3", "7"),
    };
    match table.iter().find(|(theirs, _)| *theirs == name) {
        Some((_, instead)) => {
            format!("`@{name}` is of form {other}; in form {this} there is {instead}")
        }
        None if matches!(name, "authenticated" | "composeDirective" | "interfaceObject") => {
            format!("in form {this} there is no `@{name}`")
        }
        None => format!("there is no directive `@{name}`: is the name right?"),
    }
}
