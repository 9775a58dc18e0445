//! The physical limit, once its rows are those of the answers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Course, Field};
use crate::race::answers;
use crate::race::contestant::Driver;
use crate::race::failure::RaceError;
use crate::race::floor::Floor;
use crate::race::floor::bolt::Through;
use crate::race::floor::graph::GraphFloor;
use crate::race::load::failure::LoadError;
use crate::race::load::own_loop::{OwnLoop, Place};
use crate::race::load::pgbench::Pgbench;
use crate::race::meter::{self, Measured};
use crate::race::plan::{Item, Load, Stage};
use crate::race::record;
use crate::race::suite::{Query, Source, variables};
use crate::race::usage::Processes;
use crate::race::written::Written;

/// The number of compared sets of variables: joining the rows again takes its time.
const COMPARED: usize = 20;

/// The speed from which rates start where a resumed run has no closed loop.
const FIRST_FLOOR_SPEED: f64 = 1_000.0;

/// The values of a query's variables.
type Set = Map<String, Value>;

impl Course<'_> {
    /// Compares the rows of a floor with the answers, and gives the file to run.
    pub(super) fn check_floor(
        &self,
        stage: Stage<'_>,
        query: &Query,
        field: &Field,
        expected: Option<(&[Set], &[Vec<u8>])>,
    ) -> Result<PathBuf, String> {
        let (sets, answers) = expected.ok_or("there is no answer to compare it with")?;
        let absent = "nobody has written one for this query";
        let text = |error: RaceError| error.to_string();
        let compare = |compare: &dyn Fn(&Set, &Value) -> Result<(), RaceError>| {
            let written = self.written(query, field)?;
            written.map_or(Ok(()), Written::take_back)?;
            for (set, answer) in sets.iter().zip(answers).take(COMPARED) {
                let data = serde_json::from_str(answers::data(answer)?)
                    .map_err(|error| format!("the answer is no JSON: {error}"))?;
                compare(set, &data).map_err(text)?;
            }
            let compared = sets.len().min(answers.len()).min(COMPARED);
            written.map_or(Ok(()), |written| written.check(&sets[..compared], None))
        };
        if stage.source == Source::Neo4j {
            let floor = GraphFloor::read(stage.suite, query).map_err(text)?.ok_or(absent)?;
            let graph = self.place.neo4j().ok_or("there is no Neo4j")?;
            compare(&|set, data| floor.check(graph, set, data))?;
            return Ok(floor.path);
        }
        let floor = Floor::read(stage.suite, query, stage.source).map_err(text)?.ok_or(absent)?;
        let name = &field.database.name;
        match self.place.server().filter(|_| stage.source == Source::Postgres) {
            Some(server) => {
                compare(&|set, data| floor.check_postgres(server, name, set, data))?;
            }
            None => compare(&|set, data| floor.check_sqlite(Path::new(name), set, data))?,
        }
        self.write_script(stage, query, &floor.path).map_err(|error| error.to_string())
    }

    /// The statements, behind the lines that choose the variables.
    fn write_script(
        &self,
        stage: Stage<'_>,
        query: &Query,
        floor: &Path,
    ) -> std::io::Result<PathBuf> {
        let folder = self.folder.path().join("floors");
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}-{}.sql", stage.name(), query.file.id));
        let statements = fs::read_to_string(floor)?;
        fs::write(&path, variables::pgbench_lines(&query.file.variables) + &statements)?;
        Ok(path)
    }

    /// A closed loop tells how fast the statements are, for the rates that come after it.
    pub(super) fn measure_floor(
        &self,
        stage: Stage<'_>,
        item: &Item,
        driver: Driver,
        field: &Field,
    ) -> Result<Measured, LoadError> {
        let key = (item.query.clone(), item.contestant.clone());
        let script = field.scripts.get(&key).ok_or(LoadError::Nothing)?;
        let database = &field.database;
        let on_neo4j = |through| match item.load {
            Load::Closed { connections } => Some(Place::Neo4j {
                port: database.port,
                connections,
                through,
                process: database.process,
            }),
            Load::Constant | Load::Burst | Load::Users => None,
        };
        let own = match driver {
            Driver::SqliteLoop => Some(Some(Place::Sqlite { file: Path::new(&database.name) })),
            Driver::BoltLoop => Some(on_neo4j(Through::Bytes)),
            Driver::Neo4rs => Some(on_neo4j(Through::Neo4rs)),
            Driver::Pgbench => None,
        };
        if let Some(place) = own {
            let Some(on) = place else { return Ok(Vec::new()) };
            let own_loop = OwnLoop { suite: &stage.suite.id, query: &item.query, on };
            let connections = match on {
                Place::Sqlite { .. } => 1,
                Place::Neo4j { connections, .. } => connections,
            };
            let outcome = self.meter.own_loop(own_loop)?;
            return Ok(vec![(record::Load::Closed { connections }, outcome)]);
        }
        let connections = match item.load {
            Load::Closed { connections } => connections,
            Load::Constant | Load::Burst | Load::Users => meter::CONNECTIONS,
        };
        let pgbench = Pgbench {
            program: self.tools.pgbench.as_ref().map_err(|_| LoadError::Nothing)?,
            folder: &self.meter.folder,
            database: &database.url,
            script,
            connections,
            processes: Processes { server: None, database: database.process },
        };
        match item.load {
            Load::Closed { connections } => {
                let outcome = self.meter.pgbench(pgbench)?;
                Ok(vec![(record::Load::Closed { connections }, outcome)])
            }
            Load::Constant => {
                let closed = field.speeds.get(&key).map_or(FIRST_FLOOR_SPEED, |speed| speed.closed);
                self.meter.pgbench_constant(pgbench, closed)
            }
            Load::Burst | Load::Users => Ok(Vec::new()),
        }
    }
}
