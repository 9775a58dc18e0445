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

use source::{NameSet, Settings};
use tokio_postgres::types::Type;

use super::product::SettingsForm;
use super::wire::{Parameter, Pipeline, Statement, Transaction, WireError};

/// A function over a list evaluates its elements in their order, so that they are set in it.
static SET: LazyLock<Arc<Statement>> = LazyLock::new(|| {
    let types = [Type::TEXT_ARRAY.oid(), Type::TEXT_ARRAY.oid()];
    Arc::new(Statement::new(include_str!("settings.sql").trim_end(), types))
});

/// Citus runs the parts of a statement on several connections at once, and refuses then to change a
/// reference table in the same transaction; one after the other it does not.
static IN_SEQUENCE: LazyLock<Arc<Statement>> =
    LazyLock::new(|| Arc::new(Statement::new(include_str!("in_sequence.sql").trim_end(), [])));

/// Makes Citus run the parts of the statements of a transaction one after the other.
pub(super) fn run_in_sequence(pipeline: &mut Pipeline<'_>) -> Result<(), WireError> {
    pipeline.set(&IN_SEQUENCE, [], &NameSet::default())
}

/// Citus repeats settings on other servers if SET LOCAL makes them, and only then: what a policy of a
/// table reads there is missing otherwise.
static REPEATED: LazyLock<Arc<Statement>> = LazyLock::new(|| {
    Arc::new(Statement::new("SET LOCAL citus.propagate_set_commands TO 'local'", []))
});

/// Sets the settings of a session on all servers that the transaction will ask.
fn set_everywhere(pipeline: &mut Pipeline<'_>, settings: &Settings) -> Result<(), WireError> {
    pipeline.set(&REPEATED, [], &NameSet::default())?;
    for (name, value) in settings.pairs() {
        let text = sql::print_set_local(&sql::Identifier(name.clone()), value);
        let statement = Arc::new(Statement::new(text, []).unnamed());
        pipeline.set(&statement, [], settings.names())?;
    }
    Ok(())
}

/// Begins a request: its transaction, where it has one of its own, then the session's settings. To
/// be called before all other messages of the transaction.
pub(super) fn begin(
    pipeline: &mut Pipeline<'_>,
    transaction: Option<Transaction>,
    settings: Option<&Settings>,
    form: SettingsForm,
) -> Result<(), WireError> {
    if let Some(transaction) = transaction {
        pipeline.begin(transaction)?;
    }
    let Some(settings) = settings else { return Ok(()) };
    match form {
        SettingsForm::Repeated => set_everywhere(pipeline, settings),
        SettingsForm::Function => {
            let [names, values] = settings.lists();
            pipeline.set(&SET, [Parameter::Text(names), Parameter::Text(values)], settings.names())
        }
    }
}
