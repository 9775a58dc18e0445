//! What the compiler asks a source about the types of fields.

use catalog::{EntityId, FieldId};

/// What a source knows of the types of keys.
pub trait KeyTypes: std::fmt::Debug {
    /// Whether equal values always print the same text, and equal texts are equal values.
    fn identity_is_text(&self, field: FieldId) -> bool;

    /// Whether two fields have one type, in which that is so and equal values print the same text.
    fn print_alike(&self, one: FieldId, other: FieldId) -> bool;

    /// Whether there is an array type of such values.
    fn has_array(&self, field: FieldId) -> bool;

    /// Whether levels inline the query of their parents where that is of use. It is not where the
    /// parents come in portions.
    fn inlines_parents(&self) -> bool {
        true
    }

    /// Whether each statement is one for several sets of parameters ([`is_batched`]): its text is the
    /// member of a batch.
    ///
    /// [`is_batched`]: crate::Parameter::is_batched
    fn is_batch(&self) -> bool {
        false
    }

    /// Whether the reader of rows below parents sorts those of each parent by the field, an integer,
    /// in ascending order.
    fn sorts(&self, _: FieldId) -> bool {
        false
    }

    /// How long a value is that would come once for each row below its own.
    fn length(&self, _: FieldId) -> Length {
        Length::Long
    }

    /// Whether a key of the entity tells all of its rows, and the rows may come once for each row
    /// below.
    fn repeats_rows(&self, _: EntityId) -> bool {
        false
    }
}

/// How long the values of a field are, as far as its type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many characters at most.
    AtMost(u32),
    /// Short or long: only the values tell.
    Any,
    /// Too long to be read more than once, as far as is known.
    Long,
}
