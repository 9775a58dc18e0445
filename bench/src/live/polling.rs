//! A server that polls, without sockets: the same subscriptions, a hundred in a statement, once a second.
//! Its clients would receive the responses whose hash has changed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime;
use tokio::time::{Instant, sleep_until};
use tokio_postgres::{Client, Statement};

use super::changes::connect;
use super::failure::LiveError;

const BATCH: usize = 100;
const INTERVAL: Duration = Duration::from_secs(1);
/// A statement in the form of Hasura's: the variables of each subscription are JSON, which the statement
/// reads, and the response is made of rows by JSON aggregates.
const STATEMENT: &str = "\
    SELECT asked.id, response.root::text \
    FROM unnest($1::int[], $2::text[]::json[]) AS asked(id, variables) \
    LEFT OUTER JOIN LATERAL ( \
        SELECT json_build_object('accountById', field.root) AS root \
        FROM ( \
            SELECT coalesce(json_agg(object.root) -> 0, 'null') AS root \
            FROM ( \
                SELECT row_to_json((SELECT member FROM (SELECT base.name, base.balance) AS member)) AS root \
                FROM (SELECT * FROM account \
                      WHERE account.id = (asked.variables #>> ARRAY['query', 'id'])::int) AS base \
            ) AS object \
        ) AS field \
    ) AS response ON true";

/// The server, which waits on a thread of its own.
#[derive(Debug)]
pub(super) struct Poller {
    /// Numbers of rounds to poll; its end ends the thread.
    rounds: Option<Sender<u32>>,
    results: Receiver<Result<Polled, LiveError>>,
    thread: Option<JoinHandle<()>>,
}

/// The result of some rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Polled {
    /// CPU seconds of the thread.
    pub(super) cpu: f64,
    pub(super) statements: u64,
    /// Responses that have changed.
    pub(super) changed: u64,
}

#[derive(Debug)]
struct State {
    client: Client,
    statement: Statement,
    ids: Vec<i32>,
    /// The variables of each subscription, as JSON.
    variables: Vec<String>,
    /// Hashes of the responses, the first row first.
    hashes: Vec<u64>,
}

impl Poller {
    /// Starts it with the responses of all rows.
    pub(super) fn start(url: String, rows: u32) -> Result<Self, LiveError> {
        let (rounds, numbers) = channel();
        let (send, results) = channel();
        let thread = thread::spawn(move || {
            let outcome = run(&url, rows, &numbers, &send);
            // Without a receiver the benchmark has ended already.
            if let Err(error) = outcome {
                drop(send.send(Err(error)));
            }
        });
        let poller = Self { rounds: Some(rounds), results, thread: Some(thread) };
        poller.begin(1)?;
        poller.finish()?;
        Ok(poller)
    }

    /// Begins to poll, so many times.
    pub(super) fn begin(&self, rounds: u32) -> Result<(), LiveError> {
        let sender = self.rounds.as_ref().ok_or(LiveError::Thread)?;
        sender.send(rounds).map_err(|_| LiveError::Thread)
    }

    /// Waits for the end of the rounds.
    pub(super) fn finish(&self) -> Result<Polled, LiveError> {
        self.results.recv().map_err(|_| LiveError::Thread)?
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        drop(self.rounds.take());
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            drop(thread.join());
        }
    }
}

fn run(
    url: &str,
    rows: u32,
    numbers: &Receiver<u32>,
    results: &Sender<Result<Polled, LiveError>>,
) -> Result<(), LiveError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let mut state = runtime.block_on(State::new(url, rows))?;
    for rounds in numbers {
        let polled = runtime.block_on(state.poll(rounds))?;
        if results.send(Ok(polled)).is_err() {
            break;
        }
    }
    Ok(())
}

impl State {
    async fn new(url: &str, rows: u32) -> Result<Self, LiveError> {
        let client = connect(url).await?;
        let statement = client.prepare(STATEMENT).await?;
        let ids: Vec<i32> = (1..=rows.cast_signed()).collect();
        let variables = ids.iter().map(|id| format!("{{\"query\":{{\"id\":\"{id}\"}}}}")).collect();
        Ok(Self { client, statement, ids, variables, hashes: vec![0; rows as usize] })
    }

    async fn poll(&mut self, rounds: u32) -> Result<Polled, LiveError> {
        let (started, before) = (Instant::now(), thread_seconds());
        let mut polled = Polled::default();
        for round in 0..rounds {
            sleep_until(started + INTERVAL * round).await;
            let asked = self.ids.chunks(BATCH).zip(self.variables.chunks(BATCH));
            for ((ids, variables), hashes) in asked.zip(self.hashes.chunks_mut(BATCH)) {
                let responses = self.client.query(&self.statement, &[&ids, &variables]).await?;
                polled.statements += 1;
                for (response, hash) in responses.iter().zip(hashes) {
                    let new = hash_of(response.try_get(1)?);
                    polled.changed += u64::from(std::mem::replace(hash, new) != new);
                }
            }
        }
        sleep_until(started + INTERVAL * rounds).await;
        polled.cpu = thread_seconds() - before;
        Ok(polled)
    }
}

fn hash_of(response: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    response.hash(&mut hasher);
    hasher.finish()
}

/// CPU seconds of this thread.
fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "exact for centuries")]
    let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
    seconds
}
