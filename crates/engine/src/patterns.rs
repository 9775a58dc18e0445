//! Patterns of a request, checked before anything is sent to the source.
//!
//! A database finds an invalid pattern when it compares it with a row, so its error would reveal
//! that there is such a row, hidden ones included. And the time of a comparison grows with the
//! pattern, in steps that most databases do not interrupt.

use dialects::StatedPattern;
use graphql::{ErrorCode, GraphQLError};
use ir::TextMatch;
use relational::escape_ends;
use relational::search::Re2;
use source::Variables;
use source::operand::resolve;

/// Limits of the patterns of requests. Those of policies are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternLimits {
    /// The most characters of one.
    pub length: usize,
    /// The most wildcards of one.
    pub wildcards: usize,
}

impl Default for PatternLimits {
    fn default() -> Self {
        Self { length: 1_000, wildcards: 100 }
    }
}

impl PatternLimits {
    /// Refuses a request with a pattern that is none, or is beyond a limit.
    pub(crate) fn check(
        self,
        patterns: &[StatedPattern],
        variables: Variables<'_>,
    ) -> Result<(), GraphQLError> {
        patterns.iter().try_for_each(|stated| self.check_one(stated, variables))
    }

    fn check_one(
        self,
        stated: &StatedPattern,
        variables: Variables<'_>,
    ) -> Result<(), GraphQLError> {
        // An invalid value is refused when it is bound.
        let Ok(value) = resolve(&stated.operand, variables) else { return Ok(()) };
        let Some(text) = value.text() else { return Ok(()) };
        let argument = &stated.argument;
        let refuse = |code, message| {
            let error = GraphQLError::new(code, message).at(stated.location);
            Err(error.with_extension("argument", argument))
        };
        let too_much = |count: usize, noun: &str, most: usize, option: &str| {
            let message = format!(
                "The pattern of `{argument}` has {count} {noun}; {most} are allowed ({option})."
            );
            refuse(ErrorCode::PatternTooComplex, message)
        };
        // Its bytes are no fewer.
        if text.len() > self.length {
            let length = text.chars().count();
            if length > self.length {
                return too_much(length, "characters", self.length, "--max-pattern-length");
            }
        }
        let wildcards = wildcards(stated.r#match, &text);
        if wildcards > self.wildcards {
            return too_much(wildcards, "wildcards", self.wildcards, "--max-pattern-wildcards");
        }
        if stated.r#match == TextMatch::Re2
            && let Err(error) = Re2::read(&text)
        {
            let message = format!("The pattern of `{argument}` is invalid: {error}");
            return refuse(ErrorCode::BadUserInput, message);
        }
        match escape_ends(stated.r#match, &text) {
            // The text of PostgreSQL's error.
            true => {
                let message = "LIKE pattern must not end with escape character";
                refuse(ErrorCode::BadUserInput, message.to_owned())
            }
            false => Ok(()),
        }
    }
}

/// Number of wildcards of a pattern that may match different texts.
fn wildcards(r#match: TextMatch, text: &str) -> usize {
    let is_wildcard = match r#match {
        TextMatch::Like => |letter| matches!(letter, '%' | '_'),
        TextMatch::Similar => |letter| matches!(letter, '%' | '_' | '*' | '+' | '?' | '{' | '|'),
        TextMatch::Regex | TextMatch::Re2 => {
            |letter| matches!(letter, '.' | '*' | '+' | '?' | '{' | '|')
        }
        // A wildcard in a text matches itself.
        TextMatch::Includes
        | TextMatch::StartsWith
        | TextMatch::EndsWith
        | TextMatch::AllTerms
        | TextMatch::AnyTerm
        | TextMatch::AllStems
        | TextMatch::AnyStem
        | TextMatch::AnyStemSequence => return 0,
    };
    let mut count = 0;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter => count += usize::from(is_wildcard(letter)),
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_are_counted_unless_they_stand_for_themselves() {
        let check = |r#match, text: &str, expect: usize| {
            assert_eq!(wildcards(r#match, text), expect, "{text}");
        };
        check(TextMatch::Like, "a%_b", 2);
        check(TextMatch::Like, "\\%\\_\\\\%", 1);
        check(TextMatch::Like, "*?", 0);
        check(TextMatch::Includes, "%%%", 0);
        check(TextMatch::Regex, "a.*b|c{1,2}\\.", 4);
        check(TextMatch::Similar, "%(b|c)\\%.*", 3);
    }

    #[test]
    fn the_first_pattern_beyond_a_limit_is_named() {
        let limits = PatternLimits { length: 5, wildcards: 2 };
        let check = |r#match, text: &str, expect: Result<(), (ErrorCode, &str)>| {
            let stated = StatedPattern {
                argument: "filter.name.like".into(),
                r#match,
                operand: ir::Operand::Constant(ir::Value::Text(text.into())),
                location: graphql::operation::Location::default(),
            };
            let checked = limits.check(&[stated], Variables::of(&[]));
            let checked = checked.map_err(|error| {
                assert_eq!(*error.extensions[0].1, *"\"filter.name.like\"");
                (error.code, error.message)
            });
            assert_eq!(checked, expect.map_err(|(code, text)| (code, text.to_owned())), "{text}");
        };
        let too_complex = |text| Err((ErrorCode::PatternTooComplex, text));
        check(TextMatch::Like, "éé_é%", Ok(()));
        check(
            TextMatch::Like,
            "aaaaaa",
            too_complex(
                "The pattern of `filter.name.like` has 6 characters; 5 are allowed \
                 (--max-pattern-length).",
            ),
        );
        check(
            TextMatch::Like,
            "_%_",
            too_complex(
                "The pattern of `filter.name.like` has 3 wildcards; 2 are allowed \
                 (--max-pattern-wildcards).",
            ),
        );
        check(TextMatch::Includes, "%%%%\\", Ok(()));
        let ends =
            Err((ErrorCode::BadUserInput, "LIKE pattern must not end with escape character"));
        check(TextMatch::Like, "a\\\\\\", ends);
        check(TextMatch::Like, "a\\\\", Ok(()));
    }
}
