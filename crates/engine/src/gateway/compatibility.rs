//! Compatibility of a source in this process with its subgraph in the supergraph.
//!
//! A supergraph is composed of an older version of the source's API. If the two differ, plans would
//! contain requests that the source refuses, so differences are reported when the supergraph is
//! read. Additional elements of the source are no problem.

use std::collections::HashSet;
use std::fmt;

use dialects::{Api, EntitiesBinding, federation};
use graphql::print_type;
use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind, TypeRef, Wrapper};
use ir::Represented;
use supergraph::Supergraph;
use supergraph::{FieldIn, FieldSet, FieldSetId, SetSelection, SubgraphId};

use crate::engine::Engine;

/// An element of a subgraph that its source does not have, or has differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incompatibility {
    MissingType {
        name: Box<str>,
    },
    /// A type of another kind.
    DifferentKind {
        name: Box<str>,
    },
    MissingField {
        coordinate: Box<str>,
    },
    /// An argument or input field.
    MissingInput {
        coordinate: Box<str>,
    },
    /// A required argument that the supergraph does not have.
    RequiredArgument {
        coordinate: Box<str>,
    },
    /// Another type, whose values may differ.
    DifferentType {
        coordinate: Box<str>,
        expected: Box<str>,
        actual: Box<str>,
    },
    /// Other required fields (`@requires`).
    DifferentRequirements {
        coordinate: Box<str>,
        expected: Box<str>,
        actual: Box<str>,
    },
    /// A key that the source cannot look rows up by.
    MissingKey {
        r#type: Box<str>,
        fields: Box<str>,
    },
}

impl fmt::Display for Incompatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingType { name } => write!(f, "it has no type `{name}`"),
            Self::DifferentKind { name } => write!(f, "its type `{name}` is of another kind"),
            Self::MissingField { coordinate } => write!(f, "it has no field `{coordinate}`"),
            Self::MissingInput { coordinate } => write!(f, "it takes no `{coordinate}`"),
            Self::RequiredArgument { coordinate } => {
                write!(
                    f,
                    "it wants the argument `{coordinate}`, which the supergraph does not have"
                )
            }
            Self::DifferentType { coordinate, expected, actual } => write!(
                f,
                "its `{coordinate}` is of the type `{actual}`, and the supergraph says `{expected}`"
            ),
            Self::DifferentRequirements { coordinate, expected, actual } => {
                let field_set = |set: &str| match set {
                    "" => "nothing of other subgraphs".to_owned(),
                    set => format!("`{set}`"),
                };
                let (expected, actual) = (field_set(expected), field_set(actual));
                write!(
                    f,
                    "its `{coordinate}` requires {actual}, and the supergraph says {expected}"
                )
            }
            Self::MissingKey { r#type, fields } => {
                write!(f, "it finds no `{type}` by the key `{fields}`")
            }
        }
    }
}

/// Returns what a source lacks of its subgraph.
#[must_use]
pub fn incompatibilities(
    supergraph: &Supergraph,
    subgraph: SubgraphId,
    engine: &Engine,
) -> Vec<Incompatibility> {
    let mut found = Vec::new();
    let mut compared = Compared {
        supergraph,
        subgraph,
        expected: &supergraph.schema,
        api: &engine.api,
        actual: engine.schema(),
        entities: federation::find_entities(&engine.api),
        provided: provided(supergraph, subgraph),
        required_only: HashSet::new(),
    };
    compared.required_only = compared.required_only_types();
    for (id, definition) in supergraph.schema.types() {
        if supergraph.type_in(id, subgraph).is_none() || definition.name.starts_with("__") {
            continue;
        }
        match compared.find(id) {
            None if compared.is_type_required_only(id) => {}
            None => found.push(Incompatibility::MissingType { name: (&*definition.name).into() }),
            Some(own) => compared.r#type(id, own, &mut found),
        }
    }
    found
}

/// The schemas of the supergraph and of the source.
struct Compared<'a> {
    supergraph: &'a Supergraph,
    subgraph: SubgraphId,
    expected: &'a Schema,
    api: &'a Api,
    actual: &'a Schema,
    /// Types of the source whose rows are found by keys.
    entities: Option<&'a EntitiesBinding>,
    /// Fields that the subgraph provides below some of its fields.
    provided: HashSet<FieldId>,
    /// Types that occur in required fields only.
    required_only: HashSet<TypeId>,
}

/// Returns the fields of a type in a subgraph, including external ones.
fn fields_of(
    supergraph: &Supergraph,
    subgraph: SubgraphId,
) -> impl Iterator<Item = (FieldId, &FieldIn)> {
    let fields = supergraph.schema.types().flat_map(|(_, definition)| match &definition.kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields.as_slice(),
        _ => &[],
    });
    fields.filter_map(move |field| Some((*field, supergraph.field_in(*field, subgraph)?)))
}

/// Returns the fields that a subgraph only provides (`@provides`).
fn provided(supergraph: &Supergraph, subgraph: SubgraphId) -> HashSet<FieldId> {
    let mut found = HashSet::new();
    for set in fields_of(supergraph, subgraph).filter_map(|(_, known)| known.provides) {
        add_fields(supergraph, set, &mut found);
    }
    found
}

/// Recursion is bounded: the depth of field sets is limited.
fn add_fields(supergraph: &Supergraph, set: FieldSetId, found: &mut HashSet<FieldId>) {
    for selection in &supergraph.field_set(set).selections {
        match selection {
            SetSelection::Typename => {}
            SetSelection::Field { field, set, .. } => {
                found.insert(*field);
                if let Some(below) = set {
                    add_fields(supergraph, *below, found);
                }
            }
            SetSelection::On(below) => add_fields(supergraph, *below, found),
        }
    }
}

impl Compared<'_> {
    /// Whether a field is required only: representations contain it, and no document selects it.
    fn is_required_only(&self, field: FieldId) -> bool {
        let known = self.supergraph.field_in(field, self.subgraph);
        known.is_some_and(|known| known.is_external) && !self.provided.contains(&field)
    }

    fn required_only_types(&self) -> HashSet<TypeId> {
        let fields = fields_of(self.supergraph, self.subgraph);
        let required_only = fields.filter(|(field, _)| self.is_required_only(*field));
        required_only.map(|(_, known)| known.r#type.base).collect()
    }

    /// Whether a type occurs in representations only. A type without fields is judged by the fields
    /// that have it.
    fn is_type_required_only(&self, r#type: TypeId) -> bool {
        match &self.expected[r#type].kind {
            TypeKind::Object { fields, .. } => {
                let own =
                    |field: &&FieldId| self.supergraph.field_in(**field, self.subgraph).is_some();
                fields.iter().filter(own).all(|field| self.is_required_only(*field))
            }
            TypeKind::Scalar | TypeKind::Enum { .. } => self.required_only.contains(&r#type),
            TypeKind::Interface { .. } | TypeKind::Union { .. } | TypeKind::InputObject { .. } => {
                false
            }
        }
    }

    /// Returns the type of the source with the same name, or its root type.
    fn find(&self, expected: TypeId) -> Option<TypeId> {
        let (ours, theirs) = (self.expected, self.actual);
        if ours.query == Some(expected) {
            theirs.query
        } else if ours.mutation == Some(expected) {
            theirs.mutation
        } else if ours.subscription == Some(expected) {
            theirs.subscription
        } else {
            theirs.find_type(&ours[expected].name)
        }
    }

    fn r#type(&self, expected: TypeId, actual: TypeId, found: &mut Vec<Incompatibility>) {
        let name = &*self.expected[expected].name;
        let known = self.supergraph.type_in(expected, self.subgraph);
        let is_interface_object = known.is_some_and(|known| known.is_interface_object);
        match (&self.expected[expected].kind, &self.actual[actual].kind) {
            (TypeKind::Object { fields, .. }, TypeKind::Object { .. }) => {
                self.composite(expected, actual, fields, found);
            }
            (TypeKind::Interface { fields, .. }, TypeKind::Interface { .. })
                if !is_interface_object =>
            {
                self.composite(expected, actual, fields, found);
            }
            (TypeKind::Interface { fields, .. }, TypeKind::Object { .. })
                if is_interface_object =>
            {
                self.composite(expected, actual, fields, found);
            }
            (TypeKind::InputObject { fields }, TypeKind::InputObject { fields: own }) => {
                // A supergraph has only those input fields that all subgraphs have.
                for field in fields {
                    let coordinate = format!("{name}.{}", self.expected[*field].name);
                    self.input((coordinate, *field), own, found);
                }
            }
            (TypeKind::Scalar, TypeKind::Scalar)
            | (TypeKind::Union { .. }, TypeKind::Union { .. })
            | (TypeKind::Enum { .. }, TypeKind::Enum { .. }) => {}
            (_, _) => found.push(Incompatibility::DifferentKind { name: name.into() }),
        }
    }

    fn composite(
        &self,
        expected: TypeId,
        actual: TypeId,
        fields: &[FieldId],
        found: &mut Vec<Incompatibility>,
    ) {
        let name = &*self.expected[expected].name;
        for field in fields {
            // Provided fields are fields of the subgraph as well.
            if let Some(known) = self.supergraph.field_in(*field, self.subgraph) {
                self.field((name, *field, known), actual, found);
            }
        }
        self.keys(expected, actual, found);
    }

    fn field(
        &self,
        (parent, field, known): (&str, FieldId, &FieldIn),
        actual: TypeId,
        found: &mut Vec<Incompatibility>,
    ) {
        let definition = &self.expected[field];
        let coordinate = format!("{parent}.{}", definition.name);
        let Some(own) = self.actual.find_field(actual, &definition.name) else {
            if !self.is_required_only(field) {
                found.push(Incompatibility::MissingField { coordinate: coordinate.into() });
            }
            return;
        };
        self.required((&coordinate, known), own, found);
        let own = &self.actual[own];
        if !self.gives(known.r#type, own.r#type) {
            found.push(Incompatibility::DifferentType {
                coordinate: coordinate.as_str().into(),
                expected: print_type(self.expected, known.r#type).into(),
                actual: print_type(self.actual, own.r#type).into(),
            });
        }
        for argument in &definition.arguments {
            let coordinate = format!("{coordinate}({}:)", self.expected[*argument].name);
            self.input((coordinate, *argument), &own.arguments, found);
        }
        let is_declared = |name: &str| {
            let arguments = definition.arguments.iter();
            arguments.map(|argument| &self.expected[*argument].name).any(|known| **known == *name)
                || known.context.iter().any(|argument| *argument.name == *name)
        };
        for argument in &own.arguments {
            let input = &self.actual[*argument];
            if input.r#type.is_non_null() && input.default.is_none() && !is_declared(&input.name) {
                let coordinate = format!("{coordinate}({}:)", input.name).into();
                found.push(Incompatibility::RequiredArgument { coordinate });
            }
        }
    }

    /// Compares the required fields of a field.
    fn required(
        &self,
        (coordinate, known): (&str, &FieldIn),
        own: FieldId,
        found: &mut Vec<Incompatibility>,
    ) {
        let actual: Vec<&str> = federation::required(self.api, own).collect();
        let expected = known.requires.map(|set| self.supergraph.field_set(set));
        let expected = expected.map_or(&[][..], |set| set.selections.as_slice());
        let names = expected.iter().filter_map(|selection| match selection {
            SetSelection::Field { field, .. } => Some(&*self.expected[*field].name),
            SetSelection::Typename | SetSelection::On(_) => None,
        });
        let names: Vec<&str> = names.collect();
        let is_within = |one: &[&str], other: &[&str]| one.iter().all(|name| other.contains(name));
        if !is_within(&names, &actual) || !is_within(&actual, &names) {
            found.push(Incompatibility::DifferentRequirements {
                coordinate: coordinate.into(),
                expected: names.join(" ").into(),
                actual: actual.join(" ").into(),
            });
        }
    }

    fn input(
        &self,
        (coordinate, expected): (String, InputId),
        own: &[InputId],
        found: &mut Vec<Incompatibility>,
    ) {
        let (coordinate, expected) = (coordinate.into(), &self.expected[expected]);
        let own = own.iter().map(|own| &self.actual[*own]).find(|own| own.name == expected.name);
        match own {
            None => found.push(Incompatibility::MissingInput { coordinate }),
            // The source must accept all values that the supergraph allows.
            Some(own) if !self.takes(own.r#type, expected.r#type) => {
                found.push(Incompatibility::DifferentType {
                    coordinate,
                    expected: print_type(self.expected, expected.r#type).into(),
                    actual: print_type(self.actual, own.r#type).into(),
                })
            }
            Some(_) => {}
        }
    }

    /// Whether the source's type is a subtype of the supergraph's, for output.
    fn gives(&self, expected: TypeRef, actual: TypeRef) -> bool {
        self.is_same(expected.base, actual.base) && is_within(actual, expected)
    }

    /// Whether the source's type accepts all values of the supergraph's, for input.
    fn takes(&self, actual: TypeRef, expected: TypeRef) -> bool {
        self.is_same(expected.base, actual.base) && is_within(expected, actual)
    }

    fn is_same(&self, expected: TypeId, actual: TypeId) -> bool {
        self.find(expected) == Some(actual)
    }

    /// Compares the keys.
    fn keys(&self, expected: TypeId, actual: TypeId, found: &mut Vec<Incompatibility>) {
        let Some(known) = self.supergraph.type_in(expected, self.subgraph) else { return };
        let represented = self.entities.and_then(|entities| {
            let place = entities.types.iter().position(|entity| entity.r#type == actual)?;
            entities.represented.get(place)
        });
        for key in known.keys.iter().filter(|key| key.is_resolvable) {
            let set = self.supergraph.field_set(key.fields);
            if !represented.is_some_and(|represented| self.is_key(set, represented)) {
                found.push(Incompatibility::MissingKey {
                    r#type: (&*self.expected[expected].name).into(),
                    fields: self.print(set).into(),
                });
            }
        }
    }

    /// Whether a field set contains a key of the source.
    fn is_key(&self, set: &FieldSet, represented: &Represented) -> bool {
        represented.keys.iter().any(|key| {
            key.paths.iter().any(|paths| paths.iter().all(|path| self.contains(set, path)))
                || key
                    .id
                    .as_ref()
                    .is_some_and(|id| self.contains(set, std::slice::from_ref(&id.name)))
        })
    }

    /// Whether a field set contains a path. Recursion is bounded by its length.
    fn contains(&self, set: &FieldSet, path: &[Box<str>]) -> bool {
        let Some((name, rest)) = path.split_first() else { return false };
        set.selections.iter().any(|selection| match selection {
            SetSelection::Field { field, set, .. } if *self.expected[*field].name == **name => {
                match set {
                    None => rest.is_empty(),
                    Some(below) => self.contains(self.supergraph.field_set(*below), rest),
                }
            }
            SetSelection::Field { .. } | SetSelection::Typename | SetSelection::On(_) => false,
        })
    }

    fn print(&self, set: &FieldSet) -> String {
        let mut parts = Vec::new();
        for selection in &set.selections {
            match selection {
                SetSelection::Typename => parts.push("__typename".to_owned()),
                SetSelection::Field { field, set, .. } => {
                    parts.push(self.expected[*field].name.as_ref().to_owned());
                    if let Some(below) = set {
                        let below = self.print(self.supergraph.field_set(*below));
                        parts.push(["{ ", &below, " }"].concat());
                    }
                }
                SetSelection::On(set) => {
                    let set = self.supergraph.field_set(*set);
                    let name = &*self.expected[set.parent].name;
                    parts.push(["... on ", name, " { ", &self.print(set), " }"].concat());
                }
            }
        }
        parts.join(" ")
    }
}

/// Whether the wrappers of one type are at least as strict as those of another.
fn is_within(one: TypeRef, other: TypeRef) -> bool {
    let (mut one, mut other) = (one.wrappers().peekable(), other.wrappers().peekable());
    loop {
        let is_some = one.next_if_eq(&Wrapper::NonNull).is_some();
        if other.next_if_eq(&Wrapper::NonNull).is_some() && !is_some {
            return false;
        }
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(_), Some(_)) => {}
            (None, Some(_)) | (Some(_), None) => return false,
        }
    }
}
