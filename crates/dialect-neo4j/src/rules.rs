//! Access rules of type definitions in the terms of a catalog, with their conditions as filters.
//!
//! * [`wanted`]: conditions of `@auth`

mod wanted;

use access::{Condition, Restriction, RootType, RowRule, Target};
use graphql::definitions::Literal;
use lowering::rule;

use crate::model::rules::{WrittenNode, WrittenPlace, WrittenRestriction};
use crate::model::{FieldKind, Model, Placed, PlacedField};
use crate::v7::conditions_name;
use api::Api;

/// The restrictions of a model, with their conditions as filters.
pub(super) fn restrictions(
    model: &Model,
    placed: &Placed,
    api: &Api,
) -> Result<Vec<Restriction>, String> {
    let restriction = |written: &WrittenRestriction| {
        let (node, line) = match written.place {
            WrittenPlace::Schema | WrittenPlace::Root(_) | WrittenPlace::RootField { .. } => {
                (None, 0)
            }
            WrittenPlace::Node { node, line } | WrittenPlace::Field { node, line, .. } => {
                (Some(node), line)
            }
        };
        let name = node.and_then(|node| model.nodes.get(node)).map_or("", |node| &*node.name);
        let wrong = |message: String| format!("line {line}: {name}: {message}");
        let place = place(model, placed, written.place)
            .ok_or_else(|| wrong("a rule stands at a field that holds no value".to_owned()))?;
        let context = Lowering { model, placed, api, node, name };
        let rules = |rules: &[RowRule<WrittenNode>]| -> Result<Vec<RowRule>, String> {
            let rules = rules.iter().map(|rule| context.rule(rule));
            rules.collect::<Result<_, String>>().map_err(wrong)
        };
        Ok(Restriction {
            place,
            authentication: written.authentication.clone(),
            filters: rules(&written.filters)?,
            validations: rules(&written.validations)?,
        })
    };
    model.restrictions.iter().map(restriction).collect()
}

fn place(model: &Model, placed: &Placed, written: WrittenPlace) -> Option<Target> {
    match written {
        WrittenPlace::Schema => Some(Target::Everything),
        WrittenPlace::Root(root) => Some(Target::Root(root)),
        WrittenPlace::RootField { root, field } => {
            let placed = match root {
                RootType::Query => &placed.queries,
                RootType::Mutation => &placed.mutations,
            };
            Some(Target::Function(placed.get(field)?.function))
        }
        WrittenPlace::Node { node, .. } => Some(Target::Entity(placed.nodes.get(node)?.entity)),
        WrittenPlace::Field { node, field, .. } => {
            let written = model.nodes.get(node)?.fields.get(field)?;
            match (&written.kind, placed.nodes.get(node)?.fields.get(field)?) {
                (FieldKind::Property(_), PlacedField::Property(field)) => {
                    Some(Target::Field(*field))
                }
                (FieldKind::Statement(_), PlacedField::Statement(placed)) => {
                    Some(Target::Function(placed.function))
                }
                (
                    FieldKind::Property(_)
                    | FieldKind::Relationship(_)
                    | FieldKind::Statement(_)
                    | FieldKind::Part(_),
                    _,
                ) => None,
            }
        }
    }
}

/// The context in which conditions are resolved.
struct Lowering<'a> {
    model: &'a Model,
    placed: &'a Placed,
    api: &'a Api,
    /// The node type, by its place; `None` for the schema.
    node: Option<usize>,
    name: &'a str,
}

impl Lowering<'_> {
    /// A condition in the words of an input of the API.
    fn lowered(&self, input: &str, said: &Literal) -> Result<Condition, String> {
        let path = |name: &str| self.model.claims.path(name);
        Ok(Condition::Row(rule::condition(self.api, input, said, &path)?))
    }

    fn rule(&self, rule: &RowRule<WrittenNode>) -> Result<RowRule, String> {
        Ok(RowRule {
            actions: rule.actions.clone(),
            before: rule.before,
            after: rule.after,
            requires_authentication: rule.requires_authentication,
            in_conditions: rule.in_conditions,
            condition: self.condition(&rule.condition)?,
        })
    }

    /// Recursion is bounded by the parser of the definitions.
    fn condition(&self, written: &Condition<WrittenNode>) -> Result<Condition, String> {
        let all = |all: &[Condition<WrittenNode>]| -> Result<Vec<Condition>, String> {
            all.iter().map(|one| self.condition(one)).collect()
        };
        Ok(match written {
            Condition::All(conditions) => Condition::All(all(conditions)?),
            Condition::Any(conditions) => Condition::Any(all(conditions)?),
            Condition::Not(one) => Condition::Not(Box::new(self.condition(one)?)),
            Condition::Claims(claims) => Condition::Claims(claims.clone()),
            // Type definitions write related rows within their filters.
            Condition::Related { .. } => return Err("a rule names what is not there".to_owned()),
            Condition::Row(WrittenNode::Words(said)) => {
                self.lowered(&[self.name, "Where"].concat(), said)?
            }
            Condition::Row(WrittenNode::OfEvents(said)) => {
                self.lowered(&conditions_name(self.name), said)?
            }
            Condition::Row(WrittenNode::Wanted(said)) => {
                let filter = self.node.and_then(|node| said.filter(self.model, self.placed, node));
                Condition::Row(filter.ok_or("a rule names what is not there")?)
            }
        })
    }
}
