//! What type definitions say of who may see and change what: `@authentication`, `@authorization`,
//! version 3's `@auth`, and the claims that they name.
//!
//! * [`wanted`]: conditions as `@auth` says them

pub mod wanted;

use std::sync::Arc;

use ::catalog::{EntityId, FieldId, FunctionId};
use graphql::definitions::Literal;
use ir::Filter;

use crate::model::{Constant, FieldKind, Model, Placed, PlacedField};
use api::Api;
use lowering::rule;
use wanted::Wanted;

/// What is done with nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Read,
    /// Reading nodes that a change gives back.
    ReadChanged,
    /// Reading nodes in an order by a field.
    Order,
    Aggregate,
    Create,
    Update,
    /// An update that says nothing of the node itself.
    UpdateAlong,
    Delete,
    CreateRelationship,
    /// What nodes have to pass before relationships are made from them, beside what is asked of
    /// the others.
    CreateRelationshipFrom,
    DeleteRelationship,
    /// Making a relationship to a node, which is made if it is not there.
    ConnectOrCreate,
}

impl Operation {
    /// Those that version 7 means where it names none. The others are version 3's, which asks at more
    /// places.
    pub const ALL: [Self; 8] = [
        Self::Read,
        Self::ReadChanged,
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
pub type WrittenGuard = Guard<WrittenPlace, WrittenNode>;

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

/// A condition on nodes as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenNode {
    /// In the words in which requests of the API say conditions.
    Words(Literal),
    /// In those of version 3's `@auth`.
    Wanted(Wanted),
}

/// Who may do something at all: who is known, and whose claims pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    pub operations: Vec<Operation>,
    /// Whether nobody may who is not known.
    pub is_authenticated: bool,
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
    /// Who asks is known.
    Known,
    /// There is such a claim, be it null.
    Has {
        claim: Box<str>,
    },
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
    pub(super) fn path(&self, said: &str) -> Box<str> {
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
