//! Going through the plan, a suite on a source after the other.

mod check;
mod floors;
mod measure;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::contestant::Contestant;
use super::entry::{self, Runner, StartContext};
use super::failure::RaceError;
use super::folder::Folder;
use super::forecast;
use super::load::Question;
use super::meter::{self, Meter};
use super::options::Choice;
use super::pace::Pace;
use super::place::{Database, Place};
use super::plan::{self, Item, Stage};
use super::progress::Progress;
use super::record::{self, Outcome, Run};
use super::suite::Suite;
use super::tools::Tools;

/// A run while it goes on.
#[derive(Debug)]
pub(super) struct Course<'c> {
    context: StartContext,
    choice: &'c Choice,
    contestants: Vec<&'c Contestant>,
    stages: Vec<Stage<'c>>,
    place: Place,
    tools: Tools,
    meter: Meter,
    folder: Folder,
    run: Run,
    progress: Progress,
    /// Contestants that took part in any suite.
    started: BTreeSet<String>,
}

/// Servers and databases while a suite is measured on a source.
#[derive(Debug)]
struct Field {
    database: Database,
    runners: BTreeMap<String, Runner>,
    /// Requests by query and contestant; a contestant with other answers has none.
    questions: BTreeMap<(String, String), Vec<Question>>,
    /// The statements of those floors that bring the same rows, by query and contestant.
    scripts: BTreeMap<(String, String), PathBuf>,
    /// Speeds by query and contestant.
    speeds: BTreeMap<(String, String), Speed>,
    /// Query and contestant of the last measurement: it is warm.
    warm: Option<(String, String)>,
}

/// The speed of a contestant with a query.
#[derive(Clone, Copy, Debug, Default)]
struct Speed {
    /// The last rate with the connections of the warm-up.
    steady: Option<f64>,
    /// The most of all closed loops.
    closed: f64,
    /// The highest constant rate that was stood.
    constant: Option<f64>,
}

impl Speed {
    fn learn(&mut self, load: &record::Load, outcome: &Outcome, latency_limit: u64) {
        match load {
            record::Load::Closed { connections } => {
                let speed = outcome.requests_per_second();
                self.closed = self.closed.max(speed);
                if *connections == meter::WARM_UP_CONNECTIONS {
                    self.steady = Some(speed);
                }
            }
            record::Load::Constant { rate } if outcome.is_within(latency_limit) => {
                self.constant = Some(self.constant.map_or(*rate, |known| known.max(*rate)));
            }
            record::Load::Constant { .. }
            | record::Load::Burst { .. }
            | record::Load::Users { .. } => {}
        }
    }
}

impl<'c> Course<'c> {
    #[expect(clippy::too_many_arguments, reason = "what a run consists of, put together once")]
    pub(super) fn new(
        context: StartContext,
        choice: &'c Choice,
        pace: Pace,
        contestants: Vec<&'c Contestant>,
        folder: Folder,
        mut run: Run,
        tools: Tools,
        suites: &'c [Suite],
    ) -> Result<Self, RaceError> {
        let stages = plan::stages(suites, choice);
        let place = Place::new(&folder.path().join("data"), choice.chinook.clone());
        let meter = Meter { folder: folder.path().join("load"), pace };
        run.versions.extend(tools.versions());
        run.versions.insert("sqlite".to_owned(), rusqlite::version().to_owned());
        let progress = Progress::new(BTreeMap::new(), 0.0, 0);
        let mut course = Self {
            context,
            choice,
            contestants,
            stages,
            place,
            tools,
            meter,
            folder,
            run,
            progress,
            started: BTreeSet::new(),
        };
        course.describe();
        course.folder.write_run(&course.run)?;
        Ok(course)
    }

    /// The expected seconds of the lines that are not done yet, without missing contestants; `after`
    /// are the seconds of what follows.
    fn foresee(&self, after: f64) -> Progress {
        let (mut left, mut beside, mut done) = (BTreeMap::new(), after, 0);
        for stage in &self.stages {
            let items = self.items(*stage);
            let seconds = forecast::seconds(&items, &self.contestants, &self.meter.pace);
            let count = left.len();
            for (item, seconds) in items.into_iter().zip(seconds) {
                if self.folder.is_done(&item) {
                    done += 1;
                } else if !self.is_missing(&item.contestant) {
                    left.insert(item, seconds);
                }
            }
            beside += if left.len() > count { forecast::SETTING_UP } else { 0.0 };
        }
        Progress::new(left, beside, done)
    }

    fn is_missing(&self, id: &str) -> bool {
        self.run.contestants.iter().any(|one| one.id == id && one.missing.is_some())
    }

    /// Everything that is not done yet; `after` are the seconds of what comes behind it.
    pub(super) fn go(&mut self, after: f64) -> Result<(), RaceError> {
        self.progress = self.foresee(after);
        println!("bench: {}", self.progress.forecast());
        for stage in self.stages.clone() {
            let left = self.items(stage).into_iter().filter(|item| !self.folder.is_done(item));
            let left: Vec<Item> = left.collect();
            if !left.is_empty() {
                self.go_through(stage, &left)?;
            }
        }
        Ok(())
    }

    /// Nothing is left to do.
    pub(super) fn end(mut self) -> Result<(Folder, Run), RaceError> {
        self.run.ended = Some(super::now());
        self.folder.write_run(&self.run)?;
        Ok((self.folder, self.run))
    }

    fn go_through(&mut self, stage: Stage<'_>, items: &[Item]) -> Result<(), RaceError> {
        println!("bench: {}: making the data", stage.name());
        let mut field = match self.place.make(stage) {
            Ok(database) => Field {
                database,
                runners: BTreeMap::new(),
                questions: BTreeMap::new(),
                scripts: BTreeMap::new(),
                speeds: BTreeMap::new(),
                warm: None,
            },
            Err(error) => return self.skip_stage(stage, items, &error.to_string()),
        };
        if let Some(version) = self.place.postgres_version() {
            self.run.versions.insert("postgresql".to_owned(), version);
        }
        self.start(stage, &mut field);
        self.check(stage, &mut field);
        self.folder.write_run(&self.run)?;
        self.progress.pass(forecast::SETTING_UP);
        for item in items {
            self.measure(stage, item, &mut field)?;
        }
        Ok(())
    }

    /// Starts who takes part; who does not is told with the reason.
    fn start(&mut self, stage: Stage<'_>, field: &mut Field) {
        for contestant in self.contestants.clone() {
            match entry::start(contestant, stage.suite, &field.database, &self.context) {
                Ok(runner) => {
                    field.runners.insert(contestant.id.clone(), runner);
                    self.take_part(&contestant.id);
                }
                Err(reason) => {
                    if contestant.is_for(stage.suite, stage.source) {
                        println!("missing: {}: {}: {reason}", stage.name(), contestant.title);
                    }
                    self.leave_out(stage, None, &contestant.id, &reason);
                }
            }
        }
    }

    /// Nobody can be measured: there is no such database, or its rows are not given.
    fn skip_stage(
        &mut self,
        stage: Stage<'_>,
        items: &[Item],
        reason: &str,
    ) -> Result<(), RaceError> {
        println!("missing: {}: {reason}", stage.name());
        for contestant in self.contestants.clone() {
            self.leave_out(stage, None, &contestant.id, reason);
        }
        self.progress.pass(forecast::SETTING_UP);
        items.iter().for_each(|item| self.progress.skip(item));
        self.folder.write_run(&self.run)
    }

    fn items(&self, stage: Stage<'_>) -> Vec<Item> {
        plan::items(stage, &self.contestants, &self.meter.pace, self.choice)
    }

    /// Writes down who and what is compared, where a run before has not.
    fn describe(&mut self) {
        for contestant in &self.contestants {
            if self.run.contestants.iter().any(|one| one.id == contestant.id) {
                continue;
            }
            let (version, missing) = match entry::version(contestant, &self.context) {
                Ok(version) => (version, None),
                Err(reason) => (String::new(), Some(reason)),
            };
            if let Some(version) = entry::node_version(contestant, &self.context) {
                self.run.versions.insert("node".to_owned(), version);
            }
            if contestant.role() == record::Role::Thalweg {
                self.run.versions.insert(contestant.id.clone(), version.clone());
            }
            self.run.contestants.push(record::Contestant {
                id: contestant.id.clone(),
                title: contestant.title.clone(),
                role: contestant.role(),
                version,
                command: contestant.command(),
                missing,
            });
        }
        for stage in &self.stages {
            if self.run.suites.iter().any(|suite| suite.id == stage.name()) {
                continue;
            }
            let queries = plan::queries(stage.suite, self.choice).into_iter();
            let queries = queries.map(|query| record::Query {
                id: query.file.id.clone(),
                title: query.file.title.clone(),
                texts: query.texts.clone(),
                answer_bytes: 0,
                equal: Vec::new(),
                left_out: BTreeMap::new(),
            });
            let title = format!("{} on {}", stage.suite.file.title, stage.source.title());
            let queries = queries.collect();
            let about = stage.suite.file.about.clone();
            self.run.suites.push(record::Suite { id: stage.name(), title, about, queries });
        }
    }

    /// A contestant that has run once is not missing.
    fn take_part(&mut self, id: &str) {
        self.started.insert(id.to_owned());
        let contestants = self.run.contestants.iter_mut();
        contestants.filter(|one| one.id == id).for_each(|one| one.missing = None);
    }

    /// Writes down why a contestant has no part in a query, or in any of a suite.
    fn leave_out(&mut self, stage: Stage<'_>, query: Option<&str>, id: &str, reason: &str) {
        let name = stage.name();
        let suites = self.run.suites.iter_mut().filter(|suite| suite.id == name);
        for one in suites.flat_map(|suite| &mut suite.queries) {
            if query.is_none_or(|query| query == one.id) {
                one.equal.retain(|equal| equal != id);
                one.left_out.insert(id.to_owned(), reason.to_owned());
            }
        }
        let took_part = self.started.contains(id)
            || self.folder.measurements().iter().any(|one| one.subject.contestant == id);
        let contestants = self.run.contestants.iter_mut().filter(|one| one.id == id);
        if query.is_none() && !took_part {
            contestants.for_each(|one| one.missing = Some(reason.to_owned()));
        }
    }
}
