//! Changes of objects by lists of keys: one statement for all rows of an entity, however many.

use catalog::{EntityId, FieldId};
use ir::{Comparison, Filter, ObjectChange, Operand, Pairing, Step, ValueRef};
use source::CompileError;
use sql::{
    Alias, Column, ConflictAction, Delete, Expression, FromItem, Identifier, InsertSource, Join,
    JoinKind, KeyArrays, KeySequence, OfJson, OnConflict, Operation, Select, SelectItem, Set,
    TableName, Update,
};

use super::super::compile::{Compiler, width};
use super::super::level::{Parameter, ParameterSource};
use super::super::row_set::Scope;
use super::super::statement::Statement;
use super::super::value::{ParameterKind, ValueKind};

/// Lists as rows of a statement.
pub(super) struct ListRows {
    pub(super) item: FromItem,
    values: Vec<Expression>,
}

impl ListRows {
    pub(super) fn column(&self, number: u16) -> Expression {
        self.values.get(usize::from(number)).cloned().unwrap_or(Expression::Boolean(false))
    }
}

impl Compiler<'_> {
    pub(super) fn objects(
        &mut self,
        step: &Step,
        change: &ObjectChange,
    ) -> Result<(), CompileError> {
        match change {
            ObjectChange::Find { .. } => Err(CompileError::not_built("rows that are read")),
            ObjectChange::NewKeys { key, count } => self.new_keys(step, *key, *count),
            ObjectChange::Insert { entity, key, keys, fields } => {
                self.insert_each(*entity, (*key, keys), fields)
            }
            ObjectChange::SetEach { entity, key, keys, fields, extended, .. } => {
                self.set_each(*entity, (*key, keys), (fields, extended))
            }
            ObjectChange::SetAll { entity, key, keys, fields, extended } => {
                self.set_all(*entity, (*key, keys), (fields, extended))
            }
            ObjectChange::Clear { entity, field, values, rows } => {
                self.clear(*entity, (*field, values), rows.as_ref())
            }
            ObjectChange::RemoveElements { entity, key, keys, field, elements } => {
                self.remove_elements(*entity, (*key, keys), (*field, elements))
            }
            ObjectChange::Connect { joining, near, far, pairing } => {
                self.connect(*joining, (near, far), *pairing)
            }
            ObjectChange::Disconnect { joining, near, far } => {
                let lists = [Some(near), far.as_ref()];
                self.delete_listed(*joining, lists.into_iter().flatten())
            }
            ObjectChange::Delete { entity, key, keys } => {
                self.delete_listed(*entity, [&(*key, keys.clone())].into_iter())
            }
        }
    }

    /// Keys of the sequence, one for each row of a list of numbers.
    fn new_keys(&mut self, step: &Step, key: FieldId, count: u32) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        if let KeySequence::Row { table, column } = self.flavor.sequence {
            return self.key_range(step, (table, column), (key, count));
        }
        let numbers =
            (1..=i64::from(count)).map(|number| Operand::Constant(ir::Value::Integer(number)));
        let numbers = Operand::List(numbers.collect());
        let rows = self.list_rows(&[(key, &numbers)], &mut statement)?;
        let mut select = Select::from(rows.item);
        let schema = self.catalog[self.catalog[key].entity].namespace.as_deref();
        let schema = schema.map(|schema| Identifier(schema.into()));
        select.items = vec![SelectItem { expression: Expression::NextKey { schema }, name: None }];
        let text = sql::Statement::Select(Box::new(select));
        let level = self.push_write("new keys".to_owned(), &text, statement)?;
        self.read.insert(step.id, level);
        Ok(())
    }

    /// The last of so many keys, which are taken from a row.
    fn key_range(
        &mut self,
        step: &Step,
        (table, column): (&str, &str),
        (key, count): (FieldId, u32),
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let column = Identifier(column.into());
        let last = Expression::Column { alias, column: Column::Named(column.clone()) };
        let count = Operand::Constant(ir::Value::Integer(count.into()));
        let count = self.stored(key, &count, &mut statement)?;
        let value = Expression::Computed {
            left: Box::new(last.clone()),
            operation: Operation::Add,
            right: Box::new(count),
        };
        let update = Update {
            table: TableName { schema: None, name: Identifier(table.into()) },
            alias,
            sets: vec![Set { column, value }],
            filter: Expression::Boolean(true),
            returning: vec![SelectItem { expression: last, name: None }],
        };
        let text = sql::Statement::Update(update);
        let level = self.push_write("new keys".to_owned(), &text, statement)?;
        self.read.insert(step.id, level);
        Ok(())
    }

    fn insert_each(
        &mut self,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        fields: &[(FieldId, Operand)],
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let mut lists = vec![(key, keys)];
        lists.extend(fields.iter().map(|(field, operand)| (*field, operand)));
        let rows = self.list_rows(&lists, &mut statement)?;
        let items = (0..)
            .zip(&lists)
            .map(|(number, _)| SelectItem { expression: rows.column(number), name: None });
        let items = items.collect();
        let present = Expression::Not(Box::new(Expression::IsNull(Box::new(rows.column(0)))));
        let mut select = Select::from(rows.item);
        select.items = items;
        select.and_where(present);
        let text = sql::Insert {
            into: self.table_name(entity),
            alias,
            columns: lists.iter().map(|(field, _)| self.column_name(*field)).collect(),
            source: InsertSource::Select(Box::new(select)),
            on_conflict: None,
            returning: Vec::new(),
        };
        self.push_objects(entity, &sql::Statement::Insert(text), statement)
    }

    fn set_each(
        &mut self,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        (fields, extended): (&[(FieldId, Operand)], &[FieldId]),
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let filter =
            self.listed(entity, alias, [&(key, keys.clone())].into_iter(), &mut statement)?;
        let mut sets = Vec::with_capacity(fields.len());
        for (field, values) in fields {
            let rows = self.list_rows(&[(key, keys), (*field, values)], &mut statement)?;
            let is_own = rows.column(0).equals(self.field(alias, key));
            let expression = rows.column(1);
            let mut select = Select::from(rows.item);
            select.items = vec![SelectItem { expression, name: None }];
            select.and_where(is_own);
            select.limit = Some(Expression::Number(1));
            let mut value = Expression::Subquery(Box::new(select));
            if extended.contains(field) {
                value = with_elements(self.field(alias, *field), value);
            }
            sets.push(Set { column: self.column_name(*field), value });
        }
        self.push_update(entity, (alias, sets, filter), statement)
    }

    fn set_all(
        &mut self,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        (fields, extended): (&[(FieldId, Operand)], &[FieldId]),
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let filter =
            self.listed(entity, alias, [&(key, keys.clone())].into_iter(), &mut statement)?;
        let mut sets = Vec::with_capacity(fields.len());
        for (field, operand) in fields {
            let value = match operand {
                // The key of one object, which is known when the statement runs.
                Operand::Objects(_) | Operand::Results { .. } => {
                    let rows = self.list_rows(&[(*field, operand)], &mut statement)?;
                    let expression = rows.column(0);
                    let mut select = Select::from(rows.item);
                    select.items = vec![SelectItem { expression, name: None }];
                    select.limit = Some(Expression::Number(1));
                    Expression::Subquery(Box::new(select))
                }
                _ if extended.contains(field) => {
                    let elements = self.stored(*field, operand, &mut statement)?;
                    with_elements(self.field(alias, *field), elements)
                }
                _ => self.stored(*field, operand, &mut statement)?,
            };
            sets.push(Set { column: self.column_name(*field), value });
        }
        self.push_update(entity, (alias, sets, filter), statement)
    }

    fn clear(
        &mut self,
        entity: EntityId,
        (field, values): (FieldId, &Operand),
        rows: Option<&(FieldId, Operand)>,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let values = (field, values.clone());
        let lists = [Some(&values), rows];
        let filter = self.listed(entity, alias, lists.into_iter().flatten(), &mut statement)?;
        let null = Operand::Constant(ir::Value::Null);
        let value = self.stored(field, &null, &mut statement)?;
        let sets = vec![Set { column: self.column_name(field), value }];
        self.push_update(entity, (alias, sets, filter), statement)
    }

    /// Removes elements of a list. A list without elements is not null.
    fn remove_elements(
        &mut self,
        entity: EntityId,
        (key, keys): (FieldId, &Operand),
        (field, elements): (FieldId, &Operand),
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let list = self.field(alias, field);
        let is_null = Expression::IsNull(Box::new(list.clone()));
        let mut filter =
            self.listed(entity, alias, [&(key, keys.clone())].into_iter(), &mut statement)?;
        filter = Expression::all(vec![filter, Expression::Not(Box::new(is_null))]);
        let value = Expression::Computed {
            left: Box::new(list),
            operation: Operation::Without,
            right: Box::new(self.stored(field, elements, &mut statement)?),
        };
        let sets = vec![Set { column: self.column_name(field), value }];
        self.push_update(entity, (alias, sets, filter), statement)
    }

    fn connect(
        &mut self,
        joining: EntityId,
        (near, far): (&(FieldId, Operand), &(FieldId, Operand)),
        pairing: Pairing,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let (select, columns) = match pairing {
            Pairing::Pairwise => {
                let lists = [(near.0, &near.1), (far.0, &far.1)];
                let rows = self.list_rows(&lists, &mut statement)?;
                let columns = [rows.column(0), rows.column(1)];
                (Select::from(rows.item), columns)
            }
            Pairing::All => {
                let near = self.list_rows(&[(near.0, &near.1)], &mut statement)?;
                let far = self.list_rows(&[(far.0, &far.1)], &mut statement)?;
                let columns = [near.column(0), far.column(0)];
                let mut select = Select::from(near.item);
                let kind = JoinKind::Inner(Expression::Boolean(true));
                select.joins.push(Join { kind, item: far.item });
                (select, columns)
            }
        };
        let mut select = select;
        for column in &columns {
            let is_null = Expression::IsNull(Box::new(column.clone()));
            select.and_where(Expression::Not(Box::new(is_null)));
        }
        let [first, second] = columns;
        let item = |expression| SelectItem { expression, name: None };
        select.items = vec![item(first), item(second)];
        // A pair may come twice in the lists.
        select.distinct = true;
        let columns = vec![self.column_name(near.0), self.column_name(far.0)];
        let text = sql::Insert {
            into: self.table_name(joining),
            alias,
            columns: columns.clone(),
            source: InsertSource::Select(Box::new(select)),
            on_conflict: Some(OnConflict { key: columns, action: ConflictAction::Nothing }),
            returning: Vec::new(),
        };
        self.push_objects(joining, &sql::Statement::Insert(text), statement)
    }

    /// Deletes the rows whose fields are each one of a list.
    fn delete_listed<'l>(
        &mut self,
        entity: EntityId,
        lists: impl Iterator<Item = &'l (FieldId, Operand)>,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let filter = self.listed(entity, alias, lists, &mut statement)?;
        let table = self.table_name(entity);
        let text = Delete { table, alias, filter, returning: Vec::new() };
        self.push_objects(entity, &sql::Statement::Delete(text), statement)
    }

    /// The condition that fields are each one of a list.
    fn listed<'l>(
        &self,
        entity: EntityId,
        alias: Alias,
        lists: impl Iterator<Item = &'l (FieldId, Operand)>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let one = |(field, operand): &(FieldId, Operand)| Filter::Compare {
            place: ValueRef::field(*field),
            comparison: Comparison::In,
            operand: operand.clone(),
        };
        let filter = Filter::and(lists.map(one).collect());
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        self.condition(&filter, &mut scope, statement)
    }

    /// A row for each element of a list that is not null.
    pub(in super::super) fn present_keys(
        &self,
        (like, list): (FieldId, &Operand),
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let rows = self.list_rows(&[(like, list)], statement)?;
        let is_null = Expression::IsNull(Box::new(rows.column(0)));
        let mut select = Select::from(rows.item);
        select.and_where(Expression::Not(Box::new(is_null)));
        Ok(select)
    }

    /// Lists of values of fields as rows with a column for each list.
    pub(super) fn list_rows(
        &self,
        lists: &[(FieldId, &Operand)],
        statement: &mut Statement,
    ) -> Result<ListRows, CompileError> {
        let mut columns = Vec::with_capacity(lists.len());
        for (field, operand) in lists {
            let kind = ValueKind::of(self.catalog, *field);
            let source = self.value_source(operand, statement)?;
            let kind = match source {
                ParameterSource::Operand(_) if self.is_list_by_json(*field) => {
                    ParameterKind::TextList
                }
                ParameterSource::Operand(_) => ParameterKind::StoredArray { field: *field, kind },
                _ => ParameterKind::KeyArray { field: *field },
            };
            columns.push(Parameter { source, kind });
        }
        let count = width(columns.len())?;
        let parameters = match self.flavor.key_arrays {
            KeyArrays::Unnest => {
                let columns = columns.into_iter();
                columns.map(|column| statement.parameter(column.source, column.kind)).collect()
            }
            KeyArrays::JsonEach | KeyArrays::JsonTable { .. } => {
                let source = ParameterSource::Columns(columns.into());
                vec![statement.parameter(source, ParameterKind::KeyRows)]
            }
        };
        let alias = statement.alias();
        let value = |(number, (field, _)): (u16, &(FieldId, &Operand))| {
            let value = Expression::numbered(alias, number);
            match self.is_list_by_json(*field) {
                true => Expression::OfJson(Box::new(OfJson {
                    table: self.table_name(self.catalog[*field].entity),
                    column: self.column_name(*field),
                    json: value,
                })),
                false => value,
            }
        };
        let values = (0..).zip(lists).map(value).collect();
        Ok(ListRows { item: FromItem::Arrays { parameters, columns: count, alias }, values })
    }

    /// Whether a list of values of a field is one of JSON texts: an array of arrays would be taken
    /// apart down to its elements.
    fn is_list_by_json(&self, field: FieldId) -> bool {
        self.flavor.key_arrays == KeyArrays::Unnest
            && ValueKind::of(self.catalog, field) == ValueKind::List
    }

    fn push_update(
        &mut self,
        entity: EntityId,
        (alias, sets, filter): (Alias, Vec<Set>, Expression),
        statement: Statement,
    ) -> Result<(), CompileError> {
        let table = self.table_name(entity);
        let update = Update { table, alias, sets, filter, returning: Vec::new() };
        self.push_objects(entity, &sql::Statement::Update(update), statement)
    }

    fn push_objects(
        &mut self,
        entity: EntityId,
        text: &sql::Statement,
        statement: Statement,
    ) -> Result<(), CompileError> {
        let name = self.catalog.qualified_name(entity);
        self.push_write(name, text, statement)?;
        Ok(())
    }
}

/// A list with those of the elements that it lacks.
fn with_elements(list: Expression, elements: Expression) -> Expression {
    let (left, right) = (Box::new(list), Box::new(elements));
    Expression::Computed { left, operation: Operation::With, right }
}
