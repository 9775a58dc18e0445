//! Parameters as SQLite's values, checked against the type that they are compared with.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use relational::search::{Re2, candidates, posix};
use relational::{
    Creators, Level, ObjectList, Parameter, ParameterKind, ParameterSource, Program, TableCreators,
    ValueKind, like_pattern,
};
use rusqlite::types::Value;
use source::SourceError;
use source::geo::GeoCondition;
use source::operand::{Resolved, Variables, resolve};

use super::encode::{encode_value, refuse_zero_byte};
use super::stored::Stored;
use ir::{Case, TextMatch};
use response::{Bounds, LevelId};

/// The longest pattern that SQLite matches, in bytes.
/// <https://www.sqlite.org/limits.html#max_like_pattern_length>
const LONGEST_GLOB: usize = 50_000;

/// The parameters of a request, level by level.
#[derive(Debug)]
pub struct Bound {
    pub levels: Vec<BoundLevel>,
}

#[derive(Debug, Default)]
pub struct BoundLevel {
    pub parameters: Vec<BoundParameter>,
    pub bounds: Bounds,
}

#[derive(Debug)]
pub enum BoundParameter {
    Value(Value),
    /// A file of the request.
    File(Bytes),
    /// A column of the current row of the level above, or of the written row that is read back.
    Parent(u16),
    /// A column of the one row that an earlier level returned.
    Result(LevelId, u32, u16),
    /// Keys of earlier levels, as a JSON list.
    Keys(BoundKeys),
    /// Lists as the columns of rows, as a JSON list of lists.
    Columns(Vec<BoundColumn>),
}

/// Keys that are known when earlier levels have run.
#[derive(Clone, Debug)]
pub enum BoundKeys {
    Objects(Arc<ObjectList>, Creators),
    /// All values of a column.
    Results(LevelId, u16),
}

/// A list that is a column of rows.
#[derive(Debug)]
pub enum BoundColumn {
    /// Values as JSON texts.
    Values(Vec<Box<str>>),
    Keys(BoundKeys),
}

/// Binds all levels. An error comes with the root field it belongs to; such a root's levels are
/// left without parameters.
#[must_use]
pub(super) fn bind(
    program: &Program,
    stored: &Stored,
    variables: Variables<'_>,
) -> (Bound, Vec<(u32, SourceError)>) {
    let mut failures: Vec<(u32, SourceError)> = Vec::new();
    let mut creators = TableCreators::default();
    let mut file_bytes = 0;
    let levels = program.levels.iter().map(|level| {
        let bound = bind_level(level, stored, variables, (&mut creators, &mut file_bytes));
        match bound {
            Ok(bound) => bound,
            Err(error) => {
                if !failures.iter().any(|(root, _)| *root == level.root) {
                    failures.push((level.root, error));
                }
                BoundLevel::default()
            }
        }
    });
    let levels = levels.collect();
    (Bound { levels }, failures)
}

fn bind_level(
    level: &Level,
    stored: &Stored,
    variables: Variables<'_>,
    (creators, file_bytes): (&mut TableCreators, &mut usize),
) -> Result<BoundLevel, SourceError> {
    let mut bound = BoundLevel { bounds: level.bounds(variables)?, ..BoundLevel::default() };
    for parameter in &level.parameters {
        bound.parameters.push(match &parameter.source {
            ParameterSource::Parent { column } | ParameterSource::Rows { column, .. } => {
                BoundParameter::Parent(*column)
            }
            ParameterSource::Operand(operand) => {
                let value = resolve(operand, variables)?;
                match variables.files.is_empty() {
                    true => BoundParameter::Value(encode(&value, parameter.kind, stored)?),
                    false => {
                        if let Resolved::File(file) = value {
                            // SQLite copies the value of each parameter.
                            let counted = variables.files.count_use(file, file_bytes);
                            counted.map_err(SourceError::input)?;
                        }
                        bind_with_files(&value, parameter.kind, stored)?
                    }
                }
            }
            ParameterSource::Result { level, row, column } => {
                BoundParameter::Result(*level, *row, *column)
            }
            // For databases with types of rows.
            ParameterSource::Keys { .. } | ParameterSource::WholeRows { .. } => {
                BoundParameter::Value(Value::Null)
            }
            ParameterSource::Objects(list) => {
                BoundParameter::Keys(bind_objects(list, variables, creators)?)
            }
            ParameterSource::Results { level, column } => {
                BoundParameter::Keys(BoundKeys::Results(*level, *column))
            }
            ParameterSource::Columns(columns) => {
                let mut bind = |column| bind_column(column, stored, variables, creators);
                let columns = columns.iter().map(&mut bind);
                BoundParameter::Columns(columns.collect::<Result<_, _>>()?)
            }
        });
    }
    Ok(bound)
}

/// A value of a request with files. Only a binary value is made of one.
fn bind_with_files(
    value: &Resolved<'_>,
    kind: ParameterKind,
    stored: &Stored,
) -> Result<BoundParameter, SourceError> {
    let found = match kind {
        ParameterKind::Value { kind, .. } | ParameterKind::Stored { kind, .. } => kind,
        _ => ValueKind::Other,
    };
    match (value, value.first_file()) {
        (Resolved::File(file), _) if found == ValueKind::Bytes => {
            Ok(BoundParameter::File(file.content.clone()))
        }
        (_, Some(file)) => Err(SourceError::input(file.misplaced(found.type_name()))),
        (_, None) => Ok(BoundParameter::Value(encode(value, kind, stored)?)),
    }
}

fn bind_objects(
    list: &Arc<ObjectList>,
    variables: Variables<'_>,
    creators: &mut TableCreators,
) -> Result<BoundKeys, SourceError> {
    Ok(BoundKeys::Objects(Arc::clone(list), creators.of(list, variables)?))
}

/// A list that is a column of rows: the values that a field stores, or keys.
fn bind_column(
    column: &Parameter,
    stored: &Stored,
    variables: Variables<'_>,
    creators: &mut TableCreators,
) -> Result<BoundColumn, SourceError> {
    Ok(match (&column.source, column.kind) {
        (ParameterSource::Objects(list), _) => {
            BoundColumn::Keys(bind_objects(list, variables, creators)?)
        }
        (ParameterSource::Results { level, column }, _) => {
            BoundColumn::Keys(BoundKeys::Results(*level, *column))
        }
        (ParameterSource::Operand(operand), ParameterKind::StoredArray { field, kind }) => {
            let Resolved::List(items) = resolve(operand, variables)? else {
                return Err(SourceError::input("a column of rows that is no list"));
            };
            let json = |item: &Resolved<'_>| stored_json(&stored.encode(item, field, kind)?);
            BoundColumn::Values(items.iter().map(json).collect::<Result<_, _>>()?)
        }
        _ => return Err(SourceError::input("a column of rows that is no list")),
    })
}

/// A value as a JSON text.
fn stored_json(value: &Value) -> Result<Box<str>, SourceError> {
    Ok(match value {
        Value::Null => "null".into(),
        Value::Integer(number) => number.to_string().into(),
        Value::Real(number) => number.to_string().into(),
        Value::Text(text) => {
            let mut out = Vec::with_capacity(text.len() + 2);
            response::escape::write_string(text, &mut out);
            String::from_utf8(out).map_err(|_| SourceError::input("an invalid text"))?.into()
        }
        Value::Blob(_) => return Err(SourceError::input("bytes in a list of rows")),
    })
}

fn encode(
    value: &Resolved<'_>,
    kind: ParameterKind,
    stored: &Stored,
) -> Result<Value, SourceError> {
    match kind {
        ParameterKind::Value { kind, .. } => encode_value(value, kind),
        ParameterKind::List { kind, .. } => encode_list(value, kind),
        ParameterKind::Stored { field, kind } => stored.encode(value, field, kind),
        ParameterKind::StoredArray { kind, .. } => encode_list(value, kind),
        // There are no lists, ranges and functions here.
        ParameterKind::Key { .. }
        | ParameterKind::KeyArray { .. }
        | ParameterKind::RangeElement { .. }
        | ParameterKind::RowArray { .. }
        | ParameterKind::Returned { .. }
        | ParameterKind::Argument { .. }
        | ParameterKind::ArgumentList { .. } => encode_value(value, ValueKind::Other),
        ParameterKind::Element { .. } => encode_element(value),
        ParameterKind::JsonElements => encode_items(value, encode_element),
        ParameterKind::Text | ParameterKind::Inferred => encode_value(value, ValueKind::Text),
        ParameterKind::TextList | ParameterKind::InferredList => {
            encode_list(value, ValueKind::Text)
        }
        ParameterKind::Index => encode_value(value, ValueKind::Integer { bits: 32 }),
        ParameterKind::KeyList { kind, .. } => encode_list(value, kind),
        ParameterKind::KeyRows => encode_rows(value),
        ParameterKind::Pattern { r#match, case, .. } if is_glob(r#match, case) => {
            encode_pattern(value, |text| glob_beginning(text).ok_or_else(too_long))
        }
        ParameterKind::Pattern { r#match: TextMatch::Regex, case, .. } => {
            encode_regex(value, |text| Ok(posix::regex(text, case == Case::Ignored)))
        }
        ParameterKind::Pattern { r#match: TextMatch::Similar, .. } => {
            encode_regex(value, posix::similar)
        }
        ParameterKind::Pattern { r#match, .. } => {
            encode_pattern(value, |text| like_pattern(r#match, text).map(Cow::into_owned))
        }
        ParameterKind::Search(TextMatch::Re2) => {
            encode_pattern(value, |text| Re2::read(text).map(|_| text.to_owned()))
        }
        ParameterKind::GeoBox(operator) => encode_pattern(value, |text| {
            let [west, south, east, north] = GeoCondition::read(operator, text)?.bounds();
            Ok(format!("[{west},{south},{east},{north}]"))
        }),
        ParameterKind::Vector => encode_list(value, ValueKind::Float),
        ParameterKind::Float => encode_value(value, ValueKind::Float),
        ParameterKind::Geo(operator) => encode_pattern(value, |text| {
            GeoCondition::read(operator, text).map(|_| text.to_owned())
        }),
        ParameterKind::Search(_) => encode_pattern(value, |text| Ok(text.to_owned())),
        ParameterKind::Candidates { r#match, .. } => {
            let query = value.text().and_then(|text| candidates::query(r#match, &text));
            Ok(query.map_or(Value::Null, Value::Text))
        }
        // The whole pattern is matched as well.
        ParameterKind::PatternPrefix { .. } => encode_pattern(value, |text| {
            Ok(glob_beginning(&prefix(text)).unwrap_or_else(|| "*".into()))
        }),
        ParameterKind::Limit { look_ahead } => Ok(match value.rows("LIMIT")? {
            // No limit, where the variable has none.
            None => Value::Integer(-1),
            Some(0) => Value::Integer(0),
            Some(limit) => Value::Integer(to_integer(limit.saturating_add(look_ahead.into()))),
        }),
        ParameterKind::VisitedVectors => Ok(Value::Integer(value.visited()?.into())),
        ParameterKind::Offset => Ok(Value::Integer(to_integer(value.rows("OFFSET")?.unwrap_or(0)))),
    }
}

fn to_integer(rows: u64) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// A value as an element of JSON, which has numbers beside texts.
fn encode_element(value: &Resolved<'_>) -> Result<Value, SourceError> {
    match value {
        Resolved::Integer(number) => Ok(Value::Integer(*number)),
        Resolved::Number(_) => encode_value(value, ValueKind::Float),
        Resolved::Boolean(_) => encode_value(value, ValueKind::Boolean),
        Resolved::Null
        | Resolved::Text(_)
        | Resolved::List(_)
        | Resolved::Json(_)
        | Resolved::Parts(_)
        | Resolved::File(_) => encode_value(value, ValueKind::Other),
    }
}

/// A list as a JSON text whose elements SQLite reads back as the same values.
fn encode_list(value: &Resolved<'_>, kind: ValueKind) -> Result<Value, SourceError> {
    encode_items(value, |item| encode_value(item, kind))
}

fn encode_items(
    value: &Resolved<'_>,
    encode: impl Fn(&Resolved<'_>) -> Result<Value, SourceError>,
) -> Result<Value, SourceError> {
    let single;
    let items = match value {
        Resolved::Null => return Ok(Value::Null),
        Resolved::List(items) => items,
        Resolved::Boolean(_)
        | Resolved::Integer(_)
        | Resolved::Number(_)
        | Resolved::Text(_)
        | Resolved::Json(_)
        | Resolved::Parts(_)
        | Resolved::File(_) => {
            single = vec![value.clone()];
            &single
        }
    };
    let mut out = Vec::from(*b"[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match encode(item)? {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Real(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Text(text) => response::escape::write_string(&text, &mut out),
            Value::Blob(_) => return Err(SourceError::input("a list of bytes cannot be compared")),
        }
    }
    out.push(b']');
    String::from_utf8(out)
        .map(Value::Text)
        .map_err(|_| SourceError::input("a list with invalid text"))
}

/// Lists of equal length as a JSON text of their rows.
fn encode_rows(value: &Resolved<'_>) -> Result<Value, SourceError> {
    let misfits = || SourceError::input("a key has lists of different lengths");
    let Resolved::List(columns) = value else { return Err(misfits()) };
    let mut lists = Vec::with_capacity(columns.len());
    for column in columns {
        let Resolved::List(items) = column else { return Err(misfits()) };
        lists.push(items.as_slice());
    }
    let length = lists.first().map_or(0, |list| list.len());
    let mut out = Vec::from(*b"[");
    for row in 0..length {
        out.extend_from_slice(if row > 0 { b",[" } else { b"[" });
        for (place, list) in lists.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match list.get(row).ok_or_else(misfits)? {
                Resolved::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
                other => match other.text() {
                    Some(text) => response::escape::write_string(&text, &mut out),
                    None => out.extend_from_slice(b"null"),
                },
            }
        }
        out.push(b']');
    }
    out.push(b']');
    String::from_utf8(out).map(Value::Text).map_err(|_| misfits())
}

/// Whether a pattern is matched by GLOB, in time linear in the pattern, and with an index.
pub(super) fn is_glob(r#match: TextMatch, case: Case) -> bool {
    r#match == TextMatch::StartsWith && case != Case::Ignored
}

/// A pattern as an expression of RE2.
fn encode_regex(
    value: &Resolved<'_>,
    expression: impl FnOnce(&str) -> Result<String, SourceError>,
) -> Result<Value, SourceError> {
    let invalid = |error: SourceError| {
        SourceError::input(format!("invalid regular expression: {}", error.message))
    };
    encode_pattern(value, |text| {
        let expression = expression(text)?;
        Re2::read(&expression).map_err(invalid)?;
        Ok(expression)
    })
}

fn encode_pattern(
    value: &Resolved<'_>,
    pattern: impl FnOnce(&str) -> Result<String, SourceError>,
) -> Result<Value, SourceError> {
    let Some(text) = value.text() else { return Ok(Value::Null) };
    refuse_zero_byte(&text)?;
    pattern(&text).map(Value::Text)
}

fn too_long() -> SourceError {
    SourceError::input("the pattern is too long")
}

/// The part of a LIKE pattern before its first wildcard.
fn prefix(pattern: &str) -> String {
    let mut prefix = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' | '_' => break,
            '\\' => prefix.extend(letters.next()),
            letter => prefix.push(letter),
        }
    }
    prefix
}

/// The GLOB pattern of all texts that begin with this one; `None` if it is longer than SQLite
/// takes.
fn glob_beginning(text: &str) -> Option<String> {
    let mut pattern = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '*' | '?' | '[' => pattern.extend(['[', letter, ']']),
            letter => pattern.push(letter),
        }
    }
    pattern.push('*');
    (pattern.len() <= LONGEST_GLOB).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_GLOB, glob_beginning, prefix};

    #[test]
    fn what_a_text_begins_with_is_a_glob_pattern() {
        let check = |text: &str, expect: &str| {
            assert_eq!(glob_beginning(text).as_deref(), Some(expect), "{text}");
        };
        check("ab", "ab*");
        check("", "*");
        check("100%_", "100%_*");
        check("[*?]", "[[][*][?]]*");
        assert_eq!(
            glob_beginning(&"a".repeat(LONGEST_GLOB - 1)).map(|text| text.len()),
            Some(50_000)
        );
        assert_eq!(glob_beginning(&"a".repeat(LONGEST_GLOB)), None);
    }

    #[test]
    fn the_part_before_the_first_wildcard_is_looked_up() {
        let check = |pattern: &str, expect: &str| assert_eq!(prefix(pattern), expect, "{pattern}");
        check("abc", "abc");
        check("a%b", "a");
        check("a_b", "a");
        check("%a", "");
        check("a\\%\\\\\\_b%", "a%\\_b");
        check("a\\", "a");
    }
}
