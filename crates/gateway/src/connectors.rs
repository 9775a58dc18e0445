//! Fetches from connectors: REST requests instead of a GraphQL request.
//!
//! A connector is planned as a subgraph of its own (`supergraph::Connector`). The document of its
//! fetch is resolved, each of its fields or representations becomes a call, and the mapped results
//! become the response that a subgraph would send. This module does no IO.
//!
//! * [`fetch`]: the resolved document of a fetch
//! * [`call`]: its calls, with the values of their variables
//! * `key`: results of a batch, by the keys of their objects
//! * [`request`]: the HTTP request of a call
//! * [`result`]: the result of a call, made of the HTTP response
//! * [`response`]: the response to the fetch; `projection`: what a selection selects of a result

pub mod call;
pub mod fetch;
mod key;
mod projection;
pub mod request;
pub mod response;
pub mod result;

#[cfg(test)]
mod tests;

pub use call::{Call, FetchCalls};
pub use fetch::{ConnectorFetch, ConnectorSchema};
pub use request::{ClientValues, HttpRequest, RequestError};
pub use result::{CallError, HttpResponse};
