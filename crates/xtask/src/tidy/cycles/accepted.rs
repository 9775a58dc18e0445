//! Import cycles that are accepted, each with its reason; a new one needs a reason as good.

/// An accepted cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accepted {
    /// The folder of the crate, or the file of the module that holds the modules of the cycle.
    pub(super) within: &'static str,
    /// In alphabetical order.
    pub(super) modules: &'static [&'static str],
    /// Ordered pairs of these modules of which the first imports the second.
    pub(super) edges: usize,
    pub(super) reason: &'static str,
}

pub(super) const ACCEPTED: &[Accepted] = &[];
