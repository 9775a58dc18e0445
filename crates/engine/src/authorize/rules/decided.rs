//! Conditions of rules with what was decided of them when a session came.

use catalog::Catalog;
use dialects::neo4j::rules::{Condition, Operation, Rule};
use ir::Filter;

use super::super::condition;
use super::claims::Comparison;
use super::{Facts, Rules, Stage};

/// A rule whose condition asks for nothing but nodes.
#[derive(Debug)]
pub(super) struct Decided {
    operations: Vec<Operation>,
    before: bool,
    after: bool,
    filter: Filter,
}

impl Decided {
    pub(super) fn of(catalog: &Catalog, rule: &Rule<Filter>, rules: &Rules, facts: &Facts) -> Self {
        let filter = match rule.is_authenticated && !facts.is_authenticated {
            true => Filter::none(),
            false => filter(catalog, &rule.condition, rules, facts),
        };
        let operations = rule.operations.clone();
        Self { operations, before: rule.before, after: rule.after, filter }
    }

    pub(super) fn is_of(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }

    pub(super) fn is_at(&self, stage: Stage) -> bool {
        match stage {
            Stage::Before => self.before,
            Stage::After => self.after,
        }
    }
}

/// What passes one of several rules; nothing where there is none.
pub(super) fn any<'d>(rules: impl Iterator<Item = &'d Decided>) -> Option<Filter> {
    let filters: Vec<Filter> = rules.map(|rule| rule.filter.clone()).collect();
    (!filters.is_empty()).then(|| or(filters))
}

/// Recursion is bounded by the parser of the definitions.
fn filter(catalog: &Catalog, said: &Condition<Filter>, rules: &Rules, facts: &Facts) -> Filter {
    let all = |all: &[Condition<Filter>]| -> Vec<Filter> {
        all.iter().map(|one| filter(catalog, one, rules, facts)).collect()
    };
    match said {
        Condition::All(conditions) => and(all(conditions)),
        Condition::Any(conditions) => or(all(conditions)),
        Condition::Not(one) => not(filter(catalog, one, rules, facts)),
        Condition::Claims(claims) => match rules.holds(claims, facts) {
            true => Filter::all(),
            false => Filter::none(),
        },
        Condition::Node(filter) => {
            let mut filter = filter.clone();
            known(catalog, &mut filter, rules, facts);
            filter
        }
    }
}

/// What is compared with a claim that cannot be compared with does not pass, as in the library;
/// null would be unknown, which a condition around it might take for either.
fn known(catalog: &Catalog, filter: &mut Filter, rules: &Rules, facts: &Facts) {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter_mut().for_each(|filter| known(catalog, filter, rules, facts));
        }
        Filter::Not(one)
        | Filter::Except(one)
        | Filter::Required(one)
        | Filter::Relation { filter: one, .. } => known(catalog, one, rules, facts),
        Filter::Barrier { first, then } => {
            known(catalog, first, rules, facts);
            known(catalog, then, rules, facts);
        }
        Filter::RelatedGroup { filter: one, having, .. } => {
            known(catalog, one, rules, facts);
            known(catalog, having, rules, facts);
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants
                .iter_mut()
                .for_each(|variant| known(catalog, &mut variant.filter, rules, facts));
            known(catalog, having, rules, facts);
        }
        Filter::IsNull(_) => {}
        Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::AnyElement { .. }
        | Filter::Text { .. }
        | Filter::Geo { .. } => {
            let Some(named) = Comparison::of(filter).and_then(|one| one.named(catalog)) else {
                return;
            };
            let place = rules.named.iter().position(|known| *known == named);
            let fits = place.and_then(|place| facts.named.get(place).copied());
            if fits != Some(true) {
                *filter = Filter::none();
            }
        }
    }
}

fn is_none(filter: &Filter) -> bool {
    matches!(filter, Filter::Or(filters) if filters.is_empty())
}

fn and(filters: Vec<Filter>) -> Filter {
    match filters.iter().any(is_none) {
        true => Filter::none(),
        false => Filter::and(filters),
    }
}

fn or(mut filters: Vec<Filter>) -> Filter {
    filters.retain(|filter| !is_none(filter));
    condition::any(filters)
}

fn not(filter: Filter) -> Filter {
    match (filter.is_all(), is_none(&filter)) {
        (true, _) => Filter::none(),
        (_, true) => Filter::all(),
        _ => Filter::Not(Box::new(filter)),
    }
}
