//! Operands at the time of a request: where a parameter's value is taken from the variables.

mod form;
mod geometry;
mod given;
mod representations;
mod session_text;

use std::borrow::Cow;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use exact_numbers::ExactNumbers;
use ir::{Operand, PasswordPart};
use response::calendar::split_seconds;
use serde_json_bytes::Value as Json;
use uploads::Files;

use crate::error::SourceError;
use crate::new_id::new_id;
pub use crate::resolved::{Bound, KeyValue, Parts, Resolved};
use form::formed;
use given::{Beside, Given};
use ir::Claims;
pub use representations::sort;

/// The number of vectors that a search of pgvector's HNSW indexes visits by default (`hnsw.ef_search`).
pub const LEAST_VISITED: u16 = 40;

/// The largest such number.
const MOST_VISITED: u16 = 1_000;

/// The values of a request's operands.
#[derive(Clone, Copy, Debug)]
pub struct Variables<'v> {
    /// The coerced variables of the request by slot.
    pub slots: &'v [Option<Json>],
    /// Claims of the session; `None` for an unauthenticated one.
    pub claims: Option<&'v Claims>,
    /// The passwords of the request, by their numbers.
    pub passwords: &'v [Password],
    /// The files that placeholders in the variables stand for.
    pub files: &'v Files,
    /// The numbers of the variables that doubles round, with the indices of their slots.
    pub numbers: &'v [(u16, ExactNumbers)],
}

/// A password of a request.
#[derive(Clone, Default)]
pub struct Password {
    pub given: Option<Box<str>>,
    /// The hash of a new password, or the stored hashes which a given one matches.
    pub hashes: Vec<Box<str>>,
}

impl<'v> Variables<'v> {
    /// The variables of a request without claims.
    #[must_use]
    pub fn of(slots: &'v [Option<Json>]) -> Self {
        Self { slots, claims: None, passwords: &[], files: Files::none(), numbers: &[] }
    }

    /// The numbers of a variable that doubles round.
    fn numbers_of(self, slot: u16) -> &'v ExactNumbers {
        let own = self.numbers.iter().find(|(known, _)| *known == slot);
        own.map_or(ExactNumbers::none(), |(_, own)| own)
    }
}

/// Logs show neither a password nor its hash.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Password").finish_non_exhaustive()
    }
}

/// The value of an operand.
pub fn resolve<'v>(
    operand: &'v Operand,
    variables: Variables<'v>,
) -> Result<Resolved<'v>, SourceError> {
    match operand {
        Operand::Constant(_)
        | Operand::Variable { .. }
        | Operand::Claim(_)
        | Operand::List(_)
        | Operand::Object(_) => Given::new(operand, variables).plain(),
        Operand::Formed { operand, form } => formed(Given::new(operand, variables), form),
        Operand::Sum(items) => {
            let mut sum: i64 = 0;
            for item in items {
                let rows = resolve(item, variables)?.rows("OFFSET")?.unwrap_or(0);
                sum = sum.saturating_add(i64::try_from(rows).unwrap_or(i64::MAX));
            }
            Ok(Resolved::Integer(sum))
        }
        Operand::Negated(operand) => {
            let number = resolve(operand, variables)?.whole("LIMIT")?;
            Ok(number.map_or(Resolved::Null, |number| Resolved::Integer(number.saturating_neg())))
        }
        Operand::AtMost { operand, most } => {
            let limit = match operand {
                Some(operand) => resolve(operand, variables)?.rows("LIMIT")?,
                None => None,
            };
            let limit = limit.map_or(*most, |limit| limit.min(*most));
            Ok(Resolved::Integer(i64::try_from(limit).unwrap_or(i64::MAX)))
        }
        Operand::RowsBefore { row, offset, limit } => {
            let rows = |operand: &'v Option<Box<Operand>>, word| match operand {
                Some(operand) => resolve(operand, variables)?.rows(word),
                None => Ok(None),
            };
            // A negative limit is refused as such, though the offset may depend on it.
            let limit = rows(limit, "LIMIT")?;
            let before = resolve(row, variables)?.rows("OFFSET")?.unwrap_or(0).saturating_sub(1);
            let before = before.saturating_sub(rows(offset, "OFFSET")?.unwrap_or(0));
            let count = limit.map_or(before, |limit| limit.min(before));
            Ok(Resolved::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
        }
        Operand::Decoded { slot, codec, part } => {
            let text = resolve(slot, variables)?;
            let text = text.text().unwrap_or_default();
            crate::opaque::part(&text, *codec, *part)
                .ok_or_else(|| SourceError::input("an opaque text that cannot be read"))
        }
        Operand::Representations(own) => Ok(representations::values(own, variables)),
        Operand::Password { number, part } => {
            let own = variables.passwords.get(usize::from(*number));
            let hashes = own.map(|own| &*own.hashes).unwrap_or_default();
            let text = |text: &'v str| Resolved::Text(text.into());
            Ok(match part {
                PasswordPart::Given => {
                    own.and_then(|own| own.given.as_deref()).map_or(Resolved::Null, text)
                }
                PasswordPart::Hash => hashes.first().map_or(Resolved::Null, |hash| text(hash)),
                PasswordPart::Hashes => {
                    Resolved::List(hashes.iter().map(|hash| text(hash)).collect())
                }
            })
        }
        Operand::Now => Ok(Resolved::Text(now().into())),
        Operand::NewId(kind) => {
            let id = new_id(*kind).ok_or_else(|| {
                SourceError::new(
                    crate::error::SourceErrorKind::Internal,
                    "an identifier that the source makes",
                )
            })?;
            Ok(Resolved::Text(id.into()))
        }
        Operand::Claims => Ok(Resolved::Json(match variables.claims {
            Some(claims) => claims.all().to_string().into(),
            None => "{}".into(),
        })),
        _ => Err(SourceError::new(
            crate::error::SourceErrorKind::Internal,
            "an operand that no compiler lets through",
        )),
    }
}

/// The current time in UTC.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    let mut text = Vec::new();
    if let Some((day, clock)) = split_seconds(seconds, since.subsec_nanos().into()) {
        day.write(&mut text);
        text.push(b'T');
        clock.write_milliseconds(&mut text);
        text.push(b'Z');
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The JSON of a variable's value, with its numbers that doubles round as they are written.
pub fn variable_json(value: &Json, numbers: &ExactNumbers) -> Result<String, SourceError> {
    let mut text = String::new();
    Given::Variable(value, Beside::of(numbers)).write_json(&mut text)?;
    Ok(text)
}

/// The value of an operand as JSON.
pub fn json(operand: &Operand, variables: Variables<'_>) -> Result<String, SourceError> {
    let mut text = String::new();
    Given::new(operand, variables).write_json(&mut text)?;
    Ok(text)
}

impl Resolved<'_> {
    /// The value as text, where it is one value.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Null | Self::List(_) | Self::Parts(_) | Self::File(_) => None,
            Self::Boolean(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Integer(value) => Some(Cow::Owned(value.to_string())),
            Self::Number(text) | Self::Json(text) => Some(Cow::Borrowed(text)),
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }

    /// Appends the value as JSON; parts have no JSON.
    pub fn write_json(&self, out: &mut String) -> Result<(), SourceError> {
        match self {
            Self::Null => out.push_str("null"),
            Self::Text(text) => response::escape::push_string(text, out),
            Self::List(items) => {
                out.push('[');
                for (place, item) in items.iter().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    item.write_json(out)?;
                }
                out.push(']');
            }
            Self::Boolean(_) | Self::Integer(_) | Self::Number(_) | Self::Json(_) => {
                out.push_str(&self.text().unwrap_or_default());
            }
            Self::Parts(_) => return Err(SourceError::input("a value with parts in a list")),
            Self::File(file) => return Err(SourceError::input(file.misplaced("json"))),
        }
        Ok(())
    }

    /// The value as a whole number. `word` is the argument's name in an error.
    fn whole(&self, word: &str) -> Result<Option<i64>, SourceError> {
        match self {
            Self::Null => Ok(None),
            Self::Integer(number) => Ok(Some(*number)),
            Self::Number(text) => match text.parse::<f64>() {
                // The schema admits only whole numbers of 32 bits.
                Ok(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                    Ok(Some(number as i64))
                }
                Ok(_) | Err(_) => Err(SourceError::invalid("bigint", text)),
            },
            Self::Boolean(_)
            | Self::Text(_)
            | Self::List(_)
            | Self::Json(_)
            | Self::Parts(_)
            | Self::File(_) => Err(SourceError::input(format!("{word} must be a number"))),
        }
    }

    /// The value as a number of rows. `word` is the argument's name in an error.
    pub fn rows(&self, word: &str) -> Result<Option<u64>, SourceError> {
        let Some(number) = self.whole(word)? else { return Ok(None) };
        match u64::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(SourceError::input(format!("{word} must not be negative"))),
        }
    }

    /// The number of vectors that a search of an index visits, within the limits of indexes.
    pub fn visited(&self) -> Result<u16, SourceError> {
        match self.rows("ef")? {
            None | Some(0) => Err(SourceError::input("ef must be positive")),
            Some(number) => {
                let number = u16::try_from(number).unwrap_or(u16::MAX);
                Ok(number.clamp(LEAST_VISITED, MOST_VISITED))
            }
        }
    }
}
