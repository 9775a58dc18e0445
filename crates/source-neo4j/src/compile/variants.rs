//! Rows of several entities, in one list: the rows of each entity one behind the other.

use cypher::{Clause, Expression, Match, Path, Projection, ProjectionItem, Query, Union, Variable};
use ir::{Rows, Variant};
use source::CompileError;

use super::place::{Kind, Scope};
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// The subquery that finds the rows of all entities, each with the number of its own.
    pub(super) fn found_variants<'r>(
        &self,
        rows: &'r Rows,
        variants: &'r [Variant],
        near: Option<&Scope<'_>>,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        let leads = variants.iter().any(|variant| variant.hop.is_some());
        let edge = (leads && !rows.once).then(|| statement.element());
        let (node, number) = (statement.element(), statement.column());
        let mut branches = Vec::with_capacity(variants.len());
        for (variant, place) in variants.iter().zip(0_u32..) {
            let scope = Scope { node, edge, kind: Kind::Variant(variant) };
            let found = self.found_variant(rows, variant, near, &scope, statement)?;
            let mut projection = Projection::of([node].into_iter().chain(edge));
            projection.distinct = leads && rows.once;
            projection.items.push(ProjectionItem::named(Expression::Integer(place), number));
            branches.push(found.into_iter().chain([Clause::Return(projection)]).collect());
        }
        if branches.is_empty() {
            return Err(refused("rows of no entity"));
        }
        let imported: Vec<Variable> = match (leads, near) {
            (true, Some(near)) => near.variables(),
            _ => Vec::new(),
        };
        // Duplicates are wanted, or were removed before.
        let query = Query { branches, union: Union::All };
        let kind = Kind::Variants { variants, number };
        Ok((vec![Clause::Call { scope: imported, query }], Scope { node, edge, kind }))
    }

    fn found_variant(
        &self,
        rows: &Rows,
        variant: &Variant,
        near: Option<&Scope<'_>>,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Vec<Clause>, CompileError> {
        let node = self.node(scope.node, variant.entity)?;
        let mut conditions = Vec::new();
        let path = match (variant.hop, near) {
            (None, _) => Path::node(node),
            (Some(hop), Some(near)) => {
                conditions.extend(near.guard());
                let mut relationship = self.relationship(hop)?;
                relationship.variable = scope.edge;
                Path::along(near.node, relationship, node)
            }
            (Some(_), None) => return Err(refused("related rows of no row")),
        };
        conditions.push(self.filter(&rows.filter, scope, statement)?);
        let own = self.conditions(&variant.filter, scope, statement)?;
        let required = own.required(scope.own_variables());
        conditions.extend(own.passes);
        let found = Match::of(path, Expression::condition(conditions));
        Ok([found].into_iter().chain(required).collect())
    }
}
