//! The end of a transaction with an error of our own.
//!
//! Cypher has no statement for it that needs no plugin. Parsing a text as a moment fails, and the
//! server's error repeats the text, from which our own message is read.

use cypher::{Expression, Function};
use ir::{Operand, Otherwise, OtherwiseKind, Value};
use source::CompileError;
use source::SourceErrorKind;

use super::super::program::ParameterType;
use super::refused;
use super::statement::Statement;

/// Prefix of the text, before a word for the kind.
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

/// Our own error in a message of the server, if there is one.
pub(in super::super) fn raised(message: &str) -> Option<(SourceErrorKind, &str)> {
    let (_, text) = message.split_once(&format!("\"{MARK}"))?;
    let (text, _) = text.rsplit_once('"')?;
    let (word, text) = text.split_once(':')?;
    let kind = KINDS.into_iter().find(|kind| self::word(*kind) == word)?;
    Some((SourceErrorKind::from(kind), text))
}

const KINDS: [OtherwiseKind; 6] = [
    OtherwiseKind::Missing,
    OtherwiseKind::TooMany,
    OtherwiseKind::Refused,
    OtherwiseKind::Invalid,
    OtherwiseKind::Unrelated,
    OtherwiseKind::RequiredRelation,
];

fn word(kind: OtherwiseKind) -> &'static str {
    match kind {
        OtherwiseKind::Missing => "missing",
        OtherwiseKind::TooMany => "too many",
        OtherwiseKind::Refused => "refused",
        OtherwiseKind::Invalid => "invalid",
        OtherwiseKind::Unrelated => "unrelated",
        OtherwiseKind::RequiredRelation => "required relation",
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
