//! Rules of validation that a schema leaves out.

/// Rules of validation that a schema leaves out, for the clients of a server that has left them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leniency {
    /// Variables and fragments that nothing uses are allowed.
    /// <https://spec.graphql.org/draft/#sec-All-Variables-Used>
    pub unused: bool,
    /// A variable of nullable items is allowed where items are non-null.
    /// <https://spec.graphql.org/draft/#sec-All-Variable-Usages-Are-Allowed>
    pub nullable_items: bool,
}
