//! The order of the schema's types: by name, as Prisma prints them.

use api::draft::{self, TypeOrder};

/// The types so far.
pub(super) type Draft = draft::Draft<Section>;

/// All types are in one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Section;

impl draft::Section for Section {
    fn order(self) -> TypeOrder {
        TypeOrder::NameIgnoringCase
    }
}
