//! The statements: few, set-based, and all in one snapshot.

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::privileges::{Privilege, Privileges};
use super::rows::{
    Column, ColumnDefault, Constraint, ConstraintComment, DistributedTable, Form, Function, Index,
    Namespace, PartitionKey, Relation, TypeRow, VectorIndex,
};
use super::written::{DescribedQueries, describe};
use super::{IntrospectError, OLDEST_VERSION};
use crate::options::{Defaults, Extensions, FunctionName, PostgresOptions, Rights};
use crate::product::Product;

/// Names in the statements mean the system's own objects, even where a temporary table has the
/// same name. Compiling the statements to machine code would take longer than running them. The
/// columns of some thousand tables are sorted in memory, and the catalogs are read by their indexes:
/// they are in memory nearly always.
const BEGIN: &str = "begin isolation level repeatable read, read only; \
                     set local search_path to pg_catalog, pg_temp; \
                     set local jit to off; \
                     set local work_mem to '32MB'; \
                     set local random_page_cost to 1.1";

/// [`BEGIN`] without settings of PostgreSQL's planner.
const BEGIN_WITHOUT_PLANNER: &str = "begin isolation level repeatable read, read only; \
                                     set local search_path to pg_catalog";

/// Statements of which products need their own.
struct Statements {
    begin: &'static str,
    relations: &'static str,
    privileges: &'static str,
    /// `None` without tables of partitions.
    partitions: Option<&'static str>,
    /// `None` without the extension.
    vector_indexes: Option<&'static str>,
}

impl Statements {
    fn of(product: Product) -> Self {
        match product {
            Product::PostgreSql | Product::Citus | Product::YugabyteDb => Self {
                begin: BEGIN,
                relations: include_str!("relations.sql"),
                privileges: include_str!("privileges.sql"),
                partitions: Some(include_str!("partitions.sql")),
                vector_indexes: Some(include_str!("vector_indexes.sql")),
            },
            Product::CockroachDb => Self {
                begin: BEGIN_WITHOUT_PLANNER,
                relations: include_str!("cockroachdb/relations.sql"),
                privileges: include_str!("cockroachdb/privileges.sql"),
                partitions: None,
                vector_indexes: None,
            },
        }
    }
}

/// The results of the statements.
pub(super) struct Found<'q> {
    pub(super) product: Product,
    pub(super) server_version: u32,
    pub(super) namespaces: Vec<Namespace>,
    /// In the order of the entities.
    pub(super) relations: Vec<Relation>,
    /// By relation, then in the order of the table.
    pub(super) columns: Vec<Column>,
    /// Empty if they are not asked for.
    pub(super) defaults: Vec<ColumnDefault>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) constraint_comments: Vec<ConstraintComment>,
    /// Empty without Citus.
    pub(super) distributed: Vec<DistributedTable>,
    pub(super) indexes: Vec<Index>,
    pub(super) vector_indexes: Vec<VectorIndex>,
    pub(super) partition_keys: Vec<PartitionKey>,
    pub(super) functions: Vec<Function>,
    /// The function that the server calls itself, with the name of its namespace.
    pub(super) called: Option<(String, Function)>,
    /// What is known of the queries of the schema's author.
    pub(super) written: DescribedQueries<'q>,
    pub(super) types: Vec<TypeRow>,
    /// The attributes of the composites among `types`, by relation, then in their order.
    pub(super) attributes: Vec<Column>,
    /// `None`: rights are ignored.
    pub(super) privileges: Option<Privileges>,
}

pub(super) async fn read<'q>(
    client: &Client,
    options: &PostgresOptions<'q>,
) -> Result<Found<'q>, IntrospectError> {
    // By the names that are known to the statements of requests, and before the transaction: one
    // refused query would end it.
    let written = match options.written {
        Some(queries) => describe(client, queries).await?,
        None => DescribedQueries::default(),
    };
    let product = Product::read(client).await??;
    client.batch_execute(Statements::of(product).begin).await?;
    let found = read_snapshot(client, product, options, written).await;
    // Nothing was written, so the end is the same for a failure and for a success.
    let ended = client.batch_execute("rollback").await;
    let found = found?;
    ended?;
    Ok(found)
}

async fn read_snapshot<'q>(
    client: &Client,
    product: Product,
    options: &PostgresOptions<'_>,
    written: DescribedQueries<'q>,
) -> Result<Found<'q>, IntrospectError> {
    let PostgresOptions { namespaces: names, extensions, rights, defaults, called, .. } = *options;
    let extensions = extensions == Extensions::Listed;
    let statements = Statements::of(product);
    let version = |row: &Row| Ok((row.try_get::<_, i32>(0)?, row.try_get::<_, bool>(1)?));
    let version = rows(client, include_str!("version.sql"), &[], version).await?;
    let (version, may_be_distributed) = version.into_iter().next().unwrap_or_default();
    let server_version = u32::try_from(version).unwrap_or_default();
    if server_version < OLDEST_VERSION {
        return Err(IntrospectError::TooOld { found: server_version });
    }
    let existing = rows(client, include_str!("namespaces.sql"), &[], Namespace::from_row).await?;
    let called = match called {
        Some(name) => Some(require_called(client, &existing, name).await?),
        None => None,
    };
    let namespaces = require_namespaces(existing, names)?;
    let served = oids(namespaces.iter().map(|namespace| namespace.oid));
    let relations = rows(
        client,
        statements.relations,
        &[(&served, Type::OID_ARRAY), (&extensions, Type::BOOL)],
        Relation::from_row,
    )
    .await?;
    let listed = oids(relations.iter().map(|relation| relation.oid));
    let columns =
        rows(client, include_str!("columns.sql"), &[(&listed, Type::OID_ARRAY)], Column::from_row)
            .await?;
    let defaults = match defaults {
        Defaults::LeftOut => Vec::new(),
        Defaults::Read => {
            let listed = &[(&listed as _, Type::OID_ARRAY)];
            rows(client, include_str!("defaults.sql"), listed, ColumnDefault::from_row).await?
        }
    };
    let constraints = rows(
        client,
        include_str!("constraints.sql"),
        &[(&listed, Type::OID_ARRAY)],
        Constraint::from_row,
    )
    .await?;
    let constraint_comments =
        rows(client, include_str!("constraint_comments.sql"), &[], ConstraintComment::from_row)
            .await?;
    let distributed = match may_be_distributed {
        false => Vec::new(),
        true => {
            let statement = include_str!("distribution.sql");
            let listed = &[(&listed as _, Type::OID_ARRAY)];
            rows(client, statement, listed, DistributedTable::from_row).await?
        }
    };
    let indexes =
        rows(client, include_str!("indexes.sql"), &[(&listed, Type::OID_ARRAY)], Index::from_row)
            .await?;
    let vector_indexes = match statements.vector_indexes {
        None => Vec::new(),
        Some(statement) => {
            let listed = &[(&listed as _, Type::OID_ARRAY)];
            rows(client, statement, listed, VectorIndex::from_row).await?
        }
    };
    let partitioned = relations.iter().filter(|relation| relation.partitioned);
    let partitioned = oids(partitioned.map(|relation| relation.oid));
    let partition_keys = match statements.partitions.filter(|_| !partitioned.is_empty()) {
        None => Vec::new(),
        Some(statement) => {
            let partitioned = &[(&partitioned as _, Type::OID_ARRAY)];
            rows(client, statement, partitioned, PartitionKey::from_row).await?
        }
    };
    let functions = rows(
        client,
        include_str!("functions.sql"),
        &[(&served, Type::OID_ARRAY), (&extensions, Type::BOOL)],
        Function::from_row,
    )
    .await?;
    let all = || functions.iter().chain(called.as_ref().map(|(_, function)| function));
    let parameters = all().flat_map(|function| &function.parameters);
    let results = all().map(|function| function.result);
    let mut used = oids(columns.iter().map(|column| column.r#type));
    used.extend(parameters.map(|parameter| parameter.r#type).chain(results));
    used.extend(written.types());
    used.sort_unstable();
    used.dedup();
    let types =
        rows(client, include_str!("types.sql"), &[(&used, Type::OID_ARRAY)], TypeRow::from_row)
            .await?;
    let composites = oids(types.iter().filter_map(|row| match row.form {
        Form::Composite { relation } => Some(relation),
        Form::Base
        | Form::Array { .. }
        | Form::Domain { .. }
        | Form::Enum { .. }
        | Form::Range { .. }
        | Form::Multirange
        | Form::RowOfTable { .. } => None,
    }));
    let attributes = rows(
        client,
        include_str!("columns.sql"),
        &[(&composites, Type::OID_ARRAY)],
        Column::from_row,
    )
    .await?;
    let privileges = match rights {
        Rights::Ignored => None,
        Rights::Respected => {
            let found = rows(
                client,
                statements.privileges,
                &[(&listed, Type::OID_ARRAY), (&served, Type::OID_ARRAY)],
                Privilege::from_row,
            )
            .await?;
            Some(found.into_iter().collect())
        }
    };
    Ok(Found {
        product,
        server_version,
        namespaces,
        relations,
        columns,
        defaults,
        constraints,
        constraint_comments,
        distributed,
        indexes,
        vector_indexes: vector_indexes.into_iter().flatten().collect(),
        partition_keys,
        functions,
        called,
        written,
        types,
        attributes,
        privileges,
    })
}

/// The function that the server calls itself.
async fn require_called(
    client: &Client,
    existing: &[Namespace],
    name: &FunctionName,
) -> Result<(String, Function), IntrospectError> {
    let unknown = || IntrospectError::UnknownFunction(name.clone());
    let namespace = existing.iter().find(|namespace| *namespace.name == *name.namespace);
    let oids = vec![namespace.ok_or_else(unknown)?.oid];
    let statement = include_str!("functions.sql");
    let parameters: &[(&(dyn ToSql + Sync), Type)] =
        &[(&oids, Type::OID_ARRAY), (&true, Type::BOOL)];
    let functions = rows(client, statement, parameters, Function::from_row).await?;
    let mut named = functions.into_iter().filter(|function| *function.name == *name.name);
    let function = named.next().filter(Function::maps_text_to_text);
    Ok((name.namespace.clone().into(), function.ok_or_else(unknown)?))
}

/// The requested namespaces, in their order and without duplicates.
fn require_namespaces(
    existing: Vec<Namespace>,
    names: &[String],
) -> Result<Vec<Namespace>, IntrospectError> {
    let unknown: Vec<String> = names
        .iter()
        .filter(|name| !existing.iter().any(|namespace| namespace.name == **name))
        .cloned()
        .collect();
    if !unknown.is_empty() {
        let existing = existing.into_iter().map(|namespace| namespace.name);
        let existing = existing
            .filter(|name| !name.starts_with("pg_") && name != "information_schema")
            .collect();
        return Err(IntrospectError::UnknownNamespace { unknown, existing });
    }
    let place = |namespace: &Namespace| names.iter().position(|name| *name == namespace.name);
    let mut wanted: Vec<Namespace> =
        existing.into_iter().filter(|namespace| place(namespace).is_some()).collect();
    wanted.sort_by_key(place);
    Ok(wanted)
}

fn oids(oids: impl Iterator<Item = u32>) -> Vec<u32> {
    oids.collect()
}

/// The statement has no name: a pooler may have one of this name from another client.
async fn rows<T>(
    client: &Client,
    statement: &str,
    parameters: &[(&(dyn ToSql + Sync), Type)],
    from_row: fn(&Row) -> Result<T, tokio_postgres::Error>,
) -> Result<Vec<T>, tokio_postgres::Error> {
    client.query_typed(statement, parameters).await?.iter().map(from_row).collect()
}
