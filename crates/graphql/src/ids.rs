//! Ids of the elements of a schema.

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
    /// A named type.
    TypeId "type";
    /// A field of an object or interface type.
    FieldId "field";
    /// An argument, or a field of an input object type.
    InputId "input";
    /// A value of an enum type.
    EnumValueId "value";
}

crate::heap_size!(plain TypeId, FieldId, InputId, EnumValueId);
