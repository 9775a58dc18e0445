//! Conditions of rules in their parts, and which parts are true of a row.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use ir::Filter;

use crate::authorize::condition::Condition;
use crate::authorize::policies::{Resolved, RoleRules, Rule};
use crate::authorize::set::Verb;

/// SQL's three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    True,
    False,
    Unknown,
}

/// What a rule lets be done with rows of the entity, with its condition in parts.
#[derive(Debug)]
pub(super) struct WeighedRule<'p> {
    pub(super) name: &'p Arc<str>,
    pub(super) verb: Verb,
    pub(super) resolved: &'p Resolved,
    pub(super) part: Part,
}

/// A condition in parts.
#[derive(Debug)]
pub(super) enum Part {
    All(Vec<Part>),
    Any(Vec<Part>),
    Not(Box<Part>),
    /// A test of the source, by its place among those of all rules.
    Test(usize),
    /// One that nobody has to ask about, since the claim is missing.
    Missing {
        filter: Filter,
        claim: usize,
    },
}

/// All rules of a role about one entity.
#[derive(Debug)]
pub(super) struct Weighed<'p> {
    rules: Vec<WeighedRule<'p>>,
    tests: Vec<Filter>,
    fields: Vec<FieldId>,
}

/// What was read of a row.
#[derive(Debug)]
pub(super) struct Read {
    /// The values of the fields that conditions look at.
    pub(super) values: Vec<(FieldId, Option<Box<str>>)>,
    /// What came of each test.
    pub(super) truths: Vec<Truth>,
}

impl<'p> Weighed<'p> {
    pub(super) fn new(entity: EntityId, role: &RoleRules<'p>) -> Self {
        let mut weighed = Self { rules: Vec::new(), tests: Vec::new(), fields: Vec::new() };
        for rule in role.rules.iter().filter(|rule| rule.entity == entity) {
            let Rule { name, read, update, delete, .. } = rule;
            // Rows that are there are not inserted any more.
            let ways = [(Verb::Read, read), (Verb::Update, update), (Verb::Delete, delete)];
            for (verb, resolved) in ways {
                let Some(resolved) = resolved else { continue };
                let part = weighed.part(&resolved.rows, role);
                weighed.rules.push(WeighedRule { name, verb, resolved, part });
            }
        }
        weighed
    }

    fn part(&mut self, condition: &Condition, role: &RoleRules<'_>) -> Part {
        let mut parts = |conditions: &[Condition]| {
            conditions.iter().map(|condition| self.part(condition, role)).collect()
        };
        match condition {
            Condition::All(conditions) => Part::All(parts(conditions)),
            Condition::Any(conditions) => Part::Any(parts(conditions)),
            Condition::Not(condition) => Part::Not(Box::new(self.part(condition, role))),
            Condition::Test { filter, claim: Some(claim) } if role.is_missing(*claim) => {
                Part::Missing { filter: filter.clone(), claim: *claim }
            }
            Condition::Test { filter, .. } => {
                condition.fields(&mut self.fields);
                self.test(filter.clone())
            }
            Condition::Related { .. } => {
                self.test(condition.filter(&|claim| role.is_missing(claim)))
            }
        }
    }

    fn test(&mut self, filter: Filter) -> Part {
        let known = self.tests.iter().position(|known| *known == filter);
        Part::Test(known.unwrap_or_else(|| {
            self.tests.push(filter);
            self.tests.len() - 1
        }))
    }

    pub(super) fn rules(&self, verb: Verb) -> impl Iterator<Item = &WeighedRule<'p>> {
        self.rules.iter().filter(move |rule| rule.verb == verb)
    }

    pub(super) fn tests(&self) -> &[Filter] {
        &self.tests
    }

    /// The fields of the row that tests look at.
    pub(super) fn fields(&self) -> &[FieldId] {
        &self.fields
    }

    /// What the values of a row say: those of the fields, then of each test whether it is true and
    /// whether it is false.
    pub(super) fn read(&self, mut cells: Vec<Option<Box<str>>>) -> Read {
        let tests = cells.split_off(self.fields.len().min(cells.len()));
        let values = self.fields.iter().copied().zip(cells).collect();
        let truth = |pair: &[Option<Box<str>>]| match pair {
            [Some(_), _] => Truth::True,
            [None, Some(_)] => Truth::False,
            _ => Truth::Unknown,
        };
        Read { values, truths: tests.chunks(2).map(truth).collect() }
    }
}

impl Part {
    pub(super) fn truth(&self, read: &Read) -> Truth {
        let any = |parts: &[Self], wanted, otherwise| {
            let truths: Vec<Truth> = parts.iter().map(|part| part.truth(read)).collect();
            match truths.contains(&wanted) {
                true => wanted,
                false if truths.contains(&Truth::Unknown) => Truth::Unknown,
                false => otherwise,
            }
        };
        match self {
            Self::All(parts) => any(parts, Truth::False, Truth::True),
            Self::Any(parts) => any(parts, Truth::True, Truth::False),
            Self::Not(part) => match part.truth(read) {
                Truth::True => Truth::False,
                Truth::False => Truth::True,
                Truth::Unknown => Truth::Unknown,
            },
            Self::Test(place) => read.truths.get(*place).copied().unwrap_or(Truth::Unknown),
            Self::Missing { .. } => Truth::Unknown,
        }
    }
}
