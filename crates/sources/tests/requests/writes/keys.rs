//! Keys of several fields, of texts, and of many rows.

use expect_test::expect;
use ir::{ExistingLink, ExpectedLinks, Filter, Otherwise, OtherwiseKind, Write, WriteKind};

use super::super::builder::{
    Builder, child, compare, equal, insert, insert_one, integer, text, update, write,
};
use super::super::database::Database;
use super::super::on_each;

/// Places in halls, and what stands there.
const HALLS: &str = r#"
    create table place (
        hall text not null, number integer not null, label text, primary key (hall, number)
    );
    create table thing (
        id {key}, name text not null, hall text, number integer,
        foreign key (hall, number) references place
    );
    insert into place values ('north', 1, 'door'), ('north', 2, 'wall'), ('"so,uth"', 1, null);
    insert into thing (name, hall, number) values
        ('lamp', 'north', 1), ('desk', 'north', 2), ('box', '"so,uth"', 1);"#;

fn all(database: &Database) -> String {
    let places = "select hall || number || coalesce(label, '-') from place order by 1";
    let things = "select name || coalesce('@' || hall || number, '') from thing order by id";
    [places, things].map(|table| database.query(table)).join("\n")
}

#[tokio::test]
async fn rows_hang_on_each_of_several_rows_by_all_fields_of_their_key() {
    let answer = on_each(HALLS, async |database| {
        let mut builder = Builder::new(database);
        let way = database.from("thing.hall,number");
        let label = database.field("place.label");
        let number = database.field("place.number");
        let name = database.field("thing.name");
        let new = insert_one(database, "thing", "name", text("new"));
        let new = child(way, &[], write(database, "thing", new, Vec::new()));
        let renamed = update(equal(name, text("box")), &[(name, text("chest"))]);
        let renamed = child(way, &[], write(database, "thing", renamed, Vec::new()));
        let gone = WriteKind::Delete { filter: equal(name, text("desk")), at_most: None };
        let gone = child(way, &[], write(database, "thing", gone, Vec::new()));
        let places = update(equal(number, integer(1)), &[(label, text("seen"))]);
        let places = write(database, "place", places, vec![new, renamed, gone]);
        builder.write(0, places, &["label"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"label":"seen"},{"label":"seen"}]}}
        "so,uth"1seen north1seen north2wall
        lamp@north1 desk@north2 chest@"so,uth"1 new@north1 new@"so,uth"1"#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn each_inserted_row_has_a_row_below_it() {
    let answer = on_each(HALLS, async |database| {
        let mut builder = Builder::new(database);
        let way = database.from("thing.hall,number");
        let row = |hall: &str, number| vec![Some(text(hall)), Some(integer(number))];
        let places = vec![row("east", 1), row("east", 2), row("west", 1)];
        let places = insert(database, "place", &["hall", "number"], places);
        let each = insert_one(database, "thing", "name", text("each"));
        let each = child(way, &[], write(database, "thing", each, Vec::new()));
        let second = insert_one(database, "thing", "name", text("second"));
        let second = child(way, &[1], write(database, "thing", second, Vec::new()));
        let found = equal(database.field("thing.name"), text("lamp"));
        let link = WriteKind::Link { filter: found, existing: ExistingLink::Link };
        let link = child(way, &[2], write(database, "thing", link, Vec::new()));
        let otherwise = Otherwise::new(OtherwiseKind::Invalid, "too many");
        let expect = WriteKind::Expect { links: ExpectedLinks::OneOrNone, otherwise };
        let expect = child(way, &[0], write(database, "thing", expect, Vec::new()));
        let number = database.field("place.number");
        let check = compare(number, ir::Comparison::Less, integer(3));
        let children = vec![each, second, link, expect];
        let places = write(database, "place", WriteKind::Insert(places), children);
        builder.write(0, Write { check, ..places }, &["hall", "number"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"hall":"east","number":1},{"hall":"east","number":2},{"hall":"west","number":1}]}}
        "so,uth"1- east1- east2- north1door north2wall west1-
        lamp@west1 desk@north2 box@"so,uth"1 each@east1 each@east2 each@west1 second@east2"#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_row_refers_by_all_fields_of_a_key() {
    let answer = on_each(HALLS, async |database| {
        let mut builder = Builder::new(database);
        let way = database.to("thing.hall,number");
        let wall = equal(database.field("place.label"), text("wall"));
        let link = |parents: &[u32]| {
            let link = WriteKind::Link { filter: wall.clone(), existing: ExistingLink::Link };
            child(way, parents, write(database, "place", link, Vec::new()))
        };
        let thing = |id| update(equal(database.field("thing.id"), integer(id)), &[]);
        let rows = vec![vec![Some(text("one"))], vec![Some(text("two"))]];
        let things = WriteKind::Insert(insert(database, "thing", &["name"], rows));
        let things = write(database, "thing", things, vec![link(&[1])]);
        builder.write(0, things, &["name", "hall", "number"]);
        builder.write(1, write(database, "thing", thing(1), vec![link(&[])]), &["name"]);
        let unlink = WriteKind::Unlink { filter: Filter::all() };
        let unlink = child(way, &[], write(database, "place", unlink, Vec::new()));
        builder.write(2, write(database, "thing", thing(2), vec![unlink]), &["name"]);
        let new = vec![vec![Some(text("attic")), Some(integer(7))]];
        let new = WriteKind::Insert(insert(database, "place", &["hall", "number"], new));
        let new = child(way, &[], write(database, "place", new, Vec::new()));
        builder.write(3, write(database, "thing", thing(3), vec![new]), &["hall", "number"]);
        let answer = database.run(&builder.request()).await;
        format!("{answer}\n{}", all(database))
    })
    .await;
    expect![[r#"
        {"r0":{"s1":[{"name":"one","hall":null,"number":null},{"name":"two","hall":"north","number":2}]},"r1":{"s3":[{"name":"lamp"}]},"r2":{"s5":[{"name":"desk"}]},"r3":{"s7":[{"hall":"attic","number":7}]}}
        "so,uth"1- attic7- north1door north2wall
        lamp@north2 desk box@attic7 one two@north2"#]].assert_eq(&answer);
}

#[tokio::test]
async fn what_cannot_be_done_is_refused() {
    let answer = on_each(HALLS, async |database| {
        let way = database.from("thing.hall,number");
        let refused = |write: Write, shown: &str| {
            let mut builder = Builder::new(database);
            builder.write(0, write, &[shown]);
            database.refusal(&builder.request()).to_string()
        };
        let places = |children| {
            let label = database.field("place.label");
            let number = equal(database.field("place.number"), integer(1));
            write(database, "place", update(number, &[(label, text("x"))]), children)
        };
        let link = WriteKind::Link { filter: Filter::all(), existing: ExistingLink::Link };
        let link = child(way, &[], write(database, "thing", link, Vec::new()));
        let new = insert_one(database, "thing", "name", text("new"));
        let new = child(way, &[], write(database, "thing", new, Vec::new()));
        let gone = WriteKind::Delete { filter: Filter::all(), at_most: Some(integer(9)) };
        let mut edge = new.clone();
        edge.edge = vec![(database.field("place.label"), ir::Assignment::Set(text("e")))];
        let unlink = WriteKind::Unlink { filter: Filter::all() };
        [
            refused(places(vec![link]), "label"),
            refused(write(database, "place", gone, vec![new]), "label"),
            refused(places(vec![edge]), "label"),
            refused(write(database, "thing", unlink, Vec::new()), "name"),
        ]
        .join("\n")
    })
    .await;
    expect![[r#"
        This source cannot do this yet: links of rows to several others.
        This source cannot do this yet: writes below a delete.
        This source cannot do this yet: properties of a relationship.
        This source cannot do this yet: a change of a relationship of no row."#]]
    .assert_eq(&answer);
}
