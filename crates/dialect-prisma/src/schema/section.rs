//! The order of the schema's types: by name, as Prisma prints them.

use api::draft;

/// The types so far.
pub(super) type Draft = draft::Draft<Section>;

/// All types are in one section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Section;

impl draft::Section for Section {
    fn is_by_name(self) -> bool {
        true
    }
}
