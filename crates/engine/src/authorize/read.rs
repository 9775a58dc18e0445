//! A request as far as rules let it read.
//!
//! Every set of rows gets the condition that its rows may be seen. A row at the end of a path that
//! may not be seen counts as absent wherever the path is used; a value that may be seen in some
//! rows only is null in the others, in filters and orders as in the answer, so that neither tells
//! what the answer hides. A relationship is followed only if the fields that it compares may be
//! seen. Conditions of rules themselves look at everything.

mod conditions;
mod origins;
mod outputs;
mod values;

use std::collections::{BTreeSet, HashMap};

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{
    Filter, From, Hop, HopDirection, Isolation, Output, OutputId, OutputKind, Page, Request, Rows,
    Step, StepId, StepKind,
};

use super::denial::Denial;
use super::set::{Cell, PolicySet, Verb};
use super::withhold::{Part, Refused};

/// Changes a request to what it is let to do, and gives what it is not.
pub(crate) fn authorize(catalog: &Catalog, set: &PolicySet, request: &mut Request) -> Refused {
    if set.all {
        return Refused::default();
    }
    let mut refused = walk(catalog, set, request).refused;
    refused.take_roots(request);
    refused
}

/// Changes a request to what it is let to do, and notes what it asked for.
pub(super) fn walk<'a>(
    catalog: &'a Catalog,
    set: &'a PolicySet,
    request: &mut Request,
) -> Walk<'a> {
    let mut walk = Walk {
        catalog,
        set,
        refused: Refused::default(),
        part: Part::Root(0),
        is_whole: false,
        asked: BTreeSet::new(),
        next: Next::of(request),
        changed: HashMap::new(),
        checks: Vec::new(),
    };
    for transaction in &mut request.transactions {
        // What changes something is done with all that it tells, or not at all.
        walk.is_whole = transaction.isolation == Isolation::ReadCommitted;
        for step in &mut transaction.steps {
            walk.part = Part::Root(step.root);
            match &mut step.kind {
                // Others are found by other keys, and those are answered.
                StepKind::Read(rows) if matches!(rows.from, From::Keys { .. }) => {
                    let before = walk.enter(Part::Rows(rows.id));
                    walk.rows(rows, None);
                    walk.part = before;
                }
                StepKind::Read(rows) => walk.rows(rows, None),
                StepKind::Write(write) => walk.write((step.id, step.root), write),
                StepKind::Call(call) => walk.effect(step.id, call),
                StepKind::Require(require) => walk.require(require),
            }
        }
        walk.add_checks(transaction);
    }
    (request.outputs, request.rows) = (walk.next.outputs, walk.next.rows);
    walk
}

/// Something that rules let or do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// Rows of an entity, or a field of them.
    Rows(EntityId, Verb, Option<FieldId>),
    Function(FunctionId),
}

pub(super) struct Walk<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) set: &'a PolicySet,
    pub(super) refused: Refused,
    /// What depends on what is looked at.
    part: Part,
    /// Whether that is the root field in any case.
    is_whole: bool,
    /// Everything that rules were asked about.
    pub(super) asked: BTreeSet<Asked>,
    /// What may be given to something new.
    pub(super) next: Next,
    /// What the steps that change something give.
    pub(super) changed: HashMap<StepId, Changed>,
    /// What has to be so once everything of a transaction is written.
    pub(super) checks: Vec<Step>,
}

/// The first numbers that nothing of a request has.
pub(super) struct Next {
    pub(super) outputs: u32,
    pub(super) rows: u32,
    pub(super) steps: u32,
}

impl Next {
    fn of(request: &Request) -> Self {
        let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
        let steps = steps.map(|step| step.id.0.saturating_add(1)).max().unwrap_or(0);
        Self { outputs: request.outputs, rows: request.rows, steps }
    }
}

/// The rows that a step gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    /// Whose rows they are, if there are any.
    pub(super) entity: Option<EntityId>,
    /// They are not there any more. Only those were taken away that might be seen.
    pub(super) is_gone: bool,
}

/// The rows within which places are looked up.
struct Within {
    entity: Option<EntityId>,
    /// What joins the rows to those around them.
    edge: Option<EntityId>,
    /// Those that may be seen.
    visible: Filter,
    /// The rows at the ends of paths, as far as not all of them may be seen. `None`: a condition on
    /// them would stand nowhere.
    paths: Option<Vec<(Vec<Hop>, Filter)>>,
    /// They are as they were before something was taken away, and nothing else is.
    is_gone: bool,
}

impl Within {
    fn nothing() -> Self {
        Self { entity: None, edge: None, visible: Filter::all(), paths: None, is_gone: false }
    }
}

impl Walk<'_> {
    pub(super) fn deny(&mut self, denial: Denial) {
        self.refused.add(self.part, denial);
    }

    /// From now on a smaller part depends on what is looked at; gives the one that did before.
    fn enter(&mut self, part: Part) -> Part {
        let before = self.part;
        if !self.is_whole {
            self.part = part;
        }
        before
    }

    pub(super) fn ask(&mut self, entity: EntityId, verb: Verb, field: Option<FieldId>) {
        if self.catalog[entity].kind.is_stored() {
            self.asked.insert(Asked::Rows(entity, verb, field));
        }
    }

    /// The rows of an entity that may be seen.
    pub(super) fn visible(&mut self, entity: EntityId) -> Filter {
        self.ask(entity, Verb::Read, None);
        self.set.visible(self.catalog, entity).unwrap_or_else(|| {
            self.deny(Denial::Entity(entity, Verb::Read));
            Filter::none()
        })
    }

    /// A field whose value is used in a way that a mask would not fit.
    pub(super) fn plain(&mut self, field: FieldId) {
        self.ask(self.catalog[field].entity, Verb::Read, Some(field));
        match self.set.cell(self.catalog, field) {
            Cell::Plain => {}
            Cell::Masked(_) => self.deny(Denial::Hidden(field)),
            Cell::Denied => self.deny(Denial::Field(field, Verb::Read)),
        }
    }

    /// Follows a relationship: to which entity, and which of its rows may be seen.
    fn hop(&mut self, hop: Hop, near: Option<EntityId>) -> (EntityId, Filter) {
        let relationship = &self.catalog[hop.relationship];
        if relationship.edge.is_some() {
            self.deny(Denial::NotUnderstood("a relationship with properties"));
        }
        for field in relationship.from_fields.iter().chain(&relationship.to_fields) {
            self.plain(*field);
        }
        let (from, to) = match hop.direction {
            HopDirection::Forward => (relationship.from, relationship.to),
            HopDirection::Backward => (relationship.to, relationship.from),
        };
        if near.is_some_and(|near| near != from && self.catalog[near].kind.is_stored()) {
            self.deny(Denial::NotUnderstood("a relationship of other rows"));
        }
        (to, self.visible(to))
    }

    pub(super) fn rows(&mut self, rows: &mut Rows, outer: Option<EntityId>) {
        let mut within = self.from(&mut rows.from, outer);
        within.paths = Some(Vec::new());
        self.filter(&mut rows.filter, &mut within);
        for field in &rows.distinct {
            self.plain(*field);
        }
        for term in &mut rows.order {
            self.order_key(&mut term.key, &mut within);
        }
        if let Page::AfterRow { key, .. } = &rows.page {
            for (field, _) in key {
                self.plain(*field);
            }
        }
        for output in &mut rows.outputs {
            let before = self.enter(Part::Output(output.id));
            self.output(output, &mut within);
            self.part = before;
        }
        rows.outputs.retain(|output| !self.refused.takes(output));
        for (path, filter) in within.paths.unwrap_or_default() {
            self.present_if(rows, path, filter);
        }
        let own = std::mem::replace(&mut rows.filter, Filter::all());
        rows.filter = Filter::barrier(within.visible, own);
    }

    /// The rows at the end of a path count as absent where they may not be seen.
    fn present_if(&mut self, rows: &mut Rows, path: Vec<Hop>, filter: Filter) {
        let mut outputs = rows.outputs.iter_mut();
        let known = outputs.find(
            |output| matches!(&output.kind, OutputKind::Present { path: own } if *own == path),
        );
        let kind = OutputKind::PresentIf { path, filter };
        match known {
            Some(output) => output.kind = kind,
            None => {
                let id = OutputId(self.next.outputs);
                self.next.outputs += 1;
                rows.outputs.push(Output { id, kind });
            }
        }
    }
}
