//! Aggregates over the values of many rows. Nulls are left out.

use cypher::{Case, Comparison, Expression, Function};
use ir::AggregateFunction;
use source::CompileError;

use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// An aggregate of values.
    pub(super) fn aggregate(
        &self,
        function: AggregateFunction,
        value: Expression,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let of = |function, value| Expression::call(function, vec![value]);
        let size = |value| of(Function::Size, value);
        Ok(match function {
            AggregateFunction::Count => of(Function::Count, value),
            AggregateFunction::DistinctCount => {
                let arguments = vec![value];
                Expression::Call { function: Function::Count, distinct: true, arguments }
            }
            // The server's own sum of nothing is zero.
            AggregateFunction::Total => of(Function::Sum, value),
            AggregateFunction::Sum => {
                let count = of(Function::Count, value.clone());
                let some = count.compare(Comparison::Greater, Expression::Integer(0));
                let branches = vec![(some, of(Function::Sum, value))];
                Expression::Case(Case { branches, otherwise: None })
            }
            AggregateFunction::Average => of(Function::Average, value),
            AggregateFunction::Minimum => of(Function::Minimum, value),
            AggregateFunction::Maximum => of(Function::Maximum, value),
            AggregateFunction::AverageLength => of(Function::Average, size(value)),
            AggregateFunction::ShortestLength => of(Function::Minimum, size(value)),
            AggregateFunction::LongestLength => of(Function::Maximum, size(value)),
            AggregateFunction::Values => of(Function::Collect, value),
            AggregateFunction::Lengths => of(Function::Collect, size(value)),
            AggregateFunction::LongestText => extreme(value, Comparison::Greater, statement),
            // The last one of those that are equally short.
            AggregateFunction::ShortestText => extreme(value, Comparison::LessOrEqual, statement),
            AggregateFunction::GroupKey
            | AggregateFunction::All
            | AggregateFunction::Any
            | AggregateFunction::StandardDeviationSample
            | AggregateFunction::StandardDeviationPopulation
            | AggregateFunction::VarianceSample
            | AggregateFunction::VariancePopulation
            | AggregateFunction::Correlation
            | AggregateFunction::CovarianceSample => return Err(refused("this aggregate")),
        })
    }
}

/// The text whose length is extreme among all of them.
fn extreme(value: Expression, comparison: Comparison, statement: &mut Statement) -> Expression {
    let (best, next) = (statement.item(), statement.item());
    let size = |variable| Expression::call(Function::Size, vec![Expression::Variable(variable)]);
    let none = Expression::IsNull(Box::new(Expression::Variable(best)));
    let better = size(next).compare(comparison, size(best));
    let case = Case {
        branches: vec![(Expression::Or(vec![none, better]), Expression::Variable(next))],
        otherwise: Some(Box::new(Expression::Variable(best))),
    };
    Expression::Reduce {
        accumulator: best,
        initial: Box::new(Expression::Null),
        variable: next,
        list: Box::new(Expression::call(Function::Collect, vec![value])),
        value: Box::new(Expression::Case(case)),
    }
}
