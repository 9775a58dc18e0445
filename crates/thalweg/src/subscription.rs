//! The responses of a subscription.
//!
//! The next response is requested when the one before is taken: a slow consumer gets the newest one of
//! a live query, and none wait for it.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use engine::api::{ApiBegun, ApiDriver};
use engine::live::LastSent;
use engine::{ApiWorker, Caller, Response};
use futures_util::Stream;
use graphql::{ErrorCode, GraphQLError, Request};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_local;

use crate::answer::Answer;
use crate::current::Current;

/// The responses of a subscription, each a JSON object as bytes. Dropping them ends it.
#[derive(Debug)]
pub struct Responses(mpsc::Receiver<Bytes>);

impl Responses {
    /// Waits for the next response; `None`: the subscription has ended. Cancel safe.
    pub async fn next(&mut self) -> Option<Bytes> {
        self.0.recv().await
    }
}

impl Stream for Responses {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.0.poll_recv(context)
    }
}

/// Runs a subscription until it ends, or nobody waits for its responses.
pub(crate) async fn run(
    current: Current,
    request: Request,
    caller: Caller,
    reply: oneshot::Sender<Result<Responses, Answer>>,
) {
    let mut generations = current.following();
    let worker = current.get();
    let begun = match begin(&worker, &request, &caller) {
        Ok(begun) => begun,
        Err(refused) => {
            let _ = reply.send(Err(refused));
            return;
        }
    };
    let ApiBegun { mut responses, driver } = begun;
    drive(&worker, driver);
    let (sender, receiver) = mpsc::channel(1);
    if reply.send(Ok(Responses(receiver))).is_err() {
        return;
    }
    let mut sent = LastSent::default();
    // Reloads end with the last handle of the API, and the subscription goes on.
    let mut has_reloads = true;
    loop {
        // Before there is place for it, no response is requested.
        let Ok(place) = sender.reserve().await else { return };
        let response = loop {
            tokio::select! {
                biased;
                () = sender.closed() => return,
                changed = generations.changed(), if has_reloads => match changed {
                    Ok(()) => {
                        let worker = current.get();
                        match worker.resume(&mut responses, &request, &caller) {
                            Ok(driver) => drive(&worker, driver),
                            Err(response) => {
                                place.send(response.body.into());
                                return;
                            }
                        }
                        sent.expect_repetition(responses.are_states());
                    }
                    Err(_) => has_reloads = false,
                },
                response = responses.next() => match response {
                    Some(response) if sent.is_repeated(&response) => {}
                    Some(response) => break response,
                    None => return,
                },
            }
        };
        place.send(response);
    }
}

fn begin(worker: &Rc<ApiWorker>, request: &Request, caller: &Caller) -> Result<ApiBegun, Answer> {
    let refused = |response: Response| Answer::new(response, Vec::new());
    let document = worker.document(request, caller).map_err(refused)?;
    if !worker.has_response_stream(&document, request) {
        let message = "The operation is no subscription: execute it.";
        return Err(Answer::refused(GraphQLError::new(ErrorCode::BadUserInput, message)));
    }
    worker.subscribe(request, caller).map_err(refused)
}

/// Executes a subscription on this thread, if another one does not do so already.
fn drive(worker: &Rc<ApiWorker>, driver: Option<ApiDriver>) {
    if let Some(driver) = driver {
        let worker = Rc::clone(worker);
        spawn_local(async move { worker.drive(driver).await });
    }
}
