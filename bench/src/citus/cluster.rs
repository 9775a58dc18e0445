//! A coordinator of Citus with its workers, or one PostgreSQL, with the same tables.

use testkit::postgres::{Installation, Server};

use super::operations::FIRST_NEW;
use crate::schema_size::failure::SizeError;

const DATABASE: &str = "shop";

const SETTINGS: [&str; 5] = [
    "max_connections=400",
    "shared_preload_libraries=citus,pg_stat_statements",
    "citus.node_conninfo=sslmode=disable",
    // Its statements would be counted.
    "citus.recover_2pc_interval=-1",
    "max_prepared_transactions=100",
];

const SETTINGS_ALONE: [&str; 2] =
    ["max_connections=400", "shared_preload_libraries=pg_stat_statements"];

/// The executions of statements on shards, which have their numbers behind the names of tables, and of
/// those that send the result of one to other servers.
const COUNT_OF_WORKER: &str = "SELECT coalesce(sum(calls) FILTER (WHERE query ~ '_1[0-9]{5}'), 0), \
     coalesce(sum(calls) FILTER (WHERE query ~* '^COPY .* FORMAT result'), 0) FROM pg_stat_statements";

/// The executions of statements on tables.
const COUNT: &str = "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements \
     WHERE query ~* '^ *(SELECT|INSERT|UPDATE|DELETE|WITH)' \
     AND query ~ '(company|campaign|\"ad\"|plan)' AND query !~ 'pg_dist_'";

/// A database of one or several servers.
#[derive(Debug)]
pub(crate) struct Cluster {
    coordinator: Server,
    workers: Vec<Server>,
}

/// Executions since the counts were reset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Statements of the client.
    pub(crate) statements: u64,
    /// Statements on shards.
    pub(crate) of_shards: u64,
    /// Results that were sent to a server.
    pub(crate) results: u64,
    /// Workers that have executed any.
    pub(crate) servers: usize,
}

/// True if PostgreSQL has the files of the extension.
pub(crate) fn has_citus(installation: &Installation) -> bool {
    let folder = installation.bin.parent().unwrap_or(&installation.bin).join("lib");
    ["citus.so", "postgresql/citus.so"].iter().any(|name| folder.join(name).is_file())
}

impl Cluster {
    /// Starts servers, and fills the tables.
    pub(crate) fn start(installation: &Installation, workers: usize) -> Result<Self, SizeError> {
        let start = || {
            let server = Server::start_with(installation, &SETTINGS)?;
            server.create_database(DATABASE)?;
            server
                .execute(DATABASE, "CREATE EXTENSION citus; CREATE EXTENSION pg_stat_statements")?;
            Ok::<_, SizeError>(server)
        };
        let coordinator = match workers {
            0 => {
                let server = Server::start_with(installation, &SETTINGS_ALONE)?;
                server.create_database(DATABASE)?;
                server.execute(DATABASE, "CREATE EXTENSION pg_stat_statements")?;
                server
            }
            _ => start()?,
        };
        let workers = (0..workers).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
        let cluster = Self { coordinator, workers };
        if cluster.workers() > 0 {
            let own = cluster.coordinator.port();
            cluster.execute(&format!("SELECT citus_set_coordinator_host('127.0.0.1', {own})"))?;
        }
        for worker in &cluster.workers {
            let port = worker.port();
            cluster.execute(&format!("SELECT citus_add_node('127.0.0.1', {port})"))?;
        }
        // Each part is a transaction: a table cannot be distributed beside its first rows.
        for part in include_str!("tables.sql").split("\n\n") {
            cluster.execute(part)?;
        }
        Ok(cluster)
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    pub(crate) fn url(&self) -> String {
        self.coordinator.url(DATABASE)
    }

    fn execute(&self, sql: &str) -> Result<(), SizeError> {
        Ok(self.coordinator.execute(DATABASE, sql)?)
    }

    /// Begins to count.
    pub(crate) fn reset(&self) -> Result<(), SizeError> {
        for server in self.workers.iter().chain([&self.coordinator]) {
            server.query(DATABASE, "SELECT pg_stat_statements_reset()")?;
        }
        Ok(())
    }

    pub(crate) fn counts(&self) -> Result<Counts, SizeError> {
        let [statements] = numbers(&self.coordinator, COUNT)?;
        let mut counts = Counts { statements, ..Counts::default() };
        for worker in &self.workers {
            let [of_shards, results] = numbers(worker, COUNT_OF_WORKER)?;
            counts.of_shards += of_shards;
            counts.results += results;
            counts.servers += usize::from(of_shards > 0);
        }
        Ok(counts)
    }

    /// Deletes the rows that were inserted.
    pub(crate) fn remove_new(&self) -> Result<(), SizeError> {
        self.execute(&format!("DELETE FROM ad WHERE id >= {FIRST_NEW}"))?;
        self.execute(&format!("DELETE FROM campaign WHERE id >= {FIRST_NEW}"))
    }
}

/// The numbers of the only row of a query.
fn numbers<const N: usize>(server: &Server, query: &str) -> Result<[u64; N], SizeError> {
    let rows = server.query(DATABASE, query)?;
    let row = rows.into_iter().next().unwrap_or_default();
    let mut numbers = [0; N];
    for (number, text) in numbers.iter_mut().zip(row) {
        *number = text.and_then(|text| text.parse().ok()).unwrap_or_default();
    }
    Ok(numbers)
}
