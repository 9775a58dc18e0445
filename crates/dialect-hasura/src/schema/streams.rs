//! Streams of rows: `T_stream`.

use api::binding::{
    ArgumentRole, FilterRole, InputBinding, Meaning, RowsForm, RowsFrom, ValueBinding,
};
use hasura_metadata::naming::RootField;
use ir::Direction;

use super::Build;
use super::rows::{described, rows};
use crate::columns::Column;
use crate::draft::{DraftField, DraftInput, DraftValue};
use crate::plan::Planned;
use crate::values::Operators;

const CURSOR_ORDERING: &str = "cursor_ordering";

/// The field that streams the rows of an entity, if one of its columns can be a position.
pub(super) fn field(build: &mut Build<'_>, planned: &Planned<'_>) -> Option<DraftField> {
    let columns: Vec<_> = planned.read().filter(|column| is_position(column)).collect();
    if columns.is_empty() {
        return None;
    }
    let table = &planned.described;
    let ordering = find_ordering(build);
    let value = |column: &&Column<'_>| {
        let role = ArgumentRole::StreamFrom(column.field.id);
        DraftInput::new(column.name(), column.values.text(), InputBinding::lenient(role))
            .verbatim()
            .described_by(column.description())
    };
    let values = columns.iter().map(value).collect();
    let about = "Initial value of the column from where the streaming should start";
    let value_input = planned.r#type("stream_cursor_value_input");
    build.draft.input(&value_input, Some(about), values);
    let argument = |name: &str, r#type: String, role: ArgumentRole, about: &str| {
        DraftInput::new(name, r#type, InputBinding::lenient(role)).described(about)
    };
    let members = vec![
        argument(
            "initial_value",
            format!("{value_input}!"),
            ArgumentRole::StreamStart,
            "Stream column input with initial value",
        ),
        argument("ordering", ordering, ArgumentRole::StreamDirection, "cursor ordering"),
    ];
    let about = format!("Streaming cursor of the table \"{table}\"");
    let cursor = planned.r#type("stream_cursor_input");
    build.draft.input(&cursor, Some(&about), members);
    let condition = InputBinding {
        role: FilterRole::Conditions.into(),
        null: Meaning::Ignore,
        empty: Meaning::True,
    };
    let arguments = vec![
        argument(
            "batch_size",
            "Int!".to_owned(),
            ArgumentRole::Limit,
            "maximum number of rows returned in a single batch",
        ),
        argument(
            "cursor",
            format!("[{cursor}]!"),
            ArgumentRole::Stream,
            "cursor to stream the results returned by the query",
        ),
        DraftInput::new("where", planned.r#type("bool_exp"), condition)
            .described("filter the rows returned"),
    ];
    let binding = rows(RowsFrom::Entity, planned, RowsForm::Stream);
    let field = DraftField::new(
        &planned.root(RootField::SelectStream),
        format!("[{}!]!", planned.name),
        binding,
    );
    let about = format!("fetch data from the table in a streaming manner: \"{table}\"");
    let field = field.verbatim().with(arguments);
    Some(described(field, planned, RootField::SelectStream, about))
}

/// True if rows can be ordered by a column, and found beyond a value of it that a response shows.
fn is_position(column: &Column<'_>) -> bool {
    let values = &column.values;
    values.lists == 0
        && values.is_ordered()
        && matches!(values.operators, Operators::Ordered | Operators::Text | Operators::Tree)
}

/// The enum of directions; adds it on its first use.
fn find_ordering(build: &mut Build<'_>) -> String {
    let name = build.shared_type(CURSOR_ORDERING);
    let value =
        |name, about, direction| DraftValue::new(name, about, ValueBinding::Direction(direction));
    let values = vec![
        value("ASC", "ascending ordering of the cursor", Direction::Ascending),
        value("DESC", "descending ordering of the cursor", Direction::Descending),
    ];
    build.draft.values(&name, Some("ordering argument of a cursor"), values);
    name
}
