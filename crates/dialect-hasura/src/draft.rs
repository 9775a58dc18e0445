//! Types of the API by name, before they have ids.
//!
//! A type refers to others by their names. Types, fields, inputs and enum values are sorted by name,
//! as Hasura prints them.
//!
//! Names of members are words in snake case, which the convention of names may change; those of
//! columns, relationships and root fields are `verbatim`.

use std::collections::BTreeMap;

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, ValueBinding};
use graphql::BUILT_IN_SCALARS;
use graphql::schema::{
    EnumValueDefinition, FieldDefinition, InputDefinition, Schema, TypeDefinition, TypeKind,
    TypeRef,
};
use graphql::value::Const;
use hasura_metadata::naming::Naming;

/// The types so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    types: BTreeMap<String, DraftType>,
}

/// The name of a member.
#[derive(Clone, Debug)]
struct MemberName {
    text: String,
    is_verbatim: bool,
}

impl MemberName {
    fn word(text: &str) -> Self {
        Self { text: text.to_owned(), is_verbatim: false }
    }

    fn finish(self, naming: Naming<'_>) -> String {
        if self.is_verbatim { self.text } else { naming.word(&self.text) }
    }
}

/// A type.
#[derive(Debug)]
struct DraftType {
    description: Option<String>,
    kind: DraftKind,
    /// Names of the interfaces of an object or an interface, of the members of a union.
    related: Vec<String>,
}

/// The kind of a type, with its members.
#[derive(Debug)]
enum DraftKind {
    Scalar,
    Object(Vec<DraftField>),
    Interface(Vec<DraftField>),
    Union,
    Enum(Vec<DraftValue>),
    Input(Vec<DraftInput>),
}

/// A field of an object type.
#[derive(Clone, Debug)]
pub(super) struct DraftField {
    name: MemberName,
    description: Option<String>,
    /// As in a schema: `[Album!]!`.
    r#type: String,
    arguments: Vec<DraftInput>,
    binding: FieldBinding,
    /// The reason, if it is deprecated.
    deprecated: Option<String>,
}

/// An argument, or a member of an input type.
#[derive(Clone, Debug)]
pub(super) struct DraftInput {
    name: MemberName,
    description: Option<String>,
    r#type: String,
    default: Option<Const>,
    binding: InputBinding,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(super) struct DraftValue {
    name: MemberName,
    description: Option<String>,
    binding: ValueBinding,
    /// The reason, if it is deprecated.
    deprecated: Option<String>,
}

impl DraftField {
    pub(super) fn new(name: &str, r#type: impl Into<String>, binding: FieldBinding) -> Self {
        let (name, r#type) = (MemberName::word(name), r#type.into());
        let (description, deprecated) = (None, None);
        Self { name, description, r#type, arguments: Vec::new(), binding, deprecated }
    }

    pub(super) fn deprecated_for(self, reason: Option<&str>) -> Self {
        Self { deprecated: reason.map(Into::into), ..self }
    }

    /// Keeps the name under each convention.
    pub(super) fn verbatim(mut self) -> Self {
        self.name.is_verbatim = true;
        self
    }

    pub(super) fn with(self, arguments: Vec<DraftInput>) -> Self {
        Self { arguments, ..self }
    }

    pub(super) fn described(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    pub(super) fn described_by(self, description: Option<&str>) -> Self {
        Self { description: description.map(Into::into), ..self }
    }
}

impl DraftInput {
    /// Keeps the name under each convention.
    pub(super) fn verbatim(mut self) -> Self {
        self.name.is_verbatim = true;
        self
    }

    pub(super) fn new(name: &str, r#type: impl Into<String>, binding: InputBinding) -> Self {
        let (name, r#type) = (MemberName::word(name), r#type.into());
        Self { name, description: None, r#type, default: None, binding }
    }

    pub(super) fn described(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    pub(super) fn described_by(self, description: Option<&str>) -> Self {
        Self { description: description.map(Into::into), ..self }
    }

    pub(super) fn or(self, default: Const) -> Self {
        Self { default: Some(default), ..self }
    }
}

impl DraftValue {
    pub(super) fn new(name: &str, description: &str, binding: ValueBinding) -> Self {
        Self { description: Some(description.to_owned()), ..Self::bare(name, binding) }
    }

    /// A value without a description.
    pub(super) fn bare(name: &str, binding: ValueBinding) -> Self {
        Self { name: MemberName::word(name), description: None, binding, deprecated: None }
    }

    pub(super) fn described_by(self, description: Option<&str>) -> Self {
        Self { description: description.map(Into::into), ..self }
    }

    pub(super) fn deprecated_for(self, reason: Option<&str>) -> Self {
        Self { deprecated: reason.map(Into::into), ..self }
    }

    /// Keeps the name under each convention.
    pub(super) fn verbatim(mut self) -> Self {
        self.name.is_verbatim = true;
        self
    }
}

impl Draft {
    pub(super) fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// True for a scalar or an enum; those of every schema are scalars, too.
    pub(super) fn has_leaf(&self, name: &str) -> bool {
        BUILT_IN_SCALARS.contains(&name)
            || self.types.get(name).is_some_and(|known| match known.kind {
                DraftKind::Scalar | DraftKind::Enum(_) => true,
                DraftKind::Object(_)
                | DraftKind::Interface(_)
                | DraftKind::Union
                | DraftKind::Input(_) => false,
            })
    }

    /// True for a scalar.
    pub(super) fn has_scalar(&self, name: &str) -> bool {
        let kind = self.types.get(name).map(|known| &known.kind);
        BUILT_IN_SCALARS.contains(&name) || matches!(kind, Some(DraftKind::Scalar))
    }

    /// True if an object type has a field of the name.
    pub(super) fn has_field(&self, object: &str, name: &str) -> bool {
        let kind = self.types.get(object).map(|known| &known.kind);
        matches!(kind, Some(DraftKind::Object(fields)) if fields.iter().any(|field| field.name.text == name))
    }

    /// Adds a field to an object type, which is new if it is the first.
    pub(super) fn add_field(&mut self, object: &str, field: DraftField) {
        let kind = DraftKind::Object(Vec::new());
        let new = DraftType { description: None, kind, related: Vec::new() };
        let known = self.types.entry(object.to_owned()).or_insert(new);
        if let DraftKind::Object(fields) = &mut known.kind {
            fields.push(field);
        }
    }

    pub(super) fn described_scalar(&mut self, name: &str, about: Option<&str>) {
        self.add(name, about, DraftKind::Scalar);
    }

    pub(super) fn scalar(&mut self, name: &str) {
        self.add(name, None, DraftKind::Scalar);
    }

    pub(super) fn object(&mut self, name: &str, about: Option<&str>, fields: Vec<DraftField>) {
        self.add(name, about, DraftKind::Object(fields));
    }

    pub(super) fn interface(&mut self, name: &str, about: Option<&str>, fields: Vec<DraftField>) {
        self.add(name, about, DraftKind::Interface(fields));
    }

    pub(super) fn union(&mut self, name: &str, about: Option<&str>, members: Vec<String>) {
        self.add(name, about, DraftKind::Union);
        self.implement(name, members);
    }

    /// Sets the interfaces of a type.
    pub(super) fn implement(&mut self, name: &str, interfaces: Vec<String>) {
        if let Some(known) = self.types.get_mut(name) {
            known.related = interfaces;
        }
    }

    pub(super) fn input(&mut self, name: &str, about: Option<&str>, members: Vec<DraftInput>) {
        self.add(name, about, DraftKind::Input(members));
    }

    pub(super) fn values(&mut self, name: &str, about: Option<&str>, values: Vec<DraftValue>) {
        self.add(name, about, DraftKind::Enum(values));
    }

    /// Adds a type. The first of several with one name stays.
    fn add(&mut self, name: &str, description: Option<&str>, kind: DraftKind) {
        let description = description.map(Into::into);
        let added = DraftType { description, kind, related: Vec::new() };
        self.types.entry(name.to_owned()).or_insert(added);
    }

    /// Makes an API of the types: first the types, since they refer to each other, then their
    /// members.
    pub(super) fn finish(self, naming: Naming<'_>, builder: &mut ApiBuilder) {
        for (name, r#type) in &self.types {
            let kind = match &r#type.kind {
                DraftKind::Scalar => TypeKind::Scalar,
                DraftKind::Object(_) => {
                    TypeKind::Object { fields: Vec::new(), interfaces: Vec::new() }
                }
                DraftKind::Interface(_) => {
                    TypeKind::Interface { fields: Vec::new(), interfaces: Vec::new() }
                }
                DraftKind::Union => TypeKind::Union { members: Vec::new() },
                DraftKind::Enum(_) => TypeKind::Enum { values: Vec::new() },
                DraftKind::Input(_) => TypeKind::InputObject { fields: Vec::new() },
            };
            let description = r#type.description.as_deref().map(Into::into);
            let definition = TypeDefinition { name: name.as_str().into(), description, kind };
            builder.add_type(definition);
        }
        for (name, r#type) in self.types {
            let is_union = matches!(r#type.kind, DraftKind::Union);
            add_members(builder, naming, &name, r#type.kind);
            let schema = builder.schema_mut();
            let Some(id) = schema.find_type(&name) else { continue };
            for related in &r#type.related {
                let Some(related) = schema.find_type(related) else { continue };
                match is_union {
                    true => schema.add_member(id, related),
                    false => schema.add_interface(id, related),
                }
            }
        }
        let [query, mutation, subscription] = ["query_root", "mutation_root", "subscription_root"]
            .map(|name| builder.schema().find_type(name));
        let schema = builder.schema_mut();
        (schema.query, schema.mutation, schema.subscription) = (query, mutation, subscription);
    }
}

fn add_members(builder: &mut ApiBuilder, naming: Naming<'_>, name: &str, kind: DraftKind) {
    let Some(id) = builder.schema().find_type(name) else { return };
    match kind {
        DraftKind::Scalar | DraftKind::Union => {}
        DraftKind::Object(fields) | DraftKind::Interface(fields) => {
            let fields = sorted(fields, |field| field.name.clone().finish(naming));
            for (name, field) in fields {
                let Some(r#type) = type_ref(&field.r#type, builder.schema()) else { continue };
                let mut definition = FieldDefinition::new(&name, r#type);
                definition.description = field.description.as_deref().map(Into::into);
                definition.deprecated = field.deprecated.as_deref().map(Into::into);
                if field.arguments.is_empty() {
                    builder.add_plain_field(id, definition, field.binding);
                    continue;
                }
                let added = builder.add_field(id, definition, field.binding);
                for (name, argument) in sorted_inputs(field.arguments, naming) {
                    if let Some(definition) = input_definition(&name, &argument, builder.schema()) {
                        builder.add_argument(added, definition, argument.binding);
                    }
                }
            }
        }
        DraftKind::Enum(values) => {
            let name = |value: &DraftValue| match value.name.is_verbatim {
                true => value.name.text.clone(),
                false => naming.enum_value(&value.name.text),
            };
            for (name, value) in sorted(values, name) {
                let mut definition = EnumValueDefinition::new(&name);
                definition.description = value.description.as_deref().map(Into::into);
                definition.deprecated = value.deprecated.as_deref().map(Into::into);
                builder.add_enum_value(id, definition, value.binding);
            }
        }
        DraftKind::Input(members) => {
            for (name, member) in sorted_inputs(members, naming) {
                if let Some(definition) = input_definition(&name, &member, builder.schema()) {
                    builder.add_input_field(id, definition, member.binding);
                }
            }
        }
    }
}

/// Members with their final names, sorted by these.
fn sorted<T>(members: Vec<T>, name: impl Fn(&T) -> String) -> Vec<(String, T)> {
    let members = members.into_iter().map(|member| (name(&member), member));
    let mut members: Vec<(String, T)> = members.collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members
}

fn sorted_inputs(inputs: Vec<DraftInput>, naming: Naming<'_>) -> Vec<(String, DraftInput)> {
    sorted(inputs, |input| input.name.clone().finish(naming))
}

fn input_definition(name: &str, input: &DraftInput, schema: &Schema) -> Option<InputDefinition> {
    let mut definition = InputDefinition::new(name, type_ref(&input.r#type, schema)?);
    definition.description = input.description.as_deref().map(Into::into);
    definition.default = input.default.clone().map(Box::new);
    Some(definition)
}

/// The type of a text; `None` if the schema has none of the name.
fn type_ref(text: &str, schema: &Schema) -> Option<TypeRef> {
    let base = text.trim_matches(['[', ']', '!']);
    let named = schema.find_type(base).map(TypeRef::named);
    debug_assert!(named.is_some(), "there is no type {text}");
    // The letters behind the name close lists and refuse null, from the innermost outwards.
    let wrappers = text.trim_start_matches('[').trim_start_matches(base);
    wrappers.chars().fold(named, |r#type, wrapper| match wrapper {
        '!' => r#type.map(TypeRef::non_null),
        _ => r#type.map(TypeRef::list),
    })
}
