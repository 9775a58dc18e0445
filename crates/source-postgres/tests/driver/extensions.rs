//! Extensions that a migration can use: installed ones and those that it can create, if their version
//! is new enough.

#![allow(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

use source::{ExtensionState, MigrationAccess, Timeouts};
use source_postgres::migrate::PostgresMigration;
use testkit::postgres::{required_installations, shared};

#[test]
fn an_extension_that_is_too_old_cannot_be_used() {
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("extension_states").unwrap();
        let url = server.url("extension_states");
        let state = |name: &str, oldest: &[i32]| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let state = async {
                let (access, timeouts) = (MigrationAccess::Read, Timeouts::default());
                let migration = PostgresMigration::begin(&url, "public", access, timeouts).await?;
                migration.extension(name, oldest).await
            };
            runtime.unwrap().block_on(state).unwrap()
        };
        assert_eq!(state("pg_trgm", &[]), ExtensionState::Creatable);
        assert_eq!(state("pg_trgm", &[1, 3]), ExtensionState::Creatable);
        assert_eq!(state("pg_trgm", &[10]), ExtensionState::Missing);
        assert_eq!(state("no_such_extension", &[]), ExtensionState::Missing);
        server.execute("extension_states", "create extension pg_trgm version '1.3'").unwrap();
        assert_eq!(state("pg_trgm", &[]), ExtensionState::Installed);
        assert_eq!(state("pg_trgm", &[1, 3]), ExtensionState::Installed);
        // It could be updated, which a migration leaves to the database's owner.
        assert_eq!(state("pg_trgm", &[1, 4]), ExtensionState::Missing);
        server.drop_database("extension_states").unwrap();
    }
}
