//! Subscriptions over WebSockets and event streams, of the built program.

mod close_codes;
mod credentials;
mod ends;
mod event_streams;
mod legacy;
mod limits;
mod operations;
pub(crate) mod site;
pub(crate) mod stream;
