//! What the clients of databases that are reached over a network have in common.
//!
//! - [`socket`]: the stream, encrypted or not, and how a server that is gone is noticed;
//! - [`tls`]: how much of a server's certificate is checked, and against what;
//! - [`buffers`]: what was received, kept where it arrived for as long as a result points into it;
//! - [`secret`]: passwords, which are not printed;
//! - [`percent`]: the escapes of a URL.

pub mod buffers;
pub mod percent;
pub mod secret;
pub mod socket;
pub mod tls;
