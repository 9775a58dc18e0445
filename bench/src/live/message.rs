//! Messages of `graphql-transport-ws`.

use serde::Deserialize;
use serde_json::{Value, json};

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    Acknowledged,
    Row {
        name: String,
        balance: i64,
    },
    /// A message that means failure, such as an error.
    Other,
}

#[derive(Deserialize)]
struct Received {
    r#type: String,
    payload: Option<Value>,
}

#[derive(Deserialize)]
struct Next {
    data: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    account_by_id: Account,
}

#[derive(Deserialize)]
struct Account {
    name: String,
    balance: i64,
}

pub(super) const INIT: &str = r#"{"type":"connection_init"}"#;

/// The subscription of a row.
pub(super) fn subscribe(id: u32) -> String {
    let query = "subscription ($id: Int!) { accountById(id: $id) { name balance } }";
    let payload = json!({ "query": query, "variables": { "id": id } });
    json!({ "id": "1", "type": "subscribe", "payload": payload }).to_string()
}

pub(super) fn read(text: &[u8]) -> Message {
    let Ok(Received { r#type, payload }) = serde_json::from_slice(text) else {
        return Message::Other;
    };
    match (&*r#type, payload) {
        ("connection_ack", _) => Message::Acknowledged,
        ("next", Some(payload)) => match serde_json::from_value(payload) {
            Ok(Next { data: Data { account_by_id: Account { name, balance } } }) => {
                Message::Row { name, balance }
            }
            Err(_) => Message::Other,
        },
        _ => Message::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_errors_are_others() {
        let next = br#"{"id":"1","type":"next","payload":{"data":{"accountById":{"name":"A","balance":2}}}}"#;
        assert_eq!(read(next), Message::Row { name: "A".to_owned(), balance: 2 });
        assert_eq!(read(br#"{"type":"connection_ack"}"#), Message::Acknowledged);
        let errors = br#"{"id":"1","type":"error","payload":[{"message":"no"}]}"#;
        assert_eq!(read(errors), Message::Other);
        let none = br#"{"id":"1","type":"next","payload":{"data":{"accountById":null}}}"#;
        assert_eq!(read(none), Message::Other);
    }
}
