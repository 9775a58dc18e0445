//! The command line.

use std::path::PathBuf;

use crate::dist;
use crate::fuzz;
use crate::setup;
use crate::site;
use crate::test;

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Setup(setup::Options),
    Test(test::Options),
    Tidy,
    /// Packages with known faults, by a checkout of the RustSec advisory database.
    Advisories {
        checkout: PathBuf,
        /// Writes the table in the tree anew.
        write: bool,
    },
    /// Checks packages by cargo-deny.
    Deny {
        offline: bool,
    },
    Docs,
    Fuzz(fuzz::Options),
    /// The files of GraphiQL in the server.
    GraphiQL,
    /// Arguments of the program `bench`.
    Bench(Vec<String>),
    Dist(dist::Options),
    /// The image of containers, of this program or of the release's.
    Image {
        program: Option<PathBuf>,
    },
    Site(site::Options),
    Help,
}

/// The command line is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("there is no command `{0}`")]
    Command(String),
    #[error("`{command}` has no option `{option}`")]
    Option { command: String, option: String },
    #[error(
        "`advisories` wants the folder of a checkout of the RustSec advisory database, and knows `--write`"
    )]
    Advisories,
    #[error("`--program` wants the path of a program")]
    Program,
    #[error("`--target` wants `aarch64` or `x86_64`")]
    Platform,
    #[error("`--sources` wants the address of the repository's files")]
    Sources,
    #[error("there is no target `{0}`")]
    Target(String),
    #[error("`--seconds` wants a number from 1 on")]
    Seconds,
    #[error("`--only` wants `tests`")]
    Only,
    /// The runner of case files takes one.
    #[error("`test` takes one filter, and `{0}` is the second")]
    SecondFilter(String),
}

/// Parses the words after the program's name.
pub(crate) fn parse(words: &[String]) -> Result<Command, ArgumentError> {
    let Some((name, rest)) = words.split_first() else { return Ok(Command::Help) };
    match name.as_str() {
        "setup" => parse_setup(rest),
        "test" => parse_test(rest),
        "bench" => Ok(Command::Bench(rest.to_vec())),
        "compare" => Ok(Command::Bench(words.to_vec())),
        "dist" => parse_dist(rest),
        "image" => parse_image(rest),
        "fuzz" => parse_fuzz(rest),
        "site" => parse_site(rest),
        "deny" => match rest {
            [option] if option == "--offline" => Ok(Command::Deny { offline: true }),
            rest => without_options(name, rest, Command::Deny { offline: false }),
        },
        "docs" => without_options(name, rest, Command::Docs),
        "graphiql" => without_options(name, rest, Command::GraphiQL),
        "advisories" => match rest {
            [checkout] if !checkout.starts_with('-') => {
                Ok(Command::Advisories { checkout: checkout.into(), write: false })
            }
            [checkout, option] if option == "--write" => {
                Ok(Command::Advisories { checkout: checkout.into(), write: true })
            }
            _ => Err(ArgumentError::Advisories),
        },
        "tidy" => without_options(name, rest, Command::Tidy),
        "ci" => {
            let options = test::Options { require_tools: true, ..test::Options::default() };
            without_options(name, rest, Command::Test(options))
        }
        "help" | "--help" | "-h" => Ok(Command::Help),
        _ => Err(ArgumentError::Command(name.clone())),
    }
}

fn parse_site(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = site::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--serve" => options.serve = true,
            "--offline" => options.offline = true,
            "--sources" => {
                let address = rest.next().filter(|address| address.contains("://"));
                let address = address.ok_or(ArgumentError::Sources)?;
                options.sources = Some(address.trim_end_matches('/').to_owned());
            }
            word => return Err(unknown("site", word)),
        }
    }
    Ok(Command::Site(options))
}

fn parse_setup(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = setup::Options::default();
    for word in words {
        if !set_setup_option(&mut options, word) {
            return Err(unknown("setup", word));
        }
    }
    Ok(Command::Setup(options))
}

fn parse_test(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = test::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--only" => match rest.next().map(String::as_str) {
                Some("tests") => options.only_tests = true,
                Some(_) | None => return Err(ArgumentError::Only),
            },
            "--quick" => options.quick = true,
            word if set_setup_option(&mut options.setup, word) => {}
            word if word.starts_with('-') => return Err(unknown("test", word)),
            filter if options.filter.is_some() => {
                return Err(ArgumentError::SecondFilter(filter.to_owned()));
            }
            filter => {
                options.filter = Some(filter.to_owned());
                options.only_tests = true;
            }
        }
    }
    Ok(Command::Test(options))
}

fn parse_dist(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = dist::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--offline" => options.offline = true,
            "--program" => {
                let program = rest.next().ok_or(ArgumentError::Program)?;
                options.program = Some(program.into());
            }
            "--target" => {
                let platform = rest.next().and_then(|name| dist::Platform::of_target(name));
                options.platform = Some(platform.ok_or(ArgumentError::Platform)?);
            }
            _ => return Err(unknown("dist", word)),
        }
    }
    Ok(Command::Dist(options))
}

fn parse_image(words: &[String]) -> Result<Command, ArgumentError> {
    match words {
        [] => Ok(Command::Image { program: None }),
        [option, program] if option == "--program" => {
            Ok(Command::Image { program: Some(program.into()) })
        }
        [option] if option == "--program" => Err(ArgumentError::Program),
        [word, ..] => Err(unknown("image", word)),
    }
}

fn parse_fuzz(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = fuzz::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--seconds" {
            let seconds = rest.next().and_then(|text| text.parse().ok());
            options.seconds =
                seconds.filter(|seconds| *seconds > 0).ok_or(ArgumentError::Seconds)?;
        } else if word.starts_with('-') {
            return Err(unknown("fuzz", word));
        } else {
            let found = fuzz::Target::ALL.into_iter().find(|target| target.name() == word);
            options.target = Some(found.ok_or_else(|| ArgumentError::Target(word.clone()))?);
        }
    }
    Ok(Command::Fuzz(options))
}

fn set_setup_option(options: &mut setup::Options, word: &str) -> bool {
    match word {
        "--offline" => options.offline = true,
        "--allow-missing" => options.allow_missing = true,
        _ => return false,
    }
    true
}

fn without_options(
    name: &str,
    words: &[String],
    command: Command,
) -> Result<Command, ArgumentError> {
    match words.first() {
        Some(word) => Err(unknown(name, word)),
        None => Ok(command),
    }
}

fn unknown(command: &str, option: &str) -> ArgumentError {
    ArgumentError::Option { command: command.to_owned(), option: option.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &Result<Command, ArgumentError>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(&parse(&words), expected, "{line}");
    }

    #[test]
    fn every_command_is_known() {
        check("", &Ok(Command::Help));
        check("help", &Ok(Command::Help));
        check("tidy", &Ok(Command::Tidy));
        check("docs", &Ok(Command::Docs));
        let compare = vec!["compare".to_owned(), "--only".to_owned(), "keys".to_owned()];
        check("compare --only keys", &Ok(Command::Bench(compare)));
        check("bench schema-size", &Ok(Command::Bench(vec!["schema-size".to_owned()])));
        let advisories = |write| Ok(Command::Advisories { checkout: "db".into(), write });
        check("advisories db", &advisories(false));
        check("advisories db --write", &advisories(true));
        for words in ["advisories", "advisories --write", "advisories db --read"] {
            check(words, &Err(ArgumentError::Advisories));
        }
        check("setup", &Ok(Command::Setup(setup::Options::default())));
        check("test", &Ok(Command::Test(test::Options::default())));
        check(
            "ci",
            &Ok(Command::Test(test::Options { require_tools: true, ..Default::default() })),
        );
    }

    #[test]
    fn a_filter_runs_the_tests_alone() {
        let filter = Some("relay/paging".to_owned());
        let options = test::Options { only_tests: true, filter, ..Default::default() };
        check("test relay/paging", &Ok(Command::Test(options)));
        check("test relay paging", &Err(ArgumentError::SecondFilter("paging".to_owned())));
    }

    #[test]
    fn options_of_setup_hold_for_test_too() {
        let setup = setup::Options { offline: true, allow_missing: true };
        check("setup --offline --allow-missing", &Ok(Command::Setup(setup)));
        let options = test::Options { setup, only_tests: true, ..Default::default() };
        check("test --only tests --offline --allow-missing", &Ok(Command::Test(options)));
        let options = test::Options { quick: true, ..Default::default() };
        check("test --quick", &Ok(Command::Test(options)));
    }

    #[test]
    fn packages_are_checked_with_or_without_network() {
        check("deny", &Ok(Command::Deny { offline: false }));
        check("deny --offline", &Ok(Command::Deny { offline: true }));
    }

    #[test]
    fn a_release_may_be_for_another_processor() {
        let platform = Some(dist::Platform::Arm);
        let options = dist::Options { platform, ..dist::Options::default() };
        check("dist --target aarch64", &Ok(Command::Dist(options)));
        check("dist --target mips", &Err(ArgumentError::Platform));
        check("dist --target", &Err(ArgumentError::Platform));
    }

    #[test]
    fn an_image_is_of_a_program_that_is_given_or_of_the_release() {
        check("image", &Ok(Command::Image { program: None }));
        let program = Some("target/debug/thalweg".into());
        check("image --program target/debug/thalweg", &Ok(Command::Image { program }));
        check("image --program", &Err(ArgumentError::Program));
    }

    #[test]
    fn a_release_is_of_a_program_that_is_given_or_built() {
        check("dist", &Ok(Command::Dist(dist::Options::default())));
        let program = Some("target/release/thalweg".into());
        let options = dist::Options { offline: true, program, platform: None };
        check("dist --offline --program target/release/thalweg", &Ok(Command::Dist(options)));
        check("dist --program", &Err(ArgumentError::Program));
        check("dist --fast", &Err(unknown("dist", "--fast")));
    }

    #[test]
    fn the_site_may_lead_to_the_sources() {
        check("site", &Ok(Command::Site(site::Options::default())));
        let sources = Some("https://e.example/tree".to_owned());
        let options = site::Options { serve: true, offline: true, sources };
        let words = "site --serve --offline --sources https://e.example/tree/";
        check(words, &Ok(Command::Site(options)));
        check("site --sources --serve", &Err(ArgumentError::Sources));
        check("site --open", &Err(unknown("site", "--open")));
    }

    #[test]
    fn all_targets_are_fuzzed_or_one_for_a_minute_or_as_long_as_is_said() {
        check("fuzz", &Ok(Command::Fuzz(fuzz::Options { target: None, seconds: 60 })));
        let target = Some(fuzz::Target::NodeId);
        let options = fuzz::Options { target, seconds: 5 };
        check("fuzz node-id --seconds 5", &Ok(Command::Fuzz(options)));
        check("fuzz --seconds 0", &Err(ArgumentError::Seconds));
        check("fuzz nodes", &Err(ArgumentError::Target("nodes".to_owned())));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        check("deploy", &Err(ArgumentError::Command("deploy".to_owned())));
        check("tidy now", &Err(unknown("tidy", "now")));
        check("test --fast", &Err(unknown("test", "--fast")));
        check("test --only lints", &Err(ArgumentError::Only));
    }
}
