//! Federation directives, with their locations.
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives>

use graphql::definitions::{Directive, DirectiveArgument, Literal};

/// A supported directive.
#[derive(Debug)]
pub(super) struct SupportedDirective {
    pub(super) name: &'static str,
    /// The minor version that introduced it.
    version: u16,
    pub(super) places: Places,
    /// Its arguments; true for required ones.
    pub(super) arguments: &'static [(&'static str, bool)],
}

/// Locations of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Places {
    Objects,
    Fields,
    /// Object types and their fields.
    ObjectsAndFields,
    /// Types of every kind, fields, values of enums and fields of input objects.
    All,
    /// The same but for values of enums and input objects.
    Guarded,
    /// Types of every kind that have values, and fields.
    Costs,
    /// The schema itself, and nothing in it.
    Schema,
}

/// The location of a use of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Object,
    Interface,
    /// Of an object type.
    Field,
    /// Of an interface.
    InterfaceField,
    Scalar,
    Enum,
    Union,
    InputObject,
    EnumValue,
    InputField,
}

/// The directives that an extension may apply.
pub(super) const KNOWN: &[SupportedDirective] = &[
    SupportedDirective {
        name: "authenticated",
        version: 5,
        places: Places::Guarded,
        arguments: &[],
    },
    SupportedDirective {
        name: "composeDirective",
        version: 1,
        places: Places::Schema,
        arguments: &[("name", true)],
    },
    SupportedDirective {
        name: "cost",
        version: 9,
        places: Places::Costs,
        arguments: &[("weight", true)],
    },
    SupportedDirective {
        name: "external",
        version: 0,
        places: Places::ObjectsAndFields,
        arguments: &[],
    },
    SupportedDirective { name: "inaccessible", version: 0, places: Places::All, arguments: &[] },
    SupportedDirective {
        name: "interfaceObject",
        version: 3,
        places: Places::Objects,
        arguments: &[],
    },
    SupportedDirective {
        name: "key",
        version: 0,
        places: Places::Objects,
        arguments: &[("fields", true), ("resolvable", false)],
    },
    SupportedDirective {
        name: "listSize",
        version: 9,
        places: Places::Fields,
        arguments: &[
            ("assumedSize", false),
            ("slicingArguments", false),
            ("sizedFields", false),
            ("requireOneSlicingArgument", false),
        ],
    },
    SupportedDirective {
        name: "override",
        version: 0,
        places: Places::Fields,
        arguments: &[("from", true), ("label", false)],
    },
    SupportedDirective {
        name: "policy",
        version: 6,
        places: Places::Guarded,
        arguments: &[("policies", true)],
    },
    SupportedDirective {
        name: "provides",
        version: 0,
        places: Places::Fields,
        arguments: &[("fields", true)],
    },
    SupportedDirective {
        name: "requires",
        version: 0,
        places: Places::Fields,
        arguments: &[("fields", true)],
    },
    SupportedDirective {
        name: "requiresScopes",
        version: 5,
        places: Places::Guarded,
        arguments: &[("scopes", true)],
    },
    SupportedDirective {
        name: "shareable",
        version: 0,
        places: Places::ObjectsAndFields,
        arguments: &[],
    },
    SupportedDirective {
        name: "tag",
        version: 0,
        places: Places::All,
        arguments: &[("name", true)],
    },
];

impl SupportedDirective {
    /// The minor version of the specification that a use of it needs.
    pub(super) fn since(&self, directive: &Directive) -> u16 {
        let has_label = directive.arguments.iter().any(|argument| &*argument.name == "label");
        if self.name == "override" && has_label { self.version.max(7) } else { self.version }
    }

    /// Checks the arguments of a use of it; returns the error.
    pub(super) fn check_arguments(&self, directive: &Directive) -> Result<(), String> {
        let name = self.name;
        for argument in &directive.arguments {
            if !self.arguments.iter().any(|(own, _)| *own == &*argument.name) {
                return Err(format!("`@{name}` has no argument `{}`.", argument.name));
            }
        }
        for (own, _) in self.arguments.iter().filter(|(_, required)| *required) {
            if !directive.arguments.iter().any(|argument| &*argument.name == *own) {
                return Err(format!("`@{name}` needs its argument `{own}`."));
            }
        }
        Ok(())
    }

    pub(super) fn may_stand(&self, place: Place) -> bool {
        match self.places {
            Places::Objects => place == Place::Object,
            Places::Fields => place == Place::Field,
            Places::ObjectsAndFields => matches!(place, Place::Object | Place::Field),
            Places::All => true,
            Places::Guarded => matches!(
                place,
                Place::Object | Place::Interface | Place::Field | Place::Scalar | Place::Enum
            ),
            Places::Costs => matches!(
                place,
                Place::Object | Place::Field | Place::Scalar | Place::Enum | Place::InputField
            ),
            Places::Schema => false,
        }
    }
}

impl Place {
    /// The location's name in GraphQL.
    /// <https://spec.graphql.org/draft/#TypeSystemDirectiveLocation>
    pub(super) fn location(self) -> &'static str {
        match self {
            Self::Object => "OBJECT",
            Self::Interface => "INTERFACE",
            Self::Field | Self::InterfaceField => "FIELD_DEFINITION",
            Self::Scalar => "SCALAR",
            Self::Enum => "ENUM",
            Self::Union => "UNION",
            Self::InputObject => "INPUT_OBJECT",
            Self::EnumValue => "ENUM_VALUE",
            Self::InputField => "INPUT_FIELD_DEFINITION",
        }
    }
}

/// A generated directive.
pub(super) fn directive(
    name: &str,
    arguments: impl IntoIterator<Item = DirectiveArgument>,
) -> Directive {
    let arguments = arguments.into_iter().collect();
    Directive { name: name.into(), line: 0, column: 0, arguments }
}

pub(super) fn argument(name: &str, text: &str) -> DirectiveArgument {
    generated(name, Literal::String(text.into()))
}

pub(super) fn strings(name: &str, texts: &[String]) -> DirectiveArgument {
    let texts = texts.iter().map(|text| Literal::String(text.as_str().into()));
    generated(name, Literal::List(texts.collect()))
}

pub(super) fn generated(name: &str, value: Literal) -> DirectiveArgument {
    DirectiveArgument { name: name.into(), line: 0, column: 0, value, strings: Vec::new() }
}
