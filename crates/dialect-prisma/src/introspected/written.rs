//! The datamodel of tables as text.

use std::fmt::{self, Write as _};

use super::Introspected;
use crate::definitions::generated_name;
use crate::model::{
    Behaviour, End, Enum, Field, FieldKind, IdStrategy, Model, Relation, RelationStorage,
    ScalarField, ScalarType,
};

/// Writes a datamodel of version 1.1. What it does not have stands in comments at its beginning.
#[must_use]
pub fn written(introspected: &Introspected) -> String {
    let mut writer = Writer { model: &introspected.model, out: String::new() };
    for note in &introspected.notes {
        // Writing to a string cannot fail.
        let _ = writeln!(writer.out, "# {}: {}; {}.", note.subject, note.message, note.remedy);
    }
    let _ = writer.model();
    writer.out
}

struct Writer<'m> {
    model: &'m Model,
    out: String,
}

impl Writer<'_> {
    fn model(&mut self) -> fmt::Result {
        let model = self.model;
        for own in &model.types {
            self.begin(own.description.as_deref(), "");
            write!(self.out, "type {}", own.name)?;
            if own.table != own.name {
                write!(self.out, " @db(name: {})", text(&own.table))?;
            }
            self.out.push_str(" {\n");
            for field in &own.fields {
                self.field(field)?;
            }
            self.out.push_str("}\n");
        }
        for relation in &model.relations {
            self.link_type(relation)?;
        }
        for own in &model.enums {
            self.r#enum(own)?;
        }
        Ok(())
    }

    /// An empty line between definitions, and a description.
    fn begin(&mut self, description: Option<&str>, indent: &str) {
        if indent.is_empty() && !self.out.is_empty() {
            self.out.push('\n');
        }
        if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
            self.out.extend([indent, &*text(description), "\n"]);
        }
    }

    fn field(&mut self, field: &Field) -> fmt::Result {
        self.begin(field.description.as_deref(), "  ");
        write!(self.out, "  {}: ", field.name)?;
        match &field.kind {
            FieldKind::Scalar(scalar) => self.scalar(field, scalar)?,
            FieldKind::ScalarList { r#type, column } => {
                let name = self.name(*r#type).to_owned();
                write!(self.out, "[{name}!]! @scalarList(strategy: RELATION)")?;
                self.column(field, column)?;
            }
            FieldKind::Relation { relation, end, is_list } => {
                let relation = &self.model.relations[relation.0];
                let other = relation.end(end.other());
                let name = &self.model.types[other.r#type.0].name;
                match (is_list, field.is_required) {
                    (true, _) => write!(self.out, "[{name}!]!")?,
                    (false, true) => write!(self.out, "{name}!")?,
                    (false, false) => self.out.push_str(name),
                }
                self.relation(field, relation, *end)?;
            }
        }
        self.out.push('\n');
        Ok(())
    }

    fn scalar(&mut self, field: &Field, scalar: &ScalarField) -> fmt::Result {
        let name = self.name(scalar.r#type).to_owned();
        self.out.push_str(&name);
        if field.is_required {
            self.out.push('!');
        }
        match &scalar.behaviour {
            // Introspection finds no names of sequences.
            Behaviour::Id(IdStrategy::Auto | IdStrategy::Sequence { .. }) => {
                self.out.push_str(" @id");
            }
            Behaviour::Id(IdStrategy::None) => self.out.push_str(" @id(strategy: NONE)"),
            Behaviour::CreatedAt => self.out.push_str(" @createdAt"),
            Behaviour::UpdatedAt => self.out.push_str(" @updatedAt"),
            Behaviour::Plain => {}
        }
        if scalar.is_unique && !matches!(scalar.behaviour, Behaviour::Id(_)) {
            self.out.push_str(" @unique");
        }
        self.column(field, &scalar.column)
    }

    fn column(&mut self, field: &Field, column: &str) -> fmt::Result {
        match *field.name == *column {
            true => Ok(()),
            false => write!(self.out, " @db(name: {})", text(column)),
        }
    }

    fn relation(&mut self, field: &Field, relation: &Relation, end: End) -> fmt::Result {
        let mut arguments = Vec::new();
        if self.needs_name(relation) {
            arguments.push(format!("name: {}", text(&relation.name)));
        }
        let mut own_column = None;
        match &relation.storage {
            RelationStorage::Inline { end: holder, column } if *holder == end => {
                if self.is_one_to_one(relation) {
                    arguments.push("link: INLINE".to_owned());
                }
                own_column = Some(column);
            }
            RelationStorage::Inline { .. } | RelationStorage::Table { .. } => {}
        }
        if !arguments.is_empty() {
            write!(self.out, " @relation({})", arguments.join(", "))?;
        }
        match own_column {
            Some(column) => self.column(field, column),
            None => Ok(()),
        }
    }

    /// Whether the types of a relation do not say which one it is, or it has a name of its own.
    fn needs_name(&self, relation: &Relation) -> bool {
        let (a, b) = (relation.a.r#type, relation.b.r#type);
        let same = self
            .model
            .relations
            .iter()
            .filter(|own| [(a, b), (b, a)].contains(&(own.a.r#type, own.b.r#type)));
        let types = &self.model.types;
        a == b
            || same.count() > 1
            || *relation.name != *generated_name(&types[a.0].name, &types[b.0].name)
    }

    fn is_one_to_one(&self, relation: &Relation) -> bool {
        [End::A, End::B].into_iter().all(|end| {
            let own = relation.end(end);
            let field =
                own.field.and_then(|field| self.model.types[own.r#type.0].fields.get(field));
            matches!(
                field.map(|field| &field.kind),
                Some(FieldKind::Relation { is_list: false, .. })
            )
        })
    }

    /// The type of a relation's table, if it is not the one that its name says.
    fn link_type(&mut self, relation: &Relation) -> fmt::Result {
        let RelationStorage::Table { table, a_column, b_column, id_column } = &relation.storage
        else {
            return Ok(());
        };
        let is_plain = **table == *format!("_{}", relation.name)
            && (&**a_column, &**b_column, id_column) == ("A", "B", &None);
        if is_plain {
            return Ok(());
        }
        self.begin(None, "");
        write!(self.out, "type {} @relationTable", relation.name)?;
        if *table != relation.name {
            write!(self.out, " @db(name: {})", text(table))?;
        }
        self.out.push_str(" {\n");
        let types = &self.model.types;
        if let Some(column) = id_column {
            writeln!(self.out, "  id: ID! @id @db(name: {})", text(column))?;
        }
        for (name, end, column) in [("a", &relation.a, a_column), ("b", &relation.b, b_column)] {
            let target = &types[end.r#type.0].name;
            writeln!(self.out, "  {name}: {target}! @db(name: {})", text(column))?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn r#enum(&mut self, own: &Enum) -> fmt::Result {
        self.begin(own.description.as_deref(), "");
        writeln!(self.out, "enum {} {{", own.name)?;
        for value in &own.values {
            writeln!(self.out, "  {value}")?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn name(&self, r#type: ScalarType) -> &str {
        match r#type {
            ScalarType::Id => "ID",
            ScalarType::String => "String",
            ScalarType::Int => "Int",
            ScalarType::Float => "Float",
            ScalarType::Boolean => "Boolean",
            ScalarType::DateTime => "DateTime",
            ScalarType::Json => "Json",
            ScalarType::Uuid => "UUID",
            ScalarType::Enum(index) => &self.model.enums[index.0].name,
        }
    }
}

/// A text in quotes.
fn text(value: &str) -> String {
    // GraphQL has the escapes of JSON.
    serde_json::Value::from(value).to_string()
}
