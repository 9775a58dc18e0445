//! Composite values, read from input by the form that they must have.

use std::borrow::Cow;

use catalog::SpatialKind;
use geojson::{Geometry, check_raster};
use ir::{JsonTexts, Member, ValueForm};
use response::calendar::Moment;
use serde_json_bytes::Value as Json;

use super::geometry::geometry;
use super::given::Given;
use super::session_text::{text_array, text_value};
use super::{Bound, KeyValue, Parts, Resolved};
use crate::error::SourceError;

/// The value of an input, in its form.
pub(super) fn formed<'v>(
    given: Given<'v>,
    form: &'v ValueForm,
) -> Result<Resolved<'v>, SourceError> {
    if given.is_null() {
        return Ok(Resolved::Null);
    }
    Ok(match form {
        ValueForm::Plain => given.plain()?,
        ValueForm::Name(labels) => label(&given.plain()?, labels)?,
        ValueForm::Moment => moment(given.plain()?),
        ValueForm::PartialMoment => partial_moment(&given.plain()?)?,
        ValueForm::Integer64 => integer(given.plain()?)?,
        ValueForm::HexadecimalId => hexadecimal_id(&given.plain()?),
        ValueForm::Text(value) => text_value(given.plain()?, *value)?,
        ValueForm::TextArray(value) => text_array(given, *value)?,
        ValueForm::List(element) => {
            let items = match given.items() {
                Some(items) => {
                    let items = items.into_iter().map(|item| formed(item, element));
                    items.collect::<Result<_, _>>()?
                }
                // A single value is coerced to a list of one.
                None => vec![formed(given, element)?],
            };
            match &**element {
                ValueForm::Box { .. } => Resolved::Parts(Parts::Boxes(items)),
                _ => Resolved::List(items),
            }
        }
        ValueForm::Composite(members) => {
            let object = Object::new(given, "a composite value")?;
            let attribute = |own: &'v Option<Member>| match own {
                Some(own) => object.member(own),
                None => Ok(Resolved::Null),
            };
            let attributes = members.iter().map(attribute).collect::<Result<_, _>>()?;
            Resolved::Parts(Parts::Composite(attributes))
        }
        ValueForm::Range { start, end } => {
            let object = Object::new(given, "a range")?;
            let (start, end) = (object.bound(start)?, object.bound(end)?);
            Resolved::Parts(Parts::Range { start, end })
        }
        ValueForm::Bound { .. } => return Err(misplaced("a bound without its range")),
        ValueForm::Interval(units) => {
            let object = Object::new(given, "an interval")?;
            let mut quantities = Vec::new();
            for (name, unit) in units {
                match object.get(name).plain()? {
                    Resolved::Null => {}
                    quantity => quantities.push((*unit, quantity)),
                }
            }
            Resolved::Parts(Parts::Interval(quantities))
        }
        ValueForm::Point { x, y } => {
            let object = Object::new(given, "a point")?;
            let (x, y) = (object.require(x)?, object.require(y)?);
            Resolved::Parts(Parts::Point { x: Box::new(x), y: Box::new(y) })
        }
        ValueForm::Line { a, b } | ValueForm::Box { a, b } => {
            let object = Object::new(given, "a figure")?;
            let points = vec![object.require_member(a)?, object.require_member(b)?];
            Resolved::Parts(Parts::Points { points, is_open: false })
        }
        ValueForm::Path { points, is_open } => {
            let object = Object::new(given, "a path")?;
            let given = object.require_member(points)?;
            let Resolved::List(given) = given else { return Err(misplaced("a path of no points")) };
            if given.contains(&Resolved::Null) {
                return Err(SourceError::input(format!("\"{}\" must not hold null", points.name)));
            }
            let is_open = match is_open {
                Some(name) => object.get(name).plain()? == Resolved::Boolean(true),
                None => false,
            };
            Resolved::Parts(Parts::Points { points: given, is_open })
        }
        ValueForm::Circle { center, radius } => {
            let object = Object::new(given, "a circle")?;
            let center = Box::new(object.require_member(center)?);
            match object.get(radius).plain()? {
                Resolved::Null => Resolved::Null,
                radius => Resolved::Parts(Parts::Circle { center, radius: Box::new(radius) }),
            }
        }
        ValueForm::Geometry(form) => Resolved::Json(geometry(given, form)?.into()),
        ValueForm::Spatial(kind) => spatial(given, *kind)?,
        ValueForm::KeyValue => Resolved::Parts(Parts::KeyValue(key_values(given)?)),
        ValueForm::Json(texts) => json(given, *texts)?,
    })
}

/// The text of a value of PostGIS. A text is one already, or GeoJSON.
fn spatial<'v>(given: Given<'v>, kind: SpatialKind) -> Result<Resolved<'v>, SourceError> {
    let value = given.plain()?;
    let read = |json: &str| {
        let json =
            serde_json::from_str(json).map_err(|error| SourceError::input(error.to_string()))?;
        let geometry = Geometry::read(&json);
        let geometry = geometry.map_err(|error| SourceError::input(error.to_string()))?;
        Ok(Resolved::Text(geometry.to_string().into()))
    };
    match (&value, kind) {
        (Resolved::Text(text), SpatialKind::Raster) => {
            check_raster(text).map_err(|error| SourceError::input(error.to_string()))?;
            Ok(value)
        }
        (_, SpatialKind::Raster) => Err(SourceError::input("expecting String for raster")),
        (Resolved::Text(text), SpatialKind::Geometry | SpatialKind::Geography) => {
            match text.trim_start().starts_with('{') {
                true => read(text),
                false => Ok(value),
            }
        }
        (_, SpatialKind::Geometry | SpatialKind::Geography) => {
            let mut json = String::new();
            value.write_json(&mut json)?;
            read(&json)
        }
    }
}

/// An input object.
struct Object<'v> {
    members: Vec<(&'v str, Given<'v>)>,
}

impl<'v> Object<'v> {
    fn new(given: Given<'v>, expected: &str) -> Result<Self, SourceError> {
        match given.members() {
            Some(members) => Ok(Self { members }),
            None => Err(SourceError::input(format!("{expected} must be an object"))),
        }
    }

    fn get(&self, name: &str) -> Given<'v> {
        let found = self.members.iter().find(|(own, _)| *own == name);
        found.map_or(Given::Absent, |(_, value)| *value)
    }

    fn member(&self, member: &'v Member) -> Result<Resolved<'v>, SourceError> {
        formed(self.get(&member.name), &member.form)
    }

    /// The schema requires the member; a variable with a default may still be null.
    fn require(&self, name: &str) -> Result<Resolved<'v>, SourceError> {
        match self.get(name).plain()? {
            Resolved::Null => Err(must_not_be_null(name)),
            value => Ok(value),
        }
    }

    /// Requires a member that has a form.
    fn require_member(&self, member: &'v Member) -> Result<Resolved<'v>, SourceError> {
        match self.member(member)? {
            Resolved::Null => Err(must_not_be_null(&member.name)),
            value => Ok(value),
        }
    }

    fn bound(&self, member: &'v Member) -> Result<Option<Bound<'v>>, SourceError> {
        let given = self.get(&member.name);
        if given.is_null() {
            return Ok(None);
        }
        let ValueForm::Bound { value, inclusive } = &*member.form else {
            return Err(misplaced("a range without bounds"));
        };
        let object = Self::new(given, "a bound of a range")?;
        let end = match object.member(value)? {
            Resolved::Null => return Err(must_not_be_null(&value.name)),
            end => end,
        };
        let inclusive = matches!(object.require(inclusive)?, Resolved::Boolean(true));
        Ok(Some(Bound { value: Box::new(end), inclusive }))
    }
}

fn label<'v>(
    name: &Resolved<'v>,
    labels: &'v [(Box<str>, Box<str>)],
) -> Result<Resolved<'v>, SourceError> {
    let name = name.text().unwrap_or_default();
    let found = labels.iter().find(|(own, _)| **own == *name);
    // The schema admits no other name.
    let (_, label) = found.ok_or_else(|| misplaced("a value that its enum does not have"))?;
    Ok(Resolved::Text((&**label).into()))
}

/// A text that is no moment stays unchanged: the database refuses it where it needs a moment.
fn moment(value: Resolved<'_>) -> Resolved<'_> {
    let in_utc = match &value {
        Resolved::Text(text) => Moment::read(text).and_then(Moment::in_utc),
        _ => None,
    };
    in_utc.map_or(value, |text| Resolved::Text(text.into()))
}

/// A moment as canonical text, with the parts that are missing: sources without lists compare elements as
/// texts. Databases differ in what they take for a moment, so another text is an error here.
fn partial_moment<'v>(value: &Resolved<'_>) -> Result<Resolved<'v>, SourceError> {
    let text = value.text();
    let moment = match value {
        Resolved::Null => return Ok(Resolved::Null),
        Resolved::Text(text) => canonical_moment(text),
        _ => None,
    };
    let invalid = || SourceError::invalid("DateTime", &text.unwrap_or_default());
    moment.map(|moment| Resolved::Text(moment.into())).ok_or_else(invalid)
}

/// A moment in UTC. `None` for texts that are none, and for years that are not from 1 to 9999.
fn canonical_moment(text: &str) -> Option<String> {
    let day = text.get(..text.len().min(10))?;
    let moment = match text.get(10..).unwrap_or_default() {
        "" => match day.len() {
            4 => [day, "-01-01"].concat(),
            7 => [day, "-01"].concat(),
            _ => day.to_owned(),
        },
        time => {
            let time = time.strip_prefix(['T', 't', ' '])?.to_ascii_uppercase();
            [day, "T", &time].concat()
        }
    };
    let moment = Moment::read(&moment)?.in_microseconds()?;
    (!moment.starts_with("0000")).then_some(moment)
}

fn integer(value: Resolved<'_>) -> Result<Resolved<'_>, SourceError> {
    let number = match &value {
        Resolved::Integer(_) => return Ok(value),
        Resolved::Text(text) => text.parse().ok(),
        _ => None,
    };
    let invalid = || SourceError::invalid("Int64", &value.text().unwrap_or_default());
    number.map(Resolved::Integer).ok_or_else(invalid)
}

/// A text that is no id is null, which equals no id.
pub(super) fn hexadecimal_id<'v>(value: &Resolved<'_>) -> Resolved<'v> {
    let number = match value {
        Resolved::Text(text) => match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
        Resolved::Integer(number) => Some(*number),
        _ => None,
    };
    number.filter(|number| *number >= 0).map_or(Resolved::Null, Resolved::Integer)
}

fn key_values<'v>(given: Given<'v>) -> Result<Vec<KeyValue<'v>>, SourceError> {
    let refuse = || {
        SourceError::input(
            "This is not a valid KeyValueHash object, it must be a key/value hash where keys and \
             values are both strings (or null).",
        )
    };
    if let Given::Constant(ir::Value::Json(text)) = given {
        let Ok(Json::Object(members)) = serde_json::from_str(text) else { return Err(refuse()) };
        let members = members.into_iter().map(|(key, value)| {
            let value = match value {
                Json::Null => None,
                Json::String(text) => Some(Cow::Owned(text.as_str().to_owned())),
                // A number in the document is taken as its text.
                Json::Number(number) => Some(Cow::Owned(number.to_string())),
                Json::Bool(_) | Json::Array(_) | Json::Object(_) => return Err(refuse()),
            };
            Ok((Cow::Owned(key.as_str().to_owned()), value))
        });
        return members.collect();
    }
    let members = given.members().ok_or_else(refuse)?.into_iter();
    let members = members.map(|(key, value)| {
        let value = match value.plain()? {
            Resolved::Null => None,
            Resolved::Text(text) => Some(text),
            number @ (Resolved::Integer(_) | Resolved::Number(_))
                if matches!(value, Given::Constant(_)) =>
            {
                number.text().map(|text| Cow::Owned(text.into_owned()))
            }
            _ => return Err(refuse()),
        };
        Ok((Cow::Borrowed(key), value))
    });
    members.collect()
}

fn json(given: Given<'_>, texts: JsonTexts) -> Result<Resolved<'_>, SourceError> {
    let refused = |value: &str| SourceError::invalid("Json", value);
    match (texts, given.plain()?) {
        (JsonTexts::Documents, text @ Resolved::Text(_)) => return Ok(text),
        (JsonTexts::CheckedDocuments, Resolved::Text(text)) => {
            return match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
                Ok(_) => Ok(Resolved::Text(text)),
                Err(_) => Err(refused(&text)),
            };
        }
        (
            JsonTexts::CheckedDocuments,
            value @ (Resolved::Integer(_) | Resolved::Number(_) | Resolved::Boolean(_)),
        ) => return Err(refused(&value.text().unwrap_or_default())),
        _ => {}
    }
    let mut text = String::new();
    given.write_json(&mut text)?;
    Ok(Resolved::Json(text.into()))
}

fn must_not_be_null(name: &str) -> SourceError {
    SourceError::input(format!("\"{name}\" must not be null"))
}

/// The error of our own bug: a dialect makes forms together with the schema that validates values.
fn misplaced(what: &str) -> SourceError {
    SourceError::new(crate::error::SourceErrorKind::Internal, what)
}
