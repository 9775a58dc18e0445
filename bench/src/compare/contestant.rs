//! A server that takes part in a comparison.

use std::io::{self, BufRead};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::corpus::{Query, Request};
use super::schemas::{self, Schema};
use super::set::SECRET;
use super::{CompareError, Difference, Options, Subject};
use crate::http::Connection;
use crate::peers::Peer;
use crate::server::Server;

/// A running server with its name.
#[derive(Debug)]
pub(crate) struct Contestant {
    name: &'static str,
    server: Server,
}

impl Contestant {
    /// Starts a command whose log is a file of the folder.
    pub(crate) fn start(
        name: &'static str,
        command: Command,
        port: u16,
        log: &Path,
    ) -> Result<Self, CompareError> {
        Ok(Self { name, server: Server::start(command, port, log)? })
    }

    /// The answer to a request, which may use that to the request before.
    pub(crate) fn ask(
        &self,
        query: &Query,
        request: &Request,
        last: Option<&Value>,
    ) -> Result<Value, CompareError> {
        self.send(&query.name, &request.body(last), request.token(SECRET).as_deref())
    }

    fn send(&self, query: &str, body: &Value, token: Option<&str>) -> Result<Value, CompareError> {
        let asked =
            Connection::open(self.server.port).and_then(|mut open| open.ask_as(body, token));
        asked.map_err(|error| CompareError::Http { who: self.name, query: query.to_owned(), error })
    }

    fn schema(&self) -> Result<Schema, CompareError> {
        let body = json!({ "query": schemas::INTROSPECTION });
        let answer = self.send("introspection", &body, None)?;
        schemas::find_schema(&answer).ok_or(CompareError::Introspection { who: self.name })
    }
}

/// The queries whose names contain the word of the options; `None` if the word chooses none.
pub(crate) fn chosen<'q>(queries: &'q [Query], options: &Options) -> Option<Vec<&'q Query>> {
    let is_chosen = |name: &str| options.only.as_deref().is_none_or(|word| name.contains(word));
    let chosen: Vec<&Query> = queries.iter().filter(|query| is_chosen(&query.name)).collect();
    (options.only.is_none() || !chosen.is_empty()).then_some(chosen)
}

/// The differences between two schemas under a set of options.
pub(crate) fn compare_schemas(
    set: &str,
    peer: Peer,
    theirs: &Contestant,
    ours: &Contestant,
) -> Result<Vec<Difference>, CompareError> {
    let lines = schemas::compare(&theirs.schema()?, &ours.schema()?);
    let difference = |what| Difference {
        subject: Subject::Schema,
        peer,
        place: set.to_owned(),
        what,
        theirs: String::new(),
        ours: String::new(),
    };
    Ok(lines.into_iter().map(difference).collect())
}

/// Prints the addresses, and leaves the servers running until Enter is pressed.
pub(crate) fn wait_for_enter<'c>(
    contestants: impl Iterator<Item = &'c Contestant>,
) -> Result<(), CompareError> {
    for Contestant { name, server } in contestants {
        println!("{name:<16}http://127.0.0.1:{}/graphql", server.port);
    }
    println!("Enter ends them.");
    io::stdin().lock().read_line(&mut String::new())?;
    Ok(())
}
