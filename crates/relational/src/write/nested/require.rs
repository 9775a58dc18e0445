//! What must be so of the rows above once everything below them is written.

use ir::{ChildWrite, ExpectedLinks, Filter, Otherwise, OtherwiseKind, Write};
use source::CompileError;
use sql::{Comparison, Expression, Join, JoinKind, Select, SelectItem};

use super::super::super::compile::Compiler;
use super::super::super::level::{Test, Unit};
use super::super::super::row_set::Scope;
use super::super::super::statement::Statement;
use super::outer::{Outer, OuterRow, whiches};

impl Compiler<'_> {
    /// Requires that each row above is linked to so many rows.
    pub(super) fn expect(
        &mut self,
        child: &ChildWrite,
        outer: &Outer,
        (links, otherwise): (ExpectedLinks, &Otherwise),
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        super::refuse_below(&child.write)?;
        let (near, far) = self.hop_fields(child.hop);
        let (near, far) = (near.to_vec(), far.to_vec());
        let target = self.target(child.hop);
        for which in whiches(&child.parents) {
            let mut statement = Statement::default();
            let OuterRow { values, item, how } =
                self.outer_row(outer, &near, which, &mut statement)?;
            let alias = statement.alias();
            let mut linked = Select::from(self.table(target, alias));
            for (far, value) in far.iter().zip(values) {
                linked.and_where(self.field(alias, *far).equals(value));
            }
            let fails = if links == ExpectedLinks::None {
                Expression::Exists(Box::new(linked))
            } else {
                linked.items = vec![SelectItem { expression: Expression::CountRows, name: None }];
                Expression::Compare {
                    left: Box::new(Expression::Subquery(Box::new(linked))),
                    comparison: match links {
                        ExpectedLinks::One => Comparison::NotEqual,
                        ExpectedLinks::None | ExpectedLinks::OneOrNone => Comparison::Greater,
                    },
                    right: Box::new(Expression::Number(1)),
                }
            };
            let mut select = item.map_or_else(Select::once, Select::from);
            select.and_where(fails);
            self.require_no(select, (outer, how), otherwise.clone(), statement, unit)?;
        }
        Ok(())
    }

    /// Requires that each row passes the check of its write.
    pub(super) fn check(
        &mut self,
        write: &Write,
        outer: &Outer,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        if write.check.is_all() {
            return Ok(());
        }
        let key = self.key_fields(outer)?;
        let mut statement = Statement::default();
        let row = self.outer_row(outer, &key, super::outer::Which::Each, &mut statement)?;
        let alias = statement.alias();
        let is_it = key.iter().zip(row.values);
        let is_it = is_it.map(|(field, value)| self.field(alias, *field).equals(value));
        let is_it = Expression::all(is_it.collect());
        let table = self.table(write.entity, alias);
        let select = match row.item {
            None => {
                let mut select = Select::from(table);
                select.and_where(is_it);
                select
            }
            Some(item) => {
                let mut select = Select::from(item);
                select.joins.push(Join { kind: JoinKind::Inner(is_it), item: table });
                select
            }
        };
        let mut scope = Scope::new(select, alias);
        let fails = Filter::Except(Box::new(write.check.clone()));
        let fails = self.filter(&fails, &mut scope, &mut statement)?;
        scope.select.and_where(fails);
        let message = "A row would not pass the condition that is required of it.";
        let otherwise = Otherwise::new(OtherwiseKind::Refused, message);
        self.require_no(scope.select, (outer, row.how), otherwise, statement, unit)
    }

    /// Requires that a query gives no row.
    fn require_no(
        &mut self,
        mut select: Select,
        (outer, how): (&Outer, super::super::super::level::Parents),
        otherwise: Otherwise,
        statement: Statement,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        select.items = vec![SelectItem { expression: Expression::Boolean(true), name: None }];
        let name = self.catalog.qualified_name(outer.entity);
        let level = self.push_write_of(name, &select.into(), statement, how)?;
        self.require_of(level, Test::NoRow, otherwise, unit);
        Ok(())
    }
}
