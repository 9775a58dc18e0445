//! Parts that clients of databases over a network share.
//!
//! - [`socket`]: the stream, encrypted or not, and how a server that is gone is noticed;
//! - [`tls`]: how much of a server's certificate is checked, and against what;
//! - [`buffers`]: received bytes, kept in place for as long as a result points into them;
//! - [`secret`]: passwords, which are not printed;
//! - [`percent`]: the escapes of a URL.

pub mod buffers;
pub mod percent;
pub mod secret;
pub mod socket;
pub mod tls;
