//! Typed indexes into the catalog's arenas: `Copy`, with a short `Debug` text.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $letter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id of the element at `index` of its arena.
            #[must_use]
            pub fn new(index: usize) -> Self {
                // An arena beyond four billion elements cannot be held in memory.
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// The element's index in its arena.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A table, a view, a label: something that has rows.
    EntityId "e";
    /// A column or property of an entity.
    FieldId "f";
    /// A relationship from the rows of one entity to those of another.
    RelationshipId "r";
    /// A closed set of labels.
    EnumId "n";
    /// A type with named attributes.
    CompositeId "c";
    /// A named restriction of another type.
    DomainId "d";
    /// A type of intervals over another type.
    RangeId "g";
    /// A function.
    FunctionId "p";
    /// A search index.
    SearchId "s";
}
