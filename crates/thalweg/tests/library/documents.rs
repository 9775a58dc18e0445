//! The manual shows code that is compiled here.

use std::fs;
use std::path::Path;

use crate::databases::Database;
use crate::first;

#[tokio::test]
async fn the_code_of_the_manual_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/library.md");
    let page = fs::read_to_string(page).unwrap();
    let shown = [
        include_str!("first.rs"),
        include_str!("type_definitions.rs"),
        include_str!("../../../../examples/axum/src/main.rs"),
    ];
    for code in shown {
        assert!(page.contains(code), "docs/library.md shows other code than:\n{code}");
    }
    let database = Database::sqlite();
    database
        .execute("CREATE TABLE album (title text PRIMARY KEY); INSERT INTO album VALUES ('A');");
    first::print_albums(&database.address()).await.unwrap();
}
