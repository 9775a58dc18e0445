//! Items of FROM, joins and calls.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::flavor::KeyArrays;
use crate::tree::{
    Alias, Call, FromItem, Identifier, Join, JoinKind, PLACE, Parameter, TableName, WrittenPart,
};

impl Printer<'_> {
    pub(super) fn item(&mut self, item: &FromItem) -> fmt::Result {
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
            FromItem::Union { selects, alias } => {
                self.out.push('(');
                for (index, select) in selects.iter().enumerate() {
                    self.out.push_str(if index == 0 { "" } else { " UNION ALL " });
                    self.select(select)?;
                }
                self.out.push_str(") AS ");
                self.alias(*alias)
            }
            FromItem::Arrays { parameters, columns, alias } => {
                self.rows_of_arrays(parameters, *columns, false, *alias)
            }
            FromItem::Keys { parameters, columns, alias } => {
                self.rows_of_arrays(parameters, *columns, true, *alias)
            }
            FromItem::RowArray { parameter, has_places: true, alias } => {
                self.out.push_str("(SELECT ((");
                self.parameter(*parameter)?;
                write!(self.out, ")[n]).*, n AS c{PLACE} FROM generate_series(1, cardinality(")?;
                self.parameter(*parameter)?;
                self.out.push_str(")) AS s (n)) AS ");
                self.alias(*alias)
            }
            FromItem::RowArray { parameter, has_places: false, alias } => {
                self.out.push_str("unnest(");
                self.parameter(*parameter)?;
                self.out.push_str(") AS ");
                self.alias(*alias)
            }
            FromItem::Values { columns, like, alias } => match self.flavor.key_arrays {
                KeyArrays::Unnest => self.values_of_arrays(columns, *alias),
                KeyArrays::JsonEach | KeyArrays::JsonTable { .. } => {
                    self.values(columns, like)?;
                    self.out.push_str(" AS ");
                    self.alias(*alias)
                }
            },
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
            FromItem::Written { parts, alias } => {
                self.out.push('(');
                for part in parts {
                    match part {
                        WrittenPart::Text(text) => self.out.push_str(text),
                        WrittenPart::Value(value) => self.expression(value)?,
                    }
                }
                // The last line may be a comment.
                self.out.push_str("\n) AS ");
                self.alias(*alias)
            }
        }
    }

    fn rows_of_arrays(
        &mut self,
        parameters: &[Parameter],
        columns: u16,
        has_places: bool,
        alias: Alias,
    ) -> fmt::Result {
        match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                self.out.push_str("unnest(");
                self.parameter_list(parameters)?;
                self.out.push_str(if has_places { ") WITH ORDINALITY AS " } else { ") AS " });
                self.alias(alias)?;
                self.out.push('(');
                for index in 0..columns + u16::from(has_places) {
                    self.comma(usize::from(index));
                    write!(self.out, "c{index}")?;
                }
                self.out.push(')');
            }
            KeyArrays::JsonEach => {
                self.out.push_str("(SELECT ");
                for index in 0..columns {
                    self.comma(usize::from(index));
                    write!(self.out, "value ->> {index} AS c{index}")?;
                }
                if has_places {
                    self.comma(usize::from(columns));
                    write!(self.out, "key + 1 AS c{columns}")?;
                }
                self.out.push_str(" FROM json_each(");
                self.parameter_list(parameters)?;
                self.out.push_str(")) AS ");
                self.alias(alias)?;
            }
            KeyArrays::JsonTable { element } => {
                self.out.push_str("JSON_TABLE(");
                self.parameter_list(parameters)?;
                self.out.push_str(", '$[*]' COLUMNS (");
                for index in 0..columns {
                    self.comma(usize::from(index));
                    write!(self.out, "c{index} {element} PATH '$[{index}]'")?;
                }
                if has_places {
                    self.comma(usize::from(columns));
                    write!(self.out, "c{columns} FOR ORDINALITY")?;
                }
                self.out.push_str(")) AS ");
                self.alias(alias)?;
            }
        }
        Ok(())
    }

    fn parameter_list(&mut self, parameters: &[Parameter]) -> fmt::Result {
        for (index, parameter) in parameters.iter().enumerate() {
            self.comma(index);
            self.parameter(*parameter)?;
        }
        Ok(())
    }

    /// Rows of values, an array for each column, with their places.
    fn values_of_arrays(
        &mut self,
        columns: &[(Identifier, Parameter)],
        alias: Alias,
    ) -> fmt::Result {
        self.out.push_str("unnest(");
        for (index, (_, parameter)) in columns.iter().enumerate() {
            self.comma(index);
            self.parameter(*parameter)?;
        }
        self.out.push_str(") WITH ORDINALITY AS ");
        self.alias(alias)?;
        self.out.push('(');
        for (index, (name, _)) in columns.iter().enumerate() {
            self.comma(index);
            self.identifier(name);
        }
        write!(self.out, ", c{PLACE})")
    }

    /// A row of values that compare as the columns of a table do. SQLite takes the collation of a
    /// column of UNION from its first part and the affinity from either, which is why each value is
    /// a UNION, too: that has the affinity of its last part. None of the rows of the table is read.
    fn values(&mut self, columns: &[(Identifier, Parameter)], table: &TableName) -> fmt::Result {
        self.out.push_str("(SELECT ");
        for (index, (name, _)) in columns.iter().enumerate() {
            self.comma(index);
            self.identifier(name);
        }
        self.no_row(table);
        self.out.push_str(" UNION ALL SELECT ");
        for (index, (name, parameter)) in columns.iter().enumerate() {
            self.comma(index);
            self.out.push_str("(SELECT ");
            self.parameter(*parameter)?;
            self.out.push_str(" UNION ALL SELECT ");
            self.identifier(name);
            self.no_row(table);
            self.out.push(')');
        }
        self.out.push(')');
        Ok(())
    }

    fn no_row(&mut self, table: &TableName) {
        self.out.push_str(" FROM ");
        self.table_name(table);
        self.out.push_str(" WHERE FALSE");
    }

    pub(super) fn call(&mut self, call: &Call) -> fmt::Result {
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

    pub(super) fn join(&mut self, join: &Join) -> fmt::Result {
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
}
