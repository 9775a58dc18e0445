//! The interface of a driver: the connections of one thread, which run programs of the same driver.

use std::sync::Arc;

use response::{Output, Sink, Written};
use sql::PlanFigures;

use crate::error::{ExecuteError, SourceError};
use crate::observed::Observed;
use crate::operand::Variables;
use crate::plan::{ExecuteParams, Plan};
use crate::session::Session;
use crate::statistics::Counter;
use crate::streamed::{Delivery, Executed};

/// The connections of one thread to a source. The associated type pairs them with the programs that
/// their driver compiles: no others can be run over them.
pub trait Connections {
    /// A request as the driver compiles it.
    type Program;
    /// A state of the source that several plans see.
    type Snapshot: Snapshot<Program = Self::Program>;

    /// Runs a plan and writes the whole of its answer into an output. A root field that fails is null.
    fn answer<O: Output>(
        &self,
        plan: &Arc<Plan<Self::Program>>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> impl Future<Output = Result<Written<SourceError, O::Data>, ExecuteError>>;

    /// Runs a plan and appends its answer to what the sink holds; a long answer is sent while it is
    /// made, where the delivery allows it.
    fn deliver(
        &self,
        plan: &Arc<Plan<Self::Program>>,
        params: ExecuteParams<'_>,
        sink: Sink,
        delivery: Delivery,
        observed: &mut Observed,
    ) -> impl Future<Output = Result<Executed, ExecuteError>>;

    /// A snapshot for plans that only read. It takes nothing of the source before the first is run.
    fn snapshot(&self, plans: &[&Plan<Self::Program>]) -> Self::Snapshot;

    /// The database's own plan of each statement. Statements that change something are not run for
    /// measured figures.
    fn explain(
        &self,
        program: &Self::Program,
        variables: Variables<'_>,
        session: &Session,
        figures: PlanFigures,
    ) -> impl Future<Output = Result<Vec<String>, SourceError>>;

    /// Checks that the source answers.
    fn probe(&self) -> impl Future<Output = Result<(), SourceError>>;

    /// Closes connections that were idle for long. Using connections does so too.
    fn close_old(&self);

    /// Registers the counter of these connections' figures.
    fn count(&mut self, counter: Counter);
}

/// Plans that are run one after the other and see one state of the source, where the source has
/// snapshots. Dropping it cancels the statement that runs, and gives the connection back.
pub trait Snapshot: 'static {
    /// A request as the driver compiles it.
    type Program;

    /// Runs a plan and writes the whole of its answer into an output. A root field that fails is null.
    fn answer<O: Output>(
        &mut self,
        plan: &Arc<Plan<Self::Program>>,
        params: ExecuteParams<'_>,
        output: O,
        observed: &mut Observed,
    ) -> impl Future<Output = Result<Written<SourceError, O::Data>, ExecuteError>>;

    /// Ends the snapshot.
    fn end(self) -> impl Future<Output = ()>;
}
