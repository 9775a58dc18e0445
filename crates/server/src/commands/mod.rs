//! The commands, one file each.

mod backup;
mod changes;
mod check;
mod completions;
mod compose;
mod config;
mod contract;
mod demo;
mod dev;
mod diff;
mod events;
mod explain;
mod export;
mod exposure;
mod gateway;
mod health;
mod import;
mod import_metadata;
mod init;
mod man;
mod migrate;
mod prepare;
mod preview;
mod reads;
mod schema;
mod serve;
mod serving;
mod token;
mod top;
mod triggers;
mod types;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use engine::{Engine, Limits, OpenError};
use preview::Preview;
use tokio::runtime;
use tokio::task::LocalSet;

use crate::configuration::Invocation;
use crate::failure::Failure;
use crate::options::{ApiOptions, Command};

/// The refusal of a database's option for a supergraph.
const FOR_DATABASES: &str = "a database, and the source is a supergraph: leave it out";

/// Runs a command to its end.
pub(crate) fn run(invocation: &Invocation) -> Result<ExitCode, Failure> {
    match &invocation.arguments.command {
        Command::Serve(options) => serve::run(options, invocation).map(|()| ExitCode::SUCCESS),
        Command::Gateway(options) => gateway::run(options, invocation).map(|()| ExitCode::SUCCESS),
        Command::Dev(_) => dev::run(invocation).map(|()| ExitCode::SUCCESS),
        Command::Compose(options) => compose::run(options),
        Command::Schema(options) => schema::run(options).map(|()| ExitCode::SUCCESS),
        Command::Explain(options) => explain::run(options).map(|()| ExitCode::SUCCESS),
        Command::Types(options) => types::run(options).map(|()| ExitCode::SUCCESS),
        Command::Migrate(options) => migrate::run(options),
        Command::Backup(options) => backup::back_up(options),
        Command::Restore(options) => backup::restore(options),
        Command::Export(options) => export::run(options),
        Command::Import(options) => import::run(options),
        Command::ImportMetadata(options) => import_metadata::run(options),
        Command::Triggers(options) => triggers::run(options).map(|()| ExitCode::SUCCESS),
        Command::Events(options) => events::run(options),
        Command::Check(options) => check::run(options, invocation),
        Command::Contract(options) => contract::run(options),
        Command::Diff(options) => diff::run(options),
        Command::Demo(options) => demo::run(options).map(|()| ExitCode::SUCCESS),
        Command::Init(options) => init::run(options).map(|()| ExitCode::SUCCESS),
        Command::Health(options) => health::run(options).map(|()| ExitCode::SUCCESS),
        Command::Top(options) => top::run(options).map(|()| ExitCode::SUCCESS),
        Command::Completions(options) => completions::run(options).map(|()| ExitCode::SUCCESS),
        Command::Token(options) => token::run(options).map(|()| ExitCode::SUCCESS),
        Command::Config(options) => config::run(options, invocation),
        Command::Man(options) => man::run(options).map(|()| ExitCode::SUCCESS),
    }
}

/// Runs a future of the engine on the current thread.
fn block_on<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
    LocalSet::new().block_on(&runtime, future)
}

/// An API for one command.
struct Opened {
    engine: Arc<Engine>,
    /// The tables of type definitions, if the database is not there.
    _preview: Preview,
}

/// Opens the API for a command that needs it once, and does not change the database.
async fn open(options: &ApiOptions, limits: Limits) -> Result<Opened, Failure> {
    let mut engine_options = once(options, limits)?;
    let preview = Preview::of(options, &mut engine_options)?;
    let engine = Engine::open(&preview.address, &engine_options).await?;
    Ok(Opened { engine, _preview: preview })
}

/// An API that is not served, with what a server would refuse.
struct Inspected {
    engine: Arc<Engine>,
    /// As of [`Opened`].
    _preview: Preview,
    emptiness: Option<OpenError>,
    /// The problems of events that metadata defines.
    events: Option<Failure>,
}

/// Opens the API for an inspection: an empty one is a finding, not an error.
async fn inspect(options: &ApiOptions) -> Result<Inspected, Failure> {
    let mut engine_options = once(options, Limits::default())?;
    let preview = Preview::of(options, &mut engine_options)?;
    let address = &preview.address;
    let options = &*engine::stored_metadata::read(address, &engine_options).await?;
    let engine = Engine::inspect(address, options).await?;
    let emptiness = engine.find_emptiness(address, options);
    let events = crate::events::find_problems(options);
    Ok(Inspected { engine, _preview: preview, emptiness, events })
}

fn once(options: &ApiOptions, limits: Limits) -> Result<engine::Options, Failure> {
    options.engine_options(engine::PoolLimits::unshared(1), engine::Timeouts::default(), limits)
}

/// Prints the result of a command.
fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(Failure::Output)
}
