//! Rows to update.

use catalog::{EntityId, FieldId, Scalar, Type};
use ir::{Assignment, Filter, Operand, Step, Update};
use source::CompileError;
use sql::{Alias, Expression, IntegerType, Operation, Select, Set};

use super::super::compile::Compiler;
use super::super::level::ParameterSource;
use super::super::row_set::Scope;
use super::super::statement::Statement;
use super::super::value::{ParameterKind, ValueKind};
use super::returned::Wanted;

impl Compiler<'_> {
    pub(super) fn update(
        &mut self,
        step: &Step,
        entity: EntityId,
        update: &Update,
        wanted: &Wanted<'_>,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let sets = self.sets(&update.assignments, alias, &mut statement)?;
        if sets.is_empty() {
            return self.update_of_no_rows(step, entity, wanted, statement, alias);
        }
        let which = (&update.filter, update.at_most.as_ref());
        let filter = self.which_rows(entity, alias, which, &mut statement)?;
        let made = self.changed_items(step.id, entity, alias, wanted, &mut statement)?;
        let text = sql::Update {
            table: self.table_name(entity),
            alias,
            sets,
            filter,
            returning: super::returning(&made.1),
        };
        self.push_change(step, entity, &sql::Statement::Update(text), statement, made)
    }

    /// An update that sets nothing finds no rows.
    fn update_of_no_rows(
        &mut self,
        step: &Step,
        entity: EntityId,
        wanted: &Wanted<'_>,
        mut statement: Statement,
        alias: Alias,
    ) -> Result<(), CompileError> {
        let made = self.changed_items(step.id, entity, alias, wanted, &mut statement)?;
        let mut select = Select::from(self.table(entity, alias));
        select.items = super::returning(&made.1);
        select.filter = Some(Expression::Boolean(false));
        self.push_change(step, entity, &select.into(), statement, made)
    }

    /// Which rows are changed. All there are only within a bound, so that no condition that got
    /// lost changes a whole table.
    pub(super) fn which_rows(
        &self,
        entity: EntityId,
        alias: Alias,
        (filter, at_most): (&Filter, Option<&Operand>),
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if filter.is_all() {
            return match at_most {
                Some(_) => Ok(Expression::Boolean(true)),
                None => Err(CompileError::not_built("a change of all rows without a bound")),
            };
        }
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        self.condition(filter, &mut scope, statement)
    }

    /// A condition on the rows of a statement that can join no others.
    pub(super) fn condition(
        &self,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let condition = self.filter(filter, scope, statement)?;
        match scope.select.joins.is_empty() {
            true => Ok(condition),
            false => Err(CompileError::not_built("a change by fields of other rows")),
        }
    }

    pub(super) fn sets(
        &self,
        assignments: &[(FieldId, Assignment)],
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<Vec<Set>, CompileError> {
        let set = |(field, assignment): &(FieldId, Assignment)| {
            let value = self.assigned(*field, assignment, alias, statement)?;
            Ok(Set { column: self.column_name(*field), value })
        };
        assignments.iter().map(set).collect()
    }

    fn assigned(
        &self,
        field: FieldId,
        assignment: &Assignment,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let stored = Box::new(self.field(alias, field));
        let computed = |left, operation, right| {
            Ok::<_, CompileError>(Expression::Computed { left, operation, right })
        };
        let (operation, operand) = match assignment {
            Assignment::Set(operand) => return self.stored(field, operand, statement),
            Assignment::Inserted => return Ok(Expression::Excluded(self.column_name(field))),
            Assignment::Add(operand) => (Operation::Add, operand),
            Assignment::AddWithin(operand) => (self.sum_within(field), operand),
            Assignment::Subtract(operand) => (Operation::Subtract, operand),
            Assignment::Multiply(operand) => (Operation::Multiply, operand),
            Assignment::Divide(operand) => (Operation::Divide, operand),
            Assignment::Push(operand) => (Operation::Append, operand),
            Assignment::Merge(operand) | Assignment::Prepend(operand) => {
                self.check_json(field)?;
                let other = Box::new(self.stored(field, operand, statement)?);
                return match assignment {
                    Assignment::Prepend(_) => computed(other, Operation::Merge, stored),
                    _ => computed(stored, Operation::Merge, other),
                };
            }
            Assignment::DeleteKey(operand)
            | Assignment::DeleteElement(operand)
            | Assignment::DeletePath(operand) => {
                self.check_json(field)?;
                let (operation, kind) = match assignment {
                    Assignment::DeleteKey(_) => (Operation::DeleteKey, ParameterKind::Text),
                    Assignment::DeleteElement(_) => {
                        (Operation::DeleteElement, ParameterKind::Index)
                    }
                    _ => (Operation::DeletePath, ParameterKind::TextList),
                };
                let source = self.value_source(operand, statement)?;
                let parameter = Expression::Parameter(statement.parameter(source, kind));
                return computed(stored, operation, Box::new(parameter));
            }
            Assignment::Pop(_) => {
                return Err(CompileError::not_built("taking from the end of a list"));
            }
        };
        let right = match operation {
            Operation::Append if !self.flavor.typed_text => {
                return Err(CompileError::not_built("a change of a part of a value"));
            }
            // What is appended is of another type than the field.
            Operation::Append => {
                let source = ParameterSource::Operand(operand.clone());
                let kind = ParameterKind::Stored { field, kind: ValueKind::Other };
                Expression::Parameter(statement.parameter(source, kind))
            }
            _ => self.stored(field, operand, statement)?,
        };
        computed(stored, operation, Box::new(right))
    }

    /// The sum of a field and a value: that of integers is within the type of the field.
    fn sum_within(&self, field: FieldId) -> Operation {
        match self.catalog.base_type(&self.catalog[field].r#type) {
            Type::Scalar(Scalar::Int16) => Operation::AddWithin(IntegerType::Int16),
            Type::Scalar(Scalar::Int32) => Operation::AddWithin(IntegerType::Int32),
            Type::Scalar(Scalar::Int64) => Operation::AddWithin(IntegerType::Int64),
            _ => Operation::Add,
        }
    }

    /// Refuses to change parts of a value that is no JSON in the form that the database changes.
    fn check_json(&self, field: FieldId) -> Result<(), CompileError> {
        match self.catalog.base_type(&self.catalog[field].r#type) {
            Type::Scalar(Scalar::Jsonb) => Ok(()),
            // PostgreSQL has no such operators for texts in JSON, which keep their form.
            Type::Scalar(Scalar::Json) if !self.flavor.typed_text => Ok(()),
            _ => Err(CompileError::not_built("a change of a part of a value")),
        }
    }
}
