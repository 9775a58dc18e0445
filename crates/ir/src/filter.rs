//! Conditions on rows. They have SQL's three values: a comparison with null is unknown, and a
//! row passes only if its condition is true.

use catalog::{EntityId, FieldId, SpatialKind};

use crate::operand::{Operand, Value};
use crate::rows::{AggregateFunction, Call, Hop, Variant};

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// True when empty.
    And(Vec<Filter>),
    /// False when empty.
    Or(Vec<Filter>),
    /// SQL's NOT: unknown stays unknown.
    Not(Box<Filter>),
    /// The complement: unknown counts as not matched, so every row passes this or the other.
    Except(Box<Filter>),
    /// A condition that every row passing the sibling conditions must pass; if a row fails it, the
    /// root field fails as a whole. Only rows that are read or changed have it, in the outermost
    /// conjunction of their condition.
    Required(Box<Filter>),
    /// A conjunction with a fixed order of evaluation, which no source may change: `then` is
    /// evaluated only on rows that pass `first`, as far as evaluating it could leak more than its
    /// outcome, by an error, an effect or its duration. Evaluating `first` leaks nothing.
    Barrier {
        first: Box<Filter>,
        then: Box<Filter>,
    },
    Compare {
        place: ValueRef,
        comparison: Comparison,
        operand: Operand,
    },
    /// Texts compared case-sensitively or case-insensitively, whatever their type does.
    CompareText {
        place: ValueRef,
        comparison: Comparison,
        case: Case,
        operand: Operand,
    },
    /// Two values of one row, or of a row and of one around it ([`ValueRef::Outer`]): of an access
    /// rule only, as requests compare values with operands.
    CompareValues {
        left: ValueRef,
        comparison: Comparison,
        right: ValueRef,
    },
    IsNull(ValueRef),
    /// True if any element of a list compares so with the operand.
    AnyElement {
        place: ValueRef,
        comparison: Comparison,
        operand: Operand,
    },
    /// True if any element of a list is neither less than `least` nor greater than `most`.
    ElementBetween {
        place: ValueRef,
        least: Operand,
        most: Operand,
    },
    /// Filters rows by related rows.
    Relation {
        hop: Hop,
        quantifier: Quantifier,
        filter: Box<Filter>,
    },
    /// Filters rows by the rows that a function returns for them: one of those must pass.
    FunctionRows {
        call: Call,
        filter: Box<Filter>,
    },
    /// True if an entity has a row that passes, whether it is related or not: of an access rule
    /// only.
    Exists {
        entity: EntityId,
        filter: Box<Filter>,
    },
    /// Filters rows by aggregates of related rows.
    RelatedGroup {
        hop: Hop,
        /// Filter of the related rows that are aggregated.
        filter: Box<Filter>,
        /// A condition on the whole group; its operands are [`ValueRef::Aggregated`].
        having: Box<Filter>,
        /// Deduplication: true aggregates each row once, however many relationships of a graph lead
        /// to it.
        once: bool,
    },
    /// The same for rows of several entities, aggregated together.
    VariantGroup {
        /// Hops to the rows, without outputs; conditions on the whole group name common fields by
        /// [`ValueRef::Common`].
        variants: Vec<Variant>,
        having: Box<Filter>,
        once: bool,
    },
    /// Of a list, the searches for words and [`TextMatch::Re2`] accept rows of which any element
    /// matches.
    Text {
        place: ValueRef,
        r#match: TextMatch,
        case: Case,
        operand: Operand,
    },
    /// The row is one of those with the nearest vectors.
    Nearest(Box<Nearest>),
    /// A condition on the location of a point.
    Geo {
        place: ValueRef,
        operator: GeoOperator,
        operand: Operand,
    },
}

/// The left side of a comparison: a value of a row or of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueRef {
    /// A field of the row at the end of a path of to-one hops; an empty path is the row itself.
    Field {
        path: Vec<Hop>,
        field: FieldId,
    },
    /// A field of a row around this one: `levels` counts the [`Filter::Relation`],
    /// [`Filter::RelatedGroup`], [`Filter::FunctionRows`] and [`Filter::Exists`] between them. Of an access rule only.
    Outer {
        levels: u16,
        field: FieldId,
    },
    /// A property of the relationship that led to the row.
    Edge(FieldId),
    Computed(Call),
    /// An attribute of a composite, by its index among the attributes.
    Attribute {
        of: Box<ValueRef>,
        attribute: u16,
    },
    /// A moment truncated to a unit of time.
    Truncated {
        place: Box<ValueRef>,
        unit: TimeUnit,
    },
    /// An aggregate of a group of rows: in conditions on groups only.
    Aggregated {
        function: AggregateFunction,
        place: Box<ValueRef>,
    },
    /// The number of rows of a group; along a relationship with an edge entity the number of
    /// relationships, or, if `distinct`, the number of rows at their ends.
    Counted {
        distinct: bool,
    },
    /// A field that all variants of [`crate::From::Variants`] have, by its index among the common
    /// fields.
    Common(u16),
    Distance(Box<Distance>),
    /// A geometry as a geography, or the other way round: in comparisons only.
    Spatial {
        place: Box<ValueRef>,
        to: SpatialKind,
    },
    /// The value of a field, or null if the row that has it fails the condition.
    If {
        place: Box<ValueRef>,
        filter: Box<Filter>,
    },
    /// The first of these values that is not null: in orders, outputs and aggregates only.
    Coalesce(Vec<ValueRef>),
    /// Within an aggregate: each value once.
    Distinct(Box<ValueRef>),
    /// Several fields of the row together: in [`AggregateFunction::DistinctCount`], which counts
    /// combinations with nulls, too, and in functions of two fields.
    Together(Vec<FieldId>),
    /// A value with a default for null, as COALESCE: in comparisons only.
    OrElse {
        place: Box<ValueRef>,
        value: Box<Value>,
    },
}

/// The rows whose vectors are nearest to another, ties by their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The key of the row.
    pub key: FieldId,
    /// The rows among which they are: of one entity, or of several whose keys are those of one
    /// sequence.
    pub among: Vec<Candidates>,
    /// The largest distance.
    pub most: Option<Operand>,
    /// The number of rows.
    pub count: Operand,
    /// The number of vectors that a search of an index visits, within its limits; `None`: that of the
    /// database.
    pub visited: Option<Operand>,
}

/// Rows of an entity with the distances of their vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidates {
    pub key: FieldId,
    pub distance: Distance,
    pub filter: Filter,
}

/// The distance of a row's vector from another vector, unknown if their lengths differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// A field of the row itself, or a common one of several entities.
    pub vector: ValueRef,
    pub metric: Metric,
    pub to: OtherVector,
}

/// The vector from which others have a distance.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherVector {
    Given(Operand),
    /// The vector of a row of one entity, or of the first of several entities that has one.
    OfRow(Vec<VectorOfRow>),
}

/// The vector of the only row of an entity that passes a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorOfRow {
    pub field: FieldId,
    pub filter: Filter,
}

/// Distances of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    Euclidean,
    /// One less the cosine of the angle between them.
    Cosine,
    /// One less their dot product.
    DotProduct,
}

/// A unit of time for grouping moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Hour,
    Day,
}

/// Comparison operators between a field and an operand. With null, all but the `Distinct` ones are
/// unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Equal,
    NotEqual,
    /// Null equals null.
    DistinctFrom,
    NotDistinctFrom,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Equal to an element of a list operand.
    In,
    NotIn,
    /// A list, a range, a network, JSON: contains all of the operand.
    Contains,
    ContainedBy,
    /// A network: strictly contains the operand.
    ContainsMore,
    ContainedByMore,
    /// A range: contains the value.
    ContainsElement,
    Overlaps,
    /// A range: ends before the operand begins.
    LeftOf,
    RightOf,
    /// A range: does not end after the operand.
    NotRightOf,
    /// A range: does not begin before the operand.
    NotLeftOf,
    /// A range: begins where the operand ends, or ends where it begins.
    Adjacent,
    HasKey,
    HasAnyKey,
    HasAllKeys,
    /// JSON: an SQL/JSON path finds something in it.
    PathExists,
    /// JSON: the predicate of an SQL/JSON path is true.
    PathIsTrue,
    /// A path of labels in a tree.
    Tree(TreeComparison),
}

/// Comparisons of a path of labels in a tree, PostgreSQL's `ltree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreeComparison {
    /// It is an ancestor of the operand, or the operand itself.
    AncestorOf,
    /// The same of any path of a list.
    AncestorOfAny,
    DescendantOf,
    DescendantOfAny,
    /// It matches a pattern of paths, an `lquery`.
    Matches,
    /// It matches any pattern of a list.
    MatchesAny,
    /// Its labels match a full-text query, an `ltxtquery`.
    MatchesText,
}

/// Case sensitivity of a comparison of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// As the type of the compared value defines it.
    AsTyped,
    /// Case-sensitive.
    Exact,
    /// Case-insensitive.
    Ignored,
}

/// The number of related rows that must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Some,
    /// No related row makes the filter false; rows with an unknown outcome are accepted.
    Every,
    None,
    Single,
}

/// Operators on points, and on polygons of a sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeoOperator {
    /// Distance to another point: the operand is an object of a `point` and a `distance`.
    Distance(Comparison),
    /// A part of it is within a distance of a point: the operand has the form
    /// [`GeometryForm::Near`](crate::GeometryForm::Near).
    Near,
    /// All of it is within a polygon. Operands are geometries in GeoJSON.
    Within,
    /// All of a point or a polygon is within it.
    Contains,
    /// A polygon, or one of several, has a point in common with it.
    Intersects,
    /// A relation of values of PostGIS. The operand is the other value, or a list of what the
    /// function takes after the first value, in its order.
    Spatial(SpatialRelation),
}

/// Relations of values of PostGIS. <https://postgis.net/docs/reference.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpatialRelation {
    Contains,
    Crosses,
    Equals,
    Intersects,
    /// In three dimensions.
    Intersects3d,
    Overlaps,
    Touches,
    Within,
    /// Takes the other value and the distance; of geographies also whether the earth is a spheroid.
    WithinDistance,
    /// The same of geometries in three dimensions.
    WithinDistance3d,
    /// A band of a raster intersects a geometry: takes the number of the band first.
    BandIntersects,
    /// A raster intersects a geometry, which stands before the number of a band, if there is one.
    IntersectsBand,
}

/// Pattern operators between a text and an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextMatch {
    /// A LIKE pattern, with `\` as its escape; without [`Case::Ignored`] case-sensitive on every
    /// source whose types know case.
    Like,
    Includes,
    StartsWith,
    EndsWith,
    /// A regular expression in the source's own syntax.
    Regex,
    /// A pattern of SQL's SIMILAR TO, with `\` as its escape: of the whole text.
    Similar,
    /// A regular expression in the syntax of RE2 between slashes, with flags behind them:
    /// `/^ab+$/i`.
    Re2,
    /// All words of the operand, without regard to case.
    AllTerms,
    AnyTerm,
    /// All words of the operand by their English stems, stop words left out.
    AllStems,
    AnyStem,
    /// Any three successive stems of the operand, or all of them if they are fewer, in this order
    /// and without other words between them.
    AnyStemSequence,
}

impl TextMatch {
    /// True for searches for words.
    #[must_use]
    pub fn is_of_words(self) -> bool {
        match self {
            Self::AllTerms
            | Self::AnyTerm
            | Self::AllStems
            | Self::AnyStem
            | Self::AnyStemSequence => true,
            Self::Like
            | Self::Includes
            | Self::StartsWith
            | Self::EndsWith
            | Self::Regex
            | Self::Similar
            | Self::Re2 => false,
        }
    }

    /// True if a list matches by any of its elements.
    #[must_use]
    pub fn is_of_elements(self) -> bool {
        self.is_of_words() || self == Self::Re2
    }
}

impl Filter {
    /// The filter that accepts every row.
    #[must_use]
    pub fn all() -> Self {
        Self::And(Vec::new())
    }

    /// The filter that accepts no row.
    #[must_use]
    pub fn none() -> Self {
        Self::Or(Vec::new())
    }

    /// Returns true for [`Filter::all`].
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self, Self::And(filters) if filters.is_empty())
    }

    /// Returns true if the filter evidently accepts no row.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Or(filters) => filters.is_empty(),
            Self::And(filters) => filters.iter().any(Self::is_none),
            Self::Barrier { first, then } => first.is_none() || then.is_none(),
            _ => false,
        }
    }

    /// The conjunction in which `then` is evaluated after `first`. It stays a barrier where nothing
    /// follows: comparisons of an order or a page are evaluated after `first` as well.
    #[must_use]
    pub fn barrier(first: Self, then: Self) -> Self {
        match first.is_all() {
            true => then,
            false => Self::Barrier { first: Box::new(first), then: Box::new(then) },
        }
    }

    /// The condition that is evaluated before all others, if there is one.
    #[must_use]
    pub fn first(&self) -> Option<&Self> {
        match self {
            Self::Barrier { first, .. } => Some(first),
            _ => None,
        }
    }

    /// Returns true if the filter reads rows other than the filtered one.
    #[must_use]
    pub fn reads_other_rows(&self) -> bool {
        match self {
            Self::And(filters) | Self::Or(filters) => filters.iter().any(Self::reads_other_rows),
            Self::Not(filter) | Self::Except(filter) | Self::Required(filter) => {
                filter.reads_other_rows()
            }
            Self::Barrier { first, then } => first.reads_other_rows() || then.reads_other_rows(),
            Self::Relation { .. }
            | Self::FunctionRows { .. }
            | Self::Exists { .. }
            | Self::RelatedGroup { .. }
            | Self::VariantGroup { .. }
            | Self::Nearest(_) => true,
            Self::Compare { .. }
            | Self::CompareText { .. }
            | Self::CompareValues { .. }
            | Self::IsNull(_)
            | Self::AnyElement { .. }
            | Self::ElementBetween { .. }
            | Self::Text { .. }
            | Self::Geo { .. } => false,
        }
    }

    /// The conjunction, without a wrapper around a single filter.
    #[must_use]
    pub fn and(mut filters: Vec<Self>) -> Self {
        filters.retain(|filter| !filter.is_all());
        match filters.len() {
            1 => filters.pop().unwrap_or_else(Self::all),
            _ => Self::And(filters),
        }
    }
}

impl Nearest {
    /// Conditions on the rows that it reads: on the candidates, and on those whose vectors are the
    /// other one.
    pub fn filters(&self) -> impl Iterator<Item = &Filter> {
        self.among.iter().flat_map(|one| {
            let rows = one.distance.rows().iter().map(|row| &row.filter);
            std::iter::once(&one.filter).chain(rows)
        })
    }

    /// The conditions of [`Self::filters`], to change them; each with a field of its rows.
    pub fn filters_mut(&mut self) -> impl Iterator<Item = (FieldId, &mut Filter)> {
        self.among.iter_mut().flat_map(|one| {
            let own = (one.key, &mut one.filter);
            std::iter::once(own).chain(one.distance.filters_mut())
        })
    }
}

impl Distance {
    /// Conditions on the rows whose vectors are the other one, each with a field of its rows.
    pub fn filters_mut(&mut self) -> impl Iterator<Item = (FieldId, &mut Filter)> {
        let rows = match &mut self.to {
            OtherVector::OfRow(rows) => rows.as_mut_slice(),
            OtherVector::Given(_) => &mut [],
        };
        rows.iter_mut().map(|row| (row.field, &mut row.filter))
    }

    /// The rows whose vectors are the other one.
    fn rows(&self) -> &[VectorOfRow] {
        match &self.to {
            OtherVector::OfRow(rows) => rows,
            OtherVector::Given(_) => &[],
        }
    }
}

impl ValueRef {
    /// A field of the row itself.
    #[must_use]
    pub fn field(field: FieldId) -> Self {
        Self::Field { path: Vec::new(), field }
    }

    /// The value without the defaults that replace its nulls.
    #[must_use]
    pub fn stored(&self) -> &Self {
        match self {
            Self::OrElse { place, .. } => place.stored(),
            _ => self,
        }
    }
}
