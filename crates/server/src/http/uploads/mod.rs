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
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::stream;
use graphql::{Body, ErrorCode, GraphQLError};
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use multer::Multipart;

use super::body::{BodyLimits, BodyReceiver, check_transfer, receive};
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

/// Parses the parts of a body while it is received.
struct FormReceiver {
    frames: Arc<Mutex<Frames>>,
    /// Set by the parser whenever it has read some of the body.
    progress: Rc<Cell<bool>>,
    form: Pin<Box<dyn Future<Output = Result<Upload, Refusal>>>>,
    result: Option<Upload>,
    received: usize,
    /// Bytes since the parser has read anything.
    unread: usize,
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
    let limits = BodyLimits {
        most_bytes: most,
        too_large: Refusal::UploadTooLarge(UploadLimit::Body { most }),
        time: settings.timeout,
    };
    let form = FormReceiver::new(
        boundary,
        FormLimits {
            json: settings.json,
            most_json_bytes: settings.most_bytes,
            most_file_bytes: uploads.most_file_bytes,
            most_files: uploads.most_files,
            most_bytes_of_uses: most,
        },
    );
    let mut memory = bodies.begin(most);
    let received = receive((headers, body), form, &limits, &mut memory, state).await;
    let Upload { body, bytes } = received?;
    memory.end();
    memory.shrink_to(bytes);
    Ok(ReadUpload { body, memory })
}

impl FormReceiver {
    fn new(boundary: String, limits: FormLimits) -> Self {
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
        let progress = Rc::new(Cell::new(false));
        let form = read_form(Multipart::new(received_frames, boundary), limits, progress.clone());
        Self { frames, progress, form: Box::pin(form), result: None, received: 0, unread: 0 }
    }

    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyReceiver for FormReceiver {
    type Value = Upload;

    async fn push(&mut self, data: Bytes, memory: &mut BodyReservation<'_>) -> Result<(), Refusal> {
        // What follows the last part has no meaning.
        if self.result.is_some() {
            return Ok(());
        }
        self.received += data.len();
        memory.grow_to(GROWTH * self.received as u64).await?;
        self.unread += data.len();
        self.frames().received.push_back(data);
        self.progress.set(false);
        let polled = poll_fn(|context| Poll::Ready(self.form.as_mut().poll(context))).await;
        match polled {
            Poll::Ready(read) => self.result = Some(read?),
            Poll::Pending if self.progress.get() => self.unread = 0,
            Poll::Pending if self.unread > MOST_HEAD => {
                return Err(malformed("The head of a part of the body is too long."));
            }
            Poll::Pending => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Upload, Refusal> {
        if let Some(upload) = self.result {
            return Ok(upload);
        }
        self.frames().is_over = true;
        // Nothing wakes it any more: all data is there.
        let mut context = Context::from_waker(Waker::noop());
        match self.form.as_mut().poll(&mut context) {
            Poll::Ready(read) => read,
            Poll::Pending => Err(Refusal::BodyCutOff),
        }
    }
}

/// The refusal of a request that does not follow the specification.
fn malformed(message: impl Into<String>) -> Refusal {
    Refusal::Malformed(GraphQLError::new(ErrorCode::BadUserInput, message))
}
