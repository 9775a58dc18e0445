//! The authorizer: restricts a request to the permissions of an access set.
//!
//! By grants, every set of rows gets the condition that its rows are readable. An unreadable row at
//! the end of a path counts as absent wherever the path is used; a value that is readable in some
//! rows only is null in the others, in filters and orders as in the response, so that neither
//! reveals what the response hides. A relationship is followed only if the fields that it compares
//! are readable. Conditions of rules themselves read everything.
//!
//! By restrictions, the rows that are read, counted or aggregated are those that pass the filters
//! of the action; restrictions of fields hold where the fields are selected. Conditions and orders
//! of the request read everything.
//!
//! Lists end after the number of rows that the grants permit.
//!
//! * `origins`, `outputs`, `conditions`, `values`: grants of a request's reads
//! * `variants`: grants of rows of several entities
//! * `limits`: row limits of grants
//! * `write`, `objects`: grants of its writes
//! * `restrict`: restrictions

mod conditions;
mod limits;
mod listed;
mod objects;
mod origins;
mod outputs;
mod requirement;
mod restrict;
mod values;
mod variants;
mod write;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId, FunctionId};
use ir::{
    Authority, Filter, From, Hop, HopDirection, Isolation, Output, OutputId, OutputKind, Page,
    Request, Rows, RowsId, Step, StepCondition, StepId, StepKind,
};

use crate::denial::Denial;
use crate::grant::Privilege;
use crate::refused::{Part, Refused};
use crate::set::{AccessSet, Cell};

/// The result of authorizing a request.
#[derive(Debug, Default)]
pub struct Authorized {
    pub refused: Refused,
    /// All looked-up grants.
    pub checked: BTreeSet<Checked>,
    /// Rows for which the request has no limit, and the grants have one.
    pub limited: BTreeSet<RowsId>,
}

/// The subject of a looked-up grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checked {
    /// Rows of an entity, or a field of them.
    Rows(EntityId, Privilege, Option<FieldId>),
    Function(FunctionId),
}

/// Restricts a request to its permissions, and returns the denials.
pub fn authorize(catalog: &Catalog, set: &AccessSet, request: &mut Request) -> Authorized {
    if set.permits_all() {
        return Authorized::default();
    }
    request.claimed_names.clone_from(&set.labels);
    let mut walk = Walk {
        catalog,
        set,
        refused: Refused::default(),
        part: Part::Root(0),
        is_whole: false,
        checked: BTreeSet::new(),
        limited: BTreeSet::new(),
        next: Next::of(request),
        changed: HashMap::new(),
        checks: Vec::new(),
        guards: Vec::new(),
        when: Vec::new(),
    };
    for transaction in &mut request.transactions {
        let changes = transaction.isolation == Isolation::ReadCommitted;
        // A change is executed with its whole result, or not at all; restrictions know no smaller
        // part of a query either.
        walk.is_whole = changes || set.grants.is_none();
        for step in &mut transaction.steps {
            walk.part = match &step.kind {
                // Other keys of the list find other rows, which stay in the response.
                StepKind::Read(rows)
                    if matches!(rows.from, From::Keys { .. })
                        && !(changes && set.grants.is_some()) =>
                {
                    Part::Rows(rows.id)
                }
                _ => Part::Root(step.root),
            };
            walk.step(step);
        }
        walk.add_checks(transaction);
    }
    (request.outputs, request.rows) = (walk.next.outputs, walk.next.rows);
    let Walk { mut refused, checked, limited, .. } = walk;
    refused.take_roots(request);
    Authorized { refused, checked, limited }
}

struct Walk<'a> {
    catalog: &'a Catalog,
    set: &'a AccessSet,
    refused: Refused,
    /// The part that depends on the visited node.
    part: Part,
    /// True if that is the root field in any case.
    is_whole: bool,
    checked: BTreeSet<Checked>,
    limited: BTreeSet<RowsId>,
    next: Next,
    /// The rows that writing steps return.
    changed: HashMap<StepId, Changed>,
    /// Conditions on what a transaction has written.
    checks: Vec<Step>,
    /// Conditions on what a transaction changes, each before a step.
    guards: Vec<(StepId, Step)>,
    /// The conditions of the visited step, which those that are added for it have, too.
    when: Vec<StepCondition>,
}

/// A step, and the root field that it belongs to.
type StepOfRoot = (StepId, u32);

/// The first unused numbers of a request.
struct Next {
    outputs: u32,
    rows: u32,
    steps: u32,
}

impl Next {
    fn of(request: &Request) -> Self {
        let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
        let steps = steps.map(|step| step.id.0.saturating_add(1)).max().unwrap_or(0);
        Self { outputs: request.outputs, rows: request.rows, steps }
    }
}

/// The rows that a step returns.
#[derive(Clone, Copy, Debug)]
struct Changed {
    /// Their entity, if there are any.
    entity: Option<EntityId>,
    /// True if they were deleted. Only readable rows were.
    is_gone: bool,
    /// True if this step inserted them: the session may read rows that it inserts.
    is_new: bool,
    /// True if a function gave them: the session may read those that it may read otherwise.
    is_given: bool,
}

/// The rows in which places are resolved.
struct Within {
    entity: Option<EntityId>,
    /// The entity that joins the rows to the outer rows.
    edge: Option<EntityId>,
    /// The readable rows.
    visible: Filter,
    /// Rows at the ends of paths of which only some are readable. `None`: there is no position for
    /// a condition on them.
    paths: Option<Vec<(Vec<Hop>, Filter)>>,
    /// True for rows as they were before a delete.
    is_gone: bool,
    /// Of rows of several entities the common fields of each.
    commons: Option<Vec<Vec<FieldId>>>,
}

impl Within {
    fn nothing() -> Self {
        Self::rows(None, Filter::all())
    }

    /// The readable rows of an entity.
    fn rows(entity: Option<EntityId>, visible: Filter) -> Self {
        Self { entity, edge: None, visible, paths: None, is_gone: false, commons: None }
    }
}

impl Walk<'_> {
    /// Authorizes one step.
    fn step(&mut self, step: &mut Step) {
        let (has_grants, is_restricted) = (self.set.grants.is_some(), self.is_restricted());
        self.when.clone_from(&step.when);
        if step.authority == Authority::Model {
            return self.model_step(step);
        }
        if is_restricted {
            self.restrict_root(&step.kind);
        }
        match &mut step.kind {
            StepKind::Read(rows) => {
                self.rows(rows, None);
                self.limit(rows);
            }
            StepKind::Write(write) => {
                let changed = Changed {
                    entity: Some(write.entity),
                    is_gone: matches!(write.kind, ir::WriteKind::Delete { .. }),
                    is_new: matches!(write.kind, ir::WriteKind::Insert(_)),
                    is_given: false,
                };
                self.changed.insert(step.id, changed);
                if has_grants {
                    self.write((step.id, step.root), step.authority, write);
                }
                if is_restricted {
                    self.restrict_write(write);
                }
            }
            StepKind::Call(call) => {
                if is_restricted {
                    self.deny(Denial::NotUnderstood("a function"));
                }
                self.effect(step.id, call);
            }
            StepKind::Require(require) => {
                if is_restricted {
                    self.deny(Denial::NotUnderstood("a requirement"));
                }
                self.require(require);
            }
            StepKind::Objects(change) => {
                let step = (step.id, step.root);
                if has_grants {
                    self.grant_objects(step, change);
                }
                if is_restricted {
                    self.restrict_objects(step, change);
                }
            }
        }
    }

    /// A step that the data model demands. What it reads is in no response of the request: keys of rows,
    /// and values of events.
    fn model_step(&mut self, step: &Step) {
        match &step.kind {
            StepKind::Write(write) => {
                let changed = Changed {
                    entity: Some(write.entity),
                    is_gone: matches!(write.kind, ir::WriteKind::Delete { .. }),
                    is_new: false,
                    is_given: false,
                };
                self.changed.insert(step.id, changed);
            }
            StepKind::Read(_) | StepKind::Require(_) => {}
            StepKind::Call(_) | StepKind::Objects(_) => self.unsupported("this step of the model"),
        }
    }

    fn is_restricted(&self) -> bool {
        self.set.restrictions.is_any
    }

    fn deny(&mut self, denial: Denial) {
        self.refused.add(self.part, denial);
    }

    /// Refuses a construct in which grants cannot be enforced.
    fn unsupported(&mut self, what: &'static str) {
        if self.set.grants.is_some() {
            self.deny(Denial::NotUnderstood(what));
        }
    }

    /// Sets the part that depends on the node visited next; returns the previous one.
    fn enter(&mut self, part: Part) -> Part {
        let before = self.part;
        if !self.is_whole {
            self.part = part;
        }
        before
    }

    fn check(&mut self, entity: EntityId, privilege: Privilege, field: Option<FieldId>) {
        if self.catalog[entity].kind.has_permissions() {
            self.checked.insert(Checked::Rows(entity, privilege, field));
        }
        if let Some(claim) = self.set.missing_claim(entity, privilege) {
            self.deny(Denial::MissingClaim(Arc::clone(claim)));
        }
    }

    /// The readable rows of an entity.
    fn visible(&mut self, entity: EntityId) -> Filter {
        self.check(entity, Privilege::Read, None);
        self.set.visible(self.catalog, entity).unwrap_or_else(|| {
            self.deny(Denial::Entity(entity, Privilege::Read));
            Filter::none()
        })
    }

    /// Checks a field whose value cannot be masked where it is used.
    fn plain(&mut self, field: FieldId) {
        self.check(self.catalog[field].entity, Privilege::Read, Some(field));
        match self.set.cell(self.catalog, field) {
            Cell::Plain => {}
            Cell::Masked(_) => self.deny(Denial::Hidden(field)),
            Cell::Denied => self.deny(Denial::Field(field, Privilege::Read)),
        }
    }

    /// Checks a field of the key that finds rows; returns the rows in which it may be read.
    fn key_field(&mut self, field: FieldId) -> Filter {
        match self.set.cell(self.catalog, field) {
            Cell::Masked(filter) if self.set.follows_any_key() => {
                self.check(self.catalog[field].entity, Privilege::Read, Some(field));
                filter
            }
            _ => {
                self.plain(field);
                Filter::all()
            }
        }
    }

    /// Follows a relationship: returns the entity and its readable rows.
    fn hop(&mut self, hop: Hop, near: Option<EntityId>) -> (EntityId, Filter) {
        let relationship = &self.catalog[hop.relationship];
        if relationship.edge.is_some() {
            self.unsupported("a relationship with properties");
        }
        if !self.set.follows_any_key() {
            for field in relationship.from_fields.iter().chain(&relationship.to_fields) {
                self.plain(*field);
            }
        }
        let (from, to) = match hop.direction {
            HopDirection::Forward => (relationship.from, relationship.to),
            HopDirection::Backward => (relationship.to, relationship.from),
        };
        if near.is_some_and(|near| near != from && self.catalog[near].kind.has_permissions()) {
            self.unsupported("a relationship of other rows");
        }
        (to, self.visible(to))
    }

    fn rows(&mut self, rows: &mut Rows, outer: Option<EntityId>) {
        let is_granted = self.set.grants.is_some();
        if is_granted && matches!(rows.from, From::Variants(_)) {
            self.grant_variants(rows, outer);
            if self.is_restricted() {
                self.restrict_rows(rows);
            }
            return;
        }
        let mut within = self.from(&mut rows.from, outer);
        if is_granted {
            self.grant_rows(rows, within);
        } else {
            self.outputs_with_paths(&mut rows.outputs, &mut within);
            if let From::Variants(variants) | From::FunctionOfVariants { variants, .. } =
                &mut rows.from
            {
                for variant in variants {
                    self.outputs_with_paths(&mut variant.outputs, &mut within);
                }
            }
        }
        if self.is_restricted() {
            self.restrict_rows(rows);
        }
    }

    /// Restricts rows to those that are granted.
    fn grant_rows(&mut self, rows: &mut Rows, mut within: Within) {
        within.paths = Some(Vec::new());
        self.filter(&mut rows.filter, &mut within);
        for field in &rows.distinct {
            self.plain(*field);
        }
        if self.set.follows_any_key() {
            rows.order.retain(|term| !self.is_order_denied(&term.key));
        }
        for term in &mut rows.order {
            self.order_key(&mut term.key, &mut within);
        }
        if let Page::BesideRows(beside) = &rows.page {
            for (field, _) in beside.keys().flatten() {
                self.plain(*field);
            }
        }
        self.outputs(&mut rows.outputs, &mut within);
        rows.outputs.retain(|output| !self.refused.takes(output));
        for (path, filter) in within.paths.unwrap_or_default() {
            self.present_if(&mut rows.outputs, path, filter);
        }
        let own = std::mem::replace(&mut rows.filter, Filter::all());
        rows.filter = Filter::barrier(within.visible, own);
    }

    /// Outputs of which rows at the end of paths may be hidden.
    fn outputs_with_paths(&mut self, outputs: &mut Vec<Output>, within: &mut Within) {
        within.paths = Some(Vec::new());
        self.outputs(outputs, within);
        for (path, filter) in within.paths.take().unwrap_or_default() {
            self.present_if(outputs, path, filter);
        }
    }

    fn outputs(&mut self, outputs: &mut [Output], within: &mut Within) {
        for output in outputs {
            let before = self.enter(Part::Output(output.id));
            self.output(output, within);
            self.part = before;
        }
    }

    /// Makes unreadable rows at the end of a path absent.
    fn present_if(&mut self, outputs: &mut Vec<Output>, path: Vec<Hop>, filter: Filter) {
        let known = outputs.iter_mut().find(
            |output| matches!(&output.kind, OutputKind::Present { path: own } if *own == path),
        );
        let kind = OutputKind::PresentIf { path, filter };
        match known {
            Some(output) => output.kind = kind,
            None => {
                let id = OutputId(self.next.outputs);
                self.next.outputs += 1;
                outputs.push(Output { id, kind });
            }
        }
    }
}
