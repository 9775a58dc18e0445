//! Names of relationships for foreign keys, as Hasura's console suggests them.
//!
//! The rules are those of the console's "track all": a relationship to one row has the other
//! table's name in the singular, one to several rows in the plural. If the table has a field of the
//! name, ` by ` and the columns follow, in camel case, and then a number. A foreign key over the
//! columns of a unique constraint makes an object relationship on both sides. The console takes the npm
//! package `inflection` for English, whose rules differ from those of `pluralizer` in rare words.

use std::collections::HashSet;

use crate::types::source::NamingConvention;

/// A foreign key, by names.
#[derive(Clone, Copy, Debug)]
pub struct ForeignKey<'c> {
    pub table: &'c str,
    pub columns: &'c [&'c str],
    pub referenced_table: &'c str,
    pub referenced_columns: &'c [&'c str],
    /// True if a unique constraint or the primary key is over the same columns.
    pub is_unique: bool,
}

/// A suggested relationship of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion<'c> {
    pub kind: RelationshipKind,
    pub name: String,
    pub other_table: &'c str,
    /// Pairs of columns: of the table, of the other table.
    pub columns: Vec<(&'c str, &'c str)>,
}

/// Whether there is one related row or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationshipKind {
    Object,
    Array,
}

/// Relationships of a table for all foreign keys from it and to it. `fields` are the names of its
/// columns and of its relationships; names that are suggested are added.
pub fn suggest<'c>(
    table: &str,
    foreign_keys: &[ForeignKey<'c>],
    fields: &mut HashSet<String>,
    convention: NamingConvention,
) -> Vec<Suggestion<'c>> {
    let pairs = |own: &'c [&'c str], other: &'c [&'c str]| {
        own.iter().copied().zip(other.iter().copied()).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for key in foreign_keys.iter().filter(|key| key.table == table) {
        let columns = pairs(key.columns, key.referenced_columns);
        found.push((RelationshipKind::Object, key.referenced_table, columns, key.columns));
    }
    for key in foreign_keys.iter().filter(|key| key.referenced_table == table) {
        let columns = pairs(key.referenced_columns, key.columns);
        // An object relationship is told apart by the columns of its own table.
        let (kind, named) = match key.is_unique {
            true => (RelationshipKind::Object, key.referenced_columns),
            false => (RelationshipKind::Array, key.columns),
        };
        found.push((kind, key.table, columns, named));
    }
    // As in the console, object relationships get their names first.
    found.sort_by_key(|(kind, ..)| *kind == RelationshipKind::Array);
    let suggestions = found.into_iter().map(|(kind, other_table, columns, named)| {
        let is_taken = |name: &str| fields.contains(name);
        let name = relationship_name(kind, other_table, named, is_taken, convention);
        fields.insert(name.clone());
        Suggestion { kind, name, other_table, columns }
    });
    suggestions.collect()
}

/// The name of one relationship, which no other field has. `columns` are those of the foreign key that
/// tell it from others to the table.
pub fn relationship_name(
    kind: RelationshipKind,
    other_table: &str,
    columns: &[&str],
    is_taken: impl Fn(&str) -> bool,
    convention: NamingConvention,
) -> String {
    let is_plural = kind == RelationshipKind::Array;
    let count = if is_plural { 2 } else { 1 };
    let noun = pluralizer::pluralize(other_table.trim(), count, false).replace('.', "_");
    let name = match convention {
        NamingConvention::HasuraDefault => noun.clone(),
        NamingConvention::GraphQlDefault => camel(&noun),
    };
    if !is_taken(&name) {
        return name;
    }
    let base = format!("{noun}_by_{}", columns.join("_"));
    let numbered = (0u32..).map(|number| match number {
        0 => camel(&base),
        number => camel(&format!("{base}_{number}")),
    });
    // The numbers do not end before the fields do.
    numbered.into_iter().find(|name| !is_taken(name)).unwrap_or(name)
}

/// Camel case as of the npm package `inflection`: words after the first are in lower case but for
/// their first letter.
fn camel(snake: &str) -> String {
    let words = snake.split('_').enumerate().map(|(index, word)| {
        let mut letters = word.chars();
        let first = letters.next();
        let rest = letters.as_str();
        match (index, first) {
            (_, None) => String::new(),
            (0, Some(first)) => first.to_lowercase().chain(rest.chars()).collect(),
            (_, Some(first)) => first.to_uppercase().chain(rest.to_lowercase().chars()).collect(),
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use NamingConvention::{GraphQlDefault, HasuraDefault};
    use RelationshipKind::{Array, Object};

    fn check(
        (kind, other, columns): (RelationshipKind, &str, &[&str]),
        fields: &[&str],
        convention: NamingConvention,
        expected: &str,
    ) {
        let is_taken = |name: &str| fields.contains(&name);
        let name = relationship_name(kind, other, columns, is_taken, convention);
        assert_eq!(name, expected, "{kind:?} {other}");
    }

    #[test]
    fn names_are_singular_or_plural() {
        check((Object, "artists", &["artist_id"]), &["artist_id"], HasuraDefault, "artist");
        check((Array, "album", &["artist_id"]), &["id"], HasuraDefault, "albums");
        check((Array, "Category", &["id"]), &[], HasuraDefault, "Categories");
        check((Array, "news", &["id"]), &[], HasuraDefault, "news");
        check((Object, "a.b_users", &["id"]), &[], HasuraDefault, "a_b_user");
        check((Array, "order_line", &["id"]), &[], GraphQlDefault, "orderLines");
    }

    #[test]
    fn taken_names_are_told_apart_by_columns_then_numbers() {
        check((Object, "users", &["friend_id"]), &["user"], HasuraDefault, "userByFriendId");
        check(
            (Array, "follow", &["followed_by"]),
            &["follows"],
            HasuraDefault,
            "followsByFollowedBy",
        );
        check((Object, "users", &["createdBy"]), &["user"], HasuraDefault, "userByCreatedby");
        check((Object, "users", &["a", "b"]), &["user"], HasuraDefault, "userByAB");
        let fields = ["user", "userById", "userById1"];
        check((Object, "users", &["id"]), &fields, HasuraDefault, "userById2");
    }

    #[test]
    fn both_sides_of_foreign_keys_are_suggested() {
        let key = |table, columns, referenced_table, is_unique| ForeignKey {
            table,
            columns,
            referenced_table,
            referenced_columns: &["id"],
            is_unique,
        };
        let keys = [
            key("album", &["artist_id"], "artist", false),
            key("album", &["producer_id"], "artist", false),
            key("biography", &["artist_id"], "artist", true),
            key("artist", &["mentor_id"], "artist", false),
            key("track", &["album_id"], "album", false),
        ];
        let names = |table| {
            let mut fields = HashSet::from(["id".to_owned()]);
            let suggestions = suggest(table, &keys, &mut fields, HasuraDefault);
            let names = suggestions.into_iter().map(|one| {
                let kind = if one.kind == Object { "1" } else { "n" };
                format!("{kind} {} {:?}", one.name, one.columns)
            });
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            names("album"),
            [
                r#"1 artist [("artist_id", "id")]"#,
                r#"1 artistByProducerId [("producer_id", "id")]"#,
                r#"n tracks [("id", "album_id")]"#,
            ]
        );
        assert_eq!(
            names("artist"),
            [
                r#"1 artist [("mentor_id", "id")]"#,
                r#"1 biography [("id", "artist_id")]"#,
                r#"n albums [("id", "artist_id")]"#,
                r#"n albumsByProducerId [("id", "producer_id")]"#,
                r#"n artists [("id", "mentor_id")]"#,
            ]
        );
    }
}
