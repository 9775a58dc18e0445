//! The command line.

use std::path::PathBuf;

use crate::service::Database;

const USAGE: &str =
    "usage: prisma-cases [read|schema|introspect] [--sqlite] PRISMA1 [PART OF A PATH]…";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Replays the tests.
    Replay,
    /// Tells what is understood of the tests.
    Read,
    /// Compares printed schemas.
    Schema,
    /// Compares datamodels of tables.
    Introspect,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) command: Command,
    pub(crate) database: Database,
    /// A copy of Prisma's repository.
    pub(crate) repository: PathBuf,
    /// Parts of the paths that are asked for; none: all.
    pub(crate) parts: Vec<String>,
}

impl Arguments {
    /// The error is how to use the program.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut command = Command::Replay;
        let mut database = Database::Postgres;
        let mut others = Vec::new();
        for word in words {
            match &*word {
                "read" if others.is_empty() => command = Command::Read,
                "schema" if others.is_empty() => command = Command::Schema,
                "introspect" if others.is_empty() => command = Command::Introspect,
                "--sqlite" => database = Database::Sqlite,
                option if option.starts_with('-') => return Err(USAGE.into()),
                _ => others.push(word),
            }
        }
        if others.is_empty() {
            return Err(USAGE.into());
        }
        let repository = PathBuf::from(others.remove(0));
        Ok(Self { command, database, repository, parts: others })
    }

    pub(crate) fn asks_for(&self, path: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|part| path.contains(&**part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: Result<(Command, Database, &str, usize), ()>) {
        let parsed = Arguments::parse(words.split_whitespace().map(str::to_owned));
        let shown = parsed.as_ref().map(|one| {
            let repository = one.repository.to_str().unwrap_or_default();
            (one.command, one.database, repository, one.parts.len())
        });
        assert_eq!(shown.map_err(|_| ()), expected, "{words}");
    }

    #[test]
    fn commands_come_before_the_repository() {
        check("prisma1", Ok((Command::Replay, Database::Postgres, "prisma1", 0)));
        check("read prisma1 a b", Ok((Command::Read, Database::Postgres, "prisma1", 2)));
        check("--sqlite schema p read", Ok((Command::Schema, Database::Sqlite, "p", 1)));
        check("introspect p", Ok((Command::Introspect, Database::Postgres, "p", 0)));
        check("", Err(()));
        check("--other p", Err(()));
    }
}
