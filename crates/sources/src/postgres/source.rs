//! A PostgreSQL database, read from every thread.

use std::rc::Rc;
use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId};
use ir::StepKind;
use response::sink::PORTION;
use response::{Attempt, Failure, Memory, Output, Refused, Sink, WriteError, Written};
use sql::{Flavor, PlanFigures};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio_postgres::types::Type;

use super::answer::{Judging, Read};
use super::apart::Seen;
use super::bind::bind;
use super::execute::units::{Changing, MostGiven};
use super::execute::{PostgresProgram, explain};
use super::introspect::{PhysicalTypes, introspect};
use super::pool::{Pool, PoolOptions};
use super::pooler::{self, serve_through};
use super::reach::Reach;
use super::read::Reading;
use super::sharing::Sharing;
use super::stream::Work;
use super::wire::{Config, Rows, connect_simple};
use crate::error::{SourceError, SourceErrorKind};
use crate::observed::{Observed, ReadForm};
use crate::offload::HERE;
use crate::operand::Variables;
use crate::relational::compile::{KeyTypes, Length};
use crate::relational::{self, CompileError, Strategy};
use crate::session::Session;
use crate::source::{Asked, ExecuteError, Most, OpenError, OpenOptions, Plan, Timeouts};
use crate::statistics::Counter;
use crate::streamed::{
    self, Abandoner, Compile, Delivery, End, Executed, Places, ProgramForm, Sizes,
};

/// With as many connections one is kept for short reads, even where long ones would take all.
const KEEPS_ONE_FROM: usize = 8;

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

/// How an answer is made as a whole.
#[derive(Clone, Copy)]
struct Whole<'a> {
    /// How many bytes its rows may come to.
    most_bytes: Option<usize>,
    /// How many bytes it may have itself, if it begins again in portions where it has more.
    most_written: Option<usize>,
    compile: Option<Compile<'a>>,
}

/// What is known of the types of keys, for a program that is read in another way than level by level.
#[derive(Debug)]
struct TypesFor<'a> {
    types: &'a PhysicalTypes,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The parents come in portions.
    InPortions,
    /// Lists may be read by the statement of the rows above.
    Joined,
}

impl KeyTypes for TypesFor<'_> {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.types.identity_is_text(field)
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        self.types.print_alike(one, other)
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.types.has_array(field)
    }

    fn says_again(&self) -> bool {
        self.way != Way::InPortions
    }

    fn length(&self, field: FieldId) -> Length {
        let field = self.types.of(field);
        match field.most_characters {
            Some(most) => Length::AtMost(most),
            None if field.oid == Type::TEXT.oid() || field.oid == Type::VARCHAR.oid() => {
                Length::Any
            }
            None => Length::Long,
        }
    }

    fn repeats_rows(&self, entity: EntityId) -> bool {
        self.way == Way::Joined && self.types.is_one_table(entity)
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
        let pooler = pooler::find(&config).await.map_err(OpenError::Postgres)?;
        let config = serve_through(config, pooler);
        let client = connect_simple(&config).await.map_err(OpenError::Postgres)?;
        let introspected =
            introspect(&client, &options.namespaces, options.extensions, options.rights)
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
        if is_change(request) {
            return Ok(PostgresProgram::new(compile(&*self.types)?, &self.types));
        }
        match compile(&TypesFor { types: &self.types, way: Way::Joined }) {
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
        let types = TypesFor { types: &self.types, way: Way::InPortions };
        let strategy = Strategy::Levels(&types);
        let program = relational::compile(catalog, request, Flavor::POSTGRES, strategy).ok()?;
        let program = PostgresProgram::new(program, &self.types);
        program.is_in_portions().then_some(program)
    }

    /// Compiles a request with those to-one rows apart of which an answer showed that they are few, if
    /// there are any.
    pub fn compile_apart(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
        seen: &Seen<'_>,
    ) -> Option<PostgresProgram> {
        let mut chosen = relational::to_ones(catalog, request, &*self.types);
        chosen.retain(|to_one| seen.is_few(to_one));
        if chosen.is_empty() {
            return None;
        }
        let (flavor, types) = (Flavor::POSTGRES, &*self.types);
        let program = relational::compile_apart(catalog, request, flavor, types, &chosen).ok()?;
        Some(PostgresProgram::new(program, types))
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
        let (compile, sizes) = match delivery {
            Delivery::Streamed { compile, sizes }
                if !self.places.are_none() && program.may_be_streamed() =>
            {
                (compile, sizes)
            }
            Delivery::Streamed { .. } | Delivery::Whole { .. } => {
                let compile = delivery.compile();
                let written = self.answer(plan, program, asked, sink, compile, observed).await;
                return written.map(Executed::Whole);
            }
        };
        let whole = Whole { most_bytes: None, most_written: None, compile: Some(compile) };
        if let Some(trying) = program.length.try_whole(sizes.whole) {
            let (most_bytes, most_written) = (Some(trying.bytes), Some(sizes.whole.min(HERE)));
            let most = Whole { most_bytes, most_written, ..whole };
            let copy = sink.clone();
            match self.execute(plan, program, asked, copy, most, observed).await {
                Err(ExecuteError::Source(error)) if error.kind == SourceErrorKind::TooLarge => {
                    trying.was_longer();
                }
                Err(ExecuteError::Refused(Refused::TooLongHere)) => trying.was_long(),
                written => {
                    if written.is_ok() {
                        trying.was_short();
                    }
                    return written.map(Executed::Whole);
                }
            }
        }
        let in_portions =
            program.in_portions.get_or_init(|| match compile(ProgramForm::InPortions) {
                Some(crate::source::Program::Postgres(program)) => Some(Arc::new(program)),
                _ => None,
            });
        let Some(in_portions) = in_portions else {
            let written = self.execute(plan, program, asked, sink, whole, observed).await;
            return written.map(Executed::Whole);
        };
        observed.form = ReadForm::Levels;
        observed.begin_round(0..program.program.levels.len());
        let streamed = self.stream(plan, in_portions, asked, sink.clone(), sizes).await;
        observed.end_round();
        if !matches!(streamed, Ok(Executed::Streamed(_))) {
            program.length.is_short_again();
        }
        match streamed {
            // Nothing was sent: the others of its root fields may be answered.
            Ok(Executed::Whole(written)) if written.errors.iter().any(is_of_source) => {}
            Err(ExecuteError::Source(error)) if error.kind != SourceErrorKind::Busy => {}
            streamed => return streamed,
        }
        let written = self.execute(plan, program, asked, sink, whole, observed).await;
        written.map(Executed::Whole)
    }

    /// Runs a plan and writes the whole of its answer into an output.
    pub async fn answer<O: Output>(
        &self,
        plan: &Arc<Plan>,
        program: &PostgresProgram,
        asked: Asked<'_>,
        output: O,
        compile: Option<Compile<'_>>,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        if program.program.writes() {
            return self.change(plan, program, asked, output, observed).await;
        }
        let whole = Whole { most_bytes: None, most_written: None, compile };
        self.execute(plan, program, asked, output, whole, observed).await
    }

    /// Sends the answer while it is made, on a thread and over a connection of its own.
    async fn stream(
        &self,
        plan: &Arc<Plan>,
        program: &Arc<PostgresProgram>,
        Asked { variables, session, echoes, .. }: Asked<'_>,
        sink: Sink,
        sizes: Sizes,
    ) -> Result<Executed, ExecuteError> {
        let place = self.places.enter(&self.counter).await?;
        let connection = self.pool.acquire_for(session.names()).await;
        let connection = connection.map_err(SourceError::from)?.detach(Handle::current());
        let (bound, failures) = bind(&program.program, variables);
        let (plan, program) = (Arc::clone(plan), Arc::clone(program));
        let settings = session.settings.clone();
        let (echoes, most_rows) = (echoes.into(), sizes.rows);
        let work = Work { plan, program, bound, failures, echoes, settings, most_rows };
        let (outlet, pieces) = streamed::channel(Some(place));
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

    async fn execute<O: Output>(
        &self,
        plan: &Arc<Plan>,
        program: &PostgresProgram,
        asked: Asked<'_>,
        output: O,
        Whole { most_bytes, most_written, compile }: Whole<'_>,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let (read, form) = 'read: {
            if let Some(joined) = program.joined() {
                observed.form = ReadForm::Joined;
                let most = most_bytes.map_or(MOST_JOINED, |most| most.min(MOST_JOINED));
                match self.read_all(&joined.program, asked, Some(most), observed).await {
                    Err(error)
                        if error.kind == SourceErrorKind::TooLarge && most == MOST_JOINED =>
                    {
                        joined.has_not_paid();
                    }
                    read => {
                        let read = read?;
                        if joined.repeats_much(&read.rows) {
                            joined.has_not_paid();
                        }
                        break 'read (read, &joined.program);
                    }
                }
            }
            if let Some(apart) = program.apart.program() {
                observed.form = ReadForm::Apart;
                let read = self.read_all(apart, asked, most_bytes, observed).await?;
                program.apart.judge(&apart.program, &read.rows);
                break 'read (read, &**apart);
            }
            observed.form = ReadForm::Levels;
            let read = self.read_all(program, asked, most_bytes, observed).await?;
            program.look_at(&read.rows, compile);
            (read, program)
        };
        let Some(most) = most_written else {
            return read.write((plan, form), asked.echoes, output, observed).await;
        };
        let parts = (form, &*plan.shape);
        match read.write_at_most(parts, asked.echoes, output, most, observed)? {
            Attempt::Written(written) => Ok(written),
            Attempt::TooLong(_) => Err(Refused::TooLongHere.into()),
        }
    }

    /// Runs a program that changes something, each of its units once.
    async fn change<O: Output>(
        &self,
        plan: &Arc<Plan>,
        program: &PostgresProgram,
        asked: Asked<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let (bound, mut failures) = bind(&program.program, asked.variables);
        observed.form = ReadForm::Levels;
        let Asked { variables, session, echoes, .. } = asked;
        let budget = output.budget();
        let refuse = |rows: Vec<Rows>| -> Judging<'_> {
            // It is written to see how long it is: names, escapes and aliases make much of few
            // rows, and what many rows share is written with each of them.
            let copy = output.clone();
            let trial = Read { bound: bound.clone(), failures: Vec::new(), rows };
            Box::pin(trial.judge((plan, program), echoes, copy))
        };
        let bytes = usize::try_from(budget).unwrap_or(usize::MAX).saturating_mul(2);
        let most = MostGiven { bytes, refuse: &refuse };
        let (pool, bound_to) = (&self.pool, &bound);
        let changing =
            Changing { pool, program, bound: bound_to, variables, session, observed, most };
        let rows = changing.run(&mut failures).await?;
        observed.has_changed = program.program.has_changed(&failures);
        let read = Read { bound, failures, rows };
        read.write((plan, program), echoes, output, observed).await
    }

    /// Binds the variables, and reads the rows of all levels.
    async fn read_all(
        &self,
        program: &PostgresProgram,
        Asked { variables, session, cost, .. }: Asked<'_>,
        most_bytes: Option<usize>,
        observed: &mut Observed,
    ) -> Result<Read, SourceError> {
        let (bound, mut failures) = bind(&program.program, variables);
        if bound.levels.iter().any(|level| level.bounding.is_some()) {
            observed.boundings = bound.levels.iter().map(|level| level.bounding).collect();
        }
        let rows = if program.program.levels.is_empty() {
            // The schema is told even where the database is out of reach.
            Vec::new()
        } else {
            let most_bytes = most_bytes.unwrap_or(usize::MAX);
            let (pool, sharing) = (&self.pool, &self.sharing);
            let bound = &bound;
            let reading =
                Reading { pool, sharing, program, bound, session, cost, most_bytes, observed };
            reading.rows(&mut failures).await?
        };
        Ok(Read { bound, failures, rows })
    }

    /// Asks the server for a sign of life, and replaces a connection that shows none.
    pub async fn probe(&self) -> Result<(), SourceError> {
        loop {
            let mut connection = self.pool.acquire_for(&self.pool.names_at_hand()).await?;
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
        session: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        let program = program.current();
        let (bound, failures) = bind(&program.program, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let mut connection = self.pool.acquire_for(session.names()).await?;
        explain(&mut connection, program, &bound, session.settings.as_deref(), figures).await
    }
}

fn is_change(request: &ir::Request) -> bool {
    let mut steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
    steps.any(|step| matches!(step.kind, StepKind::Write(_) | StepKind::Call(_)))
}

fn is_of_source(error: &WriteError<SourceError>) -> bool {
    matches!(error.failure, Failure::Source(_))
}
