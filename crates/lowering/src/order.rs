//! Orders, completed by a tie-break, and their cursors.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use graphql::opaque::member_tag;
use graphql::operation::Location;
use ir::{Aggregate, AggregateTerm, Call, Direction, Filter, Nulls, OrderKey, OrderTerm, ValueRef};
use response::{Leaf, Piece};

use super::outputs::Outputs;
use super::{Context, LowerError};
use api::binding::{AggregateValue, CursorMember, Cursors, EntityBinding, IdForm, OrderBy};

/// The order of a list: the requested one, completed by the tie-break.
#[derive(Debug, Default)]
pub(super) struct ListOrder {
    pub(super) terms: Vec<OrderTerm>,
    cursor: CursorForm,
}

/// The contents of this order's cursors.
#[derive(Debug, Default)]
struct CursorForm {
    names: Vec<Box<str>>,
    values: Vec<CursorValue>,
    /// The row's number instead of values.
    by_number: bool,
    /// The row's index in its list, and nothing else.
    by_offset: bool,
    /// An object with a member for each value.
    by_members: bool,
    /// The value of this field, and nothing else.
    key: Option<FieldId>,
}

/// A value in cursors.
#[derive(Debug)]
struct CursorValue {
    key: OrderKey,
    /// Its form; of a field that of its column.
    leaf: Option<Leaf>,
    /// The names of the members that lead to it, where cursors are objects.
    path: Vec<Arc<str>>,
}

/// The error of distinct rows in another order than that of their columns.
const OTHER_ORDER: &str = "\"distinct_on\" columns must match initial \"order_by\" columns";

impl ListOrder {
    /// True if cursors hold the row's number: the order is not complete.
    pub(super) fn is_by_number(&self) -> bool {
        self.cursor.by_number
    }

    /// The names at the beginning of its cursors.
    pub(super) fn cursor_names(&self) -> &[Box<str>] {
        &self.cursor.names
    }

    /// The number of values in its cursors.
    pub(super) fn cursor_length(&self) -> usize {
        self.cursor.values.len()
    }

    /// True if cursors are objects with a member for each value.
    pub(super) fn is_by_members(&self) -> bool {
        self.cursor.by_members
    }

    /// The field whose values are its cursors.
    pub(super) fn key(&self) -> Option<FieldId> {
        self.cursor.key
    }

    /// The tag of a value in cursors that are objects.
    pub(super) fn cursor_tag(&self, key: &OrderKey) -> Option<Box<str>> {
        let value = self.cursor.values.iter().find(|value| value.key == *key)?;
        Some(member_tag(&value.path))
    }

    /// The index of a value in its cursors.
    pub(super) fn cursor_place(&self, key: &OrderKey) -> Option<usize> {
        self.cursor.values.iter().position(|value| value.key == *key)
    }
}

/// The name in cursors of rows in the order of their function.
const NATURAL: &str = "natural";

impl ListOrder {
    /// The order of a function's rows: cursors hold the row's number.
    pub(super) fn of_function() -> Self {
        let cursor =
            CursorForm { names: vec![NATURAL.into()], by_number: true, ..CursorForm::default() };
        Self { terms: Vec::new(), cursor }
    }
}

impl ListOrder {
    /// The same for a row without a number, since it was not read with others: its cursor holds
    /// values, or there is none.
    pub(super) fn of_one_row(mut self) -> Self {
        self.cursor.by_number = false;
        self
    }

    /// True if its rows have cursors.
    pub(super) fn has_cursor(&self) -> bool {
        self.cursor.by_number || !self.cursor.values.is_empty()
    }
}

impl Context<'_> {
    /// The order of a list of `entity` with the requested keys `chosen`.
    pub(super) fn list_order(&self, entity: EntityId, chosen: &[OrderBy]) -> ListOrder {
        let none = EntityBinding::default();
        let binding = self.api.find_entity(entity).unwrap_or(&none);
        let mut terms: Vec<OrderTerm> = Vec::new();
        let by_members = binding.cursors == Cursors::Members;
        let mut cursor = CursorForm { by_members, ..CursorForm::default() };
        let mut unique = false;
        for order in chosen {
            match order {
                OrderBy::Natural => {}
                OrderBy::Value { place, direction } => {
                    push_term(&mut terms, OrderKey::Value(ValueRef::clone(place)), *direction);
                }
                OrderBy::NullsLast { place, direction } => {
                    let key = OrderKey::Value(ValueRef::clone(place));
                    push(&mut terms, OrderTerm { key, direction: *direction, nulls: Nulls::Last });
                }
                OrderBy::Placed { key, direction, nulls, member } => {
                    let (key, direction, nulls) = ((**key).clone(), *direction, *nulls);
                    if by_members {
                        cursor.push_member(key.clone(), member);
                    }
                    push(&mut terms, OrderTerm { key, direction, nulls });
                }
                OrderBy::Fields { fields, direction, cursor_name } => {
                    cursor.names.push(cursor_name.clone());
                    cursor.push_fields(fields);
                    unique |= binding.unique.iter().any(|key| key[..] == fields[..]);
                    for field in fields {
                        push_term(&mut terms, OrderKey::Value(ValueRef::field(*field)), *direction);
                    }
                }
                OrderBy::Computed { function, value, direction, cursor_name } => {
                    cursor.names.push(cursor_name.clone());
                    let key = OrderKey::Value(ValueRef::Computed(self.of_row(*function)));
                    let leaf = self.api.find_column(*value).map(|column| column.json.clone());
                    cursor.values.push(CursorValue { key: key.clone(), leaf, path: Vec::new() });
                    push_term(&mut terms, key, *direction);
                }
                OrderBy::Related { hop, value, direction, cursor_name } => {
                    cursor.names.push(cursor_name.clone());
                    let key = self.related_key(&[], *hop, value);
                    let leaf = Some(value.leaf.clone());
                    cursor.values.push(CursorValue { key: key.clone(), leaf, path: Vec::new() });
                    push_term(&mut terms, key, *direction);
                }
            }
        }
        if cursor.names.is_empty() {
            cursor.names.push(binding.natural_cursor.clone());
        }
        if !unique {
            match by_members {
                true => {
                    for (field, name) in binding.tie_break.iter().zip(&binding.cursor_members) {
                        let member = CursorMember { path: vec![name.clone()], leaf: None };
                        cursor.push_member(OrderKey::Value(ValueRef::field(*field)), &member);
                    }
                }
                false => cursor.push_fields(&binding.tie_break),
            }
            for field in &binding.tie_break {
                let key = OrderKey::Value(ValueRef::field(*field));
                push_term(&mut terms, key, Direction::Ascending);
            }
        }
        cursor.by_number = binding.tie_break.is_empty() && !unique;
        cursor.by_offset = binding.cursors == Cursors::Offsets;
        if binding.cursors == Cursors::Keys {
            cursor.key = binding.tie_break.first().copied();
        }
        ListOrder { terms, cursor }
    }

    /// The cursor of the current row.
    pub(super) fn cursor_pieces(&mut self, order: &ListOrder, outputs: &mut Outputs) -> Vec<Piece> {
        if order.cursor.by_offset {
            return vec![literal(b"arrayconnection:"), Piece::RowOffset];
        }
        if order.cursor.by_members {
            let members: Vec<&CursorValue> = order.cursor.values.iter().collect();
            return self.member_pieces(&members, 0, outputs);
        }
        let mut text = Vec::from(*b"[");
        for name in &order.cursor.names {
            response::escape::write_string(name, &mut text);
            text.push(b',');
        }
        if order.cursor.by_number {
            return vec![Piece::Literal(text.into()), Piece::RowNumber, literal(b"]")];
        }
        text.push(b'[');
        let mut pieces = vec![Piece::Literal(text.into())];
        for (place, value) in order.cursor.values.iter().enumerate() {
            if place > 0 {
                pieces.push(literal(b","));
            }
            pieces.push(self.cursor_value(value, outputs));
        }
        pieces.push(literal(b"]]"));
        pieces
    }

    fn cursor_value(&mut self, value: &CursorValue, outputs: &mut Outputs) -> Piece {
        let CursorValue { key, leaf, path: _ } = value;
        match key {
            OrderKey::Value(ValueRef::Field { path, field }) => {
                let leaf = self.api.find_column(*field).map(|column| column.json.clone());
                self.value_piece(path, *field, leaf, outputs)
            }
            OrderKey::Value(_)
            | OrderKey::Relation { .. }
            | OrderKey::Call(_)
            | OrderKey::FunctionRows { .. } => {
                let output = outputs.order_value(self, key);
                Piece::Leaf { output, leaf: leaf.clone().unwrap_or(Leaf::Any) }
            }
        }
    }

    /// An object of values, below their first `depth` names, in the form of PostgreSQL's JSON.
    fn member_pieces(
        &mut self,
        members: &[&CursorValue],
        depth: usize,
        outputs: &mut Outputs,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut done: Vec<&str> = Vec::new();
        for member in members {
            let Some(name) = member.path.get(depth) else { continue };
            if done.contains(&&**name) {
                continue;
            }
            let mut text = Vec::from(if done.is_empty() { &b"{"[..] } else { b", " });
            response::escape::write_string(name, &mut text);
            text.extend_from_slice(b" : ");
            pieces.push(Piece::Literal(text.into()));
            done.push(name);
            if member.path.len() == depth + 1 {
                pieces.push(self.cursor_value(member, outputs));
                continue;
            }
            let below = |other: &&&CursorValue| other.path.get(depth) == Some(name);
            let below: Vec<&CursorValue> = members.iter().filter(below).copied().collect();
            pieces.append(&mut self.member_pieces(&below, depth + 1, outputs));
        }
        pieces.push(literal(if done.is_empty() { b"{}" } else { b"}" }));
        pieces
    }

    /// The sort key of an order by related rows.
    pub(super) fn related_key(
        &self,
        path: &[ir::Hop],
        hop: ir::Hop,
        value: &AggregateValue,
    ) -> OrderKey {
        let aggregate = aggregate_of_order(value);
        OrderKey::Relation { path: path.to_vec(), hop, filter: Filter::all(), aggregate }
    }

    /// The sort key of an order by rows at the other end of join rows: by an aggregate of the join rows,
    /// each with the value of its one other row.
    pub(super) fn key_through(
        &self,
        path: &[ir::Hop],
        (near, far): (ir::Hop, ir::Hop),
        value: &AggregateValue,
    ) -> OrderKey {
        let mut aggregate = aggregate_of_order(value);
        for term in &mut aggregate.terms {
            term.place = value.field.map(|field| ValueRef::Field { path: vec![far], field });
        }
        OrderKey::Relation { path: path.to_vec(), hop: near, filter: Filter::all(), aggregate }
    }

    /// The sort key of an order by rows that a function of the row at the end of a path returns.
    pub(super) fn key_of_function(
        &self,
        path: &[ir::Hop],
        function: FunctionId,
        value: &AggregateValue,
    ) -> OrderKey {
        let call = Call { of_row: Some(path.to_vec()), ..self.of_row(function) };
        let aggregate = aggregate_of_order(value);
        OrderKey::FunctionRows { call, filter: Filter::all(), aggregate }
    }

    /// The opaque id of the row at the end of a path.
    pub(super) fn node_id_pieces(
        &mut self,
        path: &[ir::Hop],
        (prefix, form): (&str, IdForm),
        key: &[FieldId],
        outputs: &mut Outputs,
    ) -> Vec<Piece> {
        let mut text = Vec::from(*b"[");
        let separator: &[u8] = match form {
            IdForm::Tagged => {
                response::escape::write_string(prefix, &mut text);
                b","
            }
            IdForm::Versioned => {
                text.extend_from_slice(b"1, ");
                text.extend_from_slice(prefix.as_bytes());
                b", "
            }
        };
        let mut pieces = vec![Piece::Literal(text.into())];
        for field in key {
            let leaf = self.api.find_column(*field).map(|column| column.node_id.clone());
            pieces.push(literal(separator));
            pieces.push(self.value_piece(path, *field, leaf, outputs));
        }
        pieces.push(literal(b"]"));
        pieces
    }

    /// The same of an id that is made of one value as a text.
    pub(super) fn global_id_pieces(
        &mut self,
        path: &[ir::Hop],
        prefix: &str,
        field: FieldId,
        outputs: &mut Outputs,
    ) -> Vec<Piece> {
        let leaf = self.api.find_column(field).map(|column| column.node_id.clone());
        let output = outputs.field(self, path, field, ir::Form::Stored);
        let value = Piece::Text { output, leaf: leaf.unwrap_or(Leaf::Any) };
        vec![literal(prefix.as_bytes()), literal(b":"), value]
    }

    fn value_piece(
        &mut self,
        path: &[ir::Hop],
        field: FieldId,
        leaf: Option<Leaf>,
        outputs: &mut Outputs,
    ) -> Piece {
        let output = outputs.field(self, path, field, ir::Form::Stored);
        // A key may have a column that the API lacks.
        Piece::Leaf { output, leaf: leaf.unwrap_or(Leaf::Any) }
    }
}

pub(super) fn literal(text: &[u8]) -> Piece {
    Piece::Literal(text.into())
}

impl CursorForm {
    fn push_fields(&mut self, fields: &[FieldId]) {
        let value = |field: &FieldId| CursorValue {
            key: OrderKey::Value(ValueRef::field(*field)),
            leaf: None,
            path: Vec::new(),
        };
        self.values.extend(fields.iter().map(value));
    }

    /// Adds a member, unless there is one of the same value already.
    fn push_member(&mut self, key: OrderKey, member: &CursorMember) {
        if self.values.iter().all(|known| known.key != key) {
            let CursorMember { path, leaf } = member.clone();
            self.values.push(CursorValue { key, leaf, path });
        }
    }
}

/// Adds a term whose nulls sort as in PostgreSQL, on every source.
fn push_term(terms: &mut Vec<OrderTerm>, key: OrderKey, direction: Direction) {
    let nulls = match direction {
        Direction::Ascending => Nulls::Last,
        Direction::Descending => Nulls::First,
    };
    push(terms, OrderTerm { key, direction, nulls });
}

/// Adds a term, unless there is one of the same value already.
fn push(terms: &mut Vec<OrderTerm>, term: OrderTerm) {
    if !terms.iter().any(|known| known.key == term.key) {
        terms.push(term);
    }
}

/// Orders distinct rows by their columns, unless an order is requested: that must begin with them.
pub(super) fn order_by_distinct(
    distinct: &[(FieldId, Arc<str>)],
    orders: &mut Vec<OrderBy>,
    location: Location,
) -> Result<(), LowerError> {
    if distinct.is_empty() {
        return Ok(());
    }
    if orders.is_empty() {
        let order = |(field, name): &(FieldId, Arc<str>)| OrderBy::Placed {
            key: Box::new(OrderKey::Value(ValueRef::field(*field))),
            direction: Direction::Ascending,
            nulls: Nulls::Last,
            member: Box::new(CursorMember { path: vec![name.clone()], leaf: None }),
        };
        orders.extend(distinct.iter().map(order));
        return Ok(());
    }
    let is_distinct = |order: &OrderBy| match order {
        OrderBy::Placed { key, .. } => match &**key {
            OrderKey::Value(ValueRef::Field { path, field }) => {
                path.is_empty() && distinct.iter().any(|(own, _)| own == field)
            }
            OrderKey::Value(_)
            | OrderKey::Relation { .. }
            | OrderKey::Call(_)
            | OrderKey::FunctionRows { .. } => false,
        },
        _ => false,
    };
    let first = orders.get(..distinct.len());
    match first.is_some_and(|first| first.iter().all(is_distinct)) {
        true => Ok(()),
        false => Err(LowerError::refused(OTHER_ORDER, location)),
    }
}

/// The aggregate of an order by rows.
fn aggregate_of_order(value: &AggregateValue) -> Aggregate {
    let AggregateValue { function, field, form, .. } = value;
    let place = field.map(ValueRef::field);
    // The value of an order has no output that could be referred to.
    let id = ir::OutputId(u32::MAX);
    let terms = vec![AggregateTerm { id, function: *function, place, form: *form, once: false }];
    Aggregate { paged: false, group_by: Vec::new(), having: None, terms }
}
