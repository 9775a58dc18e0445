//! Names by the naming convention `hasura-default`, and the names of relationships that Hasura's
//! console suggests.
//!
//! The convention: <https://hasura.io/docs/2.0/schema/postgres/naming-convention/>. The suggestions
//! are made by the console itself, from foreign keys: the singular or plural of the other table, or,
//! if the table has a field of that name, the same with the columns of the foreign key. The console
//! takes the npm package `inflection` for English, whose rules differ from those of `pluralizer` in
//! rare words.

use pluralizer::pluralize;

/// The schema whose tables have no prefix.
const DEFAULT_SCHEMA: &str = "public";

/// The suffixes of the types of a table, `T_aggregate` and so on.
pub(super) const TYPE_SUFFIXES: [&str; 30] = [
    "aggregate",
    "aggregate_bool_exp",
    "aggregate_bool_exp_count",
    "aggregate_fields",
    "aggregate_order_by",
    "arr_rel_insert_input",
    "bool_exp",
    "constraint",
    "delete_at_path_input",
    "delete_elem_input",
    "delete_key_input",
    "append_input",
    "prepend_input",
    "inc_input",
    "insert_input",
    "mutation_response",
    "obj_rel_insert_input",
    "on_conflict",
    "order_by",
    "pk_columns_input",
    "select_column",
    "set_input",
    "stream_cursor_input",
    "stream_cursor_value_input",
    "update_column",
    "updates",
    "aggregate_bool_exp_bool_and",
    "aggregate_bool_exp_bool_or",
    "args",
    "input",
];

/// The aggregate functions in names: `T_avg_fields`, `T_avg_order_by`.
pub(super) const FUNCTIONS: [&str; 10] = [
    "avg",
    "max",
    "min",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "sum",
    "var_pop",
    "var_samp",
    "variance",
];

/// The name of a table: that of its object type, of its root field, and the beginning of all others.
pub(super) fn table(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        None | Some(DEFAULT_SCHEMA) => name.to_owned(),
        Some(namespace) => format!("{namespace}_{name}"),
    }
}

/// A type or field of a table.
pub(super) fn of(table: &str, suffix: &str) -> String {
    format!("{table}_{suffix}")
}

/// The names of all types of a table.
pub(super) fn types(table: &str) -> impl Iterator<Item = String> {
    let own = TYPE_SUFFIXES.iter().map(move |suffix| of(table, suffix));
    let functions = FUNCTIONS.iter().flat_map(move |function| {
        [format!("{table}_{function}_fields"), format!("{table}_{function}_order_by")]
    });
    std::iter::once(table.to_owned()).chain(own).chain(functions)
}

/// The names of all fields of the root types for a table.
pub(super) fn roots(table: &str) -> [String; 11] {
    [
        table.to_owned(),
        of(table, "aggregate"),
        of(table, "by_pk"),
        of(table, "stream"),
        format!("insert_{table}"),
        format!("insert_{table}_one"),
        format!("update_{table}"),
        format!("update_{table}_by_pk"),
        format!("update_{table}_many"),
        format!("delete_{table}"),
        format!("delete_{table}_by_pk"),
    ]
}

/// The suggested name of an object relationship to a table.
pub(super) fn object_relationship(table: &str) -> String {
    pluralize(&table.replace('.', "_"), 1, false)
}

/// The suggested name of an array relationship to a table.
pub(super) fn array_relationship(table: &str) -> String {
    pluralize(&table.replace('.', "_"), 2, false)
}

/// The suggested name if a field has the usual one: `name_by_columns` in camel case, with a number
/// if a field has that name, too.
pub(super) fn relationship_by(name: &str, columns: &[&str], number: usize) -> String {
    let mut text = format!("{name}_by_{}", columns.join("_"));
    if number > 0 {
        text.push_str(&format!("_{number}"));
    }
    // Words after the first have small letters but for their first one.
    let mut camel = String::with_capacity(text.len());
    for (place, word) in text.split('_').enumerate() {
        let mut letters = word.chars();
        let Some(first) = letters.next() else { continue };
        if place == 0 {
            camel.extend(first.to_lowercase());
            camel.push_str(letters.as_str());
        } else {
            camel.extend(first.to_uppercase());
            camel.push_str(&letters.as_str().to_lowercase());
        }
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_other_schemas_have_a_prefix() {
        let check = |namespace, name, expected: &str| assert_eq!(table(namespace, name), expected);
        check(None, "Album", "Album");
        check(Some("public"), "album", "album");
        check(Some("sales"), "invoice", "sales_invoice");
    }

    #[test]
    fn types_and_fields_begin_with_the_table() {
        let types: Vec<String> = types("album").collect();
        for expected in ["album", "album_bool_exp", "album_avg_fields", "album_variance_order_by"] {
            assert!(types.iter().any(|name| name == expected), "{expected}");
        }
        assert!(roots("album").iter().any(|name| name == "update_album_many"));
    }

    #[test]
    fn relationships_are_named_as_the_console_suggests() {
        let object = |table, expected: &str| assert_eq!(object_relationship(table), expected);
        object("Artist", "Artist");
        object("users", "user");
        object("media_types", "media_type");
        let array = |table, expected: &str| assert_eq!(array_relationship(table), expected);
        array("Track", "Tracks");
        array("playlist_track", "playlist_tracks");
        array("addresses", "addresses");
    }

    #[test]
    fn relationships_beside_a_field_of_their_name_are_named_by_columns() {
        let check = |name, columns: &[&str], number, expected: &str| {
            assert_eq!(relationship_by(name, columns, number), expected);
        };
        check("user", &["author_id"], 0, "userByAuthorId");
        check("Employees", &["ReportsTo"], 0, "employeesByReportsto");
        check("orders", &["tenant_id", "buyer_id"], 0, "ordersByTenantIdBuyerId");
        check("user", &["author_id"], 2, "userByAuthorId2");
    }
}
