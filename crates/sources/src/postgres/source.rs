//! A PostgreSQL database, read from every thread.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use catalog::{Catalog, EntityId, FieldId};
use response::sink::PORTION;
use response::{Failure, Memory, Shape, Sink, WriteError, Writer};
use sql::Flavor;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio_postgres::types::Type;

use super::bind::{Bound, bind};
use super::cursor::Answer;
use super::execute::{PostgresProgram, Run, by_level, compose, composed, explain, run};
use super::introspect::{PhysicalTypes, introspect};
use super::pool::{Pool, PoolOptions, Pooled};
use super::reach::Reach;
use super::sharing::{MOST_COST, Shared, Sharing};
use super::stream::Work;
use super::wire::{Config, Pipeline, Rows, WireError, connect_simple};
use crate::error::{SourceError, SourceErrorKind};
use crate::observed::Observed;
use crate::operand::Variables;
use crate::relational::compile::{KeyTypes, Length};
use crate::relational::{self, CompileError, Strategy};
use crate::source::{Asked, ExecuteError, Most, OpenError, OpenOptions, Plan, Timeouts};
use crate::statistics::Counter;
use crate::streamed::{Abandoner, Delivery, End, Executed, Places, Sizes};

/// A connection that the server closed is replaced without an error if it is noticed within this
/// time. After longer it was closed while it worked, maybe because it worked for so long.
const REPLACED_WITHIN: Duration = Duration::from_secs(1);

/// With as many connections one is kept for short reads, even where long ones would take all.
const KEEPS_ONE_FROM: usize = 8;

/// How often a request is asked among others before it has a connection of its own.
const SHARED_ATTEMPTS: usize = 2;

/// How many bytes the rows of joined levels may come to.
const MOST_JOINED: usize = 256 << 10;

/// A database whose catalog was read.
#[derive(Debug)]
pub struct PostgresSource {
    config: Box<Config>,
    types: Box<PhysicalTypes>,
    timeouts: Timeouts,
    reach: Arc<Reach>,
}

/// The pool of one thread.
#[derive(Debug)]
pub struct PostgresConnections {
    pool: Rc<Pool>,
    sharing: Rc<Sharing>,
    places: Box<Places>,
    counter: Counter,
}

/// What a program read for a request.
struct Read {
    bound: Bound,
    /// The root fields that failed.
    failures: Vec<(u32, SourceError)>,
    rows: Vec<Rows>,
}

/// What is known of the types of keys, for a program whose parents come in portions.
#[derive(Debug)]
struct InPortions<'a>(&'a PhysicalTypes);

/// The same for a program whose lists may be read by the statement of the rows above.
#[derive(Debug)]
struct Joining<'a>(&'a PhysicalTypes);

impl KeyTypes for Joining<'_> {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.0.identity_is_text(field)
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        self.0.print_alike(one, other)
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.0.has_array(field)
    }

    fn length(&self, field: FieldId) -> Length {
        let field = self.0.of(field);
        match field.most_characters {
            Some(most) => Length::AtMost(most),
            None if field.oid == Type::TEXT.oid() || field.oid == Type::VARCHAR.oid() => {
                Length::Any
            }
            None => Length::Long,
        }
    }

    fn repeats_rows(&self, entity: EntityId) -> bool {
        self.0.is_one_table(entity)
    }
}

impl KeyTypes for InPortions<'_> {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.0.identity_is_text(field)
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        self.0.print_alike(one, other)
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.0.has_array(field)
    }

    fn says_again(&self) -> bool {
        false
    }
}

impl KeyTypes for PhysicalTypes {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.of(field).identity_is_text
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        // Texts of a fixed length are filled up to it, and each column has its own.
        let is_filled_up = one.oid == Type::BPCHAR.oid();
        one.oid == other.oid && one.identity_is_text && other.identity_is_text && !is_filled_up
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.of(field).array_oid != 0
    }
}

impl PostgresSource {
    /// Connects, and reads what the namespaces hold.
    pub async fn open(url: &str, options: &OpenOptions) -> Result<(Self, Catalog), OpenError> {
        let timeouts = options.timeouts;
        let config = Config::from_url(url).map_err(OpenError::Postgres)?;
        let config = config.with_usual_connect_timeout(timeouts.connect);
        let client = connect_simple(&config).await.map_err(OpenError::Postgres)?;
        let introspected = introspect(&client, &options.namespaces, options.extensions)
            .await
            .map_err(OpenError::PostgresCatalog)?;
        let (config, types) = (Box::new(config), Box::new(introspected.types));
        Ok((Self { config, types, timeouts, reach: Arc::default() }, introspected.catalog))
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<PostgresProgram, CompileError> {
        let compile = |types: &dyn KeyTypes| {
            relational::compile(catalog, request, Flavor::POSTGRES, Strategy::Levels(types))
        };
        match compile(&Joining(&self.types)) {
            Ok(joined) if joined.joins_levels() => {
                let program = PostgresProgram::new(compile(&*self.types)?, &self.types);
                Ok(program.or_joined(PostgresProgram::new(joined, &self.types)))
            }
            Ok(program) => Ok(PostgresProgram::new(program, &self.types)),
            // One statement may be too large where several are not.
            Err(_) => Ok(PostgresProgram::new(compile(&*self.types)?, &self.types)),
        }
    }

    /// Compiles a request for portions, if it can be read so.
    pub fn compile_portions(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Option<PostgresProgram> {
        let types = InPortions(&self.types);
        let strategy = Strategy::Levels(&types);
        let program = relational::compile(catalog, request, Flavor::POSTGRES, strategy).ok()?;
        let program = PostgresProgram::new(program, &self.types);
        program.is_in_portions().then_some(program)
    }

    #[must_use]
    pub fn connections(&self, most: Most, memory: &Arc<Memory>) -> PostgresConnections {
        let shared = most.shared.min(most.connections);
        let keeps_one = shared > 0 && most.connections >= KEEPS_ONE_FROM;
        let options = PoolOptions {
            max_connections: most.connections,
            reserved: usize::from(keeps_one),
            acquire_timeout: self.timeouts.acquire,
            idle_timeout: self.timeouts.idle,
            ..PoolOptions::default()
        };
        let config = Config::clone(&self.config).with_memory(memory);
        let reach = Arc::clone(&self.reach);
        let (pool, sharing) =
            (Pool::new(config, options, reach), Sharing::new(shared, most.patience));
        let places = Box::new(Places::new(most.connections, self.timeouts.acquire));
        PostgresConnections { pool, sharing, places, counter: Counter::default() }
    }
}

impl PostgresConnections {
    pub fn count(&mut self, counter: Counter) {
        self.counter = counter.clone();
        // Nobody has a connection yet.
        if let Some(pool) = Rc::get_mut(&mut self.pool) {
            pool.count(counter);
        }
    }

    pub fn close_old(&self) {
        self.pool.close_old();
    }

    /// Runs a plan and writes its answer. A root field that fails is null, and the others run
    /// once more without it. An answer that proves long begins again in portions.
    pub async fn deliver(
        &self,
        plan: &Arc<Plan>,
        program: &PostgresProgram,
        asked: Asked<'_>,
        sink: Sink,
        delivery: Delivery<'_>,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let Delivery::Streamed { compile, sizes } = delivery else {
            return self.execute(&plan.shape, program, asked, sink, None, observed).await;
        };
        if self.places.are_none()
            || program.program.levels.is_empty()
            || program.program.levels.iter().any(|level| level.calls)
        {
            return self.execute(&plan.shape, program, asked, sink, None, observed).await;
        }
        if !program.streamed.load(Ordering::Relaxed) && sizes.whole > 0 {
            let most = Some(sizes.whole);
            let copy = sink.clone();
            match self.execute(&plan.shape, program, asked, copy, most, observed).await {
                Err(ExecuteError::Source(error)) if error.kind == SourceErrorKind::TooLarge => {}
                executed => return executed,
            }
        }
        let in_portions = program.in_portions.get_or_init(|| match compile() {
            Some(crate::source::Program::Postgres(program)) => Some(Arc::new(program)),
            _ => None,
        });
        let Some(in_portions) = in_portions else {
            return self.execute(&plan.shape, program, asked, sink, None, observed).await;
        };
        observed.joined = false;
        observed.begin_round(0..program.program.levels.len());
        let streamed = self.stream(plan, in_portions, asked, sink.clone(), sizes).await;
        observed.end_round();
        program.streamed.store(matches!(streamed, Ok(Executed::Streamed(_))), Ordering::Relaxed);
        match streamed {
            // Nothing was sent: the others of its root fields may be answered.
            Ok(Executed::Whole(written)) if written.errors.iter().any(is_of_source) => {}
            Err(ExecuteError::Source(error)) if error.kind != SourceErrorKind::Busy => {}
            streamed => return streamed,
        }
        self.execute(&plan.shape, program, asked, sink, None, observed).await
    }

    /// Sends the answer while it is made, on a thread and over a connection of its own.
    async fn stream(
        &self,
        plan: &Arc<Plan>,
        program: &Arc<PostgresProgram>,
        Asked { variables, .. }: Asked<'_>,
        sink: Sink,
        sizes: Sizes,
    ) -> Result<Executed, ExecuteError> {
        let place = self.places.enter(&self.counter).await?;
        let connection = self.pool.acquire().await.map_err(SourceError::from)?.detach();
        let (bound, failures) = bind(&program.program, variables);
        let (plan, program) = (Arc::clone(plan), Arc::clone(program));
        let work = Work { plan, program, bound, failures, most_rows: sizes.rows };
        let (outlet, pieces) = self.places.channel(Some(place));
        let sink = sink.streaming(PORTION.min(sizes.whole), outlet);
        let abandoner = Abandoner::default();
        let (flag, runtime) = (abandoner.flag(), Handle::current());
        let (sender, ended) = oneshot::channel();
        spawn_blocking(move || {
            // Nobody may wait for it any more.
            drop(sender.send(work.run(connection, sink, &flag, &runtime)));
        });
        End::new(ended, abandoner).begin(pieces).await
    }

    async fn execute(
        &self,
        shape: &Shape,
        program: &PostgresProgram,
        asked: Asked<'_>,
        sink: Sink,
        most_bytes: Option<usize>,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        if let Some(joined) = program.joined() {
            observed.joined = true;
            let most = most_bytes.map_or(MOST_JOINED, |most| most.min(MOST_JOINED));
            match self.read_all(&joined.program, asked, Some(most), observed).await {
                Err(error) if error.kind == SourceErrorKind::TooLarge => joined.has_not_paid(),
                read => {
                    let read = read?;
                    if joined.repeats_much(&read.rows) {
                        joined.has_not_paid();
                    }
                    return read.write(&joined.program, shape, sink, observed);
                }
            }
        }
        observed.joined = false;
        let read = self.read_all(program, asked, most_bytes, observed).await?;
        program.look_at(&read.rows);
        read.write(program, shape, sink, observed)
    }

    /// Binds the variables, and reads the rows of all levels.
    async fn read_all(
        &self,
        program: &PostgresProgram,
        Asked { variables, cost }: Asked<'_>,
        most_bytes: Option<usize>,
        observed: &mut Observed,
    ) -> Result<Read, SourceError> {
        let (bound, mut failures) = bind(&program.program, variables);
        if bound.levels.iter().any(|level| level.bounding.is_some()) {
            observed.boundings = bound.levels.iter().map(|level| level.bounding).collect();
        }
        let rows = self.read(program, cost, &bound, &mut failures, most_bytes, observed).await?;
        Ok(Read { bound, failures, rows })
    }

    /// The rows of all levels. The root fields in `failures` are left out, and those that fail
    /// now are added.
    async fn read(
        &self,
        program: &PostgresProgram,
        cost: u64,
        bound: &Bound,
        failures: &mut Vec<(u32, SourceError)>,
        most_bytes: Option<usize>,
        observed: &mut Observed,
    ) -> Result<Vec<Rows>, SourceError> {
        if program.program.levels.is_empty() {
            // The schema is told even where the database is out of reach.
            return Ok(Vec::new());
        }
        let started = Instant::now();
        if cost <= MOST_COST && program.pace.is_short() && program.is_one_batch() {
            for _ in 0..SHARED_ATTEMPTS {
                if !self.sharing.is_worth_it(&self.pool) {
                    break;
                }
                let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
                observed.begin_round(composed(program, &without));
                let batch =
                    |pipeline: &mut Pipeline<'_>| compose(pipeline, program, bound, &without);
                let shared = self.sharing.run(&self.pool, &program.pace, batch).await;
                observed.end_round();
                match shared {
                    Shared::Rows(rows) => return Ok(by_level(program, &without, rows)),
                    Shared::Moved => {}
                    Shared::Closed(error) if started.elapsed() >= REPLACED_WITHIN => {
                        return Err(error.into());
                    }
                    Shared::Apart | Shared::Closed(_) => break,
                }
            }
        }
        loop {
            let connection = self.pool.acquire().await?;
            // Connections that were not used before are not replaced, so this ends.
            let may_be_replaced = connection.is_reused();
            let read = (most_bytes.unwrap_or(usize::MAX), &mut *observed);
            match read_on(connection, &self.sharing, program, bound, failures, read).await {
                Err(WireError::Closed { reason })
                    if may_be_replaced && started.elapsed() < REPLACED_WITHIN =>
                {
                    tracing::debug!(?reason, "a closed connection is replaced");
                }
                read => return Ok(read?),
            }
        }
    }

    /// Asks the server for a sign of life, and replaces a connection that shows none.
    pub async fn probe(&self) -> Result<(), SourceError> {
        loop {
            let mut connection = self.pool.acquire().await?;
            let may_be_replaced = connection.is_reused();
            match connection.check().await {
                Err(_) if may_be_replaced => {}
                checked => return Ok(checked?),
            }
        }
    }

    /// PostgreSQL's plan of each statement.
    pub async fn explain(
        &self,
        program: &PostgresProgram,
        variables: Variables<'_>,
        analyze: bool,
    ) -> Result<Vec<String>, SourceError> {
        let program = program.current();
        let (bound, failures) = bind(&program.program, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let mut connection = self.pool.acquire().await?;
        explain(&mut connection, program, &bound, analyze).await
    }
}

impl Read {
    /// Writes the answer.
    fn write(
        self,
        program: &PostgresProgram,
        shape: &Shape,
        sink: Sink,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let started = Instant::now();
        let answer = Answer::new(&program.program, &self.bound, &self.rows);
        let mut writer = Writer::new(shape, &program.program.layout, sink);
        for (root, error) in self.failures {
            writer.fail_root(root as usize, error);
        }
        let written = writer.write(&mut answer.top());
        observed.write = Some(started.elapsed());
        Ok(Executed::Whole(written?))
    }
}

async fn read_on(
    connection: Pooled,
    sharing: &Sharing,
    program: &PostgresProgram,
    bound: &Bound,
    failures: &mut Vec<(u32, SourceError)>,
    (most_bytes, observed): (usize, &mut Observed),
) -> Result<Vec<Rows>, WireError> {
    let mut running = Running { connection, is_ended: false };
    running.connection.allow(most_bytes);
    let started = Instant::now();
    loop {
        let without: Vec<u32> = failures.iter().map(|(root, _)| *root).collect();
        running.is_ended = false;
        let ran = run(&mut running.connection, program, bound, &without, observed).await;
        // What is more than may be read goes on to be sent, unless it is stopped.
        running.is_ended = !matches!(ran, Err(WireError::TooLarge { .. }));
        running.connection.allow(usize::MAX);
        match ran? {
            Run::Rows(rows) => {
                program.pace.ran_apart(sharing.judge(started.elapsed(), &rows));
                return Ok(rows);
            }
            // Each round has one root field less, so this ends.
            Run::Failed { root, error } => failures.push((root, error)),
        }
    }
}

fn is_of_source(error: &WriteError<SourceError>) -> bool {
    matches!(error.failure, Failure::Source(_))
}

/// Cancels the statement of a request that goes away before it is answered: PostgreSQL would
/// finish it for nobody.
struct Running {
    connection: Pooled,
    is_ended: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_ended {
            self.connection.abandon().stop();
        }
    }
}
