//! Rows to insert, and those that agree with one that is there.

use catalog::{EntityId, FieldId};
use ir::{Conflict, Insert, InsertedRows, Operand, Step, StepId};
use source::CompileError;
use sql::{
    Alias, Cell, ConflictAction, Expression, FromItem, Identifier, InsertSource, Join, JoinKind,
    KeyArrays, OnConflict, Select, SelectItem, Upsert,
};

use super::super::compile::{Compiler, width};
use super::super::items::Items;
use super::super::level::{LevelKind, ParameterSource, WriteKind};
use super::super::row_set::Scope;
use super::super::statement::Statement;
use super::super::value::{ParameterKind, ValueKind};
use super::returned::{Returned, Wanted};

/// The most rows that are inserted one by one.
const MOST_DIVIDED: usize = 1_000;

impl Compiler<'_> {
    pub(super) fn insert(
        &mut self,
        step: &Step,
        entity: EntityId,
        insert: &Insert,
        conflict: Option<&Conflict>,
        wanted: &Wanted<'_>,
    ) -> Result<(), CompileError> {
        let rows = match &insert.rows {
            InsertedRows::Each(rows) if rows.is_empty() => {
                return Err(CompileError::not_built("an insert of no rows"));
            }
            InsertedRows::Each(rows) => rows,
            InsertedRows::Columns(_) | InsertedRows::ForEach { .. } => {
                let mut statement = Statement::default();
                let alias = statement.alias();
                let source = self.inserted_lists(insert, &mut statement)?;
                let said = (insert.fields.clone(), source);
                let (text, made) = self.insert_text(
                    (step.id, entity),
                    (alias, said),
                    conflict,
                    wanted,
                    &mut statement,
                )?;
                return self.push_change(step, entity, &text, statement, made);
            }
        };
        let mut first = None;
        for alike in self.runs(entity, rows) {
            let mut statement = Statement::default();
            let alias = statement.alias();
            let said = self.inserted_rows(entity, &insert.fields, alike, &mut statement)?;
            // What the first one gives stands for all.
            let before = self.returned.remove(&step.id);
            let (text, made) = self.insert_text(
                (step.id, entity),
                (alias, said),
                conflict,
                wanted,
                &mut statement,
            )?;
            let Some(of) = first else {
                first = Some(made.0.level);
                self.push_change(step, entity, &text, statement, made)?;
                continue;
            };
            let name = self.catalog.qualified_name(entity);
            self.push_write(name, &text, statement)?;
            if let Some(level) = self.levels.last_mut() {
                level.kind = LevelKind::Write(WriteKind::More { of });
            }
            self.returned.extend(before.map(|before| (step.id, before)));
        }
        Ok(())
    }

    /// Rows that one statement inserts: all of them, unless there is no word for a default in one of
    /// several rows. Then they are those in a row of which the same is said, so that they stay in
    /// their order, and no more than a statement has parameters for.
    ///
    /// Rows on several servers are inserted one by one: together they come back in another order.
    fn runs<'r>(
        &self,
        entity: EntityId,
        rows: &'r [Vec<Option<Operand>>],
    ) -> impl Iterator<Item = &'r [Vec<Option<Operand>>]> + use<'r> {
        let (is_one, most) = (self.flavor.default_cell, self.flavor.most_parameters);
        let distribution = self.catalog[entity].distribution;
        let is_divided = distribution.distribution_field().is_some() && rows.len() <= MOST_DIVIDED;
        let alike = rows.chunk_by(move |before, after| {
            let mut cells = before.iter().zip(after);
            if is_divided {
                return false;
            }
            is_one
                || (before.iter().any(Option::is_some)
                    && cells.all(|(before, after)| before.is_some() == after.is_some()))
        });
        alike.flat_map(move |rows| {
            let said = rows.first().map_or(0, |row| row.iter().flatten().count());
            rows.chunks(if is_one { rows.len() } else { (most / said.max(1)).max(1) })
        })
    }

    /// The statement that inserts rows, and what it gives.
    pub(super) fn insert_text(
        &mut self,
        (step, entity): (StepId, EntityId),
        (alias, (fields, source)): (Alias, (Vec<FieldId>, InsertSource)),
        conflict: Option<&Conflict>,
        wanted: &Wanted<'_>,
        statement: &mut Statement,
    ) -> Result<(sql::Statement, (Returned, Items)), CompileError> {
        let on_conflict = match conflict {
            None => None,
            Some(conflict) => {
                self.check_upsert(entity, conflict)?;
                let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
                Some(self.on_conflict(conflict, &mut scope, statement)?)
            }
        };
        let made = self.changed_items(step, entity, alias, wanted, statement)?;
        let text = sql::Insert {
            into: self.table_name(entity),
            alias,
            columns: fields.iter().map(|field| self.column_name(*field)).collect(),
            source,
            on_conflict,
            returning: super::returning(&made.1),
        };
        Ok((sql::Statement::Insert(text), made))
    }

    /// Rows that are said one by one, and the fields that are said of them.
    fn inserted_rows(
        &self,
        entity: EntityId,
        fields: &[FieldId],
        rows: &[Vec<Option<Operand>>],
        statement: &mut Statement,
    ) -> Result<(Vec<FieldId>, InsertSource), CompileError> {
        let is_said = |place: usize| rows.iter().any(|row| matches!(row.get(place), Some(Some(_))));
        let said: Vec<(usize, FieldId)> =
            fields.iter().copied().enumerate().filter(|(place, _)| is_said(*place)).collect();
        if said.is_empty() {
            return match (rows.len(), self.catalog[entity].fields.first()) {
                (1, _) => Ok((Vec::new(), InsertSource::Defaults)),
                (count, Some(first)) if self.flavor.default_cell => {
                    let rows = (0..count).map(|_| vec![Cell::Default]).collect();
                    Ok((vec![*first], InsertSource::Values(rows)))
                }
                (_, _) => Err(CompileError::not_built("several rows of which nothing is said")),
            };
        }
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            let mut cells = Vec::with_capacity(said.len());
            for (place, field) in &said {
                cells.push(match row.get(*place) {
                    Some(Some(operand)) => {
                        Cell::Expression(self.stored(*field, operand, statement)?)
                    }
                    Some(None) | None => Cell::Default,
                });
            }
            values.push(cells);
        }
        let fields = said.into_iter().map(|(_, field)| field).collect();
        Ok((fields, InsertSource::Values(values)))
    }

    fn inserted_lists(
        &self,
        insert: &Insert,
        statement: &mut Statement,
    ) -> Result<InsertSource, CompileError> {
        match &insert.rows {
            InsertedRows::Each(_) => Err(CompileError::not_built("rows that are lists")),
            InsertedRows::Columns(columns) => {
                self.inserted_columns(&insert.fields, columns, statement)
            }
            InsertedRows::ForEach { list, columns } => {
                self.inserted_for_each(&insert.fields, (list, columns), statement)
            }
        }
    }

    /// The product of a list and of rows, which are lists of what they say.
    fn inserted_for_each(
        &self,
        fields: &[FieldId],
        (list, columns): (&Operand, &[Operand]),
        statement: &mut Statement,
    ) -> Result<InsertSource, CompileError> {
        let Some((first, others)) = fields.split_first() else {
            return Err(CompileError::not_built("rows without a field"));
        };
        let own = self.list_rows(&[(*first, list)], statement)?;
        let lists: Vec<_> = others.iter().copied().zip(columns).collect();
        let rows = self.list_rows(&lists, statement)?;
        let mut columns = vec![own.column(0)];
        columns.extend((0_u16..).zip(&lists).map(|(number, _)| rows.column(number)));
        let mut select = Select::from(own.item);
        select
            .joins
            .push(Join { kind: JoinKind::Inner(Expression::Boolean(true)), item: rows.item });
        let item = |expression| SelectItem { expression, name: None };
        select.items = columns.into_iter().map(item).collect();
        Ok(InsertSource::Select(Box::new(select)))
    }

    /// Any number of rows as lists of what they say.
    fn inserted_columns(
        &self,
        fields: &[FieldId],
        columns: &[Operand],
        statement: &mut Statement,
    ) -> Result<InsertSource, CompileError> {
        if fields.is_empty() || self.flavor.key_arrays != KeyArrays::Unnest {
            return Err(CompileError::not_built("rows as lists of what they say"));
        }
        let mut parameters = Vec::with_capacity(fields.len());
        for (field, operand) in fields.iter().zip(columns) {
            let kind = ValueKind::of(self.catalog, *field);
            if kind == ValueKind::List {
                // An array of arrays would be taken apart down to its elements.
                return Err(CompileError::not_built("a list of lists"));
            }
            let source = ParameterSource::Operand(operand.clone());
            let kind = ParameterKind::StoredArray { field: *field, kind };
            parameters.push(statement.parameter(source, kind));
        }
        let alias = statement.alias();
        let item =
            |number| SelectItem { expression: Expression::numbered(alias, number), name: None };
        let items = (0_u16..).take(parameters.len()).map(item).collect();
        let columns = width(parameters.len())?;
        let mut select = Select::from(FromItem::Arrays { parameters, columns, alias });
        select.items = items;
        Ok(InsertSource::Select(Box::new(select)))
    }

    /// Refuses an upsert that the database would do in another way.
    fn check_upsert(&self, entity: EntityId, conflict: &Conflict) -> Result<(), CompileError> {
        match self.flavor.upsert {
            Upsert::OnConflict => Ok(()),
            Upsert::OnDuplicateKey if self.catalog[entity].keys.len() > 1 => {
                Err(CompileError::not_built("an upsert by one of several keys"))
            }
            Upsert::OnDuplicateKey if conflict.key.is_empty() => {
                Err(CompileError::not_built("an upsert by any key"))
            }
            // A value that is set would be compared instead of the one before.
            Upsert::OnDuplicateKey if !conflict.filter.is_all() => {
                Err(CompileError::not_built("an upsert with a condition"))
            }
            Upsert::OnDuplicateKey => Ok(()),
        }
    }

    fn on_conflict(
        &self,
        conflict: &Conflict,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<OnConflict, CompileError> {
        let key = conflict.key.iter().map(|field| self.column_name(*field)).collect();
        if conflict.assignments.is_empty() {
            return Ok(OnConflict { key, action: ConflictAction::Nothing });
        }
        let sets = self.sets(&conflict.assignments, scope.alias, statement)?;
        let filter = match conflict.filter.is_all() {
            true => None,
            false => Some(self.condition(&conflict.filter, scope, statement)?),
        };
        Ok(OnConflict { key, action: ConflictAction::Update { sets, filter } })
    }

    /// A value as its field stores it.
    pub(super) fn stored(
        &self,
        field: FieldId,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let source = self.value_source(operand, statement)?;
        let kind = ParameterKind::Stored { field, kind: ValueKind::of(self.catalog, field) };
        Ok(Expression::Parameter(statement.parameter(source, kind)))
    }

    pub(super) fn column_name(&self, field: FieldId) -> Identifier {
        Identifier(self.catalog[field].name.clone())
    }
}
