//! Streams of rows: a subscription that is executed again from the last row of each response.
//!
//! The variable of events, after those of the operation, has the position: the value of a column.
//! The response has an object instead of the list: the list, and the position of its last row.

use catalog::FieldId;
use graphql::CollectedField;
use graphql::operation::{FieldRef, Location};
use graphql::schema::InputId;
use ir::{Comparison, Direction, Filter, Operand, ValueRef};
use response::{Node, ShapeField};

use super::arguments::{Arguments, StreamStart};
use super::event::{Listened, Stream, event_slot};
use super::input::{Input, Presence};
use super::outputs::Outputs;
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{ArgumentRole, FieldBinding, InputRole, OrderBy, RowsForm, ValueBinding};

/// The names of the members of the object.
pub const STREAMED: &str = "rows";
pub const POSITION: &str = "position of the last row";

const NOT_ALONE: &str = "subscriptions must select one top level field";
const NO_COLUMN: &str = "one streaming column field is expected";
const SEVERAL_COLUMNS: &str = "multiple column cursors are not supported yet";
const NULL: &str = "unexpected null value for the initial value of a cursor";

impl<'a> Context<'a> {
    /// Refuses arguments that only other rows read: of streams the position, and of all others what
    /// streams do not have.
    pub(super) fn check_stream_arguments(
        &self,
        field: &CollectedField<'_>,
        is_stream: bool,
    ) -> Result<(), LowerError> {
        let is_read = |role: &InputRole| match role {
            InputRole::Argument(ArgumentRole::Stream) => is_stream,
            InputRole::Argument(ArgumentRole::Limit) => true,
            InputRole::Argument(_) => !is_stream,
            _ => true,
        };
        match field.arguments.iter().all(|(id, _)| is_read(&self.api.input(*id).role)) {
            true => Ok(()),
            false => Err(misplaced("an argument of other rows")),
        }
    }

    /// The position of an argument.
    pub(super) fn stream_start(
        &self,
        id: InputId,
        input: &Input<'_>,
        location: Location,
    ) -> Result<StreamStart, LowerError> {
        let refused = |text: &str| Err(LowerError::refused(text, location));
        let cursor = self.api.schema[id].r#type.base;
        let (mut found, mut direction) = (None, Direction::Ascending);
        for item in self.items(input)? {
            if self.presence(&item) != Presence::Present {
                continue;
            }
            if found.is_some() {
                return refused(SEVERAL_COLUMNS);
            }
            for (id, input) in self.entries(&item, cursor)? {
                let r#type = self.api.schema[id].r#type;
                let is_present = self.presence(&input) == Presence::Present;
                match &self.api.input(id).role {
                    InputRole::Argument(ArgumentRole::StreamStart) => {
                        for (id, input) in self.entries(&input, r#type.base)? {
                            let start = self.stream_from(id, &input, location)?;
                            if found.is_some() && start.is_some() {
                                return refused(SEVERAL_COLUMNS);
                            }
                            found = found.or(start);
                        }
                    }
                    InputRole::Argument(ArgumentRole::StreamDirection) if is_present => {
                        match self.enum_value(&input, r#type.base, location)? {
                            Some(
                                ValueBinding::Direction(own)
                                | ValueBinding::Placed { direction: own, .. },
                            ) => direction = *own,
                            Some(_) => return Err(misplaced("the direction of a stream")),
                            None => {}
                        }
                    }
                    InputRole::Argument(ArgumentRole::StreamDirection) => {}
                    InputRole::Refused(text) if is_present => return refused(text),
                    InputRole::Refused(_) => {}
                    _ => return Err(misplaced("a member of a position")),
                }
            }
        }
        match found {
            Some((column, start)) => Ok(StreamStart { column, direction, start }),
            None => refused(NO_COLUMN),
        }
    }

    /// The value of a column at the position.
    fn stream_from(
        &self,
        id: InputId,
        input: &Input<'_>,
        location: Location,
    ) -> Result<Option<(FieldId, Operand)>, LowerError> {
        let presence = self.presence(input);
        match (&self.api.input(id).role, presence) {
            (InputRole::Argument(ArgumentRole::StreamFrom(_)), Presence::Null) => {
                Err(LowerError::refused(NULL, location))
            }
            (_, Presence::Absent) => Ok(None),
            (InputRole::Argument(ArgumentRole::StreamFrom(column)), Presence::Present) => {
                Ok(Some((*column, self.operand(input, self.api.schema[id].r#type))))
            }
            (InputRole::Refused(text), Presence::Present) => {
                Err(LowerError::refused(text, location))
            }
            (InputRole::Refused(_), _) => Ok(None),
            _ => Err(misplaced("a value of a position")),
        }
    }

    /// A stream is alone: responses have the position of its rows only.
    pub(super) fn check_stream_alone(
        &self,
        fields: &[CollectedField<'_>],
    ) -> Result<(), LowerError> {
        let is_stream = |field: &CollectedField<'_>| {
            let FieldRef::Field(id) = field.field else { return false };
            match self.api.field(id) {
                FieldBinding::Rows(binding) => binding.form == RowsForm::Stream,
                _ => false,
            }
        };
        let mut others = fields.iter().filter(|field| field.field != FieldRef::Typename);
        match (fields.iter().any(is_stream), others.nth(1)) {
            (true, Some(second)) => Err(LowerError::refused(NOT_ALONE, second.location)),
            _ => Ok(()),
        }
    }

    /// Orders the rows of a field by the column of its position, and filters those beyond it.
    /// Returns the column.
    pub(super) fn begin_stream(
        &mut self,
        start: StreamStart,
        arguments: &mut Arguments,
        field: &CollectedField<'_>,
    ) -> FieldId {
        let StreamStart { column, direction, start } = start;
        let place = ValueRef::field(column);
        let slot = ir::Slot(event_slot(self.operation).0);
        arguments.filters.push(Filter::Compare {
            place: place.clone(),
            comparison: match direction {
                Direction::Ascending => Comparison::Greater,
                Direction::Descending => Comparison::Less,
            },
            operand: Operand::Variable { slot, path: Vec::new() },
        });
        arguments.orders = vec![OrderBy::Value { place: Box::new(place), direction }];
        let response_name = field.response_name.into();
        self.listened = Some(Listened::Rows(Stream { start, response_name }));
        column
    }

    /// The object of the rows and of the position of the last one.
    pub(super) fn streamed(
        &mut self,
        list: Node,
        (rows, column): (response::RowsId, FieldId),
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let binding = self.api.find_column(column).ok_or_else(|| misplaced("a streamed column"))?;
        let (leaf, form) = (binding.json.clone(), binding.form);
        let output = outputs.field(self, &[], column, form);
        let node = self.shape.add(Node::Leaf { output, leaf });
        let position = self.shape.add(Node::Edge { rows, last: true, node });
        let list = self.shape.add(list);
        let fields =
            vec![ShapeField::new(STREAMED, list, false), ShapeField::new(POSITION, position, true)];
        Ok(Node::Object(self.shape.add_fields(fields)))
    }
}
