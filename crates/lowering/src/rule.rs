//! Conditions of the API's author, in the syntax of requests: they have the same meaning as in a
//! request at the same position.
//!
//! * [`rows`](mod@rows): conditions in the form of a query

pub mod rows;

use std::sync::Arc;

use graphql::definitions::Literal;
use graphql::operation::{Location, Operation, OperationKind, SelectionSetId};
use graphql::schema::{TypeKind, TypeRef};
use graphql::value::{Slot, Value};
use graphql::variables::{Aspect, Steering, Variables};
use ir::{Comparison, Filter, Operand, ValueForm, ValueRef};
use serde_json_bytes::Value as Json;

use super::filter::FilterContext;
use super::input::Input;
use super::{Context, Introspection, LowerError};
use api::Api;

/// The prefix of a claim.
const CLAIM: &str = "$jwt";

/// The prefix of the library's context, which only an embedding program sets.
const CONTEXT: &str = "$context";

/// The condition of a literal of an input type. `claim` resolves the name of a claim to its path.
pub fn condition(
    api: &Api,
    input: &str,
    said: &Literal,
    claim: &dyn Fn(&str) -> Box<str>,
) -> Result<Filter, String> {
    let schema = &api.schema;
    let r#type = schema.find_type(input).ok_or_else(|| format!("there is no input `{input}`"))?;
    let mut values = Values { api, claim, claims: Vec::new() };
    let Value::Object(members) = values.value(TypeRef::named(r#type), said)? else {
        return Err("a condition on nodes is an object".to_owned());
    };
    let claims = values.claims;
    let values = claims.iter().map(|_| Some(Json::String(CLAIM.into()))).collect();
    let variables = Variables { values, ..Variables::default() };
    let steering = Steering::new(&variables);
    let operation = Operation {
        kind: OperationKind::Query,
        name: None,
        variables: Vec::new(),
        directives: Vec::new(),
        root: SelectionSetId(0),
        selection_sets: Vec::new(),
        nullable: Vec::new(),
    };
    let introspection = Introspection::new();
    // They belong to no operation, so nothing is selected.
    let context = Context::new(api, &operation, &steering, &introspection, 0);
    let entries: Vec<_> = members.iter().map(|(id, value)| (*id, Input::new(value))).collect();
    let stated = context.conjunction(&entries, FilterContext::default(), Location::default());
    let stated = stated.map_err(|error| match error {
        LowerError::Refused { message, .. } => message.into(),
        error => error.to_string(),
    })?;
    let mut filter = stated.ok_or("a condition on nodes states nothing")?;
    let observed = steering.into_structure().observations;
    if observed.iter().any(|observation| observation.aspect != Aspect::Present) {
        return Err("a claim stands where only a value can that is written down".to_owned());
    }
    claimed(&mut filter, &claims)?;
    Ok(filter)
}

/// Literals as values of an API.
struct Values<'a> {
    api: &'a Api,
    claim: &'a dyn Fn(&str) -> Box<str>,
    /// The claims in place of values, each in a slot of its own.
    claims: Vec<Box<str>>,
}

impl Values<'_> {
    /// Recursion is bounded by the parser of the definitions.
    fn value(&mut self, r#type: TypeRef, said: &Literal) -> Result<Value, String> {
        match said {
            Literal::Null => Ok(Value::Null),
            Literal::String(text) if text.starts_with(CONTEXT) => {
                Err(format!("{text:?} needs a program in JavaScript, and none runs here"))
            }
            Literal::String(text) if text.starts_with(CLAIM) => self.claim(r#type, text),
            Literal::List(items) => {
                let item = r#type.item().ok_or("a list stands where no list can")?;
                if items.iter().any(is_claim) {
                    let message = "a claim stands in a list: let the claim be the list itself, \
                                   or use `OR`";
                    return Err(message.to_owned());
                }
                let items = items.iter().map(|said| self.value(item, said));
                Ok(Value::List(items.collect::<Result<_, _>>()?))
            }
            _ => match r#type.item() {
                Some(item) => Ok(Value::List(vec![self.value(item, said)?])),
                None => self.named(r#type, said),
            },
        }
    }

    fn claim(&mut self, r#type: TypeRef, text: &str) -> Result<Value, String> {
        let name = text.strip_prefix(CLAIM).and_then(|rest| rest.strip_prefix('.'));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Err(format!("{text:?} is no claim: write \"$jwt.name\""));
        };
        if matches!(self.api.schema[r#type.base].kind, TypeKind::InputObject { .. }) {
            return Err(format!("{text:?} stands where an object is wanted"));
        }
        let slot = u16::try_from(self.claims.len()).map_err(|_| "it has too many claims")?;
        self.claims.push((self.claim)(name));
        Ok(Value::Variable(Slot(slot)))
    }

    fn named(&mut self, r#type: TypeRef, said: &Literal) -> Result<Value, String> {
        let schema = &self.api.schema;
        let base = &schema[r#type.base];
        let unfit = || format!("{said:?} is no {}", base.name);
        match (&base.kind, said) {
            (TypeKind::Scalar, said) => scalar(&base.name, said).ok_or_else(unfit),
            (TypeKind::Enum { .. }, Literal::Enum(name)) => {
                schema.find_enum_value(r#type.base, name).map(Value::Enum).ok_or_else(unfit)
            }
            (TypeKind::InputObject { .. }, Literal::Object(members)) => {
                let mut values = Vec::with_capacity(members.len());
                for (name, said) in members {
                    let id = schema
                        .find_input_field(r#type.base, name)
                        .ok_or_else(|| format!("`{}` has no `{name}`", base.name))?;
                    values.push((id, self.value(schema[id].r#type, said)?));
                }
                Ok(Value::Object(values))
            }
            _ => Err(unfit()),
        }
    }
}

fn is_claim(said: &Literal) -> bool {
    matches!(said, Literal::String(text) if text.starts_with(CLAIM))
}

/// A value of a scalar; one of a custom scalar is unchanged.
fn scalar(name: &str, said: &Literal) -> Option<Value> {
    let int = |digits: &str| match digits.parse() {
        Ok(number) => Value::Int(number),
        Err(_) => Value::Number(digits.into()),
    };
    Some(match (name, said) {
        ("ID", Literal::Int(digits)) => Value::String((**digits).into()),
        ("String" | "ID", Literal::String(text)) => Value::String((**text).into()),
        ("Boolean", Literal::Boolean(value)) => Value::Boolean(*value),
        ("Int" | "Float", Literal::Int(digits)) => int(digits),
        ("Float", Literal::Float(text)) => Value::Number((**text).into()),
        ("String" | "ID" | "Boolean" | "Int" | "Float", _) => return None,
        (_, Literal::String(text)) => Value::String((**text).into()),
        (_, Literal::Boolean(value)) => Value::Boolean(*value),
        (_, Literal::Int(digits)) => int(digits),
        (_, Literal::Float(text)) => Value::Number((**text).into()),
        (_, Literal::Null | Literal::Enum(_) | Literal::List(_) | Literal::Object(_)) => {
            return None;
        }
    })
}

/// Replaces the variables in place of claims by the claims.
fn claimed(filter: &mut Filter, claims: &[Box<str>]) -> Result<(), String> {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter_mut().try_for_each(|filter| claimed(filter, claims))
        }
        Filter::Not(filter) | Filter::Except(filter) | Filter::Required(filter) => {
            claimed(filter, claims)
        }
        Filter::Barrier { first, then } => {
            claimed(first, claims)?;
            claimed(then, claims)
        }
        Filter::Compare { place, comparison: Comparison::In, operand }
            if claim_elements(operand).is_some() =>
        {
            let place = place.clone();
            let elements = claim_elements(operand).unwrap_or_default();
            let equals = elements.into_iter().map(|operand| Filter::Compare {
                place: place.clone(),
                comparison: Comparison::Equal,
                operand,
            });
            *filter = Filter::Or(equals.collect());
            claimed(filter, claims)
        }
        Filter::Compare { place, operand, .. }
        | Filter::CompareText { place, operand, .. }
        | Filter::AnyElement { place, operand, .. }
        | Filter::Text { place, operand, .. }
        | Filter::Geo { place, operand, .. } => {
            require_stored(place)?;
            claim_for(operand, claims)
        }
        Filter::ElementBetween { place, least, most } => {
            require_stored(place)?;
            claim_for(least, claims)?;
            claim_for(most, claims)
        }
        Filter::IsNull(_) | Filter::CompareValues { .. } => Ok(()),
        Filter::Exists { filter, .. } => claimed(filter, claims),
        Filter::Nearest(_) => Err("the nearest vectors cannot be asked for here".to_owned()),
        Filter::FunctionRows { .. } => Err("functions cannot be called here".to_owned()),
        Filter::Relation { filter, .. } => claimed(filter, claims),
        Filter::RelatedGroup { filter, having, .. } => {
            claimed(filter, claims)?;
            claimed(having, claims)
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants.iter_mut().try_for_each(|variant| claimed(&mut variant.filter, claims))?;
            claimed(having, claims)
        }
    }
}

/// Refuses the value of a function with arguments: there is no syntax for them.
fn require_stored(place: &ValueRef) -> Result<(), String> {
    let is_called = match place.stored() {
        ValueRef::Computed(call) => !call.arguments.is_empty(),
        place => matches!(place, ValueRef::If { .. }),
    };
    match is_called {
        true => Err("a value that is computed cannot be asked for here".to_owned()),
        false => Ok(()),
    }
}

/// The elements of a list with variables, each with the form of its element.
fn claim_elements(operand: &Operand) -> Option<Vec<Operand>> {
    match operand {
        Operand::List(items) => Some(items.clone()),
        Operand::Formed { operand, form } => {
            let ValueForm::List(form) = &**form else { return None };
            let Operand::List(items) = &**operand else { return None };
            let formed = |item: &Operand| Operand::Formed {
                operand: Box::new(item.clone()),
                form: Arc::clone(form),
            };
            Some(items.iter().map(formed).collect())
        }
        _ => None,
    }
}

fn claim_for(operand: &mut Operand, claims: &[Box<str>]) -> Result<(), String> {
    match operand {
        Operand::Variable { slot, path } if path.is_empty() => {
            let claim = claims.get(usize::from(slot.0)).ok_or("a claim that nobody named")?;
            *operand = Operand::Claim(claim.clone());
            Ok(())
        }
        Operand::Constant(_) => Ok(()),
        Operand::Formed { operand, .. } => claim_for(operand, claims),
        _ => Err("a claim stands within a value that has parts".to_owned()),
    }
}
