use ir::Counter;
use response::{Bounds, Cursor, Layout, LevelId, Value};

use super::super::program::{GraphLevel, GraphProgram, LevelPage, LevelRows};
use super::super::wire::{Pack, Records};
use super::{Answer, GraphCursor};

fn program(levels: &[LevelRows]) -> GraphProgram {
    let levels = levels.iter().map(|rows| GraphLevel {
        rows: *rows,
        width: 2,
        page: LevelPage::default(),
        counters: Box::new([Counter::LinksDeleted, Counter::RowsInserted]),
    });
    GraphProgram { levels: levels.collect(), layout: Layout::default(), ..GraphProgram::default() }
}

/// A row of a number and a list of rows of a number each.
fn row(pack: &mut Pack, number: i64, below: &[i64]) {
    pack.list(2);
    pack.integer(number);
    pack.list(below.len());
    for number in below {
        pack.list(1);
        pack.integer(*number);
    }
}

fn records(write: impl Fn(&mut Pack)) -> Records {
    let mut pack = Pack::new();
    write(&mut pack);
    Records::of_packed(&[pack.as_bytes()])
}

/// The rows that a cursor shows, with those of a level below.
fn shown(cursor: &mut GraphCursor<'_>, below: Option<LevelId>) -> Vec<(Value<'static>, Vec<i64>)> {
    let mut rows = Vec::new();
    while cursor.next().unwrap() {
        let Value::Integer(number) = cursor.value(0) else { panic!("{:?}", cursor.value(0)) };
        let mut numbers = Vec::new();
        if let Some(below) = below {
            let mut child = cursor.open(below).unwrap();
            while child.next().unwrap() {
                let Value::Integer(number) = child.value(0) else { panic!() };
                numbers.push(number);
            }
        }
        rows.push((Value::Integer(number), numbers));
    }
    assert!(!cursor.next().unwrap());
    rows
}

#[test]
fn records_are_rows_and_hold_those_below() {
    let program = program(&[LevelRows::Records { statement: 0 }, LevelRows::InRow { column: 1 }]);
    let mut packs = [Pack::new(), Pack::new()];
    row(&mut packs[0], 1, &[10, 11]);
    row(&mut packs[1], 2, &[]);
    let results = [Records::of_packed(&packs.each_ref().map(Pack::as_bytes))];
    let bounds = [Bounds::default(); 2];
    let answer = Answer::new(&program, &bounds, &results);
    let mut top = answer.top();
    // The same rows can be read repeatedly.
    for _ in 0..2 {
        let mut cursor = top.open(LevelId(0)).unwrap();
        let rows = shown(&mut cursor, Some(LevelId(1)));
        let expect = [(Value::Integer(1), vec![10, 11]), (Value::Integer(2), vec![])];
        assert_eq!(rows, expect);
    }
}

#[test]
fn lists_in_the_only_record_are_rows_and_hold_those_below() {
    let levels = [
        LevelRows::InRecord { statement: 0, column: 0 },
        LevelRows::InRecord { statement: 0, column: 1 },
        LevelRows::InRow { column: 1 },
        LevelRows::InRecord { statement: 0, column: 2 },
        LevelRows::InRecord { statement: 1, column: 0 },
    ];
    let program = program(&levels);
    let one = records(|pack| {
        pack.list(3);
        pack.list(1);
        pack.list(1);
        pack.integer(7);
        pack.list(2);
        row(pack, 1, &[10, 11]);
        row(pack, 2, &[20]);
        pack.null();
    });
    let results = [one, Records::default()];
    let bounds = [Bounds::default(); 5];
    let answer = Answer::new(&program, &bounds, &results);
    let mut top = answer.top();
    let counts = shown(&mut top.open(LevelId(0)).unwrap(), None);
    assert_eq!(counts, [(Value::Integer(7), vec![])]);
    let rows = shown(&mut top.open(LevelId(1)).unwrap(), Some(LevelId(2)));
    assert_eq!(rows, [(Value::Integer(1), vec![10, 11]), (Value::Integer(2), vec![20])]);
    for level in [3, 4, 9] {
        assert_eq!(shown(&mut top.open(LevelId(level)).unwrap(), None), [], "{level}");
    }
}

#[test]
fn rows_beyond_the_page_are_known_and_not_shown() {
    let program = program(&[LevelRows::InRecord { statement: 0, column: 0 }]);
    let results = [records(|pack| {
        pack.list(1);
        pack.list(3);
        for number in [5, 6, 7] {
            row(pack, number, &[]);
        }
    })];
    let check = |limit, expect: &[i64], has_more| {
        let bounds = [Bounds { limit, offset: 4 }];
        let answer = Answer::new(&program, &bounds, &results);
        let mut top = answer.top();
        let mut cursor = top.open(LevelId(0)).unwrap();
        let mut numbers = Vec::new();
        while cursor.next().unwrap() {
            let Value::Integer(number) = cursor.value(0) else { panic!() };
            numbers.push(number);
            assert_eq!(cursor.row_number(), 4 + numbers.len() as u64);
        }
        assert_eq!((&numbers[..], cursor.has_more()), (expect, has_more), "{limit:?}");
        assert_eq!(cursor.bounds(), bounds[0]);
    };
    check(None, &[5, 6, 7], false);
    check(Some(3), &[5, 6, 7], false);
    check(Some(2), &[5, 6], true);
    check(Some(0), &[], false);
}

#[test]
fn what_the_server_counted_is_a_row() {
    let program = program(&[LevelRows::Summary { statement: 0 }]);
    let results = [Records::of_stats(&[("nodes-created", 3), ("relationships-deleted", 2)])];
    let bounds = [Bounds::default()];
    let answer = Answer::new(&program, &bounds, &results);
    let mut top = answer.top();
    let mut cursor = top.open(LevelId(0)).unwrap();
    assert!(cursor.next().unwrap());
    assert_eq!((cursor.value(0), cursor.value(1)), (Value::Integer(2), Value::Integer(3)));
    assert_eq!(cursor.value(2), Value::Null);
    assert!(!cursor.next().unwrap());
}

#[test]
fn rows_of_another_form_are_an_error() {
    let program = program(&[
        LevelRows::Records { statement: 0 },
        LevelRows::InRecord { statement: 1, column: 0 },
        LevelRows::InRow { column: 0 },
    ]);
    let results = [
        records(|pack| pack.integer(1)),
        records(|pack| {
            pack.list(1);
            pack.list(1);
            pack.integer(1);
        }),
    ];
    let bounds = [Bounds::default(); 3];
    let answer = Answer::new(&program, &bounds, &results);
    let mut top = answer.top();
    assert!(top.open(LevelId(0)).unwrap().next().is_err());
    assert!(top.open(LevelId(1)).unwrap().next().is_err());
    assert!(!top.open(LevelId(2)).unwrap().next().unwrap());
}
