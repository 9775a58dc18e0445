//! The bytes of a request, up to a limit of size and time, and of the memory of all.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clients::coding::{Coding, Decompressor, Fault};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{CONTENT_ENCODING, EXPECT, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use tokio::task::yield_now;
use tokio::time::{sleep_until, timeout};

use super::bodies::{Bodies, BodyMemory, SMALL};
use super::progress::Progress;
use super::respond::Refusal;
use super::settings::BodySettings;

/// How much of a larger body is read and forgotten: many clients read no answer before they have
/// sent everything, and would see a broken connection instead of the refusal.
const MOST_FORGOTTEN_BYTES: u64 = 16 * 1024 * 1024;

/// For so long that is done where there is no memory: one that never ends is not waited for.
const FORGOTTEN_FOR: Duration = Duration::from_secs(2);

/// So much is decompressed before others have their turn: it may become a thousand times as much.
const PIECE: usize = 1024;

/// What the state of a decoder takes, with its window.
const DECODER: u64 = 256 * 1024;

/// A value of JSON takes so many bytes when it is parsed, beside its text.
const PARSED_VALUE: u64 = 64;

/// What has come of a body.
enum Content {
    Plain(Vec<u8>),
    Compressed(Box<Decompressor>),
    /// It is refused; what still comes is forgotten.
    Refused(Refusal),
}

/// A body with the memory that it takes, parsed too, for as long as this is here.
#[derive(Debug)]
pub(super) struct ReadBody<'b> {
    pub(super) bytes: Vec<u8>,
    pub(super) memory: BodyMemory<'b>,
}

/// Reads a body whole, and decompresses it. Where memory or places of clients are needed, a slow body
/// is given up.
pub(super) async fn read<'b>(
    settings: BodySettings,
    bodies: &'b Bodies,
    progress: &Progress,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<ReadBody<'b>, Refusal> {
    let BodySettings { most_bytes, timeout: time, json: _ } = settings;
    check_transfer(headers)?;
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let mut memory = bodies.begin(length.map_or(most_bytes, |length| length.min(most_bytes)));
    let content = match coding(headers)? {
        None => Content::Plain(Vec::new()),
        Some(coding) => {
            memory.grow_to(DECODER).await?;
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
    let collected = collect(body, content, most_bytes, asks_first, &mut memory, progress);
    let collected = timeout(time, collected).await.unwrap_or(Err(Refusal::BodyTimeout));
    progress.end_body();
    let bytes = collected?;
    memory.end();
    if bytes.len() > SMALL as usize / 2 {
        memory.grow_to(parsed_size(&bytes)).await?;
    }
    Ok(ReadBody { bytes, memory })
}

/// What a body takes with what is parsed of it.
fn parsed_size(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    // Whatever stands in a text counts, too: it is a bound.
    let is_value = |byte: &&u8| matches!(byte, b',' | b'[' | b'{' | b':');
    let values = bytes.iter().filter(is_value).count() as u64;
    2 * length + values * PARSED_VALUE
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
    asks_first: bool,
    memory: &mut BodyMemory<'_>,
    progress: &Progress,
) -> Result<Vec<u8>, Refusal> {
    let mut received = 0;
    let mut forgotten = 0;
    let mut forgotten_until: Option<Instant> = None;
    loop {
        let next = tokio::select! {
            biased;
            next = frame(&mut body, progress, memory) => next,
            () = memory.given_up() => Some(Err(Refusal::BodySlow)),
            () = end_forgetting(forgotten_until) => None,
        };
        // The client has gone away, or sent what is not HTTP, where nobody reads the answer; or it is
        // too slow, and would go on to be.
        let Some(frame) = next.transpose()? else { break };
        let Some(data) = frame.data_ref() else { continue };
        received += data.len();
        progress.receive(data.len());
        if !matches!(content, Content::Refused(_)) {
            memory.receive(data.len());
        }
        let pushed = match received <= most_bytes {
            true => content.push(data, most_bytes, memory).await,
            false => Err(Refusal::BodyTooLarge { most_bytes }),
        };
        if let Err(refusal) = pushed {
            // Its memory is free at once.
            if refusal == Refusal::RequestMemory {
                forgotten_until.get_or_insert_with(|| Instant::now() + FORGOTTEN_FOR);
            }
            content = Content::Refused(refusal);
            memory.end();
            memory.release();
        }
        if let Content::Refused(refusal) = &content {
            forgotten += data.len() as u64;
            if forgotten > MOST_FORGOTTEN_BYTES || asks_first {
                return Err(refusal.clone());
            }
        }
    }
    content.finish(most_bytes)
}

/// Waits until the rest of a refused body is not waited for any more.
async fn end_forgetting(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until.into()).await,
        None => pending().await,
    }
}

/// The next part of a body; the end of a body whose place is needed by others.
async fn frame(
    body: &mut Incoming,
    progress: &Progress,
    memory: &BodyMemory<'_>,
) -> Option<Result<Frame<Bytes>, Refusal>> {
    let mut frame = pin!(body.frame());
    poll_fn(|context| match frame.as_mut().poll(context) {
        Poll::Ready(frame) => {
            Poll::Ready(frame.map(|frame| frame.map_err(|_| Refusal::BodyCutOff)))
        }
        Poll::Pending if progress.is_evicted() => Poll::Ready(Some(Err(Refusal::BodySlow))),
        Poll::Pending => {
            progress.wait_for_body();
            memory.wait();
            Poll::Pending
        }
    })
    .await
}

impl Content {
    async fn push(
        &mut self,
        data: &[u8],
        most_bytes: usize,
        memory: &mut BodyMemory<'_>,
    ) -> Result<(), Refusal> {
        match self {
            Self::Plain(bytes) => {
                memory.make_room(bytes, data.len()).await?;
                bytes.extend_from_slice(data);
            }
            Self::Compressed(decompressor) => {
                for (idx, piece) in data.chunks(PIECE).enumerate() {
                    if idx > 0 {
                        yield_now().await;
                    }
                    decompressor.push(piece).map_err(|fault| refusal(fault, most_bytes))?;
                    // A buffer that grew is twice as large as what is in it, at most.
                    memory.grow_to(DECODER + 2 * decompressor.len() as u64).await?;
                }
            }
            Self::Refused(_) => {}
        }
        Ok(())
    }

    fn finish(self, most_bytes: usize) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Plain(bytes) => Ok(bytes),
            Self::Compressed(decompressor) => {
                decompressor.finish().map_err(|fault| refusal(fault, most_bytes))
            }
            Self::Refused(refusal) => Err(refusal),
        }
    }
}

fn refusal(fault: Fault, most_bytes: usize) -> Refusal {
    match fault {
        Fault::TooLarge => Refusal::BodyTooLarge { most_bytes },
        Fault::Malformed => Refusal::NotDecompressed,
    }
}
