//! Inserts, updates and deletes below other writes.

use expect_test::expect;
use ir::{Conflict, Filter, Insert, WriteKind};

use super::super::builder::{
    Builder, child, equal, insert, insert_one, integer, text, update, write,
};
use super::super::on_each;
use super::{BLOG, all};

fn some(value: &str) -> Option<ir::Operand> {
    Some(text(value))
}

fn inserting(insert: Insert) -> WriteKind {
    WriteKind::Insert(insert)
}

#[tokio::test]
async fn rows_are_inserted_with_what_refers_to_them_and_what_they_refer_to() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let comments = insert(
            database,
            "comment",
            &["text"],
            vec![vec![some("x")], vec![some("y")], vec![some("z")]],
        );
        let comments = write(database, "comment", inserting(comments), Vec::new());
        let tag =
            write(database, "tag", insert_one(database, "tag", "name", text("new")), Vec::new());
        let tag = child(database.to("post_tag.tag_id"), &[], tag);
        let joins = insert(database, "post_tag", &[], vec![vec![], vec![]]);
        let joins = write(database, "post_tag", inserting(joins), vec![tag]);
        let posts = insert(database, "post", &["title"], vec![vec![some("P")], vec![None]]);
        let children = vec![
            child(database.from("comment.post_id"), &[1, 0, 1], comments),
            child(database.from("post_tag.post_id"), &[0, 1], joins),
        ];
        let posts = write(database, "post", inserting(posts), children);
        let posts = child(database.from("post.author_id"), &[1, 1], posts);
        let people = insert(
            database,
            "person",
            &["name", "mail"],
            vec![vec![some("Cy"), None], vec![some("Dee"), some("d@x")]],
        );
        let people = write(database, "person", inserting(people), vec![posts]);
        builder.write(0, people, &["id", "name", "mail"]);
        let author = insert_one(database, "person", "name", text("Eve"));
        let author = write(database, "person", author, Vec::new());
        let author = child(database.to("post.author_id"), &[], author);
        let post =
            write(database, "post", insert_one(database, "post", "title", text("E")), vec![author]);
        builder.write(1, post, &["id", "author_id"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":3,"name":"Cy","mail":null},{"id":4,"name":"Dee","mail":"d@x"}]},"r1":{"s3":[{"id":6,"author_id":5}]}}
        1Ada 2Ben 3Cy 4Dee<d@x> 5Eve
        1First@1 2Second@1 3Third@2 4P@4 5untitled@4 6E@5
        1a@1 2b@1 3c@2 4d@3 5x@5 6y@4 7z@5
        1red 2blue 3new
        1-1 1-2 2-1 4-3 5-3"#]].assert_eq(&answer);
}

#[tokio::test]
async fn rows_are_written_below_updated_ones() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let (id, title) = (database.field("post.id"), database.field("post.title"));
        let comment = database.field("comment.text");
        let new = insert(database, "comment", &["text"], vec![vec![some("n")], vec![some("m")]]);
        let new = write(database, "comment", inserting(new), Vec::new());
        let changed = update(equal(comment, text("a")), &[(comment, text("A"))]);
        let changed = write(database, "comment", changed, Vec::new());
        let gone = WriteKind::Delete { filter: equal(comment, text("b")), at_most: None };
        let gone = write(database, "comment", gone, Vec::new());
        let way = database.from("comment.post_id");
        let children = vec![child(way, &[], new), child(way, &[], changed), child(way, &[], gone)];
        let post = update(equal(id, integer(1)), &[(title, text("1st"))]);
        builder.write(0, write(database, "post", post, children), &["id", "title"]);
        // Of nothing is written what hangs on it.
        let none = write(
            database,
            "comment",
            insert_one(database, "comment", "text", text("no")),
            Vec::new(),
        );
        let post = update(equal(id, integer(99)), &[(title, text("none"))]);
        builder.write(1, write(database, "post", post, vec![child(way, &[], none)]), &["id"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":1,"title":"1st"}]},"r1":{"s3":[]}}
        1Ada 2Ben
        11st@1 2Second@1 3Third@2
        1A@1 3c@2 4d@3 5n@1 6m@1
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn writes_go_down_at_any_depth() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let person = database.field("person.id");
        // Each new post has comments of its own.
        let comments = insert(
            database,
            "comment",
            &["text"],
            vec![vec![some("p")], vec![some("q")], vec![some("r")]],
        );
        let comments = write(database, "comment", inserting(comments), Vec::new());
        let posts = insert(database, "post", &["title"], vec![vec![some("U")], vec![some("V")]]);
        let below = vec![child(database.from("comment.post_id"), &[1, 0, 0], comments)];
        let posts = write(database, "post", inserting(posts), below);
        // All comments of the posts of the person are changed, and the author of their posts.
        let text_of = database.field("comment.text");
        let all_comments = update(Filter::all(), &[(text_of, text("same"))]);
        let all_comments = write(database, "comment", all_comments, Vec::new());
        let below = vec![child(database.from("comment.post_id"), &[], all_comments)];
        let old = update(equal(database.field("post.title"), text("First")), &[]);
        let old = write(database, "post", old, below);
        let way = database.from("post.author_id");
        let ada = update(equal(person, integer(1)), &[]);
        let children = vec![child(way, &[], posts), child(way, &[], old)];
        builder.write(0, write(database, "person", ada, children), &["name"]);
        // From a comment to its post, and on to the author.
        let name = database.field("person.name");
        let author = update(Filter::all(), &[(name, text("Benjamin"))]);
        let author = write(database, "person", author, Vec::new());
        let post = update(Filter::all(), &[]);
        let post =
            write(database, "post", post, vec![child(database.to("post.author_id"), &[], author)]);
        let comment = update(equal(database.field("comment.id"), integer(4)), &[]);
        let below = vec![child(database.to("comment.post_id"), &[], post)];
        builder.write(1, write(database, "comment", comment, below), &["text"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"name":"Ada"}]},"r1":{"s3":[{"text":"d"}]}}
        1Ada 2Benjamin
        1First@1 2Second@1 3Third@2 4U@1 5V@1
        1same@1 2same@1 3c@2 4d@3 5q@4 6r@4 7p@5
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn an_updated_row_refers_to_a_new_one() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let id = database.field("post.id");
        let author = || {
            let author = insert_one(database, "person", "name", text("New"));
            child(database.to("post.author_id"), &[], write(database, "person", author, Vec::new()))
        };
        let post = update(equal(id, integer(3)), &[]);
        builder.write(0, write(database, "post", post, vec![author()]), &["id", "author_id"]);
        let first = database.run(&builder.request()).await;
        let mut builder = Builder::new(database);
        let nothing = update(equal(id, integer(99)), &[]);
        let person = insert_one(database, "person", "name", text("Lost"));
        let person = write(database, "person", person, Vec::new());
        let person = child(database.to("post.author_id"), &[], person);
        builder.write(0, write(database, "post", nothing, vec![person]), &["id"]);
        let second = database.run(&builder.request()).await;
        format!("{first}\n{second}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":3,"author_id":3}]}}
        {"r0":null}
        [Name("r0")]: Missing: A row that others are to be connected with is not there.
        1Ada 2Ben 3New
        1First@1 2Second@1 3Third@3
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

/// Of a row that stays as it is nothing is written below.
#[tokio::test]
async fn rows_below_others_may_be_left_as_they_are() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let comments = vec![vec![some("of P")], vec![some("of First")], vec![some("of Q")]];
        let comments = insert(database, "comment", &["text"], comments);
        let comments = write(database, "comment", inserting(comments), Vec::new());
        let comments = child(database.from("comment.post_id"), &[0, 1, 2], comments);
        let rows = [(8, "P"), (1, "First"), (9, "Q")];
        let rows = rows.map(|(id, title)| vec![Some(integer(id)), some(title)]);
        let kind = WriteKind::Upsert {
            insert: insert(database, "post", &["id", "title"], rows.to_vec()),
            conflict: Conflict {
                key: vec![database.field("post.id")],
                assignments: Vec::new(),
                filter: Filter::all(),
            },
        };
        let posts = write(database, "post", kind, vec![comments]);
        let posts = child(database.from("post.author_id"), &[0, 1, 1], posts);
        let people = vec![vec![some("Cy")], vec![some("Dee")]];
        let people = insert(database, "person", &["name"], people);
        let people = write(database, "person", inserting(people), vec![posts]);
        builder.write(0, people, &["id", "name"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":3,"name":"Cy"},{"id":4,"name":"Dee"}]}}
        1Ada 2Ben 3Cy 4Dee
        1First@1 2Second@1 3Third@2 8P@3 9Q@4
        1a@1 2b@1 3c@2 4d@3 5of P@8 6of Q@9
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}
