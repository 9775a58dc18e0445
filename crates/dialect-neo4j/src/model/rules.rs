//! Access rules as type definitions say them: `@authentication`, `@authorization`, version 3's `@auth`,
//! and the claims that they name.

use std::sync::Arc;

use ::catalog::{EntityId, FieldId, FunctionId};
use graphql::definitions::Literal;
use ir::Filter;

use super::constant::Constant;
use super::wanted::Wanted;

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
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| **known == *name).map(|(_, path)| &**path)
    }

    /// The way to any claim: one that is not named is as it is said.
    pub(crate) fn path(&self, said: &str) -> Box<str> {
        self.find(said).unwrap_or(said).into()
    }
}
