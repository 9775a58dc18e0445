//! The bytes of a request, up to a limit of size and time.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{EXPECT, HeaderMap};
use tokio::time::timeout;

use super::respond::Refusal;

/// The largest body that is read.
pub(super) const MOST_BYTES: usize = 1024 * 1024;

/// How much of a larger body is read and forgotten: many clients read no answer before they have
/// sent everything, and would see a broken connection instead of the refusal.
const MOST_FORGOTTEN_BYTES: usize = 16 * 1024 * 1024;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a body whole.
pub(super) async fn read(headers: &HeaderMap, body: Incoming) -> Result<Vec<u8>, Refusal> {
    let announced = body.size_hint().lower();
    let most = MOST_BYTES as u64;
    // A client that asks first sends nothing after a refusal.
    let asks_first = headers.contains_key(EXPECT);
    if announced > most && (asks_first || announced > most + MOST_FORGOTTEN_BYTES as u64) {
        return Err(Refusal::BodyTooLarge);
    }
    timeout(TIMEOUT, collect(body)).await.unwrap_or(Err(Refusal::BodyTimeout))
}

async fn collect(mut body: Incoming) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut forgotten = 0;
    while let Some(frame) = body.frame().await {
        // The client has gone away or sent what is not HTTP; nobody reads the answer.
        let frame = frame.map_err(|_| Refusal::BodyCutOff)?;
        let Some(data) = frame.data_ref() else { continue };
        if forgotten == 0 && bytes.len() + data.len() <= MOST_BYTES {
            bytes.extend_from_slice(data);
            continue;
        }
        forgotten += data.len();
        if forgotten > MOST_FORGOTTEN_BYTES {
            break;
        }
    }
    match forgotten {
        0 => Ok(bytes),
        _ => Err(Refusal::BodyTooLarge),
    }
}
