//! Members of conditions.

use api::binding::{InputBinding, InputRole, Meaning};

use crate::draft::DraftInput;

/// A member of conditions. A null is an error, so that no condition of a variable without a value
/// is lost.
pub(super) fn member(
    name: &str,
    r#type: String,
    role: impl Into<InputRole>,
    empty: Meaning,
) -> DraftInput {
    let text = format!("unexpected null value for type '{}'", r#type.trim_end_matches('!'));
    let binding = InputBinding { role: role.into(), null: Meaning::refuse(text), empty };
    DraftInput::new(name, r#type, binding)
}
