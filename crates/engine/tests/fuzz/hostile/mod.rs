//! Requests made by hand to hurt: each with what it must get, in bounded time and memory.
//!
//! * [`documents`]: their size, depth and fragments
//! * [`values`]: arguments and variables
//! * [`bodies`]: what comes before GraphQL

mod bodies;
mod documents;
mod values;

use std::sync::Arc;

use engine::Kind;
use graphql::{ErrorCode, GraphQLError, Request};
use libtest_mimic::{Failed, Trial};

use crate::fuzz::properties::Attack;
use crate::fuzz::runtime;
use crate::fuzz::target::{Database, Family, Opened, Style, Target, Targets};
use testkit::allocation;

/// The most that a thread may hold for one request.
const MOST_BYTES: isize = 96 << 20;

pub(super) struct Hostile {
    pub(super) name: &'static str,
    pub(super) style: Style,
    pub(super) body: fn() -> Vec<u8>,
    pub(super) expected: Expected,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Data and no error.
    Data,
    /// No data, and errors of this code only.
    Refused(ErrorCode),
    /// Data with errors of this code only.
    Partial(ErrorCode),
}

/// A test for each request and source, on the whole shop.
pub(crate) fn trials(targets: &Arc<Targets>, all: &[Target]) -> Vec<Trial> {
    let mut trials = Vec::new();
    let requests = [documents::ALL, values::ALL, bodies::ALL];
    for hostile in requests.into_iter().flatten() {
        let same = |target: &&Target| {
            target.style == hostile.style && target.database == Database::SmallShop
        };
        for target in all.iter().filter(same) {
            // What is refused meets no source.
            let refused = matches!(hostile.expected, Expected::Refused(_));
            if refused && target.family == Family::Postgres {
                continue;
            }
            let target = Target { database: Database::Shop, ..*target };
            let targets = Arc::clone(targets);
            let name = format!("fuzz::hostile::{}::{target}", hostile.name);
            trials.push(Trial::test(name, move || check(hostile, target, &targets)));
        }
    }
    trials
}

fn check(hostile: &Hostile, target: Target, targets: &Targets) -> Result<(), Failed> {
    let opened = targets.open(target)?;
    let body = (hostile.body)();
    let held = allocation::held();
    allocation::reset();
    let got = send(&body, &opened)?;
    let most = allocation::most_since(held);
    if got != hostile.expected {
        return Err(format!("expected {:?}, got {got:?}", hostile.expected).into());
    }
    if most > MOST_BYTES {
        return Err(format!("it held {} MiB", most >> 20).into());
    }
    Ok(())
}

fn send(body: &[u8], opened: &Opened) -> Result<Expected, Failed> {
    let request = match Request::from_json(body) {
        Ok(request) => request,
        Err(GraphQLError { code, .. }) => return Ok(Expected::Refused(code)),
    };
    let outcome = runtime()?.block_on(async {
        let attack = Attack::on(opened).await?;
        attack.send(&request).await
    })?;
    let first = outcome.codes.first().copied();
    if outcome.codes.iter().any(|code| Some(*code) != first) {
        return Err(format!("errors of several codes: {outcome}").into());
    }
    Ok(match (outcome.kind, first) {
        (Kind::Executed, None) => Expected::Data,
        (Kind::Executed, Some(code)) => Expected::Partial(code),
        (Kind::RequestError | Kind::MutationRefused | Kind::Overloaded, Some(code)) => {
            Expected::Refused(code)
        }
        (Kind::RequestError | Kind::MutationRefused | Kind::Overloaded, None) => {
            return Err("no data and no error".into());
        }
    })
}

/// The body that asks for a document without variables.
pub(super) fn ask(document: &str) -> Vec<u8> {
    ask_with(document, "{}")
}

/// The body that asks for a document with variables, given as JSON text.
pub(super) fn ask_with(document: &str, variables: &str) -> Vec<u8> {
    let document = serde_json::Value::from(document).to_string();
    ["{\"query\":", &document, ",\"variables\":", variables, "}"].concat().into_bytes()
}
