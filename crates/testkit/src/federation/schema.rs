//! The schema of a subgraph, derived from its supergraph.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>

use std::collections::HashMap;

use graphql::schema::{
    FieldDefinition, FieldId, InputDefinition, InputId, Schema, TypeDefinition, TypeId, TypeKind,
    TypeRef,
};
use supergraph::SubgraphId;
use supergraph::Supergraph;

/// The schema of one subgraph, with the root field `_entities`.
#[must_use]
pub fn schema_of(supergraph: &Supergraph, subgraph: SubgraphId) -> Schema {
    let mut deriving =
        Deriving { supergraph, subgraph, schema: Schema::default(), ids: HashMap::new() };
    for (id, definition) in supergraph.schema.types() {
        deriving.declare(id, definition);
    }
    for (id, definition) in supergraph.schema.types() {
        if let Some(own) = deriving.ids.get(&id).copied() {
            deriving.members(id, own, &definition.kind);
        }
    }
    let full = &supergraph.schema;
    let own = |root: Option<TypeId>| root.and_then(|root| deriving.ids.get(&root).copied());
    let (query, mutation, subscription) =
        (own(full.query), own(full.mutation), own(full.subscription));
    let mut schema = deriving.schema;
    schema.query = query;
    schema.mutation = mutation;
    schema.subscription = subscription;
    add_entities(supergraph, subgraph, &mut schema);
    schema
}

struct Deriving<'d> {
    supergraph: &'d Supergraph,
    subgraph: SubgraphId,
    schema: Schema,
    /// Types of the supergraph that the subgraph has.
    ids: HashMap<TypeId, TypeId>,
}

impl Deriving<'_> {
    fn declare(&mut self, id: TypeId, definition: &TypeDefinition) {
        let known = self.supergraph.type_in(id, self.subgraph);
        // Scalars that every schema has belong to no subgraph.
        let is_everywhere = self.supergraph.type_owners(id).subgraphs.is_empty()
            || self.supergraph.schema.query == Some(id);
        if known.is_none() && !is_everywhere {
            return;
        }
        let kind = match known.is_some_and(|known| known.is_interface_object) {
            true => TypeKind::Object { fields: Vec::new(), interfaces: Default::default() },
            false => definition.kind.emptied(),
        };
        let name = definition.name.clone();
        if let Some(own) = self.schema.add_type(TypeDefinition { name, description: None, kind }) {
            self.ids.insert(id, own);
        }
    }

    fn members(&mut self, id: TypeId, own: TypeId, kind: &TypeKind) {
        let owners = self.supergraph.type_owners(id);
        match kind {
            TypeKind::Scalar => {}
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                for (subgraph, interface) in &owners.implements {
                    let interface = self.ids.get(interface);
                    if let (true, Some(interface)) = (*subgraph == self.subgraph, interface) {
                        self.schema.add_interface(own, *interface);
                    }
                }
                fields.iter().for_each(|field| self.field(own, *field));
            }
            TypeKind::Union { .. } => {
                for (subgraph, member) in &owners.members {
                    let member = self.ids.get(member);
                    if let (true, Some(member)) = (*subgraph == self.subgraph, member) {
                        self.schema.add_member(own, *member);
                    }
                }
            }
            TypeKind::Enum { values } => {
                for value in values {
                    self.schema.add_enum_value(own, self.supergraph.schema[*value].clone());
                }
            }
            TypeKind::InputObject { fields } => {
                for input in fields {
                    if let Some(input) = self.input(*input) {
                        self.schema.add_input_field(own, input);
                    }
                }
            }
        }
    }

    fn field(&mut self, own: TypeId, field: FieldId) {
        let Some(known) = self.supergraph.field_in(field, self.subgraph) else { return };
        let definition = &self.supergraph.schema[field];
        let Some(r#type) = self.own_type(known.r#type) else { return };
        let id = self.schema.add_field(own, FieldDefinition::new(&definition.name, r#type));
        for argument in &definition.arguments {
            if let Some(input) = self.input(*argument) {
                self.schema.add_argument(id, input);
            }
        }
        // Contextual arguments, which the supergraph hides.
        for argument in &known.context {
            if let Some(r#type) = self.own_type(argument.r#type) {
                self.schema.add_argument(id, InputDefinition::new(&argument.name, r#type));
            }
        }
    }

    fn input(&self, input: InputId) -> Option<InputDefinition> {
        let definition = &self.supergraph.schema[input];
        let r#type = self.own_type(definition.r#type)?;
        Some(InputDefinition { r#type, ..definition.clone() })
    }

    fn own_type(&self, mut r#type: TypeRef) -> Option<TypeRef> {
        r#type.base = *self.ids.get(&r#type.base)?;
        Some(r#type)
    }
}

/// `_entities`, if the subgraph answers for some.
fn add_entities(supergraph: &Supergraph, subgraph: SubgraphId, schema: &mut Schema) {
    let is_entity = |id: TypeId| {
        let known = supergraph.type_in(id, subgraph);
        known.is_some_and(|known| {
            (supergraph.is_object(id) || known.is_interface_object)
                && known.keys.iter().any(|key| key.is_resolvable)
        })
    };
    let entities = supergraph.schema.types().filter(|(id, _)| is_entity(*id));
    let entities = entities.filter_map(|(_, definition)| schema.find_type(&definition.name));
    let entities: Vec<TypeId> = entities.collect();
    let add = |schema: &mut Schema, name: &str, kind| {
        schema.add_type(TypeDefinition { name: name.into(), description: None, kind })
    };
    let (Some(query), false) = (schema.query, entities.is_empty()) else { return };
    let any = add(schema, "_Any", TypeKind::Scalar);
    let union = add(schema, "_Entity", TypeKind::Union { members: Vec::new() });
    let (Some(any), Some(union)) = (any, union) else { return };
    entities.into_iter().for_each(|entity| schema.add_member(union, entity));
    let r#type = TypeRef::named(union).list().non_null();
    let field = schema.add_field(query, FieldDefinition::new("_entities", r#type));
    let r#type = TypeRef::named(any).non_null().list().non_null();
    schema.add_argument(field, InputDefinition::new("representations", r#type));
}
