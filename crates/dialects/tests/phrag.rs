//! The schemas, bindings and notes that the Phrag dialect makes of catalogs.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

use std::fmt::Write;

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, Scalar, Type,
};
use dialects::phrag::{self, BigIntegers, Options};
use dialects::{Api, FieldBinding, InputBinding};
use expect_test::{Expect, expect};
use graphql::schema::TypeKind;
use graphql::{DocumentLimits, Validator, print_schema, validate_schema};

fn check(catalog: &Catalog, options: &Options, expect: &Expect) {
    let api = phrag::api(catalog, options);
    validate_schema(&api.schema).unwrap();
    let mut output = print_schema(&api.schema);
    for note in &api.notes {
        writeln!(output, "\n# {note}").unwrap();
    }
    expect.assert_eq(&output);
}

/// A catalog of tables in the namespace `public`.
struct Tables {
    builder: Builder,
}

impl Tables {
    fn new() -> Self {
        Self { builder: Builder::new(Capabilities::default()) }
    }

    fn entity(&mut self, name: &str, kind: EntityKind, columns: &[(&str, Type)]) -> EntityId {
        let entity = self.builder.entity(Some("public".into()), name.into(), kind, None);
        for (name, r#type) in columns {
            let field = NewField {
                name: (*name).into(),
                r#type: r#type.clone(),
                nullable: true,
                has_default: false,
                generated: None,
                description: None,
            };
            self.builder.field(entity, field);
        }
        entity
    }

    /// A table whose first `key` columns are its primary key.
    fn table(&mut self, name: &str, key: usize, columns: &[(&str, Type)]) -> EntityId {
        let entity = self.entity(name, EntityKind::Table, columns);
        let fields = self.builder.catalog()[entity].fields[..key].to_vec();
        self.builder.key(
            entity,
            Key {
                name: "".into(),
                kind: KeyKind::Primary,
                fields,
                enforced: true,
                deferrable: false,
                description: None,
            },
        );
        entity
    }

    fn view(&mut self, name: &str, columns: &[(&str, Type)]) -> EntityId {
        self.entity(name, EntityKind::View, columns)
    }

    fn foreign_key(&mut self, from: (EntityId, &[&str]), to: (EntityId, &[&str])) {
        let fields = |(entity, names): (EntityId, &[&str])| -> Vec<FieldId> {
            let find = |name: &&str| self.builder.catalog().find_field(entity, name).unwrap().id;
            names.iter().map(find).collect()
        };
        let (from_fields, to_fields) = (fields(from), fields(to));
        let relationship = NewRelationship {
            name: "".into(),
            from: from.0,
            from_fields,
            to: to.0,
            to_fields,
            description: None,
        };
        self.builder.relationship(relationship);
    }

    fn finish(self) -> Catalog {
        self.builder.finish()
    }
}

fn int() -> Type {
    Type::Scalar(Scalar::Int32)
}

fn bigint() -> Type {
    Type::Scalar(Scalar::Int64)
}

fn text() -> Type {
    Type::Scalar(Scalar::Text)
}

fn timestamp() -> Type {
    Type::Scalar(Scalar::Timestamp)
}

/// The database of Phrag's own tests.
fn meetups() -> Catalog {
    let mut tables = Tables::new();
    let members = tables.table(
        "members",
        1,
        &[("id", bigint()), ("first_name", text()), ("last_name", text()), ("email", text())],
    );
    let groups = tables.table(
        "groups",
        1,
        &[("id", bigint()), ("name", text()), ("created_at", timestamp())],
    );
    let venues =
        tables.table("venues", 1, &[("vid", bigint()), ("name", text()), ("postal_code", text())]);
    let meetups = tables.table(
        "meetups",
        1,
        &[
            ("id", bigint()),
            ("title", text()),
            ("start_at", timestamp()),
            ("venue_id", int()),
            ("group_id", int()),
        ],
    );
    let follow = tables.table("member_follow", 2, &[("created_by", int()), ("member_id", int())]);
    let meetups_members =
        tables.table("meetups_members", 2, &[("meetup_id", int()), ("member_id", int())]);
    let groups_members =
        tables.table("groups_members", 2, &[("group_id", int()), ("member_id", int())]);
    tables.view(
        "meetup_with_venue",
        &[("id", bigint()), ("title", text()), ("venue_id", bigint()), ("venue_name", text())],
    );
    for (from, column, to, key) in [
        (meetups, "venue_id", venues, "vid"),
        (meetups, "group_id", groups, "id"),
        (follow, "created_by", members, "id"),
        (follow, "member_id", members, "id"),
        (meetups_members, "meetup_id", meetups, "id"),
        (meetups_members, "member_id", members, "id"),
        (groups_members, "group_id", groups, "id"),
        (groups_members, "member_id", members, "id"),
    ] {
        tables.foreign_key((from, &[column]), (to, &[key]));
    }
    tables.finish()
}

/// Every position of an API with what it means.
fn bindings(api: &Api) -> String {
    let mut output = String::new();
    let input = |output: &mut String, path: &str, binding: &InputBinding| {
        let InputBinding { role, null, empty } = binding;
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
fn the_database_of_phrags_tests_has_phrags_schema() {
    check(
        &meetups(),
        &Options::default(),
        &expect![[r#"
            type Query {
              members(where: MemberClauses, sort: MemberSort, limit: Int, offset: Int): [Member]
              members_aggregate(where: MemberClauses): MemberAggregate
              groups(where: GroupClauses, sort: GroupSort, limit: Int, offset: Int): [Group]
              groups_aggregate(where: GroupClauses): GroupAggregate
              venues(where: VenueClauses, sort: VenueSort, limit: Int, offset: Int): [Venue]
              venues_aggregate(where: VenueClauses): VenueAggregate
              meetups(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_aggregate(where: MeetupClauses): MeetupAggregate
              member_follows(where: MemberFollowClauses, sort: MemberFollowSort, limit: Int, offset: Int): [MemberFollow]
              member_follows_aggregate(where: MemberFollowClauses): MemberFollowAggregate
              meetups_members(where: MeetupsMemberClauses, sort: MeetupsMemberSort, limit: Int, offset: Int): [MeetupsMember]
              meetups_members_aggregate(where: MeetupsMemberClauses): MeetupsMemberAggregate
              groups_members(where: GroupsMemberClauses, sort: GroupsMemberSort, limit: Int, offset: Int): [GroupsMember]
              groups_members_aggregate(where: GroupsMemberClauses): GroupsMemberAggregate
              meetup_with_venues(where: MeetupWithVenueClauses, sort: MeetupWithVenueSort, limit: Int, offset: Int): [MeetupWithVenue]
              meetup_with_venues_aggregate(where: MeetupWithVenueClauses): MeetupWithVenueAggregate
            }

            type Member {
              id: Int
              first_name: String
              last_name: String
              email: String
              member_follows_on_created_by(where: MemberFollowClauses, sort: MemberFollowSort, limit: Int, offset: Int): [MemberFollow]
              member_follows_on_created_by_aggregate(where: MemberFollowClauses): MemberFollowAggregate
              member_follows_on_member_id(where: MemberFollowClauses, sort: MemberFollowSort, limit: Int, offset: Int): [MemberFollow]
              member_follows_on_member_id_aggregate(where: MemberFollowClauses): MemberFollowAggregate
              meetups_members(where: MeetupsMemberClauses, sort: MeetupsMemberSort, limit: Int, offset: Int): [MeetupsMember]
              meetups_members_aggregate(where: MeetupsMemberClauses): MeetupsMemberAggregate
              groups_members(where: GroupsMemberClauses, sort: GroupsMemberSort, limit: Int, offset: Int): [GroupsMember]
              groups_members_aggregate(where: GroupsMemberClauses): GroupsMemberAggregate
            }

            input MemberClauses {
              and: [MemberClauses]
              or: [MemberClauses]
              id: IntWhere
              first_name: StrWhere
              last_name: StrWhere
              email: StrWhere
            }

            input MemberSort {
              id: SortOperator
              first_name: SortOperator
              last_name: SortOperator
              email: SortOperator
            }

            type MemberAggregate {
              count: Int
              sum: MemberFields
              avg: MemberFields
              max: MemberFields
              min: MemberFields
            }

            type MemberFields {
              id: Float
              first_name: String
              last_name: String
              email: String
            }

            type Group {
              id: Int
              name: String
              created_at: String
              meetups(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_aggregate(where: MeetupClauses): MeetupAggregate
              groups_members(where: GroupsMemberClauses, sort: GroupsMemberSort, limit: Int, offset: Int): [GroupsMember]
              groups_members_aggregate(where: GroupsMemberClauses): GroupsMemberAggregate
            }

            input GroupClauses {
              and: [GroupClauses]
              or: [GroupClauses]
              id: IntWhere
              name: StrWhere
              created_at: StrWhere
            }

            input GroupSort {
              id: SortOperator
              name: SortOperator
              created_at: SortOperator
            }

            type GroupAggregate {
              count: Int
              sum: GroupFields
              avg: GroupFields
              max: GroupFields
              min: GroupFields
            }

            type GroupFields {
              id: Float
              name: String
              created_at: String
            }

            type Venue {
              vid: Int
              name: String
              postal_code: String
              meetups(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_aggregate(where: MeetupClauses): MeetupAggregate
            }

            input VenueClauses {
              and: [VenueClauses]
              or: [VenueClauses]
              vid: IntWhere
              name: StrWhere
              postal_code: StrWhere
            }

            input VenueSort {
              vid: SortOperator
              name: SortOperator
              postal_code: SortOperator
            }

            type VenueAggregate {
              count: Int
              sum: VenueFields
              avg: VenueFields
              max: VenueFields
              min: VenueFields
            }

            type VenueFields {
              vid: Float
              name: String
              postal_code: String
            }

            type Meetup {
              id: Int
              title: String
              start_at: String
              venue_id: Int
              group_id: Int
              venue: Venue
              group: Group
              meetups_members(where: MeetupsMemberClauses, sort: MeetupsMemberSort, limit: Int, offset: Int): [MeetupsMember]
              meetups_members_aggregate(where: MeetupsMemberClauses): MeetupsMemberAggregate
            }

            input MeetupClauses {
              and: [MeetupClauses]
              or: [MeetupClauses]
              id: IntWhere
              title: StrWhere
              start_at: StrWhere
              venue_id: IntWhere
              group_id: IntWhere
            }

            input MeetupSort {
              id: SortOperator
              title: SortOperator
              start_at: SortOperator
              venue_id: SortOperator
              group_id: SortOperator
            }

            type MeetupAggregate {
              count: Int
              sum: MeetupFields
              avg: MeetupFields
              max: MeetupFields
              min: MeetupFields
            }

            type MeetupFields {
              id: Float
              title: String
              start_at: String
              venue_id: Float
              group_id: Float
            }

            type MemberFollow {
              created_by: Int
              member_id: Int
              created_by_member: Member
              member: Member
            }

            input MemberFollowClauses {
              and: [MemberFollowClauses]
              or: [MemberFollowClauses]
              created_by: IntWhere
              member_id: IntWhere
            }

            input MemberFollowSort {
              created_by: SortOperator
              member_id: SortOperator
            }

            type MemberFollowAggregate {
              count: Int
              sum: MemberFollowFields
              avg: MemberFollowFields
              max: MemberFollowFields
              min: MemberFollowFields
            }

            type MemberFollowFields {
              created_by: Float
              member_id: Float
            }

            type MeetupsMember {
              meetup_id: Int
              member_id: Int
              meetup: Meetup
              member: Member
            }

            input MeetupsMemberClauses {
              and: [MeetupsMemberClauses]
              or: [MeetupsMemberClauses]
              meetup_id: IntWhere
              member_id: IntWhere
            }

            input MeetupsMemberSort {
              meetup_id: SortOperator
              member_id: SortOperator
            }

            type MeetupsMemberAggregate {
              count: Int
              sum: MeetupsMemberFields
              avg: MeetupsMemberFields
              max: MeetupsMemberFields
              min: MeetupsMemberFields
            }

            type MeetupsMemberFields {
              meetup_id: Float
              member_id: Float
            }

            type GroupsMember {
              group_id: Int
              member_id: Int
              group: Group
              member: Member
            }

            input GroupsMemberClauses {
              and: [GroupsMemberClauses]
              or: [GroupsMemberClauses]
              group_id: IntWhere
              member_id: IntWhere
            }

            input GroupsMemberSort {
              group_id: SortOperator
              member_id: SortOperator
            }

            type GroupsMemberAggregate {
              count: Int
              sum: GroupsMemberFields
              avg: GroupsMemberFields
              max: GroupsMemberFields
              min: GroupsMemberFields
            }

            type GroupsMemberFields {
              group_id: Float
              member_id: Float
            }

            type MeetupWithVenue {
              id: Int
              title: String
              venue_id: Int
              venue_name: String
            }

            input MeetupWithVenueClauses {
              and: [MeetupWithVenueClauses]
              or: [MeetupWithVenueClauses]
              id: IntWhere
              title: StrWhere
              venue_id: IntWhere
              venue_name: StrWhere
            }

            input MeetupWithVenueSort {
              id: SortOperator
              title: SortOperator
              venue_id: SortOperator
              venue_name: SortOperator
            }

            type MeetupWithVenueAggregate {
              count: Int
              sum: MeetupWithVenueFields
              avg: MeetupWithVenueFields
              max: MeetupWithVenueFields
              min: MeetupWithVenueFields
            }

            type MeetupWithVenueFields {
              id: Float
              title: String
              venue_id: Float
              venue_name: String
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

            type Mutation {
              createMember(id: Int, first_name: String, last_name: String, email: String): MemberPks
              updateMember(pk_columns: MemberPkColumns!, first_name: String, last_name: String, email: String): Result
              deleteMember(pk_columns: MemberPkColumns!): Result
              createGroup(id: Int, name: String, created_at: String): GroupPks
              updateGroup(pk_columns: GroupPkColumns!, name: String, created_at: String): Result
              deleteGroup(pk_columns: GroupPkColumns!): Result
              createVenue(vid: Int, name: String, postal_code: String): VenuePks
              updateVenue(pk_columns: VenuePkColumns!, name: String, postal_code: String): Result
              deleteVenue(pk_columns: VenuePkColumns!): Result
              createMeetup(id: Int, title: String, start_at: String, venue_id: Int, group_id: Int): MeetupPks
              updateMeetup(pk_columns: MeetupPkColumns!, title: String, start_at: String, venue_id: Int, group_id: Int): Result
              deleteMeetup(pk_columns: MeetupPkColumns!): Result
              createMemberFollow(created_by: Int, member_id: Int): MemberFollowPks
              updateMemberFollow(pk_columns: MemberFollowPkColumns!): Result
              deleteMemberFollow(pk_columns: MemberFollowPkColumns!): Result
              createMeetupsMember(meetup_id: Int, member_id: Int): MeetupsMemberPks
              updateMeetupsMember(pk_columns: MeetupsMemberPkColumns!): Result
              deleteMeetupsMember(pk_columns: MeetupsMemberPkColumns!): Result
              createGroupsMember(group_id: Int, member_id: Int): GroupsMemberPks
              updateGroupsMember(pk_columns: GroupsMemberPkColumns!): Result
              deleteGroupsMember(pk_columns: GroupsMemberPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type MemberPks {
              id: Int!
            }

            input MemberPkColumns {
              id: Int!
            }

            type GroupPks {
              id: Int!
            }

            input GroupPkColumns {
              id: Int!
            }

            type VenuePks {
              vid: Int!
            }

            input VenuePkColumns {
              vid: Int!
            }

            type MeetupPks {
              id: Int!
            }

            input MeetupPkColumns {
              id: Int!
            }

            type MemberFollowPks {
              created_by: Int!
              member_id: Int!
            }

            input MemberFollowPkColumns {
              created_by: Int!
              member_id: Int!
            }

            type MeetupsMemberPks {
              meetup_id: Int!
              member_id: Int!
            }

            input MeetupsMemberPkColumns {
              meetup_id: Int!
              member_id: Int!
            }

            type GroupsMemberPks {
              group_id: Int!
              member_id: Int!
            }

            input GroupsMemberPkColumns {
              group_id: Int!
              member_id: Int!
            }
        "#]],
    );
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
          Query.venues(where): Filter, null Ignore, empty Ignore
          Query.venues(sort): Sort, null Ignore, empty Ignore
          Query.venues(limit): Limit, null Ignore, empty Ignore
          Query.venues(offset): Offset, null Ignore, empty Ignore
        Query.venues_aggregate: Rows(RowsBinding { from: Entity, entity: e0, form: Aggregate, default_limit: None })
          Query.venues_aggregate(where): Filter, null Ignore, empty Ignore
        Query.meetups: Rows(RowsBinding { from: Entity, entity: e1, form: List, default_limit: Some(50) })
          Query.meetups(where): Filter, null Ignore, empty Ignore
          Query.meetups(sort): Sort, null Ignore, empty Ignore
          Query.meetups(limit): Limit, null Ignore, empty Ignore
          Query.meetups(offset): Offset, null Ignore, empty Ignore
        Query.meetups_aggregate: Rows(RowsBinding { from: Entity, entity: e1, form: Aggregate, default_limit: None })
          Query.meetups_aggregate(where): Filter, null Ignore, empty Ignore
        Venue.id: Column(f0)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        Venue.name: Column(f1)
          ColumnBinding { value: Leaf(Text), form: Stored, json: Text, node_id: Text }
        Venue.meetups: Rows(RowsBinding { from: Relation(Hop { relationship: r0, direction: Backward }), entity: e1, form: List, default_limit: Some(50) })
          Venue.meetups(where): Filter, null Ignore, empty Ignore
          Venue.meetups(sort): Sort, null Ignore, empty Ignore
          Venue.meetups(limit): Limit, null Ignore, empty Ignore
          Venue.meetups(offset): Offset, null Ignore, empty Ignore
        Venue.meetups_aggregate: Rows(RowsBinding { from: Relation(Hop { relationship: r0, direction: Backward }), entity: e1, form: Aggregate, default_limit: None })
          Venue.meetups_aggregate(where): Filter, null Ignore, empty Ignore
        VenueClauses.and: And { item: True }, null Ignore, empty Ignore
        VenueClauses.or: Or { item: True }, null Ignore, empty Ignore
        VenueClauses.id: Operators(Subject { place: Field { path: [], field: f0 }, plain: AsTyped, ignoring: Ignored }), null Refuse("`id` cannot be null; leave it out or name an operator."), empty Ignore
        VenueClauses.name: Operators(Subject { place: Field { path: [], field: f1 }, plain: AsTyped, ignoring: Ignored }), null Refuse("`name` cannot be null; leave it out or name an operator."), empty Ignore
        VenueSort.id: SortField(f0), null Ignore, empty Ignore
        VenueSort.name: SortField(f1), null Ignore, empty Ignore
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
        MeetupClauses.and: And { item: True }, null Ignore, empty Ignore
        MeetupClauses.or: Or { item: True }, null Ignore, empty Ignore
        MeetupClauses.id: Operators(Subject { place: Field { path: [], field: f2 }, plain: AsTyped, ignoring: Ignored }), null Refuse("`id` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupClauses.venue_id: Operators(Subject { place: Field { path: [], field: f3 }, plain: AsTyped, ignoring: Ignored }), null Refuse("`venue_id` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupClauses.online: Operators(Subject { place: Field { path: [], field: f4 }, plain: AsTyped, ignoring: Ignored }), null Refuse("`online` cannot be null; leave it out or name an operator."), empty Ignore
        MeetupSort.id: SortField(f2), null Ignore, empty Ignore
        MeetupSort.venue_id: SortField(f3), null Ignore, empty Ignore
        MeetupSort.online: SortField(f4), null Ignore, empty Ignore
        MeetupAggregate.count: Aggregate(Value([AggregateValue { function: Count, field: None, leaf: Int, form: Stored, absent: Some([48]) }]))
        MeetupAggregate.sum: Aggregate(Function(Sum))
        MeetupAggregate.avg: Aggregate(Function(Average))
        MeetupAggregate.max: Aggregate(Function(Maximum))
        MeetupAggregate.min: Aggregate(Function(Minimum))
        MeetupFields.id: Aggregate(Value([AggregateValue { function: Sum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Average, field: Some(f2), leaf: Float, form: Stored, absent: None }, AggregateValue { function: Maximum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f2), leaf: Number { scale: None }, form: Stored, absent: None }]))
        MeetupFields.venue_id: Aggregate(Value([AggregateValue { function: Sum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Average, field: Some(f3), leaf: Float, form: Stored, absent: None }, AggregateValue { function: Maximum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }, AggregateValue { function: Minimum, field: Some(f3), leaf: Number { scale: None }, form: Stored, absent: None }]))
        SortOperator.asc: Direction(Ascending)
        SortOperator.desc: Direction(Descending)
        IntWhere.in: Compare(In), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        IntWhere.eq: Compare(Equal), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.ne: Compare(NotEqual), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.gt: Compare(Greater), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.lt: Compare(Less), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.gte: Compare(GreaterOrEqual), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        IntWhere.lte: Compare(LessOrEqual), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.in: Compare(In), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        FloatWhere.eq: Compare(Equal), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.ne: Compare(NotEqual), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.gt: Compare(Greater), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.lt: Compare(Less), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.gte: Compare(GreaterOrEqual), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        FloatWhere.lte: Compare(LessOrEqual), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.in: Compare(In), null Refuse("`in` cannot be null; leave it out or use another operator."), empty False
        StrWhere.eq: Compare(Equal), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.ne: Compare(NotEqual), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.like: Match { match: Like, ignore_case: false }, null Refuse("`like` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.gt: Compare(Greater), null Refuse("`gt` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.lt: Compare(Less), null Refuse("`lt` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.gte: Compare(GreaterOrEqual), null Refuse("`gte` cannot be null; leave it out or use another operator."), empty Ignore
        StrWhere.lte: Compare(LessOrEqual), null Refuse("`lte` cannot be null; leave it out or use another operator."), empty Ignore
        BoolWhere.eq: Compare(Equal), null Refuse("`eq` cannot be null; leave it out or use another operator."), empty Ignore
        BoolWhere.ne: Compare(NotEqual), null Refuse("`ne` cannot be null; leave it out or use another operator."), empty Ignore
        Mutation.createVenue: Mutation(MutationBinding { change: Create(e0), returned: Some(e0), form: Row, missing: None, unchanged: None })
          Mutation.createVenue(id): Stored(f0), null Ignore, empty Ignore
          Mutation.createVenue(name): Stored(f1), null Ignore, empty Ignore
        Mutation.updateVenue: Mutation(MutationBinding { change: Update(e0), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.updateVenue(pk_columns): Inputs, null Ignore, empty Ignore
          Mutation.updateVenue(name): Stored(f1), null Ignore, empty Ignore
        Mutation.deleteVenue: Mutation(MutationBinding { change: Delete(e0), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.deleteVenue(pk_columns): Inputs, null Ignore, empty Ignore
        Mutation.createMeetup: Mutation(MutationBinding { change: Create(e1), returned: Some(e1), form: Row, missing: None, unchanged: None })
          Mutation.createMeetup(id): Stored(f2), null Ignore, empty Ignore
          Mutation.createMeetup(venue_id): Stored(f3), null Ignore, empty Ignore
          Mutation.createMeetup(online): Stored(f4), null Ignore, empty Ignore
        Mutation.updateMeetup: Mutation(MutationBinding { change: Update(e1), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.updateMeetup(pk_columns): Inputs, null Ignore, empty Ignore
          Mutation.updateMeetup(venue_id): Stored(f3), null Ignore, empty Ignore
          Mutation.updateMeetup(online): Stored(f4), null Ignore, empty Ignore
        Mutation.deleteMeetup: Mutation(MutationBinding { change: Delete(e1), returned: None, form: Payload, missing: None, unchanged: Some("No column to set is given besides `pk_columns`.") })
          Mutation.deleteMeetup(pk_columns): Inputs, null Ignore, empty Ignore
        Result.result: Literal([116, 114, 117, 101])
        VenuePks.id: Column(f0)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        VenuePkColumns.id: Equal(f0), null Ignore, empty Ignore
        MeetupPks.id: Column(f2)
          ColumnBinding { value: Leaf(Int), form: Stored, json: Int, node_id: Int }
        MeetupPkColumns.id: Equal(f2), null Ignore, empty Ignore
    "#]].assert_eq(&bindings(&api));
}

#[test]
fn types_without_a_mapping_in_phrag_are_text_numbers_or_json() {
    let mut tables = Tables::new();
    let builder = &mut tables.builder;
    let mood = builder.r#enum(None, "mood".into(), Vec::new(), None);
    let address = builder.composite(None, "address".into(), None);
    let range = builder.range(None, "int4range".into(), int());
    let ids = Type::List(Box::new(Type::Scalar(Scalar::Uuid)));
    let domain = builder.domain(None, "ids".into(), ids, true, None);
    let scalar = Type::Scalar;
    tables.table(
        "things",
        1,
        &[
            ("id", scalar(Scalar::Uuid)),
            ("small", scalar(Scalar::Int16)),
            ("single", scalar(Scalar::Float32)),
            ("double", scalar(Scalar::Float64)),
            ("price", scalar(Scalar::Decimal { precision: Some(10), scale: Some(2) })),
            ("number", scalar(Scalar::Decimal { precision: None, scale: None })),
            ("money", scalar(Scalar::Money)),
            ("code", scalar(Scalar::Character { length: 3 })),
            ("nick", scalar(Scalar::CaseInsensitiveText)),
            ("json", scalar(Scalar::Json)),
            ("jsonb", scalar(Scalar::Jsonb)),
            ("pairs", scalar(Scalar::KeyValue)),
            ("markup", scalar(Scalar::Xml)),
            ("day", scalar(Scalar::Date)),
            ("moment", scalar(Scalar::TimestampWithZone)),
            ("span", scalar(Scalar::Interval)),
            ("bytes", scalar(Scalar::Bytes)),
            ("host", scalar(Scalar::Inet)),
            ("spot", scalar(Scalar::Point)),
            ("search", scalar(Scalar::Other("tsvector".into()))),
            ("mood", Type::Enum(mood)),
            ("address", Type::Composite(address)),
            ("places", Type::Range(range)),
            ("ids", Type::Domain(domain)),
        ],
    );
    let catalog = tables.finish();
    check(
        &catalog,
        &Options::default(),
        &expect![[r#"
            """Any JSON value, as it is."""
            scalar JSON

            type Query {
              things(where: ThingClauses, sort: ThingSort, limit: Int, offset: Int): [Thing]
              things_aggregate(where: ThingClauses): ThingAggregate
            }

            type Thing {
              id: String
              small: Int
              single: Float
              double: Float
              price: Float
              number: Float
              money: Float
              code: String
              nick: String
              json: JSON
              jsonb: JSON
              pairs: JSON
              markup: String
              day: String
              moment: String
              span: String
              bytes: String
              host: String
              spot: String
              search: String
              mood: String
              address: String
              places: String
              ids: [String]
            }

            input ThingClauses {
              and: [ThingClauses]
              or: [ThingClauses]
              id: StrWhere
              small: IntWhere
              single: FloatWhere
              double: FloatWhere
              price: FloatWhere
              number: FloatWhere
              money: FloatWhere
              code: StrWhere
              nick: StrWhere
              day: StrWhere
              moment: StrWhere
              span: StrWhere
              host: StrWhere
              mood: StrWhere
            }

            input ThingSort {
              id: SortOperator
              small: SortOperator
              single: SortOperator
              double: SortOperator
              price: SortOperator
              number: SortOperator
              money: SortOperator
              code: SortOperator
              nick: SortOperator
              jsonb: SortOperator
              day: SortOperator
              moment: SortOperator
              span: SortOperator
              bytes: SortOperator
              host: SortOperator
              mood: SortOperator
              places: SortOperator
            }

            type ThingAggregate {
              count: Int
              sum: ThingFields
              avg: ThingFields
              max: ThingFields
              min: ThingFields
            }

            type ThingFields {
              small: Float
              single: Float
              double: Float
              price: Float
              number: Float
              money: Float
              code: String
              nick: String
              day: String
              moment: String
              span: String
              host: String
              mood: String
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

            type Mutation {
              createThing(id: String, small: Int, single: Float, double: Float, price: Float, number: Float, money: Float, code: String, nick: String, json: JSON, jsonb: JSON, pairs: JSON, markup: String, day: String, moment: String, span: String, bytes: String, host: String, spot: String, search: String, mood: String, address: String, places: String, ids: [String]): ThingPks
              updateThing(pk_columns: ThingPkColumns!, small: Int, single: Float, double: Float, price: Float, number: Float, money: Float, code: String, nick: String, json: JSON, jsonb: JSON, pairs: JSON, markup: String, day: String, moment: String, span: String, bytes: String, host: String, spot: String, search: String, mood: String, address: String, places: String, ids: [String]): Result
              deleteThing(pk_columns: ThingPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type ThingPks {
              id: String!
            }

            input ThingPkColumns {
              id: String!
            }
        "#]],
    );

    let api = phrag::api(&catalog, &Options::default());
    let values: String = catalog
        .entities()
        .flat_map(|entity| catalog.fields_of(entity.id))
        .map(|field| {
            let binding = api.find_column(field.id).unwrap();
            format!("{}: {:?}, {:?}\n", field.name, binding.value, binding.form)
        })
        .collect();
    expect![[r#"
        id: Leaf(Uuid), Stored
        small: Leaf(Int), Stored
        single: Leaf(Float), Stored
        double: Leaf(Float), Stored
        price: Leaf(Number { scale: Some(2) }), Stored
        number: Leaf(Number { scale: None }), Stored
        money: Leaf(Number { scale: None }), Number
        code: Leaf(Text), Stored
        nick: Leaf(Text), Stored
        json: Leaf(Json(Embedded)), Stored
        jsonb: Leaf(Json(Embedded)), Stored
        pairs: Leaf(KeyValue), Stored
        markup: Leaf(Text), Stored
        day: Leaf(Date), Stored
        moment: Leaf(TimestampWithZone), Stored
        span: Leaf(Text), Stored
        bytes: Leaf(Bytes), Stored
        host: Leaf(Text), Stored
        spot: Leaf(Any), Stored
        search: Leaf(Any), Stored
        mood: Leaf(Text), Stored
        address: Leaf(Any), Stored
        places: Leaf(Any), Stored
        ids: List(Leaf(Uuid)), Stored
    "#]]
    .assert_eq(&values);
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
fn of_two_things_with_one_name_the_first_is_shown() {
    let mut tables = Tables::new();
    let id = [("id", int())];
    tables.table("members", 1, &id);
    tables.table("member", 1, &id);
    tables.table("member_sort", 1, &id);
    tables.view("query", &id);
    let builder = &mut tables.builder;
    builder.entity(Some("other".into()), "members".into(), EntityKind::View, None);
    let venues = tables.table("venues", 1, &id);
    let places = tables.table("places", 1, &id);
    let meetups = tables.table(
        "meetups",
        1,
        &[("id", int()), ("venue", text()), ("venue_id", int()), ("place_id", int())],
    );
    tables.foreign_key((meetups, &["venue_id"]), (venues, &["id"]));
    tables.foreign_key((meetups, &["place_id"]), (places, &["id"]));
    tables.foreign_key((meetups, &["place_id"]), (venues, &["id"]));
    check(
        &tables.finish(),
        &Options::default(),
        &expect![[r#"
            type Query {
              members(where: MemberClauses, sort: MemberSort, limit: Int, offset: Int): [Member]
              members_aggregate(where: MemberClauses): MemberAggregate
              venues(where: VenueClauses, sort: VenueSort, limit: Int, offset: Int): [Venue]
              venues_aggregate(where: VenueClauses): VenueAggregate
              places(where: PlaceClauses, sort: PlaceSort, limit: Int, offset: Int): [Place]
              places_aggregate(where: PlaceClauses): PlaceAggregate
              meetups(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_aggregate(where: MeetupClauses): MeetupAggregate
            }

            type Member {
              id: Int
            }

            input MemberClauses {
              and: [MemberClauses]
              or: [MemberClauses]
              id: IntWhere
            }

            input MemberSort {
              id: SortOperator
            }

            type MemberAggregate {
              count: Int
              sum: MemberFields
              avg: MemberFields
              max: MemberFields
              min: MemberFields
            }

            type MemberFields {
              id: Float
            }

            type Venue {
              id: Int
              meetups_on_venue_id(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_on_venue_id_aggregate(where: MeetupClauses): MeetupAggregate
              meetups_on_place_id(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_on_place_id_aggregate(where: MeetupClauses): MeetupAggregate
            }

            input VenueClauses {
              and: [VenueClauses]
              or: [VenueClauses]
              id: IntWhere
            }

            input VenueSort {
              id: SortOperator
            }

            type VenueAggregate {
              count: Int
              sum: VenueFields
              avg: VenueFields
              max: VenueFields
              min: VenueFields
            }

            type VenueFields {
              id: Float
            }

            type Place {
              id: Int
              meetups(where: MeetupClauses, sort: MeetupSort, limit: Int, offset: Int): [Meetup]
              meetups_aggregate(where: MeetupClauses): MeetupAggregate
            }

            input PlaceClauses {
              and: [PlaceClauses]
              or: [PlaceClauses]
              id: IntWhere
            }

            input PlaceSort {
              id: SortOperator
            }

            type PlaceAggregate {
              count: Int
              sum: PlaceFields
              avg: PlaceFields
              max: PlaceFields
              min: PlaceFields
            }

            type PlaceFields {
              id: Float
            }

            type Meetup {
              id: Int
              venue: String
              venue_id: Int
              place_id: Int
              place: Place
            }

            input MeetupClauses {
              and: [MeetupClauses]
              or: [MeetupClauses]
              id: IntWhere
              venue: StrWhere
              venue_id: IntWhere
              place_id: IntWhere
            }

            input MeetupSort {
              id: SortOperator
              venue: SortOperator
              venue_id: SortOperator
              place_id: SortOperator
            }

            type MeetupAggregate {
              count: Int
              sum: MeetupFields
              avg: MeetupFields
              max: MeetupFields
              min: MeetupFields
            }

            type MeetupFields {
              id: Float
              venue: String
              venue_id: Float
              place_id: Float
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

            type Mutation {
              createMember(id: Int): MemberPks
              updateMember(pk_columns: MemberPkColumns!): Result
              deleteMember(pk_columns: MemberPkColumns!): Result
              createVenue(id: Int): VenuePks
              updateVenue(pk_columns: VenuePkColumns!): Result
              deleteVenue(pk_columns: VenuePkColumns!): Result
              createPlace(id: Int): PlacePks
              updatePlace(pk_columns: PlacePkColumns!): Result
              deletePlace(pk_columns: PlacePkColumns!): Result
              createMeetup(id: Int, venue: String, venue_id: Int, place_id: Int): MeetupPks
              updateMeetup(pk_columns: MeetupPkColumns!, venue: String, venue_id: Int, place_id: Int): Result
              deleteMeetup(pk_columns: MeetupPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type MemberPks {
              id: Int!
            }

            input MemberPkColumns {
              id: Int!
            }

            type VenuePks {
              id: Int!
            }

            input VenuePkColumns {
              id: Int!
            }

            type PlacePks {
              id: Int!
            }

            input PlacePkColumns {
              id: Int!
            }

            type MeetupPks {
              id: Int!
            }

            input MeetupPkColumns {
              id: Int!
            }

            # collision: public.member: the type Member belongs to public.members, so this is left out. Remedy: rename it, or show its rows under another name by a view.

            # collision: public.member_sort: the type MemberSort belongs to public.members, so this is left out. Remedy: rename it, or show its rows under another name by a view.

            # collision: public.query: the type Query belongs to the API's own Query, so this is left out. Remedy: rename it, or show its rows under another name by a view.

            # collision: other.members: the type Member belongs to public.members, so this is left out. Remedy: rename it, or show its rows under another name by a view.

            # collision: public.meetups (venue_id): the field venue of public.meetups belongs to the column public.meetups.venue, so this is left out. Remedy: rename the foreign key's column, or one of the two.

            # collision: public.meetups (place_id): the field place of public.meetups belongs to the foreign key public.meetups (place_id), so this is left out. Remedy: rename the foreign key's column, or one of the two.
        "#]],
    );
}

#[test]
fn what_graphql_cannot_name_is_left_out_alone() {
    let mut tables = Tables::new();
    let columns = [("id", int()), ("and", text()), ("or", text()), ("first name", text())];
    let odd = tables.table("odd table", 1, &columns);
    let members = tables.table("members", 1, &[("id", int()), ("odd ref", int()), ("__x", int())]);
    tables.foreign_key((members, &["odd ref"]), (odd, &["id"]));
    tables.table("größen", 1, &[("id", int())]);
    tables.table("2fa_codes", 1, &[("id", int())]);
    tables.table("nothing", 1, &[("a-b", int())]);
    tables.table("schema_migrations", 1, &[("version", text())]);
    tables.entity("logs", EntityKind::Table, &[("line", text())]);
    tables.view("documents", &[("body", Type::Scalar(Scalar::Json))]);
    check(
        &tables.finish(),
        &Options::default(),
        &expect![[r#"
            """Any JSON value, as it is."""
            scalar JSON

            type Query {
              odd_tables(where: OddTableClauses, sort: OddTableSort, limit: Int, offset: Int): [OddTable]
              odd_tables_aggregate(where: OddTableClauses): OddTableAggregate
              members(where: MemberClauses, sort: MemberSort, limit: Int, offset: Int): [Member]
              members_aggregate(where: MemberClauses): MemberAggregate
              documents(where: DocumentClauses, limit: Int, offset: Int): [Document]
              documents_aggregate(where: DocumentClauses): DocumentAggregate
            }

            type OddTable {
              id: Int
              and: String
              or: String
              members(where: MemberClauses, sort: MemberSort, limit: Int, offset: Int): [Member]
              members_aggregate(where: MemberClauses): MemberAggregate
            }

            input OddTableClauses {
              and: [OddTableClauses]
              or: [OddTableClauses]
              id: IntWhere
            }

            input OddTableSort {
              id: SortOperator
              and: SortOperator
              or: SortOperator
            }

            type OddTableAggregate {
              count: Int
              sum: OddTableFields
              avg: OddTableFields
              max: OddTableFields
              min: OddTableFields
            }

            type OddTableFields {
              id: Float
              and: String
              or: String
            }

            type Member {
              id: Int
            }

            input MemberClauses {
              and: [MemberClauses]
              or: [MemberClauses]
              id: IntWhere
            }

            input MemberSort {
              id: SortOperator
            }

            type MemberAggregate {
              count: Int
              sum: MemberFields
              avg: MemberFields
              max: MemberFields
              min: MemberFields
            }

            type MemberFields {
              id: Float
            }

            type Document {
              body: JSON
            }

            input DocumentClauses {
              and: [DocumentClauses]
              or: [DocumentClauses]
            }

            type DocumentAggregate {
              count: Int
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

            type Mutation {
              createOddTable(id: Int, and: String, or: String): OddTablePks
              updateOddTable(pk_columns: OddTablePkColumns!, and: String, or: String): Result
              deleteOddTable(pk_columns: OddTablePkColumns!): Result
              createMember(id: Int): MemberPks
              updateMember(pk_columns: MemberPkColumns!): Result
              deleteMember(pk_columns: MemberPkColumns!): Result
            }

            type Result {
              result: Boolean
            }

            type OddTablePks {
              id: Int!
            }

            input OddTablePkColumns {
              id: Int!
            }

            type MemberPks {
              id: Int!
            }

            input MemberPkColumns {
              id: Int!
            }

            # collision: public.odd table.and: the condition and of `where` belongs to the list of clauses and, so rows cannot be filtered by this column. Remedy: rename the column, or show it under another name by a view.

            # collision: public.odd table.or: the condition or of `where` belongs to the list of clauses or, so rows cannot be filtered by this column. Remedy: rename the column, or show it under another name by a view.

            # left out: public.odd table.first name: "first name" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.

            # left out: public.members.odd ref: "odd ref" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.

            # left out: public.members.__x: "__x" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.

            # left out: public.größen: its name becomes "Größen", which is no name of GraphQL. Remedy: rename it, or show its rows under another name by a view.

            # left out: public.2fa_codes: its name becomes "2faCode", which is no name of GraphQL. Remedy: rename it, or show its rows under another name by a view.

            # left out: public.nothing.a-b: "a-b" is no name of GraphQL. Remedy: rename the column, or show it under another name by a view.

            # left out: public.nothing: it has no column that can be shown. Remedy: give it a column with a name of GraphQL.

            # left out: public.schema_migrations: tables with "migration" in their names are not shown. Remedy: rename it, or show its rows under another name by a view.

            # left out: public.logs: tables without a primary key are not shown, nor are relations to them. Remedy: add a primary key, or show its rows by a view.

            # left out: public.members (odd ref): its field would be "odd ref_odd table", which is no name of GraphQL. Remedy: rename the foreign key's column, or one of the two.
        "#]],
    );
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
