//! Fills a [`Catalog`]: ids are given in the order of the calls, links are made at the end.

use crate::catalog::{Capabilities, Catalog};
use crate::distribution::Distribution;
use crate::entity::{
    ConstraintComment, Entity, EntityKind, Field, FieldAccess, Generated, Index, Key, PlaceIndex,
    Relationship, RelationshipKind, SpecialIndexes, Storage, TextIndex, VectorIndex, WriteAccess,
};
use crate::field_default::FieldDefault;
use crate::function::{Argument, Function, FunctionResult, Statement, Volatility};
use crate::ids::{
    CompositeId, DomainId, EntityId, EnumId, FieldId, FunctionId, RangeId, RelationshipId, SearchId,
};
use crate::note::Note;
use crate::search::{Search, SearchKind};
use crate::types::{Attribute, Composite, Domain, Enum, EnumLabel, Range, Type};
use crate::written::{WrittenProblem, WrittenQuery};

/// Collects what introspection finds.
#[derive(Debug, Default)]
pub struct Builder {
    catalog: Catalog,
}

/// A field as introspection finds it.
#[derive(Clone, Debug)]
pub struct NewField {
    pub name: Box<str>,
    pub r#type: Type,
    pub nullable: bool,
    pub has_default: bool,
    pub generated: Option<Generated>,
    pub description: Option<Box<str>>,
}

/// A foreign key as introspection finds it.
#[derive(Clone, Debug)]
pub struct NewRelationship {
    pub name: Box<str>,
    pub from: EntityId,
    pub from_fields: Vec<FieldId>,
    pub to: EntityId,
    pub to_fields: Vec<FieldId>,
    pub description: Option<Box<str>>,
}

/// A function as introspection finds it.
#[derive(Clone, Debug)]
pub struct NewFunction {
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub volatility: Volatility,
    pub strict: bool,
    pub arguments: Vec<Argument>,
    pub result: FunctionResult,
    /// The name of the whole result, if the function gives it one.
    pub output_name: Option<Box<str>>,
    pub description: Option<Box<str>>,
}

impl Builder {
    #[must_use]
    pub fn new(capabilities: Capabilities) -> Self {
        Self { catalog: Catalog { capabilities, ..Catalog::default() } }
    }

    pub fn entity(
        &mut self,
        namespace: Option<Box<str>>,
        name: Box<str>,
        kind: EntityKind,
        description: Option<Box<str>>,
    ) -> EntityId {
        let id = EntityId::new(self.catalog.entities.len());
        self.catalog.entities.push(Entity {
            id,
            namespace,
            name,
            kind,
            labels: Vec::new(),
            claimed_labels: Vec::new(),
            fields: Vec::new(),
            keys: Vec::new(),
            indexes: Vec::new(),
            special_indexes: None,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            access: match kind {
                EntityKind::Table | EntityKind::ForeignTable | EntityKind::Node => WriteAccess::ALL,
                EntityKind::View
                | EntityKind::MaterializedView
                | EntityKind::Record
                | EntityKind::Model
                | EntityKind::ValueSet
                | EntityKind::Composite
                | EntityKind::Edge => WriteAccess::NONE,
            },
            rewritten: false,
            triggered: false,
            distribution: Distribution::Local,
            description,
        });
        id
    }

    /// Sets the labels of the nodes that are the entity's rows.
    pub fn label(&mut self, entity: EntityId, labels: Vec<Box<str>>) {
        self.catalog.entities[entity.index()].labels = labels;
    }

    /// Sets the claims whose values are further labels of the entity's rows.
    pub fn label_by_claims(&mut self, entity: EntityId, claims: Vec<Box<str>>) {
        self.catalog.entities[entity.index()].claimed_labels = claims;
    }

    /// Sets the writes that the source accepts for an entity's rows. By default all of a table's
    /// and none of anything else's.
    pub fn set_write_access(&mut self, entity: EntityId, access: WriteAccess) {
        self.catalog.entities[entity.index()].access = access;
    }

    /// Sets the permitted operations on the values of a field. By default all.
    pub fn set_field_access(&mut self, field: FieldId, access: FieldAccess) {
        self.catalog.fields[field.index()].access = access;
    }

    /// Withholds a function from all callers.
    pub fn make_uncallable(&mut self, function: FunctionId) {
        self.catalog.functions[function.index()].callable = false;
    }

    /// Marks an entity whose rows may be changed once more after a write has returned them.
    pub fn rewrite(&mut self, entity: EntityId) {
        self.catalog.entities[entity.index()].rewritten = true;
    }

    /// Marks an entity whose triggers may write other values than the given ones.
    pub fn trigger(&mut self, entity: EntityId) {
        self.catalog.entities[entity.index()].triggered = true;
    }

    /// Sets the servers that have an entity's rows.
    pub fn distribute(&mut self, entity: EntityId, distribution: Distribution) {
        self.catalog.entities[entity.index()].distribution = distribution;
        self.catalog.is_distributed |= distribution.is_remote();
    }

    pub fn field(&mut self, entity: EntityId, field: NewField) -> FieldId {
        let id = FieldId::new(self.catalog.fields.len());
        self.catalog.fields.push(Field {
            id,
            entity,
            name: field.name,
            r#type: field.r#type,
            nullable: field.nullable,
            has_default: field.has_default,
            generated: field.generated,
            access: FieldAccess::ALL,
            storage: Storage::default(),
            description: field.description,
        });
        self.catalog.entities[entity.index()].fields.push(id);
        id
    }

    /// Sets the conversion that the source applies to values stored in a field.
    pub fn store(&mut self, field: FieldId, storage: Storage) {
        self.catalog.fields[field.index()].storage = storage;
    }

    /// Sets the value of a field that an insert omits.
    pub fn set_default(&mut self, field: FieldId, default: FieldDefault) {
        self.catalog.field_defaults.insert(field, default);
    }

    pub fn key(&mut self, entity: EntityId, key: Key) {
        self.catalog.entities[entity.index()].keys.push(key);
    }

    pub fn index(&mut self, entity: EntityId, index: Index) {
        self.catalog.entities[entity.index()].indexes.push(index);
    }

    pub fn text_index(&mut self, entity: EntityId, index: TextIndex) {
        self.special_indexes(entity).texts.push(index);
    }

    pub fn place_index(&mut self, entity: EntityId, index: PlaceIndex) {
        self.special_indexes(entity).places.push(index);
    }

    pub fn vector_index(&mut self, entity: EntityId, index: VectorIndex) {
        self.special_indexes(entity).vectors.push(index);
    }

    fn special_indexes(&mut self, entity: EntityId) -> &mut SpecialIndexes {
        self.catalog.entities[entity.index()].special_indexes.get_or_insert_default()
    }

    pub fn relationship(&mut self, relationship: NewRelationship) -> RelationshipId {
        let id = RelationshipId::new(self.catalog.relationships.len());
        self.catalog.relationships.push(Relationship {
            id,
            kind: RelationshipKind::ForeignKey,
            name: relationship.name,
            from: relationship.from,
            from_fields: relationship.from_fields,
            to: relationship.to,
            to_fields: relationship.to_fields,
            one_to_one: false,
            indexed: false,
            enforced: true,
            always_found: false,
            edge: None,
            description: relationship.description,
        });
        id
    }

    /// Says that the row that a relationship leads to is always found
    /// ([`Relationship::always_found`]).
    pub fn always_found(&mut self, relationship: RelationshipId) {
        self.catalog.relationships[relationship.index()].always_found = true;
    }

    /// Adds the relationships of one type between nodes, with the entity of their properties.
    /// Undirected ones are another relationship than the same ones directed.
    pub fn graph_relationship(
        &mut self,
        r#type: Box<str>,
        from: EntityId,
        to: EntityId,
        edge: Option<EntityId>,
        undirected: bool,
    ) -> RelationshipId {
        let id = RelationshipId::new(self.catalog.relationships.len());
        self.catalog.relationships.push(Relationship {
            id,
            kind: RelationshipKind::Graph { undirected },
            name: r#type,
            from,
            from_fields: Vec::new(),
            to,
            to_fields: Vec::new(),
            one_to_one: false,
            // A node stores its relationships.
            indexed: true,
            enforced: true,
            always_found: false,
            edge,
            description: None,
        });
        id
    }

    pub fn function(&mut self, function: NewFunction) -> FunctionId {
        let id = FunctionId::new(self.catalog.functions.len());
        let NewFunction {
            namespace,
            name,
            volatility,
            strict,
            arguments,
            result,
            output_name,
            description,
        } = function;
        self.catalog.functions.push(Function {
            id,
            namespace,
            name,
            volatility,
            strict,
            arguments,
            result,
            output_name,
            callable: true,
            statement: None,
            related: None,
            description,
        });
        id
    }

    /// Adds a search index over rows of an entity. The score is a field of an entity of the kind
    /// [`EntityKind::Edge`].
    pub fn search(
        &mut self,
        name: Box<str>,
        kind: SearchKind,
        entity: EntityId,
        score: FieldId,
    ) -> SearchId {
        let id = SearchId::new(self.catalog.searches.len());
        self.catalog.searches.push(Search { id, name, kind, entity, score });
        id
    }

    /// Defines a function by a statement of the schema's author.
    pub fn state(&mut self, function: FunctionId, statement: Statement) {
        self.catalog.functions[function.index()].statement = Some(statement);
    }

    /// Adds the function of an author's query, which returns rows of `model`.
    pub fn written_query(
        &mut self,
        query: &WrittenQuery,
        arguments: Vec<Argument>,
        model: EntityId,
    ) {
        let id = self.function(NewFunction {
            namespace: None,
            name: query.name.clone(),
            volatility: Volatility::Stable,
            strict: false,
            arguments,
            result: FunctionResult::Rows(model),
            output_name: None,
            description: query.description.clone(),
        });
        let (parts, column) = (query.parts.clone(), "".into());
        self.state(id, Statement { row: None, parts, column, only_first: false });
    }

    /// Tells why there is no function of an author's query.
    pub fn written_problem(&mut self, problem: WrittenProblem) {
        self.catalog.written_problems.push(problem);
    }

    pub fn constraint_comment(&mut self, comment: ConstraintComment) {
        self.catalog.constraint_comments.push(comment);
    }

    pub fn r#enum(
        &mut self,
        namespace: Option<Box<str>>,
        name: Box<str>,
        labels: Vec<EnumLabel>,
        description: Option<Box<str>>,
    ) -> EnumId {
        let id = EnumId::new(self.catalog.enums.len());
        self.catalog.enums.push(Enum { id, namespace, name, labels, description });
        id
    }

    /// Attributes may be added later by [`Builder::set_attributes`]: composites can nest.
    pub fn composite(
        &mut self,
        namespace: Option<Box<str>>,
        name: Box<str>,
        description: Option<Box<str>>,
    ) -> CompositeId {
        let id = CompositeId::new(self.catalog.composites.len());
        let attributes = Vec::new();
        self.catalog.composites.push(Composite {
            id,
            namespace,
            name,
            attributes,
            rows: None,
            is_decomposed: false,
            description,
        });
        id
    }

    pub fn set_attributes(&mut self, composite: CompositeId, attributes: Vec<Attribute>) {
        self.catalog.composites[composite.index()].attributes = attributes;
    }

    /// Marks the values of a composite as decomposable: the entity has a field for each attribute.
    pub fn set_rows(&mut self, composite: CompositeId, rows: EntityId) {
        self.catalog.composites[composite.index()].rows = Some(rows);
    }

    pub fn domain(
        &mut self,
        namespace: Option<Box<str>>,
        name: Box<str>,
        base: Type,
        not_null: bool,
        description: Option<Box<str>>,
    ) -> DomainId {
        let id = DomainId::new(self.catalog.domains.len());
        self.catalog.domains.push(Domain { id, namespace, name, base, not_null, description });
        id
    }

    pub fn range(&mut self, namespace: Option<Box<str>>, name: Box<str>, subtype: Type) -> RangeId {
        let id = RangeId::new(self.catalog.ranges.len());
        self.catalog.ranges.push(Range { id, namespace, name, subtype });
        id
    }

    pub fn note(&mut self, note: Note) {
        self.catalog.notes.push(note);
    }

    /// The catalog so far, for look-ups while filling it.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Links relationships to their entities, and derives what follows from keys and indexes.
    #[must_use]
    pub fn finish(mut self) -> Catalog {
        for index in 0..self.catalog.relationships.len() {
            self.link(RelationshipId::new(index));
        }
        self.catalog.sort_names();
        self.catalog
    }

    fn link(&mut self, id: RelationshipId) {
        let relationship = &self.catalog.relationships[id.index()];
        let (from, to) = (relationship.from, relationship.to);
        if relationship.kind == RelationshipKind::ForeignKey {
            self.derive(id, from);
        }
        self.catalog.entities[from.index()].outgoing.push(id);
        self.catalog.entities[to.index()].incoming.push(id);
    }

    /// Derives facts from the keys and indexes of the entity that a foreign key belongs to.
    fn derive(&mut self, id: RelationshipId, from: EntityId) {
        let relationship = &self.catalog.relationships[id.index()];
        let entity = &self.catalog.entities[from.index()];
        let one_to_one = entity.is_unique(&relationship.from_fields);
        let indexed = entity.is_indexed(&relationship.from_fields);
        let relationship = &mut self.catalog.relationships[id.index()];
        relationship.one_to_one = one_to_one;
        relationship.indexed = indexed;
    }
}
