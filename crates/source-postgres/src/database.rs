//! A PostgreSQL database, read from every thread.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use catalog::Catalog;
use response::sink::PORTION;
use response::{Attempt, Failure, MemoryBudget, Output, Refused, Sink, WriteError, Written};
use source::changes::Relay;
use source::offload::HERE;
use source::operand::Variables;
use source::statistics::Counter;
use source::streamed::{self, Abandoner, Delivery, End, Executed, Places, Sizes};
use source::{
    CommittedEvents, CompileError, Connections, ExecuteError, ExecuteParams, Observed, PlanFigures,
    PoolLimits, ReadForm, Session, SourceError, SourceErrorKind, Timeouts,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::answer::{Judging, Read};
use super::changes::PostgresChanges;
use super::channels::PostgresChannels;
use super::circuit_breaker::CircuitBreaker;
use super::compile::{Recompiler, compile};
use super::cursor::Answer;
use super::direct;
use super::execute::units::{Changing, MostGiven, Recording};
use super::execute::{PostgresPlan, PostgresProgram, explain};
use super::introspect::{PhysicalTypes, introspect_with};
use super::open_error::OpenError;
use super::options::PostgresOptions;
use super::pool::{Pool, PoolOptions};
use super::pooler::{self, serve_through};
use super::product::Feature;
use super::read::Reading;
use super::replicas::{
    Outcome, ReadStatus, ReplicaConnections, Replicas, Server, State, Tried, change_position,
};
use super::sharing::Sharing;
use super::snapshot::PostgresSnapshot;
use super::split_join;
use super::stream::Work;
use super::wire::{Config, Rows, connect_simple};

/// With as many connections one is kept for short reads, even where long ones would take all.
const KEEPS_ONE_FROM: usize = 8;

/// Most bytes of the rows of joined levels.
const MOST_JOINED: usize = 256 << 10;

/// A database with its catalog.
#[derive(Debug)]
pub struct PostgresSource {
    config: Box<Config>,
    types: Arc<PhysicalTypes>,
    timeouts: Timeouts,
    breaker: Arc<CircuitBreaker>,
    /// The server itself, if `config` leads to a pooler.
    direct: Option<Box<Config>>,
    reads: Reads,
}

/// Reads from replicas.
#[derive(Debug, Default)]
struct Reads {
    /// `None` without replicas.
    replicas: Option<Arc<Replicas>>,
    /// The identifier of the cluster, if positions behind changes are read.
    reports_changes: Option<u64>,
}

/// The pool of one thread.
#[derive(Debug)]
pub struct PostgresConnections {
    pub(super) pool: Rc<Pool>,
    pub(super) sharing: Rc<Sharing>,
    places: Box<Places>,
    counter: Counter,
    replicas: Option<Box<ReplicaConnections<Self>>>,
    /// The identifier of the cluster, if positions behind changes are read.
    reports_changes: Option<u64>,
}

/// Limits of an answer that is built as a whole.
#[derive(Clone, Copy)]
struct AnswerLimits {
    /// Most bytes of its rows.
    most_bytes: Option<usize>,
    /// Most bytes of the answer itself, if a longer one begins again in portions.
    most_written: Option<usize>,
}

impl PostgresSource {
    /// Connects, and introspects the namespaces.
    pub async fn open(
        url: &str,
        options: &PostgresOptions<'_>,
    ) -> Result<(Self, Catalog), OpenError> {
        let timeouts = options.timeouts;
        let config = Config::from_url(url).map_err(OpenError::Connect)?;
        let config = config.with_default_connect_timeout(timeouts.connect);
        let pooler = pooler::find(&config).await.map_err(OpenError::Connect)?;
        let config = serve_through(config, pooler);
        let client = connect_simple(&config).await.map_err(OpenError::Connect)?;
        let introspected = introspect_with(&client, options).await.map_err(OpenError::Catalog)?;
        let product = introspected.types.product;
        let direct = match options.direct {
            Some(direct) => {
                product.require(Feature::ServerIdentity)?;
                Some(Box::new(direct::open(direct, &client, timeouts).await?))
            }
            None => None,
        };
        let reads = match options.reads {
            Some(reads) => {
                product.require(Feature::LogPositions)?;
                // After the schema was read: replicas without this state do not have the schema.
                let state =
                    State::read(&client).await.map_err(|error| OpenError::Primary(error.into()))?;
                let system = state.identity.system;
                let primary = direct.as_deref().unwrap_or(&config).clone();
                let replicas = match reads.replicas.is_empty() {
                    true => None,
                    false => {
                        let opened = Replicas::open(primary, state, reads, timeouts.connect).await;
                        Some(Arc::new(opened?))
                    }
                };
                Reads { replicas, reports_changes: reads.reports_changes.then_some(system) }
            }
            None => Reads::default(),
        };
        let (config, types) = (Box::new(config), Arc::new(introspected.types));
        let breaker = Arc::default();
        let source = Self { config, types, timeouts, breaker, direct, reads };
        Ok((source, introspected.catalog))
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The state of reads from replicas; `None` without replicas.
    #[must_use]
    pub fn reads(&self) -> Option<ReadStatus> {
        Some(self.reads.replicas.as_ref()?.status())
    }

    /// The server itself, for sessions that outlive a transaction.
    fn direct(&self) -> Config {
        Config::clone(self.direct.as_deref().unwrap_or(&self.config))
    }

    /// Compiles a request.
    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<PostgresProgram, CompileError> {
        match relational::with_own_keys(catalog, request, &*self.types) {
            Some(request) => compile(catalog, &request, &self.types),
            None => compile(catalog, request, &self.types),
        }
    }

    /// Compiles a request that is run more than once: the program compiles other forms of itself when
    /// answers show that they pay.
    pub fn compile_kept(
        &self,
        catalog: &Arc<Catalog>,
        request: &Arc<ir::Request>,
    ) -> Result<PostgresProgram, CompileError> {
        let own_keys = relational::with_own_keys(catalog, request, &*self.types);
        let is_changed = own_keys.is_some();
        let request = own_keys.map_or_else(|| Arc::clone(request), Arc::new);
        let program = compile(catalog, &request, &self.types)?;
        let (catalog, types) = (Arc::clone(catalog), Arc::clone(&self.types));
        Ok(program.or_recompiled(Recompiler { catalog, request, is_changed, types }))
    }

    /// The changes of rows.
    #[must_use]
    pub fn changes(&self, relay: Relay) -> PostgresChanges {
        PostgresChanges::new(self.direct(), self.types.product, relay)
    }

    /// The channels of notifications.
    #[must_use]
    pub fn channels(&self) -> PostgresChannels {
        PostgresChannels::new(self.direct(), self.types.product)
    }

    #[must_use]
    pub fn connections(
        &self,
        limits: PoolLimits,
        memory: &Arc<MemoryBudget>,
    ) -> PostgresConnections {
        let connect =
            |config: Config, breaker| self.connections_to(config, breaker, limits, memory);
        let own = connect(Config::clone(&self.config), Arc::clone(&self.breaker));
        let replicas = self.reads.replicas.as_ref();
        let replicas =
            replicas.map(|replicas| Box::new(ReplicaConnections::new(replicas, connect)));
        PostgresConnections { replicas, reports_changes: self.reads.reports_changes, ..own }
    }

    /// Connections to one server.
    fn connections_to(
        &self,
        config: Config,
        breaker: Arc<CircuitBreaker>,
        limits: PoolLimits,
        memory: &Arc<MemoryBudget>,
    ) -> PostgresConnections {
        let shared = limits.shared.min(limits.connections);
        let keeps_one = shared > 0 && limits.connections >= KEEPS_ONE_FROM;
        let options = PoolOptions {
            max_connections: limits.connections,
            reserved: usize::from(keeps_one),
            acquire_timeout: self.timeouts.acquire,
            idle_timeout: self.timeouts.idle,
            ..PoolOptions::default()
        };
        let config = config.with_memory(memory);
        let (pool, sharing) =
            (Pool::new(config, options, breaker), Sharing::new(shared, limits.patience));
        let places = Box::new(Places::new(limits.connections, self.timeouts.acquire));
        PostgresConnections {
            pool,
            sharing,
            places,
            counter: Counter::default(),
            replicas: None,
            reports_changes: None,
        }
    }
}

impl Connections for PostgresConnections {
    type Program = PostgresProgram;
    type Snapshot = PostgresSnapshot;

    fn snapshot(&self, _: &[&PostgresPlan]) -> PostgresSnapshot {
        PostgresSnapshot::new(&self.pool)
    }

    fn count(&mut self, counter: Counter) {
        for replica in self.replicas.iter_mut().flat_map(|replicas| replicas.each_mut()) {
            replica.count_own(counter.clone());
        }
        self.count_own(counter);
    }

    fn close_old(&self) {
        self.replicas.iter().flat_map(|replicas| replicas.each()).for_each(Self::close_own);
        self.close_own();
    }

    /// Runs a plan and writes its answer: a read on a replica, if one can answer it.
    async fn deliver(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        if let Some(replicas) = self.replicas_for(plan) {
            let mut tried = Tried::default();
            while let Server::Replica(replica) =
                replicas.server_of(params.freshness, &tried).await?
            {
                let (own, sink) = (replica.connections, sink.clone());
                observed.replica = replica.name();
                let delivered = own.deliver_own(plan, params, sink, delivery, observed).await;
                if replica.judge(&delivered, &mut tried) == Outcome::Answered {
                    return delivered;
                }
            }
        }
        observed.replica = None;
        self.deliver_own(plan, params, sink, delivery, observed).await
    }

    /// Runs a plan and writes the whole of its answer into an output: a read on a replica, if one can
    /// answer it.
    async fn answer<O: Output>(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        if let Some(replicas) = self.replicas_for(plan) {
            let mut tried = Tried::default();
            while let Server::Replica(replica) =
                replicas.server_of(params.freshness, &tried).await?
            {
                let (own, output) = (replica.connections, output.clone());
                observed.replica = replica.name();
                let answered = own.answer_own(plan, params, output, observed).await;
                if replica.judge(&answered, &mut tried) == Outcome::Answered {
                    return answered;
                }
            }
        }
        observed.replica = None;
        self.answer_own(plan, params, output, observed).await
    }

    /// Probes the server, and replaces a connection that does not answer. Queries can be answered as
    /// long as a replica can.
    async fn probe(&self) -> Result<(), SourceError> {
        match self.probe_own().await {
            Err(_) if self.replicas.as_ref().is_some_and(|own| own.are_ready()) => Ok(()),
            probed => probed,
        }
    }

    /// PostgreSQL's plan of each statement.
    async fn explain(
        &self,
        program: &PostgresProgram,
        variables: Variables<'_>,
        session: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        let program = program.current();
        let (bound, failures) = program.bind(variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        let mut connection = self.pool.acquire_for(session.names()).await?;
        explain(&mut connection, program, &bound, session.settings.as_deref(), figures).await
    }
}

impl PostgresConnections {
    /// The replicas that may answer a plan.
    fn replicas_for(&self, plan: &PostgresPlan) -> Option<&ReplicaConnections<Self>> {
        let replicas = self.replicas.as_deref()?;
        let program = &plan.program.program;
        (!program.writes() && !program.levels.is_empty()).then_some(replicas)
    }

    fn count_own(&mut self, counter: Counter) {
        self.counter = counter.clone();
        // No request has a connection yet.
        if let Some(pool) = Rc::get_mut(&mut self.pool) {
            pool.count(counter);
        }
    }

    fn close_own(&self) {
        self.pool.close_old();
    }

    async fn probe_own(&self) -> Result<(), SourceError> {
        loop {
            let mut connection = self.pool.acquire_for(&self.pool.names_at_hand()).await?;
            let may_be_replaced = connection.is_reused();
            match connection.check().await {
                Err(_) if may_be_replaced => {}
                checked => return Ok(checked?),
            }
        }
    }

    /// Runs a plan on this server and writes its answer. A root field that fails is null, and the
    /// others run once more without it. An answer that proves long begins again in portions.
    async fn deliver_own(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let program = &plan.program;
        let sizes = match delivery {
            Delivery::Streamed(sizes) if !self.places.are_none() && program.may_be_streamed() => {
                sizes
            }
            Delivery::Streamed(_) | Delivery::Whole => {
                let written = self.answer_own(plan, params, sink, observed).await;
                return written.map(Executed::Whole);
            }
        };
        let whole = AnswerLimits { most_bytes: None, most_written: None };
        if let Some(trying) = program.length.try_whole(sizes.whole) {
            let (most_bytes, most_written) = (Some(trying.bytes), Some(sizes.whole.min(HERE)));
            let most = AnswerLimits { most_bytes, most_written };
            let copy = sink.clone();
            match self.execute(plan, params, copy, most, observed).await {
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
        let in_portions = in_portions(plan).await;
        let Some(in_portions) = in_portions else {
            let written = self.execute(plan, params, sink, whole, observed).await;
            return written.map(Executed::Whole);
        };
        let (form, in_portions) = match in_portions.split_join.program() {
            Some(split) => (ReadForm::SplitPortions, split),
            None => (ReadForm::Portions, in_portions),
        };
        observed.form = form;
        observed.begin_round(0..in_portions.program.levels.len());
        let streamed = self.stream(plan, in_portions, params, sink.clone(), sizes).await;
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
        let written = self.execute(plan, params, sink, whole, observed).await;
        written.map(Executed::Whole)
    }

    /// Runs a plan on this server and writes the whole of its answer into an output.
    async fn answer_own<O: Output>(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        if plan.program.program.writes() {
            return self.change(plan, params, output, observed).await;
        }
        let whole = AnswerLimits { most_bytes: None, most_written: None };
        self.execute(plan, params, output, whole, observed).await
    }

    /// Sends the answer while it is made, on a thread and over a connection of its own.
    async fn stream(
        &self,
        plan: &Arc<PostgresPlan>,
        program: &Arc<PostgresProgram>,
        ExecuteParams { variables, session, echoes, .. }: ExecuteParams<'_>,
        sink: Sink,
        sizes: Sizes,
    ) -> Result<Executed, ExecuteError> {
        let place = self.places.enter(&self.counter).await?;
        let connection = self.pool.acquire_for(session.names()).await;
        let connection = connection.map_err(SourceError::from)?.detach(Handle::current());
        let (bound, failures) = program.bind(variables);
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
            // The request may be gone.
            drop(sender.send(work.run(connection, sink, &flag, &runtime)));
        });
        End::new(ended, abandoner).begin(pieces).await
    }

    async fn execute<O: Output>(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        output: O,
        AnswerLimits { most_bytes, most_written }: AnswerLimits,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        program.split_join.settled().await;
        let (read, form) = 'read: {
            if let Some(joined) = program.joined() {
                observed.form = ReadForm::Joined;
                let most = most_bytes.map_or(MOST_JOINED, |most| most.min(MOST_JOINED));
                match self.read_all(&joined.program, params, Some(most), observed).await {
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
            if let Some(split) = program.split_join.program() {
                observed.form = ReadForm::SplitJoin;
                let read = self.read_all(split, params, most_bytes, observed).await?;
                program.split_join.judge(&split.program, &read.rows);
                break 'read (read, &**split);
            }
            observed.form = ReadForm::Levels;
            let read = self.read_all(program, params, most_bytes, observed).await?;
            learn(plan, &read.rows);
            (read, program)
        };
        let Some(most) = most_written else {
            return read.write((plan, form), params.echoes, output, observed).await;
        };
        let parts = (form, &*plan.shape);
        match read.write_at_most(parts, params.echoes, output, most, observed)? {
            Attempt::Written(written) => Ok(written),
            Attempt::TooLong(_) => Err(Refused::TooLongHere.into()),
        }
    }

    /// Runs a program that changes something, each of its units once.
    async fn change<O: Output>(
        &self,
        plan: &Arc<PostgresPlan>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let (bound, mut failures) = program.bind(params.variables);
        // Each is bounded, and all of the requests together are so by the budget.
        let mut copied = output.another_held();
        copied.grow_to(bound.copied()).map_err(SourceError::from)?;
        observed.form = ReadForm::Levels;
        let ExecuteParams { variables, session, echoes, recorders, .. } = params;
        let budget = output.budget();
        let refuse = |rows: Vec<Rows>| -> Judging<'_> {
            // It is written to measure it: names, escapes and aliases make long answers of few
            // rows, and a value that many rows share is written with each of them.
            let copy = output.clone();
            let trial = Read { bound: bound.clone(), failures: Vec::new(), rows };
            Box::pin(trial.judge((plan, program), echoes, copy))
        };
        let bytes = usize::try_from(budget).unwrap_or(usize::MAX).saturating_mul(2);
        let most = MostGiven { bytes, refuse: &refuse };
        let (pool, bound_to) = (&self.pool, &bound);
        let events = |rows: &[Rows], levels: &Range<u16>| {
            let answer = Answer::new(&program.program, &bound, rows)?;
            let (parts, held) = ((&*plan.shape, &program.program.layout), output.another_held());
            Ok(CommittedEvents::of_levels(parts, levels, &mut answer.top(), &held))
        };
        let recording = |recorders| Recording { recorders, events: &events };
        let recording = recorders.map(|recorders| recording(&**recorders));
        let changing = Changing {
            pool,
            program,
            bound: bound_to,
            variables,
            session,
            observed,
            most,
            recording,
        };
        let rows = changing.run(&mut failures).await?;
        observed.has_changed = program.program.has_changed(&failures);
        if let Some(system) = self.reports_changes.filter(|_| observed.has_changed) {
            let position = change_position(&self.pool, session.names(), system).await;
            observed.changed_at = Some(position);
        }
        let read = Read { bound, failures, rows };
        if plan.shape.events.is_some() {
            observed.committed = read.events((plan, program), output.another_held())?;
        }
        read.write((plan, program), echoes, output, observed).await
    }

    /// Binds the variables, and reads the rows of all levels.
    async fn read_all(
        &self,
        program: &PostgresProgram,
        ExecuteParams { variables, session, cost, .. }: ExecuteParams<'_>,
        most_bytes: Option<usize>,
        observed: &mut Observed,
    ) -> Result<Read, SourceError> {
        let (bound, mut failures) = program.bind(variables);
        if bound.levels.iter().any(|level| level.bounding.is_some()) {
            observed.boundings = bound.levels.iter().map(|level| level.bounding).collect();
        }
        let rows = if program.program.levels.is_empty() {
            // The schema is served even if the database is out of reach.
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
}

/// The form of a plan's program that is read in portions, compiled on the blocking pool by the first
/// answer that needs it; `None` if it cannot be read so.
async fn in_portions(plan: &Arc<PostgresPlan>) -> Option<&Arc<PostgresProgram>> {
    let PostgresProgram { in_portions, recompiler, .. } = &plan.program;
    if in_portions.get().is_none() && recompiler.is_some() {
        let own = Arc::clone(plan);
        let compile = move || {
            own.program.in_portions.get_or_init(|| {
                let recompiler = own.program.recompiler.as_ref()?;
                recompiler.in_portions(&[]).map(Arc::new)
            });
        };
        // Without it the answer is made as a whole.
        let _ = spawn_blocking(compile).await;
    }
    in_portions.get()?.as_ref()
}

/// Learns from rows that were read level by level, with joins.
fn learn(plan: &Arc<PostgresPlan>, rows: &[Rows]) {
    plan.program.learn_joined(rows);
    if let Some(recompiler) = &plan.program.recompiler {
        split_join::learn(plan, recompiler, rows);
    }
}

fn is_of_source(error: &WriteError<SourceError>) -> bool {
    matches!(error.failure, Failure::Source(_))
}
