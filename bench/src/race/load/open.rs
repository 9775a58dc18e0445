//! An open loop: requests are due at moments that are fixed before, and their latencies count from
//! these, so that a server that stalls is charged with all requests that were due meanwhile.
//!
//! `oha` does this for one rate. It cannot change the rate within a run, and cannot give each
//! connection moments of its own; users and bursts need both. All answers are compared here. Timers
//! are exact to a millisecond, so no latency below that is told from it.

mod client;
pub(super) mod files;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep_until, timeout};

use super::failure::LoadError;
use super::{Question, Target};
use client::Client;

/// An answer that takes longer is none.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// After the last request was due, what is late is still sent for so long.
const GRACE: Duration = Duration::from_secs(2);
/// Files that are open beside connections, here and at the server.
const OTHER_FILES: u64 = 200;

/// When requests are due, since the start.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Moments {
    /// Sent in order by whichever connection is free.
    Shared { connections: usize, due: Vec<Duration> },
    /// Each connection has its own.
    Apart(Vec<Vec<Duration>>),
}

/// One request that was due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) due: Duration,
    /// Until the answer, or until it was given up.
    pub(super) latency: Duration,
    pub(super) is_answered: bool,
}

/// State that the connections share.
#[derive(Debug)]
struct Run {
    questions: Vec<Question>,
    next_question: Cell<usize>,
    start: Cell<Instant>,
    /// Nothing is sent after it.
    last: Duration,
    asked: RefCell<Vec<Asked>>,
}

/// The most connections that can be open at once; as a server is allowed as many files as this
/// process, that holds for it too.
pub(super) fn most_connections() -> u64 {
    files::most().saturating_sub(OTHER_FILES)
}

/// Puts the load on a target and waits for its end; a request that was due is in the result
/// whatever became of it.
pub(super) fn ask(target: &Target<'_>, moments: Moments) -> Result<Vec<Asked>, LoadError> {
    if target.questions.is_empty() {
        return Err(LoadError::Nothing);
    }
    files::allow(moments.connections() as u64 + OTHER_FILES)?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let run = Rc::new(Run {
        questions: target.questions.to_vec(),
        next_question: Cell::new(0),
        start: Cell::new(Instant::now()),
        last: moments.last() + GRACE,
        asked: RefCell::new(Vec::new()),
    });
    let local = LocalSet::new();
    local.block_on(&runtime, ask_all(Rc::clone(&run), target, moments));
    Ok(run.asked.take())
}

async fn ask_all(run: Rc<Run>, target: &Target<'_>, moments: Moments) {
    let mut clients = Vec::new();
    for number in 0..moments.connections() {
        let mut client = Client::new(target.port, target.path, number);
        // A connection that is refused now is tried again when a request is due on it.
        client.connect().await;
        clients.push(client);
    }
    run.start.set(Instant::now());
    let mut asking = JoinSet::new();
    match moments {
        Moments::Shared { due, .. } => {
            let due = Rc::new(RefCell::new(due.into_iter()));
            for client in clients {
                let due = Rc::clone(&due);
                let due = std::iter::from_fn(move || due.borrow_mut().next());
                asking.spawn_local(ask_in_turn(Rc::clone(&run), client, due));
            }
        }
        Moments::Apart(moments) => {
            for (client, due) in clients.into_iter().zip(moments) {
                asking.spawn_local(ask_in_turn(Rc::clone(&run), client, due.into_iter()));
            }
        }
    }
    asking.join_all().await;
}

/// One connection: the next request is sent when it is due and the one before is answered.
async fn ask_in_turn(run: Rc<Run>, mut client: Client, due: impl Iterator<Item = Duration>) {
    for due in due {
        let moment = run.start.get() + due;
        sleep_until(moment).await;
        let is_answered = run.start.get().elapsed() < run.last
            && ask_once(&run.questions[run.turn()], &mut client).await;
        let asked = Asked { due, latency: moment.elapsed(), is_answered };
        run.asked.borrow_mut().push(asked);
    }
}

async fn ask_once(question: &Question, client: &mut Client) -> bool {
    let answered = timeout(TIME_LIMIT, client.post(&question.body)).await;
    let Ok(Some((status, body))) = answered else {
        client.disconnect();
        return false;
    };
    question.accepts(status, &body)
}

impl Run {
    fn turn(&self) -> usize {
        let turn = self.next_question.get();
        self.next_question.set((turn + 1) % self.questions.len());
        turn
    }
}

impl Moments {
    fn connections(&self) -> usize {
        match self {
            Self::Shared { connections, .. } => *connections,
            Self::Apart(moments) => moments.len(),
        }
    }

    fn last(&self) -> Duration {
        let last = match self {
            Self::Shared { due, .. } => due.last(),
            Self::Apart(moments) => moments.iter().filter_map(|due| due.last()).max(),
        };
        last.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::load::trial::{Trial, answers};
    use crate::race::usage::Processes;

    fn ask_trial(trial: &Trial, answer: &str, moments: Moments) -> Vec<Asked> {
        let answer = Some(answer.as_bytes().to_vec());
        let questions = [Question { body: "{}".to_owned(), answer, made: None }];
        let processes = Processes::default();
        let target =
            Target { port: trial.port, path: "/graphql", questions: &questions, processes };
        ask(&target, moments).unwrap()
    }

    fn every(milliseconds: u64, count: u64) -> Vec<Duration> {
        (0..count).map(|number| Duration::from_millis(number * milliseconds)).collect()
    }

    #[test]
    fn a_stall_is_charged_to_every_request_that_was_due_in_it() {
        // The tenth answer takes 400 ms. 40 requests are due meanwhile, of which those in the
        // first 300 ms wait for 100 ms or longer, however fast they are answered afterwards; a
        // closed loop would have had one slow answer.
        let trial = Trial::start(|number| {
            if number == 10 {
                std::thread::sleep(Duration::from_millis(400));
            }
            answers("{}")
        });
        let asked =
            ask_trial(&trial, "{}", Moments::Shared { connections: 1, due: every(10, 100) });
        assert_eq!(asked.len(), 100);
        let late = asked.iter().filter(|asked| asked.latency >= Duration::from_millis(100)).count();
        assert!(late >= 30, "{late}");
        let answered = asked.iter().filter(|asked| asked.is_answered).count();
        assert_eq!(trial.asked(), answered);
    }

    #[test]
    fn each_connection_keeps_to_its_own_moments() {
        let trial = Trial::start(|_| answers("{}"));
        let moments = vec![every(20, 3), every(30, 2), Vec::new()];
        let asked = ask_trial(&trial, "{}", Moments::Apart(moments.clone()));
        let mut due: Vec<Duration> = asked.iter().map(|asked| asked.due).collect();
        let mut expected = moments.concat();
        due.sort();
        expected.sort();
        assert_eq!(due, expected);
        assert_eq!((trial.connections(), trial.asked()), (3, 5));
    }

    #[test]
    fn errors_other_data_and_other_statuses_have_failed() {
        let trial = Trial::start(|number| match number {
            2 => answers(r#"{"errors":[{"message":"no"}]}"#),
            4 => "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
            _ => answers("{}"),
        });
        let asked = ask_trial(&trial, "{}", Moments::Shared { connections: 1, due: every(1, 6) });
        let failed: Vec<usize> = (1..=6).filter(|number| !asked[number - 1].is_answered).collect();
        assert_eq!(failed, [2, 4]);
    }

    #[test]
    fn a_connection_that_ends_is_opened_again() {
        // An answer without a head: the client ends the connection.
        let trial = Trial::start(|number| match number {
            3 => "nothing\r\n\r\n".to_owned(),
            _ => answers("{}"),
        });
        let asked = ask_trial(&trial, "{}", Moments::Shared { connections: 1, due: every(1, 5) });
        let answered: Vec<bool> = asked.iter().map(|asked| asked.is_answered).collect();
        assert_eq!(answered, [true, true, false, true, true]);
        assert_eq!(trial.connections(), 2);
    }
}
