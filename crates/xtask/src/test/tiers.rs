//! Tiers of tests: their order, and their concurrency.

use super::programs::{Kind, Program};

/// The extent of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    All,
    /// Tests that take seconds: those of units, and the cases on SQLite.
    Quick,
}

/// Tests of one kind, whose seconds are printed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// Tests within libraries and programs.
    Unit,
    /// Case files on a Neo4j.
    Graph,
    /// All other case files, on each source.
    Cases,
    /// Random operations, values of all types, hostile requests, and memory of plans and answers.
    Random,
    /// The other test programs of the inner crates.
    Crates,
    /// The built program, over HTTP.
    Http,
}

/// A test program with the arguments that select its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) tier: Tier,
    pub(super) program: Program,
    pub(super) words: Vec<&'static str>,
}

/// The part of a test's name that case files have, and graphs alone.
const CASE: &str = ".case";
const GRAPH_CASE: &str = ".case::neo4j";
const SQLITE_CASE: &str = ".case::sqlite";

impl Tier {
    /// In the order in which they run.
    pub(super) const ALL: [Self; 6] =
        [Self::Unit, Self::Graph, Self::Cases, Self::Random, Self::Crates, Self::Http];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Graph => "graph",
            Self::Cases => "cases",
            Self::Random => "random",
            Self::Crates => "crates",
            Self::Http => "http",
        }
    }

    /// Tiers of one stage run at the same time, those of the next one after them. The built program is
    /// tested alone: some of its tests wait for seconds that others would take from it.
    pub(super) fn stage(self) -> usize {
        match self {
            Self::Unit => 0,
            Self::Graph | Self::Cases | Self::Random => 1,
            Self::Crates => 2,
            Self::Http => 3,
        }
    }
}

impl Extent {
    /// The arguments of Cargo that select the programs to build.
    pub(super) fn targets(self) -> &'static [&'static str] {
        match self {
            Self::All => &["--tests"],
            Self::Quick => &["--lib", "--bins", "--test", "cases", "--test", "gateway"],
        }
    }

    /// The jobs of the programs. With a filter each program runs once: a program whose tests are
    /// found at run time takes one filter only.
    pub(super) fn jobs(self, programs: &[Program], is_filtered: bool) -> Vec<Job> {
        let mut jobs: Vec<Job> =
            programs.iter().flat_map(|program| self.jobs_of(program, is_filtered)).collect();
        jobs.sort_by_key(|job| Tier::ALL.iter().position(|tier| *tier == job.tier));
        jobs
    }

    fn jobs_of(self, program: &Program, is_filtered: bool) -> Vec<Job> {
        let job = |tier, words: &[&'static str]| Job {
            tier,
            program: program.clone(),
            words: words.to_vec(),
        };
        match (program.kind, program.package(), &*program.name, self) {
            (Kind::Unit, ..) => vec![job(Tier::Unit, &[])],
            (_, "engine", "cases", _) if is_filtered => vec![job(Tier::Cases, &[])],
            (_, "engine", "cases", Self::All) => vec![
                job(Tier::Graph, &[GRAPH_CASE]),
                job(Tier::Cases, &[CASE, "--skip", GRAPH_CASE]),
                job(Tier::Random, &["--skip", CASE]),
            ],
            (_, "engine", "cases", Self::Quick) => vec![job(Tier::Cases, &[SQLITE_CASE])],
            (_, "gateway", "gateway", _) if is_filtered => vec![job(Tier::Cases, &[])],
            (_, "gateway", "gateway", Self::All) => {
                vec![job(Tier::Cases, &[CASE]), job(Tier::Random, &["--skip", CASE])]
            }
            (_, "gateway", "gateway", Self::Quick) => vec![job(Tier::Cases, &[CASE])],
            (_, _, _, Self::Quick) => Vec::new(),
            // Pages build a web page and start servers: they would take time from the tests of the server.
            (_, "server", "pages", Self::All) => vec![job(Tier::Crates, &[])],
            (_, "server", _, Self::All) => vec![job(Tier::Http, &[])],
            (_, _, _, Self::All) => vec![job(Tier::Crates, &[])],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(package: &str, name: &str, kind: Kind) -> Program {
        Program {
            file: name.into(),
            folder: ["/w/crates/", package].concat().into(),
            name: name.to_owned(),
            kind,
        }
    }

    fn programs() -> Vec<Program> {
        vec![
            program("server", "server", Kind::Integration),
            program("server", "pages", Kind::Integration),
            program("engine", "engine", Kind::Integration),
            program("engine", "cases", Kind::Integration),
            program("gateway", "gateway", Kind::Integration),
            program("engine", "engine", Kind::Unit),
        ]
    }

    fn jobs(extent: Extent, is_filtered: bool) -> Vec<String> {
        let jobs = extent.jobs(&programs(), is_filtered);
        let print = |job: &Job| {
            let words = [&[job.program.package(), &*job.program.name][..], &job.words].concat();
            format!("{}: {}", job.tier.name(), words.join(" "))
        };
        jobs.iter().map(print).collect()
    }

    #[test]
    fn each_test_is_in_one_tier() {
        assert_eq!(
            jobs(Extent::All, false),
            [
                "unit: engine engine",
                "graph: engine cases .case::neo4j",
                "cases: engine cases .case --skip .case::neo4j",
                "cases: gateway gateway .case",
                "random: engine cases --skip .case",
                "random: gateway gateway --skip .case",
                "crates: server pages",
                "crates: engine engine",
                "http: server server",
            ]
        );
    }

    #[test]
    fn with_a_filter_each_program_runs_once() {
        assert_eq!(
            jobs(Extent::All, true),
            [
                "unit: engine engine",
                "cases: engine cases",
                "cases: gateway gateway",
                "crates: server pages",
                "crates: engine engine",
                "http: server server",
            ]
        );
    }

    #[test]
    fn what_takes_seconds_is_quick() {
        assert_eq!(
            jobs(Extent::Quick, false),
            [
                "unit: engine engine",
                "cases: engine cases .case::sqlite",
                "cases: gateway gateway .case",
            ]
        );
    }
}
