//! Documents made from an API's own schema.
//!
//! * [`document`]: selections, fragments and directives
//! * [`value`]: arguments' values
//! * [`print`]: the same document with its values inline, as variables, or as their defaults

pub(crate) mod document;
pub(crate) mod print;
pub(crate) mod value;

use graphql::schema::TypeRef;

#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) operation_name: Option<String>,
    pub(crate) selections: Vec<Selection>,
    pub(crate) fragments: Vec<Fragment>,
}

#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    pub(crate) name: String,
    pub(crate) on: String,
    pub(crate) selections: Vec<Selection>,
}

#[derive(Clone, Debug)]
pub(crate) enum Selection {
    Field(Field),
    Inline { on: Option<String>, directives: Vec<Directive>, selections: Vec<Selection> },
    Spread { name: String, directives: Vec<Directive> },
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) alias: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Vec<(String, Typed)>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) selections: Vec<Selection>,
}

#[derive(Clone, Debug)]
pub(crate) struct Directive {
    pub(crate) name: &'static str,
    pub(crate) condition: Typed,
}

/// A value with the type of its place.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) r#type: TypeRef,
    pub(crate) literal: Literal,
}

#[derive(Clone, Debug)]
pub(crate) enum Literal {
    Null,
    Boolean(bool),
    /// As written.
    Number(String),
    Text(String),
    Enum(String),
    List(Vec<Typed>),
    Object(Vec<(String, Typed)>),
}
