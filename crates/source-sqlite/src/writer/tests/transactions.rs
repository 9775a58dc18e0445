//! The transactions of a request that runs alone.

use super::*;

#[test]
fn what_was_changed_is_read_in_the_same_transaction() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    let write = request.write("INSERT INTO t (id) VALUES (1), (2) RETURNING id, 10 * id", &[]);
    let again = request.read(
        Parents::Returned { write },
        None,
        "SELECT r.id, (SELECT count(*) FROM t) FROM (SELECT ?1 AS id) AS r",
    );
    let below = request.read(
        Parents::Bound,
        Some(again),
        "SELECT 100 * t.id FROM t WHERE t.id <= ?1 ORDER BY t.id",
    );
    request.end(None);
    let file = place.open();
    let (program, changed) = request.run(&file);
    assert_eq!(kinds(&changed), []);
    let mut top = GatheredCursor::new(&program, &changed.bound, &changed.gathered);
    let mut written = top.open(write).unwrap();
    let mut tens = Vec::new();
    while written.next().unwrap() {
        tens.push(format!("{:?}", written.value(1)));
    }
    assert_eq!(tens, ["Integer(10)", "Integer(20)"]);
    // The same rows can be read repeatedly.
    for _ in 0..2 {
        let mut rows = top.open(again).unwrap();
        let mut answer = Vec::new();
        while rows.next().unwrap() {
            assert_eq!(rows.value(1), Value::Integer(2));
            let mut children = rows.open(below).unwrap();
            while children.next().unwrap() {
                answer.push((children.row_number(), format!("{:?}", children.value(0))));
            }
        }
        let expect = [(1, "Integer(100)"), (1, "Integer(100)"), (2, "Integer(200)")];
        assert_eq!(answer, expect.map(|(number, text)| (number, String::from(text))));
    }
    assert_eq!(place.read("SELECT id FROM t"), "1 2");
}

#[test]
fn each_transaction_stands_by_itself() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    request.insert(1);
    // The check is made when the transaction ends.
    request.write("INSERT INTO t (id, up) VALUES (?1, 77) RETURNING id", &[3]);
    request.end(None);
    let missing = request.write("UPDATE t SET up = 1 WHERE id = ?1 RETURNING id", &[99]);
    request.end(Some((missing, Test::RowThere)));
    request.insert(5);
    let file = place.open();
    let (_, changed) = request.run(&file);
    let expect = [
        (1, SourceErrorKind::UniqueViolation),
        (2, SourceErrorKind::ForeignKeyViolation),
        (3, SourceErrorKind::Missing),
    ];
    assert_eq!(kinds(&changed), expect);
    assert_eq!(&*changed.failures[2].1.message, "It is not there.");
    assert_eq!(place.read("SELECT id FROM t"), "1 5");
    assert!(file.connection.is_autocommit());
}

#[test]
fn what_does_not_meet_its_requirement_is_taken_back() {
    let check = |text: &str, test: Test, is_met: bool| {
        let place = Place::new(TABLE);
        place.connect().execute_batch("INSERT INTO t (id) VALUES (1), (2), (3)").unwrap();
        let mut request = Request::default();
        let delete = request.write(text, &[]);
        request.end(Some((delete, test)));
        let (_, changed) = request.run(&place.open());
        assert_eq!(kinds(&changed).is_empty(), is_met, "{text}");
        let left = if is_met { "3" } else { "1 2 3" };
        assert_eq!(place.read("SELECT id FROM t"), left, "{text}");
    };
    let at_most = |most| Test::AtMost(ir::Operand::Constant(ir::Value::Integer(most)));
    for text in ["DELETE FROM t WHERE id < 3", "DELETE FROM t WHERE id < 3 RETURNING id"] {
        check(text, at_most(2), true);
        check(text, at_most(1), false);
        check(text, Test::RowThere, true);
        check(text, Test::NoRow, false);
    }
}

#[test]
fn if_one_of_several_root_fields_fails_none_has_changed_anything() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
    request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
    request.end(None);
    request.levels[1].root = 1;
    request.units[0].roots = vec![0, 1, 2];
    let (_, changed) = request.run(&place.open());
    let mut kinds = kinds(&changed);
    kinds.sort_by_key(|(root, _)| *root);
    let (aborted, unique) = (SourceErrorKind::Aborted, SourceErrorKind::UniqueViolation);
    assert_eq!(kinds, [(0, aborted), (1, unique), (2, aborted)]);
    assert_eq!(place.read("SELECT id FROM t"), "");
}

#[test]
fn a_root_field_whose_values_are_refused_changes_nothing() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    request.insert(2);
    let (program, mut change) = request.change();
    change.failures.push((0, SourceError::input("no")));
    let changed = change.run(&program, &place.open(), &Abandoner::default().flag(), Manner::Alone);
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::Input)]);
    assert_eq!(place.read("SELECT id FROM t"), "2");
}

#[test]
fn a_full_disk_leaves_nothing_behind() {
    let place = Place::new("CREATE TABLE t (id INTEGER PRIMARY KEY, x)");
    let file = place.open();
    file.connection.pragma_update(None, "max_page_count", 8).unwrap();
    let mut request = Request::default();
    request.insert(1);
    request.write("INSERT INTO t VALUES (2, zeroblob(100000)) RETURNING id", &[]);
    request.end(None);
    request.insert(3);
    let (_, changed) = request.run(&file);
    assert_eq!(kinds(&changed), [(1, SourceErrorKind::Overloaded)]);
    assert_eq!(place.read("SELECT id FROM t"), "1 3");
}

#[test]
fn a_file_that_can_only_be_read_says_so() {
    let place = Place::new(TABLE);
    // A file that a later version of SQLite has to write.
    let mut bytes = std::fs::read(place.path()).unwrap();
    bytes[18] = 3;
    std::fs::write(place.path(), bytes).unwrap();
    let mut request = Request::default();
    request.insert(1);
    let (_, changed) = request.run(&place.open());
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::ReadOnly)]);
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[test]
fn a_trigger_that_rolls_back_ends_its_transaction_only() {
    let place = Place::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY); \
         CREATE TRIGGER no BEFORE INSERT ON t WHEN new.id = 2 \
         BEGIN SELECT raise(ROLLBACK, 'no twos'); END",
    );
    let mut request = Request::default();
    request.write("INSERT INTO t (id) VALUES (10) RETURNING id", &[]);
    request.insert(2);
    request.insert(3);
    let file = place.open();
    let (_, changed) = request.run(&file);
    assert_eq!(changed.failures.len(), 1);
    assert!(changed.failures[0].1.message.contains("no twos"));
    assert_eq!(place.read("SELECT id FROM t"), "3");
}

#[test]
fn a_request_that_has_gone_changes_nothing_more() {
    let place = Place::new(TABLE);
    let mut request = Request::default();
    request.insert(1);
    let abandoner = Abandoner::default();
    let flag = abandoner.flag();
    drop(abandoner);
    let (program, change) = request.change();
    let file = place.open();
    let changed = change.run(&program, &file, &flag, Manner::Alone);
    assert_eq!(kinds(&changed), []);
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[test]
fn another_process_is_waited_for() {
    let place = Place::new(TABLE);
    let other = place.connect();
    other.execute_batch("BEGIN IMMEDIATE; INSERT INTO t (id) VALUES (1)").unwrap();
    let mut request = Request::default();
    request.insert(2);
    let (_, changed) = request.run(&place.open());
    assert_eq!(kinds(&changed), [(0, SourceErrorKind::Overloaded)]);
    let file = OpenFile::open_for_changes(&place.path(), Duration::from_secs(60), Durability::Full);
    let file = file.unwrap();
    let waiting = std::thread::spawn(move || {
        let mut request = Request::default();
        request.insert(2);
        kinds(&request.run(&file).1)
    });
    std::thread::sleep(Duration::from_millis(20));
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.join().unwrap(), []);
    assert_eq!(place.read("SELECT id FROM t"), "1 2");
}
