//! Whether a source in this process is the subgraph that the supergraph says it is.
//!
//! A supergraph is composed of what the source's API was at some time. Where the two differ,
//! requests would be planned that the source refuses, so that a difference is told when it is read:
//! what the source has more than the supergraph is nobody's business.

use std::collections::HashSet;
use std::fmt;

use dialects::{Api, EntitiesBinding, federation};
use gateway::Supergraph;
use gateway::supergraph::{FieldIn, FieldSet, FieldSetId, SetSelection, SubgraphId};
use graphql::print_type;
use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind, TypeRef, Wrapper};
use ir::Represented;

use crate::engine::Engine;

/// Something that the supergraph has of a subgraph, and the subgraph's source does not offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    Type {
        name: Box<str>,
    },
    /// It is there, as another kind of type.
    Kind {
        name: Box<str>,
    },
    Field {
        coordinate: Box<str>,
    },
    /// An argument, or a field of an input.
    Input {
        coordinate: Box<str>,
    },
    /// The source wants an argument that the supergraph does not have.
    Unsaid {
        coordinate: Box<str>,
    },
    /// Values may be others than the supergraph says.
    Other {
        coordinate: Box<str>,
        wanted: Box<str>,
        offered: Box<str>,
    },
    /// A field is computed of others than the supergraph says.
    Required {
        coordinate: Box<str>,
        wanted: Box<str>,
        offered: Box<str>,
    },
    /// Rows are not found by a key.
    Key {
        r#type: Box<str>,
        fields: Box<str>,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { name } => write!(f, "it has no type `{name}`"),
            Self::Kind { name } => write!(f, "its type `{name}` is of another kind"),
            Self::Field { coordinate } => write!(f, "it has no field `{coordinate}`"),
            Self::Input { coordinate } => write!(f, "it takes no `{coordinate}`"),
            Self::Unsaid { coordinate } => {
                write!(
                    f,
                    "it wants the argument `{coordinate}`, which the supergraph does not have"
                )
            }
            Self::Other { coordinate, wanted, offered } => write!(
                f,
                "its `{coordinate}` is of the type `{offered}`, and the supergraph says `{wanted}`"
            ),
            Self::Required { coordinate, wanted, offered } => {
                let said = |set: &str| match set {
                    "" => "nothing of other subgraphs".to_owned(),
                    set => format!("`{set}`"),
                };
                let (wanted, offered) = (said(wanted), said(offered));
                write!(f, "its `{coordinate}` requires {offered}, and the supergraph says {wanted}")
            }
            Self::Key { r#type, fields } => {
                write!(f, "it finds no `{type}` by the key `{fields}`")
            }
        }
    }
}

/// What a source does not offer of what a supergraph has of one of its subgraphs.
#[must_use]
pub fn missing(supergraph: &Supergraph, subgraph: SubgraphId, engine: &Engine) -> Vec<Missing> {
    let mut found = Vec::new();
    let mut compared = Compared {
        supergraph,
        subgraph,
        wanted: &supergraph.schema,
        api: &engine.api,
        offered: engine.schema(),
        entities: federation::offered(&engine.api),
        provided: provided(supergraph, subgraph),
        told: HashSet::new(),
    };
    compared.told = compared.told_types();
    for (id, definition) in supergraph.schema.types() {
        if supergraph.type_in(id, subgraph).is_none() || definition.name.starts_with("__") {
            continue;
        }
        match compared.find(id) {
            None if compared.is_told(id) => {}
            None => found.push(Missing::Type { name: (&*definition.name).into() }),
            Some(own) => compared.r#type(id, own, &mut found),
        }
    }
    found
}

/// The supergraph's schema and the source's, side by side.
struct Compared<'a> {
    supergraph: &'a Supergraph,
    subgraph: SubgraphId,
    wanted: &'a Schema,
    api: &'a Api,
    offered: &'a Schema,
    /// The source's types of which rows are found by keys.
    entities: Option<&'a EntitiesBinding>,
    /// The fields that the subgraph gives below some of its own.
    provided: HashSet<FieldId>,
    /// The types of fields that are required only.
    told: HashSet<TypeId>,
}

/// The fields of a subgraph, those that it does not give too.
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

/// The fields that a subgraph gives somewhere although it does not elsewhere.
fn provided(supergraph: &Supergraph, subgraph: SubgraphId) -> HashSet<FieldId> {
    let mut found = HashSet::new();
    for set in fields_of(supergraph, subgraph).filter_map(|(_, known)| known.provides) {
        add_fields(supergraph, set, &mut found);
    }
    found
}

/// Recursion is bounded: a field set is read to a depth.
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
    /// Whether a field is required only: it is told, and not asked for.
    fn is_required_only(&self, field: FieldId) -> bool {
        let known = self.supergraph.field_in(field, self.subgraph);
        known.is_some_and(|known| known.is_external) && !self.provided.contains(&field)
    }

    fn told_types(&self) -> HashSet<TypeId> {
        let fields = fields_of(self.supergraph, self.subgraph);
        let told = fields.filter(|(field, _)| self.is_required_only(*field));
        told.map(|(_, known)| known.r#type.base).collect()
    }

    /// Whether values of a type are told only. Of those without fields it is the fields that tell.
    fn is_told(&self, r#type: TypeId) -> bool {
        match &self.wanted[r#type].kind {
            TypeKind::Object { fields, .. } => {
                let own =
                    |field: &&FieldId| self.supergraph.field_in(**field, self.subgraph).is_some();
                fields.iter().filter(own).all(|field| self.is_required_only(*field))
            }
            TypeKind::Scalar | TypeKind::Enum { .. } => self.told.contains(&r#type),
            TypeKind::Interface { .. } | TypeKind::Union { .. } | TypeKind::InputObject { .. } => {
                false
            }
        }
    }

    /// The source's type of the same name; its root types may have other names.
    fn find(&self, wanted: TypeId) -> Option<TypeId> {
        let (ours, theirs) = (self.wanted, self.offered);
        if ours.query == Some(wanted) {
            theirs.query
        } else if ours.mutation == Some(wanted) {
            theirs.mutation
        } else {
            theirs.find_type(&ours[wanted].name)
        }
    }

    fn r#type(&self, wanted: TypeId, offered: TypeId, found: &mut Vec<Missing>) {
        let name = &*self.wanted[wanted].name;
        let known = self.supergraph.type_in(wanted, self.subgraph);
        let is_interface_object = known.is_some_and(|known| known.is_interface_object);
        match (&self.wanted[wanted].kind, &self.offered[offered].kind) {
            (TypeKind::Object { fields, .. }, TypeKind::Object { .. }) => {
                self.composite(wanted, offered, fields, found);
            }
            (TypeKind::Interface { fields, .. }, TypeKind::Interface { .. })
                if !is_interface_object =>
            {
                self.composite(wanted, offered, fields, found);
            }
            (TypeKind::Interface { fields, .. }, TypeKind::Object { .. })
                if is_interface_object =>
            {
                self.composite(wanted, offered, fields, found);
            }
            (TypeKind::InputObject { fields }, TypeKind::InputObject { fields: own }) => {
                // Of several subgraphs a supergraph keeps the fields that all of them have.
                for field in fields {
                    let coordinate = format!("{name}.{}", self.wanted[*field].name);
                    self.input((coordinate, *field), own, found);
                }
            }
            (TypeKind::Scalar, TypeKind::Scalar)
            | (TypeKind::Union { .. }, TypeKind::Union { .. })
            | (TypeKind::Enum { .. }, TypeKind::Enum { .. }) => {}
            (_, _) => found.push(Missing::Kind { name: name.into() }),
        }
    }

    fn composite(
        &self,
        wanted: TypeId,
        offered: TypeId,
        fields: &[FieldId],
        found: &mut Vec<Missing>,
    ) {
        let name = &*self.wanted[wanted].name;
        for field in fields {
            // One that is provided only is a field of the subgraph as well.
            if let Some(known) = self.supergraph.field_in(*field, self.subgraph) {
                self.field((name, *field, known), offered, found);
            }
        }
        self.keys(wanted, offered, found);
    }

    fn field(
        &self,
        (parent, field, known): (&str, FieldId, &FieldIn),
        offered: TypeId,
        found: &mut Vec<Missing>,
    ) {
        let definition = &self.wanted[field];
        let coordinate = format!("{parent}.{}", definition.name);
        let Some(own) = self.offered.find_field(offered, &definition.name) else {
            if !self.is_required_only(field) {
                found.push(Missing::Field { coordinate: coordinate.into() });
            }
            return;
        };
        self.required((&coordinate, known), own, found);
        let own = &self.offered[own];
        if !self.gives(known.r#type, own.r#type) {
            found.push(Missing::Other {
                coordinate: coordinate.as_str().into(),
                wanted: print_type(self.wanted, known.r#type).into(),
                offered: print_type(self.offered, own.r#type).into(),
            });
        }
        for argument in &definition.arguments {
            let coordinate = format!("{coordinate}({}:)", self.wanted[*argument].name);
            self.input((coordinate, *argument), &own.arguments, found);
        }
        let said = |name: &str| {
            let arguments = definition.arguments.iter();
            arguments.map(|argument| &self.wanted[*argument].name).any(|said| **said == *name)
                || known.context.iter().any(|argument| *argument.name == *name)
        };
        for argument in &own.arguments {
            let input = &self.offered[*argument];
            if input.r#type.is_non_null() && input.default.is_none() && !said(&input.name) {
                let coordinate = format!("{coordinate}({}:)", input.name).into();
                found.push(Missing::Unsaid { coordinate });
            }
        }
    }

    /// What the field is computed of, which representations have to say.
    fn required(
        &self,
        (coordinate, known): (&str, &FieldIn),
        own: FieldId,
        found: &mut Vec<Missing>,
    ) {
        let offered: Vec<&str> = federation::required(self.api, own).collect();
        let wanted = known.requires.map(|set| self.supergraph.field_set(set));
        let wanted = wanted.map_or(&[][..], |set| set.selections.as_slice());
        let names = wanted.iter().filter_map(|selection| match selection {
            SetSelection::Field { field, .. } => Some(&*self.wanted[*field].name),
            SetSelection::Typename | SetSelection::On(_) => None,
        });
        let names: Vec<&str> = names.collect();
        let is_within = |one: &[&str], other: &[&str]| one.iter().all(|name| other.contains(name));
        if !is_within(&names, &offered) || !is_within(&offered, &names) {
            found.push(Missing::Required {
                coordinate: coordinate.into(),
                wanted: names.join(" ").into(),
                offered: offered.join(" ").into(),
            });
        }
    }

    fn input(
        &self,
        (coordinate, wanted): (String, InputId),
        own: &[InputId],
        found: &mut Vec<Missing>,
    ) {
        let (coordinate, wanted) = (coordinate.into(), &self.wanted[wanted]);
        let own = own.iter().map(|own| &self.offered[*own]).find(|own| own.name == wanted.name);
        match own {
            None => found.push(Missing::Input { coordinate }),
            // What may be said must be taken.
            Some(own) if !self.takes(own.r#type, wanted.r#type) => found.push(Missing::Other {
                coordinate,
                wanted: print_type(self.wanted, wanted.r#type).into(),
                offered: print_type(self.offered, own.r#type).into(),
            }),
            Some(_) => {}
        }
    }

    /// Whether values of the source's type are values of the supergraph's.
    fn gives(&self, wanted: TypeRef, offered: TypeRef) -> bool {
        self.is_same(wanted.base, offered.base) && is_within(offered, wanted)
    }

    /// Whether values of the supergraph's type are values of the source's.
    fn takes(&self, offered: TypeRef, wanted: TypeRef) -> bool {
        self.is_same(wanted.base, offered.base) && is_within(wanted, offered)
    }

    fn is_same(&self, wanted: TypeId, offered: TypeId) -> bool {
        self.find(wanted) == Some(offered)
    }

    /// The keys by which the subgraph is asked.
    fn keys(&self, wanted: TypeId, offered: TypeId, found: &mut Vec<Missing>) {
        let Some(known) = self.supergraph.type_in(wanted, self.subgraph) else { return };
        let represented = self.entities.and_then(|entities| {
            let place = entities.types.iter().position(|entity| entity.r#type == offered)?;
            entities.represented.get(place)
        });
        for key in known.keys.iter().filter(|key| key.is_resolvable) {
            let set = self.supergraph.field_set(key.fields);
            if !represented.is_some_and(|represented| self.is_key(set, represented)) {
                found.push(Missing::Key {
                    r#type: (&*self.wanted[wanted].name).into(),
                    fields: self.print(set).into(),
                });
            }
        }
    }

    /// Whether rows are found by some of the fields of a set, all of which are said.
    fn is_key(&self, set: &FieldSet, represented: &Represented) -> bool {
        represented.keys.iter().any(|key| {
            key.said.iter().any(|said| said.iter().all(|path| self.says(set, path)))
                || key.id.as_ref().is_some_and(|id| self.says(set, std::slice::from_ref(&id.name)))
        })
    }

    /// Whether a set says the value that some names lead to. Recursion is bounded by their number.
    fn says(&self, set: &FieldSet, path: &[Box<str>]) -> bool {
        let Some((name, rest)) = path.split_first() else { return false };
        set.selections.iter().any(|selection| match selection {
            SetSelection::Field { field, set, .. } if *self.wanted[*field].name == **name => {
                match set {
                    None => rest.is_empty(),
                    Some(below) => self.says(self.supergraph.field_set(*below), rest),
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
                    parts.push(self.wanted[*field].name.as_ref().to_owned());
                    if let Some(below) = set {
                        let below = self.print(self.supergraph.field_set(*below));
                        parts.push(["{ ", &below, " }"].concat());
                    }
                }
                SetSelection::On(set) => {
                    let set = self.supergraph.field_set(*set);
                    let name = &*self.wanted[set.parent].name;
                    parts.push(["... on ", name, " { ", &self.print(set), " }"].concat());
                }
            }
        }
        parts.join(" ")
    }
}

/// Whether the wrappers of one type promise all that those of another do.
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
