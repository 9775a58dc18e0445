//! Enums: names of the database's own, and declared ones where the database has texts.

use catalog::{EnumId, FieldId, NoteKind, Scalar, Type};
use graphql::similar_names;

use super::Stage;
use super::columns::type_name;
use crate::model::{ColumnType, Enum, FieldIndex};

impl Stage<'_> {
    /// Names the enums of the columns that have them.
    pub(super) fn name_enums(&mut self) {
        let schema = self.schema;
        for (index, r#enum) in schema.enums.iter().enumerate() {
            let columns = self.columns_of(index);
            match self.catalog.capabilities().any_values {
                true => self.declare(r#enum, &columns),
                false => self.name(r#enum, &columns),
            }
        }
    }

    /// The shown columns of an enum.
    fn columns_of(&self, wanted: usize) -> Vec<(FieldIndex, FieldId)> {
        let mut found = Vec::new();
        for (model, own) in self.schema.models.iter().enumerate() {
            for (field, one) in own.fields.iter().enumerate() {
                let index = FieldIndex { model, field };
                let is_wanted = one
                    .find_column()
                    .is_some_and(|column| column.r#type == ColumnType::Enum(wanted));
                if is_wanted
                    && self.is_shown(index)
                    && let Some(column) = self.field(model, field)
                {
                    found.push((index, column));
                }
            }
        }
        found
    }

    /// Texts become the values of an enum.
    fn declare(&mut self, r#enum: &Enum, columns: &[(FieldIndex, FieldId)]) {
        if columns.is_empty() {
            return;
        }
        let labels = r#enum.values.iter().map(|value| value.stored.clone()).collect();
        let id = self.catalog.declare_enum(r#enum.stored.clone(), labels);
        self.give_names(r#enum, id);
        for (index, column) in columns {
            match self.catalog.base_type(&self.catalog[*column].r#type) {
                Type::Scalar(Scalar::Text | Scalar::Character { .. }) => {
                    self.catalog.declare_labels(*column, id);
                }
                other => {
                    let message = format!(
                        "{}: the column has no texts ({}), which values of {} are.",
                        self.schema.field_name(*index),
                        type_name(self.catalog, other),
                        r#enum.name
                    );
                    self.mistake(self.schema.field(*index).at, message);
                }
            }
        }
    }

    /// Names the database's enum.
    fn name(&mut self, r#enum: &Enum, columns: &[(FieldIndex, FieldId)]) {
        let mut found: Option<EnumId> = None;
        for (index, column) in columns {
            let stored = &self.catalog[*column].r#type;
            let element = match self.catalog.base_type(stored) {
                Type::List(element) => self.catalog.base_type(element),
                other => other,
            };
            match element {
                Type::Enum(id) if *self.catalog[*id].name == *r#enum.stored => {
                    found = found.or(Some(*id));
                }
                other => {
                    let message = format!(
                        "{}: the column has no values of the enum \"{}\" ({}): correct the field, or \
                         @@map of {}.",
                        self.schema.field_name(*index),
                        r#enum.stored,
                        type_name(self.catalog, other),
                        r#enum.name
                    );
                    self.mistake(self.schema.field(*index).at, message);
                }
            }
        }
        let Some(id) = found else { return };
        let labels: Vec<Box<str>> =
            self.catalog[id].labels.iter().map(|label| label.label.clone()).collect();
        for value in &r#enum.values {
            if !labels.contains(&value.stored) {
                let known = labels.iter().map(|label| &**label);
                let remedy = match similar_names(&value.stored, known).first() {
                    Some(similar) => format!("did you mean @map(\"{similar}\")?"),
                    None => "correct @map, or migrate the database.".to_owned(),
                };
                let message = format!(
                    "{}.{}: the enum \"{}\" of the database has no value \"{}\": {remedy}",
                    r#enum.name, value.name, r#enum.stored, value.stored
                );
                self.mistake(value.at, message);
            }
        }
        let known = |label: &str| r#enum.values.iter().any(|value| *value.stored == *label);
        let unknown: Vec<&str> =
            labels.iter().map(|label| &**label).filter(|label| !known(label)).collect();
        if !unknown.is_empty() {
            let message = format!(
                "the database has more values, which keep their names: {}.",
                unknown.join(", ")
            );
            let remedy = "add them, as `prisma db pull` does.";
            self.note(NoteKind::Declaration, (r#enum.at, &r#enum.name), &message, remedy);
        }
        self.give_names(r#enum, id);
    }

    fn give_names(&mut self, r#enum: &Enum, id: EnumId) {
        let labels: Vec<Box<str>> =
            self.catalog[id].labels.iter().map(|label| label.label.clone()).collect();
        let find = |label: &str| r#enum.values.iter().find(|value| *value.stored == *label);
        let names = labels.iter().map(|label| find(label).map(|value| value.name.clone()));
        self.catalog.name_enum(id, r#enum.name.clone(), names.collect());
        if let Some(text) = &r#enum.documentation {
            self.catalog.describe_enum(id, text);
        }
        for (place, label) in labels.iter().enumerate() {
            if let Some(text) = find(label).and_then(|value| value.documentation.clone()) {
                self.catalog.describe_label(id, place, &text);
            }
        }
    }
}
