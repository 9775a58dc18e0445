//! Event triggers and cron triggers: what Hasura's metadata says about them, and the delivery of their
//! events to webhooks. Webhooks of Prisma's subscriptions are delivered in the same way.
//!
//! * [`definition`]: event triggers and cron triggers of metadata, with everything resolved
//! * `webhook`: addresses and headers, with values of environment variables
//! * `subscription`: subscriptions with webhooks; [`bodies`]: the way to their responses
//! * [`schedule`]: times of cron expressions
//! * `payload`: bodies of requests, and what the log says about requests and responses
//! * `one_off`: settings of single events, which are in their rows
//! * `attempt`: one request, and what becomes of its event
//! * [`delivery`]: claims events that are due and delivers them, until it is stopped
//! * `upkeep`: times of cron triggers, and removal of old events
//! * [`statistics`]: counters, for metrics
//!
//! Events are recorded in the database's own log ([`sources::EventLog`]), in the transaction of the
//! change. An event is delivered at least once: it leaves the log's list of pending events only after a
//! webhook has answered.

mod attempt;
pub mod bodies;
pub mod definition;
pub mod delivery;
mod one_off;
mod payload;
pub mod schedule;
pub mod statistics;
mod subscription;
mod upkeep;
mod webhook;

pub use definition::{Definitions, Problem};
pub use delivery::{Delivery, Settings};
pub use one_off::NewEvent;
pub use schedule::Schedule;
pub use statistics::Statistics;
pub use webhook::Environment;
