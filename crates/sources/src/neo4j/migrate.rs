//! Makes the constraints and indexes that a graph is to have.

use catalog::{GraphChange, GraphConstraint, GraphIndex};
use cypher::{Flavor, Name, SchemaChange};

use super::introspect::{self, IntrospectError};
use super::program::Access;
use super::wire::{Bookmarks, Connection, Records, Scope, ServerVersion, Transaction, WireError};

/// What is there already.
pub async fn read(
    connection: &mut Connection,
) -> Result<(Vec<GraphConstraint>, Vec<GraphIndex>), IntrospectError> {
    introspect::read_schema(connection).await
}

/// The statements that make changes, in their order.
#[must_use]
pub fn statements(changes: &[GraphChange], version: ServerVersion) -> Vec<String> {
    let flavor = flavor(version);
    changes.iter().map(|change| cypher::print_schema(&compile(change), &flavor)).collect()
}

/// Runs a statement in a transaction of its own. A constraint that the graph does not keep to is
/// refused by the server, which says which nodes are in its way.
pub async fn run(connection: &mut Connection, statement: &str) -> Result<(), WireError> {
    let bookmarks = Bookmarks::default();
    let transaction = Transaction::new(Access::Write, &bookmarks);
    let mut batch = connection.batch();
    batch.run(Scope::Alone(&transaction), statement, 0, |_| Ok::<_, WireError>(()))?;
    let mut results: Vec<Records> = Vec::new();
    batch.exchange(&mut results).await
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
    }
}

/// What the server understands. A version that no number holds is newer than all that are known.
pub(super) fn flavor(version: ServerVersion) -> Flavor {
    let part = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    Flavor::of_version(part(version.major), part(version.minor))
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
        assert_eq!(
            statements(&changes, old),
            [
                "CREATE CONSTRAINT `A_id` IF NOT EXISTS FOR (t0:`A`) REQUIRE t0.`i``d` IS UNIQUE",
                "CREATE FULLTEXT INDEX `texts` IF NOT EXISTS FOR (t0:`A`) ON EACH [t0.`a`, t0.`b`]",
            ]
        );
    }
}
