//! What has to be so once everything of a transaction is written.
//!
//! What is not ends the transaction, and nothing of it is done. A row that one write leaves wrong
//! may be right by another, such as by a row that refers to it: so all are looked at after the last.

use catalog::EntityId;
use ir::{
    Filter, From, Otherwise, Page, Require, Rows, RowsId, State, Step, StepId, StepKind,
    Transaction,
};

use super::super::denial::{kept, unlike};
use super::super::read::Walk;
use super::Place;

impl Walk<'_> {
    /// No row that the step wrote may fail the check.
    pub(super) fn add_check(&mut self, place: Place, entity: EntityId, verb: &str, check: Filter) {
        let fails = Filter::Except(Box::new(check));
        let otherwise = unlike(self.catalog, entity, verb);
        self.add_requirement(place, fails, false, otherwise);
    }

    /// The row comes back: it is not one that had to be left as it was.
    pub(super) fn add_return(&mut self, place: Place, entity: EntityId) {
        let otherwise = kept(self.catalog, entity);
        self.add_requirement(place, Filter::all(), true, otherwise);
    }

    fn add_requirement(
        &mut self,
        (step, root): Place,
        filter: Filter,
        exists: bool,
        otherwise: Otherwise,
    ) {
        let rows = Rows {
            id: RowsId(self.next.rows),
            from: From::Returned { step, state: State::After },
            filter,
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            shown: true,
            outputs: Vec::new(),
        };
        let require = Require { rows, filter: Filter::all(), exists, otherwise };
        let kind = StepKind::Require(require);
        self.checks.push(Step { id: StepId(self.next.steps), root, kind });
        self.next.rows += 1;
        self.next.steps += 1;
    }

    /// Adds the checks of a transaction after its last change.
    pub(in super::super) fn add_checks(&mut self, transaction: &mut Transaction) {
        let changes = |step: &Step| matches!(step.kind, StepKind::Write(_) | StepKind::Call(_));
        let last = transaction.steps.iter().rposition(changes);
        let place = last.map_or(0, |last| last + 1);
        transaction.steps.splice(place..place, self.checks.drain(..));
    }
}
