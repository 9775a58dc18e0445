//! Short requests of two hundred shapes over a hundred tables, as applications send them: by the
//! defaults, and with each request on a connection of its own.

use std::num::NonZeroU32;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use testkit::postgres::{self, installations};

use crate::background::{Background, Stop};
use crate::http::Connection;
use crate::program::{self, Program};
use crate::schema_size::failure::SizeError;
use crate::schema_size::operations::ask;
use crate::server::{self, Server};
use crate::statistics;

const DATABASE: &str = "mixed";
const TABLES: u32 = 100;
/// Rows of each table.
const ROWS: u32 = 400;
/// Numbers of concurrent clients.
const CLIENTS: [u32; 2] = [4, 60];
/// The compared settings of a server: a name, and its options.
const SETTINGS: [(&str, &[&str]); 2] =
    [("defaults", &[]), ("apart", &["--shared-connections", "0"])];
/// The settings take turns, so that what else the machine does is shared out.
const TURNS: usize = 3;

/// Options of `mixed`.
#[derive(Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// The time for which each setting is measured in each turn.
    #[arg(long, value_name = "NUMBER", default_value = "6")]
    pub(crate) seconds: NonZeroU32,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// A server with its options.
struct Served {
    name: &'static str,
    server: Server,
    sessions: u64,
}

/// Measures and prints.
pub(crate) fn measure(options: &Options) -> Result<bool, SizeError> {
    let program = options.program.or_release()?;
    let all = installations();
    let installation = all.first().ok_or(SizeError::NoPostgres)?;
    let database = postgres::Server::start_with(installation, &["max_connections=200"])?;
    database.create_database(DATABASE)?;
    database.execute(DATABASE, include_str!("mixed/tables.sql"))?;
    database.execute(DATABASE, "ANALYZE")?;
    let folder = tempfile::tempdir()?;
    let shapes = shapes();
    println!("requests a second, and sessions that were opened");
    for clients in CLIENTS {
        let mut servers = Vec::new();
        for (name, options) in SETTINGS {
            let port = server::free_port()?;
            let address = database.url(DATABASE);
            let mut command = program::serve(Command::new(&program), &address, port);
            command.args(options);
            let server = Server::start(command, port, &folder.path().join(name))?;
            servers.push(Served { name, server, sessions: 0 });
        }
        let mut rates: Vec<Vec<f64>> = vec![Vec::new(); servers.len()];
        // The first turn warms up.
        for turn in 0..=TURNS {
            for (place, served) in servers.iter_mut().enumerate() {
                let before = sessions(&database)?;
                let time = Duration::from_secs(options.seconds.get().into());
                let rate = load(served.server.port, &shapes, clients, time)?;
                served.sessions += sessions(&database)?.saturating_sub(before);
                if turn > 0 {
                    rates[place].push(rate);
                }
            }
        }
        for (served, rates) in servers.iter().zip(rates) {
            let median = statistics::median(rates);
            println!(
                "{clients:>3} clients, {:<8} {median:>8.0} {:>5}",
                served.name, served.sessions
            );
        }
    }
    Ok(true)
}

/// Two documents a table: a row with those that it refers to, and a row with those that refer to it
/// beside a page, which are several statements.
fn shapes() -> Arc<[String]> {
    let one = |table: u32| {
        format!(
            "query ($id: BigInt!) {{ t{table:03}ById(id: $id) {{ id name c0 c1 firstId c3 }} }}"
        )
    };
    let two = |table: u32| {
        format!(
            "query ($id: BigInt!) {{
                t{table:03}ById(id: $id) {{ name secondId c2 }}
                allT{table:03}S(first: 5, orderBy: ID_DESC) {{ nodes {{ id name c1 }} }}
            }}"
        )
    };
    (0..TABLES).flat_map(|table| [one(table), two(table)]).collect()
}

/// Requests a second of so many clients.
fn load(port: u16, shapes: &Arc<[String]>, clients: u32, time: Duration) -> Result<f64, SizeError> {
    let started = Instant::now();
    let ask = |client| {
        let shapes = Arc::clone(shapes);
        Background::start(move |stop| ask_until(port, &shapes, client, stop))
    };
    let clients: Vec<_> = (0..clients).map(ask).collect();
    thread::sleep(time);
    clients.iter().for_each(Background::stop);
    let counts =
        clients.into_iter().map(|client| client.finish().unwrap_or(Err(SizeError::Thread)));
    let count = counts.sum::<Result<u32, SizeError>>()?;
    Ok(f64::from(count) / started.elapsed().as_secs_f64())
}

/// Sends requests on a connection of its own; how many that were.
fn ask_until(port: u16, shapes: &[String], client: u32, stop: &Stop) -> Result<u32, SizeError> {
    let mut connection = Connection::open(port)?;
    let mut count = 0_u32;
    while !stop.is_set() {
        // Each client goes through all of them in an order of its own.
        let number = (client * 37 + count * 73) as usize;
        let id = (client * 11 + count) % ROWS + 1;
        let body = json!({
            "query": shapes[number % shapes.len()],
            "variables": { "id": id.to_string() },
        });
        ask(&mut connection, &body.to_string())?;
        count += 1;
    }
    Ok(count)
}

/// The number of sessions that were opened on the database.
fn sessions(database: &postgres::Server) -> Result<u64, SizeError> {
    let asked = "SELECT sessions FROM pg_stat_database WHERE datname = 'mixed'";
    let rows = database.query(DATABASE, asked)?;
    let text = rows.first().and_then(|row| row.first().cloned().flatten());
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or_default())
}
