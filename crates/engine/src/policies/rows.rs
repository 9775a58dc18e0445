//! Resolves the conditions of a rule: names of columns and of relationships.

use access::Condition;
use catalog::EntityId;
use ir::{Case, Filter, Hop, HopDirection, ValueRef};

use super::constants::misfit;
use super::file::{self, OperandValue, Test};
use super::problem::PolicyProblems;
use super::resolve::{Resolver, operand};

impl Resolver<'_> {
    pub(super) fn condition(
        &mut self,
        entity: EntityId,
        condition: &file::Condition,
    ) -> Result<Condition, PolicyProblems> {
        Ok(match condition {
            file::Condition::All(all) => Condition::All(self.conditions(entity, all)?),
            file::Condition::Any(any) => Condition::Any(self.conditions(entity, any)?),
            file::Condition::Not(not) => Condition::Not(Box::new(self.condition(entity, not)?)),
            file::Condition::Column { name, test } => {
                let field = self.field(entity, name)?;
                let place = ValueRef::field(field);
                if let Test::Compare(_, OperandValue::Value(value)) = test
                    && let Some(wanted) = misfit(self.catalog, field, value)
                {
                    let message = format!(
                        "`{name}` is compared with a value that it cannot have: {wanted} is needed"
                    );
                    return self.wrong(message);
                }
                Condition::Row(match test {
                    Test::Compare(comparison, value) => {
                        Filter::Compare { place, comparison: *comparison, operand: operand(value) }
                    }
                    Test::Text(r#match, value) => {
                        let (r#match, case) = (*r#match, Case::Exact);
                        Filter::Text { place, r#match, case, operand: operand(value) }
                    }
                    Test::IsNull(true) => Filter::IsNull(place),
                    Test::IsNull(false) => Filter::Not(Box::new(Filter::IsNull(place))),
                })
            }
            file::Condition::Related { relationship, quantifier, condition } => {
                let (hop, far) = self.hop(entity, relationship)?;
                let condition = Box::new(self.condition(far, condition)?);
                Condition::Related { hop, quantifier: *quantifier, condition }
            }
        })
    }

    fn conditions(
        &mut self,
        entity: EntityId,
        conditions: &[file::Condition],
    ) -> Result<Vec<Condition>, PolicyProblems> {
        PolicyProblems::all(conditions.iter().map(|condition| self.condition(entity, condition)))
    }

    /// The relationship to a table of a name: `post`, or `post(author_id)` by the columns of the
    /// foreign key, where there are several; a prefix `->` or `<-` gives the direction of a
    /// relationship from a table to itself.
    fn hop(&self, entity: EntityId, text: &str) -> Result<(Hop, EntityId), PolicyProblems> {
        let (required, name) = match (text.strip_prefix("->"), text.strip_prefix("<-")) {
            (Some(name), _) => (Some(HopDirection::Forward), name.trim()),
            (None, Some(name)) => (Some(HopDirection::Backward), name.trim()),
            (None, None) => (None, text),
        };
        let mut found = Vec::new();
        for relationship in self.catalog.relationships() {
            let columns: Vec<&str> =
                relationship.from_fields.iter().map(|field| &*self.catalog[*field].name).collect();
            let columns = columns.join(",");
            let ways = [
                (HopDirection::Forward, relationship.from, relationship.to),
                (HopDirection::Backward, relationship.to, relationship.from),
            ];
            for (direction, near, far) in ways {
                let is_candidate = required.is_none_or(|required| required == direction);
                if near != entity || !is_candidate || relationship.edge.is_some() {
                    continue;
                }
                let names =
                    [self.catalog.qualified_name(far), self.catalog[far].name.clone().into()];
                let is_named = names.iter().any(|far| {
                    name == far || name.replace(", ", ",") == format!("{far}({columns})")
                });
                if is_named {
                    let hop = Hop { relationship: relationship.id, direction };
                    let arrow = match direction {
                        _ if relationship.from != relationship.to => "",
                        HopDirection::Forward => "->",
                        HopDirection::Backward => "<-",
                    };
                    found.push((hop, far, format!("{arrow}{}({columns})", names[1])));
                }
            }
        }
        let from = self.catalog.qualified_name(entity);
        match found.as_slice() {
            [(hop, far, _)] => Ok((*hop, *far)),
            [] => self.wrong(format!("no relationship leads from `{from}` to `{text}`")),
            [(_, _, one), ..] => {
                let message = format!(
                    "several relationships lead from `{from}` to `{text}`: say which, such as `\"{one}\"`"
                );
                self.wrong(message)
            }
        }
    }
}
