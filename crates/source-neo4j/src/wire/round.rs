//! One exchange: sends composed messages, and reads the answers to their end.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use response::packed::{Entries, Packed};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::connection::{Connection, Expected, Open, State};
use super::error::{DatabaseError, WireError};
use super::message::{self, Reply, Request, of_another_type};
use super::receive::Frame;
use super::records::Records;

/// The end of a statement's records.
#[derive(Default)]
struct End<'a> {
    has_more: bool,
    bookmark: Option<&'a [u8]>,
}

impl Connection {
    /// Sends composed messages and reads the answers.
    pub(super) async fn exchange(&mut self, results: &mut Vec<Records>) -> Result<(), WireError> {
        let count = self.expected.iter().filter(|expected| expected.has_result()).count();
        results.truncate(count);
        results.iter_mut().for_each(Records::clear);
        results.resize_with(count, Records::default);
        self.receiver.start_round();
        self.state = State::Sent;
        let mut failure = None;
        let read = match self.send().await {
            // A server that closes the connection may have sent its reason, which is still to be
            // read.
            Ok(()) | Err(WireError::Closed) => self.read_answers(results, &mut failure).await,
            Err(error) => Err(error),
        };
        let error = match (read, failure) {
            (Ok(()), None) => {
                self.state = State::Idle;
                results.iter_mut().for_each(|records| records.hold(self.receiver.bytes()));
                self.receiver.end_round();
                return Ok(());
            }
            (Ok(()), Some(failure)) => {
                self.state = match &failure {
                    WireError::Database { error, .. } if error.is_of_the_session() => State::Broken,
                    _ => State::Idle,
                };
                failure
            }
            (Err(_), Some(failure)) => {
                self.state = State::Broken;
                // Messages behind a failure were not executed.
                self.expected.clear();
                failure
            }
            (Err(error), None) => {
                if !self.out.has_sent() && !self.out.unsent().is_empty() {
                    self.expected.clear();
                }
                self.state = match error {
                    // The stream is good, and the rest can be read away.
                    WireError::TooLarge { .. } | WireError::BudgetExceeded(_) => State::Sent,
                    _ => State::Broken,
                };
                error
            }
        };
        results.iter_mut().for_each(Records::clear);
        Err(error)
    }

    /// Reads an answer for each expected one. The first failure is kept, and the server is reset
    /// after it.
    async fn read_answers(
        &mut self,
        results: &mut [Records],
        failure: &mut Option<WireError>,
    ) -> Result<(), WireError> {
        let mut place = 0;
        while let Some(&expected) = self.expected.front() {
            let Some(frame) = self.receiver.next_message()? else {
                self.receive().await?;
                continue;
            };
            match message::read(self.receiver.message(frame))? {
                Reply::Record if expected.is_pull() && failure.is_none() => {
                    if let Some(records) = results.get_mut(place) {
                        records.push(frame)?;
                    }
                    continue;
                }
                Reply::Success(metadata) if failure.is_none() || expected == Expected::Reset => {
                    let End { has_more, bookmark } = match expected.has_end() {
                        true => End::from_metadata(metadata)?,
                        false => End::default(),
                    };
                    if let Some(bookmark) = bookmark.filter(|_| expected.commits()) {
                        self.bookmark = Some(String::from_utf8_lossy(bookmark).into());
                    }
                    self.open.after(expected, has_more);
                    if let Some(records) = results.get_mut(place) {
                        records.answered(expected, frame, has_more);
                    }
                }
                Reply::Ignored if failure.is_some() && expected != Expected::Reset => {}
                Reply::Failure(metadata) if failure.is_none() => {
                    let error = Box::new(DatabaseError::from_metadata(metadata)?);
                    let result = expected.is_of_a_result().then_some(place);
                    self.is_in_doubt |= expected.commits() && error.leaves_a_commit_in_doubt();
                    *failure = Some(WireError::Database { error, result });
                    // The server answers nothing but that it ignores the rest until it reads this.
                    self.add(Request::Reset, 0, |_| {})?;
                    self.expected.push_back(Expected::Reset);
                    self.send().await?;
                }
                reply => return Err(unexpected(reply, expected)),
            }
            self.expected.pop_front();
            place += usize::from(expected.has_result());
        }
        Ok(())
    }

    /// Skips answers that exceeded the limit, to their end, and returns whether the transaction was
    /// committed. The connection is clean again then.
    pub async fn read_to_end(&mut self) -> Result<bool, WireError> {
        let ended = self.pass_over_answers().await;
        match ended {
            Ok((is_committed, false)) => {
                self.state = State::Idle;
                Ok(is_committed)
            }
            // The server requires RESET after a failure.
            Ok((is_committed, true)) => self.reset().await.map(|()| is_committed),
            Err(error) => {
                self.state = State::Broken;
                Err(error)
            }
        }
    }

    /// Whether the sent transaction was committed, and whether a part of it failed.
    async fn pass_over_answers(&mut self) -> Result<(bool, bool), WireError> {
        let (mut is_committed, mut has_failed) = (false, false);
        while let Some(&expected) = self.expected.front() {
            let Some(frame) = self.receiver.next_message()? else {
                // The read bytes are not needed.
                self.receiver.start_round();
                self.receive().await?;
                continue;
            };
            match message::read(self.receiver.message(frame))? {
                Reply::Record => continue,
                Reply::Success(_) => {
                    is_committed |= expected.commits();
                    self.open.after(expected, false);
                }
                Reply::Ignored | Reply::Failure(_) => has_failed = true,
            }
            self.expected.pop_front();
        }
        Ok((is_committed, has_failed))
    }

    /// Passes over all answers up to that to a RESET, which is the last.
    pub(super) async fn read_away(&mut self) -> Result<(), WireError> {
        while let Some(&expected) = self.expected.front() {
            let Some(frame) = self.receiver.next_message()? else {
                // The read bytes are not needed.
                self.receiver.start_round();
                self.receive().await?;
                continue;
            };
            match (message::read(self.receiver.message(frame))?, expected) {
                (Reply::Record, _) => continue,
                (Reply::Success(_), Expected::Reset) => self.open = Open::default(),
                (Reply::Failure(metadata), Expected::Reset) => {
                    let error = Box::new(DatabaseError::from_metadata(metadata)?);
                    return Err(WireError::Database { error, result: None });
                }
                (reply @ Reply::Ignored, Expected::Reset) => {
                    return Err(unexpected(reply, expected));
                }
                (Reply::Success(_) | Reply::Failure(_) | Reply::Ignored, _) => {}
            }
            self.expected.pop_front();
        }
        self.state = State::Idle;
        Ok(())
    }

    /// Writes everything. The server may answer the first messages before it reads the last ones;
    /// without concurrent reading, both sides would wait for each other for ever.
    pub(super) async fn send(&mut self) -> Result<(), WireError> {
        let Connection { socket, receiver, out, .. } = self;
        poll_fn(|context| {
            loop {
                let rest = out.unsent();
                if rest.is_empty() {
                    if let Poll::Ready(flushed) = pin!(socket.flush()).poll(context) {
                        return Poll::Ready(flushed.map_err(WireError::from));
                    }
                } else {
                    match pin!(socket.write(rest)).poll(context) {
                        Poll::Ready(Ok(0)) => return Poll::Ready(Err(WireError::Closed)),
                        Poll::Ready(Ok(count)) => {
                            out.count_sent(count);
                            continue;
                        }
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(error.into())),
                        Poll::Pending => {}
                    }
                }
                match receiver.poll_read(socket, context) {
                    Poll::Ready(Ok(0)) => return Poll::Ready(Err(WireError::Closed)),
                    Poll::Ready(Ok(_)) => {}
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await?;
        self.out.clear();
        Ok(())
    }

    /// Waits for bytes, with the server's own receive timeout.
    async fn receive(&mut self) -> Result<(), WireError> {
        let read = self.receiver.read(&mut self.socket);
        let count = match self.greeting.silence {
            Some(silence) => timeout(silence, read).await.unwrap_or(Err(WireError::Silent))?,
            None => read.await?,
        };
        if count == 0 { Err(WireError::Closed) } else { Ok(()) }
    }
}

impl Expected {
    /// Whether a result ends with it.
    fn has_result(self) -> bool {
        match self {
            Expected::Pull { .. } | Expected::Discard { .. } | Expected::Route => true,
            Expected::Begin
            | Expected::Run
            | Expected::Commit { .. }
            | Expected::Rollback
            | Expected::Reset => false,
        }
    }

    /// Whether the answer may contain metadata.
    fn has_end(self) -> bool {
        matches!(self, Expected::Pull { .. } | Expected::Discard { .. }) || self.commits()
    }

    fn is_of_a_result(self) -> bool {
        self == Expected::Run || self.has_result()
    }

    fn is_pull(self) -> bool {
        matches!(self, Expected::Pull { .. })
    }

    /// Whether it commits a writing transaction.
    pub(super) fn commits(self) -> bool {
        match self {
            Expected::Pull { commits } | Expected::Discard { commits } => commits,
            Expected::Commit { writes } => writes,
            Expected::Begin
            | Expected::Run
            | Expected::Rollback
            | Expected::Route
            | Expected::Reset => false,
        }
    }
}

impl Open {
    /// Updates the open state when the server has done this.
    fn after(&mut self, done: Expected, has_more: bool) {
        match done {
            Expected::Begin => self.transaction = true,
            Expected::Run => self.records = true,
            Expected::Pull { .. } => self.records = has_more,
            Expected::Discard { .. } => self.records = false,
            Expected::Commit { .. } | Expected::Rollback => {
                self.transaction = false;
                self.records = false;
            }
            Expected::Route => {}
            Expected::Reset => *self = Open::default(),
        }
    }
}

impl Records {
    fn answered(&mut self, expected: Expected, frame: Frame, has_more: bool) {
        match expected {
            Expected::Run => self.begin(frame),
            Expected::Pull { .. } | Expected::Discard { .. } | Expected::Route => {
                self.end(frame, has_more);
            }
            Expected::Begin | Expected::Commit { .. } | Expected::Rollback | Expected::Reset => {}
        }
    }
}

impl<'a> End<'a> {
    fn from_metadata(metadata: Entries<'a>) -> Result<End<'a>, WireError> {
        let mut end = End::default();
        for entry in metadata {
            match entry? {
                (b"has_more", Packed::Boolean(has_more)) => end.has_more = has_more,
                (b"bookmark", Packed::Text(bookmark)) => end.bookmark = Some(bookmark),
                (name @ (b"has_more" | b"bookmark"), other) => {
                    return Err(of_another_type(name, other));
                }
                _ => {}
            }
        }
        Ok(end)
    }
}

fn unexpected(reply: Reply<'_>, expected: Expected) -> WireError {
    let reply = match reply {
        Reply::Success(_) => "SUCCESS",
        Reply::Record => "a record",
        Reply::Ignored => "IGNORED",
        Reply::Failure(_) => "FAILURE",
    };
    WireError::Protocol(format!("the server sent {reply} where {expected:?} is to be answered"))
}
