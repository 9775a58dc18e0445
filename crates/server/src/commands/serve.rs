//! `thalweg serve`: a database over HTTP.

use std::sync::Arc;

use engine::{Engine, SourceAddress};

use crate::commands::block_on;
use crate::failure::Failure;
use crate::http::{self, Generation, Listeners, Settings};
use crate::memory;
use crate::options::{ServeOptions, ServingOptions};

pub(crate) fn run(options: &ServeOptions) -> Result<(), Failure> {
    let serving = &options.serving;
    let source = options.api.address()?;
    let connections = serving.connections_per_thread();
    let engine_options = options.api.engine_options(connections, serving.engine_limits())?;
    let listeners = http::bind(&serving.listen, serving.unix_socket_mode, serving.threads())?;
    open_and_serve(&source, &engine_options, serving, listeners, |_| Ok(()))
}

/// Serves until a signal ends it. The sockets come first: a port in use is found before a large
/// catalog is read.
pub(crate) fn open_and_serve(
    source: &SourceAddress,
    engine_options: &engine::Options,
    serving: &ServingOptions,
    listeners: Listeners,
    ready: impl FnOnce(&Listeners) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let generation = open(source, engine_options, serving)?;
    for address in serving.listen.iter().filter(|address| !address.is_local()) {
        tracing::warn!(
            address = address.text,
            "everybody who reaches this address may read all that the API shows"
        );
    }
    ready(&listeners)?;
    block_on(http::serve(generation, listeners))
}

/// Reads the source and makes what is served of it.
fn open(
    source: &SourceAddress,
    engine_options: &engine::Options,
    serving: &ServingOptions,
) -> Result<Generation, Failure> {
    let engine = block_on(async { Ok(Engine::open(source, engine_options).await?) })?;
    // The catalog as the database told it is gone.
    memory::give_back();
    for note in engine.notes() {
        tracing::debug!("{note}");
    }
    match engine.notes().count() {
        0 => {}
        notes => tracing::info!(notes, "`thalweg check` names what could be better"),
    }
    Ok(Generation { engine, settings: Arc::new(Settings::new(serving)) })
}
