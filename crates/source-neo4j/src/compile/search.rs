//! Rows that an index finds.

use catalog::{SearchId, SearchKind};
use cypher::{Clause, Expression, Labels, Search, SearchIndex};
use ir::{Operand, Rows, Value};
use source::CompileError;

use super::super::program::ParameterType;
use super::Compiler;
use super::parameter::list_of;
use super::place::{Kind, Scope};
use super::statement::Statement;

impl Compiler<'_> {
    /// The clause that finds rows by a full-text or vector index, with their scores. An index may
    /// have several labels: a found node is no row unless it has those of the entity.
    pub(super) fn searched<'r>(
        &self,
        rows: &Rows,
        (search, operand): (SearchId, &Operand),
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        let search = &self.catalog[search];
        let name = Operand::Constant(Value::Text(search.name.clone()));
        let mut arguments = vec![statement.parameter(name, ParameterType::Text)];
        let (index, wanted) = match search.kind {
            SearchKind::Text => (SearchIndex::Fulltext, ParameterType::Text),
            SearchKind::Vector { most } => {
                arguments.push(Expression::Integer(most));
                (SearchIndex::Vector, list_of(ParameterType::Float))
            }
        };
        arguments.push(statement.parameter(operand.clone(), wanted));
        let (node, score) = (statement.element(), statement.element());
        let scope = Scope { node, edge: Some(score), kind: Kind::Found };
        let labels = Labels::all(self.labels(search.entity)?);
        let own = self.conditions(&rows.filter, &scope, statement)?;
        let required = own.required(scope.own_variables());
        let mut conditions = vec![Expression::HasLabels { node, labels }];
        conditions.extend(own.passes);
        let filter = Expression::condition(conditions);
        let found = Clause::Search(Search { index, arguments, node, score, filter });
        Ok(([found].into_iter().chain(required).collect(), scope))
    }
}
