//! The suite `soak`: a long mixed load while the configuration is reloaded, the schema changes, and the
//! database, its standby and Redis stop and start again.
//!
//! * `site`: the servers; `disturbances`: reloads, changes and outages
//! * `clients`: readers, writers and clients that come and go, with `stream_client` (HTTP/2) and
//!   `subscribers`; each checks its answers
//! * `ledger`: answers, errors, acknowledged changes, problems
//! * `samples`: memory, descriptors and sessions in the course of time; `report`: the tables

mod clients;
mod disturbances;
mod failure;
mod ledger;
mod report;
mod samples;
mod site;
mod stream_client;
mod subscribers;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

pub(crate) use failure::SoakError;

use crate::program::Program;
use crate::race;
use disturbances::Disturbance;
use ledger::Ledger;
use samples::Samples;
use site::Site;

/// From one disturbance to the next.
const INTERVAL: Duration = Duration::from_secs(30);
/// Until then a disturbance may still be felt: the server asks a database again after some seconds.
const RECOVERY: Duration = Duration::from_secs(15);
/// Clients have left, and the server has closed what it has for them.
const REST: Duration = Duration::from_secs(15);

/// Options of `soak`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Minutes of load.
    #[arg(long, value_name = "NUMBER", default_value = "30")]
    pub(crate) minutes: u32,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// Loads, disturbs and prints; false if an answer was wrong, a change was lost, or something leaks.
pub(crate) fn measure(workspace: &Path, options: &Options) -> Result<bool, SoakError> {
    let folder = workspace.join(race::RUNS).join("soak");
    fs::create_dir_all(&folder)?;
    eprintln!("soak: starting PostgreSQL, a standby, Redis and Thalweg");
    let mut site = Site::start(&options.program.or_release()?, &folder)?;
    let ledger = Arc::new(Ledger::default());
    let samples = Samples::start(&site, &ledger);
    let load = clients::start(site.port(), &ledger);

    let end = Instant::now() + Duration::from_secs(60) * options.minutes;
    let mut next = Disturbance::ALL.iter().copied().cycle();
    loop {
        let until = (Instant::now() + INTERVAL).min(end);
        // The last minute has no disturbance.
        let disturbance = (Instant::now() + 2 * INTERVAL < end).then(|| next.next()).flatten();
        if let Some(disturbance) = disturbance {
            ledger.disturb();
            site.disturb(disturbance)?;
            ledger.count_disturbance(disturbance);
            thread::sleep(RECOVERY);
            ledger.calm();
        }
        thread::sleep(until.saturating_duration_since(Instant::now()));
        eprintln!("soak: {}", ledger.progress());
        if Instant::now() >= end {
            break;
        }
    }
    drop(load);
    thread::sleep(REST);
    let samples = samples.finish().ok_or(SoakError::Thread)?;
    let at_rest = samples::Sample::take(&site.measured(), 0)?;
    let lost = site.lost_changes(&ledger)?;
    let text = report::text(options.minutes, &ledger, &samples, at_rest, &lost);
    fs::write(folder.join("soak.md"), &text)?;
    print!("{text}");
    let problems = report::problems(&ledger, &samples, at_rest, &lost);
    for problem in &problems {
        eprintln!("soak: {problem}");
    }
    Ok(problems.is_empty())
}
