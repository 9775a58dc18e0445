//! Directives: their versions, locations and arguments.

use graphql::definitions::problem::{At, Problems, alternatives, remedy};
use graphql::definitions::{Directive, DirectiveArgument, Literal};

use super::version::Version;

/// Directives of datamodels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    CreatedAt,
    Db,
    Default,
    Id,
    PgColumn,
    PgRelation,
    PgRelationTable,
    PgTable,
    Relation,
    RelationTable,
    Rename,
    ScalarList,
    Sequence,
    Unique,
    UpdatedAt,
}

/// Locations of directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    Type,
    Field,
    Enum,
    EnumValue,
}

impl Location {
    fn plural(self) -> &'static str {
        match self {
            Self::Type => "types",
            Self::Field => "fields",
            Self::Enum => "enums",
            Self::EnumValue => "values of enums",
        }
    }
}

/// Versions of the datamodel that have a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Versions {
    Both,
    /// Version 1.0 only; with the directive that version 1.1 has instead.
    First(&'static str),
    /// Version 1.1 only.
    Second,
}

struct Specification {
    known: Known,
    name: &'static str,
    versions: Versions,
    locations: &'static [Location],
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

/// Whether a directive is one of version 1.1 only, if it has its own arguments there.
pub(super) fn is_second(directive: &Directive) -> bool {
    match SPECIFICATIONS.iter().find(|one| one.name == &*directive.name) {
        Some(specification) => {
            specification.versions == Versions::Second || find_argument(directive, "link").is_some()
        }
        None => false,
    }
}

/// The directives that were applied at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Applied<'d>(Vec<(Known, &'d Directive)>);

impl<'d> Applied<'d> {
    /// Reads the directives of a place.
    pub(super) fn read(
        version: Version,
        location: Location,
        at: At<'_>,
        directives: &'d [Directive],
        problems: &mut Problems,
    ) -> Self {
        let mut applied: Vec<(Known, &'d Directive)> = Vec::new();
        for directive in directives {
            let at = at.directive(directive);
            let Some(own) = SPECIFICATIONS.iter().find(|one| one.name == &*directive.name) else {
                refuse_unknown(at, &directive.name, problems);
                continue;
            };
            if !own.locations.contains(&location) {
                let locations: Vec<&str> = own.locations.iter().map(|one| one.plural()).collect();
                let message = format!(
                    "`@{}` does not apply to {}: remove it, it belongs to {}",
                    directive.name,
                    location.plural(),
                    alternatives(&locations),
                );
                problems.refuse(at, message);
                continue;
            }
            if let (Versions::First(instead), Version::Second) = (own.versions, version) {
                let message = format!(
                    "`@{}` belongs to datamodels of version 1.0, and others here to version 1.1: \
                     write `{instead}`",
                    directive.name
                );
                problems.refuse(at, message);
                continue;
            }
            if applied.iter().any(|(known, _)| *known == own.known) {
                let message = format!("`@{}` is applied twice: keep one of both", directive.name);
                problems.refuse(at, message);
                continue;
            }
            check_arguments(at, own, directive, problems);
            applied.push((own.known, directive));
        }
        Self(applied)
    }

    pub(super) fn find(&self, known: Known) -> Option<&'d Directive> {
        self.0.iter().find(|(one, _)| *one == known).map(|(_, directive)| *directive)
    }

    pub(super) fn has(&self, known: Known) -> bool {
        self.find(known).is_some()
    }

    /// Refuses the directives of a place that have no meaning there.
    pub(super) fn refuse(
        &self,
        at: At<'_>,
        known: &[Known],
        reason: &str,
        problems: &mut Problems,
    ) {
        for (_, directive) in self.0.iter().filter(|(one, _)| known.contains(one)) {
            let message = format!("`@{}` {reason}: remove it", directive.name);
            problems.refuse(at.directive(directive), message);
        }
    }

    /// The text of an argument of a directive; another value, or an empty text, is a mistake.
    pub(super) fn text(
        &self,
        at: At<'_>,
        known: Known,
        name: &str,
        problems: &mut Problems,
    ) -> Option<&'d str> {
        let directive = self.find(known)?;
        let argument = find_argument(directive, name)?;
        let message = match &argument.value {
            Literal::String(text) if !text.is_empty() => return Some(text),
            Literal::String(_) => {
                format!("`{name}` of `@{}` is empty: write a name", directive.name)
            }
            _ => format!("`{name}` of `@{}` is no text: write it in quotes", directive.name),
        };
        problems.refuse(at.argument(argument), message);
        None
    }

    /// An integer argument of a directive; another value is a mistake.
    pub(super) fn integer(
        &self,
        at: At<'_>,
        known: Known,
        name: &str,
        problems: &mut Problems,
    ) -> Option<i64> {
        let directive = self.find(known)?;
        let argument = find_argument(directive, name)?;
        let value = match &argument.value {
            Literal::Int(digits) => digits.parse().ok().filter(|value| *value > 0),
            _ => None,
        };
        if value.is_none() {
            let message =
                format!("`{name}` of `@{}` is no positive integer: write one", directive.name);
            problems.refuse(at.argument(argument), message);
        }
        value
    }

    /// One of the words of an argument of a directive, with or without quotes; another value is a
    /// mistake.
    pub(super) fn word<T: Copy>(
        &self,
        at: At<'_>,
        known: Known,
        name: &str,
        words: &[(&str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        let directive = self.find(known)?;
        let argument = find_argument(directive, name)?;
        let word = match &argument.value {
            Literal::Enum(word) | Literal::String(word) => Some(&**word),
            _ => None,
        };
        if let Some((_, value)) = words.iter().find(|(known, _)| Some(*known) == word) {
            return Some(*value);
        }
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!(
            "`{name}` of `@{}` has another value than it may: write {}",
            directive.name,
            alternatives(&words)
        );
        problems.refuse(at.argument(argument), message);
        None
    }
}

pub(super) fn find_argument<'d>(
    directive: &'d Directive,
    name: &str,
) -> Option<&'d DirectiveArgument> {
    directive.arguments.iter().find(|argument| &*argument.name == name)
}

fn refuse_unknown(at: At<'_>, name: &str, problems: &mut Problems) {
    let message = match name {
        "embedded" => "`@embedded` is for documents of MongoDB, tables have no embedded types: \
                       remove it, give the type an id, and its field a relation"
            .to_owned(),
        "mongoCollection" => {
            "`@mongoCollection` is for MongoDB: write `@db(name:)` for the name of a table"
                .to_owned()
        }
        "index" | "indexes" => {
            format!("`@{name}` is not read: remove it, and create the index in the database")
        }
        "isUnique" => "`@isUnique` has another name: write `@unique`".to_owned(),
        "defaultValue" | "migrationValue" => {
            format!("`@{name}` has another name: write `@default(value:)`")
        }
        "deprecated" => "`@deprecated` has no meaning in a datamodel: remove it".to_owned(),
        _ => {
            let known = SPECIFICATIONS.iter().map(|one| one.name);
            format!("`@{name}` is unknown: {}", remedy(name, known, "remove it"))
        }
    };
    problems.refuse(at, message);
}

fn check_arguments(
    at: At<'_>,
    own: &Specification,
    directive: &Directive,
    problems: &mut Problems,
) {
    let known = || own.required.iter().chain(own.optional).copied();
    for (idx, argument) in directive.arguments.iter().enumerate() {
        let at = at.argument(argument);
        if !known().any(|name| name == &*argument.name) {
            let otherwise = match known().collect::<Vec<_>>().as_slice() {
                [] => "remove it, there are none".to_owned(),
                known => format!("use {}", alternatives(known)),
            };
            let remedy = remedy(&argument.name, known(), &otherwise);
            let message =
                format!("`@{}` has no argument `{}`: {remedy}", directive.name, argument.name);
            problems.refuse(at, message);
        } else if directive.arguments[..idx].iter().any(|one| one.name == argument.name) {
            problems.refuse(at, format!("`{}` is given twice: keep one of both", argument.name));
        }
    }
    for name in own.required.iter().filter(|name| find_argument(directive, name).is_none()) {
        let message = format!(
            "`@{}` has no argument `{name}`: write `@{}({name}: …)`",
            directive.name, directive.name
        );
        problems.refuse(at, message);
    }
}

const SPECIFICATIONS: &[Specification] = &[
    Specification {
        known: Known::CreatedAt,
        name: "createdAt",
        versions: Versions::Second,
        locations: &[Location::Field],
        required: &[],
        optional: &[],
    },
    Specification {
        known: Known::Db,
        name: "db",
        versions: Versions::Second,
        locations: &[Location::Type, Location::Field],
        required: &["name"],
        optional: &[],
    },
    Specification {
        known: Known::Default,
        name: "default",
        versions: Versions::Both,
        locations: &[Location::Field],
        required: &["value"],
        optional: &[],
    },
    Specification {
        known: Known::Id,
        name: "id",
        versions: Versions::Second,
        locations: &[Location::Field],
        required: &[],
        optional: &["strategy"],
    },
    Specification {
        known: Known::PgColumn,
        name: "pgColumn",
        versions: Versions::First("@db(name:)"),
        locations: &[Location::Field],
        required: &["name"],
        optional: &[],
    },
    Specification {
        known: Known::PgRelation,
        name: "pgRelation",
        versions: Versions::First("@relation(link: INLINE) @db(name:)"),
        locations: &[Location::Field],
        required: &["column"],
        optional: &[],
    },
    Specification {
        known: Known::PgRelationTable,
        name: "pgRelationTable",
        versions: Versions::First("@relation(name:, link: TABLE)` and a type with `@relationTable"),
        locations: &[Location::Field],
        required: &["table", "relationColumn", "targetColumn"],
        optional: &[],
    },
    Specification {
        known: Known::PgTable,
        name: "pgTable",
        versions: Versions::First("@db(name:)"),
        locations: &[Location::Type],
        required: &["name"],
        optional: &[],
    },
    Specification {
        known: Known::Relation,
        name: "relation",
        versions: Versions::Both,
        locations: &[Location::Field],
        required: &[],
        optional: &["name", "link", "onDelete", "oldName"],
    },
    Specification {
        known: Known::RelationTable,
        name: "relationTable",
        versions: Versions::Second,
        locations: &[Location::Type],
        required: &[],
        optional: &[],
    },
    Specification {
        known: Known::Rename,
        name: "rename",
        versions: Versions::Both,
        locations: &[Location::Type, Location::Field, Location::Enum],
        required: &["oldName"],
        optional: &[],
    },
    Specification {
        known: Known::ScalarList,
        name: "scalarList",
        versions: Versions::Second,
        locations: &[Location::Field],
        required: &["strategy"],
        optional: &[],
    },
    Specification {
        known: Known::Sequence,
        name: "sequence",
        versions: Versions::Second,
        locations: &[Location::Field],
        required: &["name", "initialValue", "allocationSize"],
        optional: &[],
    },
    Specification {
        known: Known::Unique,
        name: "unique",
        versions: Versions::Both,
        locations: &[Location::Field],
        required: &[],
        optional: &[],
    },
    Specification {
        known: Known::UpdatedAt,
        name: "updatedAt",
        versions: Versions::Second,
        locations: &[Location::Field],
        required: &[],
        optional: &[],
    },
];
