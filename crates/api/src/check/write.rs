//! Positions of changes.

use super::{Position, Reading, Scope, filter};
use crate::binding::{ArgumentRole, FilterRole, InputRole, SeveralRole, VariantRole, WriteRole};

const CONDITIONS: Reading = filter::ON_ROWS;

/// An input of a change of rows.
pub(super) fn of_rows(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(role) => match role {
            WriteRole::Inputs | WriteRole::Rows => Some(Reading::Members(Position::Change)),
            WriteRole::Nested(_) => Some(Reading::Members(Position::Nested)),
            WriteRole::Stored(_) | WriteRole::AtMost | WriteRole::ClientMutationId => {
                Some(Reading::Value)
            }
            WriteRole::NestedIn(_)
            | WriteRole::NestedWrites(_)
            | WriteRole::NestedWrite { .. }
            | WriteRole::Several(_)
            | WriteRole::NestedNode
            | WriteRole::NestedEdge
            | WriteRole::NestedKey
            | WriteRole::Overwrite { .. }
            | WriteRole::FurtherWrites
            | WriteRole::Assign { .. }
            | WriteRole::Assigns { .. }
            | WriteRole::AssignBy(_) => None,
        },
        InputRole::Filter(FilterRole::Equal(_))
        | InputRole::Argument(ArgumentRole::NodeId | ArgumentRole::Call(_)) => Some(Reading::Value),
        InputRole::Filter(FilterRole::Conditions) => Some(CONDITIONS),
        _ => None,
    }
}

/// A verb along a relationship of a row.
pub(super) fn nested(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::NestedIn(_)) => Some(Reading::Members(Position::Change)),
        _ => None,
    }
}

/// An argument of a field that creates nodes.
pub(super) fn of_new_nodes(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Rows) => Some(Reading::Members(Position::Nodes)),
        _ => None,
    }
}

/// An input of a change of nodes.
pub(super) fn of_nodes(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(role) => of_node(role),
        InputRole::Variant(VariantRole::On | VariantRole::Of(_)) => {
            Some(Reading::Members(Position::Nodes))
        }
        InputRole::Filter(FilterRole::Conditions) => Some(CONDITIONS),
        _ => None,
    }
}

fn of_node(role: &WriteRole) -> Option<Reading> {
    match role {
        WriteRole::Inputs
        | WriteRole::FurtherWrites
        | WriteRole::Several(SeveralRole::One | SeveralRole::Edge(_)) => {
            Some(Reading::Members(Position::Nodes))
        }
        WriteRole::Stored(_)
        | WriteRole::Assign { .. }
        | WriteRole::Several(SeveralRole::Assign { .. }) => Some(Reading::Value),
        WriteRole::Assigns { .. } | WriteRole::Several(SeveralRole::Assigns { .. }) => {
            Some(Reading::Members(Position::AssignBy))
        }
        WriteRole::NestedWrites(_) | WriteRole::Several(SeveralRole::Among { .. }) => {
            Some(Reading::Members(Position::NestedWrites))
        }
        WriteRole::NestedWrite { way: Some(_), .. }
        | WriteRole::Several(SeveralRole::NestedWrite { .. }) => {
            Some(Reading::Members(Position::NestedWrite))
        }
        WriteRole::NestedWrite { way: None, .. }
        | WriteRole::Rows
        | WriteRole::AtMost
        | WriteRole::ClientMutationId
        | WriteRole::Nested(_)
        | WriteRole::NestedIn(_)
        | WriteRole::NestedNode
        | WriteRole::NestedEdge
        | WriteRole::NestedKey
        | WriteRole::Overwrite { .. }
        | WriteRole::AssignBy(_) => None,
    }
}

/// A nested write along the relationship of the enclosing object.
pub(super) fn nested_writes(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::NestedWrite { way: None, .. }) => {
            Some(Reading::Members(Position::NestedWrite))
        }
        // Those of the nodes of one entity.
        InputRole::Variant(VariantRole::Of(_)) => Some(Reading::Members(Position::NestedWrites)),
        _ => of_nodes(role),
    }
}

/// A member of one step along a relationship.
pub(super) fn of_step(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::NestedNode | WriteRole::NestedEdge | WriteRole::NestedKey) => {
            Some(Reading::Members(Position::Nodes))
        }
        InputRole::Write(WriteRole::Inputs) => Some(Reading::Members(Position::NestedWrite)),
        InputRole::Write(WriteRole::Overwrite { .. }) => Some(Reading::Value),
        // The part for the nodes of one entity.
        InputRole::Variant(VariantRole::Of(_)) => Some(Reading::Members(Position::NestedWrite)),
        InputRole::Filter(FilterRole::Conditions) => {
            Some(Reading::Members(Position::Condition(Scope::default())))
        }
        _ => of_nodes(role),
    }
}

/// The new value of a field by its verb.
pub(super) fn assign_by(role: &InputRole) -> Option<Reading> {
    matches!(role, InputRole::Write(WriteRole::AssignBy(_))).then_some(Reading::Value)
}
