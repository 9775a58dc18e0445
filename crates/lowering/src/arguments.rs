//! Arguments of a list or row field: filter, order and page.

use std::sync::Arc;

use catalog::{FieldId, SearchId};
use graphql::CollectedField;
use graphql::opaque::{OpaqueKind, OpaqueShape, OpaqueValues};
use graphql::operation::{FieldRef, Location};
use graphql::schema::{InputId, TypeKind, TypeRef};
use ir::{Codec, Filter, Operand};

use super::call::GivenArgument;
use super::filter::{FilterContext, meaning};
use super::input::{Input, Presence};
use super::nearest::NearestArguments;
use super::paging::{at_most, rows_from_end};
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::{
    ArgumentBinding, ArgumentRole, CursorMember, InputRole, NodeIdBinding, OrderBy, OrderRole,
    PagePart, RowsFrom, ValueBinding, VariantsId, member_cursors,
};

/// Limit of sort keys of one list: each of them is a part of every cursor.
const ORDERS: usize = 64;

/// The arguments of one field.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) filters: Vec<Filter>,
    pub(super) orders: Vec<OrderBy>,
    /// One row for each combination of these columns, with their names in the API.
    pub(super) distinct: Vec<(FieldId, Arc<str>)>,
    pub(super) limit: Option<Operand>,
    pub(super) offset: Option<Operand>,
    pub(super) last: Option<Operand>,
    /// True if the offset has no effect.
    ignores_offset: bool,
    pub(super) after: Option<Opaque>,
    pub(super) before: Option<Opaque>,
    /// The key of the row after which the rows are.
    pub(super) after_key: Option<Operand>,
    pub(super) before_key: Option<Operand>,
    /// An opaque id; `Some(None)` if it is invalid in this API.
    pub(super) node_id: Option<Option<Opaque>>,
    /// The relationship that is followed instead of the field's own.
    pub(super) hop: Option<ir::Hop>,
    /// The relationships to rows of several entities that are followed instead of the field's own.
    pub(super) variants: Option<VariantsId>,
    /// Arguments of the field's function.
    pub(super) given: Vec<GivenArgument>,
    /// A password of the row, and the field with its hash.
    pub(super) password: Option<(FieldId, Operand)>,
    /// A password of rows of several entities, and the field with its hash of each.
    pub(super) common_password: Option<(Arc<[FieldId]>, Operand)>,
    pub(super) nearest: NearestArguments,
    /// The search text of an index.
    pub(super) searched: Option<Operand>,
    /// The position of a stream of rows.
    pub(super) stream: Option<StreamStart>,
    /// The index to search instead of the field's own rows.
    pub(super) search: Option<SearchId>,
}

impl Arguments {
    /// Refuses arguments that only other rows read: nothing that a request says is dropped.
    pub(super) fn require_read(&self, from: RowsFrom) -> Result<(), LowerError> {
        let of_function = matches!(
            from,
            RowsFrom::Function { .. } | RowsFrom::Effect(_) | RowsFrom::FunctionOfVariants { .. }
        );
        let of_entity = matches!(from, RowsFrom::Entity);
        let of_search = matches!(from, RowsFrom::Search(_)) || self.search.is_some();
        let along = matches!(from, RowsFrom::Relation(_) | RowsFrom::Nodes(_));
        let of_variants = matches!(from, RowsFrom::Variants { .. });
        let of_tables = matches!(
            from,
            RowsFrom::Entity
                | RowsFrom::Relation(_)
                | RowsFrom::Through { .. }
                | RowsFrom::Function { .. }
                | RowsFrom::Effect(_)
        );
        let is_read = (of_function || self.given.is_empty())
            && (of_tables || self.distinct.is_empty())
            && (of_entity || self.password.is_none())
            && (of_variants || self.common_password.is_none())
            && (of_search || self.searched.is_none())
            && (of_entity || self.search.is_none())
            && (along || self.hop.is_none())
            && (of_variants || self.variants.is_none());
        match is_read {
            true => Ok(()),
            false => Err(misplaced("an argument of other rows")),
        }
    }
}

/// The position at which a stream begins.
#[derive(Debug)]
pub(super) struct StreamStart {
    pub(super) column: FieldId,
    pub(super) direction: ir::Direction,
    pub(super) start: Operand,
}

/// An opaque text: its steering parts, and the text as a parameter.
#[derive(Debug)]
pub(super) struct Opaque {
    pub(super) kind: OpaqueKind,
    pub(super) shape: OpaqueShape,
    pub(super) operand: Operand,
}

impl Opaque {
    /// The condition that a row has the opaque id; `None` if it is an id of other rows. An id with
    /// a null matches no row, but is valid.
    pub(super) fn filter(&self, binding: &NodeIdBinding) -> Option<Filter> {
        let nulls = match &self.shape.values {
            OpaqueValues::Nulls(nulls) => nulls,
            OpaqueValues::Number | OpaqueValues::Invalid(_) => return None,
        };
        let tagged = matches!(&self.shape.tags[..], [tag] if *tag == binding.prefix);
        if !tagged || nulls.len() != binding.key.len() {
            return None;
        }
        if nulls.contains(&true) {
            return Some(Filter::Or(Vec::new()));
        }
        let equal = |(field, part): (&FieldId, u16)| Filter::Compare {
            place: ir::ValueRef::field(*field),
            comparison: ir::Comparison::Equal,
            operand: Operand::Decoded {
                slot: Box::new(self.operand.clone()),
                codec: binding.codec,
                part,
            },
        };
        // The tag of a JSON array is its part 0.
        let first = match binding.codec {
            Codec::GlobalId => 0,
            _ => binding.form.first_value(),
        };
        Some(Filter::and(binding.key.iter().zip(first..).map(equal).collect()))
    }
}

/// The error of an empty search.
pub(super) const NOTHING_SEARCHED: &str = "There is nothing to search for.";

const SEVERAL_SEARCHES: &str = "Can only call one search at any given time";

const INVALID_CURSOR: &str =
    "Invalid cursor, please enter a cursor from a previous request, or null.";

impl Context<'_> {
    /// The value of a function's argument. Null selects the default; without one it is a value.
    pub(super) fn given(
        &self,
        argument: ArgumentBinding,
        input: &Input<'_>,
        r#type: TypeRef,
    ) -> Option<GivenArgument> {
        match self.presence(input) {
            Presence::Absent => None,
            Presence::Null if argument.optional => None,
            _ => {
                Some(GivenArgument { place: argument.place, operand: self.operand(input, r#type) })
            }
        }
    }

    /// What is given to the function whose value a field shows.
    pub(super) fn call_arguments(
        &self,
        field: &CollectedField<'_>,
    ) -> Result<Vec<GivenArgument>, LowerError> {
        let is_read =
            |role: &ArgumentRole| matches!(role, ArgumentRole::Call(_) | ArgumentRole::Options);
        self.require_arguments(field, is_read)?;
        for (id, value) in field.arguments {
            self.require_options(*id, &Input::new(value))?;
        }
        Ok(self.arguments(field)?.given)
    }

    /// Refuses members of an object of arguments that are no arguments of a function.
    fn require_options(&self, id: InputId, input: &Input<'_>) -> Result<(), LowerError> {
        let is_object = self.api.input(id).role == InputRole::Argument(ArgumentRole::Options)
            && self.presence(input) == Presence::Present;
        if !is_object {
            return Ok(());
        }
        for (member, input) in self.entries(input, self.api.schema[id].r#type.base)? {
            match &self.api.input(member).role {
                InputRole::Argument(ArgumentRole::Call(_)) | InputRole::Refused(_) => {}
                InputRole::Argument(ArgumentRole::Options) => {
                    self.require_options(member, &input)?;
                }
                _ => return Err(misplaced("an argument that its function does not read")),
            }
        }
        Ok(())
    }

    /// Refuses arguments of a field that the field does not read.
    pub(super) fn require_arguments(
        &self,
        field: &CollectedField<'_>,
        is_read: impl Fn(&ArgumentRole) -> bool,
    ) -> Result<(), LowerError> {
        let is_read = |role: &InputRole| match role {
            InputRole::Argument(role) => is_read(role),
            InputRole::Refused(_) => true,
            _ => false,
        };
        match field.arguments.iter().all(|(id, _)| is_read(&self.api.input(*id).role)) {
            true => Ok(()),
            false => Err(misplaced("an argument that its field does not read")),
        }
    }

    pub(super) fn arguments(&self, field: &CollectedField<'_>) -> Result<Arguments, LowerError> {
        self.arguments_of(field, FilterContext::default())
    }

    /// The same for conditions with a context.
    pub(super) fn arguments_of(
        &self,
        field: &CollectedField<'_>,
        around: FilterContext<'_>,
    ) -> Result<Arguments, LowerError> {
        let mut arguments = Arguments::default();
        for (id, value) in field.arguments {
            self.argument(*id, &Input::new(value), around, field, &mut arguments)?;
        }
        if let FieldRef::Field(id) = field.field {
            self.add_defaults(id, &mut arguments.given);
        }
        if arguments.ignores_offset {
            arguments.offset = None;
        }
        if arguments.orders.len() > ORDERS {
            let message = format!("A list can be ordered by {ORDERS} values at most.");
            return Err(LowerError::Refused { message: message.into(), location: field.location });
        }
        Ok(arguments)
    }

    /// Adds one argument, or one member of an object of them.
    fn argument(
        &self,
        id: InputId,
        input: &Input<'_>,
        around: FilterContext<'_>,
        field: &CollectedField<'_>,
        arguments: &mut Arguments,
    ) -> Result<(), LowerError> {
        match &self.api.input(id).role {
            InputRole::Argument(role) => {
                self.list_argument(role, (id, input), around, field, arguments)
            }
            InputRole::Filter(_) | InputRole::Variant(_) | InputRole::Refused(_) => {
                let stated = self.condition(id, input, around, field.location)?;
                arguments.filters.extend(stated);
                Ok(())
            }
            InputRole::Order(_)
            | InputRole::Write(_)
            | InputRole::Member
            | InputRole::Representations => Err(misplaced("an argument of rows")),
            InputRole::Ignored => Ok(()),
        }
    }

    fn list_argument(
        &self,
        role: &ArgumentRole,
        (id, input): (InputId, &Input<'_>),
        around: FilterContext<'_>,
        field: &CollectedField<'_>,
        arguments: &mut Arguments,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        match (role, self.presence(input)) {
            // Null may be a value.
            (ArgumentRole::Call(argument), _) => {
                arguments.given.extend(self.given(*argument, input, r#type));
            }
            // Without a password no row is found.
            (ArgumentRole::Password(stored), _) => {
                arguments.password = Some((*stored, self.operand(input, r#type)));
            }
            (ArgumentRole::CommonPassword(stored), _) => {
                let given = self.operand(input, r#type);
                arguments.common_password = Some((Arc::clone(stored), given));
            }
            (ArgumentRole::NodeId | ArgumentRole::VersionedNodeId | ArgumentRole::GlobalId, _) => {
                let kind = match role {
                    ArgumentRole::GlobalId => OpaqueKind::GlobalId,
                    ArgumentRole::VersionedNodeId => OpaqueKind::VersionedNodeId,
                    _ => OpaqueKind::NodeId,
                };
                let shape = self.opaque(input, kind);
                let operand = self.operand(input, r#type);
                arguments.node_id = Some(shape.map(|shape| Opaque { kind, shape, operand }));
            }
            (ArgumentRole::SearchBy(_), Presence::Null) => {
                return Err(LowerError::refused(NOTHING_SEARCHED, field.location));
            }
            (_, Presence::Absent) => {}
            (_, Presence::Null) => {
                meaning(self.api.input(id).null(), None, field.location)?;
            }
            (ArgumentRole::Options, Presence::Present) => {
                for (id, input) in self.entries(input, r#type.base)? {
                    self.argument(id, &input, around, field, arguments)?;
                }
            }
            (ArgumentRole::Limit, _) => arguments.limit = Some(self.operand(input, r#type)),
            (ArgumentRole::LimitUnlessZero, _) => {
                if !self.is_zero(input) {
                    arguments.limit = Some(self.operand(input, r#type));
                }
            }
            (ArgumentRole::LimitAtMost(most), _) => {
                if !self.is_zero(input) {
                    arguments.limit = Some(at_most(self.operand(input, r#type), *most));
                }
            }
            (ArgumentRole::SignedLimit, _) => {
                if self.is_negative(input) {
                    arguments.last = Some(rows_from_end(self.operand(input, r#type)));
                    arguments.ignores_offset = true;
                } else if !self.is_zero(input) {
                    arguments.limit = Some(self.operand(input, r#type));
                }
            }
            (ArgumentRole::Offset, _) => arguments.offset = Some(self.operand(input, r#type)),
            (ArgumentRole::Last, _) => arguments.last = Some(self.operand(input, r#type)),
            (ArgumentRole::After | ArgumentRole::AfterMembers, _) => {
                arguments.after = Some(self.cursor(role, input, field)?);
            }
            (ArgumentRole::Before | ArgumentRole::BeforeMembers, _) => {
                arguments.before = Some(self.cursor(role, input, field)?);
            }
            (ArgumentRole::NotNegative { otherwise, .. }, _) if self.is_negative(input) => {
                return Err(LowerError::refused(otherwise, field.location));
            }
            (ArgumentRole::NotNegative { most: Some(most), .. }, _)
                if self.is_above(input, most.rows) =>
            {
                let (begin, end) = &most.otherwise;
                let number = self.integer(input).unwrap_or(i64::MAX);
                let message = format!("{begin}{number}{end}");
                return Err(LowerError::refused(&message, field.location));
            }
            (ArgumentRole::NotNegative { part, .. }, _) => {
                let place = match part {
                    PagePart::Limit => &mut arguments.limit,
                    PagePart::Last => &mut arguments.last,
                    PagePart::Offset => &mut arguments.offset,
                };
                *place = Some(self.operand(input, r#type));
            }
            (ArgumentRole::AfterKey, _) => arguments.after_key = Some(self.plain_operand(input)),
            (ArgumentRole::BeforeKey, _) => arguments.before_key = Some(self.plain_operand(input)),
            (ArgumentRole::AfterOffset, _) => {
                let slot = Box::new(self.plain_operand(input));
                let (codec, part) = (Codec::ArrayConnection, 0);
                arguments.offset = Some(Operand::Decoded { slot, codec, part });
            }
            (ArgumentRole::OrderBy, _) => self.order_by(id, input, field, &mut arguments.orders)?,
            (ArgumentRole::DistinctOn, _) => {
                arguments.distinct = self.named_columns(input, r#type, field.location)?;
            }
            (ArgumentRole::Sort, _) => {
                self.sort(input, r#type, false, (field, around), &mut arguments.orders)?;
            }
            (ArgumentRole::Nearest(role), _) => {
                let arguments = &mut arguments.nearest;
                self.nearest_argument(*role, (id, input), field.location, arguments)?;
            }
            (ArgumentRole::Searched, _) => {
                arguments.searched = Some(self.operand(input, r#type));
            }
            (ArgumentRole::SearchBy(search), _) => {
                if arguments.search.replace(*search).is_some() {
                    return Err(LowerError::refused(SEVERAL_SEARCHES, field.location));
                }
                for (id, input) in self.entries(input, r#type.base)? {
                    self.argument(id, &input, around, field, arguments)?;
                }
            }
            (ArgumentRole::Directed { directed, undirected }, _) => {
                arguments.hop = Some(match self.is_true(input) {
                    true => *directed,
                    false => *undirected,
                });
            }
            (ArgumentRole::DirectedVariants { directed, undirected }, _) => {
                arguments.variants = Some(match self.is_true(input) {
                    true => *directed,
                    false => *undirected,
                });
            }
            (
                ArgumentRole::GroupBy { .. }
                | ArgumentRole::GroupFields
                | ArgumentRole::GroupField(_),
                _,
            ) => return Err(misplaced("an argument of groups")),
            (ArgumentRole::CountedColumns | ArgumentRole::CountsDistinct, _) => {
                return Err(misplaced("an argument of a number"));
            }
            (ArgumentRole::Stream, _) => {
                arguments.stream = Some(self.stream_start(id, input, field.location)?);
            }
            (ArgumentRole::JsonPath, _) => return Err(misplaced("a path to a part of JSON")),
            (
                ArgumentRole::StreamStart
                | ArgumentRole::StreamFrom(_)
                | ArgumentRole::StreamDirection,
                _,
            ) => return Err(misplaced("a part of a position")),
            (ArgumentRole::Topic | ArgumentRole::Begins | ArgumentRole::Event(_), _) => {
                return Err(misplaced("an argument of events"));
            }
        }
        Ok(())
    }

    /// The orders of a list of enum values.
    fn order_by(
        &self,
        id: InputId,
        input: &Input<'_>,
        field: &CollectedField<'_>,
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type.base;
        for item in self.items(input)? {
            match self.enum_value(&item, r#type, field.location)? {
                Some(ValueBinding::Order(order)) => orders.push(order.clone()),
                Some(_) => return Err(misplaced("a value of orders")),
                None => {}
            }
        }
        Ok(())
    }

    /// The order of an object, or of each of a list of objects.
    fn sort(
        &self,
        input: &Input<'_>,
        r#type: TypeRef,
        is_listed: bool,
        (field, around): (&CollectedField<'_>, FilterContext<'_>),
        orders: &mut Vec<OrderBy>,
    ) -> Result<(), LowerError> {
        if let Some(item) = r#type.item() {
            for input in self.items(input)? {
                if self.presence(&input) == Presence::Present {
                    self.sort(&input, item, true, (field, around), orders)?;
                }
            }
            return Ok(());
        }
        let mut entries = self.entries(input, r#type.base)?;
        if is_listed {
            // JavaScript orders the members of objects in a list by the type.
            if let TypeKind::InputObject { fields } = &self.api.schema[r#type.base].kind {
                let place = |id: &InputId| fields.iter().position(|field| field == id);
                entries.sort_by_key(|(id, _)| place(id));
            }
        }
        // The score of a search comes after the row's own values.
        let is_nested = |id: InputId| self.api.input(id).role == InputRole::Order(OrderRole::Sort);
        let is_last = |id: InputId| self.api.input(id).role == InputRole::Order(OrderRole::Then);
        entries.sort_by_key(|(id, _)| (is_last(*id), !is_nested(*id)));
        self.keep_one_direction(&mut entries);
        for (id, input) in entries {
            let is_present = || self.presence(&input) == Presence::Present;
            match &self.api.input(id).role {
                InputRole::Order(OrderRole::Sort | OrderRole::Then) => {
                    if is_present() {
                        let r#type = self.api.schema[id].r#type;
                        self.sort(&input, r#type, is_listed, (field, around), orders)?;
                    }
                }
                InputRole::Order(OrderRole::SortOfEdge(entity)) => {
                    // Relationships of other kinds did not lead to the rows.
                    if self.leads_by(around, *entity) && is_present() {
                        let r#type = self.api.schema[id].r#type;
                        self.sort(&input, r#type, is_listed, (field, around), orders)?;
                    }
                }
                InputRole::Order(
                    role @ (OrderRole::Related(_)
                    | OrderRole::RelatedAggregates(_)
                    | OrderRole::RelatedAggregatesThrough { .. }
                    | OrderRole::FunctionAggregates(_)),
                ) => {
                    self.sort_related(role, (id, &input), field.location, orders)?;
                }
                InputRole::Order(role) => {
                    orders.extend(self.sort_field(role, (id, &input), field)?);
                }
                InputRole::Refused(text) => {
                    if is_present() {
                        return Err(LowerError::refused(text, field.location));
                    }
                }
                InputRole::Argument(_)
                | InputRole::Filter(_)
                | InputRole::Write(_)
                | InputRole::Variant(_)
                | InputRole::Member
                | InputRole::Representations
                | InputRole::Ignored => return Err(misplaced("a member of an order")),
            }
        }
        Ok(())
    }

    fn cursor(
        &self,
        role: &ArgumentRole,
        input: &Input<'_>,
        field: &CollectedField<'_>,
    ) -> Result<Opaque, LowerError> {
        let (kind, invalid) = match role {
            ArgumentRole::AfterMembers | ArgumentRole::BeforeMembers => {
                (OpaqueKind::MemberCursor, member_cursors::INVALID)
            }
            _ => (OpaqueKind::Cursor, INVALID_CURSOR),
        };
        let Some(shape) = self.opaque(input, kind) else {
            return Err(LowerError::refused(invalid, field.location));
        };
        // A cursor is a scalar: its type is irrelevant.
        let operand = self.plain_operand(input);
        Ok(Opaque { kind, shape, operand })
    }

    fn sort_field(
        &self,
        role: &OrderRole,
        (id, input): (InputId, &Input<'_>),
        field: &CollectedField<'_>,
    ) -> Result<Option<OrderBy>, LowerError> {
        let binding = self.api.input(id);
        let place = match *role {
            OrderRole::Field(column) => ir::ValueRef::field(column),
            OrderRole::Edge(column) => ir::ValueRef::Edge(column),
            OrderRole::Common(place) => ir::ValueRef::Common(place),
            OrderRole::Computed(function) => ir::ValueRef::Computed(self.of_row(function)),
            OrderRole::Directed(direction) => {
                return self.directed(direction, (id, input), field.location);
            }
            OrderRole::Sort
            | OrderRole::Then
            | OrderRole::SortOfEdge(_)
            | OrderRole::Related(_)
            | OrderRole::RelatedAggregates(_)
            | OrderRole::RelatedAggregatesThrough { .. }
            | OrderRole::FunctionAggregates(_)
            | OrderRole::RelatedCount
            | OrderRole::Aggregates(_) => return Err(misplaced("an order by a value")),
        };
        match self.presence(input) {
            Presence::Absent => return Ok(None),
            Presence::Null => {
                meaning(binding.null(), Some(&place), field.location)?;
                return Ok(None);
            }
            Presence::Present => {}
        }
        let r#type = self.api.schema[id].r#type.base;
        let direction = match self.enum_value(input, r#type, field.location)? {
            Some(ValueBinding::Direction(direction)) => *direction,
            Some(ValueBinding::Placed { direction, nulls }) => {
                let key = Box::new(ir::OrderKey::Value(place));
                let path = vec![self.api.schema[id].name.clone()];
                let member = Box::new(CursorMember { path, leaf: None });
                let (direction, nulls) = (*direction, *nulls);
                return Ok(Some(OrderBy::Placed { key, direction, nulls, member }));
            }
            Some(_) => return Err(misplaced("a direction of an order")),
            None => return Ok(None),
        };
        Ok(Some(match *role {
            OrderRole::Field(column) => {
                OrderBy::Fields { fields: [column].into(), direction, cursor_name: "".into() }
            }
            _ => OrderBy::Value { place: Box::new(place), direction },
        }))
    }

    /// Removes descending orders beside an ascending one of the same object, which wins.
    fn keep_one_direction(&self, entries: &mut Vec<(InputId, Input<'_>)>) {
        let direction = |id: InputId| match self.api.input(id).role {
            InputRole::Order(OrderRole::Directed(direction)) => Some(direction),
            _ => None,
        };
        let is_ascending = |(id, input): &(InputId, Input<'_>)| {
            direction(*id) == Some(ir::Direction::Ascending)
                && self.presence(input) == Presence::Present
        };
        if entries.iter().any(is_ascending) {
            entries.retain(|(id, _)| direction(*id) != Some(ir::Direction::Descending));
        }
    }

    /// The order by the value that an enum value names.
    fn directed(
        &self,
        direction: ir::Direction,
        (id, input): (InputId, &Input<'_>),
        location: Location,
    ) -> Result<Option<OrderBy>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        let r#type = self.api.schema[id].r#type.base;
        match self.enum_value(input, r#type, location)? {
            Some(ValueBinding::Sorted(place)) => {
                Ok(Some(OrderBy::NullsLast { place: place.clone(), direction }))
            }
            Some(_) => Err(misplaced("a value of an order")),
            None => Ok(None),
        }
    }
}
