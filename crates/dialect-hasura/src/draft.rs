//! Types of the API by name, in any order.
//!
//! A type refers to others by their names, which need not have been added yet. Members become those of
//! the schema at once, so that the whole API is never there in another form. In the end types, fields,
//! inputs and enum values are sorted by name, as Hasura prints them.
//!
//! Names of members are words in snake case, which the convention of names may change; those of
//! columns, relationships and root fields are `verbatim`.

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, ValueBinding};
use graphql::BUILT_IN_SCALARS;
use graphql::schema::{
    EnumValueDefinition, FieldDefinition, InputDefinition, InputId, TypeDefinition, TypeId,
    TypeKind, TypeRef,
};
use graphql::value::Const;
use hasura_metadata::naming::Naming;
use hasura_metadata::types::source::NamingConvention;
use http_resolvers::remote_schema::{RemoteInput, RemoteKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::tracking::PLAIN;

/// The types so far.
#[derive(Debug)]
pub(super) struct Draft {
    convention: NamingConvention,
    builder: ApiBuilder,
    /// By the id of a type, true if it was added, and not only named by others.
    added: Vec<bool>,
}

/// The name of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub(super) fn is_named_as(&self, other: &Self) -> bool {
        self.name == other.name
    }

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
    pub(super) fn new(convention: NamingConvention) -> Self {
        Self { convention, builder: ApiBuilder::default(), added: Vec::new() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// True for a scalar or an enum; those of every schema are scalars, too.
    pub(super) fn has_leaf(&self, name: &str) -> bool {
        BUILT_IN_SCALARS.contains(&name)
            || matches!(self.find(name), Some(TypeKind::Scalar | TypeKind::Enum { .. }))
    }

    /// True for a scalar.
    pub(super) fn has_scalar(&self, name: &str) -> bool {
        BUILT_IN_SCALARS.contains(&name) || matches!(self.find(name), Some(TypeKind::Scalar))
    }

    /// True if there is an enum or an input type of the name with the same members.
    pub(super) fn has_equal(&self, name: &str, kind: &RemoteKind) -> bool {
        let schema = self.builder.schema();
        match (self.find(name), kind) {
            (Some(TypeKind::Enum { values: own }), RemoteKind::Enum { values }) => {
                let own: FxHashSet<&str> = own.iter().map(|id| &*schema[*id].name).collect();
                own.len() == values.len() && values.iter().all(|one| own.contains(&*one.name))
            }
            (Some(TypeKind::InputObject { fields: own }), RemoteKind::Input { fields }) => {
                let member = |id: &InputId| {
                    let own = &schema[*id];
                    (&*own.name, graphql::print_type(schema, own.r#type))
                };
                let own: FxHashMap<&str, String> = own.iter().map(member).collect();
                let is_same = |one: &RemoteInput| {
                    own.get(&*one.name).is_some_and(|r#type| *r#type == one.r#type.to_string())
                };
                own.len() == fields.len() && fields.iter().all(is_same)
            }
            _ => false,
        }
    }

    /// True if an object type has a field of the name.
    pub(super) fn has_field(&self, object: &str, name: &str) -> bool {
        let schema = self.builder.schema();
        let object = schema.find_type(object);
        object.is_some_and(|object| schema.find_field(object, name).is_some())
    }

    /// Adds a field to an object type, which is new if it is the first.
    pub(super) fn add_field(&mut self, object: &str, field: DraftField) {
        if !self.has(object) {
            self.object(object, None, Vec::new());
        }
        if let Some(id) = self.builder.schema().find_type(object) {
            self.field(id, field);
        }
    }

    pub(super) fn described_scalar(&mut self, name: &str, about: Option<&str>) {
        self.add(name, about, TypeKind::Scalar);
    }

    pub(super) fn scalar(&mut self, name: &str) {
        self.add(name, None, TypeKind::Scalar);
    }

    pub(super) fn object(&mut self, name: &str, about: Option<&str>, fields: Vec<DraftField>) {
        let kind = TypeKind::Object { fields: Vec::new(), interfaces: Default::default() };
        if let Some(id) = self.add(name, about, kind) {
            fields.into_iter().for_each(|field| self.field(id, field));
        }
    }

    pub(super) fn interface(&mut self, name: &str, about: Option<&str>, fields: Vec<DraftField>) {
        let kind = TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() };
        if let Some(id) = self.add(name, about, kind) {
            fields.into_iter().for_each(|field| self.field(id, field));
        }
    }

    pub(super) fn union(&mut self, name: &str, about: Option<&str>, members: Vec<String>) {
        let Some(id) = self.add(name, about, TypeKind::Union { members: Vec::new() }) else {
            return;
        };
        for member in members {
            let member = self.named(&member);
            self.builder.schema_mut().add_member(id, member);
        }
    }

    /// Sets the interfaces of a type.
    pub(super) fn implement(&mut self, name: &str, interfaces: Vec<String>) {
        let Some(id) = self.builder.schema().find_type(name) else { return };
        for interface in interfaces {
            let interface = self.named(&interface);
            self.builder.schema_mut().add_interface(id, interface);
        }
    }

    pub(super) fn input(&mut self, name: &str, about: Option<&str>, members: Vec<DraftInput>) {
        let kind = TypeKind::InputObject { fields: Vec::new() };
        let Some(id) = self.add(name, about, kind) else { return };
        for member in members {
            let (definition, binding) = self.definition(member);
            self.builder.add_input_field(id, definition, binding);
        }
    }

    pub(super) fn values(&mut self, name: &str, about: Option<&str>, values: Vec<DraftValue>) {
        let Some(id) = self.add(name, about, TypeKind::Enum { values: Vec::new() }) else { return };
        for value in values {
            let name = match value.name.is_verbatim {
                true => value.name.text,
                false => self.naming().enum_value(&value.name.text),
            };
            let mut definition = EnumValueDefinition::new(&name);
            definition.description = value.description.as_deref().map(Into::into);
            definition.deprecated = value.deprecated.as_deref().map(Into::into);
            self.builder.add_enum_value(id, definition, value.binding);
        }
    }

    /// The types as an API, without members whose types were never added.
    pub(super) fn finish(self) -> ApiBuilder {
        let Self { mut builder, added, .. } = self;
        let is_added = |id: TypeId| added.get(id.index()).copied().unwrap_or(false);
        let schema = builder.schema_mut();
        debug_assert!(
            schema.types().all(|(id, _)| is_added(id)),
            "there is no type {:?}",
            schema.types().find(|(id, _)| !is_added(*id)).map(|(_, r#type)| &r#type.name)
        );
        schema.sort(is_added);
        let [query, mutation, subscription] =
            ["query_root", "mutation_root", "subscription_root"].map(|name| schema.find_type(name));
        (schema.query, schema.mutation, schema.subscription) = (query, mutation, subscription);
        builder
    }

    fn naming(&self) -> Naming<'static> {
        Naming { convention: self.convention, customization: &PLAIN }
    }

    /// The kind of a type that was added.
    fn find(&self, name: &str) -> Option<&TypeKind> {
        let schema = self.builder.schema();
        let id = schema.find_type(name)?;
        self.added.get(id.index())?.then(|| &schema[id].kind)
    }

    /// Adds a type. `None` if there is one of the name, which stays.
    fn add(&mut self, name: &str, description: Option<&str>, kind: TypeKind) -> Option<TypeId> {
        let id = self.named(name);
        let added = self.added.get_mut(id.index())?;
        if std::mem::replace(added, true) {
            return None;
        }
        self.builder.schema_mut().define_type(id, description, kind);
        Some(id)
    }

    /// The type of a name, which may be added later.
    fn named(&mut self, name: &str) -> TypeId {
        if let Some(id) = self.builder.schema().find_type(name) {
            return id;
        }
        let definition =
            TypeDefinition { name: name.into(), description: None, kind: TypeKind::Scalar };
        let id = self.builder.add_type(definition);
        debug_assert!(id.is_some(), "the type {name} was not found, but its name is taken");
        self.added.push(false);
        id.unwrap_or(TypeId::new(0))
    }

    /// Adds a field to an object or an interface.
    fn field(&mut self, parent: TypeId, field: DraftField) {
        let r#type = self.type_ref(&field.r#type);
        let mut definition = FieldDefinition::new(&field.name.finish(self.naming()), r#type);
        definition.description = field.description.as_deref().map(Into::into);
        definition.deprecated = field.deprecated.as_deref().map(Into::into);
        if field.arguments.is_empty() {
            self.builder.add_plain_field(parent, definition, field.binding);
            return;
        }
        let added = self.builder.add_field(parent, definition, field.binding);
        for argument in field.arguments {
            let (definition, binding) = self.definition(argument);
            self.builder.add_argument(added, definition, binding);
        }
    }

    fn definition(&mut self, input: DraftInput) -> (InputDefinition, InputBinding) {
        let r#type = self.type_ref(&input.r#type);
        let mut definition = InputDefinition::new(&input.name.finish(self.naming()), r#type);
        definition.description = input.description.as_deref().map(Into::into);
        definition.default = input.default.map(Box::new);
        (definition, input.binding)
    }

    /// The type of a text.
    fn type_ref(&mut self, text: &str) -> TypeRef {
        let base = text.trim_matches(['[', ']', '!']);
        let named = TypeRef::named(self.named(base));
        // The letters behind the name close lists and refuse null, from the innermost outwards.
        let wrappers = text.trim_start_matches('[').trim_start_matches(base);
        wrappers.chars().fold(named, |r#type, wrapper| match wrapper {
            '!' => r#type.non_null(),
            _ => r#type.list(),
        })
    }
}
