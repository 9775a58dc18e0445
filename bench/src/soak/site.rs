//! The servers: PostgreSQL with a standby, Redis, and Thalweg in front of them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::broker::{Broker, Kind};
use testkit::postgres::{Restartable, Standby, installations};

use super::failure::SoakError;
use super::ledger::Ledger;
use super::samples::Measured;
use crate::program;
use crate::server::{self, Server};

const DATABASE: &str = "postgres";
/// Commits are on disk before they are acknowledged: a crash must not lose one.
const SETTINGS: [&str; 3] = ["fsync=on", "synchronous_commit=on", "shared_buffers=128MB"];
/// Rows that clients read and never change.
pub(super) const ITEMS: u32 = 2_000;
pub(super) const CATEGORIES: u32 = 20;
/// Rows of which each has one writer.
pub(super) const ACCOUNTS: u32 = 32;

/// All servers; dropping it stops them.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) primary: Restartable,
    pub(super) standby: Standby,
    pub(super) redis: Broker,
    server: Server,
    configuration: PathBuf,
    reloads: u32,
    has_column: bool,
}

impl Site {
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self, SoakError> {
        if !Kind::Redis.is_installed() {
            return Err(SoakError::NoRedis);
        }
        let installations = installations();
        let installation = installations.first().ok_or(SoakError::NoPostgres)?;
        let mut primary = Restartable::start(installation, &SETTINGS)?;
        primary.server.execute(DATABASE, &tables())?;
        let standby = Standby::of(&mut primary, &[])?;
        let redis = Broker::start(Kind::Redis, &[])?;
        let port = server::free_port()?;
        let configuration = folder.join("thalweg.toml");
        let source = primary.server.url(DATABASE);
        let text = configuration_text(&source, &standby.url(), &redis.url(), port);
        fs::write(&configuration, text)?;
        let mut command = Command::new(program);
        command.args(["serve", "--config"]).arg(&configuration).current_dir(folder);
        program::forget_environment(&mut command);
        let server = Server::start(command, port, &folder.join("server.log"))?;
        Ok(Self { primary, standby, redis, server, configuration, reloads: 0, has_column: false })
    }

    pub(super) fn port(&self) -> u16 {
        self.server.port
    }

    pub(super) fn measured(&self) -> Measured {
        Measured {
            process: self.server.process(),
            primary: self.primary.server.url(DATABASE),
            standby: self.standby.url(),
        }
    }

    /// Gives the server another configuration.
    pub(super) fn reload(&mut self) -> Result<(), SoakError> {
        self.reloads += 1;
        let text = fs::read_to_string(&self.configuration)?;
        let lines = text.lines().filter(|line| !line.starts_with("max-depth"));
        let depth = format!("max-depth = {}", 20 + self.reloads % 2);
        let lines: Vec<&str> = lines.chain([&*depth]).collect();
        fs::write(&self.configuration, lines.join("\n"))?;
        let process = self.server.process().to_string();
        Command::new("kill").args(["-s", "HUP", &process]).status().map_err(SoakError::Kill)?;
        Ok(())
    }

    pub(super) fn change_schema(&mut self) -> Result<(), SoakError> {
        self.has_column = !self.has_column;
        let statement = match self.has_column {
            true => "ALTER TABLE note ADD COLUMN further text",
            false => "ALTER TABLE note DROP COLUMN further",
        };
        Ok(self.primary.server.execute(DATABASE, statement)?)
    }

    pub(super) fn end_sessions(&self) -> Result<(), SoakError> {
        let statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                         WHERE application_name = 'thalweg'";
        Ok(self.primary.server.execute(DATABASE, statement)?)
    }

    /// Acknowledged changes that the database does not have, and rows that nobody has sent.
    pub(super) fn lost_changes(&self, ledger: &Ledger) -> Result<Vec<String>, SoakError> {
        let rows = self.primary.server.query(DATABASE, "SELECT text FROM note")?;
        let rows: Vec<String> = rows.into_iter().flatten().flatten().collect();
        let found: HashSet<&str> = rows.iter().map(String::as_str).collect();
        let mut lost = ledger.lost_notes(&found);
        if found.len() != rows.len() {
            lost.push(format!("{} notes were written twice", rows.len() - found.len()));
        }
        let rows =
            self.primary.server.query(DATABASE, "SELECT id, balance FROM account ORDER BY id")?;
        for row in rows {
            let numbers = row.iter().map(|value| value.as_deref().unwrap_or_default().parse());
            let numbers: Vec<u64> = numbers
                .collect::<Result<_, _>>()
                .map_err(|_| SoakError::NoNumber(format!("{row:?}")))?;
            if let [account, balance] = numbers[..] {
                lost.extend(ledger.check_last(account, balance));
            }
        }
        Ok(lost)
    }
}

/// Every feature that keeps state is on.
fn configuration_text(source: &str, standby: &str, redis: &str, port: u16) -> String {
    format!(
        "source = \"{source}\"\n\
         dialect = \"postgraphile\"\n\
         listen = [\"127.0.0.1:{port}\"]\n\
         threads = 2\n\
         connections = 8\n\
         read-url = [\"{standby}\"]\n\
         live = true\n\
         watch = true\n\
         cache = [\"accountById=10m\", \"allItems=1m\"]\n\
         rate-limit = [\"address=100000000/1m\"]\n\
         rate-limit-store = \"{redis}\"\n\
         log-requests = \"none\"\n"
    )
}

fn tables() -> String {
    format!(
        "CREATE TABLE category (id int PRIMARY KEY, name text NOT NULL);
         INSERT INTO category SELECT id, 'Category ' || id FROM generate_series(1, {CATEGORIES}) AS id;
         CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL, category_id int NOT NULL REFERENCES category);
         INSERT INTO item SELECT id, 'Item ' || id, id % {CATEGORIES} + 1 FROM generate_series(1, {ITEMS}) AS id;
         CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
         INSERT INTO account SELECT id, 0 FROM generate_series(1, {ACCOUNTS}) AS id;
         CREATE TABLE note (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);
         CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(1)::text AS nothing;
         COMMENT ON VIEW slow IS E'@primaryKey id';
         ANALYZE;"
    )
}
