//! The stream of a database's changes: logical replication by `pgoutput`, over a temporary slot that
//! ends with its session.

use std::fmt;
use std::future::pending;
use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use bytes::Bytes;
use pg_walstream::{ColumnData, LogicalReplicationMessage, LogicalReplicationParser, TupleData};
use source::changes::{
    Cell, ChangeStream, ChangedRows, ChangedTable, Coverage, NoStream, RowChange, StreamOrigin,
    TableChange, TableName,
};
use source::{SourceError, SourceErrorKind};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Duration, sleep};
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

use super::relations::{Covered, Relations, Reporting};
use super::relay::{Leader, Session, limited, lost};
use super::snapshot::Snapshot;
use crate::wire::{Config, Replication, connect_notified};

/// The version of `pgoutput`'s protocol without parts of running transactions.
const PROTOCOL: u32 = 1;

/// Most changed rows of a table that are listed.
const MOST_ROWS: usize = 10_000;

/// Types of values in a row.
const NULL: u8 = b'n';
const TEXT: u8 = b't';

/// Pause before the next look whether a transaction is visible: it is committed in the log first.
const NOT_VISIBLE_YET: Duration = Duration::from_millis(2);

/// A running stream.
pub struct LogStream {
    replication: Replication,
    parser: LogicalReplicationParser,
    /// By the numbers that the stream gives to them.
    relations: AHashMap<u32, Relation>,
    covered: Arc<Covered>,
    /// Runs statements beside the stream.
    client: Arc<Client>,
    gathered: Gathered,
    /// Relays the changes to other servers.
    leader: Option<Leader>,
}

/// A table as the stream describes it.
#[derive(Clone, Debug)]
struct Relation {
    table: Arc<ChangedTable>,
    /// By column: whether changes have its value before them.
    is_key: Arc<[bool]>,
}

/// Changes of committed transactions that were not returned yet.
#[derive(Debug, Default)]
struct Gathered {
    changes: Vec<TableChange>,
    /// The committed transactions.
    transactions: Vec<u32>,
    /// The transaction whose changes are being received.
    running: Option<u32>,
}

impl Relation {
    /// The values of a row.
    fn after(&self, row: &TupleData) -> Vec<Cell> {
        let cell = |value: &ColumnData| match value.data_type {
            NULL => Cell::Null,
            TEXT => Cell::Text(value.raw_bytes()),
            // A large value that did not change is left out.
            _ => Cell::Unknown,
        };
        row.columns.iter().map(cell).collect()
    }

    /// The values of the key, of a row that may have no others.
    fn before(&self, row: &[Cell]) -> Vec<Cell> {
        let cell = |(cell, is_key): (&Cell, &bool)| match is_key {
            true => cell.clone(),
            false => Cell::Unknown,
        };
        row.iter().zip(&*self.is_key).map(cell).collect()
    }
}

impl Gathered {
    fn change(&mut self, table: Arc<ChangedTable>, row: RowChange) {
        let rows = self.rows(table);
        if let ChangedRows::Rows(known) = rows {
            match known.len() < MOST_ROWS {
                true => known.push(row),
                false => *rows = ChangedRows::Any,
            }
        }
    }

    fn change_all(&mut self, table: Arc<ChangedTable>) {
        *self.rows(table) = ChangedRows::Any;
    }

    /// The changes of a table so far.
    fn rows(&mut self, table: Arc<ChangedTable>) -> &mut ChangedRows {
        let place = self.changes.iter().position(|known| Arc::ptr_eq(&known.table, &table));
        let place = place.unwrap_or_else(|| {
            self.changes.push(TableChange { table, rows: ChangedRows::Rows(Vec::new()) });
            self.changes.len() - 1
        });
        &mut self.changes[place].rows
    }
}

impl Session {
    /// Connects, and publishes the tables of these tables and views, as far as the role may.
    pub(super) async fn begin(config: &Config, relations: &[TableName]) -> Result<Self, NoStream> {
        let (sender, notifications) = unbounded_channel();
        let connected = connect_notified(config, Some(sender)).await;
        let client = connected.map_err(|error| failed(&error))?;
        if let Some(reason) = obstacle(&client).await.map_err(|error| failed(&error))? {
            return Err(NoStream::NotAllowed(reason.into()));
        }
        // A pooler may give the session to other clients.
        if !config.is_behind_pooler() {
            let quick = client.batch_execute(include_str!("without_jit.sql")).await;
            quick.map_err(|error| failed(&error))?;
        }
        let read =
            || async { Relations::read(&client, relations).await.map_err(|error| failed(&error)) };
        publish(&client, &read().await?.needed(Reporting::Stored)).await?;
        // The publication is one of the definitions.
        let definitions = read().await?;
        let tables = definitions.needed(Reporting::Stored);
        let published = tables_of(&client, include_str!("published.sql"), &tables).await;
        let published = published.map_err(|error| failed(&error))?;
        let coverage = definitions.coverage(Reporting::Stored, |table| published.contains(&table));
        if coverage.relations.is_empty() {
            let reason =
                "no table can be published: the role has to own them, and they need primary keys";
            return Err(NoStream::NotAllowed(reason.into()));
        }
        let covered = Arc::new(Covered { definitions, coverage });
        Ok(Self { client: Arc::new(client), notifications, covered, bus: None })
    }
}

impl LogStream {
    /// Begins a stream of the published tables.
    pub(super) async fn begin(config: &Config, session: Session) -> Result<Self, SourceError> {
        let Session { client, covered, .. } = session;
        Self::start(config, client, covered, None).await
    }

    /// The same, whose changes are relayed to other servers.
    pub(super) async fn lead(config: &Config, session: Session) -> Result<Self, SourceError> {
        let (client, covered) = (Arc::clone(&session.client), Arc::clone(&session.covered));
        let leader = Leader::start(session)?;
        Self::start(config, client, covered, Some(leader)).await
    }

    async fn start(
        config: &Config,
        client: Arc<Client>,
        covered: Arc<Covered>,
        leader: Option<Leader>,
    ) -> Result<Self, SourceError> {
        let replication = start(config).await.map_err(|error| lost(&error))?;
        if let Some(leader) = &leader {
            leader.begin();
        }
        Ok(Self {
            replication,
            parser: LogicalReplicationParser::with_protocol_version(PROTOCOL),
            relations: AHashMap::new(),
            covered,
            client,
            gathered: Gathered::default(),
            leader,
        })
    }

    fn receive(&mut self, message: Bytes) -> Result<(), SourceError> {
        let parsed = self.parser.parse_wal_message_bytes(message).map_err(|error| lost(&error))?;
        match parsed.message {
            LogicalReplicationMessage::Begin { xid, .. } => self.gathered.running = Some(xid),
            LogicalReplicationMessage::Commit { .. } => {
                self.gathered.transactions.extend(self.gathered.running.take());
            }
            LogicalReplicationMessage::Relation {
                relation_id,
                namespace,
                relation_name,
                columns,
                ..
            } => {
                let namespace = Some(namespace.as_ref().into());
                let name = TableName { namespace, name: relation_name.as_ref().into() };
                let is_key = columns.iter().map(|column| column.is_key()).collect();
                let columns = columns.iter().map(|column| column.name.as_ref().into()).collect();
                let table = Arc::new(ChangedTable { name, columns });
                self.relations.insert(relation_id, Relation { table, is_key });
            }
            LogicalReplicationMessage::Insert { relation_id, tuple } => {
                let relation = self.relation(relation_id)?;
                let after = Some(relation.after(&tuple));
                self.gathered.change(relation.table, RowChange { before: None, after });
            }
            LogicalReplicationMessage::Update { relation_id, old_tuple, new_tuple, .. } => {
                let relation = self.relation(relation_id)?;
                let after = relation.after(&new_tuple);
                // Without an old row the values of the key are the same.
                let before = match &old_tuple {
                    Some(old) => relation.before(&relation.after(old)),
                    None => relation.before(&after),
                };
                let row = RowChange { before: Some(before), after: Some(after) };
                self.gathered.change(relation.table, row);
            }
            LogicalReplicationMessage::Delete { relation_id, old_tuple, .. } => {
                let relation = self.relation(relation_id)?;
                let before = Some(relation.before(&relation.after(&old_tuple)));
                self.gathered.change(relation.table, RowChange { before, after: None });
            }
            LogicalReplicationMessage::Truncate { relation_ids, .. } => {
                for relation in relation_ids {
                    let relation = self.relation(relation)?;
                    self.gathered.change_all(relation.table);
                }
            }
            // Types, origins and messages of programs; the others belong to other versions.
            _ => {}
        }
        Ok(())
    }

    fn relation(&self, number: u32) -> Result<Relation, SourceError> {
        self.relations.get(&number).cloned().ok_or_else(|| {
            SourceError::new(SourceErrorKind::Internal, "a change of a relation without a name")
        })
    }

    /// Waits until new statements see the gathered transactions: the log has a commit before it is
    /// visible, for as long as the server waits for a synchronous standby.
    async fn wait_until_visible(&mut self) -> Result<(), SourceError> {
        loop {
            let snapshot = limited(Snapshot::read(&self.client)).await?;
            if self.gathered.transactions.iter().all(|xid| snapshot.shows(*xid)) {
                return Ok(());
            }
            sleep(NOT_VISIBLE_YET).await;
        }
    }
}

/// Without the parser, which has no form of its own.
impl fmt::Debug for LogStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogStream").field("gathered", &self.gathered).finish()
    }
}

impl ChangeStream for LogStream {
    fn coverage(&self) -> &Coverage {
        &self.covered.coverage
    }

    fn origin(&self) -> StreamOrigin {
        StreamOrigin::Own
    }

    async fn next(&mut self) -> Result<Vec<TableChange>, SourceError> {
        // What is gathered stays where the future is dropped.
        while self.gathered.transactions.is_empty() || self.gathered.running.is_some() {
            let ended = async {
                match &mut self.leader {
                    Some(leader) => leader.ended().await,
                    None => pending().await,
                }
            };
            let messages = tokio::select! {
                messages = self.replication.next() => messages.map_err(|error| lost(&error))?,
                error = ended => return Err(error),
            };
            messages.into_iter().try_for_each(|message| self.receive(message))?;
        }
        self.wait_until_visible().await?;
        let Gathered { changes, .. } = std::mem::take(&mut self.gathered);
        if let Some(leader) = &self.leader {
            leader.relay(&changes);
        }
        Ok(changes)
    }

    async fn is_current(&mut self) -> Result<bool, SourceError> {
        limited(self.covered.definitions.is_current(&self.client)).await
    }
}

/// The reason why the role cannot read the log, if it cannot.
async fn obstacle(client: &Client) -> Result<Option<&'static str>, tokio_postgres::Error> {
    let row = client.query_typed(include_str!("can_stream.sql"), &[]).await?;
    let flag = |column| {
        let value: Option<bool> = row.first().and_then(|row| row.try_get(column).ok()?);
        value.unwrap_or_default()
    };
    Ok(match (flag(0), flag(1), flag(2)) {
        (_, _, true) => Some("the server is a standby"),
        (false, _, _) => Some("the server's `wal_level` is not `logical`"),
        (true, false, _) => Some("the role has not the attribute `replication`"),
        (true, true, false) => None,
    })
}

/// The relations that a stream of the log would cover, without beginning one; none if it could not begin.
pub(super) async fn possible_coverage(
    client: &Client,
    definitions: &Relations,
) -> Result<Coverage, tokio_postgres::Error> {
    if obstacle(client).await?.is_some() {
        return Ok(Coverage::default());
    }
    let tables = definitions.needed(Reporting::Stored);
    let publishable = tables_of(client, include_str!("publishable.sql"), &tables).await?;
    Ok(definitions.coverage(Reporting::Stored, |table| publishable.contains(&table)))
}

/// Publishes the tables, as far as the role may. Those that it may not are not covered.
async fn publish(client: &Client, tables: &[u32]) -> Result<(), NoStream> {
    let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&tables, Type::OID_ARRAY)];
    let rows = client.query_typed(include_str!("publish.sql"), &parameters).await;
    let rows = rows.map_err(|error| failed(&error))?;
    let statements: Option<String> = rows.first().and_then(|row| row.try_get(0).ok()?);
    if let Some(statements) = statements.filter(|statements| !statements.is_empty())
        && let Err(error) = client.batch_execute(&statements).await
    {
        // Another server may have published them at the same time.
        tracing::debug!(%error, "some tables were not published");
    }
    Ok(())
}

/// Those of some tables that a statement finds.
async fn tables_of(
    client: &Client,
    statement: &'static str,
    tables: &[u32],
) -> Result<AHashSet<u32>, tokio_postgres::Error> {
    let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&tables, Type::OID_ARRAY)];
    let rows = client.query_typed(statement, &parameters).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// Creates the slot, whose changes begin here, and starts the stream.
async fn start(config: &Config) -> Result<Replication, crate::wire::WireError> {
    let mut replication = Replication::connect(config).await?;
    let name = replication.run(include_str!("slot_name.sql")).await?;
    let name: Arc<str> = name.into_iter().flatten().next().unwrap_or_default().into();
    replication.run(&include_str!("create_slot.txt").trim_end().replace("slot", &name)).await?;
    replication.start(&include_str!("start.txt").trim_end().replace("slot", &name)).await?;
    Ok(replication)
}

pub(super) fn failed(error: &dyn std::fmt::Display) -> NoStream {
    NoStream::Failed(lost(error))
}
