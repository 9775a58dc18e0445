//! The command of a statement by its text.

/// Commands whose tag begins with the command's own name, in PostgreSQL's answers:
/// <https://www.postgresql.org/docs/current/protocol-message-formats.html>, CommandComplete.
const COMMANDS: [&str; 8] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "ROLLBACK", "SHOW", "EXPLAIN"];

/// The tag of the command that a text begins with; empty where it does not begin with a command.
#[must_use]
pub fn command_tag(text: &str) -> &'static str {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    COMMANDS.into_iter().find(|command| *command == word).unwrap_or_default()
}
