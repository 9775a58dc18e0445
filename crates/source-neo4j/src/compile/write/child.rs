//! Nested writes along relationships of a change's nodes: a subquery for each, in the order of the
//! request.

use catalog::FieldId;
use cypher::{Clause, Expression, Match, Name, Path, Projection, ProjectionItem, Variable};
use ir::{Assignment, ChildWrite, Filter, Operand, Update, Value, Write, WriteKind};
use source::CompileError;

use super::super::super::program::ParameterType;
use super::super::place::Scope;
use super::super::rows::call;
use super::super::statement::Statement;
use super::super::{Compiler, refused};
use super::insert::{Cells, RowValues, each};
use super::touched::Touch;
use super::{Changed, collected, deletion};

impl Compiler<'_> {
    /// Adds the nested writes of a change, whose nodes are a list.
    pub(super) fn children(
        &self,
        children: &[ChildWrite],
        outer: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        // Nodes without further writes are created together.
        for alike in children.chunk_by(are_alike) {
            let Some(child) = alike.first() else { continue };
            if reaches_nothing(&child.write.kind) {
                continue;
            }
            match &child.write.kind {
                WriteKind::Insert(_) => self.create(alike, outer, clauses, statement)?,
                WriteKind::Link { filter, existing } => {
                    self.connect(child, (filter, existing), outer, clauses, statement)?;
                }
                WriteKind::LinkOrInsert { insert, conflict } => {
                    self.connect_or_create(child, (insert, conflict), outer, clauses, statement)?;
                }
                WriteKind::Expect { links, otherwise } => {
                    let expected = (*links, otherwise);
                    clauses.push(self.expect(child, expected, outer, statement)?);
                }
                WriteKind::Unlink { filter } => {
                    let (mut body, edge, node) = self.reached(child, filter, outer, statement)?;
                    body.push(Clause::Delete { detach: false, elements: vec![edge] });
                    let nodes = (body, node, None);
                    self.go_on(&child.write, nodes, outer, clauses, statement)?;
                }
                WriteKind::Update(update) => {
                    if update.at_most.is_some() {
                        return Err(refused("a guard of how many rows are changed"));
                    }
                    let (mut body, edge, node) =
                        self.reached(child, &update.filter, outer, statement)?;
                    let mut sets = self.assigned(node, &update.assignments, statement)?;
                    let mut touch = None;
                    if !sets.is_empty() {
                        touch = self.remember([edge, node], node, &mut body, statement);
                    }
                    sets.extend(self.assigned(edge, &child.edge, statement)?);
                    if sets.is_empty() && child.write.children.is_empty() {
                        continue;
                    }
                    if !sets.is_empty() {
                        body.push(Clause::Set(sets));
                    }
                    let nodes = (body, node, touch);
                    self.go_on(&child.write, nodes, outer, clauses, statement)?;
                }
                WriteKind::Delete { filter, at_most: None } => {
                    let (mut body, _, node) = self.reached(child, filter, outer, statement)?;
                    let list = statement.column();
                    let (nodes, touch) = (each_once(node, list), Some(Touch::Deleted));
                    let nodes = self.with_touched(nodes, node, touch, statement);
                    body.push(Clause::Return(nodes));
                    clauses.push(call(vec![outer], body));
                    // Nested writes find their nodes before these are deleted.
                    self.children(&child.write.children, list, clauses, statement)?;
                    clauses.push(deletion(Changed::List(list), statement));
                }
                WriteKind::Delete { .. } => {
                    return Err(refused("a guard of how many rows are changed"));
                }
                WriteKind::Upsert { .. } => {
                    return Err(refused("an insert of what may be there"));
                }
                WriteKind::SetLinks { .. } => return Err(refused("exactly these relationships")),
                WriteKind::Choose { .. } => return Err(refused("a choice of writes")),
            }
        }
        Ok(())
    }

    /// New nodes at the other end of new relationships.
    fn create(
        &self,
        alike: &[ChildWrite],
        outer: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        let Some(child) = alike.first() else { return Ok(()) };
        let (mut rows, mut parents, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        let mut fields: &[FieldId] = &[];
        for own in alike {
            let WriteKind::Insert(insert) = &own.write.kind else { continue };
            fields = &insert.fields;
            let new = each(insert)?;
            rows.extend_from_slice(new);
            parents.extend_from_slice(&own.parents);
            edges.extend(new.iter().map(|_| &own.edge));
        }
        let mut cells = self.cells(fields, &rows)?;
        let own = cells.len();
        cells.extend(self.edge_cells(&child.edge, &edges)?);
        let of_edge = own..cells.len();
        let mut body = Vec::new();
        let (start, mut values) = if child.parents.is_empty() {
            let node = statement.element();
            body.push(Clause::Unwind { list: Expression::Variable(outer), variable: node });
            let said = self.row_values(&cells, rows.len(), statement)?;
            body.extend(said.unwind);
            (node, said.values)
        } else if parents.len() == rows.len() {
            self.under(&mut cells, &parents, outer, &mut body, statement)?
        } else {
            return Err(refused("new rows of other rows"));
        };
        let edge_values = values.split_off(own);
        let node = statement.element();
        let mut relationship = self.relationship(child.hop)?;
        let edge_cells = cells.get(of_edge).unwrap_or_default();
        let names = edge_cells.iter().map(|cells| cells.name.clone());
        relationship.properties = present(names.zip(edge_values));
        directed(&mut relationship);
        let node_cells = cells.get(..own).unwrap_or_default();
        let new = self.new_node(node, child.write.entity, node_cells, values)?;
        body.push(Clause::Create(vec![Path::along(start, relationship, new)]));
        let nodes = (body, node, Some(Touch::Created));
        self.go_on(&child.write, nodes, outer, clauses, statement)
    }

    /// Rows that each belong to one of the outer nodes, which are found by their place.
    fn under(
        &self,
        cells: &mut Vec<Cells>,
        parents: &[u32],
        outer: Variable,
        body: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(Variable, Vec<Expression>), CompileError> {
        let place = |place: &u32| Some(Operand::Constant(Value::Integer(i64::from(*place))));
        cells.push(Cells {
            name: Name("parent".into()),
            field: None,
            r#type: ParameterType::Integer,
            operands: parents.iter().map(place).collect(),
        });
        let RowValues { unwind, mut values } = self.row_values(cells, parents.len(), statement)?;
        cells.pop();
        let row = match &unwind {
            Some(Clause::Unwind { variable, .. }) => Some(*variable),
            _ => None,
        };
        body.extend(unwind);
        let list = Box::new(Expression::Variable(outer));
        let place = Box::new(values.pop().unwrap_or(Expression::Null));
        let node = statement.element();
        let found = ProjectionItem::named(Expression::Element { list, place }, node);
        let mut projection = Projection::of(row);
        projection.items.push(found);
        body.push(Clause::With(projection));
        Ok((node, values))
    }

    /// Properties of new relationships, row by row.
    pub(super) fn edge_cells(
        &self,
        fields: &[(FieldId, Assignment)],
        edges: &[&Vec<(FieldId, Assignment)>],
    ) -> Result<Vec<Cells>, CompileError> {
        let cells = |(place, (field, _)): (usize, &(FieldId, Assignment))| {
            let operands = edges.iter().map(|edge| match edge.get(place) {
                Some((_, Assignment::Set(operand))) => Ok(Some(operand.clone())),
                _ => Err(refused("this property of a new relationship")),
            });
            Ok(Cells {
                name: self.name(*field),
                field: Some(*field),
                r#type: self.field_type(*field)?,
                operands: operands.collect::<Result<_, CompileError>>()?,
            })
        };
        fields.iter().enumerate().map(cells).collect()
    }

    /// The clauses that find the nodes that relationships of the outer nodes lead to.
    fn reached(
        &self,
        child: &ChildWrite,
        filter: &Filter,
        outer: Variable,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Variable, Variable), CompileError> {
        let mut body = Vec::new();
        let start = self.outer_nodes(child, outer, &mut body, statement)?;
        let (edge, node) = (statement.element(), statement.element());
        let mut relationship = self.relationship(child.hop)?;
        relationship.variable = Some(edge);
        let scope = Scope::of(node, Some(edge));
        let own = self.conditions(filter, &scope, statement)?;
        let required = own.required([edge, node]);
        let path = Path::along(start, relationship, self.node(node, child.write.entity)?);
        body.push(Match::of(path, Expression::condition(own.passes)));
        body.extend(required);
        Ok((body, edge, node))
    }

    /// A row for each of the outer nodes that a child concerns.
    pub(super) fn outer_nodes(
        &self,
        child: &ChildWrite,
        outer: Variable,
        body: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<Variable, CompileError> {
        if child.parents.is_empty() {
            let node = statement.element();
            body.push(Clause::Unwind { list: Expression::Variable(outer), variable: node });
            return Ok(node);
        }
        let places = child.parents.iter().map(|place| Value::Integer(i64::from(*place)));
        let places = Operand::Constant(Value::List(places.collect()));
        let r#type = ParameterType::List(Box::new(ParameterType::Integer));
        let place = statement.item();
        body.push(Clause::Unwind { list: statement.parameter(places, r#type), variable: place });
        let node = statement.element();
        let found = Expression::Element {
            list: Box::new(Expression::Variable(outer)),
            place: Box::new(Expression::Variable(place)),
        };
        let items = vec![ProjectionItem::named(found, node)];
        body.push(Clause::With(Projection { items, ..Projection::default() }));
        Ok(node)
    }

    /// Adds a subquery with a change, and its nested writes.
    pub(super) fn go_on(
        &self,
        write: &Write,
        (mut body, node, touch): (Vec<Clause>, Variable, Option<Touch>),
        outer: Variable,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<(), CompileError> {
        if write.children.is_empty() && write.check.is_all() {
            body.extend(self.returned_touched(node, touch, statement));
            clauses.push(call(vec![outer], body));
            return Ok(());
        }
        let list = statement.column();
        let nodes = match write.kind {
            // Children name them by their place.
            WriteKind::Insert(_) => collected(node, list),
            _ => each_once(node, list),
        };
        body.push(Clause::Return(self.with_touched(nodes, node, touch, statement)));
        clauses.push(call(vec![outer], body));
        self.done(write, list, clauses, statement)
    }
}

/// One row with the list of different nodes.
fn each_once(node: Variable, list: Variable) -> Projection {
    let mut projection = collected(node, list);
    for item in &mut projection.items {
        if let Expression::Call { distinct, .. } = &mut item.expression {
            *distinct = true;
        }
    }
    projection
}

/// Whether no node passes the condition of a change: changes for nodes of several types may exclude
/// a type. The planner of Neo4j 5.26 fails on a MERGE without rows.
fn reaches_nothing(kind: &WriteKind) -> bool {
    match kind {
        WriteKind::Update(Update { filter, .. })
        | WriteKind::Delete { filter, .. }
        | WriteKind::Link { filter, .. }
        | WriteKind::Unlink { filter } => filter.is_none(),
        WriteKind::Insert(_)
        | WriteKind::Upsert { .. }
        | WriteKind::SetLinks { .. }
        | WriteKind::LinkOrInsert { .. }
        | WriteKind::Choose { .. }
        | WriteKind::Expect { .. } => false,
    }
}

/// Whether two children create nodes without further writes, and set the same properties.
fn are_alike(one: &ChildWrite, other: &ChildWrite) -> bool {
    let fields = |child: &ChildWrite| -> Vec<FieldId> {
        child.edge.iter().map(|(field, _)| *field).collect()
    };
    match (&one.write.kind, &other.write.kind) {
        (WriteKind::Insert(insert), WriteKind::Insert(next)) => {
            one.hop == other.hop
                && one.write.entity == other.write.entity
                && insert.fields == next.fields
                && one.write.check == other.write.check
                && one.parents.is_empty() == other.parents.is_empty()
                && one.write.children.is_empty()
                && other.write.children.is_empty()
                && fields(one) == fields(other)
        }
        _ => false,
    }
}

/// Properties that have a value.
pub(super) fn present(
    properties: impl Iterator<Item = (Name, Expression)>,
) -> Vec<(Name, Expression)> {
    properties.filter(|(_, value)| *value != Expression::Null).collect()
}

/// A relationship has a direction when it is made, whichever way it is followed.
pub(super) fn directed(relationship: &mut cypher::RelationshipPattern) {
    if relationship.direction == cypher::RelationshipDirection::Either {
        relationship.direction = cypher::RelationshipDirection::Right;
    }
}
