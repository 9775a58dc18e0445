//! Subscriptions over WebSockets and event streams, of the built program.

mod close_codes;
mod credentials;
mod ends;
mod event_streams;
mod legacy;
mod limits;
mod operations;
mod servers;
mod site;
mod stream;
