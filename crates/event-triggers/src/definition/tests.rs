use hasura_metadata::read_text;

use super::*;

fn environment(name: &str) -> Option<String> {
    (name == "HOOK").then(|| "https://hooks.example/x".into())
}

/// Reads the event triggers of the table `album`, and cron triggers, in YAML.
fn read(triggers: &str, cron: &str) -> Result<Definitions, Vec<String>> {
    let text = format!(
        "version: 3
sources:
  - name: default
    kind: postgres
    configuration: {{ connection_info: {{ database_url: a }} }}
    tables:
      - table: {{ schema: public, name: album }}
        event_triggers: {triggers}
cron_triggers: {cron}
"
    );
    let reading = read_text("metadata.yaml", &text);
    let errors: Vec<_> = reading.errors().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let metadata = reading.metadata.unwrap();
    let read =
        Definitions::read(&metadata.sources[0].0.tables, &metadata.cron_triggers, &environment);
    read.map_err(|problems| problems.into_iter().map(|problem| problem.message).collect())
}

fn check_refused(triggers: &str, cron: &str, expected: &str) {
    assert_eq!(read(triggers, cron).unwrap_err(), [expected]);
}

const RETRIES: &str = "retry_conf: { num_retries: 3, interval_sec: 5 }";

#[test]
fn event_triggers_become_triggers_of_the_database() {
    let triggers = format!(
        "[{{ name: a, webhook_from_env: HOOK, {RETRIES}, definition: {{
            insert: {{ columns: '*' }}, update: {{ columns: [id], payload: [id, title] }} }} }}]"
    );
    let definitions = read(&triggers, "[]").unwrap();
    let listed = |names: &[&str]| {
        RecordedColumns::Listed(names.iter().map(|name| Box::from(*name)).collect())
    };
    let operations = vec![
        RecordedOperation {
            operation: Operation::Insert,
            compared: RecordedColumns::All,
            payload: RecordedColumns::All,
        },
        RecordedOperation {
            operation: Operation::Update,
            compared: listed(&["id"]),
            payload: listed(&["id", "title"]),
        },
    ];
    let expected = RowTrigger {
        name: "a".into(),
        schema: Some("public".into()),
        table: "album".into(),
        operations,
        records_replication: false,
    };
    assert_eq!(definitions.row_triggers(), [expected]);
    let retries = definitions.rows["a"].retries;
    let expected = Retries { most: 3, interval: Duration::from_secs(5), timeout: TIMEOUT };
    assert_eq!(retries, expected);
    assert_eq!(definitions.lease("a"), TIMEOUT + GRACE);
}

#[test]
fn cron_triggers_have_the_defaults_of_hasura() {
    let cron = "[{ name: c, webhook: 'http://a/b', schedule: '* * * * *', \
                include_in_metadata: true, payload: { a: 1.50 } }]";
    let definitions = read("[]", cron).unwrap();
    let cron = &definitions.cron["c"];
    assert_eq!((cron.retries, cron.tolerance), (Retries::SCHEDULED, TOLERANCE));
    assert_eq!(cron.payload.as_deref(), Some(r#"{"a":1.5}"#));
}

#[test]
fn triggers_that_cannot_be_delivered_are_refused() {
    let trigger = |parts: &str| format!("[{{ {RETRIES}, definition: {{}}, {parts} }}]");
    check_refused(
        &trigger("name: a, webhook_from_env: NO"),
        "[]",
        r#"the event trigger "a": the environment variable NO is not set"#,
    );
    let name = "a".repeat(43);
    check_refused(
        &trigger(&format!("name: {name}, webhook_from_env: HOOK")),
        "[]",
        &format!("the event trigger {name:?}: its name has more than 42 bytes"),
    );
    check_refused(
        &trigger(
            "name: a, webhook_from_env: HOOK, request_transform: { version: 2, method: 'G T', \
             template_engine: Kriti }",
        ),
        "[]",
        r#"the event trigger "a": request_transform.method: it is no method of HTTP."#,
    );
    check_refused(
        &trigger(
            "name: a, webhook_from_env: HOOK, \
             cleanup_config: { clear_older_than: 1, schedule: daily }",
        ),
        "[]",
        &format!("the event trigger \"a\": {}", Schedule::parse("daily").unwrap_err()),
    );
    check_refused(
        "[]",
        "[{ name: c, webhook: 'http://a/b', schedule: '* * * * *', include_in_metadata: true, \
         retry_conf: { timeout_seconds: -1 } }]",
        r#"the cron trigger "c": -1 is no number of seconds"#,
    );
}

#[test]
fn all_problems_are_found_in_one_run() {
    let triggers = format!(
        "[{{ name: a, webhook_from_env: NO, {RETRIES}, definition: {{}} }}, \
          {{ name: b, webhook: 'x', {RETRIES}, definition: {{}} }}]"
    );
    let cron = "[{ name: c, webhook: 'http://a/b', schedule: 'never', include_in_metadata: true }]";
    assert_eq!(read(&triggers, cron).unwrap_err().len(), 3);
}
