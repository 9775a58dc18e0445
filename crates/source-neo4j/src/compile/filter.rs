//! Conditions. Their three values are those of the server, where a comparison with null is
//! unknown too.

use catalog::{Scalar, Type};
use cypher::{Expression, Function, Operation};
use ir::{Case, Comparison, Filter, GeoOperator, Operand, PathItem, TextMatch, Value, ValueRef};
use source::CompileError;

use super::super::program::ParameterType;
use super::parameter::{element_of, list_of};
use super::place::Scope;
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    pub(super) fn filter(
        &self,
        filter: &Filter,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        Ok(match filter {
            Filter::And(filters) => Expression::condition(self.filters(filters, scope, statement)?)
                .unwrap_or(Expression::And(Vec::new())),
            Filter::Or(filters) => Expression::Or(self.filters(filters, scope, statement)?),
            Filter::Not(filter) => {
                Expression::Not(Box::new(self.filter(filter, scope, statement)?))
            }
            Filter::Except(filter) => {
                let passes = self.filter(filter, scope, statement)?;
                let known =
                    Expression::call(Function::Coalesce, vec![passes, Expression::Boolean(false)]);
                Expression::Not(Box::new(known))
            }
            Filter::IsNull(place) => {
                Expression::IsNull(Box::new(self.value_of(place, scope, statement)?.1))
            }
            Filter::Compare { place, comparison, operand } => {
                let (field, value) = self.compared_place(place, scope, statement)?;
                let r#type = self.field_type(field)?;
                self.compared(value, r#type, *comparison, operand, statement)?
            }
            Filter::CompareText { place, comparison, case, operand } => {
                let (_, value) = self.compared_place(place, scope, statement)?;
                match case {
                    Case::AsTyped | Case::Exact => {
                        self.compared(value, ParameterType::Text, *comparison, operand, statement)?
                    }
                    Case::Ignored => folded(value, *comparison, operand, statement)?,
                }
            }
            Filter::Text { place, r#match, case, operand } => {
                let (_, value) = self.compared_place(place, scope, statement)?;
                matched(value, *r#match, *case, operand, statement)?
            }
            Filter::AnyElement { place, comparison, operand } => {
                let (field, list) = self.compared_place(place, scope, statement)?;
                let r#type = element_of(self.field_type(field)?)?;
                self.any_element(list, r#type, *comparison, operand, statement)?
            }
            Filter::ElementBetween { .. } => {
                return Err(CompileError::not_built("an element between two values"));
            }
            Filter::CompareValues { .. } => {
                return Err(CompileError::not_built("a comparison of two values of rows"));
            }
            Filter::Exists { .. } => {
                return Err(CompileError::not_built("rows that are not related"));
            }
            Filter::Nearest(_) => return Err(CompileError::not_built("the nearest vectors")),
            Filter::Geo {
                operator:
                    GeoOperator::Near
                    | GeoOperator::Within
                    | GeoOperator::Contains
                    | GeoOperator::Intersects
                    | GeoOperator::Spatial(_),
                ..
            } => return Err(CompileError::not_built("a condition on an area")),
            Filter::Geo { place, operator: GeoOperator::Distance(comparison), operand } => {
                self.distance(place, *comparison, operand, scope, statement)?
            }
            Filter::FunctionRows { .. } => {
                return Err(CompileError::not_built("rows of a function"));
            }
            Filter::Relation { hop, quantifier, filter } => {
                self.related(*hop, *quantifier, filter, scope, statement)?
            }
            Filter::RelatedGroup { hop, filter, having, once } => {
                self.related_group((*hop, filter, *once), having, scope, statement)?
            }
            Filter::VariantGroup { variants, having, once } => {
                self.variant_group((variants, *once), having, scope, statement)?
            }
            Filter::Barrier { first, then } => self.barrier(first, then, scope, statement)?,
            Filter::Required(_) => return Err(refused("a required condition in this place")),
        })
    }

    fn filters(
        &self,
        filters: &[Filter],
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Vec<Expression>, CompileError> {
        filters.iter().map(|filter| self.filter(filter, scope, statement)).collect()
    }

    /// A value of a type beside an operand of the same.
    pub(super) fn compared(
        &self,
        value: Expression,
        r#type: ParameterType,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let is_duration = r#type == ParameterType::Duration;
        let comparison = match comparison {
            Comparison::In | Comparison::NotIn => {
                let list = statement.parameter(operand.clone(), list_of(r#type));
                let within = value.compare(cypher::Comparison::In, list);
                return Ok(match comparison {
                    Comparison::NotIn => Expression::Not(Box::new(within)),
                    _ => within,
                });
            }
            _ => plain(comparison)?,
        };
        let operand = statement.parameter(operand.clone(), r#type);
        let is_equality =
            matches!(comparison, cypher::Comparison::Equal | cypher::Comparison::NotEqual);
        Ok(match is_duration && !is_equality {
            // Months have no length: durations are in an order only from a moment on.
            true => from_now(value).compare(comparison, from_now(operand)),
            false => value.compare(comparison, operand),
        })
    }

    /// Whether any element of a list fulfils the comparison.
    pub(super) fn any_element(
        &self,
        list: Expression,
        r#type: ParameterType,
        comparison: Comparison,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if comparison == Comparison::Equal {
            let element = statement.parameter(operand.clone(), r#type);
            return Ok(element.compare(cypher::Comparison::In, list));
        }
        let variable = statement.item();
        let element = Expression::Variable(variable);
        let filter = self.compared(element, r#type, comparison, operand, statement)?;
        Ok(Expression::Any { variable, list: Box::new(list), filter: Box::new(filter) })
    }

    /// The distance between two points.
    fn distance(
        &self,
        place: &ValueRef,
        comparison: Comparison,
        operand: &Operand,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let (field, value) = self.value_of(place, scope, statement)?;
        let r#type = match self.catalog.base_type(&self.catalog[field].r#type) {
            Type::Scalar(Scalar::GeographicPoint) => ParameterType::GeographicPoint,
            Type::Scalar(Scalar::CartesianPoint) => ParameterType::CartesianPoint,
            _ => return Err(refused("the distance of what is no point")),
        };
        let (from, distance) = (member(operand, "point")?, member(operand, "distance")?);
        let from = statement.parameter(from, r#type);
        let distance = statement.parameter(distance, ParameterType::Float);
        Ok(Expression::call(Function::Distance, vec![value, from])
            .compare(plain(comparison)?, distance))
    }
}

/// The comparisons that the server has.
fn plain(comparison: Comparison) -> Result<cypher::Comparison, CompileError> {
    Ok(match comparison {
        Comparison::Equal => cypher::Comparison::Equal,
        Comparison::NotEqual => cypher::Comparison::NotEqual,
        Comparison::Less => cypher::Comparison::Less,
        Comparison::LessOrEqual => cypher::Comparison::LessOrEqual,
        Comparison::Greater => cypher::Comparison::Greater,
        Comparison::GreaterOrEqual => cypher::Comparison::GreaterOrEqual,
        Comparison::In => cypher::Comparison::In,
        Comparison::NotIn
        | Comparison::DistinctFrom
        | Comparison::NotDistinctFrom
        | Comparison::Contains
        | Comparison::ContainedBy
        | Comparison::ContainsMore
        | Comparison::ContainedByMore
        | Comparison::ContainsElement
        | Comparison::Overlaps
        | Comparison::LeftOf
        | Comparison::RightOf
        | Comparison::NotRightOf
        | Comparison::NotLeftOf
        | Comparison::Adjacent
        | Comparison::HasKey
        | Comparison::HasAnyKey
        | Comparison::HasAllKeys
        | Comparison::PathExists
        | Comparison::PathIsTrue
        | Comparison::Tree(_) => return Err(refused("this comparison")),
    })
}

/// A text compared without regard to case.
fn folded(
    value: Expression,
    comparison: Comparison,
    operand: &Operand,
    statement: &mut Statement,
) -> Result<Expression, CompileError> {
    let value = lower(value);
    if let Comparison::In | Comparison::NotIn = comparison {
        let list = statement.parameter(operand.clone(), list_of(ParameterType::Text));
        let variable = statement.item();
        let list = Expression::ListComprehension {
            variable,
            list: Box::new(list),
            filter: None,
            value: Some(Box::new(lower(Expression::Variable(variable)))),
        };
        let within = value.compare(cypher::Comparison::In, list);
        return Ok(match comparison {
            Comparison::NotIn => Expression::Not(Box::new(within)),
            _ => within,
        });
    }
    let operand = statement.parameter(operand.clone(), ParameterType::Text);
    Ok(value.compare(plain(comparison)?, lower(operand)))
}

fn matched(
    value: Expression,
    r#match: TextMatch,
    case: Case,
    operand: &Operand,
    statement: &mut Statement,
) -> Result<Expression, CompileError> {
    let comparison = match r#match {
        TextMatch::Includes => cypher::Comparison::Contains,
        TextMatch::StartsWith => cypher::Comparison::StartsWith,
        TextMatch::EndsWith => cypher::Comparison::EndsWith,
        TextMatch::Regex => cypher::Comparison::Matches,
        TextMatch::Like
        | TextMatch::Similar
        | TextMatch::Re2
        | TextMatch::AllTerms
        | TextMatch::AnyTerm
        | TextMatch::AllStems
        | TextMatch::AnyStem
        | TextMatch::AnyStemSequence => {
            return Err(refused("this text filter"));
        }
    };
    let operand = statement.parameter(operand.clone(), ParameterType::Text);
    Ok(match case {
        Case::AsTyped | Case::Exact => value.compare(comparison, operand),
        Case::Ignored => lower(value).compare(comparison, lower(operand)),
    })
}

fn lower(text: Expression) -> Expression {
    Expression::call(Function::ToLower, vec![text])
}

/// The moment that a duration leads to.
fn from_now(duration: Expression) -> Expression {
    Expression::call(Function::DateTime, Vec::new()).compute(Operation::Add, duration)
}

/// A member of an object, which is one value of the request.
fn member(object: &Operand, name: &str) -> Result<Operand, CompileError> {
    let missing = || refused("an object without its members");
    match object {
        Operand::Variable { slot, path } => {
            let mut path = path.clone();
            path.push(PathItem::Key(name.into()));
            Ok(Operand::Variable { slot: *slot, path })
        }
        Operand::Object(members) => {
            let member = members.iter().find(|(known, _)| &**known == name);
            member.map(|(_, member)| member.clone()).ok_or_else(missing)
        }
        Operand::Constant(Value::Object(members)) => {
            let member = members.iter().find(|(known, _)| &**known == name);
            member.map(|(_, value)| Operand::Constant(value.clone())).ok_or_else(missing)
        }
        _ => Err(missing()),
    }
}
