//! Makes the constraints and indexes that a graph is to have.

use catalog::{GraphChange, GraphConstraint, GraphIndex, GraphIndexState};
use cypher::{
    Clause, Comparison, Expression, Labels, Match, Name, NodePattern, Path, Projection,
    ProjectionItem, Query, SchemaChange, Variable,
};

use super::flavor::flavor;
use super::introspect::{self, IntrospectError};
use super::program::Access;
use super::wire::{Bookmarks, Connection, Records, Scope, ServerVersion, Transaction, WireError};

/// Reads the existing constraints and indexes.
pub async fn read(
    connection: &mut Connection,
) -> Result<(Vec<GraphConstraint>, Vec<GraphIndex>), IntrospectError> {
    introspect::read_schema(connection).await
}

/// The states of the database's indexes, which it fills after they were created.
pub async fn states(connection: &mut Connection) -> Result<Vec<GraphIndexState>, IntrospectError> {
    introspect::read_index_states(connection).await
}

/// The statement that makes a change.
#[must_use]
pub fn statement(change: &GraphChange, version: ServerVersion) -> String {
    cypher::print_schema(&compile(change), &flavor(version))
}

/// The statement that finds the nodes which prevent a change, if nodes can: each duplicate value,
/// and its number.
#[must_use]
pub fn finder(change: &GraphChange, version: ServerVersion) -> Option<String> {
    let (label, property) = match change {
        GraphChange::CreateUnique { label, property, .. } => (label, property),
        GraphChange::CreateFulltext { .. } | GraphChange::CreateVector { .. } => return None,
    };
    let node = Variable::Element(0);
    let (shared, nodes) = (Variable::Column(0), Variable::Column(1));
    let value = Expression::property(node, property);
    let pattern = NodePattern {
        variable: Some(node),
        labels: Labels::all(vec![Name(label.clone())]),
        properties: Vec::new(),
    };
    let is_there = Expression::IsNotNull(Box::new(value.clone()));
    let several = Expression::Variable(nodes).compare(Comparison::Greater, Expression::Integer(1));
    let query = Query::of(vec![
        Match::of(Path::node(pattern), Some(is_there)),
        Clause::With(Projection {
            items: vec![
                ProjectionItem::named(value, shared),
                ProjectionItem::named(Expression::CountRows, nodes),
            ],
            filter: Some(several),
            ..Projection::default()
        }),
        Clause::Return(Projection::of([shared, nodes])),
    ]);
    Some(cypher::print(&query, &flavor(version)))
}

/// Runs a statement in a transaction of its own. The server refuses a constraint that existing
/// nodes violate, and names them. `false` if nothing was created, since an equivalent one exists by
/// another name.
pub async fn run(connection: &mut Connection, statement: &str) -> Result<bool, WireError> {
    let bookmarks = Bookmarks::default();
    let transaction = Transaction::new(Access::Write, &bookmarks);
    let mut batch = connection.batch();
    batch.run(Scope::Alone(&transaction), statement, 0, |_| Ok::<_, WireError>(()))?;
    let mut results: Vec<Records> = Vec::new();
    batch.exchange(&mut results).await?;
    let mut made = 0;
    for records in &results {
        let counters = records.summary()?.counters;
        made += counters.constraints_added + counters.indexes_added;
    }
    Ok(made > 0)
}

fn compile(change: &GraphChange) -> SchemaChange {
    let name = |name: &str| Name(name.into());
    match change {
        GraphChange::CreateUnique { name: called, label, property } => SchemaChange::CreateUnique {
            name: name(called),
            label: name(label),
            property: name(property),
        },
        GraphChange::CreateFulltext { name: called, label, properties } => {
            SchemaChange::CreateFulltext {
                name: name(called),
                label: name(label),
                properties: properties.iter().map(|property| name(property)).collect(),
            }
        }
        GraphChange::CreateVector { name: called, label, property } => SchemaChange::CreateVector {
            name: name(called),
            label: name(label),
            property: name(property),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_said_to_a_server_as_it_understands_them() {
        let changes = [
            GraphChange::CreateUnique {
                name: "A_id".into(),
                label: "A".into(),
                property: "i`d".into(),
            },
            GraphChange::CreateFulltext {
                name: "texts".into(),
                label: "A".into(),
                properties: vec!["a".into(), "b".into()],
            },
        ];
        let old = ServerVersion { major: 4, minor: 4, patch: 0 };
        let statements = changes.each_ref().map(|change| statement(change, old));
        assert_eq!(
            statements,
            [
                "CREATE CONSTRAINT `A_id` IF NOT EXISTS FOR (t0:`A`) REQUIRE t0.`i``d` IS UNIQUE",
                "CREATE FULLTEXT INDEX `texts` IF NOT EXISTS FOR (t0:`A`) ON EACH [t0.`a`, t0.`b`]",
            ]
        );
        let finders = changes.each_ref().map(|change| finder(change, old));
        assert_eq!(
            finders.each_ref().map(Option::as_deref),
            [
                Some(
                    "MATCH (t0:`A`) WHERE t0.`i``d` IS NOT NULL WITH t0.`i``d` AS c0, count(*) AS c1 \
                     WHERE c1 > 1 RETURN c0, c1"
                ),
                None,
            ]
        );
    }
}
