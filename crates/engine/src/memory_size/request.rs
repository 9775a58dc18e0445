//! The bytes of requests.

use ir::{
    Aggregate, AggregateTerm, Assignment, BesideRows, Call, Candidates, ChildWrite, Conflict,
    Distance, EventNode, ExistingLink, ExternalArgument, Filter, From, Groups, Hop, Insert,
    InsertedRows, KeyPlace, Keyset, KeysetValue, Nearest, ObjectChange, ObjectKey, ObjectKeys,
    ObjectSet, Operand, OrderKey, OrderTerm, OtherVector, Otherwise, Output, OutputKind, Page,
    PathItem, Representations, Request, Require, Rows, Step, StepKind, Transaction, Update, Value,
    ValueRef, Variant, VectorOfRow, Write, WriteKind,
};

use super::{MemorySize, of_shared, plain, sum};

plain!(Hop);

impl MemorySize for Request {
    fn memory_size(&self) -> usize {
        let Self { transactions, outputs: _, rows: _, claimed_names } = self;
        sum!(transactions, claimed_names)
    }
}

impl MemorySize for Transaction {
    fn memory_size(&self) -> usize {
        let Self { isolation: _, steps } = self;
        sum!(steps)
    }
}

impl MemorySize for Step {
    fn memory_size(&self) -> usize {
        let Self { id: _, root: _, kind, when, authority: _ } = self;
        size_of_val(when.as_slice())
            + match kind {
                StepKind::Read(rows) => sum!(rows),
                StepKind::Write(write) => sum!(write),
                StepKind::Call(call) => sum!(call),
                StepKind::Require(Require { rows, filter, exists: _, otherwise }) => {
                    sum!(rows, filter, otherwise)
                }
                StepKind::Objects(change) => sum!(change),
            }
    }
}

impl MemorySize for ObjectChange {
    fn memory_size(&self) -> usize {
        match self {
            Self::Find { rows, purpose: _ } => sum!(rows),
            Self::NewKeys { key: _, count: _ } => 0,
            Self::Insert { entity: _, key: _, keys, fields } => sum!(keys, fields),
            Self::SetEach { entity: _, key: _, keys, fields, extended, is_upsert: _ }
            | Self::SetAll { entity: _, key: _, keys, fields, extended } => {
                sum!(keys, fields, extended)
            }
            Self::Clear { entity: _, field: _, values, rows } => sum!(values, rows),
            Self::RemoveElements { entity: _, key: _, keys, field: _, elements } => {
                sum!(keys, elements)
            }
            Self::Connect { joining: _, near, far, pairing: _ } => sum!(near, far),
            Self::Disconnect { joining: _, near, far } => sum!(near, far),
            Self::Delete { entity: _, key: _, keys } => sum!(keys),
        }
    }
}

impl MemorySize for ObjectKeys {
    fn memory_size(&self) -> usize {
        let Self { set, which: _, each } = self;
        of_shared(set) + sum!(each)
    }
}

impl MemorySize for ObjectSet {
    fn memory_size(&self) -> usize {
        let Self { objects, only_if: _ } = self;
        sum!(objects)
    }
}

impl MemorySize for ObjectKey {
    fn memory_size(&self) -> usize {
        let Self {
            found,
            new: _,
            identity,
            further,
            description,
            has_key: _,
            held,
            is_outermost: _,
            unless,
            missing,
            existing,
        } = self;
        sum!(found, identity, further, description, held, unless, missing, existing)
    }
}

impl MemorySize for KeyPlace {
    fn memory_size(&self) -> usize {
        0
    }
}

impl MemorySize for Otherwise {
    fn memory_size(&self) -> usize {
        let Self { kind: _, message, gaps } = self;
        sum!(message, gaps)
    }
}

impl MemorySize for Rows {
    fn memory_size(&self) -> usize {
        let Self {
            id: _,
            from,
            filter,
            order,
            page,
            distinct,
            single: _,
            once: _,
            shown: _,
            outputs,
        } = self;
        sum!(from, filter, order, page, distinct, outputs)
    }
}

impl MemorySize for From {
    fn memory_size(&self) -> usize {
        match self {
            Self::List { like: _, list } => sum!(list),
            Self::Event(EventNode { entity: _, kind: _, properties, names }) => {
                sum!(properties, names)
            }
            Self::Entity(_)
            | Self::Relation(_)
            | Self::Joining { near: _, far: _ }
            | Self::Value(_)
            | Self::Once
            | Self::Returned { step: _, state: _ } => 0,
            Self::Variants(variants) => sum!(variants),
            Self::Through { near: _, joining, far: _ } => sum!(joining),
            Self::Function(call) => sum!(call),
            Self::FunctionOfVariants { call, variants } => sum!(call, variants),
            Self::Search { search: _, operand } => sum!(operand),
            Self::Keys { entity: _, keys, external } => sum!(keys, external),
        }
    }
}

impl MemorySize for ExternalArgument {
    fn memory_size(&self) -> usize {
        let Self { function: _, place: _, values } = self;
        sum!(values)
    }
}

impl MemorySize for Variant {
    fn memory_size(&self) -> usize {
        let Self { entity: _, hop: _, through: _, filter, common, outputs } = self;
        sum!(filter, common, outputs)
    }
}

impl MemorySize for OrderTerm {
    fn memory_size(&self) -> usize {
        let Self { key, direction: _, nulls: _ } = self;
        sum!(key)
    }
}

impl MemorySize for OrderKey {
    fn memory_size(&self) -> usize {
        match self {
            Self::Value(place) => sum!(place),
            Self::Relation { path, hop: _, filter, aggregate } => sum!(path, filter, aggregate),
            Self::Call(call) => sum!(call),
            Self::FunctionRows { call, filter, aggregate } => sum!(call, filter, aggregate),
        }
    }
}

impl MemorySize for Page {
    fn memory_size(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Offset { limit, offset, look_ahead: _ } => sum!(limit, offset),
            Self::Keyset(Keyset { after, before, limit, offset, from_end: _, look_ahead: _ }) => {
                sum!(after, before, limit, offset)
            }
            Self::BesideRows(beside) => {
                let BesideRows { after, before, limit, offset, from_end: _, look_ahead: _ } =
                    &**beside;
                size_of::<BesideRows>() + sum!(after, before, limit, offset)
            }
        }
    }
}

impl MemorySize for KeysetValue {
    fn memory_size(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Value(operand) => sum!(operand),
        }
    }
}

impl MemorySize for Output {
    fn memory_size(&self) -> usize {
        let Self { id: _, kind } = self;
        match kind {
            OutputKind::Field { path, field: _, form: _ } | OutputKind::Present { path } => {
                sum!(path)
            }
            OutputKind::FieldIf { path, field: _, form: _, filter }
            | OutputKind::PresentIf { path, filter } => sum!(path, filter),
            OutputKind::Related { path, rows } => sum!(path, rows),
            OutputKind::Aggregate(aggregate) => sum!(aggregate),
            OutputKind::Groups(Groups { by, rows: _, outputs }) => sum!(by, outputs),
            OutputKind::Computed { call, form: _ } => sum!(call),
            OutputKind::OrderValue(key) => sum!(key),
            OutputKind::Edge { field: _, form: _ }
            | OutputKind::Count
            | OutputKind::Common { place: _, form: _ }
            | OutputKind::Variant
            | OutputKind::Ordinal
            | OutputKind::Counter { step: _, counter: _ } => 0,
        }
    }
}

impl MemorySize for Aggregate {
    fn memory_size(&self) -> usize {
        let Self { paged: _, group_by, having, terms } = self;
        sum!(group_by, having, terms)
    }
}

impl MemorySize for AggregateTerm {
    fn memory_size(&self) -> usize {
        let Self { id: _, function: _, place, form: _, once: _ } = self;
        sum!(place)
    }
}

impl MemorySize for Call {
    fn memory_size(&self) -> usize {
        let Self { function: _, of_row, arguments } = self;
        sum!(of_row, arguments)
    }
}

impl MemorySize for Filter {
    fn memory_size(&self) -> usize {
        match self {
            Self::And(filters) | Self::Or(filters) => sum!(filters),
            Self::Not(filter) | Self::Except(filter) | Self::Required(filter) => sum!(filter),
            Self::Barrier { first, then } => sum!(first, then),
            Self::Compare { place, comparison: _, operand }
            | Self::CompareText { place, comparison: _, case: _, operand }
            | Self::AnyElement { place, comparison: _, operand }
            | Self::Text { place, r#match: _, case: _, operand }
            | Self::Geo { place, operator: _, operand } => sum!(place, operand),
            Self::ElementBetween { place, least, most } => sum!(place, least, most),
            Self::IsNull(place) => sum!(place),
            Self::CompareValues { left, comparison: _, right } => sum!(left, right),
            Self::Exists { entity: _, filter } => sum!(filter),
            Self::FunctionRows { call, filter } => sum!(call, filter),
            Self::Relation { hop: _, quantifier: _, filter } => sum!(filter),
            Self::RelatedGroup { hop: _, filter, having, once: _ } => sum!(filter, having),
            Self::VariantGroup { variants, having, once: _ } => sum!(variants, having),
            Self::Nearest(nearest) => {
                let Nearest { key: _, among, most, count, visited } = &**nearest;
                size_of::<Nearest>() + sum!(among, most, count, visited)
            }
        }
    }
}

impl MemorySize for Candidates {
    fn memory_size(&self) -> usize {
        let Self { key: _, distance, filter } = self;
        sum!(distance, filter)
    }
}

impl MemorySize for Distance {
    fn memory_size(&self) -> usize {
        let Self { vector, metric: _, to } = self;
        match to {
            OtherVector::Given(operand) => sum!(vector, operand),
            OtherVector::OfRow(rows) => sum!(vector, rows),
        }
    }
}

impl MemorySize for VectorOfRow {
    fn memory_size(&self) -> usize {
        let Self { field: _, filter } = self;
        sum!(filter)
    }
}

impl MemorySize for ValueRef {
    fn memory_size(&self) -> usize {
        match self {
            Self::Distance(distance) => size_of::<Distance>() + sum!(&**distance),
            Self::Field { path, field: _ } => sum!(path),
            Self::Computed(call) => sum!(call),
            Self::Attribute { of: place, attribute: _ }
            | Self::Truncated { place, unit: _ }
            | Self::Aggregated { function: _, place } => sum!(place),
            Self::Distinct(place) => sum!(place),
            Self::If { place, filter } => sum!(place, filter),
            Self::Spatial { place, to: _ } => sum!(place),
            Self::OrElse { place, value } => sum!(place, value),
            Self::Coalesce(places) => sum!(places),
            Self::Together(fields) => sum!(fields),
            Self::Edge(_)
            | Self::Outer { levels: _, field: _ }
            | Self::Counted { distinct: _ }
            | Self::Common(_) => 0,
        }
    }
}

/// Forms of values, and descriptions of representations, belong to the API.
impl MemorySize for Operand {
    fn memory_size(&self) -> usize {
        match self {
            Self::Variable { slot: _, path } => sum!(path),
            Self::Constant(value) => sum!(value),
            Self::List(operands) | Self::Sum(operands) => sum!(operands),
            Self::Object(members) => sum!(members),
            Self::Formed { operand, form: _ } => sum!(operand),
            Self::Claim(name) => sum!(name),
            Self::Decoded { slot, codec: _, part: _ } => sum!(slot),
            Self::Negated(operand) => sum!(operand),
            Self::AtMost { operand, most: _ } => sum!(operand),
            Self::RowsBefore { row, offset, limit } => sum!(row, offset, limit),
            Self::Representations(Representations { list, of: _, key: _, part: _ }) => sum!(list),
            Self::Objects(keys) => of_shared(keys),
            Self::Claims
            | Self::Results { step: _, output: _ }
            | Self::Result { step: _, output: _ }
            | Self::Password { number: _, part: _ }
            | Self::Now
            | Self::NewId(_)
            | Self::External(_) => 0,
        }
    }
}

impl MemorySize for PathItem {
    fn memory_size(&self) -> usize {
        match self {
            Self::Key(name) => sum!(name),
            Self::Index(_) => 0,
        }
    }
}

impl MemorySize for Value {
    fn memory_size(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) | Self::Integer(_) => 0,
            Self::Number(text) | Self::Text(text) | Self::Json(text) => sum!(text),
            Self::List(values) => sum!(values),
            Self::Object(members) => sum!(members),
        }
    }
}

impl MemorySize for Write {
    fn memory_size(&self) -> usize {
        let Self { entity: _, kind, children, check } = self;
        sum!(kind, children, check)
    }
}

impl MemorySize for WriteKind {
    fn memory_size(&self) -> usize {
        match self {
            Self::Insert(insert) => sum!(insert),
            Self::Update(Update { filter, assignments, at_most }) => {
                sum!(filter, assignments, at_most)
            }
            Self::Delete { filter, at_most } => sum!(filter, at_most),
            Self::Upsert { insert, conflict } | Self::LinkOrInsert { insert, conflict } => {
                let Conflict { key, assignments, filter } = conflict;
                sum!(insert, key, assignments, filter)
            }
            Self::Link { filter, existing } => sum!(filter, existing),
            Self::Unlink { filter } | Self::SetLinks { filter } => sum!(filter),
            Self::Choose { filter, found, missing } => sum!(filter, found, missing),
            Self::Expect { links: _, otherwise } => sum!(otherwise),
        }
    }
}

impl MemorySize for ExistingLink {
    fn memory_size(&self) -> usize {
        match self {
            Self::Link | Self::Keep => 0,
            Self::Refuse(otherwise) => sum!(otherwise),
        }
    }
}

impl MemorySize for Insert {
    fn memory_size(&self) -> usize {
        let Self { fields, rows } = self;
        match rows {
            InsertedRows::Each(rows) => sum!(fields, rows),
            InsertedRows::Columns(columns) => sum!(fields, columns),
            InsertedRows::ForEach { list, columns } => sum!(fields, list, columns),
        }
    }
}

impl MemorySize for Assignment {
    fn memory_size(&self) -> usize {
        match self {
            Self::Set(operand)
            | Self::Add(operand)
            | Self::AddWithin(operand)
            | Self::Subtract(operand)
            | Self::Multiply(operand)
            | Self::Divide(operand)
            | Self::Push(operand)
            | Self::Pop(operand)
            | Self::Merge(operand)
            | Self::Prepend(operand)
            | Self::DeleteKey(operand)
            | Self::DeleteElement(operand)
            | Self::DeletePath(operand) => sum!(operand),
            Self::Inserted => 0,
        }
    }
}

impl MemorySize for ChildWrite {
    fn memory_size(&self) -> usize {
        let Self { hop: _, parents, write, edge } = self;
        sum!(parents, write, edge)
    }
}
