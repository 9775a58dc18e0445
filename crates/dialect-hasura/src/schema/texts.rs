//! Inputs that take numbers and booleans as texts: the values of columns and of arguments of
//! functions, and offsets.

use api::binding::{
    ArgumentRole, AssignVerb, BoundInput, FilterRole, InputRole, OperatorRole, WriteRole,
};

/// True for inputs at which Hasura takes texts.
pub(super) fn reads_texts(binding: &BoundInput) -> bool {
    match &binding.role {
        InputRole::Argument(role) => matches!(
            role,
            ArgumentRole::Offset | ArgumentRole::Call(_) | ArgumentRole::StreamFrom(_)
        ),
        InputRole::Filter(role) => is_of_value(role),
        InputRole::Write(role) => matches!(
            role,
            WriteRole::Stored(_)
                | WriteRole::Assign { verb: AssignVerb::Set | AssignVerb::AddWithin, .. }
        ),
        _ => false,
    }
}

fn is_of_value(role: &FilterRole) -> bool {
    match role {
        FilterRole::Negated(role) | FilterRole::Complement(role) => is_of_value(role),
        FilterRole::Equal(_) => true,
        FilterRole::Operator(operator) => {
            matches!(operator, OperatorRole::Compare(_) | OperatorRole::EqualsAny)
        }
        _ => false,
    }
}
