//! Denials: parts of a request that no rule permits.

use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{Otherwise, OtherwiseKind};

use crate::grant::Privilege;
use crate::set::AccessSet;

/// A part of a request that no rule permits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Denial {
    /// The session lacks this claim, which a grant needs.
    MissingClaim(Arc<str>),
    Entity(EntityId, Privilege),
    Field(FieldId, Privilege),
    /// The field is readable in some of the rows only, and is used where it cannot be masked.
    Hidden(FieldId),
    Function(FunctionId),
    /// The fields of a write are granted by different rules, none of which grants them together.
    Together(EntityId, Privilege),
    /// The session is not authenticated, or its claims do not fulfil the authentication rule.
    Unauthenticated,
    /// The claims do not fulfil the rule.
    Forbidden,
    /// The authorizer does not support this construct, and so denies it.
    NotUnderstood(&'static str),
}

impl Denial {
    /// The error message.
    #[must_use]
    pub fn message(&self, catalog: &Catalog) -> String {
        match self {
            Self::MissingClaim(claim) => format!("missing session variable: {claim:?}"),
            Self::Entity(entity, verb) => {
                format!("You may not {verb} rows of `{}`.", catalog.qualified_name(*entity))
            }
            Self::Field(field, verb) => {
                format!("You may not {verb} `{}`.", field_name(catalog, *field))
            }
            Self::Hidden(field) => format!(
                "You may see `{}` in some rows only, and cannot use it here.",
                field_name(catalog, *field)
            ),
            Self::Function(function) => {
                format!("You may not call `{}`.", catalog.function_name(*function))
            }
            Self::Together(entity, verb) => format!(
                "You may not {verb} rows of `{}` with these fields together.",
                catalog.qualified_name(*entity)
            ),
            Self::Unauthenticated => "Unauthenticated".to_owned(),
            Self::Forbidden => "Forbidden".to_owned(),
            Self::NotUnderstood(what) => {
                format!("What you may see and change is restricted, which is not known for {what}.")
            }
        }
    }
}

/// The error for written rows that pass the check of no rule.
pub(crate) fn failed_check(
    catalog: &Catalog,
    set: &AccessSet,
    entity: EntityId,
    verb: &str,
) -> Otherwise {
    if let Some(message) = set.failed_check() {
        return Otherwise::new(OtherwiseKind::Refused, message);
    }
    let entity = catalog.qualified_name(entity);
    let message = format!("You may not {verb} rows of `{entity}` with these values.");
    Otherwise::new(OtherwiseKind::Refused, message)
}

/// The error for an upsert of an existing row that no rule permits to update.
pub(crate) fn not_updatable(catalog: &Catalog, entity: EntityId) -> Otherwise {
    let entity = catalog.qualified_name(entity);
    let message = format!("You may not update the row of `{entity}` that has this key.");
    Otherwise::new(OtherwiseKind::Refused, message)
}

/// The error for rows that are meant, some of which no rule permits to update.
pub(crate) fn none_updatable(catalog: &Catalog, entity: EntityId) -> Otherwise {
    not_all(catalog, entity, "update")
}

/// The error for rows that are meant, some of which no rule permits to delete.
pub(crate) fn not_deletable(catalog: &Catalog, entity: EntityId) -> Otherwise {
    not_all(catalog, entity, "delete")
}

fn not_all(catalog: &Catalog, entity: EntityId, verb: &str) -> Otherwise {
    let entity = catalog.qualified_name(entity);
    let message = format!("You may not {verb} a row of `{entity}` that this change is about.");
    Otherwise::new(OtherwiseKind::Refused, message)
}

/// The qualified name `namespace.entity.field`.
#[must_use]
pub fn field_name(catalog: &Catalog, field: FieldId) -> String {
    let field = &catalog[field];
    format!("{}.{}", catalog.qualified_name(field.entity), field.name)
}
