//! The help texts: `--help` has the common options of a command on one screen, `--help-all` has all.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// The options in the short help of a command that has many, each in one line.
const COMMON: [(&str, &str); 27] = [
    ("dialect", "postgraphile, phrag, neo4j, dgraph, hasura or prisma"),
    ("preset", "Defaults for postgraphile: modern or postgraphile5"),
    ("schema", "The schemas of PostgreSQL, separated by commas [default: public]"),
    ("policies", "A policy file: what each role may read and change"),
    ("types", "The type definitions of a graph, or the datamodel of Prisma"),
    ("data", "The database of type definitions, which are then SOURCE"),
    ("metadata", "Hasura's metadata: a folder, a file, or `database`"),
    ("live", "Each query is also a subscription (live queries)"),
    ("subgraphs", "The file with the settings of subgraphs"),
    ("supergraph-poll", "How often the supergraph is read again"),
    ("listen", "The address to listen on [default: 127.0.0.1:4000]"),
    ("connections", "The size of the connection pool [default: 20]"),
    ("watch", "Watch the schema, and rebuild the API when it changes"),
    ("dev", "Enable introspection, GraphiQL and explain on any address"),
    ("graphiql", "GraphiQL at `/`: on or off"),
    ("jwt-secret", "The shared secret of tokens (HS256, HS384, HS512)"),
    ("jwt-jwks", "The URL of a key set (JWKS) that verifies tokens"),
    ("require-token", "Refuse requests without a token"),
    ("default-role", "The role of PostgreSQL for requests without a token"),
    ("cors-origins", "Origins whose pages may read responses, or `*`"),
    ("tls-certificate", "The PEM file of the certificate (HTTPS)"),
    ("tls-key", "The PEM file of its private key"),
    ("max-cost", "The maximum estimated cost of an operation"),
    ("trusted-documents", "A manifest of operations that clients send by id"),
    ("metrics-listen", "The address of the Prometheus metrics"),
    ("log", "off, error, warn, info, debug or trace"),
    ("config", "The configuration file [default: thalweg.toml, if it exists]"),
];

/// Options that each command has.
const OF_ALL_COMMANDS: [&str; 3] = ["help", "help-all", "version"];

/// The number of options of a command whose short help has all of them.
const FEW: usize = 20;

/// The parts of the help that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Common,
    All,
}

impl Detail {
    /// What the words of a command line, with the program's name, ask for.
    pub(super) fn of(words: &[OsString]) -> Self {
        let is_command = words.get(1).is_some_and(|word| word == "help");
        match is_command || words.iter().any(|word| word == "--help-all") {
            true => Self::All,
            false => Self::Common,
        }
    }
}

/// Gives a command and its subcommands `--help` and `--help-all`.
pub(super) fn with_help(command: Command, detail: Detail) -> Command {
    let name = command.get_name().to_owned();
    with_path(command, &name, detail)
}

fn with_path(command: Command, path: &str, detail: Detail) -> Command {
    let command = command
        .disable_help_flag(true)
        .arg(flag("help", ArgAction::HelpShort).short('h').help("Print the common options"))
        .arg(flag("help-all", ArgAction::HelpLong).help("Print all options, with their details"));
    let command = match detail {
        Detail::Common => shortened(command, path),
        Detail::All => command,
    };
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        with_path(inner, &path, detail)
    })
}

fn flag(name: &'static str, action: ArgAction) -> Arg {
    Arg::new(name).long(name).action(action).help_heading(None::<&str>)
}

/// Keeps the common options of a command with many, without headings.
fn shortened(command: Command, path: &str) -> Command {
    let own = command.get_arguments().filter(|arg| !OF_ALL_COMMANDS.contains(&name(arg))).count();
    if own <= FEW {
        return command.mut_args(|arg| arg.hide_env(true));
    }
    let short = |arg: Arg| {
        if arg.is_positional() || OF_ALL_COMMANDS.contains(&name(&arg)) {
            return arg;
        }
        let place = COMMON.iter().position(|(known, _)| *known == name(&arg));
        let has_value = arg.get_action().takes_values();
        match place {
            Some(place) => arg
                .help(COMMON[place].1)
                .display_order(place)
                .help_heading(None::<&str>)
                .hide_env(has_value)
                .hide_default_value(has_value)
                .hide_possible_values(has_value),
            None => arg.hide_short_help(true),
        }
    };
    command.mut_args(short).after_help(format!(
        "`{path} --help-all` lists all {own} options, with their variables of the environment; each \
         is also a key of the configuration file."
    ))
}

fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or_else(|| arg.get_id().as_str())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::options::Arguments;

    /// The lines of a screen.
    const SCREEN: usize = 50;

    /// The help of all commands, by their paths.
    fn helps(command: &mut Command, path: &str, all: &mut Vec<(String, String)>) {
        all.push((path.to_owned(), command.render_help().to_string()));
        for inner in command.get_subcommands_mut() {
            let path = format!("{path} {}", inner.get_name());
            helps(inner, &path, all);
        }
    }

    #[test]
    fn the_help_of_each_command_is_one_screen() {
        let mut command = with_help(Arguments::command(), Detail::Common);
        command.build();
        let mut all = Vec::new();
        helps(&mut command, "thalweg", &mut all);
        assert!(all.len() > 25, "{}", all.len());
        for (path, help) in all {
            assert!(help.lines().count() <= SCREEN, "{path}: {}\n{help}", help.lines().count());
        }
    }

    #[test]
    fn each_common_option_is_one_of_serve_or_gateway() {
        let command = Arguments::command();
        let is_known = |name: &str| {
            ["serve", "gateway"].iter().any(|server| {
                let server = command.find_subcommand(server);
                server.is_some_and(|server| {
                    let all = command.get_arguments().chain(server.get_arguments());
                    all.into_iter().any(|arg| arg.get_long() == Some(name))
                })
            })
        };
        for (name, text) in COMMON {
            assert!(is_known(name), "there is no option `--{name}`");
            assert!(text.len() <= 64, "{name}: {text}");
        }
    }
}
