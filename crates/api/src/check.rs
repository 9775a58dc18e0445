//! Check of an API: finds inputs whose role is invalid at their position, and enum values that their
//! input does not read.
//!
//! Lowering rejects such an input when a request uses it; this check rejects the API when it is
//! made.

mod filter;
mod related;
#[cfg(test)]
mod tests;
mod value;
mod write;

use std::fmt;

use graphql::schema::{InputId, TypeId, TypeKind};
use rustc_hash::FxHashSet;

pub use self::related::DataOf;
use self::value::ReadValues;
use crate::api::Api;
use crate::binding::{
    AggregateField, ArgumentRole, Change, ConnectionField, EventRole, FieldBinding, FilterRole,
    InputRole, MutationBinding, NestedChange, OrderRole, PayloadField, RelatedChangeKind,
    RelationVerb, RowsBinding, RowsForm, VariantRole,
};

/// An input whose role is invalid at its position, or an enum value that such an input does not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Misbound {
    /// As in `Query.people(where:)`, `PersonFilter.name`, or `PersonOrder.NAME`.
    pub input: Box<str>,
    /// The role, or the meaning of the enum value, as `Debug` writes it.
    pub role: Box<str>,
    pub position: Position,
}

impl fmt::Display for Misbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, role, position } = self;
        write!(f, "{input} is bound as {role}, which is not read at {position:?}")
    }
}

/// Positions of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// An argument of a field that has none.
    Nothing,
    /// An argument of [`FieldBinding::Refused`], which nothing reads, and of
    /// [`FieldBinding::Resolved`], which is read as JSON: whatever its role is.
    Refused,
    /// An argument of a field that gives rows.
    Rows,
    /// An argument of a [`RowsForm::Stream`](crate::binding::RowsForm::Stream).
    StreamedRows,
    /// A member of [`ArgumentRole::Stream`].
    Stream,
    /// A member of [`ArgumentRole::StreamStart`].
    StreamStart,
    /// An argument of [`FieldBinding::Column`].
    Column,
    /// The argument of [`FieldBinding::Lookup`].
    Lookup,
    /// An argument of [`FieldBinding::Listen`].
    Listen,
    /// A condition on the events of [`FieldBinding::RowEvent`].
    Event,
    /// An argument of [`PayloadField::Edge`].
    Edge,
    /// An argument of [`ConnectionField::Groups`].
    Groups,
    /// An argument of [`ConnectionField::RowGroups`].
    RowGroups,
    /// A member of [`ArgumentRole::GroupFields`].
    GroupFields,
    /// A member of [`ArgumentRole::Sort`].
    Order,
    /// A member of [`OrderRole::RelatedAggregates`].
    AggregateOrder,
    /// A member of [`OrderRole::Aggregates`].
    OrderOfAggregates,
    /// An argument of [`AggregateField::Counted`].
    Count,
    /// A condition.
    Condition(Scope),
    /// A member of [`FilterRole::RelatedEach`].
    EachVariant,
    /// A member of [`OperatorRole::DistanceFrom`](crate::binding::OperatorRole::DistanceFrom).
    Distance,
    /// A member of [`OperatorRole::Spatial`](crate::binding::OperatorRole::Spatial).
    Spatial,
    /// A member of [`FilterRole::OperatorsOfComputed`].
    OfComputed,
    /// A member of [`RowsRole::Aggregate`](crate::binding::RowsRole::Aggregate).
    OfAggregate,
    /// A member of [`FilterRole::AggregatedPair`].
    Pair,
    /// A member of [`FilterRole::CallArguments`].
    CallArguments,
    /// An argument of the function of a field, or a member of [`ArgumentRole::Options`] of it.
    FieldArguments,
    /// The argument of [`FieldBinding::Entities`].
    Entities,
    /// An input of a change of rows.
    Change(ChangedRows),
    /// A member of [`WriteRole::Nested`](crate::binding::WriteRole::Nested).
    Nested,
    /// A member of [`TreeRole::Rows`](crate::binding::TreeRole::Rows).
    TreeRow,
    /// A member of [`TreeRole::Related`](crate::binding::TreeRole::Related).
    TreeRelated,
    /// A member of [`TreeRole::OnConflict`](crate::binding::TreeRole::OnConflict).
    OnConflict,
    /// An argument of [`Change::CreateNodes`].
    CreateNodes,
    /// An input of a change of nodes.
    Nodes,
    /// A member of [`WriteRole::NestedWrites`](crate::binding::WriteRole::NestedWrites).
    NestedWrites,
    /// A member of [`WriteRole::NestedWrite`](crate::binding::WriteRole::NestedWrite).
    NestedWrite,
    /// A member of [`WriteRole::Assigns`](crate::binding::WriteRole::Assigns).
    AssignBy,
    /// An argument of a change of objects.
    Objects(ChangedObjects),
    /// A member of an object of a change.
    Object,
    /// An argument of [`Change::Related`].
    Related(RelatedChangeKind),
    /// A member of [`RelatedRole::Where`](crate::binding::RelatedRole::Where).
    RelatedKey,
    /// A member of the values of a row with those of its relations.
    RelatedData(DataOf),
    /// A member of [`RelatedRole::Elements`](crate::binding::RelatedRole::Elements).
    RelatedElements,
    /// A member of [`RelatedRole::Relation`](crate::binding::RelatedRole::Relation).
    RelatedVerbs,
    /// A member of [`RelatedRole::Verb`](crate::binding::RelatedRole::Verb).
    RelatedVerb(RelationVerb),
    /// A member of a value.
    Value,
}

/// The objects of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangedObjects {
    /// Of [`Change::AddObjects`].
    Added,
    /// Of [`Change::UpdateObjects`].
    Updated,
    /// Of [`Change::DeleteObjects`].
    Deleted,
}

/// The rows of a change, which decide the inputs that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangedRows {
    /// Of [`Change::Create`] and [`Change::Upsert`].
    New,
    /// Of [`Change::CreateMany`].
    NewRows,
    /// A row of [`WriteRole::Rows`](crate::binding::WriteRole::Rows).
    NewOfRows,
    /// Of [`Change::Update`].
    Updated,
    /// Of [`Change::UpdateMany`].
    UpdatedRows,
    /// Of [`Change::Delete`].
    Deleted,
    /// Of [`Change::DeleteMany`].
    DeletedRows,
    /// Those that [`Change::Call`] gives.
    Called,
    /// Of [`Change::Nested`], where the row is new.
    NestedNew,
    /// Of [`Change::Nested`], where the row exists.
    NestedUpdated,
    /// A new row within another one.
    NewInRow,
    /// A row within another one that exists.
    KeyInRow,
    /// Of [`Change::InsertTree`].
    Tree,
    /// Of [`Change::UpdateAll`], and of each of [`Change::UpdateEach`].
    UpdatedAll,
    /// Of [`Change::UpdateEach`].
    UpdatedEach,
    /// Of [`Change::DeleteAll`].
    DeletedAll,
}

/// Context of a condition: the subject of its enclosing objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Operators have a left side.
    pub subject: bool,
    pub rows: Option<ScopeRows>,
    pub composite: bool,
    pub made_of: bool,
    /// Conditions on aggregates of a group.
    pub group: bool,
}

/// Rows that conditions are quantified over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeRows {
    /// Of one entity.
    One,
    /// Of several entities.
    Variants,
    /// Either of both, as the enclosing rows declare.
    Declared,
}

/// The reading of an input at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// As a value.
    Value,
    /// As an object, or a list of such, of members at this position.
    Members(Position),
}

/// All inputs whose role is invalid at their position, and all enum values that their input does not
/// read.
#[must_use]
pub fn misbound(api: &Api) -> Vec<Misbound> {
    let seen = FxHashSet::default();
    let mut check = Check { api, seen, seen_values: FxHashSet::default(), found: Vec::new() };
    for (_, owner) in api.schema.types() {
        let TypeKind::Object { fields, .. } = &owner.kind else { continue };
        for field in fields {
            let position = position_of_arguments(api.field(*field));
            if position == Position::Refused {
                continue;
            }
            for argument in &api.schema[*field].arguments {
                check.input(*argument, position, || {
                    let (field, argument) = (&api.schema[*field].name, &api.schema[*argument].name);
                    format!("{}.{field}({argument}:)", owner.name)
                });
            }
        }
    }
    check.found
}

/// The position of a field's arguments.
#[must_use]
pub fn position_of_arguments(binding: &FieldBinding) -> Position {
    match binding {
        FieldBinding::Rows(RowsBinding { form: RowsForm::Stream, .. }) => Position::StreamedRows,
        FieldBinding::Rows(_) => Position::Rows,
        FieldBinding::Column(_) => Position::Column,
        FieldBinding::Lookup { .. } => Position::Lookup,
        FieldBinding::Listen(_) => Position::Listen,
        FieldBinding::RowEvent(_) => Position::Event,
        FieldBinding::Payload(PayloadField::Edge) => Position::Edge,
        FieldBinding::Connection(ConnectionField::Groups) => Position::Groups,
        FieldBinding::Connection(ConnectionField::RowGroups) => Position::RowGroups,
        FieldBinding::Computed(_) | FieldBinding::Aggregate(AggregateField::Computed { .. }) => {
            Position::FieldArguments
        }
        FieldBinding::Aggregate(AggregateField::Counted) => Position::Count,
        FieldBinding::Entities(_) => Position::Entities,
        FieldBinding::Mutation(change) => position_of_inputs(change),
        FieldBinding::Refused(_) | FieldBinding::Resolved(_) => Position::Refused,
        FieldBinding::Same
        | FieldBinding::Reference(_)
        | FieldBinding::ReferenceKey(_)
        | FieldBinding::Literal(_)
        | FieldBinding::Coalesce(_)
        | FieldBinding::Distance
        | FieldBinding::RelatedNode
        | FieldBinding::RelatedNodeId
        | FieldBinding::EventTime
        | FieldBinding::EventMember(_)
        | FieldBinding::EventPart(_)
        | FieldBinding::Constants
        | FieldBinding::NodeId { .. }
        | FieldBinding::GlobalId { .. }
        | FieldBinding::Connection(_)
        | FieldBinding::Edge(_)
        | FieldBinding::PageInfo(_)
        | FieldBinding::Aggregate(_)
        | FieldBinding::Part { .. }
        | FieldBinding::Payload(_) => Position::Nothing,
    }
}

fn position_of_inputs(change: &MutationBinding) -> Position {
    match &change.change {
        Change::CreateNodes(_) => Position::CreateNodes,
        Change::UpdateNodes(_) | Change::DeleteNodes(_) => Position::Nodes,
        Change::AddObjects(_) => Position::Objects(ChangedObjects::Added),
        Change::UpdateObjects(_) => Position::Objects(ChangedObjects::Updated),
        Change::DeleteObjects(_) => Position::Objects(ChangedObjects::Deleted),
        Change::Related(change) => Position::Related(change.kind),
        Change::Create(_) | Change::Upsert { .. } => Position::Change(ChangedRows::New),
        Change::CreateMany { .. } => Position::Change(ChangedRows::NewRows),
        Change::Update(_) => Position::Change(ChangedRows::Updated),
        Change::UpdateMany { .. } => Position::Change(ChangedRows::UpdatedRows),
        Change::Delete(_) => Position::Change(ChangedRows::Deleted),
        Change::DeleteMany { .. } => Position::Change(ChangedRows::DeletedRows),
        Change::Call(_) => Position::Change(ChangedRows::Called),
        Change::InsertTree(_) => Position::Change(ChangedRows::Tree),
        Change::UpdateAll(_) => Position::Change(ChangedRows::UpdatedAll),
        Change::UpdateEach(_) => Position::Change(ChangedRows::UpdatedEach),
        Change::DeleteAll(_) => Position::Change(ChangedRows::DeletedAll),
        Change::Nested(NestedChange { is_new: true, .. }) => {
            Position::Change(ChangedRows::NestedNew)
        }
        Change::Nested(NestedChange { is_new: false, .. }) => {
            Position::Change(ChangedRows::NestedUpdated)
        }
    }
}

struct Check<'a> {
    api: &'a Api,
    seen: FxHashSet<(TypeId, Position)>,
    /// Enums, by what reads their values.
    seen_values: FxHashSet<(TypeId, ReadValues)>,
    found: Vec<Misbound>,
}

impl Check<'_> {
    fn input(&mut self, id: InputId, position: Position, name: impl FnOnce() -> String) {
        let role = &self.api.input(id).role;
        let Some(reading) = reading(position, role) else {
            let role = format!("{role:?}").into();
            self.found.push(Misbound { input: name().into(), role, position });
            return;
        };
        // Nothing reads the members of an input that is refused or ignored as a whole.
        if let InputRole::Refused(_) | InputRole::Ignored = role {
            return;
        }
        let members = match reading {
            Reading::Members(position) => position,
            Reading::Value => Position::Value,
        };
        let base = self.api.schema[id].r#type.base;
        self.values(base, position, ReadValues::of(role));
        self.members(base, members);
    }

    fn values(&mut self, base: TypeId, position: Position, read: ReadValues) {
        let TypeKind::Enum { values } = &self.api.schema[base].kind else { return };
        if !self.seen_values.insert((base, read)) {
            return;
        }
        for value in values {
            let binding = self.api.value(*value);
            if !read.has(binding) {
                let (owner, name) = (&self.api.schema[base].name, &self.api.schema[*value].name);
                let input = format!("{owner}.{name}").into();
                let role = format!("{binding:?}").into();
                self.found.push(Misbound { input, role, position });
            }
        }
    }

    fn members(&mut self, object: TypeId, position: Position) {
        let TypeKind::InputObject { fields } = &self.api.schema[object].kind else { return };
        if !self.seen.insert((object, position)) {
            return;
        }
        // Values of a type with a form are read by the form, whatever the roles of its members:
        // the input of new rows is also the type of a row that is an argument of a function.
        if position == Position::Value && self.api.has_form(object) {
            for field in fields {
                self.members(self.api.schema[*field].r#type.base, Position::Value);
            }
            return;
        }
        for field in fields {
            self.input(*field, position, || {
                format!("{}.{}", self.api.schema[object].name, self.api.schema[*field].name)
            });
        }
    }
}

/// The reading of a role at a position; `None` if it is invalid.
fn reading(position: Position, role: &InputRole) -> Option<Reading> {
    if let InputRole::Refused(_) = role {
        let is_read = matches!(
            position,
            Position::Rows
                | Position::StreamedRows
                | Position::Stream
                | Position::StreamStart
                | Position::Lookup
                | Position::Event
                | Position::Edge
                | Position::CallArguments
                | Position::FieldArguments
                | Position::Groups
                | Position::GroupFields
                | Position::Order
                | Position::AggregateOrder
                | Position::OrderOfAggregates
                | Position::Count
                | Position::OfAggregate
                | Position::Pair
                | Position::Condition(_)
                | Position::Nodes
                | Position::NestedWrites
                | Position::NestedWrite
                | Position::Objects(_)
                | Position::Object
                | Position::Related(_)
                | Position::RelatedKey
                | Position::RelatedData(_)
                | Position::RelatedElements
                | Position::RelatedVerbs
                | Position::RelatedVerb(_)
        );
        return is_read.then_some(Reading::Value);
    }
    match position {
        Position::Nothing | Position::Column | Position::Rows if *role == InputRole::Ignored => {
            Some(Reading::Value)
        }
        Position::Nothing => None,
        Position::Column => {
            let is_read = matches!(role, InputRole::Argument(ArgumentRole::JsonPath));
            is_read.then_some(Reading::Value)
        }
        Position::Refused => Some(Reading::Value),
        Position::Rows => match role {
            InputRole::Argument(role) => of_rows(role),
            _ => filter::reading(Scope::default(), role),
        },
        Position::StreamedRows => match role {
            InputRole::Argument(ArgumentRole::Limit) => Some(Reading::Value),
            InputRole::Argument(ArgumentRole::Stream) => Some(Reading::Members(Position::Stream)),
            InputRole::Argument(_) => None,
            _ => filter::reading(Scope::default(), role),
        },
        Position::Stream => match role {
            InputRole::Argument(ArgumentRole::StreamStart) => {
                Some(Reading::Members(Position::StreamStart))
            }
            InputRole::Argument(ArgumentRole::StreamDirection) => Some(Reading::Value),
            _ => None,
        },
        Position::StreamStart => {
            let is_read = matches!(role, InputRole::Argument(ArgumentRole::StreamFrom(_)));
            is_read.then_some(Reading::Value)
        }
        Position::Lookup => {
            let is_read = matches!(
                role,
                InputRole::Argument(
                    ArgumentRole::NodeId | ArgumentRole::VersionedNodeId | ArgumentRole::GlobalId
                )
            );
            is_read.then_some(Reading::Value)
        }
        Position::Listen => {
            let is_read =
                matches!(role, InputRole::Argument(ArgumentRole::Topic | ArgumentRole::Begins));
            is_read.then_some(Reading::Value)
        }
        Position::Event => match role {
            InputRole::Argument(ArgumentRole::Event(role)) => Some(of_event(*role)),
            _ => None,
        },
        Position::Edge => {
            let is_read = matches!(role, InputRole::Argument(ArgumentRole::OrderBy));
            is_read.then_some(Reading::Value)
        }
        Position::Groups => match role {
            InputRole::Argument(ArgumentRole::GroupBy { .. }) => Some(Reading::Value),
            _ => filter::reading(Scope::default(), role),
        },
        Position::RowGroups => match role {
            InputRole::Argument(ArgumentRole::GroupFields) => {
                Some(Reading::Members(Position::GroupFields))
            }
            _ => None,
        },
        Position::GroupFields => {
            let is_read = matches!(role, InputRole::Argument(ArgumentRole::GroupField(_)));
            is_read.then_some(Reading::Value)
        }
        Position::Order => match role {
            InputRole::Order(
                OrderRole::Sort
                | OrderRole::Then
                | OrderRole::SortOfEdge(_)
                | OrderRole::Related(_),
            ) => Some(Reading::Members(Position::Order)),
            InputRole::Order(
                OrderRole::RelatedAggregates(_)
                | OrderRole::RelatedAggregatesThrough { .. }
                | OrderRole::FunctionAggregates(_),
            ) => Some(Reading::Members(Position::AggregateOrder)),
            InputRole::Order(OrderRole::RelatedCount | OrderRole::Aggregates(_)) => None,
            InputRole::Order(_) => Some(Reading::Value),
            _ => None,
        },
        Position::AggregateOrder => match role {
            InputRole::Order(OrderRole::RelatedCount | OrderRole::Field(_)) => Some(Reading::Value),
            InputRole::Order(OrderRole::Aggregates(_)) => {
                Some(Reading::Members(Position::OrderOfAggregates))
            }
            _ => None,
        },
        Position::OrderOfAggregates => {
            matches!(role, InputRole::Order(OrderRole::Field(_))).then_some(Reading::Value)
        }
        Position::Count => {
            let is_read = matches!(
                role,
                InputRole::Argument(ArgumentRole::CountedColumns | ArgumentRole::CountsDistinct)
            );
            is_read.then_some(Reading::Value)
        }
        Position::Condition(scope) => filter::reading(scope, role),
        Position::EachVariant => match role {
            InputRole::Variant(VariantRole::Of(_)) => Some(filter::ON_ROWS),
            _ => None,
        },
        Position::Distance => match role {
            InputRole::Filter(FilterRole::DistancePoint | FilterRole::DistanceIs(_)) => {
                Some(Reading::Value)
            }
            _ => None,
        },
        Position::Spatial => match role {
            InputRole::Filter(FilterRole::SpatialArgument(_)) => Some(Reading::Value),
            _ => None,
        },
        Position::OfComputed => match role {
            InputRole::Filter(FilterRole::CallArguments) => {
                Some(Reading::Members(Position::CallArguments))
            }
            InputRole::Filter(FilterRole::Conditions) => Some(filter::ON_SUBJECT),
            _ => None,
        },
        Position::OfAggregate => match role {
            InputRole::Filter(FilterRole::AggregatedColumns | FilterRole::AggregatesDistinct) => {
                Some(Reading::Value)
            }
            InputRole::Filter(FilterRole::AggregatedPair) => Some(Reading::Members(Position::Pair)),
            InputRole::Filter(FilterRole::AggregateIs) => Some(filter::ON_SUBJECT),
            InputRole::Filter(FilterRole::GroupFilter) => Some(filter::ON_ROWS),
            _ => None,
        },
        Position::Pair => {
            let is_read = matches!(role, InputRole::Filter(FilterRole::AggregatedColumns));
            is_read.then_some(Reading::Value)
        }
        Position::CallArguments => {
            let is_read = matches!(role, InputRole::Argument(ArgumentRole::Call(_)));
            is_read.then_some(Reading::Value)
        }
        Position::FieldArguments => match role {
            InputRole::Argument(ArgumentRole::Options) => {
                Some(Reading::Members(Position::FieldArguments))
            }
            InputRole::Argument(ArgumentRole::Call(_)) => Some(Reading::Value),
            _ => None,
        },
        Position::Entities => (*role == InputRole::Representations).then_some(Reading::Value),
        Position::Change(rows) => write::of_rows(rows, role),
        Position::Nested => write::nested(role),
        Position::TreeRow => write::tree_row(role),
        Position::TreeRelated => write::tree_related(role),
        Position::OnConflict => write::on_conflict(role),
        Position::CreateNodes => write::of_new_nodes(role),
        Position::Nodes => write::of_nodes(role),
        Position::NestedWrites => write::nested_writes(role),
        Position::NestedWrite => write::of_step(role),
        Position::AssignBy => write::assign_by(role),
        Position::Objects(objects) => write::of_objects(objects, role),
        Position::Object => write::of_object(role),
        Position::Related(kind) => related::of_change(kind, role),
        Position::RelatedKey => related::of_key(role),
        Position::RelatedData(of) => related::of_data(of, role),
        Position::RelatedElements => related::of_elements(role),
        Position::RelatedVerbs => related::of_verbs(role),
        Position::RelatedVerb(verb) => related::of_verb(verb, role),
        Position::Value => (*role == InputRole::Member).then_some(Reading::Value),
    }
}

/// A condition on events.
fn of_event(role: EventRole) -> Reading {
    match role {
        EventRole::Conditions | EventRole::And | EventRole::Or | EventRole::Not => {
            Reading::Members(Position::Event)
        }
        EventRole::KindIn | EventRole::Sets | EventRole::SetsEvery | EventRole::SetsSome => {
            Reading::Value
        }
        EventRole::Row => filter::ON_ROWS,
    }
}

/// An argument of a field that gives rows.
fn of_rows(role: &ArgumentRole) -> Option<Reading> {
    match role {
        ArgumentRole::Options | ArgumentRole::SearchBy(_) => Some(Reading::Members(Position::Rows)),
        ArgumentRole::Sort => Some(Reading::Members(Position::Order)),
        ArgumentRole::GroupBy { .. }
        | ArgumentRole::GroupFields
        | ArgumentRole::GroupField(_)
        | ArgumentRole::Topic
        | ArgumentRole::Event(_)
        | ArgumentRole::Begins
        | ArgumentRole::JsonPath
        | ArgumentRole::Stream
        | ArgumentRole::StreamStart
        | ArgumentRole::StreamFrom(_)
        | ArgumentRole::StreamDirection
        | ArgumentRole::CountedColumns
        | ArgumentRole::CountsDistinct => None,
        ArgumentRole::DistinctOn
        | ArgumentRole::Limit
        | ArgumentRole::LimitUnlessZero
        | ArgumentRole::LimitAtMost(_)
        | ArgumentRole::SignedLimit
        | ArgumentRole::Offset
        | ArgumentRole::Last
        | ArgumentRole::After
        | ArgumentRole::Before
        | ArgumentRole::AfterOffset
        | ArgumentRole::NotNegative { .. }
        | ArgumentRole::AfterKey
        | ArgumentRole::BeforeKey
        | ArgumentRole::AfterMembers
        | ArgumentRole::BeforeMembers
        | ArgumentRole::OrderBy
        | ArgumentRole::NodeId
        | ArgumentRole::VersionedNodeId
        | ArgumentRole::GlobalId
        | ArgumentRole::Call(_)
        | ArgumentRole::Password(_)
        | ArgumentRole::CommonPassword(_)
        | ArgumentRole::Nearest(_)
        | ArgumentRole::Searched
        | ArgumentRole::Directed { .. }
        | ArgumentRole::DirectedVariants { .. } => Some(Reading::Value),
    }
}
