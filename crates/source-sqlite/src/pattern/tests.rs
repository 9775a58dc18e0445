use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode};

use super::Pattern;
use crate::functions::{self, fold};
use crate::interrupt::{BYTES, Interrupt};

fn connection(interrupt: &Interrupt) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    functions::add(&connection, interrupt).unwrap();
    // SQLite's own LIKE with regard to case.
    connection.pragma_update(None, "case_sensitive_like", true).unwrap();
    connection
}

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most
    }

    fn pieces<const N: usize>(&mut self, of: [&[u8]; N], most: usize) -> Vec<u8> {
        let length = self.below(most + 1);
        (0..length).flat_map(|_| of[self.below(N)].iter().copied()).collect()
    }

    fn pattern(&mut self) -> String {
        let of: [&str; 12] =
            ["a", "b", "A", "é", "%", "%", "_", "\\%", "\\_", "\\\\", "[", "\u{20ac}"];
        String::from_utf8(self.pieces(of.map(str::as_bytes), 8)).unwrap()
    }

    /// Texts of few letters, so that many match; some of them are no UTF-8, or hold a zero byte.
    fn text(&mut self) -> Vec<u8> {
        let valid = ["a", "b", "A", "é", "%", "_", "\\", "[", "\u{20ac}", "a"].map(str::as_bytes);
        let mut text = self.pieces(valid, 10);
        if self.below(4) == 0 {
            let invalid: [&[u8]; 9] = [
                b"\x80",
                b"\xa3",
                b"\xc3",
                b"\xe9",
                b"\xff",
                b"\0",
                b"\xc0\xa9",
                b"\xe2\x82",
                b"\xf0",
            ];
            let place = self.below(text.len() + 1);
            text.splice(place..place, self.pieces(invalid, 2));
        }
        text
    }
}

#[test]
fn patterns_match_as_those_of_sqlite() {
    let connection = connection(&Interrupt::default());
    let own = "SELECT thalweg_like(CAST(?1 AS text), ?2), thalweg_like(?1, ?2)";
    let builtin = "SELECT CAST(?1 AS text) LIKE ?2 ESCAPE '\\', ?1 LIKE ?2 ESCAPE '\\'";
    let [mut own, mut builtin] = [own, builtin].map(|text| connection.prepare(text).unwrap());
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut matched = 0;
    for _ in 0..60_000 {
        let (text, pattern) = (random.text(), random.pattern());
        let read = |row: &rusqlite::Row<'_>| Ok([row.get::<_, Option<bool>>(0)?, row.get(1)?]);
        let parameters = (Value::Blob(text.clone()), &pattern);
        let expect = builtin.query_row(parameters.clone(), read).unwrap();
        assert_eq!(own.query_row(parameters, read).unwrap(), expect, "{text:x?} {pattern}");
        matched += usize::from(expect[0] == Some(true));
    }
    assert!(matched > 2_000, "{matched}");
}

#[test]
fn numbers_and_nulls_match_as_in_sqlite() {
    let connection = connection(&Interrupt::default());
    let text = "SELECT thalweg_like(?1, ?2), ?1 LIKE ?2, thalweg_like(?1, CAST(?1 AS text))";
    let mut statement = connection.prepare(text).unwrap();
    let mut random = Random(7);
    let mut check = |value: Value, pattern: Option<&str>| {
        let read = |row: &rusqlite::Row<'_>| {
            Ok([row.get::<_, Option<bool>>(0)?, row.get(1)?, row.get(2)?])
        };
        let [own, builtin, itself] = statement.query_row((&value, pattern), read).unwrap();
        assert_eq!(own, builtin, "{value:?} {pattern:?}");
        assert_eq!(itself, (value != Value::Null).then_some(true), "{value:?}");
    };
    check(Value::Null, Some("%"));
    check(Value::Text("a".into()), None);
    check(Value::Blob(b"ab".to_vec()), Some("a_"));
    for number in [0, 1, -12, i64::MAX, i64::MIN] {
        check(Value::Integer(number), Some("1%"));
    }
    for number in [0.0, -0.0, 0.1, 1.5, 1e15, 1e16, 1e17, 123e18, 1e-4, 1e-5, -2.5e-7, 1e300] {
        check(Value::Real(number), Some("%0"));
        check(Value::Real(number), Some("1%"));
    }
    for _ in 0..2_000 {
        // Of others SQLite may print another number that is next to it.
        check(Value::Real(random.below(1_000_000_000) as f64 / 1_000.0), Some("%1%"));
    }
}

/// Each letter by itself, as PostgreSQL's ILIKE compares them.
fn is_like(text: &[char], pattern: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|from| is_like(&text[from..], rest)),
        ['_', rest @ ..] => !text.is_empty() && is_like(&text[1..], rest),
        ['\\', letter, rest @ ..] | [letter, rest @ ..] => {
            *letter != '\\' && text.first() == Some(letter) && is_like(&text[1..], rest)
                || matches!(pattern, ['\\', '\\', ..])
                    && text.first() == Some(&'\\')
                    && is_like(&text[1..], rest)
        }
    }
}

#[test]
fn patterns_without_regard_to_case_match_as_those_of_postgresql() {
    let connection = connection(&Interrupt::default());
    let statement = "SELECT thalweg_like_ignoring_case(?1, ?2)";
    let mut statement = connection.prepare(statement).unwrap();
    let mut random = Random(99);
    for _ in 0..20_000 {
        let Ok(text) = String::from_utf8(random.text()) else { continue };
        let pattern = random.pattern().replace('é', "É");
        let [letters, units] = [&text, &pattern].map(|text| fold(text).chars().collect::<Vec<_>>());
        let found = statement.query_row((&text, &pattern), |row| row.get::<_, bool>(0)).unwrap();
        assert_eq!(found, is_like(&letters, &units), "{text} {pattern}");
    }
}

/// The bytes that matching processes.
fn work(text: &str, pattern: &str, expect: bool) -> usize {
    let interrupt = Interrupt::default();
    let mut work = interrupt.work();
    assert_eq!(Pattern::read(pattern).unwrap().matches(text, &mut work).unwrap(), expect);
    work.spent
}

#[test]
fn the_work_is_linear_in_the_text() {
    let text = "a".repeat(1 << 20);
    let half = "a".repeat(25_000);
    let check = |pattern: &str, expect: bool, most: usize| {
        let work = work(&text, pattern, expect);
        assert!(work <= most * text.len(), "{work}: {:.20}", pattern);
    };
    check(&["%", &half, "b", &half, "%"].concat(), false, 3);
    check(&["%", &half, "%", &half, "%"].concat(), true, 3);
    check(&["%a".repeat(1_000).as_str(), "b%"].concat(), false, 3);
    check(&"_".repeat(400_000), false, 1);
    check(&["%", &"_".repeat(4_000), "%"].concat(), true, 64);
    check(&["%", &"a_".repeat(500), "b%"].concat(), false, 16);
    check(&["%_", &"a".repeat(990), "b_%"].concat(), false, 16);
}

#[test]
fn a_part_of_many_letters_is_compared_at_each_place() {
    let text = ["x".repeat(5_000), "ab".repeat(3_000)].concat();
    let long = "_b".repeat(2_500);
    assert!(work(&text, &["%", &long, "%"].concat(), true) > 0);
    assert!(work(&text, &["%", &long, "c%"].concat(), false) > 0);
}

#[test]
fn a_call_ends_when_its_connection_is_interrupted() {
    let interrupt = Interrupt::default();
    let connection = connection(&interrupt);
    let checks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&checks);
    interrupt.when(move || counted.fetch_add(1, Ordering::Relaxed) >= 2);
    let long = "a".repeat(10 << 20);
    for (statement, pattern) in [
        ("SELECT thalweg_like(?1, ?2)", ["%", &"a".repeat(50_000), "b%"].concat()),
        ("SELECT thalweg_like(?1, ?2)", ["%_", &"a".repeat(50_000), "b%"].concat()),
        ("SELECT thalweg_like_ignoring_case(?1, ?2)", "%_b_%".into()),
    ] {
        checks.store(0, Ordering::Relaxed);
        let error = connection.query_row(statement, (&long, &pattern), |_| Ok(())).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted), "{statement}");
        assert_eq!(checks.load(Ordering::Relaxed), 3);
    }
    let list = |from: usize| {
        let numbers: Vec<String> = (from..from + 20_000).map(|number| number.to_string()).collect();
        ["[", &numbers.join(","), "]"].concat()
    };
    let keys = ["[", &"\"a\",".repeat(20_000), "\"b\"]"].concat();
    for (statement, other) in [
        ("SELECT thalweg_json_contains(?1, ?2)", list(10_000)),
        ("SELECT thalweg_json_has_any_key(?1, ?2)", keys),
    ] {
        checks.store(0, Ordering::Relaxed);
        let error = connection.query_row(statement, (list(0), &other), |_| Ok(())).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted), "{statement}");
    }
}

/// A JSON text that is the same for all rows is parsed with the first of them. Parsing of rows'
/// texts counts as work, however short they are, and ends with the interrupt.
#[test]
fn json_is_read_once_and_not_beyond_an_interrupt() {
    let interrupt = Interrupt::default();
    let connection = connection(&interrupt);
    let checks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&checks);
    let most = Arc::new(AtomicUsize::new(usize::MAX));
    let limit = Arc::clone(&most);
    interrupt
        .when(move || counted.fetch_add(1, Ordering::Relaxed) >= limit.load(Ordering::Relaxed));
    let numbers: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    let long = ["[", &numbers.join(","), "]"].concat();
    let rows = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 400)
        SELECT count(*) FROM r WHERE ";
    for condition in
        ["thalweg_json_contains(?1, '[' || n || ']')", "thalweg_json_contains('{}', ?1)"]
    {
        checks.store(0, Ordering::Relaxed);
        let statement = [rows, condition].concat();
        connection.query_row(&statement, [&long], |_| Ok(())).unwrap();
        // Each value of the list counts, where it is read and where it is compared.
        let reads = 100_000 * 16 / BYTES;
        let comparisons = 400 * 400 / 2 * 8 / BYTES;
        let checks = checks.load(Ordering::Relaxed);
        assert!(checks <= reads + comparisons + 4, "{condition}: {checks} checks");
    }
    for (statement, text) in [
        ("SELECT thalweg_json_content(?1)", &long),
        ("SELECT thalweg_json_has_key(?1, 'a')", &long),
        ("SELECT thalweg_json_contains('[]', ?1)", &long),
    ] {
        checks.store(0, Ordering::Relaxed);
        most.store(2, Ordering::Relaxed);
        let error = connection.query_row(statement, [text], |_| Ok(())).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted), "{statement}");
        assert_eq!(checks.load(Ordering::Relaxed), 3, "{statement}");
    }
    // Many short texts are as much work as a long one.
    checks.store(0, Ordering::Relaxed);
    let short = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 400)
        SELECT count(*) FROM r WHERE thalweg_fold(substr(?1, 1, 4000) || n) = 'a'";
    let error = connection.query_row(short, [&long], |_| Ok(())).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
}
