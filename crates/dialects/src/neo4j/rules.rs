//! What type definitions say of who may see and change what: `@authentication`, `@authorization`,
//! and the claims that they name.

use std::sync::Arc;

use ::catalog::{EntityId, FieldId, FunctionId};
use graphql::definitions::Literal;
use ir::Filter;

use super::model::{Constant, FieldKind, Model, Placed, PlacedField};
use crate::api::Api;
use crate::lower::rule;

/// What is done with nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Read,
    Aggregate,
    Create,
    Update,
    Delete,
    CreateRelationship,
    DeleteRelationship,
}

impl Operation {
    pub const ALL: [Self; 7] = [
        Self::Read,
        Self::Aggregate,
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::CreateRelationship,
        Self::DeleteRelationship,
    ];
}

/// What is said at one place: `P` is the place, `N` a condition on nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard<P, N> {
    pub place: P,
    pub authentication: Option<Authentication>,
    /// A node counts as absent unless one of those passes that are about what is done.
    pub filters: Vec<Rule<N>>,
    /// The same, but a node that does not pass ends what is done with an error.
    pub validations: Vec<Rule<N>>,
}

/// As it is written; each by its place in the model.
pub type WrittenGuard = Guard<WrittenPlace, Literal>;

/// In the terms of a catalog.
pub type PlacedGuard = Guard<GuardPlace, Filter>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPlace {
    Schema,
    Root(Root),
    /// A statement of the author's own, by its place among those of the root.
    RootField {
        root: Root,
        field: usize,
    },
    Node {
        node: usize,
        line: usize,
    },
    Field {
        node: usize,
        field: usize,
        line: usize,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardPlace {
    Everything,
    /// All root fields of a kind, whatever they ask.
    Root(Root),
    Entity(EntityId),
    Field(FieldId),
    /// What a statement gives, of a node or at a root.
    Function(FunctionId),
}

/// A root whose fields can be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    Query,
    Mutation,
}

/// Who may do something at all: who is known, and whose claims pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    pub operations: Vec<Operation>,
    pub claims: Option<ClaimCondition>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<N> {
    pub operations: Vec<Operation>,
    /// Of a validation, when a node has to pass.
    pub before: bool,
    pub after: bool,
    /// Whether it passes only for who is known.
    pub is_authenticated: bool,
    pub condition: Condition<N>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition<N> {
    All(Vec<Condition<N>>),
    Any(Vec<Condition<N>>),
    Not(Box<Condition<N>>),
    Node(N),
    Claims(ClaimCondition),
}

/// A condition on claims alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimCondition {
    All(Vec<ClaimCondition>),
    Any(Vec<ClaimCondition>),
    Not(Box<ClaimCondition>),
    /// A claim by the way to it. One that is missing passes nothing.
    Test {
        claim: Box<str>,
        test: ClaimTest,
        value: Constant,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimTest {
    Equal,
    In,
    /// A list has the value.
    Includes,
    Contains,
    StartsWith,
    EndsWith,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The claims of a token, by the names that definitions have for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimNames(pub Vec<(Arc<str>, Box<str>)>);

impl ClaimNames {
    /// The way to a claim that the definitions name.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| **known == *name).map(|(_, path)| &**path)
    }

    /// The way to any claim: one that is not named is as it is said.
    fn path(&self, said: &str) -> Box<str> {
        self.find(said).unwrap_or(said).into()
    }
}

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
        let rules = |rules: &[Rule<Literal>]| -> Result<Vec<Rule<Filter>>, String> {
            let rules = rules.iter().map(|rule| lowered(rule, name, api, &model.claims));
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
                    FieldKind::Property(_) | FieldKind::Relationship(_) | FieldKind::Statement(_),
                    _,
                ) => None,
            }
        }
    }
}

fn lowered(
    rule: &Rule<Literal>,
    node: &str,
    api: &Api,
    claims: &ClaimNames,
) -> Result<Rule<Filter>, String> {
    Ok(Rule {
        operations: rule.operations.clone(),
        before: rule.before,
        after: rule.after,
        is_authenticated: rule.is_authenticated,
        condition: condition(&rule.condition, node, api, claims)?,
    })
}

/// Recursion is bounded by the parser of the definitions.
fn condition(
    written: &Condition<Literal>,
    node: &str,
    api: &Api,
    claims: &ClaimNames,
) -> Result<Condition<Filter>, String> {
    let all = |all: &[Condition<Literal>]| -> Result<Vec<Condition<Filter>>, String> {
        all.iter().map(|one| condition(one, node, api, claims)).collect()
    };
    Ok(match written {
        Condition::All(conditions) => Condition::All(all(conditions)?),
        Condition::Any(conditions) => Condition::Any(all(conditions)?),
        Condition::Not(one) => Condition::Not(Box::new(condition(one, node, api, claims)?)),
        Condition::Claims(claims) => Condition::Claims(claims.clone()),
        Condition::Node(said) => {
            let input = [node, "Where"].concat();
            let path = |name: &str| claims.path(name);
            Condition::Node(rule::condition(api, &input, said, &path)?)
        }
    })
}
