//! Response bodies, up to a size limit that also holds after decompression.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use tokio::task::yield_now;

use super::http1::Http1;
use super::request::SubgraphError;
use super::statistics::Counts;
use crate::coding::{Coding, Decompressor, Fault};
use crate::connect::error_chain;

/// Number of compressed bytes that are decompressed at once: the output may be a thousand times as
/// long.
const CHUNK: usize = 1024;

/// Bodies up to this length are copied out of the read buffer of their connection.
const COPY_LIMIT: usize = 4 * 1024;

/// Number of decompressed bytes after which the task yields to others.
const YIELD_AFTER: usize = 128 * 1024;

/// Maximum number of bytes of a discarded body that are read, so that its connection can be kept
/// alive.
const MAX_DISCARDED: u64 = 16 * 1024;

/// Source of the frames of a body.
pub(super) enum Frames<'c> {
    /// The reader drives the connection.
    Http1(&'c mut Http1, Incoming),
    Http2(Incoming),
}

/// Limits for reading a body.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) most: u64,
    pub(super) reserve: &'a dyn Fn(usize) -> bool,
    /// Counter of received bytes.
    pub(super) received: &'a AtomicU64,
}

impl Frames<'_> {
    /// Returns the next data frame; other frames are skipped.
    async fn next(&mut self) -> Option<Result<Bytes, hyper::Error>> {
        loop {
            let frame = match self {
                Self::Http1(connection, body) => {
                    poll_fn(|cx| connection.poll_frame(body, cx)).await
                }
                Self::Http2(body) => poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await,
            };
            match frame?.map(hyper::body::Frame::into_data) {
                Ok(Ok(data)) => return Some(Ok(data)),
                // Trailers have no meaning in GraphQL over HTTP.
                Ok(Err(_)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Returns the announced length (`Content-Length`).
    fn length(&self) -> Option<u64> {
        match self {
            Self::Http1(_, body) | Self::Http2(body) => body.size_hint().exact(),
        }
    }
}

/// Reads a whole body.
pub(super) async fn read(
    mut frames: Frames<'_>,
    coding: Option<Coding>,
    limits: Limits<'_>,
) -> Result<Bytes, SubgraphError> {
    match (coding, frames.length()) {
        (None, Some(length)) => read_sized(&mut frames, length, limits).await,
        (None, None) => read_to_end(&mut frames, limits).await,
        (Some(coding), _) => read_compressed(&mut frames, coding, limits).await,
    }
}

/// Reads and discards a short body, so that the connection can be reused; a long body is not read,
/// and its connection is closed.
pub(super) async fn discard(mut frames: Frames<'_>) -> Result<(), SubgraphError> {
    let mut left = MAX_DISCARDED;
    if frames.length().is_some_and(|length| length > left) {
        return Err(limits_error(left));
    }
    while let Some(data) = frames.next().await {
        let length = data.map_err(|error| broken(&error))?.len() as u64;
        left = left.checked_sub(length).ok_or_else(|| limits_error(MAX_DISCARDED))?;
    }
    Ok(())
}

/// Reads a body of known length into one buffer, or without a copy if it came in one frame.
async fn read_sized(
    frames: &mut Frames<'_>,
    length: u64,
    limits: Limits<'_>,
) -> Result<Bytes, SubgraphError> {
    let too_large = || limits_error(limits.most);
    let length = usize::try_from(length).map_err(|_| too_large())?;
    if length as u64 > limits.most {
        return Err(too_large());
    }
    reserve(limits, length)?;
    let mut body = Vec::new();
    while let Some(data) = frames.next().await {
        let data = received(data, limits)?;
        if body.is_empty() {
            if data.len() == length {
                // A short body is copied: a reference to the read buffer would force its connection
                // to allocate another one.
                return Ok(if length <= COPY_LIMIT { Bytes::copy_from_slice(&data) } else { data });
            }
            body.reserve_exact(length);
        }
        body.extend_from_slice(&data);
        // hyper returns no more than the announced length.
        if body.len() == length {
            break;
        }
    }
    Ok(body.into())
}

async fn read_to_end(frames: &mut Frames<'_>, limits: Limits<'_>) -> Result<Bytes, SubgraphError> {
    let mut first = Bytes::new();
    let mut body: Vec<u8> = Vec::new();
    let mut length: u64 = 0;
    while let Some(data) = frames.next().await {
        let data = received(data, limits)?;
        length += data.len() as u64;
        if length > limits.most {
            return Err(limits_error(limits.most));
        }
        if first.is_empty() && body.is_empty() {
            reserve(limits, data.len())?;
            first = data;
            continue;
        }
        let required = first.len() + body.len() + data.len();
        if required > body.capacity() {
            // While the buffer grows, the old and the new one are both allocated.
            let capacity = required.max(2 * body.capacity());
            reserve(limits, capacity)?;
            body.reserve_exact(capacity - body.len());
        }
        body.extend_from_slice(&std::mem::take(&mut first));
        body.extend_from_slice(&data);
    }
    match body.is_empty() {
        true => Ok(first),
        false => Ok(body.into()),
    }
}

async fn read_compressed(
    frames: &mut Frames<'_>,
    coding: Coding,
    limits: Limits<'_>,
) -> Result<Bytes, SubgraphError> {
    let fault = |fault| match fault {
        Fault::TooLarge => limits_error(limits.most),
        Fault::Malformed => SubgraphError::Broken(format!("it is not in {}", coding.name()).into()),
    };
    let most = usize::try_from(limits.most).unwrap_or(usize::MAX);
    let mut decompressor = Decompressor::new(coding, most).map_err(fault)?;
    let (mut length, mut since_yield) = (0, 0);
    while let Some(data) = frames.next().await {
        for piece in received(data, limits)?.chunks(CHUNK) {
            decompressor.push(piece).map_err(fault)?;
            // The output size of a piece is known only afterwards; it is 1 MB at most.
            let more = decompressor.len() - length;
            length += more;
            since_yield += more;
            // The buffer's capacity is at most twice its length.
            reserve(limits, 2 * more)?;
            if since_yield >= YIELD_AFTER {
                since_yield = 0;
                yield_now().await;
            }
        }
    }
    decompressor.finish().map(Bytes::from).map_err(fault)
}

fn received(data: Result<Bytes, hyper::Error>, limits: Limits<'_>) -> Result<Bytes, SubgraphError> {
    let data = data.map_err(|error| broken(&error))?;
    Counts::add(limits.received, data.len() as u64);
    Ok(data)
}

fn reserve(limits: Limits<'_>, more: usize) -> Result<(), SubgraphError> {
    match (limits.reserve)(more) {
        true => Ok(()),
        false => Err(SubgraphError::MemoryExhausted),
    }
}

fn broken(error: &hyper::Error) -> SubgraphError {
    SubgraphError::Broken(error_chain(error).into())
}

fn limits_error(most: u64) -> SubgraphError {
    SubgraphError::TooLarge { most }
}
