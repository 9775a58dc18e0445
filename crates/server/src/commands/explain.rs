//! `thalweg explain`: what an operation becomes for who asks, or what policies let of a row.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use engine::{Claims, Engine, Limits, RowError, RowName, Session, Worker};
use graphql::Request;

use crate::commands::{block_on, open, print};
use crate::failure::{Failure, OperationError};
use crate::options::ExplainOptions;

pub(crate) fn run(options: &ExplainOptions) -> Result<(), Failure> {
    match (&options.row, &options.file) {
        (Some(row), _) => explain_row(options, row),
        (None, Some(file)) => explain_operation(options, file),
        (None, None) => Err(Failure::Usage("a file or `--row` says what to explain".into())),
    }
}

fn explain_row(options: &ExplainOptions, row: &RowName) -> Result<(), Failure> {
    let explanation = block_on(async {
        let engine = open(&options.api, Limits::default()).await?;
        let session = session(options, &engine)?;
        Worker::new(engine).explain_row(row, &session).await.map_err(|error| match error {
            RowError::NoPolicies => Failure::Usage("`--row` needs `--policies`".into()),
            error => Failure::Row(error),
        })
    })?;
    print(&explanation)
}

fn explain_operation(options: &ExplainOptions, file: &Path) -> Result<(), Failure> {
    let request = Request {
        query: read(file)?,
        operation_name: options.operation.clone(),
        variables: options.variables.clone().unwrap_or_default(),
        ..Request::default()
    };
    let explanation = block_on(async {
        let limits = Limits { cost: options.cost.limits(), ..Limits::default() };
        let engine = open(&options.api, limits).await?;
        let session = session(options, &engine)?;
        let worker = Worker::new(engine);
        let failed = |errors| Failure::Operation(OperationError { file: file.to_owned(), errors });
        let policies = worker.explain_policies(&request, &session).map_err(failed)?;
        if let Some(policies) = &policies {
            print(&["-- policies\n", policies, "\n"].concat())?;
        }
        if let Some(rules) = worker.explain_rules(&request, &session).map_err(failed)? {
            print(&["-- rules\n", &rules, "\n"].concat())?;
        }
        worker.explain(&request, &session, options.analyze).await.map_err(failed)
    })?;
    print(&explanation)
}

/// Whoever is said to ask.
fn session(options: &ExplainOptions, engine: &Engine) -> Result<Session, Failure> {
    let mut claims = options.claims.clone().unwrap_or_default();
    match (engine.claim_role(), &options.role) {
        (Some(claim), Some(role)) => {
            claims.insert(claim, role.as_str().into());
        }
        (None, Some(_)) => return Err(Failure::Usage("`--role` needs `--policies`".into())),
        (_, None) => {}
    }
    if options.claims.is_some() && !engine.knows_claims() {
        let message = "`--claims` needs `--policies`, or type definitions that ask for claims";
        return Err(Failure::Usage(message.into()));
    }
    // To rules of type definitions, a token without claims is one.
    let is_known = options.claims.is_some() || !claims.is_empty();
    let claims = is_known.then(|| Arc::new(Claims::new(claims.into())));
    Ok(Session { claims, ..Session::default() })
}

fn read(file: &Path) -> Result<String, Failure> {
    let text = match file == Path::new("-") {
        true => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => fs::read_to_string(file),
    };
    text.map_err(|error| Failure::Document { file: file.to_owned(), error })
}
