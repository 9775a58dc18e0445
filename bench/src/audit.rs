//! The public audit of federation gateways, asked of one `thalweg gateway`.
//!
//! Other runners start a gateway for each suite, which is most of their minutes. Here one process
//! reads one supergraph after the other, so that reloads are tried with them.
//!
//! * `options`: what is asked on the command line
//! * `site`: the audit's own server, with the subgraphs, the supergraphs and the cases
//! * `served`: Thalweg, and how it gets another supergraph
//! * `case`: a query, and whether an answer is the one that is wanted

mod case;
mod options;
mod served;
mod site;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use options::Options;

use crate::http::HttpError;
use crate::peers::PeerError;
use crate::program::ProgramError;
use crate::server::ServerError;
use case::Case;
use served::Gateway;
use site::Site;

/// The audit could not be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditError {
    #[error("`--audit` wants the audit, which is in no package registry\n{}", options::CHECKOUT)]
    NoAudit,
    #[error("{} is no checkout of the audit: it has no src/index.ts\n{}", .0.display(), options::CHECKOUT)]
    NoCheckout(PathBuf),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("the audit has no suite whose name contains `{0}`")]
    NoSuite(String),
    #[error("the audit's server was asked for {path} and said {said}")]
    Site { path: String, said: String },
    #[error("{who}: {error}")]
    Http { who: &'static str, error: HttpError },
    #[error("Thalweg says neither that it has read the supergraph nor why not; its log is {}", .0.display())]
    NoReload(PathBuf),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// The number of cases, and of those with the expected answer.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    right: usize,
    all: usize,
}

/// Asks all suites, or those whose names contain a word; true if every answer is right.
pub(crate) fn compare(workspace: &Path, options: &Options) -> Result<bool, AuditError> {
    let program = options.program.or_beside()?;
    let audit = options.audit.as_deref().ok_or(AuditError::NoAudit)?;
    let logs = workspace.join("target/peers/logs");
    fs::create_dir_all(&logs)?;
    let site = Site::start(workspace, audit, options.punish, &logs)?;
    let mut suites = site.suites()?;
    if let Some(word) = &options.only {
        suites.retain(|suite| suite.contains(&**word));
        if suites.is_empty() {
            return Err(AuditError::NoSuite(word.clone()));
        }
    }
    let mut time = Duration::ZERO;
    let mut total = Score::default();
    let mut gateway: Option<Gateway> = None;
    for suite in &suites {
        let (name, supergraph) = match options.compose {
            true => ("supergraph.yaml", site.composition(suite)?),
            false => ("supergraph.graphql", site.supergraph(suite)?),
        };
        let cases = site.cases(suite)?;
        let started = Instant::now();
        let refusal = match &mut gateway {
            Some(gateway) => gateway.swap(&supergraph)?,
            None => {
                gateway = Some(Gateway::start(&program, &site.folder, (name, &supergraph), &logs)?);
                None
            }
        };
        let score = match (&gateway, refusal) {
            (Some(gateway), None) => ask(suite, &cases, gateway)?,
            (_, reason) => {
                println!("    {}", reason.unwrap_or_default());
                Score { right: 0, all: cases.len() }
            }
        };
        time += started.elapsed();
        println!("{:>3} of {:>3}  {suite}", score.right, score.all);
        total = Score { right: total.right + score.right, all: total.all + score.all };
    }
    let punished = if options.punish { ", poor plans punished" } else { "" };
    let composed = if options.compose { ", composed by Thalweg" } else { "" };
    println!(
        "compare: {} of {} cases of {} suites{composed}{punished}; {:.1} s with one gateway",
        total.right,
        total.all,
        suites.len(),
        time.as_secs_f64()
    );
    Ok(total.right == total.all)
}

/// Asks the cases of a suite, and prints what is wrong with the answers.
fn ask(suite: &str, cases: &[Case], gateway: &Gateway) -> Result<Score, AuditError> {
    let mut right = 0;
    for (number, case) in cases.iter().enumerate() {
        let answer = gateway.ask(&case.query)?;
        match case.find_difference(&answer) {
            None => right += 1,
            Some(difference) => {
                println!("WRONG: {suite} {}: {}", number + 1, case.on_one_line());
                println!("    wanted   {}\n    thalweg  {}", difference.wanted, difference.given);
            }
        }
    }
    Ok(Score { right, all: cases.len() })
}
