//! A request as far as rules let it read.
//!
//! The rows that are read, counted or aggregated are those that pass the filters of what is done
//! with them; those of fields count where the fields are asked for. Conditions and orders that a
//! request says look at everything, as in the library.

use std::collections::HashMap;

use catalog::{Catalog, EntityId, FieldId, FunctionResult};
use dialects::neo4j::rules::Operation;
use ir::{
    Call, Filter, From, Hop, HopDirection, OrderKey, OrderTerm, Output, OutputKind, Place, Request,
    Rows, StepId, StepKind, Variant,
};

use super::super::denial::Denial;
use super::super::withhold::{Part, Refused};
use super::restriction::{Restriction, add, has_barrier};
use super::{Member, RuleSet, Stage};

/// What a statement of `Mutation` may do, and what a mutation is asked for.
const CHANGES: [Operation; 3] = [Operation::Create, Operation::Update, Operation::Delete];

/// Adds what rules ask for, and gives what they do not let.
pub(super) fn walk(set: &RuleSet, catalog: &Catalog, request: &mut Request) -> Refused {
    let mut walk = Walk {
        set,
        catalog,
        refused: Refused::default(),
        part: Part::Root(0),
        changed: HashMap::new(),
    };
    for step in request.transactions.iter_mut().flat_map(|one| &mut one.steps) {
        walk.part = match &step.kind {
            // Others are found by other keys, and those are answered.
            StepKind::Read(rows) if matches!(rows.from, From::Keys { .. }) => Part::Rows(rows.id),
            _ => Part::Root(step.root),
        };
        walk.root_field(&step.kind);
        match &mut step.kind {
            StepKind::Read(rows) => walk.rows(rows),
            StepKind::Write(write) => walk.top(step.id, write),
            StepKind::Call(_) => walk.deny(Denial::NotUnderstood("a function")),
            StepKind::Require(_) => walk.deny(Denial::NotUnderstood("a requirement")),
        }
    }
    walk.refused
}

pub(super) struct Walk<'a> {
    pub(super) set: &'a RuleSet,
    pub(super) catalog: &'a Catalog,
    refused: Refused,
    /// The root field that is looked at, which is done as a whole or not at all; of rows that are
    /// found by lists of keys those of one list.
    part: Part,
    /// What the steps that change something give.
    pub(super) changed: HashMap<StepId, Changed>,
}

/// The rows that a change gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    pub(super) entity: EntityId,
    /// Who made them may see them.
    pub(super) is_new: bool,
}

/// What is done with rows, and with which of their fields.
#[derive(Debug, Default)]
struct Asked {
    is_read: bool,
    /// Whether a change gives them back.
    is_changed: bool,
    is_aggregated: bool,
    read: Vec<Member>,
    /// By which they are ordered.
    ordered: Vec<Member>,
    aggregated: Vec<Member>,
}

impl Walk<'_> {
    pub(super) fn deny(&mut self, denial: Denial) {
        self.refused.add(self.part, denial);
    }

    /// Refuses what may not be done at all.
    pub(super) fn open(&mut self, entity: EntityId, members: &[Member], operation: Operation) {
        let is_open = self.set.is_open(entity, None, operation)
            && members.iter().all(|member| self.set.is_open(entity, Some(*member), operation));
        if !is_open {
            self.deny(Denial::Unauthenticated);
        }
    }

    /// Refuses a root field that is closed whatever it asks.
    fn root_field(&mut self, step: &StepKind) {
        let is_closed = match step {
            StepKind::Read(rows) => match &rows.from {
                // What a change gives belongs to the change.
                From::Once | From::Returned { .. } => false,
                From::Function(call) | From::FunctionOfVariants { call, .. }
                    if !self.catalog[call.function].only_reads() =>
                {
                    self.set.mutations.is_closed(&CHANGES)
                }
                _ => {
                    let reads = [Operation::Read];
                    self.set.everything.is_closed(&reads) || self.set.queries.is_closed(&reads)
                }
            },
            StepKind::Write(_) => self.set.mutations.is_closed(&CHANGES),
            StepKind::Call(_) | StepKind::Require(_) => false,
        };
        if is_closed {
            self.deny(Denial::Unauthenticated);
        }
    }

    /// Refuses a statement that may not be asked. One of a node is refused with the node.
    fn called(&mut self, call: &Call) {
        if call.of_row.is_some() {
            return;
        }
        let is_change = !self.catalog[call.function].only_reads();
        let operations: &[Operation] = if is_change { &CHANGES } else { &[Operation::Read] };
        if !self.set.is_asked(call.function, operations) {
            self.deny(Denial::Unauthenticated);
        } else if !self.set.is_let(call.function, operations) {
            self.deny(Denial::Forbidden);
        }
        if is_change {
            self.change_anything();
        }
    }

    /// Refuses what may do anything where something may not be done at all.
    fn change_anything(&mut self) {
        let is_reading = |operation: &&Operation| {
            matches!(operation, Operation::Read | Operation::ReadChanged | Operation::Aggregate)
        };
        let changes = Operation::ALL.iter().filter(|operation| !is_reading(operation));
        if changes.into_iter().any(|operation| self.set.everything.closed.contains(operation)) {
            self.deny(Denial::Unauthenticated);
        }
    }

    /// The entity that a hop leads to.
    pub(super) fn far(&self, hop: Hop) -> EntityId {
        let relationship = &self.catalog[hop.relationship];
        match hop.direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        }
    }

    fn rows(&mut self, rows: &mut Rows) {
        match &mut rows.from {
            From::Entity(entity) => {
                let entity = *entity;
                self.of(entity, &[], rows);
            }
            // Whoever finds a node by a field is told what it holds.
            From::Keys { entity, keys, .. } => {
                let entity = *entity;
                let keys: Vec<Member> = keys.iter().map(|(key, _)| Member::Field(*key)).collect();
                self.of(entity, &keys, rows);
            }
            From::Relation(hop) => {
                let entity = self.far(*hop);
                self.of(entity, &[], rows);
            }
            From::Search { search, .. } => {
                let entity = self.catalog[*search].entity;
                self.of(entity, &[], rows);
            }
            From::Function(call) => {
                self.called(call);
                if let FunctionResult::Row(entity)
                | FunctionResult::Rows(entity)
                | FunctionResult::RowArray(entity) = self.catalog[call.function].result
                {
                    self.of(entity, &[], rows);
                }
            }
            From::Value(field) => match self.catalog.find_rows(&self.catalog[*field].r#type) {
                Some((entity, _)) => self.of(entity, &[], rows),
                None => self.deny(Denial::NotUnderstood("rows within a value")),
            },
            From::FunctionOfVariants { call, variants } => {
                self.called(call);
                for variant in variants {
                    self.variant(variant, rows.shown, (&rows.outputs, &rows.order));
                }
            }
            From::Variants(variants) => {
                for variant in variants.iter_mut() {
                    self.variant(variant, rows.shown, (&rows.outputs, &rows.order));
                }
                // The condition on all of them comes after those of each.
                if variants.iter().any(|variant| has_barrier(&variant.filter)) {
                    let common = std::mem::replace(&mut rows.filter, Filter::all());
                    for variant in variants {
                        add(&mut variant.filter, common.clone());
                    }
                }
            }
            From::Returned { step, .. } => match self.changed.get(step).copied() {
                Some(Changed { entity, is_new }) => {
                    let mut asked = Asked { is_changed: true, ..Asked::default() };
                    asked.add(&rows.outputs, &[]);
                    self.check(entity, &asked);
                    if !is_new {
                        self.condition(entity, &asked).restrict(&mut rows.filter);
                    }
                }
                None => self.deny(Denial::NotUnderstood("rows of another change")),
            },
            From::Once => {}
            From::Through { .. } | From::Joining { .. } => {
                self.deny(Denial::NotUnderstood("rows of this kind"))
            }
        }
        self.outputs(&mut rows.outputs);
    }

    fn outputs(&mut self, outputs: &mut [Output]) {
        for output in outputs {
            match &mut output.kind {
                OutputKind::Related { path, rows } => {
                    if !path.is_empty() {
                        self.deny(Denial::NotUnderstood("a row referred to"));
                    }
                    self.rows(rows);
                }
                OutputKind::Groups(groups) => self.outputs(&mut groups.outputs),
                _ => {}
            }
        }
    }

    /// Rows of an entity, of which these members are read whatever is shown.
    fn of(&mut self, entity: EntityId, members: &[Member], rows: &mut Rows) {
        let read = members.to_vec();
        let mut asked = Asked { is_read: rows.shown, read, ..Asked::default() };
        asked.add(&rows.outputs, &[]);
        asked.order(&rows.order, &[]);
        self.check(entity, &asked);
        self.condition(entity, &asked).restrict(&mut rows.filter);
    }

    /// `outputs` and `order` are those of all variants.
    fn variant(
        &mut self,
        variant: &mut Variant,
        shown: bool,
        (outputs, order): (&[Output], &[OrderTerm]),
    ) {
        let entity = variant.entity;
        let mut asked = Asked { is_read: shown, ..Asked::default() };
        asked.add(outputs, &variant.common);
        asked.order(order, &variant.common);
        asked.add(&variant.outputs, &variant.common);
        // Of one that the request leaves out nothing is asked.
        if variant.filter != Filter::none() {
            self.check(entity, &asked);
        }
        self.condition(entity, &asked).restrict(&mut variant.filter);
        self.outputs(&mut variant.outputs);
    }

    /// Whether it may be done at all. Whoever asks for something of all nodes asks for the nodes.
    fn check(&mut self, entity: EntityId, asked: &Asked) {
        self.open(entity, &asked.read, asked.reading());
        if !asked.ordered.is_empty() {
            self.open(entity, &asked.ordered, Operation::Order);
        }
        if asked.is_aggregated {
            self.open(entity, &asked.aggregated, Operation::Aggregate);
        }
    }

    /// Which nodes there are for what is asked, and what they have to pass.
    fn condition(&self, entity: EntityId, asked: &Asked) -> Restriction {
        let (mut passes, mut required) = (Vec::new(), Vec::new());
        let mut add = |members: &[Member], operation| {
            passes.push(self.set.filter(entity, members, operation));
            required.push(self.set.validation(entity, members, operation, Stage::Before));
        };
        if asked.is_read || asked.is_changed {
            add(&asked.read, asked.reading());
        }
        if !asked.ordered.is_empty() {
            add(&asked.ordered, Operation::Order);
        }
        if asked.is_aggregated {
            add(&asked.aggregated, Operation::Aggregate);
        }
        Restriction { passes: Filter::and(passes), required }
    }
}

impl Asked {
    /// As what the rows are read.
    fn reading(&self) -> Operation {
        match self.is_changed {
            true => Operation::ReadChanged,
            false => Operation::Read,
        }
    }

    /// Adds what an order asks of the rows themselves; `common` are the fields that common ones are
    /// of this entity.
    fn order(&mut self, order: &[OrderTerm], common: &[FieldId]) {
        let member = |term: &OrderTerm| match &term.key {
            OrderKey::Place(place) => match place.stored() {
                Place::Field { path, field } if path.is_empty() => Some(Member::Field(*field)),
                Place::Common(place) => common.get(usize::from(*place)).copied().map(Member::Field),
                Place::Computed(call) => Some(Member::Function(call.function)),
                _ => None,
            },
            OrderKey::Call(call) => Some(Member::Function(call.function)),
            OrderKey::Relation { .. } => None,
        };
        self.ordered.extend(order.iter().filter_map(member));
    }

    /// Adds what outputs ask for; `common` are the fields that common ones are of this entity.
    fn add(&mut self, outputs: &[Output], common: &[FieldId]) {
        let shared = |place: &u16| common.get(usize::from(*place)).copied().map(Member::Field);
        let member = |place: &Place| match place.stored() {
            Place::Field { field, .. } => Some(Member::Field(*field)),
            Place::Common(place) => shared(place),
            Place::Computed(call) => Some(Member::Function(call.function)),
            _ => None,
        };
        for output in outputs {
            match &output.kind {
                OutputKind::Field { field, .. } | OutputKind::FieldIf { field, .. } => {
                    self.read.push(Member::Field(*field));
                }
                OutputKind::Common { place, .. } => self.read.extend(shared(place)),
                OutputKind::Computed { call, .. } => {
                    self.read.push(Member::Function(call.function));
                }
                OutputKind::Related { rows, .. } => self.read.extend(given(rows)),
                OutputKind::Count => self.is_read = true,
                OutputKind::Aggregate(aggregate) => {
                    self.is_aggregated = true;
                    let places = aggregate.terms.iter().filter_map(|term| term.place.as_ref());
                    self.aggregated.extend(places.filter_map(member));
                }
                // What rows are put in groups by is told with them.
                OutputKind::Groups(groups) => {
                    self.is_read = true;
                    self.read.extend(groups.by.iter().filter_map(member));
                    self.add(&groups.outputs, common);
                }
                OutputKind::Present { .. }
                | OutputKind::PresentIf { .. }
                | OutputKind::Edge { .. }
                | OutputKind::OrderValue(_)
                | OutputKind::Variant
                | OutputKind::Ordinal
                | OutputKind::Counter { .. } => {}
            }
        }
    }
}

/// The statement of a row that rows come from, if one is.
fn given(rows: &Rows) -> Option<Member> {
    let (From::Function(call) | From::FunctionOfVariants { call, .. }) = &rows.from else {
        return None;
    };
    call.of_row.is_some().then_some(Member::Function(call.function))
}
