//! Statements for CockroachDB, and those for YugabyteDB, which are PostgreSQL's.

use expect_test::expect;

use crate::flavor::Flavor;
use crate::print::print;
use crate::tree::{
    Alias, Direction, Expression, FromItem, Identifier, NullsOrder, OrderItem, PLACE, Parameter,
    Select, SelectItem, TableName,
};

fn item(expression: Expression) -> SelectItem {
    SelectItem { expression, name: None }
}

fn table() -> TableName {
    TableName { schema: None, name: Identifier("note".into()) }
}

/// An order in which nulls are where the databases put them by default, by either rule.
fn ordered() -> Select {
    let alias = Alias(0);
    let mut select = Select::from(FromItem::Table { name: table(), alias });
    select.items = vec![item(Expression::named(alias, "id"))];
    let order = |direction, nulls| OrderItem {
        expression: Expression::named(alias, "text"),
        direction,
        nulls: Some(nulls),
    };
    select.order_by = vec![
        order(Direction::Ascending, NullsOrder::Last),
        order(Direction::Descending, NullsOrder::Last),
    ];
    select
}

#[test]
fn orders_say_where_nulls_are() {
    expect![[r#"SELECT t0."id" FROM "note" AS t0 ORDER BY t0."text" NULLS LAST, t0."text" DESC NULLS LAST"#]]
        .assert_eq(&print(&ordered(), &Flavor::COCKROACHDB));
    expect![[r#"SELECT t0."id" FROM "note" AS t0 ORDER BY t0."text", t0."text" DESC NULLS LAST"#]]
        .assert_eq(&print(&ordered(), &Flavor::YUGABYTEDB));
}

#[test]
fn rows_of_a_change_are_arrays_of_their_columns() {
    let alias = Alias(0);
    let name = |text: &str| Identifier(text.into());
    let columns = vec![(name("id"), Parameter(0)), (name("a\"b"), Parameter(1))];
    let mut select = Select::from(FromItem::Values { columns, like: table(), alias });
    select.items = vec![item(Expression::named(alias, "a\"b"))];
    let expression = Expression::numbered(alias, PLACE);
    select.order_by = vec![OrderItem { expression, direction: Direction::Ascending, nulls: None }];
    expect![[r#"SELECT t0."a""b" FROM unnest($1, $2) WITH ORDINALITY AS t0("id", "a""b", c65535) ORDER BY t0.c65535"#]]
        .assert_eq(&print(&select, &Flavor::COCKROACHDB));
}
