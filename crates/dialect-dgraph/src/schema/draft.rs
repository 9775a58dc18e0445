//! Types of the API by name, before they have ids.
//!
//! A type refers to others by their names, since most of them are added after it.

use graphql::schema::{
    DirectiveDefinition, DirectiveLocation, EnumValueDefinition, FieldDefinition, InputDefinition,
    Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use ir::ValueForm;
use rustc_hash::FxHashMap;

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, ValueBinding};

/// The types so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    types: Vec<DraftType>,
    by_name: FxHashMap<Box<str>, usize>,
}

/// A part of the schema, in the order in which Dgraph prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Scalars,
    /// Types of the definitions, in the order of these.
    Definitions,
    /// Types that every schema has.
    Base,
    /// Generated types, by name.
    Objects,
    Enums,
    Inputs,
    Roots,
}

/// A type of a draft.
#[derive(Debug)]
pub(super) struct DraftType {
    pub(super) name: Box<str>,
    pub(super) description: Option<Box<str>>,
    pub(super) section: Section,
    pub(super) kind: DraftKind,
}

/// The kind of a type, with its members.
#[derive(Debug)]
pub(super) enum DraftKind {
    Scalar { form: Option<ValueForm> },
    Object { fields: Vec<DraftField>, interfaces: Vec<Box<str>> },
    Interface { fields: Vec<DraftField>, interfaces: Vec<Box<str>> },
    Union { members: Vec<Box<str>> },
    Enum { values: Vec<DraftValue> },
    Input { members: Vec<DraftInput>, form: Option<ValueForm> },
}

/// A field of an object type or an interface.
#[derive(Clone, Debug)]
pub(super) struct DraftField {
    pub(super) name: Box<str>,
    pub(super) description: Option<Box<str>>,
    /// As in a schema: `[Post!]!`.
    pub(super) r#type: Box<str>,
    pub(super) arguments: Vec<DraftInput>,
    /// The reason, if it is deprecated.
    pub(super) deprecated: Option<Box<str>>,
    pub(super) binding: FieldBinding,
}

/// An argument, or a member of an input type.
#[derive(Clone, Debug)]
pub(super) struct DraftInput {
    pub(super) name: Box<str>,
    pub(super) description: Option<Box<str>>,
    pub(super) r#type: Box<str>,
    pub(super) binding: InputBinding,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(super) struct DraftValue {
    pub(super) name: Box<str>,
    pub(super) description: Option<Box<str>>,
    pub(super) binding: ValueBinding,
}

impl DraftField {
    pub(super) fn new(name: &str, r#type: &str, binding: FieldBinding) -> Self {
        Self {
            name: name.into(),
            description: None,
            r#type: r#type.into(),
            arguments: Vec::new(),
            deprecated: None,
            binding,
        }
    }

    pub(super) fn with(mut self, arguments: Vec<DraftInput>) -> Self {
        self.arguments = arguments;
        self
    }
}

impl DraftInput {
    pub(super) fn new(name: &str, r#type: &str, binding: InputBinding) -> Self {
        Self { name: name.into(), description: None, r#type: r#type.into(), binding }
    }
}

impl DraftValue {
    pub(super) fn new(name: &str, binding: ValueBinding) -> Self {
        Self { name: name.into(), description: None, binding }
    }
}

impl Draft {
    /// Adds a type. The first of several with one name stays.
    pub(super) fn add(&mut self, r#type: DraftType) {
        if !self.has(&r#type.name) {
            self.by_name.insert(r#type.name.clone(), self.types.len());
            self.types.push(r#type);
        }
    }

    /// Adds a generated type, or one that every schema has, which have no descriptions.
    pub(super) fn add_plain(&mut self, section: Section, name: &str, kind: DraftKind) {
        self.add(DraftType { name: name.into(), description: None, section, kind });
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The members of an input type; none if the draft lacks it.
    pub(super) fn members(&self, name: &str) -> &[DraftInput] {
        match self.by_name.get(name).map(|index| &self.types[*index].kind) {
            Some(DraftKind::Input { members, .. }) => members,
            _ => &[],
        }
    }

    /// Keeps the types that pass.
    pub(super) fn retain(&mut self, keep: impl FnMut(&mut DraftType) -> bool) {
        self.types.retain_mut(keep);
        let names = self.types.iter().enumerate();
        self.by_name = names.map(|(index, known)| (known.name.clone(), index)).collect();
    }

    pub(super) fn types(&self) -> &[DraftType] {
        &self.types
    }

    /// Makes an API of the types: first the types, since they refer to each other, then their
    /// members.
    pub(super) fn finish(mut self, builder: &mut ApiBuilder) {
        self.types.sort_by(|one, other| {
            let by_name = |known: &DraftType| match known.section {
                Section::Objects | Section::Enums | Section::Inputs => known.name.clone(),
                Section::Scalars | Section::Definitions | Section::Base | Section::Roots => {
                    Box::default()
                }
            };
            (one.section, by_name(one)).cmp(&(other.section, by_name(other)))
        });
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
pub(super) fn add_directive(
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
    pub(super) fn object(fields: Vec<DraftField>) -> Self {
        Self::Object { fields, interfaces: Vec::new() }
    }

    pub(super) fn input(members: Vec<DraftInput>) -> Self {
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
                TypeKind::Object { fields: Vec::new(), interfaces: ids(interfaces) }
            }
            Self::Interface { interfaces, .. } => {
                TypeKind::Interface { fields: Vec::new(), interfaces: ids(interfaces) }
            }
            Self::Union { members } => TypeKind::Union { members: ids(members) },
            Self::Enum { .. } => TypeKind::Enum { values: Vec::new() },
            Self::Input { .. } => TypeKind::InputObject { fields: Vec::new() },
        }
    }
}

fn add_members(builder: &mut ApiBuilder, known: DraftType) {
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
pub(super) fn base(text: &str) -> &str {
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
