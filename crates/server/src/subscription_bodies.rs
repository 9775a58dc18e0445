//! The engine that makes the bodies of webhooks of subscriptions, on a thread of its own: connections of
//! an engine belong to one thread, and the delivery goes on across reloads.

use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use engine::{Engine, RecordedResponse, Worker};
use event_triggers::bodies::{Bodies, Body, BodyRequest, MOST_TIME};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::LocalSet;

use crate::failure::Failure;

/// Starts the thread, which ends with the last definition that knows it.
pub(crate) fn start(engine: &Arc<Engine>) -> Result<Bodies, Failure> {
    let (bodies, requests) = Bodies::new();
    let engine = Arc::clone(engine);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::other)?;
    let work = move || {
        let worker = Worker::of_recorded(engine, MOST_TIME);
        LocalSet::new().block_on(&runtime, answer(worker, requests));
    };
    thread::Builder::new().name("webhooks".into()).spawn(work).map_err(Failure::other)?;
    Ok(bodies)
}

/// Answers requests until nobody can send any.
async fn answer(worker: Worker, mut requests: UnboundedReceiver<BodyRequest>) {
    let worker = Rc::new(worker);
    while let Some(BodyRequest { subscription, event, mut answer }) = requests.recv().await {
        let worker = Rc::clone(&worker);
        tokio::task::spawn_local(async move {
            let response = tokio::select! {
                response = worker.respond_to_recorded(&subscription, &event) => response,
                // Nobody waits any more: the statements end, and the next attempt finds their place.
                () = answer.closed() => return,
            };
            let body = match response {
                RecordedResponse::Wanted(body) => {
                    Body::Ready(String::from_utf8_lossy(&body).into_owned())
                }
                RecordedResponse::NotWanted => Body::NotWanted,
                RecordedResponse::Later(message) => Body::Later(message),
                RecordedResponse::Failed(message) => Body::Failed(message),
            };
            // The delivery may have stopped.
            let _ = answer.send(body);
        });
    }
}
