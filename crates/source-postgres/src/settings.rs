//! Settings of a session, in front of a request's statements.
//!
//! They are one statement, sent by the same write as the following ones, whose rows are ignored.
//! They hold until the end of the transaction, the implicit one of statements without BEGIN
//! included; so they have to be sent again with repeated statements.
//!
//! A custom setting that PostgreSQL does not know reads as an empty text on its connection for
//! ever, where it was missing before. Each connection remembers the names, and the pool hands none
//! to a request that leaves one of them unset ([`super::pool::Pool::acquire_for`]).

use std::sync::{Arc, LazyLock};

use source::Settings;
use tokio_postgres::types::Type;

use super::wire::{Parameter, Pipeline, Statement, Transaction, WireError};

/// A function over a list evaluates its elements in their order, so that they are set in it.
static SET: LazyLock<Arc<Statement>> = LazyLock::new(|| {
    let types = [Type::TEXT_ARRAY.oid(), Type::TEXT_ARRAY.oid()];
    Arc::new(Statement::new(include_str!("settings.sql").trim_end(), types))
});

/// Begins a request: its transaction, where it has one of its own, then the session's settings. To
/// be called before all other messages of the transaction.
pub(super) fn begin(
    pipeline: &mut Pipeline<'_>,
    transaction: Option<Transaction>,
    settings: Option<&Settings>,
) -> Result<(), WireError> {
    if let Some(transaction) = transaction {
        pipeline.begin(transaction)?;
    }
    let Some(settings) = settings else { return Ok(()) };
    let [names, values] = settings.lists();
    pipeline.set(&SET, [Parameter::Text(names), Parameter::Text(values)], settings.names())
}
