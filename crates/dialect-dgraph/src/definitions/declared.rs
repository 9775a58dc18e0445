//! Types and fields as they are declared, with their directives.

use graphql::definitions::problem::At;
use graphql::definitions::{FieldDefinition, Literal, TypeDefinition};

use super::directives::{Applied, Known, find_argument};
use super::inherited::ExpandedField;
use crate::model::{Field, TypeIndex};

/// A type or interface with its directives.
#[derive(Debug)]
pub(super) struct DeclaredType<'d> {
    pub(super) definition: &'d TypeDefinition,
    pub(super) applied: Applied<'d>,
    pub(super) implements: Vec<TypeIndex>,
    pub(super) fields: Vec<DeclaredField<'d>>,
}

impl<'d> DeclaredType<'d> {
    /// The name of its rows: `@dgraph(type:)`, or its own.
    pub(super) fn stored_name(&self) -> &'d str {
        let directive = self.applied.find(Known::Dgraph);
        let argument = directive.and_then(|directive| find_argument(directive, "type"));
        match argument.map(|argument| &argument.value) {
            Some(Literal::String(name)) if !name.is_empty() => name,
            _ => &self.definition.name,
        }
    }

    pub(super) fn is_remote(&self) -> bool {
        self.applied.has(Known::Remote)
    }
}

/// The type to which fields belong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner<'a, 'd> {
    pub(super) kind: OwnerKind,
    /// All fields of the type, inherited ones included.
    pub(super) fields: &'a [ExpandedField<'d>],
    /// Names of the secrets of the definitions.
    pub(super) secrets: &'a [(Box<str>, Box<str>)],
}

/// Kinds of types to which fields belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnerKind {
    Query,
    Mutation,
    Object,
    Interface,
    /// A type or interface of another server.
    Remote,
}

impl OwnerKind {
    pub(super) fn is_root(self) -> bool {
        match self {
            Self::Query | Self::Mutation => true,
            Self::Object | Self::Interface | Self::Remote => false,
        }
    }
}

/// A field with its directives.
#[derive(Clone, Debug)]
pub(super) struct DeclaredField<'d> {
    pub(super) expanded: ExpandedField<'d>,
    pub(super) applied: Applied<'d>,
    /// `None` if its type is refused.
    pub(super) field: Option<Field>,
}

impl<'d> DeclaredField<'d> {
    pub(super) fn name(&self) -> &'d str {
        &self.expanded.definition.name
    }

    /// The name of its type, without lists.
    pub(super) fn base(&self) -> &'d str {
        self.expanded.definition.r#type.base()
    }

    /// Its place as a field of the type of `at`.
    pub(super) fn at(&self, at: At<'d>) -> At<'d> {
        place(at, self.expanded.definition)
    }
}

pub(super) fn place<'d>(at: At<'d>, definition: &'d FieldDefinition) -> At<'d> {
    at.member((definition.line, definition.column), &definition.name)
}
