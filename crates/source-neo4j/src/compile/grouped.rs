//! All rows in groups: a list of lists.

use cypher::{Clause, Expression, Function, Projection, ProjectionItem};
use ir::{Groups, OutputId, Rows};
use response::ColumnRef;
use source::CompileError;

use super::super::program::{LevelPage, LevelRows};
use super::listed::Start;
use super::rows::{Collected, Items, returning};
use super::statement::Statement;
use super::{Compiler, column};

impl Compiler<'_> {
    /// A subquery of one row, which has the groups as a list; each is a list of its rows.
    pub(super) fn grouped(
        &mut self,
        rows: &Rows,
        (output, groups): (OutputId, &Groups),
        start: Start<'_, '_>,
        statement: &mut Statement,
    ) -> Result<Collected, CompileError> {
        let (mut body, scope) = self.found(rows, start, statement)?;
        let mut each = Projection::default();
        for place in &groups.by {
            let value = match place {
                ir::ValueRef::Computed(call) => {
                    let (clause, name) = self.given_value(call, &scope, statement)?;
                    body.push(clause);
                    Expression::Variable(name)
                }
                _ => self.place(place, &scope)?.1,
            };
            each.items.push(ProjectionItem::named(value, statement.column()));
        }
        let mut items = Items::default();
        self.outputs(&groups.outputs, &scope, &mut items, statement)?;
        body.append(&mut items.subqueries);
        let collect = |value| Expression::call(Function::Collect, vec![value]);
        let members = statement.column();
        let width = column(items.expressions.len())?;
        let all = collect(Expression::List(items.expressions));
        each.items.push(ProjectionItem::named(all, members));
        body.push(Clause::With(each));
        let name = statement.column();
        let group = Expression::List(vec![Expression::Variable(members)]);
        body.push(returning(collect(group), name));
        // Its place is set with the columns of the level above.
        let level = self.level(LevelRows::InRow { column: 0 }, LevelPage::default())?;
        self.place_output(output, ColumnRef::Level(level));
        let within = self.level(LevelRows::InRow { column: 0 }, LevelPage::default())?;
        self.place_level(within, None, width);
        self.place_rows(groups.rows, within);
        Ok(Collected { level, width: 1, body, name })
    }
}
