//! A source as the engine sees it: opened once, read from every thread.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catalog::{Catalog, Scalar};
use response::{
    Echo, Memory, Output, Refused, Shape, Sink, Stopped, TooLarge, WriteError, Written,
};
use sql::PlanFigures;

use crate::error::SourceError;
use crate::neo4j::program::GraphProgram;
use crate::neo4j::source::{Neo4jConnections, Neo4jProgram, Neo4jSource};
use crate::neo4j::wire::WireError as BoltError;
use crate::observed::Observed;
use crate::operand::Variables;
use crate::postgres::introspect::{Extensions, Rights};
use crate::postgres::source::{PostgresConnections, PostgresSource};
use crate::relational::{CompileError, Level};
use crate::session::Session;
use crate::sqlite::source::{SqliteConnections, SqliteSource};
use crate::statistics::Counter;
use crate::streamed::{Compile, Delivery, Executed, ProgramForm};

/// Where the data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Sqlite(PathBuf),
    /// A `postgres://` or `postgresql://` address; what it leaves out comes from `PG*` variables.
    Postgres(String),
    /// A `neo4j` or `bolt` address, with `+s` or `+ssc` for TLS.
    Neo4j(String),
}

/// What is read of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The namespaces to read, in this order; ignored by sources without them.
    pub namespaces: Vec<String>,
    /// Whether what belongs to extensions is read; ignored by sources without them.
    pub extensions: Extensions,
    /// Whether the rights of roles decide what is offered; ignored by sources without them.
    pub rights: Rights,
    /// Whether INTEGER columns of SQLite, which hold 64 bits, count as such.
    pub wide_integers: bool,
    /// Which values columns of SQLite hold, where their declarations do not say it.
    pub stored_as: Vec<StoredColumn>,
    pub timeouts: Timeouts,
}

/// Which values a column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredColumn {
    pub table: Box<str>,
    pub column: Box<str>,
    pub scalar: Scalar,
}

/// How long a source is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To connect to one address of a server, where the source's own address says nothing else.
    pub connect: Duration,
    /// To get a connection while others have them all, or a file that somebody writes.
    pub acquire: Duration,
    /// To keep a connection that nobody needs.
    pub idle: Duration,
}

/// How many connections one thread may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    pub connections: usize,
    /// How many of them short reads may share; none, and each request has one of its own. What is
    /// shared has a task of its own, so that this wants a `LocalSet`. Ignored by sources that are
    /// read within the process.
    pub shared: usize,
    /// How long a statement may hold up those behind it; what takes longer is long.
    pub patience: Duration,
}

impl Most {
    /// Connections of which none is shared.
    #[must_use]
    pub fn apart(connections: usize) -> Self {
        Self { connections, shared: 0, patience: PATIENCE }
    }

    /// Connections of which some are shared.
    #[must_use]
    pub fn sharing(connections: usize, shared: usize) -> Self {
        Self { shared, ..Self::apart(connections) }
    }
}

/// Long enough for a server's process to get its turn on a busy machine. Twice this is well below the
/// 50 ms in which a small request should be answered beside long ones.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a plan is run with.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'v> {
    pub variables: Variables<'v>,
    /// Who asks.
    pub session: &'v Session,
    /// What of the request itself is told.
    pub echoes: &'v [Echo],
    /// What it is estimated to cost, in rows.
    pub cost: u64,
    /// How long it is waited for at most. A database that can be told so ends what takes longer by
    /// itself, also where nobody is left to end it.
    pub time_limit: Option<Duration>,
}

/// An opened source, shared by all threads.
#[derive(Debug)]
pub enum Source {
    Sqlite(SqliteSource),
    Postgres(PostgresSource),
    Neo4j(Neo4jSource),
}

/// What one thread holds of a source: connections.
#[derive(Debug)]
pub enum Connections {
    Sqlite(SqliteConnections),
    Postgres(PostgresConnections),
    Neo4j(Neo4jConnections),
}

/// A compiled request with the shape of its answer.
#[derive(Debug)]
pub struct Plan {
    pub program: Program,
    /// Kept with answers that are not bytes: it has the names of their fields.
    pub shape: Arc<Shape>,
}

#[derive(Debug)]
pub enum Program {
    Sqlite(crate::sqlite::source::SqliteProgram),
    Postgres(crate::postgres::execute::PostgresProgram),
    Neo4j(Neo4jProgram),
}

/// Why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open {}: {source}", redact::address(&path.to_string_lossy()))]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("there is no file {}; give the path of a SQLite file, or a postgres:// or neo4j:// address", redact::address(&.0.to_string_lossy()))]
    NoFile(PathBuf),
    #[error("{} is a folder; give the path of a SQLite file in it, or a postgres:// or neo4j:// address", redact::address(&.0.to_string_lossy()))]
    Folder(PathBuf),
    #[error("cannot read the schema of {}: {source}", redact::address(&path.to_string_lossy()))]
    SqliteCatalog { path: PathBuf, source: crate::sqlite::introspect::IntrospectError },
    #[error("`--stored-as` names the column {table}.{column}, which is not there")]
    NoColumn { table: Box<str>, column: Box<str> },
    #[error(
        "`--stored-as` of the column {table}.{column} is another type than it can hold: {reason}"
    )]
    StoredAs { table: Box<str>, column: Box<str>, reason: &'static str },
    #[error("cannot connect to PostgreSQL: {0}")]
    Postgres(crate::postgres::wire::WireError),
    #[error("cannot read the schema of the database: {0}")]
    PostgresCatalog(crate::postgres::introspect::IntrospectError),
    #[error("cannot connect to Neo4j: {0}")]
    Neo4j(BoltError),
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// What was made of it was not taken.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A part was sent that is not what it has to be after an error.
    #[error("an error came after the beginning of the answer was sent")]
    Broken(Option<Box<WriteError<SourceError>>>),
}

/// A text that names no source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{0}://` is no known source; use a path, `sqlite:…`, `postgres://…` or `neo4j://…`")]
    Scheme(Box<str>),
    #[error("`{0}` is no address; `postgres://…` is one, and `neo4j://…`")]
    Mistyped(Box<str>),
    #[error("the password in `{0}` has an `@`, which is written as `%40` in an address")]
    Password(Box<str>),
    #[error("the source is empty; use a path, `sqlite:…`, `postgres://…` or `neo4j://…`")]
    Empty,
}

impl From<Stopped<SourceError>> for ExecuteError {
    fn from(stopped: Stopped<SourceError>) -> Self {
        match stopped {
            Stopped::TooLarge(error) => Self::TooLarge(error),
            Stopped::Refused(refused) => Self::Refused(refused),
            Stopped::Ended(error) => Self::Source(error),
            Stopped::Broken(cause) => Self::Broken(cause.map(Box::new)),
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            acquire: Duration::from_secs(5),
            idle: Duration::from_secs(600),
        }
    }
}

/// What addresses of Neo4j begin with.
/// <https://neo4j.com/docs/operations-manual/current/configuration/connectors/>
const GRAPH_SCHEMES: [&str; 6] = ["neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"];

impl Address {
    /// Reads a path, `sqlite:path`, `postgres://…` or `postgresql://…`, `neo4j://…` or `bolt://…`.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let shown = || redact::address(text).into();
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let (before, _) = text.split_once('?').unwrap_or((text, ""));
            if before.matches('@').count() > 1 {
                return Err(AddressError::Password(shown()));
            }
            return Ok(Self::Postgres(text.into()));
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return Ok(Self::Sqlite(path.strip_prefix("//").unwrap_or(path).into()));
        }
        match text.split_once("://") {
            Some((scheme, _)) if GRAPH_SCHEMES.contains(&scheme) => Ok(Self::Neo4j(text.into())),
            Some((scheme, _)) if is_word(scheme) => Err(AddressError::Scheme(scheme.into())),
            Some(_) => Err(AddressError::Mistyped(shown())),
            None if is_mistyped(text) => Err(AddressError::Mistyped(shown())),
            None if text.is_empty() => Err(AddressError::Empty),
            None => Ok(Self::Sqlite(text.into())),
        }
    }
}

/// Whether a text may be a scheme, and holds no part of a password.
fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Whether a text that is no address of a server was meant as one: no file is so called.
fn is_mistyped(text: &str) -> bool {
    let begins = ["postgres", "postgresql", "neo4j", "bolt"];
    let rest =
        begins.iter().filter_map(|begin| text.strip_prefix(begin)).min_by_key(|rest| rest.len());
    let is_begun = rest.is_some_and(|rest| rest.starts_with([':', '/', '+']));
    is_begun && (text.contains("//") || text.contains('@') || text.contains(":/"))
}

impl Source {
    /// Leaves the source in order, when no request comes any more. It takes no longer than so.
    pub fn close(&self, patience: Duration) {
        match self {
            Self::Sqlite(source) => source.close(patience),
            // Servers do it themselves.
            Self::Postgres(_) | Self::Neo4j(_) => {}
        }
    }

    /// Opens a source and reads what it holds.
    pub async fn open(
        address: &Address,
        options: &OpenOptions,
    ) -> Result<(Self, Catalog), OpenError> {
        match address {
            Address::Sqlite(path) => {
                let (source, mut catalog) = SqliteSource::open(path, options.timeouts)?;
                if options.wide_integers {
                    catalog.widen_integers();
                }
                for stored in &options.stored_as {
                    let entity = catalog.find_entity(None, &stored.table).map(|own| own.id);
                    let field = entity.and_then(|id| catalog.find_field(id, &stored.column));
                    let Some(field) = field.map(|field| field.id) else {
                        let StoredColumn { table, column, .. } = stored.clone();
                        return Err(OpenError::NoColumn { table, column });
                    };
                    let declared = catalog.declare_stored(field, stored.scalar.clone());
                    declared.map_err(|reason| {
                        let StoredColumn { table, column, .. } = stored.clone();
                        OpenError::StoredAs { table, column, reason }
                    })?;
                }
                Ok((Self::Sqlite(source), catalog))
            }
            Address::Postgres(url) => {
                let (source, catalog) = PostgresSource::open(url, options).await?;
                Ok((Self::Postgres(source), catalog))
            }
            Address::Neo4j(url) => {
                let (source, catalog) = Neo4jSource::open(url, options).await?;
                Ok((Self::Neo4j(source), catalog))
            }
        }
    }

    /// Compiles a request into statements.
    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<Program, CompileError> {
        match self {
            Self::Sqlite(source) => source.compile(catalog, request).map(Program::Sqlite),
            Self::Postgres(source) => source.compile(catalog, request).map(Program::Postgres),
            Self::Neo4j(source) => source.compile(catalog, request).map(Program::Neo4j),
        }
    }

    /// Compiles a request in another form; none where that is the same, or cannot be.
    #[must_use]
    pub fn compile_form(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
        form: ProgramForm<'_>,
    ) -> Option<Program> {
        let Self::Postgres(source) = self else { return None };
        let program = match form {
            ProgramForm::InPortions => source.compile_portions(catalog, request),
            ProgramForm::Apart(seen) => source.compile_apart(catalog, request, seen),
        };
        program.map(Program::Postgres)
    }

    /// Connections for one thread, made when they are needed. What they read is
    /// counted in `memory`.
    #[must_use]
    pub fn connections(&self, most: Most, memory: &Arc<Memory>) -> Connections {
        match self {
            Self::Sqlite(source) => Connections::Sqlite(source.connections(most.connections)),
            Self::Postgres(source) => Connections::Postgres(source.connections(most, memory)),
            Self::Neo4j(source) => Connections::Neo4j(source.connections(most, memory)),
        }
    }
}

impl Program {
    /// The program of a graph, whose levels are not those of tables.
    #[must_use]
    pub fn graph(&self) -> Option<&GraphProgram> {
        match self {
            Self::Neo4j(program) => Some(program.program()),
            Self::Sqlite(_) | Self::Postgres(_) => None,
        }
    }

    /// The levels of tables that the next request will have, in the order of the tree.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        match self {
            Self::Sqlite(program) => &program.program.levels,
            Self::Postgres(program) => program.current_levels(),
            Self::Neo4j(_) => &[],
        }
    }

    /// Changes whenever the program keeps more than before.
    #[must_use]
    pub fn made(&self) -> u32 {
        match self {
            Self::Postgres(program) => program.made(),
            Self::Sqlite(_) | Self::Neo4j(_) => 0,
        }
    }

    /// How many levels, or statements of a graph, the program had in the form in which it was read.
    #[must_use]
    pub fn places(&self, observed: &Observed) -> usize {
        match self {
            Self::Sqlite(program) => program.program.levels.len(),
            Self::Postgres(program) => program.levels(observed.form).len(),
            Self::Neo4j(program) => program.program().statements().count(),
        }
    }

    /// The text of a statement as it was sent.
    #[must_use]
    pub fn text(&self, place: usize, observed: &Observed) -> Option<Cow<'_, str>> {
        let bounding = observed.boundings.get(place).copied().flatten();
        let levels = match self {
            Self::Sqlite(program) => &program.program.levels,
            Self::Postgres(program) => program.levels(observed.form),
            Self::Neo4j(program) => {
                let statement = program.program().statements().nth(place);
                return statement.map(|statement| Cow::Borrowed(&*statement.text));
            }
        };
        let level = levels.get(place).filter(|level| level.has_statement());
        level.map(|level| level.bounded_text(bounding))
    }
}

impl Connections {
    /// Runs a plan and appends its answer to what the sink holds.
    pub async fn execute(
        &self,
        plan: &Arc<Plan>,
        asked: Asked<'_>,
        sink: Sink,
        observed: &mut Observed,
    ) -> Result<Written<SourceError>, ExecuteError> {
        self.answer(plan, asked, sink, None, observed).await
    }

    /// Runs a plan and writes the whole of its answer into an output.
    pub async fn answer<O: Output>(
        &self,
        plan: &Arc<Plan>,
        asked: Asked<'_>,
        output: O,
        compile: Option<Compile<'_>>,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        match (self, &plan.program) {
            (Self::Sqlite(connections), Program::Sqlite(program)) => {
                connections.answer(plan, program, asked, output, observed).await
            }
            (Self::Postgres(connections), Program::Postgres(program)) => {
                connections.answer(plan, program, asked, output, compile, observed).await
            }
            (Self::Neo4j(connections), Program::Neo4j(program)) => {
                connections.answer(plan, program, asked, output, observed).await
            }
            (Self::Sqlite(_), Program::Postgres(_) | Program::Neo4j(_))
            | (Self::Postgres(_), Program::Sqlite(_) | Program::Neo4j(_))
            | (Self::Neo4j(_), Program::Sqlite(_) | Program::Postgres(_)) => {
                Err(foreign_plan().into())
            }
        }
    }

    /// Runs a plan and appends its answer to what the sink holds; a long one is sent while it is
    /// made, where that is wanted.
    pub async fn deliver(
        &self,
        plan: &Arc<Plan>,
        asked: Asked<'_>,
        sink: Sink,
        delivery: Delivery<'_>,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        match (self, &plan.program) {
            (Self::Sqlite(connections), Program::Sqlite(program)) => {
                connections.deliver(plan, program, asked, sink, delivery, observed).await
            }
            (Self::Postgres(connections), Program::Postgres(program)) => {
                connections.deliver(plan, program, asked, sink, delivery, observed).await
            }
            (Self::Neo4j(connections), Program::Neo4j(program)) => {
                connections.deliver(plan, program, asked, sink, delivery, observed).await
            }
            (Self::Sqlite(_), Program::Postgres(_) | Program::Neo4j(_))
            | (Self::Postgres(_), Program::Sqlite(_) | Program::Neo4j(_))
            | (Self::Neo4j(_), Program::Sqlite(_) | Program::Postgres(_)) => {
                Err(foreign_plan().into())
            }
        }
    }

    /// Closes connections that nobody needed for a while. Using them does this too; whoever calls
    /// this now and then lets them go while there are no requests.
    pub fn close_old(&self) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(connections) => connections.close_old(),
            Self::Neo4j(connections) => connections.close_old(),
        }
    }

    /// Counts from now on what these connections do.
    pub fn count(&mut self, counter: Counter) {
        match self {
            Self::Sqlite(connections) => connections.count(counter),
            Self::Postgres(connections) => connections.count(counter),
            Self::Neo4j(connections) => connections.count(counter),
        }
    }

    /// Asks the source for a sign of life.
    pub async fn probe(&self) -> Result<(), SourceError> {
        match self {
            Self::Sqlite(connections) => connections.probe().await,
            Self::Postgres(connections) => connections.probe().await,
            Self::Neo4j(connections) => connections.probe().await,
        }
    }

    /// The database's own plan of each statement; those that change something are not run for
    /// figures that are measured.
    pub async fn explain(
        &self,
        program: &Program,
        variables: Variables<'_>,
        session: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        match (self, program) {
            (Self::Sqlite(connections), Program::Sqlite(program)) => {
                connections.explain(program, variables)
            }
            (Self::Postgres(connections), Program::Postgres(program)) => {
                connections.explain(program, variables, session, figures).await
            }
            (Self::Neo4j(connections), Program::Neo4j(program)) => {
                connections.explain(program, variables, session, figures).await
            }
            (Self::Sqlite(_), Program::Postgres(_) | Program::Neo4j(_))
            | (Self::Postgres(_), Program::Sqlite(_) | Program::Neo4j(_))
            | (Self::Neo4j(_), Program::Sqlite(_) | Program::Postgres(_)) => Err(foreign_plan()),
        }
    }
}

fn foreign_plan() -> SourceError {
    SourceError::new(crate::SourceErrorKind::Internal, "a plan of another source")
}
