//! The operators that values of a type have: an input type for each type of the API.

use catalog::{Scalar, Type};
use graphql::schema::{TypeId, TypeKind, TypeRef};
use ir::{Comparison, TextMatch};

use crate::binding::InputRole;
use crate::postgraphile::build::{Build, input};
use crate::postgraphile::claims::Claimant;
use crate::postgraphile::descriptions;
use crate::postgraphile::types::{ValueType, value_type};

/// One operator.
#[derive(Clone, Copy, Debug)]
struct Operator {
    name: &'static str,
    description: &'static str,
    operand: Operand,
    means: Means,
}

/// What an operator is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Boolean,
    Value,
    Values,
}

/// What an operator states.
#[derive(Clone, Copy, Debug)]
enum Means {
    IsNull,
    Compare(Comparison),
    CompareIgnoringCase(Comparison),
    Match(TextMatch),
    Mismatch(TextMatch),
    MatchIgnoringCase(TextMatch),
    MismatchIgnoringCase(TextMatch),
}

/// Which operators values of a type have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Category {
    Ordered,
    Text,
}

impl Means {
    fn role(self) -> InputRole {
        let matches = |r#match, ignore_case| InputRole::Match { r#match, ignore_case };
        match self {
            Self::IsNull => InputRole::TestNull,
            Self::Compare(comparison) => InputRole::Compare(comparison),
            Self::CompareIgnoringCase(comparison) => InputRole::CompareIgnoringCase(comparison),
            Self::Match(r#match) => matches(r#match, false),
            Self::Mismatch(r#match) => InputRole::Negated(matches(r#match, false).into()),
            Self::MatchIgnoringCase(r#match) => matches(r#match, true),
            Self::MismatchIgnoringCase(r#match) => {
                InputRole::Negated(matches(r#match, true).into())
            }
        }
    }
}

/// The input type of the operators on values of a type; `None` if there are none.
pub(super) fn find(build: &mut Build<'_>, r#type: &Type) -> Option<TypeId> {
    let category = category(build, r#type)?;
    let value = value_type(build, r#type)?;
    find_of(build, category, &value)
}

/// The input type of the operators on a column whose values are those of an enum table.
pub(super) fn find_enum(build: &mut Build<'_>, value: &ValueType) -> Option<TypeId> {
    find_of(build, Category::Ordered, value)
}

fn find_of(build: &mut Build<'_>, category: Category, value: &ValueType) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    let operand = value.input?;
    let value_name = build.api.schema()[value.output.base].name.clone();
    if !options.allows_type(&value_name) {
        return None;
    }
    let name = build.inflection.filter_type(&value_name);
    if let Some(known) = build.filters.get(&*name) {
        return *known;
    }
    let made = add_type(build, category, &name, &value_name, operand);
    build.filters.insert(name.into(), made);
    made
}

/// Which operators values of a type have. Domains over anything but scalars have none in the
/// plugin either.
fn category(build: &Build<'_>, r#type: &Type) -> Option<Category> {
    match r#type {
        Type::Scalar(scalar) => scalar_category(scalar),
        Type::Enum(_) => Some(Category::Ordered),
        Type::Domain(id) => match &build.catalog[*id].base {
            Type::Scalar(scalar) => scalar_category(scalar),
            Type::Enum(_)
            | Type::Domain(_)
            | Type::Composite(_)
            | Type::Range(_)
            | Type::List(_) => None,
        },
        Type::Composite(_) | Type::Range(_) | Type::List(_) => None,
    }
}

fn scalar_category(scalar: &Scalar) -> Option<Category> {
    match scalar {
        Scalar::Boolean
        | Scalar::Int16
        | Scalar::Int32
        | Scalar::Int64
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Decimal { .. }
        | Scalar::Money
        | Scalar::Uuid
        | Scalar::Date
        | Scalar::Time
        | Scalar::TimeWithZone
        | Scalar::Timestamp
        | Scalar::TimestampWithZone
        | Scalar::Interval
        | Scalar::Inet
        | Scalar::Bit
        | Scalar::Jsonb
        | Scalar::ObjectId => Some(Category::Ordered),
        Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => {
            Some(Category::Text)
        }
        // What the API shows as text without being text has no operators, nor has `json`.
        Scalar::Json
        | Scalar::Xml
        | Scalar::Bytes
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Point
        | Scalar::KeyValue
        | Scalar::Other(_) => None,
    }
}

fn add_type(
    build: &mut Build<'_>,
    category: Category,
    name: &str,
    value_name: &str,
    operand: TypeRef,
) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    let boolean = build.scalar("Boolean")?;
    let allowed = |operator: &Operator| {
        let allowed = options.allowed_operators.as_ref();
        allowed.is_none_or(|names| names.iter().any(|name| name == operator.name))
    };
    let mut operators = operators(category).into_iter().filter(allowed).peekable();
    operators.peek()?;
    let claimant = Claimant { subject: value_name, what: "filter type" };
    if let Err(note) = build.types.claim(name, claimant) {
        build.note(note);
        return None;
    }
    let description = descriptions::operators_type(value_name);
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = build.add_type(name, Some(description.into()), kind)?;
    let mut names = crate::postgraphile::claims::Claims::default();
    for operator in operators {
        let renamed = options.operator_names.iter().find(|(from, _)| from == operator.name);
        let name = renamed.map_or(operator.name, |(_, name)| name);
        let claimant = Claimant { subject: operator.name, what: "operator" };
        if let Err(note) = names.claim(name, claimant) {
            build.note(note);
            continue;
        }
        let operand = match operator.operand {
            Operand::Boolean => boolean,
            Operand::Value => operand,
            Operand::Values => operand.non_null().list(),
        };
        let definition = input(name, operator.description, operand);
        build.api.add_input_field(r#type, definition, options.value(operator.means.role()));
    }
    Some(r#type)
}

fn operators(category: Category) -> Vec<Operator> {
    match category {
        Category::Ordered => [EQUALITY, ORDER].concat(),
        Category::Text => [EQUALITY, ORDER, TEXT, IGNORING_CASE].concat(),
    }
}

const fn operator(
    name: &'static str,
    operand: Operand,
    means: Means,
    description: &'static str,
) -> Operator {
    Operator { name, description, operand, means }
}

use Comparison::{
    DistinctFrom, Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, NotDistinctFrom, NotEqual,
    NotIn,
};
use Means::{
    Compare, CompareIgnoringCase, IsNull, Match, MatchIgnoringCase, Mismatch, MismatchIgnoringCase,
};
use Operand::{Boolean, Value, Values};
use TextMatch::{EndsWith, Includes, Like, StartsWith};

const EQUALITY: &[Operator] = &[
    operator(
        "isNull",
        Boolean,
        IsNull,
        "Is null (if `true` is specified) or is not null (if `false` is specified).",
    ),
    operator("equalTo", Value, Compare(Equal), "Equal to the specified value."),
    operator("notEqualTo", Value, Compare(NotEqual), "Not equal to the specified value."),
    operator(
        "distinctFrom",
        Value,
        Compare(DistinctFrom),
        "Not equal to the specified value, treating null like an ordinary value.",
    ),
    operator(
        "notDistinctFrom",
        Value,
        Compare(NotDistinctFrom),
        "Equal to the specified value, treating null like an ordinary value.",
    ),
    operator("in", Values, Compare(In), "Included in the specified list."),
    operator("notIn", Values, Compare(NotIn), "Not included in the specified list."),
];

const ORDER: &[Operator] = &[
    operator("lessThan", Value, Compare(Less), "Less than the specified value."),
    operator(
        "lessThanOrEqualTo",
        Value,
        Compare(LessOrEqual),
        "Less than or equal to the specified value.",
    ),
    operator("greaterThan", Value, Compare(Greater), "Greater than the specified value."),
    operator(
        "greaterThanOrEqualTo",
        Value,
        Compare(GreaterOrEqual),
        "Greater than or equal to the specified value.",
    ),
];

const TEXT: &[Operator] = &[
    operator("includes", Value, Match(Includes), "Contains the specified string (case-sensitive)."),
    operator(
        "notIncludes",
        Value,
        Mismatch(Includes),
        "Does not contain the specified string (case-sensitive).",
    ),
    operator(
        "includesInsensitive",
        Value,
        MatchIgnoringCase(Includes),
        "Contains the specified string (case-insensitive).",
    ),
    operator(
        "notIncludesInsensitive",
        Value,
        MismatchIgnoringCase(Includes),
        "Does not contain the specified string (case-insensitive).",
    ),
    operator(
        "startsWith",
        Value,
        Match(StartsWith),
        "Starts with the specified string (case-sensitive).",
    ),
    operator(
        "notStartsWith",
        Value,
        Mismatch(StartsWith),
        "Does not start with the specified string (case-sensitive).",
    ),
    operator(
        "startsWithInsensitive",
        Value,
        MatchIgnoringCase(StartsWith),
        "Starts with the specified string (case-insensitive).",
    ),
    operator(
        "notStartsWithInsensitive",
        Value,
        MismatchIgnoringCase(StartsWith),
        "Does not start with the specified string (case-insensitive).",
    ),
    operator(
        "endsWith",
        Value,
        Match(EndsWith),
        "Ends with the specified string (case-sensitive).",
    ),
    operator(
        "notEndsWith",
        Value,
        Mismatch(EndsWith),
        "Does not end with the specified string (case-sensitive).",
    ),
    operator(
        "endsWithInsensitive",
        Value,
        MatchIgnoringCase(EndsWith),
        "Ends with the specified string (case-insensitive).",
    ),
    operator(
        "notEndsWithInsensitive",
        Value,
        MismatchIgnoringCase(EndsWith),
        "Does not end with the specified string (case-insensitive).",
    ),
    operator(
        "like",
        Value,
        Match(Like),
        "Matches the specified pattern (case-sensitive). An underscore (_) matches any single \
         character; a percent sign (%) matches any sequence of zero or more characters.",
    ),
    operator(
        "notLike",
        Value,
        Mismatch(Like),
        "Does not match the specified pattern (case-sensitive). An underscore (_) matches any \
         single character; a percent sign (%) matches any sequence of zero or more characters.",
    ),
    operator(
        "likeInsensitive",
        Value,
        MatchIgnoringCase(Like),
        "Matches the specified pattern (case-insensitive). An underscore (_) matches any single \
         character; a percent sign (%) matches any sequence of zero or more characters.",
    ),
    operator(
        "notLikeInsensitive",
        Value,
        MismatchIgnoringCase(Like),
        "Does not match the specified pattern (case-insensitive). An underscore (_) matches any \
         single character; a percent sign (%) matches any sequence of zero or more characters.",
    ),
];

const IGNORING_CASE: &[Operator] = &[
    operator(
        "equalToInsensitive",
        Value,
        CompareIgnoringCase(Equal),
        "Equal to the specified value (case-insensitive).",
    ),
    operator(
        "notEqualToInsensitive",
        Value,
        CompareIgnoringCase(NotEqual),
        "Not equal to the specified value (case-insensitive).",
    ),
    operator(
        "distinctFromInsensitive",
        Value,
        CompareIgnoringCase(DistinctFrom),
        "Not equal to the specified value, treating null like an ordinary value \
         (case-insensitive).",
    ),
    operator(
        "notDistinctFromInsensitive",
        Value,
        CompareIgnoringCase(NotDistinctFrom),
        "Equal to the specified value, treating null like an ordinary value (case-insensitive).",
    ),
    operator(
        "inInsensitive",
        Values,
        CompareIgnoringCase(In),
        "Included in the specified list (case-insensitive).",
    ),
    operator(
        "notInInsensitive",
        Values,
        CompareIgnoringCase(NotIn),
        "Not included in the specified list (case-insensitive).",
    ),
    operator(
        "lessThanInsensitive",
        Value,
        CompareIgnoringCase(Less),
        "Less than the specified value (case-insensitive).",
    ),
    operator(
        "lessThanOrEqualToInsensitive",
        Value,
        CompareIgnoringCase(LessOrEqual),
        "Less than or equal to the specified value (case-insensitive).",
    ),
    operator(
        "greaterThanInsensitive",
        Value,
        CompareIgnoringCase(Greater),
        "Greater than the specified value (case-insensitive).",
    ),
    operator(
        "greaterThanOrEqualToInsensitive",
        Value,
        CompareIgnoringCase(GreaterOrEqual),
        "Greater than or equal to the specified value (case-insensitive).",
    ),
];
