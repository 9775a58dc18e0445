//! Conditions of rules in their parts, and which parts are true of a row.

use access::{Condition, Grant, Permission, Privilege, claims_of};
use catalog::{EntityId, FieldId};
use ir::Filter;

use super::RoleGrants;

/// SQL's three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    True,
    False,
    Unknown,
}

/// A privilege of a rule, with its condition in parts.
#[derive(Debug)]
pub(super) struct WeighedRule<'p> {
    pub(super) name: &'p str,
    pub(super) privilege: Privilege,
    pub(super) permission: &'p Permission,
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
    /// A test whose claim is missing, so that it is unknown.
    Missing {
        filter: Filter,
        claim: Box<str>,
    },
}

/// All rules of a role about one entity.
#[derive(Debug)]
pub(super) struct Weighed<'p> {
    rules: Vec<WeighedRule<'p>>,
    tests: Vec<Filter>,
    fields: Vec<FieldId>,
}

/// The values of a row.
#[derive(Debug)]
pub(super) struct Read {
    /// The values of the fields that conditions look at.
    pub(super) values: Vec<(FieldId, Option<Box<str>>)>,
    /// The truth of each test.
    pub(super) truths: Vec<Truth>,
}

/// The permissions on rows that are there, which are not inserted any more.
pub(super) fn of_existing_rows(grant: &Grant) -> impl Iterator<Item = (Privilege, &Permission)> {
    grant.all_permissions().filter(|(privilege, _)| *privilege != Privilege::Insert)
}

impl<'p> Weighed<'p> {
    pub(super) fn new(entity: EntityId, role: &RoleGrants<'p>) -> Self {
        let mut weighed = Self { rules: Vec::new(), tests: Vec::new(), fields: Vec::new() };
        for grant in role.grants.iter().filter(|grant| grant.entity == entity) {
            let name = &grant.name;
            for (privilege, permission) in of_existing_rows(grant) {
                let part = weighed.part(&permission.rows, role);
                weighed.rules.push(WeighedRule { name, privilege, permission, part });
            }
        }
        weighed
    }

    fn part(&mut self, condition: &Condition, role: &RoleGrants<'_>) -> Part {
        let mut parts = |conditions: &[Condition]| {
            conditions.iter().map(|condition| self.part(condition, role)).collect()
        };
        match condition {
            Condition::All(conditions) => Part::All(parts(conditions)),
            Condition::Any(conditions) => Part::Any(parts(conditions)),
            Condition::Not(condition) => Part::Not(Box::new(self.part(condition, role))),
            Condition::Row(filter) => {
                let mut missing: Option<Box<str>> = None;
                claims_of(filter, &mut |claim| {
                    if missing.is_none() && role.is_missing(claim) {
                        missing = Some(claim.into());
                    }
                });
                match missing {
                    Some(claim) => Part::Missing { filter: filter.clone(), claim },
                    None => {
                        condition.fields(&mut self.fields);
                        self.test(filter.clone())
                    }
                }
            }
            Condition::Claims(_) | Condition::Related { .. } => {
                self.test(condition.filter(role.claims))
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

    pub(super) fn rules(&self, privilege: Privilege) -> impl Iterator<Item = &WeighedRule<'p>> {
        self.rules.iter().filter(move |rule| rule.privilege == privilege)
    }

    pub(super) fn tests(&self) -> &[Filter] {
        &self.tests
    }

    /// The fields of the row that tests look at.
    pub(super) fn fields(&self) -> &[FieldId] {
        &self.fields
    }

    /// Reads the values of a row: those of the fields, then for each test whether it is true and
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
