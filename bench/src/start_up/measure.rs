//! One start: a process, its first answer, and what it has taken until then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::contestant::Installed;
use super::journal::{Cost, record};
use super::plan::Step;
use super::{Contestant, StartUpError, database};
use crate::process::{cpu_seconds, resident};
use crate::race::record::Start;
use crate::schema_size::database::{Family, Place};
use crate::schema_size::failure::SizeError;
use crate::server::{self, Server, ServerError};

/// The limit of a start; after it, a contestant is reported as not started.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A row of a table that all sizes have: the schema is complete and the database answers.
const QUESTION: &str = "{ customerById(id: 17) { id name } }";

/// The databases and programs that starts are measured with.
#[derive(Debug)]
pub(super) struct Bench<'b> {
    workspace: &'b Path,
    program: &'b Path,
    places: Vec<(Family, Place)>,
    /// Addresses, by kind and number of tables.
    databases: BTreeMap<(&'static str, u32), String>,
    installed: BTreeMap<&'static str, Installed>,
}

impl<'b> Bench<'b> {
    pub(super) fn new(workspace: &'b Path, program: &'b Path) -> Self {
        let (databases, installed) = (BTreeMap::new(), BTreeMap::new());
        Self { workspace, program, places: Vec::new(), databases, installed }
    }

    pub(super) fn has_database(&self, family: Family, tables: u32) -> bool {
        self.databases.contains_key(&(family.name(), tables))
    }

    pub(super) fn make_database(
        &mut self,
        family: Family,
        tables: u32,
    ) -> Result<(), StartUpError> {
        let address = database(self.place(family)?, tables)?;
        self.databases.insert((family.name(), tables), address);
        Ok(())
    }

    fn place(&mut self, family: Family) -> Result<&Place, StartUpError> {
        let index = match self.places.iter().position(|(known, _)| *known == family) {
            Some(index) => index,
            None => {
                self.places.push((family, Place::new(family)?));
                self.places.len() - 1
            }
        };
        Ok(&self.places[index].1)
    }

    /// Starts one of them once, and ends it.
    pub(super) fn start(&mut self, step: &Step) -> Result<Start, StartUpError> {
        let address = match self.databases.get(&(step.family.name(), step.tables)) {
            Some(address) => address.clone(),
            None => database(self.place(step.family)?, step.tables)?,
        };
        let installed = match self.install(step.contestant) {
            Ok(installed) => installed,
            Err(StartUpError::Peer(error)) => {
                return Ok(record(step, &Cost::default(), Some(first_line(&error.to_string()))));
            }
            Err(error) => return Err(error),
        };
        let port = server::free_port()?;
        let command = installed.command(&address, port);
        let folder = tempfile::tempdir()?;
        let question = json!({ "query": QUESTION });
        let log: PathBuf = folder.path().join("log");
        match Server::start_within(PATIENCE, command, port, &log, &question, is_answer) {
            Ok(server) => {
                let process = server.process();
                let cpu_seconds = cpu_seconds(process).map_err(SizeError::from)?;
                let memory = resident(process).map_err(SizeError::from)?;
                let seconds = server.start_time.as_secs_f64();
                Ok(record(step, &Cost { seconds, cpu_seconds, memory }, None))
            }
            Err(ServerError::Files(error)) => Err(error.into()),
            Err(error) => Ok(record(step, &Cost::default(), Some(reason(&error)))),
        }
    }

    fn install(&mut self, contestant: Contestant) -> Result<&Installed, StartUpError> {
        let id = contestant.id();
        if !self.installed.contains_key(id) {
            let installed = contestant.install(self.workspace, self.program)?;
            self.installed.insert(id, installed);
        }
        Ok(&self.installed[id])
    }
}

/// Everybody must give the row: it is the same in all databases.
fn is_answer(answer: &Json) -> bool {
    answer["data"]["customerById"]["id"] == 17
}

/// The reason why it did not start, without folders of this machine; of its log the line with an
/// error.
fn reason(error: &ServerError) -> String {
    match error {
        ServerError::Silent { patience, .. } => format!("no answer after {} s", patience.as_secs()),
        ServerError::Ended { log, .. } => match log.lines().find(|line| tells_error(line)) {
            Some(line) => format!("ended before it answered: {}", line.trim()),
            None => "ended before it answered".to_owned(),
        },
        ServerError::Start { .. } | ServerError::Files(_) => first_line(&error.to_string()),
    }
}

fn tells_error(line: &str) -> bool {
    line.to_ascii_lowercase().contains("error")
}

/// The reason, without what is behind it.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_line_that_tells_of_an_error() {
        let program = "/a/node".to_owned();
        let log = "\n<--- Last few GCs --->\n FATAL ERROR: heap out of memory\n1: 0xb".to_owned();
        let error = ServerError::Ended { program: program.clone(), log };
        assert_eq!(reason(&error), "ended before it answered: FATAL ERROR: heap out of memory");
        let error = ServerError::Silent { program, patience: PATIENCE, log: "ready".to_owned() };
        assert_eq!(reason(&error), "no answer after 120 s");
    }
}
