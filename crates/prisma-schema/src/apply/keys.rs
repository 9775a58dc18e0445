//! Keys that the database lacks. They are not declared: a row is found by what the database enforces.

use catalog::NoteKind;

use super::Stage;

impl Stage<'_> {
    /// Notes the ids and unique fields of models that the database does not enforce.
    pub(super) fn note_keys(&mut self) {
        let schema = self.schema;
        for (index, model) in schema.models.iter().enumerate() {
            let Some(entity) = self.entity(index).filter(|_| !model.is_ignored) else { continue };
            for key in &model.keys {
                let Some(fields) = self.fields_of(index, &key.fields) else { continue };
                let is_unique_alone = match *fields {
                    [field] => self.catalog[entity].is_unique_alone(field),
                    [..] => false,
                };
                let has_key = self.catalog.has_key(entity, &fields, false)
                    || is_unique_alone
                    || self.catalog[entity]
                        .indexes
                        .iter()
                        .any(|index| index.unique && !index.is_partial() && index.fields == fields);
                if has_key {
                    continue;
                }
                let word = if key.is_primary { "id" } else { "unique key" };
                let names: Vec<&str> =
                    key.fields.iter().map(|field| &*model.fields[*field].name).collect();
                let message = format!(
                    "the database does not enforce the {word} ({}): no row is found or changed by it.",
                    names.join(", ")
                );
                let remedy = "add the constraint to the database.";
                self.note(NoteKind::Declaration, (key.at, &model.name), &message, remedy);
            }
        }
    }
}
