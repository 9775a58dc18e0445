//! Variables of templates: arguments of the field, or fields of its type.

use graphql::definitions::FieldDefinition;
use graphql::definitions::problem::{At, Problems};
use rustc_hash::FxHashSet;

use super::super::types::Meaning;
use super::Context;

/// True for fields by which a row is identified.
pub(super) fn is_identity(definition: &FieldDefinition) -> bool {
    &**definition.r#type.base() == "ID"
        || definition.directives.iter().any(|directive| &*directive.name == "id")
}

/// Checks the variables of a template. Of a field of a type, one of them identifies the row.
/// `subject` is the template, as in "`body`".
pub(super) fn check(
    context: Context<'_, '_>,
    at: At<'_>,
    subject: &str,
    names: &[&str],
    problems: &mut Problems,
) {
    if context.owner.kind.is_root() {
        for name in unique(names) {
            let arguments = &context.definition.arguments;
            if !arguments.iter().any(|argument| *argument.name == *name) {
                let message = format!(
                    "{subject} uses `${name}`, but the field has no such argument: declare it"
                );
                problems.refuse(at, message);
            }
        }
        return;
    }
    let mut has_identity = false;
    for name in unique(names) {
        let mut fields = context.owner.fields.iter().map(|field| field.definition);
        let Some(field) = fields.find(|field| *field.name == *name) else {
            let message =
                format!("{subject} uses `${name}`, but the type has no such field: declare it");
            problems.refuse(at, message);
            continue;
        };
        has_identity |= is_identity(field);
        let is_custom = field
            .directives
            .iter()
            .any(|directive| matches!(&*directive.name, "custom" | "lambda"));
        if is_custom {
            let message = format!(
                "{subject} uses `${name}`, which is a custom field itself: use stored fields"
            );
            problems.refuse(at, message);
        }
        if !matches!(context.types.meaning(field.r#type.base()), Some(Meaning::Scalar(_))) {
            let message = format!("{subject} uses `${name}`, which is no scalar: use scalars");
            problems.refuse(at, message);
        }
    }
    if !has_identity {
        let message = format!(
            "{subject} does not use the key of the type: use a field of type ID or with `@id`"
        );
        problems.refuse(at, message);
    }
}

fn unique<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    names.iter().copied().filter(|name| seen.insert(name)).collect()
}
