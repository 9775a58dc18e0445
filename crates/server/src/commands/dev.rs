//! `thalweg dev`: composes and serves subgraphs while they change.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::commands::block_on;
use crate::commands::gateway::{KnownSubgraphs, prepare};
use crate::commands::serving::{open_and_serve, reread};
use crate::composition::{self, CompositionSource, Inputs, NotComposed};
use crate::configuration::{Again, Invocation, redacted};
use crate::failure::Failure;
use crate::http::{self, Reload, Reloaded};
use crate::options::{
    Command, GatewayOptions, Poll, RemoteSupergraph, ReportForm, SupergraphLocation,
};
use crate::supergraph::SupergraphWatch;

/// The failure that was shown last.
#[derive(Debug, Default)]
struct Reported(Mutex<Option<String>>);

/// The interval of reading the schemas of running subgraphs and of databases.
const POLL: Duration = Duration::from_secs(1);

/// The pause before a registry is asked again.
const REGISTRY_POLL: Duration = Duration::from_secs(10);

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
    let (kept, reported) = (Arc::clone(&known), Reported::default());
    let reload: Reload = Box::new(move || {
        let options = read(&again)?;
        let opened = open(&options, &kept);
        reported.tell(opened.as_ref().err());
        opened
    });
    let first_reported = Reported::default();
    let first = || loop {
        match open(&options, &known) {
            Ok(opened) => return Ok(opened),
            Err(failure) => {
                first_reported.tell(Some(&failure));
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
    // A file is watched, and registries have an interval of their own.
    let is_polled = matches!(
        SupergraphLocation::parse(&options.supergraph, &options.subgraphs.registry),
        Ok(SupergraphLocation::Composition(_)
            | SupergraphLocation::Remote(RemoteSupergraph::Url(_)))
    );
    if is_polled {
        options.supergraph_poll.get_or_insert(Poll::Every(POLL));
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
    let place = SupergraphLocation::parse(&options.supergraph, &options.subgraphs.registry)?;
    match place {
        SupergraphLocation::Composition(file) => match CompositionSource::read(&file) {
            Ok(source) => {
                let pause = options.supergraph_poll.and_then(Poll::pause);
                watch.follow_composition(source, inputs_of(failure), true, pause);
            }
            Err(_) => watch.follow_file(&file, ""),
        },
        SupergraphLocation::File(file) => watch.follow_file(&file, ""),
        SupergraphLocation::Remote(remote) => {
            let pause = match remote {
                RemoteSupergraph::Url(_) => POLL,
                RemoteSupergraph::Uplink(_)
                | RemoteSupergraph::Hive(_)
                | RemoteSupergraph::S3(_) => REGISTRY_POLL,
            };
            return block_on(async {
                tokio::time::sleep(pause).await;
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

impl Reported {
    /// Shows a failure, one error after the other, unless it was shown before.
    fn tell(&self, failure: Option<&Failure>) {
        let text = failure.map(|failure| match failure.downcast_ref::<NotComposed>() {
            Some(NotComposed { errors, hints, inputs }) => {
                composition::write(errors, hints, inputs, ReportForm::Text)
            }
            None => format!("error: {}\n", redacted(failure.to_string().trim())),
        });
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = text.as_ref().filter(|text| last.as_ref() != Some(text)) {
            tell(text);
        }
        *last = text;
    }
}

/// Writes to the error stream; without one, the page shows the errors.
fn tell(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}
