//! The bytes of an answer, up to a limit, also after decompression.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use tokio::task::yield_now;

use super::ask::AskError;
use super::http1::Http1;
use super::statistics::Counts;
use crate::coding::{Coding, Decompressor, Fault};
use crate::connect::whole;

/// So much is decompressed at once: it may become a thousand times as much.
const PIECE: usize = 1024;

/// Bodies up to this length are copied out of the buffer of their connection.
const SHORT: usize = 4 * 1024;

/// After so much was made of it others have their turn.
const TURN: usize = 128 * 1024;

/// So much of an answer that nobody wants is read, so that its connection can be kept.
const MOST_FORGOTTEN: u64 = 16 * 1024;

/// Where the parts of a body come from.
pub(super) enum Frames<'c> {
    /// Driven by whoever reads.
    Http1(&'c mut Http1, Incoming),
    Http2(Incoming),
}

/// How much of a body is read.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) most: u64,
    pub(super) hold: &'a dyn Fn(usize) -> bool,
    /// Counts what has come.
    pub(super) received: &'a AtomicU64,
}

impl Frames<'_> {
    /// The next part; parts that are no data are left out.
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
                // Trailers say nothing about GraphQL.
                Ok(Err(_)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// The length that was announced.
    fn length(&self) -> Option<u64> {
        match self {
            Self::Http1(_, body) | Self::Http2(body) => body.size_hint().exact(),
        }
    }
}

/// Reads a body whole.
pub(super) async fn read(
    mut frames: Frames<'_>,
    coding: Option<Coding>,
    limits: Limits<'_>,
) -> Result<Bytes, AskError> {
    match (coding, frames.length()) {
        (None, Some(length)) => read_announced(&mut frames, length, limits).await,
        (None, None) => read_to_end(&mut frames, limits).await,
        (Some(coding), _) => read_compressed(&mut frames, coding, limits).await,
    }
}

/// Reads a short body and forgets it, so that the next answer can come; a long one is left, and the
/// connection with it.
pub(super) async fn forget(mut frames: Frames<'_>) -> Result<(), AskError> {
    let mut left = MOST_FORGOTTEN;
    if frames.length().is_some_and(|length| length > left) {
        return Err(limits_error(left));
    }
    while let Some(data) = frames.next().await {
        let length = data.map_err(|error| broken(&error))?.len() as u64;
        left = left.checked_sub(length).ok_or_else(|| limits_error(MOST_FORGOTTEN))?;
    }
    Ok(())
}

/// A body whose length is known has one buffer, or none of its own if it came in one piece.
async fn read_announced(
    frames: &mut Frames<'_>,
    length: u64,
    limits: Limits<'_>,
) -> Result<Bytes, AskError> {
    let too_large = || limits_error(limits.most);
    let length = usize::try_from(length).map_err(|_| too_large())?;
    if length as u64 > limits.most {
        return Err(too_large());
    }
    hold(limits, length)?;
    let mut whole = Vec::new();
    while let Some(data) = frames.next().await {
        let data = received(data, limits)?;
        if whole.is_empty() {
            if data.len() == length {
                // A short one would keep the buffer from being read into again, for its connection
                // needs another one as long as somebody has a part of it.
                return Ok(if length <= SHORT { Bytes::copy_from_slice(&data) } else { data });
            }
            whole.reserve_exact(length);
        }
        whole.extend_from_slice(&data);
        // The library gives no more than was announced.
        if whole.len() == length {
            break;
        }
    }
    Ok(whole.into())
}

async fn read_to_end(frames: &mut Frames<'_>, limits: Limits<'_>) -> Result<Bytes, AskError> {
    let mut first = Bytes::new();
    let mut whole: Vec<u8> = Vec::new();
    let mut length: u64 = 0;
    while let Some(data) = frames.next().await {
        let data = received(data, limits)?;
        length += data.len() as u64;
        if length > limits.most {
            return Err(limits_error(limits.most));
        }
        if first.is_empty() && whole.is_empty() {
            hold(limits, data.len())?;
            first = data;
            continue;
        }
        let wanted = first.len() + whole.len() + data.len();
        if wanted > whole.capacity() {
            // The buffer before it is held as well, and is there as long as this one is filled.
            let capacity = wanted.max(2 * whole.capacity());
            hold(limits, capacity)?;
            whole.reserve_exact(capacity - whole.len());
        }
        whole.extend_from_slice(&std::mem::take(&mut first));
        whole.extend_from_slice(&data);
    }
    match whole.is_empty() {
        true => Ok(first),
        false => Ok(whole.into()),
    }
}

async fn read_compressed(
    frames: &mut Frames<'_>,
    coding: Coding,
    limits: Limits<'_>,
) -> Result<Bytes, AskError> {
    let fault = |fault| match fault {
        Fault::TooLarge => limits_error(limits.most),
        Fault::Malformed => AskError::Broken(format!("it is not in {}", coding.name()).into()),
    };
    let most = usize::try_from(limits.most).unwrap_or(usize::MAX);
    let mut decompressor = Decompressor::new(coding, most).map_err(fault)?;
    let (mut length, mut turn) = (0, 0);
    while let Some(data) = frames.next().await {
        for piece in received(data, limits)?.chunks(PIECE) {
            decompressor.push(piece).map_err(fault)?;
            // How much a piece becomes is known afterwards; it is a megabyte at most.
            let more = decompressor.len() - length;
            length += more;
            turn += more;
            // The buffer has room for twice as much as is in it, at most.
            hold(limits, 2 * more)?;
            if turn >= TURN {
                turn = 0;
                yield_now().await;
            }
        }
    }
    decompressor.finish().map(Bytes::from).map_err(fault)
}

fn received(data: Result<Bytes, hyper::Error>, limits: Limits<'_>) -> Result<Bytes, AskError> {
    let data = data.map_err(|error| broken(&error))?;
    Counts::add(limits.received, data.len() as u64);
    Ok(data)
}

fn hold(limits: Limits<'_>, more: usize) -> Result<(), AskError> {
    match (limits.hold)(more) {
        true => Ok(()),
        false => Err(AskError::MemoryExhausted),
    }
}

fn broken(error: &hyper::Error) -> AskError {
    AskError::Broken(whole(error).into())
}

fn limits_error(most: u64) -> AskError {
    AskError::TooLarge { most }
}
