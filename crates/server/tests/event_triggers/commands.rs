//! `thalweg events`.

use super::*;

/// Runs `thalweg events` with these words before the source.
fn events(notes: &Notes, words: &[&str], rest: &[&str]) -> (Option<i32>, String, String) {
    let source = notes.source();
    let words = [&["events"], words, &[&*source], rest].concat();
    outcome(&thalweg(&words).output().unwrap())
}

#[test]
fn the_log_is_installed_once_and_dry_runs_change_nothing() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Json(json!({})));
        let folder = Folder::new();
        let metadata = metadata(&folder, &json!([trigger(&webhooks, "/a")]), &json!([]));
        let path = metadata.to_str().unwrap();
        let install = |rest: &[&str]| {
            let rest = [&["--metadata", path], rest].concat();
            let (code, output, errors) = events(&notes, &["install"], &rest);
            assert_eq!((code, &*errors), (Some(0), ""));
            output
        };
        let script = install(&["--dry-run"]);
        assert!(script.contains("-- the log of events is missing"), "{script}");
        assert!(script.to_lowercase().contains("create trigger \""), "{script}");
        assert!(install(&[]).starts_with("Installed, because the log of events is missing"));
        assert_eq!(install(&[]), "The log and all triggers are there.\n");
        assert_eq!(install(&["--dry-run"]), "");
        let (code, _, errors) = events(&notes, &["install"], &[]);
        assert_eq!(code, Some(2));
        assert!(errors.contains("`--metadata` names it"), "{errors}");
    }
}

#[test]
fn events_are_listed_repeated_invoked_and_scheduled() {
    for notes in Notes::each() {
        let webhooks = HttpServer::start(|_| Reply::Status(500, "", String::new()));
        let folder = Folder::new();
        let mut failing = trigger(&webhooks, "/a");
        failing["retry_conf"] = json!({ "num_retries": 0, "interval_sec": 1 });
        let metadata = metadata(&folder, &json!([failing]), &json!([]));
        let path = metadata.to_str().unwrap();
        let (code, _, errors) = events(&notes, &["list"], &[]);
        assert_eq!(code, Some(2));
        assert!(errors.contains("the database has no log of events"), "{errors}");
        assert_eq!(events(&notes, &["install"], &["--metadata", path]).0, Some(0));
        let rest = ["notify", "--metadata", path, "--payload", r#"{"id":5}"#];
        let (code, id, errors) = events(&notes, &["invoke"], &rest);
        assert_eq!((code, &*errors), (Some(0), ""));
        let id = id.trim();
        let (code, _, errors) = events(&notes, &["invoke"], &["other", "--metadata", path]);
        assert_eq!(code, Some(2));
        assert!(errors.contains(r#"no event trigger "other""#), "{errors}");
        let listed = |state: &str| events(&notes, &["list"], &["--state", state]).1;
        assert!(listed("pending").contains(&format!("{id}  pending")), "{}", listed("pending"));
        let server = serve(&notes, &metadata, &[]);
        notes.wait_until_done();
        let failed = listed("failed");
        assert!(failed.contains(&format!("{id}  failed  1      500")), "{failed}");
        assert_eq!(listed("delivered").lines().count(), 1);
        assert_eq!(body(&webhooks.received()[0])["event"]["op"], "MANUAL");
        let (code, told, _) = events(&notes, &["redeliver"], &[id, "none"]);
        assert_eq!(
            (code, &*told),
            (Some(1), &*format!("{id} is delivered again.\nnone does not exist.\n"))
        );
        wait_until("the repetition", || !webhooks.received().is_empty());
        let address = format!("http://{}/once", webhooks.address);
        let rest = [&*address, "--at", "2024-01-01T00:00:00Z"];
        let (code, id, errors) = events(&notes, &["schedule"], &rest);
        assert_eq!((code, &*errors), (Some(0), ""));
        // It is six years too late, and so not sent.
        wait_until("the single event", || {
            let listed = events(&notes, &["list"], &["--of", "one-off"]).1;
            listed.contains(&format!("{}  failed", id.trim()))
        });
        let (code, _, errors) = events(&notes, &["schedule"], &[&*address, "--at", "soon"]);
        assert_eq!(code, Some(2));
        assert!(errors.contains("no moment as of RFC 3339"), "{errors}");
        stop(server);
        let failed = webhooks.received();
        assert!(failed.iter().all(|received| received.target == "/a"), "{failed:?}");
    }
}
