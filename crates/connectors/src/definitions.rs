//! The definitions of a subgraph, as far as connectors need them. Who has a parser fills them.

use serde_json::Value;

use crate::location::Location;
use crate::version::Version;

/// The definitions of a subgraph that links connectors.
#[derive(Clone, Debug)]
pub struct Definitions {
    pub version: Version,
    /// Names of the directives in the schema, with `@`.
    pub connect_name: Box<str>,
    pub source_name: Box<str>,
    /// `@source` of the schema.
    pub sources: Vec<Applied>,
    /// All types, with those of extensions merged, and without those of Federation.
    pub types: Vec<TypeDefinition>,
    /// Names of the root types.
    pub query: Option<Box<str>>,
    pub mutation: Option<Box<str>>,
    pub subscription: Option<Box<str>>,
    /// Applied directives of Federation that connectors do not support: `@context` and `@fromContext`,
    /// with their names.
    pub unsupported: Vec<(Box<str>, Location)>,
}

/// An applied directive.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// An object of its arguments. Names of enums are strings.
    pub arguments: Value,
    pub place: Location,
}

#[derive(Clone, Debug)]
pub struct TypeDefinition {
    pub name: Box<str>,
    pub place: Location,
    pub kind: Kind,
    /// `@connect` of the type.
    pub connects: Vec<Applied>,
    /// `@key` of the type.
    pub keys: Vec<Key>,
}

#[derive(Clone, Debug)]
pub enum Kind {
    /// A scalar of the schema: built-in ones have no definition.
    Scalar,
    Enum,
    Object {
        fields: Vec<FieldDefinition>,
        interfaces: Vec<Box<str>>,
    },
    Interface {
        fields: Vec<FieldDefinition>,
    },
    /// With the names of its members.
    Union(Vec<Box<str>>),
    InputObject(Vec<InputDefinition>),
}

/// `@key(fields:, resolvable:)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    pub fields: Box<str>,
    pub is_resolvable: bool,
    pub place: Location,
}

#[derive(Clone, Debug)]
pub struct FieldDefinition {
    pub name: Box<str>,
    pub place: Location,
    pub arguments: Vec<InputDefinition>,
    pub r#type: Type,
    /// `@connect` of the field.
    pub connects: Vec<Applied>,
    /// Other subgraphs resolve it.
    pub is_external: bool,
}

/// An argument, or a field of an input object.
#[derive(Clone, Debug)]
pub struct InputDefinition {
    pub name: Box<str>,
    pub r#type: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Named(Box<str>),
    List(Box<Self>),
    NonNull(Box<Self>),
}

impl Definitions {
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&TypeDefinition> {
        self.types.iter().find(|definition| &*definition.name == name)
    }

    /// Whether a type is that of a root.
    #[must_use]
    pub fn is_root(&self, name: &str) -> bool {
        [&self.query, &self.mutation, &self.subscription]
            .into_iter()
            .any(|root| root.as_deref() == Some(name))
    }

    /// The object types that a type may be.
    pub(crate) fn objects_of<'d>(
        &'d self,
        definition: &'d TypeDefinition,
    ) -> Vec<&'d TypeDefinition> {
        match &definition.kind {
            Kind::Object { .. } => vec![definition],
            Kind::Union(members) => members.iter().filter_map(|member| self.find(member)).collect(),
            Kind::Interface { .. } => {
                let implements = |candidate: &&TypeDefinition| {
                    matches!(&candidate.kind, Kind::Object { interfaces, .. }
                        if interfaces.contains(&definition.name))
                };
                self.types.iter().filter(implements).collect()
            }
            Kind::Scalar | Kind::Enum | Kind::InputObject(_) => Vec::new(),
        }
    }
}

impl TypeDefinition {
    /// The fields of an object or interface; other types have none.
    #[must_use]
    pub fn fields(&self) -> &[FieldDefinition] {
        match &self.kind {
            Kind::Object { fields, .. } | Kind::Interface { fields } => fields,
            Kind::Scalar | Kind::Enum | Kind::Union(_) | Kind::InputObject(_) => &[],
        }
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FieldDefinition> {
        self.fields().iter().find(|field| &*field.name == name)
    }

    pub(crate) fn is_abstract(&self) -> bool {
        matches!(self.kind, Kind::Interface { .. } | Kind::Union(_))
    }
}

impl Type {
    /// The name within lists.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::List(inner) | Self::NonNull(inner) => inner.name(),
        }
    }

    #[must_use]
    pub fn is_list(&self) -> bool {
        match self {
            Self::Named(_) => false,
            Self::List(_) => true,
            Self::NonNull(inner) => inner.is_list(),
        }
    }

    #[must_use]
    pub fn is_non_null(&self) -> bool {
        matches!(self, Self::NonNull(_))
    }
}
