//! Authorization requirements: `@authenticated`, `@requiresScopes` and `@policy`.
//! <https://www.apollographql.com/docs/graphos/routing/security/authorization>

use std::sync::Arc;

use graphql::definitions::{Directive, Literal, TypeBody};
use graphql::schema::{FieldId, TypeId};
use rustc_hash::FxHashMap;

use super::links::{Guard, Meaning, argument};
use super::read::Reader;

/// Index of a requirement in its supergraph; equal requirements have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequirementId(u32);

impl RequirementId {
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Requirement of one directive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// `@authenticated`: the client must be authenticated.
    Authenticated,
    /// `@requiresScopes`
    Scopes(Alternatives),
    /// `@policy`
    Policies(Alternatives),
}

/// Alternative lists of names: a client needs all names of one list. Without a list there is no
/// requirement.
pub type Alternatives = Vec<Vec<Arc<str>>>;

/// Requirements of the types and fields of a supergraph.
#[derive(Debug, Default)]
pub struct Requirements {
    all: Vec<Requirement>,
    types: FxHashMap<TypeId, Vec<RequirementId>>,
    fields: FxHashMap<FieldId, Vec<RequirementId>>,
}

impl Requirements {
    /// Whether there are no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns all requirements.
    pub fn iter(&self) -> impl Iterator<Item = (RequirementId, &Requirement)> {
        (0..).map(RequirementId).zip(&self.all)
    }

    /// Returns the requirements of a type; all must be met.
    #[must_use]
    pub fn of_type(&self, id: TypeId) -> &[RequirementId] {
        self.types.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the requirements of a field beside those of its types; all must be met.
    #[must_use]
    pub fn of_field(&self, id: FieldId) -> &[RequirementId] {
        self.fields.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Reads all requirements. A directive at a place where it has no effect is an error: its author
/// believes that something is protected.
pub(super) fn requirements(reader: &mut Reader<'_>) -> Requirements {
    let mut reading =
        Reading { reader, requirements: Requirements::default(), known: FxHashMap::default() };
    let types = reading.reader.types.clone();
    for (id, written) in types {
        match &written.body {
            TypeBody::Scalar => reading.read_type(id, &written.directives),
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                reading.read_type(id, &written.directives);
                for field in &composite.fields {
                    for argument in &field.arguments {
                        reading.refuse(&argument.directives);
                    }
                    let Some(field_id) = reading.reader.schema.find_field(id, &field.name) else {
                        continue;
                    };
                    for requirement in reading.of(&field.directives) {
                        let all = reading.requirements.fields.entry(field_id).or_default();
                        all.push(requirement);
                    }
                }
            }
            TypeBody::Enum(values) => {
                reading.read_type(id, &written.directives);
                for value in values {
                    reading.refuse(&value.directives);
                }
            }
            TypeBody::Union(_) => reading.refuse(&written.directives),
            TypeBody::InputObject(inputs) => {
                reading.refuse(&written.directives);
                for input in inputs {
                    reading.refuse(&input.directives);
                }
            }
        }
    }
    reading.requirements
}

struct Reading<'r, 'd> {
    reader: &'r mut Reader<'d>,
    requirements: Requirements,
    known: FxHashMap<Requirement, RequirementId>,
}

impl Reading<'_, '_> {
    fn read_type(&mut self, id: TypeId, directives: &[Directive]) {
        for requirement in self.of(directives) {
            self.requirements.types.entry(id).or_default().push(requirement);
        }
    }

    fn of(&mut self, directives: &[Directive]) -> Vec<RequirementId> {
        let mut ids = Vec::new();
        for directive in directives {
            let Meaning::Guard(guard) = self.reader.links.meaning(directive) else { continue };
            let requirement = match guard {
                Guard::Authenticated => Some(Requirement::Authenticated),
                Guard::RequiresScopes => {
                    self.alternatives(directive, "scopes").map(Requirement::Scopes)
                }
                Guard::Policy => {
                    self.alternatives(directive, "policies").map(Requirement::Policies)
                }
            };
            ids.extend(requirement.map(|requirement| self.intern(requirement)));
        }
        ids
    }

    fn intern(&mut self, requirement: Requirement) -> RequirementId {
        if let Some(known) = self.known.get(&requirement) {
            return *known;
        }
        // Documents have far fewer directives.
        let id = RequirementId(u32::try_from(self.requirements.all.len()).unwrap_or(u32::MAX));
        self.requirements.all.push(requirement.clone());
        self.known.insert(requirement, id);
        id
    }

    /// Reads an argument of type `[[…!]!]!`, with list coercion.
    fn alternatives(&mut self, directive: &Directive, name: &str) -> Option<Alternatives> {
        let read = argument(directive, name).and_then(|value| match value {
            Literal::List(items) => items.iter().map(names).collect::<Option<Alternatives>>(),
            single => names(single).map(|names| vec![names]),
        });
        if read.is_none() {
            let message = format!("`@{}` does not say lists of texts", directive.name);
            self.reader.problem(directive.line, message);
        }
        read
    }

    fn refuse(&mut self, directives: &[Directive]) {
        for directive in directives {
            if matches!(self.reader.links.meaning(directive), Meaning::Guard(_)) {
                let message = format!(
                    "`@{}` guards nothing here: only objects, interfaces, scalars, enums and \
                     fields can have it",
                    directive.name
                );
                self.reader.problem(directive.line, message);
            }
        }
    }
}

fn names(value: &Literal) -> Option<Vec<Arc<str>>> {
    let one = |value: &Literal| match value {
        Literal::String(name) => Some(name.clone()),
        _ => None,
    };
    match value {
        Literal::List(items) => items.iter().map(one).collect(),
        single => one(single).map(|name| vec![name]),
    }
}
