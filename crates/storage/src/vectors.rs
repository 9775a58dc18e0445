//! Lengths of stored vectors, on which their indexes depend.

use sql::{
    Alias, Comparison, Direction, Expression, FromItem, OrderItem, Select, SelectItem, print,
};

use crate::database::{Database, MOST_DIMENSIONS};
use crate::definition::{identifier, table_name};
use crate::plan::{Omitted, OmittedReason, Plan};
use crate::tables::{Column, ColumnType, Tables};

/// A query of the most frequent length of the vectors of a column, which has no row if there is none
/// that an index can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthQuery {
    pub table: Box<str>,
    pub column: Box<str>,
    /// The row has the number of vectors, and their length.
    pub query: Box<str>,
}

/// Returns the queries of the columns of which a plan omits an index because their length is not
/// known. `tables` are those of the database.
#[must_use]
pub fn length_queries(plan: &Plan, tables: &Tables, database: &Database) -> Vec<LengthQuery> {
    let mut queries: Vec<LengthQuery> = Vec::new();
    for Omitted { table, column, reason } in &plan.omitted {
        let has_column = tables.find(table).is_some_and(|table| {
            let of_vectors = |own: &Column| own.name == *column && own.r#type == ColumnType::Vector;
            table.columns.iter().any(of_vectors)
        });
        let is_listed = |own: &LengthQuery| own.table == *table && own.column == *column;
        if *reason == OmittedReason::VectorLength && has_column && !queries.iter().any(is_listed) {
            let (table, column) = (table.clone(), column.clone());
            let query = query(&table, &column, database).into();
            queries.push(LengthQuery { table, column, query });
        }
    }
    queries
}

fn query(table: &str, column: &str, database: &Database) -> String {
    let alias = Alias(0);
    let mut select = Select::from(FromItem::Table { name: table_name(table, database), alias });
    let column = sql::Column::Named(identifier(column));
    let length = Expression::cardinality(Expression::Column { alias, column });
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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::query;
    use crate::database::{Database, ExtensionSupport};

    #[test]
    fn the_most_frequent_length_is_read() {
        let database =
            Database::postgres("public", ExtensionSupport::Missing, ExtensionSupport::Creatable);
        expect![[r#"SELECT count(*), "pg_catalog"."cardinality"(t0."mood") FROM "public"."Song" AS t0 WHERE "pg_catalog"."cardinality"(t0."mood") > 0 AND "pg_catalog"."cardinality"(t0."mood") <= 2000 GROUP BY "pg_catalog"."cardinality"(t0."mood") ORDER BY count(*) DESC, "pg_catalog"."cardinality"(t0."mood") LIMIT 1"#]].assert_eq(&query("Song", "mood", &database));
    }
}
