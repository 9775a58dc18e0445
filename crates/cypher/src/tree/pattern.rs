//! Patterns to match or create: nodes and the relationships between them.

use super::{Expression, Name, Variable};

/// A node with steps to further nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub start: NodePattern,
    pub steps: Vec<Step>,
}

/// A relationship, and the node at its other end.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub relationship: RelationshipPattern,
    pub node: NodePattern,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodePattern {
    pub variable: Option<Variable>,
    pub labels: Labels,
    pub properties: Vec<(Name, Expression)>,
}

/// Alternatives, each a conjunction of labels; empty for any node.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Labels(pub Vec<Vec<Name>>);

/// A relationship.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationshipPattern {
    pub variable: Option<Variable>,
    pub r#type: Name,
    pub direction: RelationshipDirection,
    pub properties: Vec<(Name, Expression)>,
}

/// The direction of a relationship, seen from the node before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationshipDirection {
    /// Outgoing.
    Right,
    /// Incoming.
    Left,
    Either,
}

impl Path {
    /// A node by itself.
    #[must_use]
    pub fn node(node: NodePattern) -> Self {
        Self { start: node, steps: Vec::new() }
    }

    /// The path from a bound node to another one.
    #[must_use]
    pub fn along(from: Variable, relationship: RelationshipPattern, node: NodePattern) -> Self {
        Self { start: NodePattern::known(from), steps: vec![Step { relationship, node }] }
    }
}

impl NodePattern {
    /// A node that is bound already.
    #[must_use]
    pub fn known(variable: Variable) -> Self {
        Self { variable: Some(variable), ..Self::default() }
    }
}

impl Labels {
    /// A conjunction of labels.
    #[must_use]
    pub fn all(labels: Vec<Name>) -> Self {
        Self(vec![labels])
    }
}
