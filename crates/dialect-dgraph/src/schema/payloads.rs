//! Results of mutations.

use super::builder::{Builder, lower_first};
use super::facts::is_interface;
use super::{arguments, changes};
use crate::model::TypeIndex;
use api::draft::DraftField;

/// Adds the results of the mutations that a type has.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let (generate, has) =
        (r#type.generate, |build: &Builder<'_>, input: &str| build.draft.has(input));
    if generate.update && has(build, &format!("{name}Patch")) {
        add_payload(build, index, "Update", false);
    }
    if generate.delete {
        add_payload(build, index, "Delete", true);
    }
    if generate.add && !is_interface(r#type) && has(build, &format!("Add{name}Input")) {
        add_payload(build, index, "Add", false);
    }
}

fn add_payload(build: &mut Builder<'_>, index: TypeIndex, verb: &str, has_message: bool) {
    let name = &build.r#type(index).name;
    let rows = changes::changed_rows(build, index);
    let rows = DraftField::new(&lower_first(name), &format!("[{name}]"), rows);
    let arguments = arguments::of_list(build, index, &build.provided(index));
    let mut fields = vec![rows.with(arguments)];
    if has_message {
        fields.push(DraftField::new("msg", "String", changes::message()));
    }
    fields.push(DraftField::new("numUids", "Int", changes::number()));
    build.object(&format!("{verb}{name}Payload"), fields);
}
