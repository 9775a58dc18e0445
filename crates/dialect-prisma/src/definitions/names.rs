//! Names of types and enums, and what they may be.

use graphql::definitions::problem::{At, Problems, remedy};
use graphql::definitions::{
    Definitions, EnumValueDefinition, FieldDefinition, TypeBody, TypeDefinition,
};
use rustc_hash::FxHashMap;

use super::directives::{Applied, Known, Location};
use super::version::Version;
use crate::model::{Enum, EnumIndex, ScalarType, TypeIndex};

/// The most characters of a value of an enum.
const MAX_VALUE_LENGTH: usize = 191;

/// The most characters of a relation's name.
pub(super) const MAX_RELATION_NAME_LENGTH: usize = 54;

/// Types that the API always has.
const RESERVED: &[&str] =
    &["BatchPayload", "Mutation", "Node", "PageInfo", "Query", "Subscription"];

const SCALARS: &[(&str, ScalarType)] = &[
    ("ID", ScalarType::Id),
    ("String", ScalarType::String),
    ("Int", ScalarType::Int),
    ("Float", ScalarType::Float),
    ("Boolean", ScalarType::Boolean),
    ("DateTime", ScalarType::DateTime),
    ("Json", ScalarType::Json),
    ("UUID", ScalarType::Uuid),
];

/// The definitions by their kinds, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Names<'d> {
    /// By [`TypeIndex`].
    pub(super) types: Vec<Declared<'d>>,
    /// Types with `@relationTable`.
    pub(super) links: Vec<Declared<'d>>,
    enums: Vec<&'d TypeDefinition>,
    meanings: FxHashMap<&'d str, Meaning>,
}

/// A type with its fields and directives.
#[derive(Clone, Debug)]
pub(super) struct Declared<'d> {
    pub(super) definition: &'d TypeDefinition,
    pub(super) fields: &'d [FieldDefinition],
    pub(super) applied: Applied<'d>,
}

/// The meaning of a type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Scalar(ScalarType),
    Type(TypeIndex),
    /// A type with `@relationTable`.
    Link,
    /// A definition that is refused.
    Refused,
}

impl<'d> Names<'d> {
    pub(super) fn new(
        definitions: &'d Definitions,
        version: Version,
        problems: &mut Problems,
    ) -> Self {
        for schema in &definitions.schemas {
            let message = "`schema` has no meaning in a datamodel, the root types are generated: \
                           remove it";
            problems.refuse(At::definitions(schema.line, 1), message);
        }
        for directive in &definitions.directives {
            let at = At::definitions(directive.line, directive.column);
            problems.refuse(at, "a datamodel defines no directives: remove the definition");
        }
        let mut names = Self::default();
        let mut lines: FxHashMap<String, usize> = FxHashMap::default();
        for definition in &definitions.types {
            let at = At::r#type(definition);
            // As in Prisma, names differ in more than their case: tables of some databases do not.
            if let Some(line) = lines.insert(definition.name.to_lowercase(), definition.line) {
                let message = format!(
                    "a definition on line {line} has this name, in whatever case: give one of \
                     both another name"
                );
                problems.refuse(at, message);
                continue;
            }
            check_name(at, &definition.name, problems);
            names.add(definition, version, problems);
        }
        names
    }

    fn add(&mut self, definition: &'d TypeDefinition, version: Version, problems: &mut Problems) {
        let at = At::r#type(definition);
        let meaning = match &definition.body {
            _ if definition.is_extension => {
                problems.refuse(at, "a datamodel has no extensions: write it as one definition");
                Meaning::Refused
            }
            TypeBody::Object(composite) => {
                if let Some(interface) = composite.interfaces.first() {
                    let message = "types implement no interfaces but `Node`, which is generated: \
                                   remove `implements`";
                    problems.refuse(at.named(interface), message);
                }
                let directives = &definition.directives;
                let applied = Applied::read(version, Location::Type, at, directives, problems);
                let is_link = applied.has(Known::RelationTable);
                let declared = Declared { definition, fields: &composite.fields, applied };
                match is_link {
                    true => {
                        self.links.push(declared);
                        Meaning::Link
                    }
                    false => {
                        self.types.push(declared);
                        Meaning::Type(TypeIndex(self.types.len() - 1))
                    }
                }
            }
            TypeBody::Enum(_) => {
                self.enums.push(definition);
                Meaning::Scalar(ScalarType::Enum(EnumIndex(self.enums.len() - 1)))
            }
            TypeBody::Scalar => refuse_kind(at, "scalars", problems),
            TypeBody::Interface(_) => refuse_kind(at, "interfaces", problems),
            TypeBody::Union(_) => refuse_kind(at, "unions", problems),
            TypeBody::InputObject(_) => refuse_kind(at, "input types", problems),
        };
        self.meanings.insert(&definition.name, meaning);
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        match SCALARS.iter().find(|(known, _)| *known == name) {
            Some((_, scalar)) => Some(Meaning::Scalar(*scalar)),
            None => self.meanings.get(name).copied(),
        }
    }

    pub(super) fn type_name(&self, index: TypeIndex) -> &'d str {
        &self.types[index.0].definition.name
    }

    pub(super) fn refuse_undefined(&self, at: At<'_>, name: &str, problems: &mut Problems) {
        let known = SCALARS.iter().map(|(name, _)| *name).chain(self.meanings.keys().copied());
        let otherwise = format!("define it, as in `type {name} {{ … }}` or `enum {name} {{ … }}`");
        let remedy = remedy(name, known, &otherwise);
        problems.refuse(at, format!("there is no type or enum `{name}`: {remedy}"));
    }

    pub(super) fn enums(&self, version: Version, problems: &mut Problems) -> Vec<Enum> {
        let enums = self.enums.iter().map(|definition| {
            let at = At::r#type(definition);
            let directives = &definition.directives;
            let applied = Applied::read(version, Location::Enum, at, directives, problems);
            // The columns have texts, so that nothing is renamed in the database.
            applied.text(at, Known::Rename, "oldName", problems);
            let values = match &definition.body {
                TypeBody::Enum(values) => values.as_slice(),
                _ => &[],
            };
            let values = enum_values(at, values, version, problems);
            Enum {
                name: (&*definition.name).into(),
                description: definition.description.as_deref().map(Into::into),
                labels: values.clone(),
                values,
            }
        });
        enums.collect()
    }
}

fn refuse_kind(at: At<'_>, plural: &str, problems: &mut Problems) -> Meaning {
    problems.refuse(at, format!("a datamodel has types and enums, and no {plural}: remove it"));
    Meaning::Refused
}

fn check_name(at: At<'_>, name: &str, problems: &mut Problems) {
    if RESERVED.contains(&name) || SCALARS.iter().any(|(scalar, _)| *scalar == name) {
        let message = format!("the API has a type `{name}` of its own: choose another name");
        problems.refuse(at, message);
    }
    check_introspection(at, name, problems);
}

/// Refuses names that belong to introspection.
pub(super) fn check_introspection(at: At<'_>, name: &str, problems: &mut Problems) {
    if name.starts_with("__") {
        problems.refuse(
            at,
            "names with two underscores at their beginning are GraphQL's own: \
                             choose another name",
        );
    }
}

fn enum_values(
    at: At<'_>,
    values: &[EnumValueDefinition],
    version: Version,
    problems: &mut Problems,
) -> Vec<Box<str>> {
    for (idx, value) in values.iter().enumerate() {
        let at = at.member((value.line, value.column), &value.name);
        Applied::read(version, Location::EnumValue, at, &value.directives, problems);
        if values[..idx].iter().any(|one| one.name == value.name) {
            problems.refuse(at, "the enum has this value already: remove it");
        }
        if !value.name.starts_with(|first: char| first.is_ascii_uppercase()) {
            let message = "a value of an enum begins with a capital letter: write it so, for \
                           instance in capitals";
            problems.refuse(at, message);
        } else if value.name.len() > MAX_VALUE_LENGTH {
            let message =
                format!("the value is longer than {MAX_VALUE_LENGTH} characters: shorten it");
            problems.refuse(at, message);
        }
    }
    values.iter().map(|value| (&*value.name).into()).collect()
}

/// Whether a text is the name of a relation: a capital letter, then letters, digits and underscores.
pub(crate) fn is_relation_name(name: &str) -> bool {
    name.len() <= MAX_RELATION_NAME_LENGTH
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
}
