//! Pages: a window given by offsets, or the rows beyond a cursor's position.

use graphql::opaque::OpaqueValues;
use graphql::operation::Location;
use ir::{Codec, Keyset, KeysetValue, Operand, Page};

use super::LowerError;
use super::arguments::{Arguments, Opaque};
use super::order::ListOrder;

/// How a connection is paged, as far as its page information depends on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paging {
    pub(super) rows: response::RowsId,
    pub(super) first: bool,
    pub(super) last: bool,
    pub(super) offset: bool,
    pub(super) after: bool,
    pub(super) before: bool,
}

const FIRST_AND_LAST: &str = "We don't support setting both first and last";
const OFFSET_AND_LAST: &str = "We don't support setting both offset and last";
const UNORDERED_LAST: &str = "Cannot do last of an unordered set";
const NOT_UNIQUE: &str = "The order supplied is not unique, so before/after cursors cannot be used. \
     Please ensure the supplied order includes all the columns from the primary key or a unique \
     constraint.";
const OTHER_ORDER: &str = "Invalid cursor, it belongs to another order; please enter a cursor from \
     a previous request with the same order, or null.";

/// The page that the arguments ask for.
pub(super) fn page(
    arguments: Arguments,
    order: &ListOrder,
    look_ahead: bool,
    location: Location,
) -> Result<Page, LowerError> {
    let Arguments { limit, offset, last, after, before, .. } = arguments;
    let refused = |message: &str| Err(LowerError::refused(message, location));
    if limit.is_some() && last.is_some() {
        return refused(FIRST_AND_LAST);
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
    if order.is_by_number() {
        if !order.terms.is_empty() {
            return refused(NOT_UNIQUE);
        }
        if last.is_some() {
            return refused(UNORDERED_LAST);
        }
        return between_numbers(
            after.as_ref(),
            before.as_ref(),
            order,
            (limit, offset),
            look_ahead,
        )
        .ok_or_else(|| LowerError::refused(OTHER_ORDER, location));
    }
    let values = |cursor: Option<Opaque>| match cursor {
        None => Ok(None),
        Some(cursor) => match keyset_values(&cursor, order) {
            Some(values) => Ok(Some(values)),
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

/// The rows between two rows of an unordered set, by their numbers; `None` if a cursor is of
/// another order.
fn between_numbers(
    after: Option<&Opaque>,
    before: Option<&Opaque>,
    order: &ListOrder,
    (limit, offset): (Option<Operand>, Option<Operand>),
    look_ahead: bool,
) -> Option<Page> {
    let after = match after {
        Some(cursor) => Some(number(cursor, order)?),
        None => None,
    };
    let offset = match (after, offset) {
        (Some(number), Some(offset)) => Some(Operand::Sum(vec![number, offset])),
        (number, offset) => number.or(offset),
    };
    let limit = match before {
        None => limit,
        Some(cursor) => Some(Operand::RowsBefore {
            row: Box::new(number(cursor, order)?),
            offset: offset.clone().map(Box::new),
            limit: limit.map(Box::new),
        }),
    };
    Some(Page::Offset { limit, offset, look_ahead })
}

/// The number of the row that a cursor stands for.
fn number(cursor: &Opaque, order: &ListOrder) -> Option<Operand> {
    if cursor.shape.values != OpaqueValues::Number || cursor.shape.tags != order.cursor_names() {
        return None;
    }
    // The number stands after the names.
    let part = u16::try_from(cursor.shape.tags.len()).ok()?;
    Some(Operand::Decoded {
        slot: Box::new(cursor.operand.clone()),
        codec: Codec::Base64JsonArray,
        part,
    })
}

/// For each term of the order its value at the cursor; `None` if the cursor is of another order.
fn keyset_values(cursor: &Opaque, order: &ListOrder) -> Option<Vec<KeysetValue>> {
    let OpaqueValues::Nulls(nulls) = &cursor.shape.values else { return None };
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
