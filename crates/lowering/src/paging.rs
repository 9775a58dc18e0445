//! Pagination: a window of offsets, or the rows beyond a cursor's position.

use catalog::FieldId;
use graphql::opaque::OpaqueValues;
use graphql::operation::Location;
use ir::{BesideRows, Codec, Keyset, KeysetValue, Operand, Page, Value};

use super::LowerError;
use super::arguments::{Arguments, Opaque};
use super::order::ListOrder;
use api::binding::{key_cursors, member_cursors};

/// Pagination of a connection, as far as its page information depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paging {
    pub(super) rows: response::RowsId,
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) offset: bool,
    pub(super) after: bool,
    pub(super) before: bool,
    /// True if cursors hold the row's number.
    pub(super) by_number: bool,
    /// True if cursors are keys of rows: then a page without a limit has no other beside it.
    pub(super) by_key: bool,
}

impl Paging {
    /// True if rows are skipped at the beginning, not cut off when they are read from the end.
    pub(super) fn begins_by_offset(self) -> bool {
        self.after || self.offset || (self.by_number && self.before && self.last)
    }
}

const FIRST_AND_LAST: &str = "We don't support setting both first and last";
const OFFSET_AND_LAST: &str = "We don't support setting both offset and last";
const UNORDERED_LAST: &str = "Cannot do last of an unordered set";
const NOT_UNIQUE: &str = "The order supplied is not unique, so before/after cursors cannot be used. \
     Please ensure the supplied order includes all the columns from the primary key or a unique \
     constraint.";
const OTHER_ORDER: &str = "Invalid cursor, it belongs to another order; please enter a cursor from \
     a previous request with the same order, or null.";

/// The page of the arguments.
pub(super) fn page(
    arguments: Arguments,
    order: &ListOrder,
    look_ahead: bool,
    location: Location,
) -> Result<Page, LowerError> {
    if let Some(key) = order.key() {
        return page_of_keys(arguments, key, look_ahead, location);
    }
    let Arguments { limit, offset, last, after, before, .. } = arguments;
    let refused = |message: &str| Err(LowerError::refused(message, location));
    let by_members = order.is_by_members();
    if limit.is_some() && last.is_some() {
        return refused(if by_members { member_cursors::FIRST_AND_LAST } else { FIRST_AND_LAST });
    }
    if by_members && after.is_some() && before.is_some() {
        return refused(member_cursors::AFTER_AND_BEFORE);
    }
    if offset.is_some() && last.is_some() {
        return refused(OFFSET_AND_LAST);
    }
    if after.is_none() && before.is_none() && last.is_none() {
        return Ok(match (limit, offset) {
            (None, None) => Page::All,
            (limit, offset) => Page::Offset { limit, offset, look_ahead },
        });
    }
    let has_cursor = after.is_some() || before.is_some();
    if order.is_by_number() && (has_cursor || order.terms.is_empty()) {
        if !order.terms.is_empty() {
            return refused(NOT_UNIQUE);
        }
        // The end of the set is unknown before it is read.
        if last.is_some() && before.is_none() {
            return refused(UNORDERED_LAST);
        }
        let window = Window { after, before, limit, offset, last };
        return between_numbers(window, order, look_ahead)
            .ok_or_else(|| LowerError::refused(OTHER_ORDER, location));
    }
    let values = |cursor: Option<Opaque>| match cursor {
        None => Ok(None),
        Some(cursor) => match keyset_values(&cursor, order) {
            Some(values) => Ok(Some(values)),
            None if by_members => Err(LowerError::refused(member_cursors::INVALID, location)),
            None => Err(LowerError::refused(OTHER_ORDER, location)),
        },
    };
    let from_end = last.is_some();
    Ok(Page::Keyset(Keyset {
        after: values(after)?,
        before: values(before)?,
        limit: limit.or(last),
        offset,
        from_end,
        look_ahead,
    }))
}

/// The page of arguments that are keys of rows.
fn page_of_keys(
    arguments: Arguments,
    key: FieldId,
    look_ahead: bool,
    location: Location,
) -> Result<Page, LowerError> {
    let Arguments { limit, offset, last, after_key, before_key, .. } = arguments;
    if limit.is_some() && last.is_some() {
        return Err(LowerError::refused(key_cursors::FIRST_AND_LAST, location));
    }
    let from_end = last.is_some();
    let limit = limit.or(last);
    if after_key.is_none() && before_key.is_none() && !from_end {
        return Ok(match (limit, offset) {
            (None, None) => Page::All,
            (limit, offset) => Page::Offset { limit, offset, look_ahead },
        });
    }
    let row = |operand: Option<Operand>| operand.map(|operand| vec![(key, operand)]);
    let (after, before) = (row(after_key), row(before_key));
    Ok(Page::BesideRows(Box::new(BesideRows {
        after,
        before,
        limit,
        offset,
        from_end,
        look_ahead,
    })))
}

/// Pagination arguments of an unordered set: `last` only together with `before`, and without
/// `limit` and `offset`.
#[derive(Debug)]
struct Window {
    after: Option<Opaque>,
    before: Option<Opaque>,
    limit: Option<Operand>,
    offset: Option<Operand>,
    last: Option<Operand>,
}

/// The rows between two rows of an unordered set, by their numbers; `None` if a cursor is of
/// another order.
fn between_numbers(window: Window, order: &ListOrder, look_ahead: bool) -> Option<Page> {
    let Window { after, before, limit, offset, last } = window;
    let after = match after {
        Some(cursor) => Some(number(&cursor, order)?),
        None => None,
    };
    let Some(before) = before else {
        return Some(Page::Offset { limit, offset: sum(after, offset), look_ahead });
    };
    let row = Box::new(number(&before, order)?);
    let offset = match &last {
        None => sum(after, offset),
        // All but the last of the rows between are skipped, too.
        Some(last) => {
            let shown = sum(after.clone(), Some(last.clone())).map(Box::new);
            let passed = Operand::RowsBefore { row: row.clone(), offset: shown, limit: None };
            sum(after, Some(passed))
        }
    };
    let limit = Operand::RowsBefore {
        row,
        offset: offset.clone().map(Box::new),
        limit: limit.or(last).map(Box::new),
    };
    Some(Page::Offset { limit: Some(limit), offset, look_ahead })
}

/// The smaller of the requested limit and the maximum of a list.
pub(super) fn at_most(limit: Operand, most: u64) -> Operand {
    // So many rows precede the row of the next number.
    let next = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    Operand::RowsBefore {
        row: Box::new(Operand::Constant(Value::Integer(next))),
        offset: None,
        limit: Some(Box::new(limit)),
    }
}

/// The number of the last rows that a negative limit requests.
pub(super) fn rows_from_end(limit: Operand) -> Operand {
    match limit {
        Operand::Constant(Value::Integer(number)) => {
            Operand::Constant(Value::Integer(number.saturating_neg()))
        }
        limit => Operand::Negated(Box::new(limit)),
    }
}

fn sum(left: Option<Operand>, right: Option<Operand>) -> Option<Operand> {
    match (left, right) {
        (Some(left), Some(right)) => Some(Operand::Sum(vec![left, right])),
        (left, right) => left.or(right),
    }
}

/// The row's number in a cursor.
fn number(cursor: &Opaque, order: &ListOrder) -> Option<Operand> {
    if cursor.shape.values != OpaqueValues::Number || cursor.shape.tags != order.cursor_names() {
        return None;
    }
    // The number follows the names.
    let part = u16::try_from(cursor.shape.tags.len()).ok()?;
    Some(Operand::Decoded {
        slot: Box::new(cursor.operand.clone()),
        codec: Codec::Base64JsonArray,
        part,
    })
}

/// The value of each term of the order at the cursor; `None` if the cursor is of another order.
fn keyset_values(cursor: &Opaque, order: &ListOrder) -> Option<Vec<KeysetValue>> {
    let OpaqueValues::Nulls(nulls) = &cursor.shape.values else { return None };
    if order.is_by_members() {
        return member_values(cursor, nulls, order);
    }
    if cursor.shape.tags != order.cursor_names() || nulls.len() != order.cursor_length() {
        return None;
    }
    let value = |term: &ir::OrderTerm| {
        let place = order.cursor_place(&term.key)?;
        Some(match nulls.get(place) {
            Some(true) => KeysetValue::Null,
            Some(false) | None => KeysetValue::Value(Operand::Decoded {
                slot: Box::new(cursor.operand.clone()),
                codec: Codec::Base64JsonArrayTail,
                part: u16::try_from(place).ok()?,
            }),
        })
    };
    order.terms.iter().map(value).collect()
}

/// The same of a cursor that is an object; further members of it have no effect.
fn member_values(cursor: &Opaque, nulls: &[bool], order: &ListOrder) -> Option<Vec<KeysetValue>> {
    let value = |term: &ir::OrderTerm| {
        let tag = order.cursor_tag(&term.key)?;
        let place = cursor.shape.tags.iter().position(|known| *known == tag)?;
        Some(match nulls.get(place)? {
            true => KeysetValue::Null,
            false => KeysetValue::Value(Operand::Decoded {
                slot: Box::new(cursor.operand.clone()),
                codec: Codec::Base64JsonMembers,
                part: u16::try_from(place).ok()?,
            }),
        })
    };
    order.terms.iter().map(value).collect()
}
