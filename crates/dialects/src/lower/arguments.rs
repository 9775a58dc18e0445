//! Arguments of a list or row field: filter, order and page.

use catalog::{FieldId, SearchId};
use graphql::CollectedField;
use graphql::opaque::{OpaqueKind, OpaqueShape, OpaqueValues};
use graphql::operation::FieldRef;
use graphql::schema::{InputId, TypeKind, TypeRef};
use ir::{Codec, Filter, Operand};

use super::call::Given;
use super::filter::{Around, meaning};
use super::input::{Input, Presence};
use super::order::of_row;
use super::paging::at_most;
use super::{Context, LowerError};
use crate::binding::{
    ArgumentBinding, DeclaredRole, InputRole, NodeIdBinding, OrderBy, ValueBinding, VariantsId,
};

/// The most orders of one list: each of them is a part of every cursor.
const ORDERS: usize = 64;

/// What the arguments of one field say.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) filters: Vec<Filter>,
    pub(super) orders: Vec<OrderBy>,
    pub(super) limit: Option<Operand>,
    pub(super) offset: Option<Operand>,
    pub(super) last: Option<Operand>,
    pub(super) after: Option<Opaque>,
    pub(super) before: Option<Opaque>,
    /// An opaque id; `Some(None)` if it is none of this API.
    pub(super) node_id: Option<Option<Opaque>>,
    /// The relationship that is followed instead of the field's own.
    pub(super) hop: Option<ir::Hop>,
    /// The same of rows of several entities.
    pub(super) variants: Option<VariantsId>,
    /// What is given to the function that the field calls.
    pub(super) given: Vec<Given>,
    /// What an index is searched for.
    pub(super) searched: Option<Operand>,
    /// The index that is asked instead of the field's own rows.
    pub(super) search: Option<SearchId>,
}

/// An opaque text: what of it steers, and the text as a parameter.
#[derive(Debug)]
pub(super) struct Opaque {
    pub(super) shape: OpaqueShape,
    pub(super) operand: Operand,
}

impl Opaque {
    /// The condition that a row has the opaque id; `None` if it is an id of other rows. One with a
    /// null in it is no row's, but might have been.
    pub(super) fn filter(&self, binding: &NodeIdBinding) -> Option<Filter> {
        let nulls = match &self.shape.values {
            OpaqueValues::Nulls(nulls) => nulls,
            OpaqueValues::Number => return None,
        };
        let tagged = matches!(&self.shape.tags[..], [tag] if *tag == binding.prefix);
        if !tagged || nulls.len() != binding.key.len() {
            return None;
        }
        if nulls.contains(&true) {
            return Some(Filter::Or(Vec::new()));
        }
        let equal = |(field, part): (&FieldId, u16)| Filter::Compare {
            place: ir::Place::field(*field),
            comparison: ir::Comparison::Equal,
            operand: Operand::Decoded {
                slot: Box::new(self.operand.clone()),
                codec: binding.codec,
                part,
            },
        };
        // The tag of a JSON array is its part 0.
        let first = if binding.codec == Codec::GlobalId { 0 } else { 1 };
        Some(Filter::and(binding.key.iter().zip(first..).map(equal).collect()))
    }
}

/// Why a search of nothing fails.
pub(super) const NOTHING_SEARCHED: &str = "There is nothing to search for.";

const SEVERAL_SEARCHES: &str = "Can only call one search at any given time";

const INVALID_CURSOR: &str =
    "Invalid cursor, please enter a cursor from a previous request, or null.";

impl Context<'_> {
    /// What is given to an argument of a function. Null stands for the default; without one it is
    /// a value like any other.
    pub(super) fn given(
        &self,
        argument: ArgumentBinding,
        input: &Input<'_>,
        r#type: TypeRef,
    ) -> Option<Given> {
        match self.presence(input) {
            Presence::Absent => None,
            Presence::Null if argument.optional => None,
            _ => Some(Given { place: argument.place, operand: self.operand(input, r#type) }),
        }
    }

    pub(super) fn arguments(&self, field: &CollectedField<'_>) -> Result<Arguments, LowerError> {
        self.arguments_of(field, Around::default())
    }

    /// The same where conditions are about what is around them.
    pub(super) fn arguments_of(
        &self,
        field: &CollectedField<'_>,
        around: Around<'_>,
    ) -> Result<Arguments, LowerError> {
        let mut arguments = Arguments::default();
        for (id, value) in field.arguments {
            self.argument(*id, &Input::new(value), around, field, &mut arguments)?;
        }
        if let FieldRef::Field(id) = field.field {
            self.add_defaults(id, &mut arguments.given);
        }
        if arguments.orders.len() > ORDERS {
            let message = format!("A list can be ordered by {ORDERS} values at most.");
            return Err(LowerError::Refused { message: message.into(), location: field.location });
        }
        Ok(arguments)
    }

    /// What one argument says, or one member of an object of them.
    fn argument(
        &self,
        id: InputId,
        input: &Input<'_>,
        around: Around<'_>,
        field: &CollectedField<'_>,
        arguments: &mut Arguments,
    ) -> Result<(), LowerError> {
        let binding = self.api.input(id);
        let r#type = self.api.schema[id].r#type;
        if matches!(
            binding.role,
            InputRole::Limit
                | InputRole::LimitAtMost(_)
                | InputRole::Last
                | InputRole::After
                | InputRole::Before
                | InputRole::AfterOffset
                | InputRole::LimitUnlessZero
                | InputRole::Options
                | InputRole::Offset
                | InputRole::OrderBy
                | InputRole::Sort
        ) {
            match self.presence(input) {
                Presence::Absent => return Ok(()),
                Presence::Null => {
                    meaning(&binding.null, None, field.location)?;
                    return Ok(());
                }
                Presence::Present => {}
            }
        }
        match &binding.role {
            InputRole::Limit => arguments.limit = Some(self.operand(input, r#type)),
            InputRole::Offset => arguments.offset = Some(self.operand(input, r#type)),
            InputRole::SearchBy(search) => match self.presence(input) {
                Presence::Absent => {}
                Presence::Null => {
                    return Err(LowerError::refused(NOTHING_SEARCHED, field.location));
                }
                Presence::Present => {
                    if arguments.search.replace(*search).is_some() {
                        return Err(LowerError::refused(SEVERAL_SEARCHES, field.location));
                    }
                    for (id, input) in self.entries(input, r#type.base)? {
                        self.argument(id, &input, around, field, arguments)?;
                    }
                }
            },
            InputRole::Searched => {
                if self.presence(input) == Presence::Present {
                    arguments.searched = Some(self.operand(input, r#type));
                }
            }
            InputRole::Last => arguments.last = Some(self.operand(input, r#type)),
            InputRole::After => arguments.after = Some(self.cursor(input, field)?),
            InputRole::Before => arguments.before = Some(self.cursor(input, field)?),
            InputRole::LimitUnlessZero => {
                if !self.is_zero(input) {
                    arguments.limit = Some(self.operand(input, r#type));
                }
            }
            InputRole::LimitAtMost(most) => {
                if !self.is_zero(input) {
                    arguments.limit = Some(at_most(self.operand(input, r#type), *most));
                }
            }
            InputRole::AfterOffset => {
                let slot = Box::new(self.plain_operand(input));
                let (codec, part) = (Codec::ArrayConnection, 0);
                arguments.offset = Some(Operand::Decoded { slot, codec, part });
            }
            InputRole::Options => {
                for (id, input) in self.entries(input, r#type.base)? {
                    self.argument(id, &input, around, field, arguments)?;
                }
            }
            InputRole::Directed { directed, undirected } => {
                if self.presence(input) == Presence::Present {
                    arguments.hop = Some(match self.is_true(input) {
                        true => *directed,
                        false => *undirected,
                    });
                }
            }
            InputRole::DirectedVariants { directed, undirected } => {
                if self.presence(input) == Presence::Present {
                    arguments.variants = Some(match self.is_true(input) {
                        true => *directed,
                        false => *undirected,
                    });
                }
            }
            InputRole::NodeId | InputRole::GlobalId => {
                let kind = match binding.role {
                    InputRole::GlobalId => OpaqueKind::GlobalId,
                    _ => OpaqueKind::NodeId,
                };
                let shape = self.opaque(input, kind);
                let operand = self.operand(input, r#type);
                arguments.node_id = Some(shape.map(|shape| Opaque { shape, operand }));
            }
            InputRole::Argument(argument) => {
                arguments.given.extend(self.given(*argument, input, r#type));
            }
            InputRole::OrderBy => {
                for item in self.items(input)? {
                    match self.enum_value(&item, r#type.base) {
                        Some(ValueBinding::Order(order)) => {
                            arguments.orders.push(order.clone());
                        }
                        Some(ValueBinding::Refused(text)) => {
                            return Err(LowerError::refused(text, field.location));
                        }
                        Some(
                            ValueBinding::Direction(_)
                            | ValueBinding::GroupBy(_)
                            | ValueBinding::Variant(_)
                            | ValueBinding::Label(_),
                        )
                        | None => {}
                    }
                }
            }
            InputRole::Sort => {
                self.sort(input, r#type, false, (field, around), &mut arguments.orders)?;
            }
            InputRole::Member
            | InputRole::Inputs
            | InputRole::Rows
            | InputRole::AtMost
            | InputRole::Stored(_)
            | InputRole::Nested(_)
            | InputRole::NestedIn(_)
            | InputRole::Along(_)
            | InputRole::AlongBy { .. }
            | InputRole::AlongNode
            | InputRole::AlongEdge
            | InputRole::AlongKey
            | InputRole::Overwrite { .. }
            | InputRole::Several(_)
            | InputRole::Further
            | InputRole::Assign { .. }
            | InputRole::Assigns { .. }
            | InputRole::AssignBy(_)
            | InputRole::Representations
            | InputRole::ClientMutationId => {}
            InputRole::SortField(_)
            | InputRole::SortEdge(_)
            | InputRole::SortCommon(_)
            | InputRole::SortComputed(_)
            | InputRole::GroupBy
            | InputRole::GroupFields
            | InputRole::GroupField(_)
            | InputRole::RelatedGroup { .. }
            | InputRole::GroupFilter
            | InputRole::Filter
            | InputRole::And { .. }
            | InputRole::Or { .. }
            | InputRole::Negated(_)
            | InputRole::Refused { .. }
            | InputRole::OperatorsOfComputed { .. }
            | InputRole::CallArguments
            | InputRole::Equal(_)
            | InputRole::EqualComputed(_)
            | InputRole::IsNull { .. }
            | InputRole::Operators(_)
            | InputRole::On { .. }
            | InputRole::Compare(_)
            | InputRole::CompareIgnoringCase(_)
            | InputRole::CompareElement(_)
            | InputRole::TestNull
            | InputRole::Composite(_)
            | InputRole::AttributeOperators { .. }
            | InputRole::Related(_)
            | InputRole::RelatedMany(_)
            | InputRole::RelatedBy { .. }
            | InputRole::RelatedVariants(_)
            | InputRole::RelatedVariantsBy { .. }
            | InputRole::RelatedEach { .. }
            | InputRole::OfVariants
            | InputRole::OnVariant
            | InputRole::Declared(_)
            | InputRole::IsGlobalId(_)
            | InputRole::OfVariant(_)
            | InputRole::All { .. }
            | InputRole::Distance(_)
            | InputRole::DistanceFrom
            | InputRole::DistancePoint
            | InputRole::DistanceIs(_)
            | InputRole::Together { .. }
            | InputRole::MadeOf(_)
            | InputRole::OperatorsOfMade(_)
            | InputRole::Quantified(_)
            | InputRole::Exists(_)
            | InputRole::Match { .. } => {
                let stated = self.condition(id, input, around, field.location)?;
                arguments.filters.extend(stated);
            }
        }
        Ok(())
    }

    /// The orders that an object says, or each of a list of objects.
    fn sort(
        &self,
        input: &Input<'_>,
        r#type: TypeRef,
        is_listed: bool,
        (field, around): (&CollectedField<'_>, Around<'_>),
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
            // JavaScript makes the objects of a list with their members as the type has them.
            if let TypeKind::InputObject { fields } = &self.api.schema[r#type.base].kind {
                let place = |id: &InputId| fields.iter().position(|field| field == id);
                entries.sort_by_key(|(id, _)| place(id));
            }
        }
        // How well an index has found a row comes behind the row's own values.
        entries.sort_by_key(|(id, _)| self.api.input(*id).role != InputRole::Sort);
        for (id, input) in entries {
            let is_present = || self.presence(&input) == Presence::Present;
            match self.api.input(id).role {
                InputRole::Sort if is_present() => {
                    let r#type = self.api.schema[id].r#type;
                    self.sort(&input, r#type, is_listed, (field, around), orders)?;
                }
                // Relationships of other kinds are not among those that led to the rows.
                InputRole::Declared(DeclaredRole::Edge(entity))
                    if self.leads_by(around, entity) && is_present() =>
                {
                    let r#type = self.api.schema[id].r#type;
                    self.sort(&input, r#type, is_listed, (field, around), orders)?;
                }
                InputRole::Sort | InputRole::Declared(_) => {}
                _ => orders.extend(self.sort_field(id, &input, field)?),
            }
        }
        Ok(())
    }

    fn cursor(&self, input: &Input<'_>, field: &CollectedField<'_>) -> Result<Opaque, LowerError> {
        let Some(shape) = self.opaque(input, OpaqueKind::Cursor) else {
            return Err(LowerError::refused(INVALID_CURSOR, field.location));
        };
        // A cursor is a scalar of its own: nothing of its type matters.
        let operand = self.plain_operand(input);
        Ok(Opaque { shape, operand })
    }

    fn sort_field(
        &self,
        id: InputId,
        input: &Input<'_>,
        field: &CollectedField<'_>,
    ) -> Result<Option<OrderBy>, LowerError> {
        let binding = self.api.input(id);
        let place = match binding.role {
            InputRole::SortField(column) => ir::Place::field(column),
            InputRole::SortEdge(column) => ir::Place::Edge(column),
            InputRole::SortCommon(place) => ir::Place::Common(place),
            InputRole::SortComputed(function) => ir::Place::Computed(of_row(function)),
            InputRole::Refused { ref otherwise, .. }
                if self.presence(input) == Presence::Present =>
            {
                return Err(LowerError::refused(otherwise, field.location));
            }
            _ => return Ok(None),
        };
        match self.presence(input) {
            Presence::Absent => return Ok(None),
            Presence::Null => {
                meaning(&binding.null, Some(&place), field.location)?;
                return Ok(None);
            }
            Presence::Present => {}
        }
        let r#type = self.api.schema[id].r#type.base;
        let Some(ValueBinding::Direction(direction)) = self.enum_value(input, r#type) else {
            return Ok(None);
        };
        let direction = *direction;
        Ok(Some(match binding.role {
            InputRole::SortField(column) => {
                OrderBy::Fields { fields: vec![column], direction, cursor_name: "".into() }
            }
            _ => OrderBy::Place { place, direction },
        }))
    }
}
