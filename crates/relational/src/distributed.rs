//! Statements for databases of several servers.
//!
//! The planner of such a database ([Citus]) divides a statement among the servers. It can do so where
//! the rows that a statement compares one by one are on one server; where they are not, it runs a
//! subquery first and sends its result to all servers, but only a subquery that does not depend on
//! the rows around it. So conditions on rows that may be elsewhere are lists of keys (`IN`), their
//! aggregates are groups that are joined, and the pages of several parents are numbered rows instead
//! of lateral queries.
//!
//! [Citus]: https://docs.citusdata.com/en/stable/develop/reference_workarounds.html

use catalog::{Distribution, EntityId, FieldId};
use ir::{Filter, Hop, HopDirection, Quantifier, Rows};
use source::CompileError;
use sql::{
    Alias, Comparison, Direction, Expression, FromItem, Join, JoinKind, Operation, OrderItem,
    ParentPages, Select, SelectItem, SqlType,
};

use super::compile::Compiler;
use super::first::PLACE;
use super::items::{Items, numbered};
use super::level::Parents;
use super::parents::LinkedScope;
use super::row_set::{Scope, page_bounds};
use super::statement::Statement;

impl Compiler<'_> {
    /// Whether the rows of all parents are numbered to cut their pages.
    pub(super) fn numbers_pages(&self) -> bool {
        match self.flavor.parent_pages {
            ParentPages::Lateral => false,
            ParentPages::Numbered => true,
        }
    }

    /// Whether the rows that a hop leads to are on the server of the row that it leads from.
    pub(super) fn is_colocated(&self, hop: Hop) -> bool {
        let relationship = &self.catalog[hop.relationship];
        let near = match hop.direction {
            HopDirection::Forward => relationship.from,
            HopDirection::Backward => relationship.to,
        };
        self.catalog.is_colocated(hop.relationship, near)
    }

    /// Whether a condition on the row at `near` may ask for the rows that a hop leads to by a
    /// subquery of this row. Of rows that a statement was sent, a subquery can only read tables that
    /// each server has.
    pub(super) fn may_correlate(&self, hop: Hop, near: Alias, statement: &Statement) -> bool {
        if !self.catalog.is_distributed() {
            return true;
        }
        let is_stored = !statement.sent.contains(&near);
        let is_everywhere = self.catalog[self.target(hop)].distribution == Distribution::Reference;
        self.is_colocated(hop) && (is_stored || is_everywhere)
    }

    /// The table that a hop leads to. One that may be on other servers is a query of its own, whose
    /// rows the database brings together.
    pub(super) fn far_table(&self, hop: Hop, alias: Alias, statement: &mut Statement) -> FromItem {
        let table = |alias| self.table(self.target(hop), alias);
        if self.is_colocated(hop) {
            return table(alias);
        }
        let inner = statement.alias();
        let mut select = Select::from(table(inner));
        select.items = vec![SelectItem { expression: Expression::Row(inner), name: None }];
        FromItem::Subquery { select: Box::new(select), alias }
    }

    /// Whether the row at `near` is among those that rows elsewhere refer to, or that refer to these.
    pub(super) fn related_elsewhere(
        &self,
        (hop, quantifier, filter): (Hop, Quantifier, &Filter),
        near: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if quantifier == Quantifier::Every && filter.is_all() {
            // No row fails what every row passes.
            return Ok(Expression::Boolean(true));
        }
        let mut scope = self.rows_elsewhere(hop, statement);
        if !filter.is_all() {
            let passes = self.filter_within(near, filter, &mut scope, statement)?;
            scope.select.and_where(match quantifier {
                Quantifier::Every => Expression::Not(Box::new(passes)),
                Quantifier::Some | Quantifier::None | Quantifier::Single => passes,
            });
        }
        let (near_fields, far_fields) = self.hop_fields(hop);
        let keys = self.fields_at(scope.alias, far_fields);
        if quantifier == Quantifier::Single {
            scope.select.group_by.clone_from(&keys);
            scope.select.having = Some(Expression::CountRows.equals(Expression::Number(1)));
        }
        scope.select.items = numbered(keys.into_iter());
        let is_one = is_among(self.fields_at(near, near_fields), scope.select);
        let is_none = Expression::IsNotTrue(Box::new(is_one));
        Ok(match quantifier {
            Quantifier::Some | Quantifier::Single => Expression::Not(Box::new(is_none)),
            Quantifier::None | Quantifier::Every => is_none,
        })
    }

    /// All rows that a hop may lead to.
    pub(super) fn rows_elsewhere(&self, hop: Hop, statement: &mut Statement) -> Scope {
        let far = statement.alias();
        Scope::new(Select::from(self.table(self.target(hop), far)), far)
    }

    /// Values of all groups of rows that a hop may lead to, joined to the row at `near`: the columns of
    /// the values, and the condition that there is no group.
    pub(super) fn join_groups(
        &self,
        hop: Hop,
        (mut groups, values): (Scope, Vec<Expression>),
        near: Alias,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> (Vec<Expression>, Expression) {
        let (near_fields, far_fields) = self.hop_fields(hop);
        let keys = self.fields_at(groups.alias, far_fields);
        let count = keys.len();
        groups.select.group_by.clone_from(&keys);
        let columns = values.len();
        groups.select.items = numbered(keys.into_iter().chain(values));
        let alias = statement.alias();
        let column =
            |place: usize| Expression::numbered(alias, u16::try_from(place).unwrap_or(u16::MAX));
        let near_keys = self.fields_at(near, near_fields).into_iter();
        let on = near_keys.enumerate().map(|(place, key)| column(place).equals(key));
        let kind = JoinKind::Left(Expression::all(on.collect()));
        let item = FromItem::Subquery { select: Box::new(groups.select), alias };
        scope.select.joins.push(Join { kind, item });
        let values = (count..count + columns).map(column).collect();
        (values, Expression::IsNull(Box::new(column(0))))
    }

    fn fields_at(&self, alias: Alias, fields: &[FieldId]) -> Vec<Expression> {
        fields.iter().map(|field| self.field(alias, *field)).collect()
    }

    /// Whether the query of rows may be inlined in that of the rows below them: the database can divide
    /// both among its servers together.
    pub(super) fn is_inlined_here(&self, rows: &Rows, related: &Rows) -> bool {
        if !self.catalog.is_distributed() {
            return true;
        }
        let is_table = matches!(rows.from, ir::From::Entity(_) | ir::From::Relation(_));
        match related.from {
            ir::From::Relation(hop) => is_table && self.is_colocated(hop),
            _ => false,
        }
    }

    /// The condition that the distribution column is among the keys of the parents, where these are
    /// arrays: only the servers that have some of these rows are asked.
    pub(super) fn shards(
        &self,
        parents: &FromItem,
        far: &[FieldId],
        alias: Alias,
    ) -> Option<Expression> {
        let FromItem::Arrays { parameters, .. } = parents else { return None };
        let entity = self.catalog[*far.first()?].entity;
        let by = self.catalog[entity].distribution.distribution_field()?;
        let place = far.iter().position(|field| *field == by)?;
        let list = *parameters.get(place)?;
        Some(Expression::InList { expression: Box::new(self.field(alias, by)), list })
    }

    /// The rows that another table joins to their parents, each once for a parent, with all parents
    /// that they belong to.
    pub(super) fn joined_through(
        &self,
        rows: &Rows,
        (near, joining, far): (Hop, &Filter, Hop),
        (parents, link, how): (FromItem, Vec<Expression>, Parents),
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let (alias, edge) = (statement.alias(), statement.alias());
        let (_, to_parent) = self.hop_fields(near);
        let (to_row, of_row) = self.hop_fields(far);
        let junction = self.target(near);
        let condition = match joining.is_all() {
            true => None,
            false => Some(self.decided_alone(joining, edge, statement)?),
        };
        let once = self.catalog[junction].is_unique(&[to_parent, to_row].concat());
        let shards = self.shards(&parents, to_parent, edge);
        let (item, parent_keys, row_keys, conditions) = if once {
            let item = self.table(junction, edge);
            let conditions: Vec<_> = condition.into_iter().chain(shards).collect();
            let keys = [to_parent, to_row].map(|fields| self.fields_at(edge, fields));
            let [parent_keys, row_keys] = keys;
            (item, parent_keys, row_keys, conditions)
        } else {
            // One parent may have several for one row.
            let mut pairs = Select::from(self.table(junction, edge));
            condition.into_iter().chain(shards).for_each(|condition| pairs.and_where(condition));
            let keys = self.fields_at(edge, &[to_parent, to_row].concat());
            let count = keys.len();
            pairs.items = numbered(keys.into_iter());
            pairs.distinct = true;
            let pair = statement.alias();
            let column = |number| Expression::numbered(pair, number);
            let mut columns: Vec<_> = (0_u16..).take(count).map(column).collect();
            let row_keys = columns.split_off(to_parent.len());
            let item = FromItem::Subquery { select: Box::new(pairs), alias: pair };
            (item, columns, row_keys, Vec::new())
        };
        let equal = |(left, right): (&Expression, &Expression)| left.clone().equals(right.clone());
        let belongs: Vec<_> = parent_keys.iter().zip(&link).map(equal).chain(conditions).collect();
        let row = self.fields_at(alias, of_row);
        let leads: Vec<_> = row_keys.iter().zip(&row).map(equal).collect();
        let mut select = Select::from(parents);
        let kind = JoinKind::Inner(Expression::all(belongs));
        select.joins.push(Join { kind, item });
        let kind = JoinKind::Inner(Expression::all(leads));
        let item = self.far_table(far, alias, statement);
        select.joins.push(Join { kind, item });
        let mut scope = Scope::new(select, alias);
        scope.edge = once.then_some(edge);
        scope.parent_key.clone_from(&link);
        scope.link = link;
        self.restrict(rows, &mut scope, statement)?;
        let bounds = page_bounds(rows)?;
        let numbered = bounds.limit.is_some() || bounds.offset.is_some();
        let link = scope.link.clone();
        Ok(LinkedScope { scope, lateral: None, link, how, numbered })
    }

    /// The row at an alias as an argument of a function. Other servers have tables of other types in the
    /// place of a distributed table, and a row of a change has its place beside it, so a row is made of
    /// its columns; one that is not there is null.
    pub(super) fn row_argument(
        &self,
        entity: EntityId,
        alias: Alias,
        statement: &Statement,
    ) -> Expression {
        let (kind, distribution) = (self.catalog[entity].kind, self.catalog[entity].distribution);
        let is_here = distribution == Distribution::Local && !statement.sent.contains(&alias);
        if !self.numbers_pages() || is_here || !kind.is_stored() {
            return Expression::Row(alias);
        }
        let values = Expression::Together(self.fields_at(alias, &self.catalog[entity].fields));
        let r#type = SqlType::Named(self.table_name(entity));
        let row = Expression::Cast { expression: Box::new(values), r#type };
        let condition = Box::new(Expression::is_a_row(alias));
        Expression::When { condition, then: Box::new(row) }
    }

    /// The values in which the rows of one parent agree, and those of no other.
    pub(super) fn partition(
        &self,
        rows: &Rows,
        (alias, link): (Alias, &[Expression]),
    ) -> Result<Vec<Expression>, CompileError> {
        let mut partition = self.group_by(rows, link.to_vec())?;
        // The database numbers rows where they are only if it sees that all rows of a parent are
        // there, by a column of theirs.
        if let ir::From::Relation(hop) = rows.from {
            partition.extend(self.fields_at(alias, self.hop_fields(hop).1));
        }
        Ok(partition)
    }

    /// Sorts rows that a change gave by their places, where joins could bring them into another order. A
    /// row that is sent on as it is has no place.
    pub(super) fn keep_order(&self, rows: &Rows, items: &Items, scope: &mut Scope) {
        let is_joined = !scope.select.joins.is_empty();
        let is_sent_on = !items.known.rows.is_empty() || !self.is_of_change(&rows.from);
        if !self.numbers_pages() || !scope.keeps_order || !is_joined || is_sent_on {
            return;
        }
        if let Some(FromItem::RowArray { has_places, alias, .. }) = &mut scope.select.from {
            *has_places = true;
            let expression = Expression::numbered(*alias, PLACE);
            let direction = Direction::Ascending;
            scope.select.order_by = vec![OrderItem { expression, direction, nulls: None }];
        }
    }

    /// Numbers the rows of a select, by its order and within a partition, and cuts the pages of its
    /// limit and offset. The items of the select are numbered; the outer select has none.
    pub(super) fn cut_numbered(
        &self,
        rows: &Rows,
        mut select: Select,
        partition: Vec<Expression>,
        statement: &mut Statement,
    ) -> Result<(Select, Alias), CompileError> {
        let order_by = std::mem::take(&mut select.order_by);
        let (limit, offset) = (select.limit.take(), select.offset.take());
        select.bound = None;
        let place = Expression::RowNumber { partition_by: partition, order_by };
        select.items.push(SelectItem { expression: place, name: Some(PLACE) });
        let alias = statement.alias();
        let mut outer = Select::from(FromItem::Subquery { select: Box::new(select), alias });
        self.keep_places(rows, (limit, offset), alias, &mut outer)?;
        Ok((outer, alias))
    }

    /// The same of rows that others are made of: they stand in a subquery with all of their columns.
    pub(super) fn cut_within(
        &self,
        rows: &Rows,
        linked: &mut LinkedScope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let scope = &mut linked.scope;
        self.order(rows, scope, statement)?;
        self.page(rows, false, scope, statement)?;
        let partition_by = self.partition(rows, (scope.alias, &scope.link))?;
        let order_by = std::mem::take(&mut scope.select.order_by);
        let page = (scope.select.limit.take(), scope.select.offset.take());
        scope.select.bound = None;
        let place = Expression::RowNumber { partition_by, order_by };
        self.stand_within(rows, Some(place), scope, statement)?;
        self.keep_places(rows, page, scope.alias, &mut scope.select)?;
        scope.select.order_by.clear();
        linked.link.clone_from(&scope.link);
        linked.numbered = false;
        Ok(())
    }

    /// Keeps the rows within a page by their numbers, in their order.
    pub(super) fn keep_places(
        &self,
        rows: &Rows,
        (limit, offset): (Option<Expression>, Option<Expression>),
        alias: Alias,
        select: &mut Select,
    ) -> Result<(), CompileError> {
        let place = || Expression::numbered(alias, PLACE);
        // A limit or an offset that is null is none.
        let unless = |left, comparison, right| {
            let (left, right) = (Box::new(left), Box::new(right));
            Expression::IsNotTrue(Box::new(Expression::Compare { left, comparison, right }))
        };
        if let Some(offset) = &offset {
            select.and_where(unless(place(), Comparison::LessOrEqual, offset.clone()));
        }
        if let Some(limit) = limit {
            let behind = match offset {
                None => place(),
                Some(offset) => {
                    let (left, right) = (Box::new(place()), Box::new(offset));
                    let operation = Operation::Subtract;
                    let behind = Expression::Computed { left, operation, right };
                    Expression::Coalesce(vec![behind, place()])
                }
            };
            select.and_where(unless(behind, Comparison::Greater, limit));
        }
        select.order_by.push(OrderItem {
            expression: place(),
            direction: match page_bounds(rows)?.from_end {
                true => Direction::Descending,
                false => Direction::Ascending,
            },
            nulls: None,
        });
        Ok(())
    }
}

/// Whether values are among those of a query's rows.
fn is_among(mut values: Vec<Expression>, rows: Select) -> Expression {
    let value = match values.len() {
        1 => values.swap_remove(0),
        _ => Expression::Together(values),
    };
    Expression::InRows { expression: Box::new(value), rows: Box::new(rows) }
}
