//! Rows as clauses, and their outputs.

use catalog::{EntityId, RelationshipKind};
use cypher::{
    Case, Clause, Expression, Function, Labels, Match, Name, NodePattern, Path, Projection,
    ProjectionItem, Query, RelationshipDirection, RelationshipPattern, Variable,
};
use ir::{Form, From, Hop, HopDirection, Output, OutputKind, Rows};
use response::{ColumnRef, LevelId};
use source::CompileError;

use super::super::program::LevelRows;
use super::listed::{Both, Start};
use super::order::{is_once, page_of};
use super::place::{Kind, Scope, formed};
use super::statement::Statement;
use super::{Compiler, column, refused};

/// Rows as a list in one row.
pub(super) struct Collected {
    pub(super) level: LevelId,
    pub(super) width: u16,
    pub(super) body: Vec<Clause>,
    /// The variable of the list.
    pub(super) name: Variable,
}

/// The items of a row: each value once, preceded by the subqueries that compute some of them.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) subqueries: Vec<Clause>,
    pub(super) expressions: Vec<Expression>,
}

impl Items {
    /// The number of the column that has a value.
    pub(super) fn push(&mut self, expression: Expression) -> Result<u16, CompileError> {
        let known = self.expressions.iter().position(|known| *known == expression);
        let number = known.unwrap_or_else(|| {
            self.expressions.push(expression);
            self.expressions.len() - 1
        });
        column(number)
    }
}

impl Compiler<'_> {
    /// The clauses that give the rows of a page, with everything below them.
    pub(super) fn page_of_rows(
        &mut self,
        rows: &Rows,
        start: Start<'_, '_>,
        level: LevelId,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Items), CompileError> {
        let found = self.found(rows, start, statement)?;
        self.page_of_found(rows, found, level, statement)
    }

    /// The page of rows that are found already.
    pub(super) fn page_of_found<'r>(
        &mut self,
        rows: &'r Rows,
        (mut clauses, scope): (Vec<Clause>, Scope<'r>),
        level: LevelId,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Items), CompileError> {
        clauses.extend(self.sorted(rows, &scope, statement)?);
        let mut items = self.items(rows, &scope, statement)?;
        clauses.append(&mut items.subqueries);
        self.place_rows(rows.id, level);
        Ok((clauses, items))
    }

    /// The clauses that find rows, in no order.
    pub(super) fn found<'r>(
        &self,
        rows: &'r Rows,
        start: Start<'_, 'r>,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        if !rows.distinct.is_empty() {
            return Err(refused("one row for each value"));
        }
        let near = match start {
            Start::Root => None,
            Start::Near(near) => Some(near),
            Start::Listed(listed) => return Ok(listed.rows(statement)),
        };
        let (path, scope, guard) = match (&rows.from, near) {
            (From::Entity(entity), _) => {
                let node = statement.element();
                let path = Path::node(self.node(node, *entity)?);
                (path, Scope::of(node, None), None)
            }
            (From::Relation(hop), Some(near)) => {
                let (path, scope) = self.along(*hop, near, is_once(rows), statement)?;
                (path, scope, near.guard())
            }
            (From::Variants(variants), _)
                if variants.iter().any(|variant| variant.through.is_some()) =>
            {
                return Err(refused("rows that others join"));
            }
            (From::Variants(variants), near) => {
                return self.found_variants(rows, variants, near, statement);
            }
            (From::Search { search, operand }, _) => {
                return self.searched(rows, (*search, operand), statement);
            }
            (From::Relation(_), None) => return Err(refused("related rows of no row")),
            (From::Keys { entity, keys, external }, None) => {
                return self.keyed(rows, *entity, (keys, external), statement);
            }
            (From::Keys { .. }, Some(_)) => {
                return Err(refused("related rows by lists of keys"));
            }
            (From::Event(event), _) => return self.event(rows, event, statement),
            (From::Once | From::List { .. }, _) => return Err(refused("a row of no entity")),
            (From::Returned { .. }, _) => return Err(refused("the rows of another change")),
            (From::Through { .. } | From::Joining { .. }, _) => {
                return Err(refused("rows that others join"));
            }
            (From::Function(_) | From::FunctionOfVariants { .. } | From::Value(_), _) => {
                return self.found_given(rows, start, statement);
            }
        };
        let mut conditions: Vec<Expression> = guard.into_iter().collect();
        let own = self.conditions(&rows.filter, &scope, statement)?;
        let required = own.required(scope.own_variables());
        conditions.extend(own.passes);
        let found = Match::of(path, Expression::condition(conditions));
        Ok(([found].into_iter().chain(required).collect(), scope))
    }

    /// A node of an entity.
    pub(super) fn node(
        &self,
        variable: Variable,
        entity: EntityId,
    ) -> Result<NodePattern, CompileError> {
        Ok(NodePattern {
            variable: Some(variable),
            labels: Labels::all(self.labels(entity)?),
            ..NodePattern::default()
        })
    }

    /// The labels of all nodes of an entity, those that claims name included.
    pub(super) fn labels(&self, entity: EntityId) -> Result<Vec<Name>, CompileError> {
        let claimed = self.claimed(entity)?;
        let labels = self.catalog[entity].labels.iter().cloned();
        Ok(labels.chain(claimed).map(Name).collect())
    }

    /// The labels of all nodes of an entity that claims name.
    pub(super) fn claimed(&self, entity: EntityId) -> Result<Vec<Box<str>>, CompileError> {
        let claimed = self.catalog[entity].claimed_labels.iter().map(|claim| {
            let known = self.claimed_labels.iter().find(|(known, _)| known == claim);
            let label = known.map(|(_, label)| label.clone());
            label.ok_or_else(|| CompileError::NoLabel { claim: claim.clone() })
        });
        claimed.collect()
    }

    /// The way along a relationship from a row. Where only the nodes matter that it leads to, it
    /// has no name.
    pub(super) fn along<'r>(
        &self,
        hop: Hop,
        near: &Scope<'_>,
        nodes_only: bool,
        statement: &mut Statement,
    ) -> Result<(Path, Scope<'r>), CompileError> {
        let mut relationship = self.relationship(hop)?;
        let definition = &self.catalog[hop.relationship];
        if definition.edge.is_some() && !nodes_only {
            relationship.variable = Some(statement.element());
        }
        let node = statement.element();
        let far = self.far(hop);
        let scope = Scope::of(node, relationship.variable);
        Ok((Path::along(near.node, relationship, self.node(node, far)?), scope))
    }

    /// The entity that a hop leads to.
    pub(super) fn far(&self, hop: Hop) -> EntityId {
        let definition = &self.catalog[hop.relationship];
        match hop.direction {
            HopDirection::Forward => definition.to,
            HopDirection::Backward => definition.from,
        }
    }

    /// The relationship of a hop, without a name.
    pub(super) fn relationship(&self, hop: Hop) -> Result<RelationshipPattern, CompileError> {
        let definition = &self.catalog[hop.relationship];
        let RelationshipKind::Graph { undirected } = definition.kind else {
            return Err(refused("a foreign key"));
        };
        let direction = match (undirected, hop.direction) {
            (true, _) => RelationshipDirection::Either,
            (false, HopDirection::Forward) => RelationshipDirection::Right,
            (false, HopDirection::Backward) => RelationshipDirection::Left,
        };
        let r#type = Name(definition.name.clone());
        Ok(RelationshipPattern { variable: None, r#type, direction, properties: Vec::new() })
    }

    /// The values of a row, and where they stand.
    pub(super) fn items(
        &mut self,
        rows: &Rows,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<Items, CompileError> {
        let mut items = Items::default();
        self.outputs(&rows.outputs, scope, &mut items, statement)?;
        if let Kind::Variants { variants, number } = scope.kind {
            for (variant, place) in variants.iter().zip(0_u32..) {
                let kind = Kind::IfVariant { variant, number, place };
                let scope = Scope { kind, ..*scope };
                self.outputs(&variant.outputs, &scope, &mut items, statement)?;
            }
        }
        Ok(items)
    }

    pub(super) fn outputs(
        &mut self,
        outputs: &[Output],
        scope: &Scope<'_>,
        items: &mut Items,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        for output in outputs {
            let (value, form) = match &output.kind {
                OutputKind::Field { path, field, form } => {
                    let place = ir::ValueRef::Field { path: path.clone(), field: *field };
                    (self.place(&place, scope)?.1, *form)
                }
                OutputKind::Edge { field, form } => {
                    (self.place(&ir::ValueRef::Edge(*field), scope)?.1, *form)
                }
                OutputKind::Common { place, form } => {
                    (self.place(&ir::ValueRef::Common(*place), scope)?.1, *form)
                }
                OutputKind::Variant => match scope.kind {
                    Kind::Variants { number, .. } => (Expression::Variable(number), Form::Stored),
                    Kind::One
                    | Kind::Found
                    | Kind::Keyed { .. }
                    | Kind::Variant(_)
                    | Kind::IfVariant { .. } => return Err(refused("which entity a row is of")),
                },
                OutputKind::Present { path } if path.is_empty() => {
                    let row = Box::new(Expression::Variable(scope.node));
                    let is_there = Expression::IsNotNull(row);
                    let branches = vec![(is_there, Expression::Boolean(true))];
                    (Expression::Case(Case { branches, otherwise: None }), Form::Stored)
                }
                OutputKind::Computed { call, form } => {
                    let (clause, name) = self.given_value(call, scope, statement)?;
                    items.subqueries.push(clause);
                    (Expression::Variable(name), *form)
                }
                OutputKind::Related { path, rows } if path.is_empty() => {
                    self.related_rows(rows, scope, items, statement)?;
                    continue;
                }
                // They are computed of all rows.
                OutputKind::Count | OutputKind::Aggregate(_) | OutputKind::Groups(_) => continue,
                OutputKind::Present { .. }
                | OutputKind::PresentIf { .. }
                | OutputKind::Related { .. } => return Err(refused("a row referred to")),
                OutputKind::FieldIf { .. } => return Err(refused("a field that may be withheld")),
                OutputKind::OrderValue(_) => return Err(refused("a value sorted by")),
                OutputKind::Ordinal => match scope.kind {
                    Kind::Keyed { place } => (Expression::Variable(place), Form::Stored),
                    Kind::One
                    | Kind::Found
                    | Kind::Variant(_)
                    | Kind::Variants { .. }
                    | Kind::IfVariant { .. } => return Err(refused("the place of a key")),
                },
                OutputKind::Counter { .. } => return Err(refused("a counter")),
            };
            let number = items.push(formed(value, form)?)?;
            self.place_output(output.id, ColumnRef::Column(number));
        }
        Ok(())
    }

    /// Related rows, and aggregates of all of them: subqueries, each with its columns.
    fn related_rows(
        &mut self,
        rows: &Rows,
        scope: &Scope<'_>,
        items: &mut Items,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let start = Start::Near(scope);
        if let Some(Both { mut body, summary, lists }) = self.both(rows, start, statement)? {
            let mut returned = Vec::with_capacity(1 + lists.len());
            let summary = summary.map(|summary| {
                let name = statement.column();
                returned.push(ProjectionItem::named(summary.row, name));
                (summary.level, name, summary.width)
            });
            returned.extend(lists.iter().map(|list| ProjectionItem::variable(list.name)));
            body.push(Clause::Return(Projection { items: returned, ..Projection::default() }));
            items.subqueries.push(call(start.variables(), body));
            let lists = lists.into_iter().map(|list| (list.level, list.name, list.width));
            for (level, name, width) in summary.into_iter().chain(lists) {
                let column = items.push(Expression::Variable(name))?;
                self.place_level(level, Some(LevelRows::InRow { column }), width);
            }
            return Ok(());
        }
        if let Some(summary) = self.summary(rows, start, statement)? {
            for body in summary.bodies {
                items.subqueries.push(call(start.variables(), body));
            }
            let column = items.push(summary.row)?;
            self.place_level(summary.level, Some(LevelRows::InRow { column }), summary.width);
        }
        if rows.shown {
            let shown = self.collected(rows, start, statement)?;
            items.subqueries.push(call(start.variables(), shown.body));
            let column = items.push(Expression::Variable(shown.name))?;
            self.place_level(shown.level, Some(LevelRows::InRow { column }), shown.width);
        }
        Ok(())
    }

    /// A subquery of one row, which has all rows of a page as a list.
    pub(super) fn collected(
        &mut self,
        rows: &Rows,
        start: Start<'_, '_>,
        statement: &mut Statement,
    ) -> Result<Collected, CompileError> {
        // Its place is set with the columns of the level above.
        let level = self.level(LevelRows::InRow { column: 0 }, page_of(rows))?;
        let (mut body, items) = self.page_of_rows(rows, start, level, statement)?;
        let width = column(items.expressions.len())?;
        let name = statement.column();
        let row = Expression::List(items.expressions);
        body.push(returning(Expression::call(Function::Collect, vec![row]), name));
        Ok(Collected { level, width, body, name })
    }
}

/// A subquery that sees variables.
pub(super) fn call(scope: Vec<Variable>, body: Vec<Clause>) -> Clause {
    Clause::Call { scope, query: Query::of(body) }
}

/// The RETURN of one value.
pub(super) fn returning(value: Expression, name: Variable) -> Clause {
    let items = vec![ProjectionItem::named(value, name)];
    Clause::Return(Projection { items, ..Projection::default() })
}
