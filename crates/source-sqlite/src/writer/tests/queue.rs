//! Requests that wait for their turn.

use super::*;

#[tokio::test]
async fn requests_run_in_their_order_and_not_if_nobody_waits() {
    let place = Place::new("CREATE TABLE t (place INTEGER PRIMARY KEY AUTOINCREMENT, id)");
    let writer = Arc::new(place.writer(Duration::from_secs(60)));
    let (release, held) = std::sync::mpsc::channel::<()>();
    let spawn = |work: Box<dyn Fn(&OpenFile) + Send>| {
        let writer = Arc::clone(&writer);
        tokio::spawn(async move {
            writer.run(&Counter::default(), false, move |file, _, _| work(file)).await
        })
    };
    let first = spawn(Box::new(move |_| held.recv().unwrap()));
    let tasks: Vec<_> = (0..20)
        .map(|id| {
            spawn(Box::new(move |file| {
                file.connection.execute("INSERT INTO t (id) VALUES (?1)", [id]).unwrap();
            }))
        })
        .collect();
    tokio::task::yield_now().await;
    for task in tasks.iter().skip(1).step_by(2) {
        task.abort();
    }
    tokio::task::yield_now().await;
    release.send(()).unwrap();
    assert_eq!(first.await.unwrap(), Ok(()));
    for task in tasks.into_iter().step_by(2) {
        assert_eq!(task.await.unwrap(), Ok(()));
    }
    assert_eq!(place.read("SELECT id FROM t ORDER BY place"), "0 2 4 6 8 10 12 14 16 18");
}

#[tokio::test]
async fn who_waits_too_long_leaves_and_changes_nothing() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_millis(30));
    let counter = Counter::default();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let first = writer.run(&counter, false, move |_, _, _| held.recv().unwrap());
    let second = writer.run(&counter, false, |file, _, _| {
        file.connection.execute_batch("INSERT INTO t (id) VALUES (2)").unwrap();
    });
    let both = async {
        let second = second.await;
        release.send(()).unwrap();
        second
    };
    let (first, second) = tokio::join!(first, both);
    assert_eq!(first, Ok(()));
    assert_eq!(second.unwrap_err().kind, SourceErrorKind::Busy);
    assert_eq!(writer.run(&counter, false, |_, _, _| ()).await, Ok(()));
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[tokio::test]
async fn a_request_that_goes_away_is_rolled_back_and_the_next_one_runs() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_secs(60));
    let counter = Counter::default();
    let (begun, has_begun) = tokio::sync::oneshot::channel::<()>();
    let mut begun = Some(begun);
    let run = writer.run(&counter, false, move |file, stop, manner| {
        let mut request = Request::default();
        request.write("INSERT INTO t (id) VALUES (1) RETURNING id", &[]);
        // It ends when it is interrupted.
        request.write(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
             INSERT INTO t (id) SELECT i FROM n WHERE i < 0 RETURNING id",
            &[],
        );
        request.end(None);
        let (program, change) = request.change();
        begun.take().unwrap().send(()).unwrap();
        change.run(&program, file, stop, manner);
    });
    tokio::select! {
        _ = run => panic!("it does not end by itself"),
        begun = has_begun => begun.unwrap(),
    }
    let free = writer.run(&counter, false, |file, _, _| file.connection.is_autocommit()).await;
    assert_eq!(free, Ok(true));
    assert_eq!(place.read("SELECT count(*) FROM t"), "0");
}

#[tokio::test]
async fn the_file_that_is_at_the_path_is_changed() {
    let place = Place::new(TABLE);
    let writer = place.writer(Duration::from_secs(60));
    let counter = Counter::default();
    let insert = |id: i64| {
        writer.run(&counter, false, move |file, stop, manner| {
            let mut request = Request::default();
            request.insert(id);
            let (program, change) = request.change();
            kinds(&change.run(&program, file, stop, manner))
        })
    };
    assert_eq!(insert(1).await, Ok(vec![]));
    let moved = place.path().with_extension("old");
    std::fs::rename(place.path(), &moved).unwrap();
    place.connect().execute_batch(TABLE).unwrap();
    assert_eq!(insert(2).await, Ok(vec![]));
    assert_eq!(place.read("SELECT id FROM t"), "2");
    std::fs::remove_file(place.path()).unwrap();
    assert_eq!(insert(3).await.unwrap_err().kind, SourceErrorKind::Unavailable);
    assert!(!place.path().exists());
}
