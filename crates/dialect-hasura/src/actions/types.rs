//! Custom types: those of the arguments and results of actions.

use api::binding::{FieldBinding, ValueBinding};
use hasura_metadata::types::action::{CustomTypes, EnumValue};
use hasura_metadata::types::name::{GraphQlName, TypeReference};
use hasura_metadata::{Problem, ProblemKind};
use rustc_hash::FxHashMap;

use super::{GIVEN, problem, taken};
use crate::draft::{Draft, DraftField, DraftInput, DraftValue};

/// The reason of deprecated values.
const DEPRECATED: &str = "No longer supported";

/// A position that has a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Input,
    Output,
}

/// The kind of a custom type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Input,
    Object,
    /// A scalar or an enum, which may stand at every position.
    Leaf,
}

/// The custom types by name.
#[derive(Debug)]
pub(super) struct CustomTypeNames<'m>(FxHashMap<&'m str, Kind>);

/// Scalars of PostgreSQL that custom types may use where no column has them.
const OF_DATABASES: [&str; 25] = [
    "_text",
    "bigint",
    "bit",
    "bpchar",
    "bytea",
    "citext",
    "date",
    "float4",
    "float8",
    "inet",
    "interval",
    "json",
    "jsonb",
    "ltree",
    "money",
    "name",
    "numeric",
    "oid",
    "smallint",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "uuid",
    "xml",
];

impl<'m> CustomTypeNames<'m> {
    /// The types whose names are free, and which have members.
    pub(super) fn new(draft: &Draft, types: &'m CustomTypes, problems: &mut Vec<Problem>) -> Self {
        let inputs = types.input_objects.iter().map(|one| (&one.name, Kind::Input));
        let objects = types.objects.iter().map(|one| (&one.name, Kind::Object));
        // Scalars of columns may be defined once more.
        let scalars = types.scalars.iter().map(|one| (&one.name, Kind::Leaf));
        let scalars = scalars.filter(|(name, _)| !draft.has_leaf(name));
        let enums = types.enums.iter().filter(|one| !one.values.is_empty());
        let enums = enums.map(|one| (&one.name, Kind::Leaf));
        let mut names = Self(FxHashMap::default());
        for (name, kind) in inputs.chain(objects).chain(scalars).chain(enums) {
            if draft.has(name) || draft.has_leaf(name) || names.0.contains_key(&**name) {
                let message = format!("Another type of the schema has the name {}.", &**name);
                problems.push(problem(ProblemKind::Duplicate, &name.0.place, message));
            } else {
                names.0.insert(name, kind);
            }
        }
        names.remove_empty(draft, types);
        names
    }

    /// Removes types without members of known types, which may leave others without.
    fn remove_empty(&mut self, draft: &Draft, types: &'m CustomTypes) {
        loop {
            let before = self.0.len();
            for input in &types.input_objects {
                let mut bases = input.fields.iter().map(|field| field.r#type.expression.base());
                if !bases.any(|base| self.fits(draft, base, Position::Input) == Some(true)) {
                    self.remove(&input.name, Kind::Input);
                }
            }
            for object in &types.objects {
                let mut bases = object.fields.iter().map(|field| field.r#type.expression.base());
                if !bases.any(|base| self.fits(draft, base, Position::Output) == Some(true)) {
                    self.remove(&object.name, Kind::Object);
                }
            }
            if self.0.len() == before {
                return;
            }
        }
    }

    fn remove(&mut self, name: &str, kind: Kind) {
        if self.0.get(name) == Some(&kind) {
            self.0.remove(name);
        }
    }

    /// True if a type may stand at a position; `None` if there is no such type.
    fn fits(&self, draft: &Draft, base: &str, position: Position) -> Option<bool> {
        match self.0.get(base) {
            Some(Kind::Leaf) => Some(true),
            Some(Kind::Input) => Some(position == Position::Input),
            Some(Kind::Object) => Some(position == Position::Output),
            None => {
                let is_of_database = OF_DATABASES.contains(&base) && !draft.has(base);
                (draft.has_leaf(base) || is_of_database).then_some(true)
            }
        }
    }

    /// True if a custom type has the name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// True if the type of a name and a kind is to be added.
    fn has(&self, name: &str, kind: Kind) -> bool {
        self.0.get(name) == Some(&kind)
    }

    /// The text of a type at a position; or the problem that it cannot stand there.
    pub(super) fn check(
        &self,
        draft: &mut Draft,
        reference: &TypeReference,
        position: Position,
    ) -> Result<String, Problem> {
        let base = reference.expression.base();
        let base = &**base;
        let Some(fits) = self.fits(draft, base, position) else {
            let message = format!(
                "There is no custom type {base}, and no scalar of this name: define it in \
                 custom_types."
            );
            return Err(problem(ProblemKind::MissingPart, &reference.place, message));
        };
        if !self.0.contains_key(base) && !draft.has(base) {
            draft.scalar(base);
        }
        let wrong = |message: String| problem(ProblemKind::WrongValue, &reference.place, message);
        match (fits, position) {
            (true, _) => Ok(reference.expression.to_string()),
            (false, Position::Input) => {
                Err(wrong(format!("{base} is an object type: an input object is wanted here.")))
            }
            (false, Position::Output) => {
                Err(wrong(format!("{base} is an input object: an object type is wanted here.")))
            }
        }
    }
}

/// Adds the custom types. Returns the names of the object types.
pub(super) fn add(
    draft: &mut Draft,
    names: &CustomTypeNames<'_>,
    types: &CustomTypes,
    problems: &mut Vec<Problem>,
) -> Vec<String> {
    for scalar in types.scalars.iter().filter(|one| names.has(&one.name, Kind::Leaf)) {
        draft.described_scalar(&scalar.name, scalar.description.as_deref());
    }
    for r#enum in &types.enums {
        if r#enum.values.is_empty() {
            problems.push(empty(&r#enum.name));
        } else if names.has(&r#enum.name, Kind::Leaf) {
            let values = r#enum.values.iter().map(enum_value).collect();
            draft.values(&r#enum.name, r#enum.description.as_deref(), values);
        }
    }
    for input in &types.input_objects {
        let mut members = Vec::with_capacity(input.fields.len());
        for field in &input.fields {
            match names.check(draft, &field.r#type, Position::Input) {
                Ok(r#type) => {
                    let member = DraftInput::new(&field.name, r#type, taken());
                    members.push(member.verbatim().described_by(field.description.as_deref()));
                }
                Err(problem) => problems.push(problem),
            }
        }
        if members.is_empty() {
            problems.push(empty(&input.name));
        } else if names.has(&input.name, Kind::Input) {
            draft.input(&input.name, input.description.as_deref(), members);
        }
    }
    let mut objects = Vec::with_capacity(types.objects.len());
    for object in &types.objects {
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in &object.fields {
            match names.check(draft, &field.r#type, Position::Output) {
                Ok(r#type) => {
                    let binding = FieldBinding::Refused(GIVEN.into());
                    let made = DraftField::new(&field.name, r#type, binding);
                    fields.push(made.verbatim().described_by(field.description.as_deref()));
                }
                Err(problem) => problems.push(problem),
            }
        }
        if fields.is_empty() {
            problems.push(empty(&object.name));
        } else if names.has(&object.name, Kind::Object) {
            draft.object(&object.name, object.description.as_deref(), fields);
            objects.push(object.name.to_string());
        }
    }
    objects
}

fn enum_value(value: &EnumValue) -> DraftValue {
    let binding = ValueBinding::Label((&*value.value).into());
    let made = DraftValue::bare(&value.value, binding);
    let made = made.verbatim().described_by(value.description.as_deref());
    made.deprecated_for(value.is_deprecated.filter(|is| *is).map(|_| DEPRECATED))
}

fn empty(name: &GraphQlName) -> Problem {
    let message = format!("The custom type {} has no member of a known type.", &**name);
    problem(ProblemKind::WrongValue, &name.0.place, message)
}
