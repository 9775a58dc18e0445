//! Schema coordinates: names of the parts of a schema.
//! <https://spec.graphql.org/draft/#sec-Schema-Coordinates>

use std::fmt;
use std::str::FromStr;
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

/// A text that is no coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateError;

impl fmt::Display for CoordinateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a schema coordinate is wanted, such as `Type`, `Type.field` or `Type.field(argument:)`",
        )
    }
}

impl FromStr for Coordinate {
    type Err = CoordinateError;

    /// Reads a coordinate as it is displayed, except that of the schema itself.
    fn from_str(text: &str) -> Result<Self, CoordinateError> {
        let name = |text: &str| -> Result<Arc<str>, CoordinateError> {
            let is_of_name = |one: char| one == '_' || one.is_ascii_alphanumeric();
            let is_name = !text.is_empty()
                && !text.starts_with(|first: char| first.is_ascii_digit())
                && text.chars().all(is_of_name);
            if is_name { Ok(text.into()) } else { Err(CoordinateError) }
        };
        let (element, argument) = match text.split_once('(') {
            Some((element, rest)) => {
                let argument = rest.strip_suffix(":)").ok_or(CoordinateError)?;
                (element, Some(name(argument)?))
            }
            None => (text, None),
        };
        if let Some(directive) = element.strip_prefix('@') {
            let directive = name(directive)?;
            return Ok(match argument {
                Some(argument) => Self::DirectiveArgument { directive, argument },
                None => Self::Directive(directive),
            });
        }
        match (element.split_once('.'), argument) {
            (None, None) => Ok(Self::Type(name(element)?)),
            (None, Some(_)) => Err(CoordinateError),
            (Some((r#type, member)), None) => {
                Ok(Self::Member { r#type: name(r#type)?, member: name(member)? })
            }
            (Some((r#type, field)), Some(argument)) => {
                Ok(Self::Argument { r#type: name(r#type)?, field: name(field)?, argument })
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_read_as_they_are_displayed() {
        for text in ["A", "A.b", "A.b(c:)", "@d", "@d(e:)", "_A1.b_2"] {
            let read = text.parse::<Coordinate>();
            assert_eq!(read.map(|one| one.to_string()).as_deref(), Ok(text));
        }
        let wrong = [
            "", ".", "A.", ".b", "A.b.c", "A(c:)", "A.b(c)", "A.b(:)", "A.b(c:", "@", "1A", "A b",
            "ü",
        ];
        for text in wrong {
            assert_eq!(text.parse::<Coordinate>(), Err(CoordinateError), "{text}");
        }
    }
}
