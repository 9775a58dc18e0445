//! Tree → text.
//!
//! Identifiers are always quoted, with the quotes inside them doubled; there is no other way to
//! get a name into a statement, and no way at all for a value.

use std::fmt::{self, Write as _};

use crate::flavor::{
    Arrays, CLOCK, Flavor, INSTANT, LIKE_IGNORING_CASE, ParameterStyle, Pattern, ZONED_CLOCK,
};
use crate::tree::{
    AggregateFunction, Alias, Call, Column, Comparison, Direction, Expression, FromItem,
    Identifier, Join, JoinKind, NullsOrder, OrderItem, Parameter, Select, SqlType, TableName,
    TimeKind, TimeUnit,
};

/// Prints a query.
#[must_use]
pub fn print(select: &Select, flavor: &Flavor) -> String {
    let mut printer = Printer { out: String::with_capacity(256), flavor };
    // Writing to a string cannot fail.
    let _ = printer.select(select);
    printer.out
}

/// The statement that asks for the steps of another one, as SQLite says it.
#[must_use]
pub fn print_explain(statement: &str) -> String {
    ["EXPLAIN QUERY PLAN ", statement].concat()
}

/// The statement that asks for the plan of another one, as PostgreSQL says it. With `analyze`
/// the statement runs, and the plan has its figures.
#[must_use]
pub fn print_explain_plan(statement: &str, analyze: bool) -> String {
    let explain = if analyze { "EXPLAIN (ANALYZE, BUFFERS) " } else { "EXPLAIN " };
    [explain, statement].concat()
}

struct Printer<'f> {
    out: String,
    flavor: &'f Flavor,
}

impl Printer<'_> {
    fn select(&mut self, select: &Select) -> fmt::Result {
        self.out.push_str(if select.distinct { "SELECT DISTINCT " } else { "SELECT " });
        if select.items.is_empty() {
            // A row without columns cannot be said everywhere.
            self.out.push('1');
        }
        for (index, item) in select.items.iter().enumerate() {
            self.comma(index);
            self.expression(&item.expression)?;
            if let Some(name) = item.name {
                write!(self.out, " AS c{name}")?;
            }
        }
        if let Some(from) = &select.from {
            self.out.push_str(" FROM ");
            self.item(from)?;
        }
        for join in &select.joins {
            self.join(join)?;
        }
        if let Some(filter) = &select.filter {
            self.out.push_str(" WHERE ");
            self.expression(filter)?;
        }
        for (index, expression) in select.group_by.iter().enumerate() {
            self.out.push_str(if index == 0 { " GROUP BY " } else { ", " });
            self.expression(expression)?;
        }
        if let Some(having) = &select.having {
            self.out.push_str(" HAVING ");
            self.expression(having)?;
        }
        for (index, item) in select.order_by.iter().enumerate() {
            self.out.push_str(if index == 0 { " ORDER BY " } else { ", " });
            self.order_item(item)?;
        }
        match (&select.limit, &select.offset) {
            (None, Some(_)) if !self.flavor.offset_alone => self.out.push_str(" LIMIT -1"),
            (None, _) => {}
            (Some(limit), _) => {
                self.out.push_str(" LIMIT ");
                self.expression(limit)?;
            }
        }
        if let Some(offset) = &select.offset {
            self.out.push_str(" OFFSET ");
            self.expression(offset)?;
        }
        Ok(())
    }

    fn item(&mut self, item: &FromItem) -> fmt::Result {
        match item {
            FromItem::Table { name, alias } => {
                self.table_name(name);
                self.out.push_str(" AS ");
                self.alias(*alias)
            }
            FromItem::Subquery { select, alias } => {
                self.out.push('(');
                self.select(select)?;
                self.out.push_str(") AS ");
                self.alias(*alias)
            }
            FromItem::Arrays { parameters, alias } => {
                self.out.push_str("unnest(");
                for (index, parameter) in parameters.iter().enumerate() {
                    self.comma(index);
                    self.parameter(*parameter)?;
                }
                self.out.push_str(") AS ");
                self.alias(*alias)?;
                self.out.push('(');
                for index in 0..parameters.len() {
                    self.comma(index);
                    write!(self.out, "c{index}")?;
                }
                self.out.push(')');
                Ok(())
            }
            FromItem::RowArray { parameter, alias } => {
                self.out.push_str("unnest(");
                self.parameter(*parameter)?;
                self.out.push_str(") AS ");
                self.alias(*alias)
            }
            FromItem::RowsOfText { text, table, alias } => {
                self.out.push_str("unnest(CAST(");
                self.expression(text)?;
                self.out.push_str(" AS ");
                self.table_name(table);
                self.out.push_str("[])) AS ");
                self.alias(*alias)
            }
            FromItem::Function { call, unnest, alias, column } => {
                if *unnest {
                    self.out.push_str("unnest(");
                }
                self.call(call)?;
                self.out.push_str(if *unnest { ") AS " } else { " AS " });
                self.alias(*alias)?;
                if let Some(column) = column {
                    self.out.push('(');
                    self.identifier(column);
                    self.out.push(')');
                }
                Ok(())
            }
        }
    }

    fn call(&mut self, call: &Call) -> fmt::Result {
        self.table_name(&call.function);
        self.out.push('(');
        for (index, argument) in call.arguments.iter().enumerate() {
            self.comma(index);
            if let Some(name) = &argument.name {
                self.identifier(name);
                self.out.push_str(" => ");
            }
            self.expression(&argument.value)?;
        }
        self.out.push(')');
        Ok(())
    }

    fn join(&mut self, join: &Join) -> fmt::Result {
        let on = match &join.kind {
            JoinKind::Inner(on) => {
                self.out.push_str(" JOIN ");
                Some(on)
            }
            JoinKind::Left(on) => {
                self.out.push_str(" LEFT JOIN ");
                Some(on)
            }
            JoinKind::LeftInOrder(on) => {
                // Without an offset the subquery would be taken apart, and hashed.
                let alias = join.item.alias();
                self.out.push_str(" LEFT JOIN LATERAL (SELECT ");
                self.alias(alias)?;
                self.out.push_str(".* FROM ");
                self.item(&join.item)?;
                self.out.push_str(" WHERE ");
                self.expression(on)?;
                self.out.push_str(" OFFSET 0) AS ");
                self.alias(alias)?;
                self.out.push_str(" ON TRUE");
                return Ok(());
            }
            JoinKind::CrossLateral => {
                self.out.push_str(" CROSS JOIN LATERAL ");
                None
            }
        };
        self.item(&join.item)?;
        if let Some(on) = on {
            self.out.push_str(" ON ");
            self.expression(on)?;
        }
        Ok(())
    }

    fn order_item(&mut self, item: &OrderItem) -> fmt::Result {
        self.expression(&item.expression)?;
        match item.direction {
            Direction::Ascending => {}
            Direction::Descending => self.out.push_str(" DESC"),
        }
        if let Some(nulls) = item.nulls
            && nulls != self.flavor.default_nulls(item.direction)
        {
            self.out.push_str(match nulls {
                NullsOrder::First => " NULLS FIRST",
                NullsOrder::Last => " NULLS LAST",
            });
        }
        Ok(())
    }

    fn expression(&mut self, expression: &Expression) -> fmt::Result {
        match expression {
            Expression::Column { alias, column } => {
                self.alias(*alias)?;
                self.out.push('.');
                match column {
                    Column::Named(name) => self.identifier(name),
                    Column::Numbered(number) => write!(self.out, "c{number}")?,
                }
            }
            Expression::Parameter(parameter) => self.parameter(*parameter)?,
            Expression::Boolean(value) => self.out.push_str(if *value { "TRUE" } else { "FALSE" }),
            Expression::Compare { left, comparison, right } => {
                self.operand(left)?;
                self.out.push_str(self.comparison(*comparison));
                self.operand(right)?;
            }
            Expression::And(conditions) => self.connected(conditions, " AND ", "TRUE")?,
            Expression::Or(conditions) => self.connected(conditions, " OR ", "FALSE")?,
            Expression::Not(condition) => {
                self.out.push_str("NOT ");
                self.operand(condition)?;
            }
            Expression::IsNotTrue(condition) => {
                self.operand(condition)?;
                self.out.push_str(" IS NOT TRUE");
            }
            Expression::IsNullItself(expression) => {
                self.operand(expression)?;
                self.out.push_str(" IS NOT DISTINCT FROM NULL");
            }
            Expression::IsNull(expression) => {
                self.operand(expression)?;
                self.out.push_str(" IS NULL");
            }
            Expression::InList { expression, list } => {
                self.operand(expression)?;
                match self.flavor.arrays {
                    Arrays::Native => self.out.push_str(" = ANY("),
                    Arrays::Json => self.out.push_str(" IN (SELECT value FROM json_each("),
                }
                self.parameter(*list)?;
                self.out.push_str(match self.flavor.arrays {
                    Arrays::Native => ")",
                    Arrays::Json => "))",
                });
            }
            Expression::InFoldedList { expression, list } => {
                self.operand(expression)?;
                self.folded_list(*list)?;
            }
            Expression::LikeIgnoringCase { expression, pattern } => match self.flavor.pattern {
                Pattern::Like => {
                    self.operand(expression)?;
                    self.out.push_str(" ILIKE ");
                    self.parameter(*pattern)?;
                }
                Pattern::Glob => {
                    self.out.push_str(LIKE_IGNORING_CASE);
                    self.out.push('(');
                    self.expression(expression)?;
                    self.out.push_str(", ");
                    self.parameter(*pattern)?;
                    self.out.push(')');
                }
            },
            Expression::AnyElement { value, comparison, array } => {
                self.parameter(*value)?;
                self.out.push_str(self.comparison(*comparison));
                self.out.push_str("ANY(");
                self.expression(array)?;
                self.out.push(')');
            }
            Expression::Attribute { of, name } => {
                self.out.push('(');
                self.expression(of)?;
                self.out.push_str(").");
                self.identifier(name);
            }
            Expression::Exists(select) => {
                self.out.push_str("EXISTS (");
                self.select(select)?;
                self.out.push(')');
            }
            Expression::Like { expression, pattern } => {
                self.operand(expression)?;
                self.out.push_str(match self.flavor.pattern {
                    Pattern::Like => " LIKE ",
                    Pattern::Glob => " GLOB ",
                });
                self.parameter(*pattern)?;
            }
            Expression::Cast { expression, r#type } => {
                self.out.push_str("CAST(");
                self.expression(expression)?;
                self.out.push_str(match r#type {
                    SqlType::Text => " AS text)",
                    SqlType::TextArray => " AS text[])",
                    SqlType::Numeric => " AS numeric)",
                    SqlType::NumericArray => " AS numeric[])",
                });
            }
            Expression::CanonicalTimestamp(text) => self.canonical_timestamp(text)?,
            Expression::TimeNumber { kind, text } => {
                self.out.push_str(match kind {
                    TimeKind::Instant => INSTANT,
                    TimeKind::Clock => CLOCK,
                    TimeKind::ZonedClock => ZONED_CLOCK,
                });
                self.out.push('(');
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::Folded(text) => {
                self.out.push_str(self.flavor.fold);
                self.out.push('(');
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::Lower(text) => {
                self.out.push_str("lower(");
                self.expression(text)?;
                self.out.push(')');
            }
            Expression::TruthText(truth) => {
                self.out.push_str("CASE WHEN ");
                self.expression(truth)?;
                self.out.push_str(" THEN 'true' WHEN NOT ");
                self.operand(truth)?;
                self.out.push_str(" THEN 'false' END");
            }
            Expression::IgnoreCase(text) => {
                self.operand(text)?;
                self.out.push_str(" COLLATE NOCASE");
            }
            Expression::CountRows => self.out.push_str("count(*)"),
            Expression::Aggregate { function: AggregateFunction::Average, argument }
                if self.flavor.average_squares =>
            {
                self.out.push_str("(sum(CAST(");
                self.expression(argument)?;
                self.out.push_str(" AS double precision)) / count(");
                self.expression(argument)?;
                self.out.push_str("))");
            }
            Expression::Aggregate { function, argument } => {
                self.out.push_str(self.aggregate(*function));
                self.expression(argument)?;
                self.out.push_str(match function {
                    AggregateFunction::Total | AggregateFunction::ExactTotal => "), 0)",
                    _ => ")",
                });
            }
            Expression::Truncated { unit, moment } => self.truncated(*unit, moment)?,
            Expression::Call(call) => self.call(call)?,
            Expression::Row(alias) => {
                // The alias alone would mean a column of its name, if there is one.
                self.alias(*alias)?;
                self.out.push_str(".*");
            }
            Expression::When { condition, then } => {
                self.out.push_str("CASE WHEN ");
                self.expression(condition)?;
                self.out.push_str(" THEN ");
                self.expression(then)?;
                self.out.push_str(" END");
            }
            Expression::OrEmptyArray(array) => {
                self.out.push_str("coalesce(");
                self.expression(array)?;
                self.out.push_str(", '{}')");
            }
            Expression::Subquery(select) => {
                self.out.push('(');
                self.select(select)?;
                self.out.push(')');
            }
        }
        Ok(())
    }

    /// An expression as a part of another: in parentheses unless it is an atom.
    fn operand(&mut self, expression: &Expression) -> fmt::Result {
        let atom = match expression {
            Expression::Column { .. }
            | Expression::Parameter(_)
            | Expression::Boolean(_)
            | Expression::Cast { .. }
            | Expression::Folded(_)
            | Expression::Lower(_)
            | Expression::Exists(_)
            | Expression::Attribute { .. }
            | Expression::TimeNumber { .. }
            | Expression::IgnoreCase(_)
            | Expression::CountRows
            | Expression::Aggregate { .. }
            | Expression::Call(_)
            | Expression::Row(_)
            | Expression::When { .. }
            | Expression::OrEmptyArray(_)
            | Expression::Subquery(_) => true,
            Expression::Compare { .. }
            | Expression::And(_)
            | Expression::Or(_)
            | Expression::Not(_)
            | Expression::IsNotTrue(_)
            | Expression::IsNull(_)
            | Expression::IsNullItself(_)
            | Expression::InList { .. }
            | Expression::InFoldedList { .. }
            | Expression::Like { .. }
            | Expression::Truncated { .. }
            | Expression::TruthText(_)
            | Expression::LikeIgnoringCase { .. }
            | Expression::AnyElement { .. }
            | Expression::CanonicalTimestamp(_) => false,
        };
        if atom {
            return self.expression(expression);
        }
        self.out.push('(');
        self.expression(expression)?;
        self.out.push(')');
        Ok(())
    }

    fn connected(&mut self, conditions: &[Expression], word: &str, empty: &str) -> fmt::Result {
        if conditions.is_empty() {
            self.out.push_str(empty);
        }
        for (index, condition) in conditions.iter().enumerate() {
            if index > 0 {
                self.out.push_str(word);
            }
            if matches!(condition, Expression::And(_) | Expression::Or(_) | Expression::Not(_)) {
                self.operand(condition)?;
            } else {
                self.expression(condition)?;
            }
        }
        Ok(())
    }

    /// The list is folded once, so that an index on the folded expression still serves.
    fn folded_list(&mut self, list: Parameter) -> fmt::Result {
        let fold = self.flavor.fold;
        match self.flavor.arrays {
            Arrays::Native => {
                write!(self.out, " = ANY(ARRAY(SELECT {fold}(c0) FROM unnest(CAST(")?;
                self.parameter(list)?;
                self.out.push_str(" AS text[])) AS list(c0)))");
            }
            Arrays::Json => {
                write!(self.out, " IN (SELECT {fold}(value) FROM json_each(")?;
                self.parameter(list)?;
                self.out.push_str("))");
            }
        }
        Ok(())
    }

    /// A space before the time, seconds always there, no zeros at the end of a fraction. In the
    /// functions of SQLite: only sources that keep timestamps as text ask for it.
    fn canonical_timestamp(&mut self, text: &Expression) -> fmt::Result {
        self.out.push_str("CASE WHEN instr(");
        self.expression(text)?;
        self.out.push_str(", '.') > 0 THEN rtrim(rtrim(replace(");
        self.expression(text)?;
        self.out.push_str(", 'T', ' '), '0'), '.') WHEN length(");
        self.expression(text)?;
        self.out.push_str(") = 16 THEN replace(");
        self.expression(text)?;
        self.out.push_str(", 'T', ' ') || ':00' WHEN length(");
        self.expression(text)?;
        self.out.push_str(") = 10 THEN ");
        self.expression(text)?;
        self.out.push_str(" || ' 00:00:00' ELSE replace(");
        self.expression(text)?;
        self.out.push_str(", 'T', ' ') END");
        Ok(())
    }

    /// An aggregate's name as far as its argument.
    fn aggregate(&self, function: AggregateFunction) -> &'static str {
        match (function, self.flavor.exact_sums) {
            (AggregateFunction::CountDistinct, _) => "count(DISTINCT ",
            (AggregateFunction::Sum, _) | (AggregateFunction::ExactSum, true) => "sum(",
            (AggregateFunction::ExactSum, false) => "exact_sum(",
            (AggregateFunction::Total, _) | (AggregateFunction::ExactTotal, true) => {
                "coalesce(sum("
            }
            (AggregateFunction::ExactTotal, false) => "coalesce(exact_sum(",
            (AggregateFunction::Average, _) | (AggregateFunction::ExactAverage, true) => "avg(",
            (AggregateFunction::ExactAverage, false) => "exact_avg(",
            (AggregateFunction::Minimum, _) => "min(",
            (AggregateFunction::Maximum, _) => "max(",
            (AggregateFunction::StandardDeviationSample, _) => "stddev_samp(",
            (AggregateFunction::StandardDeviationPopulation, _) => "stddev_pop(",
            (AggregateFunction::VarianceSample, _) => "var_samp(",
            (AggregateFunction::VariancePopulation, _) => "var_pop(",
        }
    }

    fn truncated(&mut self, unit: TimeUnit, moment: &Expression) -> fmt::Result {
        if self.flavor.typed_text {
            self.out.push_str(match unit {
                TimeUnit::Hour => "date_trunc('hour', ",
                TimeUnit::Day => "date_trunc('day', ",
            });
            self.expression(moment)?;
            self.out.push(')');
            return Ok(());
        }
        self.out.push_str("substr(");
        self.expression(moment)?;
        self.out.push_str(match unit {
            TimeUnit::Hour => ", 1, 13) || ':00:00'",
            TimeUnit::Day => ", 1, 10) || ' 00:00:00'",
        });
        Ok(())
    }

    fn comparison(&self, comparison: Comparison) -> &'static str {
        match comparison {
            Comparison::Equal => " = ",
            Comparison::NotEqual => " <> ",
            Comparison::DistinctFrom if self.flavor.distinct_from => " IS DISTINCT FROM ",
            Comparison::DistinctFrom => " IS NOT ",
            Comparison::NotDistinctFrom if self.flavor.distinct_from => " IS NOT DISTINCT FROM ",
            Comparison::NotDistinctFrom => " IS ",
            Comparison::Less => " < ",
            Comparison::LessOrEqual => " <= ",
            Comparison::Greater => " > ",
            Comparison::GreaterOrEqual => " >= ",
            Comparison::Contains => " @> ",
            Comparison::ContainedBy => " <@ ",
            Comparison::Overlaps => " && ",
            Comparison::ContainsOrEquals => " >>= ",
            Comparison::ContainedOrEquals => " <<= ",
            Comparison::ContainsMore | Comparison::RightOf => " >> ",
            Comparison::ContainedByMore | Comparison::LeftOf => " << ",
            Comparison::HasKey => " ? ",
            Comparison::HasAnyKey => " ?| ",
            Comparison::HasAllKeys => " ?& ",
            Comparison::NotRightOf => " &< ",
            Comparison::NotLeftOf => " &> ",
            Comparison::Adjacent => " -|- ",
        }
    }

    fn table_name(&mut self, name: &TableName) {
        if let Some(schema) = &name.schema {
            self.identifier(schema);
            self.out.push('.');
        }
        self.identifier(&name.name);
    }

    fn identifier(&mut self, identifier: &Identifier) {
        self.out.push('"');
        for character in identifier.0.chars() {
            if character == '"' {
                self.out.push('"');
            }
            self.out.push(character);
        }
        self.out.push('"');
    }

    fn parameter(&mut self, parameter: Parameter) -> fmt::Result {
        let sign = match self.flavor.parameters {
            ParameterStyle::Dollar => '$',
            ParameterStyle::Question => '?',
        };
        write!(self.out, "{sign}{}", u32::from(parameter.0) + 1)
    }

    fn alias(&mut self, alias: Alias) -> fmt::Result {
        write!(self.out, "t{}", alias.0)
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{print, print_explain, print_explain_plan};
    use crate::flavor::Flavor;
    use crate::tree::{
        AggregateFunction, Alias, Call, CallArgument, Comparison, Direction, Expression, FromItem,
        Identifier, Join, JoinKind, NullsOrder, OrderItem, Parameter, Select, SelectItem, SqlType,
        TableName, TimeKind, TimeUnit,
    };

    fn table(name: &str, alias: u32) -> FromItem {
        let name = TableName { schema: None, name: Identifier(name.into()) };
        FromItem::Table { name, alias: Alias(alias) }
    }

    fn item(expression: Expression) -> SelectItem {
        SelectItem { expression, name: None }
    }

    fn check(select: &Select, postgres: &Expect, sqlite: &Expect) {
        postgres.assert_eq(&print(select, &Flavor::POSTGRES));
        sqlite.assert_eq(&print(select, &Flavor::SQLITE));
    }

    #[test]
    fn quotes_in_identifiers_are_doubled() {
        let mut select = Select::from(table("we\"ird; --", 0));
        select.items.push(item(Expression::named(Alias(0), "a\"b")));
        check(
            &select,
            &expect![[r#"SELECT t0."a""b" FROM "we""ird; --" AS t0"#]],
            &expect![[r#"SELECT t0."a""b" FROM "we""ird; --" AS t0"#]],
        );
    }

    #[test]
    fn functions_are_called_by_place_and_by_name() {
        let named = |name: &str, number| CallArgument {
            name: Some(Identifier(name.into())),
            value: Expression::Parameter(Parameter(number)),
        };
        let name = |name: &str| TableName {
            schema: Some(Identifier("s\"".into())),
            name: Identifier(name.into()),
        };
        let row = CallArgument { name: None, value: Expression::Row(Alias(0)) };
        let arguments = vec![row.clone(), named("by", 0)];
        let mut select =
            Select::from(FromItem::RowArray { parameter: Parameter(1), alias: Alias(0) });
        let item_of = |call, unnest, alias, column: Option<&str>| Join {
            kind: JoinKind::CrossLateral,
            item: FromItem::Function {
                call,
                unnest,
                alias: Alias(alias),
                column: column.map(|name| Identifier(name.into())),
            },
        };
        let rows = Call { function: name("rows"), arguments };
        let array = Call { function: name("array"), arguments: vec![row] };
        select.joins.push(item_of(rows.clone(), false, 1, Some("value")));
        select.joins.push(item_of(array, true, 2, None));
        let text = Expression::named(Alias(0), "rows");
        let item_of_text = FromItem::RowsOfText { text, table: name("table"), alias: Alias(3) };
        select.joins.push(Join { kind: JoinKind::CrossLateral, item: item_of_text });
        let mut once = Select::once();
        once.items.push(item(Expression::OrEmptyArray(Box::new(Expression::Call(rows)))));
        select.items = vec![
            item(Expression::When {
                condition: Box::new(Expression::is_a_row(Alias(2))),
                then: Box::new(Expression::Boolean(true)),
            }),
            item(Expression::Subquery(Box::new(once))),
        ];
        expect![[r#"SELECT CASE WHEN NOT (t2.* IS NULL) THEN TRUE END, (SELECT coalesce("s"""."rows"(t0.*, "by" => $1), '{}')) FROM unnest($2) AS t0 CROSS JOIN LATERAL "s"""."rows"(t0.*, "by" => $1) AS t1("value") CROSS JOIN LATERAL unnest("s"""."array"(t0.*)) AS t2 CROSS JOIN LATERAL unnest(CAST(t0."rows" AS "s"""."table"[])) AS t3"#]]
            .assert_eq(&print(&select, &Flavor::POSTGRES));
    }

    #[test]
    fn a_join_in_order_looks_each_row_up() {
        let mut select = Select::from(table("t", 0));
        let on = Expression::named(Alias(1), "id").equals(Expression::named(Alias(0), "t_id"));
        select.joins.push(Join { kind: JoinKind::LeftInOrder(on), item: table("u", 1) });
        select.items = vec![item(Expression::named(Alias(1), "id"))];
        expect![[r#"SELECT t1."id" FROM "t" AS t0 LEFT JOIN LATERAL (SELECT t1.* FROM "u" AS t1 WHERE t1."id" = t0."t_id" OFFSET 0) AS t1 ON TRUE"#]]
            .assert_eq(&print(&select, &Flavor::POSTGRES));
    }

    #[test]
    fn nulls_are_said_only_where_the_database_would_put_them_elsewhere() {
        let mut select = Select::from(table("person", 0));
        select.items.push(item(Expression::named(Alias(0), "id")));
        let order = |direction, nulls| OrderItem {
            expression: Expression::named(Alias(0), "name"),
            direction,
            nulls,
        };
        select.order_by = vec![
            order(Direction::Ascending, Some(NullsOrder::Last)),
            order(Direction::Descending, Some(NullsOrder::First)),
            order(Direction::Ascending, None),
        ];
        check(
            &select,
            &expect![[
                r#"SELECT t0."id" FROM "person" AS t0 ORDER BY t0."name", t0."name" DESC, t0."name""#
            ]],
            &expect![[
                r#"SELECT t0."id" FROM "person" AS t0 ORDER BY t0."name" NULLS LAST, t0."name" DESC NULLS FIRST, t0."name""#
            ]],
        );
    }

    #[test]
    fn lists_patterns_and_offsets_are_said_as_each_database_knows_them() {
        let mut select = Select::from(table("person", 0));
        let name = || Box::new(Expression::named(Alias(0), "name"));
        select.filter = Some(Expression::And(vec![
            Expression::InList { expression: name(), list: Parameter(0) },
            Expression::Or(vec![
                Expression::Like { expression: name(), pattern: Parameter(1) },
                Expression::Not(Box::new(Expression::IsNull(name()))),
            ]),
            Expression::Or(Vec::new()),
        ]));
        select.offset = Some(Expression::Parameter(Parameter(2)));
        check(
            &select,
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" = ANY($1) AND (t0."name" LIKE $2 OR (NOT (t0."name" IS NULL))) AND (FALSE) OFFSET $3"#
            ]],
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IN (SELECT value FROM json_each(?1)) AND (t0."name" GLOB ?2 OR (NOT (t0."name" IS NULL))) AND (FALSE) LIMIT -1 OFFSET ?3"#
            ]],
        );
    }

    #[test]
    fn a_page_for_each_parent_is_a_lateral_join() {
        let mut page = Select::from(table("track", 2));
        page.items
            .push(SelectItem { expression: Expression::named(Alias(2), "name"), name: Some(0) });
        page.limit = Some(Expression::Parameter(Parameter(1)));
        let arrays = FromItem::Arrays { parameters: vec![Parameter(0)], alias: Alias(0) };
        let mut select = Select::from(arrays);
        select.items.push(item(Expression::numbered(Alias(1), 0)));
        select.joins.push(Join {
            kind: JoinKind::CrossLateral,
            item: FromItem::Subquery { select: Box::new(page), alias: Alias(1) },
        });
        expect![[r#"SELECT t1.c0 FROM unnest($1) AS t0(c0) CROSS JOIN LATERAL (SELECT t2."name" AS c0 FROM "track" AS t2 LIMIT $2) AS t1"#]]
            .assert_eq(&print(&select, &Flavor::POSTGRES));
    }

    #[test]
    fn a_left_join_keeps_rows_and_groups_are_counted_once() {
        let artist_id = |alias| Expression::named(Alias(alias), "artist_id");
        let mut select = Select::from(table("album", 0));
        select.distinct = true;
        select.joins.push(Join {
            kind: JoinKind::Left(artist_id(0).equals(artist_id(1))),
            item: table("artist", 1),
        });
        let text = Expression::Cast { expression: Box::new(artist_id(1)), r#type: SqlType::Text };
        select.items = vec![item(Expression::CountRows), item(text.clone())];
        select.group_by = vec![artist_id(1), text];
        let expected = expect![[
            r#"SELECT DISTINCT count(*), CAST(t1."artist_id" AS text) FROM "album" AS t0 LEFT JOIN "artist" AS t1 ON t0."artist_id" = t1."artist_id" GROUP BY t1."artist_id", CAST(t1."artist_id" AS text)"#
        ]];
        check(&select, &expected, &expected);
    }

    #[test]
    fn comparisons_that_know_null_are_said_as_each_database_knows_them() {
        let mut select = Select::from(table("person", 0));
        let compare = |comparison| Expression::Compare {
            left: Box::new(Expression::named(Alias(0), "name")),
            comparison,
            right: Box::new(Expression::Parameter(Parameter(0))),
        };
        let conditions =
            [Comparison::DistinctFrom, Comparison::NotDistinctFrom, Comparison::GreaterOrEqual];
        for condition in conditions.map(compare) {
            select.and_where(condition);
        }
        select.and_where(Expression::IsNotTrue(Box::new(compare(Comparison::Less))));
        check(
            &select,
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IS DISTINCT FROM $1 AND t0."name" IS NOT DISTINCT FROM $1 AND t0."name" >= $1 AND (t0."name" < $1) IS NOT TRUE"#
            ]],
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" IS NOT ?1 AND t0."name" IS ?1 AND t0."name" >= ?1 AND (t0."name" < ?1) IS NOT TRUE"#
            ]],
        );
    }

    #[test]
    fn values_that_sqlite_keeps_as_text_are_compared_in_one_form() {
        let mut select = Select::from(table("event", 0));
        let column = |name| Box::new(Expression::named(Alias(0), name));
        let parameter = |number| Expression::Parameter(Parameter(number));
        select.and_where(Expression::CanonicalTimestamp(column("at")).equals(parameter(0)));
        select.and_where(Expression::IgnoreCase(column("id")).equals(parameter(1)));
        expect![[r#"SELECT 1 FROM "event" AS t0 WHERE (CASE WHEN instr(t0."at", '.') > 0 THEN rtrim(rtrim(replace(t0."at", 'T', ' '), '0'), '.') WHEN length(t0."at") = 16 THEN replace(t0."at", 'T', ' ') || ':00' WHEN length(t0."at") = 10 THEN t0."at" || ' 00:00:00' ELSE replace(t0."at", 'T', ' ') END) = ?1 AND t0."id" COLLATE NOCASE = ?2"#]]
            .assert_eq(&print(&select, &Flavor::SQLITE));
    }

    #[test]
    fn aggregates_are_exact_on_every_database() {
        let mut select = Select::from(table("line", 0));
        let aggregate = |function| {
            let argument = Box::new(Expression::named(Alias(0), "price"));
            Expression::Aggregate { function, argument }
        };
        select.items = vec![
            item(aggregate(AggregateFunction::Sum)),
            item(aggregate(AggregateFunction::ExactSum)),
            item(aggregate(AggregateFunction::ExactAverage)),
            item(aggregate(AggregateFunction::CountDistinct)),
            item(aggregate(AggregateFunction::Average)),
        ];
        let day = Expression::Truncated {
            unit: TimeUnit::Day,
            moment: Box::new(Expression::named(Alias(0), "at")),
        };
        select.group_by = vec![day];
        select.having = Some(Expression::Compare {
            left: Box::new(aggregate(AggregateFunction::Maximum)),
            comparison: Comparison::Less,
            right: Box::new(Expression::Parameter(Parameter(0))),
        });
        check(
            &select,
            &expect![[
                r#"SELECT sum(t0."price"), sum(t0."price"), avg(t0."price"), count(DISTINCT t0."price"), (sum(CAST(t0."price" AS double precision)) / count(t0."price")) FROM "line" AS t0 GROUP BY date_trunc('day', t0."at") HAVING max(t0."price") < $1"#
            ]],
            &expect![[
                r#"SELECT sum(t0."price"), exact_sum(t0."price"), exact_avg(t0."price"), count(DISTINCT t0."price"), avg(t0."price") FROM "line" AS t0 GROUP BY substr(t0."at", 1, 10) || ' 00:00:00' HAVING max(t0."price") < ?1"#
            ]],
        );
    }

    #[test]
    fn a_plan_is_asked_for_as_each_database_knows_it() {
        assert_eq!(print_explain("SELECT 1"), "EXPLAIN QUERY PLAN SELECT 1");
        assert_eq!(print_explain_plan("SELECT 1", false), "EXPLAIN SELECT 1");
        assert_eq!(print_explain_plan("SELECT 1", true), "EXPLAIN (ANALYZE, BUFFERS) SELECT 1");
    }

    #[test]
    fn letters_without_case_are_folded_as_the_database_can() {
        let column = || Box::new(Expression::named(Alias(0), "name"));
        let folded = || Box::new(Expression::Folded(column()));
        let pattern = Parameter(0);
        let mut exists = Select::from(table("other", 1));
        exists.and_where(Expression::named(Alias(1), "id").equals(*column()));
        let text = |kind| Expression::TimeNumber { kind, text: column() };
        let mut select = Select::from(table("person", 0));
        select.filter = Some(Expression::And(vec![
            Expression::LikeIgnoringCase { expression: column(), pattern },
            Expression::InFoldedList { expression: folded(), list: Parameter(1) },
            Expression::Not(Box::new(Expression::Exists(Box::new(exists)))),
        ]));
        check(
            &select,
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE t0."name" ILIKE $1 AND lower(t0."name") = ANY(ARRAY(SELECT lower(c0) FROM unnest(CAST($2 AS text[])) AS list(c0))) AND (NOT EXISTS (SELECT 1 FROM "other" AS t1 WHERE t1."id" = t0."name"))"#
            ]],
            &expect![[
                r#"SELECT 1 FROM "person" AS t0 WHERE thalweg_like_ignoring_case(t0."name", ?1) AND thalweg_fold(t0."name") IN (SELECT thalweg_fold(value) FROM json_each(?2)) AND (NOT EXISTS (SELECT 1 FROM "other" AS t1 WHERE t1."id" = t0."name"))"#
            ]],
        );
        select.filter = Some(text(TimeKind::Instant).equals(text(TimeKind::ZonedClock)));
        let sqlite = print(&select, &Flavor::SQLITE);
        expect![[
            r#"SELECT 1 FROM "person" AS t0 WHERE thalweg_instant(t0."name") = thalweg_zoned_clock(t0."name")"#
        ]]
        .assert_eq(&sqlite);
    }
}
