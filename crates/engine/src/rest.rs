//! The rest of an answer that is sent while it is made.

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use graphql::ErrorCode;
use response::SentPiece;
use source::{ExecuteError, Part};

use crate::engine::Engine;
use crate::log_throttle::{Cause, LOG_THROTTLE, Logged};
use crate::respond::{complete, execute_error};

/// The rest of an answer after its first bytes. Dropping it cancels the statement in the source.
#[derive(Debug)]
pub struct Rest {
    /// Maps errors.
    engine: Arc<Engine>,
    /// Gone when the answer has ended.
    source: Option<source::Rest>,
}

/// The answer was cut off: an error came too late to be part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer cannot be completed: {}", .0.as_str())]
pub struct BrokenOff(pub ErrorCode);

impl Rest {
    pub(crate) fn new(engine: Arc<Engine>, source: source::Rest) -> Self {
        Self { engine, source: Some(source) }
    }

    /// The next bytes; none after the last ones. Adds the codes of the answer's errors, which stand
    /// at its end.
    pub fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        codes: &mut Vec<ErrorCode>,
    ) -> Poll<Option<Result<SentPiece, BrokenOff>>> {
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        let end = match ready!(source.poll_part(context)) {
            Part::Piece(piece) => return Poll::Ready(Some(Ok(piece))),
            Part::End(end) => end,
        };
        self.source = None;
        Poll::Ready(Some(match end {
            Ok(written) => {
                let (bytes, held) = complete(&self.engine, written, codes);
                Ok(SentPiece { bytes, held })
            }
            Err(error) => Err(broken_off(&self.engine, error, codes)),
        }))
    }
}

/// The client sees only that the answer is cut off: the reason is logged.
fn broken_off(engine: &Engine, error: ExecuteError, codes: &mut Vec<ErrorCode>) -> BrokenOff {
    let error = execute_error(engine, error);
    let cause = Cause { code: error.code, detail: "an answer breaks off".into() };
    if let Logged::Written { suppressed, .. } =
        LOG_THROTTLE.judge(cause, Instant::now(), String::new)
    {
        tracing::warn!(
            code = error.code.as_str(),
            error = ?error.message,
            untold = (suppressed > 0).then_some(suppressed),
            "an answer breaks off"
        );
    }
    codes.push(error.code);
    BrokenOff(error.code)
}
