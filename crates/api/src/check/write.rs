//! Positions of changes.

use super::{ChangedObjects, ChangedRows, Position, Reading, Scope, filter};
use crate::binding::{
    ArgumentRole, FilterRole, InputRole, MultiEntityRole, NestedVerb, ObjectRole, TreeRole,
    VariantRole, WriteRole,
};

const CONDITIONS: Reading = filter::ON_ROWS;

/// The inputs that a change of rows reads.
#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    stored: bool,
    keys: bool,
    node_id: bool,
    rows: bool,
    at_most: bool,
    nested: bool,
    /// Arguments of a function.
    arguments: bool,
    client_text: bool,
    assigned: bool,
    tree: bool,
}

/// An input of a change of rows.
pub(super) fn of_rows(rows: ChangedRows, role: &InputRole) -> Option<Reading> {
    let reads = Reads::of(rows);
    match role {
        InputRole::Write(role) => match role {
            WriteRole::Inputs => Some(Reading::Members(Position::Change(rows))),
            WriteRole::Rows => {
                let members = Reading::Members(Position::Change(ChangedRows::NewOfRows));
                reads.rows.then_some(members)
            }
            WriteRole::Nested(_) => reads.nested.then_some(Reading::Members(Position::Nested)),
            WriteRole::Stored(_) => reads.stored.then_some(Reading::Value),
            WriteRole::Assign { .. } => reads.assigned.then_some(Reading::Value),
            WriteRole::Tree(role @ (TreeRole::Rows | TreeRole::OnConflict)) => {
                if reads.tree {
                    of_tree(role)
                } else {
                    None
                }
            }
            WriteRole::Updates => {
                let members = Reading::Members(Position::Change(ChangedRows::UpdatedAll));
                (rows == ChangedRows::UpdatedEach).then_some(members)
            }
            WriteRole::AtMost => reads.at_most.then_some(Reading::Value),
            WriteRole::ClientMutationId => reads.client_text.then_some(Reading::Value),
            WriteRole::NestedIn(_)
            | WriteRole::NestedWrites(_)
            | WriteRole::NestedWrite { .. }
            | WriteRole::Several(_)
            | WriteRole::NestedNode
            | WriteRole::NestedEdge
            | WriteRole::NestedKey
            | WriteRole::Overwrite { .. }
            | WriteRole::FurtherWrites
            | WriteRole::Assigns { .. }
            | WriteRole::AssignBy(_)
            | WriteRole::Tree(_)
            | WriteRole::Related(_)
            | WriteRole::Object(_) => None,
        },
        InputRole::Filter(FilterRole::Equal(_)) => reads.keys.then_some(Reading::Value),
        InputRole::Filter(FilterRole::Conditions) => reads.keys.then_some(CONDITIONS),
        InputRole::Argument(ArgumentRole::NodeId) => reads.node_id.then_some(Reading::Value),
        InputRole::Argument(ArgumentRole::Call(_)) => reads.arguments.then_some(Reading::Value),
        _ => None,
    }
}

impl Reads {
    fn of(rows: ChangedRows) -> Self {
        let root = Self { client_text: true, ..Self::default() };
        let found = Self { keys: true, node_id: true, ..root };
        match rows {
            ChangedRows::New => Self { stored: true, ..root },
            ChangedRows::NewRows => Self { rows: true, ..root },
            ChangedRows::NewOfRows => Self { stored: true, ..Self::default() },
            ChangedRows::Updated => Self { stored: true, ..found },
            ChangedRows::UpdatedRows => Self { stored: true, keys: true, at_most: true, ..root },
            ChangedRows::Deleted => found,
            ChangedRows::DeletedRows => Self { keys: true, at_most: true, ..root },
            ChangedRows::Called => Self { arguments: true, ..root },
            ChangedRows::NestedNew => Self { stored: true, nested: true, ..root },
            ChangedRows::NestedUpdated => Self { stored: true, nested: true, ..found },
            ChangedRows::NewInRow => Self { stored: true, nested: true, ..Self::default() },
            ChangedRows::Tree => Self { tree: true, ..Self::default() },
            ChangedRows::UpdatedAll => Self { assigned: true, keys: true, ..Self::default() },
            ChangedRows::UpdatedEach => Self::default(),
            ChangedRows::DeletedAll => Self { keys: true, ..Self::default() },
            ChangedRows::KeyInRow => Self { keys: true, node_id: true, ..Self::default() },
        }
    }
}

/// A verb along a relationship of a row.
pub(super) fn nested(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::NestedIn(verb)) => {
            let rows = match verb {
                NestedVerb::Create => ChangedRows::NewInRow,
                NestedVerb::Connect | NestedVerb::Set | NestedVerb::Disconnect => {
                    ChangedRows::KeyInRow
                }
            };
            Some(Reading::Members(Position::Change(rows)))
        }
        _ => None,
    }
}

/// An input of new rows with related ones.
fn of_tree(role: &TreeRole) -> Option<Reading> {
    Some(match role {
        TreeRole::Rows | TreeRole::Data => Reading::Members(Position::TreeRow),
        TreeRole::Related(_) => Reading::Members(Position::TreeRelated),
        TreeRole::OnConflict => Reading::Members(Position::OnConflict),
        TreeRole::ConflictKey | TreeRole::ConflictColumns => Reading::Value,
    })
}

pub(super) fn tree_row(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Stored(_)) => Some(Reading::Value),
        InputRole::Write(WriteRole::Tree(role @ TreeRole::Related(_))) => of_tree(role),
        _ => None,
    }
}

pub(super) fn tree_related(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Tree(role @ (TreeRole::Data | TreeRole::OnConflict))) => {
            of_tree(role)
        }
        _ => None,
    }
}

pub(super) fn on_conflict(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Tree(
            role @ (TreeRole::ConflictKey | TreeRole::ConflictColumns),
        )) => of_tree(role),
        InputRole::Filter(FilterRole::Conditions) => Some(CONDITIONS),
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
        | WriteRole::Several(MultiEntityRole::One | MultiEntityRole::Edge(_)) => {
            Some(Reading::Members(Position::Nodes))
        }
        WriteRole::Stored(_)
        | WriteRole::Assign { .. }
        | WriteRole::Several(MultiEntityRole::Assign { .. }) => Some(Reading::Value),
        WriteRole::Assigns { .. } | WriteRole::Several(MultiEntityRole::Assigns { .. }) => {
            Some(Reading::Members(Position::AssignBy))
        }
        WriteRole::NestedWrites(_) | WriteRole::Several(MultiEntityRole::Among { .. }) => {
            Some(Reading::Members(Position::NestedWrites))
        }
        WriteRole::NestedWrite { relationship: Some(_), .. }
        | WriteRole::Several(MultiEntityRole::NestedWrite { .. }) => {
            Some(Reading::Members(Position::NestedWrite))
        }
        WriteRole::NestedWrite { relationship: None, .. }
        | WriteRole::Rows
        | WriteRole::AtMost
        | WriteRole::ClientMutationId
        | WriteRole::Nested(_)
        | WriteRole::NestedIn(_)
        | WriteRole::NestedNode
        | WriteRole::Tree(_)
        | WriteRole::Updates
        | WriteRole::NestedEdge
        | WriteRole::NestedKey
        | WriteRole::Overwrite { .. }
        | WriteRole::AssignBy(_)
        | WriteRole::Related(_)
        | WriteRole::Object(_) => None,
    }
}

/// An argument of a change of objects, or a member of one.
pub(super) fn of_objects(objects: ChangedObjects, role: &InputRole) -> Option<Reading> {
    let members = Reading::Members(Position::Object);
    match role {
        InputRole::Write(WriteRole::Object(role)) => match (objects, role) {
            (ChangedObjects::Added, ObjectRole::Added) => Some(members),
            (ChangedObjects::Added, ObjectRole::Upsert) => Some(Reading::Value),
            (ChangedObjects::Updated, ObjectRole::Set | ObjectRole::Remove) => Some(members),
            _ => None,
        },
        InputRole::Write(WriteRole::Inputs) => Some(Reading::Members(Position::Objects(objects))),
        InputRole::Filter(FilterRole::Conditions) => match objects {
            ChangedObjects::Added => None,
            ChangedObjects::Updated | ChangedObjects::Deleted => Some(CONDITIONS),
        },
        _ => None,
    }
}

/// A member of an object.
pub(super) fn of_object(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::Stored(_)) => Some(Reading::Value),
        InputRole::Write(WriteRole::Object(role)) => match role {
            ObjectRole::Key
            | ObjectRole::Identifier(_)
            | ObjectRole::ExternalIdentifier(_)
            | ObjectRole::Elements(_)
            | ObjectRole::Password(_)
            | ObjectRole::CommonPassword(_)
            | ObjectRole::Common(_)
            | ObjectRole::CommonElements(_) => Some(Reading::Value),
            ObjectRole::Relation(_) | ObjectRole::CommonRelation(_) => {
                Some(Reading::Members(Position::Object))
            }
            ObjectRole::Added | ObjectRole::Upsert | ObjectRole::Set | ObjectRole::Remove => None,
        },
        InputRole::Variant(VariantRole::Of(_)) => Some(Reading::Members(Position::Object)),
        _ => None,
    }
}

/// A nested write along the relationship of the enclosing object.
pub(super) fn nested_writes(role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Write(WriteRole::NestedWrite { relationship: None, .. }) => {
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
