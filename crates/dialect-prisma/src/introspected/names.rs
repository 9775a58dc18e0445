//! Names of types and fields, made of those of tables and columns.

use api::plural::VERSION_7;

/// Types that the API has of its own, and scalars.
const RESERVED: &[&str] = &[
    "BatchPayload",
    "Boolean",
    "DateTime",
    "Float",
    "ID",
    "Int",
    "Json",
    "Mutation",
    "Node",
    "PageInfo",
    "Query",
    "String",
    "Subscription",
    "UUID",
];

/// The most characters of a name: that of a table of pairs is also the name of a relation.
const LONGEST: usize = 50;

/// Names of types, which differ in more than their case.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: Vec<String>,
}

impl Names {
    /// The name of the type of a table, or of an enum: in capitals it stays, else it is singular and
    /// in camel case with a capital.
    pub(super) fn r#type(&mut self, table: &str) -> Box<str> {
        let name = match is_in_capitals(table) {
            true => cleaned(table),
            false => capitalized(&camel_case(&VERSION_7.singularize(&cleaned(table)))),
        };
        let mut name = valid(&name, "Type");
        name.truncate(LONGEST);
        // As in Prisma, the table's own name is next.
        match self.is_free(&name) {
            false if is_type_name(table) && self.is_free(table) => self.take(table),
            _ => self.take(&name),
        }
    }

    fn is_free(&self, name: &str) -> bool {
        !RESERVED.contains(&name) && !self.taken.contains(&name.to_lowercase())
    }

    /// A name that no other type has.
    pub(super) fn take(&mut self, wanted: &str) -> Box<str> {
        let mut name = wanted.to_owned();
        if RESERVED.contains(&wanted) {
            name.push_str("Row");
        }
        let wanted = name.clone();
        let mut number = 2;
        while self.taken.contains(&name.to_lowercase()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.taken.push(name.to_lowercase());
        name.into()
    }
}

/// The name of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldName {
    pub(super) name: Box<str>,
    /// Another field has the name that Prisma would give it, so that it is that of the column.
    pub(super) is_of_column: bool,
}

/// The name of the field of a column: in camel case; in capitals it becomes small. The column of a
/// relation loses its `_id`. Others are the names of the fields before it, and of the columns behind it.
pub(super) fn field(column: &str, is_relation: bool, others: &[&str]) -> FieldName {
    let wanted = valid(&wanted(column, is_relation), "field");
    let is_taken = |name: &str| others.iter().any(|own| own.eq_ignore_ascii_case(name));
    if is_taken(&wanted) && is_name(column) && !is_taken(column) {
        return FieldName { name: column.into(), is_of_column: true };
    }
    FieldName { name: free(&wanted, others), is_of_column: false }
}

fn wanted(column: &str, is_relation: bool) -> String {
    if is_in_capitals(column) {
        return cleaned(column).to_lowercase();
    }
    let end = column.len().checked_sub("_id".len()).and_then(|end| column.split_at_checked(end));
    let stem = match end {
        Some((stem, end)) if is_relation && !stem.is_empty() && end.eq_ignore_ascii_case("_id") => {
            stem
        }
        _ => column,
    };
    camel_case(&cleaned(stem))
}

/// The name of the id: as in Prisma, that of its column, if GraphQL has such names.
pub(super) fn key(column: &str, others: &[&str]) -> Box<str> {
    match is_name(column) && others.iter().all(|own| !own.eq_ignore_ascii_case(column)) {
        true => column.into(),
        false => field(column, false, others).name,
    }
}

/// True if a column's name is also a name in GraphQL that begins with a letter.
fn is_name(column: &str) -> bool {
    column.starts_with(|first: char| first.is_ascii_alphabetic()) && cleaned(column) == column
}

/// The name of the field for the rows of a table at the other end of a relation.
pub(super) fn back_field(table: &str, others: &[&str]) -> Box<str> {
    free(&wanted_back_field(table), others)
}

/// The name that the field for those rows has if no other field has it.
pub(super) fn wanted_back_field(table: &str) -> String {
    valid(&wanted(&camel_case(table), false), "rows")
}

/// The name, with a number if a field has it.
fn free(wanted: &str, taken: &[&str]) -> Box<str> {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while taken.iter().any(|own| own.eq_ignore_ascii_case(&name)) {
        name = format!("{wanted}{number}");
        number += 1;
    }
    name.into()
}

/// True if a table's name is also a name of a type or of a relation in a datamodel.
fn is_type_name(table: &str) -> bool {
    table.len() <= LONGEST
        && table.starts_with(|first: char| first.is_ascii_uppercase())
        && cleaned(table) == table
}

fn is_in_capitals(name: &str) -> bool {
    name.to_uppercase() == name
}

/// The characters that a name of GraphQL may have.
fn cleaned(name: &str) -> String {
    name.chars().filter(|one| one.is_ascii_alphanumeric() || *one == '_').collect()
}

/// A name that begins with a letter.
fn valid(name: &str, otherwise: &str) -> String {
    let name = name.trim_start_matches('_');
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name.to_owned(),
        Some(_) => format!("{otherwise}{name}"),
        None => otherwise.to_owned(),
    }
}

/// The words with capitals after the first. What follows their first letters stays.
fn camel_case(name: &str) -> String {
    lower_first(&name.split(['_', '-', ' ']).map(capitalized).collect::<String>())
}

pub(super) fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{FieldName, Names, back_field, field, key};

    #[test]
    fn types_are_singular_and_begin_with_a_capital() {
        let mut names = Names::default();
        for (table, expected) in [
            ("users", "User"),
            ("blog_posts", "BlogPost"),
            ("User", "User2"),
            ("user", "User3"),
            ("ORDERS", "ORDERS"),
            ("Strings", "Strings"),
            ("strings", "StringRow"),
            ("Users", "Users"),
            ("nodes", "NodeRow"),
            ("2fast", "Type2fast"),
            ("größe", "Gre"),
            ("_", "Type"),
        ] {
            assert_eq!(&*names.r#type(table), expected, "{table}");
        }
    }

    #[test]
    fn ids_keep_their_names() {
        for (column, expected) in
            [("user_id", "user_id"), ("user-id", "userid"), ("ID", "ID"), ("taken", "taken2")]
        {
            assert_eq!(&*key(column, &["Taken"]), expected, "{column}");
        }
    }

    #[test]
    fn fields_are_in_camel_case() {
        for (column, is_relation, expected, is_of_column) in [
            ("first_name", false, "firstName", false),
            ("author_id", true, "author", false),
            ("author_id", false, "authorId", false),
            ("authorId", true, "authorId", false),
            ("TITLE", false, "title", false),
            ("AUTHOR_ID", true, "author_id", false),
            ("_id", true, "id", false),
            ("taken", false, "taken2", false),
            ("taken_id", true, "taken_id", true),
            ("ä", false, "field", false),
        ] {
            let expected = FieldName { name: expected.into(), is_of_column };
            assert_eq!(field(column, is_relation, &["Taken"]), expected, "{column}");
        }
    }

    #[test]
    fn back_fields_have_the_names_of_tables() {
        for (table, expected) in [
            ("blog_posts", "blogPosts"),
            ("Post", "post"),
            ("order items", "orderItems"),
            ("_", "rows"),
        ] {
            assert_eq!(&*back_field(table, &["Taken"]), expected, "{table}");
        }
    }
}
