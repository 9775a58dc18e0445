//! Access rules of type definitions in the terms of a catalog: their conditions become those of a
//! request.
//!
//! * [`wanted`]: conditions as `@auth` says them

mod wanted;

use ir::Filter;
use lowering::rule;

use crate::model::{FieldKind, Model, Placed, PlacedField};
use api::Api;

pub use crate::model::rules::{
    Authentication, ClaimCondition, ClaimNames, ClaimTest, Condition, Guard, GuardPlace, Operation,
    PlacedGuard, Root, Rule, WrittenGuard, WrittenNode, WrittenPlace,
};

/// The rules of a model, their conditions as those of a request.
pub(super) fn guards(
    model: &Model,
    placed: &Placed,
    api: &Api,
) -> Result<Vec<PlacedGuard>, String> {
    let guard = |written: &WrittenGuard| {
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
        let rules = |rules: &[Rule<WrittenNode>]| -> Result<Vec<Rule<Filter>>, String> {
            let rules = rules.iter().map(|rule| context.rule(rule));
            rules.collect::<Result<_, String>>().map_err(wrong)
        };
        Ok(Guard {
            place,
            authentication: written.authentication.clone(),
            filters: rules(&written.filters)?,
            validations: rules(&written.validations)?,
        })
    };
    model.guards.iter().map(guard).collect()
}

fn place(model: &Model, placed: &Placed, written: WrittenPlace) -> Option<GuardPlace> {
    match written {
        WrittenPlace::Schema => Some(GuardPlace::Everything),
        WrittenPlace::Root(root) => Some(GuardPlace::Root(root)),
        WrittenPlace::RootField { root, field } => {
            let placed = match root {
                Root::Query => &placed.queries,
                Root::Mutation => &placed.mutations,
            };
            Some(GuardPlace::Function(placed.get(field)?.function))
        }
        WrittenPlace::Node { node, .. } => Some(GuardPlace::Entity(placed.nodes.get(node)?.entity)),
        WrittenPlace::Field { node, field, .. } => {
            let written = model.nodes.get(node)?.fields.get(field)?;
            match (&written.kind, placed.nodes.get(node)?.fields.get(field)?) {
                (FieldKind::Property(_), PlacedField::Property(field)) => {
                    Some(GuardPlace::Field(*field))
                }
                (FieldKind::Statement(_), PlacedField::Statement(placed)) => {
                    Some(GuardPlace::Function(placed.function))
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

/// Of which type's nodes conditions are.
struct Lowering<'a> {
    model: &'a Model,
    placed: &'a Placed,
    api: &'a Api,
    /// By its place; none of the schema, which says none.
    node: Option<usize>,
    name: &'a str,
}

impl Lowering<'_> {
    fn rule(&self, rule: &Rule<WrittenNode>) -> Result<Rule<Filter>, String> {
        Ok(Rule {
            operations: rule.operations.clone(),
            before: rule.before,
            after: rule.after,
            is_authenticated: rule.is_authenticated,
            condition: self.condition(&rule.condition)?,
        })
    }

    /// Recursion is bounded by the parser of the definitions.
    fn condition(&self, written: &Condition<WrittenNode>) -> Result<Condition<Filter>, String> {
        let all = |all: &[Condition<WrittenNode>]| -> Result<Vec<Condition<Filter>>, String> {
            all.iter().map(|one| self.condition(one)).collect()
        };
        Ok(match written {
            Condition::All(conditions) => Condition::All(all(conditions)?),
            Condition::Any(conditions) => Condition::Any(all(conditions)?),
            Condition::Not(one) => Condition::Not(Box::new(self.condition(one)?)),
            Condition::Claims(claims) => Condition::Claims(claims.clone()),
            Condition::Node(WrittenNode::Words(said)) => {
                let input = [self.name, "Where"].concat();
                let path = |name: &str| self.model.claims.path(name);
                Condition::Node(rule::condition(self.api, &input, said, &path)?)
            }
            Condition::Node(WrittenNode::Wanted(said)) => {
                let filter = self.node.and_then(|node| said.filter(self.model, self.placed, node));
                Condition::Node(filter.ok_or("a rule names what is not there")?)
            }
        })
    }
}
