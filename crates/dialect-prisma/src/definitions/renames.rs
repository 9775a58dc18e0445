//! `@rename`: names that types had in the last migration.

use graphql::definitions::problem::{At, Problems};

use super::names::Names;
use crate::model::Type;

/// Refuses types that take the names of each other: in one step it would not be known which rows are
/// whose.
pub(super) fn check(names: &Names<'_>, types: &[Type], problems: &mut Problems) {
    for (idx, (own, declared)) in types.iter().zip(&names.types).enumerate() {
        let Some(old) = &own.old_name else { continue };
        let at = At::r#type(declared.definition);
        let is_from_here = |other: &&Type| other.old_name.as_ref() == Some(&own.name);
        if *old == own.name {
            problems.refuse(at, "`oldName` is the name of the type: remove `@rename`");
        } else if let Some(other) = types.iter().find(is_from_here) {
            let message = format!(
                "its name was that of `{}`, which is renamed too: migrate in two steps",
                other.name
            );
            problems.refuse(at, message);
        }
        if let Some(first) = types[..idx].iter().find(|first| first.old_name == own.old_name) {
            let message = format!(
                "`{}` had the name `{old}` too: remove `@rename` from one of both",
                first.name
            );
            problems.refuse(at, message);
        }
    }
}
