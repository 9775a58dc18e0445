//! FROM, joins, filters, order and page of one set of rows.

use catalog::{EntityId, FieldId};
use ir::{Filter, From, Hop, HopDirection, OrderKey, OrderTerm, OutputKind, Rows};
use rustc_hash::FxHashMap;
use source::CompileError;
use sql::{
    Alias, Expression, FromItem, Identifier, Join, JoinKind, NullsOrder, OrderItem, Select,
    SelectItem, TableName,
};

use super::barrier::Guards;
use super::compile::Compiler;
use super::function::row_as_value;
use super::items::is_made;
use super::keyset::Side;
use super::level::ParameterSource;
use super::statement::Statement;
use super::value::{ParameterKind, ValueKind};
use super::variants::VariantColumns;

/// The rows being read: the select, its table, and the tables joined by paths of hops.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) select: Select,
    pub(super) alias: Alias,
    joined: FxHashMap<Vec<Hop>, Alias>,
    /// The rows that join these to their parents, where each is joined once.
    pub(super) edge: Option<Alias>,
    /// The keys of the parents, where these are joined to all of them in the same select, and what
    /// becomes of the rows depends on the parent.
    pub(super) link: Vec<Expression>,
    /// The key of the parent that these are joined to.
    pub(super) parent_key: Vec<Expression>,
    /// The place of the key that found a row, where each is found by one of a list.
    pub(super) ordinal: Option<Expression>,
    /// What was told beside that key.
    pub(super) external: Vec<Expression>,
    /// The rows come in an order that only their own place says: a function gave them so.
    pub(super) keeps_order: bool,
    pub(super) guards: Guards,
    /// The rows are those of a subquery: they have the columns of their table, but not its type.
    pub(super) is_within: bool,
    /// Where the rows are of several entities: the columns of each.
    pub(super) variants: Option<VariantColumns>,
}

impl Scope {
    /// Rows of a select whose FROM holds the entity's table as `alias`.
    pub(super) fn new(select: Select, alias: Alias) -> Self {
        let joined = FxHashMap::default();
        Self {
            select,
            alias,
            joined,
            edge: None,
            link: Vec::new(),
            parent_key: Vec::new(),
            ordinal: None,
            external: Vec::new(),
            keeps_order: false,
            guards: Guards::default(),
            is_within: false,
            variants: None,
        }
    }
}

impl Compiler<'_> {
    pub(super) fn table(&self, entity: EntityId, alias: Alias) -> FromItem {
        FromItem::Table { name: self.table_name(entity), alias }
    }

    pub(super) fn table_name(&self, entity: EntityId) -> TableName {
        let entity = &self.catalog[entity];
        let schema = entity.namespace.clone().map(Identifier);
        TableName { schema, name: Identifier(entity.name.clone()) }
    }

    /// The entity of the rows, where they come from one.
    pub(super) fn entity(&self, rows: &Rows) -> Result<EntityId, CompileError> {
        match &rows.from {
            From::Entity(entity) | From::Keys { entity, .. } => Ok(*entity),
            From::Relation(hop) | From::Through { far: hop, .. } => Ok(self.target(*hop)),
            From::Joining { near, .. } => Ok(self.target(*near)),
            From::Variants(variants) if variants.len() == 1 => Ok(variants[0].entity),
            From::Variants(_) | From::FunctionOfVariants { .. } => {
                Err(CompileError::not_built("rows of several entities"))
            }
            From::Function(call) => self.rows_of_function(call.function),
            From::Value(field) => self.rows_of_value(*field),
            From::Search { .. } => Err(CompileError::not_built("a search by an index")),
            From::Returned { step, .. } => Ok(self.returned(*step)?.entity),
            From::Event(_) => Err(CompileError::not_built("the node of an event")),
            From::Once | From::List { .. } => Err(CompileError::not_built("a row of no entity")),
        }
    }

    pub(super) fn target(&self, hop: Hop) -> EntityId {
        let relationship = &self.catalog[hop.relationship];
        match hop.direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        }
    }

    /// The fields that a hop equates: those on the near side and those on the far side.
    pub(super) fn hop_fields(&self, hop: Hop) -> (&[FieldId], &[FieldId]) {
        let relationship = &self.catalog[hop.relationship];
        match hop.direction {
            HopDirection::Forward => (&relationship.from_fields, &relationship.to_fields),
            HopDirection::Backward => (&relationship.to_fields, &relationship.from_fields),
        }
    }

    pub(super) fn field(&self, alias: Alias, field: FieldId) -> Expression {
        let field = &self.catalog[field];
        match self.is_whole_row(field) {
            true => row_as_value(alias),
            false => Expression::named(alias, &field.name),
        }
    }

    /// The alias of the table at the end of a path, joined on the first use.
    pub(super) fn joined(
        &self,
        scope: &mut Scope,
        statement: &mut Statement,
        path: &[Hop],
    ) -> Alias {
        let Some((hop, before)) = path.split_last() else { return scope.alias };
        if let Some(alias) = scope.joined.get(path) {
            return *alias;
        }
        let near = self.joined(scope, statement, before);
        let far = statement.alias();
        let (near_fields, far_fields) = self.hop_fields(*hop);
        let on = near_fields.iter().zip(far_fields);
        let on = on.map(|(left, right)| self.field(far, *right).equals(self.field(near, *left)));
        let on = Expression::all(on.collect());
        let kind = match scope.keeps_order && !self.numbers_pages() {
            true => JoinKind::LeftInOrder(on),
            false => JoinKind::Left(on),
        };
        let item = self.far_table(*hop, far, statement);
        scope.select.joins.push(Join { kind, item });
        scope.joined.insert(path.to_vec(), far);
        far
    }

    /// A condition on the row at an alias, which stands in another select.
    pub(super) fn condition_on(
        &self,
        filter: &Filter,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let mut scope = Scope::new(Select::once(), alias);
        let condition = self.filter(filter, &mut scope, statement)?;
        match scope.select.joins.is_empty() {
            true => Ok(condition),
            // Nobody would join them.
            false => Err(CompileError::not_built("a condition that leads to other rows")),
        }
    }

    /// Joins the rows that count as absent where they do not pass, before anybody uses them: so
    /// they are absent for all that the rows are asked for.
    pub(super) fn join_if(
        &self,
        rows: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let conditions = rows.outputs.iter().filter_map(|output| match &output.kind {
            OutputKind::PresentIf { path, filter } => Some((path, filter)),
            _ => None,
        });
        let mut conditions: Vec<_> = conditions.collect();
        // What a path begins with is joined first.
        conditions.sort_by_key(|(path, _)| path.len());
        for (path, filter) in conditions {
            if path.is_empty() || scope.joined.contains_key(path.as_slice()) {
                return Err(CompileError::not_built("two conditions on one related row"));
            }
            let alias = self.joined(scope, statement, path);
            let condition = self.condition_on(filter, alias, statement)?;
            scope.guards.joined.push((path.clone(), filter.clone()));
            let Some(join) = scope.select.joins.last_mut() else { continue };
            if let JoinKind::Left(on) | JoinKind::LeftInOrder(on) = &mut join.kind {
                let joined = std::mem::replace(on, Expression::Boolean(false));
                *on = Expression::all(vec![joined, condition]);
            } else {
                return Err(CompileError::not_built("a condition on a row that is always there"));
            }
        }
        Ok(())
    }

    pub(super) fn column(
        &self,
        scope: &mut Scope,
        statement: &mut Statement,
        path: &[Hop],
        field: FieldId,
    ) -> Expression {
        let alias = self.joined(scope, statement, path);
        self.field(alias, field)
    }

    /// Adds the rows' filter.
    pub(super) fn restrict(
        &self,
        rows: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        scope.guards.first = rows.filter.first().cloned();
        scope.guards.made = is_made(&rows.from);
        self.join_if(rows, scope, statement)?;
        let depends_on_values = statement.depends_on_values;
        if !rows.filter.is_all() {
            let filter = self.filter(&rows.filter, scope, statement)?;
            scope.select.and_where(filter);
        }
        self.keep_first(rows, scope, statement)?;
        if let ir::Page::BesideRows(beside) = &rows.page {
            for (key, side) in [(&beside.after, Side::After), (&beside.before, Side::Before)] {
                let Some(key) = key else { continue };
                self.beside_row(rows, (key, side), scope, statement)?;
            }
        }
        if let ir::Page::Keyset(keyset) = &rows.page {
            for (values, side) in [(&keyset.after, Side::After), (&keyset.before, Side::Before)] {
                let Some(values) = values else { continue };
                let beyond = self.beyond(&rows.order, values, side, scope, statement)?;
                scope.select.and_where(beyond);
            }
        }
        if self.is_found_alike(rows) {
            statement.depends_on_values = depends_on_values;
        }
        Ok(())
    }

    /// Adds the rows' order; turned around where the page is counted from its end.
    pub(super) fn order(
        &self,
        rows: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let from_end = page_bounds(rows)?.from_end;
        for term in &rows.order {
            let item = self.order_item(term, scope, statement)?;
            scope.select.order_by.push(if from_end { turned(item) } else { item });
        }
        if let (Some(ordinal), true) = (&scope.ordinal, rows.order.is_empty()) {
            scope.select.order_by.push(OrderItem {
                expression: ordinal.clone(),
                direction: sql::Direction::Ascending,
                nulls: None,
            });
        }
        Ok(())
    }

    pub(super) fn order_item(
        &self,
        term: &OrderTerm,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<OrderItem, CompileError> {
        let (expression, nullable) = match &term.key {
            OrderKey::Value(ir::ValueRef::Distance(distance)) => {
                (self.distance(distance, scope, statement)?, true)
            }
            OrderKey::Value(place) => {
                let (field, column) = self.place(place, scope, statement)?;
                let column = match place {
                    ir::ValueRef::Computed(_) => self.sorted(column, scope, statement)?,
                    _ => column,
                };
                let nullable = is_on_path(place) || self.catalog[field].nullable;
                (self.comparable(ValueKind::of(self.catalog, field), column), nullable)
            }
            OrderKey::Relation { path, hop, filter, aggregate } => {
                let related = (*hop, filter, aggregate);
                let near = self.joined(scope, statement, path);
                let value = self.related_aggregate(related, true, (near, scope), statement)?;
                (self.sorted(value, scope, statement)?, Self::is_nullable(aggregate))
            }
            OrderKey::Call(call) => {
                let (field, value) = self.computed_place(call, scope, statement)?;
                let value = self.sorted(value, scope, statement)?;
                (self.comparable(ValueKind::of(self.catalog, field), value), true)
            }
            OrderKey::FunctionRows { call, filter, aggregate } => {
                let rows = (call, filter, aggregate);
                let value = self.function_aggregate(rows, true, scope, statement)?;
                (self.sorted(value, scope, statement)?, Self::is_nullable(aggregate))
            }
        };
        let nulls = match term.nulls {
            ir::Nulls::First => NullsOrder::First,
            ir::Nulls::Last => NullsOrder::Last,
        };
        Ok(OrderItem {
            expression,
            direction: match term.direction {
                ir::Direction::Ascending => sql::Direction::Ascending,
                ir::Direction::Descending => sql::Direction::Descending,
            },
            nulls: nullable.then_some(nulls),
        })
    }

    /// Adds the rows' page. Said again, a page has its size without the look-ahead.
    pub(super) fn page(
        &self,
        rows: &Rows,
        look_ahead: bool,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let bounds = page_bounds(rows)?;
        let look_ahead = look_ahead && bounds.look_ahead;
        let mut parameter = |operand: &ir::Operand, kind| {
            let source = ParameterSource::Operand(operand.clone());
            statement.parameter(source, kind)
        };
        let limit = bounds.limit.as_ref();
        let limit = limit.map(|limit| parameter(limit, ParameterKind::Limit { look_ahead }));
        let offset = bounds.offset.as_ref();
        let offset = offset.map(|offset| parameter(offset, ParameterKind::Offset));
        scope.select.limit = limit.map(Expression::Parameter);
        scope.select.offset = offset.map(Expression::Parameter);
        scope.select.bound = statement.bound(limit, offset);
        Ok(())
    }
}

/// Whether the place may be null whatever its field may: it is of a row that may not be there, or
/// of one that may not pass.
pub(super) fn is_on_path(place: &ir::ValueRef) -> bool {
    match place {
        ir::ValueRef::Field { path, .. } => !path.is_empty(),
        // A field of another entity may be null where this one is not.
        ir::ValueRef::If { .. } | ir::ValueRef::Common(_) => true,
        ir::ValueRef::Coalesce(places) => places.first().is_none_or(is_on_path),
        _ => false,
    }
}

/// The same order read from its end.
pub(super) fn turned(item: OrderItem) -> OrderItem {
    OrderItem {
        direction: match item.direction {
            sql::Direction::Ascending => sql::Direction::Descending,
            sql::Direction::Descending => sql::Direction::Ascending,
        },
        nulls: item.nulls.map(|nulls| match nulls {
            NullsOrder::First => NullsOrder::Last,
            NullsOrder::Last => NullsOrder::First,
        }),
        expression: item.expression,
    }
}

/// A page that was read from its end, in its own order again. The page's items have numbers as
/// their names; so do these, unless `named` is false.
pub(super) fn turn_back(mut page: Select, named: bool, statement: &mut Statement) -> Select {
    let count = page.items.len();
    let alias = statement.alias();
    let numbered = |number| Expression::numbered(alias, number);
    let mut order_by = Vec::with_capacity(page.order_by.len());
    for item in &page.order_by {
        let number = u16::try_from(page.items.len()).unwrap_or(u16::MAX);
        page.items.push(SelectItem { expression: item.expression.clone(), name: Some(number) });
        order_by.push(turned(OrderItem { expression: numbered(number), ..item.clone() }));
    }
    let mut select = Select::from(FromItem::Subquery { select: Box::new(page), alias });
    select.items = (0_u16..)
        .take(count)
        .map(|number| SelectItem { expression: numbered(number), name: named.then_some(number) })
        .collect();
    select.order_by = order_by;
    select
}

/// The bounds of the rows' page.
pub(super) fn page_bounds(rows: &Rows) -> Result<super::level::Page, CompileError> {
    match &rows.page {
        ir::Page::All => Ok(super::level::Page::default()),
        ir::Page::Offset { limit, offset, look_ahead } => Ok(super::level::Page {
            limit: limit.clone(),
            offset: offset.clone(),
            look_ahead: *look_ahead,
            from_end: false,
        }),
        ir::Page::Keyset(keyset) => Ok(super::level::Page {
            limit: keyset.limit.clone(),
            offset: keyset.offset.clone(),
            look_ahead: keyset.look_ahead,
            from_end: keyset.from_end,
        }),
        ir::Page::BesideRows(beside) => Ok(super::level::Page {
            limit: beside.limit.clone(),
            offset: beside.offset.clone(),
            look_ahead: beside.look_ahead,
            from_end: beside.from_end,
        }),
    }
}
