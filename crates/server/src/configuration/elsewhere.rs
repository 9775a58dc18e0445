//! Hints for options of other servers, such as `--port`.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use toml::de::DeValue;

const LISTEN: &str =
    "the address to listen on is '--listen HOST:PORT', such as '--listen 127.0.0.1:8080'";

/// Names in other servers, each with a hint.
const OPTIONS: [(&str, &str); 6] = [
    ("--port", LISTEN),
    ("-p", LISTEN),
    ("--host", LISTEN),
    ("--hostname", LISTEN),
    ("--bind", LISTEN),
    ("--address", LISTEN),
];

const SOURCE: &str = "SOURCE is the database, such as 'shop.db' or 'postgres://localhost/shop'; \
                      'thalweg demo' serves a sample, and 'thalweg init' writes a configuration file";

const ONE_SOURCE: &str =
    "one server has one SOURCE; 'thalweg gateway' joins several databases and servers";

/// Words that are meant as the value of the option before them, which has a value only after `=`.
const VALUES_OF_FLAGS: [&str; 4] = ["true", "false", "on", "off"];

/// Adds a hint to the error about an option that is unknown, or that is missing. The command is the one
/// of the command line, with all its words.
pub(super) fn explain(
    mut error: clap::Error,
    command: Option<&Command>,
    words: &[OsString],
) -> clap::Error {
    let tip = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(given))) => {
            let name = given.split('=').next().unwrap_or_default();
            let known = OPTIONS.iter().find(|(other, _)| *other == name).map(|(_, tip)| *tip);
            match known {
                Some(tip) => Some(tip.to_owned()),
                None if VALUES_OF_FLAGS.contains(&given.as_str()) => flag_before(given, words),
                None if given.starts_with('-') => None,
                None => command.is_some_and(has_one_source).then(|| ONE_SOURCE.to_owned()),
            }
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => {
            missing.iter().any(|arg| arg == "<SOURCE>").then(|| SOURCE.to_owned())
        }
        _ => None,
    };
    if let Some(tip) = tip {
        // Clap's own suggestion has another meaning.
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Whether SOURCE is all that the command has without the name of an option.
fn has_one_source(command: &Command) -> bool {
    command.get_positionals().map(|arg| arg.get_id().as_str()).eq(["source"])
}

/// How the option before a word is given that value.
fn flag_before(value: &str, words: &[OsString]) -> Option<String> {
    let mut pairs = words.iter().zip(words.iter().skip(1));
    let option = pairs.find_map(|(option, word)| {
        let option = option.to_str().filter(|option| option.starts_with("--"))?;
        (word == value && !option.contains('=')).then_some(option)
    })?;
    Some(format!("write '{option}={value}'"))
}

/// The hint for an entry of the configuration file.
pub(super) fn in_file(name: &str, value: &DeValue<'_>) -> Option<String> {
    let option = ["--", &name.to_ascii_lowercase()].concat();
    OPTIONS.iter().find(|(other, _)| *other == option)?;
    // A number is a port; the meaning of a string is unknown.
    let port = if let DeValue::Integer(port) = value { port.as_str().parse().ok() } else { None };
    let port: u16 = port.unwrap_or(8080);
    Some(format!("the address to listen on is `listen`, such as `listen = \"127.0.0.1:{port}\"`"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::options::Arguments;

    /// The text of the error about a command line.
    fn explained(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut root = Arguments::command();
        let error = root.try_get_matches_from_mut(&words).unwrap_err();
        let command = root.find_subcommand(&words[1]);
        explain(error, command, &words).to_string()
    }

    fn check(word: &str, expected: bool) {
        let text = explained(&format!("thalweg serve shop.db {word}"));
        assert_eq!(text.contains("tip: the address to listen on is '--listen"), expected, "{text}");
        assert_eq!(text.matches("tip:").count(), 1, "{text}");
    }

    #[test]
    fn a_port_is_a_part_of_the_address_to_listen_on() {
        for (name, _) in OPTIONS {
            check(name, true);
        }
        check("--port=8080", true);
        check("-p=8080", true);
        check("--zzz", false);
    }

    #[test]
    fn a_further_word_is_a_value_or_another_source() {
        let text = explained("thalweg schema shop.db --preset modern --aggregates false");
        assert!(text.contains("tip: write '--aggregates=false'"), "{text}");
        let text = explained("thalweg serve shop.db other.db");
        assert!(text.contains("tip: one server has one SOURCE"), "{text}");
        for line in ["thalweg health 127.0.0.1:1 x y z", "thalweg init a b"] {
            let text = explained(line);
            assert!(!text.contains("SOURCE;"), "{text}");
        }
    }

    #[test]
    fn the_names_are_none_of_this_program() {
        for (name, _) in OPTIONS {
            let words = ["thalweg", "serve", "shop.db", name];
            let error = Arguments::command().try_get_matches_from(words).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{name}");
        }
    }
}
