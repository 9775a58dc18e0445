//! The version of HTTP that a client speaks without TLS: <https://www.rfc-editor.org/rfc/rfc9113#section-3.3>.

use std::io;

use tokio::io::AsyncReadExt;

use crate::http::timeouts::{ConnectionState, Phase};
use crate::http::transport::Transport;

/// The beginning of the preface of HTTP/2, which is no request of HTTP/1.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n";

/// Bytes of the first read: most requests are shorter, and need no second one.
const FIRST_READ: usize = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Version {
    Http1,
    Http2,
}

/// Reads until the version is known; also returns what was read.
pub(in crate::http) async fn detect(
    transport: &mut Transport,
    state: &ConnectionState,
) -> io::Result<(Version, Vec<u8>)> {
    let mut received = Vec::with_capacity(FIRST_READ);
    loop {
        let before = received.len();
        let is_at_end = transport.read_buf(&mut received).await? == 0;
        if received.starts_with(PREFACE) {
            return Ok((Version::Http2, received));
        }
        if is_at_end || !PREFACE.starts_with(&received) {
            return Ok((Version::Http1, received));
        }
        // Once: the time of a head is not that of each of its bytes.
        if before == 0 {
            state.enter(Phase::Head);
        }
    }
}
