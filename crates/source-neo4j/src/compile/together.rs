//! Related rows of several entities, taken together in a condition.
//!
//! A row that is of two of the entities, and the relationship to it, counts once.

use catalog::FieldId;
use cypher::{Clause, Expression, Match, Path, Projection, ProjectionItem, Query, Union, Variable};
use ir::{ValueRef, Variant};
use source::CompileError;

use super::place::{Kind, Scope};
use super::statement::Statement;
use super::{Compiler, refused};

/// The names that the rows of all entities have.
#[derive(Clone, Copy)]
struct Names {
    node: Variable,
    /// The relationship, where it is counted together with the row.
    edge: Option<Variable>,
}

impl Names {
    fn new(nodes: bool, statement: &mut Statement) -> Self {
        let node = statement.element();
        Self { node, edge: (!nodes).then(|| statement.element()) }
    }

    /// The variable that is distinct.
    fn counted(self) -> Variable {
        self.edge.unwrap_or(self.node)
    }
}

impl Compiler<'_> {
    /// Number of relationships, or of rows that they lead to.
    pub(super) fn number_of_variants(
        &self,
        variants: &[Variant],
        nodes: bool,
        near: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if !self.flavor.count_subqueries {
            return Err(refused(
                "a number of rows of several entities on this version of the server",
            ));
        }
        let names = Names::new(nodes, statement);
        let mut branches = Vec::with_capacity(variants.len());
        for variant in variants {
            let (found, _) = self.found_along(variant, names, near, statement)?;
            let each = Projection::of([names.counted()]);
            branches.push(vec![found, Clause::Return(each)]);
        }
        Ok(Expression::Count(Box::new(together(branches)?)))
    }

    /// The clauses that find a value of all rows, each once, and the value.
    pub(super) fn values_of_variants(
        &self,
        variants: &[Variant],
        place: &ValueRef,
        nodes: bool,
        near: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, (FieldId, Expression)), CompileError> {
        let names = Names::new(nodes, statement);
        let column = statement.column();
        let mut first = None;
        let mut branches = Vec::with_capacity(variants.len());
        for variant in variants {
            let (found, scope) = self.found_along(variant, names, near, statement)?;
            let (field, value) = self.place(place, &scope)?;
            first.get_or_insert(field);
            let mut each = Projection::of([names.counted()]);
            each.items.push(ProjectionItem::named(value, column));
            branches.push(vec![found, Clause::Return(each)]);
        }
        let field = first.ok_or(refused("rows of no entity"))?;
        let clause = Clause::Call { scope: near.variables(), query: together(branches)? };
        Ok((vec![clause], (field, Expression::Variable(column))))
    }

    fn found_along<'r>(
        &self,
        variant: &'r Variant,
        names: Names,
        near: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(Clause, Scope<'r>), CompileError> {
        let hop = variant.hop.ok_or(refused("related rows of no row"))?;
        let mut relationship = self.relationship(hop)?;
        relationship.variable = names.edge;
        let scope = Scope { node: names.node, edge: names.edge, kind: Kind::Variant(variant) };
        let path = Path::along(near.node, relationship, self.node(names.node, variant.entity)?);
        let passes = self.filter(&variant.filter, &scope, statement)?;
        Ok((Match::of(path, Expression::condition(vec![passes])), scope))
    }
}

fn together(branches: Vec<Vec<Clause>>) -> Result<Query, CompileError> {
    match branches.is_empty() {
        true => Err(refused("rows of no entity")),
        false => Ok(Query { branches, union: Union::Distinct }),
    }
}
