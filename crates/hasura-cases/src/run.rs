//! Runs the groups one after another.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use testkit::postgres::{self, Origin};
use tokio::runtime;

use crate::case_file::{self, Case, Group};
use crate::metadata::{Effect, Metadata};
use crate::report::{Outcome, Report};
use crate::request;
use crate::server::Server;
use crate::services::Services;
use crate::test_code;
use crate::test_files::TestFiles;
use crate::yaml;

/// The cases could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    #[error("PostgreSQL: {0}")]
    Postgres(String),
}

/// What the files of a group share.
struct Site<'s> {
    program: &'s Path,
    postgres: &'s postgres::Server,
    folder: &'s Path,
    tests: &'s TestFiles,
    services: Services,
    number: usize,
}

/// The state of a file while its requests are sent.
struct State {
    database: String,
    metadata: Metadata,
    server: Option<Server>,
}

/// Runs the cases below a folder whose paths have one of these parts, or all.
pub(crate) fn run(folder: &Path, parts: &[String]) -> Result<Report, RunError> {
    let postgres =
        postgres::required_installations().map_err(|e| RunError::Postgres(e.to_string()))?;
    // The extensions of the cases are packages of Debian.
    let of_debian = postgres.iter().find(|installation| installation.origin == Origin::Debian);
    let installation = of_debian.or(postgres.first());
    let installation =
        installation.ok_or_else(|| RunError::Postgres("none is installed".into()))?;
    let postgres = postgres::shared(installation).map_err(|e| RunError::Postgres(e.to_string()))?;
    let program = program();
    let scratch = std::env::temp_dir().join(format!("hasura-cases-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| RunError::File(scratch.clone(), error))?;
    let services = Services::new(folder);
    let tests = TestFiles::read(folder.parent().unwrap_or(folder));
    let tests = tests.map_err(|error| RunError::File(folder.into(), error))?;
    let mut site =
        Site { program: &program, postgres, folder: &scratch, tests: &tests, services, number: 0 };
    let mut report = Report::default();
    let groups = case_file::groups(folder).map_err(|e| RunError::File(folder.into(), e))?;
    for group in groups {
        for (path, outcome) in site.group(&group, |path| {
            parts.is_empty() || parts.iter().any(|part| path.to_string_lossy().contains(part))
        }) {
            let path = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            eprintln!(
                "{} {path}",
                match &outcome {
                    Outcome::Equal => "equal       ",
                    Outcome::OtherError(_) => "other error ",
                    Outcome::Different(_) => "DIFFERENT   ",
                    Outcome::NotCompared(_) => "not compared",
                }
            );
            report.0.push((path, outcome));
        }
    }
    drop(fs::remove_dir_all(&scratch));
    Ok(report)
}

/// `THALWEG`, or the program of this build.
fn program() -> PathBuf {
    std::env::var_os("THALWEG").map_or_else(
        || {
            let own = std::env::current_exe().unwrap_or_default();
            own.with_file_name("thalweg")
        },
        PathBuf::from,
    )
}

impl Site<'_> {
    fn group(
        &mut self,
        group: &Group,
        is_asked: impl Fn(&Path) -> bool,
    ) -> Vec<(PathBuf, Outcome)> {
        let files = group.files.iter().filter(|path| is_asked(path));
        let files: Vec<_> = files
            .filter_map(|path| match case_file::cases(path) {
                Ok(cases) if cases.is_empty() => None,
                Ok(cases) => Some((path, Ok(cases))),
                Err(error) => Some((path, Err(error))),
            })
            .collect();
        if files.is_empty() {
            return Vec::new();
        }
        self.number += 1;
        let template = format!("group_{}", self.number);
        let prepared = self.prepare(&group.setups, &template);
        let mut outcomes = Vec::new();
        for (idx, (path, cases)) in files.into_iter().enumerate() {
            let outcome = match (&prepared, cases) {
                (_, Err(error)) => Outcome::NotCompared(error),
                (Err(reason), _) => Outcome::NotCompared(format!("setup: {reason}")),
                (Ok(metadata), Ok(cases)) => {
                    let name = format!("{template}_{idx}");
                    let state = self.state(&name, &template, metadata, path);
                    let outcome = match state {
                        Err(reason) => Outcome::NotCompared(reason),
                        Ok(state) => self.file(state, path, &cases),
                    };
                    drop(self.postgres.drop_database(&name));
                    outcome
                }
            };
            outcomes.push((path.clone(), outcome));
        }
        drop(self.postgres.drop_database(&template));
        outcomes
    }

    /// The state of a file before its first request.
    fn state(
        &self,
        name: &str,
        template: &str,
        metadata: &Value,
        path: &Path,
    ) -> Result<State, String> {
        let steps = self.tests.find(path);
        let mut metadata = match steps.and_then(|steps| steps.base.as_ref()) {
            Some(base) => Metadata(self.prepare(base, name)?),
            None => {
                let copied = self.postgres.copy_database(template, name);
                copied.map_err(|error| error.to_string())?;
                Metadata(metadata.clone())
            }
        };
        for path in steps.iter().flat_map(|steps| &steps.then) {
            self.apply_file(&mut metadata, name, path)?;
        }
        Ok(State { database: name.to_owned(), metadata, server: None })
    }

    /// Makes a database with these setups, and returns its metadata.
    fn prepare(&self, setups: &[PathBuf], database: &str) -> Result<Value, String> {
        self.postgres.create_database(database).map_err(|error| error.to_string())?;
        // Hasura's tests expect them where they are installed.
        let expected = [
            "CREATE EXTENSION IF NOT EXISTS postgis",
            "CREATE EXTENSION IF NOT EXISTS postgis_raster",
            "CREATE SCHEMA hge_tests",
        ];
        for sql in expected {
            drop(self.postgres.execute(database, sql));
        }
        let mut metadata = Metadata::new();
        for path in setups {
            self.apply_file(&mut metadata, database, path)?;
        }
        Ok(metadata.0)
    }

    fn apply_file(
        &self,
        metadata: &mut Metadata,
        database: &str,
        path: &Path,
    ) -> Result<(), String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        self.apply(metadata, database, &yaml::read(&text)?)
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    fn apply(
        &self,
        metadata: &mut Metadata,
        database: &str,
        command: &Value,
    ) -> Result<(), String> {
        for effect in metadata.apply(command)? {
            let Effect::Sql(sql) = effect;
            self.postgres.execute(database, &sql).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn file(&mut self, mut state: State, path: &Path, cases: &[Case]) -> Outcome {
        let text = path.to_string_lossy();
        if let Err(reason) = self.apply_test_code(&mut state, path) {
            return Outcome::NotCompared(reason);
        }
        if let Some(reason) = OWN_ANSWERS.iter().find(|(part, _)| text.contains(part)) {
            return Outcome::NotCompared(reason.1.to_owned());
        }
        for (_, commands) in COMMANDS.iter().filter(|(part, _)| text.ends_with(part)) {
            let file = path.with_file_name(commands);
            let read = fs::read_to_string(&file).map_err(|error| error.to_string());
            let applied = read
                .and_then(|text| yaml::read(&text))
                .and_then(|command| self.apply(&mut state.metadata, &state.database, &command));
            if let Err(reason) = applied {
                return Outcome::NotCompared(format!("{}: {reason}", file.display()));
            }
        }
        let mut outcome = None;
        for case in cases {
            let next = match &*case.url {
                "/v1/query" | "/v2/query" | "/v1/metadata" if is_change(&case.query) => {
                    if case.status != 200 {
                        match self.refused(&state, path, case) {
                            Some(Outcome::Equal) => {
                                outcome.get_or_insert(Outcome::Equal);
                            }
                            Some(other) => return other,
                            None => {}
                        }
                        continue;
                    }
                    // The server reads the metadata when it starts.
                    state.server = None;
                    match self.apply(&mut state.metadata, &state.database, &case.query) {
                        Ok(()) => continue,
                        Err(reason) => return Outcome::NotCompared(reason),
                    }
                }
                "/v1/query" | "/v2/query" => continue,
                _ => self.request(&mut state, path, case),
            };
            match (next, &outcome) {
                (Outcome::Equal, None) => outcome = Some(Outcome::Equal),
                (Outcome::Equal, _) => {}
                (Outcome::OtherError(text), None | Some(Outcome::Equal)) => {
                    outcome = Some(Outcome::OtherError(text));
                }
                (Outcome::OtherError(_), _) => {}
                (other, _) => return other,
            }
        }
        outcome.unwrap_or_else(|| {
            Outcome::NotCompared("it asks the APIs of schema and data only".into())
        })
    }

    /// Applies what the code of a file's test does before its requests.
    fn apply_test_code(&self, state: &mut State, path: &Path) -> Result<(), String> {
        let text = path.to_string_lossy();
        if let Some(setup) = test_code::setup(&text) {
            self.apply_file(&mut state.metadata, &state.database, &path.with_file_name(setup))?;
        }
        if let Some(command) = test_code::command(&text) {
            self.apply(&mut state.metadata, &state.database, &command)?;
        }
        if let Some(customization) = test_code::source_customization(&text) {
            state.metadata.customize(customization);
        }
        Ok(())
    }

    /// Starts the server, or returns its log. The outer error is about the cases.
    fn start(
        &mut self,
        database: &str,
        metadata: &str,
        path_of_cases: &Path,
    ) -> Result<Result<Server, String>, String> {
        let path = self.folder.join("metadata.json");
        fs::write(&path, metadata).map_err(|error| error.to_string())?;
        let variables = self.services.variables(metadata, path_of_cases)?;
        let url = self.postgres.url(database);
        let options = options(path_of_cases);
        let server = Server::start(self.program, &url, &path, &options, &variables);
        if let Ok(server) = &server {
            self.services.tell(&server.address);
        }
        Ok(server)
    }

    /// A command that Hasura refuses: for permissions of remote schemas, the log of the server has
    /// the error.
    fn refused(&mut self, state: &State, path: &Path, case: &Case) -> Option<Outcome> {
        if case.query["type"] != "add_remote_schema_permissions" {
            return None;
        }
        let mut metadata = Metadata(state.metadata.0.clone());
        if let Err(reason) = metadata.apply(&case.query) {
            return Some(Outcome::NotCompared(reason));
        }
        let metadata = metadata.0.to_string();
        let log = match self.start(&state.database, &metadata, path) {
            Ok(Ok(server)) => server.log.clone(),
            Ok(Err(log)) => log,
            Err(reason) => return Some(Outcome::NotCompared(reason)),
        };
        let expected = case.responses.first()?["error"].as_str()?;
        // The log has each message on one line.
        Some(match log.replace("\\n", "\n").contains(expected) {
            true => Outcome::Equal,
            false => Outcome::Different(format!("  expected {expected}\n  the log: {log}")),
        })
    }

    fn request(&mut self, state: &mut State, path_of_cases: &Path, case: &Case) -> Outcome {
        if state.server.is_none() {
            let metadata = state.metadata.0.to_string();
            match self.start(&state.database, &metadata, path_of_cases) {
                Err(reason) => return Outcome::NotCompared(reason),
                Ok(Ok(server)) => state.server = Some(server),
                // The test itself makes the metadata.
                Ok(Err(log)) if is_empty(&state.metadata.0) => {
                    return Outcome::NotCompared(format!("nothing is tracked: {}", log.trim()));
                }
                Ok(Err(log)) => return Outcome::Different(format!("the server has ended: {log}")),
            }
        }
        let Some(server) = &state.server else { return Outcome::NotCompared("no server".into()) };
        let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return Outcome::NotCompared(error.to_string()),
        };
        match runtime.block_on(request::send(&server.address, case)) {
            Ok((status, body)) => compare(case, status, &body),
            Err(error) => Outcome::Different(error),
        }
    }
}

/// True for metadata without anything to serve.
fn is_empty(metadata: &Value) -> bool {
    let is_none = |value: &Value| value.as_array().is_none_or(Vec::is_empty);
    is_none(&metadata["sources"][0]["tables"])
        && is_none(&metadata["remote_schemas"])
        && is_none(&metadata["actions"])
}

/// Parts of paths whose answers no other server can have, whose requests go to an API that only
/// Hasura's enterprise edition has, or that no test asks.
const OWN_ANSWERS: [(&str, &str); 4] = [
    ("/execution_with_session_preset_argument.yaml", "no test of Hasura asks it"),
    ("/explain/", "its answers have Hasura's own SQL"),
    ("/query_cache/", "the cache is part of Hasura's enterprise edition"),
    ("/export_metadata.yaml", "it expects metadata of version 2"),
];

/// The options with which Hasura's tests start the server for some files: the first one that fits.
const OPTIONS: [(&str, &[&str]); 6] = [
    ("/apollo_federation/", &["--federation"]),
    (
        "/cookie_header_absent_unauth_role_not_set",
        &[
            "--admin-secret",
            "secret",
            "--jwt-config",
            r#"{"type": "HS256", "key": "a secret of at least thirty-two bytes"}"#,
        ],
    ),
    ("/functions/permissions/get_articles", &["--infer-function-permissions", "false"]),
    ("/allowlist", &["--allow-list"]),
    ("/unauthorized_role/", &["--admin-secret", "secret", "--unauthorized-role", "anonymous"]),
    ("/backend_user_no_admin_secret", &["--admin-secret", "secret"]),
];

/// The commands that Hasura's tests send before the requests of a file, as files beside it.
const COMMANDS: [(&str, &str); 3] = [
    ("/function_as_mutations_permissions.yaml", "create_function_permission_add_to_score.yaml"),
    (
        "/single_row_function_as_mutation.yaml",
        "create_function_permission_add_to_score_by_user_id.yaml",
    ),
    ("/get_articles_with_permission_configured.yaml", "add_function_permission_get_articles.yaml"),
];

/// The options for a file; numbers are texts in all of Hasura's tests.
fn options(path: &Path) -> Vec<String> {
    let path = path.to_string_lossy();
    let own = OPTIONS.iter().find(|(part, _)| path.contains(part));
    let own = own.into_iter().flat_map(|(_, own)| *own);
    let all = ["--stringify-numeric-types", "--inconsistent-metadata", "leave-out"];
    // Hasura's tests have permissions of remote schemas where they are about them.
    let has_permissions = path.contains("/remote_schemas/permissions/");
    let everything: &[&str] = match has_permissions {
        true => &[],
        false => &["--remote-schema-permissions", "false"],
    };
    let all = all.iter().chain(everything).chain(own);
    all.map(|option| (*option).to_owned()).collect()
}

/// True for commands that change the metadata or the database.
fn is_change(query: &Value) -> bool {
    let name = query["type"].as_str().unwrap_or_default();
    let reads = ["select", "count", "export_metadata", "get_inconsistent_metadata"];
    !reads.contains(&name)
}

fn compare(case: &Case, status: u16, body: &Value) -> Outcome {
    let expected = case.responses.first().unwrap_or(&Value::Null);
    let shown = |body: &Value| serde_json::to_string(body).unwrap_or_default();
    let text = format!(
        "  {} {}\n  expected {} {}\n  received {status} {}",
        case.url,
        shown(&case.query),
        case.status,
        shown(expected),
        shown(body)
    );
    if status != case.status {
        return Outcome::Different(text);
    }
    if case.responses.is_empty() || case.responses.iter().any(|one| equal(one, body)) {
        return Outcome::Equal;
    }
    // Over a socket, and with errors of remote schemas, Hasura says that there is no data.
    if expected["data"].is_null() && body.get("data").is_none() {
        let mut without = expected.clone();
        if without.as_object_mut().is_some_and(|members| members.remove("data").is_some())
            && equal(&without, body)
        {
            return Outcome::Equal;
        }
    }
    let is_error = |value: &Value| value.get("errors").is_some() || value.get("error").is_some();
    if is_error(expected) && is_error(body) {
        return Outcome::OtherError(text);
    }
    Outcome::Different(text)
}

/// Equal JSON; the members of objects have no order, and `1` is `1.0`.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(expected: &[Value], status: u16, body: &Value) -> &'static str {
        let case = Case {
            url: "/v1/graphql".into(),
            status: 200,
            headers: Vec::new(),
            method: None,
            query: Value::Null,
            responses: expected.to_vec(),
        };
        match compare(&case, status, body) {
            Outcome::Equal => "equal",
            Outcome::OtherError(_) => "other error",
            Outcome::Different(_) => "different",
            Outcome::NotCompared(_) => "not compared",
        }
    }

    #[test]
    fn answers_are_compared_as_json() {
        let data = json!({ "data": { "a": 1, "b": [1, 2] } });
        assert_eq!(
            check(std::slice::from_ref(&data), 200, &json!({ "data": { "b": [1.0, 2], "a": 1 } })),
            "equal"
        );
        assert_eq!(check(&[json!({}), data.clone()], 200, &data), "equal");
        assert_eq!(check(&[], 200, &data), "equal");
        assert_eq!(check(&[], 400, &data), "different");
        assert_eq!(
            check(std::slice::from_ref(&data), 200, &json!({ "data": { "a": 1, "b": [2, 1] } })),
            "different"
        );
        let errors = |text: &str| json!({ "errors": [{ "message": text }] });
        assert_eq!(check(&[errors("a")], 200, &errors("b")), "other error");
        assert_eq!(check(&[errors("a")], 200, &data), "different");
        assert_eq!(check(&[data], 200, &errors("a")), "different");
        let without_data = json!({ "data": null, "errors": [{ "message": "a" }] });
        assert_eq!(check(&[without_data], 200, &errors("a")), "equal");
    }

    #[test]
    fn files_have_the_options_of_hasuras_tests() {
        let all = |path: &str| options(Path::new(path)).join(" ");
        let common = "--stringify-numeric-types --inconsistent-metadata leave-out";
        let open = format!("{common} --remote-schema-permissions false");
        assert_eq!(all("q/basic/a.yaml"), open);
        assert_eq!(all("q/allowlist/a.yaml"), format!("{open} --allow-list"));
        assert_eq!(all("q/remote_schemas/permissions/a.yaml"), common);
    }
}
