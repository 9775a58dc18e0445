//! Values that are stored.

use catalog::{FieldId, Scalar, Type};
use cypher::{Case, Comparison, Expression, Function, Name, Operation, Set, Variable};
use ir::{Assignment, NewId, Operand, Otherwise, OtherwiseKind, Value};
use source::CompileError;

use super::super::super::program::ParameterType;
use super::super::parameter::integer;
use super::super::raise::raise;
use super::super::statement::Statement;
use super::super::{Compiler, refused};
use crate::arithmetic::{ABSENT, DIVIDED_BY_ZERO, OVERFLOW};

impl Compiler<'_> {
    /// Assignments to the properties of a node or a relationship.
    pub(super) fn assigned(
        &self,
        of: Variable,
        assignments: &[(FieldId, Assignment)],
        statement: &mut Statement,
    ) -> Result<Vec<Set>, CompileError> {
        let no_list = self.no_list(assignments);
        let set = |(field, assignment): &(FieldId, Assignment)| {
            let value = self.assigned_value(of, *field, (assignment, &no_list), statement)?;
            Ok(Set::Property { of, name: self.name(*field), value })
        };
        assignments.iter().map(set).collect()
    }

    /// The error message of a missing list that elements are added to or removed from.
    fn no_list(&self, assignments: &[(FieldId, Assignment)]) -> String {
        let lists = assignments.iter().filter(|(_, assignment)| {
            matches!(assignment, Assignment::Push(_) | Assignment::Pop(_))
        });
        let names: Vec<&str> = lists.map(|(field, _)| &*self.catalog[*field].name).collect();
        match names.as_slice() {
            [name] => format!("Property {name} cannot be NULL"),
            names => format!("Properties {} cannot be NULL", names.join(", ")),
        }
    }

    fn assigned_value(
        &self,
        of: Variable,
        field: FieldId,
        (assignment, no_list): (&Assignment, &str),
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let old = self.property(of, field);
        let (operation, operand) = match assignment {
            Assignment::Set(operand) => {
                return match self.made(field, operand)? {
                    Some(made) => Ok(made),
                    None => self.stored(field, operand, statement),
                };
            }
            // Bounds of a type are checked with every sum.
            Assignment::Add(operand) | Assignment::AddWithin(operand) => (Operation::Add, operand),
            // One list behind the other.
            Assignment::Push(operand) => (Operation::Add, operand),
            Assignment::Subtract(operand) => (Operation::Subtract, operand),
            Assignment::Multiply(operand) => (Operation::Multiply, operand),
            Assignment::Divide(operand) => (Operation::Divide, operand),
            Assignment::Pop(operand) => {
                // A place below zero is counted from the end.
                let none = Expression::Integer(0);
                let to = none.compute(Operation::Subtract, integer(operand, statement));
                let list = Box::new(old.clone());
                let fails = vec![(is_null(old), failure(no_list, statement)?)];
                return Ok(unless(fails, Expression::Head { list, to: Box::new(to) }));
            }
            Assignment::Merge(_)
            | Assignment::Prepend(_)
            | Assignment::DeleteKey(_)
            | Assignment::DeleteElement(_)
            | Assignment::DeletePath(_)
            | Assignment::Inserted => return Err(refused("this change")),
        };
        let operand = self.stored(field, operand, statement)?;
        let mut fails = Vec::new();
        if operation == Operation::Divide {
            let is_zero = operand.clone().compare(Comparison::Equal, Expression::Integer(0));
            fails.push((is_zero, failure(DIVIDED_BY_ZERO, statement)?));
        }
        let absent = if let Assignment::Push(_) = assignment { no_list } else { ABSENT };
        fails.push((is_null(old.clone()), failure(absent, statement)?));
        let new = old.compute(operation, operand);
        if let Some((least, most)) = self.range(field, statement) {
            // NaN fits neither bound.
            let fits = vec![
                new.clone().compare(Comparison::GreaterOrEqual, least),
                new.clone().compare(Comparison::LessOrEqual, most),
            ];
            let beyond = Expression::Not(Box::new(Expression::And(fits)));
            fails.push((beyond, failure(OVERFLOW, statement)?));
        }
        Ok(unless(fails, new))
    }

    /// The least and the most that a field can hold. To 64 bits the server itself sees.
    fn range(&self, field: FieldId, statement: &mut Statement) -> Option<(Expression, Expression)> {
        let (least, most) = match self.catalog[field].r#type {
            Type::Scalar(Scalar::Int32) => {
                let number = |number: i32| Expression::Integer(number.unsigned_abs());
                (number(i32::MIN), number(i32::MAX))
            }
            Type::Scalar(Scalar::Float64) => {
                let most = Operand::Constant(Value::Number(format!("{:e}", f64::MAX).into()));
                let most = statement.parameter(most, ParameterType::Float);
                (most.clone(), most)
            }
            _ => return None,
        };
        Some((Expression::Integer(0).compute(Operation::Subtract, least), most))
    }

    fn stored(
        &self,
        field: FieldId,
        operand: &Operand,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        Ok(statement.parameter(operand.clone(), self.field_type(field)?))
    }

    /// A value that the server makes, for each row anew.
    pub(super) fn made(
        &self,
        field: FieldId,
        operand: &Operand,
    ) -> Result<Option<Expression>, CompileError> {
        let made = |function| Ok(Some(Expression::call(function, Vec::new())));
        match operand {
            Operand::NewId(NewId::Uuid) => made(Function::RandomUuid),
            Operand::NewId(NewId::Cuid | NewId::Sequence) => Err(refused("an id of this kind")),
            Operand::Now => match self.field_type(field)? {
                ParameterType::DateTime => made(Function::DateTime),
                ParameterType::Time => made(Function::Time),
                _ => Err(refused("the time of a change in this type")),
            },
            _ => Ok(None),
        }
    }

    pub(super) fn name(&self, field: FieldId) -> Name {
        Name(self.catalog[field].name.clone())
    }
}

fn is_null(value: Expression) -> Expression {
    Expression::IsNull(Box::new(value))
}

/// Ends the transaction: the server would store null, or a number that cannot be shown.
fn failure(message: &str, statement: &mut Statement) -> Result<Expression, CompileError> {
    raise(&Otherwise::new(OtherwiseKind::Invalid, message), statement)
}

/// A value, or the end of the transaction where one of these is true.
fn unless(fails: Vec<(Expression, Expression)>, value: Expression) -> Expression {
    Expression::Case(Case { branches: fails, otherwise: Some(Box::new(value)) })
}
