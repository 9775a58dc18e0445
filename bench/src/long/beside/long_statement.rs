//! Statements of two seconds, asked for again and again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::background::Background;
use crate::http::Connection;
use crate::long::failure::LongError;
use crate::race::suite::Source;

/// The wanted length of a statement.
const SECONDS: f64 = 2.0;
/// The number of conditions of the trial that measures the time of one.
const TRIED: u32 = 4;
/// More than two seconds on any machine, and less than the fields that a request may have.
const MOST: u32 = 400;

/// A long statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LongStatement {
    /// A function that waits.
    Sleeps,
    /// A function that keeps a processor busy.
    Computes,
    /// A million rows by so many conditions, none of which any row fulfils.
    Filters { conditions: u32 },
}

/// Threads that ask, one after another.
#[derive(Debug)]
pub(super) struct LongClients(Vec<Background<Asked>>);

/// Times and problems of the requests.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) times: Vec<Duration>,
    pub(super) problems: Vec<String>,
}

impl LongStatement {
    /// The long statements of a source, of two seconds on this machine.
    pub(super) fn of(source: Source, port: u16) -> Result<Vec<Self>, LongError> {
        let tried = Self::Filters { conditions: TRIED };
        let mut connection = Connection::open(port)?;
        let mut times = Vec::new();
        // The first time, rows come into memory.
        for number in 0..2 {
            let started = Instant::now();
            tried.ask(&mut connection, number).map_err(LongError::Refused)?;
            times.push(started.elapsed());
        }
        let fastest = times.into_iter().min().unwrap_or_default();
        let filters = Self::Filters { conditions: conditions(fastest) };
        Ok(match source {
            Source::Postgres => vec![Self::Sleeps, Self::Computes, filters],
            Source::Sqlite | Source::Neo4j => vec![filters],
        })
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Sleeps => "a function that waits",
            Self::Computes => "a function that computes",
            Self::Filters { .. } => "a filter over a million rows",
        }
    }

    /// Each number makes a document that the server has not seen: it cannot know that it is long.
    fn body(self, number: u64) -> String {
        let root = match self {
            Self::Sleeps => format!("sleeps(seconds: {SECONDS:.1})"),
            Self::Computes => format!("computes(seconds: {SECONDS:.1})"),
            Self::Filters { conditions } => {
                let one = |number| format!("{{ place: {{ likeInsensitive: \"%no {number}%\" }} }}");
                let all: Vec<String> = (0..conditions).map(one).collect();
                let filter = format!("{{ or: [{}] }}", all.join(", "));
                format!("allMeasurementsList(first: 1, filter: {filter}) {{ id }}")
            }
        };
        json!({ "query": format!("query long{number} {{ {root} }}") }).to_string()
    }

    fn data(self) -> Value {
        match self {
            Self::Sleeps => json!({ "sleeps": 1 }),
            Self::Computes => json!({ "computes": 1 }),
            Self::Filters { .. } => json!({ "allMeasurementsList": [] }),
        }
    }

    fn ask(self, connection: &mut Connection, number: u64) -> Result<(), String> {
        let answer = connection.post(&self.body(number)).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&answer);
        let expected = json!({ "data": self.data() });
        match serde_json::from_slice::<Value>(&answer).is_ok_and(|answer| answer == expected) {
            true => Ok(()),
            false => {
                Err(format!("a long answer is {}", text.chars().take(200).collect::<String>()))
            }
        }
    }
}

/// The number of conditions that take two seconds, by the time of `TRIED`.
fn conditions(tried: Duration) -> u32 {
    let wanted = SECONDS / tried.as_secs_f64().max(1e-3) * f64::from(TRIED);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds")]
    let wanted = wanted.ceil() as u32;
    wanted.clamp(1, MOST)
}

impl LongClients {
    /// Starts threads; numbers go on over all calls, so that no document comes twice.
    pub(super) fn start(port: u16, kind: &LongStatement, number: usize) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(10);
        let kind = *kind;
        let ask = |_| {
            Background::start(move |stop| {
                let mut asked = Asked::default();
                while !stop.is_set() && asked.problems.is_empty() {
                    let number = NEXT.fetch_add(1, Ordering::Relaxed);
                    let started = Instant::now();
                    let answered = Connection::open(port)
                        .map_err(|error| error.to_string())
                        .and_then(|mut connection| kind.ask(&mut connection, number));
                    match answered {
                        Ok(()) => asked.times.push(started.elapsed()),
                        Err(problem) => asked.problems.push(problem),
                    }
                }
                asked
            })
        };
        Self((0..number).map(ask).collect())
    }

    /// Waits for the last answers.
    pub(super) fn finish(self) -> Asked {
        self.0.iter().for_each(Background::stop);
        let mut all = Asked::default();
        for asking in self.0 {
            match asking.finish() {
                Some(asked) => {
                    all.times.extend(asked.times);
                    all.problems.extend(asked.problems);
                }
                None => all.problems.push("a thread of the load has panicked".to_owned()),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_conditions_are_asked_for_as_take_two_seconds() {
        assert_eq!(conditions(Duration::from_secs(2)), 4);
        assert_eq!(conditions(Duration::from_millis(300)), 27);
        assert_eq!(conditions(Duration::from_secs(60)), 1);
        assert_eq!(conditions(Duration::ZERO), MOST);
    }

    #[test]
    fn no_document_comes_twice() {
        let kind = LongStatement::Filters { conditions: 2 };
        assert_ne!(kind.body(1), kind.body(2));
        assert!(
            kind.body(7).contains("query long7 { allMeasurementsList(first: 1, filter: { or: [")
        );
        assert_eq!(kind.body(7).matches("likeInsensitive").count(), 2);
        assert!(LongStatement::Sleeps.body(1).contains("sleeps(seconds: 2.0)"));
    }
}
