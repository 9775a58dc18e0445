//! The end of a transaction with an error of ours.
//!
//! Cypher has no word for it that needs no plugin. Reading a text as a moment fails, and the
//! server's error repeats the text: that is where the error's own words are found again.

use cypher::{Expression, Function};
use ir::{Operand, Otherwise, OtherwiseKind, Value};
use source::CompileError;
use source::SourceErrorKind;

use super::super::program::ParameterType;
use super::refused;
use super::statement::Statement;

/// What the text begins with, before a word for the kind.
const MARK: &str = "thalweg:";

/// A value that cannot be made.
pub(super) fn raise(
    otherwise: &Otherwise,
    statement: &mut Statement,
) -> Result<Expression, CompileError> {
    if !otherwise.gaps.is_empty() {
        return Err(refused("an error with gaps"));
    }
    let text = format!("{MARK}{}:{}", word(otherwise.kind), otherwise.message);
    let text = Operand::Constant(Value::Text(text.into()));
    let text = statement.parameter(text, ParameterType::Text);
    Ok(Expression::call(Function::DateTime, vec![text]))
}

/// The error that a message of the server repeats, if it is one of ours.
pub(in super::super) fn raised(message: &str) -> Option<(SourceErrorKind, &str)> {
    let (_, text) = message.split_once(&format!("\"{MARK}"))?;
    let (text, _) = text.rsplit_once('"')?;
    let (word, text) = text.split_once(':')?;
    let kind = KINDS.into_iter().find(|kind| self::word(*kind) == word)?;
    Some((SourceErrorKind::from(kind), text))
}

const KINDS: [OtherwiseKind; 4] = [
    OtherwiseKind::Missing,
    OtherwiseKind::TooMany,
    OtherwiseKind::Refused,
    OtherwiseKind::Invalid,
];

fn word(kind: OtherwiseKind) -> &'static str {
    match kind {
        OtherwiseKind::Missing => "missing",
        OtherwiseKind::TooMany => "too many",
        OtherwiseKind::Refused => "refused",
        OtherwiseKind::Invalid => "invalid",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_found_in_what_the_server_says() {
        let told = "Text cannot be parsed to a DateTime\n\"thalweg:invalid:A \"b\": c\"\n ^";
        assert_eq!(raised(told), Some((SourceErrorKind::Input, "A \"b\": c")));
        let told = "Text cannot be parsed to a DateTime\n\"thalweg:refused:Forbidden\"\n ^";
        assert_eq!(raised(told), Some((SourceErrorKind::Refused, "Forbidden")));
    }

    #[test]
    fn other_errors_are_the_servers_own() {
        for told in [
            "Text cannot be parsed to a DateTime\n\"2020\"\n ^",
            "Text cannot be parsed to a DateTime\n\"thalweg:other:A\"\n ^",
            "/ by zero",
        ] {
            assert_eq!(raised(told), None, "{told}");
        }
    }
}
