//! Building an [`Api`]: each definition is added together with its binding.

mod deduplication;

use std::sync::Arc;

use catalog::{EntityId, FieldId, FunctionId, Note, RelationshipId};
use graphql::schema::{
    DirectiveDefinition, EnumValueDefinition, EnumValueId, FieldDefinition, InputDefinition,
    InputId, Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use http_resolvers::HttpResolver;
use http_resolvers::related_field::RelatedField;
use ir::ValueForm;
use rustc_hash::FxHashMap;

use self::deduplication::Deduplication;
use crate::api::{Absent, Api, AsyncAction, Nesting, Resolver, listed, plain};
use crate::binding::{
    BoundInput, CallBinding, ColumnBinding, EntityBinding, FieldBinding, InputBinding, InputRole,
    NodeIdBinding, NodeRules, RelatedRows, RelatedRowsId, RelationshipVariant, ResolverId,
    ValueBinding, VariantBinding, VariantsId,
};

/// Fills an [`Api`]: each definition is added together with its binding.
#[derive(Debug, Default)]
pub struct ApiBuilder {
    api: Api,
    /// Inputs and fields so far, for deduplication.
    known: Deduplication,
}

impl ApiBuilder {
    /// A builder that adds to an API.
    #[must_use]
    pub(crate) fn reopen(api: Api) -> Self {
        Self { api, known: Deduplication::default() }
    }

    /// The schema so far.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.api.schema
    }

    /// For the root types.
    pub fn schema_mut(&mut self) -> &mut Schema {
        &mut self.api.schema
    }

    /// Adds a type; `None` if the name is taken.
    pub fn add_type(&mut self, definition: TypeDefinition) -> Option<TypeId> {
        self.api.schema.add_type(definition)
    }

    /// The binding of an added field.
    #[must_use]
    pub fn field(&self, id: graphql::schema::FieldId) -> &FieldBinding {
        &self.api.fields[id.index()]
    }

    pub fn add_field(
        &mut self,
        parent: TypeId,
        definition: FieldDefinition,
        binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.known.add_field_binding(&mut self.api.fields, binding);
        self.api.schema.add_field(parent, definition)
    }

    /// Attaches an existing field to a type.
    pub fn attach_field(&mut self, parent: TypeId, field: graphql::schema::FieldId) {
        self.api.schema.attach_field(parent, field);
    }

    /// Adds a field without arguments. An equal field with an equal binding is reused, so it must
    /// get no arguments later.
    pub fn add_plain_field(
        &mut self,
        parent: TypeId,
        mut definition: FieldDefinition,
        mut binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.api.schema.share_field(&mut definition);
        self.known.share_aggregates(&mut binding);
        let key = Deduplication::of_field(&definition, &binding);
        if let Some(known) = self.known.fields.get(&key).copied()
            && self.api.fields[known.index()] == binding
            && self.api.schema[known] == definition
        {
            self.api.schema.attach_field(parent, known);
            return known;
        }
        self.known.add_field_binding(&mut self.api.fields, binding);
        let id = self.api.schema.add_plain_field(parent, definition);
        self.known.fields.insert(key, id);
        id
    }

    /// Replaces a field of a type by one that differs only in its own type.
    pub(crate) fn retype_field(
        &mut self,
        parent: TypeId,
        old: graphql::schema::FieldId,
        r#type: TypeRef,
    ) -> graphql::schema::FieldId {
        let definition = FieldDefinition { r#type, ..self.api.schema[old].clone() };
        let binding = self.api.fields[old.index()].clone();
        self.replace_field(parent, old, definition, binding)
    }

    /// Replaces a field of a type.
    pub(crate) fn replace_field(
        &mut self,
        parent: TypeId,
        old: graphql::schema::FieldId,
        definition: FieldDefinition,
        binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.known.add_field_binding(&mut self.api.fields, binding);
        self.api.schema.replace_field(parent, old, definition)
    }

    /// The binding of an added input.
    #[must_use]
    pub fn binding_of_input(&self, id: InputId) -> &BoundInput {
        &self.api.inputs[id.index()]
    }

    /// The same for an argument of a field that no other type shares.
    pub(crate) fn retype_argument(
        &mut self,
        field: graphql::schema::FieldId,
        old: InputId,
        r#type: TypeRef,
    ) {
        let definition = InputDefinition { r#type, ..self.api.schema[old].clone() };
        let binding = InputBinding::from(&self.api.inputs[old.index()]);
        let new = self.input(definition, binding);
        self.api.schema.replace_argument(field, old, new);
    }

    /// Adds a directive of operations with its arguments.
    pub fn add_directive(
        &mut self,
        mut definition: DirectiveDefinition,
        arguments: Vec<InputDefinition>,
    ) {
        for argument in arguments {
            let id = self.input(argument, InputBinding::lenient(InputRole::Member));
            definition.arguments.push(id);
        }
        self.api.schema.directives.push(definition);
    }

    pub fn add_argument(
        &mut self,
        field: graphql::schema::FieldId,
        definition: InputDefinition,
        binding: InputBinding,
    ) -> InputId {
        let id = self.input(definition, binding);
        self.api.schema.attach_argument(field, id);
        id
    }

    pub fn add_input_field(
        &mut self,
        parent: TypeId,
        definition: InputDefinition,
        binding: InputBinding,
    ) -> InputId {
        let id = self.input(definition, binding);
        self.api.schema.attach_input_field(parent, id);
        id
    }

    /// An input with this definition and binding, deduplicated: most inputs occur at several
    /// positions.
    fn input(&mut self, mut definition: InputDefinition, mut binding: InputBinding) -> InputId {
        self.api.schema.share_input(&mut definition);
        let key = Deduplication::of_input(&definition, &binding);
        if let Some(known) = self.known.inputs.get(&key).copied()
            && self.api.inputs[known.index()] == binding
            && self.api.schema[known] == definition
        {
            return known;
        }
        let id = self.api.schema.add_input(definition);
        self.known.share(&mut binding);
        self.known.add_input_binding(&mut self.api.inputs, binding);
        self.known.inputs.insert(key, id);
        id
    }

    /// The inputs that pass take numbers and booleans as texts, too, if their types have such.
    pub fn read_texts(&mut self, is_read: impl Fn(&BoundInput) -> bool) {
        let schema = &mut self.api.schema;
        for id in (0..self.api.inputs.len()).map(InputId::new) {
            let scalar = &*schema[schema[id].r#type.base].name;
            if matches!(scalar, "Int" | "Float" | "Boolean")
                && is_read(&self.api.inputs[id.index()])
            {
                schema.text_inputs.insert(id);
            }
        }
    }

    pub fn add_enum_value(
        &mut self,
        parent: TypeId,
        definition: EnumValueDefinition,
        binding: ValueBinding,
    ) -> EnumValueId {
        self.known.add_value_binding(&mut self.api.values, binding);
        self.api.schema.add_enum_value(parent, definition)
    }

    pub fn bind_column(&mut self, field: FieldId, binding: ColumnBinding) {
        let binding = self.known.column(binding);
        self.api.columns.insert(field, binding);
    }

    /// Sets the replacement of a field's null.
    pub fn bind_absent(&mut self, field: FieldId, absent: Absent) {
        self.api.absent.insert(field, absent);
    }

    /// Marks a field that holds the same value as another, which has no third one.
    pub fn bind_duplicate(&mut self, field: FieldId, first: FieldId) {
        self.api.duplicates.insert(field, first);
    }

    /// Sets the entity of a graph relationship's properties.
    pub fn bind_edge(&mut self, relationship: RelationshipId, edge: EntityId) {
        self.api.edges.insert(relationship, edge);
    }

    /// Of several entities with one prefix of opaque ids, the first is found by them.
    pub fn bind_entity(&mut self, entity: EntityId, binding: EntityBinding) {
        if let Some(node_id) = binding.node_id.as_ref().filter(|node_id| node_id.found) {
            self.api.prefixes.entry(node_id.prefix.clone()).or_insert(entity);
        }
        self.api.entities.insert(entity, binding);
    }

    /// Sets the opaque ids of a bound entity.
    pub fn bind_node_id(&mut self, entity: EntityId, node_id: NodeIdBinding) {
        if node_id.found {
            self.api.prefixes.entry(node_id.prefix.clone()).or_insert(entity);
        }
        self.api.entities.entry(entity).or_default().node_id = Some(node_id);
    }

    /// Sets the rules of an entity's rows after a change.
    pub fn bind_rules(&mut self, entity: EntityId, rules: NodeRules) {
        self.api.entities.entry(entity).or_default().rules = rules;
    }

    /// Adds a list of entities whose rows form one list.
    pub fn add_variants(&mut self, variants: Vec<VariantBinding>) -> VariantsId {
        let id = VariantsId(u32::try_from(self.api.variants.len()).unwrap_or(u32::MAX));
        self.api.variants.push(variants);
        id
    }

    /// Sets all relationships with several entities at an end, by index.
    pub fn add_relationship_variants(&mut self, relationships: Vec<Vec<Vec<RelationshipVariant>>>) {
        self.api.relationship_variants = relationships;
    }

    /// Adds rows that changes write together with those of their relations.
    pub fn add_related_rows(&mut self, id: RelatedRowsId, rows: RelatedRows) {
        self.api.related_rows.insert(id, rows);
    }

    /// Sets the directive of [`Api::cascade`].
    pub fn bind_cascade(&mut self, directive: &str) {
        self.api.cascade = Some(directive.into());
    }

    /// Sets the resolvers, whose fields are added already, by their ids.
    pub fn bind_resolvers(&mut self, definitions: Vec<HttpResolver>) {
        let api = &mut self.api;
        let mut places = FxHashMap::default();
        for (parent, definition) in api.schema.types() {
            let TypeKind::Object { fields, .. } = &definition.kind else { continue };
            for field in fields {
                if let FieldBinding::Resolved(ResolverId(id)) = api.fields[field.index()] {
                    places.insert(id, (parent, *field));
                }
            }
        }
        for (id, definition) in (0..).zip(definitions) {
            if let Some((parent, field)) = places.get(&id).copied() {
                let definition = Arc::new(definition);
                api.resolvers.insert(ResolverId(id), Resolver { field, parent, definition });
            }
        }
    }

    /// Adds an asynchronous action, whose fields are added already.
    pub fn add_async_action(&mut self, action: AsyncAction) {
        self.api.async_actions.push(action);
    }

    /// Sets the key of a field in answers of other servers.
    pub fn bind_answer_key(&mut self, field: graphql::schema::FieldId, key: &str) {
        self.api.answer_keys.keys.insert(field, key.into());
    }

    /// Sets the name of a field at other servers.
    pub fn bind_answer_name(&mut self, field: graphql::schema::FieldId, name: &str) {
        self.api.answer_keys.names.insert(field, name.into());
    }

    /// Sets the name of a type at other servers.
    pub fn bind_answer_type(&mut self, r#type: TypeId, name: &str) {
        self.api.answer_keys.types.insert(r#type, name.into());
    }

    /// Makes rows of the source the value of a field of a remote type.
    pub fn bind_related(&mut self, field: graphql::schema::FieldId, related: RelatedField) {
        self.api.answer_keys.related.insert(field, Arc::new(related));
    }

    /// Marks a type that only other servers have.
    pub fn mark_remote(&mut self, r#type: TypeId) {
        self.api.remote_types.insert(r#type);
    }

    pub fn limit_nesting(&mut self, nesting: Nesting) {
        self.api.nesting = Some(nesting);
    }

    /// Sets the conversion of values of an input type.
    pub fn bind_form(&mut self, r#type: TypeId, form: ValueForm) {
        self.api.forms.insert(r#type, Arc::new(form));
    }

    /// The conversion of values of an input type.
    #[must_use]
    pub fn form(&self, r#type: TypeRef) -> Arc<ValueForm> {
        let form = listed(self.api.forms.get(&r#type.base).cloned(), r#type);
        form.unwrap_or_else(|| match r#type.is_list() {
            true => Arc::new(ValueForm::List(plain())),
            false => plain(),
        })
    }

    pub fn bind_call(&mut self, function: FunctionId, binding: CallBinding) {
        self.api.calls.insert(function, binding);
    }

    pub fn note(&mut self, note: Note) {
        self.api.notes.push(note);
    }

    #[must_use]
    pub fn finish(self) -> Api {
        let mut api = self.api;
        // Vectors grow by doubling: up to half of them is empty.
        api.schema.shrink();
        api.fields.shrink_to_fit();
        api.inputs.shrink_to_fit();
        api.values.shrink_to_fit();
        api.columns.shrink_to_fit();
        api.entities.shrink_to_fit();
        api
    }
}
