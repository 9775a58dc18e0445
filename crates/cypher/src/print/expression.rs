//! Values and conditions, with the parentheses that they need.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::tree::{Case, Comparison, Expression, Function, Operation, Query, Variable};

/// Precedence of an expression's outermost operator, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    /// `=`, `<` and the like: a chain of them would be a conjunction.
    Comparison,
    /// `IN`, `IS NULL` and those on texts.
    Predicate,
    Sum,
    Product,
    Atom,
}

impl Printer<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> fmt::Result {
        match expression {
            Expression::Variable(variable) => self.variable(*variable),
            Expression::Parameter(parameter) => self.parameter(*parameter),
            Expression::Property { of, name } => {
                self.operand(of, Binding::Atom)?;
                self.out.push('.');
                self.name(name);
                Ok(())
            }
            Expression::Null => self.word("NULL"),
            Expression::Boolean(true) => self.word("true"),
            Expression::Boolean(false) => self.word("false"),
            Expression::Integer(number) => write!(self.out, "{number}"),
            Expression::List(elements) => {
                self.out.push('[');
                self.listed(elements)?;
                self.word("]")
            }
            Expression::Map(entries) => self.map(entries),
            Expression::HasLabels { node, labels } => {
                self.variable(*node)?;
                self.labels(labels);
                Ok(())
            }
            Expression::Compare { left, comparison, right } => {
                self.comparison(left, *comparison, right)
            }
            Expression::And(conditions) => {
                self.connected(conditions, " AND ", "true", Binding::Not)
            }
            Expression::Or(conditions) => self.connected(conditions, " OR ", "false", Binding::And),
            Expression::Not(condition) => {
                self.out.push_str("NOT ");
                self.operand(condition, Binding::Not)
            }
            Expression::IsNull(value) => {
                self.operand(value, Binding::Sum)?;
                self.word(" IS NULL")
            }
            Expression::IsNotNull(value) => {
                self.operand(value, Binding::Sum)?;
                self.word(" IS NOT NULL")
            }
            Expression::Compute { left, operation, right } => {
                self.computation(left, *operation, right)
            }
            Expression::Element { list, place } => {
                self.operand(list, Binding::Atom)?;
                self.out.push('[');
                self.expression(place)?;
                self.word("]")
            }
            Expression::Head { list, to } => {
                self.operand(list, Binding::Atom)?;
                self.out.push_str("[0..");
                self.expression(to)?;
                self.word("]")
            }
            Expression::Call { function, distinct, arguments } => {
                self.out.push_str(name_of(*function));
                self.out.push_str(if *distinct { "(DISTINCT " } else { "(" });
                self.listed(arguments)?;
                self.word(")")
            }
            Expression::CountRows => self.word("count(*)"),
            Expression::Case(case) => self.case(case),
            Expression::ListComprehension { variable, list, filter, value } => {
                self.out.push('[');
                self.each(*variable, list)?;
                self.condition(filter.as_deref())?;
                if let Some(value) = value {
                    self.out.push_str(" | ");
                    self.expression(value)?;
                }
                self.word("]")
            }
            Expression::PatternComprehension { path, filter, value } => {
                self.out.push('[');
                self.path(path)?;
                self.condition(filter.as_deref())?;
                self.out.push_str(" | ");
                self.expression(value)?;
                self.word("]")
            }
            Expression::Any { variable, list, filter } => {
                self.out.push_str("any(");
                self.each(*variable, list)?;
                self.condition(Some(filter))?;
                self.word(")")
            }
            Expression::Reduce { accumulator, initial, variable, list, value } => {
                self.out.push_str("reduce(");
                self.variable(*accumulator)?;
                self.out.push_str(" = ");
                self.expression(initial)?;
                self.out.push_str(", ");
                self.each(*variable, list)?;
                self.out.push_str(" | ");
                self.expression(value)?;
                self.word(")")
            }
            Expression::Exists(query) => self.subquery("EXISTS { ", query),
            Expression::Count(query) => self.subquery("COUNT { ", query),
            Expression::Collect(query) => self.subquery("COLLECT { ", query),
        }
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        self.out.push_str(word);
        Ok(())
    }

    /// An expression as an operand, in parentheses if it binds less than required.
    fn operand(&mut self, expression: &Expression, least: Binding) -> fmt::Result {
        if binding(expression) >= least {
            return self.expression(expression);
        }
        self.out.push('(');
        self.expression(expression)?;
        self.word(")")
    }

    fn connected(
        &mut self,
        conditions: &[Expression],
        word: &str,
        empty: &str,
        least: Binding,
    ) -> fmt::Result {
        match conditions {
            [] => self.word(empty),
            [only] => self.expression(only),
            _ => {
                for (index, condition) in conditions.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(word);
                    }
                    self.operand(condition, least)?;
                }
                Ok(())
            }
        }
    }

    fn comparison(
        &mut self,
        left: &Expression,
        comparison: Comparison,
        right: &Expression,
    ) -> fmt::Result {
        let least = match binding_of(comparison) {
            Binding::Predicate => Binding::Sum,
            _ => Binding::Predicate,
        };
        self.operand(left, least)?;
        self.out.push_str(match comparison {
            Comparison::Equal => " = ",
            Comparison::NotEqual => " <> ",
            Comparison::Less => " < ",
            Comparison::LessOrEqual => " <= ",
            Comparison::Greater => " > ",
            Comparison::GreaterOrEqual => " >= ",
            Comparison::In => " IN ",
            Comparison::StartsWith => " STARTS WITH ",
            Comparison::EndsWith => " ENDS WITH ",
            Comparison::Contains => " CONTAINS ",
            Comparison::Matches => " =~ ",
        });
        self.operand(right, least)
    }

    fn computation(
        &mut self,
        left: &Expression,
        operation: Operation,
        right: &Expression,
    ) -> fmt::Result {
        let (sign, least, above) = match operation {
            Operation::Add => (" + ", Binding::Sum, Binding::Product),
            Operation::Subtract => (" - ", Binding::Sum, Binding::Product),
            Operation::Multiply => (" * ", Binding::Product, Binding::Atom),
            Operation::Divide => (" / ", Binding::Product, Binding::Atom),
        };
        self.operand(left, least)?;
        self.out.push_str(sign);
        self.operand(right, above)
    }

    fn case(&mut self, case: &Case) -> fmt::Result {
        self.out.push_str("CASE");
        for (condition, value) in &case.branches {
            self.out.push_str(" WHEN ");
            self.expression(condition)?;
            self.out.push_str(" THEN ");
            self.expression(value)?;
        }
        if let Some(otherwise) = &case.otherwise {
            self.out.push_str(" ELSE ");
            self.expression(otherwise)?;
        }
        self.word(" END")
    }

    fn listed(&mut self, expressions: &[Expression]) -> fmt::Result {
        for (index, expression) in expressions.iter().enumerate() {
            self.comma(index);
            self.expression(expression)?;
        }
        Ok(())
    }

    fn each(&mut self, variable: Variable, list: &Expression) -> fmt::Result {
        self.variable(variable)?;
        self.out.push_str(" IN ");
        // A condition after a looser one would be parsed as a part of it.
        self.operand(list, Binding::Sum)
    }

    fn condition(&mut self, filter: Option<&Expression>) -> fmt::Result {
        let Some(filter) = filter else { return Ok(()) };
        self.out.push_str(" WHERE ");
        self.expression(filter)
    }

    fn subquery(&mut self, word: &str, query: &Query) -> fmt::Result {
        self.out.push_str(word);
        self.query(query, &[])?;
        self.word(" }")
    }
}

fn binding(expression: &Expression) -> Binding {
    match expression {
        Expression::And(conditions) | Expression::Or(conditions) if conditions.is_empty() => {
            Binding::Atom
        }
        Expression::And(conditions) | Expression::Or(conditions) if conditions.len() == 1 => {
            conditions.first().map_or(Binding::Atom, binding)
        }
        Expression::Or(_) => Binding::Or,
        Expression::And(_) => Binding::And,
        Expression::Not(_) => Binding::Not,
        Expression::Compare { comparison, .. } => binding_of(*comparison),
        Expression::IsNull(_) | Expression::IsNotNull(_) | Expression::HasLabels { .. } => {
            Binding::Predicate
        }
        Expression::Compute { operation, .. } => match operation {
            Operation::Add | Operation::Subtract => Binding::Sum,
            Operation::Multiply | Operation::Divide => Binding::Product,
        },
        Expression::Variable(_)
        | Expression::Parameter(_)
        | Expression::Property { .. }
        | Expression::Null
        | Expression::Boolean(_)
        | Expression::Integer(_)
        | Expression::List(_)
        | Expression::Map(_)
        | Expression::Element { .. }
        | Expression::Head { .. }
        | Expression::Call { .. }
        | Expression::CountRows
        | Expression::Case(_)
        | Expression::ListComprehension { .. }
        | Expression::PatternComprehension { .. }
        | Expression::Any { .. }
        | Expression::Reduce { .. }
        | Expression::Exists(_)
        | Expression::Count(_)
        | Expression::Collect(_) => Binding::Atom,
    }
}

fn binding_of(comparison: Comparison) -> Binding {
    match comparison {
        Comparison::Equal
        | Comparison::NotEqual
        | Comparison::Less
        | Comparison::LessOrEqual
        | Comparison::Greater
        | Comparison::GreaterOrEqual => Binding::Comparison,
        Comparison::In
        | Comparison::StartsWith
        | Comparison::EndsWith
        | Comparison::Contains
        | Comparison::Matches => Binding::Predicate,
    }
}

fn name_of(function: Function) -> &'static str {
    match function {
        Function::Count => "count",
        Function::Collect => "collect",
        Function::Sum => "sum",
        Function::Average => "avg",
        Function::Minimum => "min",
        Function::Maximum => "max",
        Function::Coalesce => "coalesce",
        Function::DateTime => "datetime",
        Function::Distance => "point.distance",
        Function::Id => "id",
        Function::Labels => "labels",
        Function::Properties => "properties",
        Function::RandomUuid => "randomUUID",
        Function::Range => "range",
        Function::Size => "size",
        Function::Time => "time",
        Function::Timestamp => "timestamp",
        Function::ToLower => "toLower",
    }
}
