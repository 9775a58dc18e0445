//! Tree → text.
//!
//! Identifiers are always quoted, with the quotes inside them doubled; there is no other way to
//! get a name into a statement, and no way at all for a value but in definitions of tables, where
//! texts are quoted likewise.

use std::fmt::{self, Write as _};

use crate::flavor::{Flavor, NullsOrderForm, OffsetAlone, ParameterStyle, Quoting};
use crate::tree::{
    Alias, Bound, CreateIndex, Direction, ForeignKey, Identifier, NullsOrder, OrderItem, Parameter,
    Select, Statement, TableName,
};

mod batch;
mod bounded;
mod command;
mod definition;
mod expression;
mod from;
mod observer;
mod places;
mod positional;
mod setting;
#[cfg(test)]
mod tests;
mod transfer;
mod write;

pub use batch::{print_batch, print_batch_member};
pub use bounded::Bounded;
pub use command::command_tag;
pub use definition::{print_definition, print_table_rows};
pub use observer::print_row_observer;
pub use positional::Positional;
pub use setting::print_set_local;
pub use transfer::{
    BulkRows, print_bulk_page, print_bulk_rows, print_close_cursor, print_copy_in,
    print_declare_cursor, print_delete_rows, print_fetch, print_find_rows, print_greatest,
    print_has_rows, print_insert_row, print_set_column,
};

/// Prints a query.
#[must_use]
pub fn print(select: &Select, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.select(select);
    printer.out
}

/// Prints a statement.
#[must_use]
pub fn print_statement(statement: &Statement, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.statement(statement);
    printer.out
}

/// Prints a statement with the parameter of each of its places: for databases whose parameters have
/// no numbers.
#[must_use]
pub fn print_positional(statement: &Statement, flavor: &Flavor) -> Positional {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.statement(statement);
    Positional { text: printer.out.into(), parameters: printer.parameters.into() }
}

/// Prints the statement that makes an index, with its end.
#[must_use]
pub fn print_create_index(index: &CreateIndex, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.create_index(index);
    printer.out
}

/// Prints the statement that adds a foreign key, with its end.
#[must_use]
pub fn print_add_foreign_key(key: &ForeignKey, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.add_foreign_key(key);
    printer.out
}

/// Prints a query with the bounds of its pages, whose numbers are to be filled in.
#[must_use]
pub fn print_bounded(select: &Select, flavor: &Flavor) -> Bounded {
    let mut printer = Printer { numbers: Some(Vec::new()), ..Printer::new(flavor) };
    // Writing to a string cannot fail.
    let _ = printer.select(select);
    Bounded::new(printer.out, printer.numbers.unwrap_or_default())
}

/// The statement that asks for the steps of another one, as SQLite says it.
#[must_use]
pub fn print_explain(statement: &str) -> String {
    ["EXPLAIN QUERY PLAN ", statement].concat()
}

/// The figures of a database's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFigures {
    /// None: estimates count rows that whoever reads the plan may not see.
    Hidden,
    /// How many rows the database expects, and what it expects them to cost.
    Estimated,
    /// Those of a run as well.
    Measured,
}

/// The statement that asks for the plan of another one, as PostgreSQL says it. For figures that are
/// measured the statement runs.
#[must_use]
pub fn print_explain_plan(statement: &str, figures: PlanFigures) -> String {
    let explain = match figures {
        PlanFigures::Hidden => "EXPLAIN (COSTS OFF) ",
        PlanFigures::Estimated => "EXPLAIN ",
        PlanFigures::Measured => "EXPLAIN (ANALYZE, BUFFERS) ",
    };
    [explain, statement].concat()
}

struct Printer<'f> {
    out: String,
    flavor: &'f Flavor,
    /// Where the numbers of bounds belong, in the order of the text; `None` leaves bounds out.
    numbers: Option<Vec<(usize, Bound)>>,
    /// The parameters in the order of the text, one for each place where one stands.
    parameters: Vec<Parameter>,
    /// Columns are written by their names alone.
    without_aliases: bool,
    /// The table whose own name stands for this alias.
    unaliased: Option<(Alias, Identifier)>,
    /// The parameters that are columns of a batch.
    batched: &'f [Parameter],
}

impl<'f> Printer<'f> {
    fn new(flavor: &'f Flavor) -> Self {
        Self {
            out: String::with_capacity(256),
            flavor,
            numbers: None,
            parameters: Vec::new(),
            without_aliases: false,
            unaliased: None,
            batched: &[],
        }
    }
}

impl Printer<'_> {
    fn select(&mut self, select: &Select) -> fmt::Result {
        let bound = select.bound.filter(|_| self.numbers.is_some());
        if bound.is_some() {
            // The rows keep their order: PostgreSQL passes on the rows of a subquery as they
            // come where nothing but LIMIT and OFFSET is asked of them.
            self.out.push_str("SELECT * FROM (");
        }
        self.out.push_str(if select.distinct { "SELECT DISTINCT " } else { "SELECT " });
        for (index, expression) in select.distinct_on.iter().enumerate() {
            self.out.push_str(if index == 0 { "DISTINCT ON (" } else { ", " });
            self.expression(expression)?;
        }
        if !select.distinct_on.is_empty() {
            self.out.push_str(") ");
        }
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
        if let (Some(bound), Some(numbers)) = (bound, &mut self.numbers) {
            self.out.push_str(" LIMIT ");
            numbers.push((self.out.len(), bound));
            self.out.push_str(") AS page");
        }
        match (&select.limit, &select.offset) {
            (None, None) => {}
            (None, Some(_)) => match self.flavor.offset_alone {
                OffsetAlone::Allowed => {}
                OffsetAlone::AfterLimit(open) => {
                    self.out.push_str(" LIMIT ");
                    self.out.push_str(open);
                }
            },
            (Some(limit), _) => {
                self.out.push_str(" LIMIT ");
                self.expression(limit)?;
            }
        }
        if let Some(offset) = &select.offset {
            self.out.push_str(" OFFSET ");
            self.expression(offset)?;
        }
        if select.locked && self.flavor.row_locks {
            self.out.push_str(" FOR UPDATE");
        }
        Ok(())
    }

    fn order_item(&mut self, item: &OrderItem) -> fmt::Result {
        let is_said = |nulls: &NullsOrder| match self.flavor.nulls_order {
            NullsOrderForm::KeywordAlways => true,
            NullsOrderForm::Keyword | NullsOrderForm::ByExpression => {
                *nulls != self.flavor.default_nulls(item.direction)
            }
        };
        let nulls = item.nulls.filter(is_said);
        if let (Some(nulls), NullsOrderForm::ByExpression) = (nulls, self.flavor.nulls_order) {
            self.operand(&item.expression)?;
            self.out.push_str(match nulls {
                NullsOrder::First => " IS NULL DESC, ",
                NullsOrder::Last => " IS NULL, ",
            });
        }
        self.expression(&item.expression)?;
        match item.direction {
            Direction::Ascending => {}
            Direction::Descending => self.out.push_str(" DESC"),
        }
        let is_keyword = match self.flavor.nulls_order {
            NullsOrderForm::Keyword | NullsOrderForm::KeywordAlways => true,
            NullsOrderForm::ByExpression => false,
        };
        if let (Some(nulls), true) = (nulls, is_keyword) {
            self.out.push_str(match nulls {
                NullsOrder::First => " NULLS FIRST",
                NullsOrder::Last => " NULLS LAST",
            });
        }
        Ok(())
    }

    fn table_name(&mut self, name: &TableName) {
        if let Some(schema) = &name.schema {
            self.identifier(schema);
            self.out.push('.');
        }
        self.identifier(&name.name);
    }

    fn identifier(&mut self, identifier: &Identifier) {
        let quote = match self.flavor.quoting {
            Quoting::DoubleQuotes => '"',
            Quoting::Backticks => '`',
        };
        self.out.push(quote);
        for character in identifier.0.chars() {
            if character == quote {
                self.out.push(quote);
            }
            self.out.push(character);
        }
        self.out.push(quote);
    }

    fn parameter(&mut self, parameter: Parameter) -> fmt::Result {
        if self.batched.contains(&parameter) {
            return self.batched_column(parameter);
        }
        self.parameters.push(parameter);
        let number = u32::from(parameter.0) + 1;
        match self.flavor.parameters {
            ParameterStyle::Dollar => write!(self.out, "${number}"),
            ParameterStyle::NumberedQuestion => write!(self.out, "?{number}"),
            ParameterStyle::Question => write!(self.out, "?"),
        }
    }

    fn alias(&mut self, alias: Alias) -> fmt::Result {
        if let Some((_, name)) = self.unaliased.clone().filter(|(own, _)| *own == alias) {
            self.identifier(&name);
            return Ok(());
        }
        write!(self.out, "t{}", alias.0)
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }
}
