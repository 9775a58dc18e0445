//! Files of programs that have collations and functions of their own, as Anki and Calibre: what needs
//! them is told by `thalweg check` and at the start, and answered with an error that says so.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use serde_json::Value;

use crate::program::{Folder, Server, outcome, run};

const FILE: &str = "
    CREATE TABLE deck (id integer PRIMARY KEY, name text NOT NULL COLLATE unicase, size int);
    CREATE TABLE tag (tag text PRIMARY KEY COLLATE unicase, uses int) WITHOUT ROWID;
    CREATE TABLE book (id integer PRIMARY KEY, title text, sort text);
    CREATE INDEX book_sort ON book (sort COLLATE unicase);
    CREATE TRIGGER book_sorted AFTER INSERT ON book
        BEGIN UPDATE book SET sort = title_sort(new.title) WHERE id = new.id; END;
    CREATE TABLE shelf (id integer PRIMARY KEY, name text CHECK (title_sort(name) IS NOT NULL));
    CREATE TABLE plain (id integer PRIMARY KEY, word text COLLATE NOCASE);
    CREATE VIEW listed AS SELECT id, title_sort(title) AS title FROM book;
    INSERT INTO deck VALUES (1, 'Default', 1), (2, 'abc', 2);
    INSERT INTO tag VALUES ('x', 1);
    INSERT INTO book (id, title) VALUES (1, 'The End');
    INSERT INTO plain VALUES (1, 'a');";

fn file(folder: &Folder) -> String {
    let path = folder.file("other.db");
    let connection = Connection::open(&path).unwrap();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let sort = |arguments: &rusqlite::functions::Context<'_>| arguments.get::<String>(0);
    connection.create_scalar_function("title_sort", 1, flags, sort).unwrap();
    // A file keeps the name of a collation only, so that another one can stand there.
    let foreign = "PRAGMA writable_schema = 1;
        UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE unicase', 'COLLATE unicase');";
    connection.execute_batch(&FILE.replace("unicase", "rtrim")).unwrap();
    connection.execute_batch(&foreign.replacen("unicase", "rtrim", 1)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What is found, as `check` and the start tell it.
const FOUND: [&str; 5] = [
    "deck: it uses the collation unicase, which this process does not have: filters and orders by its \
     columns, and changes, fail.",
    "tag: it uses the collation unicase, ",
    "book (index book_sort): it uses the collation unicase, ",
    "book (trigger book_sorted): it uses the function title_sort, which this process does not have: \
     changes that run it fail.",
    "shelf: it uses the function title_sort, ",
];

#[test]
fn what_only_another_program_has_is_told_and_answered_with_an_error_that_says_so() {
    let folder = Folder::new();
    let file = file(&folder);
    let (_, found, _) = outcome(&run(&["check", &file]));
    let mut server =
        Server::start(&["serve", &file, "--listen", "127.0.0.1:0", "--connection-filter"]);
    for told in FOUND {
        assert!(found.contains(told), "{told} is missing in {found}");
        assert!(server.said.contains(told), "{told} is missing in {}", server.said);
    }
    for text in [&found, &server.said] {
        assert!(!text.contains("plain"), "{text}");
    }
    assert!(found.contains("listed: SQLite cannot read the view"), "{found}");
    let ask =
        |query: &str| -> Value { serde_json::from_str(&server.query("", query).body).unwrap() };
    // What needs nothing of it is answered.
    for query in [
        "{ allDecks { nodes { id name } } }",
        "{ deckById(id: 1) { name size } }",
        "{ allBooks(orderBy: TITLE_ASC) { nodes { title sort } } }",
        "{ allPlains(orderBy: WORD_ASC) { nodes { word } } }",
        "mutation { updateDeckById(input: {id: 1, deckPatch: {size: 5}}) { deck { size } } }",
        "mutation { createPlain(input: {plain: {word: \"b\"}}) { plain { word } } }",
    ] {
        let answer = ask(query);
        assert!(answer["errors"].is_null(), "{query}: {answer}");
    }
    let message = "The data source needs a function or a collation that this server does not have; \
                   `thalweg check` names it.";
    for query in [
        "{ allDecks(orderBy: NAME_ASC) { nodes { id } } }",
        "{ allDecks(filter: {name: {equalTo: \"abc\"}}) { nodes { id } } }",
        "{ allDecks(condition: {name: \"abc\"}) { nodes { id } } }",
        "{ allTags { nodes { tag } } }",
        "{ tagByTag(tag: \"x\") { uses } }",
        "mutation { createBook(input: {book: {title: \"The x\"}}) { book { id } } }",
        "mutation { createShelf(input: {shelf: {name: \"x\"}}) { shelf { id } } }",
        "mutation { createTag(input: {tag: {tag: \"z\"}}) { tag { uses } } }",
    ] {
        let answer = ask(query);
        let error = &answer["errors"][0];
        assert_eq!(
            (&error["message"], &error["extensions"]["code"]),
            (&message.into(), &"NOT_SUPPORTED".into()),
            "{query}: {answer}"
        );
    }
    server.signal("TERM");
    let log = server.rest_of_log();
    for reason in ["no such collation sequence: unicase", "title_sort"] {
        assert!(log.contains(reason), "{log}");
    }
}
