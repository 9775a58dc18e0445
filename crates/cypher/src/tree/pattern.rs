//! What is looked for, or made: nodes and the relationships between them.

use super::{Expression, Name, Variable};

/// A node, and steps that lead on from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub start: NodePattern,
    pub steps: Vec<Step>,
}

/// A relationship, and the node on its other side.
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

/// Alternatives, each of labels that a node has all; none where any node will do.
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

/// Which way a relationship leads, seen from the node before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationshipDirection {
    /// Away from it.
    Right,
    /// To it.
    Left,
    Either,
}

impl Path {
    /// A node by itself.
    #[must_use]
    pub fn node(node: NodePattern) -> Self {
        Self { start: node, steps: Vec::new() }
    }

    /// The way from a node that is there to another one.
    #[must_use]
    pub fn along(from: Variable, relationship: RelationshipPattern, node: NodePattern) -> Self {
        Self { start: NodePattern::known(from), steps: vec![Step { relationship, node }] }
    }
}

impl NodePattern {
    /// A node that is there already.
    #[must_use]
    pub fn known(variable: Variable) -> Self {
        Self { variable: Some(variable), ..Self::default() }
    }
}

impl Labels {
    /// Labels that a node has all.
    #[must_use]
    pub fn all(labels: Vec<Name>) -> Self {
        Self(vec![labels])
    }
}
