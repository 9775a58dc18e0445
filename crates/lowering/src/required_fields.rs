//! The fields that rows must have.

/// The selected fields that must have values.
#[derive(Clone, Debug)]
pub(super) enum RequiredFields {
    All,
    /// Those of these names. Of rows below them all selected fields are required.
    Of(Vec<Box<str>>),
}
