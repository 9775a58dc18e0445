//! Rules of `@auth` as restrictions of the rows of each type.
//!
//! The rows that a query finds pass its rule. A rule whose variables are no claims of the token, or
//! claims of another type, passes no row, and neither does its opposite.

use std::collections::BTreeMap;

use access::{
    Action, ClaimCondition, ClaimTest, ClaimType, Condition, Constant, Restriction, RowRule, Target,
};
use api::Api;
use catalog::EntityId;
use graphql::Validator;
use graphql::schema::{Schema, TypeKind, TypeRef};
use ir::Filter;
use lowering::rule::rows;
use serde_json_bytes::Value as Json;

use crate::located::Located;
use crate::model::{self, ClaimValue, Model, Rule, Type};

/// The actions that read rows.
const READS: [Action; 3] = [Action::Read, Action::ReadChanged, Action::Aggregate];

/// A mistake in a rule, by its line and column. Types have the rules of their interfaces, too, so a mistake
/// may be found again.
type Mistakes = BTreeMap<(usize, usize), String>;

/// The restrictions of all types, or the rules that the API cannot answer, each on a line.
pub(super) fn restrictions(
    model: &Model,
    located: &Located,
    api: &Api,
) -> Result<Vec<Restriction>, String> {
    let mut restrictions = Vec::new();
    let mut mistakes = Mistakes::new();
    let mut validator = None;
    for (r#type, located) in model.types.iter().zip(&located.types) {
        let auth = &r#type.auth;
        let rules = [&auth.query, &auth.add, &auth.update, &auth.delete, &auth.password];
        let (Some(rows), true) = (located.rows, rules.into_iter().any(Option::is_some)) else {
            continue;
        };
        let validator = validator.get_or_insert_with(|| Validator::new(&api.schema));
        let mistakes = &mut mistakes;
        let mut lowering = Lowering { api, validator, entity: rows.entity, r#type, mistakes };
        let mut rule = |rule: &Option<Rule>, actions: &[Action]| {
            let condition = lowering.condition(rule.as_ref()?, false)?;
            Some(row_rule(actions, condition))
        };
        let filters = [
            rule(&auth.query, &READS),
            rule(&auth.update, &[Action::Update]),
            rule(&auth.delete, &[Action::Delete]),
            rule(&auth.password, &[Action::CheckPassword]),
        ];
        restrictions.push(Restriction {
            place: Target::Entity(rows.entity),
            authentication: None,
            filters: filters.into_iter().flatten().collect(),
            validations: rule(&auth.add, &[Action::Create]).into_iter().collect(),
        });
    }
    if mistakes.is_empty() {
        return Ok(restrictions);
    }
    let lines = mistakes
        .into_iter()
        .map(|((line, column), mistake)| format!("line {line}, column {column}: {mistake}"));
    Err(lines.collect::<Vec<_>>().join("\n"))
}

fn row_rule(actions: &[Action], condition: Condition) -> RowRule {
    RowRule {
        actions: actions.to_vec(),
        before: false,
        after: true,
        requires_authentication: false,
        in_conditions: true,
        condition,
    }
}

/// The context in which the rules of a type become conditions.
struct Lowering<'a> {
    api: &'a Api,
    validator: &'a Validator,
    entity: EntityId,
    r#type: &'a Type,
    mistakes: &'a mut Mistakes,
}

impl Lowering<'_> {
    /// The condition of a rule, or of its opposite; `None` if a mistake was found. Recursion is bounded by
    /// the parser.
    fn condition(&mut self, rule: &Rule, is_opposite: bool) -> Option<Condition> {
        Some(match rule {
            Rule::And(rules) | Rule::Or(rules) => {
                // All are read for their mistakes.
                let each = rules.iter().map(|rule| self.condition(rule, is_opposite));
                let each: Vec<Option<Condition>> = each.collect();
                let each = each.into_iter().collect::<Option<_>>()?;
                match matches!(rule, Rule::And(_)) == is_opposite {
                    true => Condition::Any(each),
                    false => Condition::All(each),
                }
            }
            Rule::Not(rule) => self.condition(rule, !is_opposite)?,
            Rule::Claim(rule) => {
                let claim = claim(&rule.claim, &rule.condition);
                Condition::Claims(match is_opposite {
                    true => ClaimCondition::Not(Box::new(claim)),
                    false => claim,
                })
            }
            Rule::Query { document, place } => match self.found(document, is_opposite) {
                Ok(condition) => condition,
                Err(mistake) => {
                    let name = &self.r#type.name;
                    let mistake = || format!("`@auth` of `{name}`: {mistake}");
                    self.mistakes.entry(*place).or_insert_with(mistake);
                    return None;
                }
            },
        })
    }

    fn found(&self, document: &str, is_opposite: bool) -> Result<Condition, String> {
        let found = rows::rows(self.api, self.validator, document, &|name| name.into())?;
        let filter = found.filters.into_iter().find(|(entity, _)| *entity == self.entity);
        let (_, filter) =
            filter.ok_or_else(|| format!("the rule finds no rows of `{}`", self.r#type.name))?;
        let of_type = |(claim, r#type): (Box<str>, TypeRef)| ClaimCondition::OfType {
            claim,
            r#type: claim_type(&self.api.schema, r#type),
        };
        let variables = found.variables.into_iter().map(of_type).collect();
        Ok(Condition::All(vec![
            Condition::Claims(ClaimCondition::All(variables)),
            Condition::Row(match is_opposite {
                true => Filter::Except(Box::new(filter)),
                false => filter,
            }),
        ]))
    }
}

/// The type of the claim for a variable.
fn claim_type(schema: &Schema, r#type: TypeRef) -> ClaimType {
    if let Some(item) = r#type.item() {
        return ClaimType::List(Box::new(claim_type(schema, item)));
    }
    let base = &schema[r#type.base];
    match (&base.kind, &*base.name) {
        (_, "Int" | "Int64") => ClaimType::Integer,
        (_, "Float") => ClaimType::Number,
        (_, "Boolean") => ClaimType::Boolean,
        (TypeKind::Scalar | TypeKind::Enum { .. }, _) => ClaimType::Text,
        _ => ClaimType::Any,
    }
}

/// A claim passes if it is the value, or has it as an element.
fn claim(claim: &str, condition: &model::ClaimCondition) -> ClaimCondition {
    match condition {
        model::ClaimCondition::Equal(value) => equal(claim, value),
        model::ClaimCondition::In(values) => {
            ClaimCondition::Any(values.iter().map(|value| equal(claim, value)).collect())
        }
        model::ClaimCondition::Matches(pattern) => {
            ClaimCondition::Matches { claim: claim.into(), pattern: pattern.clone() }
        }
    }
}

fn equal(claim: &str, value: &ClaimValue) -> ClaimCondition {
    let constant = match value {
        ClaimValue::Text(text) => Constant::Text((**text).into()),
        ClaimValue::Integer(value) => Constant::Integer(*value),
        ClaimValue::Float(value) => Constant::Float(value.to_string().into()),
        ClaimValue::Boolean(value) => Constant::Boolean(*value),
        ClaimValue::Object(json) => {
            let value = serde_json::from_str::<Json>(json).unwrap_or_default();
            return ClaimCondition::Is { claim: claim.into(), value };
        }
    };
    let test = |test| ClaimCondition::Test { claim: claim.into(), test, value: constant.clone() };
    ClaimCondition::Any(vec![test(ClaimTest::Equal), test(ClaimTest::Includes)])
}
