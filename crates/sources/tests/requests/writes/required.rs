//! Requirements of writes and of what they are linked to.

use expect_test::expect;
use ir::{
    Comparison, ExpectedLinks, Filter, Otherwise, OtherwiseKind, Quantifier, Rows, Write, WriteKind,
};

use super::super::builder::{
    Builder, ascending, child, compare, equal, insert, insert_one, integer, text, update, write,
};
use super::super::on_each;
use super::{BLOG, all};

#[tokio::test]
async fn a_write_fails_whose_rows_are_linked_to_too_few_or_too_many() {
    let answer = on_each(BLOG, async |database| {
        let mut answers = Vec::new();
        for (links, id) in [
            (ExpectedLinks::None, 1),
            (ExpectedLinks::One, 1),
            (ExpectedLinks::OneOrNone, 1),
            (ExpectedLinks::One, 2),
        ] {
            let mut builder = Builder::new(database);
            let otherwise = Otherwise::new(OtherwiseKind::Invalid, format!("{links:?}"));
            let expect = WriteKind::Expect { links, otherwise };
            let expect = child(
                database.from("post.author_id"),
                &[],
                write(database, "post", expect, Vec::new()),
            );
            let mail = database.field("person.mail");
            let person = equal(database.field("person.id"), integer(id));
            let person = update(person, &[(mail, text("m"))]);
            builder.write(0, write(database, "person", person, vec![expect]), &["mail"]);
            answers.push(database.run(&builder.request()).await);
        }
        format!("{}\n{}", answers.join("\n"), all(database))
    })
    .await;
    expect![[r#"
        {"r0":null}
        [Name("r0")]: Input: None
        {"r0":null}
        [Name("r0")]: Input: One
        {"r0":null}
        [Name("r0")]: Input: OneOrNone
        {"r0":{"s1":[{"mail":"m"}]}}
        1Ada 2Ben<m>
        1First@1 2Second@1 3Third@2
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn each_written_row_passes_its_check_once_all_is_done() {
    let answer = on_each(BLOG, async |database| {
        let way = database.from("post.author_id");
        let has_posts = Filter::Relation {
            hop: way,
            quantifier: Quantifier::Some,
            filter: Box::new(Filter::all()),
        };
        let run = async |with_posts: bool| {
            let mut builder = Builder::new(database);
            let posts = write(
                database,
                "post",
                insert_one(database, "post", "title", text("c")),
                Vec::new(),
            );
            let rows = vec![vec![Some(text("Cy"))]];
            let person = WriteKind::Insert(insert(database, "person", &["name"], rows));
            let children = if with_posts { vec![child(way, &[], posts)] } else { Vec::new() };
            let person =
                Write { check: has_posts.clone(), ..write(database, "person", person, children) };
            builder.write(0, person, &["name"]);
            database.run(&builder.request()).await
        };
        let answers = [run(false).await, run(true).await].join("\n");
        // Of a child as well.
        let mut builder = Builder::new(database);
        let title = database.field("post.title");
        let posts = update(Filter::all(), &[(title, text("x"))]);
        let check = compare(database.field("post.id"), Comparison::Less, integer(3));
        let posts = Write { check, ..write(database, "post", posts, Vec::new()) };
        let person =
            update(compare(database.field("person.id"), Comparison::LessOrEqual, integer(2)), &[]);
        let person = write(database, "person", person, vec![child(way, &[], posts)]);
        builder.write(0, person, &["name"]);
        let last = database.run(&builder.request()).await;
        format!("{answers}\n{last}\n{}", database.query("select title from post order by id"))
    })
    .await;
    expect![[r#"
        {"r0":null}
        [Name("r0")]: Refused: check constraint of an insert/update permission has failed
        {"r0":{"s1":[{"name":"Cy"}]}}
        {"r0":null}
        [Name("r0")]: Refused: check constraint of an insert/update permission has failed
        First Second Third c"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn a_filter_asks_for_exactly_one_related_row() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let filter = Filter::Relation {
            hop: database.from("comment.post_id"),
            quantifier: Quantifier::Single,
            filter: Box::new(Filter::all()),
        };
        let posts = builder.entity("post", &["title"]);
        let order = vec![ascending(database.field("post.id"))];
        builder.read(0, Rows { filter, order, ..posts });
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"title":"Second"},{"title":"Third"}]}}"#]].assert_eq(&answer);
}
