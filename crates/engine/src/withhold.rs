//! Refused parts of a request, as errors of its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use access::{Authorized, Denial, Part, SessionRefusal, field_name};
use catalog::Catalog;
use dialects::Lowered;
use graphql::{ErrorCode, GraphQLError};
use ir::{OutputId, RowsId};
use response::{Node, NotRead, Piece};

/// The error of a session that has no access at all.
pub(crate) fn session_refused(refusal: SessionRefusal) -> GraphQLError {
    GraphQLError::new(ErrorCode::PermissionDenied, refusal.to_string())
}

/// Replaces the refused parts of an answer's shape by their errors, and lets lists end where a rule
/// limits them.
pub(crate) fn withhold(authorized: &Authorized, catalog: &Catalog, lowered: &mut Lowered) {
    let Authorized { refused, limited, .. } = authorized;
    if !limited.is_empty() {
        lowered.shape.limit(|rows| limited.contains(&RowsId(rows.0)));
    }
    let refusals: BTreeMap<Part, Arc<NotRead>> =
        refused.parts().map(|(part, denial)| (part, Arc::new(not_read(catalog, denial)))).collect();
    if refusals.is_empty() {
        return;
    }
    for (part, why) in &refusals {
        if let Part::Root(root) = part {
            lowered.shape.mark_root_not_read(*root, why);
        }
    }
    for root in refused.undone() {
        lowered.shape.mark_root_not_read(root, &Arc::new(NotRead::Undone));
    }
    let of_rows = |rows: response::RowsId| refusals.get(&Part::Rows(RowsId(rows.0)));
    lowered.shape.mark_branches_not_read(of_rows);
    let of = |output: response::OutputId| refusals.get(&Part::Output(OutputId(output.0)));
    lowered.shape.mark_not_read(|node| match node {
        Node::List { rows, .. }
        | Node::Single { rows, .. }
        | Node::Edge { rows, .. }
        | Node::Length { rows }
        | Node::HasMore { rows }
        | Node::HasOutside { rows, .. } => of_rows(*rows),
        Node::Joined { present: output, .. }
        | Node::Present { present: output, .. }
        | Node::Variants { variant: output, .. }
        | Node::Leaf { output, .. }
        | Node::LeafOr { output, .. }
        | Node::Aggregate { output, .. }
        | Node::Groups { output, .. }
        | Node::Count { output }
        | Node::IfAny { output, .. }
        | Node::Affected { output } => of(*output),
        Node::Leaves(leaves) => leaves.iter().find_map(|(output, _)| of(*output)),
        Node::Base64(pieces) => pieces.iter().find_map(|piece| match piece {
            Piece::Leaf { output, .. } | Piece::Text { output, .. } => of(*output),
            Piece::Literal(_) | Piece::RowNumber | Piece::RowOffset => None,
        }),
        Node::Object(_)
        | Node::Only(_)
        | Node::Each(_)
        | Node::Literal(_)
        | Node::NoMore { .. }
        | Node::Echo(_)
        | Node::Representations { .. }
        | Node::TooDeep(_)
        | Node::Refused(_)
        | Node::NotRead(_) => None,
    });
}

fn not_read(catalog: &Catalog, denial: &Denial) -> NotRead {
    if let Denial::MissingClaim(_) = denial {
        return NotRead::MissingClaim { message: denial.message(catalog).into() };
    }
    let field = match denial {
        Denial::Field(field, _) | Denial::Hidden(field) => Some(field_name(catalog, *field).into()),
        Denial::MissingClaim(_)
        | Denial::Entity(..)
        | Denial::Function(_)
        | Denial::Together(..)
        | Denial::Unauthenticated
        | Denial::Forbidden
        | Denial::NotUnderstood(_) => None,
    };
    NotRead::NotAuthorized { message: denial.message(catalog).into(), field }
}
