//! The fields that rows must have.

/// The selected fields that must have values.
#[derive(Clone, Debug)]
pub(super) enum RequiredFields {
    All,
    /// Those of these names. Nothing is required of rows below them.
    Of(Vec<Box<str>>),
}

impl RequiredFields {
    /// True if the same is required of rows below.
    pub(super) fn reach_below(required: Option<&Self>) -> bool {
        matches!(required, Some(Self::All))
    }
}
