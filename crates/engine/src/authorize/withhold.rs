//! What is refused of a request, taken out of it and told in its answer.
//!
//! Of a query a refusal concerns the smallest part that depends on it: a value, a set of related
//! rows, a root field. The rest is answered as if it was not asked for. Of what changes something
//! it concerns the root field as a whole, which then is not done: nothing is to be changed of which
//! the answer cannot be told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::Catalog;
use dialects::Lowered;
use ir::{Isolation, Output, OutputId, OutputKind, Request, RowsId, Step, StepKind};
use response::{Node, NotRead, Piece};

use super::denial::{Denial, field_name};
use super::set::Verb;

/// What depends on something that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Root(u32),
    /// A set of related rows, or of those that are found by one of several lists of keys, with all
    /// that is made of them.
    Rows(RowsId),
    Output(OutputId),
}

/// What a request is not let to do.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// Everything, whatever depends on it.
    pub(crate) all: BTreeSet<Denial>,
    /// Each part with the reason that is told of it.
    parts: BTreeMap<Part, Denial>,
    /// The root fields that are not done because another one of their transaction is refused.
    undone: BTreeSet<u32>,
}

impl Refused {
    pub(super) fn add(&mut self, part: Part, denial: Denial) {
        self.all.insert(denial);
        // A change that is not allowed says more than that its payload cannot be read, and a table
        // that cannot be read says more than its columns.
        let rank = |denial: Denial| {
            let is_change = matches!(denial, Denial::Entity(_, verb) if verb != Verb::Read);
            (!is_change, denial)
        };
        let known = self.parts.entry(part).or_insert(denial);
        *known = std::cmp::min_by_key(*known, denial, |denial| rank(*denial));
    }

    /// Whether an output is refused. Then all that is made of its rows is, too.
    pub(super) fn takes(&mut self, output: &Output) -> bool {
        let own = self.parts.get(&Part::Output(output.id)).copied();
        let OutputKind::Related { rows, .. } = &output.kind else { return own.is_some() };
        let Some(denial) = own.or_else(|| self.parts.get(&Part::Rows(rows.id)).copied()) else {
            return false;
        };
        self.parts.entry(Part::Rows(rows.id)).or_insert(denial);
        for output in &rows.outputs {
            self.parts.entry(Part::Output(output.id)).or_insert(denial);
        }
        true
    }

    /// Takes the root fields that are refused out of the request.
    pub(super) fn take_roots(&mut self, request: &mut Request) {
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
                StepKind::Write(_) | StepKind::Call(_) | StepKind::Require(_) => false,
            };
            transaction.steps.retain(|step| !is_refused(step.root) && !is_refused_alone(step));
        }
        request.transactions.retain(|transaction| !transaction.steps.is_empty());
    }

    /// Tells in the answer what is refused.
    pub(crate) fn tell(&self, catalog: &Catalog, lowered: &mut Lowered) {
        if self.parts.is_empty() {
            return;
        }
        let told: BTreeMap<Part, Arc<NotRead>> = self
            .parts
            .iter()
            .map(|(part, denial)| (*part, Arc::new(not_read(catalog, denial))))
            .collect();
        for (part, why) in &told {
            if let Part::Root(root) = part {
                lowered.shape.leave_out_root(*root, why);
            }
        }
        for root in &self.undone {
            lowered.shape.leave_out_root(*root, &Arc::new(NotRead::Undone));
        }
        let of_rows = |rows: response::RowsId| told.get(&Part::Rows(RowsId(rows.0)));
        lowered.shape.leave_out_branches(of_rows);
        let of = |output: response::OutputId| told.get(&Part::Output(OutputId(output.0)));
        lowered.shape.leave_out(|node| match node {
            Node::List { rows, .. }
            | Node::Single { rows, .. }
            | Node::Edge { rows, .. }
            | Node::Length { rows }
            | Node::HasMore { rows }
            | Node::HasOutside { rows, .. } => of_rows(*rows),
            Node::Joined { present: output, .. }
            | Node::Present { present: output, .. }
            | Node::Variants { variant: output, .. }
            | Node::Leaf { output, .. }
            | Node::LeafOr { output, .. }
            | Node::Aggregate { output, .. }
            | Node::Groups { output, .. }
            | Node::Count { output } => of(*output),
            Node::Leaves(leaves) => leaves.iter().find_map(|(output, _)| of(*output)),
            Node::Base64(pieces) => pieces.iter().find_map(|piece| match piece {
                Piece::Leaf { output, .. } | Piece::Text { output, .. } => of(*output),
                Piece::Literal(_) | Piece::RowNumber | Piece::RowOffset => None,
            }),
            Node::Object(_)
            | Node::Only(_)
            | Node::Literal(_)
            | Node::Echo(_)
            | Node::Representations { .. }
            | Node::TooDeep(_)
            | Node::Refused(_)
            | Node::NotRead(_) => None,
        });
    }
}

fn not_read(catalog: &Catalog, denial: &Denial) -> NotRead {
    let field = match denial {
        Denial::Field(field, _) | Denial::Hidden(field) => Some(field_name(catalog, *field).into()),
        Denial::Entity(..)
        | Denial::Function(_)
        | Denial::Together(..)
        | Denial::Unauthenticated
        | Denial::Forbidden
        | Denial::NotUnderstood(_) => None,
    };
    NotRead::NotLet { message: denial.message(catalog).into(), field }
}
