//! What is refused, as errors.

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use graphql::{ErrorCode, GraphQLError};
use ir::{Otherwise, OtherwiseKind};

use super::set::Verb;

/// Why nothing at all is let to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It says no role, and the policies have none for such.
    NoRole,
    UnknownRole,
    /// The tokens that came differ in more ways than are kept apart.
    TooManySets,
}

/// Something that a request does and that no rule lets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Denial {
    Entity(EntityId, Verb),
    Field(FieldId, Verb),
    /// The field may be seen in some of the rows only, and is used in a way that does not know it.
    Hidden(FieldId),
    Function(FunctionId),
    /// The fields of a write are let by different rules, none of which lets them together.
    Together(EntityId, Verb),
    /// Who asks is not known, or not by the claims that are wanted.
    Unauthenticated,
    /// The claims are not those that are wanted.
    Forbidden,
    /// This stage does not know what would be let.
    NotUnderstood(&'static str),
}

impl From<Refusal> for GraphQLError {
    fn from(refusal: Refusal) -> Self {
        let message = match refusal {
            Refusal::NoRole => "This request names no role, and nothing is let without one.",
            // Whoever tries roles is not told which there are.
            Refusal::UnknownRole => "Nothing is let to the role of this request.",
            Refusal::TooManySets => {
                "The claims of too many different kinds were seen: nothing more is let."
            }
        };
        Self::new(ErrorCode::PermissionDenied, message)
    }
}

impl Denial {
    /// The denial in words.
    #[must_use]
    pub fn message(&self, catalog: &Catalog) -> String {
        match self {
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

/// What is said where rows would be written that do not pass the check of any rule.
pub(super) fn unlike(catalog: &Catalog, entity: EntityId, verb: &str) -> Otherwise {
    let entity = catalog.qualified_name(entity);
    let message = format!("You may not {verb} rows of `{entity}` with these values.");
    Otherwise::new(OtherwiseKind::Refused, message)
}

/// What is said where a row that is there already would be updated, which no rule lets.
pub(super) fn kept(catalog: &Catalog, entity: EntityId) -> Otherwise {
    let entity = catalog.qualified_name(entity);
    let message = format!("You may not update the row of `{entity}` that has this key.");
    Otherwise::new(OtherwiseKind::Refused, message)
}

/// `namespace.entity.field`.
pub(super) fn field_name(catalog: &Catalog, field: FieldId) -> String {
    let field = &catalog[field];
    format!("{}.{}", catalog.qualified_name(field.entity), field.name)
}
