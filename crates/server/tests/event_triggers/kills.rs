//! Servers that are killed while rows are written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

const KILLS: u64 = 50;

/// The ids that were received.
fn ids(received: &[Received]) -> impl Iterator<Item = u64> + '_ {
    received.iter().map(|received| body(received)["event"]["data"]["new"]["id"].as_u64().unwrap())
}

#[test]
fn fifty_kills_lose_no_event() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| {
            sleep(Duration::from_millis(3));
            Reply::Json(json!({}))
        });
        let folder = Folder::new();
        let metadata = metadata(&folder, &json!([trigger(&webhooks, "/a")]), &json!([]));
        let source = notes.source();
        let installed =
            thalweg(&["events", "install", &source, "--metadata"]).arg(&metadata).output().unwrap();
        assert!(installed.status.success(), "{installed:?}");
        let (is_over, written) = (Arc::new(AtomicBool::default()), Arc::new(AtomicU64::default()));
        let notes = Arc::new(notes);
        let writer = {
            let (notes, is_over, written) =
                (Arc::clone(&notes), Arc::clone(&is_over), Arc::clone(&written));
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let id = written.load(Ordering::Relaxed) + 1;
                    notes.execute(&format!("insert into note (id) values ({id})"));
                    written.store(id, Ordering::Relaxed);
                    sleep(Duration::from_millis(4));
                }
            })
        };
        let mut received = Vec::new();
        for kill in 0..KILLS {
            let mut server = serve(&notes, &metadata, &[]);
            if kill % 5 > 0 {
                // In the middle of deliveries; else before the first one.
                let mut seen = 0;
                wait_until("a delivery", || {
                    let new = webhooks.received();
                    seen += new.len() as u64;
                    received.extend(new);
                    seen >= kill % 7
                });
            }
            sleep(Duration::from_millis(kill % 23));
            server.child.kill().unwrap();
            server.child.wait().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        let written = written.load(Ordering::Relaxed);
        let before = notes.count("select count(*) from log.event_log where delivered");
        let server = serve(&notes, &metadata, &[]);
        notes.wait_until_done();
        stop(server);
        received.extend(webhooks.received());
        let found: BTreeSet<u64> = ids(&received).collect();
        assert!(written > KILLS, "only {written} rows were written");
        assert!(before > 0, "no event was delivered before the end");
        let lost: Vec<u64> = (1..=written).filter(|id| !found.contains(id)).collect();
        assert!(lost.is_empty(), "{} of {written} events are lost: {lost:?}", lost.len());
        assert_eq!(found.len() as u64, written);
        // The log agrees.
        assert_eq!(notes.count("select count(*) from log.event_log where delivered"), written);
        let sql =
            "select count(distinct event_id) from log.event_invocation_logs where status = 200";
        assert_eq!(notes.count(sql), written);
        // A kill interrupts at most the requests in flight, of which there are 100 by default. How
        // many there are depends on the machine's speed.
        let repeated = received.len() as u64 - written;
        assert!(repeated <= KILLS * 100, "{repeated} of {written}");
    }
}
