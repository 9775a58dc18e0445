//! What is asked on the command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "
cargo xtask compare federation --audit DIR [--punish] [--only SUITE] [--program PATH]
    Asks one `thalweg gateway` all cases of the public audit of federation gateways, whose own
    server has the subgraphs. For each suite the gateway is given another supergraph, by SIGHUP.
    Fails if an answer is not the one that the audit wants. Needs npm and, the first time, the
    network.
      --audit DIR     a checkout of github.com/graphql-hive/federation-gateway-audit
      --punish        its subgraphs refuse what a plan need not ask (PUNISH_FOR_POOR_PLANS)
      --only SUITE    only the suites whose names contain the word
      --program PATH  asks this program, and builds none
";

/// How one gets the audit. It is in no package registry, and its figures are of one commit.
pub(super) const CHECKOUT: &str = "\
A checkout of the commit that Thalweg was asked with:
    git clone https://github.com/graphql-hive/federation-gateway-audit
    git -C federation-gateway-audit checkout f59c05e3f48f4a4f8e8a731d67a1b71a9788a96f
    cargo xtask compare federation --audit federation-gateway-audit";

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Without it one is told how to get it.
    pub(crate) audit: Option<PathBuf>,
    pub(crate) punish: bool,
    pub(crate) only: Option<String>,
    pub(crate) program: Option<PathBuf>,
}

/// The command line says nothing that can be done.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("`compare federation` has no option `{0}`")]
    Option(String),
    #[error("`{0}` wants a word after it")]
    Value(String),
}

/// Whether the words of a comparison are for the audit.
pub(crate) fn is_meant(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "federation")
}

/// Reads the words of a comparison that are for the audit.
pub(crate) fn parse(words: &[String]) -> Result<Options, ArgumentError> {
    let mut options = Options::default();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(ArgumentError::Value(word.clone()));
        match word.as_str() {
            "--audit" => options.audit = Some(value()?.into()),
            "--punish" => options.punish = true,
            "--only" => options.only = Some(value()?),
            "--program" => options.program = Some(value()?.into()),
            _ => return Err(ArgumentError::Option(word.clone())),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &Result<Options, ArgumentError>) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert!(is_meant(&words));
        assert_eq!(parse(&words), *expected);
    }

    #[test]
    fn a_checkout_is_named() {
        let (audit, only) = (Some(PathBuf::from("a")), Some("node".to_owned()));
        let options = Options { audit, punish: true, only, program: None };
        check("federation --audit a --punish --only node", &Ok(options));
        check("federation --audit", &Err(ArgumentError::Value("--audit".to_owned())));
        check("federation --fast", &Err(ArgumentError::Option("--fast".to_owned())));
    }
}
