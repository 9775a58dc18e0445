//! The parameters and variables of one statement, numbered as they come: equal requests have
//! equal texts.

use cypher::{Expression, Parameter, Variable};
use ir::Operand;

use super::super::program::{GraphParameter, ParameterType};
use crate::relational::CompileError;

/// The most parameters that a statement has.
const MOST: usize = u16::MAX as usize;

/// What a statement has used so far.
#[derive(Debug, Default)]
pub(super) struct Statement {
    parameters: Vec<GraphParameter>,
    elements: u32,
    columns: u32,
    items: u32,
}

impl Statement {
    /// A node or a relationship.
    pub(super) fn element(&mut self) -> Variable {
        let number = self.elements;
        self.elements += 1;
        Variable::Element(number)
    }

    /// What a subquery gives.
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
        let known = |known: &GraphParameter| known.operand == operand && known.r#type == r#type;
        let place = self.parameters.iter().position(known).unwrap_or_else(|| {
            self.parameters.push(GraphParameter { operand, r#type });
            self.parameters.len() - 1
        });
        // A statement of more is refused when it is done.
        Expression::Parameter(Parameter(u16::try_from(place).unwrap_or(u16::MAX)))
    }

    /// The parameters, if they can be numbered.
    pub(super) fn parameters(self) -> Result<Vec<GraphParameter>, CompileError> {
        match self.parameters.len() > MOST {
            true => Err(CompileError::TooManyParameters { most: MOST }),
            false => Ok(self.parameters),
        }
    }
}
