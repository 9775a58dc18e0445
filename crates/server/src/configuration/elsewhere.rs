//! Hints for options of other servers, such as `--port`.

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

/// Adds a hint to the error about an option that is unknown, or that is missing.
pub(super) fn explain(mut error: clap::Error) -> clap::Error {
    let tip = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(given))) => {
            let name = given.split('=').next().unwrap_or_default();
            let known = OPTIONS.iter().find(|(other, _)| *other == name).map(|(_, tip)| *tip);
            known.or((!given.starts_with('-')).then_some(ONE_SOURCE))
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => {
            missing.iter().any(|arg| arg == "<SOURCE>").then_some(SOURCE)
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

    fn check(word: &str, expected: bool) {
        let words = ["thalweg", "serve", "shop.db", word];
        let error = Arguments::command().try_get_matches_from(words).unwrap_err();
        let text = explain(error).to_string();
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
    fn the_names_are_none_of_this_program() {
        for (name, _) in OPTIONS {
            let words = ["thalweg", "serve", "shop.db", name];
            let error = Arguments::command().try_get_matches_from(words).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{name}");
        }
    }
}
