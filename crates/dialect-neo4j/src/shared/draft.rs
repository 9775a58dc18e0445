//! Types by name, added when they are first needed, and put into an API when all are known.
//!
//! A type refers to others by their names, since most of them are not there yet when it does. What
//! nothing leads to from the root types is left out in the end.

use std::mem::discriminant;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use catalog::{Note, NoteKind};
use graphql::schema::{
    EnumValueDefinition, FieldDefinition, InputDefinition, Schema, TypeDefinition, TypeId,
    TypeKind, TypeRef,
};
use graphql::value::Const;
use ir::ValueForm;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::ModelField;
use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, InputRole, ValueBinding};

/// The types so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    types: Vec<DraftType>,
    places: FxHashMap<Arc<str>, usize>,
    /// Names that two types of different kinds would have.
    clashes: Vec<Arc<str>>,
}

/// A type of a draft.
#[derive(Debug)]
struct DraftType {
    name: Arc<str>,
    description: Option<Arc<str>>,
    kind: DraftKind,
}

/// Kind of a type, with its parts so far.
#[derive(Debug)]
pub(crate) enum DraftKind {
    Scalar { form: Option<ValueForm> },
    Enum { values: Vec<(EnumValueDefinition, ValueBinding)> },
    Union { members: Vec<Arc<str>> },
    Interface { fields: Vec<DraftField>, interfaces: Vec<Arc<str>> },
    Object { fields: Vec<DraftField>, interfaces: Vec<Arc<str>> },
    Input { fields: Vec<DraftInput>, form: Option<ValueForm> },
}

/// A field of an object or interface type.
#[derive(Clone, Debug)]
pub(crate) struct DraftField {
    pub(crate) name: Arc<str>,
    pub(crate) description: Option<Arc<str>>,
    /// As it is written in a schema: `[Movie!]!`.
    pub(crate) r#type: Box<str>,
    pub(crate) arguments: Vec<DraftInput>,
    pub(crate) deprecated: Option<Arc<str>>,
    pub(crate) binding: FieldBinding,
}

/// An argument, or a field of an input type.
#[derive(Clone, Debug)]
pub(crate) struct DraftInput {
    pub(crate) name: Arc<str>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) r#type: Box<str>,
    pub(crate) default: Option<Const>,
    pub(crate) deprecated: Option<Arc<str>>,
    pub(crate) binding: InputBinding,
}

impl DraftField {
    pub(crate) fn new(name: &str, r#type: &str, binding: FieldBinding) -> Self {
        Self {
            name: name.into(),
            description: None,
            r#type: r#type.into(),
            arguments: Vec::new(),
            deprecated: None,
            binding,
        }
    }

    /// A field of an object type for one of the definitions.
    pub(crate) fn of(field: &ModelField, r#type: &str, binding: FieldBinding) -> Self {
        let mut draft = Self::new(&field.name, r#type, binding);
        draft.description.clone_from(&field.description);
        draft.deprecated(field.deprecated.as_ref())
    }

    pub(crate) fn argument(mut self, argument: DraftInput) -> Self {
        self.arguments.push(argument);
        self
    }

    pub(crate) fn described(mut self, description: &str) -> Self {
        self.description = Some(description.into());
        self
    }

    pub(crate) fn deprecated(mut self, reason: Option<&Arc<str>>) -> Self {
        self.deprecated = reason.cloned();
        self
    }
}

impl DraftInput {
    /// An input for which null and empty mean absence.
    pub(crate) fn lenient(name: &str, r#type: &str, role: impl Into<InputRole>) -> Self {
        Self::new(name, r#type, InputBinding::lenient(role))
    }

    pub(crate) fn new(name: &str, r#type: &str, binding: InputBinding) -> Self {
        Self {
            name: name.into(),
            description: None,
            r#type: r#type.into(),
            default: None,
            deprecated: None,
            binding,
        }
    }

    pub(crate) fn described(mut self, description: &str) -> Self {
        self.description = Some(description.into());
        self
    }

    pub(crate) fn because(mut self, reason: &str) -> Self {
        self.deprecated = Some(reason.into());
        self
    }

    pub(crate) fn deprecated(mut self, reason: Option<&Arc<str>>) -> Self {
        self.deprecated = reason.cloned();
        self
    }

    pub(crate) fn defaulted(mut self, default: Const) -> Self {
        self.default = Some(default);
        self
    }
}

impl Draft {
    /// Whether a type of the name is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Adds a type; one that is there already stays as it is.
    pub(crate) fn add(&mut self, name: &str, description: Option<&str>, kind: DraftKind) {
        if let Some(known) = self.kind(name) {
            if discriminant(known) != discriminant(&kind) {
                self.clashes.push(name.into());
            }
            return;
        }
        let name: Arc<str> = name.into();
        self.places.insert(Arc::clone(&name), self.types.len());
        self.types.push(DraftType { name, description: description.map(Into::into), kind });
    }

    /// Adds an input type without fields, unless there is one.
    pub(crate) fn input(&mut self, name: &str) {
        self.add(name, None, DraftKind::Input { fields: Vec::new(), form: None });
    }

    /// Adds an object type without fields, unless there is one.
    pub(crate) fn object(&mut self, name: &str) {
        self.add(name, None, DraftKind::Object { fields: Vec::new(), interfaces: Vec::new() });
    }

    /// Gives an input type a field, and makes the type if it is not there. One of the same name is
    /// replaced in its place.
    pub(crate) fn add_input(&mut self, parent: &str, input: DraftInput) {
        self.input(parent);
        if let Some(DraftKind::Input { fields, .. }) = self.kind_mut(parent) {
            match fields.iter_mut().find(|known| known.name == input.name) {
                Some(known) => *known = input,
                None => fields.push(input),
            }
        }
    }

    /// Gives an object or interface type a field, and makes an object type if it is not there. One
    /// of the same name is replaced in its place.
    pub(crate) fn add_field(&mut self, parent: &str, field: DraftField) {
        if !self.has(parent) {
            self.object(parent);
        }
        if let Some(DraftKind::Object { fields, .. } | DraftKind::Interface { fields, .. }) =
            self.kind_mut(parent)
        {
            match fields.iter_mut().find(|known| known.name == field.name) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
    }

    /// Sets the description of a type.
    pub(crate) fn describe(&mut self, name: &str, description: &str) {
        let place = self.places.get(name).copied();
        if let Some(known) = place.and_then(|place| self.types.get_mut(place)) {
            known.description = Some(description.into());
        }
    }

    /// Gives a union a member, and makes the union if it is not there.
    pub(crate) fn add_member(&mut self, union: &str, member: &str) {
        self.add(union, None, DraftKind::Union { members: Vec::new() });
        if let Some(DraftKind::Union { members }) = self.kind_mut(union)
            && !members.iter().any(|known| **known == *member)
        {
            members.push(member.into());
        }
    }

    /// Says that an object type implements an interface.
    pub(crate) fn implement(&mut self, object: &str, interface: &str) {
        if let Some(DraftKind::Object { interfaces, .. }) = self.kind_mut(object)
            && !interfaces.iter().any(|known| **known == *interface)
        {
            interfaces.push(interface.into());
        }
    }

    /// The fields of an input type; none if it is not there.
    pub(crate) fn inputs_of(&self, name: &str) -> &[DraftInput] {
        match self.kind(name) {
            Some(DraftKind::Input { fields, .. }) => fields,
            _ => &[],
        }
    }

    fn kind(&self, name: &str) -> Option<&DraftKind> {
        self.places.get(name).and_then(|place| self.types.get(*place)).map(|found| &found.kind)
    }

    fn kind_mut(&mut self, name: &str) -> Option<&mut DraftKind> {
        let place = *self.places.get(name)?;
        self.types.get_mut(place).map(|found| &mut found.kind)
    }

    /// Puts what the root types lead to into an API, in the order in which the library's schemas
    /// are printed.
    ///
    /// A draft is several times as large as what becomes of it. An allocator gives each thread pages
    /// of its own, so the API is made on another one: among the draft's values it would keep nearly
    /// all of their pages in use.
    pub(crate) fn finish(&self, builder: &mut ApiBuilder) {
        thread::scope(|scope| {
            let made = scope.spawn(|| self.fill(builder)).join();
            made.unwrap_or_else(|panic| resume_unwind(panic));
        });
    }

    fn fill(&self, builder: &mut ApiBuilder) {
        let reached = self.reached();
        let mut kept: Vec<&DraftType> =
            self.types.iter().filter(|known| reached.contains(&*known.name)).collect();
        kept.sort_by_cached_key(|known| crate::shared::arrange::key(&known.name, &known.kind));
        // Types get their ids in the order in which they are added, so all are known beforehand.
        let first = builder.schema().types().count();
        let places = kept.iter().enumerate();
        let ids: FxHashMap<&str, TypeId> =
            places.map(|(place, known)| (&*known.name, TypeId::new(first + place))).collect();
        for known in &kept {
            known.add_type(builder, &ids);
        }
        for known in &kept {
            known.add_parts(builder);
        }
        let find = |name: &str| builder.schema().find_type(name);
        let (query, mutation) = (find("Query"), find("Mutation"));
        let subscription = find("Subscription");
        builder.schema_mut().subscription = subscription;
        builder.schema_mut().query = query;
        builder.schema_mut().mutation = mutation;
        let mut clashes = self.clashes.clone();
        clashes.sort_unstable();
        clashes.dedup();
        for name in clashes {
            builder.note(Note {
                kind: NoteKind::Collision,
                subject: (&*name).into(),
                message: "several types of the API have this name, and only the first is in it."
                    .into(),
                remedy: "rename the type of the definitions that it is made of.".into(),
            });
        }
    }
}

impl Draft {
    /// The names of the types that the root types lead to, and of the types that implement an interface
    /// among them.
    fn reached(&self) -> FxHashSet<&str> {
        let mut reached: FxHashSet<&str> = FxHashSet::default();
        let mut open: Vec<&str> = vec!["Query", "Mutation", "Subscription"];
        while let Some(name) = open.pop() {
            let Some(known) = self.places.get(name).and_then(|place| self.types.get(*place)) else {
                continue;
            };
            if !reached.insert(&known.name) {
                continue;
            }
            known.refer(&mut open);
            if let DraftKind::Interface { .. } = known.kind {
                let implements = |other: &&DraftType| other.interfaces().contains(&known.name);
                open.extend(self.types.iter().filter(implements).map(|other| &*other.name));
            }
        }
        reached
    }
}

impl DraftType {
    fn interfaces(&self) -> &[Arc<str>] {
        match &self.kind {
            DraftKind::Object { interfaces, .. } | DraftKind::Interface { interfaces, .. } => {
                interfaces
            }
            DraftKind::Scalar { .. }
            | DraftKind::Enum { .. }
            | DraftKind::Union { .. }
            | DraftKind::Input { .. } => &[],
        }
    }

    /// Adds the names of the types that it refers to.
    fn refer<'d>(&'d self, names: &mut Vec<&'d str>) {
        match &self.kind {
            DraftKind::Scalar { .. } | DraftKind::Enum { .. } => {}
            DraftKind::Union { members } => names.extend(members.iter().map(|member| &**member)),
            DraftKind::Interface { fields, interfaces }
            | DraftKind::Object { fields, interfaces } => {
                names.extend(interfaces.iter().map(|interface| &**interface));
                for field in fields {
                    names.push(base(&field.r#type));
                    names.extend(field.arguments.iter().map(|argument| base(&argument.r#type)));
                }
            }
            DraftKind::Input { fields, .. } => {
                names.extend(fields.iter().map(|field| base(&field.r#type)));
            }
        }
    }

    /// Adds the type without its fields: these refer to types that are not there yet.
    fn add_type(&self, builder: &mut ApiBuilder, ids: &FxHashMap<&str, TypeId>) {
        let named = |names: &[Arc<str>]| {
            names.iter().filter_map(|name| ids.get(&**name).copied()).collect::<Vec<TypeId>>()
        };
        let kind = match &self.kind {
            DraftKind::Scalar { .. } => TypeKind::Scalar,
            DraftKind::Enum { .. } => TypeKind::Enum { values: Vec::new() },
            DraftKind::Union { members } => TypeKind::Union { members: named(members) },
            DraftKind::Interface { interfaces, .. } => {
                TypeKind::Interface { fields: Vec::new(), interfaces: named(interfaces).into() }
            }
            DraftKind::Object { interfaces, .. } => {
                TypeKind::Object { fields: Vec::new(), interfaces: named(interfaces).into() }
            }
            DraftKind::Input { .. } => TypeKind::InputObject { fields: Vec::new() },
        };
        let (name, description) = (Arc::clone(&self.name), self.description.clone());
        let added = builder.add_type(TypeDefinition { name, description, kind });
        debug_assert!(added.is_some(), "two types have the name {}", self.name);
    }

    /// Adds the parts of the type.
    fn add_parts(&self, builder: &mut ApiBuilder) {
        let Some(id) = builder.schema().find_type(&self.name) else { return };
        match &self.kind {
            DraftKind::Scalar { form } => {
                if let Some(form) = form {
                    builder.bind_form(id, form.clone());
                }
            }
            DraftKind::Enum { values } => {
                for (definition, binding) in values {
                    builder.add_enum_value(id, definition.clone(), binding.clone());
                }
            }
            DraftKind::Union { .. } => {}
            DraftKind::Interface { fields, .. } | DraftKind::Object { fields, .. } => {
                for field in fields {
                    add_field(builder, id, field);
                }
            }
            DraftKind::Input { fields, form } => {
                for field in fields {
                    if let Some(definition) = field.definition(builder.schema()) {
                        builder.add_input_field(id, definition, field.binding.clone());
                    }
                }
                if let Some(form) = form {
                    builder.bind_form(id, form.clone());
                }
            }
        }
    }
}

impl DraftInput {
    fn definition(&self, schema: &Schema) -> Option<InputDefinition> {
        Some(InputDefinition {
            name: Arc::clone(&self.name),
            description: self.description.clone(),
            r#type: type_ref(&self.r#type, schema)?,
            default: self.default.clone().map(Box::new),
            deprecated: self.deprecated.clone().map(Into::into),
        })
    }
}

fn add_field(builder: &mut ApiBuilder, parent: TypeId, field: &DraftField) {
    let Some(r#type) = type_ref(&field.r#type, builder.schema()) else { return };
    let definition = FieldDefinition {
        name: Arc::clone(&field.name),
        description: field.description.clone(),
        arguments: Vec::new(),
        r#type,
        deprecated: field.deprecated.clone().map(Into::into),
    };
    if field.arguments.is_empty() {
        builder.add_plain_field(parent, definition, field.binding.clone());
        return;
    }
    let id = builder.add_field(parent, definition, field.binding.clone());
    for argument in &field.arguments {
        if let Some(definition) = argument.definition(builder.schema()) {
            builder.add_argument(id, definition, argument.binding.clone());
        }
    }
}

/// The name in a type as it is written.
fn base(text: &str) -> &str {
    text.trim_matches(|letter| matches!(letter, '[' | ']' | '!'))
}

/// A type as it is written; `None` if there is none of that name, which is a mistake here.
fn type_ref(text: &str, schema: &Schema) -> Option<TypeRef> {
    let found = schema.find_type(base(text)).map(TypeRef::named);
    debug_assert!(found.is_some(), "there is no type {text}");
    // What follows the name closes what stands before it, from the innermost outwards.
    let wrappers = text
        .trim_start_matches('[')
        .trim_start_matches(|letter: char| letter == '_' || letter.is_ascii_alphanumeric());
    wrappers.chars().fold(found, |r#type, wrapper| match wrapper {
        '!' => r#type.map(TypeRef::non_null),
        _ => r#type.map(TypeRef::list),
    })
}
