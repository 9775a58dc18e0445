//! Templates that change requests of events, and the answers in the log.

use expect_test::{Expect, expect};

use crate::databases::{ALL, block_on, definitions, each, trigger};
use crate::webhooks::{deliver, wait_until_done, webhooks};

/// Delivers one insert with these transforms; compares the request, and the attempt in the log.
fn check(keys: &str, expected: &Expect) {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let keys = format!(", {keys}");
        let definitions = definitions(&format!("[{}]", trigger("a", &address, ALL, &keys)), "[]");
        block_on(database.install(&definitions));
        database.execute("insert into album (id, title) values (1, 'A')");
        let (delivery, _) = deliver(&database, &definitions);
        wait_until_done(&database);
        delivery.stop();
        let mut text = String::new();
        for received in webhooks.received() {
            text.push_str(&format!("{} {}\n", received.method, received.target));
            for name in ["content-type", "x-id"] {
                if let Some(value) = received.headers.get(name) {
                    text.push_str(&format!("  {name}: {value}\n"));
                }
            }
            text.push_str(&format!("  body {:?}\n", received.body));
        }
        let tries = database.value("select tries from log.event_log");
        let sql = "select cast(request as text) from log.event_invocation_logs";
        text.push_str(&format!("tries {tries}\n"));
        if !text.starts_with("tries") {
            text.push_str(&format!("{}\n", database.value(sql)));
        }
        let sql = "select cast(response as text) from log.event_invocation_logs";
        let response: serde_json::Value = serde_json::from_str(&database.value(sql)).unwrap();
        let data = &response["data"];
        let told = if data["body"].is_null() { &data["message"] } else { &data["body"] };
        text.push_str(&format!("{} {told}\n", response["type"]));
        expected.assert_eq(&text);
    }
}

#[test]
fn templates_change_requests_and_logged_answers() {
    check(
        r#"request_transform: {
            version: 2, template_engine: Kriti, url: "{{$base_url}}?op={{$body.event.op}}",
            request_headers: { add_headers: { x-id: "{{$body.event.data.new.id}}" } },
            body: { action: transform, template: "{ \"row\": {{$body.event.data.new.title}} }" } },
           response_transform: { version: 2, template_engine: Kriti,
            body: { action: transform, template: "[{{$body.ok}}, {{$response.status}}]" } }"#,
        &expect![[r#"
            POST /ok?op=INSERT
              content-type: application/json
              x-id: 1
              body "{\"row\":\"A\"}"
            tries 1
            {"headers":[{"name":"content-type","value":"application/json"}],"payload":{"row":"A"},"version":"2"}
            "webhook_response" "[true,200]"
        "#]],
    );
}

#[test]
fn bodies_are_removed_or_forms() {
    check(
        "request_transform: { version: 2, method: GET, template_engine: Kriti, \
         body: { action: remove } }",
        &expect![[r#"
            GET /ok
              content-type: application/json
              body ""
            tries 1
            {"headers":[{"name":"content-type","value":"application/json"}],"payload":"","version":"2"}
            "webhook_response" "{\"ok\":true}"
        "#]],
    );
    check(
        r#"request_transform: { version: 2, template_engine: Kriti, body: {
            action: x_www_form_urlencoded, form_template: { title: "{{$body.event.data.new.title}}" } } }"#,
        &expect![[r#"
            POST /ok
              content-type: application/x-www-form-urlencoded
              body "title=A"
            tries 1
            {"headers":[{"name":"content-type","value":"application/json"}],"payload":"title=A","version":"2"}
            "webhook_response" "{\"ok\":true}"
        "#]],
    );
}

/// Another attempt would fail, too.
#[test]
fn a_template_that_fails_ends_the_event() {
    check(
        r#"request_transform: { version: 2, template_engine: Kriti,
            url: "{{$base_url}}/{{$body.event.data.new.nothing.more}}" }"#,
        &expect![[r#"
            tries 1
            "client_error" "the template of url: line 1, column 37: the object has no member `nothing`"
        "#]],
    );
}
