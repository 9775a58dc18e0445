//! Bulk changes of any number of rows, with a filter, most of them with a limit.

use catalog::FieldId;
use graphql::operation::Location;
use ir::{Filter, Insert, Operand, Update, Value};

use super::LowerError;
use super::new_rows::rows_to_insert;
use super::stored::Changed;
use api::binding::MutationBinding;

/// The error of new rows without any.
pub(super) const NO_ROW: &str = "At least one row must be given.";

/// The error of an update that sets nothing.
pub(super) const NOTHING_SET: &str = "The patch sets nothing.";

/// The filter and the limit of changed rows.
pub(super) fn bounded(
    changed: &Changed<'_>,
    most: u32,
    location: Location,
) -> Result<(Filter, Operand), LowerError> {
    let refused = |message: &str| Err(LowerError::refused(message, location));
    let at_most = match changed.at_most {
        Some(at_most @ 0..) if at_most <= i64::from(most) => at_most,
        Some(0..) => {
            let message = format!("atMost must not be more than {most} (--max-bulk-rows).");
            return refused(&message);
        }
        Some(_) => return refused("atMost must not be negative."),
        None => return refused("atMost must be given, and not be null."),
    };
    let filter = Filter::and(changed.keys.clone());
    if lets_all(&filter) {
        return refused("A change of all rows is refused: say by a condition which are meant.");
    }
    Ok((filter, Operand::Constant(Value::Integer(at_most))))
}

/// An update of all rows that pass. Without an assignment it changes no rows, unless permissions add
/// some.
pub(super) fn updated_all(
    binding: &MutationBinding,
    changed: Changed<'_>,
    location: Location,
) -> Result<Update, LowerError> {
    let filter = stated(changed.keys);
    let mut assignments = changed.assigned;
    // The order of fields in a request is irrelevant.
    assignments.sort_by_key(|(field, _)| *field);
    if let (true, Some(nothing)) = (assignments.is_empty(), binding.unchanged.as_deref()) {
        return Err(LowerError::refused(nothing, location));
    }
    Ok(Update { filter, assignments, at_most: None })
}

/// The condition of a change. Sources refuse a change of all rows without a limit, so that no lost
/// condition changes a whole table: one that is requested says so.
pub(super) fn stated(filters: Vec<Filter>) -> Filter {
    let filter = Filter::and(filters);
    match filter.is_all() {
        true => Filter::Not(Box::new(Filter::none())),
        false => filter,
    }
}

/// The rows to insert, each with its own values.
pub(super) fn inserted(
    rows: Vec<Vec<(FieldId, Operand)>>,
    most: u32,
    location: Location,
) -> Result<Insert, LowerError> {
    let refused = |message: &str| Err(LowerError::refused(message, location));
    if rows.is_empty() {
        return refused(NO_ROW);
    }
    if u32::try_from(rows.len()).map_or(true, |rows| rows > most) {
        let message = format!("At most {most} rows can be made at once (--max-bulk-rows).");
        return refused(&message);
    }
    Ok(rows_to_insert(rows))
}

/// True if a filter accepts every row, however it is composed.
fn lets_all(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().all(lets_all),
        Filter::Or(filters) => filters.iter().any(lets_all),
        Filter::Not(filter) => lets_none(filter),
        _ => false,
    }
}

fn lets_none(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().any(lets_none),
        Filter::Or(filters) => filters.iter().all(lets_none),
        Filter::Not(filter) => lets_all(filter),
        _ => false,
    }
}
