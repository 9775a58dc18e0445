//! Only few places do IO.

use super::rules::{IO_PATHS, IO_PATHS_OF_VALUES, IO_PLACES};
use super::source::Source;
use super::{Finding, Rule, paths, pattern};

/// Finds IO outside of its places.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    if pattern::any_matches(IO_PLACES, &source.path) {
        return Vec::new();
    }
    paths::named(source)
        .into_iter()
        .filter(|named| is_io(&named.path))
        .map(|named| Finding {
            path: source.path.clone(),
            line: named.line + 1,
            rule: Rule::Io,
            sentence: format!(
                "`{}` does IO, which only the servers, the clients and a source's wire, pool, \
                 introspect, execute, migrate and backup do.",
                named.path
            ),
        })
        .collect()
}

fn is_io(path: &str) -> bool {
    IO_PATHS.iter().any(|io| paths::is_below(path, io))
        && !IO_PATHS_OF_VALUES.iter().any(|value| paths::is_below(path, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        super::check(&Source::parse(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn io_in_a_pure_place_is_found() {
        check_found("use std::fs;");
        check_found("use std::{fmt, net::TcpStream};");
        check_found("let child = std::process::Command::new(\"ls\");");
        check_found("use tokio::net::UnixStream;");
    }

    fn check_found(text: &str) {
        assert_eq!(check("crates/dialects/src/lib.rs", text), [1], "{text}");
        assert_eq!(check("crates/source-postgres/src/compile.rs", text), [1], "{text}");
    }

    #[test]
    fn io_in_its_places_is_allowed() {
        let places = [
            "crates/source-postgres/src/wire/connection.rs",
            "crates/source-sqlite/src/execute.rs",
            "crates/server/src/demo.rs",
            "crates/engine/tests/case_files.rs",
        ];
        for path in places {
            assert_eq!(check(path, "use std::fs;"), [] as [usize; 0], "{path}");
        }
    }

    #[test]
    fn values_tests_and_other_paths_are_no_io() {
        let text = "use std::net::{IpAddr, SocketAddr};\nuse std::io::Write;\n\
                    #[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        assert_eq!(check("crates/engine/src/lib.rs", text), [] as [usize; 0]);
    }
}
