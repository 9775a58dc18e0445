//! A sample of each role that an input can have.

use std::sync::Arc;

use super::api::binding::{
    ArgumentBinding, ArgumentRole, AssignVerb, CompositePlace, DeclaredRole, ElementRows,
    EventRole, FilterRole, InputRole, LimitedText, Meaning, MultiEntityRole, NearestRole,
    NestedBinding, NestedReference, NestedRelationship, NestedVerb, NestedWriteVerb, ObjectBinding,
    ObjectLink, ObjectRelation, ObjectRole, ObjectTarget, OneOf, OperatorRole, OrderRole, PagePart,
    RelatedRole, RelatedRows, RelatedRowsId, RelationLink, RelationPath, RelationSide,
    RelationVerb, RelationWrites, RelationshipVariantsId, RowsRole, Subject, TreeRelation,
    TreeRole, VariantRole, VariantsId, WriteRole,
};
use catalog::{EntityId, FieldId, FunctionId, RelationshipId, SearchId};
use ir::{AggregateFunction, Case, Comparison, Hop, HopDirection, Quantifier, TextMatch, ValueRef};

/// A role with the names by which tables show it.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) family: &'static str,
    pub(crate) variant: &'static str,
    /// The variant within the variant, if there are several.
    pub(crate) detail: &'static str,
    pub(crate) role: InputRole,
}

/// Defines the samples of a family. The `match` names all variants: a new one does not compile
/// before it has a sample.
macro_rules! family {
    ($name:ident: $family:ident { $($variant:ident => $samples:expr,)* }) => {
        fn $name() -> Vec<(&'static str, &'static str, $family)> {
            let name = |role: &$family| match role {
                $($family::$variant { .. } => stringify!($variant),)*
            };
            let samples: Vec<Vec<(&'static str, $family)>> = vec![$($samples,)*];
            let samples = samples.into_iter().flatten();
            samples.map(|(detail, role)| (name(&role), detail, role)).collect()
        }
    };
}

/// All samples, by family.
pub(crate) fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    add(&mut samples, "Argument", arguments());
    add(&mut samples, "Filter", filters());
    add(&mut samples, "Order", orders());
    add(&mut samples, "Write", writes());
    add(&mut samples, "Variant", variants());
    let others = others().into_iter();
    let others = others.filter(|(variant, ..)| {
        // These have a family each.
        !["Argument", "Filter", "Order", "Write", "Variant"].contains(variant)
    });
    add(&mut samples, "", others.collect());
    samples
}

fn add<R: Into<InputRole>>(
    samples: &mut Vec<Sample>,
    family: &'static str,
    of_family: Vec<(&'static str, &'static str, R)>,
) {
    samples.extend(of_family.into_iter().map(|(variant, detail, role)| Sample {
        family,
        variant,
        detail,
        role: role.into(),
    }));
}

fn one<R>(role: R) -> Vec<(&'static str, R)> {
    vec![("", role)]
}

/// A role for each variant of what it holds.
fn each<I, R>(
    of: Vec<(&'static str, &'static str, I)>,
    role: impl Fn(I) -> R,
) -> Vec<(&'static str, R)> {
    of.into_iter().map(|(variant, _, inner)| (variant, role(inner))).collect()
}

pub(crate) fn entity() -> EntityId {
    EntityId::new(0)
}

pub(crate) fn field() -> FieldId {
    FieldId::new(0)
}

pub(crate) fn function() -> FunctionId {
    FunctionId::new(0)
}

pub(crate) fn hop() -> Hop {
    Hop { relationship: RelationshipId::new(0), direction: HopDirection::Backward }
}

pub(crate) fn relationship() -> NestedRelationship {
    NestedRelationship { hop: hop(), entity: entity(), edge: None }
}

pub(crate) fn subject() -> Arc<Subject> {
    Arc::new(Subject::field(field()))
}

pub(crate) fn nested() -> Box<NestedBinding> {
    Box::new(NestedBinding {
        entity: entity(),
        reference: NestedReference::Forward { fields: Box::default(), cleared: Box::default() },
        is_single: true,
        keys: Arc::new([]),
    })
}

pub(crate) fn tree_relation() -> Arc<TreeRelation> {
    Arc::new(TreeRelation { hop: hop(), entity: entity(), fields: Box::default() })
}

pub(crate) fn object() -> Arc<ObjectBinding> {
    Arc::new(ObjectBinding {
        entity: entity(),
        key: field(),
        name: "Person".into(),
        required: Box::default(),
        is_creatable: true,
    })
}

pub(crate) const VARIANTS: VariantsId = VariantsId(0);
pub(crate) const RELATIONSHIPS: RelationshipVariantsId = RelationshipVariantsId(0);
pub(crate) const CALL: ArgumentBinding = ArgumentBinding { place: 0, optional: false, named: true };

family!(arguments: ArgumentRole {
    Options => one(ArgumentRole::Options),
    Limit => one(ArgumentRole::Limit),
    LimitUnlessZero => one(ArgumentRole::LimitUnlessZero),
    LimitAtMost => one(ArgumentRole::LimitAtMost(9)),
    SignedLimit => one(ArgumentRole::SignedLimit),
    Offset => one(ArgumentRole::Offset),
    Last => one(ArgumentRole::Last),
    AfterMembers => one(ArgumentRole::AfterMembers),
    BeforeMembers => one(ArgumentRole::BeforeMembers),
    VersionedNodeId => one(ArgumentRole::VersionedNodeId),
    After => one(ArgumentRole::After),
    Before => one(ArgumentRole::Before),
    AfterOffset => one(ArgumentRole::AfterOffset),
    OrderBy => one(ArgumentRole::OrderBy),
    Sort => one(ArgumentRole::Sort),
    DistinctOn => one(ArgumentRole::DistinctOn),
    CountedColumns => one(ArgumentRole::CountedColumns),
    CountsDistinct => one(ArgumentRole::CountsDistinct),
    GroupBy => one(ArgumentRole::GroupBy { unkeyed: "".into() }),
    GroupFields => one(ArgumentRole::GroupFields),
    GroupField => one(ArgumentRole::GroupField(Box::new(ValueRef::field(field())))),
    Event => vec![
        ("(Conditions)", ArgumentRole::Event(EventRole::Conditions)),
        ("(And)", ArgumentRole::Event(EventRole::And)),
        ("(Or)", ArgumentRole::Event(EventRole::Or)),
        ("(Not)", ArgumentRole::Event(EventRole::Not)),
        ("(KindIn)", ArgumentRole::Event(EventRole::KindIn)),
        ("(Sets)", ArgumentRole::Event(EventRole::Sets)),
        ("(SetsEvery)", ArgumentRole::Event(EventRole::SetsEvery)),
        ("(SetsSome)", ArgumentRole::Event(EventRole::SetsSome)),
        ("(Row)", ArgumentRole::Event(EventRole::Row)),
    ],
    NodeId => one(ArgumentRole::NodeId),
    Topic => one(ArgumentRole::Topic),
    Begins => one(ArgumentRole::Begins),
    JsonPath => one(ArgumentRole::JsonPath),
    Stream => one(ArgumentRole::Stream),
    StreamStart => one(ArgumentRole::StreamStart),
    StreamFrom => one(ArgumentRole::StreamFrom(field())),
    StreamDirection => one(ArgumentRole::StreamDirection),
    GlobalId => one(ArgumentRole::GlobalId),
    AfterKey => one(ArgumentRole::AfterKey),
    BeforeKey => one(ArgumentRole::BeforeKey),
    NotNegative => one(ArgumentRole::NotNegative {
        part: PagePart::Limit,
        otherwise: Box::new("".into()),
        most: None,
    }),
    Call => one(ArgumentRole::Call(CALL)),
    Password => one(ArgumentRole::Password(field())),
    CommonPassword => one(ArgumentRole::CommonPassword(Arc::new([]))),
    Nearest => one(ArgumentRole::Nearest(NearestRole::By)),
    Searched => one(ArgumentRole::Searched),
    SearchBy => one(ArgumentRole::SearchBy(SearchId::new(0))),
    Directed => one(ArgumentRole::Directed { directed: hop(), undirected: hop() }),
    DirectedVariants => one(ArgumentRole::DirectedVariants {
        directed: VARIANTS,
        undirected: VARIANTS,
    }),
});

family!(filters: FilterRole {
    Conditions => one(FilterRole::Conditions),
    And => one(FilterRole::And { item: Meaning::Ignore }),
    Or => one(FilterRole::Or { item: Meaning::Ignore }),
    OrSiblings => one(FilterRole::OrSiblings),
    Complement => one(FilterRole::Complement(Box::new(FilterRole::Equal(field())))),
    AllPresent => one(FilterRole::AllPresent),
    OneOf => one(FilterRole::OneOf(Arc::new(OneOf { none: "".into(), several: "".into() }))),
    Negated => one(FilterRole::Negated(Box::new(FilterRole::Equal(field())))),
    Unsupported => one(FilterRole::Unsupported {
        role: Box::new(FilterRole::Equal(field())),
        otherwise: Box::new("".into()),
    }),
    Equal => one(FilterRole::Equal(field())),
    FunctionRows => one(FilterRole::FunctionRows(function())),
    EqualComputed => one(FilterRole::EqualComputed(function())),
    IsNull => one(FilterRole::IsNull { field: field(), otherwise: "".into() }),
    IsGlobalId => one(FilterRole::IsGlobalId(entity())),
    Operator => each(operators(), FilterRole::Operator),
    On => each(operators(), |operator| FilterRole::On { subject: subject(), operator }),
    Operators => one(FilterRole::Operators(subject())),
    OperatorsOfElements => one(FilterRole::OperatorsOfElements(subject())),
    OperatorsOfAny => one(FilterRole::OperatorsOfAny(Arc::new([]))),
    DistancePoint => one(FilterRole::DistancePoint),
    DistanceIs => one(FilterRole::DistanceIs(Comparison::Less)),
    SpatialArgument => one(FilterRole::SpatialArgument(0)),
    Composite => each(composites(), FilterRole::Composite),
    AttributeOperators => one(FilterRole::AttributeOperators {
        attribute: 0,
        plain: Case::AsTyped,
        ignoring: Case::Ignored,
    }),
    Related => one(FilterRole::Related(hop())),
    RelatedThrough => one(FilterRole::RelatedThrough {
            near: hop(),
            far: hop(),
            quantifier: Quantifier::Some,
        }),
    Exists => one(FilterRole::Exists(hop())),
    RelatedMany => one(FilterRole::RelatedMany(hop())),
    RelatedBy => each(rows(), |role| FilterRole::RelatedBy { hop: hop(), role: Box::new(role) }),
    RelatedVariants => one(FilterRole::RelatedVariants(VARIANTS)),
    RelatedVariantsBy => each(rows(), |role| FilterRole::RelatedVariantsBy {
        variants: VARIANTS,
        role,
    }),
    RelatedEach => each(rows(), |role| FilterRole::RelatedEach { variants: VARIANTS, role }),
    Rows => each(rows(), FilterRole::Rows),
    Declared => each(declared(), FilterRole::Declared),
    GroupFilter => one(FilterRole::GroupFilter),
    MadeOf => one(FilterRole::MadeOf(Box::new(ValueRef::field(field())))),
    OperatorsOfMade => one(FilterRole::OperatorsOfMade(AggregateFunction::Count)),
    OperatorsOfComputed => one(FilterRole::OperatorsOfComputed {
        aggregate: AggregateFunction::Count,
        computed: function(),
    }),
    CallArguments => one(FilterRole::CallArguments),
    AggregatedColumns => one(FilterRole::AggregatedColumns),
    AggregatedPair => one(FilterRole::AggregatedPair),
    AggregatesDistinct => one(FilterRole::AggregatesDistinct),
    AggregateIs => one(FilterRole::AggregateIs),
    OfVariants => one(FilterRole::OfVariants),
});

family!(operators: OperatorRole {
    Compare => one(OperatorRole::Compare(Comparison::Less)),
    CompareAsWritten => one(OperatorRole::CompareAsWritten(Comparison::Less)),
    CompareIgnoringCase => one(OperatorRole::CompareIgnoringCase(Comparison::Less)),
    CompareElement => one(OperatorRole::CompareElement(Comparison::Less)),
    All => one(OperatorRole::All),
    EqualsAny => one(OperatorRole::EqualsAny),
    AsText => one(OperatorRole::AsText),
    Match => one(OperatorRole::Match { r#match: TextMatch::Like, ignore_case: false }),
    TestNull => one(OperatorRole::TestNull),
    Geo => one(OperatorRole::Geo(ir::GeoOperator::Near)),
    Distance => one(OperatorRole::Distance(Comparison::Less)),
    DistanceFrom => one(OperatorRole::DistanceFrom),
    Spatial => one(OperatorRole::Spatial(ir::SpatialRelation::WithinDistance)),
    AsSpatial => one(OperatorRole::AsSpatial(catalog::SpatialKind::Geometry)),
});

family!(composites: CompositePlace {
    Field => one(CompositePlace::Field(field())),
    Row => one(CompositePlace::Row(Box::new(Box::new([field()])))),
    Attribute => one(CompositePlace::Attribute(0)),
});

family!(rows: RowsRole {
    Quantified => one(RowsRole::Quantified(Quantifier::Some)),
    All => one(RowsRole::All { apart: false }),
    Together => one(RowsRole::Together { once: false }),
    Aggregate => one(RowsRole::Aggregate(AggregateFunction::Count)),
    Group => one(RowsRole::Group { nothing: Arc::new("".into()) }),
});

family!(declared: DeclaredRole {
    Many => one(DeclaredRole::Many(0)),
    By => one(DeclaredRole::By { place: 0, role: Box::new(RowsRole::Quantified(Quantifier::Some)) }),
    Each => one(DeclaredRole::Each { place: 0, role: Box::new(RowsRole::Quantified(Quantifier::Some)) }),
    Edge => one(DeclaredRole::Edge(entity())),
});

family!(orders: OrderRole {
    Sort => one(OrderRole::Sort),
    Then => one(OrderRole::Then),
    Directed => one(OrderRole::Directed(ir::Direction::Ascending)),
    SortOfEdge => one(OrderRole::SortOfEdge(entity())),
    Related => one(OrderRole::Related(hop())),
    RelatedAggregates => one(OrderRole::RelatedAggregates(hop())),
    RelatedAggregatesThrough => one(OrderRole::RelatedAggregatesThrough { near: hop(), far: hop() }),
    FunctionAggregates => one(OrderRole::FunctionAggregates(function())),
    RelatedCount => one(OrderRole::RelatedCount),
    Aggregates => one(OrderRole::Aggregates(AggregateFunction::Sum)),
    Field => one(OrderRole::Field(field())),
    Edge => one(OrderRole::Edge(field())),
    Common => one(OrderRole::Common(0)),
    Computed => one(OrderRole::Computed(function())),
});

family!(writes: WriteRole {
    Inputs => one(WriteRole::Inputs),
    Rows => one(WriteRole::Rows),
    AtMost => one(WriteRole::AtMost),
    Stored => one(WriteRole::Stored(field())),
    ClientMutationId => one(WriteRole::ClientMutationId),
    Nested => one(WriteRole::Nested(nested())),
    NestedIn => each(nested_verbs(), WriteRole::NestedIn),
    NestedWrites => one(WriteRole::NestedWrites(relationship())),
    NestedWrite => [("without a relationship", None), ("with a relationship", Some(relationship()))]
        .into_iter()
        .map(|(detail, relationship)| {
            (detail, WriteRole::NestedWrite { relationship, verb: NestedWriteVerb::Connect, rank: 0 })
        })
        .collect(),
    Several => each(several(), WriteRole::Several),
    NestedNode => one(WriteRole::NestedNode),
    NestedEdge => one(WriteRole::NestedEdge),
    NestedKey => one(WriteRole::NestedKey),
    Overwrite => one(WriteRole::Overwrite { otherwise: "".into() }),
    FurtherWrites => one(WriteRole::FurtherWrites),
    Assign => one(WriteRole::Assign { field: field(), verb: AssignVerb::Set }),
    Assigns => one(WriteRole::Assigns { field: field(), is_required: false }),
    AssignBy => one(WriteRole::AssignBy(AssignVerb::Add)),
    Object => each(objects(), WriteRole::Object),
    Tree => each(trees(), WriteRole::Tree),
    Updates => one(WriteRole::Updates),
    Related => each(related(), WriteRole::Related),
});

family!(related: RelatedRole {
    Where => one(RelatedRole::Where),
    Data => one(RelatedRole::Data),
    Update => one(RelatedRole::Update),
    Create => one(RelatedRole::Create),
    Elements => one(RelatedRole::Elements(Box::new(element_rows()))),
    Limited => one(RelatedRole::Limited(Box::new(LimitedText {
        field: field(),
        most: 1,
        otherwise: "".into(),
    }))),
    SetElements => one(RelatedRole::SetElements),
    Reference => one(RelatedRole::Reference(Arc::new(relation_writes()))),
    Relation => one(RelatedRole::Relation(Arc::new(relation_writes()))),
    Verb => each(relation_verbs(), RelatedRole::Verb),
});

family!(relation_verbs: RelationVerb {
    Create => one(RelationVerb::Create),
    Update => one(RelationVerb::Update),
    Upsert => one(RelationVerb::Upsert),
    Delete => one(RelationVerb::Delete),
    Connect => one(RelationVerb::Connect),
    Set => one(RelationVerb::Set),
    Disconnect => one(RelationVerb::Disconnect),
    UpdateMany => one(RelationVerb::UpdateMany),
    DeleteMany => one(RelationVerb::DeleteMany),
});

family!(trees: TreeRole {
    Rows => one(TreeRole::Rows),
    Related => one(TreeRole::Related(tree_relation())),
    Data => one(TreeRole::Data),
    OnConflict => one(TreeRole::OnConflict),
    ConflictKey => one(TreeRole::ConflictKey),
    ConflictColumns => one(TreeRole::ConflictColumns),
});

family!(objects: ObjectRole {
    Added => one(ObjectRole::Added),
    Upsert => one(ObjectRole::Upsert),
    Key => one(ObjectRole::Key),
    Identifier => one(ObjectRole::Identifier(field())),
    ExternalIdentifier => one(ObjectRole::ExternalIdentifier(field())),
    Elements => one(ObjectRole::Elements(field())),
    Password => one(ObjectRole::Password(field())),
    Relation => one(ObjectRole::Relation(Box::new(ObjectRelation {
        target: ObjectTarget::One(object()),
        link: ObjectLink::Near { field: field(), is_unique: false },
        is_symmetric: false,
    }))),
    Common => one(ObjectRole::Common(0)),
    CommonElements => one(ObjectRole::CommonElements(0)),
    CommonRelation => one(ObjectRole::CommonRelation(Arc::new(Box::new([])))),
    CommonPassword => one(ObjectRole::CommonPassword(Arc::new(Box::new([])))),
    Set => one(ObjectRole::Set),
    Remove => one(ObjectRole::Remove),
});

family!(nested_verbs: NestedVerb {
    Disconnect => one(NestedVerb::Disconnect),
    Set => one(NestedVerb::Set),
    Connect => one(NestedVerb::Connect),
    Create => one(NestedVerb::Create),
});

family!(several: MultiEntityRole {
    NestedWrite => one(MultiEntityRole::NestedWrite {
        relationships: RELATIONSHIPS,
        verb: NestedWriteVerb::Connect,
        rank: 0,
    }),
    Among => one(MultiEntityRole::Among { relationships: RELATIONSHIPS }),
    One => one(MultiEntityRole::One),
    Edge => one(MultiEntityRole::Edge(entity())),
    Assign => one(MultiEntityRole::Assign { place: 0, verb: AssignVerb::Set }),
    Assigns => one(MultiEntityRole::Assigns { place: 0, is_required: false }),
});

family!(variants: VariantRole {
    Of => one(VariantRole::Of(0)),
    Restrict => one(VariantRole::Restrict(0)),
    On => one(VariantRole::On),
});

family!(others: InputRole {
    Argument => one(ArgumentRole::Limit.into()),
    Filter => one(FilterRole::Conditions.into()),
    Order => one(OrderRole::Sort.into()),
    Write => one(WriteRole::Inputs.into()),
    Variant => one(VariantRole::On.into()),
    Member => one(InputRole::Member),
    Representations => one(InputRole::Representations),
    Ignored => one(InputRole::Ignored),
    Refused => one(InputRole::Refused("".into())),
});

pub(crate) fn element_rows() -> ElementRows {
    ElementRows { entity: entity(), owner: field(), position: field(), value: field() }
}

pub(crate) fn related_rows() -> RelatedRows {
    RelatedRows {
        entity: entity(),
        key: field(),
        key_name: "".into(),
        name: "".into(),
        selector: Arc::new(OneOf { none: "".into(), several: "".into() }),
        requirements: Vec::new(),
        cascades: Vec::new(),
        elements: Vec::new(),
        values: Vec::new(),
    }
}

pub(crate) fn relation_writes() -> RelationWrites {
    RelationWrites {
        target: RelatedRowsId(0),
        back: RelationPath::Hop(hop()),
        link: RelationLink::Backward { field: field() },
        near: RelationSide { is_list: true, is_required: false },
        far: RelationSide { is_list: true, is_required: false },
        violated: "".into(),
        missing: "".into(),
        unrelated: "".into(),
    }
}
