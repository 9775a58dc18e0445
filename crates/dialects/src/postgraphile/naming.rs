//! What PostGraphile calls things: its classic inflection.

use super::inflection::{pluralize, singularize};
use crate::case::{camel_case, constant_case, spell_foreign, upper_camel_case};

/// A name of the database as a beginning of GraphQL names: a leading digit gets an underscore, of
/// several leading underscores one stays, since the others are reserved.
pub(super) fn coerce(name: &str) -> String {
    let spelled = spell_foreign(name);
    let rest = spelled.trim_start_matches('_');
    if rest.len() + 2 <= spelled.len() {
        format!("_{rest}")
    } else if spelled.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{spelled}")
    } else {
        spelled
    }
}

/// The singular of a table's name; one that ends like the input types of another table says that
/// it is a record.
pub(super) fn singular_table(table: &str) -> String {
    let singular = singularize(&coerce(table));
    let is_taken = ["_input", "-input", "Input", "_patch", "-patch", "Patch"]
        .iter()
        .any(|ending| singular.strip_suffix(ending).is_some_and(|rest| !rest.is_empty()));
    if is_taken { format!("{singular}_record") } else { singular }
}

pub(super) fn table_type(table: &str) -> String {
    upper_camel_case(&singular_table(table))
}

/// The type of an enum, a domain or a composite.
pub(super) fn other_type(name: &str) -> String {
    upper_camel_case(&coerce(name))
}

pub(super) fn connection_type(r#type: &str) -> String {
    upper_camel_case(&format!("{}-connection", pluralize(r#type)))
}

pub(super) fn edge_type(r#type: &str) -> String {
    upper_camel_case(&format!("{}-edge", pluralize(r#type)))
}

pub(super) fn order_type(r#type: &str) -> String {
    upper_camel_case(&format!("{}-order-by", pluralize(r#type)))
}

pub(super) fn condition_type(r#type: &str) -> String {
    upper_camel_case(&format!("{type}-condition", type = r#type))
}

pub(super) fn range_type(element: &str) -> String {
    upper_camel_case(&format!("{element}-range"))
}

pub(super) fn range_bound_type(element: &str) -> String {
    upper_camel_case(&format!("{element}-range-bound"))
}

pub(super) fn all_rows(table: &str) -> String {
    camel_case(&format!("all-{}", pluralize(&singular_table(table))))
}

pub(super) fn all_rows_list(table: &str) -> String {
    camel_case(&format!("all-{}-list", pluralize(&singular_table(table))))
}

pub(super) fn column(name: &str) -> String {
    camel_case(&coerce(name))
}

/// One row of a table.
pub(super) fn row(table: &str) -> String {
    camel_case(&singular_table(table))
}

/// One row of a table found by columns: a row by its key, or a relation to at most one row.
pub(super) fn row_by(table: &str, columns: &[&str]) -> String {
    camel_case(&format!("{}-by-{}", singular_table(table), joined(columns)))
}

/// The rows of a table that refer to a row by columns.
pub(super) fn rows_by(table: &str, columns: &[&str]) -> String {
    camel_case(&format!("{}-by-{}", pluralize(&singular_table(table)), joined(columns)))
}

pub(super) fn rows_by_list(table: &str, columns: &[&str]) -> String {
    camel_case(&format!("{}-by-{}-list", pluralize(&singular_table(table)), joined(columns)))
}

/// A value of an order enum: `name_asc` → `NAME_ASC`. Of several leading underscores one stays.
pub(super) fn order_value(column: &str, suffix: &str) -> String {
    let name = constant_case(&format!("{}_{suffix}", coerce(column)));
    let rest = name.trim_start_matches('_');
    if name.starts_with("__") { format!("_{rest}") } else { name }
}

/// What node ids of a table begin with.
pub(super) fn node_prefix(table: &str) -> String {
    pluralize(table)
}

fn joined(columns: &[&str]) -> String {
    columns.iter().map(|name| column(name)).collect::<Vec<_>>().join("-and-")
}

/// Whether PostGraphile takes a table or column for private.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_names_of_postgraphile() {
        let cases = [
            ("people", "Person", "PeopleConnection", "allPeople"),
            ("post_tags", "PostTag", "PostTagsConnection", "allPostTags"),
            ("no_pk", "NoPk", "NoPksConnection", "allNoPks"),
            ("ent2", "Ent2", "Ent2SConnection", "allEnt2S"),
            ("status", "Status", "StatusesConnection", "allStatuses"),
            ("media", "Media", "MediaConnection", "allMedia"),
            ("foo_input", "FooInputRecord", "FooInputRecordsConnection", "allFooInputRecords"),
            ("fooPatch", "FooPatchRecord", "FooPatchRecordsConnection", "allFooPatchRecords"),
            ("input", "Input", "InputsConnection", "allInputs"),
            ("With Space", "WithSpace", "WithSpacesConnection", "allWithSpaces"),
            ("2things", "_2Thing", "_2ThingsConnection", "all2Things"),
            ("FooURL", "FooUrl", "FooUrlsConnection", "allFooUrls"),
            ("PLANS", "Plan", "PlansConnection", "allPlans"),
            ("contact_us", "ContactUs", "ContactusesConnection", "allContactUses"),
            ("Ångström", "Angstrom", "AngstromsConnection", "allAngstroms"),
        ];
        for (table, row, connection, all) in cases {
            let r#type = table_type(table);
            let names = (&*r#type, &*connection_type(&r#type), &*all_rows(table));
            assert_eq!(names, (row, connection, all), "{table}");
        }
    }

    #[test]
    fn fields_have_the_names_of_postgraphile() {
        assert_eq!(row_by("post_tags", &["post_id", "tag_id"]), "postTagByPostIdAndTagId");
        assert_eq!(rows_by("post", &["author_id"]), "postsByAuthorId");
        assert_eq!(rows_by_list("post", &["author_id"]), "postsByAuthorIdList");
        assert_eq!(row_by("all_types", &["c_int4range"]), "allTypeByCInt4Range");
        assert_eq!(column("c_int4range"), "cInt4Range");
        assert_eq!(column("1st"), "_1st");
        assert_eq!(order_value("c_int4range", "desc"), "C_INT4RANGE_DESC");
        assert_eq!(order_value("1st", "asc"), "_1ST_ASC");
        assert_eq!(node_prefix("playlist_track"), "playlist_tracks");
        assert_eq!(node_prefix("ent2"), "ent2S");
    }
}
