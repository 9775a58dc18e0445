//! What must hold of every request, whatever it is.

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

use engine::{Kind, Worker};
use graphql::{ErrorCode, Request};
use serde_json::Value as Json;

use super::statements::Statements;
use super::target::Opened;

/// The longest that one request may take in a build without optimisation, for each byte of its
/// answer a little more: rows in rows in rows are many.
const LONGEST: Duration = Duration::from_secs(2);
const LONGEST_A_BYTE: Duration = Duration::from_micros(5);

/// What no request may cause: the fault would be ours.
const OUR_FAULTS: [ErrorCode; 12] = [
    ErrorCode::SourceError,
    ErrorCode::InternalServerError,
    ErrorCode::Unavailable,
    ErrorCode::Timeout,
    // The schema offers only what its source can do.
    ErrorCode::NotSupported,
    // Nothing is written, and nobody is anybody.
    ErrorCode::PermissionDenied,
    ErrorCode::Unauthenticated,
    ErrorCode::UniqueViolation,
    ErrorCode::ForeignKeyViolation,
    ErrorCode::NotNullViolation,
    ErrorCode::CheckViolation,
    ErrorCode::MethodNotAllowed,
];

/// One target under attack, on one thread.
pub(crate) struct Attack {
    pub(crate) worker: Worker,
    statements: Statements,
    /// The last request that was tried, as a body: what is left of it after a panic.
    pub(crate) last: RefCell<Vec<u8>>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) kind: Kind,
    pub(crate) data: Option<Json>,
    pub(crate) codes: Vec<ErrorCode>,
    /// The whole body, for messages.
    pub(crate) body: String,
    pub(crate) took: Duration,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.body.chars().take(2_000).collect();
        write!(formatter, "{:?} {shown}", self.kind)
    }
}

impl Attack {
    pub(crate) async fn on(opened: &Opened) -> Result<Self, String> {
        Ok(Self {
            worker: Worker::new(opened.engine.clone()),
            statements: Statements::connect(&opened.address).await?,
            last: RefCell::default(),
        })
    }

    /// Sends a request and checks everything that must hold. An error says what does not.
    pub(crate) async fn send(&self, request: &Request) -> Result<Outcome, String> {
        *self.last.borrow_mut() = body(request);
        let mut fastest = Duration::MAX;
        // The machine may be busy with something else.
        for _ in 0..3 {
            let outcome = self.check(request).await?;
            fastest = fastest.min(outcome.took);
            let bytes = u32::try_from(outcome.body.len()).unwrap_or(u32::MAX);
            if fastest <= LONGEST + LONGEST_A_BYTE * bytes {
                return Ok(outcome);
            }
        }
        Err(format!("it takes {fastest:?}"))
    }

    async fn check(&self, request: &Request) -> Result<Outcome, String> {
        let started = Instant::now();
        let prepared = self.worker.prepare(request);
        let response = self.worker.execute(request, engine::Allowed::All).await;
        let took = started.elapsed();
        let outcome = read_response(response.kind, response.body.into(), took)?;
        match &prepared {
            Ok(prepared) => {
                // Patterns may be values of variables, so they are checked once these are known.
                let is_of_values = outcome.codes.contains(&ErrorCode::PatternTooComplex);
                if outcome.kind == Kind::RequestError && !is_of_values {
                    return Err(format!("it can be prepared and is refused: {outcome}"));
                }
                for statement in &prepared.statements {
                    self.statements.check(statement).await?;
                }
            }
            Err(errors) => {
                let codes: Vec<_> = errors.iter().map(|error| error.code).collect();
                if outcome.kind != Kind::RequestError || outcome.codes != codes {
                    return Err(format!("it cannot be prepared ({codes:?}) and runs: {outcome}"));
                }
            }
        }
        // Another text means that nothing is taken from the cache; and one that never runs, that
        // nothing is known of its answers, which say how the rows are read.
        let prepare_ending = |end: &str| {
            let query = format!("{}{end}", request.query);
            self.worker.prepare(&Request { query, ..request.clone() })
        };
        if let (Ok(first), Ok(second), Ok(third)) =
            (&prepared, &prepare_ending("\n"), &prepare_ending("\n\n"))
            && ((first.cost, &first.request) != (second.cost, &second.request) || second != third)
        {
            return Err(format!("prepared again it differs:\n{first:#?}\n{second:#?}\n{third:#?}"));
        }
        Ok(outcome)
    }
}

/// Reads a response; an error if it is none.
fn read_response(kind: Kind, body: Vec<u8>, took: Duration) -> Result<Outcome, String> {
    let body = String::from_utf8(body).map_err(|error| format!("the response: {error}"))?;
    let fault = |what: &str| {
        let shown: String = body.chars().take(2_000).collect();
        Err(format!("{what}: {shown}"))
    };
    let Json::Object(mut response) = (match serde_json::from_str(&body) {
        Ok(response) => response,
        Err(error) => return fault(&format!("the response is not JSON ({error})")),
    }) else {
        return fault("the response is no object");
    };
    let data = response.remove("data");
    let errors = response.remove("errors");
    if !response.is_empty() {
        return fault("the response has entries of other names");
    }
    if (kind == Kind::RequestError) == data.is_some() {
        return fault("data is there for a request error, or missing");
    }
    if kind == Kind::MutationRefused {
        return fault("refused as a mutation");
    }
    if !matches!(data, None | Some(Json::Null | Json::Object(_))) {
        return fault("data is no object");
    }
    let codes = match errors {
        None if data.is_none() => return fault("neither data nor errors"),
        None if data == Some(Json::Null) => return fault("data is null and nothing says why"),
        None => Vec::new(),
        Some(Json::Array(errors)) if !errors.is_empty() => {
            let codes: Option<Vec<_>> = errors.iter().map(error_code).collect();
            match codes {
                Some(codes) => codes,
                None => return fault("an error without a message or a known code"),
            }
        }
        Some(_) => return fault("errors is no list of errors"),
    };
    if codes.iter().any(|code| OUR_FAULTS.contains(code)) {
        return fault("an error that no request may cause");
    }
    Ok(Outcome { kind, data, codes, body, took })
}

fn error_code(error: &Json) -> Option<ErrorCode> {
    error["message"].as_str().filter(|message| !message.is_empty())?;
    let code = error["extensions"]["code"].as_str()?;
    ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code)
}

/// A request as the body that asks it.
pub(crate) fn body(request: &Request) -> Vec<u8> {
    let text = |text: &str| Json::from(text).to_string();
    let variables = serde_json::to_string(&request.variables).unwrap_or_default();
    let mut body = ["{\"query\":", &text(&request.query), ",\"variables\":", &variables].concat();
    if let Some(name) = &request.operation_name {
        body.push_str(&[",\"operationName\":", &text(name)].concat());
    }
    body.push('}');
    body.into_bytes()
}
