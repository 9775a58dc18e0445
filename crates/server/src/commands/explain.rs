//! `thalweg explain`: what an operation becomes for who asks, of a source or of a supergraph, or what
//! policies let of a row.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use engine::gateway::{Gateway, GatewayWorker};
use engine::{
    Caller, Claims, Engine, Limits, Memory, RowError, RowName, Session, SourceAddress, Worker,
};
use graphql::Request;

use crate::commands::{FOR_DATABASES, FOR_SUPERGRAPHS, block_on, gateway, open, print};
use crate::failure::{Failure, OperationError};
use crate::options::{
    ApiOptions, ExplainOptions, GuardOptions, LabelOptions, SubgraphOptions, SupergraphPlace,
    of_gateway, refuse_group,
};

pub(crate) fn run(options: &ExplainOptions) -> Result<(), Failure> {
    let given = &options.api.given;
    if let (Some(place), Some(file)) = (options.api.supergraph()?, &options.file) {
        refuse_group::<ApiOptions>(given, FOR_DATABASES)?;
        return explain_plan(options, &place, file);
    }
    refuse_group::<SubgraphOptions>(given, FOR_SUPERGRAPHS)?;
    refuse_group::<LabelOptions>(given, FOR_SUPERGRAPHS)?;
    refuse_group::<GuardOptions>(given, FOR_SUPERGRAPHS)?;
    if options.analyze && matches!(options.api.address()?, SourceAddress::Sqlite(_)) {
        let message =
            "`--analyze` is for PostgreSQL and graphs: SQLite tells no figures of a statement";
        return Err(Failure::Usage(message.into()));
    }
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

/// The requests to subgraphs, and what became of them if they are to be sent.
fn explain_plan(
    options: &ExplainOptions,
    place: &SupergraphPlace,
    file: &Path,
) -> Result<(), Failure> {
    if options.role.is_some() {
        return Err(Failure::Usage("`--role` needs `--policies`, which databases have".into()));
    }
    let request = request(options, file)?;
    let (supergraph, ways) = gateway::look(place, &options.subgraphs)?;
    let limits = Limits { cost: options.cost.limits(), ..Limits::default() };
    let engine_options = of_gateway(limits, &options.subgraphs, &options.labels, &options.guards);
    let gateway = Gateway::new(supergraph, ways, engine_options);
    let claims = options.claims.clone().map(|claims| Arc::new(Claims::new(claims.into())));
    // Nobody's headers, so that what is inserted is sent.
    let forwarded = Some(Box::default());
    let caller = Caller { session: Session { claims, ..Session::default() }, forwarded };
    let explained = block_on(async {
        let worker = GatewayWorker::sharing(gateway, Memory::new(u64::MAX));
        Ok(worker.explain(&request, &caller, options.analyze).await)
    })?;
    let failed = |errors| Failure::Operation(OperationError { file: file.to_owned(), errors });
    print(&explained.map_err(failed)?)
}

fn request(options: &ExplainOptions, file: &Path) -> Result<Request, Failure> {
    Ok(Request {
        query: read(file)?,
        operation_name: options.operation.clone(),
        variables: options.variables.clone().unwrap_or_default(),
        ..Request::default()
    })
}

fn explain_operation(options: &ExplainOptions, file: &Path) -> Result<(), Failure> {
    let request = request(options, file)?;
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
