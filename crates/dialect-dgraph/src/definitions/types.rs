//! Names of types and their meanings.

use std::collections::hash_map::Entry;

use graphql::definitions::problem::{At, Problems, remedy};
use graphql::definitions::{Definitions, TypeBody, TypeDefinition, TypeExpression};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{
    Base, Elements, EnumIndex, FieldType, InputIndex, Scalar, TypeIndex, UnionIndex,
};

/// The definitions by their kinds, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Types<'d> {
    /// Types and interfaces, by [`TypeIndex`].
    pub(super) composites: Vec<&'d TypeDefinition>,
    pub(super) unions: Vec<&'d TypeDefinition>,
    pub(super) enums: Vec<&'d TypeDefinition>,
    pub(super) inputs: Vec<&'d TypeDefinition>,
    pub(super) query: Option<&'d TypeDefinition>,
    pub(super) mutation: Option<&'d TypeDefinition>,
    /// Names of directives that the text defines itself.
    pub(super) own_directives: FxHashSet<&'d str>,
    meanings: FxHashMap<&'d str, Meaning>,
}

/// The meaning of a type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Scalar(Scalar),
    Type(TypeIndex),
    Union(UnionIndex),
    Enum(EnumIndex),
    Input(InputIndex),
    /// A definition that is refused.
    Refused,
}

const SCALARS: &[(&str, Scalar)] = &[
    ("ID", Scalar::Id),
    ("Boolean", Scalar::Boolean),
    ("Int", Scalar::Int),
    ("Int64", Scalar::Int64),
    ("Float", Scalar::Float),
    ("String", Scalar::String),
    ("DateTime", Scalar::DateTime),
    ("Point", Scalar::Point),
    ("Polygon", Scalar::Polygon),
    ("MultiPolygon", Scalar::MultiPolygon),
];

/// Input types of geographic values.
const GEO_INPUTS: &[(&str, Scalar)] = &[
    ("PointRef", Scalar::Point),
    ("PolygonRef", Scalar::Polygon),
    ("MultiPolygonRef", Scalar::MultiPolygon),
];

impl<'d> Types<'d> {
    pub(super) fn new(definitions: &'d Definitions, problems: &mut Problems) -> Self {
        let own_directives = definitions.directives.iter().map(|directive| &*directive.name);
        let mut types = Self { own_directives: own_directives.collect(), ..Self::default() };
        let mut lines: FxHashMap<&str, usize> = FxHashMap::default();
        // Extensions come last, as in Dgraph, which reads them as definitions of their own.
        let (extensions, defined): (Vec<_>, Vec<_>) =
            definitions.types.iter().partition(|definition| definition.is_extension);
        for definition in defined.into_iter().chain(extensions) {
            match lines.entry(&definition.name) {
                Entry::Vacant(entry) => {
                    entry.insert(definition.line);
                    types.add(definition, problems);
                }
                Entry::Occupied(entry) => problems.refuse(
                    At::r#type(definition),
                    format!(
                        "it is defined on line {} already: put everything into one definition",
                        entry.get()
                    ),
                ),
            }
        }
        types
    }

    fn add(&mut self, definition: &'d TypeDefinition, problems: &mut Problems) {
        let at = At::r#type(definition);
        let meaning = match &definition.body {
            TypeBody::Object(_) if &*definition.name == "Query" => {
                self.query = Some(definition);
                return;
            }
            TypeBody::Object(_) if &*definition.name == "Mutation" => {
                self.mutation = Some(definition);
                return;
            }
            TypeBody::Scalar => {
                problems.refuse(
                    at,
                    "scalars cannot be defined: use String, Int, Int64, Float, Boolean, DateTime, \
                     or an enum",
                );
                Meaning::Refused
            }
            TypeBody::Object(_) | TypeBody::Interface(_) => {
                self.composites.push(definition);
                Meaning::Type(TypeIndex(self.composites.len() - 1))
            }
            TypeBody::Union(_) => {
                self.unions.push(definition);
                Meaning::Union(UnionIndex(self.unions.len() - 1))
            }
            TypeBody::Enum(_) => {
                self.enums.push(definition);
                Meaning::Enum(EnumIndex(self.enums.len() - 1))
            }
            TypeBody::InputObject(_) => {
                self.inputs.push(definition);
                Meaning::Input(InputIndex(self.inputs.len() - 1))
            }
        };
        self.meanings.insert(&definition.name, meaning);
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let scalar = SCALARS.iter().find(|(known, _)| *known == name);
        match scalar {
            Some((_, scalar)) => Some(Meaning::Scalar(*scalar)),
            None => self.meanings.get(name).copied(),
        }
    }

    pub(super) fn find_type(&self, name: &str) -> Option<TypeIndex> {
        match self.meaning(name) {
            Some(Meaning::Type(index)) => Some(index),
            _ => None,
        }
    }

    pub(super) fn is_interface(&self, index: TypeIndex) -> bool {
        is_interface(self.composites[index.0])
    }

    /// The type of a field. A type that is refused elsewhere has none, and no further mistake.
    pub(super) fn output(
        &self,
        at: At<'_>,
        written: &TypeExpression,
        problems: &mut Problems,
    ) -> Option<FieldType> {
        let base = match self.meaning(written.base()) {
            Some(Meaning::Scalar(scalar)) => Base::Scalar(scalar),
            Some(Meaning::Type(index)) => Base::Type(index),
            Some(Meaning::Union(index)) => Base::Union(index),
            Some(Meaning::Enum(index)) => Base::Enum(index),
            Some(Meaning::Input(_)) => {
                let message = format!(
                    "`{}` is an input type: give the field a type, interface, union, enum or scalar",
                    written.base()
                );
                problems.refuse(at, message);
                return None;
            }
            Some(Meaning::Refused) => return None,
            None => return self.undefined(at, written.base(), problems),
        };
        self.listed(at, written, base, problems)
    }

    /// The type of an argument or of a member of an input type.
    pub(super) fn input(
        &self,
        at: At<'_>,
        written: &TypeExpression,
        problems: &mut Problems,
    ) -> Option<FieldType> {
        let name = &**written.base();
        let geo = GEO_INPUTS.iter().find(|(known, _)| *known == name);
        let base = match (geo, self.meaning(name)) {
            (Some((_, scalar)), _) => Base::Scalar(*scalar),
            (
                None,
                Some(Meaning::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon)),
            ) => {
                let message = format!("`{name}` is no input type: write `{name}Ref`");
                problems.refuse(at, message);
                return None;
            }
            (None, Some(Meaning::Scalar(scalar))) => Base::Scalar(scalar),
            (None, Some(Meaning::Enum(index))) => Base::Enum(index),
            (None, Some(Meaning::Input(index))) => Base::Input(index),
            (None, Some(Meaning::Type(_) | Meaning::Union(_))) => {
                let message = format!("`{name}` is no input type: define an `input` for it");
                problems.refuse(at, message);
                return None;
            }
            (None, Some(Meaning::Refused)) => return None,
            (None, None) => return self.undefined(at, name, problems),
        };
        self.listed(at, written, base, problems)
    }

    fn listed(
        &self,
        at: At<'_>,
        written: &TypeExpression,
        base: Base,
        problems: &mut Problems,
    ) -> Option<FieldType> {
        let list = match written {
            TypeExpression::Named { .. } => None,
            TypeExpression::List { of, .. } => match &**of {
                TypeExpression::Named { is_required, .. } => {
                    Some(Elements { are_required: *is_required })
                }
                TypeExpression::List { .. } => {
                    let message = "lists of lists do not exist: use one list, or a type between";
                    problems.refuse(at, message);
                    return None;
                }
            },
        };
        Some(FieldType { base, is_required: written.is_required(), list })
    }

    fn undefined<T>(&self, at: At<'_>, name: &str, problems: &mut Problems) -> Option<T> {
        let known = SCALARS.iter().map(|(name, _)| *name).chain(self.meanings.keys().copied());
        let otherwise = format!("define it, as in `type {name} {{ … }}`");
        let remedy = remedy(name, known, &otherwise);
        problems.refuse(at, format!("the type `{name}` is not defined: {remedy}"));
        None
    }
}

pub(super) fn is_interface(definition: &TypeDefinition) -> bool {
    matches!(definition.body, TypeBody::Interface(_))
}
