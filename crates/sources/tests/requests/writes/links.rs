//! Changes of relationships.

use expect_test::expect;
use ir::{Conflict, ExistingLink, Filter, Hop, Otherwise, OtherwiseKind, WriteKind};

use super::super::builder::{
    Builder, child, equal, insert, insert_one, integer, text, update, write,
};
use super::super::database::Database;
use super::super::on_each;
use super::{BLOG, all};

fn link(filter: Filter) -> WriteKind {
    WriteKind::Link { filter, existing: ExistingLink::Keep }
}

/// An update of one post that changes nothing but what it is linked to.
fn of_post(
    builder: &mut Builder<'_>,
    root: u32,
    id: i64,
    (hop, entity, kinds): (Hop, &str, Vec<WriteKind>),
) {
    let database = builder.database;
    let children = kinds
        .into_iter()
        .map(|kind| child(hop, &[], write(database, entity, kind, Vec::new())))
        .collect();
    let post = update(equal(database.field("post.id"), integer(id)), &[]);
    builder.write(root, write(database, "post", post, children), &["id"]);
}

fn titled(database: &Database, title: &str) -> Filter {
    equal(database.field("post.title"), text(title))
}

fn named(database: &Database, name: &str) -> Filter {
    equal(database.field("person.name"), text(name))
}

#[tokio::test]
async fn rows_begin_and_cease_to_refer_to_a_row() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let way = database.from("post.author_id");
        let mut of_person = |root, id, kind| {
            let posts = child(way, &[], write(database, "post", kind, Vec::new()));
            let person = update(equal(database.field("person.id"), integer(id)), &[]);
            builder.write(root, write(database, "person", person, vec![posts]), &["name"]);
        };
        of_person(0, 1, link(titled(database, "Third")));
        of_person(1, 1, WriteKind::Unlink { filter: titled(database, "Second") });
        of_person(2, 2, WriteKind::SetLinks { filter: titled(database, "Second") });
        of_person(3, 99, link(titled(database, "First")));
        let rows = vec![vec![Some(text("Cy"))], vec![Some(text("Dee"))]];
        let people = insert(database, "person", &["name"], rows);
        let posts = write(database, "post", link(titled(database, "First")), Vec::new());
        let people =
            write(database, "person", WriteKind::Insert(people), vec![child(way, &[1], posts)]);
        builder.write(4, people, &["id", "name"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"name":"Ada"}]},"r1":{"s3":[{"name":"Ada"}]},"r2":{"s5":[{"name":"Ben"}]},"r3":{"s7":[]},"r4":{"s9":[{"id":3,"name":"Cy"},{"id":4,"name":"Dee"}]}}
        1Ada 2Ben 3Cy 4Dee
        1First@4 2Second@2 3Third@1
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_row_begins_and_ceases_to_refer_to_others() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let way = database.to("post.author_id");
        let ben = || named(database, "Ben");
        let nobody = || named(database, "Nobody");
        of_post(&mut builder, 0, 1, (way, "person", vec![link(ben()), link(nobody())]));
        of_post(&mut builder, 1, 2, (way, "person", vec![WriteKind::Unlink { filter: ben() }]));
        let filter = Filter::all();
        of_post(&mut builder, 2, 3, (way, "person", vec![WriteKind::Unlink { filter }]));
        let post = |name: Filter| {
            let author = child(way, &[], write(database, "person", link(name), Vec::new()));
            write(database, "post", insert_one(database, "post", "title", text("L")), vec![author])
        };
        builder.write(3, post(ben()), &["author_id"]);
        builder.write(4, post(nobody()), &["author_id"]);
        let filter = nobody();
        of_post(&mut builder, 5, 2, (way, "person", vec![WriteKind::SetLinks { filter }]));
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":1}]},"r1":{"s3":[{"id":2}]},"r2":{"s5":[{"id":3}]},"r3":{"s7":[{"author_id":2}]},"r4":{"s9":[{"author_id":null}]},"r5":{"s11":[{"id":2}]}}
        1Ada 2Ben
        1First@2 2Second 3Third 4L@2 5L
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_link_may_be_refused_where_it_is_there() {
    let answer = on_each(BLOG, async |database| {
        let existing = || ExistingLink::Refuse(Otherwise::new(OtherwiseKind::Invalid, "linked"));
        let back = |filter| WriteKind::Link { filter, existing: existing() };
        let run = async |hop: Hop, (entity, id): (&str, i64), (below, kind): (&str, WriteKind)| {
            let mut builder = Builder::new(database);
            let linked = child(hop, &[], write(database, below, kind, Vec::new()));
            let key = database.field(&format!("{entity}.id"));
            let outer = update(equal(key, integer(id)), &[]);
            builder.write(0, write(database, entity, outer, vec![linked]), &["id"]);
            database.run(&builder.request()).await
        };
        let (down, up) = (database.from("post.author_id"), database.to("post.author_id"));
        let third = || ("post", back(titled(database, "Third")));
        let ben = || ("person", back(named(database, "Ben")));
        let answers = [
            run(down, ("person", 1), third()).await,
            run(down, ("person", 1), third()).await,
            run(up, ("post", 1), ben()).await,
            run(up, ("post", 1), ben()).await,
        ];
        format!("{}\n{}", answers.join("\n"), all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":1}]}}
        {"r0":null}
        [Name("r0")]: Input: linked
        {"r0":{"s1":[{"id":1}]}}
        {"r0":null}
        [Name("r0")]: Input: linked
        1Ada 2Ben
        1First@2 2Second@1 3Third@1
        1a@1 2b@1 3c@2 4d@3
        1red 2blue
        1-1 1-2 2-1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn a_row_is_linked_or_inserted() {
    let answer = on_each(BLOG, async |database| {
        let mut builder = Builder::new(database);
        let name = database.field("person.name");
        let person = |who: &str| WriteKind::LinkOrInsert {
            insert: insert(database, "person", &["name"], vec![vec![Some(text(who))]]),
            conflict: Conflict { key: vec![name], assignments: Vec::new(), filter: Filter::all() },
        };
        let way = database.to("post.author_id");
        let post = |who: &str| {
            let author = child(way, &[], write(database, "person", person(who), Vec::new()));
            write(database, "post", insert_one(database, "post", "title", text(who)), vec![author])
        };
        builder.write(0, post("Ben"), &["id", "author_id"]);
        builder.write(1, post("Zoe"), &["title"]);
        // By the table that joins them: the tag is found or made, the join is made.
        let tag_name = database.field("tag.name");
        let tags = WriteKind::LinkOrInsert {
            insert: insert(
                database,
                "tag",
                &["name"],
                vec![vec![Some(text("blue"))], vec![Some(text("green"))]],
            ),
            conflict: Conflict {
                key: vec![tag_name],
                assignments: Vec::new(),
                filter: Filter::all(),
            },
        };
        let tags = child(
            database.to("post_tag.tag_id"),
            &[0, 1],
            write(database, "tag", tags, Vec::new()),
        );
        let joins = insert(database, "post_tag", &[], vec![vec![], vec![]]);
        let joins = write(database, "post_tag", WriteKind::Insert(joins), vec![tags]);
        let gone = WriteKind::Delete { filter: Filter::all(), at_most: None };
        let gone = write(database, "post_tag", gone, Vec::new());
        let way = database.from("post_tag.post_id");
        let post = update(equal(database.field("post.id"), integer(2)), &[]);
        let children = vec![child(way, &[], gone), child(way, &[], joins)];
        builder.write(2, write(database, "post", post, children), &["id"]);
        let answer = database.run(&builder.request()).await;
        let joined = "select p.title || '-' || t.name from post_tag j
            join post p on p.id = j.post_id join tag t on t.id = j.tag_id order by 1";
        let people = "select p.title || '-' || a.name from post p
            left join person a on a.id = p.author_id order by 1";
        format!("{answer}\n{}\n{}", database.query(joined), database.query(people))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"id":4,"author_id":2}]},"r1":{"s3":[{"title":"Zoe"}]},"r2":{"s5":[{"id":2}]}}
        First-blue First-red Second-blue Second-green
        Ben-Ben First-Ada Second-Ada Third-Ben Zoe-Zoe"#]]
    .assert_eq(&answer);
}
