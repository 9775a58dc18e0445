//! What must be so of the rows above once everything below them is written.

use ir::{ChildWrite, ExpectedLinks, Filter, Otherwise, OtherwiseKind, Write};
use source::CompileError;
use sql::{Comparison, Expression, FromItem, Join, JoinKind, Select, SelectItem};

use super::super::super::compile::Compiler;
use super::super::super::level::{Parents, Test, Unit};
use super::super::super::row_set::Scope;
use super::super::super::statement::Statement;
use super::outer::{Outer, OuterRow, Which, whiches};

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
        for which in whiches(&child.parents) {
            let mut statement = Statement::default();
            let (item, how, scope) = self.linked_rows(child, (outer, which), &mut statement)?;
            let mut linked = scope.select;
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

    /// Requires that no row above is linked to a row that passes.
    pub(super) fn expect_unlinked(
        &mut self,
        child: &ChildWrite,
        outer: &Outer,
        (filter, otherwise): (&Filter, &Otherwise),
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        for which in whiches(&child.parents) {
            let mut statement = Statement::default();
            let (item, how, mut scope) = self.linked_rows(child, (outer, which), &mut statement)?;
            if !filter.is_all() {
                let passes = self.filter(filter, &mut scope, &mut statement)?;
                scope.select.and_where(passes);
            }
            let mut select = item.map_or_else(Select::once, Select::from);
            select.and_where(Expression::Exists(Box::new(scope.select)));
            self.require_no(select, (outer, how), otherwise.clone(), statement, unit)?;
        }
        Ok(())
    }

    /// The rows that a row above is linked to, and where that stands.
    fn linked_rows(
        &self,
        child: &ChildWrite,
        (outer, which): (&Outer, Which),
        statement: &mut Statement,
    ) -> Result<(Option<FromItem>, Parents, Scope), CompileError> {
        let (near, far) = self.hop_fields(child.hop);
        let OuterRow { values, item, how } = self.outer_row(outer, near, which, statement)?;
        let alias = statement.alias();
        let mut linked = Select::from(self.table(self.target(child.hop), alias));
        for (far, value) in far.iter().zip(values) {
            linked.and_where(self.field(alias, *far).equals(value));
        }
        Ok((item, how, Scope::new(linked, alias)))
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
        let row = self.outer_row(outer, &key, Which::Each, &mut statement)?;
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
        let message = "check constraint of an insert/update permission has failed";
        let otherwise = Otherwise::new(OtherwiseKind::Refused, message);
        self.require_no(scope.select, (outer, row.how), otherwise, statement, unit)
    }

    /// Requires that a query gives no row.
    fn require_no(
        &mut self,
        mut select: Select,
        (outer, how): (&Outer, Parents),
        otherwise: Otherwise,
        statement: Statement,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        select.items = vec![SelectItem { expression: Expression::Boolean(true), name: None }];
        let name = self.catalog.qualified_name(outer.entity);
        let level = self.push_write_of(name, &select.into(), statement, how)?;
        self.require_of(level, Test::NoRow, otherwise, unit)
    }
}
