//! The order of the starts: in each round every contestant once on each size, so that other load of
//! the machine affects all alike.

use std::fmt;

use super::Contestant;
use crate::schema_size::database::Family;

/// One start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) round: u32,
    pub(super) tables: u32,
    pub(super) contestant: Contestant,
    pub(super) family: Family,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { round, tables, contestant, family } = self;
        let (contestant, family) = (contestant.id(), family.name());
        write!(formatter, "{contestant} on {tables} tables of {family}, round {round}")
    }
}

pub(super) fn steps(tables: &[u32], contestants: &[Contestant], rounds: u32) -> Vec<Step> {
    let mut steps = Vec::new();
    for round in 1..=rounds {
        for tables in tables.iter().copied() {
            for contestant in contestants.iter().copied() {
                let step = |family: &Family| Step { round, tables, contestant, family: *family };
                steps.extend(contestant.families().iter().map(step));
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contestants_take_turns() {
        let contestants = [Contestant::Thalweg, Contestant::PostGraphile4];
        let steps = steps(&[10, 100], &contestants, 2);
        let first: Vec<String> = steps.iter().take(4).map(Step::to_string).collect();
        assert_eq!(
            first,
            [
                "thalweg on 10 tables of PostgreSQL, round 1",
                "thalweg on 10 tables of SQLite, round 1",
                "postgraphile-4 on 10 tables of PostgreSQL, round 1",
                "thalweg on 100 tables of PostgreSQL, round 1",
            ]
        );
        assert_eq!(steps.len(), 2 * 2 * 3);
        assert_eq!(steps.last().map(|step| step.round), Some(2));
    }
}
