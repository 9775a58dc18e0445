//! What is asked of other servers over HTTP. Nobody else here does.
//!
//! * [`subgraph`]: GraphQL requests to subgraphs, many a second
//! * [`coding`]: how bodies are compressed, also those of the server
//! * [`connect`]: how they are connected to, also by who sends them something else
//! * [`pem`]: certificates and keys in files, also those of the server
//! * [`http`]: one document, with an end to its size and its time
//! * [`jwks`]: a document that is kept up to date: the keys of an issuer of tokens

// Tests name the crate as its users do.
#[cfg(test)]
extern crate self as clients;

pub mod coding;
pub mod connect;
pub mod http;
pub mod jwks;
pub mod pem;
pub mod subgraph;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
mod tests;

pub use hyper::HeaderMap;

pub use http::{Fetched, GetError, UrlError};
pub use jwks::{Followed, Followings};
