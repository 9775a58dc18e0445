//! An API: a GraphQL schema with a binding for each of its positions.

mod known;

use std::sync::{Arc, LazyLock};

use catalog::{EntityId, FieldId, FunctionId, Note, RelationshipId};
use graphql::schema::{
    EnumValueDefinition, EnumValueId, FieldDefinition, InputDefinition, InputId, Schema,
    TypeDefinition, TypeId, TypeRef,
};
use ir::ValueForm;
use rustc_hash::FxHashMap;

use self::known::Known;
use crate::binding::{
    CallBinding, ColumnBinding, EntityBinding, FieldBinding, InputBinding, NodeIdBinding,
    NodeRules, ValueBinding, VariantBinding, VariantsId, WayBinding, WaysId,
};

/// What a dialect makes of a catalog.
#[derive(Clone, Debug)]
pub struct Api {
    pub schema: Schema,
    fields: Vec<FieldBinding>,
    inputs: Vec<InputBinding>,
    values: Vec<ValueBinding>,
    columns: FxHashMap<FieldId, ColumnBinding>,
    /// What stands for fields that are null.
    absent: FxHashMap<FieldId, Absent>,
    /// Fields that hold the same value as another.
    twins: FxHashMap<FieldId, FieldId>,
    /// The entities of the properties of a graph's relationships.
    edges: FxHashMap<RelationshipId, EntityId>,
    entities: FxHashMap<EntityId, EntityBinding>,
    /// What values of input types are at the source, where they are not as they are given.
    forms: FxHashMap<TypeId, Arc<ValueForm>>,
    calls: FxHashMap<FunctionId, CallBinding>,
    /// Entities by what their opaque ids begin with.
    prefixes: FxHashMap<Box<str>, EntityId>,
    nesting: Option<Nesting>,
    variants: Vec<Vec<VariantBinding>>,
    ways: Vec<Vec<Vec<WayBinding>>>,
    /// What of a request's changes is done together.
    pub transactions: Transactions,
    /// The schema as a federated graph is told it, if the API is a subgraph of one.
    pub subgraph_sdl: Option<Box<str>>,
    /// Collisions of names and what else could not be offered.
    pub notes: Vec<Note>,
}

/// What stands for a field that is null, where it is shown and where it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    pub value: ir::Value,
    /// The same as a field shows it, if it does: version 3 of a graph's API compares it only.
    pub json: Option<Box<[u8]>>,
}

/// What of a request's changes is done together, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transactions {
    /// Each root field by itself.
    #[default]
    Each,
    /// All of them.
    Request,
}

/// How many levels of relationships a root field may have below its own.
#[derive(Clone, Debug)]
pub struct Nesting {
    pub most: usize,
    /// What a field that has more says.
    pub message: Box<str>,
}

/// Fills an [`Api`]: each definition is added together with its binding.
#[derive(Debug, Default)]
pub struct ApiBuilder {
    schema: Schema,
    fields: Vec<FieldBinding>,
    inputs: Vec<InputBinding>,
    values: Vec<ValueBinding>,
    columns: FxHashMap<FieldId, ColumnBinding>,
    absent: FxHashMap<FieldId, Absent>,
    twins: FxHashMap<FieldId, FieldId>,
    edges: FxHashMap<RelationshipId, EntityId>,
    entities: FxHashMap<EntityId, EntityBinding>,
    forms: FxHashMap<TypeId, Arc<ValueForm>>,
    calls: FxHashMap<FunctionId, CallBinding>,
    prefixes: FxHashMap<Box<str>, EntityId>,
    nesting: Option<Nesting>,
    variants: Vec<Vec<VariantBinding>>,
    ways: Vec<Vec<Vec<WayBinding>>>,
    notes: Vec<Note>,
    /// The inputs and the fields so far that others may be like.
    known: Known,
}

impl Api {
    /// Whether the query type offers no rows and no values: then there is nothing to serve.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_of_source = |field: &FieldBinding| {
            matches!(
                field,
                FieldBinding::Rows(_) | FieldBinding::Computed(_) | FieldBinding::Mutation(_)
            )
        };
        !self.fields.iter().any(is_of_source)
    }

    #[must_use]
    pub fn field(&self, id: graphql::schema::FieldId) -> &FieldBinding {
        &self.fields[id.index()]
    }

    #[must_use]
    pub fn input(&self, id: InputId) -> &InputBinding {
        &self.inputs[id.index()]
    }

    #[must_use]
    pub fn value(&self, id: EnumValueId) -> &ValueBinding {
        &self.values[id.index()]
    }

    /// How a field of an entity is written, if the API shows it.
    #[must_use]
    pub fn find_column(&self, field: FieldId) -> Option<&ColumnBinding> {
        self.columns.get(&field)
    }

    /// What stands for a field where it is null, if not null itself.
    #[must_use]
    pub fn find_absent(&self, field: FieldId) -> Option<&Absent> {
        self.absent.get(&field)
    }

    /// Whether what changes one of two fields changes the other.
    #[must_use]
    pub fn are_one(&self, field: FieldId, other: FieldId) -> bool {
        let first = |field: FieldId| self.twins.get(&field).copied().unwrap_or(field);
        first(field) == first(other)
    }

    /// The entity of the properties that a relationship of a graph has, if conditions depend on
    /// which it is.
    #[must_use]
    pub fn find_edge(&self, relationship: RelationshipId) -> Option<EntityId> {
        self.edges.get(&relationship).copied()
    }

    /// The entity whose opaque ids begin with `prefix`.
    #[must_use]
    pub fn find_entity_by_prefix(&self, prefix: &str) -> Option<EntityId> {
        self.prefixes.get(prefix).copied()
    }

    /// Entities whose rows stand together.
    #[must_use]
    pub fn variants(&self, id: VariantsId) -> &[VariantBinding] {
        self.variants.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// The ways along a relationship of which nodes of several entities are at an end, from the
    /// nodes of each entity that are at this one.
    #[must_use]
    pub fn ways(&self, id: WaysId) -> &[Vec<WayBinding>] {
        self.ways.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// How deep relationships may be nested, if the API limits it.
    #[must_use]
    pub fn nesting(&self) -> Option<&Nesting> {
        self.nesting.as_ref()
    }

    /// What values of an input type are at the source; `None`: as they are given.
    #[must_use]
    pub fn find_form(&self, r#type: TypeRef) -> Option<Arc<ValueForm>> {
        listed(self.forms.get(&r#type.base).cloned(), r#type)
    }

    /// How a function is called, if the API shows it.
    #[must_use]
    pub fn find_call(&self, function: FunctionId) -> Option<&CallBinding> {
        self.calls.get(&function)
    }

    /// What lists of an entity have in common, if the API shows it.
    #[must_use]
    pub fn find_entity(&self, entity: EntityId) -> Option<&EntityBinding> {
        self.entities.get(&entity)
    }
}

impl ApiBuilder {
    /// A builder that adds to an API. What is done together in a transaction is to be said again.
    #[must_use]
    pub(crate) fn reopen(api: Api) -> Self {
        let Api {
            schema,
            fields,
            inputs,
            values,
            columns,
            absent,
            twins,
            edges,
            entities,
            forms,
            calls,
            prefixes,
            nesting,
            variants,
            ways,
            transactions: _,
            subgraph_sdl: _,
            notes,
        } = api;
        Self {
            schema,
            fields,
            inputs,
            values,
            columns,
            absent,
            twins,
            edges,
            entities,
            forms,
            calls,
            prefixes,
            nesting,
            variants,
            ways,
            notes,
            known: Known::default(),
        }
    }

    /// The schema so far.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// For the root types.
    pub fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    /// Adds a type; `None` if the name is taken.
    pub fn add_type(&mut self, definition: TypeDefinition) -> Option<TypeId> {
        self.schema.add_type(definition)
    }

    /// What a field means that was added.
    #[must_use]
    pub fn field(&self, id: graphql::schema::FieldId) -> &FieldBinding {
        &self.fields[id.index()]
    }

    pub fn add_field(
        &mut self,
        parent: TypeId,
        definition: FieldDefinition,
        binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.fields.push(binding);
        self.schema.add_field(parent, definition)
    }

    /// Gives a type a field that another one has.
    pub fn attach_field(&mut self, parent: TypeId, field: graphql::schema::FieldId) {
        self.schema.attach_field(parent, field);
    }

    /// Adds a field without arguments. Where another one says and means the same, it is that: it
    /// gets no arguments later.
    pub fn add_plain_field(
        &mut self,
        parent: TypeId,
        mut definition: FieldDefinition,
        binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.schema.share_field(&mut definition);
        let key = Known::of_field(&definition, &binding);
        if let Some(known) = self.known.fields.get(&key).copied()
            && self.fields[known.index()] == binding
            && self.schema[known] == definition
        {
            self.schema.attach_field(parent, known);
            return known;
        }
        let id = self.add_field(parent, definition, binding);
        self.known.fields.insert(key, id);
        id
    }

    /// Gives a type a field of another type, which is as the one that it has otherwise.
    pub(crate) fn retype_field(
        &mut self,
        parent: TypeId,
        old: graphql::schema::FieldId,
        r#type: TypeRef,
    ) -> graphql::schema::FieldId {
        let definition = FieldDefinition { r#type, ..self.schema[old].clone() };
        let binding = self.fields[old.index()].clone();
        self.replace_field(parent, old, definition, binding)
    }

    /// Gives a type a field in the place of one that it has.
    pub(crate) fn replace_field(
        &mut self,
        parent: TypeId,
        old: graphql::schema::FieldId,
        definition: FieldDefinition,
        binding: FieldBinding,
    ) -> graphql::schema::FieldId {
        self.fields.push(binding);
        self.schema.replace_field(parent, old, definition)
    }

    /// What an input means that was added.
    #[must_use]
    pub fn binding_of_input(&self, id: InputId) -> &InputBinding {
        &self.inputs[id.index()]
    }

    /// The same of an argument of a field that no other type has.
    pub(crate) fn retype_argument(
        &mut self,
        field: graphql::schema::FieldId,
        old: InputId,
        r#type: TypeRef,
    ) {
        let definition = InputDefinition { r#type, ..self.schema[old].clone() };
        let binding = self.inputs[old.index()].clone();
        let new = self.input(definition, binding);
        self.schema.replace_argument(field, old, new);
    }

    pub fn add_argument(
        &mut self,
        field: graphql::schema::FieldId,
        definition: InputDefinition,
        binding: InputBinding,
    ) -> InputId {
        let id = self.input(definition, binding);
        self.schema.attach_argument(field, id);
        id
    }

    pub fn add_input_field(
        &mut self,
        parent: TypeId,
        definition: InputDefinition,
        binding: InputBinding,
    ) -> InputId {
        let id = self.input(definition, binding);
        self.schema.attach_input_field(parent, id);
        id
    }

    /// An input that says and means this: most of them stand in several places.
    fn input(&mut self, mut definition: InputDefinition, mut binding: InputBinding) -> InputId {
        self.schema.share_input(&mut definition);
        let key = Known::of_input(&definition, &binding);
        if let Some(known) = self.known.inputs.get(&key).copied()
            && self.inputs[known.index()] == binding
            && self.schema[known] == definition
        {
            return known;
        }
        let id = self.schema.add_input(definition);
        self.known.share(&mut binding.role);
        self.inputs.push(binding);
        self.known.inputs.insert(key, id);
        id
    }

    pub fn add_enum_value(
        &mut self,
        parent: TypeId,
        definition: EnumValueDefinition,
        binding: ValueBinding,
    ) -> EnumValueId {
        self.values.push(binding);
        self.schema.add_enum_value(parent, definition)
    }

    pub fn bind_column(&mut self, field: FieldId, binding: ColumnBinding) {
        self.columns.insert(field, binding);
    }

    /// Says what stands for a field where it is null.
    pub fn bind_absent(&mut self, field: FieldId, absent: Absent) {
        self.absent.insert(field, absent);
    }

    /// Says that a field holds the same value as another, which holds the same as no third one.
    pub fn bind_twin(&mut self, field: FieldId, first: FieldId) {
        self.twins.insert(field, first);
    }

    /// Says of which entity the properties of a graph's relationships are.
    pub fn bind_edge(&mut self, relationship: RelationshipId, edge: EntityId) {
        self.edges.insert(relationship, edge);
    }

    /// Of several entities whose opaque ids begin alike, the first is found by them.
    pub fn bind_entity(&mut self, entity: EntityId, binding: EntityBinding) {
        if let Some(node_id) = binding.node_id.as_ref().filter(|node_id| node_id.found) {
            self.prefixes.entry(node_id.prefix.clone()).or_insert(entity);
        }
        self.entities.insert(entity, binding);
    }

    /// Gives an entity that is bound opaque ids.
    pub fn bind_node_id(&mut self, entity: EntityId, node_id: NodeIdBinding) {
        if node_id.found {
            self.prefixes.entry(node_id.prefix.clone()).or_insert(entity);
        }
        self.entities.entry(entity).or_default().node_id = Some(node_id);
    }

    /// Adds what holds for the rows of an entity when they were changed.
    pub fn bind_rules(&mut self, entity: EntityId, rules: NodeRules) {
        self.entities.entry(entity).or_default().rules = rules;
    }

    /// Adds a list of entities whose rows stand together.
    pub fn add_variants(&mut self, variants: Vec<VariantBinding>) -> VariantsId {
        let id = VariantsId(u32::try_from(self.variants.len()).unwrap_or(u32::MAX));
        self.variants.push(variants);
        id
    }

    /// Says all ways along relationships of which nodes of several entities are at an end, by their
    /// numbers.
    pub fn add_ways(&mut self, ways: Vec<Vec<Vec<WayBinding>>>) {
        self.ways = ways;
    }

    pub fn limit_nesting(&mut self, nesting: Nesting) {
        self.nesting = Some(nesting);
    }

    /// Says what values of an input type are at the source.
    pub fn bind_form(&mut self, r#type: TypeId, form: ValueForm) {
        self.forms.insert(r#type, Arc::new(form));
    }

    /// What values of an input type are at the source.
    #[must_use]
    pub fn form(&self, r#type: TypeRef) -> Arc<ValueForm> {
        let form = listed(self.forms.get(&r#type.base).cloned(), r#type);
        form.unwrap_or_else(|| match r#type.is_list() {
            true => Arc::new(ValueForm::List(plain())),
            false => plain(),
        })
    }

    pub fn bind_call(&mut self, function: FunctionId, binding: CallBinding) {
        self.calls.insert(function, binding);
    }

    pub fn note(&mut self, note: Note) {
        self.notes.push(note);
    }

    #[must_use]
    pub fn finish(self) -> Api {
        let Self {
            mut schema,
            mut fields,
            mut inputs,
            mut values,
            mut columns,
            absent,
            twins,
            edges,
            mut entities,
            forms,
            calls,
            prefixes,
            nesting,
            variants,
            ways,
            notes,
            known: _,
        } = self;
        // Vectors grow by doubling: up to half of them is empty.
        schema.shrink();
        fields.shrink_to_fit();
        inputs.shrink_to_fit();
        values.shrink_to_fit();
        columns.shrink_to_fit();
        entities.shrink_to_fit();
        Api {
            schema,
            fields,
            inputs,
            values,
            columns,
            absent,
            twins,
            edges,
            entities,
            forms,
            calls,
            prefixes,
            nesting,
            variants,
            ways,
            transactions: Transactions::default(),
            subgraph_sdl: None,
            notes,
        }
    }
}

/// A form within as many lists as the type has. A list of plain values needs none.
fn listed(base: Option<Arc<ValueForm>>, r#type: TypeRef) -> Option<Arc<ValueForm>> {
    let Some(item) = r#type.item() else { return base };
    match listed(base, item) {
        Some(element) => Some(Arc::new(ValueForm::List(element))),
        // Lists of lists are told from lists of values that are lists.
        None if item.is_list() => {
            Some(Arc::new(ValueForm::List(Arc::new(ValueForm::List(plain())))))
        }
        None => None,
    }
}

/// The form of values that are as they are given: nearly all members have it, so it is one.
fn plain() -> Arc<ValueForm> {
    static PLAIN: LazyLock<Arc<ValueForm>> = LazyLock::new(|| Arc::new(ValueForm::Plain));
    Arc::clone(&PLAIN)
}
