//! Orders by values of related rows and by their aggregates.

use catalog::FieldId;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeRef};
use ir::{AggregateFunction, Direction, Form, Hop, Nulls, OrderKey, ValueRef};
use response::Leaf;

use super::input::{Input, Presence};
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{AggregateValue, InputRole, OrderBy, OrderRole, ValueBinding};

impl Context<'_> {
    /// Columns that enum values name.
    pub(super) fn columns(
        &self,
        input: &Input<'_>,
        r#type: TypeRef,
        location: Location,
    ) -> Result<Vec<FieldId>, LowerError> {
        let mut columns = Vec::new();
        for item in self.items(input)? {
            match self.enum_value(&item, r#type.base, location)? {
                Some(ValueBinding::Column(column)) if columns.contains(column) => {}
                Some(ValueBinding::Column(column)) => columns.push(*column),
                Some(_) => return Err(misplaced("a column")),
                None => {}
            }
        }
        Ok(columns)
    }

    /// The orders of an object for a related row, or for aggregates of related rows; `path` leads to
    /// the row that has the relationship.
    pub(super) fn sort_related(
        &self,
        role: &OrderRole,
        (id, input): (InputId, &Input<'_>),
        path: &[Hop],
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(());
        }
        let object = self.api.schema[id].r#type.base;
        match role {
            OrderRole::Related(hop) => {
                let path = [path, &[*hop]].concat();
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_row((id, &input), &path, location, orders)?;
                }
                Ok(())
            }
            OrderRole::RelatedAggregates(hop) => {
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_aggregates((id, &input), (path, *hop), location, orders)?;
                }
                Ok(())
            }
            _ => Err(misplaced("an order by related rows")),
        }
    }

    /// The order by a member of an object for a related row.
    fn sort_of_row(
        &self,
        (id, input): (InputId, &Input<'_>),
        path: &[Hop],
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        match &self.api.input(id).role {
            InputRole::Order(OrderRole::Field(field)) => {
                let place = ValueRef::Field { path: path.to_vec(), field: *field };
                let placed = self.placed((id, input), OrderKey::Value(place), location)?;
                orders.extend(placed);
                Ok(())
            }
            InputRole::Order(role @ (OrderRole::Related(_) | OrderRole::RelatedAggregates(_))) => {
                self.sort_related(role, (id, input), path, location, orders)
            }
            InputRole::Refused(text) => match self.presence(input) {
                Presence::Present => Err(LowerError::refused(text, location)),
                Presence::Absent | Presence::Null => Ok(()),
            },
            _ => Err(misplaced("a member of an order by a related row")),
        }
    }

    /// The orders by a member of an object for aggregates of related rows.
    fn sort_of_aggregates(
        &self,
        (id, input): (InputId, &Input<'_>),
        (path, hop): (&[Hop], Hop),
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        let key = |function, field| {
            let (leaf, form) = (Leaf::Any, Form::Stored);
            self.related_key(
                path,
                hop,
                &AggregateValue { function, field, leaf, form, absent: None },
            )
        };
        match &self.api.input(id).role {
            InputRole::Order(OrderRole::RelatedCount) => {
                let key = key(AggregateFunction::Count, None);
                orders.extend(self.placed((id, input), key, location)?);
            }
            InputRole::Order(OrderRole::Aggregates(function)) => {
                if self.presence(input) != Presence::Present {
                    return Ok(());
                }
                for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
                    match &self.api.input(id).role {
                        InputRole::Order(OrderRole::Field(field)) => {
                            let key = key(*function, Some(*field));
                            orders.extend(self.placed((id, &input), key, location)?);
                        }
                        InputRole::Refused(text) => self.refuse_present(text, &input, location)?,
                        _ => return Err(misplaced("an order by an aggregate")),
                    }
                }
            }
            InputRole::Refused(text) => self.refuse_present(text, input, location)?,
            _ => return Err(misplaced("a member of an order by aggregates")),
        }
        Ok(())
    }

    fn refuse_present(
        &self,
        text: &str,
        input: &Input<'_>,
        location: Location,
    ) -> Result<(), LowerError> {
        match self.presence(input) {
            Presence::Present => Err(LowerError::refused(text, location)),
            Presence::Absent | Presence::Null => Ok(()),
        }
    }

    /// The order by a key in the direction that an enum value names.
    fn placed(
        &self,
        (id, input): (InputId, &Input<'_>),
        key: OrderKey,
        location: Location,
    ) -> Result<Option<OrderBy>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        let (direction, nulls) =
            match self.enum_value(input, self.api.schema[id].r#type.base, location)? {
                Some(ValueBinding::Placed { direction, nulls }) => (*direction, *nulls),
                // As in PostgreSQL.
                Some(ValueBinding::Direction(Direction::Ascending)) => {
                    (Direction::Ascending, Nulls::Last)
                }
                Some(ValueBinding::Direction(Direction::Descending)) => {
                    (Direction::Descending, Nulls::First)
                }
                Some(_) => return Err(misplaced("a direction of an order")),
                None => return Ok(None),
            };
        let key = Box::new(key);
        Ok(Some(OrderBy::Placed { key, direction, nulls }))
    }
}
