//! A connection of our own that asks beside the load, and reads what it is answered.

use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Question, Target};
use crate::background::{Background, Stop};
use crate::http::Connection;
use crate::race::made;

/// From one question to the next, where the load is a closed loop.
pub(super) const PERIOD: Duration = Duration::from_millis(50);

/// A thread that asks until it is told to end.
#[derive(Debug)]
pub(super) struct Sampler(Background<Samples>);

/// Counts of the requests beside the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Samples {
    pub(super) requests: u64,
    /// Requests whose answer was known before.
    pub(super) compared: u64,
    pub(super) failures: u64,
}

/// The members of an answer that say whether it is one.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "data")]
    _data: IgnoredAny,
    errors: Option<IgnoredAny>,
}

impl Sampler {
    pub(super) fn start(target: &Target<'_>, period: Duration) -> Self {
        let (port, path) = (target.port, target.path.to_owned());
        let questions = target.questions.to_vec();
        Self(Background::start(move |stop| ask(port, &path, &questions, period, stop)))
    }

    pub(super) fn finish(self) -> Samples {
        // A thread that panicked has sent nothing that can be relied on.
        self.0.finish().unwrap_or(Samples { requests: 1, compared: 0, failures: 1 })
    }
}

impl Question {
    /// Whether it is answered: the bytes that are expected, or data without errors.
    pub(super) fn accepts(&self, status: u16, body: &[u8]) -> bool {
        let is_expected = match &self.answer {
            Some(expected) => match &self.made {
                None => body == expected,
                Some(member) => made::mask(body, member) == made::mask(expected, member),
            },
            None => serde_json::from_slice(body)
                .is_ok_and(|envelope: Envelope| envelope.errors.is_none()),
        };
        status == 200 && is_expected
    }
}

fn ask(port: u16, path: &str, questions: &[Question], period: Duration, stop: &Stop) -> Samples {
    let mut samples = Samples::default();
    let mut connection = None;
    for question in questions.iter().cycle() {
        if stop.is_set() {
            break;
        }
        let next = Instant::now() + period;
        let is_answered = ask_once(port, path, question, &mut connection);
        samples.requests += 1;
        samples.compared += u64::from(question.answer.is_some());
        samples.failures += u64::from(!is_answered);
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    samples
}

/// A connection that failed is opened again for the next question.
fn ask_once(port: u16, path: &str, question: &Question, kept: &mut Option<Connection>) -> bool {
    let Some(mut connection) = kept.take().or_else(|| Connection::open(port).ok()) else {
        return false;
    };
    let Ok(answer) = connection.post_to(path, &question.body) else { return false };
    *kept = Some(connection);
    question.accepts(answer.status, &answer.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(expected: Option<&str>, status: u16, body: &str) -> bool {
        let answer = expected.map(|text| text.as_bytes().to_vec());
        let question = Question { body: String::new(), answer, made: None };
        question.accepts(status, body.as_bytes())
    }

    #[test]
    fn what_the_database_makes_may_differ() {
        let accepts = |made: Option<&str>, body: &str| {
            let answer = Some(br#"{"data":{"id":10,"a":5}}"#.to_vec());
            let question = Question { body: String::new(), answer, made: made.map(Into::into) };
            question.accepts(200, body.as_bytes())
        };
        let other = r#"{"data":{"id":23,"a":5}}"#;
        assert!(accepts(Some("id"), other));
        assert!(!accepts(None, other));
        assert!(!accepts(Some("id"), r#"{"data":{"id":23,"a":6}}"#));
        assert!(!accepts(Some("id"), r#"{"data":null,"errors":[{"message":"no"}]}"#));
    }

    #[test]
    fn errors_and_other_data_are_no_answer() {
        let good = r#"{"data":{"a":1}}"#;
        assert!(accepts(Some(good), 200, good));
        assert!(!accepts(Some(good), 200, r#"{"data":{"a":2}}"#));
        assert!(!accepts(Some(good), 503, good));
        assert!(accepts(None, 200, good));
        assert!(accepts(None, 200, r#"{"data":{"errors":[1]}}"#));
        assert!(!accepts(None, 200, r#"{"data":{"a":1},"errors":[{"message":"no"}]}"#));
        assert!(!accepts(None, 200, r#"{"errors":[{"message":"no"}],"data":null}"#));
        assert!(!accepts(None, 200, "no JSON"));
        assert!(!accepts(None, 200, "{}"));
    }
}
