//! A choice between an update and an insert, each with writes of its own below it.

use expect_test::expect;
use ir::WriteKind;

use super::super::builder::{Builder, child, equal, insert, insert_one, text, update, write};
use super::super::on_each;
use super::{BLOG, all};

#[tokio::test]
async fn one_write_or_the_other_is_done() {
    let answer = on_each(BLOG, async |database| {
        let (name, mail) = (database.field("person.name"), database.field("person.mail"));
        let way = database.from("post.author_id");
        let run = async |who: &str| {
            let mut builder = Builder::new(database);
            let post = |title: &str| {
                let post = insert_one(database, "post", "title", text(title));
                child(way, &[], write(database, "post", post, Vec::new()))
            };
            let found = update(equal(name, text(who)), &[(mail, text("found"))]);
            let found = write(database, "person", found, vec![post("again")]);
            let row = vec![Some(text(who)), Some(text("made"))];
            let missing = insert(database, "person", &["name", "mail"], vec![row]);
            let missing = WriteKind::Insert(missing);
            let missing = write(database, "person", missing, vec![post("once"), post("twice")]);
            let choose = WriteKind::Choose {
                filter: equal(name, text(who)),
                found: Box::new(found),
                missing: Box::new(missing),
            };
            builder.write(0, write(database, "person", choose, Vec::new()), &["name", "mail"]);
            database.run(&builder.request()).await
        };
        let answers = [run("Ada").await, run("Zoe").await, run("Zoe").await].join("\n");
        format!("{answers}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"name":"Ada","mail":"found"}]}}
        {"r0":{"s1":[{"name":"Zoe","mail":"made"}]}}
        {"r0":{"s1":[{"name":"Zoe","mail":"found"}]}}
        1Ada<found> 2Ben 3Zoe<found>
        1First@1 2Second@1 3Third@2 4again@1 5once@3 6twice@3 7again@3
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn a_choice_stands_below_another_write() {
    let answer = on_each(BLOG, async |database| {
        let way = database.from("comment.post_id");
        let comment = database.field("comment.text");
        let run = async |id: i64, which: &str| {
            let mut builder = Builder::new(database);
            let found = update(equal(comment, text(which)), &[(comment, text("seen"))]);
            let found = write(database, "comment", found, Vec::new());
            let missing = insert_one(database, "comment", "text", text(which));
            let missing = write(database, "comment", missing, Vec::new());
            let choose = WriteKind::Choose {
                filter: equal(comment, text(which)),
                found: Box::new(found),
                missing: Box::new(missing),
            };
            let choose = child(way, &[], write(database, "comment", choose, Vec::new()));
            let post = equal(database.field("post.id"), super::super::builder::integer(id));
            let post = write(database, "post", update(post, &[]), vec![choose]);
            builder.write(0, post, &["id"]);
            database.run(&builder.request()).await
        };
        // The comment is there, but of another post.
        let answers = [run(1, "a").await, run(1, "c").await, run(99, "e").await].join("\n");
        format!("{answers}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":1}]}}
        {"r0":{"s1":[{"id":1}]}}
        {"r0":{"s1":[]}}
        1Ada 2Ben
        1First@1 2Second@1 3Third@2
        1seen@1 2b@1 3c@2 4d@3 5c@1
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}
