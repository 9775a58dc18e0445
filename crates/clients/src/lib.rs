//! What is asked of other servers over HTTP. Nobody else here does.
//!
//! * [`http`]: one document, with an end to its size and its time
//! * [`jwks`]: a document that is kept up to date: the keys of an issuer of tokens

pub mod http;
pub mod jwks;

pub use http::{Fetched, GetError, UrlError};
pub use jwks::{Followed, Followings};
