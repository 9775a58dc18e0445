//! Claims of a session: conditions on them, and the values of rows that are compared with them.

use catalog::{Catalog, FunctionResult, Scalar, Type};
use ir::{Claims, Filter, Operand, ValueForm, ValueRef};
use serde_json_bytes::Value as Json;

use crate::claim_condition::{ClaimCondition, ClaimTest};
use crate::constant::Constant;

/// A claim that values of rows are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimUse {
    claim: Box<str>,
    kind: Kind,
    is_list: bool,
}

/// The type of the values that a claim is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Every type but null: the database converts the claim.
    Any,
    Boolean,
    Integer,
    Number,
    Text,
}

/// A value of a row beside an operand.
#[derive(Debug)]
pub(crate) struct Comparison<'f> {
    place: &'f ValueRef,
    operand: &'f Operand,
    form: Form,
}

/// The form of the operand: one value, a list of values, an element of the value, or several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Same,
    List,
    Element,
    Elements,
}

/// Returns true if a condition on claims passes. A test of a missing claim fails.
pub(crate) fn passes(condition: &ClaimCondition, claims: Option<&Claims>) -> bool {
    match condition {
        ClaimCondition::All(all) => all.iter().all(|one| passes(one, claims)),
        ClaimCondition::Any(any) => any.iter().any(|one| passes(one, claims)),
        ClaimCondition::Not(one) => !passes(one, claims),
        ClaimCondition::Authenticated => claims.is_some(),
        ClaimCondition::Present { claim } => {
            claims.is_some_and(|claims| claims.get(claim).is_some())
        }
        ClaimCondition::Test { claim, test, value } => {
            let claim = claims.and_then(|claims| claims.get(claim));
            claim.is_some_and(|claim| tested(claim, *test, value))
        }
        ClaimCondition::OfType { claim, r#type } => {
            claims.and_then(|claims| claims.get(claim)).is_some_and(|claim| r#type.is_of(claim))
        }
        ClaimCondition::Is { claim, value } => any_element(claims, claim, |own| own == value),
        ClaimCondition::Matches { claim, pattern } => any_element(claims, claim, |own| match own {
            Json::String(text) => pattern.is_match(text.as_str()),
            _ => false,
        }),
    }
}

/// Returns true if a claim, or an element of it if it is a list, passes a test.
fn any_element(claims: Option<&Claims>, claim: &str, test: impl Fn(&Json) -> bool) -> bool {
    match claims.and_then(|claims| claims.get(claim)) {
        Some(Json::Array(items)) => items.iter().any(test),
        claim => claim.is_some_and(test),
    }
}

fn tested(claim: &Json, test: ClaimTest, value: &Constant) -> bool {
    let text = || match (claim, value) {
        (Json::String(claim), Constant::Text(value)) => Some((claim.as_str(), &**value)),
        _ => None,
    };
    match test {
        ClaimTest::Equal => is_equal(claim, value),
        ClaimTest::In => match value {
            Constant::List(items) => items.iter().any(|item| is_equal(claim, item)),
            _ => false,
        },
        ClaimTest::Includes => match claim {
            Json::Array(items) => items.iter().any(|item| is_equal(item, value)),
            _ => false,
        },
        ClaimTest::Contains => text().is_some_and(|(claim, value)| claim.contains(value)),
        ClaimTest::StartsWith => text().is_some_and(|(claim, value)| claim.starts_with(value)),
        ClaimTest::EndsWith => text().is_some_and(|(claim, value)| claim.ends_with(value)),
        ClaimTest::Less => order(claim, value).is_some_and(|order| order.is_lt()),
        ClaimTest::LessOrEqual => order(claim, value).is_some_and(|order| order.is_le()),
        ClaimTest::Greater => order(claim, value).is_some_and(|order| order.is_gt()),
        ClaimTest::GreaterOrEqual => order(claim, value).is_some_and(|order| order.is_ge()),
    }
}

fn is_equal(claim: &Json, value: &Constant) -> bool {
    match (claim, value) {
        (Json::Bool(claim), Constant::Boolean(value)) => claim == value,
        (Json::Array(items), Constant::List(values)) => {
            items.len() == values.len()
                && items.iter().zip(values).all(|(item, value)| is_equal(item, value))
        }
        _ => order(claim, value).is_some_and(|order| order.is_eq()),
    }
}

/// The order of two numbers or two texts; other pairs have none.
fn order(claim: &Json, value: &Constant) -> Option<std::cmp::Ordering> {
    match (claim, value) {
        (Json::String(claim), Constant::Text(value)) => Some(claim.as_str().cmp(value)),
        (Json::Number(claim), Constant::Integer(value)) => match claim.as_i64() {
            Some(claim) => Some(claim.cmp(value)),
            None => claim.as_f64()?.partial_cmp(&(*value as f64)),
        },
        (Json::Number(claim), Constant::Float(value)) => {
            claim.as_f64()?.partial_cmp(&value.parse::<f64>().ok()?)
        }
        _ => None,
    }
}

/// The label that a claim names. Names in a source have no zero byte.
pub(crate) fn label(claim: &str, claims: Option<&Claims>) -> Option<Box<str>> {
    match claims.and_then(|claims| claims.get(claim)) {
        Some(Json::String(label)) if !label.as_str().is_empty() => {
            (!label.as_str().contains('\0')).then(|| label.as_str().into())
        }
        _ => None,
    }
}

impl ClaimUse {
    /// A claim that is compared with values of any type, or written into a row.
    pub(crate) fn of_any_type(claim: &str) -> Self {
        Self { claim: claim.into(), kind: Kind::Any, is_list: false }
    }

    /// Returns true if the claims have one of the type that values are compared with. Another type
    /// is never equal, whatever its text is.
    pub(crate) fn fits(&self, claims: Option<&Claims>) -> bool {
        let claim = claims.and_then(|claims| claims.get(&self.claim));
        match (claim, self.is_list) {
            (Some(Json::Array(items)), true) => items.iter().all(|item| self.kind.fits(item)),
            (Some(claim), false) => self.kind.fits(claim),
            (Some(_), true) | (None, _) => false,
        }
    }
}

impl Kind {
    fn of(catalog: &Catalog, r#type: &Type) -> Self {
        match catalog.base_type(r#type) {
            Type::Scalar(Scalar::Boolean) => Self::Boolean,
            Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => Self::Integer,
            Type::Scalar(Scalar::Float32 | Scalar::Float64) => Self::Number,
            _ => Self::Text,
        }
    }

    fn fits(self, claim: &Json) -> bool {
        match (self, claim) {
            (Self::Any, Json::Null) => false,
            (Self::Any, _)
            | (Self::Boolean, Json::Bool(_))
            | (Self::Number, Json::Number(_))
            | (Self::Text, Json::String(_)) => true,
            (Self::Integer, Json::Number(number)) => number.as_i64().is_some(),
            _ => false,
        }
    }
}

/// Adds the claims that a filter compares values with.
pub(crate) fn uses(catalog: &Catalog, filter: &Filter, all: &mut Vec<ClaimUse>) {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().for_each(|filter| uses(catalog, filter, all));
        }
        Filter::Not(one)
        | Filter::Except(one)
        | Filter::Required(one)
        | Filter::Exists { filter: one, .. }
        | Filter::FunctionRows { filter: one, .. }
        | Filter::Relation { filter: one, .. } => uses(catalog, one, all),
        Filter::Barrier { first, then } => {
            uses(catalog, first, all);
            uses(catalog, then, all);
        }
        Filter::RelatedGroup { filter, having, .. } => {
            uses(catalog, filter, all);
            uses(catalog, having, all);
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants.iter().for_each(|variant| uses(catalog, &variant.filter, all));
            uses(catalog, having, all);
        }
        Filter::IsNull(_) | Filter::CompareValues { .. } => {}
        Filter::Nearest(nearest) => {
            nearest.filters().for_each(|one| uses(catalog, one, all));
        }
        Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::AnyElement { .. }
        | Filter::ElementBetween { .. }
        | Filter::Text { .. }
        | Filter::Geo { .. } => {
            for own in Comparison::all(filter).filter_map(|one| one.claim_use(catalog)) {
                if !all.contains(&own) {
                    all.push(own);
                }
            }
        }
    }
}

/// Form of hexadecimal ids, which are numbers in the source and texts in claims: `Some(true)` for a list
/// of them, `None` for other forms.
fn is_hexadecimal(form: &ValueForm) -> Option<bool> {
    match form {
        ValueForm::HexadecimalId => Some(false),
        ValueForm::List(element) => is_hexadecimal(element).map(|_| true),
        _ => None,
    }
}

impl<'f> Comparison<'f> {
    /// The comparisons of a condition on one value.
    pub(crate) fn all(filter: &'f Filter) -> impl Iterator<Item = Self> {
        let one = |place, operand, form| Some(Self { place, operand, form });
        let comparisons = match filter {
            Filter::ElementBetween { place, least, most } => {
                [one(place, least, Form::Element), one(place, most, Form::Element)]
            }
            Filter::Compare { place, comparison, operand }
            | Filter::CompareText { place, comparison, operand, .. } => {
                let form = match comparison {
                    ir::Comparison::In | ir::Comparison::NotIn => Form::List,
                    ir::Comparison::Overlaps => Form::Elements,
                    _ => Form::Same,
                };
                [one(place, operand, form), None]
            }
            Filter::AnyElement { place, operand, .. } => [one(place, operand, Form::Element), None],
            Filter::Text { place, operand, .. } | Filter::Geo { place, operand, .. } => {
                [one(place, operand, Form::Same), None]
            }
            Filter::And(_)
            | Filter::Or(_)
            | Filter::Not(_)
            | Filter::Except(_)
            | Filter::Required(_)
            | Filter::Barrier { .. }
            | Filter::IsNull(_)
            | Filter::CompareValues { .. }
            | Filter::Exists { .. }
            | Filter::Nearest(_)
            | Filter::FunctionRows { .. }
            | Filter::Relation { .. }
            | Filter::RelatedGroup { .. }
            | Filter::VariantGroup { .. } => [None, None],
        };
        comparisons.into_iter().flatten()
    }

    /// The claim that the operand is, if it is one.
    pub(crate) fn claim(&self) -> Option<&'f str> {
        let mut operand = self.operand;
        while let Operand::Formed { operand: inner, .. } = operand {
            operand = inner;
        }
        match operand {
            Operand::Claim(claim) => Some(claim),
            _ => None,
        }
    }

    /// The claim with the type of the value that it is compared with.
    pub(crate) fn claim_use(&self, catalog: &Catalog) -> Option<ClaimUse> {
        let claim: Box<str> = self.claim()?.into();
        if let Operand::Formed { form, .. } = self.operand
            && let Some(is_list) = is_hexadecimal(form)
        {
            return Some(ClaimUse { claim, kind: Kind::Text, is_list });
        }
        let field = match self.place.stored() {
            ValueRef::Field { field, .. } | ValueRef::Edge(field) => Some(*field),
            ValueRef::Computed(call) => match catalog[call.function].result {
                FunctionResult::Value(field) => Some(field),
                _ => None,
            },
            _ => None,
        };
        // Aggregates are numbers.
        let Some(field) = field else {
            return Some(ClaimUse { claim, kind: Kind::Number, is_list: false });
        };
        let r#type = &catalog[field].r#type;
        let (r#type, is_list) = match (catalog.base_type(r#type), self.form) {
            (Type::List(element), Form::Element) => (&**element, false),
            (Type::List(element), Form::Same | Form::Elements) => (&**element, true),
            // The source does not know the type of the elements, only the rule does.
            (Type::Scalar(Scalar::Json), Form::Element | Form::Elements) => {
                return Some(ClaimUse::of_any_type(&claim));
            }
            (r#type, form) => (r#type, form == Form::List),
        };
        Some(ClaimUse { claim, kind: Kind::of(catalog, r#type), is_list })
    }
}
