//! The command line.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use crate::audit;
use crate::federation::{self, subgraphs};
use crate::race::floor::{bare, bolt};
use crate::schema_size::database::Family;
use crate::schema_size::operations::Dialect;
use crate::start_up::{self, Contestant};
use crate::{compare, documents, long, mixed, race, schema_size};

const HELP: &str = "\
Thalweg beside others.

cargo xtask compare [--only QUERY] [--set SET] [--keep] [--verbose]
    Starts PostGraphile 4, PostGraphile 5 and Thalweg on one database of their own, asks all three
    the queries of fixtures/compare, and prints where the answers or the schemas differ.
    Fails on a difference that fixtures/compare/expected.txt does not name, and on a named one
    that no longer occurs. Needs npm and, the first time, the network.
    The same with Neo4j's GraphQL library on a Neo4j, by fixtures/compare/neo4j: the sets neo4j-*.
      --only QUERY  only the queries whose names contain the word; no schemas
      --set SET     only this set of options
      --keep        leaves the servers running until Enter is pressed
      --verbose     prints the expected differences too

cargo xtask bench schema-size [--quick] [--json] [--source KIND] [--requests NUMBER]
                              [--dialect NAME] [--program PATH] [--without-cost] [-- OPTIONS]
    Asks the same operations of servers over 10, 200 and 2,000 tables, in PostgreSQL and in SQLite,
    and counts the instructions of the server for each request: by `perf stat` where the processor
    can be asked, else by `valgrind`. Then starts servers over 10 and over 5,000 tables: seconds to
    the first answer, statements of the introspection, memory.
    Fails if a warm operation, one whose document is known, differs by more than 3 % between sizes.
      --quick            10, 50 and 200 tables for the cost, 500 for start and memory
      --json             prints the results as JSON instead of tables
      --source KIND      only sqlite, or only postgres
      --dialect NAME     only postgraphile, or only phrag
      --requests NUMBER  how many requests are counted of each warm operation, 200 if not said
      --program PATH     measures this program, and builds none
      --without-cost     only start, statements and memory
      -- OPTIONS         further options of `thalweg serve`, as `-- --simple-collections both`

cargo xtask bench documents [--number NUMBER] [--program PATH]
    Sends Thalweg documents that it has not seen, each once: CPU of each, memory by their number,
    and the latency of a known request beside them.
      --number NUMBER    how many, 100000 if not said
      --program PATH     measures this program, and builds none

cargo xtask bench mixed [--seconds NUMBER] [--program PATH]
    Asks Thalweg two hundred different short requests over a hundred tables of PostgreSQL, by the
    defaults and with `--shared-connections 0`: requests a second of 4 and of 60 clients, and how
    many sessions it opened.
      --seconds NUMBER   for how long each is measured, 6 if not said
      --program PATH     measures this program, and builds none

cargo xtask bench start-up [--quick] [--tables NUMBERS] [--contestant NAME] [--rounds NUMBER]
                           [--name NAME] [--resume] [--program PATH]
    Starts Thalweg over PostgreSQL and SQLite, and PostGraphile 4 and 5 over PostgreSQL, on schemas
    of 10, 100, 1,000 and 5,000 tables, in turns: seconds from the start of the process to the
    first row it answers, CPU seconds until then, resident memory after it. Prints the medians;
    each start is a line of target/bench/NAME/starts.jsonl. Who has not answered after five minutes
    is reported with the reason. Needs npm and, the first time, the network.
      --quick            10 and 100 tables, one round
      --tables NUMBERS   these instead, as `--tables 10,2000`; at least 5
      --contestant NAME  only thalweg, postgraphile-4 or postgraphile-5; may be said again
      --rounds NUMBER    how often each is started, 3 if not said
      --name NAME        the name of the folder, `start-up` if not said
      --resume           leaves out what the folder says already
      --program PATH     measures this program, and builds none

cargo xtask bench report [FOLDER]
    Writes what a run has found into its folder: report.html, a page that needs no network,
    report.json, and report.md, tables for documents. A run that goes on can be reported too.
      FOLDER             the run's folder; the newest run in target/bench if not said

cargo xtask bench sqlite-floor --suite SUITE --query QUERY --file FILE [--seconds NUMBER]
    Runs the statements of a query's floor for SQLite, nothing around them, on one thread, and
    prints as JSON how many answers that were, and their CPU seconds and latencies.
      --suite SUITE     a folder of bench/suites
      --query QUERY     one of its queries
      --file FILE       an SQLite file; made with the suite's rows if it is not there
      --seconds NUMBER  for how long, 5 if not said

cargo xtask bench neo4j-floor --suite SUITE --query QUERY --port PORT [--connections NUMBER]
                              [--seconds NUMBER] [--through bytes|neo4rs]
    Runs the statement of a query's floor for Neo4j by Bolt, as often as so many connections can,
    and prints the same: by messages that are made once, or through a driver. The server is one of this machine without a password, with the graph.
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Compare(compare::Options),
    Audit(audit::Options),
    SchemaSize(schema_size::Options),
    Documents(documents::Options),
    Mixed(mixed::Options),
    StartUp(start_up::Options),
    Long(long::Kind, long::Options),
    Run(race::options::Options),
    Federation(federation::options::Options),
    Subgraphs(subgraphs::Options),
    SqliteFloor(bare::Options),
    Neo4jFloor(bolt::Options),
    /// Of the run in this folder, or of the newest.
    Report(Option<PathBuf>),
    Help,
}

/// The command line says nothing that can be done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("there is no command `{0}`")]
    Command(String),
    #[error("`{command}` has no option `{option}`")]
    Option { command: &'static str, option: String },
    #[error("`{0}` is not said, and nothing can be done without it")]
    Missing(&'static str),
    #[error("`{0}` wants a word after it")]
    Value(&'static str),
    #[error("`{0}` is no number of requests")]
    Number(String),
    #[error("there is no dialect `{0}`, only `postgraphile` and `phrag`")]
    Dialect(String),
    #[error("there is no contestant `{0}`, only `thalweg`, `postgraphile-4` and `postgraphile-5`")]
    Contestant(String),
    #[error("`{0}` is no number of tables: 5 or more, divided by commas")]
    Tables(String),
    #[error("`{0}` is no number of documents")]
    Documents(String),
    #[error("`{0}` is no number of seconds")]
    Seconds(String),
    #[error("`{0}` is no number of rounds")]
    Rounds(String),
    #[error("`{0}` is no name of a folder: letters, digits, `-`, `_` and `.`, none before it")]
    Folder(String),
    #[error(
        "a run goes on by the options that it began with: `--resume` has only `--name` and `--program` beside it"
    )]
    Resume,
    #[error("there is no kind of database `{0}`, only `sqlite` and `postgres`")]
    Source(String),
    #[error("`{0}` is no number of milliseconds, or no port")]
    Subgraphs(String),
    #[error(transparent)]
    Long(#[from] long::ArgumentError),
    #[error(transparent)]
    Federation(#[from] federation::options::ArgumentError),
    #[error(transparent)]
    Audit(#[from] audit::ArgumentError),
}

/// What can be asked.
pub(crate) fn help() -> String {
    [HELP, audit::HELP, long::HELP, race::options::HELP, federation::options::HELP, subgraphs::HELP]
        .concat()
}

/// Reads the words after the program's name.
pub(crate) fn parse(words: &[String]) -> Result<Command, ArgumentError> {
    let Some((name, rest)) = words.split_first() else { return Ok(Command::Help) };
    let mut own = rest.iter().take_while(|word| *word != "--");
    if own.any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help);
    }
    match name.as_str() {
        "compare" if audit::is_meant(rest) => Ok(Command::Audit(audit::parse(rest)?)),
        "compare" => parse_compare(rest),
        "schema-size" => parse_schema_size(rest),
        "documents" => parse_documents(rest),
        "mixed" => parse_mixed(rest),
        "start-up" => parse_start_up(rest),
        "streaming" => parse_long(long::Kind::Streaming, rest),
        "beside" => parse_long(long::Kind::Beside, rest),
        "run" if federation::options::is_meant(rest) => {
            Ok(Command::Federation(federation::options::parse(rest)?))
        }
        "run" => parse_run(rest),
        "federation-subgraphs" => parse_subgraphs(rest),
        "report" => parse_report(rest),
        "sqlite-floor" => parse_sqlite_floor(rest),
        "neo4j-floor" => parse_neo4j_floor(rest),
        "help" | "--help" | "-h" => Ok(Command::Help),
        _ => Err(ArgumentError::Command(name.clone())),
    }
}

fn parse_compare(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = compare::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--only" => options.only = Some(value("--only", rest.next())?),
            "--set" => options.set = Some(value("--set", rest.next())?),
            "--keep" => options.keep = true,
            "--verbose" => options.verbose = true,
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "compare", option });
            }
        }
    }
    Ok(Command::Compare(options))
}

fn parse_sqlite_floor(words: &[String]) -> Result<Command, ArgumentError> {
    let (mut suite, mut query, mut file, mut seconds) = (None, None, None, 5);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--suite" => suite = Some(value("--suite", rest.next())?),
            "--query" => query = Some(value("--query", rest.next())?),
            "--file" => file = Some(value("--file", rest.next())?.into()),
            "--seconds" => {
                let number = value("--seconds", rest.next())?;
                seconds = number.parse().map_err(|_| ArgumentError::Number(number))?;
            }
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "sqlite-floor", option });
            }
        }
    }
    Ok(Command::SqliteFloor(bare::Options {
        suite: suite.ok_or(ArgumentError::Missing("--suite"))?,
        query: query.ok_or(ArgumentError::Missing("--query"))?,
        file: file.ok_or(ArgumentError::Missing("--file"))?,
        seconds,
    }))
}

fn parse_neo4j_floor(words: &[String]) -> Result<Command, ArgumentError> {
    let (mut suite, mut query, mut port, mut connections, mut seconds) = (None, None, None, 16, 5);
    let mut through = bolt::Through::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut number = |name: &'static str| {
            let text = value(name, rest.next())?;
            text.parse::<u32>().map_err(|_| ArgumentError::Number(text))
        };
        match word.as_str() {
            "--connections" => connections = number("--connections")?,
            "--seconds" => seconds = number("--seconds")?,
            "--through" => {
                let name = value("--through", rest.next())?;
                let option = name.clone();
                let told = ArgumentError::Option { command: "neo4j-floor --through", option };
                through = bolt::Through::parse(&name).ok_or(told)?;
            }
            "--port" => {
                let number = number("--port")?;
                let told = ArgumentError::Number(number.to_string());
                port = Some(number.try_into().map_err(|_| told)?);
            }
            "--suite" => suite = Some(value("--suite", rest.next())?),
            "--query" => query = Some(value("--query", rest.next())?),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "neo4j-floor", option });
            }
        }
    }
    Ok(Command::Neo4jFloor(bolt::Options {
        suite: suite.ok_or(ArgumentError::Missing("--suite"))?,
        query: query.ok_or(ArgumentError::Missing("--query"))?,
        port: port.ok_or(ArgumentError::Missing("--port"))?,
        connections,
        seconds,
        through,
    }))
}

fn parse_schema_size(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = schema_size::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => options.quick = true,
            "--json" => options.json = true,
            "--without-cost" => options.without_cost = true,
            "--source" => {
                let kind = value("--source", rest.next())?;
                let family = Family::of_word(&kind).ok_or(ArgumentError::Source(kind))?;
                options.sources = vec![family];
            }
            "--dialect" => {
                let name = value("--dialect", rest.next())?;
                let dialect = Dialect::of_word(&name).ok_or(ArgumentError::Dialect(name))?;
                options.dialects = vec![dialect];
            }
            "--" => options.serve.extend(rest.by_ref().cloned()),
            "--requests" => {
                let number = value("--requests", rest.next())?;
                options.requests = number.parse().map_err(|_| ArgumentError::Number(number))?;
            }
            "--program" => options.program = Some(value("--program", rest.next())?.into()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "schema-size", option });
            }
        }
    }
    Ok(Command::SchemaSize(options))
}

fn parse_documents(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = documents::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--number" => {
                let number = value("--number", rest.next())?;
                options.number = number.parse().map_err(|_| ArgumentError::Documents(number))?;
            }
            "--program" => options.program = Some(value("--program", rest.next())?.into()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "documents", option });
            }
        }
    }
    Ok(Command::Documents(options))
}

fn parse_mixed(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = mixed::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--seconds" => {
                let seconds = value("--seconds", rest.next())?;
                options.seconds = seconds.parse().map_err(|_| ArgumentError::Seconds(seconds))?;
            }
            "--program" => options.program = Some(value("--program", rest.next())?.into()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "mixed", option });
            }
        }
    }
    Ok(Command::Mixed(options))
}

fn parse_start_up(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = start_up::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => options.quick = true,
            "--resume" => options.resume = true,
            "--tables" => options.tables = tables(&value("--tables", rest.next())?)?,
            "--contestant" => {
                let name = value("--contestant", rest.next())?;
                let contestant =
                    Contestant::of_word(&name).ok_or(ArgumentError::Contestant(name))?;
                options.contestants.push(contestant);
            }
            "--rounds" => {
                let text = value("--rounds", rest.next())?;
                let rounds: Option<NonZeroU32> = text.parse().ok();
                options.rounds = Some(rounds.ok_or(ArgumentError::Rounds(text))?.get());
            }
            "--name" => options.name = folder_name(value("--name", rest.next())?)?,
            "--program" => options.program = Some(value("--program", rest.next())?.into()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "start-up", option });
            }
        }
    }
    Ok(Command::StartUp(options))
}

fn parse_long(kind: long::Kind, words: &[String]) -> Result<Command, ArgumentError> {
    Ok(Command::Long(kind, long::parse(kind, words)?))
}

/// Numbers of tables; the databases have those of their base at least.
fn tables(text: &str) -> Result<Vec<u32>, ArgumentError> {
    let number = |word: &str| word.parse().ok().filter(|tables| *tables >= 5);
    let numbers: Option<Vec<u32>> = text.split(',').map(number).collect();
    numbers.ok_or_else(|| ArgumentError::Tables(text.to_owned()))
}

/// A name that leads nowhere else.
fn folder_name(name: String) -> Result<String, ArgumentError> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match name.starts_with('.') || name.is_empty() || !name.chars().all(is_plain) {
        true => Err(ArgumentError::Folder(name)),
        false => Ok(name),
    }
}

fn parse_run(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = race::options::Options::default();
    let choice = &mut options.choice;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--quick" => choice.quick = true,
            "--resume" => options.resume = true,
            "--suite" => choice.suites.push(value("--suite", rest.next())?),
            "--contestant" => choice.contestants.push(value("--contestant", rest.next())?),
            "--only" => choice.only = Some(value("--only", rest.next())?),
            "--chinook" => choice.chinook = Some(value("--chinook", rest.next())?.into()),
            "--name" => options.name = Some(folder_name(value("--name", rest.next())?)?),
            "--program" => options.program = Some(value("--program", rest.next())?.into()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "run", option });
            }
        }
    }
    if options.resume && options.choice != race::options::Choice::default() {
        return Err(ArgumentError::Resume);
    }
    Ok(Command::Run(options))
}

fn parse_subgraphs(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = subgraphs::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--canned" => options.form = subgraphs::Form::Canned,
            "--sixth-product" => options.data = subgraphs::Data::Sixth,
            "--distinct" => options.data = subgraphs::Data::Distinct,
            "--port" => {
                let number = value("--port", rest.next())?;
                options.port = number.parse().map_err(|_| ArgumentError::Subgraphs(number))?;
            }
            "--delay" => {
                let number = value("--delay", rest.next())?;
                let milliseconds = number.parse().map_err(|_| ArgumentError::Subgraphs(number))?;
                options.delay = Duration::from_millis(milliseconds);
            }
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "federation-subgraphs", option });
            }
        }
    }
    Ok(Command::Subgraphs(options))
}

fn parse_report(words: &[String]) -> Result<Command, ArgumentError> {
    let mut folder = None;
    for word in words {
        if word.starts_with('-') || folder.is_some() {
            return Err(ArgumentError::Option { command: "report", option: word.clone() });
        }
        folder = Some(PathBuf::from(word));
    }
    Ok(Command::Report(folder))
}

fn value(option: &'static str, word: Option<&String>) -> Result<String, ArgumentError> {
    word.cloned().ok_or(ArgumentError::Value(option))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    fn check(line: &str, expected: &Result<Command, ArgumentError>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(&parse(&words), expected, "{line}");
    }

    #[test]
    fn every_command_is_known() {
        check("", &Ok(Command::Help));
        check("compare --help", &Ok(Command::Help));
        check("compare", &Ok(Command::Compare(compare::Options::default())));
        let options = compare::Options {
            only: Some("pages".to_owned()),
            set: Some("both".to_owned()),
            keep: true,
            verbose: true,
        };
        check("compare --only pages --set both --keep --verbose", &Ok(Command::Compare(options)));
    }

    #[test]
    fn options_of_the_schema_size_are_read() {
        check("schema-size", &Ok(Command::SchemaSize(schema_size::Options::default())));
        let options = schema_size::Options {
            quick: true,
            json: true,
            without_cost: true,
            sources: vec![Family::Sqlite],
            dialects: vec![Dialect::Phrag],
            program: Some("target/debug/thalweg".into()),
            requests: NonZeroUsize::MIN,
            serve: vec!["--bigint".to_owned(), "string".to_owned()],
        };
        check(
            "schema-size --quick --json --without-cost --source sqlite --dialect phrag \
             --requests 1 --program target/debug/thalweg -- --bigint string",
            &Ok(Command::SchemaSize(options)),
        );
    }

    #[test]
    fn options_of_the_documents_are_read() {
        let options = documents::Options {
            number: NonZeroU32::MIN,
            program: Some("target/debug/thalweg".into()),
        };
        check(
            "documents --number 1 --program target/debug/thalweg",
            &Ok(Command::Documents(options)),
        );
        check("documents --number 0", &Err(ArgumentError::Documents("0".to_owned())));
    }

    #[test]
    fn options_of_the_start_up_are_read() {
        check("start-up", &Ok(Command::StartUp(start_up::Options::default())));
        let options = start_up::Options {
            quick: true,
            tables: vec![10, 2_000],
            contestants: vec![Contestant::Thalweg, Contestant::PostGraphile5],
            rounds: Some(2),
            name: "one".to_owned(),
            resume: true,
            program: Some("target/debug/thalweg".into()),
        };
        check(
            "start-up --quick --tables 10,2000 --contestant thalweg --contestant postgraphile-5 \
             --rounds 2 --name one --resume --program target/debug/thalweg",
            &Ok(Command::StartUp(options)),
        );
        check("start-up --tables 10,4", &Err(ArgumentError::Tables("10,4".to_owned())));
        check("start-up --rounds 0", &Err(ArgumentError::Rounds("0".to_owned())));
        check("start-up --name ../one", &Err(ArgumentError::Folder("../one".to_owned())));
        check("start-up --contestant node", &Err(ArgumentError::Contestant("node".to_owned())));
    }

    #[test]
    fn options_of_long_answers_are_read() {
        let beside = Command::Long(long::Kind::Beside, long::Options::default());
        check("beside", &Ok(beside));
        let options = long::Options { quick: true, ..long::Options::default() };
        check("streaming --quick", &Ok(Command::Long(long::Kind::Streaming, options)));
        let error = long::ArgumentError::Seconds("x".to_owned());
        check("streaming --stall-timeout x", &Err(ArgumentError::Long(error)));
    }

    #[test]
    fn options_of_a_run_are_read() {
        check("run", &Ok(Command::Run(race::options::Options::default())));
        let choice = race::options::Choice {
            quick: true,
            suites: vec!["shop".to_owned(), "meetups".to_owned()],
            only: Some("nest".to_owned()),
            contestants: vec!["thalweg".to_owned()],
            chinook: Some("chinook.sql".into()),
        };
        let name = Some("one".to_owned());
        let program = Some("target/debug/thalweg".into());
        let options = race::options::Options { choice, name, resume: false, program };
        check(
            "run --quick --suite shop --suite meetups --only nest --contestant thalweg \
             --chinook chinook.sql --name one --program target/debug/thalweg",
            &Ok(Command::Run(options)),
        );
        let resumed = race::options::Options {
            name: Some("one".to_owned()),
            resume: true,
            ..race::options::Options::default()
        };
        check("run --resume --name one", &Ok(Command::Run(resumed)));
        check("run --resume --quick", &Err(ArgumentError::Resume));
        check("run --name a/b", &Err(ArgumentError::Folder("a/b".to_owned())));
        let option = "--fast".to_owned();
        check("run --fast", &Err(ArgumentError::Option { command: "run", option }));
    }

    #[test]
    fn a_run_of_the_federation_has_options_of_its_own() {
        let options =
            federation::options::Options { subgraphs: subgraphs::Form::Live, ..Default::default() };
        check("run --live --suite federation", &Ok(Command::Federation(options)));
        let option = federation::options::ArgumentError::Option("--resume".to_owned());
        let told = Err(ArgumentError::Federation(option));
        check("run --suite federation --resume", &told);
        let options = subgraphs::Options {
            port: 1,
            delay: Duration::from_millis(10),
            form: subgraphs::Form::Canned,
            data: subgraphs::Data::Sixth,
        };
        let line = "federation-subgraphs --port 1 --delay 10 --canned --sixth-product";
        check(line, &Ok(Command::Subgraphs(options)));
        let data = subgraphs::Data::Distinct;
        let options = subgraphs::Options { data, ..subgraphs::Options::default() };
        check("federation-subgraphs --distinct", &Ok(Command::Subgraphs(options)));
        let told = Err(ArgumentError::Subgraphs("99999".to_owned()));
        check("federation-subgraphs --port 99999", &told);
    }

    #[test]
    fn the_run_to_report_is_named_or_the_newest() {
        check("report", &Ok(Command::Report(None)));
        check("report target/bench/a", &Ok(Command::Report(Some("target/bench/a".into()))));
        let refused = |option: &str| {
            Err(ArgumentError::Option { command: "report", option: option.to_owned() })
        };
        check("report --json", &refused("--json"));
        check("report a b", &refused("b"));
    }

    #[test]
    fn options_of_the_sqlite_floor_are_read() {
        let options = bare::Options {
            suite: "shop".to_owned(),
            query: "artistById".to_owned(),
            file: "shop.db".into(),
            seconds: 2,
        };
        check(
            "sqlite-floor --suite shop --query artistById --file shop.db --seconds 2",
            &Ok(Command::SqliteFloor(options)),
        );
        check("sqlite-floor --suite shop", &Err(ArgumentError::Missing("--query")));
    }

    #[test]
    fn options_of_the_neo4j_floor_are_read() {
        let options = bolt::Options {
            suite: "movies".to_owned(),
            query: "create".to_owned(),
            port: 7687,
            connections: 10,
            seconds: 5,
            through: bolt::Through::Neo4rs,
        };
        check(
            "neo4j-floor --suite movies --query create --port 7687 --connections 10 --through neo4rs",
            &Ok(Command::Neo4jFloor(options)),
        );
        let wrong = "neo4j-floor --suite movies --query create --port 99999";
        check(wrong, &Err(ArgumentError::Number("99999".to_owned())));
        check("neo4j-floor --suite movies", &Err(ArgumentError::Missing("--query")));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        check("race", &Err(ArgumentError::Command("race".to_owned())));
        check("schema-size --source oracle", &Err(ArgumentError::Source("oracle".to_owned())));
        check("schema-size --dialect sql", &Err(ArgumentError::Dialect("sql".to_owned())));
        check("schema-size --requests 0", &Err(ArgumentError::Number("0".to_owned())));
        check("compare --only", &Err(ArgumentError::Value("--only")));
        let option = "--fast".to_owned();
        check("compare --fast", &Err(ArgumentError::Option { command: "compare", option }));
    }
}
