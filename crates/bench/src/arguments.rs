//! The command line.

use crate::compare;

pub(crate) const HELP: &str = "\
Thalweg beside others.

cargo xtask compare [--only QUERY] [--set SET] [--keep] [--verbose]
    Starts PostGraphile 4, PostGraphile 5 and Thalweg on one database of their own, asks all three
    the queries of fixtures/compare, and prints where the answers or the schemas differ.
    Fails on a difference that fixtures/compare/expected.txt does not name, and on a named one
    that no longer occurs. Needs npm and, the first time, the network.
      --only QUERY  only the queries whose names contain the word; no schemas
      --set SET     only this set of options
      --keep        leaves the servers running until Enter is pressed
      --verbose     prints the expected differences too
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Compare(compare::Options),
    Help,
}

/// The command line says nothing that can be done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("there is no command `{0}`")]
    Command(String),
    #[error("`{command}` has no option `{option}`")]
    Option { command: &'static str, option: String },
    #[error("`{0}` wants a word after it")]
    Value(&'static str),
}

/// Reads the words after the program's name.
pub(crate) fn parse(words: &[String]) -> Result<Command, ArgumentError> {
    let Some((name, rest)) = words.split_first() else { return Ok(Command::Help) };
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help);
    }
    match name.as_str() {
        "compare" => parse_compare(rest),
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

fn value(option: &'static str, word: Option<&String>) -> Result<String, ArgumentError> {
    word.cloned().ok_or(ArgumentError::Value(option))
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
    fn what_is_not_known_is_refused() {
        check("race", &Err(ArgumentError::Command("race".to_owned())));
        check("compare --only", &Err(ArgumentError::Value("--only")));
        let option = "--fast".to_owned();
        check("compare --fast", &Err(ArgumentError::Option { command: "compare", option }));
    }
}
