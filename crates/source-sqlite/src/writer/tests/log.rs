//! Tests of the write-ahead log.

use super::*;

/// More than SQLite checkpoints by itself.
async fn fill(writer: &FileWriter) {
    let work = |file: &OpenFile, _: &_, _: Manner<'_>| {
        file.connection.execute("INSERT INTO t (text) VALUES (zeroblob(300000))", ()).unwrap();
    };
    assert_eq!(writer.run(&Counter::default(), false, work).await, Ok(()));
}

fn place(journal: &str) -> Place {
    let place = Place::new("CREATE TABLE t (id INTEGER PRIMARY KEY, text)");
    place.connect().pragma_update(None, "journal_mode", journal).unwrap();
    place
}

fn log(place: &Place) -> Option<u64> {
    let file = place.0.join("t.db-wal");
    file.metadata().ok().map(|metadata| metadata.len())
}

#[tokio::test]
async fn it_is_empty_when_the_writer_is_closed_though_others_have_the_file_open() {
    let place = place("wal");
    let reader = place.connect();
    reader.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0)).unwrap();
    let writer = place.writer(Duration::from_secs(60));
    fill(&writer).await;
    assert!(log(&place) > Some(300_000), "{:?}", log(&place));
    writer.close(Duration::from_secs(60));
    assert_eq!(log(&place), Some(0));
    assert_eq!(place.read("PRAGMA journal_mode"), "wal");
    assert_eq!(place.read("SELECT count(*) FROM t"), "1");
}

#[tokio::test]
async fn what_somebody_reads_of_it_stays_until_the_end() {
    let place = place("wal");
    let writer = place.writer(Duration::from_secs(60));
    fill(&writer).await;
    let mut reader = place.connect();
    let snapshot = reader.transaction().unwrap();
    let count = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count(&snapshot), 1);
    fill(&writer).await;
    writer.close(Duration::from_secs(60));
    assert!(log(&place) > Some(300_000), "{:?}", log(&place));
    assert_eq!(count(&snapshot), 1);
    drop(snapshot);
    writer.close(Duration::from_secs(60));
    assert_eq!((log(&place), count(&reader)), (Some(0), 2));
}

#[tokio::test]
async fn another_journal_stays_as_it_is() {
    let place = place("delete");
    let writer = place.writer(Duration::from_secs(60));
    fill(&writer).await;
    writer.close(Duration::from_secs(60));
    assert_eq!((log(&place), place.read("PRAGMA journal_mode")), (None, "delete".into()));
    // Later requests are served all the same.
    fill(&writer).await;
    assert_eq!(place.read("SELECT count(*) FROM t"), "2");
}
