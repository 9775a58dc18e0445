//! Names by the naming convention `hasura-default`:
//! <https://hasura.io/docs/2.0/schema/postgres/naming-convention/>

/// The schema whose tables have no prefix.
const DEFAULT_SCHEMA: &str = "public";

/// The suffixes of the types of a table, `T_aggregate` and so on.
pub(super) const TYPE_SUFFIXES: [&str; 28] = [
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

/// The aggregate functions of conditions in names: `T_aggregate_bool_exp_avg`.
const CONDITION_FUNCTIONS: [&str; 10] = [
    "avg",
    "bool_and",
    "bool_or",
    "corr",
    "covar_samp",
    "max",
    "min",
    "stddev_samp",
    "sum",
    "var_samp",
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
    let conditions = CONDITION_FUNCTIONS.iter().flat_map(move |function| {
        let own = format!("{table}_aggregate_bool_exp_{function}");
        let arguments = format!("{own}_arguments");
        [format!("{table}_select_column_{arguments}_columns"), own, arguments]
    });
    std::iter::once(table.to_owned()).chain(own).chain(functions).chain(conditions)
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
}
