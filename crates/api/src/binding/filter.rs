//! Conditions on rows.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId, SpatialKind};
use ir::{
    AggregateFunction, Case, Comparison, GeoOperator, Hop, Quantifier, SpatialRelation, TextMatch,
    ValueRef,
};

use super::{Meaning, VariantsId};

/// A condition on the row, or on the subject of the enclosing objects.
///
/// Large members are behind thin pointers: a schema of thousands of tables has half a million inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterRole {
    /// A conjunction: an object of conditions.
    Conditions,
    /// An object of conditions, exactly one of which is given.
    OneOf(Arc<OneOf>),
    /// A conjunction: a list of [`FilterRole::Conditions`]; `item` is the meaning of `{}` in it.
    And { item: Meaning },
    /// A disjunction: a list of [`FilterRole::Conditions`].
    Or { item: Meaning },
    /// A disjunction of the other members of the enclosing object, taken together, with each of a
    /// list of [`FilterRole::Conditions`].
    OrSiblings,
    /// The complement of a condition: rows for which it is unknown pass.
    Complement(Box<FilterRole>),
    /// A list of enum values, bound by [`ValueBinding::Present`](super::ValueBinding::Present): each
    /// of these has a value.
    AllPresent,
    /// SQL's NOT of a condition.
    Negated(Box<FilterRole>),
    /// A condition that the source does not support: a request error with this text where it has a
    /// value.
    Unsupported { role: Box<FilterRole>, otherwise: Box<Box<str>> },
    /// The field equals the value.
    Equal(FieldId),
    /// The value of a function of the row equals the value.
    EqualComputed(FunctionId),
    /// Null tests whether the field is null. The source cannot compare the field with a value,
    /// which is rejected with this text.
    IsNull { field: FieldId, otherwise: Box<str> },
    /// The row of this entity has the global id. Ids of other rows are rejected.
    IsGlobalId(EntityId),
    /// An operator on the subject of the enclosing object.
    Operator(OperatorRole),
    /// An operator on this value.
    On { subject: Arc<Subject>, operator: OperatorRole },
    /// An object of [`FilterRole::Operator`]s on this value.
    Operators(Arc<Subject>),
    /// An object of [`FilterRole::Operator`]s on the elements of this list: comparisons must hold of
    /// any of them.
    OperatorsOfElements(Arc<Subject>),
    /// An object of [`FilterRole::Operator`]s on several values: an operator must hold of any of
    /// them, and a null of all.
    OperatorsOfAny(Arc<[Subject]>),
    /// The point of [`OperatorRole::DistanceFrom`].
    DistancePoint,
    /// A comparison of the distance of [`OperatorRole::DistanceFrom`].
    DistanceIs(Comparison),
    /// An argument of the function of [`OperatorRole::Spatial`], by its place.
    SpatialArgument(u16),
    /// An object of conditions on the attributes of a composite, which is a field of the row or an
    /// attribute of the enclosing composite.
    Composite(CompositePlace),
    /// An object of operators on an attribute of the enclosing [`FilterRole::Composite`].
    AttributeOperators {
        attribute: u16,
        /// Case sensitivity, as in [`Subject`].
        plain: Case,
        ignoring: Case,
    },
    /// An object of conditions on the row of a to-one relationship: there must be one that passes.
    Related(Hop),
    /// An object of conditions on a number of many-to-many rows.
    RelatedThrough { near: Hop, far: Hop, quantifier: Quantifier },
    /// A boolean that steers: tests for any related row.
    Exists(Hop),
    /// An object of [`FilterRole::Rows`] on related rows.
    RelatedMany(Hop),
    /// A condition on related rows.
    RelatedBy { hop: Hop, role: Box<RowsRole> },
    /// An object of conditions on the rows that a function of the row returns: one of them passes.
    FunctionRows(FunctionId),
    /// An object of [`FilterRole::Rows`] on related rows of several entities.
    RelatedVariants(VariantsId),
    /// A condition on related rows of several entities.
    RelatedVariantsBy { variants: VariantsId, role: RowsRole },
    /// An object of [`VariantRole::Of`](super::VariantRole::Of): each has the condition on the rows
    /// of its own entity.
    RelatedEach { variants: VariantsId, role: RowsRole },
    /// A condition on the rows of the enclosing object.
    Rows(RowsRole),
    /// A condition along a relationship that several entities have, each its own.
    Declared(DeclaredRole),
    /// In [`RowsRole::Group`], an object of conditions on the aggregated rows.
    GroupFilter,
    /// In [`RowsRole::Together`], an object of [`FilterRole::OperatorsOfMade`] on aggregates of
    /// this value.
    MadeOf(Box<ValueRef>),
    /// An object of operators on an aggregate of the enclosing [`FilterRole::MadeOf`].
    OperatorsOfMade(AggregateFunction),
    /// An object that compares an aggregate of a function's values for each row:
    /// [`FilterRole::CallArguments`] and [`FilterRole::Conditions`] of operators.
    OperatorsOfComputed { aggregate: AggregateFunction, computed: FunctionId },
    /// In [`FilterRole::OperatorsOfComputed`], an object of
    /// [`ArgumentRole::Call`](super::ArgumentRole::Call).
    CallArguments,
    /// In [`RowsRole::Aggregate`], an enum value or a list of such, bound by
    /// [`ValueBinding::Column`](super::ValueBinding::Column): the aggregated columns.
    AggregatedColumns,
    /// In [`RowsRole::Aggregate`], an object of two [`FilterRole::AggregatedColumns`] of one column
    /// each.
    AggregatedPair,
    /// In [`RowsRole::Aggregate`], a boolean that steers: different values are aggregated once.
    AggregatesDistinct,
    /// In [`RowsRole::Aggregate`], an object of [`FilterRole::Operator`]s on the aggregate.
    AggregateIs,
    /// A filter by entity: a list of enum values, bound by
    /// [`ValueBinding::Variant`](super::ValueBinding::Variant).
    OfVariants,
}

/// The errors of [`FilterRole::OneOf`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneOf {
    /// None is given.
    pub none: Box<str>,
    /// Several are given.
    pub several: Box<str>,
}

/// A condition on related rows.
#[derive(Clone, Debug, PartialEq)]
pub enum RowsRole {
    /// An object of conditions on a number of the rows.
    Quantified(Quantifier),
    /// An object of conditions on all of the rows, of which there must be one. With `apart` each of
    /// several entities must have one.
    All { apart: bool },
    /// An object of conditions on the group of all rows. `once` deduplicates, so that values count
    /// once for each row, not for each relationship.
    Together { once: bool },
    /// An object of [`FilterRole::AggregateIs`] on an aggregate of the rows that pass a
    /// [`FilterRole::GroupFilter`]: of the columns of [`FilterRole::AggregatedColumns`], or the
    /// number of the rows.
    Aggregate(AggregateFunction),
    /// An object of conditions on aggregates of the rows, and a [`FilterRole::GroupFilter`].
    /// `nothing` is the request error without a condition on an aggregate.
    Group { nothing: Arc<Box<str>> },
}

/// A comparison with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorRole {
    Compare(Comparison),
    /// A comparison with the value as it is written: its type has another form elsewhere.
    CompareAsWritten(Comparison),
    /// A case-insensitive comparison of texts.
    CompareIgnoringCase(Comparison),
    /// Compares any element of a list.
    CompareElement(Comparison),
    /// An object of operators, all of which hold.
    All,
    /// A list of lists, of which one equals the value, itself a list.
    EqualsAny,
    /// An object of operators on the text of the value.
    AsText,
    Match {
        r#match: TextMatch,
        ignore_case: bool,
    },
    /// A boolean that steers: tests for null.
    TestNull,
    /// A place on the earth.
    Geo(GeoOperator),
    /// An object of a point and a distance from it.
    Distance(Comparison),
    /// An object of one [`FilterRole::DistancePoint`] and of [`FilterRole::DistanceIs`].
    DistanceFrom,
    /// A relation to an object of [`FilterRole::SpatialArgument`].
    Spatial(SpatialRelation),
    /// An object of operators on a geometry as a geography, or the other way round.
    AsSpatial(SpatialKind),
}

/// A condition along a relationship that several entities have, each its own, by its index.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredRole {
    /// As [`FilterRole::RelatedMany`].
    Many(u16),
    /// As [`FilterRole::RelatedBy`].
    By { place: u16, role: Box<RowsRole> },
    /// As [`FilterRole::RelatedEach`].
    Each { place: u16, role: Box<RowsRole> },
    /// An object of conditions on relationships with properties of this entity: other relationships
    /// pass.
    Edge(EntityId),
}

/// A composite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompositePlace {
    Field(FieldId),
    /// The row itself, whose fields are the attributes in their order.
    Row(Box<Box<[FieldId]>>),
    /// An attribute of the enclosing composite, by its index.
    Attribute(u16),
}

/// The left side of operators.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub place: ValueRef,
    /// Case sensitivity of plain text operators.
    pub plain: Case,
    /// Case sensitivity of case-insensitive text operators.
    pub ignoring: Case,
}

impl Subject {
    /// A value that operators compare by its type's rules, unless they are case-insensitive.
    #[must_use]
    pub fn new(place: ValueRef) -> Self {
        Self { place, plain: Case::AsTyped, ignoring: Case::Ignored }
    }

    /// A field of the row.
    #[must_use]
    pub fn field(field: FieldId) -> Self {
        Self::new(ValueRef::field(field))
    }

    /// A text whose type is case-insensitive, while plain operators are case-sensitive.
    #[must_use]
    pub fn ignoring_by_type(place: ValueRef) -> Self {
        Self { place, plain: Case::Exact, ignoring: Case::AsTyped }
    }
}
