//! An open connection, as each version of HTTP serves it.

use std::rc::Rc;

use super::clients::ConnectionPermit;
use super::connection_context::ConnectionContext;
use super::connections::Entry;

/// An open connection.
#[derive(Debug)]
pub(super) struct OpenConnection {
    pub(super) entry: Entry,
    pub(super) permit: ConnectionPermit,
    pub(super) context: Rc<ConnectionContext>,
}
