//! What is read of the rows that a change gave.

use std::sync::Arc;

use catalog::{EntityId, EntityKind, FieldId};
use ir::{OutputKind, Page, Rows, State, StepId, StepKind, Transaction};
use response::LevelId;
use rustc_hash::FxHashMap;
use source::CompileError;
use sql::{
    Alias, Comparison, Direction, Expression, FromItem, Identifier, OrderItem, PLACE, Select,
};

use super::super::compile::{Compiler, Strategy};
use super::super::function::row_as_text;
use super::super::items::{Items, Known};
use super::super::level::{ParameterSource, Parents};
use super::super::parents::LinkedScope;
use super::super::row_set::Scope;
use super::super::statement::Statement;
use super::super::value::{ParameterKind, ValueKind};

/// What a step that changes something gave.
#[derive(Debug)]
pub(in super::super) struct Returned {
    pub(in super::super) entity: EntityId,
    pub(in super::super) level: LevelId,
    /// Whether a function gave it, which may give no row in the place of one.
    by_call: bool,
    /// The columns that hold the whole row: its text, or the values of its fields.
    row: Option<RowColumns>,
    /// The columns of the row's fields, where there is no type of rows.
    fields: Vec<(FieldId, u16)>,
    /// Whether the row is read once more by its key, being another than it was said to be.
    is_rewritten: bool,
    /// Where the outputs stand of what is read by the change itself.
    own: FxHashMap<ir::RowsId, Vec<(ir::OutputId, u16)>>,
    known: Known,
    /// The columns of the fields that writes below it need.
    pub(super) keys: Vec<(FieldId, u16)>,
}

/// The columns that hold a whole row.
#[derive(Clone, Debug)]
enum RowColumns {
    /// Its text.
    Text(u16),
    /// The values of all of its fields.
    Fields(Arc<[u16]>),
}

/// What later steps read of a change.
#[derive(Clone)]
pub(super) struct Wanted<'r> {
    /// Sets of rows that are shown.
    rows: Vec<&'r Rows>,
    /// Whether the rows are tested by a statement.
    is_tested: bool,
    /// Whether the rows are there after it.
    is_there: bool,
    /// The fields that writes below it need.
    pub(super) keys: Vec<FieldId>,
}

impl<'r> Wanted<'r> {
    pub(super) fn of(step: StepId, transaction: &'r Transaction) -> Self {
        let is_of = |rows: &Rows| match rows.from {
            ir::From::Returned { step: of, .. } => of == step,
            _ => false,
        };
        let is_there = transaction.steps.iter().any(|own| own.id == step && keeps_rows(&own.kind));
        let (rows, keys) = (Vec::new(), Vec::new());
        let mut wanted = Self { rows, is_tested: false, is_there, keys };
        for step in &transaction.steps {
            match &step.kind {
                StepKind::Read(rows) if is_of(rows) => wanted.rows.push(rows),
                StepKind::Require(require) if is_of(&require.rows) => {
                    wanted.is_tested |= !is_plain(&require.rows) || !require.filter.is_all();
                }
                StepKind::Read(_)
                | StepKind::Require(_)
                | StepKind::Write(_)
                | StepKind::Objects(_)
                | StepKind::Call(_) => {}
            }
        }
        wanted
    }

    /// True if the number of the rows that a step changes is asked for.
    pub(super) fn counts_affected(step: StepId, transaction: &Transaction) -> bool {
        let is_own = |output: &ir::Output| match &output.kind {
            OutputKind::Counter { step: of, .. } => *of == step && is_number_of_affected(output),
            _ => false,
        };
        transaction.steps.iter().any(|step| match &step.kind {
            StepKind::Read(rows) => rows.outputs.iter().any(is_own),
            _ => false,
        })
    }

    /// Nothing but these fields.
    pub(super) fn keys(keys: Vec<FieldId>) -> Self {
        Self { rows: Vec::new(), is_tested: false, is_there: true, keys }
    }
}

impl Compiler<'_> {
    /// What a step gave.
    pub(in super::super) fn returned(&self, step: StepId) -> Result<&Returned, CompileError> {
        self.returned.get(&step).ok_or(CompileError::not_built("rows of a later step"))
    }

    /// Whether the rows are those that were inserted, updated or deleted.
    pub(in super::super) fn is_of_change(&self, from: &ir::From) -> bool {
        match from {
            ir::From::Returned { step, .. } => {
                self.returned.get(step).is_some_and(|returned| !returned.by_call)
            }
            _ => false,
        }
    }

    /// The columns that a change gives of its table's rows, which stand in `alias`.
    pub(super) fn changed_items(
        &mut self,
        step: StepId,
        entity: EntityId,
        alias: Alias,
        wanted: &Wanted<'_>,
        statement: &mut Statement,
    ) -> Result<(Returned, Items), CompileError> {
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        let made = self.returned_items(step, (entity, false), wanted, &mut scope, statement)?;
        let (returned, mut items) = made;
        let is_counted = self.flavor.counts_views || self.catalog[entity].kind == EntityKind::Table;
        if items.expressions.is_empty() && !is_counted {
            items.push(Expression::Boolean(true));
        }
        if !items.expressions.is_empty() && self.flavor.returning == sql::Returning::Nothing {
            return Err(CompileError::not_built("rows of a change without RETURNING"));
        }
        Ok((returned, items))
    }

    /// The columns that the rows of a scope give to the steps after it.
    pub(super) fn returned_items(
        &mut self,
        step: StepId,
        (entity, by_call): (EntityId, bool),
        wanted: &Wanted<'_>,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(Returned, Items), CompileError> {
        let is_rewritten = self.catalog[entity].rewritten && wanted.is_there;
        let returned = |level| Returned {
            entity,
            level,
            by_call,
            row: None,
            fields: Vec::new(),
            is_rewritten,
            own: FxHashMap::default(),
            known: Known::default(),
            keys: Vec::new(),
        };
        let level = LevelId(super::place(self.levels.len())?);
        // The rows that are read of it ask what they are.
        self.returned.insert(step, returned(level));
        let (mut returned, mut items) = (returned(level), Items::default());
        let mut is_whole = wanted.is_tested;
        for rows in &wanted.rows {
            if is_rewritten || !self.is_own(rows, by_call)? {
                is_whole = true;
                continue;
            }
            self.items(rows, scope, statement, &mut items)?;
            returned.own.insert(rows.id, std::mem::take(&mut items.places));
        }
        if is_whole && self.flavor.row_types && (self.flavor.returns_made_values || by_call) {
            let known = items.known.rows.get(&Vec::new()).copied();
            let column = known.unwrap_or_else(|| items.push(row_as_text(scope.alias)));
            returned.row = Some(RowColumns::Text(column));
        } else if is_whole && self.flavor.row_types {
            let fields = self.catalog[entity].fields.clone();
            let field =
                |field| self.item(&[], field, ir::Form::Stored, scope, statement, &mut items);
            returned.row = Some(RowColumns::Fields(fields.into_iter().map(field).collect()));
        } else if is_whole {
            for field in self.catalog[entity].fields.clone() {
                let form = ir::Form::Stored;
                let column = self.item(&[], field, form, scope, statement, &mut items);
                returned.fields.push((field, column));
            }
        }
        for field in &wanted.keys {
            let form = ir::Form::Stored;
            let column = self.item(&[], *field, form, scope, statement, &mut items);
            returned.keys.push((*field, column));
        }
        if items.expressions.is_empty() && (self.counts_affected || !wanted.rows.is_empty()) {
            // Whether there is a row is asked for all the same.
            items.push(Expression::Boolean(true));
        }
        Ok((returned, items))
    }

    /// Remembers what a step gave, once its level is there.
    pub(super) fn keep_returned(
        &mut self,
        step: StepId,
        level: LevelId,
        returned: Returned,
        items: Items,
    ) {
        self.returned.insert(step, Returned { level, known: items.known, ..returned });
    }

    /// Compiles what is read, by the level of a change if that gives it.
    pub(super) fn read(&mut self, rows: &Rows) -> Result<(), CompileError> {
        if let ir::From::Once = rows.from
            && rows.outputs.iter().all(is_number_of_affected)
        {
            self.affected_rows(rows);
            return Ok(());
        }
        let ir::From::Returned { step, state } = rows.from else { return self.rows(rows, None) };
        if state == State::Before {
            return Err(CompileError::not_built("rows as they were before a change"));
        }
        let returned = self.returned(step)?;
        let Some(places) = returned.own.get(&rows.id).cloned() else {
            return self.rows(rows, None);
        };
        let (level, known) = (returned.level, returned.known.clone());
        self.stand(rows, level, places);
        self.children(rows, level, None, &known, None)?;
        self.close(level)
    }

    /// Says which levels have the rows that changes touched.
    fn affected_rows(&mut self, rows: &Rows) {
        for output in &rows.outputs {
            if let OutputKind::Counter { step, .. } = &output.kind {
                let levels = self.changes.get(step).cloned();
                let levels = levels.or_else(|| self.read.get(step).map(|level| vec![*level]));
                let levels = levels.unwrap_or_default();
                let id = response::OutputId(output.id.0);
                self.layout.affected.push((id, levels.into()));
            }
        }
    }

    /// Whether the change itself gives all that is asked of its rows.
    fn is_own(&self, rows: &Rows, by_call: bool) -> Result<bool, CompileError> {
        if !is_plain(rows) {
            return Ok(false);
        }
        for output in &rows.outputs {
            let is_own = match &output.kind {
                OutputKind::Field { path, form, .. } => {
                    path.is_empty()
                        && (by_call || self.flavor.returns_made_values || *form == ir::Form::Stored)
                }
                OutputKind::Present { path } => path.is_empty(),
                OutputKind::Related { path, rows: related } => {
                    path.is_empty() && self.finds_parents(rows, related)?
                }
                _ => false,
            };
            if !is_own {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether rows find those of a change by arrays of what it gave.
    fn finds_parents(&self, rows: &Rows, related: &Rows) -> Result<bool, CompileError> {
        let Strategy::Levels(types) = self.strategy else { return Ok(false) };
        if matches!(related.from, ir::From::Joining { .. }) {
            return Ok(false);
        }
        let near = self.near_fields(rows, &[], related)?;
        let is_value = matches!(related.from, ir::From::Value(_));
        Ok(is_value || near.unwrap_or_default().iter().all(|field| types.has_array(*field)))
    }

    /// The rows that a change gave, for a statement after it.
    pub(in super::super) fn returned_scope(
        &self,
        rows: &Rows,
        step: StepId,
        state: State,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if state == State::Before {
            return Err(CompileError::not_built("rows as they were before a change"));
        }
        let returned = self.returned(step)?;
        let level = returned.level;
        let item = match &returned.row {
            Some(row) => {
                let kind = ParameterKind::RowArray { entity: returned.entity };
                let source = match row {
                    RowColumns::Text(column) => ParameterSource::Rows { level, column: *column },
                    RowColumns::Fields(columns) => {
                        ParameterSource::WholeRows { level, columns: Arc::clone(columns) }
                    }
                };
                let parameter = statement.parameter(source, kind);
                let alias = statement.alias();
                statement.sent.push(alias);
                FromItem::RowArray { parameter, has_places: false, alias }
            }
            None if returned.is_rewritten => return self.reread(rows, returned, statement),
            None => {
                let arrays = self.flavor.key_arrays == sql::KeyArrays::Unnest;
                let mut columns = Vec::with_capacity(returned.fields.len());
                for (field, column) in &returned.fields {
                    let source = ParameterSource::Rows { level, column: *column };
                    let kind = match (arrays, ValueKind::of(self.catalog, *field)) {
                        (false, _) => ParameterKind::Returned { field: *field },
                        // An array of arrays would be taken apart down to its elements.
                        (true, ValueKind::List) => continue,
                        (true, kind) => ParameterKind::StoredArray { field: *field, kind },
                    };
                    let name = Identifier(self.catalog[*field].name.clone());
                    columns.push((name, statement.parameter(source, kind)));
                }
                if columns.is_empty() {
                    return Err(CompileError::not_built("this of the rows of a change"));
                }
                // A value that was sent back is no column: it has no affinity and no collation, and
                // conditions would be others than those on the table.
                let like = self.table_name(returned.entity);
                FromItem::Values { columns, like, alias: statement.alias() }
            }
        };
        let round = self.levels.get(usize::from(level.0)).map_or(0, |level| level.round);
        statement.round = statement.round.max(round + 1);
        let alias = item.alias();
        let mut scope = Scope::new(Select::from(item), alias);
        scope.keeps_order = self.flavor.row_types && rows.order.is_empty();
        if let Some(FromItem::Values { .. }) = &scope.select.from
            && self.flavor.key_arrays == sql::KeyArrays::Unnest
            && rows.order.is_empty()
        {
            let expression = Expression::numbered(alias, PLACE);
            let direction = Direction::Ascending;
            scope.select.order_by = vec![OrderItem { expression, direction, nulls: None }];
        }
        self.restrict(rows, &mut scope, statement)?;
        let how = Parents::Returned { write: level };
        Ok(LinkedScope { scope, lateral: None, link: Vec::new(), how, numbered: false })
    }

    /// The row that has the key of one that a change gave.
    fn reread(
        &self,
        rows: &Rows,
        returned: &Returned,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let Returned { entity, level, ref fields, .. } = *returned;
        let alias = statement.alias();
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        let key = self.catalog[entity].primary_key();
        let key = key.ok_or(CompileError::not_built("rows that triggers change, without a key"))?;
        for field in &key.fields {
            let column = fields.iter().find(|(own, _)| own == field).map(|(_, column)| *column);
            let column = column.ok_or(CompileError::not_built("this of the rows of a change"))?;
            let source = ParameterSource::Rows { level, column };
            let parameter = statement.parameter(source, ParameterKind::Returned { field: *field });
            let (own, value) = (self.field(alias, *field), Expression::Parameter(parameter));
            // A check may rather look at all rows without a key than at none.
            let comparison = match self.catalog[*field].nullable && is_check(rows) {
                true => Comparison::NotDistinctFrom,
                false => Comparison::Equal,
            };
            let (left, right) = (Box::new(own), Box::new(value));
            scope.select.and_where(Expression::Compare { left, comparison, right });
        }
        self.restrict(rows, &mut scope, statement)?;
        let how = Parents::Returned { write: level };
        Ok(LinkedScope { scope, lateral: None, link: Vec::new(), how, numbered: false })
    }
}

/// Whether the rows that a step touches are there after it.
fn keeps_rows(kind: &StepKind) -> bool {
    match kind {
        StepKind::Write(write) => !matches!(write.kind, ir::WriteKind::Delete { .. }),
        StepKind::Read(_) | StepKind::Call(_) | StepKind::Require(_) | StepKind::Objects(_) => {
            false
        }
    }
}

/// Whether these are all rows of the change as it gave them.
pub(super) fn is_plain(rows: &Rows) -> bool {
    rows.shown
        && rows.filter.is_all()
        && rows.order.is_empty()
        && rows.distinct.is_empty()
        && matches!(rows.page, Page::All)
}

fn is_number_of_affected(output: &ir::Output) -> bool {
    matches!(output.kind, OutputKind::Counter { counter: ir::Counter::RowsAffected, .. })
}

/// Whether this looks for a row that fails a check.
fn is_check(rows: &Rows) -> bool {
    rows.outputs.is_empty() && matches!(rows.filter, ir::Filter::Except(_))
}
