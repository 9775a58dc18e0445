//! Compiled requests, and the parameters of their execution.

use std::sync::Arc;
use std::time::Duration;

use response::{Echo, Shape};

use crate::event_recording::EventRecorders;
use crate::freshness::Freshness;
use crate::operand::Variables;
use crate::session::Session;

/// A request that a source has compiled, with the shape of its answer.
#[derive(Debug)]
pub struct Plan<P> {
    /// The statements, in the form of the source's driver.
    pub program: P,
    /// Kept with answers that are not bytes, which take the names of their fields from it.
    pub shape: Arc<Shape>,
}

impl<P> Plan<P> {
    /// A plan, which connections and answers share.
    #[must_use]
    pub fn new(program: P, shape: Shape) -> Arc<Self> {
        Arc::new(Self { program, shape: shape.into() })
    }
}

/// Parameters of an execution of a plan.
#[derive(Clone, Copy, Debug)]
pub struct ExecuteParams<'v> {
    pub variables: Variables<'v>,
    pub session: &'v Session,
    /// Values of the request itself that the answer repeats.
    pub echoes: &'v [Echo],
    /// How new the state must be that a read sees.
    pub freshness: Freshness,
    /// The estimated cost, in rows.
    pub cost: u64,
    /// Timeout of the answer. A database that supports statement timeouts enforces it itself, also
    /// after the client has disconnected.
    pub time_limit: Option<Duration>,
    /// The triggers whose events the changes record, of a plan with events.
    pub recorders: Option<&'v Arc<EventRecorders>>,
}
