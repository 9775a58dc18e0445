//! Gateways of a federation beside each other: the same query over the same four subgraphs.
//!
//! `options` is what is asked on the command line, `gateway` reads who is compared, `plan` says in
//! which settings and loads, `course` goes through them on the processors of `cores`, over the
//! `subgraphs`; `ladder` reads arrival rates. What came of it is a `record`, and a `report`.

mod cores;
mod course;
mod failure;
mod gateway;
mod ladder;
pub(crate) mod options;
mod plan;
mod record;
mod report;
pub(crate) mod subgraphs;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(crate) use failure::FederationError;

use crate::race;
use crate::race::load;
use crate::race::load::tool::Tool;
use crate::race::machine::machine;
use crate::race::options::Options;
use cores::Cores;
use course::Course;
use gateway::StartContext;
use record::{Gateway, Run};

/// Its name on the command line.
pub(crate) const SUITE: &str = "federation";

/// Measures and reports; false if nothing was measured.
pub(crate) fn run(workspace: &Path, options: &Options) -> Result<bool, FederationError> {
    let program = options.program.or_release()?;
    let bench = workspace.join("bench");
    let all = gateway::load(&bench)?;
    for name in &options.choice.contestants {
        if !all.iter().any(|one| one.id == *name) {
            let there: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
            return Err(FederationError::Unknown { name: name.clone(), there: there.join(", ") });
        }
    }
    let gateways: Vec<gateway::Gateway> =
        all.into_iter().filter(|one| options.choice.wants_contestant(&one.id)).collect();
    let name = options.name.clone().unwrap_or_else(|| race::now().replace(':', "-"));
    let folder = workspace.join(race::RUNS).join(name);
    fs::create_dir_all(&folder)?;
    println!("bench: {} is where everything goes", folder.display());
    let tool = |tool: Tool| {
        tool.require(workspace).map_err(|error| FederationError::Tool(error.to_string()))
    };
    load::allow_connections().map_err(|error| FederationError::Tool(error.to_string()))?;
    let Options { choice, federation: own, .. } = options;
    let given = own
        .hive_router
        .as_ref()
        .map(|path| ("hive-router", fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    let context = StartContext {
        workspace: workspace.to_owned(),
        program,
        given: given.into_iter().collect::<BTreeMap<_, _>>(),
        folder: folder.clone(),
        supergraph: folder.join("supergraph.graphql"),
        subgraphs: String::new(),
    };
    let described = gateways.iter().map(|one| describe(one, &context)).collect();
    let run = Run {
        started: race::now(),
        machine: machine(),
        rounds: own.rounds(choice.quick),
        seconds: own.seconds(),
        form: own.subgraphs(),
        answer_bytes: 0,
        gateways: described,
        measurements: Vec::new(),
        asked: Vec::new(),
    };
    let mut course = Course {
        context,
        gateways,
        query: fs::read_to_string(bench.join("federation/query.graphql"))?,
        wrk: tool(Tool::Wrk)?,
        oha: tool(Tool::Oha)?,
        cores: Cores::take()?,
        run,
    };
    let gone = course.go(&plan::stages(own.subgraphs(), choice.quick));
    course.write()?;
    let text = report::markdown(&course.run);
    fs::write(folder.join("federation.md"), &text)?;
    print!("{text}");
    println!("bench: the report is {}", folder.join("federation.md").display());
    gone?;
    Ok(!course.run.measurements.is_empty())
}

fn describe(gateway: &gateway::Gateway, context: &StartContext) -> Gateway {
    let (version, missing) = match gateway.version(context) {
        Ok(version) => (version, None),
        Err(reason) => (String::new(), Some(reason)),
    };
    let title = gateway.file.title.clone();
    Gateway { id: gateway.id.clone(), title, version, missing }
}
