//! Remedies for names: the smart tag that renames an object, as a comment or as an entry of the
//! tags file. A given name wins over tags, so that it is changed where it is given.

use catalog::{EntityId, EntityKind, FieldId, Function, Note, NoteKind, Relationship};

use super::build::Build;
use super::tags::Annotated;

/// The placeholder of the new name.
const NEW_NAME: &str = "new_name";

impl Build<'_> {
    /// Adds a note; one about a taken name gets the remedy.
    pub(super) fn note_with(&mut self, note: Note, remedy: impl FnOnce(&Self) -> Box<str>) {
        let note = match note.kind {
            NoteKind::Collision => Note { remedy: remedy(self), ..note },
            NoteKind::LeftOut
            | NoteKind::UnmappedType
            | NoteKind::Declaration
            | NoteKind::Partitioned
            | NoteKind::NodeId
            | NoteKind::UnknownName
            | NoteKind::Unserved
            | NoteKind::Inconsistent
            | NoteKind::Uninherited
            | NoteKind::UnindexedRelationship
            | NoteKind::Distributed => note,
        };
        self.note(note);
    }

    pub(super) fn rename_entity(&self, id: EntityId) -> Box<str> {
        let entity = &self.catalog[id];
        if self.catalog.given().entity(id).is_some() {
            let block = match entity.kind {
                EntityKind::View | EntityKind::MaterializedView => "view",
                EntityKind::Table
                | EntityKind::ForeignTable
                | EntityKind::Record
                | EntityKind::Model
                | EntityKind::ValueSet
                | EntityKind::Composite
                | EntityKind::Node
                | EntityKind::Edge => "model",
            };
            return in_prisma_schema(block, &entity.name);
        }
        let kind = match entity.kind {
            EntityKind::Table => "table",
            EntityKind::View => "view",
            EntityKind::MaterializedView => "materialized view",
            EntityKind::ForeignTable => "foreign table",
            // The result of a function has the function's name.
            EntityKind::Record | EntityKind::Model | EntityKind::ValueSet => "function",
            EntityKind::Composite => "type",
            EntityKind::Node | EntityKind::Edge => "label",
        };
        let name = qualified(entity.namespace.as_deref(), &entity.name);
        let place = format!("class: {{ {} }}", key(&name, TAGS));
        self.remedy(&format!("{kind} {name}"), &place, self.annotations.entity(id), "name")
    }

    pub(super) fn rename_field(&self, id: FieldId) -> Box<str> {
        let field = &self.catalog[id];
        if self.catalog.given().field(id).is_some() {
            let column = literal(&field.name);
            return format!(
                "name its field otherwise in the schema of Prisma: {NEW_NAME} … @map({column})."
            )
            .into();
        }
        let entity = &self.catalog[field.entity];
        let table = qualified(entity.namespace.as_deref(), &entity.name);
        let name = identifier(&field.name);
        let place = format!("attribute: {{ {} }}", key(&format!("{table}.{name}"), TAGS));
        let on = format!("column {table}.{name}");
        self.remedy(&on, &place, self.annotations.field(id), "name")
    }

    /// With the tag of the field's name.
    pub(super) fn rename_relation(&self, relationship: &Relationship, tag: &str) -> Box<str> {
        if self.catalog.given().forward(relationship.id).is_some() {
            return "name the field of the relation otherwise in the schema of Prisma.".into();
        }
        self.tag_relation(relationship, tag)
    }

    /// With the given name of a many-to-many relation, or else the tag of its name. The name of the
    /// foreign key's own field is no part of it.
    pub(super) fn rename_join(
        &self,
        given: Option<&str>,
        right: &Relationship,
        tag: &str,
    ) -> Box<str> {
        match given {
            Some(name) => {
                format!("name the list field {name} otherwise in the schema of Prisma.").into()
            }
            None => self.tag_relation(right, tag),
        }
    }

    fn tag_relation(&self, relationship: &Relationship, tag: &str) -> Box<str> {
        if !relationship.enforced && relationship.name.starts_with('@') {
            return format!("add |@{tag} {NEW_NAME} to {}.", relationship.name).into();
        }
        if !relationship.enforced {
            return self.declare_relation(relationship, tag);
        }
        let annotated = self.annotations.relationship(relationship.id);
        self.rename_constraint(relationship.from, &relationship.name, annotated, tag)
    }

    /// A foreign key of partitions, which has no comment of its own.
    fn declare_relation(&self, relationship: &Relationship, tag: &str) -> Box<str> {
        let table = |id: EntityId| {
            let entity = &self.catalog[id];
            qualified(entity.namespace.as_deref(), &entity.name)
        };
        let columns = |fields: &[FieldId]| {
            let names = fields.iter().map(|field| identifier(&self.catalog[*field].name));
            names.collect::<Vec<_>>().join(", ")
        };
        let (from, to) = (table(relationship.from), table(relationship.to));
        let (own, target) = (columns(&relationship.from_fields), columns(&relationship.to_fields));
        format!("add @foreignKey ({own}) references {to} ({target})|@{tag} {NEW_NAME} to {from}.")
            .into()
    }

    /// A key by its index in its entity.
    pub(super) fn rename_key(&self, entity: EntityId, place: usize) -> Box<str> {
        let annotated = self.annotations.key(entity, place);
        match self.catalog[entity].keys.get(place) {
            Some(key) if key.enforced => {
                self.rename_constraint(entity, &key.name, annotated, "fieldName")
            }
            Some(key) => format!("add |@fieldName {NEW_NAME} to {}.", key.name).into(),
            None => "rename one of the two.".into(),
        }
    }

    /// An enum, a domain or a composite.
    pub(super) fn rename_type(
        &self,
        namespace: Option<&str>,
        name: &str,
        annotated: &Annotated,
    ) -> Box<str> {
        let mut enums = self.catalog.enums();
        let found = enums.find(|one| one.namespace.as_deref() == namespace && &*one.name == name);
        if found.is_some_and(|found| self.catalog.given().r#enum(found.id).is_some()) {
            return in_prisma_schema("enum", name);
        }
        let name = qualified(namespace, name);
        let place = format!("type: {{ {} }}", key(&name, TAGS));
        self.remedy(&format!("type {name}"), &place, annotated, "name")
    }

    /// With the tag of the name.
    pub(super) fn rename_function(&self, function: &Function, tag: &str) -> Box<str> {
        let name = qualified(function.namespace.as_deref(), &function.name);
        let place = format!("procedure: {{ {} }}", key(&name, TAGS));
        let annotated = self.annotations.function(function.id);
        self.remedy(&format!("function {name}"), &place, annotated, tag)
    }

    fn rename_constraint(
        &self,
        entity: EntityId,
        name: &str,
        annotated: &Annotated,
        tag: &str,
    ) -> Box<str> {
        let entity = &self.catalog[entity];
        let table = qualified(entity.namespace.as_deref(), &entity.name);
        let name = identifier(name);
        let place = format!("constraint: {{ {} }}", key(&format!("{table}.{name}"), TAGS));
        self.remedy(&format!("constraint {name} on {table}"), &place, annotated, tag)
    }

    /// The existing comment with the tag before it, or the entry of the tags file.
    fn remedy(&self, on: &str, place: &str, annotated: &Annotated, tag: &str) -> Box<str> {
        if !self.catalog.capabilities().comments {
            let place = place.replace(TAGS, &format!("{{ tags: {{ {tag}: \"{NEW_NAME}\" }} }}"));
            return format!("write {place} into the config of the tags file.").into();
        }
        let mut tags = annotated.tags.clone();
        tags.set(tag, &[]);
        let mut lines = vec![format!("@{tag} {NEW_NAME}")];
        lines.extend(tags.lines());
        lines.extend(annotated.description.as_deref().map(String::from));
        let text = lines.join("\n");
        let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
        format!("comment on {on} is E'{escaped}';").into()
    }
}

/// The remedy for a block of a schema of Prisma ORM, the only source of given names.
fn in_prisma_schema(block: &str, name: &str) -> Box<str> {
    let name = literal(name);
    format!(
        "name its {block} otherwise in the schema of Prisma: {block} {NEW_NAME} {{ … @@map({name}) }}."
    )
    .into()
}

/// A text of a schema of Prisma ORM.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The placeholder of the tags in an entry.
const TAGS: &str = "…";

fn key(name: &str, value: &str) -> String {
    format!("\"{}\": {value}", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `schema.name`, each quoted where PostgreSQL requires it.
fn qualified(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{}.{}", identifier(namespace), identifier(name)),
        None => identifier(name),
    }
}

fn identifier(name: &str) -> String {
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let is_word = !name.is_empty() && name.chars().all(plain);
    let begins_right = !name.starts_with(|first: char| first.is_ascii_digit());
    if is_word && begins_right && RESERVED.binary_search(&name).is_err() {
        name.into()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// The words that PostgreSQL accepts as names only if quoted, sorted:
/// <https://www.postgresql.org/docs/current/sql-keywords-appendix.html>.
#[rustfmt::skip]
const RESERVED: [&str; 101] = [
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric",
    "authorization", "binary", "both", "case", "cast", "check", "collate", "collation", "column",
    "concurrently", "constraint", "create", "cross", "current_catalog", "current_date",
    "current_role", "current_schema", "current_time", "current_timestamp", "current_user",
    "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch",
    "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike", "in",
    "initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral", "leading",
    "left", "like", "limit", "localtime", "localtimestamp", "natural", "not", "notnull", "null",
    "offset", "on", "only", "or", "order", "outer", "overlaps", "placing", "primary",
    "references", "returning", "right", "select", "session_user", "similar", "some", "symmetric",
    "system_user", "table", "tablesample", "then", "to", "trailing", "true", "union", "unique",
    "user", "using", "variadic", "verbose", "when", "where", "window", "with",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_quotes_where_postgresql_wants_them() {
        assert!(RESERVED.is_sorted());
        let check = |name: &str, expected: &str| assert_eq!(identifier(name), expected);
        check("post_1", "post_1");
        check("end", "\"end\"");
        check("zone", "zone");
        check("1st", "\"1st\"");
        check("Post", "\"Post\"");
        check("a\"b", "\"a\"\"b\"");
        check("", "\"\"");
    }
}
