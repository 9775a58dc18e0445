//! Claims: conditions on them, and whether values of nodes can be compared with them.

use catalog::{Catalog, FunctionResult, Scalar, Type};
use dialects::neo4j::model::Constant;
use dialects::neo4j::rules::{ClaimCondition, ClaimTest};
use ir::{Filter, Operand, Place};
use serde_json_bytes::Value as Json;
use source::Claims;

/// Whether a condition on claims passes. One of which a claim is missing does not, whatever is
/// around it is told no more than that.
pub(super) fn passes(condition: &ClaimCondition, claims: Option<&Claims>) -> bool {
    match condition {
        ClaimCondition::All(all) => all.iter().all(|one| passes(one, claims)),
        ClaimCondition::Any(any) => any.iter().any(|one| passes(one, claims)),
        ClaimCondition::Not(one) => !passes(one, claims),
        ClaimCondition::Known => claims.is_some(),
        ClaimCondition::Has { claim } => claims.is_some_and(|claims| claims.get(claim).is_some()),
        ClaimCondition::Test { claim, test, value } => {
            let claim = claims.and_then(|claims| claims.get(claim));
            claim.is_some_and(|claim| tested(claim, *test, value))
        }
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

/// Numbers with numbers, texts with texts; others have no order.
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

/// The label that a claim is. The source has no name with a zero in it.
pub(super) fn label(claim: &str, claims: Option<&Claims>) -> Option<Box<str>> {
    match claims.and_then(|claims| claims.get(claim)) {
        Some(Json::String(label)) if !label.as_str().is_empty() => {
            (!label.as_str().contains('\0')).then(|| label.as_str().into())
        }
        _ => None,
    }
}

/// A claim with what values are that are compared with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    claim: Box<str>,
    kind: Kind,
    is_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
    Number,
    Text,
}

impl Named {
    /// Whether who has these claims has one that values can be compared with. Another type is never
    /// equal, whatever its text is.
    pub(super) fn fits(&self, claims: Option<&Claims>) -> bool {
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
            (Self::Boolean, Json::Bool(_))
            | (Self::Number, Json::Number(_))
            | (Self::Text, Json::String(_)) => true,
            (Self::Integer, Json::Number(number)) => number.as_i64().is_some(),
            _ => false,
        }
    }
}

/// Adds the claims that a filter compares values with.
pub(super) fn named(catalog: &Catalog, filter: &Filter, all: &mut Vec<Named>) {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().for_each(|filter| named(catalog, filter, all));
        }
        Filter::Not(one)
        | Filter::Except(one)
        | Filter::Required(one)
        | Filter::Relation { filter: one, .. } => named(catalog, one, all),
        Filter::Barrier { first, then } => {
            named(catalog, first, all);
            named(catalog, then, all);
        }
        Filter::RelatedGroup { filter, having, .. } => {
            named(catalog, filter, all);
            named(catalog, having, all);
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants.iter().for_each(|variant| named(catalog, &variant.filter, all));
            named(catalog, having, all);
        }
        Filter::IsNull(_) => {}
        Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::AnyElement { .. }
        | Filter::Text { .. }
        | Filter::Geo { .. } => {
            let own = Comparison::of(filter).and_then(|one| one.named(catalog));
            all.extend(own.filter(|own| !all.contains(own)));
        }
    }
}

/// A value of a node beside an operand.
#[derive(Debug)]
pub(super) struct Comparison<'f> {
    place: &'f Place,
    operand: &'f Operand,
    /// Whether the operand is a list of such values, or one of the elements of the value.
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Same,
    List,
    Element,
}

impl<'f> Comparison<'f> {
    pub(super) fn of(filter: &'f Filter) -> Option<Self> {
        let (place, operand, form) = match filter {
            Filter::Compare { place, comparison, operand }
            | Filter::CompareText { place, comparison, operand, .. } => match comparison {
                ir::Comparison::In | ir::Comparison::NotIn => (place, operand, Form::List),
                _ => (place, operand, Form::Same),
            },
            Filter::AnyElement { place, operand, .. } => (place, operand, Form::Element),
            Filter::Text { place, operand, .. } | Filter::Geo { place, operand, .. } => {
                (place, operand, Form::Same)
            }
            Filter::And(_)
            | Filter::Or(_)
            | Filter::Not(_)
            | Filter::Except(_)
            | Filter::Required(_)
            | Filter::Barrier { .. }
            | Filter::IsNull(_)
            | Filter::Relation { .. }
            | Filter::RelatedGroup { .. }
            | Filter::VariantGroup { .. } => return None,
        };
        Some(Self { place, operand, form })
    }

    /// The claim that it is, if it is one.
    pub(super) fn named(&self, catalog: &Catalog) -> Option<Named> {
        let mut operand = self.operand;
        while let Operand::Formed { operand: inner, .. } = operand {
            operand = inner;
        }
        let Operand::Claim(claim) = operand else { return None };
        let claim = claim.clone();
        let field = match self.place.stored() {
            Place::Field { field, .. } | Place::Edge(field) => Some(*field),
            Place::Computed(call) => match catalog[call.function].result {
                FunctionResult::Value(field) => Some(field),
                _ => None,
            },
            _ => None,
        };
        // What is made of many values is a number.
        let Some(field) = field else {
            return Some(Named { claim, kind: Kind::Number, is_list: false });
        };
        let r#type = &catalog[field].r#type;
        let (r#type, is_list) = match (catalog.base_type(r#type), self.form) {
            (Type::List(element), Form::Element) => (&**element, false),
            (Type::List(element), Form::Same) => (&**element, true),
            (r#type, form) => (r#type, form == Form::List),
        };
        Some(Named { claim, kind: Kind::of(catalog, r#type), is_list })
    }
}
