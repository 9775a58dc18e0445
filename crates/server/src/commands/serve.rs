//! `thalweg serve`: serves a database.

use engine::resolvers::statistics::ResolverStatistics;

use crate::commands::block_on;
use crate::commands::prepare::prepare;
use crate::commands::serving::{open_and_serve, reread};
use crate::configuration::{Again, Invocation};
use crate::failure::Failure;
use crate::http::{self, Reload, Reloaded};
use crate::options::{Command, ServeOptions};

pub(crate) fn run(options: &ServeOptions, invocation: &Invocation) -> Result<(), Failure> {
    block_on(http::take_signal())?;
    let statistics = ResolverStatistics::default();
    let prepared = prepare(options)?.counted(&statistics);
    let serving = &options.serving;
    let listeners = http::bind(serving)?;
    let again = invocation.again();
    let reload: Reload = Box::new(move || reload(&again, &statistics));
    open_and_serve(|| prepared.open_or_wait(), serving, listeners, Some(reload), |_| Ok(()))
}

/// Repeats a start, except for options that need a restart.
fn reload(again: &Again, statistics: &ResolverStatistics) -> Result<Reloaded, Failure> {
    let Command::Serve(options) = reread(again)? else {
        return Err(Failure::Usage("a reload needs the options of `thalweg serve`".into()));
    };
    prepare(&options)?.counted(statistics).open()
}
