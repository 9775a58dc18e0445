//! Restrictions of reads.

mod hidden;
mod nearest;
mod objects;
mod write;

use catalog::{EntityId, FieldId, FunctionResult};
use ir::{
    Call, EventKind, Filter, From, Hop, HopDirection, Operand, OrderKey, OrderTerm, Output,
    OutputKind, Rows, StepKind, ValueRef, Variant,
};

use self::nearest::has_nearest;
use super::requirement::{Requirement, add, has_barrier};
use super::{Changed, Walk};
use crate::denial::Denial;
use crate::restriction::Action;
use crate::set::{Member, Stage};

/// The actions of a function that changes data, and of a mutation.
const CHANGES: [Action; 3] = [Action::Create, Action::Update, Action::Delete];

/// The actions on a set of rows, with the members that each reads.
#[derive(Debug, Default)]
struct Usage {
    is_read: bool,
    /// True if a change returns them.
    is_changed: bool,
    /// True if a password finds them.
    is_checked: bool,
    is_aggregated: bool,
    read: Vec<Member>,
    /// Members that they are ordered by.
    ordered: Vec<Member>,
    aggregated: Vec<Member>,
}

impl Walk<'_> {
    /// Denies a closed action.
    fn open(&mut self, entity: EntityId, members: &[Member], action: Action) {
        let set = &self.set.restrictions;
        let is_open = set.is_open(entity, None, action)
            && members.iter().all(|member| set.is_open(entity, Some(*member), action));
        if !is_open {
            self.deny(Denial::Unauthenticated);
        }
    }

    /// Denies a root field that is closed whatever it selects.
    pub(super) fn restrict_root(&mut self, step: &StepKind) {
        let set = &self.set.restrictions;
        let is_closed = match step {
            StepKind::Read(rows) => match &rows.from {
                // The result of a change belongs to the change.
                From::Once | From::List { .. } | From::Returned { .. } => false,
                From::Event(_) => set.everything.is_closed(&[Action::Subscribe]),
                From::Function(call) | From::FunctionOfVariants { call, .. }
                    if !self.catalog[call.function].only_reads() =>
                {
                    set.mutations.is_closed(&CHANGES)
                }
                _ => {
                    let reads = [Action::Read];
                    set.everything.is_closed(&reads) || set.queries.is_closed(&reads)
                }
            },
            StepKind::Write(_) | StepKind::Objects(_) => set.mutations.is_closed(&CHANGES),
            StepKind::Call(_) | StepKind::Require(_) => false,
        };
        if is_closed {
            self.deny(Denial::Unauthenticated);
        }
    }

    /// Denies a function that may not be called. A function of a row is denied with the row.
    fn called(&mut self, call: &Call) {
        if call.of_row.is_some() {
            return;
        }
        let is_change = !self.catalog[call.function].only_reads();
        let set = &self.set.restrictions;
        let actions: &[Action] = if is_change { &CHANGES } else { &[Action::Read] };
        if !set.is_function_open(call.function, actions) {
            self.deny(Denial::Unauthenticated);
        } else if !set.is_function_permitted(call.function, actions) {
            self.deny(Denial::Forbidden);
        }
        if is_change {
            self.change_anything();
        }
    }

    /// Denies a function that may change anything where some change is closed.
    fn change_anything(&mut self) {
        let is_reading = |action: &&Action| {
            matches!(
                action,
                Action::Read | Action::ReadChanged | Action::Aggregate | Action::Subscribe
            )
        };
        let changes = Action::ALL.iter().filter(|action| !is_reading(action));
        let closed = &self.set.restrictions.everything.closed;
        if changes.into_iter().any(|action| closed.contains(action)) {
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

    /// Restricts rows; their outputs are restricted by themselves.
    pub(super) fn restrict_rows(&mut self, rows: &mut Rows) {
        self.hide_in_conditions(rows);
        match &mut rows.from {
            From::Entity(entity) => {
                let entity = *entity;
                self.of(entity, &[], rows);
            }
            // Finding a node by a field reveals its value.
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
                    let usage = usage_of_variant(variant, rows.shown, (&rows.outputs, &rows.order));
                    let requirement = self.requirement(variant.entity, &usage);
                    self.variant(variant, &usage, requirement);
                }
            }
            From::Variants(_) => self.variants(rows),
            From::Returned { step, .. } => match self.changed.get(step).copied() {
                Some(Changed { entity: Some(entity), is_new, .. }) => {
                    let mut usage = Usage { is_changed: true, ..Usage::default() };
                    usage.add(&rows.outputs, &[]);
                    self.require_open(entity, &usage);
                    if !is_new {
                        self.requirement(entity, &usage).restrict(&mut rows.filter);
                    }
                }
                Some(Changed { entity: None, .. }) | None => {
                    self.deny(Denial::NotUnderstood("rows of another change"));
                }
            },
            From::Once | From::List { .. } => {}
            From::Event(node) => {
                let (entity, kind) = (node.entity, node.kind);
                self.event((entity, kind), rows);
            }
            From::Through { near, joining, far } => {
                let (edge, entity) = (self.far(*near), self.far(*far));
                self.require_open(edge, &Usage { is_read: true, ..Usage::default() });
                let usage = Usage { is_read: true, ..Usage::default() };
                self.requirement(edge, &usage).restrict(joining);
                self.of(entity, &[], rows);
            }
            From::Joining { .. } => self.deny(Denial::NotUnderstood("rows of this kind")),
        }
    }

    /// Restricts the node of an event. Only rules of events hide it: rules of reads may follow
    /// relationships, which a node that was deleted does not have.
    fn event(&mut self, (entity, kind): (EntityId, Option<EventKind>), rows: &mut Rows) {
        let mut usage = Usage { is_read: true, ..Usage::default() };
        usage.add(&rows.outputs, &[]);
        self.open(entity, &usage.read, Action::Subscribe);
        match kind {
            Some(kind) => {
                let passes = self.set.restrictions.filter(entity, &[], Action::Receive(kind));
                Requirement { passes, required: Vec::new() }.restrict(&mut rows.filter);
            }
            None => self.open(entity, &usage.read, Action::Read),
        }
    }

    /// Restricts rows of an entity; `members` are read whatever the outputs are.
    fn of(&mut self, entity: EntityId, members: &[Member], rows: &mut Rows) {
        let read = members.to_vec();
        let is_checked = has_password(&rows.filter);
        let mut usage = Usage { is_read: rows.shown, is_checked, read, ..Usage::default() };
        usage.add(&rows.outputs, &[]);
        usage.order(&rows.order, &[]);
        self.require_open(entity, &usage);
        let requirement = self.requirement(entity, &usage);
        if has_nearest(&rows.filter) {
            let passes = [(entity, requirement.passes.clone())];
            self.restrict_nearest(&mut rows.filter, &passes);
            self.restrict_distances((&mut rows.outputs, &mut rows.order), &passes);
        }
        requirement.restrict(&mut rows.filter);
    }

    /// Restricts rows of several entities.
    fn variants(&mut self, rows: &mut Rows) {
        let Rows { from: From::Variants(variants), filter, outputs, order, shown, .. } = rows
        else {
            return;
        };
        let own: Vec<(Usage, Requirement)> = variants
            .iter()
            .map(|variant| {
                let usage = usage_of_variant(variant, *shown, (outputs, order));
                let requirement = self.requirement(variant.entity, &usage);
                (usage, requirement)
            })
            .collect();
        if variants.iter().any(|variant| has_nearest(&variant.filter)) {
            let passes = variants.iter().zip(&own);
            let passes: Vec<(EntityId, Filter)> = passes
                .map(|(variant, (_, requirement))| (variant.entity, requirement.passes.clone()))
                .collect();
            self.restrict_distances((outputs, order), &passes);
            for variant in variants.iter_mut() {
                self.restrict_nearest(&mut variant.filter, &passes);
                self.restrict_distances((&mut variant.outputs, &mut []), &passes);
            }
        }
        for (variant, (usage, requirement)) in variants.iter_mut().zip(own) {
            self.variant(variant, &usage, requirement);
        }
        // The common condition comes after those of each variant.
        if variants.iter().any(|variant| has_barrier(&variant.filter)) {
            let common = std::mem::replace(filter, Filter::all());
            for variant in variants {
                add(&mut variant.filter, common.clone());
            }
        }
    }

    fn variant(&mut self, variant: &mut Variant, usage: &Usage, requirement: Requirement) {
        // A variant that the request excludes is not read.
        if variant.filter != Filter::none() {
            self.require_open(variant.entity, usage);
        }
        requirement.restrict(&mut variant.filter);
    }

    /// Denies closed actions. An aggregate of nodes reads the nodes.
    fn require_open(&mut self, entity: EntityId, usage: &Usage) {
        self.open(entity, &usage.read, usage.reading());
        if !usage.ordered.is_empty() {
            self.open(entity, &usage.ordered, Action::Order);
        }
        if usage.is_aggregated {
            self.open(entity, &usage.aggregated, Action::Aggregate);
        }
    }

    /// The conditions on the rows of a usage.
    fn requirement(&self, entity: EntityId, usage: &Usage) -> Requirement {
        let (mut passes, mut required) = (Vec::new(), Vec::new());
        let mut add = |members: &[Member], action| {
            passes.push(self.set.restrictions.filter(entity, members, action));
            required.push(self.set.restrictions.validation(entity, members, action, Stage::Before));
        };
        if usage.is_read || usage.is_changed {
            add(&usage.read, usage.reading());
        }
        if !usage.ordered.is_empty() {
            add(&usage.ordered, Action::Order);
        }
        if usage.is_aggregated {
            add(&usage.aggregated, Action::Aggregate);
        }
        Requirement { passes: Filter::and(passes), required }
    }
}

impl Usage {
    /// The action of reading the rows.
    fn reading(&self) -> Action {
        match (self.is_checked, self.is_changed) {
            (true, _) => Action::CheckPassword,
            (false, true) => Action::ReadChanged,
            (false, false) => Action::Read,
        }
    }

    /// Adds the members that an order reads of the rows themselves; `common` are the fields that common ones are
    /// of this entity.
    fn order(&mut self, order: &[OrderTerm], common: &[FieldId]) {
        for term in order {
            match &term.key {
                OrderKey::Value(ValueRef::Field { path, .. }) if !path.is_empty() => {}
                OrderKey::Value(place) => add_members(place, common, &mut self.ordered),
                OrderKey::Call(call) => self.ordered.push(Member::Function(call.function)),
                OrderKey::FunctionRows { call, .. } => {
                    self.ordered.push(Member::Function(call.function));
                }
                OrderKey::Relation { .. } => {}
            }
        }
    }

    /// Adds the members that outputs read; `common` are the fields that common ones are of this entity.
    fn add(&mut self, outputs: &[Output], common: &[FieldId]) {
        let shared = |place: &u16| common.get(usize::from(*place)).copied().map(Member::Field);
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
                    for place in aggregate.terms.iter().filter_map(|term| term.place.as_ref()) {
                        add_members(place, common, &mut self.aggregated);
                    }
                }
                // Groups reveal the values of their keys.
                OutputKind::Groups(groups) => {
                    self.is_read = true;
                    for place in &groups.by {
                        add_members(place, common, &mut self.read);
                    }
                    self.add(&groups.outputs, common);
                }
                OutputKind::OrderValue(OrderKey::Value(place @ ValueRef::Coalesce(_))) => {
                    add_members(place, common, &mut self.read);
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

/// The usage of one of several entities; `outputs` and `order` are those of all.
fn usage_of_variant(
    variant: &Variant,
    shown: bool,
    (outputs, order): (&[Output], &[OrderTerm]),
) -> Usage {
    let is_checked = has_password(&variant.filter);
    let mut usage = Usage { is_read: shown, is_checked, ..Usage::default() };
    usage.add(outputs, &variant.common);
    usage.order(order, &variant.common);
    usage.add(&variant.outputs, &variant.common);
    usage
}

/// Adds the members that a value is; `common` are the fields that common ones are of this entity.
fn add_members(place: &ValueRef, common: &[FieldId], members: &mut Vec<Member>) {
    match place.stored() {
        ValueRef::Field { field, .. } => members.push(Member::Field(*field)),
        ValueRef::Common(place) => {
            members.extend(common.get(usize::from(*place)).copied().map(Member::Field));
        }
        ValueRef::Computed(call) => members.push(Member::Function(call.function)),
        ValueRef::Distinct(place) => add_members(place, common, members),
        ValueRef::Together(fields) => members.extend(fields.iter().copied().map(Member::Field)),
        ValueRef::Coalesce(places) => {
            places.iter().for_each(|place| add_members(place, common, members));
        }
        _ => {}
    }
}

/// The keys of an order, and those that are outputs.
fn order_keys<'r>(
    outputs: &'r mut [Output],
    order: &'r mut [OrderTerm],
) -> impl Iterator<Item = &'r mut OrderKey> {
    let outputs = outputs.iter_mut().filter_map(|output| match &mut output.kind {
        OutputKind::OrderValue(key) => Some(key),
        _ => None,
    });
    outputs.chain(order.iter_mut().map(|term| &mut term.key))
}

/// Returns true if a condition compares a value with a password.
fn has_password(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().any(has_password),
        Filter::Barrier { then, .. } => has_password(then),
        Filter::Compare { operand, .. } => matches!(operand, Operand::Password { .. }),
        _ => false,
    }
}

/// The function of a row that returns the rows, if there is one.
fn given(rows: &Rows) -> Option<Member> {
    let (From::Function(call) | From::FunctionOfVariants { call, .. }) = &rows.from else {
        return None;
    };
    call.of_row.is_some().then_some(Member::Function(call.function))
}
