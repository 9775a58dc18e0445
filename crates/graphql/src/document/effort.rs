//! What a document comes to with its fragments in their places, counted before validation.
//!
//! Validation asks whether fields of one response name can be merged, and for that goes through
//! the selections of each place of the response: a short document of fragments in fragments has
//! exponentially many. Here the same selections are gone through, but only counted, and counting
//! ends at a limit. So a document that is let through is validated in a time that is bounded.

use std::collections::HashMap;

use apollo_compiler::ast;

use super::field_index::FieldIndex;
use super::limits::{DocumentLimits, Limit};
use super::outline::{Item, Outline, Parent, Part, SetId};
use crate::error::{ErrorCode, GraphQLError};
use crate::schema::Schema;

/// How much work of validation a field may cost on the average, if an operation has as many as
/// it may: a document of fewer fields may have larger ones.
const WORK_PER_FIELD: usize = 25;

/// How many steps through selections, or comparisons of names, are one unit of work.
const STEPS: usize = 4;

/// Refuses documents that come to more than the limits.
pub(super) fn check_effort(
    schema: &Schema,
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
        // Where all fields of one response name are of one type, the second way through the
        // selections is the same as the first.
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

/// The work that validation may still cost.
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

/// Which fragments are reached from each fragment, itself included.
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

    /// What looking at each node of the operation and of its fragments costs, and looking for
    /// cycles from each of these, and looking for each variable among those that are defined.
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

/// Goes through the selections of an operation as validation does.
///
/// Recursion is bounded by the limit of nesting.
struct Counter<'o, 'd> {
    outline: &'o Outline<'d>,
    limits: &'o DocumentLimits,
    work: &'o mut Work,
    /// Which fragments were met in the selections at hand: those stamped with their number.
    stamps: Vec<usize>,
    stamp: usize,
    /// All that were gone through, and those of them that count.
    selections: usize,
    counted: usize,
    aliases: usize,
    spent: usize,
    has_mixed_parents: bool,
}

/// The fields of one response name at one place.
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

    /// The response as it may come to be, whatever the types: this is what counts.
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

    /// The same for each object type that a place may have.
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
