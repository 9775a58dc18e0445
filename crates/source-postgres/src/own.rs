//! The schema of the tables of type definitions, and fixed statements for it.
//!
//! The statements name Thalweg's own objects as those for the schema `public`, in the schema
//! `thalweg`; for another schema the names are replaced. So its name is one that needs no escapes,
//! wherever it stands in a statement.

use std::borrow::Cow;

use sql::own::{OWN_PREFIX, OWN_SCHEMA, has_own_schema};

/// The schema of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DefinitionsSchema(Box<str>);

/// The reason why a schema cannot have the tables of type definitions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the schema `{0}` cannot have the tables of type definitions: its name needs to consist of \
     letters of ASCII, digits, underscores and at most one `$`, and to be none of PostgreSQL or \
     Thalweg"
)]
pub struct SchemaNameError(Box<str>);

/// The number of the advisory lock of migrations and imports of `public`.
const LOCK: &str = "32765864939316583";

/// The most bytes of a name.
const MOST_BYTES: usize = 63;

impl DefinitionsSchema {
    pub(super) fn new(name: &str) -> Result<Self, SchemaNameError> {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let is_taken = name == OWN_SCHEMA
            || name == "information_schema"
            || name.starts_with("pg_")
            || name.starts_with(OWN_PREFIX);
        // Prisma has the tables of a service in a schema `service$stage`. One `$` within a name is no
        // mark of a quoted text.
        let parts: Vec<&str> = name.split('$').collect();
        let is_one = match *parts.as_slice() {
            [one] => one.chars().all(is_plain),
            [service, stage] => {
                !stage.is_empty() && [service, stage].iter().all(|one| one.chars().all(is_plain))
            }
            _ => false,
        };
        match begins && is_one && name.len() <= MOST_BYTES && !is_taken {
            true => Ok(Self(name.into())),
            false => Err(SchemaNameError(name.into())),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// A fixed statement, with the own objects of this schema.
    pub(super) fn statement(&self, text: &'static str) -> Cow<'static, str> {
        if has_own_schema(Some(&self.0)) {
            return text.into();
        }
        let name = &self.0;
        // The right to create schemas is not needed for one that exists.
        let create = format!(
            "do $do$ begin if to_regnamespace('\"{name}\"') is null then create schema \
             \"{name}\"; end if; end $do$;"
        );
        text.replace("create schema if not exists thalweg;", &create)
            .replace("'porter' and dictnamespace = 'thalweg'", &{
                format!("'{OWN_PREFIX}porter' and dictnamespace = '\"{name}\"'")
            })
            .replace("thalweg.", &format!("\"{name}\".{OWN_PREFIX}"))
            // Migrations and imports of other schemas do not wait.
            .replace(LOCK, &format!("hashtextextended('thalweg schema {name}', 0)"))
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_escapes() {
        let check = |name: &str, is_allowed: bool| {
            assert_eq!(DefinitionsSchema::new(name).is_ok(), is_allowed, "{name}");
        };
        for name in ["public", "shop", "Shop_2", "_a", "default$default"] {
            check(name, true);
        }
        for name in
            ["", "2shop", "a b", "a\"b", "a'b", "a$", "$a", "a$$b", "a$do$b", "größe", "a.b"]
        {
            check(name, false);
        }
        for name in ["thalweg", "thalweg_shop", "pg_catalog", "information_schema"] {
            check(name, false);
        }
        check(&"a".repeat(64), false);
    }

    #[test]
    fn statements_name_the_objects_of_their_schema() {
        let (public, shop) = (DefinitionsSchema::new("public"), DefinitionsSchema::new("shop"));
        let (public, shop) = (public.unwrap(), shop.unwrap());
        let check = |text: &'static str, expected: &str| {
            assert_eq!(public.statement(text), text);
            assert_eq!(shop.statement(text), expected);
        };
        check(
            "select to_regclass('thalweg.migrations') is not null",
            "select to_regclass('\"shop\".thalweg_migrations') is not null",
        );
        check(
            "dictname = 'porter' and dictnamespace = 'thalweg'::regnamespace",
            "dictname = 'thalweg_porter' and dictnamespace = '\"shop\"'::regnamespace",
        );
        check(
            "select pg_advisory_lock(32765864939316583);",
            "select pg_advisory_lock(hashtextextended('thalweg schema shop', 0));",
        );
        for locked in [include_str!("migrate/lock.sql"), include_str!("transfer/lock.sql")] {
            assert!(locked.contains(LOCK) && !shop.statement(locked).contains(LOCK));
        }
        check(
            "create schema if not exists thalweg;",
            "do $do$ begin if to_regnamespace('\"shop\"') is null then create schema \"shop\"; \
             end if; end $do$;",
        );
    }
}
