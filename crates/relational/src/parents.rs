//! The parents of a level as an item of FROM: said again, or as arrays of their keys.
//!
//! The item has a column for each key field, `c0` and on, which the level's own rows carry back:
//! so equality is decided by the database, and the rows find their parents by the text of a
//! value that came from the parents' side.

use catalog::FieldId;
use ir::{Comparison, Direction, Filter, Hop, OrderKey, OrderTerm, Rows, ValueRef};
use source::CompileError;
use sql::{Alias, Expression, FromItem, Join, JoinKind, Select, SelectItem, SqlType};

use super::compile::{Compiler, Strategy, width};
use super::function::Row;
use super::items::is_made;
use super::level::{ParameterSource, Parents};
use super::row_set::{Scope, page_bounds};
use super::statement::Statement;
use super::value::ParameterKind;
use response::LevelId;

/// A level above, as the levels below it see it.
#[derive(Debug)]
pub(super) struct Above<'r> {
    pub(super) level: LevelId,
    pub(super) rows: &'r Rows,
    pub(super) above: Option<&'r Above<'r>>,
    /// The path of to-one hops from the row above to the one these rows belong to, with the
    /// columns of its key in the rows above.
    pub(super) path: &'r [Hop],
    pub(super) key_columns: &'r [u16],
    pub(super) round: u16,
    /// Whether these rows may be said again below.
    pub(super) inlinable: bool,
    /// Whether they may be left unsaid below, where the rows below have their keys.
    pub(super) implies: bool,
}

impl Compiler<'_> {
    /// The parents of rows at `path` of `above`, with the fields of their key.
    pub(super) fn parents(
        &self,
        above: &Above<'_>,
        path: &[Hop],
        fields: &[FieldId],
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<(FromItem, Parents), CompileError> {
        if above.inlinable {
            let select = self.keys(above, path, fields, statement)?;
            let item = FromItem::Subquery { select: Box::new(select), alias: statement.alias() };
            return Ok((item, Parents::InlinedParentQuery));
        }
        let mut parameters = Vec::with_capacity(fields.len());
        for (field, column) in fields.iter().zip(key_columns) {
            let source = ParameterSource::Keys { level: above.level, column: *column };
            parameters.push(statement.parameter(source, ParameterKind::KeyArray { field: *field }));
        }
        statement.round = statement.round.max(above.round + 1);
        let columns = width(parameters.len())?;
        Ok((FromItem::Arrays { parameters, columns, alias: statement.alias() }, Parents::Arrays))
    }

    /// The distinct keys of the rows above, said again.
    fn keys(
        &self,
        above: &Above<'_>,
        path: &[Hop],
        fields: &[FieldId],
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let rows = above.rows;
        let linked = match above.above {
            None => self.top_scope(rows, statement)?,
            Some(top) => self.child_scope(rows, top, above.path, above.key_columns, statement)?,
        };
        self.keys_of(rows, linked, path, fields, statement)
    }

    /// The distinct keys of rows. Apart from `keys`, which recurses once for each level: local
    /// variables would enlarge its frame.
    fn keys_of(
        &self,
        rows: &Rows,
        linked: LinkedScope,
        path: &[Hop],
        fields: &[FieldId],
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let LinkedScope { mut scope, lateral, link, numbered, .. } = linked;
        // A function may give a row twice, fields of several rows may hold one, one may be joined to
        // several parents, and a key may stand in a list twice.
        let repeats = is_made(&rows.from)
            || matches!(rows.from, ir::From::Through { .. } | ir::From::Keys { .. });
        let own = self.own_fields(path, fields);
        let columns: Vec<Expression> = match &own {
            Some(own) => own.iter().map(|field| self.field(scope.alias, *field)).collect(),
            None => {
                let column = |field: &FieldId| self.column(&mut scope, statement, path, *field);
                fields.iter().map(column).collect()
            }
        };
        let entity = &self.catalog[self.entity(rows)?];
        let unique = !repeats && own.is_some_and(|own| entity.is_unique(&own));
        let exact = fields.iter().all(|field| self.identity_is_text(*field));
        // Which parents there are is decided before anything is evaluated on the rows below them: a
        // join that decides it could come after.
        let is_decided = rows.filter.first().is_none_or(|first| !first.reads_other_rows());
        let once = unique && exact && is_decided;
        scope.select.items = key_items(columns, exact);
        if is_paged(rows) {
            self.order(rows, &mut scope, statement)?;
            self.page(rows, false, &mut scope, statement)?;
        } else if lateral.is_none() {
            scope.select.distinct = !once;
            return Ok(scope.select);
        }
        let count = scope.select.items.len();
        let (mut select, alias) = match lateral {
            None if numbered => {
                let partition = self.partition(rows, (scope.alias, &link))?;
                let (mut select, alias) =
                    self.cut_numbered(rows, scope.select, partition, statement)?;
                select.order_by.clear();
                (select, alias)
            }
            None if once => return Ok(scope.select),
            None => {
                let alias = statement.alias();
                let item = FromItem::Subquery { select: Box::new(scope.select), alias };
                (Select::from(item), alias)
            }
            Some(parents) => join_page(parents, scope.select, statement),
        };
        select.distinct = !once;
        select.items = (0_u16..).take(count).map(|number| numbered_item(alias, number)).collect();
        Ok(select)
    }

    /// The rows of a root field, without items, order and page.
    pub(super) fn top_scope(
        &self,
        rows: &Rows,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if let ir::From::Returned { step, state } = rows.from {
            return self.returned_scope(rows, step, state, statement);
        }
        if let ir::From::Keys { entity, keys, external } = &rows.from {
            return self.keyed_scope(rows, *entity, (keys, external), statement);
        }
        let alias = statement.alias();
        let select = match &rows.from {
            ir::From::Once => Select::once(),
            ir::From::List { like, list } => self.present_keys((*like, list), statement)?,
            ir::From::Function(call) if call.of_row.is_some() => {
                return Err(CompileError::not_built("a function of no row"));
            }
            ir::From::Function(call) => {
                Select::from(self.function_item(call, Row::default(), alias, statement)?)
            }
            ir::From::Variants(_) => {
                return Err(CompileError::not_built("rows of several entities within a statement"));
            }
            _ => Select::from(self.table(self.entity(rows)?, alias)),
        };
        let mut scope = Scope::new(select, alias);
        scope.keeps_order = matches!(rows.from, ir::From::Function(_)) && rows.order.is_empty();
        self.restrict(rows, &mut scope, statement)?;
        Ok(LinkedScope {
            scope,
            lateral: None,
            link: Vec::new(),
            how: Parents::Top,
            numbered: false,
        })
    }

    /// The rows of a relation, a function or a field with all parents they belong to, without items, order
    /// and page.
    pub(super) fn child_scope(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        path: &[Hop],
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        // This function recurses once for each level, so it has no large local variables: they would
        // enlarge its frame.
        if let Some(scope) = self.scope_without_join(rows, above, path, key_columns, statement)? {
            return Ok(*scope);
        }
        let (near, far) = self.link_fields(rows)?;
        let depends_on_values = statement.depends_on_values;
        let parents = self.parents(above, path, &near, key_columns, statement)?;
        if parents.1 == Parents::Arrays && is_paged(rows) {
            // One page after the other, however many keys there are.
            statement.depends_on_values = depends_on_values;
        }
        self.joined_scope(rows, parents, &far, statement)
    }

    /// The rows, where they are not joined to an item of their parents' keys.
    fn scope_without_join(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        path: &[Hop],
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<Option<Box<LinkedScope>>, CompileError> {
        let scope = match &rows.from {
            ir::From::Function(call) if !self.is_related(call) => {
                self.function_scope(rows, call, above, path, key_columns, statement)?
            }
            ir::From::Value(_) => self.value_scope(rows, above, key_columns, statement)?,
            _ => {
                if let Some(scope) = self.implied_scope(rows, above, path, statement)? {
                    return Ok(Some(Box::new(scope)));
                }
                let (near, far) = self.link_fields(rows)?;
                if above.inlinable || !self.is_keyed(rows, &near, &far) {
                    return Ok(None);
                }
                self.keyed_child(rows, above, (&near, &far), key_columns, statement)?
            }
        };
        Ok(Some(Box::new(scope)))
    }

    /// The rows that are joined to `item`, the keys of their parents.
    fn joined_scope(
        &self,
        rows: &Rows,
        (item, how): (FromItem, Parents),
        far: &[FieldId],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let parents = item.alias();
        let key = (0_u16..).take(far.len()).map(|number| Expression::numbered(parents, number));
        let link: Vec<Expression> = key.collect();
        if let ir::From::Through { near, joining, far } = &rows.from {
            if self.numbers_pages() {
                let hops = (*near, joining, *far);
                return self.joined_through(rows, hops, (item, link, how), statement);
            }
            let mut scope = self.through((*near, joining, *far), link.clone(), statement)?;
            self.restrict(rows, &mut scope, statement)?;
            let lateral = Some(Select::from(item));
            return Ok(LinkedScope { scope, lateral, link, how, numbered: false });
        }
        let alias = statement.alias();
        let table = self.rows_item(rows, alias, statement)?;
        let on =
            far.iter().zip(&link).map(|(field, key)| self.field(alias, *field).equals(key.clone()));
        let on: Vec<Expression> = on.chain(self.shards(&item, far, alias)).collect();
        let on = Expression::all(on);
        let is_numbered = self.numbers_pages() && is_paged(rows);
        let (select, lateral) = if is_paged(rows) && !is_numbered {
            let mut select = Select::from(table);
            select.and_where(on);
            (select, Some(Select::from(item)))
        } else {
            let mut select = Select::from(item);
            select.joins.push(Join { kind: JoinKind::Inner(on), item: table });
            (select, None)
        };
        let mut scope = Scope::new(select, alias);
        if !is_numbered {
            self.restrict(rows, &mut scope, statement)?;
            return Ok(LinkedScope { scope, lateral, link, how, numbered: false });
        }
        scope.link = link;
        self.restrict(rows, &mut scope, statement)?;
        let bounds = page_bounds(rows)?;
        let numbered = bounds.limit.is_some() || bounds.offset.is_some();
        let link = scope.link.clone();
        Ok(LinkedScope { scope, lateral, link, how, numbered })
    }

    /// The rows whose key is in an array of their parents' keys, where the reader sorts them: without
    /// an order of its own the database reads them as they lie in its index.
    fn keyed_child(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        (near, far): (&[FieldId], &[FieldId]),
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let (&[near], &[far], &[column]) = (near, far, key_columns) else {
            return Err(CompileError::not_built("rows by a list of keys of several fields"));
        };
        let source = ParameterSource::Keys { level: above.level, column };
        let list = statement.parameter(source, ParameterKind::KeyArray { field: near });
        statement.round = statement.round.max(above.round + 1);
        let alias = statement.alias();
        let key = self.field(alias, far);
        let mut scope = Scope::new(Select::from(self.table(self.entity(rows)?, alias)), alias);
        scope.select.and_where(Expression::InList { expression: Box::new(key.clone()), list });
        self.restrict(rows, &mut scope, statement)?;
        let how = Parents::Arrays;
        Ok(LinkedScope { scope, lateral: None, link: vec![key], how, numbered: false })
    }

    /// Whether rows are found by an array of their parents' keys, and sorted by the reader.
    fn is_keyed(&self, rows: &Rows, near: &[FieldId], far: &[FieldId]) -> bool {
        let (&[near], &[far]) = (near, far) else { return false };
        self.sorting_field(rows).is_some() && self.print_alike(near, far)
    }

    /// The field by which the reader sorts the rows below each parent: the only one of their order.
    pub(super) fn sorting_field(&self, rows: &Rows) -> Option<FieldId> {
        let Strategy::Levels(types) = self.strategy else { return None };
        let [OrderTerm { key, direction: Direction::Ascending, .. }] = rows.order.as_slice() else {
            return None;
        };
        let OrderKey::Value(ValueRef::Field { path, field }) = key else { return None };
        let is_plain = matches!(rows.from, ir::From::Relation(_)) && !is_paged(rows);
        (is_plain && path.is_empty() && !self.catalog[*field].nullable && types.sorts(*field))
            .then_some(*field)
    }

    /// Whether the query of these rows, inlined in another statement, costs no more than a look-up
    /// for each of them and gives the same rows: they are found by a key or an indexed equality, or
    /// they are all the rows there are, or a page in the order of an index.
    pub(super) fn is_inlinable(&self, rows: &Rows, above: Option<&Above<'_>>) -> bool {
        let Ok(entity) = self.entity(rows) else { return false };
        if let ir::From::Function(_)
        | ir::From::Value(_)
        | ir::From::Through { .. }
        | ir::From::Returned { .. }
        | ir::From::Variants(_)
        | ir::From::Joining { .. } = rows.from
        {
            return false;
        }
        if let ir::From::Keys { .. } = rows.from {
            return true;
        }
        if !rows.distinct.is_empty() || matches!(rows.page, ir::Page::BesideRows(_)) {
            return false;
        }
        let entity = &self.catalog[entity];
        let ordered = order_fields(rows);
        let paged = is_paged(rows);
        if paged && self.numbers_pages() {
            return false;
        }
        if paged && !ordered.as_ref().is_some_and(|fields| self.is_complete(entity, fields)) {
            return false;
        }
        if let ir::From::Relation(hop) = rows.from {
            let indexed = match hop.direction {
                ir::HopDirection::Forward => true,
                ir::HopDirection::Backward => self.catalog[hop.relationship].indexed,
            };
            return indexed && above.is_some();
        }
        let equal = equal_fields(&rows.filter);
        if !equal.is_empty() && (entity.is_unique(&equal) || self.has_index_within(entity, &equal))
        {
            return true;
        }
        if !paged {
            return rows.filter.is_all();
        }
        let first = ordered.and_then(|fields| fields.first().copied());
        let bounded = page_bounds(rows).is_ok_and(|bounds| bounds.limit.is_some());
        bounded
            && first.is_some_and(|first| {
                entity.is_ordered_by_index(first) && only_about(&rows.filter, first)
            })
    }

    /// Whether no two rows can agree in all of the fields, null counted as a value.
    fn is_complete(&self, entity: &catalog::Entity, fields: &[FieldId]) -> bool {
        entity.keys.iter().any(|key| {
            let tells = |field: &FieldId| fields.contains(field) && !self.catalog[*field].nullable;
            key.fields.iter().all(tells)
        })
    }

    /// Whether some index begins with one of the fields.
    fn has_index_within(&self, entity: &catalog::Entity, fields: &[FieldId]) -> bool {
        fields.iter().any(|field| entity.is_indexed(std::slice::from_ref(field)))
            || entity.is_indexed(fields)
    }
}

/// The rows of a level before its columns are known.
#[derive(Debug)]
pub(super) struct LinkedScope {
    pub(super) scope: Scope,
    /// A select of the parents, where the scope's select is one for each of them.
    pub(super) lateral: Option<Select>,
    /// The parents' keys, where the statement holds them.
    pub(super) link: Vec<Expression>,
    pub(super) how: Parents,
    /// The rows of all parents are in one select, of which each parent's page is to be cut by numbers.
    pub(super) numbered: bool,
}

/// A select of parents with a lateral `page`, and the page's alias.
pub(super) fn join_page(
    mut select: Select,
    page: Select,
    statement: &mut Statement,
) -> (Select, Alias) {
    let alias = statement.alias();
    select.joins.push(Join {
        kind: JoinKind::CrossLateral,
        item: FromItem::Subquery { select: Box::new(page), alias },
    });
    (select, alias)
}

/// Whether each parent has rows of its own choice: a page, or the first of those that agree.
pub(super) fn is_paged(rows: &Rows) -> bool {
    if !rows.distinct.is_empty() {
        return true;
    }
    match &rows.page {
        ir::Page::All => false,
        ir::Page::Offset { .. } | ir::Page::BesideRows(_) => true,
        ir::Page::Keyset(keyset) => keyset.limit.is_some() || keyset.offset.is_some(),
    }
}

pub(super) fn numbered_item(alias: Alias, number: u16) -> SelectItem {
    SelectItem { expression: Expression::numbered(alias, number), name: Some(number) }
}

/// The key's columns. Where equal values may print differently, their texts stand beside them,
/// so that DISTINCT keeps each text.
fn key_items(columns: Vec<Expression>, exact: bool) -> Vec<SelectItem> {
    let texts: Vec<Expression> = if exact {
        Vec::new()
    } else {
        let cast = |column: &Expression| Expression::Cast {
            expression: Box::new(column.clone()),
            r#type: SqlType::Text,
        };
        columns.iter().map(cast).collect()
    };
    columns
        .into_iter()
        .chain(texts)
        .zip(0_u16..)
        .map(|(expression, number)| SelectItem { expression, name: Some(number) })
        .collect()
}

/// The row's own fields that it is ordered by; `None` if it is ordered by anything else.
pub(super) fn order_fields(rows: &Rows) -> Option<Vec<FieldId>> {
    rows.order
        .iter()
        .map(|term| match &term.key {
            OrderKey::Value(ValueRef::Field { path, field }) if path.is_empty() => Some(*field),
            OrderKey::Value(_)
            | OrderKey::Relation { .. }
            | OrderKey::Call(_)
            | OrderKey::FunctionRows { .. } => None,
        })
        .collect()
}

/// The row's own fields that must equal a value.
pub(super) fn equal_fields(filter: &Filter) -> Vec<FieldId> {
    match filter {
        Filter::And(filters) => filters.iter().flat_map(equal_fields).collect(),
        Filter::Barrier { first, then } => [equal_fields(then), equal_fields(first)].concat(),
        Filter::Compare {
            place: ValueRef::Field { path, field },
            comparison: Comparison::Equal,
            ..
        } if path.is_empty() => vec![*field],
        _ => Vec::new(),
    }
}

/// Whether the filter is about one field of the row alone.
fn only_about(filter: &Filter, about: FieldId) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().all(|filter| only_about(filter, about)),
        Filter::Barrier { first, then } => only_about(then, about) && only_about(first, about),
        Filter::Compare { place: ValueRef::Field { path, field }, .. } => {
            path.is_empty() && *field == about
        }
        _ => false,
    }
}
