//! One line of the plan.

use super::{Course, Field};
use crate::race::contestant::Driver;
use crate::race::entry::Runner;
use crate::race::failure::RaceError;
use crate::race::load::Target;
use crate::race::load::failure::LoadError;
use crate::race::meter::Measured;
use crate::race::plan::{Item, Load, Stage};
use crate::race::record::{self, Measurement, Outcome, Subject};
use crate::race::usage::Processes;
use crate::race::written::Written;

/// The path of every server.
pub(super) const PATH: &str = "/graphql";

/// The first number of users who ask once in two seconds, for each request a second that is stood.
const FIRST_USERS: f64 = 1.85;

impl Course<'_> {
    /// Measures, writes down, and says what came of it. What cannot be measured is left out with
    /// its reason, and the run goes on.
    pub(super) fn measure(
        &mut self,
        stage: Stage<'_>,
        item: &Item,
        field: &mut Field,
    ) -> Result<(), RaceError> {
        let key = (item.query.clone(), item.contestant.clone());
        let takes_part = match field.runners.get(&item.contestant) {
            Some(Runner::Server { .. }) => {
                field.questions.contains_key(&key) && self.tools.can(item.load)
            }
            Some(Runner::Floor(driver)) => {
                let can = *driver != Driver::Pgbench || self.tools.pgbench.is_ok();
                can && field.scripts.contains_key(&key)
            }
            None => false,
        };
        if !takes_part {
            self.progress.skip(item);
            return Ok(());
        }
        match self.ask(stage, item, field) {
            Ok(measured) => {
                let limit = self.meter.pace.settings.latency_limit;
                let speed = field.speeds.entry(key).or_default();
                measured.iter().for_each(|(load, outcome)| speed.learn(load, outcome, limit));
                self.keep(item, measured)
            }
            // The closed loops stand; a run that is resumed tries this again.
            Err(reason) if !matches!(item.load, Load::Closed { .. }) => {
                println!("not measured: {} {}: {reason}", item.query, item.contestant);
                self.progress.skip(item);
                Ok(())
            }
            Err(reason) => {
                println!("left out: {} {}: {reason}", item.query, item.contestant);
                // What else there is of this query would fail as well.
                field.questions.remove(&key);
                field.scripts.remove(&key);
                self.leave_out(stage, Some(&item.query), &item.contestant, &reason);
                self.progress.skip(item);
                self.folder.write_run(&self.run)
            }
        }
    }

    fn keep(&mut self, item: &Item, measured: Measured) -> Result<(), RaceError> {
        for (load, outcome) in measured {
            println!("{} {}", self.progress.mark(), sentence(item, &load, &outcome));
            let subject = Subject {
                suite: item.suite.clone(),
                query: item.query.clone(),
                contestant: item.contestant.clone(),
            };
            self.folder.add(Measurement { subject, round: item.round, load, outcome })?;
        }
        self.folder.finish(item.clone())?;
        self.progress.step(item);
        Ok(())
    }

    fn ask(&self, stage: Stage<'_>, item: &Item, field: &mut Field) -> Result<Measured, String> {
        let key = (item.query.clone(), item.contestant.clone());
        if let Some(query) = stage.suite.queries.iter().find(|query| query.file.id == item.query) {
            self.written(query, field)?.map_or(Ok(()), Written::take_back)?;
        }
        let server = match field.runners.get(&item.contestant).ok_or("it does not run")? {
            Runner::Server { server, .. } => server,
            Runner::Floor(driver) => {
                let driver = *driver;
                let measured = self.measure_floor(stage, item, driver, field);
                return measured.map_err(|error| error.to_string());
            }
        };
        let questions = field.questions.get(&key).ok_or("nothing is asked")?;
        let processes =
            Processes { server: Some(server.process()), database: field.database.process };
        let target = Target { port: server.port, path: PATH, questions, processes };
        // Others were asked since: the server's connections to the database may be closed by now.
        let is_first = field.warm.as_ref() != Some(&key);
        let is_unchecked = is_first && item.round == 1;
        let wrk = self.tools.wrk.as_ref().map_err(Clone::clone)?;
        let measured = (|| {
            if is_first {
                let speed = field.speeds.entry(key.clone()).or_default();
                let steady = self.meter.warm_up(wrk, &target, speed.steady)?;
                speed.steady = Some(steady);
                speed.closed = speed.closed.max(steady);
                field.warm = Some(key.clone());
            }
            let speed = field.speeds.get(&key).copied().unwrap_or_default();
            match item.load {
                Load::Closed { connections } => {
                    let outcome = self.meter.closed(wrk, connections, &target, is_unchecked)?;
                    Ok(vec![(record::Load::Closed { connections }, outcome)])
                }
                Load::Constant => match &self.tools.oha {
                    Ok(oha) => self.meter.constant(oha, speed.closed, &target),
                    Err(_) => Ok(Vec::new()),
                },
                Load::Burst => self.meter.burst(speed.closed, &target),
                Load::Users => {
                    let stood = speed.constant.unwrap_or(speed.closed);
                    self.meter.users(stood * FIRST_USERS, &target)
                }
            }
        })();
        measured.map_err(|error: LoadError| error.to_string())
    }
}

/// `shop-postgres artistById thalweg, c = 16: 41234 requests/s, p99 1.25 ms`
fn sentence(item: &Item, load: &record::Load, outcome: &Outcome) -> String {
    let how = match load {
        record::Load::Closed { connections } => format!("c = {connections}"),
        record::Load::Constant { rate } => format!("{rate:.0} a second"),
        record::Load::Burst { burst_rate, .. } => format!("burst of {burst_rate:.0} a second"),
        record::Load::Users { users } => format!("{users} users"),
    };
    let mut text = format!(
        "{} {} {}, {how}: {:.0} requests/s, p95 {:.2} ms, p99 {:.2} ms",
        item.suite,
        item.query,
        item.contestant,
        outcome.requests_per_second(),
        outcome.latency.p95 / 1e3,
        outcome.latency.p99 / 1e3,
    );
    if let record::Load::Burst { .. } = load {
        text += &match outcome.recovery_seconds {
            Some(seconds) => format!(", recovered after {seconds:.1} s"),
            None => ", not recovered".to_owned(),
        };
    }
    if outcome.failures > 0 {
        text += &format!(", {} failed", outcome.failures);
    }
    if outcome.is_disturbed {
        text += ", disturbed";
    }
    text
}
