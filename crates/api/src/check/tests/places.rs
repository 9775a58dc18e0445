//! A place of a schema for each position, and an API in which one input stands there.

use std::sync::Arc;

use super::api::binding::{
    AggregateField, AggregateValue, ArgumentRole, CallBinding, Change, ChangedTypes,
    CompositePlace, ComputedBinding, ConnectionField, DeclaredRole, EdgeField, EntitiesBinding,
    EntityBinding, EventRole, FieldBinding, FilterRole, IdForm, InputBinding, InputRole,
    MultiEntityRole, MutationBinding, MutationForm, NestedChange, NestedVerb, NestedWriteVerb,
    NodeIdBinding, ObjectRole, OperatorRole, OrderRole, PayloadField, RelatedChange,
    RelatedChangeKind, RelatedRole, RelatedRowsId, RelationVerb, RelationshipVariant, RowsBinding,
    RowsForm, RowsFrom, RowsRole, TreeRole, ValueBinding, ValueShape, VariantBinding, VariantLink,
    VariantRole, WriteRole,
};
use super::api::check::{ChangedObjects, ChangedRows, DataOf, Position, Scope, ScopeRows};
use super::api::{Api, ApiBuilder};
use graphql::schema::{
    EnumValueDefinition, FieldDefinition, InputDefinition, TypeDefinition, TypeId, TypeKind,
    TypeRef,
};
use ir::{AggregateFunction, Codec, Form, Quantifier, ValueRef as Value};
use response::Leaf;

use super::roles::{
    CALL, RELATIONSHIPS, VARIANTS, element_rows, entity, field, function, hop, nested, object,
    related_rows, relation_writes, relationship, subject, tree_relation,
};

/// A place of a schema: fields within each other, whose last one has an argument, and objects within
/// each other, whose last one has the input.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) position: Position,
    pub(crate) fields: Vec<FieldBinding>,
    pub(crate) objects: Vec<InputRole>,
}

impl Place {
    fn new(position: Position, fields: Vec<FieldBinding>, objects: Vec<InputRole>) -> Self {
        Self { position, fields, objects }
    }

    pub(crate) fn is_mutation(&self) -> bool {
        matches!(self.fields.first(), Some(FieldBinding::Mutation(_)))
    }

    /// The API in which an input with a role stands here, and with it nothing else that could be
    /// misbound.
    pub(crate) fn api(&self, role: InputRole) -> Api {
        self.api_with(role, TypeKind::Scalar, None)
    }

    /// The API of [`Self::api`], whose input is an enum; its only value `VALUE` has this binding.
    pub(crate) fn api_of_enum(&self, role: InputRole, value: ValueBinding) -> Api {
        self.api_with(role, TypeKind::Enum { values: Vec::new() }, Some(value))
    }

    fn api_with(&self, role: InputRole, kind: TypeKind, binding: Option<ValueBinding>) -> Api {
        let mut build = ApiBuilder::default();
        build.add_related_rows(RelatedRowsId(0), related_rows());
        let value = add_type(&mut build, "Value", kind);
        if let Some(binding) = binding {
            build.add_enum_value(value, EnumValueDefinition::new("VALUE"), binding);
        }
        let mut r#type = value;
        let mut name = "input";
        let mut binding = role;
        for (depth, object) in self.objects.iter().enumerate().rev() {
            let kind = TypeKind::InputObject { fields: Vec::new() };
            let parent = add_type(&mut build, &format!("Object{depth}"), kind);
            let definition = InputDefinition::new(name, TypeRef::named(r#type));
            build.add_input_field(parent, definition, InputBinding::lenient(binding));
            (r#type, name, binding) = (parent, "object", object.clone());
        }
        let kind = || TypeKind::Object { fields: Vec::new(), interfaces: Default::default() };
        let mut parent = add_type(&mut build, "Root", kind());
        match self.is_mutation() {
            true => build.schema_mut().mutation = Some(parent),
            false => build.schema_mut().query = Some(parent),
        }
        for (depth, field) in self.fields.iter().enumerate() {
            let given = add_type(&mut build, &format!("Given{depth}"), kind());
            let definition = FieldDefinition::new("field", TypeRef::named(given));
            let added = build.add_field(parent, definition, field.clone());
            if depth + 1 == self.fields.len() {
                let definition = InputDefinition::new("argument", TypeRef::named(r#type));
                build.add_argument(added, definition, InputBinding::lenient(binding.clone()));
            }
            parent = given;
        }
        bind_catalog(&mut build, value);
        build.finish()
    }
}

fn add_type(build: &mut ApiBuilder, name: &str, kind: TypeKind) -> TypeId {
    let definition = TypeDefinition { name: name.into(), description: None, kind };
    build.add_type(definition).expect("a name that is free")
}

/// Binds the objects to which roles refer: an entity, a function, rows of one of several entities, a relationship to them.
fn bind_catalog(build: &mut ApiBuilder, r#type: TypeId) {
    let node_id = NodeIdBinding {
        form: IdForm::Tagged,
        prefix: "entity".into(),
        key: vec![field()],
        codec: Codec::Base64JsonArray,
        enforced: true,
        found: true,
        r#type,
    };
    build.bind_entity(entity(), EntityBinding::default());
    build.bind_node_id(entity(), node_id);
    build.bind_call(function(), CallBinding { arguments: vec![CALL], ..CallBinding::default() });
    build.add_variants(vec![VariantBinding {
        entity: entity(),
        hop: Some(hop()),
        through: None,
        r#type,
        properties: None,
        number: 0,
        common: vec![field()],
        links: vec![VariantLink::Several(VARIANTS)],
    }]);
    build.add_relationship_variants(vec![vec![vec![RelationshipVariant {
        entity: entity(),
        edge: None,
        hop: hop(),
        written: hop(),
        number: 0,
        common: vec![field()],
        links: Vec::new(),
        single: None,
    }]]]);
}

/// A place for each object whose fields may be refused: the last field is.
pub(crate) fn refused_fields(text: &str) -> Vec<Place> {
    let list = || rows(RowsFrom::Entity, RowsForm::List);
    let connection = || rows(RowsFrom::Entity, RowsForm::Connection);
    let of = FieldBinding::Connection;
    let aggregates = || rows(RowsFrom::Entity, RowsForm::Aggregate);
    let value = |value| {
        FieldBinding::Computed(Box::new(ComputedBinding {
            function: function(),
            of_row: false,
            value,
            form: Form::Stored,
            external: Vec::new(),
        }))
    };
    let payload = FieldBinding::Payload;
    let create = || change(Change::Create(entity()));
    let objects = |of: fn(ChangedTypes) -> Change| change(of(ChangedTypes::One(object())));
    let around: Vec<Vec<FieldBinding>> = vec![
        vec![],
        vec![FieldBinding::Same],
        vec![FieldBinding::Constants],
        vec![list()],
        vec![rows(RowsFrom::Variants { variants: VARIANTS, once: false }, RowsForm::List)],
        vec![rows(RowsFrom::Entity, RowsForm::Single), list()],
        vec![aggregates()],
        vec![aggregates(), FieldBinding::Aggregate(AggregateField::Object)],
        vec![
            aggregates(),
            FieldBinding::Aggregate(AggregateField::Function(AggregateFunction::Count)),
        ],
        vec![connection()],
        vec![connection(), of(ConnectionField::Nodes)],
        vec![connection(), of(ConnectionField::Edges)],
        vec![connection(), of(ConnectionField::Edges), FieldBinding::Edge(EdgeField::Node)],
        vec![connection(), of(ConnectionField::Edges), FieldBinding::Edge(EdgeField::Properties)],
        vec![connection(), of(ConnectionField::PageInfo)],
        vec![connection(), of(ConnectionField::Aggregates)],
        vec![connection(), of(ConnectionField::PageAggregates)],
        vec![connection(), of(ConnectionField::Groups)],
        vec![connection(), of(ConnectionField::RowGroups)],
        vec![connection(), of(ConnectionField::RowGroups), of(ConnectionField::Edges)],
        vec![value(ValueShape::Composite)],
        vec![create()],
        vec![create(), payload(PayloadField::Counters)],
        vec![create(), payload(PayloadField::Query)],
        vec![create(), payload(PayloadField::Row)],
        vec![create(), payload(PayloadField::Edge)],
        vec![change(Change::UpdateNodes(entity()))],
        vec![change(Change::AddObjects(object()))],
        vec![objects(Change::UpdateObjects)],
        vec![objects(Change::DeleteObjects)],
        vec![change(Change::AddObjects(object())), rows(RowsFrom::Changed, RowsForm::List)],
    ];
    let around = around.into_iter();
    let places = around.map(|mut fields| {
        fields.push(FieldBinding::Refused(text.into()));
        Place::new(Position::Refused, fields, vec![])
    });
    places.collect()
}

fn rows(from: RowsFrom, form: RowsForm) -> FieldBinding {
    FieldBinding::Rows(RowsBinding { from, entity: entity(), form, default_limit: None })
}

fn change(change: Change) -> FieldBinding {
    let (form, returned) = (MutationForm::Payload, Some(entity()));
    let binding = MutationBinding { change, returned, form, missing: None, unchanged: None };
    FieldBinding::Mutation(Box::new(binding))
}

/// A place for each position; some positions have several.
pub(crate) fn places() -> Vec<Place> {
    let mut places = of_arguments();
    places.extend(of_conditions());
    places.extend(of_changes());
    places.extend(of_nodes());
    places.extend(of_objects());
    places.extend(of_related());
    places
}

/// Positions of arguments, of orders and of groups.
fn of_arguments() -> Vec<Place> {
    let list = || vec![rows(RowsFrom::Entity, RowsForm::List)];
    let of_connection = |field| {
        let rows = rows(RowsFrom::Entity, RowsForm::Connection);
        vec![rows, FieldBinding::Connection(field)]
    };
    let computed = FieldBinding::Computed(Box::new(ComputedBinding {
        function: function(),
        of_row: false,
        value: ValueShape::Leaf(Leaf::Any),
        form: Form::Stored,
        external: Vec::new(),
    }));
    let of_aggregate = FieldBinding::Aggregate(AggregateField::Computed {
        computed: function(),
        value: Box::new(AggregateValue {
            function: AggregateFunction::Count,
            field: None,
            leaf: Leaf::Any,
            form: Form::Stored,
            absent: None,
        }),
    });
    let row_event = || vec![FieldBinding::RowEvent(RelatedRowsId(0))];
    let aggregates = rows(RowsFrom::Entity, RowsForm::Aggregate);
    let stream = vec![rows(RowsFrom::Entity, RowsForm::Stream)];
    let edge = FieldBinding::Payload(PayloadField::Edge);
    let entities = EntitiesBinding { types: Box::default(), represented: Arc::new([]) };
    let entities = FieldBinding::Entities(Arc::new(entities));
    let group_fields = ArgumentRole::GroupFields.into();
    vec![
        Place::new(Position::Nothing, vec![FieldBinding::Literal(Box::new(*b"1"))], vec![]),
        Place::new(Position::Rows, list(), vec![]),
        Place::new(Position::StreamedRows, stream.clone(), vec![]),
        Place::new(Position::Stream, stream.clone(), vec![ArgumentRole::Stream.into()]),
        Place::new(
            Position::StreamStart,
            stream,
            vec![ArgumentRole::Stream.into(), ArgumentRole::StreamStart.into()],
        ),
        Place::new(Position::Lookup, vec![FieldBinding::Lookup { root: Some("query") }], vec![]),
        Place::new(Position::Event, row_event(), vec![]),
        Place::new(
            Position::Event,
            row_event(),
            vec![ArgumentRole::Event(EventRole::Conditions).into()],
        ),
        Place::new(Position::Edge, vec![change(Change::Create(entity())), edge], vec![]),
        Place::new(Position::Groups, of_connection(ConnectionField::Groups), vec![]),
        Place::new(Position::RowGroups, of_connection(ConnectionField::RowGroups), vec![]),
        Place::new(
            Position::GroupFields,
            of_connection(ConnectionField::RowGroups),
            vec![group_fields],
        ),
        Place::new(Position::Order, list(), vec![ArgumentRole::Sort.into()]),
        Place::new(
            Position::AggregateOrder,
            list(),
            vec![ArgumentRole::Sort.into(), OrderRole::RelatedAggregates(hop()).into()],
        ),
        Place::new(
            Position::OrderOfAggregates,
            list(),
            vec![
                ArgumentRole::Sort.into(),
                OrderRole::RelatedAggregates(hop()).into(),
                OrderRole::Aggregates(AggregateFunction::Sum).into(),
            ],
        ),
        Place::new(
            Position::Count,
            vec![
                rows(RowsFrom::Entity, RowsForm::Connection),
                FieldBinding::Connection(ConnectionField::PageAggregates),
                FieldBinding::Aggregate(AggregateField::Counted),
            ],
            vec![],
        ),
        Place::new(Position::FieldArguments, vec![computed.clone()], vec![]),
        Place::new(Position::FieldArguments, vec![computed], vec![ArgumentRole::Options.into()]),
        Place::new(Position::FieldArguments, vec![aggregates, of_aggregate], vec![]),
        Place::new(Position::Entities, vec![entities], vec![]),
        Place::new(Position::Value, list(), vec![FilterRole::Equal(field()).into()]),
    ]
}

/// Positions in conditions.
fn of_conditions() -> Vec<Place> {
    let plain = Scope::default();
    let place = |position, objects: Vec<FilterRole>| {
        let objects = objects.into_iter().map(InputRole::from).collect();
        Place::new(position, vec![rows(RowsFrom::Entity, RowsForm::List)], objects)
    };
    let scope = |scope, filter| place(Position::Condition(scope), vec![filter]);
    let group = RowsRole::Group { nothing: Arc::new("nothing".into()) };
    let some = RowsRole::Quantified(Quantifier::Some);
    let variants = RowsFrom::Variants { variants: VARIANTS, once: false };
    let aggregate = AggregateFunction::Count;
    let of_computed = || FilterRole::OperatorsOfComputed { aggregate, computed: function() };
    let within = |rows| Scope { rows: Some(rows), ..plain };
    let composite = CompositePlace::Field(field());
    let declared = FilterRole::Declared(DeclaredRole::Many(0));
    vec![
        scope(plain, FilterRole::Conditions),
        Place::new(
            Position::Condition(plain),
            vec![rows(RowsFrom::Entity, RowsForm::List)],
            vec![VariantRole::On.into()],
        ),
        scope(Scope { subject: true, ..plain }, FilterRole::Operators(subject())),
        scope(within(ScopeRows::One), FilterRole::RelatedMany(hop())),
        scope(within(ScopeRows::Variants), FilterRole::RelatedVariants(VARIANTS)),
        Place::new(
            Position::Condition(within(ScopeRows::Declared)),
            vec![rows(variants, RowsForm::List)],
            vec![declared.into()],
        ),
        scope(Scope { composite: true, ..plain }, FilterRole::Composite(composite)),
        scope(
            Scope { made_of: true, ..plain },
            FilterRole::MadeOf(Box::new(Value::field(field()))),
        ),
        scope(
            Scope { group: true, ..plain },
            FilterRole::RelatedBy { hop: hop(), role: Box::new(group) },
        ),
        place(
            Position::OfAggregate,
            vec![FilterRole::RelatedBy {
                hop: hop(),
                role: Box::new(RowsRole::Aggregate(aggregate)),
            }],
        ),
        place(
            Position::Pair,
            vec![
                FilterRole::RelatedBy {
                    hop: hop(),
                    role: Box::new(RowsRole::Aggregate(aggregate)),
                },
                FilterRole::AggregatedPair,
            ],
        ),
        place(
            Position::EachVariant,
            vec![FilterRole::RelatedEach { variants: VARIANTS, role: some }],
        ),
        place(
            Position::Distance,
            vec![FilterRole::On { subject: subject(), operator: OperatorRole::DistanceFrom }],
        ),
        place(
            Position::Spatial,
            vec![FilterRole::On {
                subject: subject(),
                operator: OperatorRole::Spatial(ir::SpatialRelation::WithinDistance),
            }],
        ),
        place(Position::OfComputed, vec![of_computed()]),
        place(Position::CallArguments, vec![of_computed(), FilterRole::CallArguments]),
    ]
}

/// Positions in changes of rows.
fn of_changes() -> Vec<Place> {
    let place = |rows, of: Change, objects: Vec<WriteRole>| {
        let objects = objects.into_iter().map(InputRole::from).collect();
        Place::new(Position::Change(rows), vec![change(of)], objects)
    };
    let entity = entity();
    let nested_change =
        |is_new| Change::Nested(NestedChange { entity, key: Box::new([field()]), is_new, most: 9 });
    let upsert = Change::Upsert { entity, key: Box::new([field()]), kept: Box::default() };
    let create_many = || Change::CreateMany { entity, most: 9 };
    let within = |verb| vec![WriteRole::Nested(nested()), WriteRole::NestedIn(verb)];
    let tree = |position, objects: Vec<TreeRole>| {
        let objects = objects.into_iter().map(|role| WriteRole::Tree(role).into()).collect();
        Place::new(position, vec![change(Change::InsertTree(entity))], objects)
    };
    vec![
        place(ChangedRows::New, Change::Create(entity), vec![]),
        place(ChangedRows::New, upsert, vec![]),
        place(ChangedRows::NewRows, create_many(), vec![]),
        place(ChangedRows::NewOfRows, create_many(), vec![WriteRole::Rows]),
        place(ChangedRows::Updated, Change::Update(entity), vec![]),
        place(ChangedRows::UpdatedRows, Change::UpdateMany { entity, most: 9 }, vec![]),
        place(ChangedRows::Deleted, Change::Delete(entity), vec![]),
        place(ChangedRows::DeletedRows, Change::DeleteMany { entity, most: 9 }, vec![]),
        place(ChangedRows::Called, Change::Call(function()), vec![]),
        place(ChangedRows::NestedNew, nested_change(true), vec![]),
        place(ChangedRows::NestedUpdated, nested_change(false), vec![]),
        place(ChangedRows::NewInRow, nested_change(true), within(NestedVerb::Create)),
        place(ChangedRows::KeyInRow, nested_change(true), within(NestedVerb::Connect)),
        place(ChangedRows::Tree, Change::InsertTree(entity), vec![]),
        place(ChangedRows::UpdatedAll, Change::UpdateAll(entity), vec![]),
        place(ChangedRows::UpdatedEach, Change::UpdateEach(entity), vec![]),
        place(ChangedRows::DeletedAll, Change::DeleteAll(entity), vec![]),
        tree(Position::TreeRow, vec![TreeRole::Rows]),
        tree(Position::TreeRelated, vec![TreeRole::Rows, TreeRole::Related(tree_relation())]),
        tree(Position::OnConflict, vec![TreeRole::OnConflict]),
        Place::new(
            Position::Nested,
            vec![change(nested_change(true))],
            vec![WriteRole::Nested(nested()).into()],
        ),
    ]
}

/// Positions in changes of nodes.
fn of_nodes() -> Vec<Place> {
    let place = |position, of: Change, objects: Vec<WriteRole>| {
        let objects = objects.into_iter().map(InputRole::from).collect();
        Place::new(position, vec![change(of)], objects)
    };
    let update = || Change::UpdateNodes(entity());
    let create = || Change::CreateNodes(entity());
    let verb = NestedWriteVerb::Connect;
    let one = WriteRole::NestedWrite { relationship: Some(relationship()), verb, rank: 0 };
    let several = MultiEntityRole::NestedWrite { relationships: RELATIONSHIPS, verb, rank: 0 };
    let assigns = WriteRole::Assigns { field: field(), is_required: false };
    let among = WriteRole::Several(MultiEntityRole::Among { relationships: RELATIONSHIPS });
    vec![
        place(Position::CreateNodes, create(), vec![]),
        place(Position::Nodes, create(), vec![WriteRole::Rows]),
        place(Position::Nodes, update(), vec![]),
        place(Position::Nodes, Change::DeleteNodes(entity()), vec![]),
        place(Position::NestedWrites, update(), vec![WriteRole::NestedWrites(relationship())]),
        place(Position::NestedWrites, update(), vec![among]),
        place(Position::NestedWrite, update(), vec![one]),
        place(Position::NestedWrite, update(), vec![WriteRole::Several(several)]),
        place(Position::AssignBy, update(), vec![assigns]),
    ]
}

/// Positions in changes of objects.
fn of_objects() -> Vec<Place> {
    let place = |position, of: Change, objects: Vec<WriteRole>| {
        let objects = objects.into_iter().map(InputRole::from).collect();
        Place::new(position, vec![change(of)], objects)
    };
    let added = WriteRole::Object(ObjectRole::Added);
    vec![
        place(Position::Objects(ChangedObjects::Added), Change::AddObjects(object()), vec![]),
        place(
            Position::Objects(ChangedObjects::Updated),
            Change::UpdateObjects(ChangedTypes::One(object())),
            vec![],
        ),
        place(
            Position::Objects(ChangedObjects::Deleted),
            Change::DeleteObjects(ChangedTypes::One(object())),
            vec![],
        ),
        place(Position::Object, Change::AddObjects(object()), vec![added]),
    ]
}

/// Positions in changes of rows with those of their relations.
fn of_related() -> Vec<Place> {
    use RelatedChangeKind as Kind;
    use RelationVerb as Verb;
    let place = |position, kind, objects: Vec<RelatedRole>| {
        let of = Change::Related(RelatedChange { rows: RelatedRowsId(0), kind });
        let objects = objects.into_iter().map(|role| WriteRole::Related(role).into()).collect();
        Place::new(position, vec![change(of)], objects)
    };
    let kinds = [
        Kind::Create,
        Kind::Update,
        Kind::Upsert,
        Kind::Delete,
        Kind::UpdateMany,
        Kind::DeleteMany,
        Kind::CreateMany,
    ];
    let mut places: Vec<Place> =
        kinds.into_iter().map(|kind| place(Position::Related(kind), kind, vec![])).collect();
    let along = || vec![RelatedRole::Data, RelatedRole::Relation(Arc::new(relation_writes()))];
    places.extend([
        place(Position::RelatedKey, Kind::Delete, vec![RelatedRole::Where]),
        place(Position::RelatedData(DataOf::New), Kind::Create, vec![RelatedRole::Data]),
        place(Position::RelatedData(DataOf::EachNew), Kind::CreateMany, vec![RelatedRole::Data]),
        place(Position::RelatedData(DataOf::Existing), Kind::Update, vec![RelatedRole::Data]),
        place(Position::RelatedData(DataOf::All), Kind::UpdateMany, vec![RelatedRole::Data]),
        place(
            Position::RelatedElements,
            Kind::Create,
            vec![RelatedRole::Data, RelatedRole::Elements(Box::new(element_rows()))],
        ),
        place(Position::RelatedVerbs, Kind::Create, along()),
    ]);
    for verb in [
        Verb::Create,
        Verb::Update,
        Verb::Upsert,
        Verb::Delete,
        Verb::Connect,
        Verb::Set,
        Verb::Disconnect,
        Verb::UpdateMany,
        Verb::DeleteMany,
    ] {
        let mut objects = along();
        objects.push(RelatedRole::Verb(verb));
        places.push(place(Position::RelatedVerb(verb), Kind::Create, objects));
    }
    places
}
