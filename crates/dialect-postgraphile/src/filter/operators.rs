//! The operators on values of a type: an input type for each type of the API.

use catalog::{Scalar, Type};
use graphql::schema::{TypeId, TypeKind, TypeRef};
use ir::{Comparison, TextMatch};

use crate::api_types::ValueType;
use crate::build::{Build, input};
use crate::claims::Claimant;
use crate::enum_table_types;
use crate::types::value_type;
use crate::{descriptions, scalars};
use api::binding::{FilterRole, OperatorRole};

/// One operator.
#[derive(Clone, Copy, Debug)]
struct Operator {
    name: &'static str,
    description: &'static str,
    operand: Operand,
    means: Meaning,
}

/// The operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Boolean,
    Value,
    Values,
    /// An element of a list, or of a range.
    Element,
    String,
    Strings,
}

/// The meaning of an operator.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    IsNull,
    Compare(Comparison),
    CompareIgnoringCase(Comparison),
    CompareElement(Comparison),
    Match(TextMatch),
    Mismatch(TextMatch),
    MatchIgnoringCase(TextMatch),
    MismatchIgnoringCase(TextMatch),
}

/// The class of a type's operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Category {
    Ordered,
    Text,
    Json,
    /// JSON that has no order.
    JsonContent,
    Network,
    KeyValue,
    Range,
    List,
}

/// The operand types of operators on values of a type.
#[derive(Clone, Copy, Debug)]
struct Operands {
    value: TypeRef,
    /// An element of a list, or of a range.
    element: Option<TypeRef>,
}

impl Meaning {
    fn role(self) -> FilterRole {
        let matches = |r#match, ignore_case| {
            FilterRole::Operator(OperatorRole::Match { r#match, ignore_case })
        };
        match self {
            Self::IsNull => FilterRole::Operator(OperatorRole::TestNull),
            Self::Compare(comparison) => FilterRole::Operator(OperatorRole::Compare(comparison)),
            Self::CompareIgnoringCase(comparison) => {
                FilterRole::Operator(OperatorRole::CompareIgnoringCase(comparison))
            }
            Self::CompareElement(comparison) => {
                FilterRole::Operator(OperatorRole::CompareElement(comparison))
            }
            Self::Match(r#match) => matches(r#match, false),
            Self::Mismatch(r#match) => FilterRole::Negated(matches(r#match, false).into()),
            Self::MatchIgnoringCase(r#match) => matches(r#match, true),
            Self::MismatchIgnoringCase(r#match) => {
                FilterRole::Negated(matches(r#match, true).into())
            }
        }
    }
}

/// The input type of the operators on values of a type; `None` if there are none.
pub(crate) fn find(build: &mut Build<'_>, r#type: &Type) -> Option<TypeId> {
    let category = category(build, r#type)?;
    let value = value_type(build, r#type)?;
    if !value.equal && category != Category::JsonContent {
        return None;
    }
    let catalog = build.catalog;
    let element = match r#type {
        Type::Range(id) => value_type(build, &catalog[*id].subtype)?.input,
        Type::List(element) => value_type(build, element)?.input,
        Type::Scalar(_) | Type::Enum(_) | Type::Domain(_) | Type::Composite(_) | Type::Row(_) => {
            None
        }
    };
    find_of(build, category, &value, element)
}

/// The input type of the operators on a column with the values of an enum table.
pub(super) fn find_enum(build: &mut Build<'_>, value: &ValueType) -> Option<TypeId> {
    find_of(build, Category::Ordered, value, None)
}

fn find_of(
    build: &mut Build<'_>,
    category: Category,
    value: &ValueType,
    element: Option<TypeRef>,
) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    if category == Category::List && !options.arrays {
        return None;
    }
    let operands = Operands { value: value.input?, element };
    let mut value_name = String::from(&*build.api.schema()[value.output.base].name);
    if !options.allows_type(&value_name) {
        return None;
    }
    let name = match category {
        Category::List => {
            let name = build.inflection.list_filter_type(&value_name);
            value_name.push_str(" List");
            name
        }
        _ => build.inflection.filter_type(&value_name),
    };
    if let Some(known) = build.filters.get(&*name) {
        return *known;
    }
    let made = add_type(build, category, &name, &value_name, operands);
    build.filters.insert(name.into(), made);
    made
}

/// The class of a type's operators. Domains over types other than scalars have none in the plugin
/// either.
fn category(build: &Build<'_>, r#type: &Type) -> Option<Category> {
    match r#type {
        Type::Scalar(Scalar::Json) if build.catalog.capabilities().json_content => {
            Some(Category::JsonContent)
        }
        Type::Scalar(scalar) => scalar_category(build, scalar),
        Type::Enum(_) => Some(Category::Ordered),
        Type::Domain(id) if enum_table_types::is_enum_domain(build, *id) => Some(Category::Ordered),
        Type::Domain(id) => match &build.catalog[*id].base {
            Type::Scalar(scalar) => scalar_category(build, scalar),
            Type::Enum(_)
            | Type::Domain(_)
            | Type::Composite(_)
            | Type::Range(_)
            | Type::Row(_)
            | Type::List(_) => None,
        },
        Type::Range(_) => Some(Category::Range),
        Type::List(element) => is_listed(build, element).then_some(Category::List),
        Type::Composite(_) | Type::Row(_) => None,
    }
}

/// True if lists of such elements have operators.
fn is_listed(build: &Build<'_>, element: &Type) -> bool {
    match element {
        Type::Enum(_) => true,
        Type::Scalar(scalar) => {
            scalar_category(build, scalar).is_some() || scalars::is_object_identifier(scalar)
        }
        Type::Range(id) => matches!(build.catalog[*id].subtype, Type::Scalar(_)),
        Type::Domain(id) => match &build.catalog[*id].base {
            Type::Scalar(scalar) => scalar_category(build, scalar).is_some(),
            Type::Enum(_) => true,
            Type::Domain(_)
            | Type::Composite(_)
            | Type::Range(_)
            | Type::Row(_)
            | Type::List(_) => false,
        },
        Type::Composite(_) | Type::Row(_) | Type::List(_) => false,
    }
}

fn scalar_category(build: &Build<'_>, scalar: &Scalar) -> Option<Category> {
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
        | Scalar::Epoch(_)
        | Scalar::Interval
        | Scalar::Bit
        | Scalar::ObjectId => Some(Category::Ordered),
        Scalar::Jsonb => Some(Category::Json),
        Scalar::Inet => Some(Category::Network),
        Scalar::Cidr if build.options.network_scalars => Some(Category::Network),
        Scalar::MacAddress | Scalar::MacAddress8 if build.options.network_scalars => {
            Some(Category::Ordered)
        }
        Scalar::KeyValue => Some(Category::KeyValue),
        Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => {
            Some(Category::Text)
        }
        // Types that are text in the API only have no operators, nor has `json`.
        Scalar::Json
        | Scalar::Xml
        | Scalar::Bytes
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Point
        | Scalar::GeographicPoint
        | Scalar::CartesianPoint
        | Scalar::Spatial(_)
        | Scalar::Other(_) => None,
    }
}

fn add_type(
    build: &mut Build<'_>,
    category: Category,
    name: &str,
    value_name: &str,
    operands: Operands,
) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    let (boolean, string) = (build.scalar("Boolean")?, build.scalar("String")?);
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
    let mut names = crate::claims::Claims::default();
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
            Operand::Value => operands.value,
            Operand::Values => operands.value.non_null().list(),
            Operand::Element => match operands.element {
                Some(element) => element,
                None => continue,
            },
            Operand::String => string,
            Operand::Strings => string.non_null().list(),
        };
        let definition = input(name, operator.description, operand);
        build.api.add_input_field(r#type, definition, options.object(operator.means.role()));
    }
    Some(r#type)
}

fn operators(category: Category) -> Vec<Operator> {
    match category {
        Category::Ordered => [EQUALITY, ORDER].concat(),
        Category::Text => [EQUALITY, ORDER, TEXT, IGNORING_CASE].concat(),
        Category::Json => [EQUALITY, ORDER, JSON].concat(),
        Category::JsonContent => [EQUALITY, JSON].concat(),
        Category::Network => [EQUALITY, ORDER, NETWORK].concat(),
        Category::KeyValue => [EQUALITY, KEY_VALUE].concat(),
        Category::Range => [EQUALITY, ORDER, RANGE].concat(),
        Category::List => {
            let one_value = EQUALITY.iter().filter(|operator| operator.operand != Operand::Values);
            one_value.chain(ORDER).chain(LIST).copied().collect()
        }
    }
}

const fn operator(
    name: &'static str,
    operand: Operand,
    means: Meaning,
    description: &'static str,
) -> Operator {
    Operator { name, description, operand, means }
}

use Comparison::{
    Adjacent, ContainedBy, ContainedByMore, Contains, ContainsElement, ContainsMore, DistinctFrom,
    Equal, Greater, GreaterOrEqual, HasAllKeys, HasAnyKey, HasKey, In, LeftOf, Less, LessOrEqual,
    NotDistinctFrom, NotEqual, NotIn, NotLeftOf, NotRightOf, Overlaps, RightOf,
};
use Meaning::{
    Compare, CompareElement, CompareIgnoringCase, IsNull, Match, MatchIgnoringCase, Mismatch,
    MismatchIgnoringCase,
};
use Operand::{Boolean, Element, String as Key, Strings as Keys, Value, Values};
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

const JSON: &[Operator] = &[
    operator("contains", Value, Compare(Contains), "Contains the specified JSON."),
    operator("containsKey", Key, Compare(HasKey), "Contains the specified key."),
    operator("containsAllKeys", Keys, Compare(HasAllKeys), "Contains all of the specified keys."),
    operator("containsAnyKeys", Keys, Compare(HasAnyKey), "Contains any of the specified keys."),
    operator("containedBy", Value, Compare(ContainedBy), "Contained by the specified JSON."),
];

const KEY_VALUE: &[Operator] = &[
    operator("contains", Value, Compare(Contains), "Contains the specified KeyValueHash."),
    operator("containsKey", Key, Compare(HasKey), "Contains the specified key."),
    operator("containsAllKeys", Keys, Compare(HasAllKeys), "Contains all of the specified keys."),
    operator("containsAnyKeys", Keys, Compare(HasAnyKey), "Contains any of the specified keys."),
    operator(
        "containedBy",
        Value,
        Compare(ContainedBy),
        "Contained by the specified KeyValueHash.",
    ),
];

const NETWORK: &[Operator] = &[
    operator("contains", Value, Compare(ContainsMore), "Contains the specified internet address."),
    operator(
        "containsOrEqualTo",
        Value,
        Compare(Contains),
        "Contains or equal to the specified internet address.",
    ),
    operator(
        "containedBy",
        Value,
        Compare(ContainedByMore),
        "Contained by the specified internet address.",
    ),
    operator(
        "containedByOrEqualTo",
        Value,
        Compare(ContainedBy),
        "Contained by or equal to the specified internet address.",
    ),
    operator(
        "containsOrContainedBy",
        Value,
        Compare(Overlaps),
        "Contains or contained by the specified internet address.",
    ),
];

const RANGE: &[Operator] = &[
    operator("contains", Value, Compare(Contains), "Contains the specified range."),
    operator("containsElement", Element, Compare(ContainsElement), "Contains the specified value."),
    operator("containedBy", Value, Compare(ContainedBy), "Contained by the specified range."),
    operator("overlaps", Value, Compare(Overlaps), "Overlaps the specified range."),
    operator("strictlyLeftOf", Value, Compare(LeftOf), "Strictly left of the specified range."),
    operator("strictlyRightOf", Value, Compare(RightOf), "Strictly right of the specified range."),
    operator(
        "notExtendsRightOf",
        Value,
        Compare(NotRightOf),
        "Does not extend right of the specified range.",
    ),
    operator(
        "notExtendsLeftOf",
        Value,
        Compare(NotLeftOf),
        "Does not extend left of the specified range.",
    ),
    operator("adjacentTo", Value, Compare(Adjacent), "Adjacent to the specified range."),
];

const LIST: &[Operator] = &[
    operator("contains", Value, Compare(Contains), "Contains the specified list of values."),
    operator(
        "containedBy",
        Value,
        Compare(ContainedBy),
        "Contained by the specified list of values.",
    ),
    operator("overlaps", Value, Compare(Overlaps), "Overlaps the specified list of values."),
    operator(
        "anyEqualTo",
        Element,
        CompareElement(Equal),
        "Any array item is equal to the specified value.",
    ),
    operator(
        "anyNotEqualTo",
        Element,
        CompareElement(NotEqual),
        "Any array item is not equal to the specified value.",
    ),
    operator(
        "anyLessThan",
        Element,
        CompareElement(Less),
        "Any array item is less than the specified value.",
    ),
    operator(
        "anyLessThanOrEqualTo",
        Element,
        CompareElement(LessOrEqual),
        "Any array item is less than or equal to the specified value.",
    ),
    operator(
        "anyGreaterThan",
        Element,
        CompareElement(Greater),
        "Any array item is greater than the specified value.",
    ),
    operator(
        "anyGreaterThanOrEqualTo",
        Element,
        CompareElement(GreaterOrEqual),
        "Any array item is greater than or equal to the specified value.",
    ),
];
