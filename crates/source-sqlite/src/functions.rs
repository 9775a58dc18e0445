//! Functions that statements need and SQLite lacks. Its own `lower` and `LIKE` know the letters of
//! ASCII only, and times with a zone are texts to it.

use std::borrow::Cow;
use std::sync::Arc;

use ir::{GeoOperator, TextMatch};
use relational::search::Search;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use source::geo::{GeoCondition, Geometry};

use super::integer;
use super::interrupt::{Interrupt, Work};
use super::json::{Json, read_within};
use super::json_change::{delete_element, delete_key, delete_path, merge};
use super::list::{with, without};
use super::moment::{clock, instant, timestamp, zoned_clock};
use super::pattern::Pattern;
use super::stored::in_utc;
use super::text::text_of;
use super::vector;

/// Defines the functions. They depend on their arguments alone.
pub(super) fn add(connection: &Connection, interrupt: &Interrupt) -> Result<(), rusqlite::Error> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let of_fold = interrupt.clone();
    connection.create_scalar_function(sql::flavor::FOLD, 1, flags, move |arguments| {
        let text = text(arguments, 0);
        of_fold.work().spend(text.as_ref().map_or(0, |text| text.len()))?;
        Ok(text.map(|text| fold(&text)))
    })?;
    connection.create_scalar_function(sql::flavor::TIMESTAMP, 1, flags, |arguments| {
        Ok(text(arguments, 0).map(|text| canonical_timestamp(&text)))
    })?;
    for (name, read) in [
        (sql::flavor::INSTANT, instant as fn(&str) -> Option<i64>),
        (sql::flavor::CLOCK, clock),
        (sql::flavor::ZONED_CLOCK, zoned_clock),
    ] {
        connection.create_scalar_function(name, 1, flags, move |arguments| {
            Ok(text(arguments, 0).and_then(|text| read(&text)))
        })?;
    }
    let of_content = interrupt.clone();
    connection.create_scalar_function(sql::flavor::JSON_CONTENT, 1, flags, move |arguments| {
        let json = json(arguments, 0, &mut of_content.work())?;
        Ok(Option::as_ref(&json).map(Json::canonical))
    })?;
    let of_list = interrupt.clone();
    connection.create_scalar_function(sql::flavor::LIST_WITHOUT, 2, flags, move |arguments| {
        match text(arguments, 0).zip(text(arguments, 1)) {
            Some((list, elements)) => without(&list, &elements, &mut of_list.work()),
            None => Ok(None),
        }
    })?;
    let of_list = interrupt.clone();
    connection.create_scalar_function(
        sql::flavor::LIST_WITH,
        2,
        flags,
        move |arguments| match text(arguments, 1) {
            Some(elements) => {
                let list = text(arguments, 0).unwrap_or_else(|| "[]".into());
                with(&list, &elements, &mut of_list.work())
            }
            None => Ok(None),
        },
    )?;
    add_json(connection, flags, interrupt)?;
    integer::add(connection, flags)?;
    for (name, r#match) in [
        (sql::flavor::ALL_TERMS, TextMatch::AllTerms),
        (sql::flavor::ANY_TERM, TextMatch::AnyTerm),
        (sql::flavor::ALL_STEMS, TextMatch::AllStems),
        (sql::flavor::ANY_STEM, TextMatch::AnyStem),
        (sql::flavor::ANY_STEM_SEQUENCE, TextMatch::AnyStemSequence),
        (sql::flavor::RE2, TextMatch::Re2),
    ] {
        let interrupt = interrupt.clone();
        connection.create_scalar_function(name, 2, flags, move |arguments| {
            is_found(arguments, r#match, &mut interrupt.work())
        })?;
    }
    for (name, operator) in [
        (sql::flavor::GEO_NEAR, GeoOperator::Near),
        (sql::flavor::GEO_WITHIN, GeoOperator::Within),
        (sql::flavor::GEO_CONTAINS, GeoOperator::Contains),
        (sql::flavor::GEO_INTERSECTS, GeoOperator::Intersects),
    ] {
        let interrupt = interrupt.clone();
        let name = format!("thalweg_{name}");
        connection.create_scalar_function(name.as_str(), 2, flags, move |arguments| {
            is_located(arguments, operator, &mut interrupt.work())
        })?;
    }
    for (name, distance) in [
        (sql::flavor::VECTOR_EUCLIDEAN, vector::euclidean as vector::Measure),
        (sql::flavor::VECTOR_COSINE, vector::cosine),
        (sql::flavor::VECTOR_DOT_PRODUCT, vector::dot_product),
    ] {
        let interrupt = interrupt.clone();
        let name = format!("thalweg_{name}");
        connection.create_scalar_function(name.as_str(), 2, flags, move |arguments| {
            measured(arguments, distance, &mut interrupt.work())
        })?;
    }
    for (name, letters) in
        [(sql::flavor::LIKE, Letters::AsTyped), (sql::flavor::LIKE_IGNORING_CASE, Letters::Folded)]
    {
        let interrupt = interrupt.clone();
        connection.create_scalar_function(name, 2, flags, move |arguments| {
            is_like(arguments, letters, &mut interrupt.work())
        })?;
    }
    Ok(())
}

/// Conditions on JSON. How long they take may be the product of two lengths.
fn add_json(
    connection: &Connection,
    flags: FunctionFlags,
    interrupt: &Interrupt,
) -> Result<(), rusqlite::Error> {
    type Test = fn(&Json, &Json, &mut Work<'_>) -> Result<bool, rusqlite::Error>;
    let tests: [(&str, Test); 3] = [
        (sql::flavor::JSON_CONTAINS, |json, other, work| json.contains(other, work)),
        (sql::flavor::JSON_HAS_ANY_KEY, |json, keys, work| json.has_any_key(keys, work)),
        (sql::flavor::JSON_HAS_ALL_KEYS, |json, keys, work| json.has_all_keys(keys, work)),
    ];
    for (name, test) in tests {
        let interrupt = interrupt.clone();
        connection.create_scalar_function(name, 2, flags, move |arguments| {
            let work = &mut interrupt.work();
            let (left, right) = (json(arguments, 0, work)?, json(arguments, 1, work)?);
            let both = Option::as_ref(&left).zip(Option::as_ref(&right));
            both.map(|(json, other)| test(json, other, work)).transpose()
        })?;
    }
    add_json_changes(connection, flags, interrupt)?;
    let interrupt = interrupt.clone();
    connection.create_scalar_function(sql::flavor::JSON_HAS_KEY, 2, flags, move |arguments| {
        let json = json(arguments, 0, &mut interrupt.work())?;
        let both = Option::as_ref(&json).zip(text(arguments, 1));
        Ok(both.map(|(json, key)| json.has_key(&key)))
    })
}

/// Changes of parts of JSON, which are null where one of both values is.
fn add_json_changes(
    connection: &Connection,
    flags: FunctionFlags,
    interrupt: &Interrupt,
) -> Result<(), rusqlite::Error> {
    type Change = fn(&str, &str) -> Result<String, rusqlite::Error>;
    let changes: [(&str, Change); 4] = [
        (sql::flavor::JSON_MERGE, merge),
        (sql::flavor::JSON_DELETE_KEY, delete_key),
        (sql::flavor::JSON_DELETE_ELEMENT, |json, index| {
            // The parameter is an integer of 32 bits.
            delete_element(json, index.parse().unwrap_or(i64::MAX))
        }),
        (sql::flavor::JSON_DELETE_PATH, delete_path),
    ];
    for (name, change) in changes {
        let interrupt = interrupt.clone();
        connection.create_scalar_function(name, 2, flags, move |arguments| {
            let Some((json, other)) = text(arguments, 0).zip(text(arguments, 1)) else {
                return Ok(None);
            };
            interrupt.work().spend(json.len().saturating_add(other.len()))?;
            change(&json, &other).map(Some)
        })?;
    }
    Ok(())
}

/// The comparison of a text's letters with a pattern's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Letters {
    AsTyped,
    Folded,
}

/// Whether the first argument matches the second, a LIKE pattern, which is parsed once for all rows
/// of a statement.
fn is_like(
    arguments: &Context<'_>,
    letters: Letters,
    work: &mut Work<'_>,
) -> Result<Option<bool>, rusqlite::Error> {
    let read = |pattern: ValueRef<'_>| {
        let pattern = text_of(pattern).map(|pattern| match letters {
            Letters::AsTyped => Pattern::read(&pattern),
            Letters::Folded => Pattern::read(&fold(&pattern)),
        });
        Ok::<_, rusqlite::Error>(pattern)
    };
    let pattern = arguments.get_or_create_aux(1, read)?;
    let text = match letters {
        Letters::AsTyped => text_of(arguments.get_raw(0)),
        Letters::Folded => {
            let text = text(arguments, 0);
            work.spend(text.as_ref().map_or(0, |text| text.len()))?;
            text.map(|text| Cow::Owned(fold(&text)))
        }
    };
    match (text, &*pattern) {
        (None, _) | (_, None) => Ok(None),
        // It ends in its escape.
        (Some(_), Some(None)) => Ok(Some(false)),
        (Some(text), Some(Some(pattern))) => pattern.matches(&text, work).map(Some),
    }
}

/// Whether the first argument passes a search, whose operand is the second and is parsed once for all
/// rows of a statement.
fn is_found(
    arguments: &Context<'_>,
    r#match: TextMatch,
    work: &mut Work<'_>,
) -> Result<Option<bool>, rusqlite::Error> {
    let read = |operand: ValueRef<'_>| match text_of(operand) {
        Some(operand) => Search::read(r#match, &operand),
        None => Ok(None),
    };
    let search = arguments.get_or_create_aux(1, read)?;
    let text = text_of(arguments.get_raw(0));
    work.spend(text.as_ref().map_or(0, |text| text.len()))?;
    Ok(text.zip(Option::as_ref(&search)).map(|(text, search)| search.is_match(&text)))
}

/// Tests the first argument, a geometry, by a condition: its operand is the second argument, which is
/// parsed once for all rows of a statement.
fn is_located(
    arguments: &Context<'_>,
    operator: GeoOperator,
    work: &mut Work<'_>,
) -> Result<Option<bool>, rusqlite::Error> {
    let read = |operand: ValueRef<'_>| match text_of(operand) {
        Some(operand) => GeoCondition::read(operator, &operand).map(Some),
        None => Ok(None),
    };
    let wanted = arguments.get_or_create_aux(1, read)?;
    let text = text_of(arguments.get_raw(0));
    work.spend(text.as_ref().map_or(0, |text| text.len()))?;
    let place = text.and_then(|text| Geometry::read(&text));
    let Some((place, wanted)) = place.zip(Option::as_ref(&wanted)) else { return Ok(None) };
    work.spend(place.size().saturating_mul(wanted.size()))?;
    Ok(Some(place.passes(wanted)))
}

/// The distance of two vectors, of which the second is parsed once for all rows of a statement.
fn measured(
    arguments: &Context<'_>,
    distance: vector::Measure,
    work: &mut Work<'_>,
) -> Result<Option<f64>, rusqlite::Error> {
    let read = |vector: ValueRef<'_>| {
        Ok::<_, rusqlite::Error>(text_of(vector).and_then(|text| vector::read(&text)))
    };
    let other = arguments.get_or_create_aux(1, read)?;
    let text = text_of(arguments.get_raw(0));
    work.spend(text.as_ref().map_or(0, |text| text.len()))?;
    let own = text.and_then(|text| vector::read(&text));
    Ok(own.zip(Option::as_ref(&other)).and_then(|(own, other)| distance(&own, other)))
}

/// An argument as text, numbers as SQLite prints them; none where it is null or no text at all.
fn text<'c>(arguments: &'c Context<'_>, place: usize) -> Option<Cow<'c, str>> {
    match arguments.get_raw(place) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(Cow::Owned(number.to_string())),
        ValueRef::Real(number) => Some(Cow::Owned(format!("{number:?}"))),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
        }
    }
}

/// A timestamp in the form in which it is compared, in UTC if it has an offset. Other texts stay
/// unchanged.
fn canonical_timestamp(text: &str) -> String {
    let has_offset = text.get(16..).is_some_and(|rest| rest.contains(['Z', 'z', '+', '-']));
    let canonical = if has_offset { in_utc(text) } else { timestamp(text) };
    canonical.unwrap_or_else(|| text.into())
}

/// An argument as JSON; none where it is null or invalid. An argument that is the same for all rows
/// of a statement is parsed once: SQLite drops the auxiliary data of any other after the call.
fn json(
    arguments: &Context<'_>,
    place: u8,
    work: &mut Work<'_>,
) -> Result<Arc<Option<Json>>, rusqlite::Error> {
    // Any error of the closure would become one of the function.
    let mut interrupted = None;
    let json = arguments.get_or_create_aux(place.into(), |_| {
        let json = text(arguments, place.into()).map_or(Ok(None), |text| read_within(&text, work));
        Ok::<_, rusqlite::Error>(json.unwrap_or_else(|error| {
            interrupted = Some(error);
            None
        }))
    })?;
    interrupted.map_or(Ok(json), Err)
}

/// Lower-cased text, letter by letter, as PostgreSQL does under a UTF-8 locale: one letter stays
/// one letter, so that `_` of a pattern matches it.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(small).collect()
}

fn small(letter: char) -> char {
    let mut letters = letter.to_lowercase();
    // Of the letters only İ becomes two, the second of them a dot above the first.
    letters.next().unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn letters_beyond_ascii_have_small_ones() {
        let check = |text: &str, expect: &str| assert_eq!(fold(text), expect);
        check("ÄÖÜ ß Éa", "äöü ß éa");
        check("ΣΑΣ", "σας".replace('ς', "σ").as_str());
        check("ЖЪ", "жъ");
        check("İ", "i");
    }
}
