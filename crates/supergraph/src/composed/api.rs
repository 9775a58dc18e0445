//! API schema of a supergraph: everything that is not `@inaccessible`.
//! <https://specs.apollo.dev/inaccessible/v0.2/>

use graphql::definitions::{Directive, TypeBody};
use graphql::schema::{
    DirectiveDefinition, FieldId, InputId, Schema, TypeDefinition, TypeId, TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::links::Meaning;
use super::read::Reader;

/// The API schema, with the ids of its elements in the supergraph.
#[derive(Debug, Default)]
pub struct Api {
    pub schema: Schema,
    /// By the API's [`TypeId`].
    types: Vec<TypeId>,
    /// By the API's [`FieldId`].
    fields: Vec<FieldId>,
    /// By the API's [`InputId`].
    inputs: Vec<InputId>,
    /// Types of the supergraph that are in the API.
    visible: FxHashSet<TypeId>,
}

/// Elements that are hidden from the API.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    types: FxHashSet<TypeId>,
    fields: FxHashSet<FieldId>,
    inputs: FxHashSet<InputId>,
    values: FxHashSet<(TypeId, Box<str>)>,
}

/// Collects the inaccessible elements.
pub(super) fn hidden(reader: &mut Reader<'_>) -> Hidden {
    let mut hidden = Hidden::default();
    let is_hidden = |directives: &[Directive]| {
        directives.iter().any(|one| reader.links.meaning(one) == Meaning::Inaccessible)
    };
    for (id, written) in &reader.types {
        if is_hidden(&written.directives) {
            hidden.types.insert(*id);
        }
        match &written.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in &composite.fields {
                    let Some(field_id) = reader.schema.find_field(*id, &field.name) else {
                        continue;
                    };
                    if is_hidden(&field.directives) {
                        hidden.fields.insert(field_id);
                    }
                    for argument in field.arguments.iter().filter(|one| is_hidden(&one.directives))
                    {
                        hidden.inputs.extend(reader.schema.find_argument(field_id, &argument.name));
                    }
                }
            }
            TypeBody::InputObject(inputs) => {
                for input in inputs.iter().filter(|input| is_hidden(&input.directives)) {
                    hidden.inputs.extend(reader.schema.find_input_field(*id, &input.name));
                }
            }
            TypeBody::Enum(values) => {
                for value in values.iter().filter(|value| is_hidden(&value.directives)) {
                    hidden.values.insert((*id, (&*value.name).into()));
                }
            }
            TypeBody::Scalar | TypeBody::Union(_) => {}
        }
    }
    hidden
}

impl Api {
    /// Builds the schema without hidden elements, and without fields and arguments of hidden types.
    pub(super) fn new(schema: &Schema, hidden: &Hidden) -> Self {
        let mut api = Self::default();
        let mut new: FxHashMap<TypeId, TypeId> = FxHashMap::default();
        let named = named(schema, hidden);
        for (id, definition) in schema.types() {
            let is_unused = is_optional(&definition.name) && !named.contains(&id);
            if hidden.types.contains(&id) || is_unused {
                continue;
            }
            let definition = TypeDefinition {
                name: definition.name.clone(),
                description: definition.description.clone(),
                kind: definition.kind.emptied(),
            };
            if let Some(own) = api.schema.add_type(definition) {
                new.insert(id, own);
                api.types.push(id);
                api.visible.insert(id);
            }
        }
        let copying = Copying { schema, hidden, new: &new };
        for (id, definition) in schema.types() {
            if let Some(own) = new.get(&id) {
                copying.members(&mut api, id, *own, &definition.kind);
            }
        }
        for directive in &schema.directives {
            copying.directive(&mut api, directive);
        }
        let of = |root: Option<TypeId>| root.and_then(|root| new.get(&root).copied());
        api.schema.query = of(schema.query);
        api.schema.mutation = of(schema.mutation);
        api.schema.subscription = of(schema.subscription);
        api.schema.shrink();
        api
    }

    /// Whether the API has a type of the supergraph.
    #[must_use]
    pub fn has(&self, id: TypeId) -> bool {
        self.visible.contains(&id)
    }

    /// Whether the API has an enum value.
    #[must_use]
    pub fn has_value(&self, r#type: &str, value: &[u8]) -> bool {
        let TypeKind::Enum { values } = (match self.schema.find_type(r#type) {
            Some(id) => &self.schema[id].kind,
            None => return false,
        }) else {
            return false;
        };
        values.iter().any(|known| self.schema[*known].name.as_bytes() == value)
    }

    /// Returns the supergraph's id of an API type.
    #[must_use]
    pub fn r#type(&self, id: TypeId) -> TypeId {
        self.types[id.index()]
    }

    /// Returns the supergraph's id of an API field.
    #[must_use]
    pub fn field(&self, id: FieldId) -> FieldId {
        self.fields[id.index()]
    }

    /// Returns the supergraph's id of an API argument or input field.
    #[must_use]
    pub fn input(&self, id: InputId) -> InputId {
        self.inputs[id.index()]
    }
}

/// Whether a built-in scalar may be omitted from a schema that does not use it. The introspection
/// types use the others.
/// <https://spec.graphql.org/draft/#sec-Scalars.Built-in-Scalars>
fn is_optional(name: &str) -> bool {
    matches!(name, "Int" | "Float" | "ID")
}

/// Returns the types of all visible fields, arguments and input fields.
fn named(schema: &Schema, hidden: &Hidden) -> FxHashSet<TypeId> {
    let mut named = FxHashSet::default();
    let of_inputs = |inputs: &[InputId], named: &mut FxHashSet<TypeId>| {
        let seen = inputs.iter().filter(|input| !hidden.inputs.contains(input));
        named.extend(seen.map(|input| schema[*input].r#type.base));
    };
    for (_, definition) in schema.types().filter(|(id, _)| !hidden.types.contains(id)) {
        match &definition.kind {
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                for field in fields.iter().filter(|field| !hidden.fields.contains(field)) {
                    named.insert(schema[*field].r#type.base);
                    of_inputs(&schema[*field].arguments, &mut named);
                }
            }
            TypeKind::InputObject { fields } => of_inputs(fields, &mut named),
            TypeKind::Scalar | TypeKind::Union { .. } | TypeKind::Enum { .. } => {}
        }
    }
    for directive in &schema.directives {
        of_inputs(&directive.arguments, &mut named);
    }
    named
}

struct Copying<'s> {
    schema: &'s Schema,
    hidden: &'s Hidden,
    new: &'s FxHashMap<TypeId, TypeId>,
}

impl Copying<'_> {
    fn members(&self, api: &mut Api, id: TypeId, own: TypeId, kind: &TypeKind) {
        match kind {
            TypeKind::Scalar => {}
            TypeKind::Object { fields, interfaces }
            | TypeKind::Interface { fields, interfaces } => {
                for interface in interfaces.iter().filter_map(|interface| self.new.get(interface)) {
                    api.schema.add_interface(own, *interface);
                }
                for field in fields {
                    self.field(api, own, *field);
                }
            }
            TypeKind::Union { members } => {
                for member in members.iter().filter_map(|member| self.new.get(member)) {
                    api.schema.add_member(own, *member);
                }
            }
            TypeKind::Enum { values } => {
                for value in values.iter().map(|value| &self.schema[*value]) {
                    if !self.hidden.values.contains(&(id, (&*value.name).into())) {
                        api.schema.add_enum_value(own, value.clone());
                    }
                }
            }
            TypeKind::InputObject { fields } => {
                for input in fields {
                    if let Some(own_input) = self.input(api, *input) {
                        api.schema.attach_input_field(own, own_input);
                    }
                }
            }
        }
    }

    fn field(&self, api: &mut Api, own: TypeId, field: FieldId) {
        let definition = &self.schema[field];
        let Some(r#type) = self.new.get(&definition.r#type.base) else { return };
        if self.hidden.fields.contains(&field) {
            return;
        }
        let mut copy = definition.clone();
        copy.r#type.base = *r#type;
        copy.arguments = Vec::new();
        let own_field = api.schema.add_field(own, copy);
        api.fields.push(field);
        for argument in &definition.arguments {
            if let Some(own_input) = self.input(api, *argument) {
                api.schema.attach_argument(own_field, own_input);
            }
        }
    }

    fn directive(&self, api: &mut Api, directive: &DirectiveDefinition) {
        let arguments = directive.arguments.iter();
        let arguments = arguments.filter_map(|argument| self.input(api, *argument)).collect();
        api.schema.directives.push(DirectiveDefinition { arguments, ..directive.clone() });
    }

    fn input(&self, api: &mut Api, input: InputId) -> Option<InputId> {
        let definition = &self.schema[input];
        let r#type = self.new.get(&definition.r#type.base)?;
        if self.hidden.inputs.contains(&input) {
            return None;
        }
        let mut copy = definition.clone();
        copy.r#type.base = *r#type;
        api.inputs.push(input);
        Some(api.schema.add_input(copy))
    }
}
