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
        self.take(&name)
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

/// The name of the field of a column: in camel case; in capitals it becomes small. The column of a
/// relation loses its `_id`.
pub(super) fn field(column: &str, is_relation: bool, taken: &[&str]) -> Box<str> {
    let stem =
        match column.len().checked_sub("_id".len()).and_then(|end| column.split_at_checked(end)) {
            Some((stem, end))
                if is_relation && !stem.is_empty() && end.eq_ignore_ascii_case("_id") =>
            {
                stem
            }
            _ => column,
        };
    let name = match is_in_capitals(stem) {
        true => cleaned(stem).to_lowercase(),
        false => camel_case(&cleaned(stem)),
    };
    free(&valid(&name, "field"), taken)
}

/// The name of the id: as in Prisma, that of its column, if GraphQL has such names.
pub(super) fn key(column: &str, taken: &[&str]) -> Box<str> {
    let is_valid = column.starts_with(|first: char| first.is_ascii_alphabetic())
        && cleaned(column) == column
        && taken.iter().all(|own| !own.eq_ignore_ascii_case(column));
    match is_valid {
        true => column.into(),
        false => field(column, false, taken),
    }
}

/// The name of the field for the rows of a table at the other end of a relation.
pub(super) fn back_field(of: &str, taken: &[&str]) -> Box<str> {
    free(&valid(&lower_first(&camel_case(of)), "rows"), taken)
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

fn is_in_capitals(name: &str) -> bool {
    name.to_uppercase() == name
}

/// The characters that a name of GraphQL may have.
fn cleaned(name: &str) -> String {
    let kept = |one: &char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | ' ');
    name.chars().filter(kept).map(|one| if one == '-' || one == ' ' { '_' } else { one }).collect()
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
    lower_first(&name.split('_').map(capitalized).collect::<String>())
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
    use super::{Names, field, key};

    #[test]
    fn types_are_singular_and_begin_with_a_capital() {
        let mut names = Names::default();
        for (table, expected) in [
            ("users", "User"),
            ("blog_posts", "BlogPost"),
            ("User", "User2"),
            ("ORDERS", "ORDERS"),
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
            [("user_id", "user_id"), ("user-id", "userId"), ("ID", "ID"), ("taken", "taken2")]
        {
            assert_eq!(&*key(column, &["Taken"]), expected, "{column}");
        }
    }

    #[test]
    fn fields_are_in_camel_case() {
        for (column, is_relation, expected) in [
            ("first_name", false, "firstName"),
            ("author_id", true, "author"),
            ("author_id", false, "authorId"),
            ("authorId", true, "authorId"),
            ("TITLE", false, "title"),
            ("_id", true, "id"),
            ("taken", false, "taken2"),
            ("ä", false, "field"),
        ] {
            assert_eq!(&*field(column, is_relation, &["Taken"]), expected, "{column}");
        }
    }
}
