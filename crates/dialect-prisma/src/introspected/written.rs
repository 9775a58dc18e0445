//! The datamodel of tables as text, as Prisma wrote it: types and fields are sorted by their names.

use std::fmt::{self, Write as _};

use super::Introspected;
use super::comments::{Comment, CommentPosition};
use super::names;
use super::order::by_name;
use crate::definitions::generated_name;
use crate::model::{
    Behaviour, Default, End, Enum, Field, FieldKind, IdStrategy, Model, Relation, RelationStorage,
    ScalarField, ScalarType, Type, TypeIndex,
};

/// Writes a datamodel of version 1.1. What it does not have stands in comments.
#[must_use]
pub fn written(introspected: &Introspected) -> String {
    let Introspected { model, comments, .. } = introspected;
    let mut writer = Writer { model, comments, out: String::new() };
    // Writing to a string cannot fail.
    let _ = writer.model();
    writer.out
}

struct Writer<'m> {
    model: &'m Model,
    comments: &'m [Comment],
    out: String,
}

/// A definition of the text.
#[derive(Clone, Copy)]
enum Definition<'m> {
    Type(TypeIndex, &'m Type),
    Link(&'m Relation),
    Enum(&'m Enum),
    Comment(&'m Comment, &'m str),
}

/// A part of a type.
#[derive(Clone, Copy)]
enum Part<'m> {
    Field(&'m Field),
    /// A field whose values a datamodel cannot name.
    Renamed(&'m Field, &'m Enum),
    Comment(&'m Comment, &'m str),
}

impl<'m> Writer<'m> {
    fn model(&mut self) -> fmt::Result {
        let model = self.model;
        let mut definitions: Vec<(&str, Definition<'m>)> = Vec::new();
        for (index, own) in model.types.iter().enumerate() {
            definitions.push((&own.name, Definition::Type(TypeIndex(index), own)));
        }
        for relation in model.relations.iter().filter(|own| has_link_type(own)) {
            definitions.push((&relation.name, Definition::Link(relation)));
        }
        for own in model.enums.iter().filter(|own| own.values == own.labels) {
            definitions.push((&own.name, Definition::Enum(own)));
        }
        for comment in self.comments {
            if let CommentPosition::NoType { name, definition } = &comment.place {
                definitions.push((name, Definition::Comment(comment, definition)));
            }
        }
        definitions.sort_by_key(|(name, _)| *name);
        for (_, definition) in definitions {
            if !self.out.is_empty() {
                self.out.push('\n');
            }
            match definition {
                Definition::Type(index, own) => self.r#type(index, own)?,
                Definition::Link(relation) => self.link_type(relation)?,
                Definition::Enum(own) => self.r#enum(own)?,
                Definition::Comment(comment, definition) => {
                    self.comment(comment, definition, "")?
                }
            }
        }
        Ok(())
    }

    fn r#type(&mut self, index: TypeIndex, own: &'m Type) -> fmt::Result {
        let comments = self.comments;
        for comment in comments.iter().filter(|one| one.place == CommentPosition::Type(index)) {
            self.reasons(comment, "")?;
        }
        self.describe(own.description.as_deref(), "");
        write!(self.out, "type {}", own.name)?;
        if own.table != own.name {
            self.out.push_str(&database_name(&own.table));
        }
        self.out.push_str(" {\n");
        let fields = own.fields.iter().map(|field| match self.renamed_enum(field) {
            Some(renamed) => (&*field.name, Part::Renamed(field, renamed)),
            None => (&*field.name, Part::Field(field)),
        });
        let mut parts: Vec<(&str, Part<'m>)> = fields.collect();
        for comment in comments {
            if let CommentPosition::NoField { of, name, definition } = &comment.place
                && *of == index
            {
                parts.push((name, Part::Comment(comment, definition)));
            }
        }
        let is_id = |part: &Part<'_>| match part {
            Part::Field(field) => is_id(field),
            Part::Renamed(..) | Part::Comment(..) => false,
        };
        parts.sort_by_cached_key(|(name, part)| (!is_id(part), by_name(name)));
        for (_, part) in parts {
            match part {
                Part::Field(field) => {
                    let place = CommentPosition::Field { of: index, name: field.name.clone() };
                    for comment in comments.iter().filter(|one| one.place == place) {
                        self.reasons(comment, "  ")?;
                    }
                    self.field(field)?;
                }
                Part::Renamed(field, renamed) => {
                    let name = &renamed.name;
                    writeln!(self.out, "  # Values of {name} have other names in the database")?;
                    self.out.push_str("  # ");
                    self.definition(field)?;
                }
                Part::Comment(comment, definition) => self.comment(comment, definition, "  ")?,
            }
        }
        self.out.push_str("}\n");
        Ok(())
    }

    /// A definition that is a comment.
    fn comment(&mut self, comment: &Comment, definition: &str, indent: &str) -> fmt::Result {
        self.reasons(comment, indent)?;
        for line in definition.lines() {
            writeln!(self.out, "{indent}# {line}")?;
        }
        Ok(())
    }

    fn reasons(&mut self, comment: &Comment, indent: &str) -> fmt::Result {
        for reason in &comment.reasons {
            writeln!(self.out, "{indent}# {}", in_one_line(reason))?;
        }
        Ok(())
    }

    fn describe(&mut self, description: Option<&str>, indent: &str) {
        if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
            self.out.extend([indent, &*text(description), "\n"]);
        }
    }

    fn field(&mut self, field: &Field) -> fmt::Result {
        self.describe(field.description.as_deref(), "  ");
        self.out.push_str("  ");
        self.definition(field)
    }

    /// The enum of a field, if its values have other names in the database.
    fn renamed_enum(&self, field: &Field) -> Option<&'m Enum> {
        let r#type = match &field.kind {
            FieldKind::Scalar(scalar) => scalar.r#type,
            FieldKind::ScalarList { r#type, .. } => *r#type,
            FieldKind::Relation { .. } => return None,
        };
        let ScalarType::Enum(index) = r#type else { return None };
        self.model.enums.get(index.0).filter(|own| own.values != own.labels)
    }

    fn definition(&mut self, field: &Field) -> fmt::Result {
        write!(self.out, "{}: ", field.name)?;
        match &field.kind {
            FieldKind::Scalar(scalar) => self.scalar(field, scalar)?,
            FieldKind::ScalarList { r#type, column } => {
                let name = self.name(*r#type).to_owned();
                write!(self.out, "[{name}]")?;
                self.column(field, column);
                self.out.push_str(" @scalarList(strategy: RELATION)");
            }
            FieldKind::Relation { relation, end, is_list } => {
                let relation = &self.model.relations[relation.0];
                let other = relation.end(end.other());
                let name = &self.model.types[other.r#type.0].name;
                match (is_list, field.is_required) {
                    (true, _) => write!(self.out, "[{name}]")?,
                    (false, true) => write!(self.out, "{name}!")?,
                    (false, false) => self.out.push_str(name),
                }
                self.relation(field, relation, *end)?;
            }
        }
        self.out.push('\n');
        Ok(())
    }

    /// Directives are in the order of their names.
    fn scalar(&mut self, field: &Field, scalar: &ScalarField) -> fmt::Result {
        let name = self.name(scalar.r#type).to_owned();
        self.out.push_str(&name);
        if field.is_required {
            self.out.push('!');
        }
        if scalar.behaviour == Behaviour::CreatedAt {
            self.out.push_str(" @createdAt");
        }
        self.column(field, &scalar.column);
        self.out.extend(scalar.default.as_ref().and_then(default));
        match &scalar.behaviour {
            Behaviour::Id(IdStrategy::Auto) => self.out.push_str(" @id"),
            Behaviour::Id(IdStrategy::None) => self.out.push_str(" @id(strategy: NONE)"),
            Behaviour::Id(IdStrategy::Sequence { name, initial_value, allocation_size }) => {
                self.out.push_str(" @id(strategy: SEQUENCE)");
                self.out.push_str(&sequence(name, *initial_value, *allocation_size));
            }
            Behaviour::CreatedAt | Behaviour::UpdatedAt | Behaviour::Plain => {}
        }
        if scalar.is_unique && !matches!(scalar.behaviour, Behaviour::Id(_)) {
            self.out.push_str(" @unique");
        }
        if scalar.behaviour == Behaviour::UpdatedAt {
            self.out.push_str(" @updatedAt");
        }
        Ok(())
    }

    fn column(&mut self, field: &Field, column: &str) {
        if *field.name != *column {
            self.out.push_str(&database_name(column));
        }
    }

    fn relation(&mut self, field: &Field, relation: &Relation, end: End) -> fmt::Result {
        let mut arguments = Vec::new();
        if self.needs_name(relation) {
            arguments.push(format!("name: {}", text(&relation.name)));
        }
        match &relation.storage {
            RelationStorage::Inline { end: holder, column } if *holder == end => {
                if self.is_one_to_one(relation) {
                    arguments.push("link: INLINE".to_owned());
                }
                self.column(field, column);
            }
            RelationStorage::Inline { .. } | RelationStorage::Table { .. } => {}
        }
        if !arguments.is_empty() {
            write!(self.out, " @relation({})", arguments.join(", "))?;
        }
        Ok(())
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
        let is_tree = a != b || self.is_tree(relation);
        !is_tree
            || same.count() > 1
            || *relation.name != *generated_name(&types[a.0].name, &types[b.0].name)
    }

    /// True for the relation of a tree: a type's field for the parent, and its list of children.
    fn is_tree(&self, relation: &Relation) -> bool {
        let is_inline = matches!(relation.storage, RelationStorage::Inline { .. });
        is_inline
            && relation.a.field.is_some()
            && relation.b.field.is_some()
            && !self.is_one_to_one(relation)
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

    /// The type of a relation's table.
    fn link_type(&mut self, relation: &Relation) -> fmt::Result {
        let RelationStorage::Table { table, a_column, b_column, id_column } = &relation.storage
        else {
            return Ok(());
        };
        write!(self.out, "type {}", relation.name)?;
        if *table != relation.name {
            self.out.push_str(&database_name(table));
        }
        self.out.push_str(" @relationTable {\n");
        let types = &self.model.types;
        if let Some(column) = id_column {
            self.out.extend(["  id: ID!", &*named("id", column), " @id\n"]);
        }
        let mut taken = vec!["id"];
        let mut fields = Vec::new();
        let first = names::field(a_column, true, &taken).name;
        taken.push(&first);
        let second = names::field(b_column, true, &taken).name;
        for (name, end, column) in
            [(&first, &relation.a, a_column), (&second, &relation.b, b_column)]
        {
            let target = &types[end.r#type.0].name;
            fields.push(format!("  {name}: {target}!{}\n", named(name, column)));
        }
        // Of a type with itself, the first column is that of the end A.
        if relation.a.r#type != relation.b.r#type {
            fields.sort_by_cached_key(|field| by_name(field));
        }
        self.out.extend(fields);
        self.out.push_str("}\n");
        Ok(())
    }

    fn r#enum(&mut self, own: &Enum) -> fmt::Result {
        self.describe(own.description.as_deref(), "");
        writeln!(self.out, "enum {} {{", own.name)?;
        for value in &own.values {
            writeln!(self.out, "  {value}")?;
        }
        self.out.push_str("}\n");
        Ok(())
    }

    fn name(&self, r#type: ScalarType) -> &str {
        match (r#type, scalar_name(r#type)) {
            (ScalarType::Enum(index), _) => &self.model.enums[index.0].name,
            (_, name) => name.unwrap_or_default(),
        }
    }
}

/// True if the table of a relation, or a column of it, has another name than Prisma gives it.
fn has_link_type(relation: &Relation) -> bool {
    match &relation.storage {
        RelationStorage::Inline { .. } => false,
        RelationStorage::Table { table, a_column, b_column, id_column } => {
            **table != *format!("_{}", relation.name)
                || (&**a_column, &**b_column, id_column) != ("A", "B", &None)
        }
    }
}

fn is_id(field: &Field) -> bool {
    match &field.kind {
        FieldKind::Scalar(scalar) => matches!(scalar.behaviour, Behaviour::Id(_)),
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
    }
}

/// The name of a type that is no enum.
pub(super) fn scalar_name(r#type: ScalarType) -> Option<&'static str> {
    match r#type {
        ScalarType::Id => Some("ID"),
        ScalarType::String => Some("String"),
        ScalarType::Int => Some("Int"),
        ScalarType::Float => Some("Float"),
        ScalarType::Boolean => Some("Boolean"),
        ScalarType::DateTime => Some("DateTime"),
        ScalarType::Json => Some("Json"),
        ScalarType::Uuid => Some("UUID"),
        ScalarType::Enum(_) => None,
    }
}

/// The directive of a default, but for those of the database: a datamodel has values only.
pub(super) fn default(default: &Default) -> Option<String> {
    let value = match default {
        Default::Text(value) => text(value),
        Default::Int(value) => value.to_string(),
        Default::Float(value) => format!("{value:?}"),
        Default::Boolean(value) => value.to_string(),
        Default::OfDatabase => return None,
    };
    Some(format!(" @default(value: {value})"))
}

/// The directive of a name in the database.
pub(super) fn database_name(name: &str) -> String {
    format!(" @db(name: {})", text(name))
}

/// The directive `@db` of a column whose name is not that of its field; else an empty text.
fn named(own: &str, column: &str) -> String {
    match own == column {
        true => String::new(),
        false => database_name(column),
    }
}

/// The directive of a sequence.
pub(super) fn sequence(name: &str, initial_value: i64, allocation_size: i64) -> String {
    let name = text(name);
    format!(
        " @sequence(name: {name}, initialValue: {initial_value}, allocationSize: {allocation_size})"
    )
}

/// A reason may have names with line breaks.
fn in_one_line(reason: &str) -> String {
    reason.replace(['\n', '\r'], " ")
}

/// A text in quotes.
fn text(value: &str) -> String {
    // GraphQL has the escapes of JSON.
    serde_json::Value::from(value).to_string()
}
