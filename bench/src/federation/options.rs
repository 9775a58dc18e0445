//! What is asked on the command line.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::subgraphs::Form;

pub(crate) const HELP: &str = "
cargo xtask bench --suite federation [--quick] [--contestant NAME] [--name NAME] [--rounds NUMBER]
                  [--seconds NUMBER] [--live] [--program PATH] [--hive-router PATH]
    Asks gateways of a federation the same query over the same four subgraphs, which are one fast
    server of the benchmark's own: Thalweg, Hive Router, Grafbase's engine, Hive Gateway. Writes
    what it measured to target/bench/NAME. The gateway has one processor to itself, the subgraphs
    and the load have the others. Three rounds take about half an hour. Needs npm, wrk, oha, and
    the first time the network.
      --quick             one round, nothing de-duplicated, 1 and 50 connections
      --contestant NAME   only this gateway, as `thalweg`; may be said again
      --name NAME         the name of the folder, the time of the start if not said
      --rounds NUMBER     3 if not said
      --seconds NUMBER    of each measurement, 3 if not said
      --live              subgraphs that execute each request, in all settings but one; if not said,
                          they give to the bytes of a request that came before the bytes of its answer
      --program PATH      measures this program, and builds none
      --hive-router PATH  the program of Hive Router, which is built from its crate; it is left out
                          if this is not said
";

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) quick: bool,
    /// All where there are none.
    pub(crate) contestants: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) rounds: NonZeroU32,
    pub(crate) seconds: NonZeroU32,
    pub(crate) subgraphs: Form,
    pub(crate) program: Option<PathBuf>,
    pub(crate) hive_router: Option<PathBuf>,
}

/// The command line says nothing that can be done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("`run --suite federation` has no option `{0}`, and no suite beside it")]
    Option(String),
    #[error("`{0}` wants a word after it")]
    Value(String),
    #[error("`{0}` is no number above zero")]
    Number(String),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            contestants: Vec::new(),
            name: None,
            rounds: NonZeroU32::MIN.saturating_add(2),
            seconds: NonZeroU32::MIN.saturating_add(2),
            subgraphs: Form::Canned,
            program: None,
            hive_router: None,
        }
    }
}

/// Whether the words of a run are for this suite.
pub(crate) fn is_meant(words: &[String]) -> bool {
    words.windows(2).any(|pair| pair == ["--suite", super::SUITE])
}

/// Reads the words of a run that are for this suite.
pub(crate) fn parse(words: &[String]) -> Result<Options, ArgumentError> {
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(ArgumentError::Value(word.clone()));
        match word.as_str() {
            "--quick" => {
                options.quick = true;
                options.rounds = NonZeroU32::MIN;
            }
            "--live" => options.subgraphs = Form::Live,
            "--contestant" => options.contestants.push(value()?),
            "--name" => options.name = Some(value()?),
            "--rounds" => options.rounds = number(value()?)?,
            "--seconds" => options.seconds = number(value()?)?,
            "--program" => options.program = Some(value()?.into()),
            "--hive-router" => options.hive_router = Some(value()?.into()),
            "--suite" => {
                let suite = value()?;
                if suite != super::SUITE {
                    return Err(ArgumentError::Option(suite));
                }
            }
            _ => return Err(ArgumentError::Option(word.clone())),
        }
    }
    Ok(options)
}

fn number(text: String) -> Result<NonZeroU32, ArgumentError> {
    text.parse().map_err(|_| ArgumentError::Number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_run_is_for_this_suite_where_it_names_it() {
        assert!(is_meant(&words("--quick --suite federation")));
        assert!(!is_meant(&words("--suite movies --name federation")));
    }

    #[test]
    fn options_are_read() {
        assert_eq!(parse(&words("--suite federation")), Ok(Options::default()));
        let options = Options {
            quick: true,
            contestants: vec!["thalweg".to_owned(), "grafbase".to_owned()],
            name: Some("one".to_owned()),
            rounds: NonZeroU32::MIN.saturating_add(1),
            seconds: NonZeroU32::MIN,
            subgraphs: Form::Live,
            program: Some("a".into()),
            hive_router: Some("b".into()),
        };
        let line = "--suite federation --quick --contestant thalweg --contestant grafbase --name one \
                    --rounds 2 --seconds 1 --live --program a --hive-router b";
        assert_eq!(parse(&words(line)), Ok(options));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let option = |word: &str| Err(ArgumentError::Option(word.to_owned()));
        assert_eq!(parse(&words("--suite federation --suite shop")), option("shop"));
        assert_eq!(parse(&words("--resume")), option("--resume"));
        assert_eq!(parse(&words("--rounds 0")), Err(ArgumentError::Number("0".to_owned())));
        assert_eq!(parse(&words("--name")), Err(ArgumentError::Value("--name".to_owned())));
    }
}
