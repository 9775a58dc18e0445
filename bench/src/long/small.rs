//! Short requests: queries of the shop, by a closed loop whose answers are compared.

use std::path::Path;

use super::failure::LongError;
use crate::race::answers;
use crate::race::load::wrk::Wrk;
use crate::race::load::{Question, Target};
use crate::race::meter::undisturbed;
use crate::race::record::Outcome;
use crate::race::suite::{Suite, variables};
use crate::race::usage::Processes;
use crate::race::warm_up;

pub(super) const PATH: &str = "/graphql";

/// The number of clients.
const CONNECTIONS: u32 = 64;
/// A second each.
const WARM_UP_LOOPS: u32 = 6;
/// A maximum of what something else on the machine disturbed says little.
const REPETITIONS: u32 = 2;

/// Length and tool of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace<'p> {
    pub(super) wrk: &'p Path,
    /// For scripts and bodies.
    pub(super) folder: &'p Path,
    pub(super) seconds: u32,
}

/// A query of the shop and its answer.
#[derive(Debug)]
pub(super) struct Small {
    pub(super) query: &'static str,
    questions: Vec<Question>,
}

impl Small {
    /// Asks once, for what the answer is while nothing else goes on.
    pub(super) fn ask(shop: &Suite, query: &'static str, port: u16) -> Result<Self, LongError> {
        let found = shop.queries.iter().find(|one| one.file.id == query);
        let found = found.ok_or(LongError::NoQuery(query))?;
        let text = found.texts.get(&shop.file.dialect).ok_or(LongError::NoQuery(query))?;
        let sets = variables::sets(&found.file.variables, 1);
        let bodies = answers::bodies(text, &sets);
        let answers = answers::ask(port, PATH, &bodies)
            .map_err(|problem| LongError::Small { query, problem })?;
        let questions = bodies.into_iter().zip(answers);
        let questions = questions
            .map(|(body, answer)| Question { body, answer: Some(answer), made: None })
            .collect();
        Ok(Self { query, questions })
    }

    /// The first of them.
    pub(super) fn question(&self) -> Option<&Question> {
        self.questions.first()
    }

    pub(super) fn target(&self, port: u16, processes: Processes) -> Target<'_> {
        Target { port, path: PATH, questions: &self.questions, processes }
    }
}

impl Pace<'_> {
    /// Asks until it is as fast as it gets.
    pub(super) fn warm_up(self, target: &Target<'_>) -> Result<(), LongError> {
        let wrk = self.wrk();
        warm_up::until_steady(WARM_UP_LOOPS, None, || wrk.warm(target, 1))?;
        Ok(())
    }

    pub(super) fn measure(self, target: &Target<'_>) -> Result<Outcome, LongError> {
        let wrk = self.wrk();
        Ok(undisturbed(REPETITIONS, || wrk.measure_again(target, self.seconds))?)
    }

    fn wrk(&self) -> Wrk<'_> {
        Wrk { program: self.wrk, folder: self.folder, connections: CONNECTIONS }
    }
}
