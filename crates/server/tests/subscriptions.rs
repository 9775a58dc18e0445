//! Subscriptions over WebSockets and event streams, of the built program.

mod close_codes;
mod credentials;
mod ends;
mod event_streams;
mod graph_events;
mod legacy;
mod limits;
mod operations;
mod site;
mod stream;
