//! A running subscription, over a WebSocket or an event stream.
//!
//! Its responses are requested one by one, when the previous one is written: a slow client gets the
//! newest response, and none wait for it. After a reload, the subscription continues with the new
//! generation.

use std::future::pending;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use engine::api::{ApiBegun, ApiDriver, ApiResponses};
use engine::live::LastSent;
use engine::{Caller, MemoryReservation, Response};
use graphql::Request;
use tokio::sync::watch;
use tokio::task::spawn_local;

use super::generation::Generation;
use super::service::{Current, Service};
use crate::metrics::{Open, OpenGuard};

#[derive(Debug)]
pub(super) struct Subscription {
    current: Current,
    /// Reports reloads; none when there will be no more.
    generations: Option<watch::Receiver<Generation>>,
    service: Rc<Service>,
    request: Request,
    caller: Caller,
    responses: ApiResponses,
    sent: LastSent,
    open: Option<OpenGuard>,
    _held: MemoryReservation,
}

/// A step of an operation.
#[derive(Debug)]
pub(super) enum Event {
    /// An execution result, as JSON text.
    Result(Bytes),
    /// The last event: errors of an operation that was not executed, as the JSON text of a response.
    Errors(Bytes),
    /// The last event.
    End,
}

impl Subscription {
    /// Begins a subscription, whose request has reserved memory. The error is a finished response.
    pub(super) fn begin(
        current: &Current,
        request: Request,
        caller: Caller,
        held: MemoryReservation,
    ) -> Result<Self, Response> {
        let generations = Some(current.following());
        let service = current.get();
        let responses = subscribe(&service, &request, &caller)?;
        let open = service.shard.as_ref().map(|shard| shard.open(Open::Subscription));
        let sent = LastSent::default();
        let current = current.clone();
        Ok(Self {
            current,
            generations,
            service,
            request,
            caller,
            responses,
            sent,
            open,
            _held: held,
        })
    }

    /// Waits for the next event. Cancel safe.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            tokio::select! {
                biased;
                is_new = changed(&mut self.generations) => {
                    match is_new {
                        true => if let Err(response) = self.renew() {
                            return Event::Errors(response.body.into());
                        },
                        false => self.generations = None,
                    }
                }
                response = self.responses.next() => match response {
                    Some(response) if self.sent.is_repeated(&response) => {}
                    Some(response) => {
                        if let Some(open) = &self.open {
                            open.count_event();
                        }
                        return Event::Result(response);
                    }
                    // The thread that executed the query has stopped already. The client must not take
                    // that for the end: its connection is about to be closed.
                    None if self.service.process.is_stopping.load(Ordering::Relaxed) => {
                        pending().await
                    }
                    None => return Event::End,
                }
            }
        }
    }

    /// Continues with the newest generation. The error is the last response, also of a subscription
    /// that would miss events.
    fn renew(&mut self) -> Result<(), Response> {
        let service = self.current.get();
        let driver = service.worker.resume(&mut self.responses, &self.request, &self.caller)?;
        drive(&service, driver);
        self.service = service;
        self.sent.expect_repetition(self.responses.are_states());
        Ok(())
    }
}

/// Waits for the next generation; false if there will be none.
async fn changed(generations: &mut Option<watch::Receiver<Generation>>) -> bool {
    match generations {
        Some(generations) => generations.changed().await.is_ok(),
        None => pending().await,
    }
}

/// Begins a query, and its execution on this thread if it has none.
fn subscribe(
    service: &Rc<Service>,
    request: &Request,
    caller: &Caller,
) -> Result<ApiResponses, Response> {
    let ApiBegun { responses, driver } = service.worker.subscribe(request, caller)?;
    drive(service, driver);
    Ok(responses)
}

/// Executes a query on this thread, if another one does not do so already.
fn drive(service: &Rc<Service>, driver: Option<ApiDriver>) {
    if let Some(driver) = driver {
        let service = Rc::clone(service);
        spawn_local(async move { service.worker.drive(driver).await });
    }
}
