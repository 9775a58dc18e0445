//! Rows of several entities in one list.

use expect_test::expect;
use ir::{
    AggregateFunction, AggregateTerm, Filter, Form, From, Hop, OutputKind, Page, Rows, ValueRef,
    Variant,
};

use super::builder::{Builder, ascending, compare, descending, integer, order, page, related};
use super::database::Database;
use super::on_each;

const LIBRARY: &str = "
    create table person (id {key}, name text not null);
    create table book (
        id {key}, title text not null, year integer, author_id integer references person,
        isbn text
    );
    create table film (
        id {key}, name text not null, year integer, director_id integer references person,
        minutes integer, price numeric(5, 2)
    );
    create table scene (id {key}, film_id integer references film, place text);
    insert into person (name) values ('Ada'), ('Ben'), ('Cy');
    insert into book (title, year, author_id, isbn) values
        ('Emma', 1815, 1, 'e'), ('Ulysses', 1922, 2, 'u'), ('Zeno', null, 1, null);
    insert into film (name, year, director_id, minutes, price) values
        ('Metropolis', 1927, 1, 153, 9.50), ('Vertigo', 1958, null, 128, 7);
    insert into scene (film_id, place) values (1, 'city'), (1, 'engine'), (2, 'tower');";

/// Books and films, with what is asked of each; as many as a way leads to, if one does.
fn works(
    builder: &mut Builder<'_>,
    ways: Option<(Hop, Hop)>,
    (of_books, of_films): (Vec<OutputKind>, Vec<OutputKind>),
) -> Vec<Variant> {
    let database = builder.database;
    let common = |entity: &str, title: &str| {
        let field = |name: &str| database.field(&format!("{entity}.{name}"));
        vec![field(title), field("year")]
    };
    let book = Variant {
        entity: database.entity("book"),
        hop: ways.map(|(book, _)| book),
        through: None,
        filter: Filter::all(),
        common: common("book", "title"),
        outputs: builder.outputs(of_books),
    };
    let film = Variant {
        entity: database.entity("film"),
        hop: ways.map(|(_, film)| film),
        through: None,
        filter: Filter::all(),
        common: common("film", "name"),
        outputs: builder.outputs(of_films),
    };
    vec![book, film]
}

fn commons() -> Vec<OutputKind> {
    let common = |place| OutputKind::Common { place, form: Form::Stored };
    vec![common(0), common(1), OutputKind::Variant]
}

fn by_year() -> Vec<ir::OrderTerm> {
    let by = |place| order(ValueRef::Common(place), ir::Direction::Descending, ir::Nulls::Last);
    vec![by(1), by(0)]
}

fn scenes(builder: &mut Builder<'_>, database: &Database) -> OutputKind {
    let outputs = builder.fields("scene", &["place"]);
    let scenes = builder.rows(From::Relation(database.from("scene.film_id")), outputs);
    let order = vec![descending(database.field("scene.place"))];
    related(Rows { order, ..scenes })
}

#[tokio::test]
async fn entities_share_an_order_and_a_page() {
    let answer = on_each(LIBRARY, async |database| {
        let mut builder = Builder::new(database);
        let mut of_books = builder.fields("book", &["isbn"]);
        of_books.push(OutputKind::Field {
            path: vec![database.to("book.author_id")],
            field: database.field("person.name"),
            form: Form::Stored,
        });
        let mut of_films = builder.fields("film", &["minutes", "price"]);
        of_films.push(scenes(&mut builder, database));
        let variants = works(&mut builder, None, (of_books, of_films));
        let rows = builder.rows(From::Variants(variants), commons());
        builder.read(0, Rows { order: by_year(), page: page(3, 1), ..rows });
        let mut filtered = works(&mut builder, None, (Vec::new(), Vec::new()));
        let year = database.field("film.year");
        filtered[1].filter = compare(year, ir::Comparison::Greater, integer(1950));
        let mut outputs = commons();
        outputs.push(OutputKind::Count);
        let filtered = builder.rows(From::Variants(filtered), outputs);
        builder.read(1, Rows { order: by_year(), ..filtered });
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"common0":"Metropolis","common1":1927,"own":{"minutes":153,"price":"9.5","rows0":[{"place":"engine"},{"place":"city"}]}},{"common0":"Ulysses","common1":1922,"own":{"isbn":"u","its_name":"Ben"}},{"common0":"Emma","common1":1815,"own":{"isbn":"e","its_name":"Ada"}}]},"r1":{"s1":[{"common0":"Vertigo","common1":1958,"own":{}},{"common0":"Ulysses","common1":1922,"own":{}},{"common0":"Emma","common1":1815,"own":{}},{"common0":"Zeno","common1":null,"own":{}}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn the_first_rows_are_the_first_of_each_entity() {
    let answer = on_each(LIBRARY, async |database| {
        let mut builder = Builder::new(database);
        let of_books = builder.fields("book", &["isbn"]);
        let of_films = vec![scenes(&mut builder, database)];
        let variants = works(&mut builder, None, (of_books, of_films));
        let rows = builder.rows(From::Variants(variants), commons());
        let limit = Some(integer(2));
        let page = Page::Offset { limit: limit.clone(), offset: None, look_ahead: true };
        builder.read(0, Rows { order: by_year(), page, ..rows });
        let ways = (database.from("book.author_id"), database.from("film.director_id"));
        let variants = works(&mut builder, Some(ways), (Vec::new(), Vec::new()));
        let rows = builder.rows(From::Variants(variants), commons());
        let page = Page::Offset { limit, offset: None, look_ahead: false };
        let rows = Rows { order: by_year(), page, ..rows };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.push(related(rows));
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        let people = Rows { order: vec![ascending(database.field("person.id"))], ..people };
        builder.read(1, people);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"common0":"Vertigo","common1":1958,"own":{"rows0":[{"place":"tower"}]}},{"common0":"Metropolis","common1":1927,"own":{"rows0":[{"place":"engine"},{"place":"city"}]}}]},"r1":{"s1":[{"name":"Ada","rows2":[{"common0":"Metropolis","common1":1927,"own":{}},{"common0":"Emma","common1":1815,"own":{}}]},{"name":"Ben","rows2":[{"common0":"Ulysses","common1":1922,"own":{}}]},{"name":"Cy","rows2":[]}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn each_parent_has_a_list_of_several_entities() {
    let answer = on_each(LIBRARY, async |database| {
        let mut builder = Builder::new(database);
        let ways = (database.from("book.author_id"), database.from("film.director_id"));
        let of_books = builder.fields("book", &["isbn"]);
        let of_films = vec![scenes(&mut builder, database)];
        let variants = works(&mut builder, Some(ways), (of_books, of_films));
        let rows = builder.rows(From::Variants(variants), commons());
        let rows = Rows { order: by_year(), page: page(2, 0), ..rows };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.push(related(rows));
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        let people = Rows { order: vec![ascending(database.field("person.id"))], ..people };
        builder.read(0, people);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"name":"Ada","rows1":[{"common0":"Metropolis","common1":1927,"own":{"rows0":[{"place":"engine"},{"place":"city"}]}},{"common0":"Emma","common1":1815,"own":{"isbn":"e"}}]},{"name":"Ben","rows1":[{"common0":"Ulysses","common1":1922,"own":{"isbn":"u"}}]},{"name":"Cy","rows1":[]}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn values_are_made_of_rows_of_several_entities() {
    let answer = on_each(LIBRARY, async |database| {
        let mut builder = Builder::new(database);
        let value = |builder: &mut Builder<'_>, paged| {
            let sum = (AggregateFunction::Sum, Some(database.field("book.year")));
            let OutputKind::Aggregate(mut aggregate) =
                builder.aggregate(paged, &[(AggregateFunction::Count, None), sum])
            else {
                panic!("no aggregate")
            };
            let of_common = |term: &mut AggregateTerm| term.place = Some(ValueRef::Common(1));
            aggregate.terms.iter_mut().skip(1).for_each(of_common);
            OutputKind::Aggregate(aggregate)
        };
        let outputs = vec![value(&mut builder, false), value(&mut builder, true)];
        let variants = works(&mut builder, None, (Vec::new(), Vec::new()));
        let rows = builder.rows(From::Variants(variants), outputs);
        builder.read(0, Rows { order: by_year(), page: page(2, 1), shown: false, ..rows });
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"all":{"Count_rows":"5","Sum_common":"7622"},"page":{"Count_rows":"2","Sum_common":"3849"}}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_common_field_has_one_type() {
    let answer = on_each(LIBRARY, async |database| {
        let mut builder = Builder::new(database);
        let mut variants = works(&mut builder, None, (Vec::new(), Vec::new()));
        variants[1].common.swap(0, 1);
        let rows = builder.rows(From::Variants(variants), Vec::new());
        builder.read(0, rows);
        database.refusal(&builder.request()).to_string()
    })
    .await;
    expect!["This source cannot do this yet: a common field of different types."]
        .assert_eq(&answer);
}
