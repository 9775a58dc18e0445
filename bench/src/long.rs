//! Answers of fifty megabytes and statements of two seconds, and short requests beside them.
//!
//! * `options`: the command line
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
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

pub(crate) use failure::LongError;
pub(crate) use options::{Options, StreamingOptions};

use crate::race;
use crate::race::load::tool::Tool;
use crate::race::suite::{self, Source, Suite};
use crate::schema_size::{self, database::Family};
use figure::Findings;
use served::Program;
use small::Pace;
use store::Store;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Streaming {
        /// Seconds, of the server with the slow reader.
        stall_timeout: NonZeroU32,
    },
    Beside,
}

/// Programs and data of both commands.
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
            Self::Streaming { .. } => "streaming",
            Self::Beside => "beside",
        }
    }
}

/// Measures and prints; false if an answer was wrong.
pub(crate) fn measure(workspace: &Path, kind: Kind, options: &Options) -> Result<bool, LongError> {
    let program = options.program.or_release()?;
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
    for family in schema_size::one_or_all(options.source, [Family::Postgres, Family::Sqlite]) {
        bench.measure(kind, family.into(), &mut findings)?;
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
        say(kind.name(), &format!("{}: making the rows", source.title()));
        let store = Store::make(&self.folder.join("data"), &self.shop, source)?;
        match kind {
            Kind::Streaming { stall_timeout } => {
                streaming::measure(self, &store, stall_timeout, findings)
            }
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
fn say(command: &str, text: &str) {
    eprintln!("{command}: {text}");
}
