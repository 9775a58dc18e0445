//! Levels that are read by the statement of the level above.
//!
//! Where a few rows have a list below them, one statement for both is cheaper than two in a
//! transaction: the rows are joined to those of the list, and come once for each of them. That is
//! done only if what comes again is short, and if no more rows are expected than those of a key or
//! of an indexed equality: beyond some hundred rows, sorting both together costs more than it saves.

use catalog::{EntityKind, FieldId};
use ir::{Form, HopDirection, OrderKey, OutputKind, Rows, ValueRef};
use source::CompileError;
use sql::{Direction, Expression, Join, JoinKind, OrderItem};

use super::compile::{Compiler, Length, Parent, Strategy};
use super::items::Items;
use super::level::Repeats;
use super::parents::{Above, equal_fields, is_paged, order_fields};
use super::row_set::Scope;
use super::statement::Statement;

/// How many characters of a row may come again at most.
pub const MOST_REPEATED: u32 = 1_024;

/// As many tables PostgreSQL joins in the best order rather than in the one that is written.
const MOST_TABLES: usize = 8;

/// Whether the types of what comes again say that it is short.
struct IsShort(bool);

/// A list whose rows stand in the statement of the rows above.
pub(super) struct Joined {
    pub(super) rows: ir::RowsId,
    /// What comes again of the rows above.
    pub(super) repeats: Repeats,
    /// A column of the list's rows that is null only where there is none.
    pub(super) present: u16,
    pub(super) items: Items,
}

impl Compiler<'_> {
    /// Joins the rows, whose items and order are there, to one of the lists below them, if there is
    /// one with which that pays.
    pub(super) fn join_below(
        &self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
        scope: &mut Scope,
        statement: &mut Statement,
        items: &mut Items,
    ) -> Result<Option<Joined>, CompileError> {
        if !self.are_few(rows, parent.map(|parent| parent.above)) {
            return Ok(None);
        }
        let Some(is_short) = self.may_repeat(rows, items)? else { return Ok(None) };
        for output in &rows.outputs {
            let OutputKind::Related { path, rows: below } = &output.kind else { continue };
            if path.is_empty()
                && self.is_joinable(below)?
                && let Some(mut joined) =
                    self.join_list((rows, parent.is_none()), below, scope, statement, items)?
            {
                joined.repeats.is_short = is_short.0;
                return Ok(Some(joined));
            }
        }
        Ok(None)
    }

    /// Whether few rows are expected: those of a key or of an indexed equality, or those below such
    /// rows or below a page.
    fn are_few(&self, rows: &Rows, above: Option<&Above<'_>>) -> bool {
        if is_paged(rows) {
            return false;
        }
        match (&rows.from, above) {
            (ir::From::Entity(_), None) => is_limited(rows) && self.is_inlinable(rows, None),
            (ir::From::Relation(hop), Some(above)) => {
                // Of fields that print differently, several parents could have one row.
                let (near, far) = self.hop_fields(*hop);
                hop.direction == HopDirection::Backward
                    && above.inlinable
                    && is_limited(above.first().rows)
                    && self.is_inlinable(rows, Some(above))
                    && near.iter().zip(far).all(|(near, far)| self.print_alike(*near, *far))
            }
            _ => false,
        }
    }

    /// Whether what is read of the rows may come once for each row of a list: nothing is computed,
    /// and it may be short.
    fn may_repeat(&self, rows: &Rows, items: &Items) -> Result<Option<IsShort>, CompileError> {
        let Strategy::Levels(types) = self.strategy else { return Ok(None) };
        let fields = &items.known.fields;
        if !types.repeats_rows(self.entity(rows)?)
            || !is_ordered_by_fields(rows)
            || fields.len() != items.expressions.len()
        {
            return Ok(None);
        }
        let (mut most, mut is_short) = (0_u32, IsShort(true));
        for (_, field, form) in fields.keys() {
            match (types.length(*field), form) {
                (Length::AtMost(length), Form::Stored | Form::Text | Form::Number) => {
                    most = most.saturating_add(length);
                }
                (Length::Any, Form::Stored) => is_short = IsShort(false),
                _ => return Ok(None),
            }
        }
        Ok((most <= MOST_REPEATED).then_some(is_short))
    }

    /// Whether all rows of a list are wanted, found by an index, and nothing of them is computed,
    /// which would be done for the row of nulls of those who have none.
    fn is_joinable(&self, below: &Rows) -> Result<bool, CompileError> {
        let ir::From::Relation(hop) = below.from else { return Ok(false) };
        let of_fields = below.outputs.iter().all(|output| match &output.kind {
            OutputKind::Field { form: Form::Stored | Form::Text | Form::Number, .. }
            | OutputKind::Present { .. }
            | OutputKind::Count
            | OutputKind::Aggregate(_) => true,
            OutputKind::Related { rows, .. } => {
                matches!(rows.from, ir::From::Relation(_) | ir::From::Through { .. })
            }
            _ => false,
        });
        Ok(of_fields
            && below.shown
            && below.filter.is_all()
            && below.distinct.is_empty()
            && matches!(below.page, ir::Page::All)
            && is_ordered_by_fields(below)
            && hop.direction == HopDirection::Backward
            && self.catalog[hop.relationship].indexed
            && self.is_colocated(hop)
            && self.catalog[self.entity(below)?].kind == EntityKind::Table)
    }

    /// The rows of a list beside those above, each of which comes in a run; `None` where nothing
    /// tells the runs apart.
    fn join_list(
        &self,
        (rows, are_first): (&Rows, bool),
        below: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
        items: &mut Items,
    ) -> Result<Option<Joined>, CompileError> {
        let (near, far) = self.link_fields(below)?;
        let tells =
            |field: &FieldId| !self.catalog[*field].nullable && self.identity_is_text(*field);
        if !self.catalog[self.entity(rows)?].is_unique(&near) || !near.iter().all(tells) {
            return Ok(None);
        }
        let key = |field: &FieldId| items.known.fields.get(&(Vec::new(), *field, Form::Stored));
        let key_columns = near.iter().map(|field| key(field).copied()).collect::<Option<_>>();
        let (Some(key), Some(first)) = (key_columns, far.first()) else { return Ok(None) };
        let repeats = Repeats { key, columns: items.expressions.len(), is_short: false };
        let (mut select, mut tried) = (scope.select.clone(), statement.clone());
        let ordered = order_fields(rows).unwrap_or_default();
        let is_one = are_first && rows.single;
        if !is_one && !near.iter().all(|field| ordered.contains(field)) {
            let keys = near.iter().map(|field| self.field(scope.alias, *field));
            select.order_by.extend(keys.map(|expression| OrderItem {
                expression,
                direction: Direction::Ascending,
                nulls: None,
            }));
        }
        let alias = tried.alias();
        let on = near.iter().zip(&far);
        let on =
            on.map(|(near, far)| self.field(alias, *far).equals(self.field(scope.alias, *near)));
        let on = Expression::all(on.collect());
        let item = self.table(self.entity(below)?, alias);
        select.joins.push(Join { kind: JoinKind::Left(on), item });
        let mut list = Scope::new(select, alias);
        let mut list_items = Items::behind(&items.expressions);
        self.items(below, &mut list, &mut tried, &mut list_items)?;
        let present = match self.never_null(&list_items) {
            Some(column) => column,
            None => self.item(&[], *first, Form::Stored, &mut list, &mut tried, &mut list_items),
        };
        self.order(below, &mut list, &mut tried)?;
        if list.select.tables() > MOST_TABLES {
            return Ok(None);
        }
        scope.select = list.select;
        *statement = tried;
        items.expressions = std::mem::take(&mut list_items.expressions);
        Ok(Some(Joined { rows: below.id, repeats, present, items: list_items }))
    }

    /// A column of the rows' own that no row has null in.
    fn never_null(&self, items: &Items) -> Option<u16> {
        let fields = items.known.fields.iter();
        let own = fields.filter(|((path, field, form), _)| {
            path.is_empty() && *form == Form::Stored && !self.catalog[*field].nullable
        });
        own.map(|(_, column)| *column).min()
    }
}

impl<'r> Above<'r> {
    /// The rows of the root field.
    fn first(&self) -> &Above<'r> {
        self.above.map_or(self, Above::first)
    }
}

/// Whether these are not all rows there are.
fn is_limited(rows: &Rows) -> bool {
    is_paged(rows) || !equal_fields(&rows.filter).is_empty()
}

fn is_ordered_by_fields(rows: &Rows) -> bool {
    let is_field = |key: &OrderKey| matches!(key, OrderKey::Value(ValueRef::Field { .. }));
    rows.order.iter().all(|term| is_field(&term.key))
}
