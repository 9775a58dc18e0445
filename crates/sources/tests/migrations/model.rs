//! Models of the tests, made by a few words.

use storage::model::{
    End, EndOf, Entity, EntityIndex, Enum, EnumIndex, Field, FieldType, Group, GroupIndex, Index,
    Key, Model, OnDelete, Relation,
};

/// An entity with an id.
pub(crate) fn entity(name: &str, fields: Vec<Field>) -> Entity {
    Entity { name: name.into(), key: Key::Sequence { column: "id".into() }, fields }
}

pub(crate) fn field(name: &str, r#type: FieldType) -> Field {
    Field {
        name: name.into(),
        r#type,
        is_list: false,
        is_required: false,
        is_unique: false,
        indexes: Vec::new(),
        default: None,
    }
}

/// Further properties of fields.
pub(crate) trait FieldWords {
    fn required(self) -> Self;
    fn unique(self) -> Self;
    fn list(self) -> Self;
    fn indexed(self, indexes: &[Index]) -> Self;
}

impl FieldWords for Field {
    fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    fn unique(self) -> Self {
        Self { is_unique: true, ..self }
    }

    fn list(self) -> Self {
        Self { is_list: true, ..self }
    }

    fn indexed(self, indexes: &[Index]) -> Self {
        Self { indexes: indexes.into(), ..self }
    }
}

fn end(of: EndOf, field: Option<&str>, is_list: bool) -> End {
    let field = field.map(Into::into);
    End { of, field, is_list, is_required: false, on_delete: OnDelete::SetNull }
}

pub(crate) fn of(index: usize) -> EndOf {
    EndOf::Entity(EntityIndex(index))
}

pub(crate) fn of_group(index: usize) -> EndOf {
    EndOf::Group(GroupIndex(index))
}

/// A field that holds one row of the other end.
pub(crate) fn one(of: EndOf, field: &str) -> End {
    end(of, Some(field), false)
}

/// A field that holds several rows of the other end.
pub(crate) fn many(of: EndOf, field: &str) -> End {
    end(of, Some(field), true)
}

/// An end without a field.
pub(crate) fn bare(of: EndOf) -> End {
    end(of, None, true)
}

/// Further properties of ends.
pub(crate) trait EndWords {
    fn needed(self) -> Self;
}

impl EndWords for End {
    fn needed(self) -> Self {
        Self { is_required: true, ..self }
    }
}

pub(crate) fn relation(near: End, far: End) -> Relation {
    Relation { near, far }
}

pub(crate) fn group(name: &str, members: &[usize], unique: &[&str]) -> Group {
    Group {
        name: name.into(),
        members: members.iter().map(|index| EntityIndex(*index)).collect(),
        unique: unique.iter().map(|field| (*field).into()).collect(),
    }
}

pub(crate) fn labels(name: &str, labels: &[&str]) -> Enum {
    Enum { name: name.into(), labels: labels.iter().map(|label| (*label).into()).collect() }
}

/// Posts of authors, with tags.
pub(crate) fn blog() -> Model {
    let author = entity(
        "Author",
        vec![
            field("name", FieldType::Text).required().unique(),
            field("born", FieldType::DateTime).indexed(&[Index::Order]),
        ],
    );
    let post = entity(
        "Post",
        vec![
            field("title", FieldType::Text).required().indexed(&[
                Index::Equality,
                Index::Terms,
                Index::Trigram,
            ]),
            field("body", FieldType::Text).indexed(&[Index::FullText]),
            field("score", FieldType::Int32).indexed(&[Index::Order]),
            field("state", FieldType::Enum(EnumIndex(0))).required(),
            field("links", FieldType::Text).list().indexed(&[Index::Equality]),
        ],
    );
    let tag = entity("Tag", vec![field("name", FieldType::Text)]);
    Model {
        entities: vec![author, post, tag],
        groups: Vec::new(),
        relations: vec![
            relation(many(of(0), "posts"), one(of(1), "author").needed()),
            relation(many(of(1), "tags"), many(of(2), "posts")),
        ],
        enums: vec![labels("State", &["DRAFT", "PUBLISHED"])],
    }
}

/// Characters, which are humans and droids, and a ship with a captain.
pub(crate) fn characters() -> Model {
    let name = || field("name", FieldType::Text).required();
    let human = entity("Human", vec![name(), field("height", FieldType::Float64)]);
    let droid = entity("Droid", vec![name(), field("function", FieldType::Text)]);
    let ship = entity("Ship", vec![field("length", FieldType::Float64)]);
    Model {
        entities: vec![human, droid, ship],
        groups: vec![group("Character", &[0, 1], &["name"])],
        relations: vec![
            relation(many(of_group(0), "friends"), bare(of_group(0))),
            relation(one(of(2), "captain"), bare(of_group(0))),
            relation(one(of_group(0), "home"), bare(of(2))),
        ],
        enums: Vec::new(),
    }
}
