//! The command line: every command with the options that stand in its module.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::race::floor::{bare, bolt};
use crate::{
    citus, compare, documents, federation, live, long, mixed, race, restaurants, schema_size, soak,
    start_up,
};

/// Measures Thalweg, and compares its answers with those of other servers.
#[derive(Debug, Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench", max_term_width = 100)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum Command {
    /// Measures Thalweg beside other servers and beside the database alone.
    ///
    /// Everybody has the same data, and results go to target/bench/NAME.
    /// Three rounds take about fifty minutes on two processors, and the machine should have nothing
    /// else to do. Needs npm, wrk, pgbench, and the first time the network; what is missing is reported.
    ///
    /// `--suite federation` measures gateways instead: Thalweg, Hive Router, Grafbase's engine and
    /// Hive Gateway, with the same query over the same four subgraphs, which are one server of
    /// the benchmark. The gateway has one processor to itself; the subgraphs and the load have the
    /// others. Three rounds take about half an hour. Needs npm, wrk and oha.
    Run(race::options::Options),
    /// Compares answers and schemas with PostGraphile and Neo4j's GraphQL library.
    ///
    /// Starts PostGraphile 4, PostGraphile 5 and Thalweg on one database, sends the queries of
    /// fixtures/compare to all three, and prints where the answers or the schemas differ. Does the
    /// same with Neo4j's GraphQL library on a Neo4j, by fixtures/compare/neo4j: the sets neo4j-*.
    /// Fails on a difference that fixtures/compare/expected.txt does not name, and on a named one that
    /// no longer occurs. Needs npm and, the first time, the network.
    Compare(compare::Options),
    /// Measures the cost of a request, of a start and of a table by the number of tables.
    ///
    /// Sends the same operations to servers over 10, 200 and 2,000 tables, in PostgreSQL and in
    /// SQLite, and counts the instructions of the server for each request: by `perf stat` where the
    /// processor has a counter, else by `valgrind`. Then starts servers over 10 and over 5,000 tables:
    /// seconds to the first answer, statements of the introspection, memory; for hasura once more with
    /// permissions of eleven roles on each table.
    /// Fails if a warm operation, one whose document is cached, differs by more than 3 % between sizes.
    SchemaSize(schema_size::Options),
    /// Measures documents that are sent once.
    ///
    /// The CPU of each, the memory by their number, and the latency of a cached request beside
    /// them.
    Documents(documents::Options),
    /// Measures two hundred different short requests over a hundred tables of PostgreSQL.
    ///
    /// By the defaults and with `--shared-connections 0`: requests a second of 4 and of 60 clients,
    /// and the number of sessions that were opened.
    Mixed(mixed::Options),
    /// Measures clusters of Citus with one, two and four workers beside one PostgreSQL.
    ///
    /// Starts all of them on this machine with the same tables, and sends what a tenant reads and changes
    /// and what asks all tenants: the statements of a request, those on shards, the workers that are
    /// asked, requests a second and latency. Needs a PostgreSQL with the extension Citus.
    /// Fails if an answer differs from that of PostgreSQL alone.
    Citus(citus::Options),
    /// Measures starts of Thalweg and PostGraphile 4 and 5 by the number of tables.
    ///
    /// On schemas of 10, 100, 1,000 and 5,000 tables, in turns: seconds from the start of the process to
    /// the first row, CPU seconds until then, resident memory after it. Prints the medians;
    /// each start is a line of target/bench/NAME/starts.jsonl. A start without an answer after two
    /// minutes is reported with the reason. Needs npm and, the first time, the network.
    StartUp(start_up::Options),
    /// Measures long answers, and slow readers of them.
    ///
    /// Requests 1,000,000 rows, and 200,000 rows with a row and five rows of others: time to
    /// the first byte and to the last, memory, and whether the answer is correct. Then a reader that
    /// takes 4 kB a second, one that disconnects, and 40 slow ones beside short requests.
    /// Fails if an answer is wrong; a missed target is only marked.
    Streaming(long::StreamingOptions),
    /// Measures short requests beside statements of two seconds.
    ///
    /// Sends short requests by 64 connections, alone and beside one and four statements of two
    /// seconds, again and again: requests/s and latency.
    Beside(long::Options),
    /// Measures long answers of type definitions: the suite `restaurants`.
    ///
    /// The eight queries of a published benchmark of Dgraph's GraphQL on its numbers of rows, a tenth of
    /// its 4,158,700 dishes unless `--full`: latency, time to the first byte, CPU and peak memory,
    /// beside a bare loop over SQLite's statements that prints the same JSON, and beside `COPY … TO
    /// STDOUT` of PostgreSQL. Then mutations of one and of sixteen clients, and adds of 1,000 objects.
    /// Fails if an answer is not that of the floor; a missed target is only marked.
    Restaurants(restaurants::Options),
    /// Prints the answer to a query of the suite `restaurants` from an SQLite file, by hand-written
    /// statements.
    RestaurantsFloor(restaurants::floor::Options),
    /// Measures subscriptions: thousands of sockets that read a row each.
    ///
    /// Memory of a subscription; CPU and statements without changes; latency from the commit to the
    /// message, CPU and executions at 1, 100 and 1,000 changes a second that concern one, a hundred or
    /// all subscribers each; changes that nobody reads; one change of all rows. Beside it a server that
    /// polls the same rows once a second, and PostGraphile 4 with fewer sockets.
    /// Needs PostgreSQL with its contributed extensions and, for PostGraphile, with wal2json; npm, the
    /// first time the network, and two open files a socket.
    /// Fails if a message of Thalweg is not the row's; a missed target is only marked.
    Live(live::Options),
    /// Measures the loss of the server that reads the changes for several servers of one database.
    ///
    /// Kills it again and again while rows change, and prints the time until another server sends the
    /// next change, and the longest time from a commit to its message: median and longest of all kills.
    /// Fails if a change reaches the subscribers of another server never or with a wrong message.
    HandOver(live::hand_over::Options),
    /// Loads one server for half an hour while all around it fails.
    ///
    /// Readers, writers, subscribers and clients that leave in the middle, over HTTP/1.1, HTTP/2 and
    /// WebSockets, on PostgreSQL with a standby, with the cache and with rate limits in Redis. Meanwhile
    /// the configuration is reloaded, the schema changes, and the primary, the standby and Redis stop and
    /// start again, every half minute one of them. Each answer is checked. Prints answers, errors, memory,
    /// descriptors and sessions; fails if an answer was wrong, if an acknowledged change is lost, if there
    /// is an error without an outage, or if something grows.
    Soak(soak::Options),
    /// Writes the report of a run: report.html, report.json and report.md.
    ///
    /// The page needs no network, and report.md has tables for documents. A run that goes on can be
    /// reported too.
    Report(ReportOptions),
    /// Serves the four subgraphs of the suite `federation` in one process.
    ///
    /// At 127.0.0.1: /accounts, /inventory, /products, /reviews; /counts returns the number of requests
    /// and bytes of each.
    FederationSubgraphs(federation::subgraphs::Arguments),
    /// Measures hand-written statements over SQLite, on one thread.
    ///
    /// Prints as JSON the number of answers, their CPU seconds and latencies.
    SqliteFloor(bare::Options),
    /// Measures a hand-written statement over Neo4j by Bolt.
    ///
    /// As often as the connections can, through messages that are made once or through a driver; prints
    /// the same JSON as `sqlite-floor`. The server is one of this machine without a password, with the
    /// graph.
    Neo4jFloor(bolt::Options),
}

#[derive(Debug, PartialEq, Eq, Args)]
pub(crate) struct ReportOptions {
    /// The folder of the run; the newest run in target/bench if absent.
    pub(crate) folder: Option<PathBuf>,
}

/// Reads the words of the command line, the program's name first.
pub(crate) fn parse(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Command, clap::Error> {
    let command = Line::try_parse_from(words)?.command;
    if let Command::Run(options) = &command
        && let Err(problem) = options.check()
    {
        return Err(Line::command().error(ErrorKind::ArgumentConflict, problem));
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroUsize};
    use std::time::Duration;

    use super::*;
    use crate::federation::subgraphs::{Data, Form};
    use crate::program::Program;
    use crate::race::options::Choice;
    use crate::schema_size::database::Family;
    use crate::schema_size::operations::Dialect;
    use crate::start_up::Contestant;

    const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

    fn words(line: &str) -> Vec<&str> {
        ["bench"].into_iter().chain(line.split_whitespace()).collect()
    }

    #[track_caller]
    fn check(line: &str, expected: &Command) {
        assert_eq!(parse(words(line)).expect(line), *expected, "{line}");
    }

    #[track_caller]
    fn check_refused(line: &str, kind: ErrorKind, named: &str) {
        let error = parse(words(line)).expect_err(line);
        assert_eq!(error.kind(), kind, "{line}: {error}");
        assert!(error.to_string().contains(named), "{line}: {error}");
    }

    fn program() -> Program {
        Program { path: Some("target/debug/thalweg".into()) }
    }

    fn parse_run(line: &str) -> race::options::Options {
        match parse(words(line)) {
            Ok(Command::Run(options)) => options,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn declarations_are_sound_and_every_command_has_help() {
        Line::command().debug_assert();
        for command in Line::command().get_subcommands() {
            check_refused(
                &format!("{} --help", command.get_name()),
                ErrorKind::DisplayHelp,
                "Usage",
            );
        }
    }

    #[test]
    fn options_of_the_comparison_are_read() {
        check("compare", &Command::Compare(compare::Options::default()));
        let options = compare::Options {
            only: Some("pages".to_owned()),
            set: Some("both".to_owned()),
            keep: true,
            verbose: true,
            ..compare::Options::default()
        };
        check("compare --only pages --set both --keep --verbose", &Command::Compare(options));
    }

    #[test]
    fn options_of_the_audit_are_read() {
        let (audit, only) = (Some(PathBuf::from("a")), Some("node".to_owned()));
        let program = program();
        let audit = crate::audit::Options { audit, punish: true, compose: true, only, program };
        let audit = Some(compare::Other::Federation(audit));
        let options = compare::Options { other: audit, ..compare::Options::default() };
        let line = "compare federation --audit a --punish --compose --only node --program target/debug/thalweg";
        check(line, &Command::Compare(options));
        check_refused("compare federation --audit", ErrorKind::InvalidValue, "--audit");
        check_refused("compare federation --fast", ErrorKind::UnknownArgument, "--fast");
    }

    #[test]
    fn options_of_the_schema_size_are_read() {
        let options = schema_size::Options {
            quick: true,
            json: true,
            without_cost: true,
            source: Some(Family::Sqlite),
            dialect: Some(Dialect::Phrag),
            roles: 3,
            program: program(),
            requests: NonZeroUsize::MIN,
            serve: vec!["--bigint".to_owned(), "string".to_owned()],
        };
        check(
            "schema-size --quick --json --without-cost --source sqlite --dialect phrag --roles 3 \
             --requests 1 --program target/debug/thalweg -- --bigint string",
            &Command::SchemaSize(options),
        );
        let Ok(Command::SchemaSize(options)) = parse(words("schema-size")) else {
            panic!("no options are needed")
        };
        assert_eq!((options.requests.get(), options.source), (200, None));
    }

    #[test]
    fn options_of_the_documents_and_of_mixed_requests_are_read() {
        let options = documents::Options { number: NonZeroU32::MIN, program: program() };
        let line = "documents --number 1 --program target/debug/thalweg";
        check(line, &Command::Documents(options));
        let options = mixed::Options { seconds: TWO, program: Program::default() };
        check("mixed --seconds 2", &Command::Mixed(options));
        check_refused("documents --number 0", ErrorKind::ValueValidation, "--number");
    }

    #[test]
    fn options_of_the_start_up_are_read() {
        let options = start_up::Options {
            quick: true,
            tables: vec![10, 2_000],
            contestants: vec![Contestant::Thalweg, Contestant::PostGraphile5],
            rounds: Some(TWO),
            name: "one".to_owned(),
            resume: true,
            program: program(),
        };
        check(
            "start-up --quick --tables 10,2000 --contestant thalweg --contestant postgraphile-5 \
             --rounds 2 --name one --resume --program target/debug/thalweg",
            &Command::StartUp(options),
        );
        check_refused("start-up --tables 10,4", ErrorKind::ValueValidation, "4");
        check_refused("start-up --rounds 0", ErrorKind::ValueValidation, "--rounds");
        check_refused("start-up --name ../one", ErrorKind::ValueValidation, "../one");
        check_refused("start-up --contestant node", ErrorKind::InvalidValue, "node");
    }

    #[test]
    fn options_of_the_restaurants_are_read() {
        let options = restaurants::Options {
            full: true,
            quick: true,
            source: Some(Family::Postgres),
            program: program(),
        };
        let line = "restaurants --full --quick --source postgres --program target/debug/thalweg";
        check(line, &Command::Restaurants(options));
        let (file, query) = ("a.db".into(), "13".to_owned());
        let floor = restaurants::floor::Options { file, query };
        check("restaurants-floor --file a.db --query 13", &Command::RestaurantsFloor(floor));
    }

    #[test]
    fn options_of_the_subscriptions_are_read() {
        let options = live::Options {
            sockets: Some(TWO),
            peer_sockets: Some(TWO),
            quick: true,
            ping_interval: Some("1h".to_owned()),
            program: program(),
        };
        let line = "live --sockets 2 --peer-sockets 2 --quick --ping-interval 1h \
                    --program target/debug/thalweg";
        check(line, &Command::Live(options));
        check_refused("live --sockets 0", ErrorKind::ValueValidation, "--sockets");
        let options = live::hand_over::Options {
            servers: Some(TWO),
            kills: Some(TWO),
            between: Some(1),
            rate: Some(TWO),
            program: program(),
        };
        let line =
            "hand-over --servers 2 --kills 2 --between 1 --rate 2 --program target/debug/thalweg";
        check(line, &Command::HandOver(options));
    }

    #[test]
    fn options_of_long_answers_are_read() {
        let common = long::Options {
            quick: true,
            json: true,
            source: Some(Family::Sqlite),
            program: program(),
            serve: vec!["--connections".to_owned(), "2".to_owned()],
        };
        let line = "beside --quick --json --source sqlite --program target/debug/thalweg \
                    -- --connections 2";
        check(line, &Command::Beside(common.clone()));
        let options = long::StreamingOptions { common, stall_timeout: NonZeroU32::MIN };
        let line = line.replace("beside", "streaming --stall-timeout 1");
        check(&line, &Command::Streaming(options));
        check_refused("streaming --stall-timeout 0", ErrorKind::ValueValidation, "--stall-timeout");
        check_refused("streaming --source", ErrorKind::InvalidValue, "--source");
        check_refused("streaming --source oracle", ErrorKind::InvalidValue, "oracle");
        check_refused("beside --stall-timeout 1", ErrorKind::UnknownArgument, "--stall-timeout");
        check_refused("beside now", ErrorKind::UnknownArgument, "now");
    }

    #[test]
    fn options_of_a_run_are_read() {
        let run = parse_run(
            "run --quick --suite shop --suite meetups --only nest --contestant thalweg \
             --chinook chinook.sql --name one --program target/debug/thalweg",
        );
        let choice = Choice {
            quick: true,
            suites: vec!["shop".to_owned(), "meetups".to_owned()],
            only: Some("nest".to_owned()),
            contestants: vec!["thalweg".to_owned()],
            chinook: Some("chinook.sql".into()),
        };
        assert_eq!((run.choice, run.program), (choice, program()));
        let resumed = parse_run("run --resume --name one");
        assert_eq!((resumed.name.as_deref(), resumed.resume), (Some("one"), true));
        check_refused("run --resume --quick", ErrorKind::ArgumentConflict, "--resume");
        check_refused("run --name a/b", ErrorKind::ValueValidation, "a/b");
        check_refused("run --fast", ErrorKind::UnknownArgument, "--fast");
        check_refused("run --rounds 2", ErrorKind::ArgumentConflict, "federation");
    }

    #[test]
    fn a_run_of_the_federation_has_options_of_its_own() {
        let run = parse_run(
            "run --suite federation --contestant thalweg --contestant grafbase --name one \
             --rounds 2 --seconds 1 --live --program target/debug/thalweg --hive-router b",
        );
        assert!(run.is_federation());
        let options = &run.federation;
        assert_eq!((options.rounds(false), options.seconds()), (2, 1));
        assert_eq!(options.subgraphs(), Form::Live);
        assert_eq!(options.hive_router, Some("b".into()));
        let quick = parse_run("run --quick --suite federation").federation;
        assert_eq!((quick.rounds(true), quick.subgraphs()), (1, Form::Canned));
        assert!(!parse_run("run --suite movies --name federation").is_federation());
        for wrong in ["--resume", "--suite shop", "--only nest", "--chinook a"] {
            let line = format!("run --suite federation {wrong}");
            check_refused(&line, ErrorKind::ArgumentConflict, "federation");
        }
        let line = "run --suite federation --rounds 0";
        check_refused(line, ErrorKind::ValueValidation, "--rounds");
    }

    #[test]
    fn options_of_the_subgraphs_are_read() {
        let parse_subgraphs = |line: &str| match parse(words(line)) {
            Ok(Command::FederationSubgraphs(arguments)) => {
                federation::subgraphs::Options::from(&arguments)
            }
            other => panic!("{line}: {other:?}"),
        };
        let (port, delay) = (1, Duration::from_millis(10));
        let (form, data) = (Form::Canned, Data::Sixth);
        let options = federation::subgraphs::Options { port, delay, form, data };
        let line = "federation-subgraphs --port 1 --delay 10 --canned --sixth-product";
        assert_eq!(parse_subgraphs(line), options);
        let (port, delay) = (24300, Duration::ZERO);
        let (form, data) = (Form::Live, Data::Distinct);
        let options = federation::subgraphs::Options { port, delay, form, data };
        assert_eq!(parse_subgraphs("federation-subgraphs --distinct"), options);
        let line = "federation-subgraphs --port 99999";
        check_refused(line, ErrorKind::ValueValidation, "99999");
        let line = "federation-subgraphs --distinct --sixth-product";
        check_refused(line, ErrorKind::ArgumentConflict, "--distinct");
    }

    #[test]
    fn the_run_to_report_is_named_or_the_newest() {
        check("report", &Command::Report(ReportOptions { folder: None }));
        let folder = Some("target/bench/a".into());
        check("report target/bench/a", &Command::Report(ReportOptions { folder }));
        check_refused("report --json", ErrorKind::UnknownArgument, "--json");
        check_refused("report a b", ErrorKind::UnknownArgument, "b");
    }

    #[test]
    fn options_of_the_floors_are_read() {
        let floor = |suite: &str, query: &str, seconds| bare::FloorOptions {
            suite: suite.to_owned(),
            query: query.to_owned(),
            seconds,
        };
        let (file, floor_of_shop) = ("shop.db".into(), floor("shop", "artistById", 2));
        let options = bare::Options { floor: floor_of_shop, file };
        let line = "sqlite-floor --suite shop --query artistById --file shop.db --seconds 2";
        check(line, &Command::SqliteFloor(options));
        check_refused("sqlite-floor --suite shop", ErrorKind::MissingRequiredArgument, "--query");
        let options = bolt::Options {
            floor: floor("movies", "create", 5),
            port: 7687,
            connections: 10,
            through: bolt::Through::Neo4rs,
        };
        let line = "neo4j-floor --suite movies --query create --port 7687 --connections 10 \
                    --through neo4rs";
        check(line, &Command::Neo4jFloor(options));
        let line = "neo4j-floor --suite movies --query create --port 99999";
        check_refused(line, ErrorKind::ValueValidation, "99999");
        check_refused("neo4j-floor --suite movies", ErrorKind::MissingRequiredArgument, "--query");
    }

    #[test]
    fn unknown_words_are_refused() {
        check_refused("race", ErrorKind::InvalidSubcommand, "race");
        check_refused("schema-size --source oracle", ErrorKind::InvalidValue, "oracle");
        check_refused("schema-size --dialect sql", ErrorKind::InvalidValue, "sql");
        check_refused("schema-size --requests 0", ErrorKind::ValueValidation, "--requests");
        check_refused("compare --only", ErrorKind::InvalidValue, "--only");
        check_refused("compare --fast", ErrorKind::UnknownArgument, "--fast");
    }
}
