//! Pages behind a row, and values of the rows of a page.

use expect_test::expect;
use ir::{AggregateFunction, BesideRows, Direction, From, Nulls, OutputKind, Page, Rows, ValueRef};

use super::builder::{Builder, ascending, descending, integer, order, page, related};
use super::distinct::SHOP;
use super::on_each;

fn beside(rows: BesideRows) -> Page {
    Page::BesideRows(Box::new(rows))
}

#[tokio::test]
async fn a_page_begins_behind_a_row() {
    let answer = on_each(SHOP, async |database| {
        let (id, town) = (database.field("bill.id"), database.field("bill.town"));
        let mut builder = Builder::new(database);
        let after = |builder: &mut Builder<'_>, key: i64, direction, nulls| {
            let rows = builder.entity("bill", &["id", "town"]);
            let key = vec![(id, integer(key))];
            let page = beside(BesideRows {
                after: Some(key),
                limit: Some(integer(3)),
                ..BesideRows::default()
            });
            let by_town = order(ValueRef::field(town), direction, nulls);
            let rows = Rows { order: vec![by_town, ascending(id)], page, ..rows };
            builder.read(0, rows);
        };
        after(&mut builder, 6, Direction::Ascending, Nulls::Last);
        after(&mut builder, 7, Direction::Ascending, Nulls::Last);
        after(&mut builder, 5, Direction::Ascending, Nulls::First);
        after(&mut builder, 4, Direction::Descending, Nulls::Last);
        after(&mut builder, 7, Direction::Descending, Nulls::Last);
        after(&mut builder, 99, Direction::Ascending, Nulls::Last);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"id":1,"town":"Rome"},{"id":3,"town":"Rome"},{"id":7,"town":"Rome"}],"s1":[{"id":4,"town":null},{"id":5,"town":null}],"s2":[{"id":2,"town":"Oslo"},{"id":6,"town":"Oslo"},{"id":1,"town":"Rome"}],"s3":[{"id":5,"town":null}],"s4":[{"id":2,"town":"Oslo"},{"id":6,"town":"Oslo"},{"id":4,"town":null}],"s5":[]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn each_parent_has_a_page_behind_a_row() {
    let answer = on_each(SHOP, async |database| {
        let (id, price) = (database.field("bill.id"), database.field("bill.price"));
        let mut builder = Builder::new(database);
        let outputs = builder.fields("bill", &["id"]);
        let bills = builder.rows(From::Relation(database.from("bill.person_id")), outputs);
        let key = vec![(id, integer(6))];
        let page = beside(BesideRows {
            after: Some(key),
            limit: Some(integer(2)),
            offset: Some(integer(1)),
            ..BesideRows::default()
        });
        let bills = Rows { order: vec![ascending(price)], page, ..bills };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.push(related(bills));
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        let people = Rows { order: vec![ascending(database.field("person.id"))], ..people };
        builder.read(0, people);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"name":"Ada","rows0":[{"id":2},{"id":3}]},{"name":"Ben","rows0":[]},{"name":"Cy","rows0":[]}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn a_row_that_no_key_tells_begins_no_page() {
    let answer = on_each(SHOP, async |database| {
        let mut builder = Builder::new(database);
        let rows = builder.entity("bill", &["id"]);
        let key = vec![(database.field("bill.price"), integer(1))];
        let page = beside(BesideRows { after: Some(key), ..BesideRows::default() });
        builder.read(0, Rows { page, ..rows });
        database.refusal(&builder.request()).to_string()
    })
    .await;
    expect!["This source cannot do this yet: a page beside one of several rows."]
        .assert_eq(&answer);
}

#[tokio::test]
async fn values_are_made_of_the_rows_of_a_page() {
    let answer = on_each(SHOP, async |database| {
        let (town, price) = (database.field("bill.town"), database.field("bill.price"));
        let mut builder = Builder::new(database);
        let terms = [
            (AggregateFunction::Count, None),
            (AggregateFunction::Sum, Some(price)),
            (AggregateFunction::Maximum, Some(town)),
        ];
        let of_page = builder.aggregate(true, &terms);
        let of_all = builder.aggregate(false, &terms);
        let groups = builder.aggregate(
            true,
            &[(AggregateFunction::GroupKey, Some(town)), (AggregateFunction::Sum, Some(price))],
        );
        let bill = From::Entity(database.entity("bill"));
        let outputs = vec![OutputKind::Count, of_page, of_all];
        let rows = builder.rows(bill.clone(), outputs);
        let order = vec![descending(price)];
        let page = page(3, 1);
        builder.read(0, Rows { order: order.clone(), page: page.clone(), shown: false, ..rows });
        let rows = builder.rows(bill, vec![groups]);
        builder.read(1, Rows { order, page, shown: false, ..rows });
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"count":7,"page":{"Count_rows":"3","Sum_price":"21","Maximum_town":"Rome"},"all":{"Count_rows":"7","Sum_price":"47","Maximum_town":"Rome"}},"r1":{"page":[{"GroupKey_town":"Oslo","Sum_price":"7"},{"GroupKey_town":"Rome","Sum_price":"14"}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn values_are_made_of_each_parents_page() {
    let answer = on_each(SHOP, async |database| {
        let (town, price) = (database.field("bill.town"), database.field("bill.price"));
        let mut builder = Builder::new(database);
        let sum = builder.aggregate(true, &[(AggregateFunction::Sum, Some(price))]);
        let bills = builder.rows(From::Relation(database.from("bill.person_id")), vec![sum]);
        let order = vec![descending(price)];
        let bills = Rows { order: order.clone(), page: page(2, 0), shown: false, ..bills };
        let sum = builder.aggregate(true, &[(AggregateFunction::Sum, Some(price))]);
        let towns = builder.rows(From::Relation(database.from("bill.person_id")), vec![sum]);
        let towns = Rows { distinct: vec![town], order, page: page(1, 1), shown: false, ..towns };
        let mut outputs = builder.fields("person", &["name"]);
        outputs.extend([related(bills), related(towns)]);
        let people = builder.rows(From::Entity(database.entity("person")), outputs);
        let people = Rows { order: vec![ascending(database.field("person.id"))], ..people };
        builder.read(0, people);
        database.run(&builder.request()).await
    })
    .await;
    expect![[r#"{"r0":{"s0":[{"name":"Ada","rows0":{"page":{"Sum_price":"16"}},"rows1":{"page":{"Sum_price":"7"}}},{"name":"Ben","rows0":{"page":{"Sum_price":"5"}},"rows1":{"page":{"Sum_price":"2"}}},{"name":"Cy","rows0":{"page":{"Sum_price":null}},"rows1":{"page":{"Sum_price":null}}}]}}"#]].assert_eq(&answer);
}
