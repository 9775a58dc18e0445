//! `thalweg diff SOURCE --against URL`: the differences between another API's schema and the one of a
//! source, for each role.

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use clients::http::{Client, DownloadLimits, GetError};
use engine::{Engine, Limits};
use graphql::introspection::{INTROSPECTION_QUERY, IntrospectionError, print_introspection};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{StatusCode, Uri};
use serde_json::{Map, Value as Json, json};
use supergraph::changes::{Rules, WrittenSchema, compare};

use super::changes::{Report, Schema};
use super::{Opened, block_on, open, print};
use crate::failure::Failure;
use crate::options::{DiffOptions, OtherApi, ReportForm};

/// A large schema is made and introspected within a few seconds.
const LIMITS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(120), most_bytes: 512 << 20 };

/// The role that sees the whole schema.
const ADMIN: &str = "admin";

/// The reason why the schema of the other API cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {place} cannot be read: {reason}")]
struct Unread {
    place: String,
    reason: String,
}

/// The report for a role.
struct Compared {
    role: Option<String>,
    text: String,
    is_failed: bool,
}

/// Compares the schemas of all roles. The exit code is 1 if a difference fails the comparison.
pub(crate) fn run(options: &DiffOptions) -> Result<ExitCode, Failure> {
    if options.role.is_empty() {
        let compared = block_on(async {
            let Opened { engine, _preview } = open(&options.api, Limits::default()).await?;
            compared(options, &engine, None).await
        })?;
        print(&compared.text)?;
        return Ok(exit_code(compared.is_failed));
    }
    let all = block_on(async {
        let Opened { engine, _preview } = open(&options.api, Limits::default()).await?;
        let mut all = Vec::new();
        for role in &options.role {
            all.push(compared(options, &engine, Some(role)).await?);
        }
        Ok(all)
    })?;
    print(&report(&all, options.report)?)?;
    Ok(exit_code(all.iter().any(|one| one.is_failed)))
}

fn exit_code(is_failed: bool) -> ExitCode {
    if is_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The reports of several roles: one after another, or members of one JSON object.
fn report(all: &[Compared], form: ReportForm) -> Result<String, Failure> {
    let role = |one: &Compared| one.role.clone().unwrap_or_default();
    match form {
        ReportForm::Text | ReportForm::Github => Ok(all
            .iter()
            .map(|one| format!("Role {}\n{}\n", role(one), one.text))
            .collect::<String>()),
        ReportForm::Json => {
            let mut roles = Map::new();
            for one in all {
                let report: Json = serde_json::from_str(&one.text).map_err(Failure::other)?;
                roles.insert(role(one), report);
            }
            Ok(format!("{:#}\n", json!({ "roles": roles })))
        }
    }
}

/// Compares the schemas of a role, or the whole ones.
async fn compared(
    options: &DiffOptions,
    engine: &Engine,
    role: Option<&str>,
) -> Result<Compared, Failure> {
    let own = match role {
        None => engine.sdl_of_role(ADMIN).unwrap_or_else(|| engine.sdl()),
        // Without permissions there is this role alone.
        Some(ADMIN) if !engine.has_policies() => engine.sdl(),
        Some(role) => engine.sdl_for_role(role).ok_or_else(|| {
            Failure::Usage(format!("the API has no role `{}`", role.escape_debug()))
        })?,
    };
    let (place, sdl) = other(options, role).await?;
    let old = schema(place, matches!(options.against().0, OtherApi::File(_)), &sdl)?;
    let new = schema("thalweg".to_owned(), false, &own)?;
    let rules =
        Rules { ignore_descriptions: !options.descriptions, omit_nested: true, ..Rules::default() };
    let changes = compare(&old.schema, &new.schema, &rules);
    let is_failed = changes.iter().any(|change| options.fail_on.includes(change.criticality));
    let report = Report { changes: &changes, old: &old, new: &new, is_failed };
    Ok(Compared { role: role.map(str::to_owned), text: report.print(options.report), is_failed })
}

fn schema(place: String, is_file: bool, sdl: &str) -> Result<Schema, Failure> {
    match WrittenSchema::read(sdl) {
        Ok(schema) => Ok(Schema { place, is_file, schema }),
        Err(problems) => Err(Failure::WrongSupergraph { place, problems }),
    }
}

/// The place and the schema of the other API, as a role sees it.
async fn other(options: &DiffOptions, role: Option<&str>) -> Result<(String, String), Failure> {
    let (place, mut headers) = options.against();
    let unread = |reason: String| Failure::other(Unread { place: place.to_string(), reason });
    match place {
        OtherApi::File(file) => {
            if role.is_some() && options.role.len() > 1 {
                let message = "a file has the schema of one role: `--role` names one";
                return Err(Failure::Usage(message.to_owned()));
            }
            let text = fs::read_to_string(file).map_err(|error| unread(error.to_string()))?;
            let is_json = file.extension().is_some_and(|ending| ending == "json");
            match is_json {
                false => Ok((place.to_string(), text)),
                true => {
                    let sdl = print_introspection(text.as_bytes());
                    Ok((place.to_string(), sdl.map_err(|error| unread(error.to_string()))?))
                }
            }
        }
        OtherApi::Endpoint(endpoint) => {
            if let Some(role) = role {
                let value = HeaderValue::from_str(role)
                    .map_err(|_| Failure::Usage(format!("{role:?} is no value of a header")))?;
                headers.push((options.role_header.clone(), value));
            }
            let has_credentials = !options.against().1.is_empty();
            let fetched = fetch(&endpoint.url, &headers).await;
            let fetched = fetched.map_err(|unfetched| unread(unfetched.reason(has_credentials)));
            Ok((place.to_string(), fetched?))
        }
    }
}

/// A schema could not be had over HTTP.
#[derive(Debug, thiserror::Error)]
enum Unfetched {
    #[error(transparent)]
    Response(#[from] GetError),
    #[error(transparent)]
    Introspection(#[from] IntrospectionError),
}

impl Unfetched {
    /// The reason, with a remedy where there is one.
    fn reason(&self, has_credentials: bool) -> String {
        let remedy = match self {
            Self::Response(GetError::Status(StatusCode::NOT_FOUND)) => {
                "; the address needs the path of the endpoint, such as `/v1/graphql`"
            }
            Self::Response(GetError::Status(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN))
            | Self::Introspection(IntrospectionError::Errors(_))
                if !has_credentials =>
            {
                "; `--against-header` sends credentials, such as \
                 `x-hasura-admin-secret=env:HASURA_GRAPHQL_ADMIN_SECRET`"
            }
            Self::Response(_) | Self::Introspection(_) => "",
        };
        format!("{self}{remedy}")
    }
}

async fn fetch(url: &Uri, headers: &[(HeaderName, HeaderValue)]) -> Result<String, Unfetched> {
    let client = Client::new(url)?;
    let request = json!({ "query": INTROSPECTION_QUERY, "operationName": "IntrospectionQuery" });
    let body = Bytes::from(request.to_string());
    let fetched = client.post_json(url, headers, body, LIMITS).await?;
    Ok(print_introspection(&fetched.body)?)
}
