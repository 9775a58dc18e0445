//! An HTTP request as plain data.

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};

/// An HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpCall {
    pub method: Method,
    pub url: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}
