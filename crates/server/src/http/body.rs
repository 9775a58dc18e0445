//! The bytes of a request, up to a limit of size and time.

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{EXPECT, HeaderMap};
use tokio::time::timeout;

use super::respond::Refusal;
use super::settings::BodySettings;

/// How much of a larger body is read and forgotten: many clients read no answer before they have
/// sent everything, and would see a broken connection instead of the refusal.
const MOST_FORGOTTEN_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a body whole.
pub(super) async fn read(
    settings: BodySettings,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<Vec<u8>, Refusal> {
    let BodySettings { most_bytes, timeout: time } = settings;
    let announced = body.size_hint().lower();
    let most = most_bytes as u64;
    // A client that asks first sends nothing after a refusal.
    let asks_first = headers.contains_key(EXPECT);
    if announced > most && (asks_first || announced > most.saturating_add(MOST_FORGOTTEN_BYTES)) {
        return Err(Refusal::BodyTooLarge { most_bytes });
    }
    timeout(time, collect(body, most_bytes)).await.unwrap_or(Err(Refusal::BodyTimeout))
}

async fn collect(mut body: Incoming, most_bytes: usize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut forgotten = 0;
    while let Some(frame) = body.frame().await {
        // The client has gone away or sent what is not HTTP; nobody reads the answer.
        let frame = frame.map_err(|_| Refusal::BodyCutOff)?;
        let Some(data) = frame.data_ref() else { continue };
        if forgotten == 0 && bytes.len() + data.len() <= most_bytes {
            bytes.extend_from_slice(data);
            continue;
        }
        forgotten += data.len() as u64;
        if forgotten > MOST_FORGOTTEN_BYTES {
            break;
        }
    }
    match forgotten {
        0 => Ok(bytes),
        _ => Err(Refusal::BodyTooLarge { most_bytes }),
    }
}
