//! Distinct rows: the first of those that agree in some fields.
//!
//! They are chosen in a subquery with all columns of the rows, so that whatever is asked of them
//! names their columns as if they stood in the table.

use ir::{From, Rows};
use source::CompileError;
use sql::{Direction, Expression, FromItem, OrderItem, Select, SelectItem};

use super::compile::Compiler;
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ValueKind;

/// The name of a row's place among those that agree: behind the numbers of all other columns.
pub(super) const PLACE: u16 = sql::PLACE;

/// The names of the keys of parents begin with this number.
const FIRST_LINK: u16 = 60_000;

impl Compiler<'_> {
    /// Keeps the first row, in the rows' order, for each combination of their distinct fields.
    pub(super) fn keep_first(
        &self,
        rows: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        if rows.distinct.is_empty() {
            return Ok(());
        }
        let agreeing = rows.distinct.iter().map(|field| {
            let kind = ValueKind::of(self.catalog, *field);
            self.comparable(kind, self.field(scope.alias, *field))
        });
        // Where the rows of all parents are in one select, each parent has rows of its own.
        let agreeing: Vec<Expression> =
            self.group_by(rows, scope.link.clone())?.into_iter().chain(agreeing).collect();
        let mut order_by = Vec::with_capacity(rows.order.len());
        for term in &rows.order {
            order_by.push(self.order_item(term, scope, statement)?);
        }
        let place = if self.flavor.distinct_on {
            let first = agreeing.iter().map(|expression| OrderItem {
                expression: expression.clone(),
                direction: Direction::Ascending,
                nulls: None,
            });
            scope.select.order_by = first.chain(order_by).collect();
            scope.select.distinct_on = agreeing;
            None
        } else {
            Some(Expression::RowNumber { partition_by: agreeing, order_by })
        };
        let is_numbered = place.is_some();
        self.stand_within(rows, place, scope, statement)?;
        if is_numbered {
            let place = Expression::numbered(scope.alias, PLACE);
            scope.select.and_where(place.equals(Expression::Number(1)));
        }
        Ok(())
    }

    /// Makes a subquery of a scope's rows, with all of their columns by their names.
    pub(super) fn stand_within(
        &self,
        rows: &Rows,
        place: Option<Expression>,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let has_columns = matches!(
            rows.from,
            From::Entity(_)
                | From::Relation(_)
                | From::Through { .. }
                | From::Function(_)
                | From::Returned { .. }
        );
        if !has_columns {
            return Err(CompileError::not_built("a part of rows that stand in no table"));
        }
        let mut within = std::mem::replace(&mut scope.select, Select::once());
        within.items = vec![SelectItem { expression: Expression::Row(scope.alias), name: None }];
        let link = std::mem::take(&mut scope.link);
        let links: Vec<u16> = (FIRST_LINK..).take(link.len()).collect();
        let has_link = !link.is_empty();
        let link = link.into_iter().zip(&links);
        within.items.extend(
            link.map(|(expression, number)| SelectItem { expression, name: Some(*number) }),
        );
        within.items.extend(place.map(|place| SelectItem { expression: place, name: Some(PLACE) }));
        let alias = statement.alias();
        statement.sent.push(alias);
        let select = Select::from(FromItem::Subquery { select: Box::new(within), alias });
        let guards = std::mem::take(&mut scope.guards);
        let parent_key = std::mem::take(&mut scope.parent_key);
        *scope = Scope::new(select, alias);
        scope.guards.first = guards.first;
        scope.guards.made = guards.made;
        scope.link = links.into_iter().map(|number| Expression::numbered(alias, number)).collect();
        scope.parent_key = match has_link && !parent_key.is_empty() {
            true => scope.link.clone(),
            false => parent_key,
        };
        scope.is_within = true;
        self.join_if(rows, scope, statement)
    }
}
