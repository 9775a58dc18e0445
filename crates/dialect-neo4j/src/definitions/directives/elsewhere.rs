//! What is said of directives that a version does not have: mostly they are the other version's.

use crate::model::ApiVersion;

/// Directives of version 3 only, and what version 7 has instead.
const OF_V3: &[(&str, &str)] = &[
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

/// Directives of version 7 only, and what version 3 has instead.
const OF_V7: &[(&str, &str)] = &[
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

/// What is said of a directive that `version` does not have.
pub(super) fn unknown(version: ApiVersion, name: &str) -> String {
    let (table, this, other) = match version {
        ApiVersion::V7 => (OF_V3, "7", "3"),
        ApiVersion::V3 => (OF_V7, "3", "7"),
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
