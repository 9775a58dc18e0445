//! A running operation, which can be cancelled.

use napi::bindgen_prelude::Buffer;
use napi::{Error, Result, Status};
use napi_derive::napi;
use thalweg::{Request, Session, Thalweg};
use tokio::sync::Notify;

/// An operation before and while it runs.
#[napi]
pub struct Execution {
    api: Thalweg,
    request: Request,
    session: Session,
    cancelled: Notify,
}

/// An answer: JSON as bytes, and the status of HTTP that fits it.
#[napi(object)]
pub struct Answer {
    pub status: u32,
    pub body: Buffer,
}

impl Execution {
    pub(crate) fn new(api: Thalweg, request: Request, session: Session) -> Self {
        Self { api, request, session, cancelled: Notify::new() }
    }
}

#[napi]
impl Execution {
    /// Executes the operation.
    #[napi]
    pub async fn answer(&self) -> Result<Answer> {
        tokio::select! {
            biased;
            () = self.cancelled.notified() => {
                Err(Error::new(Status::Cancelled, "The operation was cancelled."))
            }
            answer = self.api.execute(self.request.clone(), &self.session) => {
                let status = answer.outcome().http_status().into();
                Ok(Answer { status, body: Vec::from(answer.into_body()).into() })
            }
        }
    }

    /// Cancels the operation, and its statements in the database.
    #[napi]
    pub fn cancel(&self) {
        self.cancelled.notify_one();
    }
}

impl std::fmt::Debug for Execution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execution").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("status", &self.status).finish_non_exhaustive()
    }
}
