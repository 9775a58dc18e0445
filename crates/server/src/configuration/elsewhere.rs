//! Options that other servers have, and what they are called here.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use toml::de::DeValue;

const LISTEN: &str = "where to listen is '--listen HOST:PORT', such as '--listen 127.0.0.1:8080'";

/// What others call it, and what to do here.
const OPTIONS: [(&str, &str); 6] = [
    ("--port", LISTEN),
    ("-p", LISTEN),
    ("--host", LISTEN),
    ("--hostname", LISTEN),
    ("--bind", LISTEN),
    ("--address", LISTEN),
];

/// The error about an option that is not there, with what it is called here.
pub(super) fn explain(mut error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let name = given.split('=').next().unwrap_or_default();
    let Some((_, tip)) = OPTIONS.iter().find(|(other, _)| *other == name) else { return error };
    // A name that looks like it means something else.
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*tip).into()]));
    error
}

/// The entry of the file that stands for an option of other servers.
pub(super) fn in_file(name: &str, value: &DeValue<'_>) -> Option<String> {
    let option = ["--", &name.to_ascii_lowercase()].concat();
    OPTIONS.iter().find(|(other, _)| *other == option)?;
    // A number is a port; a text may be anything.
    let port = if let DeValue::Integer(port) = value { port.as_str().parse().ok() } else { None };
    let port: u16 = port.unwrap_or(8080);
    Some(format!("where to listen is `listen`, such as `listen = \"127.0.0.1:{port}\"`"))
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
        assert_eq!(text.contains("tip: where to listen is '--listen"), expected, "{text}");
        assert_eq!(text.matches("tip:").count(), 1, "{text}");
    }

    #[test]
    fn a_port_is_a_part_of_the_address_to_listen_at() {
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
