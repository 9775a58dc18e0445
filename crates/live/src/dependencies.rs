//! The entities that a request reads, and whether its response may change without a change of rows.

use std::collections::BTreeSet;

use catalog::{Catalog, EntityId, EntityKind, RelationshipId};
use ir::{
    Aggregate, AggregateTerm, Assignment, Call, Candidates, ChildWrite, Distance, Filter, From,
    Groups, Hop, Insert, InsertedRows, Keyset, KeysetValue, Nearest, ObjectChange, Operand,
    OrderKey, OtherVector, Output, OutputKind, Page, Request, Rows, StepKind, Update, ValueRef,
    Variant, Write, WriteKind,
};

/// The dependencies of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Entities of which rows are read, edges and join entities included.
    pub entities: BTreeSet<EntityId>,
    /// True if the response may change without a change of rows of these entities: it calls a
    /// function, reads a view or a table of another server, or contains the current time.
    pub is_timed: bool,
}

/// Collects dependencies. Each match is exhaustive: a new variant of the IR has to say what it reads.
struct Collector<'c> {
    catalog: &'c Catalog,
    found: Dependencies,
}

impl Dependencies {
    /// The dependencies of a request, with the restrictions of its session.
    #[must_use]
    pub fn of(request: &Request, catalog: &Catalog) -> Self {
        let mut collector = Collector { catalog, found: Self::default() };
        for step in request.transactions.iter().flat_map(|transaction| &transaction.steps) {
            collector.step(&step.kind);
        }
        collector.found
    }
}

impl Collector<'_> {
    fn entity(&mut self, entity: EntityId) {
        match self.catalog[entity].kind {
            EntityKind::Table | EntityKind::Node | EntityKind::Edge => {}
            EntityKind::View
            | EntityKind::MaterializedView
            | EntityKind::ForeignTable
            | EntityKind::Record
            | EntityKind::ValueSet
            | EntityKind::Composite => self.found.is_timed = true,
        }
        self.found.entities.insert(entity);
    }

    fn relationship(&mut self, relationship: RelationshipId) {
        let relationship = &self.catalog[relationship];
        let (from, to, edge) = (relationship.from, relationship.to, relationship.edge);
        self.entity(from);
        self.entity(to);
        if let Some(edge) = edge {
            self.entity(edge);
        }
    }

    fn hop(&mut self, hop: Hop) {
        self.relationship(hop.relationship);
    }

    fn path(&mut self, path: &[Hop]) {
        path.iter().for_each(|hop| self.hop(*hop));
    }

    fn step(&mut self, step: &StepKind) {
        match step {
            StepKind::Read(rows) => self.rows(rows),
            StepKind::Write(write) => self.write(write),
            StepKind::Call(call) => self.call(call),
            StepKind::Require(require) => {
                self.rows(&require.rows);
                self.filter(&require.filter);
                require.otherwise.gaps.iter().for_each(|gap| self.operand(gap));
            }
            StepKind::Objects(change) => self.objects(change),
        }
    }

    fn rows(&mut self, rows: &Rows) {
        let Rows { id: _, from, filter, order, page, distinct: _, single: _, .. } = rows;
        let Rows { once: _, shown: _, outputs, .. } = rows;
        self.from(from);
        self.filter(filter);
        order.iter().for_each(|term| self.order(&term.key));
        self.page(page);
        self.outputs(outputs);
    }

    fn from(&mut self, from: &From) {
        match from {
            From::Entity(entity) => self.entity(*entity),
            From::Variants(variants) => self.variants(variants),
            From::Relation(hop) => self.hop(*hop),
            From::Through { near, joining, far } => {
                self.hop(*near);
                self.filter(joining);
                self.hop(*far);
            }
            From::Joining { near, far } => {
                self.hop(*near);
                self.hop(*far);
            }
            From::Function(call) => self.call(call),
            From::FunctionOfVariants { call, variants } => {
                self.call(call);
                self.variants(variants);
            }
            From::Value(field) => self.entity(self.catalog[*field].entity),
            From::Search { search, operand } => {
                self.entity(self.catalog[*search].entity);
                self.operand(operand);
            }
            From::List { like: _, list } => self.operand(list),
            From::Once => {}
            From::Keys { entity, keys, external } => {
                self.entity(*entity);
                keys.iter().for_each(|(_, key)| self.operand(key));
                external.iter().for_each(|argument| self.operand(&argument.values));
            }
            // The step itself has the entity.
            From::Returned { step: _, state: _ } => {}
        }
    }

    fn variants(&mut self, variants: &[Variant]) {
        for Variant { entity, hop, through, filter, common: _, outputs } in variants {
            self.entity(*entity);
            hop.iter().chain(through).for_each(|hop| self.hop(*hop));
            self.filter(filter);
            self.outputs(outputs);
        }
    }

    fn order(&mut self, key: &OrderKey) {
        match key {
            OrderKey::Value(place) => self.value(place),
            OrderKey::Relation { hop, filter, aggregate } => {
                self.hop(*hop);
                self.filter(filter);
                self.aggregate(aggregate);
            }
            OrderKey::Call(call) => self.call(call),
        }
    }

    fn page(&mut self, page: &Page) {
        match page {
            Page::All => {}
            Page::Offset { limit, offset, look_ahead: _ } => {
                limit.iter().chain(offset).for_each(|operand| self.operand(operand));
            }
            Page::Keyset(keyset) => {
                let Keyset { after, before, limit, offset, from_end: _, look_ahead: _ } = keyset;
                for value in after.iter().chain(before).flatten() {
                    match value {
                        KeysetValue::Null => {}
                        KeysetValue::Value(operand) => self.operand(operand),
                    }
                }
                limit.iter().chain(offset).for_each(|operand| self.operand(operand));
            }
            Page::AfterRow { key, limit, offset } => {
                key.iter().for_each(|(_, operand)| self.operand(operand));
                limit.iter().chain(offset).for_each(|operand| self.operand(operand));
            }
        }
    }

    fn outputs(&mut self, outputs: &[Output]) {
        outputs.iter().for_each(|output| self.output(&output.kind));
    }

    fn output(&mut self, output: &OutputKind) {
        match output {
            OutputKind::Field { path, field: _, form: _ } | OutputKind::Present { path } => {
                self.path(path);
            }
            OutputKind::FieldIf { path, field: _, form: _, filter }
            | OutputKind::PresentIf { path, filter } => {
                self.path(path);
                self.filter(filter);
            }
            OutputKind::Edge { field, form: _ } => self.entity(self.catalog[*field].entity),
            OutputKind::Related { path, rows } => {
                self.path(path);
                self.rows(rows);
            }
            OutputKind::Aggregate(aggregate) => self.aggregate(aggregate),
            OutputKind::Groups(Groups { by, rows: _, outputs }) => {
                by.iter().for_each(|place| self.value(place));
                self.outputs(outputs);
            }
            OutputKind::Computed { call, form: _ } => self.call(call),
            OutputKind::OrderValue(key) => self.order(key),
            OutputKind::Count
            | OutputKind::Common { place: _, form: _ }
            | OutputKind::Variant
            | OutputKind::Ordinal
            | OutputKind::Counter { step: _, counter: _ } => {}
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        let Aggregate { paged: _, group_by, having, terms } = aggregate;
        group_by.iter().for_each(|place| self.value(place));
        if let Some(having) = having {
            self.filter(having);
        }
        for AggregateTerm { id: _, function: _, place, form: _, once: _ } in terms {
            place.iter().for_each(|place| self.value(place));
        }
    }

    /// What a function reads is not known.
    fn call(&mut self, call: &Call) {
        self.found.is_timed = true;
        let Call { function: _, of_row, arguments } = call;
        of_row.iter().for_each(|path| self.path(path));
        arguments.iter().for_each(|(_, operand)| self.operand(operand));
    }

    fn filter(&mut self, filter: &Filter) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter().for_each(|filter| self.filter(filter));
            }
            Filter::Not(filter) | Filter::Except(filter) | Filter::Required(filter) => {
                self.filter(filter);
            }
            Filter::Barrier { first, then } => {
                self.filter(first);
                self.filter(then);
            }
            Filter::Compare { place, comparison: _, operand }
            | Filter::CompareText { place, comparison: _, case: _, operand }
            | Filter::AnyElement { place, comparison: _, operand }
            | Filter::Text { place, r#match: _, case: _, operand }
            | Filter::Geo { place, operator: _, operand } => {
                self.value(place);
                self.operand(operand);
            }
            Filter::IsNull(place) => self.value(place),
            Filter::ElementBetween { place, least, most } => {
                self.value(place);
                self.operand(least);
                self.operand(most);
            }
            Filter::Relation { hop, quantifier: _, filter } => {
                self.hop(*hop);
                self.filter(filter);
            }
            Filter::RelatedGroup { hop, filter, having, once: _ } => {
                self.hop(*hop);
                self.filter(filter);
                self.filter(having);
            }
            Filter::VariantGroup { variants, having, once: _ } => {
                self.variants(variants);
                self.filter(having);
            }
            Filter::Nearest(nearest) => {
                let Nearest { key, among, most, count } = &**nearest;
                self.entity(self.catalog[*key].entity);
                for Candidates { key, distance, filter } in among {
                    self.entity(self.catalog[*key].entity);
                    self.distance(distance);
                    self.filter(filter);
                }
                most.iter().for_each(|most| self.operand(most));
                self.operand(count);
            }
        }
    }

    fn value(&mut self, value: &ValueRef) {
        match value {
            ValueRef::Field { path, field: _ } => self.path(path),
            ValueRef::Edge(field) => self.entity(self.catalog[*field].entity),
            ValueRef::Computed(call) => self.call(call),
            ValueRef::Attribute { of, attribute: _ } => self.value(of),
            ValueRef::Truncated { place, unit: _ }
            | ValueRef::Aggregated { function: _, place }
            | ValueRef::OrElse { place, value: _ } => self.value(place),
            ValueRef::Counted { distinct: _ } | ValueRef::Common(_) => {}
            ValueRef::Distance(distance) => self.distance(distance),
            ValueRef::If { place, filter } => {
                self.value(place);
                self.filter(filter);
            }
            ValueRef::Coalesce(values) => values.iter().for_each(|value| self.value(value)),
        }
    }

    fn distance(&mut self, distance: &Distance) {
        let Distance { vector, metric: _, to } = distance;
        self.value(vector);
        match to {
            OtherVector::Given(operand) => self.operand(operand),
            OtherVector::OfRow(rows) => {
                for row in rows {
                    self.entity(self.catalog[row.field].entity);
                    self.filter(&row.filter);
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Now => self.found.is_timed = true,
            // Each execution has another.
            Operand::NewId(_) => self.found.is_timed = true,
            Operand::List(operands) | Operand::Sum(operands) => {
                operands.iter().for_each(|operand| self.operand(operand));
            }
            Operand::Object(members) => {
                members.iter().for_each(|(_, operand)| self.operand(operand));
            }
            Operand::Formed { operand, form: _ } | Operand::Negated(operand) => {
                self.operand(operand);
            }
            Operand::Decoded { slot, codec: _, part: _ } => self.operand(slot),
            Operand::RowsBefore { row, offset, limit } => {
                self.operand(row);
                offset.iter().chain(limit).for_each(|operand| self.operand(operand));
            }
            Operand::Representations(representations) => self.operand(&representations.list),
            Operand::Variable { slot: _, path: _ }
            | Operand::Constant(_)
            | Operand::Claim(_)
            | Operand::Claims
            | Operand::Result { step: _, output: _ }
            | Operand::Results { step: _, output: _ }
            | Operand::Objects(_)
            | Operand::Password { number: _, part: _ }
            | Operand::External(_) => {}
        }
    }
}

/// Subscriptions write nothing; a request that does is a mutation's, whose entities are those that it
/// changes.
impl Collector<'_> {
    fn write(&mut self, write: &Write) {
        let Write { entity, kind, children, check } = write;
        self.entity(*entity);
        match kind {
            WriteKind::Insert(insert) => self.insert(insert),
            WriteKind::Update(Update { filter, assignments, at_most: _ }) => {
                self.filter(filter);
                assignments.iter().for_each(|(_, assignment)| self.assignment(assignment));
            }
            WriteKind::Delete { filter, at_most: _ }
            | WriteKind::Link { filter, existing: _ }
            | WriteKind::Unlink { filter }
            | WriteKind::SetLinks { filter } => self.filter(filter),
            WriteKind::Upsert { insert, conflict }
            | WriteKind::LinkOrInsert { insert, conflict } => {
                self.insert(insert);
                self.filter(&conflict.filter);
            }
            WriteKind::Choose { filter, found, missing } => {
                self.filter(filter);
                self.write(found);
                self.write(missing);
            }
            WriteKind::Expect { links: _, otherwise: _ } => {}
        }
        for ChildWrite { hop, parents: _, write, edge: _ } in children {
            self.hop(*hop);
            self.write(write);
        }
        self.filter(check);
    }

    fn insert(&mut self, Insert { fields: _, rows }: &Insert) {
        match rows {
            InsertedRows::Each(rows) => {
                rows.iter().flatten().flatten().for_each(|operand| self.operand(operand));
            }
            InsertedRows::Columns(columns) => {
                columns.iter().for_each(|operand| self.operand(operand))
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        match assignment {
            Assignment::Set(operand)
            | Assignment::Add(operand)
            | Assignment::Subtract(operand)
            | Assignment::Multiply(operand)
            | Assignment::Divide(operand)
            | Assignment::Push(operand)
            | Assignment::Pop(operand)
            | Assignment::Merge(operand) => self.operand(operand),
            Assignment::Inserted => {}
        }
    }

    fn objects(&mut self, change: &ObjectChange) {
        match change {
            ObjectChange::Find { rows, purpose: _ } => self.rows(rows),
            ObjectChange::NewKeys { key, count: _ } => self.entity(self.catalog[*key].entity),
            ObjectChange::Insert { entity, .. }
            | ObjectChange::SetEach { entity, .. }
            | ObjectChange::SetAll { entity, .. }
            | ObjectChange::Clear { entity, .. }
            | ObjectChange::RemoveElements { entity, .. }
            | ObjectChange::Connect { joining: entity, .. }
            | ObjectChange::Disconnect { joining: entity, .. }
            | ObjectChange::Delete { entity, .. } => self.entity(*entity),
        }
    }
}
