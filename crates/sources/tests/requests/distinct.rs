//! Distinct rows.

use expect_test::expect;
use ir::{AggregateFunction, Comparison, Filter, From, Operand, OutputKind, Rows, Value, ValueRef};

use super::builder::{Builder, ascending, compare, descending, integer, order, page, related};
use super::on_each;

pub(super) const SHOP: &str = "
    create table person (id {key}, name text not null);
    create table bill (
        id {key}, person_id integer references person, town text, price integer not null
    );
    insert into person (name) values ('Ada'), ('Ben'), ('Cy');
    insert into bill (person_id, town, price) values
        (1, 'Rome', 5), (1, 'Oslo', 7), (1, 'Rome', 9), (2, null, 1), (2, null, 2), (2, 'Oslo', 3),
        (null, 'Rome', 20);";

#[tokio::test]
async fn of_rows_that_agree_the_first_in_the_order_is_shown() {
    let answer = on_each(SHOP, async |database| {
        let mut builder = Builder::new(database);
        let (town, price) = (database.field("bill.town"), database.field("bill.price"));
        let rows = builder.entity("bill", &["id", "town", "price"]);
        let rows = Rows { distinct: vec![town], order: vec![descending(price)], ..rows };
        let filtered = builder.entity("bill", &["id"]);
        let filtered = Rows {
            distinct: vec![town],
            filter: compare(price, Comparison::Less, integer(9)),
            order: vec![ascending(town), ascending(price)],
            page: page(2, 1),
            id: filtered.id,
            ..filtered
        };
        builder.read(0, rows);
        builder.read(0, filtered);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"id":7,"town":"Rome","price":20},{"id":2,"town":"Oslo","price":7},{"id":5,"town":null,"price":2}],"s1":[{"id":1},{"id":4}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn each_parent_has_distinct_rows_of_its_own() {
    let answer = on_each(SHOP, async |database| {
        let mut builder = Builder::new(database);
        let (town, price) = (database.field("bill.town"), database.field("bill.price"));
        let outputs = builder.fields("bill", &["town", "price"]);
        let bills = builder.rows(From::Relation(database.from("bill.person_id")), outputs);
        let bills = Rows { distinct: vec![town], order: vec![ascending(price)], ..bills };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.push(related(bills));
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        let people = Rows { order: vec![ascending(database.field("person.id"))], ..people };
        builder.read(0, people);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"name":"Ada","rows0":[{"town":"Rome","price":5},{"town":"Oslo","price":7}]},{"name":"Ben","rows0":[{"town":null,"price":1},{"town":"Oslo","price":3}]},{"name":"Cy","rows0":[]}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn orders_and_counts_are_of_the_distinct_rows() {
    let answer = on_each(SHOP, async |database| {
        let mut builder = Builder::new(database);
        let (town, price) = (database.field("bill.town"), database.field("bill.price"));
        let to_person = vec![database.to("bill.person_id")];
        let name = ValueRef::Field { path: to_person, field: database.field("person.name") };
        let by_name = order(name, ir::Direction::Descending, ir::Nulls::Last);
        let rows = builder.entity("bill", &["id"]);
        let order = vec![by_name, ascending(database.field("bill.id"))];
        builder.read(0, Rows { distinct: vec![town], order: order.clone(), ..rows });
        let sum = builder.aggregate(
            false,
            &[(AggregateFunction::Count, None), (AggregateFunction::Sum, Some(price))],
        );
        let counted =
            builder.rows(From::Entity(database.entity("bill")), vec![OutputKind::Count, sum]);
        let order = vec![descending(price)];
        builder.read(0, Rows { distinct: vec![town], order, shown: false, ..counted });
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"id":4},{"id":6},{"id":1}],"count":3,"all":{"Count_rows":"3","Sum_price":"29"}}}"#]].assert_eq(&answer);
}

const VOTES: &str = "
    create table person (id {key}, name text not null);
    create table vote (
        id {key}, person_id integer references person, is_for boolean, points integer,
        weight double precision
    );
    insert into person (name) values ('Ada'), ('Ben'), ('Cy');
    insert into vote (person_id, is_for, points, weight) values
        (1, true, 5, 0.5), (1, true, 5, 0.5), (1, true, 2, 1.5), (2, true, 4, 2.5), (2, false, 4, 2.5),
        (2, null, null, null);";

#[tokio::test]
async fn values_are_aggregated_once_and_truths_together() {
    let answer = on_each(VOTES, async |database| {
        let mut builder = Builder::new(database);
        let (is_for, points) = (database.field("vote.is_for"), database.field("vote.points"));
        let weight = database.field("vote.weight");
        let mut aggregate = builder.aggregate(
            false,
            &[
                (AggregateFunction::All, Some(is_for)),
                (AggregateFunction::Any, Some(is_for)),
                (AggregateFunction::Sum, Some(points)),
                (AggregateFunction::Average, Some(points)),
                (AggregateFunction::Average, Some(weight)),
            ],
        );
        let OutputKind::Aggregate(made) = &mut aggregate else { panic!() };
        for term in made.terms.iter_mut().skip(2) {
            term.place = term.place.take().map(|place| ValueRef::Distinct(Box::new(place)));
        }
        let outputs = builder.outputs(vec![aggregate]);
        let votes = builder.rows(From::Relation(database.from("vote.person_id")), Vec::new());
        let votes = Rows { shown: false, outputs, ..votes };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.push(related(votes));
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        builder.read(0, Rows { order: vec![ascending(database.field("person.id"))], ..people });
        let grouped = |function, place, operand| {
            let place = Box::new(ValueRef::Distinct(Box::new(ValueRef::field(place))));
            Filter::RelatedGroup {
                hop: database.from("vote.person_id"),
                filter: Box::new(Filter::all()),
                having: Box::new(Filter::Compare {
                    place: ValueRef::Aggregated { function, place },
                    comparison: Comparison::Equal,
                    operand,
                }),
                once: false,
            }
        };
        let truth = |value| Operand::Constant(Value::Boolean(value));
        for filter in [
            grouped(AggregateFunction::All, is_for, truth(true)),
            grouped(AggregateFunction::All, is_for, truth(false)),
            grouped(AggregateFunction::Any, is_for, truth(true)),
            grouped(AggregateFunction::Sum, points, integer(7)),
            grouped(AggregateFunction::Average, points, integer(4)),
        ] {
            let people = builder.entity("person", &["name"]);
            let order = vec![ascending(database.field("person.id"))];
            builder.read(1, Rows { filter, order, ..people });
        }
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"name":"Ada","rows0":{"all":{"All_is_for":true,"Any_is_for":true,"Sum_common":"7","Average_common":"3.5","Average_common":"1"}}},{"name":"Ben","rows0":{"all":{"All_is_for":false,"Any_is_for":true,"Sum_common":"4","Average_common":"4","Average_common":"2.5"}}},{"name":"Cy","rows0":{"all":{"All_is_for":null,"Any_is_for":null,"Sum_common":null,"Average_common":null,"Average_common":null}}}]},"r1":{"s1":[{"name":"Ada"}],"s2":[{"name":"Ben"}],"s3":[{"name":"Ada"},{"name":"Ben"}],"s4":[{"name":"Ada"}],"s5":[{"name":"Ben"}]}}"#]].assert_eq(&answer);
}
