//! Databases of tests: tasks of two people, as a SQLite file and on each wanted PostgreSQL.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;
use testkit::postgres::{Server, required_installations, shared};
use thalweg::{Options, PolicyFile, Request, Thalweg};

pub(crate) const TASKS: &str = "
    CREATE TABLE person (id integer PRIMARY KEY, name text NOT NULL, email text NOT NULL);
    CREATE TABLE task (
        id integer PRIMARY KEY,
        title text NOT NULL,
        person_id integer NOT NULL REFERENCES person (id)
    );
    CREATE INDEX task_person ON task (person_id);
    INSERT INTO person VALUES (1, 'Ada', 'ada@example.org'), (2, 'Ben', 'ben@example.org');
    INSERT INTO task VALUES (1, 'Write', 1), (2, 'Paint', 2), (3, 'Draw', 1);
";

/// Visitors read names and tasks, members change their own tasks.
pub(crate) const POLICIES: &str = r#"
claim_role = "app_role"
default_role = "visitor"

[rules.names]
entity = "person"
read = { columns = ["id", "name"] }

[rules.tasks]
entity = "task"
read = { columns = "*" }

[rules.own_tasks]
entity = "task"
update = { rows = { person_id = { eq = { claim = "person" } } }, columns = ["title"] }

[roles.visitor]
rules = ["names", "tasks"]

[roles.member]
inherits = ["visitor"]
rules = ["own_tasks"]
"#;

/// A database that nobody else uses.
#[derive(Debug)]
pub(crate) enum Database {
    Sqlite { file: PathBuf, _folder: TempDir },
    Postgres { server: &'static Server, name: String },
}

impl Database {
    /// The tasks on each source.
    pub(crate) fn each() -> Vec<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tasks.db");
        let mut databases = vec![Self::Sqlite { file, _folder: folder }];
        for installation in required_installations().unwrap() {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let server = shared(&installation).unwrap_or_else(|error| panic!("{error}"));
            let name = format!("library{}", COUNT.fetch_add(1, Ordering::Relaxed));
            server.create_database(&name).unwrap();
            databases.push(Self::Postgres { server, name });
        }
        databases.iter().for_each(|database| database.execute(TASKS));
        databases
    }

    pub(crate) fn sqlite() -> Self {
        Self::each().swap_remove(0)
    }

    pub(crate) fn address(&self) -> String {
        match self {
            Self::Sqlite { file, .. } => file.to_str().unwrap().to_owned(),
            Self::Postgres { server, name } => server.url(name),
        }
    }

    pub(crate) fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite { file, .. } => {
                rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
            }
            Self::Postgres { server, name } => server.execute(name, sql).unwrap(),
        }
    }

    /// The number of sessions that the library has on the server; none of a file.
    pub(crate) fn sessions(&self) -> u64 {
        let Self::Postgres { server, name } = self else { return 0 };
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name = 'thalweg'";
        server.query(name, sql).unwrap()[0][0].as_deref().unwrap().parse().unwrap()
    }

    /// The options in the dialect postgraphile, with two threads.
    pub(crate) fn options(&self) -> Options {
        let options = Options::new(&self.address(), "postgraphile").unwrap();
        Options { threads: 2.try_into().unwrap(), ..options }
    }

    pub(crate) fn options_with_policies(&self) -> Options {
        let mut options = self.options();
        options.engine.policies = Some(Arc::new(PolicyFile::parse(POLICIES).unwrap()));
        options
    }
}

pub(crate) fn request(query: &str) -> Request {
    Request { query: query.to_owned(), ..Request::default() }
}

/// The body of the answer to a caller without claims.
pub(crate) async fn answer(thalweg: &Thalweg, query: &str) -> String {
    let answer = thalweg.execute(request(query), &thalweg.anonymous()).await;
    String::from_utf8(answer.into_body().into()).unwrap()
}
