//! Names that two things have, and names that GraphQL does not have.

use super::made::{Tables, int, text};
use super::*;

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
