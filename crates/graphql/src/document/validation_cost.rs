//! Validation cost of a document with its fragments expanded, computed before validation.
//!
//! Validation checks whether fields of one response name can be merged, and for that walks the
//! selections of each position of the response: a short document of nested fragments has
//! exponentially many. This module walks the same selections but only counts them, up to a limit.
//! So the time of validation is bounded.

use std::collections::HashMap;

use apollo_compiler::ast;

use super::field_index::FieldIndex;
use super::limits::{DocumentLimits, Limit};
use super::outline::{Item, Outline, Parent, Part, SetId};
use crate::error::{ErrorCode, GraphQLError};
use crate::visibility::View;

/// The average validation work per field, for an operation with the maximum number of fields: a
/// document with fewer may have larger ones.
const WORK_PER_FIELD: usize = 25;

/// The number of steps through selections, or of comparisons of names, in one unit of work.
const STEPS: usize = 4;

/// Checks the limits of a document.
pub(super) fn check_validation_cost(
    schema: View<'_>,
    index: &FieldIndex,
    document: &ast::Document,
    limits: &DocumentLimits,
) -> Result<(), GraphQLError> {
    let outline = Outline::new(schema, index, document, limits)?;
    let reached = Reached::new(&outline);
    let mut work = Work { left: limits.fields.saturating_mul(WORK_PER_FIELD) };
    for operation in &outline.operations {
        work.spend(reached.of_operation(&outline, operation))?;
        let mut counter = Counter::new(&outline, limits, &mut work);
        counter.shape(&[operation.root], true)?;
        limits.check(Limit::Aliases, counter.aliases)?;
        // If all fields of each response name have one parent type, the second walk equals the
        // first.
        match counter.has_mixed_parents {
            true => counter.parents(&[operation.root])?,
            false => {
                let spent = counter.spent;
                work.spend(spent)?;
            }
        }
    }
    Ok(())
}

/// The remaining work of validation.
struct Work {
    left: usize,
}

impl Work {
    fn spend(&mut self, work: usize) -> Result<(), GraphQLError> {
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(GraphQLError::new(
                ErrorCode::QueryTooComplex,
                "The document is too much work to validate: its fragments multiply what it \
                 selects (--max-fields).",
            )),
        }
    }
}

/// The fragments reachable from each fragment, itself included.
struct Reached(Vec<Vec<u64>>);

impl Reached {
    fn new(outline: &Outline<'_>) -> Self {
        let mut reached = Self(vec![Vec::new(); outline.fragments.len()]);
        for fragment in 0..outline.fragments.len() {
            reached.find(outline, fragment);
        }
        reached
    }

    /// Recursion is bounded by the limit of nesting.
    fn find(&mut self, outline: &Outline<'_>, fragment: usize) {
        if !self.0[fragment].is_empty() {
            return;
        }
        let mut set = vec![0; outline.fragments.len().div_ceil(64)];
        set[fragment / 64] |= 1 << (fragment % 64);
        for spread in &outline.fragments[fragment].spreads {
            self.find(outline, *spread);
            add(&mut set, &self.0[*spread]);
        }
        self.0[fragment] = set;
    }

    /// The cost of visiting each node of the operation and of its fragments, of searching cycles
    /// from each of these, and of looking up each variable among the defined ones.
    fn of_operation(&self, outline: &Outline<'_>, operation: &Part) -> usize {
        let mut set = vec![0; outline.fragments.len().div_ceil(64)];
        for spread in &operation.spreads {
            add(&mut set, &self.0[*spread]);
        }
        let (mut weight, mut uses) = (operation.weight, operation.uses);
        let mut steps = operation.selections;
        for fragment in members(&set) {
            let part = &outline.fragments[fragment];
            weight += part.weight;
            uses += part.uses;
            let below = members(&self.0[fragment]);
            steps += below.map(|below| outline.fragments[below].selections).sum::<usize>();
        }
        weight + (steps + uses * operation.variables) / STEPS
    }
}

fn add(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let places = |word: u64| (0..64).filter(move |place| word & (1 << place) != 0);
    set.iter()
        .enumerate()
        .filter(|(_, word)| **word != 0)
        .flat_map(move |(index, word)| places(*word).map(move |place| index * 64 + place))
}

/// Walks the selections of an operation as validation does.
///
/// Recursion is bounded by the limit of nesting.
struct Counter<'o, 'd> {
    outline: &'o Outline<'d>,
    limits: &'o DocumentLimits,
    work: &'o mut Work,
    /// Fragments visited in the current selections: those stamped with their number.
    stamps: Vec<usize>,
    stamp: usize,
    /// All visited selections, and those of them that count.
    selections: usize,
    counted: usize,
    aliases: usize,
    spent: usize,
    has_mixed_parents: bool,
}

/// The fields of one response name at one position.
struct Merged {
    is_alias: bool,
    /// Of each occurrence.
    fields: Vec<(Parent, Option<SetId>)>,
}

impl<'o, 'd> Counter<'o, 'd> {
    fn new(outline: &'o Outline<'d>, limits: &'o DocumentLimits, work: &'o mut Work) -> Self {
        Self {
            outline,
            limits,
            work,
            stamps: vec![0; outline.fragments.len()],
            stamp: 0,
            selections: 0,
            counted: 0,
            aliases: 0,
            spent: 0,
            has_mixed_parents: false,
        }
    }

    /// The possible response, whatever the types: this counts for the limit.
    fn shape(&mut self, sets: &[SetId], is_root: bool) -> Result<(), GraphQLError> {
        let before = self.selections;
        let merged = self.merge(sets)?;
        self.counted += self.selections - before;
        self.limits.check(Limit::Fields, self.counted)?;
        if is_root {
            self.limits.check(Limit::RootFields, merged.len())?;
        }
        self.aliases += merged.iter().filter(|one| one.is_alias).count();
        for one in &merged {
            let first = one.fields.first().map(|(parent, _)| parent);
            self.has_mixed_parents |= one.fields.iter().any(|(parent, _)| Some(parent) != first);
            let below: Vec<SetId> = one.fields.iter().filter_map(|(_, below)| *below).collect();
            if !below.is_empty() {
                self.shape(&below, false)?;
            }
        }
        Ok(())
    }

    /// The same for each object type that a position may have.
    fn parents(&mut self, sets: &[SetId]) -> Result<(), GraphQLError> {
        for one in self.merge(sets)? {
            let (of_abstract, of_objects): (Vec<_>, Vec<_>) =
                one.fields.iter().partition(|(parent, _)| matches!(parent, Parent::Abstract(_)));
            let mut groups: HashMap<Parent, Vec<SetId>> = HashMap::new();
            for (parent, below) in of_objects {
                groups.entry(parent).or_default().extend(below);
            }
            if groups.is_empty() {
                groups.insert(Parent::Unknown, Vec::new());
            }
            for mut below in groups.into_values() {
                self.spend(of_abstract.len())?;
                below.extend(of_abstract.iter().filter_map(|(_, below)| *below));
                if !below.is_empty() {
                    self.parents(&below)?;
                }
            }
        }
        Ok(())
    }

    /// All fields of `sets` by their response names, each fragment once.
    fn merge(&mut self, sets: &[SetId]) -> Result<Vec<Merged>, GraphQLError> {
        let outline = self.outline;
        self.stamp += 1;
        let mut places = HashMap::new();
        let mut merged: Vec<Merged> = Vec::new();
        let mut waiting = sets.to_vec();
        while let Some(set) = waiting.pop() {
            let set = outline.set(set);
            self.selections += set.items.len();
            for item in &set.items {
                match item {
                    Item::Field(field) => {
                        self.spend(field.weight)?;
                        let place = *places.entry(field.response_name).or_insert_with(|| {
                            merged.push(Merged { is_alias: field.is_alias, fields: Vec::new() });
                            merged.len() - 1
                        });
                        merged[place].fields.push((set.parent, field.below));
                    }
                    Item::Inline(set) => {
                        self.spend(1)?;
                        waiting.push(*set);
                    }
                    Item::Spread(fragment) => {
                        self.spend(1)?;
                        if std::mem::replace(&mut self.stamps[*fragment], self.stamp) != self.stamp
                        {
                            waiting.push(outline.fragments[*fragment].root);
                        }
                    }
                }
            }
        }
        Ok(merged)
    }

    fn spend(&mut self, work: usize) -> Result<(), GraphQLError> {
        self.spent += work;
        self.work.spend(work)
    }
}
