//! Parses the configuration file: its values with their positions.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::elsewhere;
use super::expand::Variable;
use super::keys::Keys;
use super::problem::{Position, Problem, Refused};
use super::value;

/// The values of a file, by the names of options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entries(pub(super) BTreeMap<String, Entry>);

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) position: Position,
    /// In the form of the option's parser, one per element.
    pub(super) texts: Vec<String>,
}

/// Parses a file, and reports all problems at once.
pub(super) fn parse(
    path: &Path,
    text: &str,
    keys: &Keys,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<Entries, Refused> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> =
        errors.iter().map(|error| Problem::of_syntax(text, error)).collect();
    let mut entries = BTreeMap::new();
    if problems.is_empty() {
        for (name, value) in table.get_ref() {
            match read(text, keys, name, value, variable) {
                Ok(entry) => drop(entries.insert(name.get_ref().clone().into_owned(), entry)),
                Err(found) => problems.extend(found),
            }
        }
    }
    if problems.is_empty() {
        return Ok(Entries(entries));
    }
    problems.sort_by_key(|problem| problem.position);
    Err(Refused { file: path.to_owned(), problems })
}

fn read(
    text: &str,
    keys: &Keys,
    name: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
    variable: &dyn Fn(&str) -> Variable,
) -> Result<Entry, Vec<Problem>> {
    let position = Position::of(text, name.span().start);
    let Some(key) = keys.find(name.get_ref()) else {
        let message = unknown(keys, name.get_ref(), value.get_ref());
        return Err(vec![Problem { position, message }]);
    };
    match value::read(key, value, variable) {
        Ok(texts) => Ok(Entry { position, texts }),
        Err(wrong) => Err(wrong
            .into_iter()
            .map(|wrong| Problem {
                position: Position::of(text, wrong.offset),
                message: format!("`{}`: {}", name.get_ref(), wrong.message),
            })
            .collect()),
    }
}

fn unknown(keys: &Keys, name: &str, value: &DeValue<'_>) -> String {
    let instead = elsewhere::in_file(name, value);
    let name = name.escape_debug();
    if let (Some(instead), false) = (instead, matches!(value, DeValue::Table(_))) {
        return format!("there is no option `{name}`; {instead}");
    }
    match (keys.nearest(&name.to_string()), value) {
        // A table, whatever its name is.
        (_, DeValue::Table(_)) => {
            format!("there is no option `{name}`; options are not in tables")
        }
        (Some(nearest), _) => format!("there is no option `{name}`; `{nearest}` is one"),
        (None, _) => format!("there is no option `{name}`; `thalweg serve --help` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use expect_test::{Expect, expect};

    use super::*;
    use crate::options::Arguments;

    /// The texts of the options, or all problems.
    fn check(text: &str, expected: &Expect) {
        let keys = Keys::of(&Arguments::command());
        let variable = |name: &str| match name {
            "PASSWORD" => Ok(Some("hunter2".to_owned())),
            "DEPTH" => Ok(Some("7".to_owned())),
            _ => Ok(None),
        };
        let result = match parse(Path::new("t.toml"), text, &keys, &variable) {
            Ok(Entries(entries)) => entries
                .iter()
                .map(|(name, Entry { position, texts })| {
                    format!("{name}:{} {}\n", position.line, texts.join(" | "))
                })
                .collect(),
            Err(refused) => format!("{refused}\n"),
        };
        assert!(!result.contains("error") || !result.contains("hunter2"), "{result}");
        expected.assert_eq(&result);
    }

    #[test]
    fn values_have_the_types_of_toml() {
        check(
            r#"
            source = "postgres://shop:${PASSWORD}@localhost/${DATABASE:-shop}"
            schema = ["app", "public"]
            aggregates = true
            classic-ids = false
            use-aggregation = false
            connection-filter-operator-names = "equalTo:eq,notEqualTo:ne"
            max-depth = 0x20
            max-tokens = "${DEPTH}"
            max-body-size = 4096
            max-response-size = "64 MiB"
            log-format = 'json'
            "#,
            &expect![[r#"
                aggregates:4 true
                classic-ids:5 false
                connection-filter-operator-names:7 equalTo:eq,notEqualTo:ne
                log-format:12 json
                max-body-size:10 4096
                max-depth:8 32
                max-response-size:11 64 MiB
                max-tokens:9 7
                schema:3 app | public
                source:2 postgres://shop:hunter2@localhost/shop
                use-aggregation:6 false
            "#]],
        );
    }

    #[test]
    fn everything_that_is_wrong_is_found_at_once() {
        check(
            r#"
            max-boddy-size = "1MiB"
            limits.max-depth = 3
            max-depth = "64"
            max-tokens = -1
            max-body-size = "1 mile"
            max-response-size = true
            drain-timeout = ["10s"]
            body-timeout = 0x10
            schema = ["app,public", 3]
            connection-filter-operator-names = "equalTo"
            aggregates = 1
            use-aggregation = "yes"
            dialect = "prisma"
            log = 3
            threads = 99999999999999999999999999999999999999999
            header-timeout = 30
            tags-file = ""
            source = "postgres://${USER_OF_NOBODY}@localhost"
            config = "other.toml"
            connection-filter-allowed-operators = []
            "#,
            &expect![[r#"
                t.toml:2:13: there is no option `max-boddy-size`; `max-body-size` is one
                error: t.toml:3:13: there is no option `limits`; options are not in tables
                error: t.toml:4:25: `max-depth`: a whole number is wanted, without quotes
                error: t.toml:5:26: `max-tokens`: `-1` cannot be used: invalid digit found in string
                error: t.toml:6:29: `max-body-size`: `1 mile` cannot be used: a size is wanted, such as `1MiB`, `64KiB` or `4096`
                error: t.toml:7:33: `max-response-size`: a string is wanted, not a boolean
                error: t.toml:8:29: `drain-timeout`: a string is wanted, not an array
                error: t.toml:9:28: `body-timeout`: write this number as a string
                error: t.toml:10:23: `schema`: no element can have a `,`
                error: t.toml:10:37: `schema`: an array of strings, or a string, is wanted, not a number
                error: t.toml:11:48: `connection-filter-operator-names`: `equalTo` cannot be used: `equalTo` is not of the form NAME:NEW
                error: t.toml:12:26: `aggregates`: `true` or `false` is wanted, not a number
                error: t.toml:13:31: `use-aggregation`: `true` or `false` is wanted, without quotes
                error: t.toml:15:19: `log`: "off", "error", "warn", "info", "debug" or "trace" is wanted, not a number
                error: t.toml:16:23: `threads`: this number is too large
                error: t.toml:17:30: `header-timeout`: `30` cannot be used: a time is wanted, such as `30s`, `250ms` or `5m`
                error: t.toml:18:25: `tags-file`: `` cannot be used: a value is wanted
                error: t.toml:19:22: `source`: the environment variable `USER_OF_NOBODY` is not set; `${USER_OF_NOBODY:-…}` gives a default
                error: t.toml:20:13: there is no option `config`; `jwt-config` is one
                error: t.toml:21:51: `connection-filter-allowed-operators`: a list has at least one element
            "#]],
        );
    }

    #[test]
    fn options_of_other_servers_are_told_by_the_name_that_they_have_here() {
        check(
            r#"
            port = 4000
            host = "0.0.0.0"
            Bind = "0.0.0.0:80"
            hostname = 99999999
            "#,
            &expect![[r#"
                t.toml:2:13: there is no option `port`; the address to listen on is `listen`, such as `listen = "127.0.0.1:4000"`
                error: t.toml:3:13: there is no option `host`; the address to listen on is `listen`, such as `listen = "127.0.0.1:8080"`
                error: t.toml:4:13: there is no option `Bind`; the address to listen on is `listen`, such as `listen = "127.0.0.1:8080"`
                error: t.toml:5:13: there is no option `hostname`; the address to listen on is `listen`, such as `listen = "127.0.0.1:8080"`
            "#]],
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        check(
            r#"
            max-body-size = "${PASSWORD}"
            connection-filter-operator-names = "${PASSWORD}"
            dialect = "${PASSWORD}"
            max-depth = "${PASSWORD}"
            log = "${PASSWORD}"
            threads = "${PASSWORD}"
            "#,
            &expect![[r#"
                t.toml:2:29: `max-body-size`: the value cannot be used: a size is wanted, such as `1MiB`, `64KiB` or `4096`
                error: t.toml:3:48: `connection-filter-operator-names`: an array of strings, or a string, is wanted
                error: t.toml:4:23: `dialect`: the value cannot be used: "postgraphile", "phrag", "neo4j", "dgraph", "hasura" or "prisma" is wanted
                error: t.toml:5:25: `max-depth`: the value cannot be used: invalid digit found in string
                error: t.toml:6:19: `log`: the value cannot be used: "off", "error", "warn", "info", "debug" or "trace" is wanted
                error: t.toml:7:23: `threads`: the value cannot be used: a number from 1 to 1024 is wanted
            "#]],
        );
    }

    #[test]
    fn the_syntax_comes_first() {
        check(
            "source = 'postgres://shop:hunter2@localhost\nmax-deph = 3\n= 4\n",
            &expect![[r#"
            t.toml:1:44: invalid literal string, expected `'`
            error: t.toml:3:1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`
        "#]],
        );
        check(
            "max-depth = 3\nmax-depth = 4\n",
            &expect![[r#"
            t.toml:2:1: duplicate key
        "#]],
        );
        check("", &expect![]);
    }
}
