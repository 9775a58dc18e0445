//! PgBouncer in front of the database, set up in a way that does not go together with the program:
//! it says so, with the remedy.

use testkit::postgres::{PINNED, PgBouncer, PoolMode};

use crate::databases::Database;
use crate::program::{PATIENCE, outcome, run};
use crate::served::{Served, code, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW slow AS SELECT id, pg_sleep(0.5)::text AS slept FROM artist;";

const QUERY: &str = "{ allArtists { nodes { id } } }";
const SLOW: &str = "{ allSlows { nodes { id slept } } }";
const REMEDY: &str = "ignore_startup_parameters = extra_float_digits,bytea_output,IntervalStyle";

fn database() -> Option<Database> {
    if !PgBouncer::is_installed() {
        return None;
    }
    Database::on_one(TABLES)
}

#[test]
fn a_pooler_with_fewer_sessions_than_connections_is_told_with_the_remedy() {
    let Some(database) = database() else { return };
    let mut pooler = PgBouncer::start(database.server(), PoolMode::Session, 2).unwrap();
    let url = database.url_by(pooler.port());
    let mut served = Served::start(&url, &["--threads", "1", "--connections", "8"]);
    let is_answered = |served: &Served| {
        let asked: Vec<_> = (0..6).map(|_| served.send(SLOW)).collect();
        for answer in asked {
            assert_eq!(receive(answer)["errors"], serde_json::Value::Null);
        }
    };
    is_answered(&served);
    let told = "gives no session beside the 2 that are in use: set --connections to 2 or less, or \
                make its pool larger (PgBouncer: default_pool_size)";
    assert!(happens_within(PATIENCE, || served.log().contains(told)), "{}", served.log());
    // Later as well: the pool was made smaller.
    pooler.restart_with(database.server(), PoolMode::Session, 1, &[PINNED]).unwrap();
    assert!(happens_within(PATIENCE, || served.ask_any(QUERY)["errors"].is_null()));
    is_answered(&served);
    let told = told.replace('2', "1");
    assert!(happens_within(PATIENCE, || served.log().contains(&told)), "{}", served.log());
    served.assert_lives();
}

#[test]
fn a_pooler_that_refuses_what_sessions_are_pinned_to_is_told_with_the_remedy() {
    let Some(database) = database() else { return };
    let mut pooler = PgBouncer::start_with(database.server(), PoolMode::Session, 4, &[]).unwrap();
    let url = database.url_by(pooler.port());
    // At the start.
    let (exit, _, error) = outcome(&run(&["serve", &url, "--listen", "127.0.0.1:0"]));
    assert_ne!(exit, Some(0));
    assert!(error.contains(REMEDY), "{error}");
    // Later, and again as soon as it is mended.
    pooler.restart_with(database.server(), PoolMode::Session, 4, &[PINNED]).unwrap();
    let mut served = Served::start(&url, &["--threads", "1"]);
    assert_eq!(served.ask(QUERY)["errors"], serde_json::Value::Null);
    assert!(!served.log().contains(REMEDY), "{}", served.log());
    pooler.restart_with(database.server(), PoolMode::Session, 4, &[]).unwrap();
    assert!(happens_within(PATIENCE, || code(&served.ask_any(QUERY)) == "UNAVAILABLE"));
    assert!(happens_within(PATIENCE, || served.log().contains(REMEDY)), "{}", served.log());
    // The pooler lets them pass, and the database has other forms: values would be read wrongly.
    let name = &database.texts("SELECT current_database()")[0];
    database.execute(&format!("ALTER DATABASE \"{name}\" SET bytea_output = 'escape'"));
    pooler.restart_with(database.server(), PoolMode::Session, 4, &[PINNED]).unwrap();
    let told = "set it to hex by ALTER DATABASE or ALTER ROLE";
    let is_told = || code(&served.ask_any(QUERY)) == "UNAVAILABLE" && served.log().contains(told);
    assert!(happens_within(PATIENCE, is_told), "{}", served.log());
    database.execute(&format!("ALTER DATABASE \"{name}\" RESET bytea_output"));
    pooler.restart_with(database.server(), PoolMode::Session, 4, &[PINNED]).unwrap();
    assert!(happens_within(PATIENCE, || served.ask_any(QUERY)["errors"].is_null()));
    served.assert_lives();
}
