//! The command line.

use crate::{compare, schema_size};

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

cargo xtask bench schema-size [--tables 10,200,2000] [--most 5000] [--debug]
    Counts the instructions of one request on schemas of different sizes, of PostgreSQL and of
    SQLite, and measures the start and the memory of a large one. Needs valgrind.
    Fails if the request costs more than 3 % more on a larger schema.
      --tables LIST  the sizes at which instructions are counted
      --most NUMBER  the size at which start and memory are measured
      --debug        measures the build without optimisation, which takes no second build
";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Compare(compare::Options),
    SchemaSize(schema_size::Options),
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
    #[error("`{0}` is no number of tables; there must be 2 at least, and 10000 at most")]
    Number(String),
}

/// Reads the words after the program's name.
pub(crate) fn parse(words: &[String]) -> Result<Command, ArgumentError> {
    let Some((name, rest)) = words.split_first() else { return Ok(Command::Help) };
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help);
    }
    match name.as_str() {
        "compare" => parse_compare(rest),
        "schema-size" => parse_schema_size(rest),
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

fn parse_schema_size(words: &[String]) -> Result<Command, ArgumentError> {
    let mut options = schema_size::Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--tables" => {
                let list = value("--tables", rest.next())?;
                options.tables = list.split(',').map(number).collect::<Result<_, _>>()?;
            }
            "--most" => options.most = number(&value("--most", rest.next())?)?,
            "--debug" => options.debug = true,
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: "schema-size", option });
            }
        }
    }
    Ok(Command::SchemaSize(options))
}

/// The request asks two tables, and there are names for ten thousand.
fn number(word: &str) -> Result<usize, ArgumentError> {
    let number = word.parse().ok().filter(|number| (2..=10_000).contains(number));
    number.ok_or_else(|| ArgumentError::Number(word.to_owned()))
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
        let options = schema_size::Options { tables: vec![2, 30], most: 50, debug: true };
        check("schema-size --tables 2,30 --most 50 --debug", &Ok(Command::SchemaSize(options)));
        check("schema-size --most 1", &Err(ArgumentError::Number("1".to_owned())));
        check("schema-size --tables 2,x", &Err(ArgumentError::Number("x".to_owned())));
        check("compare --only", &Err(ArgumentError::Value("--only")));
        let option = "--fast".to_owned();
        check("compare --fast", &Err(ArgumentError::Option { command: "compare", option }));
    }
}
