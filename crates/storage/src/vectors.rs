//! Lengths of stored vectors, on which their indexes depend.

use sql::{
    Alias, Call, CallArgument, Comparison, Direction, Expression, FromItem, Identifier, OrderItem,
    Select, SelectItem, TableName, print,
};

use crate::database::{Database, MOST_DIMENSIONS};
use crate::definition::{identifier, table_name};
use crate::tables::{ColumnType, Tables};

/// A query of the most frequent length of the vectors of a column, which has no row if there is none
/// that an index can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthQuery {
    pub table: Box<str>,
    pub column: Box<str>,
    /// The row has the number of vectors, and their length.
    pub query: Box<str>,
}

/// The queries of all columns of vectors.
#[must_use]
pub fn length_queries(tables: &Tables, database: &Database) -> Vec<LengthQuery> {
    let columns = tables.tables.iter().flat_map(|table| {
        let vectors = table.columns.iter().filter(|column| column.r#type == ColumnType::Vector);
        vectors.map(move |column| (&table.name, &column.name))
    });
    let queries = columns.map(|(table, column)| LengthQuery {
        table: table.clone(),
        column: column.clone(),
        query: query(table, column, database).into(),
    });
    queries.collect()
}

fn query(table: &str, column: &str, database: &Database) -> String {
    let alias = Alias(0);
    let mut select = Select::from(FromItem::Table { name: table_name(table, database), alias });
    let length =
        length(Expression::Column { alias, column: sql::Column::Named(identifier(column)) });
    let compared = |comparison, number| Expression::Compare {
        left: Box::new(length.clone()),
        comparison,
        right: Box::new(Expression::Number(number)),
    };
    select.and_where(compared(Comparison::Greater, 0));
    select.and_where(compared(Comparison::LessOrEqual, MOST_DIMENSIONS));
    let item = |expression| SelectItem { expression, name: None };
    select.items = vec![item(Expression::CountRows), item(length.clone())];
    select.group_by = vec![length.clone()];
    let ordered = |expression, direction| OrderItem { expression, direction, nulls: None };
    select.order_by = vec![
        ordered(Expression::CountRows, Direction::Descending),
        ordered(length, Direction::Ascending),
    ];
    select.limit = Some(Expression::Number(1));
    print(&select, &database.flavor)
}

fn length(vector: Expression) -> Expression {
    let schema = Some(Identifier("pg_catalog".into()));
    let function = TableName { schema, name: identifier("cardinality") };
    Expression::Call(Call { function, arguments: vec![CallArgument { name: None, value: vector }] })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::query;
    use crate::database::{Database, Trigrams};

    #[test]
    fn the_most_frequent_length_is_read() {
        let database = Database::postgres("public", Trigrams::Missing);
        expect![[r#"SELECT count(*), "pg_catalog"."cardinality"(t0."mood") FROM "public"."Song" AS t0 WHERE "pg_catalog"."cardinality"(t0."mood") > 0 AND "pg_catalog"."cardinality"(t0."mood") <= 2000 GROUP BY "pg_catalog"."cardinality"(t0."mood") ORDER BY count(*) DESC, "pg_catalog"."cardinality"(t0."mood") LIMIT 1"#]].assert_eq(&query("Song", "mood", &database));
    }
}
