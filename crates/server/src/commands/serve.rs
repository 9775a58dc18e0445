//! `thalweg serve`: serves a database.

use std::sync::Arc;

use engine::resolvers::statistics::ResolverStatistics;

use crate::commands::block_on;
use crate::commands::prepare::prepare;
use crate::commands::serving::{open_and_serve, reread};
use crate::configuration::{Again, Invocation};
use crate::events::EventDelivery;
use crate::failure::Failure;
use crate::http::{self, Reload, Reloaded};
use crate::options::{Command, ServeOptions};

pub(crate) fn run(options: &ServeOptions, invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let statistics = ResolverStatistics::default();
    let events = Arc::new(EventDelivery::default());
    let prepared = prepare(options)?.counted(&statistics).delivering(&events);
    let serving = &options.serving;
    let listeners = http::bind(serving)?;
    let again = invocation.again();
    let reloaded = Arc::clone(&events);
    let reload: Reload = Box::new(move || reload(&again, &statistics, &reloaded));
    let served =
        open_and_serve(|| prepared.open_or_wait(), serving, listeners, Some(reload), |_| Ok(()));
    events.stop();
    served
}

/// Repeats a start, except for options that need a restart.
fn reload(
    again: &Again,
    statistics: &ResolverStatistics,
    events: &Arc<EventDelivery>,
) -> Result<Reloaded, Failure> {
    let Command::Serve(options) = reread(again)? else {
        return Err(Failure::Usage("a reload needs the options of `thalweg serve`".into()));
    };
    prepare(&options)?.counted(statistics).delivering(events).open()
}
