//! The rows that a request reads, and whether its response may change without a change of rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::{
    Catalog, Distribution, EntityId, EntityKind, Field, FieldId, Generated, RelationshipId,
    RelationshipKind, StatementPart,
};
use ir::{
    Aggregate, AggregateTerm, Assignment, Call, Candidates, ChildWrite, Claims, Comparison,
    Distance, Filter, From, Groups, Hop, HopDirection, Insert, InsertedRows, Keyset, KeysetValue,
    Nearest, ObjectChange, Operand, OrderKey, OtherVector, Output, OutputKind, Page, Request, Rows,
    StepKind, Update, ValueRef, Variant, Write, WriteKind,
};
use serde_json_bytes::{ByteString, Map, Value};
use source::Variables;

use crate::value::{FieldValue, has_one_text};

/// The dependencies of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Entities of which rows are read, edges and join entities included.
    pub entities: BTreeMap<EntityId, ReadRows>,
    /// Fields on which the response depends.
    pub fields: BTreeSet<FieldId>,
    /// The views among the entities. The catalog does not have the tables of a view.
    pub views: BTreeSet<EntityId>,
    /// True if the response may change without a change of rows of these entities: it calls a
    /// function, reads a materialized view or a table of another server, or contains the current
    /// time.
    pub is_timed: bool,
    /// True if it differs each time: it contains the current time or something new, or calls a
    /// function that is volatile.
    pub is_volatile: bool,
    /// The claims of the session that the request reads.
    pub claims: ReadClaims,
}

/// Claims of a session that a request reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadClaims {
    All,
    Only(BTreeSet<Box<str>>),
}

/// The rows of an entity that a request reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadRows {
    All,
    /// Those of which a field has one of some values: all others are not read, whatever they contain.
    Where(Vec<FieldValue>),
}

impl ReadRows {
    /// About how many bytes its values take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Where(values) => {
                values.iter().map(|value| size_of::<FieldValue>() + value.text.len()).sum()
            }
        }
    }
}

/// A field that equals a value in each row that is read.
#[derive(Clone, Debug)]
struct Equality {
    field: FieldId,
    operand: Operand,
}

/// Collects dependencies. Each match is exhaustive: a new variant of the IR has to say what it reads.
struct Collector<'c> {
    catalog: &'c Catalog,
    variables: Variables<'c>,
    found: Dependencies,
    /// Equalities of the rows whose outputs are being collected.
    known: Vec<Equality>,
}

/// Most values of one entity of which rows are read: more are taken for all rows.
const MOST_VALUES: usize = 16;

impl Dependencies {
    /// The dependencies of a request with the restrictions of its session, for the values of its
    /// variables and claims.
    #[must_use]
    pub fn of(request: &Request, catalog: &Catalog, variables: Variables<'_>) -> Self {
        let (found, known) = (Self::default(), Vec::new());
        let mut collector = Collector { catalog, variables, found, known };
        for step in request.transactions.iter().flat_map(|transaction| &transaction.steps) {
            collector.step(&step.kind);
        }
        collector.found
    }

    /// Adds those of another part of the request.
    pub fn add(&mut self, other: Self) {
        let Self { entities, fields, views, is_timed, is_volatile, claims } = other;
        for (entity, rows) in entities {
            match self.entities.get_mut(&entity) {
                Some(known) => known.add(rows),
                None => {
                    self.entities.insert(entity, rows);
                }
            }
        }
        self.fields.extend(fields);
        self.views.extend(views);
        self.is_timed |= is_timed;
        self.is_volatile |= is_volatile;
        self.claims.add(claims);
    }
}

impl Collector<'_> {
    /// Adds rows of an entity.
    fn read(&mut self, entity: EntityId, rows: ReadRows) {
        // The server that is asked knows of changes of its own tables only.
        self.found.is_timed |= self.catalog[entity].distribution != Distribution::Local;
        match self.catalog[entity].kind {
            EntityKind::Table | EntityKind::Node | EntityKind::Edge => {}
            EntityKind::View => {
                self.found.views.insert(entity);
            }
            EntityKind::MaterializedView
            | EntityKind::ForeignTable
            | EntityKind::Record
            | EntityKind::Model
            | EntityKind::ValueSet
            | EntityKind::Composite => self.found.is_timed = true,
        }
        match self.found.entities.get_mut(&entity) {
            Some(known) => known.add(rows),
            None => {
                self.found.entities.insert(entity, rows);
            }
        }
    }

    fn entity(&mut self, entity: EntityId) {
        self.read(entity, ReadRows::All);
    }

    /// Adds the rows of which a field equals a value.
    fn read_equal(&mut self, entity: EntityId, equality: &Equality) {
        let Equality { field, operand } = equality;
        self.field(*field);
        let rows = match FieldValue::resolve(*field, operand, self.catalog, self.variables) {
            Some(value) => ReadRows::Where(value.into_iter().collect()),
            None => ReadRows::All,
        };
        self.read(entity, rows);
    }

    fn field(&mut self, field: FieldId) {
        let Field { entity, generated, .. } = &self.catalog[field];
        match generated {
            // A feed may leave out the value that follows from others.
            Some(Generated::Stored) => {
                self.found.fields.extend(self.catalog.fields_of(*entity).map(|own| own.id));
            }
            Some(Generated::IdentityAlways | Generated::IdentityByDefault) | None => {
                self.found.fields.insert(field);
            }
        }
    }

    fn fields(&mut self, fields: &[FieldId]) {
        fields.iter().for_each(|field| self.field(*field));
    }

    fn relationship(&mut self, relationship: RelationshipId) {
        let relationship = &self.catalog[relationship];
        let (from, to, edge) = (relationship.from, relationship.to, relationship.edge);
        self.fields(&relationship.from_fields);
        self.fields(&relationship.to_fields);
        self.entity(from);
        self.entity(to);
        if let Some(edge) = edge {
            self.entity(edge);
        }
    }

    fn hop(&mut self, hop: Hop) {
        self.relationship(hop.relationship);
    }

    /// Adds the equalities that each row has which passes a filter. A row that fails a required
    /// condition is an error, so that condition tells nothing about the rows that are read.
    fn add_equalities(&self, filter: &Filter, equalities: &mut Vec<Equality>) {
        match filter {
            Filter::And(filters) => {
                filters.iter().for_each(|filter| self.add_equalities(filter, equalities));
            }
            Filter::Barrier { first, then } => {
                // The condition of the client first: it is more selective than that of a rule.
                self.add_equalities(then, equalities);
                self.add_equalities(first, equalities);
            }
            Filter::Compare {
                place: ValueRef::Field { path, field },
                comparison: Comparison::Equal,
                operand,
            } if path.is_empty() && has_one_text(&self.catalog[*field].r#type) => {
                equalities.push(Equality { field: *field, operand: operand.clone() });
            }
            _ => {}
        }
    }

    /// Adds the rows at the end of a hop from rows with the known equalities, and returns their own.
    fn hop_from_known(&mut self, hop: Hop) -> Vec<Equality> {
        let relationship = &self.catalog[hop.relationship];
        let (near, far, target) = match hop.direction {
            HopDirection::Forward => {
                (&relationship.from_fields, &relationship.to_fields, relationship.to)
            }
            HopDirection::Backward => {
                (&relationship.to_fields, &relationship.from_fields, relationship.from)
            }
        };
        let is_key =
            relationship.kind == RelationshipKind::ForeignKey && relationship.edge.is_none();
        let found = near.iter().zip(far).find_map(|(near, far)| {
            let known = self.known.iter().find(|known| known.field == *near)?;
            Some(Equality { field: *far, operand: known.operand.clone() })
        });
        let Some(equality) = found.filter(|_| is_key) else {
            self.hop(hop);
            return Vec::new();
        };
        self.fields(near);
        self.fields(far);
        self.read_equal(target, &equality);
        vec![equality]
    }

    /// Adds the rows along a path from the rows with the known equalities.
    fn path(&mut self, path: &[Hop]) {
        let Some((first, rest)) = path.split_first() else { return };
        let known = self.hop_from_known(*first);
        if !rest.is_empty() {
            self.among(known, |own| own.path(rest));
        }
    }

    /// Collects with other known equalities.
    fn among(&mut self, known: Vec<Equality>, collect: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.known, known);
        collect(self);
        self.known = before;
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
        let Rows { id: _, from, filter, order, page, distinct, single: _, .. } = rows;
        let Rows { once: _, shown: _, outputs, .. } = rows;
        self.fields(distinct);
        let known = self.from(from, filter);
        self.among(known, |own| {
            own.filter(filter);
            order.iter().for_each(|term| own.order(&term.key));
            own.page(page);
            own.outputs(outputs);
        });
    }

    /// Adds the rows of an origin that pass a filter, and returns their equalities.
    fn from(&mut self, from: &From, filter: &Filter) -> Vec<Equality> {
        match from {
            From::Entity(entity) => {
                let mut equalities = Vec::new();
                self.add_equalities(filter, &mut equalities);
                // One is enough to tell whether a changed row may be among them.
                match equalities.first() {
                    Some(first) => self.read_equal(*entity, first),
                    None => self.entity(*entity),
                }
                return equalities;
            }
            From::Relation(hop) => {
                let mut known = self.hop_from_known(*hop);
                self.add_equalities(filter, &mut known);
                return known;
            }
            From::Variants(variants) => self.variants(variants),
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
            From::Value(field) => {
                self.field(*field);
                self.entity(self.catalog[*field].entity);
            }
            From::Search { search, operand } => {
                self.entity(self.catalog[*search].entity);
                self.operand(operand);
            }
            From::List { like: _, list } => self.operand(list),
            From::Once => {}
            // It is executed for each event, not after changes.
            From::Event(node) => {
                self.operand(&node.properties);
                self.operand(&node.names);
            }
            From::Keys { entity, keys, external } => {
                self.entity(*entity);
                for (field, key) in keys {
                    self.field(*field);
                    self.operand(key);
                }
                external.iter().for_each(|argument| self.operand(&argument.values));
            }
            // The step itself has the entity.
            From::Returned { step: _, state: _ } => {}
        }
        Vec::new()
    }

    fn variants(&mut self, variants: &[Variant]) {
        for Variant { entity, hop, through, filter, common, outputs } in variants {
            self.entity(*entity);
            self.fields(common);
            hop.iter().chain(through).for_each(|hop| self.hop(*hop));
            self.among(Vec::new(), |own| {
                own.filter(filter);
                own.outputs(outputs);
            });
        }
    }

    fn order(&mut self, key: &OrderKey) {
        match key {
            OrderKey::Value(place) => self.value(place),
            OrderKey::Relation { path, hop, filter, aggregate } => {
                self.path(path);
                let mut known = Vec::new();
                match path.is_empty() {
                    true => known = self.hop_from_known(*hop),
                    false => self.among(Vec::new(), |own| known = own.hop_from_known(*hop)),
                }
                self.among(known, |own| {
                    own.filter(filter);
                    own.aggregate(aggregate);
                });
            }
            OrderKey::Call(call) => self.call(call),
            OrderKey::FunctionRows { call, filter, aggregate } => {
                self.call(call);
                self.among(Vec::new(), |own| {
                    own.filter(filter);
                    own.aggregate(aggregate);
                });
            }
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
            Page::BesideRows(beside) => {
                for (field, operand) in beside.keys().flatten() {
                    self.field(*field);
                    self.operand(operand);
                }
                beside.limit.iter().chain(&beside.offset).for_each(|operand| self.operand(operand));
            }
        }
    }

    fn outputs(&mut self, outputs: &[Output]) {
        outputs.iter().for_each(|output| self.output(&output.kind));
    }

    fn output(&mut self, output: &OutputKind) {
        match output {
            OutputKind::Field { path, field, form: _ } => {
                self.field(*field);
                self.path(path);
            }
            OutputKind::Present { path } => self.path(path),
            OutputKind::FieldIf { path, field, form: _, filter } => {
                self.field(*field);
                self.path(path);
                self.filter_at(path, filter);
            }
            OutputKind::PresentIf { path, filter } => {
                self.path(path);
                self.filter_at(path, filter);
            }
            OutputKind::Edge { field, form: _ } => {
                self.field(*field);
                self.entity(self.catalog[*field].entity);
            }
            OutputKind::Related { path, rows } => {
                self.path(path);
                match path.is_empty() {
                    true => self.rows(rows),
                    false => self.among(Vec::new(), |own| own.rows(rows)),
                }
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

    /// The condition of a row at the end of a path.
    fn filter_at(&mut self, path: &[Hop], filter: &Filter) {
        match path.is_empty() {
            true => self.filter(filter),
            false => self.among(Vec::new(), |own| own.filter(filter)),
        }
    }

    /// Adds a call. The rows that a function reads are not known, so it is repeated in intervals.
    fn call(&mut self, call: &Call) {
        self.found.is_timed = true;
        let Call { function, of_row, arguments } = call;
        let function = &self.catalog[*function];
        self.found.is_volatile |= !function.only_reads();
        let parts = function.statement.iter().flat_map(|statement| &statement.parts);
        if parts.into_iter().any(|part| *part == StatementPart::Claims) {
            self.found.claims = ReadClaims::All;
        }
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
            Filter::CompareValues { left, comparison: _, right } => {
                self.value(left);
                self.value(right);
            }
            Filter::Exists { entity, filter } => {
                self.entity(*entity);
                self.among(Vec::new(), |own| own.filter(filter));
            }
            Filter::ElementBetween { place, least, most } => {
                self.value(place);
                self.operand(least);
                self.operand(most);
            }
            Filter::FunctionRows { call, filter } => {
                self.call(call);
                self.among(Vec::new(), |own| own.filter(filter));
            }
            Filter::Relation { hop, quantifier: _, filter } => {
                let known = self.hop_from_known(*hop);
                self.among(known, |own| own.filter(filter));
            }
            Filter::RelatedGroup { hop, filter, having, once: _ } => {
                let known = self.hop_from_known(*hop);
                self.among(known, |own| {
                    own.filter(filter);
                    own.filter(having);
                });
            }
            Filter::VariantGroup { variants, having, once: _ } => {
                self.variants(variants);
                self.filter(having);
            }
            Filter::Nearest(nearest) => {
                let Nearest { key, among, most, count, visited } = &**nearest;
                self.field(*key);
                self.entity(self.catalog[*key].entity);
                for Candidates { key, distance, filter } in among {
                    self.field(*key);
                    self.entity(self.catalog[*key].entity);
                    self.among(Vec::new(), |own| {
                        own.distance(distance);
                        own.filter(filter);
                    });
                }
                most.iter().chain(visited).for_each(|operand| self.operand(operand));
                self.operand(count);
            }
        }
    }

    fn value(&mut self, value: &ValueRef) {
        match value {
            ValueRef::Field { path, field } => {
                self.field(*field);
                self.path(path);
            }
            // Its entity is that of rows around these, which are known.
            ValueRef::Outer { levels: _, field } => self.field(*field),
            ValueRef::Edge(field) => {
                self.field(*field);
                self.entity(self.catalog[*field].entity);
            }
            ValueRef::Computed(call) => self.call(call),
            ValueRef::Attribute { of, attribute: _ } => self.value(of),
            ValueRef::Truncated { place, unit: _ }
            | ValueRef::Spatial { place, to: _ }
            | ValueRef::Aggregated { function: _, place }
            | ValueRef::OrElse { place, value: _ } => self.value(place),
            ValueRef::Counted { distinct: _ } | ValueRef::Common(_) => {}
            ValueRef::Distance(distance) => self.distance(distance),
            ValueRef::If { place, filter } => {
                self.value(place);
                self.filter(filter);
            }
            ValueRef::Distinct(value) => self.value(value),
            ValueRef::Coalesce(values) => values.iter().for_each(|value| self.value(value)),
            ValueRef::Together(fields) => fields.iter().for_each(|field| self.field(*field)),
        }
    }

    fn distance(&mut self, distance: &Distance) {
        let Distance { vector, metric: _, to } = distance;
        self.value(vector);
        match to {
            OtherVector::Given(operand) => self.operand(operand),
            OtherVector::OfRow(rows) => {
                for row in rows {
                    self.field(row.field);
                    self.entity(self.catalog[row.field].entity);
                    self.among(Vec::new(), |own| own.filter(&row.filter));
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            // Each execution has another.
            Operand::Now | Operand::NewId(_) => {
                self.found.is_timed = true;
                self.found.is_volatile = true;
            }
            Operand::Claim(name) => {
                self.found.claims.add(ReadClaims::Only([name.clone()].into_iter().collect()));
            }
            Operand::Claims => self.found.claims = ReadClaims::All,
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
            Operand::AtMost { operand, most: _ } => {
                operand.iter().for_each(|operand| self.operand(operand));
            }
            Operand::RowsBefore { row, offset, limit } => {
                self.operand(row);
                offset.iter().chain(limit).for_each(|operand| self.operand(operand));
            }
            Operand::Representations(representations) => self.operand(&representations.list),
            Operand::Variable { slot: _, path: _ }
            | Operand::Constant(_)
            | Operand::Result { step: _, output: _ }
            | Operand::Results { step: _, output: _ }
            | Operand::Objects(_)
            | Operand::Password { number: _, part: _ }
            | Operand::External(_) => {}
        }
    }
}

impl ReadClaims {
    fn add(&mut self, claims: Self) {
        match (&mut *self, claims) {
            (Self::Only(known), Self::Only(claims)) => known.extend(claims),
            (Self::All, _) | (_, Self::All) => *self = Self::All,
        }
    }

    /// The claims of a session that are read; `None` if it has none of them.
    #[must_use]
    pub fn of(&self, claims: Option<&Arc<Claims>>) -> Option<Arc<Claims>> {
        let claims = claims?;
        match self {
            Self::All => Some(Arc::clone(claims)),
            Self::Only(names) => {
                // As they are named: the names of a path may be those of a claim.
                let read = names.iter().filter_map(|name| {
                    Some((ByteString::from(&**name), claims.get(name)?.clone()))
                });
                let read: Map<ByteString, Value> = read.collect();
                (!read.is_empty()).then(|| Arc::new(Claims::new(Value::Object(read))))
            }
        }
    }
}

impl Default for ReadClaims {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl ReadRows {
    fn add(&mut self, rows: Self) {
        match (&mut *self, rows) {
            (Self::All, _) => {}
            (_, Self::All) => *self = Self::All,
            (Self::Where(known), Self::Where(rows)) => {
                for row in rows {
                    if !known.contains(&row) {
                        known.push(row);
                    }
                }
                if known.len() > MOST_VALUES {
                    *self = Self::All;
                }
            }
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
            InsertedRows::ForEach { list, columns } => {
                self.operand(list);
                columns.iter().for_each(|operand| self.operand(operand));
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        match assignment {
            Assignment::Set(operand)
            | Assignment::Add(operand)
            | Assignment::AddWithin(operand)
            | Assignment::Subtract(operand)
            | Assignment::Multiply(operand)
            | Assignment::Divide(operand)
            | Assignment::Push(operand)
            | Assignment::Pop(operand)
            | Assignment::Merge(operand)
            | Assignment::Prepend(operand)
            | Assignment::DeleteKey(operand)
            | Assignment::DeleteElement(operand)
            | Assignment::DeletePath(operand) => self.operand(operand),
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

#[cfg(test)]
mod tests {
    use catalog::{Builder, Capabilities, Distribution, EntityKind};
    use source::Variables;

    use super::{Collector, Dependencies};

    #[test]
    fn rows_of_other_servers_may_change_unseen() {
        let check = |distribution, is_timed: bool| {
            let mut builder = Builder::new(Capabilities::default());
            let entity = builder.entity(None, "a".into(), EntityKind::Table, None);
            builder.distribute(entity, distribution);
            let catalog = builder.finish();
            let variables = Variables::of(&[]);
            let (found, known) = (Dependencies::default(), Vec::new());
            let mut collector = Collector { catalog: &catalog, variables, found, known };
            collector.entity(entity);
            assert_eq!(collector.found.is_timed, is_timed, "{distribution:?}");
        };
        check(Distribution::Local, false);
        // The parts of a reference table have other names, on the server that is asked, too.
        check(Distribution::Reference, true);
        check(Distribution::Single { colocation: 1 }, true);
        check(Distribution::Unknown, true);
    }
}
