//! Fetches from connectors: REST requests instead of a GraphQL request.
//!
//! A connector is planned as a subgraph of its own (`supergraph::Connector`). The document of its
//! fetch is resolved, each of its fields or representations becomes a call, and the mapped results
//! become the response that a subgraph would send. This module does no IO.
//!
//! * [`fetch`]: the resolved document of a fetch
//! * [`call`]: its calls, with the values of their variables
//! * `key`: results of a batch, by the keys of their objects
//! * [`exchange`]: the HTTP request of a call, and the result that its response maps to
//! * [`response`]: the response to the fetch; `projection`: what a selection selects of a result
//! * `error`: errors of calls

pub mod call;
mod error;
pub mod exchange;
pub mod fetch;
mod key;
mod projection;
pub mod response;

#[cfg(test)]
mod tests;

pub use call::{Call, FetchCalls};
pub use error::CallError;
pub use exchange::{ClientValues, HttpResponse, response_headers};
pub use fetch::{ConnectorFetch, ConnectorSchema};
