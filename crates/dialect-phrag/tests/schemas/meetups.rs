//! The schema of the database of Phrag's own tests.

use dialect_phrag::Options;
use expect_test::expect;

use super::check;
use super::made::meetups;

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
