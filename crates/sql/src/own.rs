//! Names of Thalweg's own objects in databases with schemas: sequence, functions, history.

use crate::tree::{Identifier, TableName};

/// The default schema of tables.
pub const PUBLIC: &str = "public";

/// The schema of own objects for the tables of [`PUBLIC`].
pub const OWN_SCHEMA: &str = "thalweg";

/// The beginning of the names of own objects that are not in a schema of their own.
pub const OWN_PREFIX: &str = "thalweg_";

/// Returns true if the own objects for the tables of a schema are in [`OWN_SCHEMA`]. Those for any
/// other schema than `public` are in it, so that two schemas of one database share nothing.
#[must_use]
pub fn has_own_schema(schema: Option<&str>) -> bool {
    matches!(schema, None | Some(PUBLIC))
}

/// The name of an own object of a database without schemas.
#[must_use]
pub fn prefixed(name: &str) -> TableName {
    TableName { schema: None, name: Identifier([OWN_PREFIX, name].concat().into()) }
}

/// The name of an own object for the tables of a schema.
#[must_use]
pub fn own_object(schema: Option<&str>, name: &str) -> TableName {
    let (schema, name) = match schema.filter(|_| !has_own_schema(schema)) {
        None => (OWN_SCHEMA, name.into()),
        Some(schema) => (schema, [OWN_PREFIX, name].concat().into()),
    };
    TableName { schema: Some(Identifier(schema.into())), name: Identifier(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_share_no_objects() {
        let check = |schema: Option<&str>, expected: &str| {
            let TableName { schema, name } = own_object(schema, "id");
            assert_eq!(format!("{}.{}", schema.unwrap().0, name.0), expected);
        };
        check(None, "thalweg.id");
        check(Some("public"), "thalweg.id");
        check(Some("shop"), "shop.thalweg_id");
        check(Some("thalweg"), "thalweg.thalweg_id");
    }
}
