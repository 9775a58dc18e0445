//! The project's chores: `cargo xtask help`.
//!
//! `setup` installs the databases of the tests (`debian`, `maven`, `neo4j`), `test` runs every
//! check and every test, `tidy` checks the rules that no compiler knows, `bench` runs the program
//! of that name, `dist` makes the files of a release.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people who work on the project: its output is the terminal"
)]

mod arguments;
mod bench;
mod cargo_tool;
mod clients;
mod configuration;
mod counts;
mod debian;
mod deny;
mod dist;
mod docs;
mod fuzz;
mod graphiql;
mod markdown;
mod maven;
mod neo4j;
mod npm;
mod phase;
mod program;
mod python;
mod setup;
mod site;
mod test;
mod tidy;
mod workspaces;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::Command;

const HELP: &str = "\
The chores of the project.

cargo xtask setup [--offline] [--allow-missing]
    Installs what the tests need and this machine lacks: PostgreSQL of the distribution (as root)
    and two versions of Maven Central, which are unpacked into target/postgres; Neo4j of Maven
    Central, in target/neo4j, with Java and Maven (as root); Node.js and Chromium (as root), and
    clients of other projects from npm, in target/clients, and other composers of federated graphs,
    in target/composers.
      --offline        installs nothing, only looks
      --allow-missing  what cannot be had is no error: it is named as 'not run'

cargo xtask test [--quick] [--only tests] [--offline] [--allow-missing] [FILTER]
    Sets up, checks format, lints and tidiness, runs every test, and prints the sum.
    With a filter, or with `--only tests`, the tests alone: those whose name contains the filter.
      --quick  installs nothing, and runs no lints and only tests that take seconds: those of units,
               and the cases on SQLite and of the gateway

cargo xtask tidy
    Checks the rules of absence and of form, the licences of other packages, and by the table
    crates/xtask/advisories.tsv whether they have known faults.

cargo xtask advisories FOLDER [--write]
    Looks for packages with known faults, by a checkout of the RustSec advisory database.
      --write  writes the table anew first

cargo xtask deny [--offline]
    Checks licences, sources, duplicates and advisories of other packages by cargo-deny and deny.toml;
    it installs cargo-deny into target/tools.
      --offline  installs nothing, and leaves out advisories, which are fetched

cargo xtask docs
    Writes the support tables of the dialects, which are made from the case files, and the schema
    and the example of the configuration file, which are made from the options.

cargo xtask site [--serve] [--offline] [--sources URL]
    Makes the manual's web site in target/site/book with mdBook, which it installs into target/tools,
    and checks its links.
      --serve        serves it at http://localhost:3000, and makes it again when a page changes
      --offline      installs nothing, only looks
      --sources URL  where links to files of the repository lead; without it they are texts

cargo xtask graphiql
    Writes the published files of GraphiQL that the server has in itself, from npm.

cargo xtask fuzz [TARGET] [--seconds NUMBER]
    Fuzzes for longer than the tests do, a minute for each target if nothing is said.
    Targets: http, document, variables, cursor, node-id, configuration, token, definitions, import, supergraph, planner, failures, answers.

cargo xtask compare [--help] [OPTIONS]
    Asks PostGraphile 4, PostGraphile 5 and Thalweg the same and prints the differences.

cargo xtask compare federation --audit DIR [--punish] [OPTIONS]
    Asks one `thalweg gateway` the cases of the public audit of federation gateways.

cargo xtask bench [--help] [OPTIONS]
    Measures Thalweg beside PostGraphile and beside the database alone, and writes a report.

cargo xtask bench schema-size [--help] [OPTIONS]
    Measures what a request costs, and what the server takes, by the number of tables.

cargo xtask bench streaming [--help] [OPTIONS]
cargo xtask bench beside [--help] [OPTIONS]
    Measures long answers with slow readers, and short requests beside long statements.

cargo xtask dist [--offline] [--program FILE] [--target PROCESSOR]
    Makes a release in target/dist: a static program in a tarball and in a
    Debian package, with completions, manual pages and the licences of others, and checksums.
      --offline        installs nothing, only looks
      --program FILE   packs this program instead of building one
      --target PROCESSOR
                       builds for aarch64 or x86_64, by Zig where it is not this machine's, and tries
                       the program by QEMU

cargo xtask image [--program FILE]
    Makes the image of containers without a daemon (buildah), in target/image, and runs it (podman):
    the demo answers, and GraphiQL is there.
      --program FILE   takes this program, with the libraries that it needs, instead of that of
                       target/dist

cargo xtask ci
    Everything of `test`; a check whose tool is not installed is a failure.

cargo xtask help
    Prints this text.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let command = match arguments::parse(&words) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("xtask: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let workspace = workspace();
    let succeeded = match command {
        Command::Help => {
            print!("{HELP}");
            true
        }
        Command::Setup(options) => match setup::setup(&workspace, options) {
            Ok(_) => true,
            Err(error) => {
                eprintln!("setup: {error}");
                false
            }
        },
        Command::Test(options) => test::test(&workspace, &options),
        Command::Fuzz(options) => fuzz::fuzz(&workspace, &options),
        Command::Bench(words) => match bench::bench(&workspace, &words) {
            Err(error) => {
                eprintln!("xtask: {error}");
                false
            }
        },
        Command::Docs => {
            let tables = docs::write(&workspace).map_err(|error| error.to_string());
            let files = configuration::write(&workspace).map_err(|error| error.to_string());
            let are_written = [tables, files].map(|written| match written {
                Ok(written) => {
                    for path in written {
                        println!("docs: wrote {}", path.display());
                    }
                    true
                }
                Err(error) => {
                    eprintln!("docs: {error}");
                    false
                }
            });
            are_written == [true; 2]
        }
        Command::Dist(options) => match dist::dist(&workspace, &options) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("dist: {error}");
                false
            }
        },
        Command::Image { program } => match dist::image(&workspace, program.as_deref()) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("image: {error}");
                false
            }
        },
        Command::Deny { offline } => match deny::deny(&workspace, offline) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("deny: {error}");
                false
            }
        },
        Command::Site(options) => match site::site(&workspace, &options) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("site: {error}");
                false
            }
        },
        Command::GraphiQL => match graphiql::renew(&workspace) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("graphiql: {error}");
                false
            }
        },
        Command::Advisories { checkout, write } => {
            let check = if write { tidy::renew_advisories } else { tidy::print_advisories };
            match check(&workspace, &checkout) {
                Ok(tidiness) => tidiness.findings == 0,
                Err(error) => {
                    eprintln!("advisories: {error}");
                    false
                }
            }
        }
        Command::Tidy => match tidy::print_findings(&workspace) {
            Ok(tidiness) => docs::print_stale(&workspace) && tidiness.findings == 0,
            Err(error) => {
                eprintln!("tidy: {error}");
                false
            }
        },
    };
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The folder above `crates/xtask`: read from Cargo at run time, because a clone may be moved.
fn workspace() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest.ancestors().nth(2).unwrap_or(Path::new(".")).to_owned()
}
