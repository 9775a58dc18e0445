//! Subscriptions through the gateway, to subgraphs that speak all protocols.
//!
//! * `protocols`: the events of a subgraph by each protocol
//! * `callbacks`: subgraphs that send their events to the gateway
//! * `joins`: events with the fields of other subgraphs, and with errors
//! * `sharing`: equal subscriptions, and WebSockets of several
//! * `losses`: lost connections, refusals, slow readers
//! * `sources`: databases as subgraphs; `brokers`: events of NATS and Redis
//! * `feed`: the subgraphs; `site`: a gateway over them

mod brokers;
mod callbacks;
mod feed;
mod joins;
mod losses;
mod protocols;
mod sharing;
mod site;
mod sources;
