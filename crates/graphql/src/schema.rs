//! A GraphQL schema as an arena: types, fields, inputs and enum values by id.
//!
//! <https://spec.graphql.org/draft/#sec-Type-System>. A dialect fills it through the `add_…`
//! functions and stores the binding of each position by the same ids.

use std::fmt;
use std::ops::{Deref, Index};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use thin_vec::ThinVec;

pub use crate::ids::{EnumValueId, FieldId, InputId, TypeId};
use crate::leniency::Leniency;
use crate::shared_arena::{SharedArena, Signatures};
use crate::text_inputs::TextInputs;
use crate::type_names::TypeNames;
use crate::value::Const;

crate::heap_size!(plain TypeRef);

/// True for names that GraphQL allows in a schema.
/// <https://spec.graphql.org/draft/#sec-Names.Reserved-Names>
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.starts_with("__")
        && name.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic())
        && name.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
}

/// The schema of one API.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    types: Vec<TypeDefinition>,
    fields: SharedArena<FieldDefinition>,
    inputs: SharedArena<InputDefinition>,
    values: SharedArena<EnumValueDefinition>,
    by_name: TypeNames,
    /// Interned names and descriptions: most of them repeat.
    texts: FxHashSet<Arc<str>>,
    known: Known,
    /// Custom directives of operations.
    pub directives: Vec<DirectiveDefinition>,
    pub query: Option<TypeId>,
    pub mutation: Option<TypeId>,
    pub subscription: Option<TypeId>,
    /// True if errors suggest similar names, which a hidden schema must not.
    pub suggests_names: bool,
    /// True if introspection sorts the values of enums by name, those of the built-in enums, too.
    pub sorts_values: bool,
    /// Rules of validation that are left out.
    pub leniency: Leniency,
    /// Inputs that take values as texts.
    pub text_inputs: TextInputs,
}

/// Definitions so far, of which equal ones share a place.
#[derive(Clone, Debug, Default)]
struct Known {
    fields: Signatures<Signature>,
    inputs: Signatures<Signature>,
    values: Signatures<Signature>,
}

/// The addresses of an interned name and description, and the type.
type Signature = (usize, usize, Option<TypeRef>);

fn signature(
    name: &Arc<str>,
    description: Option<&Arc<str>>,
    r#type: Option<TypeRef>,
) -> Signature {
    let address = |text: &Arc<str>| text.as_ptr() as usize;
    (address(name), description.map_or(0, address), r#type)
}

/// The names of types.
fn name_of<'t>(types: &'t [TypeDefinition]) -> impl Fn(TypeId) -> &'t str {
    move |id| types.get(id.index()).map_or("", |definition| &definition.name)
}

/// A custom directive of operations. <https://spec.graphql.org/draft/#sec-Type-System.Directives>
#[derive(Clone, Debug)]
pub struct DirectiveDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub arguments: Vec<InputId>,
    pub locations: Vec<DirectiveLocation>,
    pub is_repeatable: bool,
}

/// Locations of directives in operations.
/// <https://spec.graphql.org/draft/#ExecutableDirectiveLocation>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveLocation {
    Query,
    Mutation,
    Subscription,
    Field,
    FragmentDefinition,
    FragmentSpread,
    InlineFragment,
    VariableDefinition,
}

impl DirectiveLocation {
    const ALL: [Self; 8] = [
        Self::Query,
        Self::Mutation,
        Self::Subscription,
        Self::Field,
        Self::FragmentDefinition,
        Self::FragmentSpread,
        Self::InlineFragment,
        Self::VariableDefinition,
    ];

    /// The location of a name, if it is one of operations.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|location| location.name() == name)
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "QUERY",
            Self::Mutation => "MUTATION",
            Self::Subscription => "SUBSCRIPTION",
            Self::Field => "FIELD",
            Self::FragmentDefinition => "FRAGMENT_DEFINITION",
            Self::FragmentSpread => "FRAGMENT_SPREAD",
            Self::InlineFragment => "INLINE_FRAGMENT",
            Self::VariableDefinition => "VARIABLE_DEFINITION",
        }
    }
}

/// A named type.
#[derive(Clone, Debug)]
pub struct TypeDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub kind: TypeKind,
}

/// The interfaces of a type: most types have none.
pub type Interfaces = ThinVec<TypeId>;

/// The kind of a type, and its members. <https://spec.graphql.org/draft/#sec-Types>
#[derive(Clone, Debug)]
pub enum TypeKind {
    Scalar,
    Object { fields: Vec<FieldId>, interfaces: Interfaces },
    Interface { fields: Vec<FieldId>, interfaces: Interfaces },
    Union { members: Vec<TypeId> },
    Enum { values: Vec<EnumValueId> },
    InputObject { fields: Vec<InputId> },
}

impl TypeKind {
    /// The same kind of type without members.
    #[must_use]
    pub fn emptied(&self) -> Self {
        match self {
            Self::Scalar => Self::Scalar,
            Self::Object { .. } => {
                Self::Object { fields: Vec::new(), interfaces: Default::default() }
            }
            Self::Interface { .. } => {
                Self::Interface { fields: Vec::new(), interfaces: Default::default() }
            }
            Self::Union { .. } => Self::Union { members: Vec::new() },
            Self::Enum { .. } => Self::Enum { values: Vec::new() },
            Self::InputObject { .. } => Self::InputObject { fields: Vec::new() },
        }
    }
}

/// A field of an object or interface type.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub arguments: Vec<InputId>,
    pub r#type: TypeRef,
    /// The reason, if the field is deprecated.
    pub deprecated: Option<Deprecation>,
}

/// An argument, or a field of an input object type.
#[derive(Clone, Debug, PartialEq)]
pub struct InputDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub r#type: TypeRef,
    /// Boxed, since few have one.
    pub default: Option<Box<Const>>,
    pub deprecated: Option<Deprecation>,
}

/// A value of an enum type.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumValueDefinition {
    pub name: Arc<str>,
    pub description: Option<Arc<str>>,
    pub deprecated: Option<Deprecation>,
}

/// The reason why an element is deprecated. Behind a thin pointer, since few elements have one.
/// <https://spec.graphql.org/draft/#sec--deprecated>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation(Box<Arc<str>>);

/// A reference to a type: a named type in list and non-null wrappers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeRef {
    pub base: TypeId,
    /// Base-4 digits, the innermost wrapper in the lowest: 1 is non-null, 2 is a list.
    wrappers: u16,
}

/// One wrapper of a [`TypeRef`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapper {
    NonNull,
    List,
}

impl Deref for Deprecation {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<Arc<str>> for Deprecation {
    fn from(reason: Arc<str>) -> Self {
        Self(Box::new(reason))
    }
}

impl From<&str> for Deprecation {
    fn from(reason: &str) -> Self {
        Arc::<str>::from(reason).into()
    }
}

impl From<String> for Deprecation {
    fn from(reason: String) -> Self {
        reason.as_str().into()
    }
}

impl FieldDefinition {
    /// A field without description and arguments.
    #[must_use]
    pub fn new(name: &str, r#type: TypeRef) -> Self {
        let (description, arguments, deprecated) = (None, Vec::new(), None);
        Self { name: name.into(), description, arguments, r#type, deprecated }
    }
}

impl InputDefinition {
    /// An input without description and default.
    #[must_use]
    pub fn new(name: &str, r#type: TypeRef) -> Self {
        Self { name: name.into(), description: None, r#type, default: None, deprecated: None }
    }
}

impl EnumValueDefinition {
    /// A value without description.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), description: None, deprecated: None }
    }
}

impl TypeRef {
    /// The named type itself, nullable.
    #[must_use]
    pub fn named(base: TypeId) -> Self {
        Self { base, wrappers: 0 }
    }

    /// `[Self]`.
    #[must_use]
    pub fn list(self) -> Self {
        self.wrap(2)
    }

    /// `Self!`; the same if it is non-null already.
    #[must_use]
    pub fn non_null(self) -> Self {
        if self.is_non_null() { self } else { self.wrap(1) }
    }

    #[must_use]
    pub fn non_null_if(self, condition: bool) -> Self {
        if condition { self.non_null() } else { self }
    }

    #[must_use]
    pub fn is_non_null(self) -> bool {
        self.wrappers().last() == Some(Wrapper::NonNull)
    }

    /// True for lists, nullable or not.
    #[must_use]
    pub fn is_list(self) -> bool {
        self.item().is_some()
    }

    /// The type without its outermost non-null.
    #[must_use]
    pub fn nullable(self) -> Self {
        if self.is_non_null() { self.unwrap_outermost() } else { self }
    }

    /// The element's type, if it is a list, nullable or not.
    #[must_use]
    pub fn item(self) -> Option<Self> {
        let nullable = self.nullable();
        (nullable.wrappers().last() == Some(Wrapper::List)).then(|| nullable.unwrap_outermost())
    }

    /// The wrappers from the innermost to the outermost.
    pub fn wrappers(self) -> impl Iterator<Item = Wrapper> {
        let mut rest = self.wrappers;
        std::iter::from_fn(move || {
            let wrapper = match rest & 3 {
                0 => return None,
                1 => Wrapper::NonNull,
                _ => Wrapper::List,
            };
            rest >>= 2;
            Some(wrapper)
        })
    }

    fn wrap(self, digit: u16) -> Self {
        let depth = self.wrappers().count() as u32;
        debug_assert!(depth < 8, "a type of more than eight wrappers");
        // A ninth wrapper is dropped: it must not change the first eight.
        let outermost = digit.checked_shl(2 * depth).unwrap_or(0);
        Self { base: self.base, wrappers: self.wrappers | outermost }
    }

    /// The type without its outermost wrapper; the same if it has none.
    pub(crate) fn unwrap_outermost(self) -> Self {
        let depth = self.wrappers().count() as u32;
        let keep = depth.saturating_sub(1) * 2;
        Self { base: self.base, wrappers: self.wrappers & ((1_u16 << keep) - 1) }
    }
}

impl fmt::Debug for TypeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opening = self.wrappers().filter(|wrapper| *wrapper == Wrapper::List).count();
        write!(f, "{}{:?}", "[".repeat(opening), self.base)?;
        for wrapper in self.wrappers() {
            f.write_str(match wrapper {
                Wrapper::NonNull => "!",
                Wrapper::List => "]",
            })?;
        }
        Ok(())
    }
}

impl Schema {
    /// Adds a type; `None` if the name is taken.
    pub fn add_type(&mut self, mut definition: TypeDefinition) -> Option<TypeId> {
        self.share(&mut definition.name);
        self.share_optional(&mut definition.description);
        if self.find_type(&definition.name).is_some() {
            return None;
        }
        let id = TypeId::new(self.types.len());
        self.types.push(definition);
        self.by_name.insert(id, name_of(&self.types));
        Some(id)
    }

    /// Sets the description and the kind of a type that was added before them.
    pub fn define_type(&mut self, id: TypeId, description: Option<&str>, kind: TypeKind) {
        let mut description = description.map(Into::into);
        self.share_optional(&mut description);
        let definition = &mut self.types[id.index()];
        (definition.description, definition.kind) = (description, kind);
    }

    /// Changes the name of a type; false if it is taken.
    pub fn rename_type(&mut self, id: TypeId, name: &str) -> bool {
        if self.find_type(name).is_some() {
            return false;
        }
        let mut name: Arc<str> = name.into();
        self.share(&mut name);
        self.by_name.remove(id, name_of(&self.types));
        self.types[id.index()].name = name;
        self.by_name.insert(id, name_of(&self.types));
        true
    }

    /// Changes the name of a field, in all types that share it.
    pub fn rename_field(&mut self, id: FieldId, name: &str) {
        let mut name: Arc<str> = name.into();
        self.share(&mut name);
        self.fields.own(id.index()).name = name;
    }

    /// Adds a field to an object or interface type; on any other type it is unreachable.
    pub fn add_field(&mut self, parent: TypeId, mut definition: FieldDefinition) -> FieldId {
        self.share_field(&mut definition);
        let id = FieldId::new(self.fields.len());
        self.fields.push(definition);
        self.attach_field(parent, id);
        id
    }

    /// The same for a field without arguments, whose definition many types have: its memory is shared
    /// with equal ones.
    pub fn add_plain_field(&mut self, parent: TypeId, mut definition: FieldDefinition) -> FieldId {
        self.share_field(&mut definition);
        let id = FieldId::new(self.fields.len());
        let FieldDefinition { name, description, r#type, .. } = &definition;
        let signature = signature(name, description.as_ref(), Some(*r#type));
        self.fields.push_shared(definition, signature, &mut self.known.fields);
        self.attach_field(parent, id);
        id
    }

    /// Adds an existing field to a type: both types share it.
    pub fn attach_field(&mut self, parent: TypeId, id: FieldId) {
        match &mut self.types[parent.index()].kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => fields.push(id),
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => debug_assert!(false, "the type has no fields"),
        }
    }

    /// Replaces a field of a type, which other types may share, by another one.
    pub fn replace_field(
        &mut self,
        parent: TypeId,
        old: FieldId,
        mut definition: FieldDefinition,
    ) -> FieldId {
        self.share_field(&mut definition);
        let id = FieldId::new(self.fields.len());
        self.fields.push(definition);
        let kind = &mut self.types[parent.index()].kind;
        if let TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } = kind {
            fields.iter_mut().filter(|field| **field == old).for_each(|field| *field = id);
        }
        id
    }

    /// Replaces an argument of a field by another one.
    pub fn replace_argument(&mut self, field: FieldId, old: InputId, new: InputId) {
        let arguments = self.fields.own(field.index()).arguments.iter_mut();
        arguments.filter(|argument| **argument == old).for_each(|argument| *argument = new);
    }

    /// Adds an argument to a field.
    pub fn add_argument(&mut self, field: FieldId, definition: InputDefinition) -> InputId {
        let id = self.add_input(definition);
        self.attach_argument(field, id);
        id
    }

    /// Adds a field to an input object type.
    pub fn add_input_field(&mut self, parent: TypeId, definition: InputDefinition) -> InputId {
        let id = self.add_input(definition);
        self.attach_input_field(parent, id);
        id
    }

    /// Adds an input that is attached later: to one position, or to several equal ones.
    pub fn add_input(&mut self, mut definition: InputDefinition) -> InputId {
        self.share_input(&mut definition);
        let id = InputId::new(self.inputs.len());
        let InputDefinition { name, description, r#type, .. } = &definition;
        let signature = signature(name, description.as_ref(), Some(*r#type));
        self.inputs.push_shared(definition, signature, &mut self.known.inputs);
        id
    }

    /// Attaches an argument to a field.
    pub fn attach_argument(&mut self, field: FieldId, id: InputId) {
        self.fields.own(field.index()).arguments.push(id);
    }

    /// Attaches a field to an input object type.
    pub fn attach_input_field(&mut self, parent: TypeId, id: InputId) {
        match &mut self.types[parent.index()].kind {
            TypeKind::InputObject { fields } => fields.push(id),
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. } => debug_assert!(false, "the type is no input object"),
        }
    }

    /// Adds an interface to an object or interface type.
    pub fn add_interface(&mut self, id: TypeId, interface: TypeId) {
        match &mut self.types[id.index()].kind {
            TypeKind::Object { interfaces, .. } | TypeKind::Interface { interfaces, .. } => {
                if !interfaces.contains(&interface) {
                    interfaces.push(interface);
                }
            }
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => debug_assert!(false, "the type has no interfaces"),
        }
    }

    /// Adds a member to a union type.
    pub fn add_member(&mut self, id: TypeId, member: TypeId) {
        match &mut self.types[id.index()].kind {
            TypeKind::Union { members } => {
                if !members.contains(&member) {
                    members.push(member);
                }
            }
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => debug_assert!(false, "the type is no union"),
        }
    }

    /// Adds a value to an enum type.
    pub fn add_enum_value(
        &mut self,
        parent: TypeId,
        mut value: EnumValueDefinition,
    ) -> EnumValueId {
        self.share(&mut value.name);
        self.share_optional(&mut value.description);
        self.share_reason(&mut value.deprecated);
        let id = EnumValueId::new(self.values.len());
        let signature = signature(&value.name, value.description.as_ref(), None);
        self.values.push_shared(value, signature, &mut self.known.values);
        match &mut self.types[parent.index()].kind {
            TypeKind::Enum { values } => values.push(id),
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. }
            | TypeKind::InputObject { .. } => debug_assert!(false, "the type is no enum"),
        }
        id
    }

    /// Sorts types, and fields, inputs and values in them, by name, and removes the types that are
    /// not kept, with the members that need them. Ids of types change.
    pub fn sort(&mut self, is_kept: impl Fn(TypeId) -> bool) {
        let mut order: Vec<usize> = (0..self.types.len()).collect();
        order.retain(|index| is_kept(TypeId::new(*index)));
        order.sort_by(|one, other| self.types[*one].name.cmp(&self.types[*other].name));
        let mut places: Vec<Option<TypeId>> = vec![None; self.types.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index] = Some(TypeId::new(place));
        }
        let place = |id: TypeId| places[id.index()];
        let (fields, inputs, values) = (&self.fields, &self.inputs, &self.values);
        let sort_inputs = |ids: &mut Vec<InputId>| {
            ids.retain(|id| place(inputs[id.index()].r#type.base).is_some());
            ids.sort_by(|one, other| inputs[one.index()].name.cmp(&inputs[other.index()].name));
        };
        for definition in &mut self.types {
            match &mut definition.kind {
                TypeKind::Scalar => {}
                TypeKind::Object { fields: ids, interfaces }
                | TypeKind::Interface { fields: ids, interfaces } => {
                    ids.retain(|id| place(fields[id.index()].r#type.base).is_some());
                    ids.sort_by(|one, other| {
                        fields[one.index()].name.cmp(&fields[other.index()].name)
                    });
                    *interfaces = interfaces.iter().filter_map(|id| place(*id)).collect();
                }
                TypeKind::Union { members } => {
                    *members = members.iter().filter_map(|id| place(*id)).collect();
                }
                TypeKind::Enum { values: ids } => ids.sort_by(|one, other| {
                    values[one.index()].name.cmp(&values[other.index()].name)
                }),
                TypeKind::InputObject { fields: ids } => sort_inputs(ids),
            }
        }
        for field in self.fields.elements_mut() {
            sort_inputs(&mut field.arguments);
        }
        // A type that is not kept is named by members that are in no type any more.
        let retyped = |r#type: &mut TypeRef| {
            r#type.base = place(r#type.base).unwrap_or(TypeId::new(0));
        };
        self.fields.elements_mut().for_each(|field| retyped(&mut field.r#type));
        self.inputs.elements_mut().for_each(|input| retyped(&mut input.r#type));
        // Signatures have the old ids of types.
        self.known = Known::default();
        let mut types: Vec<Option<TypeDefinition>> =
            std::mem::take(&mut self.types).into_iter().map(Some).collect();
        self.types = order.into_iter().filter_map(|index| types[index].take()).collect();
        self.by_name = TypeNames::of(self.types.len(), name_of(&self.types));
        let root = |root: Option<TypeId>| root.and_then(place);
        (self.query, self.mutation, self.subscription) =
            (root(self.query), root(self.mutation), root(self.subscription));
    }

    /// Frees spare capacity.
    pub fn shrink(&mut self) {
        self.texts = FxHashSet::default();
        self.known = Known::default();
        self.by_name = TypeNames::of(self.types.len(), name_of(&self.types));
        self.types.shrink_to_fit();
        self.fields.shrink_to_fit();
        self.inputs.shrink_to_fit();
        self.values.shrink_to_fit();
        for definition in &mut self.types {
            match &mut definition.kind {
                TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                    fields.shrink_to_fit();
                }
                TypeKind::Enum { values } => values.shrink_to_fit(),
                TypeKind::InputObject { fields } => fields.shrink_to_fit(),
                TypeKind::Scalar | TypeKind::Union { .. } => {}
            }
        }
        for field in self.fields.elements_mut() {
            field.arguments.shrink_to_fit();
        }
    }

    /// Interns the texts of a field.
    pub fn share_field(&mut self, definition: &mut FieldDefinition) {
        self.share(&mut definition.name);
        self.share_optional(&mut definition.description);
        self.share_reason(&mut definition.deprecated);
    }

    /// The same for an input.
    pub fn share_input(&mut self, definition: &mut InputDefinition) {
        self.share(&mut definition.name);
        self.share_optional(&mut definition.description);
        self.share_reason(&mut definition.deprecated);
    }

    /// Interns a text.
    fn share(&mut self, text: &mut Arc<str>) {
        match self.texts.get(text) {
            Some(known) => *text = Arc::clone(known),
            // A new allocation keeps interned texts together, apart from temporary ones.
            None => {
                *text = Arc::from(&**text);
                self.texts.insert(Arc::clone(text));
            }
        }
    }

    fn share_optional(&mut self, text: &mut Option<Arc<str>>) {
        if let Some(text) = text {
            self.share(text);
        }
    }

    fn share_reason(&mut self, reason: &mut Option<Deprecation>) {
        if let Some(Deprecation(text)) = reason {
            self.share(text);
        }
    }

    /// Types with their ids, in the order they were added.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &TypeDefinition)> {
        self.types.iter().enumerate().map(|(index, definition)| (TypeId::new(index), definition))
    }

    #[must_use]
    pub fn find_type(&self, name: &str) -> Option<TypeId> {
        self.by_name.find(name, name_of(&self.types))
    }

    /// The field of an object or interface type.
    #[must_use]
    pub fn find_field(&self, parent: TypeId, name: &str) -> Option<FieldId> {
        match &self[parent].kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                fields.iter().copied().find(|field| &*self[*field].name == name)
            }
            TypeKind::Scalar
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => None,
        }
    }

    #[must_use]
    pub fn find_argument(&self, field: FieldId, name: &str) -> Option<InputId> {
        self[field].arguments.iter().copied().find(|input| &*self[*input].name == name)
    }

    #[must_use]
    pub fn find_directive(&self, name: &str) -> Option<&DirectiveDefinition> {
        self.directives.iter().find(|directive| &*directive.name == name)
    }

    #[must_use]
    pub fn find_input_field(&self, parent: TypeId, name: &str) -> Option<InputId> {
        match &self[parent].kind {
            TypeKind::InputObject { fields } => {
                fields.iter().copied().find(|input| &*self[*input].name == name)
            }
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. }
            | TypeKind::Enum { .. } => None,
        }
    }

    #[must_use]
    pub fn find_enum_value(&self, parent: TypeId, name: &str) -> Option<EnumValueId> {
        match &self[parent].kind {
            TypeKind::Enum { values } => {
                values.iter().copied().find(|value| &*self[*value].name == name)
            }
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. }
            | TypeKind::InputObject { .. } => None,
        }
    }

    /// The numbers of fields, inputs and enum values: the sizes of tables by their ids.
    #[must_use]
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.fields.len(), self.inputs.len(), self.values.len())
    }
}

macro_rules! arena {
    ($($id:ident => $definition:ident in $arena:ident;)*) => {$(
        impl Index<$id> for Schema {
            type Output = $definition;

            fn index(&self, id: $id) -> &$definition {
                &self.$arena[id.index()]
            }
        }
    )*};
}

arena! {
    TypeId => TypeDefinition in types;
    FieldId => FieldDefinition in fields;
    InputId => InputDefinition in inputs;
    EnumValueId => EnumValueDefinition in values;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_other_texts() {
        let names = ["a", "_a1", "A_b", "_"];
        let others = ["__a", "", "1a", "a-b", "a b", "ä"];
        assert_eq!(names.map(is_name), [true; 4]);
        assert_eq!(others.map(is_name), [false; 6]);
    }

    #[test]
    fn wrappers_are_taken_off_in_the_order_they_were_put_on() {
        let named = TypeRef::named(TypeId::new(3));
        let list = named.non_null().list().non_null();
        assert_eq!(format!("{list:?}"), "[type3!]!");
        assert_eq!(list.nullable(), named.non_null().list());
        assert_eq!(list.item(), Some(named.non_null()));
        assert_eq!(named.non_null().item(), None);
        assert_eq!(list.non_null(), list);
    }
}
