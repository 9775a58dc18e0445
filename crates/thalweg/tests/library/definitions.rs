//! Dialects with type definitions, and those that have none.

use thalweg::{Options, OptionsError, Thalweg};

use crate::databases::{Database, answer};
use crate::type_definitions::options_of_definitions;

const NOTES: &str = "type Note { id: ID! text: String! }";

#[tokio::test]
async fn type_definitions_make_the_tables_of_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let options = options_of_definitions(file.to_str().unwrap(), NOTES).unwrap();
    let thalweg = Thalweg::open(options).await.unwrap();
    let add = r#"mutation { addNote(input: [{ text: "Read" }]) { numUids } }"#;
    assert_eq!(answer(&thalweg, add).await, r#"{"data":{"addNote":{"numUids":1}}}"#);
    thalweg.reload().await.unwrap();
    assert_eq!(
        answer(&thalweg, "{ queryNote { text } }").await,
        r#"{"data":{"queryNote":[{"text":"Read"}]}}"#
    );
    let mistake = options_of_definitions("notes.db", "type Note { text: Texts }").unwrap_err();
    assert!(mistake.to_string().contains("Texts"), "{mistake}");
}

#[test]
fn a_dialect_that_needs_type_definitions_says_so() {
    let error = Options::new("notes.db", "dgraph").unwrap_err();
    assert!(matches!(error, OptionsError::Definitions(_)));
    assert_eq!(
        error.to_string(),
        "`dgraph` needs type definitions: give the dialect with them to `Options::of`, and set \
         `engine.schema_first`"
    );
}

#[tokio::test]
async fn the_datamodel_of_prisma_is_made_of_the_tables() {
    for database in Database::each() {
        let options = Options::new(&database.address(), "prisma").unwrap();
        let thalweg = Thalweg::open(options).await.unwrap();
        assert!(thalweg.schema().contains("title: String!"), "{}", thalweg.schema());
        assert_eq!(answer(&thalweg, "{ __typename }").await, r#"{"data":{"__typename":"Query"}}"#);
    }
}
