//! What SQLite databases become in the catalog.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use catalog::{
    Catalog, Entity, Field, FieldId, Generated, IndexCoverage, KeyKind, NoteKind, Scalar, Type,
};
use expect_test::{Expect, expect};
use rusqlite::Connection;
use source_sqlite::introspect::introspect;

fn check(schema: &str, expected: &Expect) {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(schema).unwrap();
    expected.assert_eq(&print(&introspect(&connection).unwrap()));
}

/// The whole catalog, one line for each thing.
fn print(catalog: &Catalog) -> String {
    let mut text = String::new();
    for entity in catalog.entities() {
        print_entity(&mut text, catalog, entity);
    }
    for note in catalog.notes() {
        writeln!(text, "{note}").unwrap();
    }
    text
}

fn print_entity(text: &mut String, catalog: &Catalog, entity: &Entity) {
    let names = |fields: &[FieldId]| {
        fields.iter().map(|field| &*catalog[*field].name).collect::<Vec<_>>().join(", ")
    };
    writeln!(text, "{:?} {}", entity.kind, catalog.qualified_name(entity.id)).unwrap();
    for field in catalog.fields_of(entity.id) {
        writeln!(text, "  {}", describe(field)).unwrap();
    }
    for key in &entity.keys {
        let kind = match key.kind {
            KeyKind::Primary => "primary",
            KeyKind::Unique => "unique",
        };
        writeln!(text, "  {kind} {} ({})", key.name, names(&key.fields)).unwrap();
    }
    for index in &entity.indexes {
        let partial = match &index.covers {
            IndexCoverage::All => "",
            IndexCoverage::NotNull(_) => " not null",
            IndexCoverage::Some => " partial",
        };
        let unique = if index.unique { " unique" } else { "" };
        writeln!(text, "  index {} ({}){unique}{partial}", index.name, names(&index.fields))
            .unwrap();
    }
    for id in &entity.outgoing {
        let relationship = &catalog[*id];
        assert!(catalog[relationship.to].incoming.contains(id));
        write!(
            text,
            "  {} ({}) -> {} ({})",
            relationship.name,
            names(&relationship.from_fields),
            catalog[relationship.to].name,
            names(&relationship.to_fields)
        )
        .unwrap();
        text.push_str(if relationship.one_to_one { " one-to-one" } else { "" });
        text.push_str(if relationship.indexed { " indexed\n" } else { "\n" });
    }
}

fn describe(field: &Field) -> String {
    let r#type = match &field.r#type {
        Type::Scalar(Scalar::Decimal { precision: Some(precision), scale: Some(scale) }) => {
            format!("Decimal({precision},{scale})")
        }
        Type::Scalar(Scalar::Decimal { .. }) => String::from("Decimal"),
        Type::Scalar(scalar) => format!("{scalar:?}"),
        other => format!("{other:?}"),
    };
    let nullable = if field.nullable { "" } else { "!" };
    let default = if field.has_default { " default" } else { "" };
    let generated = match field.generated {
        None => "",
        Some(Generated::Stored) => " generated",
        Some(Generated::IdentityAlways) => " always identity",
        Some(Generated::IdentityByDefault) => " identity",
    };
    format!("{}: {type}{nullable}{default}{generated}", field.name)
}

#[test]
fn every_feature_of_tables() {
    check(
        "CREATE TABLE writer (
             id INTEGER PRIMARY KEY AUTOINCREMENT,
             name VARCHAR(80) NOT NULL,
             handle TEXT UNIQUE,
             born DATE,
             active BOOLEAN NOT NULL DEFAULT 1,
             remark TEXT DEFAULT NULL,
             rate DECIMAL(10,2) NOT NULL DEFAULT (1.5),
             UNIQUE (name, born)
         );
         CREATE INDEX writer_name ON writer (name COLLATE NOCASE DESC, id);
         CREATE UNIQUE INDEX writer_rate ON writer (rate);
         CREATE INDEX writer_active ON writer (active) WHERE active;
         CREATE INDEX writer_lower ON writer (lower(name), born);
         CREATE TABLE text_key (code TEXT PRIMARY KEY, other INT);
         CREATE TABLE not_rowid (id INTEGER PRIMARY KEY DESC);
         CREATE TABLE composite_key (a TEXT, b BIGINT NOT NULL, c UUID, PRIMARY KEY (c, a));
         CREATE TABLE without_rowid (a TEXT, b INTEGER, PRIMARY KEY (b, a)) WITHOUT ROWID;
         CREATE TABLE without_rowid_integer (id INTEGER PRIMARY KEY) WITHOUT ROWID;
         CREATE TABLE strict_table (
             a TEXT, b INT, c REAL, d BLOB, e ANY, PRIMARY KEY (b, a)
         ) STRICT;
         CREATE TABLE strict_rowid (id INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT;
         CREATE TABLE no_key (v, body JSON);
         CREATE TABLE same_columns (a TEXT, UNIQUE (a), UNIQUE (a COLLATE NOCASE));
         CREATE TABLE computed (
             net NUMERIC(8,3) NOT NULL,
             gross NUMERIC(8,3) GENERATED ALWAYS AS (net * 1.2) STORED,
             label TEXT NOT NULL AS (net || ' net')
         );",
        &expect![[r#"
            Table composite_key
              a: Text
              b: Int64!
              c: Uuid
              primary composite_key_pkey (c, a)
            Table computed
              net: Decimal(8,3)!
              gross: Decimal(8,3) default generated
              label: Text! default generated
            Table no_key
              v: Other("any")
              body: Json
            Table not_rowid
              id: Int32
              primary not_rowid_pkey (id)
            Table same_columns
              a: Text
              unique same_columns_a_key (a)
              unique same_columns_a_key1 (a)
            Table strict_rowid
              id: Int32! default identity
              v: Text!
              primary strict_rowid_pkey (id)
            Table strict_table
              a: Text!
              b: Int32!
              c: Float64
              d: Bytes
              e: Other("any")
              primary strict_table_pkey (b, a)
            Table text_key
              code: Text
              other: Int32
              primary text_key_pkey (code)
            Table without_rowid
              a: Text!
              b: Int32!
              primary without_rowid_pkey (b, a)
            Table without_rowid_integer
              id: Int32!
              primary without_rowid_integer_pkey (id)
            Table writer
              id: Int32! default identity
              name: Text!
              handle: Text
              born: Date
              active: Boolean! default
              remark: Text
              rate: Decimal(10,2)! default
              primary writer_pkey (id)
              unique writer_handle_key (handle)
              unique writer_name_born_key (name, born)
              index writer_active (active) partial
              index writer_name (name, id)
              index writer_rate (rate) unique
            unmapped type: no_key.v: the column is declared without a type; its values are served as text. Remedy: declare a type.
            unmapped type: strict_table.e: the column is declared without a type; its values are served as text. Remedy: declare a type.
        "#]],
    );
}

#[test]
fn views_have_the_types_of_their_columns() {
    check(
        "CREATE TABLE writer (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL, rate NUMERIC(10,2));
         CREATE VIEW writer_names AS
             SELECT id, name AS \"Full Name\", rate, upper(name) AS loud, count(*) AS number,
                 CAST(id AS TEXT) AS code, CAST(rate AS REAL) AS measure, CAST(rate AS NUMERIC) AS n
             FROM writer;
         CREATE VIEW either (key) AS SELECT id FROM writer UNION SELECT name FROM writer;",
        &expect![[r#"
            View either
              key: Other("any")
            Table writer
              id: Int32! default identity
              name: Text!
              rate: Decimal(10,2)
              primary writer_pkey (id)
            View writer_names
              id: Int32
              Full Name: Text
              rate: Decimal(10,2)
              loud: Other("any")
              number: Other("any")
              code: Text
              measure: Float64
              n: Decimal
            unmapped type: either.key: SQLite tells no type of the view's column; its values are served as text. Remedy: write CAST(… AS type) around it in the view, with TEXT, INTEGER, REAL or NUMERIC.
            unmapped type: writer_names.loud: SQLite tells no type of the view's column; its values are served as text. Remedy: write CAST(… AS type) around it in the view, with TEXT, INTEGER, REAL or NUMERIC.
            unmapped type: writer_names.number: SQLite tells no type of the view's column; its values are served as text. Remedy: write CAST(… AS type) around it in the view, with TEXT, INTEGER, REAL or NUMERIC.
        "#]],
    );
}

#[test]
fn a_broken_view_is_left_out_alone() {
    check(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         CREATE VIEW a_good AS SELECT id FROM t;
         CREATE VIEW broken_column AS SELECT missing FROM t;
         CREATE VIEW broken_table AS SELECT * FROM missing;
         CREATE VIEW broken_view AS SELECT * FROM broken_table;
         CREATE VIEW good AS SELECT id FROM a_good;",
        &expect![[r#"
            View a_good
              id: Int32
            View good
              id: Int32
            Table t
              id: Int32! default identity
              primary t_pkey (id)
            left out: broken_column: SQLite cannot read the view: no such column: missing. Remedy: create what the view refers to, or drop the view.
            left out: broken_table: SQLite cannot read the view: no such table: main.missing. Remedy: create what the view refers to, or drop the view.
            left out: broken_view: SQLite cannot read the view: no such table: main.missing. Remedy: create what the view refers to, or drop the view.
        "#]],
    );
}

#[test]
fn foreign_keys_in_the_order_of_declaration() {
    check(
        "CREATE TABLE Country (code TEXT PRIMARY KEY) WITHOUT ROWID;
         CREATE TABLE city (country TEXT REFERENCES COUNTRY, name TEXT, PRIMARY KEY (country, name));
         CREATE TABLE coded (id INTEGER PRIMARY KEY, code TEXT);
         CREATE UNIQUE INDEX coded_code ON coded (code);
         CREATE TABLE person (
             id INTEGER PRIMARY KEY REFERENCES person (ID),
             born_country TEXT,
             born_city TEXT,
             boss INT REFERENCES person ON DELETE CASCADE,
             code TEXT REFERENCES coded (code),
             twin INT UNIQUE REFERENCES PERSON (id),
             FOREIGN KEY (born_city, born_country) REFERENCES city (NAME, Country),
             FOREIGN KEY (born_country, born_city) REFERENCES city,
             FOREIGN KEY (code) REFERENCES country (code)
         );
         CREATE INDEX person_born ON person (born_city, born_country);
         CREATE INDEX person_boss ON person (boss) WHERE boss > 1;",
        &expect![[r#"
            Table Country
              code: Text!
              primary Country_pkey (code)
            Table city
              country: Text
              name: Text
              primary city_pkey (country, name)
              city_country_fkey (country) -> Country (code) indexed
            Table coded
              id: Int32! default identity
              code: Text
              primary coded_pkey (id)
              index coded_code (code) unique
            Table person
              id: Int32! default identity
              born_country: Text
              born_city: Text
              boss: Int32
              code: Text
              twin: Int32
              primary person_pkey (id)
              unique person_twin_key (twin)
              index person_born (born_city, born_country)
              index person_boss (boss) partial
              person_id_fkey (id) -> person (id) one-to-one indexed
              person_boss_fkey (boss) -> person (id)
              person_code_fkey (code) -> coded (code)
              person_twin_fkey (twin) -> person (id) one-to-one indexed
              person_born_city_born_country_fkey (born_city, born_country) -> city (name, country) indexed
              person_born_country_born_city_fkey (born_country, born_city) -> city (country, name) indexed
              person_code_fkey1 (code) -> Country (code)
            unindexed foreign key: person (boss): the foreign key person_boss_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "person_boss_idx" ON "person" ("boss");
            unindexed foreign key: person (code): the foreign key person_code_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "person_code_idx" ON "person" ("code");
            unindexed foreign key: person (code): the foreign key person_code_fkey1 has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "person_code_idx" ON "person" ("code");
        "#]],
    );
}

#[test]
fn a_foreign_key_that_refers_to_no_key_is_left_out_alone() {
    check(
        "CREATE TABLE parent (a INT, b INT, c INT, PRIMARY KEY (a, b));
         CREATE UNIQUE INDEX parent_c ON parent (c) WHERE c > 0;
         CREATE UNIQUE INDEX parent_expression ON parent (c + 1);
         CREATE TABLE no_key (a INT);
         CREATE VIEW seen AS SELECT a FROM parent;
         CREATE VIRTUAL TABLE words USING fts5 (word);
         CREATE TABLE child (
             a INT REFERENCES missing (a),
             b INT REFERENCES parent (missing),
             c INT REFERENCES parent (c),
             d INT REFERENCES parent,
             e INT REFERENCES no_key,
             f INT REFERENCES seen (a),
             g INT REFERENCES words (word),
             h INT,
             FOREIGN KEY (g, h) REFERENCES parent (b, a),
             FOREIGN KEY (g, h) REFERENCES parent (a, a)
         );",
        &expect![[r#"
            Table child
              a: Int32
              b: Int32
              c: Int32
              d: Int32
              e: Int32
              f: Int32
              g: Int32
              h: Int32
              child_g_h_fkey (g, h) -> parent (b, a)
            Table no_key
              a: Int32
            Table parent
              a: Int32
              b: Int32
              c: Int32
              primary parent_pkey (a, b)
              index parent_c (c) unique partial
            View seen
              a: Int32
            left out: words: a virtual table is not served. Remedy: create a view over words.
            left out: child (a): the foreign key refers to missing, which is not there. Remedy: create missing, or drop the foreign key.
            left out: child (b): the foreign key refers to parent.missing, which is not there. Remedy: let the foreign key refer to a key of parent.
            left out: child (c): the foreign key refers to parent (c), which is no key. Remedy: create a unique index on parent (c).
            left out: child (d): the primary key of parent has another number of columns. Remedy: let the foreign key refer to a key of parent.
            left out: child (e): the foreign key means the primary key of no_key, which has none. Remedy: name the columns of no_key that it refers to, or declare its primary key.
            left out: child (f): the foreign key refers to seen, which is not a table that is served. Remedy: let the foreign key refer to a table.
            left out: child (g): the foreign key refers to words, which is not a table that is served. Remedy: let the foreign key refer to a table.
            left out: child (g, h): the foreign key refers to parent (a, a), which is no key. Remedy: create a unique index on parent (a, a).
            unindexed foreign key: child (g, h): the foreign key child_g_h_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "child_g_h_idx" ON "child" ("g", "h");
        "#]],
    );
}

#[test]
fn virtual_tables_are_left_out_and_what_holds_their_data_is_not_mentioned() {
    check(
        "CREATE VIRTUAL TABLE words USING fts5 (word);
         CREATE VIRTUAL TABLE areas USING rtree (id, low, high);
         CREATE VIEW found AS SELECT rowid AS id, word FROM words;
         CREATE TABLE words_of_mine (id INTEGER PRIMARY KEY);",
        &expect![[r#"
            View found
              id: Int32
              word: Other("any")
            Table words_of_mine
              id: Int32! default identity
              primary words_of_mine_pkey (id)
            left out: areas: a virtual table is not served. Remedy: create a view over areas.
            left out: words: a virtual table is not served. Remedy: create a view over words.
            unmapped type: found.word: SQLite tells no type of the view's column; its values are served as text. Remedy: write CAST(… AS type) around it in the view, with TEXT, INTEGER, REAL or NUMERIC.
        "#]],
    );
}

#[test]
fn names_are_kept_as_they_are() {
    check(
        "CREATE TABLE \"a \"\"quoted\"\" name\" (\"it's\" TEXT, \"semi;colon\" INT PRIMARY KEY);
         CREATE TABLE \"select\" (\"from\" INTEGER PRIMARY KEY, \"where\" TEXT UNIQUE);
         CREATE TABLE \"Größe\" (\"größe\" TEXT, \"GRÖSSE\" TEXT, \"日本\" INT REFERENCES \"SELECT\");
         CREATE TABLE \" \" (\"\" INT UNIQUE, [b r] INT, `tick` INT);
         CREATE TABLE Zebra (ID INTEGER PRIMARY KEY, Name TEXT);
         CREATE TABLE ant (zebra_id INT REFERENCES zebra (id), \"%s\" TEXT, \"a.b\" TEXT);
         CREATE TABLE sqlitex (id INT);
         CREATE INDEX \"odd \"\"index\"\"\" ON zebra (NAME);
         CREATE TRIGGER zebra AFTER INSERT ON ant BEGIN SELECT 1; END;",
        &expect![[r#"
            Table  
              : Int32
              b r: Int32
              tick: Int32
              unique  __key ()
            Table Größe
              größe: Text
              GRÖSSE: Text
              日本: Int32
              Größe_日本_fkey (日本) -> select (from)
            Table Zebra
              ID: Int32! default identity
              Name: Text
              primary Zebra_pkey (ID)
              index odd "index" (Name)
            Table a "quoted" name
              it's: Text
              semi;colon: Int32
              primary a "quoted" name_pkey (semi;colon)
            Table ant
              zebra_id: Int32
              %s: Text
              a.b: Text
              ant_zebra_id_fkey (zebra_id) -> Zebra (ID)
            Table select
              from: Int32! default identity
              where: Text
              primary select_pkey (from)
              unique select_where_key (where)
            Table sqlitex
              id: Int32
            unindexed foreign key: Größe (日本): the foreign key Größe_日本_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "Größe_日本_idx" ON "Größe" ("日本");
            unindexed foreign key: ant (zebra_id): the foreign key ant_zebra_id_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "ant_zebra_id_idx" ON "ant" ("zebra_id");
        "#]],
    );
}

#[test]
fn types_that_say_nothing_are_noted() {
    check(
        "CREATE TABLE odd (a, b ANY, c STRING, d MONEY, e NUMBER, f POINT, g LONGTEXT, h [decimal](10,2));",
        &expect![[r#"
            Table odd
              a: Other("any")
              b: Other("any")
              c: Decimal
              d: Decimal
              e: Decimal
              f: Int32
              g: Text
              h: Decimal(10,2)
            unmapped type: odd.a: the column is declared without a type; its values are served as text. Remedy: declare a type.
            unmapped type: odd.b: the column is declared without a type; its values are served as text. Remedy: declare a type.
            unmapped type: odd.c: the type STRING is not known; by SQLite's affinity rules it is a decimal number. Remedy: declare one of the usual types, such as TEXT or NUMERIC.
            unmapped type: odd.d: the type MONEY is not known; by SQLite's affinity rules it is a decimal number. Remedy: declare one of the usual types, such as TEXT or NUMERIC.
        "#]],
    );
}

#[test]
fn only_the_main_schema_is_read() {
    check(
        "CREATE TABLE t (id INTEGER PRIMARY KEY);
         CREATE TEMP TABLE t (other TEXT);
         CREATE TEMP TABLE only_temporary (id INT);
         ATTACH ':memory:' AS second;
         CREATE TABLE second.t (third TEXT);
         CREATE TABLE second.only_attached (id INT);
         CREATE TABLE child (t INT REFERENCES t);",
        &expect![[r#"
            Table child
              t: Int32
              child_t_fkey (t) -> t (id)
            Table t
              id: Int32! default identity
              primary t_pkey (id)
            unindexed foreign key: child (t): the foreign key child_t_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "child_t_idx" ON "child" ("t");
        "#]],
    );
}

#[test]
fn a_transaction_that_is_open_is_read_and_left_open() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("BEGIN; CREATE TABLE t (id INTEGER PRIMARY KEY);").unwrap();
    let catalog = introspect(&connection).unwrap();
    assert_eq!(print(&catalog), "Table t\n  id: Int32! default identity\n  primary t_pkey (id)\n");
    assert!(!connection.is_autocommit());
    connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(print(&introspect(&connection).unwrap()), "");
    assert!(connection.is_autocommit());
}

#[test]
fn a_change_by_another_connection_is_seen() {
    let directory = tempdir();
    let file = directory.join("changed.db");
    let reader = Connection::open(&file).unwrap();
    assert_eq!(print(&introspect(&reader).unwrap()), "");
    let writer = Connection::open(&file).unwrap();
    writer.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY)").unwrap();
    let seen = print(&introspect(&reader).unwrap());
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(seen, "Table t\n  id: Int32! default identity\n  primary t_pkey (id)\n");
}

#[test]
fn a_file_that_is_no_database_is_an_error() {
    let directory = tempdir();
    let file = directory.join("text.db");
    std::fs::write(&file, "This is a text, and it is longer than a header. ".repeat(40)).unwrap();
    let error = introspect(&Connection::open(&file).unwrap()).unwrap_err();
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(
        error.to_string(),
        "the tables of the database could not be read: file is not a database"
    );
}

/// The time must grow with the number of tables, not with its square. More tables would take SQLite
/// long to create: it reads its whole schema for each.
#[test]
fn two_thousand_tables_take_less_than_two_seconds() {
    let connection = Connection::open_in_memory().unwrap();
    let mut schema = String::from("BEGIN;");
    for number in 0..2_000 {
        let parent = number / 2;
        write!(
            schema,
            "CREATE TABLE t{number} (
                 id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name VARCHAR(80), born DATE,
                 rate DECIMAL(10,2), active BOOLEAN, body JSON, made TIMESTAMP,
                 parent INT REFERENCES t{parent}, other INT REFERENCES t{parent} (id)
             );
             CREATE INDEX t{number}_parent ON t{number} (parent);"
        )
        .unwrap();
    }
    schema.push_str("CREATE VIEW broken AS SELECT * FROM missing; COMMIT;");
    connection.execute_batch(&schema).unwrap();
    let start = Instant::now();
    let catalog = introspect(&connection).unwrap();
    let elapsed = start.elapsed();
    println!("2,000 tables in {elapsed:?}");
    assert_eq!((catalog.entities().count(), catalog.relationships().count()), (2_000, 4_000));
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
}

/// A directory of this test's own.
fn tempdir() -> std::path::PathBuf {
    static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("thalweg-introspect-{}-{number}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn a_foreign_key_that_is_declared_twice_is_one() {
    check(
        "CREATE TABLE p (id INTEGER PRIMARY KEY);
         CREATE TABLE c (
           id INTEGER PRIMARY KEY, p_id INTEGER REFERENCES p (id), q INTEGER REFERENCES p,
           FOREIGN KEY (p_id) REFERENCES p (id)
         );",
        &expect![[r#"
            Table c
              id: Int32! default identity
              p_id: Int32
              q: Int32
              primary c_pkey (id)
              c_p_id_fkey (p_id) -> p (id)
              c_q_fkey (q) -> p (id)
            Table p
              id: Int32! default identity
              primary p_pkey (id)
            left out: c (p_id): the foreign key says what c_p_id_fkey says. Remedy: declare one of the two only.
            unindexed foreign key: c (p_id): the foreign key c_p_id_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "c_p_id_idx" ON "c" ("p_id");
            unindexed foreign key: c (q): the foreign key c_q_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "c_q_idx" ON "c" ("q");
        "#]],
    );
}

#[test]
fn an_index_over_what_is_not_null_serves_the_way_back() {
    check(
        "CREATE TABLE p (id INTEGER PRIMARY KEY);
         CREATE TABLE c (
           id INTEGER PRIMARY KEY, a INTEGER REFERENCES p, b INTEGER REFERENCES p,
           d TEXT COLLATE NOCASE
         );
         CREATE INDEX c_a ON c (a) WHERE a IS NOT NULL;
         CREATE INDEX c_b ON c (b) WHERE a IS NOT NULL;
         CREATE UNIQUE INDEX c_d ON c (d COLLATE BINARY);",
        &expect![[r#"
            Table c
              id: Int32! default identity
              a: Int32
              b: Int32
              d: Text
              primary c_pkey (id)
              index c_a (a) not null
              index c_b (b) not null
              index c_d (d)
              c_a_fkey (a) -> p (id) indexed
              c_b_fkey (b) -> p (id)
            Table p
              id: Int32! default identity
              primary p_pkey (id)
            unindexed foreign key: c (b): the foreign key c_b_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX "c_b_idx" ON "c" ("b");
        "#]],
    );
}

/// Where other things have the usual names of indexes, and names have to be quoted.
#[test]
fn the_statements_of_notes_make_the_indexes() {
    let connection = Connection::open_in_memory().unwrap();
    let schema = "CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (a INTEGER REFERENCES p, \"b \"\"x\" INTEGER REFERENCES p);
        CREATE TABLE C_A_IDX (id INTEGER PRIMARY KEY);
        CREATE TABLE \"c_a\" (idx INTEGER REFERENCES p);
        CREATE INDEX c_a_idx1 ON p (id);";
    connection.execute_batch(schema).unwrap();
    let unindexed = || -> Vec<String> {
        let catalog = introspect(&connection).unwrap();
        let notes = catalog.notes().iter();
        let notes = notes.filter(|note| note.kind == NoteKind::UnindexedRelationship);
        notes.map(|note| note.remedy.to_string()).collect()
    };
    let found = unindexed();
    assert_eq!(found.len(), 3, "{found:?}");
    connection.execute_batch(&found.concat()).unwrap();
    assert_eq!(unindexed(), [""; 0]);
}
