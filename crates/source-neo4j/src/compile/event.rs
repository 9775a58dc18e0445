//! The node of an event: its properties are a parameter, and its conditions those of any node.

use cypher::{Clause, Comparison, Expression, Projection, ProjectionItem};
use ir::{EventNode, Operand, Rows, Value};
use source::CompileError;

use super::super::program::ParameterType;
use super::Compiler;
use super::place::Scope;
use super::statement::Statement;

impl Compiler<'_> {
    /// The clause that returns the node, unless it fails a condition.
    pub(super) fn event<'r>(
        &self,
        rows: &Rows,
        event: &EventNode,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        let properties = statement.parameter(event.properties.clone(), ParameterType::Packed);
        let node = statement.element();
        let scope = Scope::of(node, None);
        let mut conditions = Vec::new();
        if event.kind.is_some() {
            // The engine has compared the other labels.
            for label in self.claimed(event.entity)? {
                let label = Operand::Constant(Value::Text(label));
                let label = statement.parameter(label, ParameterType::Text);
                let labels = ParameterType::List(Box::new(ParameterType::Text));
                let labels = statement.parameter(event.names.clone(), labels);
                conditions.push(label.compare(Comparison::In, labels));
            }
        }
        let own = self.conditions(&rows.filter, &scope, statement)?;
        let required = own.required([node]);
        conditions.extend(own.passes);
        let with = Projection {
            items: vec![ProjectionItem::named(properties, node)],
            filter: Expression::condition(conditions),
            ..Projection::default()
        };
        Ok(([Clause::With(with)].into_iter().chain(required).collect(), scope))
    }
}
