//! The parameters and variables of one statement, numbered as they come: equal requests have
//! equal texts.

use cypher::{Expression, Parameter, Variable};
use ir::Operand;
use rustc_hash::FxHashMap;
use source::CompileError;

use super::super::program::{GraphParameter, ParameterType};

/// The most parameters that a statement has.
const MOST: usize = u16::MAX as usize;

/// The names that a statement has used so far.
#[derive(Debug, Default)]
pub(super) struct Statement {
    /// Each with its place.
    parameters: FxHashMap<(Operand, ParameterType), usize>,
    elements: u32,
    columns: u32,
    items: u32,
    /// The lists of the nodes that it has created, updated or deleted so far, for events.
    pub(super) touched: Touched,
}

/// The lists of touched nodes.
#[derive(Debug, Default)]
pub(super) struct Touched {
    pub(super) lists: Vec<Variable>,
    /// Some of the lists, of deleted nodes.
    pub(super) deleted: Vec<Variable>,
}

impl Statement {
    /// A node or a relationship.
    pub(super) fn element(&mut self) -> Variable {
        let number = self.elements;
        self.elements += 1;
        Variable::Element(number)
    }

    /// A new name for a subquery's column.
    pub(super) fn column(&mut self) -> Variable {
        let number = self.columns;
        self.columns += 1;
        Variable::Column(number)
    }

    /// An element of a list.
    pub(super) fn item(&mut self) -> Variable {
        let number = self.items;
        self.items += 1;
        Variable::Item(number)
    }

    /// A value; one that is sent already is not sent again.
    pub(super) fn parameter(&mut self, operand: Operand, r#type: ParameterType) -> Expression {
        let next = self.parameters.len();
        let place = self.parameters.entry((operand, r#type)).or_insert(next);
        // A statement of more is refused when it is done.
        Expression::Parameter(Parameter(u16::try_from(*place).unwrap_or(u16::MAX)))
    }

    /// The parameters, if they can be numbered.
    pub(super) fn parameters(self) -> Result<Vec<GraphParameter>, CompileError> {
        if self.parameters.len() > MOST {
            return Err(CompileError::TooManyParameters { most: MOST });
        }
        let mut parameters: Vec<_> = self.parameters.into_iter().collect();
        parameters.sort_unstable_by_key(|(_, place)| *place);
        let parameter = |((operand, r#type), _)| GraphParameter { operand, r#type };
        Ok(parameters.into_iter().map(parameter).collect())
    }
}
