//! A graph in Neo4j, read from every thread.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use catalog::{
    Builder, Capabilities, Catalog, GraphChange, GraphConstraint, GraphIndex, GraphIndexState,
    GraphSummary,
};
use cypher::Flavor;
use response::{MemoryBudget, Output, Sink, Written};
use source::Observed;
use source::Session;
use source::SourceError;
use source::operand::Variables;
use source::statistics::Counter;
use source::streamed::{Delivery, Executed, Places};
use source::{
    CompileError, Connections, ExecuteError, ExecuteParams, Plan, PlanFigures, PoolLimits,
    Snapshot, Timeouts,
};
use tokio::time::timeout;

use super::answer::Read;
use super::bind::bind;
use super::compile::{compile, compile_touched};
use super::execute::Running;
use super::explain::explain;
use super::introspect::{self, Bounds, IntrospectError};
use super::migrate;
use super::pool::{Pool, PoolOptions};
use super::program::{Access, GraphProgram};
use super::wire::{Cluster, Config, Connection, ServerVersion, WireError};

/// A database that was reached once.
#[derive(Debug)]
pub struct Neo4jSource {
    cluster: Arc<Cluster>,
    version: ServerVersion,
    timeouts: Timeouts,
}

/// The pool of one thread.
#[derive(Debug)]
pub struct Neo4jConnections {
    pool: Rc<Pool>,
    /// Boxed: most requests do not look at it.
    places: Box<Places>,
}

impl Neo4jSource {
    /// Connects, and reads the server's version. The graph is not introspected: type definitions
    /// declare it.
    pub async fn open(url: &str, timeouts: Timeouts) -> Result<(Self, Catalog), WireError> {
        let source = Self::connect(url, timeouts).await?;
        Ok((source, Builder::new(Capabilities::default()).finish()))
    }

    async fn connect(url: &str, timeouts: Timeouts) -> Result<Self, WireError> {
        let config = Config::from_url(url)?.with_default_connect_timeout(timeouts.connect);
        let cluster = Cluster::new(config);
        let endpoint = cluster.choose(Access::Read).await?;
        let connection = cluster.connect(&endpoint).await?;
        let version = connection.server_version();
        connection.close().await;
        Ok(Self { cluster, version, timeouts })
    }

    /// The contents of the graph, from a sample within bounds.
    pub async fn summary(&self, bounds: Bounds) -> Result<GraphSummary, IntrospectError> {
        let mut connection = self.connection(Access::Read).await?;
        let summary = introspect::introspect(&mut connection, bounds).await?;
        connection.close().await;
        Ok(summary)
    }

    /// Adds the numbers of nodes and relationships to a catalog, for the estimated cost of
    /// operations. Without them, which is logged, lists have a fixed size.
    pub async fn add_counts(&self, catalog: &mut Catalog) {
        self.add_counts_within(catalog, introspect::PATIENCE).await;
    }

    async fn add_counts_within(&self, catalog: &mut Catalog, limit: Duration) {
        if catalog.relationships().next().is_none() {
            return;
        }
        let error = match timeout(limit, self.read_counts(catalog)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(elapsed) => elapsed.to_string(),
        };
        tracing::warn!(
            error,
            "numbers of nodes and relationships are not read: costs use --default-list-size"
        );
    }

    async fn read_counts(&self, catalog: &mut Catalog) -> Result<(), IntrospectError> {
        let mut connection = self.connection(Access::Read).await?;
        introspect::add_counts(&mut connection, catalog).await?;
        connection.close().await;
        Ok(())
    }

    /// Constraints and indexes of the database.
    pub async fn constraints_and_indexes(
        &self,
    ) -> Result<(Vec<GraphConstraint>, Vec<GraphIndex>), IntrospectError> {
        let mut connection = self.connection(Access::Read).await?;
        let read = migrate::read(&mut connection).await?;
        connection.close().await;
        Ok(read)
    }

    /// The states of the database's indexes; none where they cannot be read.
    pub async fn index_states(&self) -> Result<Vec<GraphIndexState>, IntrospectError> {
        // By the server that makes them: another one of a cluster may not know of them yet.
        let mut connection = self.connection(Access::Write).await?;
        let states = migrate::states(&mut connection).await?;
        connection.close().await;
        Ok(states)
    }

    /// The statement that makes a change.
    #[must_use]
    pub fn statement(&self, change: &GraphChange) -> String {
        migrate::statement(change, self.version)
    }

    /// The statement that finds the nodes which prevent a change, if nodes can.
    #[must_use]
    pub fn finder(&self, change: &GraphChange) -> Option<String> {
        migrate::finder(change, self.version)
    }

    /// Runs a statement that makes a change; `false` if nothing was made.
    pub async fn change(&self, statement: &str) -> Result<bool, WireError> {
        let mut connection = self.connection(Access::Write).await?;
        let is_made = migrate::run(&mut connection, statement).await?;
        connection.close().await;
        Ok(is_made)
    }

    /// A connection for something that is done once.
    async fn connection(&self, access: Access) -> Result<Connection, WireError> {
        let endpoint = self.cluster.choose(access).await?;
        self.cluster.connect(&endpoint).await
    }

    /// The version of the server when the source was opened.
    #[must_use]
    pub fn version(&self) -> ServerVersion {
        self.version
    }

    pub fn compile(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<GraphProgram, CompileError> {
        compile(catalog, request, self.flavor())
    }

    fn flavor(&self) -> Flavor {
        let part = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        Flavor::of_version(part(self.version.major), part(self.version.minor))
    }

    /// Compiles a request whose changes have events.
    pub fn compile_touched(
        &self,
        catalog: &Catalog,
        request: &ir::Request,
    ) -> Result<GraphProgram, CompileError> {
        compile_touched(catalog, request, self.flavor())
    }

    #[must_use]
    pub fn connections(&self, limits: PoolLimits, memory: &Arc<MemoryBudget>) -> Neo4jConnections {
        let options = PoolOptions {
            max_connections: limits.connections,
            acquire_timeout: self.timeouts.acquire,
            idle_timeout: self.timeouts.idle,
            ..PoolOptions::default()
        };
        let config = self.cluster.config().clone().with_memory(memory);
        let places = Box::new(Places::new(limits.connections, self.timeouts.acquire));
        Neo4jConnections { pool: Pool::new(Arc::clone(&self.cluster), config, options), places }
    }
}

impl Connections for Neo4jConnections {
    type Program = GraphProgram;
    type Snapshot = Neo4jReads;

    fn snapshot(&self, _: &[&Plan<GraphProgram>]) -> Neo4jReads {
        Neo4jReads { pool: Rc::clone(&self.pool) }
    }

    fn count(&mut self, counter: Counter) {
        // No request has a connection yet.
        if let Some(pool) = Rc::get_mut(&mut self.pool) {
            pool.count(counter);
        }
    }

    fn close_old(&self) {
        self.pool.close_old();
    }

    /// Runs a plan and writes its answer. A root field that fails is null; where nothing is changed
    /// the others are run without it. The server has sent all rows before anything is written: until
    /// then a statement beside them can fail. A long answer is sent while it is written.
    async fn deliver(
        &self,
        plan: &Arc<Plan<GraphProgram>>,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> Result<Executed, ExecuteError> {
        let program = &plan.program;
        let echoes = params.echoes;
        let read = read(&self.pool, program, params, observed).await?;
        let place = match delivery {
            Delivery::Streamed(sizes) if read.is_long(sizes) => {
                self.places.try_enter().map(|place| (place, sizes))
            }
            Delivery::Streamed(_) | Delivery::Whole => None,
        };
        match place {
            Some((place, sizes)) => read.stream(plan, echoes, sink, sizes, place).await,
            None => {
                let written = read.write(plan, program, echoes, sink, observed).await;
                written.map(Executed::Whole)
            }
        }
    }

    /// Runs a plan and writes the whole of its answer into an output.
    async fn answer<O: Output>(
        &self,
        plan: &Arc<Plan<GraphProgram>>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let read = read(&self.pool, program, params, observed).await?;
        read.write(plan, program, params.echoes, output, observed).await
    }

    /// Probes a server, and replaces a connection that does not answer.
    async fn probe(&self) -> Result<(), SourceError> {
        loop {
            let mut connection = self.pool.acquire(Access::Read).await?;
            let may_be_replaced = connection.is_reused();
            match connection.reset().await {
                Err(_) if may_be_replaced => {}
                checked => return Ok(checked?),
            }
        }
    }

    /// The database's plan of each statement. For measured figures those that only read are run.
    /// All plans have figures, so there is none where figures are hidden.
    async fn explain(
        &self,
        program: &GraphProgram,
        variables: Variables<'_>,
        _: &Session,
        figures: PlanFigures,
    ) -> Result<Vec<String>, SourceError> {
        if figures == PlanFigures::Hidden {
            return Ok(Vec::new());
        }
        let (bound, failures) = bind(program, variables);
        if let Some((_, error)) = failures.into_iter().next() {
            return Err(error);
        }
        explain(&self.pool, program, &bound, figures == PlanFigures::Measured).await
    }
}

/// Reads one after the other. Neo4j has no snapshot that spans statements, so each of them sees what
/// is committed when it runs.
#[derive(Debug)]
pub struct Neo4jReads {
    pool: Rc<Pool>,
}

impl Snapshot for Neo4jReads {
    type Program = GraphProgram;

    async fn answer<O: Output>(
        &mut self,
        plan: &Arc<Plan<GraphProgram>>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let program = &plan.program;
        let read = read(&self.pool, program, params, observed).await?;
        read.write(plan, program, params.echoes, output, observed).await
    }

    async fn end(self) {}
}

async fn read(
    pool: &Rc<Pool>,
    program: &GraphProgram,
    ExecuteParams { variables, time_limit, .. }: ExecuteParams<'_>,
    observed: &mut Observed,
) -> Result<Read, ExecuteError> {
    let (bound, mut failures) = bind(program, variables);
    let running = Running { pool, program, bound: &bound, time_limit, observed };
    let results = running.run(&mut failures).await?;
    Ok(Read { bound, failures, results })
}

#[cfg(test)]
mod tests;
