//! Parameters in PostgreSQL's text format.

use std::borrow::Cow;

use bytes::Bytes;
use ir::TextMatch;
use relational::search::{Re2, wanted};
use relational::{
    Creators, Level, ParameterKind, ParameterSource, Program, TableCreators, ValueKind,
    like_pattern,
};
use response::Bounds;
use source::Bounding;
use source::SourceError;
use source::geo::GeoCondition;
use source::operand::{Resolved, Variables, resolve};
use source::session::write_quoted;
use tokio_postgres::types::{Oid, Type};
use uploads::Files;

use super::files::{self, FileForm};
use super::text::{text, write_list};

/// The parameters of a request, level by level, in one buffer.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    buffer: Vec<u8>,
    /// Files of the request, whose bytes stand as they are.
    files: Vec<Bytes>,
    /// The bytes of all uses of files.
    file_bytes: usize,
    pub levels: Vec<BoundLevel>,
}

#[derive(Clone, Debug, Default)]
pub struct BoundLevel {
    parameters: Vec<Span>,
    /// The formats of the parameters; none if all are texts.
    pub formats: Vec<i16>,
    pub bounds: Bounds,
    /// The form of the level's text that is sent.
    pub bounding: Option<Bounding>,
    /// No keys are given that its rows, or those around them, are found by: it is not sent.
    pub is_empty: bool,
    /// Those of each list of objects, in the order of the parameters.
    creators: Vec<Creators>,
}

/// A parameter's place in the buffer.
#[derive(Clone, Copy, Debug)]
enum Span {
    Null,
    Text {
        start: usize,
        end: usize,
    },
    /// In the binary format.
    Binary {
        start: usize,
        end: usize,
    },
    /// A file by its number among those of the request, in the binary format.
    File(usize),
    /// Filled from rows when they are there.
    Keys,
}

/// A parameter as it is known before the first round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundParameter<'b> {
    Null,
    Text(&'b [u8]),
    /// In the binary format.
    Binary(&'b [u8]),
    /// Keys from the rows of an earlier round.
    Keys,
}

impl Bound {
    pub fn parameters(&self, level: usize) -> impl Iterator<Item = BoundParameter<'_>> {
        let parameters = self.levels.get(level).map_or(&[][..], |level| &level.parameters);
        parameters.iter().map(|span| match span {
            Span::Null => BoundParameter::Null,
            Span::Keys => BoundParameter::Keys,
            Span::Text { start, end } => BoundParameter::Text(&self.buffer[*start..*end]),
            Span::Binary { start, end } => BoundParameter::Binary(&self.buffer[*start..*end]),
            Span::File(number) => self
                .files
                .get(*number)
                .map_or(BoundParameter::Null, |file| BoundParameter::Binary(file)),
        })
    }

    /// The memory of the values if they have files, of which the buffer may have many copies.
    pub fn copied(&self) -> u64 {
        if self.file_bytes > 0 { self.buffer.capacity() as u64 } else { 0 }
    }

    /// The formats of a level's parameters; none if all are texts.
    pub fn formats(&self, level: usize) -> &[i16] {
        self.levels.get(level).map_or(&[], |level| &level.formats)
    }
}

impl Bound {
    /// The parameters of a batch: those that differ are arrays of texts, with an element for each
    /// member. `levels` are those of the members.
    #[must_use]
    pub fn batch(levels: &[Level], members: &[Bound]) -> Self {
        let mut batch = Self::default();
        for (place, level) in levels.iter().enumerate() {
            let parameters = level.parameters.iter().enumerate();
            let parameters = parameters
                .map(|(number, parameter)| match parameter.is_batched() {
                    true => batch.write_array(members, (place, number)),
                    false => batch.copy_first(members, (place, number)),
                })
                .collect();
            batch.levels.push(BoundLevel { parameters, ..BoundLevel::default() });
        }
        batch
    }

    fn write_array(&mut self, members: &[Bound], (level, number): (usize, usize)) -> Span {
        let start = self.buffer.len();
        self.buffer.push(b'{');
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.buffer.push(b',');
            }
            match member.parameters(level).nth(number) {
                Some(BoundParameter::Text(text)) => write_quoted(text, &mut self.buffer),
                // Keys of rows are not batched, and neither are changes, which alone have files.
                Some(BoundParameter::Null | BoundParameter::Keys | BoundParameter::Binary(_))
                | None => {
                    self.buffer.extend_from_slice(b"NULL");
                }
            }
        }
        self.buffer.push(b'}');
        Span::Text { start, end: self.buffer.len() }
    }

    /// Copies a parameter that is equal for all members.
    fn copy_first(&mut self, members: &[Bound], (level, number): (usize, usize)) -> Span {
        let first = members.first().and_then(|member| member.parameters(level).nth(number));
        match first {
            Some(BoundParameter::Text(text)) => {
                let start = self.buffer.len();
                self.buffer.extend_from_slice(text);
                Span::Text { start, end: self.buffer.len() }
            }
            Some(BoundParameter::Keys) => Span::Keys,
            Some(BoundParameter::Null | BoundParameter::Binary(_)) | None => Span::Null,
        }
    }

    /// The creators of a level's lists of objects, in the order of its parameters.
    pub fn creators(&self, level: usize) -> impl Iterator<Item = &Creators> {
        self.levels.get(level).into_iter().flat_map(|level| &level.creators)
    }
}

/// Binds all levels. `type_of` tells the type of a parameter of a level, 0 if it is not known. An error comes with the root field it belongs to.
#[must_use]
pub fn bind(
    program: &Program,
    type_of: impl Fn(usize, usize) -> Oid,
    variables: Variables<'_>,
) -> (Bound, Vec<(u32, SourceError)>) {
    let mut failures: Vec<(u32, SourceError)> = Vec::new();
    let mut bound = Bound::default();
    let mut creators = TableCreators::default();
    for (place, level) in program.levels.iter().enumerate() {
        let type_of = |number| type_of(place, number);
        let bound_level = match bind_level(level, type_of, variables, &mut bound, &mut creators) {
            Ok(bound_level) => bound_level,
            Err(error) => {
                if !failures.iter().any(|(root, _)| *root == level.root) {
                    failures.push((level.root, error));
                }
                BoundLevel::default()
            }
        };
        bound.levels.push(bound_level);
    }
    (bound, failures)
}

fn bind_level(
    level: &Level,
    type_of: impl Fn(usize) -> Oid,
    variables: Variables<'_>,
    all: &mut Bound,
    creators: &mut TableCreators,
) -> Result<BoundLevel, SourceError> {
    let (bounds, bounding) = (level.bounds(variables)?, level.bounding(variables));
    let mut bound = BoundLevel { bounds, bounding, ..BoundLevel::default() };
    for (place, parameter) in level.parameters.iter().enumerate() {
        let span = match &parameter.source {
            ParameterSource::Objects(list) => {
                bound.creators.push(creators.of(list, variables)?);
                Span::Keys
            }
            ParameterSource::Keys { .. }
            | ParameterSource::Rows { .. }
            | ParameterSource::WholeRows { .. }
            | ParameterSource::Results { .. }
            | ParameterSource::Columns(_)
            | ParameterSource::Result { .. }
            | ParameterSource::Parent { .. } => Span::Keys,
            ParameterSource::Operand(operand) => {
                let mut value = resolve(operand, variables)?;
                if is_double(parameter.kind, type_of(place)) {
                    round(&mut value);
                }
                bound.is_empty |= is_no_key(&value, parameter.kind);
                match variables.files.is_empty() || value.first_file().is_none() {
                    true => encode(&value, parameter.kind, &mut all.buffer)?,
                    false => {
                        count_uses(&value, variables.files, &mut all.file_bytes)?;
                        encode_files(&value, parameter.kind, type_of(place), all)?
                    }
                }
            }
        };
        bound.parameters.push(span);
    }
    if bound.parameters.iter().any(Span::is_binary) {
        let format = |span: &Span| if span.is_binary() { files::BINARY } else { files::TEXT };
        bound.formats = bound.parameters.iter().map(format).collect();
    }
    Ok(bound)
}

/// True for doubles, and lists of them. `type` is that of the parameter.
fn is_double(kind: ParameterKind, r#type: Oid) -> bool {
    match kind {
        ParameterKind::Float
        | ParameterKind::Value { kind: ValueKind::Float, .. }
        | ParameterKind::Stored { kind: ValueKind::Float, .. }
        | ParameterKind::StoredArray { kind: ValueKind::Float, .. }
        | ParameterKind::List { kind: ValueKind::Float, .. }
        | ParameterKind::KeyList { kind: ValueKind::Float, .. } => true,
        _ => [Type::FLOAT8.oid(), Type::FLOAT8_ARRAY.oid()].contains(&r#type),
    }
}

/// Makes zeros of numbers that are smaller than each double, which PostgreSQL refuses instead of
/// rounding them. Other numbers it rounds as JSON does.
fn round(value: &mut Resolved<'_>) {
    match value {
        Resolved::Number(text) if text.parse() == Ok(0.0) => *text = "0".into(),
        Resolved::List(items) => items.iter_mut().for_each(round),
        _ => {}
    }
}

impl Span {
    fn is_binary(&self) -> bool {
        matches!(self, Self::Binary { .. } | Self::File(_))
    }
}

/// Counts the files of a value. Parts of other values take none.
fn count_uses(value: &Resolved<'_>, files: &Files, used: &mut usize) -> Result<(), SourceError> {
    match value {
        Resolved::File(file) => files.count_use(file, used).map_err(SourceError::input),
        Resolved::List(items) => items.iter().try_for_each(|item| count_uses(item, files, used)),
        _ => Ok(()),
    }
}

/// A value with files. `type` is that of the parameter.
fn encode_files(
    value: &Resolved<'_>,
    kind: ParameterKind,
    r#type: Oid,
    all: &mut Bound,
) -> Result<Span, SourceError> {
    let items = match (files::form(kind, r#type), value) {
        (Some(FileForm::One), Resolved::File(file)) => {
            all.files.push(file.content.clone());
            return Ok(Span::File(all.files.len() - 1));
        }
        (Some(FileForm::List), Resolved::List(items)) => items.as_slice(),
        // A single value is coerced to a list of one.
        (Some(FileForm::List), Resolved::File(_)) => std::slice::from_ref(value),
        _ => match value.first_file() {
            Some(file) => return Err(files::misplaced(file, kind)),
            None => return encode(value, kind, &mut all.buffer),
        },
    };
    let start = all.buffer.len();
    // An array of another type, such as a domain, is read from text.
    let is_binary = r#type == Type::BYTEA_ARRAY.oid();
    if is_binary && files::write_binary_list(items, &mut all.buffer).is_some() {
        return Ok(Span::Binary { start, end: all.buffer.len() });
    }
    all.buffer.truncate(start);
    write_list(items, &mut all.buffer)?;
    Ok(Span::Text { start, end: all.buffer.len() })
}

/// A list as JSON: as an element of a list of texts it would be an array of arrays.
fn list_as_json<'r>(value: &'r Resolved<'_>) -> Result<Resolved<'r>, SourceError> {
    match value {
        Resolved::List(_) => {
            let mut out = String::new();
            value.write_json(&mut out)?;
            Ok(Resolved::Json(out.into()))
        }
        other => Ok(other.clone()),
    }
}

/// An array of words. Without any it has one that no text has: every array contains an empty one.
fn write_words(words: &[Box<str>], buffer: &mut Vec<u8>) -> Result<(), SourceError> {
    let mut words: Vec<Resolved<'_>> =
        words.iter().map(|word| Resolved::Text(Cow::Borrowed(word))).collect();
    if words.is_empty() {
        words.push(Resolved::Text(Cow::Borrowed(" ")));
    }
    write_list(&words, buffer)
}

/// The first word of each sequence.
fn first_words(r#match: TextMatch, operand: &str) -> Vec<Box<str>> {
    let first = |sequence: &str| sequence.split(' ').next().unwrap_or_default().into();
    wanted(r#match, operand).iter().map(|sequence| first(sequence)).collect()
}

fn is_no_key(value: &Resolved<'_>, kind: ParameterKind) -> bool {
    let is_key = matches!(kind, ParameterKind::KeyList { .. });
    is_key && matches!(value, Resolved::List(keys) if keys.is_empty())
}

fn encode(
    value: &Resolved<'_>,
    kind: ParameterKind,
    buffer: &mut Vec<u8>,
) -> Result<Span, SourceError> {
    let start = buffer.len();
    match kind {
        ParameterKind::Limit { look_ahead } => match value.rows("LIMIT")? {
            None => return Ok(Span::Null),
            Some(0) => buffer.push(b'0'),
            Some(limit) => {
                let limit = limit.saturating_add(look_ahead.into()).min(i64::MAX as u64);
                buffer.extend_from_slice(itoa::Buffer::new().format(limit).as_bytes());
            }
        },
        ParameterKind::VisitedVectors => {
            buffer.extend_from_slice(itoa::Buffer::new().format(value.visited()?).as_bytes());
        }
        ParameterKind::Offset => match value.rows("OFFSET")? {
            None => return Ok(Span::Null),
            Some(offset) => {
                buffer.extend_from_slice(itoa::Buffer::new().format(offset).as_bytes());
            }
        },
        ParameterKind::List { .. }
        | ParameterKind::StoredArray { .. }
        | ParameterKind::KeyList { .. }
        | ParameterKind::Vector
        | ParameterKind::ArgumentList { .. } => match value {
            Resolved::Null => return Ok(Span::Null),
            Resolved::List(items) => write_list(items, buffer)?,
            // A single value is coerced to a list of one.
            _ => write_list(std::slice::from_ref(value), buffer)?,
        },
        ParameterKind::TextList | ParameterKind::InferredList => match value {
            Resolved::Null => return Ok(Span::Null),
            Resolved::List(items) => {
                let items = items.iter().map(list_as_json);
                write_list(&items.collect::<Result<Vec<_>, _>>()?, buffer)?;
            }
            _ => write_list(std::slice::from_ref(value), buffer)?,
        },
        ParameterKind::Value { kind: kind @ (ValueKind::Text | ValueKind::Bytes), .. }
        | ParameterKind::Stored { kind: kind @ (ValueKind::Text | ValueKind::Bytes), .. }
            if matches!(value, Resolved::List(_)) =>
        {
            // The text of an array would be one of theirs.
            let name = kind.type_name();
            return Err(SourceError::input(format!("a list is no value of type {name}")));
        }
        ParameterKind::Search(TextMatch::Re2) => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => buffer.extend_from_slice(Re2::read(&text)?.to_postgres()?.as_bytes()),
        },
        ParameterKind::Geo(operator) => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => {
                let numbers = GeoCondition::read(operator, &text)?.numbers().into_iter();
                let numbers = numbers.map(|number| Resolved::Number(number.to_string().into()));
                write_list(&numbers.collect::<Vec<_>>(), buffer)?;
            }
        },
        ParameterKind::GeoBox(operator) => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => {
                let [west, south, east, north] = GeoCondition::read(operator, &text)?.bounds();
                let bounds = format!("(({west},{south}),({east},{north}))");
                buffer.extend_from_slice(bounds.as_bytes());
            }
        },
        ParameterKind::Search(r#match) => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => write_words(&wanted(r#match, &text), buffer)?,
        },
        ParameterKind::Candidates { r#match, .. } => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => write_words(&first_words(r#match, &text), buffer)?,
        },
        ParameterKind::Pattern { r#match, .. } => match value.text() {
            None => return Ok(Span::Null),
            Some(text) => buffer.extend_from_slice(like_pattern(r#match, &text)?.as_bytes()),
        },
        ParameterKind::Value { .. }
        | ParameterKind::Stored { .. }
        | ParameterKind::Returned { .. }
        | ParameterKind::Element { .. }
        | ParameterKind::RangeElement { .. }
        | ParameterKind::Text
        | ParameterKind::Inferred
        | ParameterKind::Index
        | ParameterKind::Float
        | ParameterKind::Argument { .. }
        | ParameterKind::RowArray { .. }
        // Of databases without arrays, or without patterns of LIKE.
        | ParameterKind::KeyRows
        | ParameterKind::JsonElements
        | ParameterKind::PatternPrefix { .. }
        | ParameterKind::Key { .. }
        | ParameterKind::KeyArray { .. } => match text(value)? {
            None => return Ok(Span::Null),
            Some(text) => buffer.extend_from_slice(&text),
        },
    }
    if buffer[start..].contains(&0) {
        return Err(SourceError::input("invalid byte sequence for encoding \"UTF8\": 0x00"));
    }
    Ok(Span::Text { start, end: buffer.len() })
}
