//! Conditions on rows.

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId};
use ir::{AggregateFunction, Case, Comparison, Hop, Place, Quantifier, TextMatch};

use super::{Meaning, VariantsId};

/// A condition on the row, or on what the objects around it are about.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterRole {
    /// An object of conditions that must all hold.
    Conditions,
    /// A list of [`FilterRole::Conditions`] that must all hold; `item` is what `{}` as one of them
    /// means.
    And { item: Meaning },
    /// A list of [`FilterRole::Conditions`] of which one must hold.
    Or { item: Meaning },
    /// SQL's NOT of a condition.
    Negated(Box<FilterRole>),
    /// A condition that the source cannot evaluate: a request error with this text where it states
    /// anything.
    Unsupported { role: Box<FilterRole>, otherwise: Box<str> },
    /// The field equals the value.
    Equal(FieldId),
    /// The value of a function of the row equals the value.
    EqualComputed(FunctionId),
    /// Null asks whether the field is null. The source cannot compare the field with a value,
    /// which is refused with this text.
    IsNull { field: FieldId, otherwise: Box<str> },
    /// The row of this entity has the global id. One of other rows is refused.
    IsGlobalId(EntityId),
    /// An operator on the value that the enclosing object is about.
    Operator(OperatorRole),
    /// An operator on this value.
    On { subject: Arc<Subject>, operator: OperatorRole },
    /// An object of [`FilterRole::Operator`]s on this value.
    Operators(Arc<Subject>),
    /// Of [`OperatorRole::DistanceFrom`] the point.
    DistancePoint,
    /// Of [`OperatorRole::DistanceFrom`] a comparison of the distance.
    DistanceIs(Comparison),
    /// An object of conditions on the attributes of a composite, which is a field of the row or an
    /// attribute of the enclosing composite.
    Composite(CompositePlace),
    /// An object of operators on an attribute of the enclosing [`FilterRole::Composite`].
    AttributeOperators {
        attribute: u16,
        /// How operators compare texts, as in [`Subject`].
        plain: Case,
        ignoring: Case,
    },
    /// An object of conditions on the row that a to-one relationship leads to: there must be one
    /// that passes.
    Related(Hop),
    /// A boolean that steers: a relationship leads to any row.
    Exists(Hop),
    /// An object of [`FilterRole::Rows`] on the rows that a relationship leads to.
    RelatedMany(Hop),
    /// A condition on the rows that a relationship leads to.
    RelatedBy { hop: Hop, role: RowsRole },
    /// An object of [`FilterRole::Rows`] on the rows of several entities.
    RelatedVariants(VariantsId),
    /// A condition on the rows of several entities.
    RelatedVariantsBy { variants: VariantsId, role: RowsRole },
    /// An object of [`VariantRole::Of`](super::VariantRole::Of): each states the condition of the
    /// rows of its own entity.
    RelatedEach { variants: VariantsId, role: RowsRole },
    /// A condition on the rows that the enclosing object is about.
    Rows(RowsRole),
    /// A condition along a relationship that the rows of several entities have, each its own.
    Declared(DeclaredRole),
    /// Of [`RowsRole::Group`] an object of conditions on the rows that are aggregated.
    GroupFilter,
    /// In [`RowsRole::Together`] an object of [`FilterRole::OperatorsOfMade`] on this.
    MadeOf(Box<Place>),
    /// An object of operators on an aggregate of the place of the enclosing [`FilterRole::MadeOf`].
    OperatorsOfMade(AggregateFunction),
    /// An object that compares an aggregate of the values that a function computes of each row:
    /// [`FilterRole::CallArguments`] and [`FilterRole::Conditions`] of operators.
    OperatorsOfComputed { aggregate: AggregateFunction, computed: FunctionId },
    /// Of [`FilterRole::OperatorsOfComputed`] an object of
    /// [`ArgumentRole::Call`](super::ArgumentRole::Call).
    CallArguments,
    /// Of rows of several entities a list of enum values, bound by
    /// [`ValueBinding::Variant`](super::ValueBinding::Variant): the row is of one of these.
    OfVariants,
}

/// A condition on rows that a relationship leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum RowsRole {
    /// An object of conditions that so many of the rows pass.
    Quantified(Quantifier),
    /// An object of conditions that all of the rows pass, and there is one. With `apart` each of
    /// several entities has one.
    All { apart: bool },
    /// An object of conditions on all rows together. Values are aggregated of each row `once`, or
    /// for each relationship.
    Together { once: bool },
    /// An object of conditions on aggregates of the rows, and a [`FilterRole::GroupFilter`].
    /// `nothing` is the request error where there is no condition on an aggregate.
    Group { nothing: Box<str> },
}

/// A comparison with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorRole {
    Compare(Comparison),
    /// The same of texts without regard to case.
    CompareIgnoringCase(Comparison),
    /// An element of a list passes.
    CompareElement(Comparison),
    Match {
        r#match: TextMatch,
        ignore_case: bool,
    },
    /// A boolean that steers: the value is null.
    TestNull,
    /// An object of a point and a distance from it.
    Distance(Comparison),
    /// An object of one [`FilterRole::DistancePoint`] and of [`FilterRole::DistanceIs`].
    DistanceFrom,
}

/// A condition along a relationship that the rows of several entities have, each its own: by its
/// place among those that all of them have.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredRole {
    /// As [`FilterRole::RelatedMany`].
    Many(u16),
    /// As [`FilterRole::RelatedBy`].
    By { place: u16, role: RowsRole },
    /// As [`FilterRole::RelatedEach`].
    Each { place: u16, role: RowsRole },
    /// An object of conditions on relationships whose properties are of this entity: relationships
    /// of others pass.
    Edge(EntityId),
}

/// A composite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompositePlace {
    Field(FieldId),
    /// The row itself, whose fields are the attributes in their order.
    Row(Box<[FieldId]>),
    /// Of the enclosing composite, by its place.
    Attribute(u16),
}

/// The left side of operators.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub place: Place,
    /// How operators on texts compare that do not say that they ignore case.
    pub plain: Case,
    /// The same of those that say so.
    pub ignoring: Case,
}

impl Subject {
    /// A value that operators compare as its type does, unless they ignore case.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self { place, plain: Case::AsTyped, ignoring: Case::Ignored }
    }

    /// A field of the row.
    #[must_use]
    pub fn field(field: FieldId) -> Self {
        Self::new(Place::field(field))
    }

    /// A text whose type ignores case by itself, while plain operators mind it.
    #[must_use]
    pub fn ignoring_by_type(place: Place) -> Self {
        Self { place, plain: Case::Exact, ignoring: Case::AsTyped }
    }
}
