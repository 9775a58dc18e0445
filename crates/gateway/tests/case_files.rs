//! The case files of `fixtures/cases/gateway`: an operation over a supergraph, its plan and
//! requests, and its response. `UPDATE_EXPECT=1` writes the actual results.
//!
//! Subgraphs are in memory, and the clock advances only while the gateway waits: a wave is one
//! tick. Values of objects are in the `data.json` of the supergraph, or computed. Options of a case
//! are `data=other` for another data file, `labels=one,other`, `reuse=off`,
//! `max-representations=2`, `incremental=fragments` and `incremental=fields` for a response in several
//! payloads of this format, each with its tick in `after`; its claims are those of the gateway's default options: `scope`, words
//! in a string, and `policies`, a list.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use gateway::access::Access;
use gateway::cost::Cost;
use gateway::execute::{
    ErrorKind, ErrorWriter, ExecutionError, IncrementalFormat, Options, Step as PathStep,
};
use gateway::planner::Labels;
use graphql::Validator;
use libtest_mimic::{Failed, Trial};
use serde_json_bytes::serde_json::{Value as Json, from_str, json};
use serde_json_bytes::{ByteString, Map, Value as OwnJson};
use supergraph::{Supergraph, read};
use testkit::cases::{self, Answered, Case, CaseFile, Family, Outcome, SectionKind, Statement};
use testkit::federation::faults::Fault;
use testkit::federation::question::{Planned, Ran};
use testkit::federation::subgraphs::{Schemas, Subgraphs};
use testkit::federation::{Data, Question, World};

/// Assumed length of lists without `@listSize`.
const LIST_SIZE: u64 = 10;

/// A test for each file.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    let files = cases::find(&fixtures().join("cases/gateway"))?;
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let trials = files.into_iter().map(|file| {
        let name = file.name.clone();
        Trial::test(name, move || if update { write(&file) } else { compare(&file) })
    });
    Ok(trials.collect())
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn compare(file: &CaseFile) -> Result<(), Failed> {
    let outcome = run(&file.case)?;
    report(file, &cases::compare(&file.case, Family::Subgraphs, &outcome))
}

fn write(file: &CaseFile) -> Result<(), Failed> {
    let outcome = run(&file.case)?;
    let case = cases::update(&file.case, Family::Subgraphs, &outcome);
    fs::write(&file.path, cases::print(&case))?;
    report(file, &cases::compare(&case, Family::Subgraphs, &outcome))
}

fn report(file: &CaseFile, mismatches: &[cases::Mismatch]) -> Result<(), Failed> {
    if mismatches.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    Err(format!("fixtures/cases/gateway/{}\n{}", file.name, told.join("\n")).into())
}

/// Options in the header of a case.
#[derive(Debug, Default)]
struct Asked {
    /// Name of the data file, without its extension.
    data: Option<String>,
    labels: Labels,
    options: Options,
    /// Format of a response in several payloads.
    incremental: Option<IncrementalFormat>,
}

fn asked(words: &str) -> Result<Asked, Failed> {
    let mut asked = Asked::default();
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("labels", names)) => asked.labels.0.extend(names.split(',').map(Into::into)),
            Some(("data", name)) => asked.data = Some(name.to_owned()),
            Some(("incremental", "fragments")) => {
                asked.incremental = Some(IncrementalFormat::Fragments);
            }
            Some(("incremental", "fields")) => asked.incremental = Some(IncrementalFormat::Fields),
            Some(("reuse", "off")) => asked.options.reuse = false,
            Some(("max-representations", most)) => {
                asked.options.max_representations = most.parse()?
            }
            _ => return Err(format!("`{word}` is no option of the gateway's cases").into()),
        }
    }
    Ok(asked)
}

fn run(case: &Case) -> Result<Outcome, Failed> {
    let folder = fixtures().join("supergraphs").join(&case.header.supergraph);
    let text = fs::read_to_string(folder.join("supergraph.graphql"))?;
    let supergraph = read(&text).map_err(|problems| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    let mut world = World::simple(&supergraph);
    let asked = asked(&case.header.options)?;
    let data = asked.data.as_deref().unwrap_or("data");
    let data = fs::read_to_string(folder.join(data).with_extension("json"));
    if let Ok(text) = data {
        world = world.with_data(Data::read(&supergraph, &text)?);
    }
    let mut faults = HashMap::new();
    for fault in &case.header.faults {
        let mut ids = supergraph.subgraph_ids();
        let named = ids.find(|id| *supergraph.subgraph(*id).name == *fault.subgraph);
        let named = named.ok_or_else(|| format!("there is no subgraph `{}`", fault.subgraph))?;
        let what = Fault::of_words(&fault.what);
        faults.insert(named, what.ok_or_else(|| format!("`{}` is no fault", fault.what))?);
    }
    let running = Running {
        world: &world,
        schemas: Schemas::new(&supergraph),
        api: Validator::new(&supergraph.api.schema),
        asked,
        faults,
    };
    let answers = (0..case.steps.len()).map(|step| running.answer(case, step));
    let answers = answers.collect::<Result<Vec<_>, _>>()?;
    Ok(Outcome { answers, ..Outcome::default() })
}

struct Running<'r> {
    world: &'r World<'r>,
    schemas: Schemas,
    api: Validator,
    asked: Asked,
    faults: HashMap<supergraph::SubgraphId, Fault>,
}

impl Running<'_> {
    fn answer(&self, case: &Case, number: usize) -> Result<Answered, Failed> {
        let step = &case.steps[number];
        let document = step.document().ok_or("there is nothing asked")?;
        let variables: Map<ByteString, OwnJson> =
            from_str(step.find_text(SectionKind::Variables).unwrap_or("{}"))?;
        let access = access(case.find_claims(number))?;
        let question = Question {
            text: &document.text,
            variables: &variables,
            labels: &self.asked.labels,
            access: Some(&access),
        };
        let supergraph = self.world.supergraph;
        let planned = match self.asked.incremental {
            Some(_) => Planned::in_parts(supergraph, &self.api, question),
            None => Planned::new(supergraph, &self.api, question),
        };
        let planned = match planned {
            Ok(planned) => planned,
            Err(refused) => {
                let response = json!({ "errors": [{ "message": refused.to_string() }] });
                return Ok(Answered { response: response.to_string(), ..Answered::default() });
            }
        };
        let cost = Cost::new(supergraph, &planned.operation, &planned.plan, LIST_SIZE);
        let cost = match cost.estimate(supergraph, &planned.variables) {
            Ok(cost) => cost,
            Err(not_one) => {
                let response = json!({ "errors": [{ "message": not_one.to_string() }] });
                return Ok(Answered { response: response.to_string(), ..Answered::default() });
            }
        };
        let mut subgraphs = Subgraphs::new(self.world, &self.schemas, &self.asked.labels);
        subgraphs.faults = self.faults.clone();
        let (clock, options) = (&subgraphs.clock, self.asked.options);
        let answer = match self.asked.incremental {
            Some(format) => {
                let write = |errors: Vec<ExecutionError>, bytes: &mut Vec<u8>| {
                    let errors = errors.iter().map(|error| told(supergraph, error));
                    bytes.extend_from_slice(Json::from_iter(errors).to_string().as_bytes());
                };
                let format = (format, &write as &ErrorWriter<'_>);
                let ran = planned.run_in_parts(supergraph, &subgraphs, clock, options, format);
                payloads(&ran.ok_or("it does not end")?)
            }
            None => {
                let ran = planned.run(supergraph, &subgraphs, clock, options);
                response(supergraph, &ran.ok_or("it does not end")?)
            }
        };
        if let Some(wrong) = subgraphs.wrong.borrow().first() {
            return Err(wrong.clone().into());
        }
        let sent = subgraphs.sent.take().into_iter().map(|sent| {
            let name = &supergraph.subgraph(sent.subgraph).name;
            let body: Json = from_str(&sent.body)?;
            let query = body["query"].as_str().unwrap_or_default();
            let variables = match body["variables"].as_object() {
                Some(variables) if !variables.is_empty() => format!(" {}", body["variables"]),
                _ => String::new(),
            };
            let round = u16::try_from(sent.wave)?;
            Ok(Statement { round, text: format!("{name} {query}{variables}") })
        });
        let statements = sent.collect::<Result<Vec<_>, Failed>>()?;
        let plan = planned.print(supergraph);
        Ok(Answered { plan, statements, cost, response: answer, ..Answered::default() })
    }
}

/// Returns the client's authorization data from its claims; unauthenticated without claims.
fn access(claims: Option<&str>) -> Result<Access, Failed> {
    let Some(claims) = claims else { return Ok(Access::default()) };
    let claims: Json = from_str(claims)?;
    let scopes = claims["scope"].as_str().unwrap_or_default().split_whitespace();
    let policies = claims["policies"].as_array().into_iter().flatten().filter_map(Json::as_str);
    Ok(Access {
        is_authenticated: true,
        scopes: scopes.map(Into::into).collect(),
        policies: policies.map(Into::into).collect(),
    })
}

/// Returns the list of payloads.
fn payloads(ran: &[(u64, String)]) -> String {
    let payloads = ran.iter().map(|(tick, text)| {
        let members = text.strip_prefix('{').unwrap_or(text);
        format!("{{\"after\":{tick},{members}")
    });
    format!("[{}]", payloads.collect::<Vec<_>>().join(","))
}

/// Returns the response with the error messages of the crate.
fn response(supergraph: &Supergraph, ran: &Ran) -> String {
    if ran.errors.is_empty() {
        return format!("{{\"data\":{}}}", ran.data);
    }
    let errors: Vec<String> =
        ran.errors.iter().map(|error| told(supergraph, error).to_string()).collect();
    format!("{{\"errors\":[{}],\"data\":{}}}", errors.join(","), ran.data)
}

fn told(supergraph: &Supergraph, error: &ExecutionError) -> Json {
    let name = |id| &supergraph.subgraph(id).name;
    let message = match &error.kind {
        ErrorKind::Subgraph { subgraph, message, .. } => {
            format!("{} says: {message}", name(*subgraph))
        }
        ErrorKind::FetchFailed { subgraph, why, .. } => format!("{}: {why}", name(*subgraph)),
        ErrorKind::InvalidResponse { subgraph, why } => format!("{}: {why}", name(*subgraph)),
        ErrorKind::Null { parent, field } => {
            format!("null for {}.{field}", supergraph.schema[*parent].name)
        }
        ErrorKind::Missing { parent, field } => {
            format!("nobody has {}.{field}", supergraph.schema[*parent].name)
        }
        ErrorKind::Denied { parent, field } => {
            format!("{}.{field} is not for the caller", supergraph.schema[*parent].name)
        }
        ErrorKind::Value { field } => format!("{field} is not of its type"),
        ErrorKind::More { count } => format!("{count} more"),
    };
    let path = error.path.iter().map(|step| match step {
        PathStep::Key(key) => Json::from(&**key),
        PathStep::Index(index) => Json::from(*index),
    });
    json!({ "message": message, "path": path.collect::<Vec<_>>() })
}
