//! Whether the types of a version 7 have plurals of their own: root fields are named by them.

use std::collections::HashMap;

use super::directives::Known;
use super::problem::Problems;
use super::types::{Type, Types};
use crate::model::ApiVersion;
use crate::shared::naming::TypeNames;

/// Reports types whose plural another type has. version 3 serves the later one.
pub(super) fn check(types: &Types<'_>, problems: &mut Problems) {
    if types.version == ApiVersion::V3 {
        return;
    }
    let mut known: HashMap<String, &Type<'_>> = HashMap::new();
    for r#type in types.nodes.iter().chain(&types.interfaces).chain(&types.unions) {
        let said = r#type.said.find(Known::Plural).and_then(|plural| plural.text("value"));
        let plural = TypeNames::new(r#type.name(), said.map(|said| &**said)).plural;
        if let Some(first) = known.get(&plural) {
            let message = format!(
                "its plural is `{plural}`, as that of `{}`: say another one by `@plural(value:)`",
                first.name()
            );
            problems.wrong(r#type.at(), message);
        } else {
            known.insert(plural, r#type);
        }
    }
}
