//! The bytes of a request, up to a limit of size and time.

use clients::coding::{Coding, Decompressor, Fault};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, EXPECT, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::respond::Refusal;
use super::settings::BodySettings;

/// How much of a larger body is read and forgotten: many clients read no answer before they have
/// sent everything, and would see a broken connection instead of the refusal.
const MOST_FORGOTTEN_BYTES: u64 = 16 * 1024 * 1024;

/// So much is decompressed before others have their turn: it may become a thousand times as much.
const PIECE: usize = 1024;

/// What has come of a body.
enum Content {
    Plain(Vec<u8>),
    Compressed(Box<Decompressor>),
}

/// Reads a body whole, and decompresses it.
pub(super) async fn read(
    settings: BodySettings,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<Vec<u8>, Refusal> {
    let BodySettings { most_bytes, timeout: time, json: _ } = settings;
    check_transfer(headers)?;
    let content = match coding(headers)? {
        None => Content::Plain(Vec::new()),
        Some(coding) => {
            let decompressor = Decompressor::new(coding, most_bytes);
            Content::Compressed(Box::new(decompressor.map_err(|fault| refusal(fault, most_bytes))?))
        }
    };
    let announced = body.size_hint().lower();
    let most = most_bytes as u64;
    // A client that asks first sends nothing after a refusal.
    let asks_first = headers.contains_key(EXPECT);
    if announced > most && (asks_first || announced > most.saturating_add(MOST_FORGOTTEN_BYTES)) {
        return Err(Refusal::BodyTooLarge { most_bytes });
    }
    timeout(time, collect(body, content, most_bytes)).await.unwrap_or(Err(Refusal::BodyTimeout))
}

/// The HTTP library reads chunks, and nothing that was done to a body before it was cut.
fn check_transfer(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    match headers.get_all(TRANSFER_ENCODING).iter().all(is_chunked) {
        true => Ok(()),
        false => Err(Refusal::TransferEncoding),
    }
}

/// How the body is compressed, if it is.
fn coding(headers: &HeaderMap) -> Result<Option<Coding>, Refusal> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let (Some(name), None) = (codings.next(), codings.next()) else {
        return match headers.contains_key(CONTENT_ENCODING) {
            true => Err(Refusal::ContentEncoding),
            false => Ok(None),
        };
    };
    let name = name.to_str().map_err(|_| Refusal::ContentEncoding)?.trim();
    if name.eq_ignore_ascii_case("identity") {
        return Ok(None);
    }
    Coding::by_name(name).map(Some).ok_or(Refusal::ContentEncoding)
}

async fn collect(
    mut body: Incoming,
    mut content: Content,
    most_bytes: usize,
) -> Result<Vec<u8>, Refusal> {
    let mut received = 0;
    let mut refused = None;
    let mut forgotten = 0;
    while let Some(frame) = body.frame().await {
        // The client has gone away or sent what is not HTTP; nobody reads the answer.
        let frame = frame.map_err(|_| Refusal::BodyCutOff)?;
        let Some(data) = frame.data_ref() else { continue };
        received += data.len();
        if refused.is_none() && received <= most_bytes {
            match content.push(data).await {
                Ok(()) => continue,
                Err(fault) => refused = Some(refusal(fault, most_bytes)),
            }
        }
        let too_large = Refusal::BodyTooLarge { most_bytes };
        refused = refused.or(Some(too_large));
        forgotten += data.len() as u64;
        if forgotten > MOST_FORGOTTEN_BYTES {
            break;
        }
    }
    match refused {
        None => content.finish().map_err(|fault| refusal(fault, most_bytes)),
        Some(refusal) => Err(refusal),
    }
}

impl Content {
    async fn push(&mut self, data: &[u8]) -> Result<(), Fault> {
        match self {
            Self::Plain(bytes) => bytes.extend_from_slice(data),
            Self::Compressed(decompressor) => {
                for (idx, piece) in data.chunks(PIECE).enumerate() {
                    if idx > 0 {
                        yield_now().await;
                    }
                    decompressor.push(piece)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, Fault> {
        match self {
            Self::Plain(bytes) => Ok(bytes),
            Self::Compressed(decompressor) => decompressor.finish(),
        }
    }
}

fn refusal(fault: Fault, most_bytes: usize) -> Refusal {
    match fault {
        Fault::TooLarge => Refusal::BodyTooLarge { most_bytes },
        Fault::Malformed => Refusal::NotDecompressed,
    }
}
