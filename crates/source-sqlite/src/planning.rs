//! Query planning: the time at which SQLite plans a statement.
//!
//! By itself SQLite plans a statement again whenever it is bound with another value that may affect
//! the plan, and after each request, when its bindings are cleared. That costs more than most
//! statements, and a statement that runs for each row of the level above is bound all the time.

use catalog::{Catalog, Index};
use relational::{ParameterKind, Program};

use super::bind::is_glob;

/// The time at which a statement is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Planning {
    /// When it is prepared: one plan for all values.
    #[default]
    Once,
    /// Each time for the values that it is bound with.
    ByValues,
}

impl Planning {
    /// The best planning for a program, in a file with or without partial indexes.
    pub(super) fn of(program: &Program, partial_indexes: bool) -> Self {
        let parameters = program.levels.iter().flat_map(|level| &level.parameters);
        let mut kinds = parameters.map(|parameter| parameter.kind);
        match partial_indexes || kinds.any(finds_by_value) {
            true => Self::ByValues,
            false => Self::Once,
        }
    }
}

/// Whether a file has partial indexes, which serve some values only.
pub(super) fn has_partial_indexes(catalog: &Catalog) -> bool {
    catalog.entities().any(|entity| entity.indexes.iter().any(Index::is_partial))
}

/// A pattern with a constant prefix is looked up in an index, if it is known.
fn finds_by_value(kind: ParameterKind) -> bool {
    match kind {
        ParameterKind::Pattern { r#match, case, .. } => is_glob(r#match, case),
        ParameterKind::PatternPrefix { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use rusqlite::{Connection, StatementStatus};

    use ir::Case;

    use super::*;
    use crate::connection::{Cache, OpenFile};

    const ROWS: &str =
        "CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER, name TEXT, label TEXT);
        CREATE VIEW shown AS SELECT id, name FROM album;
        CREATE INDEX album_artist ON album (artist);
        CREATE INDEX album_name ON album (name);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO album SELECT i, i % 50, 'album ' || i, '' FROM n;
        ANALYZE;";

    /// A file of a test, until its end.
    struct File(PathBuf);

    impl File {
        fn new(name: &str) -> Self {
            let name = format!("thalweg-planning-{}-{name}", std::process::id());
            let file = Self(std::env::temp_dir().join(name));
            Connection::open(&file.0).unwrap().execute_batch(ROWS).unwrap();
            file
        }

        fn open(&self, planning: Planning) -> OpenFile {
            let mut file = OpenFile::open(&self.0, Duration::ZERO, Cache::Default).unwrap();
            file.plan(planning).unwrap();
            file
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            drop(std::fs::remove_file(&self.0));
        }
    }

    /// The counter after ten requests with different values, in any order.
    fn count(file: &OpenFile, text: &str, prefix: &str, status: StatementStatus) -> i32 {
        let ask = |value: i32| {
            let mut statement = file.connection.prepare_cached(text).unwrap();
            statement.raw_bind_parameter(1, format!("{prefix}{value}")).unwrap();
            let mut rows = statement.raw_query();
            while rows.next().unwrap().is_some() {}
            drop(rows);
            statement.get_status(status)
        };
        (0..10).map(ask).last().unwrap()
    }

    #[test]
    fn a_statement_that_is_planned_once_keeps_its_plan() {
        let file = File::new("once");
        let text = "SELECT name FROM album WHERE artist = ?1 ORDER BY id LIMIT 20";
        let planned = |planning| count(&file.open(planning), text, "", StatementStatus::RePrepare);
        assert_eq!(planned(Planning::Once), 0);
        assert!(planned(Planning::ByValues) >= 9);
    }

    #[test]
    fn the_beginning_of_a_pattern_is_looked_up_if_it_is_known() {
        let file = File::new("pattern");
        let text = "SELECT id FROM album WHERE name GLOB ?1 || ''";
        let steps = |planning, text| {
            count(&file.open(planning), text, "album 1", StatementStatus::FullscanStep)
        };
        assert!(steps(Planning::ByValues, text) > 1_000);
        let text = "SELECT id FROM album WHERE name GLOB ?1";
        assert!(steps(Planning::Once, text) > 1_000);
        assert_eq!(steps(Planning::ByValues, text), 0);
    }

    /// The statement of a request for the albums whose field matches.
    fn statement(entity: &str, field: &str, r#match: ir::TextMatch) -> String {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(ROWS).unwrap();
        statement_of(&connection, entity, field, r#match)
    }

    fn statement_of(
        connection: &Connection,
        entity: &str,
        field: &str,
        r#match: ir::TextMatch,
    ) -> String {
        let catalog = crate::introspect::introspect(connection).unwrap();
        let entity = catalog.find_entity(None, entity).unwrap().id;
        let place = ir::ValueRef::field(catalog.find_field(entity, field).unwrap().id);
        let operand = ir::Operand::Variable { slot: ir::Slot(0), path: Vec::new() };
        let rows = ir::Rows {
            id: ir::RowsId(0),
            from: ir::From::Entity(entity),
            filter: ir::Filter::Text { place, r#match, case: Case::AsTyped, operand },
            order: Vec::new(),
            page: ir::Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs: Vec::new(),
        };
        let read = ir::Step::new(ir::StepId(0), 0, ir::StepKind::Read(rows));
        let isolation = ir::Isolation::Snapshot;
        let transactions = vec![ir::Transaction { isolation, steps: vec![read] }];
        let request = ir::Request { transactions, rows: 1, ..ir::Request::default() };
        let strategy = relational::Strategy::Nested;
        let program =
            relational::compile(&catalog, &request, sql::Flavor::SQLITE, strategy).unwrap();
        program.levels[0].text.to_string()
    }

    #[test]
    fn what_a_pattern_begins_with_is_looked_up_if_an_index_may_find_it() {
        use ir::TextMatch::{Includes, Like, StartsWith};
        let check = |entity: &str, field: &str, r#match, condition: &str| {
            let statement = statement(entity, field, r#match);
            assert!(statement.ends_with(condition), "{statement}");
        };
        let both = "WHERE t0.\"name\" GLOB ?2 AND \"thalweg_like\"(t0.\"name\", ?1)";
        check("album", "name", Like, both);
        // The row that it refers to is indexed.
        check("shown", "name", Like, both);
        check("album", "name", StartsWith, "WHERE t0.\"name\" GLOB ?1");
        check("album", "label", StartsWith, "WHERE t0.\"label\" GLOB ?1");
        check("album", "name", Includes, "WHERE \"thalweg_like\"(t0.\"name\", ?1)");
        check("album", "label", Like, "WHERE \"thalweg_like\"(t0.\"label\", ?1)");
        let file = File::new("like");
        for entity in ["album", "shown"] {
            // The same value for both parameters: the letters before the wildcard.
            let text = statement(entity, "name", Like).replace("?2", "?1 || ''");
            let steps = |text: &str| {
                let file = file.open(Planning::ByValues);
                count(&file, text, "album 1", StatementStatus::FullscanStep)
            };
            assert!(steps(&text) > 1_000, "{text}");
            assert_eq!(steps(&text.replace("?1 || ''", "?1")), 0, "{text}");
        }
    }

    #[test]
    fn tables_of_words_return_the_rows_that_are_searched() {
        use ir::TextMatch::{AllStems, AllTerms, AnyStemSequence, Re2};
        let connection = Connection::open_in_memory().unwrap();
        crate::functions::add(&connection, &crate::interrupt::Interrupt::default()).unwrap();
        let mut text = String::from("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);");
        for (name, tokens) in
            [("words", "unicode61"), ("stems", "porter unicode61"), ("trigrams", "trigram")]
        {
            text += &format!(
                "CREATE VIRTUAL TABLE \"thalweg_note_body_{name}\" USING fts5(\"body\", \
                 content='note', content_rowid='id', tokenize='{tokens}');"
            );
        }
        text += "WITH RECURSIVE own (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM own LIMIT 2000)
            INSERT INTO note SELECT id, 'maps of town ' || id FROM own;";
        for name in ["words", "stems", "trigrams"] {
            let table = format!("\"thalweg_note_body_{name}\"");
            text += &format!("INSERT INTO {table} ({table}) VALUES ('rebuild');");
        }
        connection.execute_batch(&text).unwrap();
        let check = |r#match, operand: &str, query: Option<&str>| {
            let text = statement_of(&connection, "note", "body", r#match);
            let mut statement = connection.prepare(&text).unwrap();
            let mut rows = statement.query((query, operand)).unwrap();
            let mut found = 0;
            while rows.next().unwrap().is_some() {
                found += 1;
            }
            drop(rows);
            assert_eq!(found, 1, "{text}");
            statement.get_status(StatementStatus::FullscanStep)
        };
        assert_eq!(check(AllTerms, "MAPS 1234", Some("\"maps\" AND \"1234\"")), 0);
        assert_eq!(check(AllStems, "map 1234", Some("\"map\" AND \"1234\"")), 0);
        let query = Some("(\"mapped\" AND \"town\" AND \"1234\")");
        assert_eq!(check(AnyStemSequence, "mapped town 1234", query), 0);
        assert_eq!(check(Re2, "/town 1234$/", Some("(\"town 1234\")")), 0);
        assert!(check(AllTerms, "1234", None) > 1_000);
    }

    #[test]
    fn patterns_and_partial_indexes_are_planned_by_values() {
        use crate::introspect::introspect;
        use relational::{Strategy, compile};
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(ROWS).unwrap();
        assert!(!has_partial_indexes(&introspect(&connection).unwrap()));
        connection.execute_batch("CREATE INDEX few ON album (name) WHERE artist = 7").unwrap();
        let catalog = introspect(&connection).unwrap();
        assert!(has_partial_indexes(&catalog));
        let nothing = ir::Request::default();
        let program = compile(&catalog, &nothing, sql::Flavor::SQLITE, Strategy::Nested).unwrap();
        assert_eq!(Planning::of(&program, false), Planning::Once);
        assert_eq!(Planning::of(&program, true), Planning::ByValues);
        let against = relational::Against::Field(catalog::FieldId::new(2));
        let pattern =
            |case| ParameterKind::Pattern { against, r#match: ir::TextMatch::StartsWith, case };
        assert!(finds_by_value(pattern(Case::AsTyped)));
        assert!(finds_by_value(ParameterKind::PatternPrefix { against }));
        assert!(!finds_by_value(pattern(Case::Ignored)));
        assert!(!finds_by_value(ParameterKind::Text));
    }
}
