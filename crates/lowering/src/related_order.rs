//! Orders by values of related rows and by their aggregates.

use std::sync::Arc;

use catalog::{FieldId, FunctionId};
use graphql::operation::Location;
use graphql::schema::{EnumValueId, InputId, TypeKind, TypeRef};
use ir::{AggregateFunction, Call, Direction, Form, Hop, Nulls, OrderKey, ValueRef};
use response::Leaf;

use super::input::{Input, Presence};
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{AggregateValue, CursorMember, InputRole, OrderBy, OrderRole, ValueBinding};

/// The hops to the related row that an order reads.
#[derive(Clone, Debug, Default)]
struct RelatedPath {
    hops: Vec<Hop>,
    /// The names of the inputs that lead there.
    names: Vec<Arc<str>>,
}

/// The rows whose aggregates an order reads.
#[derive(Clone, Copy, Debug)]
enum AggregatedRows {
    /// Of a relationship of the row.
    Related(Hop),
    /// At the other end of join rows of the row.
    Through { near: Hop, far: Hop },
    /// Of a function of the row.
    Function(FunctionId),
}

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

    /// The same with their names in the API.
    pub(super) fn named_columns(
        &self,
        input: &Input<'_>,
        r#type: TypeRef,
        location: Location,
    ) -> Result<Vec<(FieldId, Arc<str>)>, LowerError> {
        let columns = self.columns(input, r#type, location)?;
        let TypeKind::Enum { values } = &self.api.schema[r#type.base].kind else {
            return Err(misplaced("columns"));
        };
        let name = |column: &FieldId| {
            let named = |value: &&EnumValueId| match self.api.value(**value) {
                ValueBinding::Column(own) => own == column,
                _ => false,
            };
            let value = values.iter().find(named);
            value.map_or_else(|| "".into(), |value| self.api.schema[*value].name.clone())
        };
        Ok(columns.iter().map(|column| (*column, name(column))).collect())
    }

    /// The orders of an object for a related row, or for aggregates of related rows.
    pub(super) fn sort_related(
        &self,
        role: &OrderRole,
        named: (InputId, &Input<'_>),
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        self.sort_behind(role, named, &RelatedPath::default(), location, orders)
    }

    /// The same; `path` leads to the row that has the relationship.
    fn sort_behind(
        &self,
        role: &OrderRole,
        (id, input): (InputId, &Input<'_>),
        path: &RelatedPath,
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(());
        }
        let object = self.api.schema[id].r#type.base;
        match role {
            OrderRole::Related(hop) => {
                let mut path = self.below(path, id);
                path.hops.push(*hop);
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_row((id, &input), &path, location, orders)?;
                }
                Ok(())
            }
            OrderRole::RelatedAggregates(hop) => {
                let path = self.below(path, id);
                let of = AggregatedRows::Related(*hop);
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_aggregates((id, &input), (&path, of), location, orders)?;
                }
                Ok(())
            }
            OrderRole::RelatedAggregatesThrough { near, far } => {
                let path = self.below(path, id);
                let of = AggregatedRows::Through { near: *near, far: *far };
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_aggregates((id, &input), (&path, of), location, orders)?;
                }
                Ok(())
            }
            OrderRole::FunctionAggregates(function) => {
                let path = self.below(path, id);
                let of = AggregatedRows::Function(*function);
                for (id, input) in self.entries(input, object)? {
                    self.sort_of_aggregates((id, &input), (&path, of), location, orders)?;
                }
                Ok(())
            }
            _ => Err(misplaced("an order by related rows")),
        }
    }

    /// The path with the name of an input.
    fn below(&self, path: &RelatedPath, id: InputId) -> RelatedPath {
        let mut path = path.clone();
        path.names.push(self.api.schema[id].name.clone());
        path
    }

    /// The order by a member of an object for a related row.
    fn sort_of_row(
        &self,
        (id, input): (InputId, &Input<'_>),
        path: &RelatedPath,
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        match &self.api.input(id).role {
            InputRole::Order(OrderRole::Field(field)) => {
                let place = ValueRef::Field { path: path.hops.clone(), field: *field };
                let key = (OrderKey::Value(place), None);
                let placed = self.placed((id, input), path, key, location)?;
                orders.extend(placed);
                Ok(())
            }
            InputRole::Order(OrderRole::Computed(function)) => {
                let call = Call { of_row: Some(path.hops.clone()), ..self.of_row(*function) };
                let key = (OrderKey::Value(ValueRef::Computed(call)), None);
                orders.extend(self.placed((id, input), path, key, location)?);
                Ok(())
            }
            InputRole::Order(
                role @ (OrderRole::Related(_)
                | OrderRole::RelatedAggregates(_)
                | OrderRole::RelatedAggregatesThrough { .. }
                | OrderRole::FunctionAggregates(_)),
            ) => self.sort_behind(role, (id, input), path, location, orders),
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
        (path, of): (&RelatedPath, AggregatedRows),
        location: Location,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        let key = |function, field| {
            let (leaf, form) = (Leaf::Any, Form::Stored);
            let value = AggregateValue { function, field, leaf, form, absent: None };
            let key = match of {
                AggregatedRows::Related(hop) => self.related_key(&path.hops, hop, &value),
                AggregatedRows::Through { near, far } => {
                    self.key_through(&path.hops, (near, far), &value)
                }
                AggregatedRows::Function(function) => {
                    self.key_of_function(&path.hops, function, &value)
                }
            };
            (key, self.aggregate_leaf(value.function, field))
        };
        match &self.api.input(id).role {
            InputRole::Order(OrderRole::RelatedCount) => {
                let key = key(AggregateFunction::Count, None);
                orders.extend(self.placed((id, input), path, key, location)?);
            }
            InputRole::Order(OrderRole::Field(field)) => {
                let key = key(AggregateFunction::Minimum, Some(*field));
                orders.extend(self.placed((id, input), path, key, location)?);
            }
            InputRole::Order(OrderRole::Aggregates(function)) => {
                if self.presence(input) != Presence::Present {
                    return Ok(());
                }
                let below = self.below(path, id);
                for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
                    match &self.api.input(id).role {
                        InputRole::Order(OrderRole::Field(field)) => {
                            let key = key(*function, Some(*field));
                            orders.extend(self.placed((id, &input), &below, key, location)?);
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
        path: &RelatedPath,
        (key, leaf): (OrderKey, Option<Leaf>),
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
        let member = Box::new(CursorMember { path: self.below(path, id).names, leaf });
        Ok(Some(OrderBy::Placed { key, direction, nulls, member }))
    }

    /// The form of an aggregate in cursors.
    fn aggregate_leaf(&self, function: AggregateFunction, field: Option<FieldId>) -> Option<Leaf> {
        match (function, field) {
            (AggregateFunction::Count, _) => Some(Leaf::Int),
            (
                AggregateFunction::Sum | AggregateFunction::Maximum | AggregateFunction::Minimum,
                Some(field),
            ) => self.api.find_column(field).map(|column| column.json.clone()),
            _ => Some(Leaf::Float),
        }
    }
}
