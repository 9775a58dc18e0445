//! Equal answers, before anything is measured.

use std::path::Path;

use super::measure::PATH;
use super::{Course, Field};
use crate::race::answers;
use crate::race::contestant::Contestant;
use crate::race::entry::Runner;
use crate::race::load::Question;
use crate::race::plan::{self, Stage};
use crate::race::record;
use crate::race::suite::{Query, Source, variables};
use crate::race::written::{Store, Written};

/// The number of different requests of a query.
const SETS: usize = 200;

/// Bodies of the requests to a contestant, and its answers.
type Exchanges = (Vec<String>, Vec<Vec<u8>>);

impl Course<'_> {
    /// Asks every contestant every request of every query. Who answers as the first of them, which
    /// is Thalweg where it takes part, is measured by it.
    pub(super) fn check(&mut self, stage: Stage<'_>, field: &mut Field) {
        println!("bench: {}: comparing the answers", stage.name());
        for query in plan::queries(stage.suite, self.choice) {
            self.check_query(stage, query, field);
        }
    }

    fn check_query(&mut self, stage: Stage<'_>, query: &Query, field: &mut Field) {
        let id = &query.file.id;
        let sets = variables::sets(&query.file.variables, SETS);
        let mut expected: Option<Vec<Vec<u8>>> = None;
        for contestant in self.contestants.clone() {
            let (server, dialect) = match field.runners.get(&contestant.id) {
                Some(Runner::Server { server, dialect }) => (server, dialect),
                Some(Runner::Floor(_)) | None => continue,
            };
            let asked = match query.texts.get(dialect) {
                Some(text) => self.ask_all(query, field, server.port, text, &sets),
                None => Err(format!("the query has no text in the dialect `{dialect}`")),
            };
            let equal = asked.and_then(|said| {
                // What was written has been compared with what was asked for: the payloads of
                // dialects differ.
                if query.file.writes.is_none() {
                    answers::compare(expected.as_ref().unwrap_or(&said.1), &said.1)?;
                }
                Ok(said)
            });
            match equal {
                Ok((bodies, answers)) => {
                    self.admit(stage, id, &contestant.id, &answers);
                    expected.get_or_insert_with(|| answers.clone());
                    let questions = bodies.into_iter().zip(answers);
                    let made = query.file.writes.as_ref().map(|writes| writes.key.as_str().into());
                    let question = |(body, answer)| Question {
                        body,
                        answer: Some(answer),
                        made: made.clone(),
                    };
                    let questions = questions.map(question).collect();
                    field.questions.insert((id.clone(), contestant.id.clone()), questions);
                }
                Err(reason) => self.refuse(stage, id, contestant, &reason),
            }
        }
        for contestant in self.contestants.clone() {
            let Some(Runner::Floor(_)) = field.runners.get(&contestant.id) else { continue };
            let expected = expected.as_deref().map(|answers| (sets.as_slice(), answers));
            match self.check_floor(stage, query, field, expected) {
                Ok(script) => {
                    self.admit(stage, id, &contestant.id, &[]);
                    field.scripts.insert((id.clone(), contestant.id.clone()), script);
                }
                Err(reason) => self.refuse(stage, id, contestant, &reason),
            }
        }
    }

    /// Asks all, and compares what was written with what was asked for, where it is a mutation.
    fn ask_all(
        &self,
        query: &Query,
        field: &Field,
        port: u16,
        text: &str,
        sets: &[serde_json::Map<String, serde_json::Value>],
    ) -> Result<Exchanges, String> {
        let written = self.written(query, field)?;
        written.map_or(Ok(()), Written::take_back)?;
        let said = ask(port, text, sets)?;
        written.map_or(Ok(()), |written| written.check(sets, Some(&said.1)))?;
        Ok(said)
    }

    /// The rows that a query writes; nothing where it only reads.
    pub(super) fn written<'w>(
        &'w self,
        query: &'w Query,
        field: &'w Field,
    ) -> Result<Option<Written<'w>>, String> {
        let Some(writes) = &query.file.writes else { return Ok(None) };
        let name = &field.database.name;
        let store = match (field.database.source, self.place.server()) {
            (Source::Sqlite, _) => Store::Sqlite(Path::new(name)),
            (Source::Postgres, Some(server)) => Store::Postgres { server, database: name },
            (Source::Postgres, None) => return Err("there is no PostgreSQL".to_owned()),
            (Source::Neo4j, _) => Store::Graph(self.place.neo4j().ok_or("there is no Neo4j")?),
        };
        Ok(Some(Written { writes, store }))
    }

    fn refuse(&mut self, stage: Stage<'_>, query: &str, contestant: &Contestant, reason: &str) {
        println!("left out: {}: {query}: {}: {reason}", stage.name(), contestant.title);
        self.leave_out(stage, Some(query), &contestant.id, reason);
    }

    /// Writes down that it answers as the others.
    fn admit(&mut self, stage: Stage<'_>, query: &str, id: &str, answers: &[Vec<u8>]) {
        let Some(record) = self.query(stage, query) else { return };
        record.left_out.remove(id);
        if record.equal.is_empty() {
            let bytes: usize = answers.iter().map(Vec::len).sum();
            record.answer_bytes = (bytes / answers.len().max(1)) as u64;
        }
        if !record.equal.iter().any(|equal| equal == id) {
            record.equal.push(id.to_owned());
        }
    }

    fn query(&mut self, stage: Stage<'_>, query: &str) -> Option<&mut record::Query> {
        let name = stage.name();
        let suite = self.run.suites.iter_mut().find(|suite| suite.id == name)?;
        suite.queries.iter_mut().find(|one| one.id == query)
    }
}

fn ask(
    port: u16,
    text: &str,
    sets: &[serde_json::Map<String, serde_json::Value>],
) -> Result<Exchanges, String> {
    let bodies = answers::bodies(text, sets);
    let answers = answers::ask(port, PATH, &bodies)?;
    Ok((bodies, answers))
}
