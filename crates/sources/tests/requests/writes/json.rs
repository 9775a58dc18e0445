//! Changes of parts of JSON.

use expect_test::expect;
use ir::{Assignment, Conflict, Operand, Update, Value, WriteKind};

use super::super::builder::{Builder, equal, insert, integer, text, write};
use super::super::database::Database;
use super::super::on_each;

const NOTES: &str = "
    create table note (id integer primary key, meta jsonb, words text);
    insert into note (id, meta, words) values
        (1, '{\"a\": 1, \"b\": {\"c\": [1, 2.50]}}', 'x'), (2, '[\"a\", 1, \"b\", \"a\"]', 'x'),
        (3, '7', 'x'), (4, null, 'x');";

fn json(text: &str) -> Operand {
    Operand::Constant(Value::Json(text.into()))
}

fn path(keys: &[&str]) -> Operand {
    let keys = keys.iter().map(|key| Value::Text((*key).into()));
    Operand::Constant(Value::List(keys.collect()))
}

/// Changes the notes of a number, and gives the answer with their values.
async fn changed(database: &Database, id: i64, assignment: Assignment) -> String {
    let mut builder = Builder::new(database);
    let filter = equal(database.field("note.id"), integer(id));
    let assignments = vec![(database.field("note.meta"), assignment)];
    let update = WriteKind::Update(Update { filter, assignments, at_most: None });
    builder.write(0, write(database, "note", update, Vec::new()), &["id"]);
    let answer = database.run(&builder.request()).await;
    let meta = database
        .query(&format!("select replace(cast(meta as text), ' ', '') from note where id = {id}"));
    // The databases have errors of their own.
    match answer.contains("null") {
        true => format!("refused {meta}"),
        false => meta,
    }
}

#[tokio::test]
async fn parts_are_merged_and_deleted() {
    let answer = on_each(NOTES, async |database| {
        let mut lines = Vec::new();
        for (id, assignment) in [
            (1, Assignment::Merge(json("{\"a\":2,\"d\":\"é\"}"))),
            (1, Assignment::DeleteKey(text("d"))),
            (1, Assignment::DeleteKey(text("z"))),
            (1, Assignment::DeletePath(path(&["b", "c", "0"]))),
            (1, Assignment::DeletePath(path(&["b", "x", "0"]))),
            (1, Assignment::DeleteElement(integer(0))),
            (1, Assignment::Prepend(json("{\"a\":0,\"e\":null}"))),
            (2, Assignment::Merge(json("[2]"))),
            (2, Assignment::Prepend(json("{\"k\":1}"))),
            (2, Assignment::DeleteKey(text("a"))),
            (2, Assignment::DeleteElement(integer(-1))),
            (2, Assignment::DeleteElement(integer(9))),
            (2, Assignment::DeletePath(path(&["-1"]))),
            (2, Assignment::DeletePath(path(&["x"]))),
            (3, Assignment::Merge(json("[8]"))),
            (4, Assignment::Merge(json("[8]"))),
        ] {
            lines.push(changed(database, id, assignment).await);
        }
        lines.join("\n")
    })
    .await;
    expect![[r#"
        {"a":2,"b":{"c":[1,2.50]},"d":"é"}
        {"a":2,"b":{"c":[1,2.50]}}
        {"a":2,"b":{"c":[1,2.50]}}
        {"a":2,"b":{"c":[2.50]}}
        {"a":2,"b":{"c":[2.50]}}
        refused {"a":2,"b":{"c":[2.50]}}
        {"a":2,"b":{"c":[2.50]},"e":null}
        ["a",1,"b","a",2]
        [{"k":1},"a",1,"b","a",2]
        [{"k":1},1,"b",2]
        [{"k":1},1,"b"]
        [{"k":1},1,"b"]
        [{"k":1},1]
        refused [{"k":1},1]
        [7,8]
        null"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn an_upsert_merges_into_the_row_that_is_there() {
    let answer = on_each(NOTES, async |database| {
        let mut builder = Builder::new(database);
        let (id, meta) = (database.field("note.id"), database.field("note.meta"));
        let row = vec![Some(integer(1)), Some(json("{}"))];
        let kind = WriteKind::Upsert {
            insert: insert(database, "note", &["id", "meta"], vec![row]),
            conflict: Conflict {
                key: vec![id],
                assignments: vec![(meta, Assignment::Merge(json("{\"n\":1}")))],
                filter: equal(database.field("note.words"), text("x")),
            },
        };
        builder.write(0, write(database, "note", kind, Vec::new()), &["id"]);
        let answer = database.run(&builder.request()).await;
        let meta = "select replace(cast(meta as text), ' ', '') from note where id = 1";
        format!("{answer} {}", database.query(meta))
    })
    .await;
    expect![[r#"{"r0":{"s1":[{"id":1}]}} {"a":1,"b":{"c":[1,2.50]},"n":1}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn values_that_are_no_json_have_no_parts() {
    let answer = on_each(NOTES, async |database| {
        let mut builder = Builder::new(database);
        let filter = equal(database.field("note.id"), integer(1));
        let assignments = vec![(database.field("note.words"), Assignment::DeleteKey(text("a")))];
        let update = WriteKind::Update(Update { filter, assignments, at_most: None });
        builder.write(0, write(database, "note", update, Vec::new()), &["id"]);
        database.refusal(&builder.request()).to_string()
    })
    .await;
    expect!["This source cannot do this yet: a change of a part of a value."].assert_eq(&answer);
}
