//! Denied parts of a request, which are removed from it.
//!
//! In a query a denial concerns the smallest part that depends on it: a value, a set of related
//! rows, a root field. The rest is executed. In a mutation it concerns the root field as a whole,
//! which is not executed: a change is not made if its result cannot be returned.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use ir::{Isolation, Output, OutputId, OutputKind, Request, RowsId, Step, StepKind};

use crate::denial::Denial;
use crate::grant::Privilege;

/// The part of a request that a denial concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Root(u32),
    /// A set of related rows, or the rows of one of several lists of keys, with everything that is
    /// computed from them.
    Rows(RowsId),
    Output(OutputId),
}

/// Denied parts of a request.
#[derive(Debug, Default)]
pub struct Refused {
    /// All denials.
    pub all: BTreeSet<Denial>,
    /// Each denied part with the reason for its error.
    parts: BTreeMap<Part, Denial>,
    /// Root fields that are not executed because another one of their transaction is denied.
    undone: BTreeSet<u32>,
}

impl Refused {
    pub(crate) fn add(&mut self, part: Part, denial: Denial) {
        self.all.insert(denial.clone());
        // A denied change is the more useful error than an unreadable payload, and an unreadable
        // table than its columns.
        let is_later = |denial: &Denial| match denial {
            Denial::MissingClaim(_) => false,
            Denial::Entity(_, privilege) => *privilege == Privilege::Read,
            _ => true,
        };
        match self.parts.entry(part) {
            Entry::Vacant(free) => {
                free.insert(denial);
            }
            Entry::Occupied(mut known) => {
                if (is_later(&denial), &denial) < (is_later(known.get()), known.get()) {
                    known.insert(denial);
                }
            }
        }
    }

    /// Returns true if an output is denied. Then everything that is computed from its rows is, too.
    pub(crate) fn takes(&mut self, output: &Output) -> bool {
        let own = self.parts.get(&Part::Output(output.id)).cloned();
        let OutputKind::Related { rows, .. } = &output.kind else { return own.is_some() };
        let Some(denial) = own.or_else(|| self.parts.get(&Part::Rows(rows.id)).cloned()) else {
            return false;
        };
        self.parts.entry(Part::Rows(rows.id)).or_insert_with(|| denial.clone());
        for output in &rows.outputs {
            self.parts.entry(Part::Output(output.id)).or_insert_with(|| denial.clone());
        }
        true
    }

    /// Removes the denied root fields from the request.
    pub(crate) fn take_roots(&mut self, request: &mut Request) {
        for transaction in &mut request.transactions {
            let is_refused = |root: u32| self.parts.contains_key(&Part::Root(root));
            let roots: BTreeSet<u32> = transaction.steps.iter().map(|step| step.root).collect();
            let is_whole = transaction.isolation == Isolation::ReadCommitted;
            if is_whole && roots.iter().any(|root| is_refused(*root)) {
                self.undone.extend(roots.iter().filter(|root| !is_refused(**root)));
                transaction.steps.clear();
            }
            let is_refused_alone = |step: &Step| match &step.kind {
                StepKind::Read(rows) => self.parts.contains_key(&Part::Rows(rows.id)),
                StepKind::Write(_)
                | StepKind::Call(_)
                | StepKind::Require(_)
                | StepKind::Objects(_) => false,
            };
            transaction.steps.retain(|step| !is_refused(step.root) && !is_refused_alone(step));
        }
        request.transactions.retain(|transaction| !transaction.steps.is_empty());
    }

    /// Each denied part with the reason for its error.
    pub fn parts(&self) -> impl Iterator<Item = (Part, &Denial)> {
        self.parts.iter().map(|(part, denial)| (*part, denial))
    }

    /// Root fields that are not executed because another one of their transaction is denied.
    pub fn undone(&self) -> impl Iterator<Item = u32> {
        self.undone.iter().copied()
    }
}
