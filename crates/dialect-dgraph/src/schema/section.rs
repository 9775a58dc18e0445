//! Parts of the schema, in the order in which Dgraph prints them.

use api::draft::{self, TypeOrder};

/// The types so far.
pub(super) type Draft = draft::Draft<Section>;

/// A type of a draft.
pub(super) type DraftType = draft::DraftType<Section>;

/// A part of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Scalars,
    /// Types of the definitions, in the order of these.
    Definitions,
    /// Types that every schema has.
    Base,
    /// Generated types, by name.
    Objects,
    Enums,
    Inputs,
    Roots,
}

impl draft::Section for Section {
    fn order(self) -> TypeOrder {
        match self {
            Self::Objects | Self::Enums | Self::Inputs => TypeOrder::Name,
            Self::Scalars | Self::Definitions | Self::Base | Self::Roots => TypeOrder::Added,
        }
    }
}
