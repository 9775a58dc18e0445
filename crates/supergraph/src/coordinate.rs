//! Schema coordinates: names of the parts of a schema.
//! <https://spec.graphql.org/draft/#sec-Schema-Coordinates>

use std::fmt;
use std::sync::Arc;

/// The coordinate of a part of a schema, or the schema itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coordinate {
    /// The schema itself, for its root types and directives. The specification has no coordinate for
    /// it.
    Schema,
    Type(Arc<str>),
    /// A field, an input field or an enum value.
    Member {
        r#type: Arc<str>,
        member: Arc<str>,
    },
    Argument {
        r#type: Arc<str>,
        field: Arc<str>,
        argument: Arc<str>,
    },
    Directive(Arc<str>),
    DirectiveArgument {
        directive: Arc<str>,
        argument: Arc<str>,
    },
}

impl Coordinate {
    pub(crate) fn of_type(r#type: &Arc<str>) -> Self {
        Self::Type(Arc::clone(r#type))
    }

    pub(crate) fn member(r#type: &Arc<str>, member: &Arc<str>) -> Self {
        Self::Member { r#type: Arc::clone(r#type), member: Arc::clone(member) }
    }

    pub(crate) fn argument(r#type: &Arc<str>, field: &Arc<str>, argument: &Arc<str>) -> Self {
        Self::Argument {
            r#type: Arc::clone(r#type),
            field: Arc::clone(field),
            argument: Arc::clone(argument),
        }
    }

    pub(crate) fn directive(directive: &Arc<str>) -> Self {
        Self::Directive(Arc::clone(directive))
    }

    pub(crate) fn directive_argument(directive: &Arc<str>, argument: &Arc<str>) -> Self {
        Self::DirectiveArgument { directive: Arc::clone(directive), argument: Arc::clone(argument) }
    }

    /// Returns the type that has the part; directives and the schema itself have none.
    pub(crate) fn parent_type(&self) -> Option<&Arc<str>> {
        match self {
            Self::Type(name) => Some(name),
            Self::Member { r#type, .. } | Self::Argument { r#type, .. } => Some(r#type),
            Self::Schema | Self::Directive(_) | Self::DirectiveArgument { .. } => None,
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema => f.write_str("schema"),
            Self::Type(name) => f.write_str(name),
            Self::Member { r#type, member } => write!(f, "{type}.{member}"),
            Self::Argument { r#type, field, argument } => {
                write!(f, "{type}.{field}({argument}:)")
            }
            Self::Directive(name) => write!(f, "@{name}"),
            Self::DirectiveArgument { directive, argument } => {
                write!(f, "@{directive}({argument}:)")
            }
        }
    }
}
