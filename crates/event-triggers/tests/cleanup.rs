//! Removal of old events.

use std::time::Duration;

use sources::event_log::{Cleaned, Cleanup};

use crate::databases::{ALL, block_on, definitions, each, trigger};

#[test]
fn old_events_that_are_done_are_removed_in_batches_by_one_server() {
    for database in each("") {
        let triggers = definitions(&format!("[{}]", trigger("a", "http://a/b", ALL, "")), "[]");
        block_on(database.install(&triggers));
        for id in 0..7 {
            database.execute(&format!("insert into album (id) values ({id})"));
        }
        let old = match database.is_postgres() {
            true => "timezone('utc', now()) - interval '3 h'",
            false => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-3 hours')",
        };
        // Of seven events one is pending, one is new, five are old and done.
        database.execute(&format!(
            "update log.event_log set delivered = (1 = 1), created_at = {old};
             insert into log.event_invocation_logs (trigger_name, event_id, status)
             select trigger_name, id, 200 from log.event_log;
             update log.event_log set delivered = (1 = 0)
             where id = (select min(id) from log.event_log);
             update log.event_log set created_at = {}
             where id = (select max(id) from log.event_log);",
            old.replace('3', "1"),
        ));
        let cleanup = |time, with_invocations| Cleanup {
            trigger: "a".into(),
            scheduled_time: time,
            older_than: Duration::from_secs(2 * 3600),
            batch: 2,
            timeout: Duration::from_secs(10),
            with_invocations,
        };
        let log = database.log();
        let cleaned = block_on(log.clean(&cleanup(60_000_000, true))).unwrap();
        assert_eq!(cleaned, Some(Cleaned { events: 5, invocations: 5 }));
        assert_eq!(block_on(log.clean(&cleanup(60_000_000, true))).unwrap(), None);
        let cleaned = block_on(log.clean(&cleanup(120_000_000, false))).unwrap();
        assert_eq!(cleaned, Some(Cleaned::default()));
        assert_eq!(database.value("select count(*) from log.event_log"), "2");
        assert_eq!(database.value("select count(*) from log.event_invocation_logs"), "2");
        let sql = "select status, deleted_event_logs, deleted_event_invocation_logs
            from log.event_log_cleanups order by scheduled_at";
        let row = |status: &str, events: &str| {
            [status, events, events].map(|text| Some(text.to_owned())).to_vec()
        };
        assert_eq!(database.query(sql), [row("completed", "5"), row("completed", "0")]);
    }
}
