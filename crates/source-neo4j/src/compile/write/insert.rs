//! New nodes.

use catalog::{EntityId, FieldId};
use cypher::{Clause, Expression, Name, NodePattern, Path, Variable};
use ir::{Insert, InsertedRows, Operand};
use source::CompileError;

use super::super::super::program::ParameterType;
use super::super::statement::Statement;
use super::super::{Compiler, refused};

/// A value of each of several rows.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub(super) name: Name,
    pub(super) field: Option<FieldId>,
    pub(super) r#type: ParameterType,
    /// By row. A value that is missing is null.
    pub(super) operands: Vec<Option<Operand>>,
}

/// The values of rows, as clauses and expressions.
#[derive(Debug, Default)]
pub(super) struct RowValues {
    /// The UNWIND with a row for each.
    pub(super) unwind: Option<Clause>,
    /// By cell.
    pub(super) values: Vec<Expression>,
}

impl Compiler<'_> {
    /// The clauses that make nodes, a row for each.
    pub(super) fn insert(
        &self,
        entity: EntityId,
        insert: &Insert,
        clauses: &mut Vec<Clause>,
        statement: &mut Statement,
    ) -> Result<Variable, CompileError> {
        let rows = each(insert)?;
        let cells = self.cells(&insert.fields, rows)?;
        let RowValues { unwind, values } = self.row_values(&cells, rows.len(), statement)?;
        clauses.extend(unwind);
        let node = statement.element();
        let path = Path::node(self.new_node(node, entity, &cells, values)?);
        clauses.push(Clause::Create(vec![path]));
        Ok(node)
    }

    pub(super) fn new_node(
        &self,
        node: Variable,
        entity: EntityId,
        cells: &[Cells],
        values: Vec<Expression>,
    ) -> Result<NodePattern, CompileError> {
        let names = cells.iter().map(|cells| cells.name.clone());
        let properties = names.zip(values).filter(|(_, value)| *value != Expression::Null);
        Ok(NodePattern { properties: properties.collect(), ..self.node(node, entity)? })
    }

    /// The values of rows, field by field.
    pub(super) fn cells(
        &self,
        fields: &[FieldId],
        rows: &[Vec<Option<Operand>>],
    ) -> Result<Vec<Cells>, CompileError> {
        let cells = |(place, field): (usize, &FieldId)| {
            let operand = |row: &Vec<Option<Operand>>| row.get(place).cloned().flatten();
            Ok(Cells {
                name: self.name(*field),
                field: Some(*field),
                r#type: self.field_type(*field)?,
                operands: rows.iter().map(operand).collect(),
            })
        };
        fields.iter().enumerate().map(cells).collect()
    }

    /// The values of rows: parameters of one row, and a list of maps of several.
    pub(super) fn row_values(
        &self,
        cells: &[Cells],
        rows: usize,
        statement: &mut Statement,
    ) -> Result<RowValues, CompileError> {
        let mut said = RowValues::default();
        if rows == 1 {
            for cells in cells {
                let operand = cells.operands.first().and_then(Option::as_ref);
                let value = match operand {
                    None => Expression::Null,
                    Some(operand) => match self.made_cell(cells, operand)? {
                        Some(made) => made,
                        None => statement.parameter(operand.clone(), cells.r#type.clone()),
                    },
                };
                said.values.push(value);
            }
            return Ok(said);
        }
        let row = statement.item();
        let mut members: Vec<Vec<(Box<str>, Operand)>> = vec![Vec::new(); rows];
        let mut types = Vec::new();
        for (cells, number) in cells.iter().zip(0_u32..) {
            let first = cells.operands.first().and_then(Option::as_ref);
            let made = match first {
                Some(first) => self.made_cell(cells, first)?,
                None => None,
            };
            let is_same = |operand: &Option<Operand>| operand.as_ref() == first;
            if let Some(made) = made
                && cells.operands.iter().all(is_same)
            {
                said.values.push(made);
                continue;
            }
            let name: Box<str> = format!("v{number}").into();
            for (row, operand) in members.iter_mut().zip(&cells.operands) {
                let Some(operand) = operand else { continue };
                if self.made_cell(cells, operand)?.is_some() {
                    return Err(refused("a value that some rows say and others are given"));
                }
                row.push((name.clone(), operand.clone()));
            }
            said.values.push(Expression::property(row, &name));
            types.push((name, cells.r#type.clone()));
        }
        let rows = members.into_iter().map(Operand::Object).collect();
        let r#type = ParameterType::List(Box::new(ParameterType::Row(types)));
        let list = statement.parameter(Operand::List(rows), r#type);
        said.unwind = Some(Clause::Unwind { list, variable: row });
        Ok(said)
    }

    fn made_cell(
        &self,
        cells: &Cells,
        operand: &Operand,
    ) -> Result<Option<Expression>, CompileError> {
        match cells.field {
            Some(field) => self.made(field, operand),
            None => Ok(None),
        }
    }
}

/// The rows of an insert, one by one.
pub(super) fn each(insert: &Insert) -> Result<&[Vec<Option<Operand>>], CompileError> {
    match &insert.rows {
        InsertedRows::Each(rows) => Ok(rows),
        InsertedRows::Columns(_) | InsertedRows::ForEach { .. } => {
            Err(refused("rows of lists of values"))
        }
    }
}
