//! Rows that are made and changed together with those that they are connected with.

use catalog::{Catalog, Scalar, Type, WriteAccess};
use dialect_postgraphile::{Options, TagsFile, api};
use expect_test::expect;

use crate::mutations::check;
use crate::tables::Tables;
use crate::{members, notes, shop};

const TEAM: &str = "TeamPlayersByTeamIdNestedPatch";
const COACH: &str = "TeamPlayersByCoachIdNestedPatch";

/// Teams, and players that are in one or none and have been trained by one.
fn teams(other: Option<&str>) -> Catalog {
    teams_with(other, WriteAccess::ALL)
}

/// The same, where so much may be done with players.
fn teams_with(other: Option<&str>, offered: WriteAccess) -> Catalog {
    let mut tables = Tables::default();
    let number = || Type::Scalar(Scalar::Int32);
    let team = tables.table("team", &[("id", number(), false)]);
    tables.primary(team, &["id"]);
    let columns =
        [("id", number(), false), ("team_id", number(), true), ("coach_id", number(), false)];
    let player = tables.table("player", &columns);
    tables.primary(player, &["id"]);
    tables.builder.set_write_access(player, offered);
    tables.foreign(player, &["team_id"], team, &["id"]);
    tables.foreign(player, &["coach_id"], team, &["id"]);
    if let Some(name) = other {
        let other = tables.table(name, &[("id", number(), false)]);
        tables.primary(other, &["id"]);
    }
    tables.finish()
}

fn nested(tags: &str) -> Options {
    let tags = format!("{{ version: 1, config: {{ class: {{ {tags} }} }} }}");
    let tags_file = TagsFile::parse(&tags).expect("tags");
    Options { nested_mutations: Some(10), tags_file, ..Options::default() }
}

#[test]
fn what_tags_leave_out_is_not_done_along_relations() {
    let check = |tags: &str, team: &str, coach: &str| {
        let api = api(&teams(None), &nested(tags));
        assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
        assert_eq!(notes(&api), "", "{tags}");
        assert_eq!(members(&api, TEAM).join(" "), team, "{tags}");
        assert_eq!(members(&api, COACH).join(" "), coach, "{tags}");
    };
    let all = "create connect disconnect set";
    check("", all, "create connect");
    check(r#""app.player": { tags: { omit: "create" } }"#, "connect disconnect set", "connect");
    check(r#""app.player": { tags: { omit: "update" } }"#, "create", "create");
    let column = |tag: &str| {
        format!(r#""app.player": {{ attribute: {{ team_id: {{ tags: {{ omit: "{tag}" }} }} }} }}"#)
    };
    check(&column("create"), "connect disconnect set", "create connect");
    check(&column("update"), "create", "create connect");
    let key = |tag: &str| {
        format!(
            r#""app.player": {{ constraint: {{ team_id_fkey: {{ tags: {{ omit: {tag} }} }} }} }}"#
        )
    };
    check(&key(r#""create""#), "connect disconnect set", "create connect");
    check(&key(r#""update""#), "create", "create connect");
    check(&key("true"), "", "create connect");
}

/// An insert cannot ask by a deferrable key for the row that is there already.
#[test]
fn rows_are_joined_and_upserted_by_keys_that_are_seen_to_at_once() {
    let has = |is_deferrable: bool, has_other: bool| {
        let mut tables = Tables::default();
        let number = || Type::Scalar(Scalar::Int32);
        let team = tables.table("team", &[("id", number(), false)]);
        tables.primary(team, &["id"]);
        let player = tables.table("player", &[("id", number(), false)]);
        tables.primary(player, &["id"]);
        let columns = [("team_id", number(), false), ("player_id", number(), false)];
        let member = tables.table("member", &columns);
        match is_deferrable {
            true => tables.deferrable(member, &["team_id", "player_id"]),
            false => tables.primary(member, &["team_id", "player_id"]),
        }
        if has_other {
            tables.unique(member, &["player_id", "team_id"]);
        }
        tables.foreign(member, &["team_id"], team, &["id"]);
        tables.foreign(member, &["player_id"], player, &["id"]);
        let options = Options { many_to_many: true, upsert_mutations: true, ..nested("") };
        let api = api(&tables.finish(), &options);
        let fields = members(&api, "TeamNestedPatch");
        let joined = fields.iter().any(|field| field == "playersByMemberTeamIdAndPlayerId");
        let fields = members(&api, "Mutation");
        let upserts = fields.iter().filter(|field| field.starts_with("upsertMember"));
        (joined, upserts.cloned().collect::<Vec<_>>().join(" "))
    };
    let (by_first, by_other) =
        ("upsertMemberByTeamIdAndPlayerId", "upsertMemberByPlayerIdAndTeamId");
    assert_eq!(has(false, false), (true, by_first.into()));
    assert_eq!(has(true, false), (false, String::new()));
    assert_eq!(has(true, true), (true, by_other.into()));
}

#[test]
fn what_the_source_does_not_take_is_not_done_along_relations() {
    let check = |offered: WriteAccess, team: &str| {
        let api = api(&teams_with(None, offered), &nested(""));
        assert_eq!(members(&api, TEAM).join(" "), team, "{offered:?}");
    };
    check(WriteAccess::NONE, "");
    check(WriteAccess { insert: true, ..WriteAccess::NONE }, "create");
    check(WriteAccess { update: true, ..WriteAccess::NONE }, "connect disconnect set");
    let api = api(&teams_with(None, WriteAccess::NONE), &nested(""));
    let fields = members(&api, "Mutation");
    assert!(!fields.iter().any(|field| field.contains("Nested")), "{fields:?}");
}

#[test]
fn a_column_that_refers_may_come_from_the_row_that_it_refers_to() {
    let types = api(&teams(None), &nested(""));
    let text = graphql::print_schema(&types.schema);
    let start = text.find("input PlayerNestedInput").expect("the type");
    let text = text[start..].lines().take_while(|line| *line != "}").collect::<Vec<_>>();
    let columns = text.iter().filter(|line| line.contains("Id: ") || line.contains("id: "));
    let columns: Vec<&str> = columns.map(|line| line.trim()).collect();
    assert_eq!(
        columns,
        [
            "id: Int!",
            "teamId: Int",
            "coachId: Int",
            "teamByTeamId: PlayerTeamByTeamIdNestedInput",
            "teamByCoachId: PlayerTeamByCoachIdNestedInput"
        ]
    );
}

#[test]
fn names_that_are_taken_stay() {
    let plain = api(&teams(Some("team_nested")), &Options::default());
    assert_eq!(notes(&plain), "");
    let api = api(&teams(Some("team_nested")), &nested(""));
    assert_eq!(graphql::validate_schema(&api.schema), Ok(()));
    expect![[r#"
        collision: app.team: its mutation would be called createTeamNested, which is already the mutation of app.team_nested; it is left out. Remedy: comment on table app.team is E'@name new_name';
        collision: app.team: its input type would be called TeamNestedPatch, which is already the input type of app.team_nested; it is left out. Remedy: comment on table app.team is E'@name new_name';
        collision: app.team: its input type would be called TeamNestedInput, which is already the input type of app.team_nested; it is left out. Remedy: comment on table app.team is E'@name new_name';
    "#]].assert_eq(&notes(&api));
    for name in ["CreateTeamNestedInput", "TeamNestedInput", "UpdateTeamNestedInput"] {
        assert_eq!(members(&api, name), members(&plain, name), "{name}");
    }
    let fields = members(&api, "Mutation");
    let nested = fields.iter().filter(|field| field.contains("Nested")).cloned();
    expect!["createTeamNested updateTeamNested updateTeamNestedById deleteTeamNested deleteTeamNestedById createPlayerNested updatePlayerNested updatePlayerByIdNested"].assert_eq(&nested.collect::<Vec<_>>().join(" "));
}

#[test]
fn rows_are_made_with_those_around_them_step_by_step() {
    let options = Options { nested_mutations: Some(10), ..Options::default() };
    let document = r#"mutation ($posts: [PostNestedInput!]) {
        createPersonNested(input: { person: { id: 1, fullName: "x", postsByAuthorId: { create: $posts, connect: { id: 7 } } } }) {
            person { id }
        }
    }"#;
    let variables = r#"{ "posts": [
        { "headline": "a", "id": 1 }, { "headline": "b", "id": 2 },
        { "headline": "c", "id": 3, "editorId": 4 },
        { "headline": "d", "id": 4, "personByEditorId": { "create": { "id": 5, "fullName": "y" } } }
    ] }"#;
    check(
        &shop::catalog(),
        &options,
        document,
        variables,
        &expect![[r#"
        transaction, read committed
          step 0 of root 0: insert app.person [id, full_name]
            row 1, "x"
          step 1 of root 0: read rows 0: rows of step 0 after it, single
            #0 field id
          step 2 of root 0: update app.post, filter id = 7
            author_id = #0 of step 1
          step 3 of root 0: require a row, otherwise missing "postsByAuthorId: there is no such row to be connected."
            rows 1: rows of step 2 after it, single
          step 4 of root 0: insert app.post [id, author_id, headline]
            row $0[0].id, #0 of step 1, $0[0].headline
            row $0[1].id, #0 of step 1, $0[1].headline
          step 5 of root 0: insert app.post [id, author_id, editor_id, headline]
            row $0[2].id, #0 of step 1, $0[2].editorId, $0[2].headline
          step 6 of root 0: insert app.person [id, full_name]
            row $0[3].personByEditorId.create.id, $0[3].personByEditorId.create.fullName
          step 7 of root 0: read rows 2: rows of step 6 after it, single
            #1 field id
          step 8 of root 0: insert app.post [id, author_id, editor_id, headline]
            row $0[3].id, #0 of step 1, #1 of step 7, $0[3].headline
          step 9 of root 0: read rows 3: entity app.person, single, filter id = #0 of step 1
            #2 field id
    "#]],
    );
}
