//! Answers of fifty megabytes and statements of two seconds, and short requests beside them.
//!
//! * `options`: what is asked on the command line
//! * `store`: a database with the rows; `served`: a server on it
//! * `small`: the short requests, and the load that they are
//! * `answer`: whether a long answer is what it should be
//! * `reader`: a client that reads slowly
//! * `figure`: what was found, each beside its target
//! * `streaming`, `beside`: the two commands

mod answer;
mod beside;
mod failure;
mod figure;
mod options;
mod reader;
mod served;
mod small;
mod store;
mod streaming;

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use failure::LongError;
pub(crate) use options::{ArgumentError, HELP, Options, parse};

use crate::race;
use crate::race::load::tool::Tool;
use crate::race::suite::{self, Source, Suite};
use crate::schema_size;
use figure::Findings;
use served::Program;
use small::Pace;
use store::Store;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Streaming,
    Beside,
}

/// What both need for each source.
#[derive(Debug)]
struct Bench<'b> {
    options: &'b Options,
    folder: PathBuf,
    program: Program,
    wrk: PathBuf,
    shop: Suite,
}

impl Kind {
    /// The command, and the folder of what it finds.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Beside => "beside",
        }
    }
}

/// Measures and prints; false if an answer was wrong.
pub(crate) fn measure(workspace: &Path, kind: Kind, options: &Options) -> Result<bool, LongError> {
    let program = match &options.program {
        Some(program) => fs::canonicalize(program)?,
        None => schema_size::release()?,
    };
    let folder = workspace.join(race::RUNS).join(kind.name());
    fs::create_dir_all(&folder)?;
    let suites = suite::load(&workspace.join("bench"))?;
    let shop = suites.into_iter().find(|suite| suite.id == "shop").ok_or(LongError::NoShop)?;
    let further = options.serve.clone();
    let bench = Bench {
        options,
        program: Program { path: program, folder: folder.clone(), further },
        wrk: Tool::Wrk.require(workspace)?,
        folder,
        shop,
    };
    let mut findings = Findings::new(kind.name());
    for source in &options.sources {
        bench.measure(kind, *source, &mut findings)?;
    }
    let json = serde_json::to_string_pretty(&findings)? + "\n";
    let text = findings.text();
    fs::write(bench.folder.join(format!("{}.json", kind.name())), &json)?;
    fs::write(bench.folder.join(format!("{}.md", kind.name())), &text)?;
    print!("{}", if options.json { &json } else { &text });
    eprintln!("{}: {} has it as JSON and as a table", kind.name(), bench.folder.display());
    Ok(findings.wrong.is_empty())
}

impl Bench<'_> {
    fn measure(
        &self,
        kind: Kind,
        source: Source,
        findings: &mut Findings,
    ) -> Result<(), LongError> {
        findings.begin(source);
        say(kind, &format!("{}: making the rows", source.title()));
        let store = Store::make(&self.folder.join("data"), &self.shop, source)?;
        match kind {
            Kind::Streaming => streaming::measure(self, &store, findings),
            Kind::Beside => beside::measure(self, &store, findings),
        }
    }

    fn pace(&self) -> Pace<'_> {
        Pace {
            wrk: &self.wrk,
            folder: &self.folder,
            seconds: if self.options.quick { 3 } else { 10 },
        }
    }
}

/// Tells the terminal what goes on.
fn say(kind: Kind, text: &str) {
    eprintln!("{}: {text}", kind.name());
}
