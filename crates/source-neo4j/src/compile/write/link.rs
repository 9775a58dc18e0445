//! New relationships to nodes that may exist already, and limits of their number.

use cypher::{
    Case, Clause, Comparison, Expression, Match, Merge, NodePattern, Path, Projection,
    ProjectionItem, Set, Variable,
};
use ir::{ChildWrite, Conflict, ExistingLink, ExpectedLinks, Filter, Insert, Otherwise};
use source::CompileError;

use super::super::place::Scope;
use super::super::raise::raise;
use super::super::required::keep_if;
use super::super::rows::{call, returning};
use super::super::statement::Statement;
use super::super::{Compiler, WriteForm, refused};
use super::child::{directed, present};
use super::insert::each;
use super::touched::Touch;

impl Compiler<'_> {
    /// New relationships to nodes that are there.
    pub(super) fn connect(
        &self,
        child: &ChildWrite,
        (filter, existing): (&Filter, &ExistingLink),
        outer: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let mut body = Vec::new();
        let start = self.outer_nodes(child, outer, &mut body, statement)?;
        let node = statement.element();
        let scope = Scope::of(node, None);
        let own = self.conditions(filter, &scope, statement)?;
        let required = own.required([start, node]);
        let path = Path::node(self.node(node, child.write.entity)?);
        body.push(Match::of(path, Expression::condition(own.passes)));
        body.extend(required);
        let mut relationship = self.relationship(child.hop)?;
        directed(&mut relationship);
        let known = NodePattern::known(node);
        if let ExistingLink::Keep = existing {
            let edge = statement.element();
            let sets = self.assigned(edge, &child.edge, statement)?;
            relationship.variable = (!sets.is_empty()).then_some(edge);
            let path = Path::along(start, relationship, known);
            body.push(Clause::Merge(Merge { path, on_create: Vec::new(), on_match: Vec::new() }));
            if !sets.is_empty() {
                body.push(Clause::Set(sets));
            }
            return self.go_on(&child.write, (body, node, None), outer, clauses, statement);
        }
        if let ExistingLink::Refuse(otherwise) = existing {
            let path = Path::along(start, relationship.clone(), known.clone());
            let fails =
                Expression::Exists(Box::new(cypher::Query::of(vec![Match::of(path, None)])));
            let passes = unless(fails, otherwise, statement)?;
            body.push(keep_if([start, node], passes, statement.column()));
        }
        let cells = self.edge_cells(&child.edge, &[&child.edge])?;
        let values = self.row_values(&cells, 1, statement)?.values;
        relationship.properties = present(cells.into_iter().map(|cells| cells.name).zip(values));
        body.push(Clause::Create(vec![Path::along(start, relationship, known)]));
        self.go_on(&child.write, (body, node, None), outer, clauses, statement)
    }

    /// A new relationship to the node with the key, which is made if it is not there.
    pub(super) fn connect_or_create(
        &self,
        child: &ChildWrite,
        (insert, conflict): (&Insert, &Conflict),
        outer: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let rows = each(insert)?;
        let is_plain = conflict.assignments.is_empty() && conflict.filter.is_all();
        let has_key = !conflict.key.is_empty() && insert.fields.starts_with(&conflict.key);
        if rows.len() != 1 || !is_plain || !has_key {
            return Err(refused("this insert of what may be there"));
        }
        let mut body = Vec::new();
        let start = self.outer_nodes(child, outer, &mut body, statement)?;
        let cells = self.cells(&insert.fields, rows)?;
        let values = self.row_values(&cells, 1, statement)?.values;
        let node = statement.element();
        let mut named = cells.into_iter().map(|cells| cells.name).zip(values);
        let key = named.by_ref().take(conflict.key.len()).collect();
        let pattern = NodePattern { properties: key, ..self.node(node, child.write.entity)? };
        let set = |(name, value)| Set::Property { of: node, name, value };
        let on_create = present(named).into_iter().map(set).collect();
        let existed = (self.form == WriteForm::Touched).then(|| {
            let existing = NodePattern { variable: Some(statement.element()), ..pattern.clone() };
            let found = cypher::Query::of(vec![Match::of(Path::node(existing), None)]);
            let existed = statement.column();
            let mut projection = Projection::of([start]);
            let found = Expression::Exists(Box::new(found));
            projection.items.push(ProjectionItem::named(found, existed));
            body.push(Clause::With(projection));
            existed
        });
        let path = Path::node(pattern);
        body.push(Clause::Merge(Merge { path, on_create, on_match: Vec::new() }));
        let edge = statement.element();
        let on_create = self.assigned(edge, &child.edge, statement)?;
        let mut relationship = self.relationship(child.hop)?;
        relationship.variable = (!on_create.is_empty()).then_some(edge);
        directed(&mut relationship);
        let path = Path::along(start, relationship, NodePattern::known(node));
        body.push(Clause::Merge(Merge { path, on_create, on_match: Vec::new() }));
        let nodes = (body, node, existed.map(Touch::CreatedUnless));
        self.go_on(&child.write, nodes, outer, clauses, statement)
    }

    /// Ends the transaction unless each of the outer nodes has this number of relationships.
    pub(super) fn expect(
        &self,
        child: &ChildWrite,
        (links, otherwise): (ExpectedLinks, &Otherwise),
        outer: Variable,
        statement: &mut Statement,
    ) -> Result<Clause, CompileError> {
        let mut body = Vec::new();
        let start = self.outer_nodes(child, outer, &mut body, statement)?;
        let (path, _) = self.along(child.hop, &Scope::of(start, None), true, statement)?;
        let (wrong, than) = match links {
            ExpectedLinks::None => (Comparison::Greater, 0),
            ExpectedLinks::OneOrNone => (Comparison::Greater, 1),
            ExpectedLinks::One => (Comparison::NotEqual, 1),
        };
        let fails = self.number(path, None).compare(wrong, Expression::Integer(than));
        let filter = Some(unless(fails, otherwise, statement)?);
        body.push(Clause::With(Projection { filter, ..Projection::of([start]) }));
        body.push(returning(Expression::CountRows, statement.column()));
        Ok(call(vec![outer], body))
    }
}

/// A condition that every row passes, or the end of the transaction. The server cannot optimize it
/// away, since the number of rows depends on it.
fn unless(
    fails: Expression,
    otherwise: &Otherwise,
    statement: &mut Statement,
) -> Result<Expression, CompileError> {
    let failure = Expression::IsNull(Box::new(raise(otherwise, statement)?));
    let otherwise = Some(Box::new(Expression::Boolean(true)));
    Ok(Expression::Case(Case { branches: vec![(fails, failure)], otherwise }))
}
