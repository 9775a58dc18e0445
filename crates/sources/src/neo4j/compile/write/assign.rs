//! Values that are stored.

use catalog::{FieldId, Scalar, Type};
use cypher::{Case, Comparison, Expression, Function, Name, Operation, Set, Variable};
use ir::{Assignment, NewId, Operand};

use super::super::super::program::ParameterType;
use super::super::parameter::integer;
use super::super::statement::Statement;
use super::super::{Compiler, refused};
use crate::relational::CompileError;

impl Compiler<'_> {
    /// What becomes of the fields of a node or a relationship.
    pub(super) fn assigned(
        &self,
        of: Variable,
        assignments: &[(FieldId, Assignment)],
        statement: &mut Statement,
    ) -> Result<Vec<Set>, CompileError> {
        let set = |(field, assignment): &(FieldId, Assignment)| {
            let value = self.assigned_value(of, *field, assignment, statement)?;
            Ok(Set::Property { of, name: self.name(*field), value })
        };
        assignments.iter().map(set).collect()
    }

    fn assigned_value(
        &self,
        of: Variable,
        field: FieldId,
        assignment: &Assignment,
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
            Assignment::Add(operand) => (Operation::Add, operand),
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
                return Ok(unless(is_null(old), Expression::Head { list, to: Box::new(to) }));
            }
            Assignment::Merge(_) | Assignment::Inserted => return Err(refused("this change")),
        };
        let operand = self.stored(field, operand, statement)?;
        let mut fails = vec![is_null(old.clone())];
        if operation == Operation::Divide {
            fails.push(operand.clone().compare(Comparison::Equal, Expression::Integer(0)));
        }
        let new = old.compute(operation, operand);
        if self.catalog[field].r#type == Type::Scalar(Scalar::Int32) {
            let most = Expression::Integer(i32::MAX.unsigned_abs());
            fails.push(new.clone().compare(Comparison::Greater, most));
            let least = Expression::Integer(i32::MIN.unsigned_abs());
            let least = Expression::Integer(0).compute(Operation::Subtract, least);
            fails.push(new.clone().compare(Comparison::Less, least));
        }
        Ok(unless(Expression::Or(fails), new))
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

/// A value, or the end of the transaction where it cannot be made: the server would store null, or
/// a number that is too large to be shown. No other error of arithmetic can be asked for without a
/// procedure, and the server divides by nothing before it is asked to.
fn unless(fails: Expression, value: Expression) -> Expression {
    let nothing = Expression::call(Function::Size, vec![Expression::List(Vec::new())]);
    let failure = Expression::Integer(1).compute(Operation::Divide, nothing);
    let branches = vec![(fails, failure)];
    Expression::Case(Case { branches, otherwise: Some(Box::new(value)) })
}
