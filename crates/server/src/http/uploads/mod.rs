//! File uploads: requests of the media type `multipart/form-data`, by the GraphQL multipart request
//! specification, <https://github.com/jaydenseric/graphql-multipart-request-spec>.
//!
//! * `form`: the parts of a body, in their order
//! * `map`: the places of the files in the operations
//!
//! All limits are checked while the body is read. The parser is polled after each frame; only the
//! body is awaited.

mod form;
mod map;

use std::cell::Cell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;
use futures_util::stream;
use graphql::{Body, ErrorCode, GraphQLError};
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, EXPECT, HeaderMap};
use multer::Multipart;
use tokio::time::timeout;

use super::body::{DISCARD_TIMEOUT, MAX_DISCARDED_BYTES, check_transfer, discard_deadline, frame};
use super::refusal::Refusal;
use super::request_memory::{BodyReservation, RequestMemory};
use super::settings::BodySettings;
use super::timeouts::ConnectionState;
use super::upload_limits::{UploadLimit, UploadSettings};
use form::{FormLimits, Upload, read_form};

const FORM_DATA: &str = "multipart/form-data";

/// Headers that make browsers ask before a page sends them to another origin. Without one, a form of
/// any page may send its data with the cookies of its visitor.
const PREFLIGHT_HEADERS: [&str; 5] = [
    "graphql-preflight",
    "graphql-require-preflight",
    "apollo-require-preflight",
    "x-apollo-operation-name",
    "x-requested-with",
];

/// Memory of a file while it is received, in multiples of its size: a buffer that grows exists twice,
/// and the new one may be half empty.
const GROWTH: u64 = 3;

/// Bytes without a complete head of a part. The parser keeps them, and searches them again.
const MOST_HEAD: usize = 16 << 10;

/// A body with its memory reservation.
#[derive(Debug)]
pub(super) struct ReadUpload<'b> {
    pub(super) body: Body,
    pub(super) memory: BodyReservation<'b>,
}

/// Frames between the connection and the parser.
#[derive(Debug, Default)]
struct Frames {
    received: VecDeque<Bytes>,
    is_over: bool,
}

/// The boundary of a body of the media type `multipart/form-data`; `None` of another media type.
pub(super) fn boundary(
    settings: Option<&UploadSettings>,
    headers: &HeaderMap,
) -> Result<Option<String>, Refusal> {
    let mut content_types = headers.get_all(CONTENT_TYPE).iter().map(|header| header.to_str());
    let (Some(Ok(content_type)), None) = (content_types.next(), content_types.next()) else {
        return Ok(None);
    };
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case(FORM_DATA) {
        return Ok(None);
    }
    if settings.is_none() {
        return Err(Refusal::UploadsDisabled);
    }
    if !PREFLIGHT_HEADERS.iter().any(|name| headers.contains_key(*name)) {
        return Err(Refusal::NoPreflight);
    }
    match multer::parse_boundary(content_type) {
        Ok(boundary) => Ok(Some(boundary)),
        Err(_) => Err(malformed("The \"Content-Type\" of the request has no \"boundary\".")),
    }
}

/// Reads a body of this boundary. A slow body is cancelled when its memory or its connection is
/// needed.
pub(super) async fn read<'b>(
    (uploads, settings): (&UploadSettings, BodySettings),
    bodies: &'b RequestMemory,
    state: &ConnectionState,
    (headers, boundary): (&HeaderMap, String),
    body: Incoming,
) -> Result<ReadUpload<'b>, Refusal> {
    check_transfer(headers)?;
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(malformed(
            "A body of the media type \"multipart/form-data\" must not have a \
             \"Content-Encoding\".",
        ));
    }
    let most = uploads.most_body_bytes;
    // A client with `Expect: 100-continue` sends nothing after a refusal.
    let asks_first = headers.contains_key(EXPECT);
    let announced = body.size_hint().lower();
    let is_too_large = announced > most as u64;
    if is_too_large && (asks_first || announced > (most as u64).saturating_add(MAX_DISCARDED_BYTES))
    {
        return Err(Refusal::UploadTooLarge(UploadLimit::Body { most }));
    }
    let limits = FormLimits {
        json: settings.json,
        most_json_bytes: settings.most_bytes,
        most_file_bytes: uploads.most_file_bytes,
        most_files: uploads.most_files,
        most_bytes_of_uses: most,
    };
    let mut memory = bodies.begin(most);
    let collected = collect(body, (boundary, limits), (most, asks_first), &mut memory, state);
    let collected = timeout(settings.timeout, collected).await;
    let collected = collected.unwrap_or(Err(Refusal::BodyTimeout));
    state.end_body();
    let Upload { body, bytes } = collected?;
    memory.end();
    memory.shrink_to(bytes);
    Ok(ReadUpload { body, memory })
}

async fn collect(
    mut body: Incoming,
    (boundary, limits): (String, FormLimits),
    (most, asks_first): (usize, bool),
    memory: &mut BodyReservation<'_>,
    state: &ConnectionState,
) -> Result<Upload, Refusal> {
    let frames = Arc::new(Mutex::new(Frames::default()));
    let source = Arc::clone(&frames);
    let received_frames = stream::poll_fn(move |_| {
        let mut frames = source.lock().unwrap_or_else(PoisonError::into_inner);
        match (frames.received.pop_front(), frames.is_over) {
            (Some(data), _) => Poll::Ready(Some(Ok::<_, Infallible>(data))),
            (None, true) => Poll::Ready(None),
            // The parser is polled again after the next frame.
            (None, false) => Poll::Pending,
        }
    });
    let progress = Cell::new(false);
    let form = read_form(Multipart::new(received_frames, boundary), limits, &progress);
    let mut form = Some(Box::pin(form));
    let mut result = None;
    let (mut received, mut discarded, mut unread) = (0_usize, 0_u64, 0_usize);
    let mut discard_until: Option<Instant> = None;
    loop {
        if let (Some(form), None) = (&mut form, &result) {
            progress.set(false);
            let polled = poll_fn(|context| Poll::Ready(form.as_mut().poll(context))).await;
            if let Poll::Ready(read) = polled {
                result = Some(read);
            } else if progress.get() {
                unread = 0;
            } else if unread > MOST_HEAD {
                result = Some(Err(malformed("The head of a part of the body is too long.")));
            }
        }
        if let Some(Err(refusal)) = &result {
            // Frees the memory at once, before the rest is discarded.
            form = None;
            frames.lock().unwrap_or_else(PoisonError::into_inner).received.clear();
            memory.end();
            memory.release();
            if asks_first || discarded > MAX_DISCARDED_BYTES {
                return Err(refusal.clone());
            }
        }
        let next = tokio::select! {
            biased;
            next = frame(&mut body, state, memory) => next,
            () = memory.cancelled() => Some(Err(Refusal::BodySlow)),
            () = discard_deadline(discard_until) => None,
        };
        let Some(frame) = next.transpose()? else { break };
        let Ok(data) = frame.into_data() else { continue };
        received += data.len();
        state.receive(data.len());
        if matches!(result, Some(Err(_))) {
            discarded += data.len() as u64;
            continue;
        }
        if received > most {
            result = Some(Err(Refusal::UploadTooLarge(UploadLimit::Body { most })));
            continue;
        }
        memory.receive(data.len());
        if let Err(refusal) = memory.grow_to(GROWTH * received as u64).await {
            discard_until = Some(Instant::now() + DISCARD_TIMEOUT);
            result = Some(Err(refusal));
            continue;
        }
        unread += data.len();
        frames.lock().unwrap_or_else(PoisonError::into_inner).received.push_back(data);
    }
    let (Some(mut form), None) = (form, &result) else {
        return result.unwrap_or(Err(Refusal::BodyCutOff));
    };
    frames.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
    match poll_fn(|context| Poll::Ready(form.as_mut().poll(context))).await {
        Poll::Ready(read) => read,
        Poll::Pending => Err(Refusal::BodyCutOff),
    }
}

/// The refusal of a request that does not follow the specification.
fn malformed(message: impl Into<String>) -> Refusal {
    Refusal::Malformed(GraphQLError::new(ErrorCode::BadUserInput, message))
}
