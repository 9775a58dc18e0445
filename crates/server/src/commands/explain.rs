//! `thalweg explain`: the plan of an operation for a caller, on a source or a supergraph, or the
//! effect of policies on a row.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use engine::documents::Document;
use engine::gateway::{Gateway, GatewayWorker};
use engine::{
    Caller, Claims, Engine, Limits, MemoryBudget, RowError, RowName, Session, SourceAddress, Worker,
};
use graphql::Request;
use graphql::operation::OperationKind;
use serde_json_bytes::Value as Json;

use crate::commands::{FOR_DATABASES, Opened, block_on, gateway, open, print, reads};
use crate::failure::{Failure, OperationError};
use crate::options::{
    ApiOptions, ExplainOptions, SupergraphLocation, Variables, gateway_options, refuse_group,
};

pub(crate) fn run(options: &ExplainOptions) -> Result<(), Failure> {
    if let (Some(place), Some(file)) =
        (options.api.supergraph(&options.subgraphs.registry)?, &options.file)
    {
        refuse_group::<ApiOptions>(&options.api.given, FOR_DATABASES)?;
        return explain_plan(options, &place, file);
    }
    match (&options.row, &options.file) {
        (Some(row), _) => explain_row(options, row),
        (None, Some(file)) => explain_operation(options, file),
        (None, None) => Err(Failure::Usage("explain needs a file or `--row`".into())),
    }
}

fn explain_row(options: &ExplainOptions, row: &RowName) -> Result<(), Failure> {
    let explanation = block_on(async {
        let Opened { engine, _preview } = open(&options.api, Limits::default()).await?;
        let session = of_source(options, &engine)?;
        Worker::new(engine).explain_row(row, &session).await.map_err(|error| match error {
            RowError::NoPolicies => Failure::Usage("`--row` needs `--policies`".into()),
            error => Failure::Row(error),
        })
    })?;
    print(&explanation)
}

/// Explains the requests to subgraphs, with their results if they are sent.
fn explain_plan(
    options: &ExplainOptions,
    place: &SupergraphLocation,
    file: &Path,
) -> Result<(), Failure> {
    let given = &options.api.given;
    let (supergraph, transports) = gateway::look_with(place, &options.subgraphs, given)?;
    let request = request(options, file)?;
    let engines = transports.iter().filter_map(|transport| Some(&*transport.local()?.engine));
    let has_roles = engines.clone().any(Engine::has_roles);
    let session = session(options, engines, has_roles)?;
    let limits = Limits { cost: options.cost.limits(), ..Limits::default() };
    let engine_options =
        gateway_options(limits, &options.subgraphs, &options.labels, &options.guards);
    let gateway = Gateway::new(supergraph, transports, engine_options);
    // No client sends headers, so inserted headers are used.
    let caller = Caller { session, forwarded: Some(Box::default()), ..Caller::default() };
    let explained = block_on(async {
        let worker = GatewayWorker::sharing(gateway, MemoryBudget::new(u64::MAX));
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
        let Opened { engine, _preview } = open(&options.api, limits).await?;
        let session = of_source(options, &engine)?;
        let worker = Worker::new(engine);
        let failed = |errors| Failure::Operation(OperationError { file: file.to_owned(), errors });
        let policies = worker.explain_policies(&request, &session).map_err(failed)?;
        if let Some(policies) = &policies {
            print(&["-- policies\n", policies, "\n"].concat())?;
        }
        if let Some(reads) = worker.engine().reads() {
            let document = worker.document(&request, &session);
            let is_query = |document: &Document| document.operation.kind == OperationKind::Query;
            let servers = match document.is_ok_and(|document| is_query(&document)) {
                true => reads::report(&reads),
                false => "  The primary: the operation is no query.\n".to_owned(),
            };
            print(&["-- servers\n", &servers, "\n"].concat())?;
        }
        if let Some(rules) = worker.explain_rules(&request, &session).map_err(failed)? {
            print(&["-- rules\n", &rules, "\n"].concat())?;
        }
        worker.explain(&request, &session, options.analyze).await.map_err(failed)
    })?;
    print(&explanation)
}

/// The session of a caller of one source.
fn of_source(options: &ExplainOptions, engine: &Engine) -> Result<Session, Failure> {
    if options.claims.is_some() && !engine.knows_claims() {
        let message = "`--claims` needs `--policies`, or type definitions that ask for claims";
        return Err(Failure::Usage(message.into()));
    }
    // The auth profile of graphs ignores roles in tokens.
    let is_graph = matches!(options.api.address()?, SourceAddress::Neo4j(_));
    session(options, [engine].into_iter(), !is_graph)
}

/// The session that a server gives to a request with a token of this role and these claims, or to an
/// unauthenticated request.
fn session<'e>(
    options: &ExplainOptions,
    engines: impl Iterator<Item = &'e Engine>,
    has_roles: bool,
) -> Result<Session, Failure> {
    let mut claims = options.claims.clone();
    if let Some(role) = &options.role {
        let claims = claims.get_or_insert_default();
        for engine in engines {
            match engine.claim_role() {
                Some(claim) => drop(claims.insert(claim, role.as_str().into())),
                None if engine.has_roles() => insert(claims, &options.roles.jwt_role, role)?,
                None => {}
            }
        }
    }
    let claims = claims.map(|claims| Claims::new(claims.into()));
    options.roles.mapping(has_roles).session(claims).map_err(|refused| {
        Failure::Usage(format!("no server accepts a token of this caller: {refused}"))
    })
}

/// Sets a claim at a path of members.
fn insert(claims: &mut Variables, path: &[Box<str>], role: &str) -> Result<(), Failure> {
    let Some((last, objects)) = path.split_last() else { return Ok(()) };
    let mut members = claims;
    for name in objects {
        let object = members.entry(&**name).or_insert_with(|| Json::Object(Variables::new()));
        let none = || {
            Failure::Usage(format!(
                "`--jwt-role` reads the role from the claim `{name}`, which is not an object"
            ))
        };
        members = object.as_object_mut().ok_or_else(none)?;
    }
    members.insert(&**last, role.into());
    Ok(())
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
