//! The column that orders and paginates a view without a key: `@uniqueKey`, or the option.

use catalog::{Entity, EntityKind, FieldId, Note, NoteKind};

use super::build::Build;
use super::types::value_type;

const TAG: &str = "uniqueKey";

/// The column that identifies the rows of a view; `None` where it has a key, or no such column.
pub(super) fn of(build: &mut Build<'_>, entity: &Entity) -> Option<FieldId> {
    let tags = build.entity_tags(entity.id);
    let tagged = tags.has(TAG);
    let name = match tags.values(TAG) {
        [] => build.options.view_unique_key.as_deref()?,
        [Some(name)] => name,
        _ => {
            let message = format!("@{TAG} does not name one column.");
            note(build, entity, message, format!("write @{TAG} with one column of the view."));
            return None;
        }
    };
    if entity.kind != EntityKind::View {
        // As in PostGraphile, which does not count materialized views.
        if tagged {
            let message = format!("@{TAG} is for views, and this is none.");
            note(build, entity, message, "declare its key with @primaryKey.".into());
        }
        return None;
    }
    let found = build.catalog.fields_of(entity.id).find(|field| *field.name == *name);
    let Some(field) = found else {
        if tagged {
            let message = format!("@{TAG} names the column {name}, which is not there.");
            let remedy = "name it as the database does, whatever @name says.";
            note(build, entity, message, remedy.into());
        }
        return None;
    };
    // An order by an unreadable column would fail.
    if entity.primary_key().is_some() || !field.access.read {
        return None;
    }
    // A column of an unsupported type identifies rows as well as any other.
    if value_type(build, &field.r#type).is_some_and(|value| !value.ordered) {
        let message = format!("rows cannot be ordered by {name}, which should tell them apart.");
        note(build, entity, message, "name a column whose type has an order.".into());
        return None;
    }
    Some(field.id)
}

/// Adds a note if no view has the column of the option.
pub(super) fn note_unused(build: &mut Build<'_>) {
    let Some(name) = build.options.view_unique_key.as_deref() else { return };
    let mut views = build.catalog.entities().filter(|entity| entity.kind == EntityKind::View);
    let has =
        |entity: &Entity| build.catalog.fields_of(entity.id).any(|field| *field.name == *name);
    if views.any(has) {
        return;
    }
    build.note(Note {
        kind: NoteKind::Declaration,
        subject: name.into(),
        message: "no view has this column, which should tell rows of views apart.".into(),
        remedy: "name a column as the database does.".into(),
    });
}

fn note(build: &mut Build<'_>, entity: &Entity, message: String, remedy: String) {
    build.note(Note {
        kind: NoteKind::Declaration,
        subject: build.entity_name(entity.id).into(),
        message: message.into(),
        remedy: remedy.into(),
    });
}
