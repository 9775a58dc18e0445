//! Type definitions as a tree, which `text` prints.

/// A type with its fields.
#[derive(Debug)]
pub(super) struct TypeDefinition {
    /// Said in lines of comments above it.
    pub(super) comments: Vec<String>,
    pub(super) keyword: Keyword,
    pub(super) name: String,
    pub(super) directives: Vec<Directive>,
    pub(super) fields: Vec<FieldDefinition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Type,
    Interface,
}

#[derive(Debug)]
pub(super) struct FieldDefinition {
    pub(super) comments: Vec<String>,
    pub(super) name: String,
    /// With its marks: `[Movie!]!`.
    pub(super) r#type: String,
    pub(super) directives: Vec<Directive>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directive {
    pub(super) name: &'static str,
    pub(super) arguments: Vec<(&'static str, Argument)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Argument {
    Text(String),
    /// A value of an enum.
    Word(&'static str),
    List(Vec<Argument>),
    Object(Vec<(&'static str, Argument)>),
}

impl Directive {
    pub(super) fn plain(name: &'static str) -> Self {
        Self { name, arguments: Vec::new() }
    }

    pub(super) fn with(
        name: &'static str,
        arguments: impl IntoIterator<Item = (&'static str, Argument)>,
    ) -> Self {
        Self { name, arguments: arguments.into_iter().collect() }
    }
}

impl Argument {
    pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.into())).collect())
    }
}
