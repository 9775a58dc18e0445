//! The command line of both commands.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::Kind;
use crate::race::suite::Source;

pub(crate) const HELP: &str = "
cargo xtask bench streaming [--quick] [--json] [--source KIND] [--program PATH]
                            [--stall-timeout SECONDS] [-- OPTIONS]
    Asks Thalweg for 1,000,000 rows, and for 200,000 rows with a row and five rows of others: time
    to the first byte and to the last, memory, and whether the answer is what it should be. Then
    a reader that takes 4 kB a second, one that leaves, and 40 slow ones beside short requests.
    Fails if an answer is wrong; a target that is missed is only marked.
      --quick                  short requests for 3 seconds instead of 10
      --json                   prints the figures as JSON instead of a table
      --source KIND            only sqlite, or only postgres
      --program PATH           measures this program, and builds none
      --stall-timeout SECONDS  of the server with the slow reader, 3 if not said
      -- OPTIONS               further options of `thalweg serve`, in place of the command's own

cargo xtask bench beside [--quick] [--json] [--source KIND] [--program PATH] [-- OPTIONS]
    Asks Thalweg short requests by 64 connections, alone and beside one and four statements of two
    seconds, again and again: requests/s and latency. The options are those of `streaming`.
";

/// What is asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    pub(crate) json: bool,
    pub(crate) sources: Vec<Source>,
    /// What is measured instead of the release build.
    pub(crate) program: Option<PathBuf>,
    /// Seconds.
    pub(crate) stall: NonZeroU32,
    /// Further options of `thalweg serve`.
    pub(crate) serve: Vec<String>,
}

/// The command line says nothing that can be done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("`{command}` has no option `{option}`")]
    Option { command: &'static str, option: String },
    #[error("`{0}` wants a word after it")]
    Value(String),
    #[error("`{0}` is no number of seconds")]
    Seconds(String),
    #[error("there is no kind of database `{0}`, only `sqlite` and `postgres`")]
    Source(String),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            json: false,
            sources: vec![Source::Postgres, Source::Sqlite],
            program: None,
            stall: NonZeroU32::MIN.saturating_add(2),
            serve: Vec::new(),
        }
    }
}

/// Reads the words after the command.
pub(crate) fn parse(kind: Kind, words: &[String]) -> Result<Options, ArgumentError> {
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(ArgumentError::Value(word.clone()));
        match (word.as_str(), kind) {
            ("--quick", _) => options.quick = true,
            ("--json", _) => options.json = true,
            ("--source", _) => options.sources = vec![source(&value()?)?],
            ("--program", _) => options.program = Some(value()?.into()),
            ("--stall-timeout", Kind::Streaming) => {
                let text = value()?;
                options.stall = text.parse().map_err(|_| ArgumentError::Seconds(text))?;
            }
            ("--", _) => options.serve.extend(rest.by_ref().cloned()),
            _ => {
                let option = word.clone();
                return Err(ArgumentError::Option { command: kind.name(), option });
            }
        }
    }
    Ok(options)
}

fn source(word: &str) -> Result<Source, ArgumentError> {
    let all = [Source::Postgres, Source::Sqlite];
    let found = all.into_iter().find(|source| source.name() == word);
    found.ok_or_else(|| ArgumentError::Source(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, line: &str, expected: &Result<Options, ArgumentError>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(&parse(kind, &words), expected, "{line}");
    }

    #[test]
    fn options_are_read() {
        check(Kind::Beside, "", &Ok(Options::default()));
        let options = Options {
            quick: true,
            json: true,
            sources: vec![Source::Sqlite],
            program: Some("target/debug/thalweg".into()),
            stall: NonZeroU32::MIN,
            serve: vec!["--connections".to_owned(), "2".to_owned()],
        };
        check(
            Kind::Streaming,
            "--quick --json --source sqlite --program target/debug/thalweg --stall-timeout 1 \
             -- --connections 2",
            &Ok(options),
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |option: &str| {
            let option = option.to_owned();
            Err(ArgumentError::Option { command: "beside", option })
        };
        check(Kind::Beside, "--stall-timeout 1", &refused("--stall-timeout"));
        check(Kind::Beside, "now", &refused("now"));
        let seconds = Err(ArgumentError::Seconds("0".to_owned()));
        check(Kind::Streaming, "--stall-timeout 0", &seconds);
        check(Kind::Streaming, "--source", &Err(ArgumentError::Value("--source".to_owned())));
        let oracle = Err(ArgumentError::Source("oracle".to_owned()));
        check(Kind::Streaming, "--source oracle", &oracle);
    }
}
