//! Clients over HTTP/1.1, each with a thread and a connection of its own.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ledger::{Kind, Ledger};
use super::site::{ACCOUNTS, CATEGORIES, ITEMS};
use super::stream_client;
use super::subscribers;
use crate::background::{Background, Stop};
use crate::http::{Connection, Positioned};

/// Threads of each kind.
const READERS: u32 = 4;
const WRITERS: u32 = 4;
const ABANDONING: u32 = 2;
const SUBSCRIBERS: u32 = 12;
/// Requests of a connection, after which the client opens another one.
const REQUESTS: u32 = 500;
/// Between two requests: the load shall not fill the processors, so that many kinds get their turn.
const PAUSE: Duration = Duration::from_millis(4);
/// An answer without a token may lag behind a change for so long.
const LAG: Duration = Duration::from_secs(20);
/// Rows of a list.
const PAGE: u32 = 20;

/// All clients; dropping it stops them and waits.
#[derive(Debug)]
pub(super) struct Load(#[expect(dead_code, reason = "dropped")] Vec<Background<()>>);

/// One client.
struct Client<'a> {
    port: u16,
    ledger: &'a Ledger,
    connection: Option<Connection>,
    /// Requests of the connection.
    requests: u32,
}

pub(super) fn start(port: u16, ledger: &Arc<Ledger>) -> Load {
    let mut threads = Vec::new();
    let mut add = |count: u32, work: fn(u16, &Ledger, u32, &Stop)| {
        threads.extend((0..count).map(|number| {
            let ledger = Arc::clone(ledger);
            Background::start(move |stop| work(port, &ledger, number, stop))
        }));
    };
    add(READERS, read);
    add(WRITERS, write);
    add(ABANDONING, abandon);
    add(SUBSCRIBERS, subscribers::run);
    add(1, stream_client::run);
    Load(threads)
}

impl Client<'_> {
    /// The `data` of an answer without errors; all else is counted.
    fn ask(&mut self, kind: Kind, query: &str, position: Option<&str>) -> Option<Positioned> {
        let was_disturbed = self.ledger.is_disturbed();
        let answer = self.exchange(query, position);
        let error = match answer {
            Ok(positioned) => match code(&positioned.answer.body) {
                None => {
                    self.ledger.count(kind);
                    return Some(positioned);
                }
                Some(code) => code,
            },
            Err(error) => {
                self.connection = None;
                error
            }
        };
        self.ledger.error(kind, was_disturbed, &error);
        // A database that is away gets no flood.
        thread::sleep(Duration::from_millis(100));
        None
    }

    fn exchange(&mut self, query: &str, position: Option<&str>) -> Result<Positioned, String> {
        self.requests += 1;
        if self.requests > REQUESTS {
            (self.connection, self.requests) = (None, 0);
        }
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(Connection::open(self.port).map_err(|error| error.to_string())?),
        };
        let body = json!({ "query": query }).to_string();
        connection.post_after(&body, position).map_err(|error| error.to_string())
    }

    /// The balance of an account, as a query has it.
    fn balance(&mut self, kind: Kind, account: u32, position: Option<&str>) -> Option<u64> {
        let query = format!("{{ accountById(id: {account}) {{ balance }} }}");
        let answer = self.ask(kind, &query, position)?;
        data(&answer)["accountById"]["balance"].as_u64()
    }

    fn check(&self, kind: Kind, query: &str, answer: &Positioned, expected: &Value) {
        let found = data(answer);
        if found != *expected {
            self.ledger.problem(format!("{}: {query} returned {found}", kind.name()));
        }
    }
}

fn client(port: u16, ledger: &Ledger) -> Client<'_> {
    Client { port, ledger, connection: None, requests: 0 }
}

/// Reads rows that never change, lists that are cached, and balances that change meanwhile.
fn read(port: u16, ledger: &Ledger, number: u32, stop: &Stop) {
    let mut client = client(port, ledger);
    let mut step = number;
    while !stop.is_set() {
        step = step.wrapping_add(7);
        match step % 3 {
            0 => read_item(&mut client, step % ITEMS + 1),
            1 => read_list(&mut client, step % (ITEMS / PAGE) * PAGE),
            _ => read_account(&mut client, step % ACCOUNTS + 1, stop),
        }
        thread::sleep(PAUSE);
    }
}

fn read_item(client: &mut Client<'_>, id: u32) {
    let (query, expected) = item(id);
    if let Some(answer) = client.ask(Kind::Item, &query, None) {
        client.check(Kind::Item, &query, &answer, &expected);
    }
}

/// A query of a row, and its answer.
pub(super) fn item(id: u32) -> (String, Value) {
    let query = format!("{{ itemById(id: {id}) {{ name categoryByCategoryId {{ name }} }} }}");
    let category = format!("Category {}", id % CATEGORIES + 1);
    let item =
        json!({ "name": format!("Item {id}"), "categoryByCategoryId": { "name": category } });
    (query, json!({ "itemById": item }))
}

fn read_list(client: &mut Client<'_>, offset: u32) {
    let query = format!(
        "{{ allItems(orderBy: ID_ASC, first: {PAGE}, offset: {offset}) {{ nodes {{ id name }} }} }}"
    );
    let rows =
        (offset + 1..=offset + PAGE).map(|id| json!({ "id": id, "name": format!("Item {id}") }));
    let expected = json!({ "allItems": { "nodes": rows.collect::<Vec<_>>() } });
    if let Some(answer) = client.ask(Kind::List, &query, None) {
        client.check(Kind::List, &query, &answer, &expected);
    }
}

/// A cached answer, or one of a standby, may be older than the newest change, but not for long.
fn read_account(client: &mut Client<'_>, account: u32, stop: &Stop) {
    let acknowledged = client.ledger.acknowledged(account);
    let started = Instant::now();
    while !stop.is_set() {
        let Some(balance) = client.balance(Kind::Account, account, None) else { return };
        if balance > client.ledger.sent(account) {
            client.ledger.problem(format!("account {account} never had {balance}"));
        }
        if balance >= acknowledged {
            return;
        }
        if started.elapsed() > LAG && !client.ledger.is_disturbed() {
            client.ledger.problem(format!(
                "account {account} has {balance} {LAG:?} after {acknowledged} was acknowledged"
            ));
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Changes the balances of its accounts and reads each change, and adds rows.
fn write(port: u16, ledger: &Ledger, number: u32, stop: &Stop) {
    let mut client = client(port, ledger);
    let mut step = 0_u32;
    while !stop.is_set() {
        step += 1;
        // Each account has one writer.
        let account = step % (ACCOUNTS / WRITERS) * WRITERS + number + 1;
        change_account(&mut client, account);
        add_note(&mut client, &format!("{number}-{step}"));
        thread::sleep(PAUSE);
    }
}

fn change_account(client: &mut Client<'_>, account: u32) {
    let balance = client.ledger.send_balance(account);
    let mutation = format!(
        "mutation {{ updateAccountById(input: {{ id: {account}, accountPatch: {{ balance: {balance} }} }}) \
         {{ account {{ balance }} }} }}"
    );
    let Some(answer) = client.ask(Kind::Change, &mutation, None) else { return };
    let expected = json!({ "updateAccountById": { "account": { "balance": balance } } });
    client.check(Kind::Change, &mutation, &answer, &expected);
    client.ledger.acknowledge_balance(account, balance);
    let Some(position) = &answer.position else {
        client.ledger.problem("the response to a mutation has no position".to_owned());
        return;
    };
    if let Some(found) = client.balance(Kind::ReadBack, account, Some(position))
        && found != balance
    {
        client.ledger.problem(format!(
            "account {account} has {found} for its writer after {balance} was acknowledged"
        ));
    }
}

fn add_note(client: &mut Client<'_>, note: &str) {
    let mutation = format!(
        "mutation {{ createNote(input: {{ note: {{ text: \"{note}\" }} }}) {{ note {{ text }} }} }}"
    );
    client.ledger.send_note(note);
    let Some(answer) = client.ask(Kind::Note, &mutation, None) else { return };
    client.check(
        Kind::Note,
        &mutation,
        &answer,
        &json!({ "createNote": { "note": { "text": note } } }),
    );
    client.ledger.acknowledge_note(note);
}

/// Leaves in the middle of a request, of a slow answer, or without a request.
fn abandon(port: u16, ledger: &Ledger, number: u32, stop: &Stop) {
    let slow = json!({ "query": "{ slowById(id: 1) { nothing } }" }).to_string();
    let slow = crate::http::request("/graphql", &slow);
    let mut step = number;
    while !stop.is_set() {
        step = step.wrapping_add(1);
        // A server that is not there is found by the other clients.
        if let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            let part = match step % 3 {
                0 => &slow[..slow.len() / 2],
                1 => &*slow,
                _ => "",
            };
            // A connection that ends early is what this client is for.
            drop(stream.write_all(part.as_bytes()));
            drop(stream.set_read_timeout(Some(Duration::from_millis(50))));
            drop(stream.read(&mut [0; 16]));
            ledger.count(Kind::Abandoned);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn data(answer: &Positioned) -> Value {
    let answer: Value = serde_json::from_slice(&answer.answer.body).unwrap_or_default();
    answer["data"].clone()
}

/// The code of the first error of a response; `None` without one.
pub(super) fn code(body: &[u8]) -> Option<String> {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return Some(format!("no JSON: {}", String::from_utf8_lossy(body)));
    };
    let error = answer["errors"].as_array()?.first()?;
    let code = error["extensions"]["code"].as_str();
    Some(code.map_or_else(|| error.to_string(), ToOwned::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_with_errors_has_a_code() {
        assert_eq!(code(br#"{"data":{"a":1}}"#), None);
        let error = br#"{"errors":[{"message":"no","extensions":{"code":"TIMEOUT"}}]}"#;
        assert_eq!(code(error).as_deref(), Some("TIMEOUT"));
        assert_eq!(code(b"<html>").as_deref(), Some("no JSON: <html>"));
    }

    #[test]
    fn accounts_have_one_writer_each() {
        let mut written: Vec<u32> = (0..WRITERS)
            .flat_map(|number| (0..ACCOUNTS / WRITERS).map(move |step| step * WRITERS + number + 1))
            .collect();
        written.sort_unstable();
        assert_eq!(written, (1..=ACCOUNTS).collect::<Vec<_>>());
    }
}
