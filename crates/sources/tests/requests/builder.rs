//! Requests from a few words.

use catalog::FieldId;
use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Assignment, ChildWrite, Comparison, Direction,
    Filter, Form, From, Hop, Insert, InsertedRows, Isolation, Nulls, Operand, OrderKey, OrderTerm,
    Output, OutputId, OutputKind, Page, Request, Rows, RowsId, State, Step, StepId, StepKind,
    Transaction, Update, Value, ValueRef, Write, WriteKind,
};

use super::database::Database;

/// A request as it is built.
pub(crate) struct Builder<'d> {
    pub(crate) database: &'d Database,
    steps: Vec<Step>,
    outputs: u32,
    rows: u32,
}

impl<'d> Builder<'d> {
    pub(crate) fn new(database: &'d Database) -> Self {
        Self { database, steps: Vec::new(), outputs: 0, rows: 0 }
    }

    /// Rows of an entity with fields of their own, in the order of these fields.
    pub(crate) fn entity(&mut self, entity: &str, fields: &[&str]) -> Rows {
        let outputs = self.fields(entity, fields);
        self.rows(From::Entity(self.database.entity(entity)), outputs)
    }

    pub(crate) fn fields(&self, entity: &str, fields: &[&str]) -> Vec<OutputKind> {
        let field = |name: &&str| own(self.database.field(&format!("{entity}.{name}")));
        fields.iter().map(field).collect()
    }

    pub(crate) fn rows(&mut self, from: From, outputs: Vec<OutputKind>) -> Rows {
        let id = RowsId(self.rows);
        self.rows += 1;
        let outputs = self.outputs(outputs);
        Rows {
            id,
            from,
            filter: Filter::all(),
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs,
        }
    }

    pub(crate) fn outputs(&mut self, outputs: Vec<OutputKind>) -> Vec<Output> {
        let numbered = outputs.into_iter().map(|kind| {
            let id = OutputId(self.outputs);
            self.outputs += 1;
            Output { id, kind }
        });
        numbered.collect()
    }

    /// Values of all rows, or of those of the page.
    pub(crate) fn aggregate(
        &mut self,
        paged: bool,
        terms: &[(AggregateFunction, Option<FieldId>)],
    ) -> OutputKind {
        let mut made = Vec::new();
        for (function, field) in terms {
            let id = OutputId(self.outputs);
            self.outputs += 1;
            let place = field.map(ValueRef::field);
            let form = Form::Stored;
            made.push(AggregateTerm { id, function: *function, place, form, once: false });
        }
        let group_by =
            terms.iter().filter(|(function, _)| *function == AggregateFunction::GroupKey);
        let group_by = group_by.filter_map(|(_, field)| field.map(ValueRef::field)).collect();
        OutputKind::Aggregate(Aggregate { paged, group_by, having: None, terms: made })
    }

    pub(crate) fn step(&mut self, root: u32, kind: StepKind) -> StepId {
        let id = StepId(u32::try_from(self.steps.len()).unwrap());
        self.steps.push(Step::new(id, root, kind));
        id
    }

    /// A root write, of whose rows these fields are shown.
    pub(crate) fn write(&mut self, root: u32, write: Write, fields: &[&str]) {
        let entity = self.database.catalog[write.entity].name.to_string();
        let step = self.step(root, StepKind::Write(write));
        let outputs = self.fields(&entity, fields);
        let rows = self.rows(From::Returned { step, state: State::After }, outputs);
        self.read(root, rows);
    }

    pub(crate) fn read(&mut self, root: u32, rows: Rows) {
        self.step(root, StepKind::Read(rows));
    }

    /// All steps in one transaction.
    pub(crate) fn request(self) -> Request {
        let is_read = |step: &Step| matches!(step.kind, StepKind::Read(_));
        let isolation = match self.steps.iter().all(is_read) {
            true => Isolation::Snapshot,
            false => Isolation::ReadCommitted,
        };
        Request {
            transactions: vec![Transaction { isolation, steps: self.steps }],
            outputs: self.outputs,
            rows: self.rows,
            claimed_names: Vec::new(),
        }
    }
}

/// A write of rows, with the writes below them.
pub(crate) fn write(
    database: &Database,
    entity: &str,
    kind: WriteKind,
    children: Vec<ChildWrite>,
) -> Write {
    Write { entity: database.entity(entity), kind, children, check: Filter::all() }
}

/// Rows to insert, each with a value or nothing for each field.
pub(crate) fn insert(
    database: &Database,
    entity: &str,
    fields: &[&str],
    rows: Vec<Vec<Option<Operand>>>,
) -> Insert {
    let field = |name: &&str| database.field(&format!("{entity}.{name}"));
    Insert { fields: fields.iter().map(field).collect(), rows: InsertedRows::Each(rows) }
}

/// One row that says one field.
pub(crate) fn insert_one(
    database: &Database,
    entity: &str,
    field: &str,
    value: Operand,
) -> WriteKind {
    WriteKind::Insert(insert(database, entity, &[field], vec![vec![Some(value)]]))
}

/// An update of the rows that pass.
pub(crate) fn update(filter: Filter, sets: &[(FieldId, Operand)]) -> WriteKind {
    let set = |(field, operand): &(FieldId, Operand)| (*field, Assignment::Set(operand.clone()));
    let assignments = sets.iter().map(set).collect();
    WriteKind::Update(Update { filter, assignments, at_most: None })
}

pub(crate) fn child(hop: Hop, parents: &[u32], write: Write) -> ChildWrite {
    ChildWrite { hop, parents: parents.to_vec(), write, edge: Vec::new() }
}

pub(crate) fn integer(value: i64) -> Operand {
    Operand::Constant(Value::Integer(value))
}

pub(crate) fn text(value: &str) -> Operand {
    Operand::Constant(Value::Text(value.into()))
}

/// A field of the row itself.
pub(crate) fn own(field: FieldId) -> OutputKind {
    OutputKind::Field { path: Vec::new(), field, form: Form::Stored }
}

pub(crate) fn related(rows: Rows) -> OutputKind {
    OutputKind::Related { path: Vec::new(), rows: Box::new(rows) }
}

pub(crate) fn compare(field: FieldId, comparison: Comparison, operand: Operand) -> Filter {
    Filter::Compare { place: ValueRef::field(field), comparison, operand }
}

pub(crate) fn equal(field: FieldId, operand: Operand) -> Filter {
    compare(field, Comparison::Equal, operand)
}

pub(crate) fn order(place: ValueRef, direction: Direction, nulls: Nulls) -> OrderTerm {
    OrderTerm { key: OrderKey::Value(place), direction, nulls }
}

pub(crate) fn ascending(field: FieldId) -> OrderTerm {
    order(ValueRef::field(field), Direction::Ascending, Nulls::Last)
}

pub(crate) fn descending(field: FieldId) -> OrderTerm {
    order(ValueRef::field(field), Direction::Descending, Nulls::Last)
}

pub(crate) fn page(limit: i64, offset: i64) -> Page {
    Page::Offset { limit: Some(integer(limit)), offset: Some(integer(offset)), look_ahead: false }
}
