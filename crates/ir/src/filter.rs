//! Conditions on rows. They have SQL's three values: a comparison with null is unknown, and a
//! row passes only if its condition is true.

use catalog::FieldId;

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
    /// What each row has to pass that passes what stands beside it: where one does not, the root
    /// field fails as a whole. Only rows that are read or changed have it, in the outermost
    /// conjunction of their condition.
    Required(Box<Filter>),
    /// What passes both, with an order that no source may change: `then` is evaluated on rows that
    /// pass `first`, and on no others, as far as evaluating it could show more than its outcome, by
    /// an error, an effect or the time it takes. Evaluating `first` shows nothing.
    Barrier {
        first: Box<Filter>,
        then: Box<Filter>,
    },
    Compare {
        place: Place,
        comparison: Comparison,
        operand: Operand,
    },
    /// Texts compared letter by letter, or without regard to case, whatever their type does.
    CompareText {
        place: Place,
        comparison: Comparison,
        case: Case,
        operand: Operand,
    },
    IsNull(Place),
    /// Whether some element of a list compares so with the operand.
    AnyElement {
        place: Place,
        comparison: Comparison,
        operand: Operand,
    },
    /// Rows by rows that they are related to.
    Relation {
        hop: Hop,
        quantifier: Quantifier,
        filter: Box<Filter>,
    },
    /// Rows by what is made of the rows that they are related to.
    RelatedGroup {
        hop: Hop,
        /// Which of the related rows are aggregated.
        filter: Box<Filter>,
        /// A condition on all of them together; its places are [`Place::Aggregated`].
        having: Box<Filter>,
        /// Whether values of the rows are aggregated of each once, however many relationships of a
        /// graph lead to it.
        once: bool,
    },
    /// The same of rows of several entities, taken together.
    VariantGroup {
        /// The ways to the rows, without outputs; conditions on all of them together name common
        /// fields by [`Place::Common`].
        variants: Vec<Variant>,
        having: Box<Filter>,
        once: bool,
    },
    Text {
        place: Place,
        r#match: TextMatch,
        case: Case,
        operand: Operand,
    },
    /// Where a point is.
    Geo {
        place: Place,
        operator: GeoOperator,
        operand: Operand,
    },
}

/// What is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A field of the row at the end of a path of to-one hops; an empty path is the row itself.
    Field {
        path: Vec<Hop>,
        field: FieldId,
    },
    /// A property of the relationship that led to the row.
    Edge(FieldId),
    Computed(Call),
    /// An attribute of a composite, by its place among those.
    Attribute {
        of: Box<Place>,
        attribute: u16,
    },
    /// The beginning of the unit of time that a moment is in.
    Truncated {
        place: Box<Place>,
        unit: TimeUnit,
    },
    /// Of a group of rows what is made of their values: in conditions on groups only.
    Aggregated {
        function: AggregateFunction,
        place: Box<Place>,
    },
    /// Of a group of rows how many there are; along a relationship with an edge entity how many
    /// relationships, or, if `distinct`, how many rows these lead to.
    Counted {
        distinct: bool,
    },
    /// A field that all variants of [`crate::From::Variants`] have, by its place among those.
    Common(u16),
    /// The value of a field, or null where the row that has it does not pass.
    If {
        place: Box<Place>,
        filter: Box<Filter>,
    },
    /// The value of a place, or this one where it is null: in comparisons only.
    OrElse {
        place: Box<Place>,
        value: Box<Value>,
    },
}

/// A unit of time that moments are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Hour,
    Day,
}

/// How a field and an operand are compared. With null, all but the `Distinct` ones are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    /// Null is a value like any other.
    DistinctFrom,
    NotDistinctFrom,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Equal to an element of a list operand.
    In,
    NotIn,
    /// A list, a range, a network, JSON: has all that the operand has.
    Contains,
    ContainedBy,
    /// A network: contains the operand and is not the same.
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
}

/// What large and small letters are to a comparison of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// What they are to the type of the place.
    AsTyped,
    /// Different letters.
    Exact,
    /// The same letters.
    Ignored,
}

/// How many of the related rows have to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Some,
    /// None of them makes the filter false; where it is unknown, nothing is held against them.
    Every,
    None,
    Single,
}

/// How a point is told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeoOperator {
    /// By how far it is from another: the operand is an object of a `point` and a `distance`.
    Distance(Comparison),
}

/// How a text and an operand are matched.
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
    /// All words of the operand.
    AllTerms,
    AnyTerm,
}

impl Filter {
    /// The filter that every row passes.
    #[must_use]
    pub fn all() -> Self {
        Self::And(Vec::new())
    }

    /// The filter that no row passes.
    #[must_use]
    pub fn none() -> Self {
        Self::Or(Vec::new())
    }

    /// Whether it is [`Filter::all`].
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self, Self::And(filters) if filters.is_empty())
    }

    /// Whether it is seen to pass no row.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Or(filters) => filters.is_empty(),
            Self::And(filters) => filters.iter().any(Self::is_none),
            Self::Barrier { first, then } => first.is_none() || then.is_none(),
            _ => false,
        }
    }

    /// The conjunction in which `then` is evaluated after `first`. It stays one where nothing comes
    /// after: what an order or a page compares of the rows comes after `first` as well.
    #[must_use]
    pub fn barrier(first: Self, then: Self) -> Self {
        match first.is_all() {
            true => then,
            false => Self::Barrier { first: Box::new(first), then: Box::new(then) },
        }
    }

    /// What has to pass before anything else is evaluated, if something does.
    #[must_use]
    pub fn first(&self) -> Option<&Self> {
        match self {
            Self::Barrier { first, .. } => Some(first),
            _ => None,
        }
    }

    /// Whether it looks at other rows than the one that has to pass.
    #[must_use]
    pub fn leads_elsewhere(&self) -> bool {
        match self {
            Self::And(filters) | Self::Or(filters) => filters.iter().any(Self::leads_elsewhere),
            Self::Not(filter) | Self::Except(filter) | Self::Required(filter) => {
                filter.leads_elsewhere()
            }
            Self::Barrier { first, then } => first.leads_elsewhere() || then.leads_elsewhere(),
            Self::Relation { .. } | Self::RelatedGroup { .. } | Self::VariantGroup { .. } => true,
            Self::Compare { .. }
            | Self::CompareText { .. }
            | Self::IsNull(_)
            | Self::AnyElement { .. }
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

impl Place {
    /// A field of the row itself.
    #[must_use]
    pub fn field(field: FieldId) -> Self {
        Self::Field { path: Vec::new(), field }
    }

    /// The place itself, whatever stands for it where it is null.
    #[must_use]
    pub fn stored(&self) -> &Self {
        match self {
            Self::OrElse { place, .. } => place.stored(),
            _ => self,
        }
    }
}
