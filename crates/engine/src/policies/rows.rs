//! Which rows a rule means: its conditions, with the names of columns and of relationships.

use catalog::EntityId;
use ir::{Case, Filter, Hop, HopDirection, Place};

use super::super::condition::Condition;
use super::super::file::{self, Test};
use super::super::problem::PolicyProblems;
use super::resolve::Resolver;

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
                let place = Place::field(self.field(entity, name)?);
                let (filter, claim) = match test {
                    Test::Compare(comparison, said) => {
                        let (operand, claim) = self.said(said);
                        (Filter::Compare { place, comparison: *comparison, operand }, claim)
                    }
                    Test::Text(r#match, said) => {
                        let (operand, claim) = self.said(said);
                        let (r#match, case) = (*r#match, Case::Exact);
                        (Filter::Text { place, r#match, case, operand }, claim)
                    }
                    Test::IsNull(true) => (Filter::IsNull(place), None),
                    Test::IsNull(false) => (Filter::Not(Box::new(Filter::IsNull(place))), None),
                };
                Condition::Test { filter, claim }
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

    /// The relationship to a table of a name: `post`, or `post(author_id)` by the columns that
    /// refer, where there are several; `->` and `<-` before it say which way, from a table to itself.
    fn hop(&self, entity: EntityId, said: &str) -> Result<(Hop, EntityId), PolicyProblems> {
        let (wanted, name) = match (said.strip_prefix("->"), said.strip_prefix("<-")) {
            (Some(name), _) => (Some(HopDirection::Forward), name.trim()),
            (None, Some(name)) => (Some(HopDirection::Backward), name.trim()),
            (None, None) => (None, said),
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
                let is_wanted = wanted.is_none_or(|wanted| wanted == direction);
                if near != entity || !is_wanted || relationship.edge.is_some() {
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
            [] => self.wrong(format!("no relationship leads from `{from}` to `{said}`")),
            [(_, _, one), ..] => {
                let message = format!(
                    "several relationships lead from `{from}` to `{said}`: say which, such as `\"{one}\"`"
                );
                self.wrong(message)
            }
        }
    }
}
