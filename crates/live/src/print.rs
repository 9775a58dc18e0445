//! Dependencies as text, for `explain`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::{Catalog, Entity, EntityKind};
use source::changes::{Columns, Coverage, CoveredRelation, Dependence, TableName};

use crate::dependencies::{Dependencies, ReadClaims, ReadRows};
use crate::tables::Tables;

/// The programs whose changes of rows a source tells, and from which it may hide rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowedBy {
    /// A database with row level security, which reports the changes of tables that have a key.
    Database,
    /// The server that executes the changes.
    Server,
}

const REASONS: &str = "in each interval: it calls a function, reads a materialized view or a table of \
                       another server, or contains the current time\n";

/// Prints the changes after which a subscription is executed again.
#[must_use]
pub fn print(dependencies: &Dependencies, catalog: &Catalog, source: FollowedBy) -> String {
    let Dependencies { entities, is_timed, .. } = dependencies;
    match (entities.is_empty(), is_timed) {
        (true, true) => return ["executed again ", REASONS].concat(),
        (true, false) => return "reads nothing that changes\n".to_owned(),
        (false, _) => {}
    }
    let mut text = String::from("executed again after a change of\n");
    let interval = "in each interval where their changes are not reported";
    print_entities(dependencies, catalog, interval, &mut text);
    if source == FollowedBy::Database {
        text.push_str(
            "and of what their row level security reads; after any change where a table is unlogged, or \
             has no primary key and no other replica identity\n",
        );
    }
    if *is_timed {
        text.push_str("and ");
        text.push_str(REASONS);
    }
    text
}

/// The names by which the source knows the tables and views that a stream of changes is for.
#[must_use]
pub fn followed_tables(catalog: &Catalog) -> Vec<TableName> {
    Tables::new(catalog).names.to_vec()
}

/// Prints the tables and columns that row level security and views read for a subscription, as the
/// database has them.
#[must_use]
pub fn print_tables(dependencies: &Dependencies, catalog: &Catalog, coverage: &Coverage) -> String {
    let mut text = String::new();
    for entity in dependencies.entities.keys().map(|entity| &catalog[*entity]) {
        if !matches!(entity.kind, EntityKind::Table | EntityKind::View) {
            continue;
        }
        let name = table_name(entity);
        let relation = coverage.relations.iter().find(|relation| relation.name == name);
        print_relation(entity, relation, &mut text);
    }
    text
}

fn table_name(entity: &Entity) -> TableName {
    TableName { namespace: entity.namespace.clone(), name: entity.name.clone() }
}

fn print_relation(entity: &Entity, relation: Option<&CoveredRelation>, text: &mut String) {
    let mut line = |words: &str| {
        let _ = writeln!(text, "  {}{words}", entity.name);
    };
    let Some(CoveredRelation { row_security, depends_on, .. }) = relation else {
        let when = match entity.kind == EntityKind::View {
            true => "in each interval",
            false => "after any change in the database",
        };
        return line(&format!(": no stream of changes follows it; executed {when}"));
    };
    match row_security {
        Columns::All => line(": row level security reads all of its columns"),
        Columns::Only(columns) if columns.is_empty() => {}
        Columns::Only(columns) => {
            line(&format!(": row level security reads its columns {}", names(columns)));
        }
    }
    for Dependence { table, columns } in depends_on {
        let namespace = table.namespace.as_deref().unwrap_or_default();
        let columns = match columns {
            Columns::All => String::new(),
            Columns::Only(columns) => format!(" ({})", names(columns)),
        };
        line(&format!(": any row may change with {namespace}.{}{columns}", table.name));
    }
}

fn names(columns: &BTreeSet<Box<str>>) -> String {
    columns.iter().map(|column| &**column).collect::<Vec<_>>().join(", ")
}

/// Prints the sessions that share a cached answer, and the changes that invalidate it.
#[must_use]
pub fn print_cached(dependencies: &Dependencies, catalog: &Catalog) -> String {
    let mut text =
        String::from("sessions share the answer if the database gives them equal rights");
    match &dependencies.claims {
        ReadClaims::All => text.push_str(", and all of their claims are equal"),
        ReadClaims::Only(claims) if claims.is_empty() => {}
        ReadClaims::Only(claims) => {
            let claims: Vec<&str> = claims.iter().map(|claim| &**claim).collect();
            let _ = write!(text, ", and equal values of the claims {}", claims.join(", "));
        }
    }
    text.push_str("\ninvalidated by a change of\n");
    let any = "by any change where theirs are not reported";
    print_entities(dependencies, catalog, any, &mut text);
    if dependencies.is_timed {
        text.push_str(
            "and by any change that the feed reports: it calls a function, reads a materialized view or a \
             table of another server, or contains the current time\n",
        );
    }
    text
}

fn print_entities(
    dependencies: &Dependencies,
    catalog: &Catalog,
    unreported: &str,
    text: &mut String,
) {
    let Dependencies { entities, fields, views, .. } = dependencies;
    for (entity, rows) in entities {
        let _ = write!(text, "  {}", catalog[*entity].name);
        let read = fields.iter().map(|field| &catalog[*field]);
        let read: Vec<&str> =
            read.filter(|field| field.entity == *entity).map(|field| &*field.name).collect();
        if !read.is_empty() {
            let _ = write!(text, " ({})", read.join(", "));
        }
        match views.contains(entity) {
            true => {
                let _ = write!(text, ": a view, by its tables; {unreported}");
            }
            false => print_rows(rows, catalog, text),
        }
        text.push('\n');
    }
}

/// Prints the rows of an entity. Values are not printed: they may be secrets of a session.
fn print_rows(rows: &ReadRows, catalog: &Catalog, text: &mut String) {
    let ReadRows::Where(values) = rows else { return };
    let mut names: Vec<&str> = values.iter().map(|value| &*catalog[value.field].name).collect();
    names.dedup();
    match names.as_slice() {
        [] => text.push_str(": no row"),
        names => {
            let count = match values.len() {
                1 => "one value",
                _ => "some values",
            };
            let _ = write!(text, ": rows with {count} of {}", names.join(", "));
        }
    }
}
