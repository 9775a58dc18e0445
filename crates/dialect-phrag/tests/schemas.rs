//! The schemas, bindings and notes that the Phrag dialect makes of catalogs.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

#[path = "schemas/made.rs"]
mod made;
#[path = "schemas/meetups.rs"]
mod meetups;
#[path = "schemas/names.rs"]
mod names;
#[path = "schemas/types.rs"]
mod types;

use std::fmt::Write;

use api::{Api, BoundInput, FieldBinding};
use catalog::builder::NewField;
use catalog::{Catalog, EntityKind, Scalar, Type};
use dialect_phrag::{self as phrag, BigIntegers, Options};
use expect_test::{Expect, expect};
use graphql::schema::TypeKind;
use graphql::{DocumentLimits, Validator, print_schema, validate_schema};
use made::{Tables, bigint, int, meetups, text};

fn check(catalog: &Catalog, options: &Options, expect: &Expect) {
    let api = phrag::api(catalog, options);
    validate_schema(&api.schema).unwrap();
    let mut output = print_schema(&api.schema);
    for note in &api.notes {
        writeln!(output, "\n# {note}").unwrap();
    }
    expect.assert_eq(&output);
}

/// Every position of an API with what it means.
fn bindings(api: &Api) -> String {
    let mut output = String::new();
    let input = |output: &mut String, path: &str, binding: &BoundInput| {
        let (role, null, empty) = (&binding.role, binding.null(), binding.empty());
        writeln!(output, "{path}: {role:?}, null {null:?}, empty {empty:?}").unwrap();
    };
    for (_, definition) in api.schema.types() {
        let parent = &definition.name;
        match &definition.kind {
            TypeKind::Object { fields, .. } => {
                for id in fields {
                    let field = &api.schema[*id];
                    let path = format!("{parent}.{}", field.name);
                    let binding = api.field(*id);
                    writeln!(output, "{path}: {binding:?}").unwrap();
                    if let FieldBinding::Column(field) = binding {
                        writeln!(output, "  {:?}", api.find_column(*field).unwrap()).unwrap();
                    }
                    for id in &field.arguments {
                        let path = format!("  {path}({})", api.schema[*id].name);
                        input(&mut output, &path, api.input(*id));
                    }
                }
            }
            TypeKind::InputObject { fields } => {
                for id in fields {
                    let path = format!("{parent}.{}", api.schema[*id].name);
                    input(&mut output, &path, api.input(*id));
                }
            }
            TypeKind::Enum { values } => {
                for id in values {
                    let value = &api.schema[*id].name;
                    writeln!(output, "{parent}.{value}: {:?}", api.value(*id)).unwrap();
                }
            }
            TypeKind::Scalar | TypeKind::Interface { .. } | TypeKind::Union { .. } => {}
        }
    }
    output
}

#[test]
fn operations_of_phrags_clients_are_valid() {
    let api = phrag::api(&meetups(), &Options::default());
    let validator = Validator::new(&api.schema);
    for document in [
        "query ($limit: Int!, $offset: Int!, $vid: Int!) {
           venues(limit: $limit, offset: $offset, where: {vid: {gt: $vid}}) {
             vid name postal_code meetups(limit: $limit, sort: {id: desc}) { id title } } }",
        "query ($limit: Int!, $clauses: [MeetupClauses]) {
           meetups(where: {and: $clauses, title: {like: \"r%\"}}, sort: {title: asc, id: desc}) {
             id title venue { name }
             meetups_members(limit: $limit, offset: 1) { member { id email } } } }",
        "{ members(where: {or: [{id: {eq: 1, ne: 2}}, {first_name: {in: [\"jim\"]}}]}) {
             member_follows_on_created_by { member { first_name } }
             member_follows_on_member_id { created_by_member { first_name } } } }",
        "query ($where: MeetupWithVenueClauses, $sort: MeetupWithVenueSort, $id: IntWhere) {
           meetup_with_venues(where: $where, sort: $sort) { id venue_name }
           groups(where: {id: $id}) { created_at } }",
    ] {
        validator.operation(&api.schema, document, None, &DocumentLimits::default()).unwrap();
    }
}

#[test]
fn big_integers_can_be_strings() {
    let mut tables = Tables::new();
    let list = Type::List(Box::new(bigint()));
    tables.table("plays", 1, &[("id", bigint()), ("seconds", int()), ("marks", list)]);
    let options = Options { big_integers: BigIntegers::String, ..Options::default() };
    check(
        &tables.finish(),
        &options,
        &expect![[r#"
            """A 64-bit integer, as a string."""
            scalar BigInt

            type Query {
              plays(where: PlayClauses, sort: PlaySort, limit: Int, offset: Int): [Play]
              plays_aggregate(where: PlayClauses): PlayAggregate
            }

            type Play {
              id: BigInt
              seconds: Int
              marks: [BigInt]
            }

            input PlayClauses {
              and: [PlayClauses]
              or: [PlayClauses]
              id: BigIntWhere
              seconds: IntWhere
            }

            input PlaySort {
              id: SortOperator
              seconds: SortOperator
            }

            type PlayAggregate {
              count: Int
              sum: PlayFields
              avg: PlayFields
              max: PlayFields
              min: PlayFields
            }

            type PlayFields {
              id: String
              seconds: Float
            }

            enum SortOperator {
              asc
              desc
            }

            input IntWhere {
              in: [Int]
              eq: Int
              ne: Int
              gt: Int
              lt: Int
              gte: Int
              lte: Int
            }

            input FloatWhere {
              in: [Float]
              eq: Float
              ne: Float
              gt: Float
              lt: Float
              gte: Float
              lte: Float
            }

            input StrWhere {
              in: [String]
              eq: String
              ne: String
              like: String
              gt: String
              lt: String
              gte: String
              lte: String
            }

            input BoolWhere {
              eq: Boolean
              ne: Boolean
            }

            input BigIntWhere {
              in: [BigInt]
              eq: BigInt
              ne: BigInt
              gt: BigInt
              lt: BigInt
              gte: BigInt
              lte: BigInt
            }

            type Mutation {
              createPlay(id: BigInt, seconds: Int, marks: [BigInt]): PlayPks
              updatePlay(pk_columns: PlayPkColumns!, seconds: Int, marks: [BigInt]): Result
              deletePlay(pk_columns: PlayPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type PlayPks {
              id: BigInt!
            }

            input PlayPkColumns {
              id: BigInt!
            }
        "#]],
    );
}

#[test]
fn every_position_is_bound() {
    let mut tables = Tables::new();
    let venues = tables.table("venues", 1, &[("id", int()), ("name", text())]);
    let columns = [("id", int()), ("venue_id", int()), ("online", Type::Scalar(Scalar::Boolean))];
    let meetups = tables.table("meetups", 1, &columns);
    tables.foreign_key((meetups, &["venue_id"]), (venues, &["id"]));
    let options = Options { default_limit: Some(50), ..Options::default() };
    let api = phrag::api(&tables.finish(), &options);
    expect![[r#"
        Query.venues: Rows(RowsBinding { from: Entity, entity: e0, form: List, default_limit: Some(50) })
          Query.venues(where): Filter(Conditions), null Ignore, empty Ignore
          Query.venues(sort): Argument(Sort), null Ignore, empty Ignore
          Query.venues(limit): Argument(Limit), null Ignore, empty Ignore
          Query.venues(offset): Argument(Offset), null Ignore, empty Ignore
        Query.venues_aggregate: Rows(RowsBinding { from: Entity, entity: e0, form: Aggregate, default_limit: None })
          Query.venues_aggregate(where): Filter(Conditions), null Ignore, empty Ignore
        Query.meetups: Rows(RowsBinding { from: Entity, entity: e1, form: List, default_limit: Some(50) })
          Query.meetups(where): Filter(Conditions), null Ignore, empty Ignore
          Query.meetups(sort): Argument(Sort), null Ignore, empty Ignore
          Query.meetups(limit): Argument(Limit), null Ignore, empty Ignore
          Query.meetups(offset): Argument(Offset), null Ignore, empty Ignore
        Query.meetups_aggregate: Rows(RowsBinding { from: Entity, entity: e1, form: Aggregate, default_limit: None })
          Query.meetups_aggregate(where): Filter(Conditions), null Ignore, empty Ignore
        Venue.id: Column(f0)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        Venue.name: Column(f1)
          ColumnBinding { value: Leaf(Text), form: Stored, json: Text, node_id: Text }
        Venue.meetups: Rows(RowsBinding { from: Relation(Hop { relationship: r0, direction: Backward }), entity: e1, form: List, default_limit: Some(50) })
          Venue.meetups(where): Filter(Conditions), null Ignore, empty Ignore
          Venue.meetups(sort): Argument(Sort), null Ignore, empty Ignore
          Venue.meetups(limit): Argument(Limit), null Ignore, empty Ignore
          Venue.meetups(offset): Argument(Offset), null Ignore, empty Ignore
        Venue.meetups_aggregate: Rows(RowsBinding { from: Relation(Hop { relationship: r0, direction: Backward }), entity: e1, form: Aggregate, default_limit: None })
          Venue.meetups_aggregate(where): Filter(Conditions), null Ignore, empty Ignore
        VenueClauses.and: Filter(And { item: True }), null Ignore, empty Ignore
        VenueClauses.or: Filter(Or { item: True }), null Ignore, empty Ignore
        VenueClauses.id: Filter(Operators(Subject { place: Field { path: [], field: f0 }, plain: AsTyped, ignoring: Ignored })), null Refuse("`id` cannot be null; leave it out or name an operator."), empty Ignore
        VenueClauses.name: Filter(Operators(Subject { place: Field { path: [], field: f1 }, plain: AsTyped, ignoring: Ignored })), null Refuse("`name` cannot be null; leave it out or name an operator."), empty Ignore
        VenueSort.id: Order(Field(f0)), null Ignore, empty Ignore
        VenueSort.name: Order(Field(f1)), null Ignore, empty Ignore
        VenueAggregate.count: Aggregate(Value([AggregateValue { function: Count, field: None, leaf: Int, form: Stored, absent: Some([48]) }]))
        VenueAggregate.sum: Aggregate(Function(Sum))
        VenueAggregate.avg: Aggregate(Function(Average))
        VenueAggregate.max: Aggregate(Function(Maximum))
        VenueAggregate.min: Aggregate(Function(Minimum))
        VenueFields.id: Aggregate(Value([AggregateValue { function: Sum, field: Some(f0), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Average, field: Some(f0), leaf: Float, form: Stored, absent: None }, AggregateValue { function: Maximum, field: Some(f0), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f0), leaf: Number { scale: None }, form: Stored, absent: None }]))
        VenueFields.name: Aggregate(Value([AggregateValue { function: Maximum, field: Some(f1), leaf: Text, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f1), leaf: Text, form: Stored, absent: None }]))
        Meetup.id: Column(f2)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        Meetup.venue_id: Column(f3)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        Meetup.online: Column(f4)
          ColumnBinding { value: Leaf(Boolean), form: Stored, json: Boolean, node_id: Boolean }
        Meetup.venue: Rows(RowsBinding { from: Relation(Hop { relationship: r0, direction: Forward }), entity: e0, form: Single, default_limit: None })
        MeetupClauses.and: Filter(And { item: True }), null Ignore, empty Ignore
        MeetupClauses.or: Filter(Or { item: True }), null Ignore, empty Ignore
        MeetupClauses.id: Filter(Operators(Subject { place: Field { path: [], field: f2 }, plain: AsTyped, ignoring: Ignored })), null Refuse("`id` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupClauses.venue_id: Filter(Operators(Subject { place: Field { path: [], field: f3 }, plain: AsTyped, ignoring: Ignored })), null Refuse("`venue_id` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupClauses.online: Filter(Operators(Subject { place: Field { path: [], field: f4 }, plain: AsTyped, ignoring: Ignored })), null Refuse("`online` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupSort.id: Order(Field(f2)), null Ignore, empty Ignore
        MeetupSort.venue_id: Order(Field(f3)), null Ignore, empty Ignore
        MeetupSort.online: Order(Field(f4)), null Ignore, empty Ignore
        MeetupAggregate.count: Aggregate(Value([AggregateValue { function: Count, field: None, leaf: Int, form: Stored, absent: Some([48]) }]))
        MeetupAggregate.sum: Aggregate(Function(Sum))
        MeetupAggregate.avg: Aggregate(Function(Average))
        MeetupAggregate.max: Aggregate(Function(Maximum))
        MeetupAggregate.min: Aggregate(Function(Minimum))
        MeetupFields.id: Aggregate(Value([AggregateValue { function: Sum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Average, field: Some(f2), leaf: Float, form: Stored, absent: None }, AggregateValue { function: Maximum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }]))
        MeetupFields.venue_id: Aggregate(Value([AggregateValue { function: Sum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Average, field: Some(f3), leaf: Float, form: Stored, absent: None }, AggregateValue { function: Maximum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }]))
        SortOperator.asc: Direction(Ascending)
        SortOperator.desc: Direction(Descending)
        IntWhere.in: Filter(Operator(Compare(In))), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        IntWhere.eq: Filter(Operator(Compare(Equal))), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.ne: Filter(Operator(Compare(NotEqual))), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.gt: Filter(Operator(Compare(Greater))), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.lt: Filter(Operator(Compare(Less))), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.gte: Filter(Operator(Compare(GreaterOrEqual))), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.lte: Filter(Operator(Compare(LessOrEqual))), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.in: Filter(Operator(Compare(In))), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        FloatWhere.eq: Filter(Operator(Compare(Equal))), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.ne: Filter(Operator(Compare(NotEqual))), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.gt: Filter(Operator(Compare(Greater))), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.lt: Filter(Operator(Compare(Less))), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.gte: Filter(Operator(Compare(GreaterOrEqual))), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.lte: Filter(Operator(Compare(LessOrEqual))), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.in: Filter(Operator(Compare(In))), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        StrWhere.eq: Filter(Operator(Compare(Equal))), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.ne: Filter(Operator(Compare(NotEqual))), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.like: Filter(Operator(Match { match: Like, ignore_case: false })), null Refuse("`like` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.gt: Filter(Operator(Compare(Greater))), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.lt: Filter(Operator(Compare(Less))), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.gte: Filter(Operator(Compare(GreaterOrEqual))), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.lte: Filter(Operator(Compare(LessOrEqual))), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        BoolWhere.eq: Filter(Operator(Compare(Equal))), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        BoolWhere.ne: Filter(Operator(Compare(NotEqual))), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        Mutation.createVenue: Mutation(MutationBinding { change: Create(e0), returned: Some(e0), form: Row, missing: None, unchanged: None })
          Mutation.createVenue(id): Write(Stored(f0)), null Ignore, empty Ignore
          Mutation.createVenue(name): Write(Stored(f1)), null Ignore, empty Ignore
        Mutation.updateVenue: Mutation(MutationBinding { change: Update(e0), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.updateVenue(pk_columns): Write(Inputs), null Ignore, empty Ignore
          Mutation.updateVenue(name): Write(Stored(f1)), null Ignore, empty Ignore
        Mutation.deleteVenue: Mutation(MutationBinding { change: Delete(e0), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.deleteVenue(pk_columns): Write(Inputs), null Ignore, empty Ignore
        Mutation.createMeetup: Mutation(MutationBinding { change: Create(e1), returned: Some(e1), form: Row, missing: None, unchanged: None })
          Mutation.createMeetup(id): Write(Stored(f2)), null Ignore, empty Ignore
          Mutation.createMeetup(venue_id): Write(Stored(f3)), null Ignore, empty Ignore
          Mutation.createMeetup(online): Write(Stored(f4)), null Ignore, empty Ignore
        Mutation.updateMeetup: Mutation(MutationBinding { change: Update(e1), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.updateMeetup(pk_columns): Write(Inputs), null Ignore, empty Ignore
          Mutation.updateMeetup(venue_id): Write(Stored(f3)), null Ignore, empty Ignore
          Mutation.updateMeetup(online): Write(Stored(f4)), null Ignore, empty Ignore
        Mutation.deleteMeetup: Mutation(MutationBinding { change: Delete(e1), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.deleteMeetup(pk_columns): Write(Inputs), null Ignore, empty Ignore
        Result.result: Literal([116, 114, 117, 101])
        VenuePks.id: Column(f0)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        VenuePkColumns.id: Filter(Equal(f0)), null Ignore, empty Ignore
        MeetupPks.id: Column(f2)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        MeetupPkColumns.id: Filter(Equal(f2)), null Ignore, empty Ignore
    "#]].assert_eq(&bindings(&api));
}

#[test]
fn lists_end_in_the_order_of_the_key_or_of_all_columns_with_an_order() {
    let mut tables = Tables::new();
    tables.table("pairs", 2, &[("a", int()), ("b", int()), ("c", text())]);
    let json = Type::Scalar(Scalar::Json);
    let list = Type::List(Box::new(int()));
    tables.view("pair_views", &[("a", int()), ("b", json.clone()), ("1c", text()), ("d", list)]);
    tables.entity("remotes", EntityKind::ForeignTable, &[("a", int()), ("b", json)]);
    let catalog = tables.finish();
    let api = phrag::api(&catalog, &Options::default());
    let orders: String = catalog
        .entities()
        .map(|entity| {
            let fields = &api.find_entity(entity.id).unwrap().tie_break;
            let names: Vec<_> = fields.iter().map(|field| &*catalog[*field].name).collect();
            format!("{}: {}\n", entity.name, names.join(", "))
        })
        .collect();
    expect![[r#"
        pairs: a, b
        pair_views: a, 1c, d
        remotes: a
    "#]]
    .assert_eq(&orders);
}

#[test]
fn a_foreign_key_of_several_columns_is_one_relation() {
    let mut tables = Tables::new();
    let tenants = tables.table("tenants", 1, &[("id", int())]);
    let orders = tables.table("orders", 2, &[("tenant_id", int()), ("id", int())]);
    let items =
        tables.table("items", 3, &[("tenant_id", int()), ("order_id", int()), ("position", int())]);
    let notes = tables.table("notes", 1, &[("id", int()), ("tenant_id", int()), ("nr", int())]);
    tables.foreign_key((orders, &["tenant_id"]), (tenants, &["id"]));
    tables.foreign_key((items, &["tenant_id"]), (tenants, &["id"]));
    tables.foreign_key((items, &["tenant_id", "order_id"]), (orders, &["tenant_id", "id"]));
    tables.foreign_key((notes, &["tenant_id", "nr"]), (orders, &["tenant_id", "id"]));
    let api = phrag::api(&tables.finish(), &Options::default());
    expect![[r#"
        Tenant.orders: [Order] Relation(Hop { relationship: r0, direction: Backward })
        Tenant.orders_aggregate: OrderAggregate Relation(Hop { relationship: r0, direction: Backward })
        Tenant.items: [Item] Relation(Hop { relationship: r1, direction: Backward })
        Tenant.items_aggregate: ItemAggregate Relation(Hop { relationship: r1, direction: Backward })
        Order.tenant: Tenant Relation(Hop { relationship: r0, direction: Forward })
        Order.items: [Item] Relation(Hop { relationship: r2, direction: Backward })
        Order.items_aggregate: ItemAggregate Relation(Hop { relationship: r2, direction: Backward })
        Order.notes: [Note] Relation(Hop { relationship: r3, direction: Backward })
        Order.notes_aggregate: NoteAggregate Relation(Hop { relationship: r3, direction: Backward })
        Item.tenant: Tenant Relation(Hop { relationship: r1, direction: Forward })
        Item.order: Order Relation(Hop { relationship: r2, direction: Forward })
        Note.tenant: Order Relation(Hop { relationship: r3, direction: Forward })
    "#]]
    .assert_eq(&relations(&api));
}

#[test]
fn a_table_may_refer_to_itself_and_be_referred_to_by_a_unique_column() {
    let mut tables = Tables::new();
    let people = tables.table("employees", 1, &[("id", int()), ("manager_id", int())]);
    let cards = tables.table("cards", 1, &[("employee_id", int())]);
    tables.foreign_key((people, &["manager_id"]), (people, &["id"]));
    tables.foreign_key((cards, &["employee_id"]), (people, &["id"]));
    let api = phrag::api(&tables.finish(), &Options::default());
    expect![[r#"
        Employee.manager: Employee Relation(Hop { relationship: r0, direction: Forward })
        Employee.employees: [Employee] Relation(Hop { relationship: r0, direction: Backward })
        Employee.employees_aggregate: EmployeeAggregate Relation(Hop { relationship: r0, direction: Backward })
        Employee.cards: [Card] Relation(Hop { relationship: r1, direction: Backward })
        Employee.cards_aggregate: CardAggregate Relation(Hop { relationship: r1, direction: Backward })
        Card.employee: Employee Relation(Hop { relationship: r1, direction: Forward })
    "#]]
    .assert_eq(&relations(&api));
}

/// The fields of objects that are no columns, with what they give.
fn relations(api: &Api) -> String {
    let mut output = String::new();
    for (id, definition) in api.schema.types() {
        let TypeKind::Object { fields, .. } = &definition.kind else { continue };
        for field in fields.iter().filter(|_| api.schema.query != Some(id)) {
            if let FieldBinding::Rows(rows) = api.field(*field) {
                let field = &api.schema[*field];
                let r#type = graphql::print_type(&api.schema, field.r#type);
                let path = format!("{}.{}", definition.name, field.name);
                writeln!(output, "{path}: {type} {:?}", rows.from).unwrap();
            }
        }
    }
    for note in &api.notes {
        writeln!(output, "# {note}").unwrap();
    }
    output
}

#[test]
fn comments_describe_types_and_fields() {
    let mut tables = Tables::new();
    let about = |text: &str| Some(text.into());
    let builder = &mut tables.builder;
    let venues = builder.entity(None, "venues".into(), EntityKind::View, about("Where we meet."));
    let field = NewField {
        name: "name".into(),
        r#type: text(),
        nullable: false,
        has_default: false,
        generated: None,
        description: about("As on the door."),
    };
    builder.field(venues, field);
    let api = phrag::api(&tables.finish(), &Options::default());
    let start: String = print_schema(&api.schema).split_inclusive("}\n").skip(1).take(1).collect();
    expect![[r#"

        """Where we meet."""
        type Venue {
          """As on the door."""
          name: String
        }
    "#]]
    .assert_eq(&start);
}

#[test]
fn an_empty_catalog_is_noted() {
    let api = phrag::api(&Tables::new().finish(), &Options::default());
    let notes: Vec<_> = api.notes.iter().map(ToString::to_string).collect();
    expect!["left out: the source: it has no table with a primary key and no view. Remedy: create one, or choose another namespace."].assert_eq(&notes.join("\n"));
}
