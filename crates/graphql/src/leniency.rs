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
    /// An empty name of an operation is none.
    /// <https://spec.graphql.org/draft/#GetOperation()>
    pub empty_operation_name: bool,
}

impl Leniency {
    /// The name of an operation, if a request has one.
    pub(crate) fn operation_name(self, name: Option<&str>) -> Option<&str> {
        name.filter(|name| !(self.empty_operation_name && name.is_empty()))
    }
}
