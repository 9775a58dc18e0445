//! Text of type references.

use crate::schema::{Schema, TypeRef, Wrapper};

/// A type reference as it stands in a document: `[Album!]!`.
#[must_use]
pub fn print_type(schema: &Schema, r#type: TypeRef) -> String {
    let lists = r#type.wrappers().filter(|wrapper| *wrapper == Wrapper::List).count();
    let mut output = "[".repeat(lists);
    output.push_str(&schema[r#type.base].name);
    for wrapper in r#type.wrappers() {
        output.push(match wrapper {
            Wrapper::NonNull => '!',
            Wrapper::List => ']',
        });
    }
    output
}
