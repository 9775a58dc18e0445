//! Permissions that a role does not inherit, since the roles that it inherits from have different ones.

use std::fmt;

use crate::input_checks::CheckedChange;

/// A permission that a role does not inherit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uninherited {
    pub role: Box<str>,
    pub subject: UninheritedSubject,
}

/// The change or remote schema for which the parent roles have different permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UninheritedSubject {
    /// To change a table of a source.
    Change { change: CheckedChange, table: Box<str>, source: Box<str> },
    /// To use a remote schema.
    RemoteSchema(Box<str>),
}

impl CheckedChange {
    /// The word of metadata.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

/// The message in Hasura's words.
impl fmt::Display for Uninherited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Could not inherit permission for the role '{}' for the entity: '", self.role)?;
        match &self.subject {
            UninheritedSubject::Change { change, table, source } => {
                write!(f, "{} permission, table: {table}, source: '{source}''", change.word())
            }
            UninheritedSubject::RemoteSchema(name) => write!(f, "remote schema: '{name}''"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_names_the_role_and_the_permission() {
        let check = |subject, expected: &str| {
            let uninherited = Uninherited { role: "users".into(), subject };
            assert_eq!(uninherited.to_string(), expected);
        };
        check(
            UninheritedSubject::Change {
                change: CheckedChange::Insert,
                table: "author".into(),
                source: "default".into(),
            },
            "Could not inherit permission for the role 'users' for the entity: 'insert \
             permission, table: author, source: 'default''",
        );
        check(
            UninheritedSubject::RemoteSchema("shop".into()),
            "Could not inherit permission for the role 'users' for the entity: 'remote schema: \
             'shop''",
        );
    }
}
