//! The order of the measurements: always the same for the same files and options.

use serde::{Deserialize, Serialize};

use super::contestant::{Contestant, Driver, Kind};
use super::options::Choice;
use super::pace::Pace;
use super::suite::{LoadKind, Query, Source, Suite};

/// One line of the plan. It is done as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Item {
    /// With the source: `shop-postgres`.
    pub(super) suite: String,
    pub(super) round: u32,
    pub(super) query: String,
    pub(super) contestant: String,
    pub(super) load: Load,
}

/// A kind of load; a ramp has several measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Load {
    Closed { connections: u32 },
    Constant,
    Burst,
    Users,
}

/// A suite on one of its sources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage<'s> {
    pub(crate) suite: &'s Suite,
    pub(crate) source: Source,
}

impl Stage<'_> {
    pub(super) fn name(&self) -> String {
        self.suite.name(self.source)
    }
}

/// Every suite that is wanted, on each of its sources.
pub(super) fn stages<'s>(suites: &'s [Suite], choice: &Choice) -> Vec<Stage<'s>> {
    let wanted = suites.iter().filter(|suite| choice.wants_suite(suite));
    let stages = wanted.flat_map(|suite| {
        suite.file.sources.iter().map(move |source| Stage { suite, source: *source })
    });
    stages.collect()
}

pub(super) fn queries<'s>(suite: &'s Suite, choice: &Choice) -> Vec<&'s Query> {
    let wanted = |query: &&Query| choice.wants_query(&query.file.id, query.file.quick);
    suite.queries.iter().filter(wanted).collect()
}

/// The measurements of a suite. The contestants take turns within each query, and another one is
/// the first in each round, so that none always comes after the same one.
pub(super) fn items(
    stage: Stage<'_>,
    contestants: &[&Contestant],
    pace: &Pace,
    choice: &Choice,
) -> Vec<Item> {
    let able: Vec<&Contestant> =
        contestants.iter().copied().filter(|one| one.is_for(stage.suite, stage.source)).collect();
    let mut items = Vec::new();
    for round in 1..=pace.settings.rounds {
        for query in queries(stage.suite, choice) {
            let first = usize::try_from(round - 1).unwrap_or_default() % able.len().max(1);
            for contestant in able.iter().cycle().skip(first).take(able.len()) {
                let loads = loads(contestant, query, stage.source, pace, round);
                items.extend(loads.into_iter().map(|load| Item {
                    suite: stage.name(),
                    round,
                    query: query.file.id.clone(),
                    contestant: contestant.id.clone(),
                    load,
                }));
            }
        }
    }
    items
}

fn loads(
    contestant: &Contestant,
    query: &Query,
    source: Source,
    pace: &Pace,
    round: u32,
) -> Vec<Load> {
    let own = &query.file.connections;
    // A quick run asks by no other numbers than its own.
    let numbers = &pace.settings.connections;
    let all = if own.is_empty() || pace.settings.quick { numbers } else { own };
    let closed = all.iter().filter(|number| own.is_empty() || own.contains(number));
    let closed: Vec<Load> =
        closed.map(|connections| Load::Closed { connections: *connections }).collect();
    // In a quick run the rates of one kind of database have to do.
    let has_rates = !pace.settings.quick || source == Source::Postgres;
    match &contestant.kind {
        Kind::Server(_) => {
            let kinds = query.file.loads.iter();
            let loads = kinds.flat_map(|kind| match kind {
                LoadKind::Closed => closed.clone(),
                LoadKind::Constant if round <= pace.ramp_rounds && has_rates => {
                    vec![Load::Constant]
                }
                LoadKind::Burst if round <= pace.ramp_rounds && !pace.settings.quick => {
                    vec![Load::Burst]
                }
                LoadKind::Users if round <= pace.ramp_rounds && !pace.settings.quick => {
                    vec![Load::Users]
                }
                LoadKind::Constant | LoadKind::Burst | LoadKind::Users => Vec::new(),
            });
            loads.collect()
        }
        Kind::Floor(floor) => match floor.driver {
            Driver::Pgbench => {
                let has_ramp = query.file.loads.contains(&LoadKind::Constant);
                let ramp = (has_ramp && round <= pace.ramp_rounds).then_some(Load::Constant);
                closed.into_iter().chain(ramp).collect()
            }
            // One thread over one connection: what more of them do is known from it.
            Driver::SqliteLoop => vec![Load::Closed { connections: 1 }],
            Driver::BoltLoop | Driver::Neo4rs => closed,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::race::{contestant, suite};

    fn check(choice: &Choice, pace: &Pace) -> Vec<Item> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let suites = suite::load(bench).expect("suites");
        let contestants = contestant::load(bench).expect("contestants");
        let contestants: Vec<&Contestant> = contestants.iter().collect();
        let stages = stages(&suites, choice);
        stages.iter().flat_map(|stage| items(*stage, &contestants, pace, choice)).collect()
    }

    #[test]
    fn the_plan_is_the_same_each_time_and_says_nothing_twice() {
        let (choice, pace) = (Choice::default(), Pace::full());
        let items = check(&choice, &pace);
        assert_eq!(items, check(&choice, &pace));
        let mut sorted = items.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), items.len());
    }

    #[test]
    fn what_is_chosen_is_all_there_is() {
        let choice = Choice {
            suites: vec!["shop".to_owned()],
            only: Some("artistById".to_owned()),
            contestants: Vec::new(),
            ..Choice::default()
        };
        let items = check(&choice, &Pace::full());
        assert!(!items.is_empty());
        assert!(items.iter().all(|item| item.query == "artistById"));
        assert!(items.iter().all(|item| item.suite.starts_with("shop-")));
    }

    #[test]
    fn a_contestant_of_one_suite_takes_no_part_in_others() {
        let suites = ["shop", "policies"].map(str::to_owned).into();
        let items = check(&Choice { suites, ..Choice::default() }, &Pace::full());
        let of = |id: &str| {
            let own = items.iter().filter(|item| item.contestant == id);
            let mut suites: Vec<&str> = own.map(|item| item.suite.as_str()).collect();
            suites.sort_unstable();
            suites.dedup();
            suites.join(" ")
        };
        assert_eq!(of("thalweg-policies"), "policies-postgres policies-sqlite");
        assert_eq!(of("thalweg"), "policies-postgres policies-sqlite shop-postgres shop-sqlite");
    }

    #[test]
    fn contestants_take_turns_and_another_one_is_first_in_each_round() {
        let items = check(&Choice::default(), &Pace::full());
        let first = |round: u32| {
            let mut in_round =
                items.iter().filter(|item| item.round == round && item.suite == "shop-postgres");
            in_round.next().map(|item| item.contestant.clone())
        };
        assert_ne!(first(1), None);
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn a_quick_run_has_closed_loops_and_a_constant_rate() {
        let choice = Choice { quick: true, ..Choice::default() };
        let items = check(&choice, &Pace::quick());
        assert!(items.iter().any(|item| item.load == Load::Closed { connections: 16 }));
        assert!(items.iter().any(|item| item.load == Load::Constant));
        assert!(items.iter().all(|item| item.round == 1));
        assert!(items.len() < check(&Choice::default(), &Pace::full()).len() / 4);
    }
}
