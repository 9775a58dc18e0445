//! Nested writes: their names in the API.

use super::builder::Builder;
use crate::model::NestedOperations;
use api::binding::{FilterRole, NestedWriteVerb};

/// Nested write, with its name as a field and in the names of types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) field: &'static str,
    pub(crate) name: &'static str,
    pub(crate) verb: NestedWriteVerb,
}

impl Step {
    pub(crate) const CREATE: Self =
        Self { field: "create", name: "Create", verb: NestedWriteVerb::Create };
    pub(crate) const CONNECT: Self =
        Self { field: "connect", name: "Connect", verb: NestedWriteVerb::Connect };
    pub(crate) const DELETE: Self =
        Self { field: "delete", name: "Delete", verb: NestedWriteVerb::Delete };
    pub(crate) const DISCONNECT: Self =
        Self { field: "disconnect", name: "Disconnect", verb: NestedWriteVerb::Disconnect };

    /// Whether it is one of the operations of a relationship.
    pub(crate) fn is_in(self, operations: NestedOperations) -> bool {
        match self.verb {
            NestedWriteVerb::Create => operations.create,
            NestedWriteVerb::Update => operations.update,
            NestedWriteVerb::Connect | NestedWriteVerb::ConnectOnce => operations.connect,
            NestedWriteVerb::ConnectOrCreate => operations.connect_or_create,
            NestedWriteVerb::Disconnect => operations.disconnect,
            NestedWriteVerb::Delete => operations.delete,
        }
    }
}

/// Adds `MovieConnectWhere`: the conditions on nodes that are connected.
pub(crate) fn add_connect_where(build: &mut Builder<'_>, node: &str) -> String {
    let name = format!("{node}ConnectWhere");
    build.put_lenient(&name, "node", &format!("{node}Where!"), FilterRole::Conditions);
    name
}
