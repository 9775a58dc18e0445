//! Subscriptions over WebSockets and event streams, of the built program.

mod clients;
mod close_codes;
mod credentials;
mod ends;
mod event_streams;
mod graph_events;
mod legacy;
mod limits;
mod live_directive;
mod notifications;
mod oldest;
mod operations;
mod prisma_events;
mod row_streams;
mod servers;
mod single_connection;
pub(crate) mod site;
pub(crate) mod stream;
