//! Reads the body of a request, with limits on its size, its time and the memory of all bodies.

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

use super::refusal::Refusal;
use super::request_memory::{BodyReservation, RequestMemory, SMALL};
use super::settings::BodySettings;
use super::timeouts::ConnectionState;

/// Bytes of a body that are read and discarded after it was refused: many clients read no response
/// before they have sent everything, and would see a broken connection instead of the refusal.
const MAX_DISCARDED_BYTES: u64 = 16 * 1024 * 1024;

/// Time limit for discarding when memory is exhausted, since a body may never end.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes that are decompressed before the task yields: they may become a thousand times as many.
const PIECE: usize = 1024;

/// Memory of a decoder with its window.
const DECODER: u64 = 256 * 1024;

/// Memory of a parsed JSON value, besides its text.
const PARSED_VALUE: u64 = 64;

/// Memory of a number that doubles round, besides its text, with its place in the list or the object
/// around it.
const EXACT_NUMBER: u64 = 192;

/// Memory of the places of such numbers, for each list and each object.
const EXACT_PLACES: u64 = 192;

/// Takes the data of a body while it is received.
pub(super) trait BodyReceiver {
    type Value;

    /// Takes the next data, and reserves the memory for it.
    async fn push(&mut self, data: Bytes, memory: &mut BodyReservation<'_>) -> Result<(), Refusal>;

    /// Ends with the body.
    fn finish(self) -> Result<Self::Value, Refusal>;
}

/// Limits of a body that is received.
#[derive(Debug)]
pub(super) struct BodyLimits {
    pub(super) most_bytes: usize,
    /// The refusal of a larger one.
    pub(super) too_large: Refusal,
    pub(super) time: Duration,
}

/// The part of a body that has been received.
struct Content {
    most_bytes: usize,
    form: ContentForm,
}

enum ContentForm {
    Plain(Vec<u8>),
    Compressed(Box<Decompressor>),
}

/// A body with its memory reservation, which also covers the parsed form.
#[derive(Debug)]
pub(super) struct ReadBody<'b> {
    pub(super) bytes: Vec<u8>,
    pub(super) memory: BodyReservation<'b>,
}

/// Reads and decompresses a body. A slow body is cancelled when its memory or its connection is
/// needed.
pub(super) async fn read<'b>(
    settings: BodySettings,
    bodies: &'b RequestMemory,
    state: &ConnectionState,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<ReadBody<'b>, Refusal> {
    let BodySettings { most_bytes, timeout: time, json: _ } = settings;
    check_transfer(headers)?;
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let mut memory = bodies.begin(length.map_or(most_bytes, |length| length.min(most_bytes)));
    let form = match coding(headers)? {
        None => ContentForm::Plain(Vec::new()),
        Some(coding) => {
            memory.grow_to(DECODER).await?;
            let made = Decompressor::new(coding, most_bytes);
            ContentForm::Compressed(Box::new(made.map_err(|fault| refusal(fault, most_bytes))?))
        }
    };
    let limits = BodyLimits { most_bytes, too_large: Refusal::BodyTooLarge { most_bytes }, time };
    let content = Content { most_bytes, form };
    let bytes = receive((headers, body), content, &limits, &mut memory, state).await?;
    memory.end();
    if bytes.len() > SMALL as usize / 2 {
        memory.grow_to(parsed_size(&bytes)).await?;
    }
    Ok(ReadBody { bytes, memory })
}

/// Upper bound of the memory of a body with its parsed form.
pub(super) fn parsed_size(bytes: &[u8]) -> u64 {
    let length = bytes.len() as u64;
    // Counts separators within strings, too.
    let is_value = |byte: &&u8| matches!(byte, b',' | b'[' | b'{' | b':');
    let values = bytes.iter().filter(is_value).count() as u64;
    2 * length + values * PARSED_VALUE + exact_size(bytes)
}

/// Upper bound of the memory of the numbers that doubles round.
fn exact_size(bytes: &[u8]) -> u64 {
    let is_in_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let words = bytes.split(|byte| !is_in_number(byte));
    // Doubles have all numbers with 15 digits, whose text is shorter, and no exponent.
    let is_rounded = |word: &&[u8]| {
        word.len() > 16 || word.len() > 5 && word.iter().any(|byte| matches!(byte, b'e' | b'E'))
    };
    let numbers = words.filter(is_rounded).count() as u64;
    if numbers == 0 {
        return 0;
    }
    let places = bytes.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() as u64;
    numbers * EXACT_NUMBER + places * EXACT_PLACES
}

/// Refuses transfer codings other than `chunked`, the only one that the HTTP library decodes.
pub(super) fn check_transfer(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    match headers.get_all(TRANSFER_ENCODING).iter().all(is_chunked) {
        true => Ok(()),
        false => Err(Refusal::TransferEncoding),
    }
}

/// The `Content-Encoding` of the body.
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

/// Receives a body, unless its announced size is refused at once.
pub(super) async fn receive<R: BodyReceiver>(
    (headers, body): (&HeaderMap, Incoming),
    receiver: R,
    limits: &BodyLimits,
    memory: &mut BodyReservation<'_>,
    state: &ConnectionState,
) -> Result<R::Value, Refusal> {
    let (announced, most) = (body.size_hint().lower(), limits.most_bytes as u64);
    // A client with `Expect: 100-continue` sends nothing after a refusal.
    let asks_first = headers.contains_key(EXPECT);
    if announced > most && (asks_first || announced > most.saturating_add(MAX_DISCARDED_BYTES)) {
        return Err(limits.too_large.clone());
    }
    let most_discarded = if asks_first { 0 } else { MAX_DISCARDED_BYTES };
    let collected = collect(body, receiver, (limits, most_discarded), memory, state);
    let collected = timeout(limits.time, collected).await.unwrap_or(Err(Refusal::BodyTimeout));
    state.end_body();
    collected
}

/// Receives a body. After a refusal the rest is discarded, but only so many bytes of it.
async fn collect<R: BodyReceiver>(
    mut body: Incoming,
    receiver: R,
    (limits, most_discarded): (&BodyLimits, u64),
    memory: &mut BodyReservation<'_>,
    state: &ConnectionState,
) -> Result<R::Value, Refusal> {
    let mut receiver = Ok(receiver);
    let mut received = 0;
    let mut discarded = 0;
    let mut discard_until: Option<Instant> = None;
    loop {
        let next = tokio::select! {
            biased;
            next = frame(&mut body, state, memory) => next,
            () = memory.cancelled() => Some(Err(Refusal::BodySlow)),
            () = discard_deadline(discard_until) => None,
        };
        // The client has disconnected, or sent malformed HTTP and reads no response; or it is too slow,
        // and its connection closes.
        let Some(frame) = next.transpose()? else { break };
        let Ok(data) = frame.into_data() else { continue };
        let length = data.len();
        received += length;
        state.receive(length);
        if let Ok(receiving) = &mut receiver {
            memory.receive(length);
            let pushed = match received <= limits.most_bytes {
                true => receiving.push(data, memory).await,
                false => Err(limits.too_large.clone()),
            };
            if let Err(refusal) = pushed {
                if refusal == Refusal::RequestMemory {
                    discard_until = Some(Instant::now() + DISCARD_TIMEOUT);
                }
                // Releases the memory at once, before the rest is discarded.
                receiver = Err(refusal);
                memory.end();
                memory.release();
            }
        }
        if let Err(refusal) = &receiver {
            discarded += length as u64;
            if discarded > most_discarded {
                return Err(refusal.clone());
            }
        }
    }
    receiver?.finish()
}

/// Waits for the deadline of discarding.
async fn discard_deadline(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until.into()).await,
        None => pending().await,
    }
}

/// The next frame of a body; an error if the connection was evicted.
async fn frame(
    body: &mut Incoming,
    state: &ConnectionState,
    memory: &BodyReservation<'_>,
) -> Option<Result<Frame<Bytes>, Refusal>> {
    let mut frame = pin!(body.frame());
    poll_fn(|context| match frame.as_mut().poll(context) {
        Poll::Ready(frame) => {
            Poll::Ready(frame.map(|frame| frame.map_err(|_| Refusal::BodyCutOff)))
        }
        Poll::Pending if state.is_evicted() => Poll::Ready(Some(Err(Refusal::BodySlow))),
        Poll::Pending => {
            state.wait_for_body();
            memory.wait();
            Poll::Pending
        }
    })
    .await
}

impl BodyReceiver for Content {
    type Value = Vec<u8>;

    async fn push(&mut self, data: Bytes, memory: &mut BodyReservation<'_>) -> Result<(), Refusal> {
        match &mut self.form {
            ContentForm::Plain(bytes) => {
                memory.make_room(bytes, data.len()).await?;
                bytes.extend_from_slice(&data);
            }
            ContentForm::Compressed(decompressor) => {
                for (idx, piece) in data.chunks(PIECE).enumerate() {
                    if idx > 0 {
                        yield_now().await;
                    }
                    decompressor.push(piece).map_err(|fault| refusal(fault, self.most_bytes))?;
                    // A vector's capacity is at most twice its length.
                    memory.grow_to(DECODER + 2 * decompressor.len() as u64).await?;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, Refusal> {
        match self.form {
            ContentForm::Plain(bytes) => Ok(bytes),
            ContentForm::Compressed(decompressor) => {
                decompressor.finish().map_err(|fault| refusal(fault, self.most_bytes))
            }
        }
    }
}

fn refusal(fault: Fault, most_bytes: usize) -> Refusal {
    match fault {
        Fault::TooLarge => Refusal::BodyTooLarge { most_bytes },
        Fault::Malformed => Refusal::NotDecompressed,
    }
}

#[cfg(test)]
mod tests {
    use graphql::JsonLimits;

    use super::*;

    #[test]
    fn the_memory_of_exact_numbers_is_reserved() {
        let values =
            ["1e-400", "0.12345678901234567", "[1e-400]", "{\"a\":1e-400}", "[[-1e-400],1]"];
        for value in values {
            let text = format!("[{}]", vec![value; 1_000].join(","));
            let limits = JsonLimits::default();
            let (_, numbers) = graphql::parse_exact_json(text.as_bytes(), "", limits).unwrap();
            let size = numbers.heap_size() as u64;
            assert!(exact_size(text.as_bytes()) >= size, "{value}: {size}");
            assert!(!numbers.is_empty(), "{value}");
        }
        let others = "[1, 2.5, \"1.00\", 123456789012345, 0.123456789, {\"a\": \"2024-01-01\"}]";
        assert_eq!(exact_size(others.as_bytes()), 0);
    }
}
