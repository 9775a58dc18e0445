//! Rows by lists of keys: each element of the lists finds one row or none.
//!
//! The statement has a row for each place in the lists, and looks for the nodes that have the key
//! there: all of them by one statement, for any number of keys. An index of the property finds
//! each, where there is one.

use catalog::{EntityId, FieldId};
use cypher::{
    Clause, Comparison, Direction, Expression, Function, Match, Operation, OrderItem, Path,
    Projection, ProjectionItem, Variable,
};
use ir::{ExternalArgument, Operand, Rows};
use source::CompileError;

use super::parameter::list_of;
use super::place::{Kind, Scope};
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// The clauses that find the rows, each with the place of the key that finds it, from 1.
    pub(super) fn keyed<'r>(
        &self,
        rows: &'r Rows,
        entity: EntityId,
        (keys, external): (&[(FieldId, Operand)], &[ExternalArgument]),
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        if !external.is_empty() {
            return Err(refused("arguments of functions by a list of keys"));
        }
        let (place, node) = (statement.item(), statement.element());
        let scope = Scope { node, edge: None, kind: Kind::Keyed { place } };
        let mut lists = Vec::with_capacity(keys.len());
        for (field, operand) in keys {
            let list = list_of(self.field_type(*field)?);
            lists.push((*field, statement.parameter(operand.clone(), list)));
        }
        let first = lists.first().ok_or(refused("rows by a key without fields"))?;
        let mut clauses = vec![Clause::Unwind { list: places(first.1.clone()), variable: place }];
        let mut conditions = Vec::with_capacity(lists.len() + 1);
        for (field, list) in lists {
            let value = element(list, place);
            conditions.push(self.property(node, field).compare(Comparison::Equal, value));
        }
        let own = self.conditions(&rows.filter, &scope, statement)?;
        let required = own.required(scope.own_variables());
        conditions.extend(own.passes);
        let path = Path::node(self.node(node, entity)?);
        clauses.push(Match::of(path, Expression::condition(conditions)));
        clauses.extend(required);
        clauses.extend(one_each(place, node));
        Ok((clauses, scope))
    }
}

/// The places of a list, from 1.
fn places(list: Expression) -> Expression {
    let size = Expression::call(Function::Size, vec![list]);
    Expression::call(Function::Range, vec![Expression::Integer(1), size])
}

/// The element of a list at a place that counts from 1.
fn element(list: Expression, place: Variable) -> Expression {
    let place = Expression::Variable(place).compute(Operation::Subtract, Expression::Integer(1));
    Expression::Element { list: Box::new(list), place: Box::new(place) }
}

/// Keeps one node at each place, and orders them by their places. The keys of type definitions need
/// not be unique in the graph: of several nodes the same one is taken each time, and the others are
/// not read.
fn one_each(place: Variable, node: Variable) -> [Clause; 2] {
    let ascending = |expression| OrderItem { expression, direction: Direction::Ascending };
    let by_place = ascending(Expression::Variable(place));
    let id = Expression::call(Function::Id, vec![Expression::Variable(node)]);
    let mut sorted = Projection::of([place, node]);
    sorted.order = vec![by_place.clone(), ascending(id)];
    let all = Expression::call(Function::Collect, vec![Expression::Variable(node)]);
    let first =
        Expression::Element { list: Box::new(all), place: Box::new(Expression::Integer(0)) };
    let mut each = Projection::of([place]);
    each.items.push(ProjectionItem::named(first, node));
    each.order.push(by_place);
    [Clause::With(sorted), Clause::With(each)]
}
