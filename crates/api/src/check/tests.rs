//! Every role at every position: the check finds exactly the inputs that their position does not
//! read.

mod places;
mod roles;

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::expect;
use ir::ValueRef as Value;
use response::Leaf;

use self::places::{Place, places, refused_fields};
use self::roles::{Sample, samples};
use crate as api;
use crate::ApiBuilder;
use crate::binding::{
    ArgumentRole, Change, FieldBinding, GroupBy, InputBinding, InputRole, MutationBinding,
    MutationForm, OrderBy, RowPart, ValueBinding, WriteRole,
};
use crate::check::{Position, misbound};
use graphql::schema::{FieldDefinition, InputDefinition, TypeDefinition, TypeKind, TypeRef};

/// Whether the check lets an input with this role stand there. If not, it finds this input, with its
/// role and its position, and nothing else.
fn is_read(place: &Place, sample: &Sample) -> bool {
    let found = misbound(&place.api(sample.role.clone()));
    match found.as_slice() {
        [] => true,
        [one] => {
            assert_eq!(one.position, place.position);
            assert_eq!(*one.role, format!("{:?}", sample.role));
            false
        }
        several => panic!("{:?} with {sample:?}: {several:?}", place.position),
    }
}

/// The roles that a place reads, a line for each family. A variant stands for all that it holds, or
/// names what of it is read.
fn roles_read(place: &Place, samples: &[Sample]) -> String {
    let mut lines = String::new();
    for family in samples.chunk_by(|one, other| one.family == other.family) {
        let mut names = Vec::new();
        for variant in family.chunk_by(|one, other| one.variant == other.variant) {
            let read = || variant.iter().filter(|sample| is_read(place, sample));
            let details: Vec<&str> = read().map(|sample| sample.detail).collect();
            match details.len() {
                0 => {}
                all if all == variant.len() => names.push(variant[0].variant.to_owned()),
                _ => names.push(format!("{}({})", variant[0].variant, details.join(" | "))),
            }
        }
        let family = match family[0].family {
            "" => "other",
            name => name,
        };
        if !names.is_empty() {
            writeln!(lines, "  {family}: {}", names.join(", ")).expect("a line");
        }
    }
    lines
}

#[test]
fn each_position_reads_these_roles_and_no_others() {
    let samples = samples();
    let mut table = String::new();
    let places = places();
    for same in places.chunk_by(|one, other| one.position == other.position) {
        let read = roles_read(&same[0], &samples);
        for other in &same[1..] {
            assert_eq!(roles_read(other, &samples), read, "{other:?}");
        }
        writeln!(table, "{}\n{read}", name(same[0].position)).expect("a line");
    }
    expect![[r#"
        Nothing
          other: Ignored

        Rows
          Argument: Options, Limit, LimitUnlessZero, LimitAtMost, SignedLimit, Offset, Last, AfterMembers, BeforeMembers, VersionedNodeId, After, Before, AfterOffset, OrderBy, Sort, DistinctOn, NodeId, GlobalId, AfterKey, BeforeKey, NotNegative, Call, Password, CommonPassword, Nearest, Searched, SearchBy, Directed, DirectedVariants
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Ignored, Refused

        StreamedRows
          Argument: Limit, Stream
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Stream
          Argument: StreamStart, StreamDirection
          other: Refused

        StreamStart
          Argument: StreamFrom
          other: Refused

        Lookup
          Argument: VersionedNodeId, NodeId, GlobalId
          other: Refused

        Event
          Argument: Event
          other: Refused

        Edge
          Argument: OrderBy
          other: Refused

        Groups
          Argument: GroupBy
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        RowGroups
          Argument: GroupFields

        GroupFields
          Argument: GroupField
          other: Refused

        Order
          Order: Sort, Then, Directed, SortOfEdge, Related, RelatedAggregates, RelatedAggregatesThrough, FunctionAggregates, Field, Edge, Common, Computed
          other: Refused

        AggregateOrder
          Order: RelatedCount, Aggregates, Field
          other: Refused

        OrderOfAggregates
          Order: Field
          other: Refused

        Count
          Argument: CountedColumns, CountsDistinct
          other: Refused

        FieldArguments
          Argument: Options, Call
          other: Refused

        Entities
          other: Representations

        Value
          other: Member

        Condition()
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(subject)
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, Operator, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(rows Some(One))
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Rows, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(rows Some(Variants))
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Rows(Quantified | All | Together), Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(rows Some(Declared))
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Rows(Quantified | All | Together), Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(composite)
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite, AttributeOperators, Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(made_of)
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfMade, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        Condition(group)
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, GroupFilter, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused

        OfAggregate
          Filter: GroupFilter, AggregatedColumns, AggregatedPair, AggregatesDistinct, AggregateIs
          other: Refused

        Pair
          Filter: AggregatedColumns
          other: Refused

        EachVariant
          Variant: Of

        Distance
          Filter: DistancePoint, DistanceIs

        Spatial
          Filter: SpatialArgument

        OfComputed
          Filter: Conditions, CallArguments

        CallArguments
          Argument: Call
          other: Refused

        Change(New)
          Write: Inputs, Stored, ClientMutationId

        Change(NewRows)
          Write: Inputs, Rows, ClientMutationId

        Change(NewOfRows)
          Write: Inputs, Stored

        Change(Updated)
          Argument: NodeId
          Filter: Conditions, Equal
          Write: Inputs, Stored, ClientMutationId

        Change(UpdatedRows)
          Filter: Conditions, Equal
          Write: Inputs, AtMost, Stored, ClientMutationId

        Change(Deleted)
          Argument: NodeId
          Filter: Conditions, Equal
          Write: Inputs, ClientMutationId

        Change(DeletedRows)
          Filter: Conditions, Equal
          Write: Inputs, AtMost, ClientMutationId

        Change(Called)
          Argument: Call
          Write: Inputs, ClientMutationId

        Change(NestedNew)
          Write: Inputs, Stored, ClientMutationId, Nested

        Change(NestedUpdated)
          Argument: NodeId
          Filter: Conditions, Equal
          Write: Inputs, Stored, ClientMutationId, Nested

        Change(NewInRow)
          Write: Inputs, Stored, Nested

        Change(KeyInRow)
          Argument: NodeId
          Filter: Conditions, Equal
          Write: Inputs

        Change(Tree)
          Write: Inputs, Tree(Rows | OnConflict)

        Change(UpdatedAll)
          Filter: Conditions, Equal
          Write: Inputs, Assign

        Change(UpdatedEach)
          Write: Inputs, Updates

        Change(DeletedAll)
          Filter: Conditions, Equal
          Write: Inputs

        TreeRow
          Write: Stored, Tree(Related)

        TreeRelated
          Write: Tree(Data | OnConflict)

        OnConflict
          Filter: Conditions
          Write: Tree(ConflictKey | ConflictColumns)

        Nested
          Write: NestedIn

        CreateNodes
          Write: Rows

        Nodes
          Filter: Conditions
          Write: Inputs, Stored, NestedWrites, NestedWrite(with a relationship), Several, FurtherWrites, Assign, Assigns
          Variant: Of, On
          other: Refused

        NestedWrites
          Filter: Conditions
          Write: Inputs, Stored, NestedWrites, NestedWrite, Several, FurtherWrites, Assign, Assigns
          Variant: Of, On
          other: Refused

        NestedWrite
          Filter: Conditions
          Write: Inputs, Stored, NestedWrites, NestedWrite(with a relationship), Several, NestedNode, NestedEdge, NestedKey, Overwrite, FurtherWrites, Assign, Assigns
          Variant: Of, On
          other: Refused

        AssignBy
          Write: AssignBy

        Objects(Added)
          Write: Inputs, Object(Added | Upsert)
          other: Refused

        Objects(Updated)
          Filter: Conditions
          Write: Inputs, Object(Set | Remove)
          other: Refused

        Objects(Deleted)
          Filter: Conditions
          Write: Inputs
          other: Refused

        Object
          Write: Stored, Object(Key | Identifier | ExternalIdentifier | Elements | Password | Relation | Common | CommonElements | CommonRelation | CommonPassword)
          Variant: Of
          other: Refused

        Related(Create)
          Write: Related(Data)
          other: Refused

        Related(Update)
          Write: Related(Where | Data)
          other: Refused

        Related(Upsert)
          Write: Related(Where | Update | Create)
          other: Refused

        Related(Delete)
          Write: Related(Where)
          other: Refused

        Related(UpdateMany)
          Filter: Conditions
          Write: Related(Data)
          other: Refused

        Related(DeleteMany)
          Filter: Conditions
          other: Refused

        Related(CreateMany)
          Write: Related(Data)
          other: Refused

        RelatedKey
          Filter: Equal
          other: Refused

        RelatedData(New)
          Write: Stored, Related(Elements | Limited | Relation)
          other: Refused

        RelatedData(EachNew)
          Write: Stored, Related(Elements | Limited | Reference)
          other: Refused

        RelatedData(Existing)
          Write: Stored, Assign, Related(Elements | Limited | Relation)
          other: Refused

        RelatedData(All)
          Write: Stored, Assign, Related(Elements | Limited)
          other: Refused

        RelatedElements
          Write: Related(SetElements)
          other: Refused

        RelatedVerbs
          Write: Related(Verb | Verb | Verb | Verb | Verb | Verb | Verb | Verb | Verb)
          other: Refused

        RelatedVerb(Create)
          Write: Stored, Related(Elements | Limited | Relation)
          other: Refused

        RelatedVerb(Update)
          Write: Stored, Assign, Related(Where | Data | Elements | Limited | Relation)
          other: Refused

        RelatedVerb(Upsert)
          Write: Related(Where | Update | Create)
          other: Refused

        RelatedVerb(Delete)
          Filter: Equal
          other: Refused

        RelatedVerb(Connect)
          Filter: Equal
          other: Refused

        RelatedVerb(Set)
          Filter: Equal
          other: Refused

        RelatedVerb(Disconnect)
          Filter: Equal
          other: Refused

        RelatedVerb(UpdateMany)
          Filter: Conditions
          Write: Related(Data)
          other: Refused

        RelatedVerb(DeleteMany)
          Filter: Conditions, And, Or, OrSiblings, Complement, AllPresent, OneOf, Negated, Unsupported, Equal, FunctionRows, EqualComputed, IsNull, IsGlobalId, On, Operators, OperatorsOfElements, OperatorsOfAny, Composite(Field | Row), Related, RelatedThrough, Exists, RelatedMany, RelatedBy, RelatedVariants, RelatedVariantsBy(Quantified | All | Together), RelatedEach, Declared, MadeOf, OperatorsOfComputed, OfVariants
          Variant: Of, Restrict, On
          other: Refused"#]].assert_eq(table.trim_end());
}

/// Bindings of enum values, by the roles of the inputs that read them, at whatever position.
#[test]
fn each_enum_value_is_read_by_inputs_of_these_roles_and_no_others() {
    let place = Value::field(roles::field());
    let field = roles::field();
    let key = GroupBy { field, unit: None, leaf: Leaf::Any };
    let values = [
        ("Order", ValueBinding::Order(OrderBy::Natural)),
        ("Direction", ValueBinding::Direction(ir::Direction::Ascending)),
        ("Sorted", ValueBinding::Sorted(Box::new(place))),
        ("Present", ValueBinding::Present(RowPart::Field(field))),
        ("GroupBy", ValueBinding::GroupBy(key)),
        ("Variant", ValueBinding::Variant(0)),
        ("Vector", ValueBinding::Vector { field, metric: ir::Metric::Cosine, visited: None }),
        (
            "CommonVector",
            ValueBinding::CommonVector { place: 0, metric: ir::Metric::Cosine, visited: None },
        ),
        ("Refused", ValueBinding::Refused("".into())),
    ];
    let mut table = String::new();
    for (name, value) in values {
        let mut readers = BTreeSet::new();
        for place in places() {
            for sample in samples() {
                let is_whole = matches!(sample.role, InputRole::Ignored | InputRole::Refused(_));
                let api = place.api_of_enum(sample.role.clone(), value.clone());
                if !is_whole && misbound(&api).is_empty() {
                    readers.insert(format!("{} {}", sample.family, sample.variant));
                }
            }
        }
        let readers: Vec<String> = readers.into_iter().collect();
        writeln!(table, "{name}: {}", readers.join(", ")).expect("a line");
    }
    expect![[r#"
        Order: Argument OrderBy
        Direction: Argument StreamDirection, Order Common, Order Computed, Order Edge, Order Field, Order RelatedCount
        Sorted: Order Directed
        Present: Filter AllPresent
        GroupBy: Argument GroupBy
        Variant: Filter OfVariants
        Vector: Argument Nearest
        CommonVector: Argument Nearest
        Refused: Argument CountedColumns, Argument DistinctOn, Argument GroupBy, Argument Nearest, Argument OrderBy, Argument StreamDirection, Filter AggregatedColumns, Filter AllPresent, Filter OfVariants, Order Common, Order Computed, Order Directed, Order Edge, Order Field, Order RelatedCount, Write Tree
    "#]].assert_eq(&table);
}

#[test]
fn arguments_of_refused_fields_may_have_any_role() {
    for place in refused_fields("not served") {
        for sample in samples() {
            assert_eq!(misbound(&place.api(sample.role.clone())), [], "{place:?}");
        }
    }
}

/// The name of a position. Of a scope only what holds is named.
fn name(position: Position) -> String {
    let Position::Condition(scope) = position else { return format!("{position:?}") };
    let facts = [
        (scope.subject, "subject".to_owned()),
        (scope.rows.is_some(), format!("rows {:?}", scope.rows)),
        (scope.composite, "composite".to_owned()),
        (scope.made_of, "made_of".to_owned()),
        (scope.group, "group".to_owned()),
    ];
    let facts = facts.into_iter().filter(|(holds, _)| *holds).map(|(_, fact)| fact);
    format!("Condition({})", facts.collect::<Vec<_>>().join(", "))
}

/// A function of PostgreSQL may take a row of a table: its argument has the type of new rows, whose
/// members store values elsewhere. The form of the type reads them.
#[test]
fn the_input_of_new_rows_can_be_an_argument_of_a_function() {
    let api = |has_form: bool| {
        let mut build = ApiBuilder::default();
        let mut add = |name: &str, kind| {
            let definition = TypeDefinition { name: name.into(), description: None, kind };
            build.add_type(definition).expect("a name that is free")
        };
        let text = add("Text", TypeKind::Scalar);
        let pet = add("PetInput", TypeKind::InputObject { fields: Vec::new() });
        let root = TypeKind::Object { fields: Vec::new(), interfaces: Default::default() };
        let root = add("Mutation", root);
        build.schema_mut().mutation = Some(root);
        let named = InputDefinition::new("name", TypeRef::named(text));
        let stored = WriteRole::Stored(roles::field());
        build.add_input_field(pet, named, InputBinding::lenient(stored));
        if has_form {
            build.bind_form(pet, ir::ValueForm::Plain);
        }
        let uses: [(&str, Change, InputRole); 2] = [
            ("createPet", Change::Create(roles::entity()), WriteRole::Inputs.into()),
            ("feed", Change::Call(roles::function()), ArgumentRole::Call(roles::CALL).into()),
        ];
        for (name, change, role) in uses {
            let binding = FieldBinding::Mutation(Box::new(MutationBinding {
                change,
                returned: None,
                form: MutationForm::Payload,
                missing: None,
                unchanged: None,
            }));
            let field = FieldDefinition::new(name, TypeRef::named(text));
            let field = build.add_field(root, field, binding);
            let argument = InputDefinition::new("pet", TypeRef::named(pet));
            build.add_argument(field, argument, InputBinding::lenient(role));
        }
        build.finish()
    };
    assert_eq!(misbound(&api(true)), []);
    let found = misbound(&api(false));
    assert_eq!(found.len(), 1);
    assert_eq!((&*found[0].input, found[0].position), ("PetInput.name", Position::Value));
}

/// Large schemas have hundreds of thousands of them.
#[test]
fn bindings_are_small() {
    assert!(size_of::<crate::binding::BoundInput>() <= 40);
    assert!(size_of::<ValueBinding>() <= 40);
}
