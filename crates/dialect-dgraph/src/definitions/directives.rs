//! Directives: their locations and arguments.

use graphql::definitions::problem::{At, Problems, alternatives, remedy};
use graphql::definitions::{Directive, DirectiveArgument, Literal};

use super::types::Types;

/// Directives of type definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Auth,
    Custom,
    Default,
    Deprecated,
    Dgraph,
    Embedding,
    Extends,
    External,
    Generate,
    HasInverse,
    Id,
    Key,
    Lambda,
    LambdaOnMutate,
    Provides,
    Remote,
    RemoteResponse,
    Requires,
    Search,
    Secret,
    WithSubscription,
}

/// Locations of directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Object,
    Interface,
    Union,
    Enum,
    Input,
    Field,
    EnumValue,
    /// An argument, or a member of an input type.
    InputValue,
}

impl Location {
    fn plural(self) -> &'static str {
        match self {
            Self::Object => "types",
            Self::Interface => "interfaces",
            Self::Union => "unions",
            Self::Enum => "enums",
            Self::Input => "input types",
            Self::Field => "fields",
            Self::EnumValue => "values of enums",
            Self::InputValue => "arguments",
        }
    }
}

struct Specification {
    known: Known,
    name: &'static str,
    locations: &'static [Location],
    arguments: &'static [&'static str],
}

/// The directives that were applied at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Applied<'d>(Vec<(Known, &'d Directive)>);

impl<'d> Applied<'d> {
    /// Reads the directives of a place. Those that the text defines itself have no meaning.
    pub(super) fn read(
        types: &Types<'_>,
        location: Location,
        at: At<'_>,
        directives: &'d [Directive],
        problems: &mut Problems,
    ) -> Self {
        let mut applied: Vec<(Known, &'d Directive)> = Vec::new();
        for directive in directives {
            let at = at.directive(directive);
            let Some(specification) =
                SPECIFICATIONS.iter().find(|one| one.name == &*directive.name)
            else {
                if !types.own_directives.contains(&*directive.name) {
                    refuse_unknown(at, &directive.name, problems);
                }
                continue;
            };
            if !specification.locations.contains(&location) {
                let locations: Vec<&str> =
                    specification.locations.iter().map(|location| location.plural()).collect();
                let message = format!(
                    "`@{}` does not apply to {}: remove it, it belongs to {}",
                    directive.name,
                    location.plural(),
                    alternatives(&locations),
                );
                problems.refuse(at, message);
                continue;
            }
            if applied.iter().any(|(known, _)| *known == specification.known) {
                let message = format!("`@{}` is applied twice: keep one of both", directive.name);
                problems.refuse(at, message);
                continue;
            }
            check_arguments(at, specification, directive, problems);
            applied.push((specification.known, directive));
        }
        Self(applied)
    }

    pub(super) fn find(&self, known: Known) -> Option<&'d Directive> {
        self.0.iter().find(|(one, _)| *one == known).map(|(_, directive)| *directive)
    }

    pub(super) fn has(&self, known: Known) -> bool {
        self.find(known).is_some()
    }
}

pub(super) fn find_argument<'d>(
    directive: &'d Directive,
    name: &str,
) -> Option<&'d DirectiveArgument> {
    directive.arguments.iter().find(|argument| &*argument.name == name)
}

/// The text of an argument, in quotes or, as Dgraph accepts it, without.
pub(super) fn text_or_name(argument: &DirectiveArgument) -> Option<&str> {
    match &argument.value {
        Literal::String(text) | Literal::Enum(text) => Some(text),
        Literal::Null
        | Literal::Boolean(_)
        | Literal::Int(_)
        | Literal::Float(_)
        | Literal::List(_)
        | Literal::Object(_) => None,
    }
}

/// The text of an argument in quotes; anything else is a mistake. `None` for an empty text.
pub(super) fn require_text<'d>(
    at: At<'_>,
    directive: &'d Directive,
    name: &str,
    example: &str,
    problems: &mut Problems,
) -> Option<&'d str> {
    let subject = format!("`@{}`", directive.name);
    let message = match find_argument(directive, name) {
        None => format!("{subject} has no argument `{name}`: write `{example}`"),
        Some(argument) => match &argument.value {
            Literal::String(text) if !text.is_empty() => return Some(text),
            Literal::String(_) => {
                format!("the argument `{name}` of {subject} is empty: write `{example}`")
            }
            _ => format!("the argument `{name}` of {subject} is no text: write `{example}`"),
        },
    };
    problems.refuse(at.directive(directive), message);
    None
}

/// A boolean argument; absent and null are `None`.
pub(super) fn boolean(
    at: At<'_>,
    directive: &Directive,
    name: &str,
    problems: &mut Problems,
) -> Option<bool> {
    let argument = find_argument(directive, name)?;
    match argument.value {
        Literal::Boolean(value) => Some(value),
        Literal::Null => None,
        _ => {
            let message =
                format!("`{name}` of `@{}` is no boolean: write true or false", directive.name);
            problems.refuse(at.argument(argument), message);
            None
        }
    }
}

fn refuse_unknown(at: At<'_>, name: &str, problems: &mut Problems) {
    let message = match name {
        "cascade" | "cacheControl" | "include" | "skip" => {
            format!("`@{name}` belongs to queries, not to definitions: remove it here")
        }
        _ => {
            let known = SPECIFICATIONS.iter().map(|one| one.name);
            let otherwise = format!("remove it, or define it: `directive @{name} on …`");
            format!("`@{name}` is unknown: {}", remedy(name, known, &otherwise))
        }
    };
    problems.refuse(at, message);
}

fn check_arguments(
    at: At<'_>,
    specification: &Specification,
    directive: &Directive,
    problems: &mut Problems,
) {
    for (idx, argument) in directive.arguments.iter().enumerate() {
        let at = at.argument(argument);
        if !specification.arguments.contains(&&*argument.name) {
            let otherwise = match specification.arguments {
                [] => "remove it, there are none".to_owned(),
                known => format!("use {}", alternatives(known)),
            };
            let remedy =
                remedy(&argument.name, specification.arguments.iter().copied(), &otherwise);
            let message =
                format!("`@{}` has no argument `{}`: {remedy}", directive.name, argument.name);
            problems.refuse(at, message);
        } else if directive.arguments[..idx].iter().any(|one| one.name == argument.name) {
            problems.refuse(at, format!("`{}` is given twice: keep one of both", argument.name));
        }
    }
}

/// Names of directives that the text may not define.
pub(super) fn is_predefined(name: &str) -> bool {
    SPECIFICATIONS.iter().any(|one| one.name == name)
        || matches!(name, "cascade" | "cacheControl" | "include" | "skip" | "specifiedBy")
}

const COMPOSITES: &[Location] = &[Location::Object, Location::Interface];
const FIELDS: &[Location] = &[Location::Field];

const SPECIFICATIONS: &[Specification] = &[
    Specification {
        known: Known::Auth,
        name: "auth",
        locations: COMPOSITES,
        arguments: &["password", "query", "add", "update", "delete"],
    },
    Specification {
        known: Known::Custom,
        name: "custom",
        locations: FIELDS,
        arguments: &["http", "dql"],
    },
    Specification {
        known: Known::Default,
        name: "default",
        locations: FIELDS,
        arguments: &["add", "update"],
    },
    Specification {
        known: Known::Deprecated,
        name: "deprecated",
        locations: &[Location::Field, Location::EnumValue, Location::InputValue],
        arguments: &["reason"],
    },
    Specification {
        known: Known::Dgraph,
        name: "dgraph",
        locations: &[Location::Object, Location::Interface, Location::Field],
        arguments: &["type", "pred"],
    },
    Specification { known: Known::Embedding, name: "embedding", locations: FIELDS, arguments: &[] },
    Specification { known: Known::Extends, name: "extends", locations: COMPOSITES, arguments: &[] },
    Specification { known: Known::External, name: "external", locations: FIELDS, arguments: &[] },
    Specification {
        known: Known::Generate,
        name: "generate",
        locations: COMPOSITES,
        arguments: &["query", "mutation", "subscription"],
    },
    Specification {
        known: Known::HasInverse,
        name: "hasInverse",
        locations: FIELDS,
        arguments: &["field"],
    },
    Specification { known: Known::Id, name: "id", locations: FIELDS, arguments: &["interface"] },
    Specification { known: Known::Key, name: "key", locations: COMPOSITES, arguments: &["fields"] },
    Specification { known: Known::Lambda, name: "lambda", locations: FIELDS, arguments: &[] },
    Specification {
        known: Known::LambdaOnMutate,
        name: "lambdaOnMutate",
        locations: COMPOSITES,
        arguments: &["add", "update", "delete"],
    },
    Specification {
        known: Known::Provides,
        name: "provides",
        locations: FIELDS,
        arguments: &["fields"],
    },
    Specification {
        known: Known::Remote,
        name: "remote",
        locations: &[
            Location::Object,
            Location::Interface,
            Location::Union,
            Location::Input,
            Location::Enum,
        ],
        arguments: &[],
    },
    Specification {
        known: Known::RemoteResponse,
        name: "remoteResponse",
        locations: FIELDS,
        arguments: &["name"],
    },
    Specification {
        known: Known::Requires,
        name: "requires",
        locations: FIELDS,
        arguments: &["fields"],
    },
    Specification { known: Known::Search, name: "search", locations: FIELDS, arguments: &["by"] },
    Specification {
        known: Known::Secret,
        name: "secret",
        locations: COMPOSITES,
        arguments: &["field", "pred"],
    },
    Specification {
        known: Known::WithSubscription,
        name: "withSubscription",
        locations: &[Location::Object, Location::Interface, Location::Field],
        arguments: &[],
    },
];

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::refused;

    #[test]
    fn directives_have_locations_and_arguments() {
        let text = "type A @search @auth(read: {}) @cascade {\n\
                      b: String @serach @search(byy: [term]) @search(by: [term], by: [hash]) @search\n\
                      c(d: Int @id): String @embedding(of: 1)\n}\n\
                    enum E @generate { F @secret(field: \"g\") }\n\
                    union U @secret(field: \"p\") = A\ninput I @dgraph { j: Int }";
        refused(
            text,
            &expect![[r#"
            line 1, column 9: A: `@search` does not apply to types: remove it, it belongs to fields
            line 1, column 22: A: `@auth` has no argument `read`: use password, query, add, update or delete
            line 1, column 33: A: `@cascade` belongs to queries, not to definitions: remove it here
            line 2, column 12: A.b: `@serach` is unknown: did you mean search or dgraph?
            line 2, column 27: A.b: `@search` has no argument `byy`: did you mean by?
            line 2, column 41: A.b: `@search` is applied twice: keep one of both
            line 2, column 73: A.b: `@search` is applied twice: keep one of both
            line 3, column 1: A.c: an embedding is no String: give it the type `[Float!]`
            line 3, column 11: A.c: `@id` does not apply to arguments: remove it, it belongs to fields
            line 3, column 34: A.c: `@embedding` has no argument `of`: remove it, there are none
            line 5, column 9: E: `@generate` does not apply to enums: remove it, it belongs to types or interfaces
            line 5, column 23: E: `@secret` does not apply to values of enums: remove it, it belongs to types or interfaces
            line 6, column 10: U: `@secret` does not apply to unions: remove it, it belongs to types or interfaces
            line 7, column 10: I: `@dgraph` does not apply to input types: remove it, it belongs to types, interfaces or fields
        "#]],
        );
    }

    #[test]
    fn directives_of_the_text_itself_have_no_meaning() {
        refused(
            "directive @mine on OBJECT\ndirective @id on OBJECT\ntype A @mine @others { b: String }",
            &expect![[r#"
                line 2, column 12: definitions: `@id` is predefined: remove its definition
                line 3, column 15: A: `@others` is unknown: remove it, or define it: `directive @others on …`
            "#]],
        );
    }
}
