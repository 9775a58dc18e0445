//! Executes the operations of an open stream.
//!
//! Its task makes the events, and the body of the response takes them one by one: queries and mutations
//! continue while the client reads nothing, and a slow client gets the newest responses of its
//! subscriptions.

use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use engine::gateway::IncrementalFormat;
use futures_util::stream::{Stream, unfold};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::spawn_local;
use tokio::time::{sleep, sleep_until};

use super::frame;
use crate::http::connection_context::ConnectionContext;
use crate::http::drain::drained;
use crate::http::operations::{Accepts, Operations, Outcome, begin};
use crate::http::reservations::{Changes, NewOperation, Reservation};
use crate::http::subscription::Event;

/// The operations of an open stream.
struct Driver {
    context: Rc<ConnectionContext>,
    token: Box<str>,
    reservation: Arc<Reservation>,
    operations: Operations,
    /// Events that are still to be sent.
    events: VecDeque<Bytes>,
    /// True if no further operations begin.
    is_ending: bool,
}

/// Executes the operations of a stream, and returns the bytes of its body.
pub(super) fn drive(
    context: &Rc<ConnectionContext>,
    token: Box<str>,
    reservation: Arc<Reservation>,
) -> impl Stream<Item = Bytes> + 'static {
    let (sender, receiver) = mpsc::channel(1);
    let driver = Driver {
        context: Rc::clone(context),
        token,
        reservation,
        operations: Operations::default(),
        events: VecDeque::from([frame::COMMENT]),
        is_ending: false,
    };
    spawn_local(driver.run(sender));
    unfold(receiver, |mut receiver| async {
        let event = receiver.recv().await?;
        Some((event, receiver))
    })
}

impl Driver {
    /// Runs until the client has left, or the stream has ended.
    async fn run(mut self, sender: Sender<Bytes>) {
        let settings = Arc::clone(&self.context.current.get().settings);
        let reservation = Arc::clone(&self.reservation);
        let context = Rc::clone(&self.context);
        let mut drained = pin!(drained(&context.state, settings.drain_timeout));
        let mut expired = pin!(async {
            match reservation.until {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        });
        while !self.is_ended() {
            let is_idle = self.events.is_empty();
            tokio::select! {
                biased;
                () = sender.closed() => return,
                () = &mut drained, if !self.is_ending => self.end(None),
                () = &mut expired, if !self.is_ending => {
                    self.end(Some(&settings.credentials.expired().body()));
                }
                changes = reservation.next(), if !self.is_ending => self.change(changes),
                permit = sender.reserve(), if !is_idle => {
                    if let (Ok(permit), Some(event)) = (permit, self.events.pop_front()) {
                        permit.send(event);
                    }
                }
                outcome = self.operations.next(is_idle) => match outcome {
                    Ok(outcome) => self.add(outcome),
                    // The client begins a new stream.
                    Err(_panicked) => return,
                },
                () = sleep(settings.subscriptions.ping_interval), if is_idle => {
                    self.events.push_back(frame::COMMENT);
                }
            }
        }
    }

    fn is_ended(&self) -> bool {
        self.is_ending && self.operations.is_empty() && self.events.is_empty()
    }

    /// Ends the stream as soon as its queries and mutations have ended; subscriptions end with errors,
    /// or the end of the stream.
    fn end(&mut self, errors: Option<&[u8]>) {
        self.is_ending = true;
        self.release();
        let ended = self.operations.end_subscriptions();
        let Some(errors) = errors else { return };
        for id in ended {
            self.events.push_back(frame::next(&id, Bytes::copy_from_slice(errors)));
            self.events.push_back(frame::complete(&id));
        }
    }

    fn change(&mut self, Changes { ended, begun }: Changes) {
        for id in ended {
            self.operations.end(&id);
        }
        for NewOperation { id, caller, parameters, bytes, held } in begun {
            // The operation has a reservation of its own.
            drop(held);
            let accepts = Accepts { incremental: Some(IncrementalFormat::Fields), is_once: true };
            let work = begin(&self.context, caller, parameters, bytes, accepts);
            self.operations.run((&*id).into(), work);
        }
    }

    fn add(&mut self, Outcome { id, event, rest }: Outcome) {
        if let (Some(rest), Event::Result(result)) = (rest, &event) {
            if self.reservation.is_wanted(&id) {
                self.events.push_back(frame::next(&id, result.clone()));
                self.operations.go_on(id, rest);
            }
            return;
        }
        if !self.reservation.complete(&id) {
            return;
        }
        match event {
            Event::Result(result) | Event::Errors(result) => {
                self.events.push_back(frame::next(&id, result));
            }
            Event::End => {}
        }
        self.events.push_back(frame::complete(&id));
    }

    /// Ends the reservation.
    fn release(&self) {
        self.context.current.get().process.streams.remove(&self.token);
    }
}

/// Ends the reservation of a stream whose client has left, and of one whose task is dropped.
impl Drop for Driver {
    fn drop(&mut self) {
        self.release();
    }
}
