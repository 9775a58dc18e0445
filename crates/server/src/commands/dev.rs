//! `thalweg dev`: composes and serves subgraphs while they change.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use crate::commands::block_on;
use crate::commands::gateway::{KnownSubgraphs, prepare};
use crate::commands::serving::{open_and_serve, reread};
use crate::composition::{self, CompositionSource, Inputs, NotComposed};
use crate::configuration::{Again, Invocation, redacted};
use crate::failure::Failure;
use crate::http::{self, Reload, Reloaded};
use crate::options::{Command, GatewayOptions, ReportForm, SupergraphLocation, Time};
use crate::supergraph::SupergraphWatch;

/// The interval of reading the schemas of running subgraphs and of databases.
const POLL: Duration = Duration::from_secs(1);

pub(crate) fn run(invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let again = invocation.again();
    let options = read(&again)?;
    // Wrong options end the command; wrong schemas do not.
    let prepared = prepare(&options);
    if let Err(failure @ (Failure::Usage(_) | Failure::Configuration(_))) = prepared {
        return Err(failure);
    }
    let listeners = http::bind(&options.serving)?;
    let known = Arc::new(KnownSubgraphs::default());
    let kept = Arc::clone(&known);
    let reload: Reload = Box::new(move || {
        let options = read(&again)?;
        open(&options, &kept).inspect_err(report)
    });
    let first = || loop {
        match open(&options, &known) {
            Ok(opened) => return Ok(opened),
            Err(failure) => {
                report(&failure);
                wait(&options, &failure)?;
            }
        }
    };
    open_and_serve(first, &options.serving, listeners, Some(reload), |_| Ok(()))
}

/// The options, with those that the command sets.
fn read(again: &Again) -> Result<Box<GatewayOptions>, Failure> {
    let Command::Dev(mut options) = reread(again)? else {
        return Err(Failure::Usage("a reload needs the options of `thalweg dev`".into()));
    };
    options.watch = true;
    options.serving.development.dev = true;
    let is_composed = !matches!(
        SupergraphLocation::parse(&options.supergraph),
        Ok(SupergraphLocation::File(_)) | Err(_)
    );
    if is_composed {
        options.supergraph_poll.get_or_insert(Time(POLL));
    }
    Ok(options)
}

fn open(options: &GatewayOptions, known: &KnownSubgraphs) -> Result<Reloaded, Failure> {
    prepare(options)?.open(known)
}

/// Waits until a file or a schema has changed.
fn wait(options: &GatewayOptions, failure: &Failure) -> Result<(), Failure> {
    tell("waiting for a change\n");
    let mut watch = SupergraphWatch::default();
    match SupergraphLocation::parse(&options.supergraph)? {
        SupergraphLocation::Composition(file) => match CompositionSource::read(&file) {
            Ok(source) => {
                let pause = options.supergraph_poll.map(|pause| pause.0);
                watch.follow_composition(source, inputs_of(failure), true, pause);
            }
            Err(_) => watch.follow_file(&file, ""),
        },
        SupergraphLocation::File(file) => watch.follow_file(&file, ""),
        SupergraphLocation::Url(_) => {
            return block_on(async {
                tokio::time::sleep(POLL).await;
                Ok(())
            });
        }
    }
    if let Some(file) = &options.subgraphs.subgraphs {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        watch.follow_file(file, &text);
    }
    block_on(async {
        watch.changed().await;
        Ok(())
    })
}

fn inputs_of(failure: &Failure) -> Option<&Inputs> {
    failure.downcast_ref::<NotComposed>().map(|refused| &refused.inputs)
}

/// Shows a failure, one error after the other.
fn report(failure: &Failure) {
    match failure.downcast_ref::<NotComposed>() {
        Some(NotComposed { errors, hints, inputs }) => {
            tell(&composition::write(errors, hints, inputs, ReportForm::Text));
        }
        None => tell(&format!("error: {}\n", redacted(failure.to_string().trim()))),
    }
}

/// Writes to the error stream; without one, the page shows the errors.
fn tell(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}
