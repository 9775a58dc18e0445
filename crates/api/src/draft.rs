//! Types of the API by name, before they have ids.
//!
//! A type refers to others by their names, since most of them are added after it.

use graphql::schema::{
    DirectiveDefinition, DirectiveLocation, EnumValueDefinition, FieldDefinition, InputDefinition,
    Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use ir::ValueForm;
use rustc_hash::FxHashMap;

use crate::ApiBuilder;
use crate::binding::{FieldBinding, InputBinding, ValueBinding};

/// The types so far.
#[derive(Debug)]
pub struct Draft<S> {
    types: Vec<DraftType<S>>,
    by_name: FxHashMap<Box<str>, usize>,
}

/// A part of a printed schema. Parts are in the order of the type.
pub trait Section: Copy + Ord {
    fn order(self) -> TypeOrder;
}

/// The order of the types of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOrder {
    /// As they were added.
    Added,
    /// By name.
    Name,
    /// By name, without regard to case.
    NameIgnoringCase,
}

impl TypeOrder {
    /// The key by which a type is sorted.
    fn key(self, name: &str) -> Option<String> {
        match self {
            Self::Added => None,
            Self::Name => Some(name.to_owned()),
            Self::NameIgnoringCase => Some(name.to_lowercase()),
        }
    }
}

/// A type of a draft.
#[derive(Debug)]
pub struct DraftType<S> {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub section: S,
    pub kind: DraftKind,
}

/// The kind of a type, with its members.
#[derive(Debug)]
pub enum DraftKind {
    Scalar { form: Option<ValueForm> },
    Object { fields: Vec<DraftField>, interfaces: Vec<Box<str>> },
    Interface { fields: Vec<DraftField>, interfaces: Vec<Box<str>> },
    Union { members: Vec<Box<str>> },
    Enum { values: Vec<DraftValue> },
    Input { members: Vec<DraftInput>, form: Option<ValueForm> },
}

/// A field of an object type or an interface.
#[derive(Clone, Debug)]
pub struct DraftField {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    /// As in a schema: `[Post!]!`.
    pub r#type: Box<str>,
    pub arguments: Vec<DraftInput>,
    /// The reason, if it is deprecated.
    pub deprecated: Option<Box<str>>,
    pub binding: FieldBinding,
}

/// An argument, or a member of an input type.
#[derive(Clone, Debug)]
pub struct DraftInput {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub r#type: Box<str>,
    pub binding: InputBinding,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub struct DraftValue {
    pub name: Box<str>,
    pub description: Option<Box<str>>,
    pub binding: ValueBinding,
}

impl DraftField {
    pub fn new(name: &str, r#type: &str, binding: FieldBinding) -> Self {
        Self {
            name: name.into(),
            description: None,
            r#type: r#type.into(),
            arguments: Vec::new(),
            deprecated: None,
            binding,
        }
    }

    pub fn with(mut self, arguments: Vec<DraftInput>) -> Self {
        self.arguments = arguments;
        self
    }
}

impl DraftInput {
    pub fn new(name: &str, r#type: &str, binding: InputBinding) -> Self {
        Self { name: name.into(), description: None, r#type: r#type.into(), binding }
    }
}

impl DraftValue {
    pub fn new(name: &str, binding: ValueBinding) -> Self {
        Self { name: name.into(), description: None, binding }
    }
}

impl<S> Default for Draft<S> {
    fn default() -> Self {
        Self { types: Vec::new(), by_name: FxHashMap::default() }
    }
}

impl<S: Section> Draft<S> {
    /// Adds a type. The first of several with one name stays.
    pub fn add(&mut self, r#type: DraftType<S>) {
        if !self.has(&r#type.name) {
            self.by_name.insert(r#type.name.clone(), self.types.len());
            self.types.push(r#type);
        }
    }

    /// Adds a generated type, or one that every schema has, which have no descriptions.
    pub fn add_plain(&mut self, section: S, name: &str, kind: DraftKind) {
        self.add(DraftType { name: name.into(), description: None, section, kind });
    }

    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The members of an input type; none if the draft lacks it.
    pub fn members(&self, name: &str) -> &[DraftInput] {
        match self.by_name.get(name).map(|index| &self.types[*index].kind) {
            Some(DraftKind::Input { members, .. }) => members,
            _ => &[],
        }
    }

    /// Gives an input type its members.
    pub fn set_members(&mut self, name: &str, given: Vec<DraftInput>) {
        if let Some(DraftKind::Input { members, .. }) =
            self.by_name.get(name).map(|index| &mut self.types[*index].kind)
        {
            *members = given;
        }
    }

    /// Keeps the types that pass.
    pub fn retain(&mut self, keep: impl FnMut(&mut DraftType<S>) -> bool) {
        self.types.retain_mut(keep);
        let names = self.types.iter().enumerate();
        self.by_name = names.map(|(index, known)| (known.name.clone(), index)).collect();
    }

    pub fn types(&self) -> &[DraftType<S>] {
        &self.types
    }

    /// Makes an API of the types: first the types, since they refer to each other, then their
    /// members.
    pub fn finish(mut self, builder: &mut ApiBuilder) {
        self.types
            .sort_by_cached_key(|known| (known.section, known.section.order().key(&known.name)));
        // Types get their ids in the order in which they are added.
        let names = self.types.iter().enumerate();
        let ids: FxHashMap<&str, TypeId> =
            names.map(|(index, known)| (&*known.name, TypeId::new(index))).collect();
        for known in &self.types {
            let definition = TypeDefinition {
                name: (&*known.name).into(),
                description: known.description.as_deref().map(Into::into),
                kind: known.kind.empty(&ids),
            };
            let added = builder.add_type(definition);
            debug_assert!(added.is_some(), "two types have the name {}", known.name);
        }
        for known in self.types {
            add_members(builder, known);
        }
        let find = |builder: &ApiBuilder, name: &str| builder.schema().find_type(name);
        let [query, mutation, subscription] =
            ["Query", "Mutation", "Subscription"].map(|name| find(builder, name));
        let schema = builder.schema_mut();
        schema.query = query;
        schema.mutation = mutation;
        schema.subscription = subscription;
    }
}

/// Adds a directive of operations with one argument.
pub fn add_directive(
    builder: &mut ApiBuilder,
    name: &str,
    argument: (&str, &str),
    location: DirectiveLocation,
) {
    let (argument, r#type) = argument;
    let Some(r#type) = type_ref(r#type, builder.schema()) else { return };
    let definition = DirectiveDefinition {
        name: name.into(),
        description: None,
        arguments: Vec::new(),
        locations: vec![location],
        is_repeatable: false,
    };
    builder.add_directive(definition, vec![InputDefinition::new(argument, r#type)]);
}

impl DraftKind {
    pub fn object(fields: Vec<DraftField>) -> Self {
        Self::Object { fields, interfaces: Default::default() }
    }

    pub fn input(members: Vec<DraftInput>) -> Self {
        Self::Input { members, form: None }
    }

    /// The kind of the schema without members.
    fn empty(&self, ids: &FxHashMap<&str, TypeId>) -> TypeKind {
        let ids = |names: &[Box<str>]| {
            names.iter().filter_map(|name| ids.get(&**name).copied()).collect::<Vec<TypeId>>()
        };
        match self {
            Self::Scalar { .. } => TypeKind::Scalar,
            Self::Object { interfaces, .. } => {
                TypeKind::Object { fields: Vec::new(), interfaces: ids(interfaces).into() }
            }
            Self::Interface { interfaces, .. } => {
                TypeKind::Interface { fields: Vec::new(), interfaces: ids(interfaces).into() }
            }
            Self::Union { members } => TypeKind::Union { members: ids(members) },
            Self::Enum { .. } => TypeKind::Enum { values: Vec::new() },
            Self::Input { .. } => TypeKind::InputObject { fields: Vec::new() },
        }
    }
}

fn add_members<S>(builder: &mut ApiBuilder, known: DraftType<S>) {
    let Some(id) = builder.schema().find_type(&known.name) else { return };
    match known.kind {
        DraftKind::Scalar { form } => {
            if let Some(form) = form {
                builder.bind_form(id, form);
            }
        }
        DraftKind::Object { fields, .. } | DraftKind::Interface { fields, .. } => {
            for field in fields {
                add_field(builder, id, field);
            }
        }
        DraftKind::Union { .. } => {}
        DraftKind::Enum { values } => {
            for DraftValue { name, description, binding } in values {
                let mut definition = EnumValueDefinition::new(&name);
                definition.description = description.as_deref().map(Into::into);
                builder.add_enum_value(id, definition, binding);
            }
        }
        DraftKind::Input { members, form } => {
            for member in members {
                if let Some(definition) = definition(&member, builder.schema()) {
                    builder.add_input_field(id, definition, member.binding);
                }
            }
            if let Some(form) = form {
                builder.bind_form(id, form);
            }
        }
    }
}

fn add_field(builder: &mut ApiBuilder, parent: TypeId, field: DraftField) {
    let Some(r#type) = type_ref(&field.r#type, builder.schema()) else { return };
    let mut definition = FieldDefinition::new(&field.name, r#type);
    definition.description = field.description.as_deref().map(Into::into);
    definition.deprecated = field.deprecated.as_deref().map(Into::into);
    if field.arguments.is_empty() {
        builder.add_plain_field(parent, definition, field.binding);
        return;
    }
    let id = builder.add_field(parent, definition, field.binding);
    for argument in field.arguments {
        if let Some(definition) = self::definition(&argument, builder.schema()) {
            builder.add_argument(id, definition, argument.binding);
        }
    }
}

fn definition(input: &DraftInput, schema: &Schema) -> Option<InputDefinition> {
    let mut definition = InputDefinition::new(&input.name, type_ref(&input.r#type, schema)?);
    definition.description = input.description.as_deref().map(Into::into);
    Some(definition)
}

/// The name in the text of a type.
pub fn base(text: &str) -> &str {
    text.trim_matches(|letter| matches!(letter, '[' | ']' | '!'))
}

/// The type of a text; `None` if the schema has none of the name.
fn type_ref(text: &str, schema: &Schema) -> Option<TypeRef> {
    let named = schema.find_type(base(text)).map(TypeRef::named);
    debug_assert!(named.is_some(), "there is no type {text}");
    // The letters behind the name close lists and refuse null, from the innermost outwards.
    let wrappers = text.trim_start_matches('[').trim_start_matches(base(text));
    wrappers.chars().fold(named, |r#type, wrapper| match wrapper {
        '!' => r#type.map(TypeRef::non_null),
        _ => r#type.map(TypeRef::list),
    })
}
