//! Bodies of requests, and what the log says about requests and responses. The values of rows are
//! copied as the database has written them: numbers keep all their digits.

use clients::egress::EgressResponse;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use sources::event_log::{CronEvent, OneOffEvent, RowEvent};

use crate::definition::CronDefinition;
use crate::webhook::Webhook;

/// The version of the form of invocations in the log.
const VERSION: &str = "2";

#[derive(Serialize)]
struct RowBody<'b> {
    created_at: &'b str,
    delivery_info: DeliveryInfo,
    event: &'b RawValue,
    id: &'b str,
    table: TableName<'b>,
    trigger: TriggerName<'b>,
}

#[derive(Serialize)]
struct DeliveryInfo {
    current_retry: u32,
    max_retries: u32,
}

#[derive(Serialize)]
struct TableName<'b> {
    name: &'b str,
    schema: &'b str,
}

#[derive(Serialize)]
struct TriggerName<'b> {
    name: &'b str,
}

#[derive(Serialize)]
struct ScheduledBody<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'b str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<&'b str>,
    id: &'b str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'b str>,
    payload: Option<&'b RawValue>,
    scheduled_time: &'b str,
}

#[derive(Serialize)]
struct RequestLog<'b> {
    headers: Vec<LoggedHeader<'b>>,
    payload: &'b RawValue,
    version: &'static str,
}

#[derive(Serialize)]
struct LoggedHeader<'b> {
    name: &'b str,
    value: String,
}

#[derive(Serialize)]
struct ResponseLog<'b> {
    data: WebhookResponse<'b>,
    r#type: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct WebhookResponse<'b> {
    body: String,
    headers: Vec<LoggedHeader<'b>>,
    status: u16,
}

/// The body of the event of a row.
pub(crate) fn of_row(event: &RowEvent, most_retries: u32) -> serde_json::Result<String> {
    serde_json::to_string(&RowBody {
        created_at: &event.created_at,
        delivery_info: DeliveryInfo { current_retry: event.tries, max_retries: most_retries },
        event: serde_json::from_str(&event.payload)?,
        id: &event.id,
        table: TableName { name: &event.table, schema: &event.schema },
        trigger: TriggerName { name: &event.trigger },
    })
}

/// The body of the event of a cron trigger.
pub(crate) fn of_cron(event: &CronEvent, cron: &CronDefinition) -> serde_json::Result<String> {
    serde_json::to_string(&ScheduledBody {
        comment: cron.comment.as_deref(),
        created_at: None,
        id: &event.id,
        name: Some(&event.trigger),
        payload: cron.payload.as_deref().map(serde_json::from_str).transpose()?,
        scheduled_time: &event.scheduled_time,
    })
}

/// The body of a single event.
pub(crate) fn of_one_off(event: &OneOffEvent) -> serde_json::Result<String> {
    serde_json::to_string(&ScheduledBody {
        comment: event.comment.as_deref(),
        created_at: Some(&event.created_at),
        id: &event.id,
        name: None,
        payload: event.payload.as_deref().map(serde_json::from_str).transpose()?,
        scheduled_time: &event.scheduled_time,
    })
}

/// The request as JSON of the log.
pub(crate) fn log_request(webhook: &Webhook, body: &str) -> String {
    let headers = webhook.shown.iter();
    let headers = headers.map(|(name, value)| LoggedHeader { name, value: value.to_string() });
    let log = serde_json::from_str(body).and_then(|payload| {
        let request = RequestLog { headers: headers.collect(), payload, version: VERSION };
        serde_json::to_string(&request)
    });
    // A body is JSON.
    log.unwrap_or_else(|_| "{}".into())
}

/// A request that templates have changed, as JSON of the log: a body that is no JSON is a text.
pub(crate) fn log_changed_request(webhook: &Webhook, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(_) => log_request(webhook, &text),
        Err(_) => log_request(webhook, &json!(text).to_string()),
    }
}

/// The response as JSON of the log.
pub(crate) fn log_response(response: &EgressResponse) -> String {
    let headers = response.headers.iter().map(|(name, value)| LoggedHeader {
        name: name.as_str(),
        value: String::from_utf8_lossy(value.as_bytes()).into_owned(),
    });
    // PostgreSQL has no texts with this character, but by its escape in JSON, which it does not read.
    let body = String::from_utf8_lossy(&response.body).into_owned();
    let log = ResponseLog {
        data: WebhookResponse { body, headers: headers.collect(), status: response.status },
        r#type: "webhook_response",
        version: VERSION,
    };
    // Maps with keys that are texts.
    serde_json::to_string(&log).unwrap_or_else(|_| "{}".into())
}

/// An error instead of a response, as JSON of the log.
pub(crate) fn log_error(message: &str) -> String {
    json!({ "data": { "message": message }, "type": "client_error", "version": VERSION })
        .to_string()
}
