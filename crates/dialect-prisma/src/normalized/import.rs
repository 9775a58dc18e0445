//! Imports: a request with nodes, lists or relations → changes of tables.
//!
//! Nodes that are none of their type are told, and the others are stored, as Prisma does it.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json};
use storage::Layout;
use storage::tables::{ColumnType, Stored, StoredValue, Table, Tables};
use transfer::Value;
use transfer::value::{Raw, RowBuffer, convert, moment};

use super::{FIELD_NAME, ID, Malformed, Part, TYPE_NAME, key_field, malformed};
use crate::model::{
    Behaviour, End, FieldKind, Key, Model, Relation, RelationIndex, RelationStorage, ScalarType,
    Type, TypeIndex,
};
use crate::stored::stored;

/// The difference between the positions of two elements of a list.
pub const POSITION_STEP: i64 = 1_000;

/// Bytes of the identifiers of a type: the column has no more.
const MOST_ID_BYTES: usize = 25;

/// The changes of a request.
#[derive(Debug)]
pub struct Import {
    /// All tables of the service; changes name them by their indexes.
    pub tables: Tables,
    pub changes: Vec<Change>,
    /// Nodes that are none of their type.
    pub errors: Vec<String>,
}

/// A change of one table.
#[derive(Debug)]
pub struct Change {
    pub table: usize,
    pub kind: ChangeKind,
    /// The beginning of the error if the database refuses a row: for each row, and for all.
    pub failures: Failures,
}

/// Kinds of changes.
#[derive(Debug)]
pub enum ChangeKind {
    /// Rows with all columns.
    Insert(RowBuffer),
    /// A column of the rows that have a key; each row of the buffer has the key and the value.
    SetColumn { key: Box<str>, column: Box<str>, pairs: RowBuffer },
    /// Elements that follow those of a row's list: the key of the row as a text, and the values.
    Append(Vec<(Value, String, Vec<Value>)>),
}

/// Beginnings of errors.
#[derive(Debug)]
pub struct Failures {
    of_each: Vec<String>,
    of_all: String,
}

impl Failures {
    /// The text of a row that the database refuses; its place is not always known.
    #[must_use]
    pub fn text(&self, place: Option<usize>, cause: &str) -> String {
        let begin = place.and_then(|place| self.of_each.get(place)).unwrap_or(&self.of_all);
        format!("{begin} Cause: {cause}")
    }
}

/// Reads a request. `now` is the present moment in microseconds since 1970, and `new_id` makes
/// identifiers.
pub fn read(
    model: &Model,
    request: &Json,
    now: i64,
    new_id: impl FnMut() -> String,
) -> Result<Import, Malformed> {
    let part = request["valueType"].as_str().and_then(Part::find);
    let (Some(part), Some(values)) = (part, request["values"].as_array()) else {
        return malformed(
            "an import has `valueType`, one of `nodes`, `lists` and `relations`, and a list `values`",
        );
    };
    let Layout::Tables { tables, .. } = stored(model) else {
        return malformed("the datamodel has no tables");
    };
    let mut reader = Reader { model, tables: &tables, now, new_id };
    let (changes, errors) = match part {
        Part::Nodes => reader.nodes(values)?,
        Part::Lists => (reader.lists(values)?, Vec::new()),
        Part::Relations => (reader.relations(values)?, Vec::new()),
    };
    Ok(Import { changes, errors, tables })
}

struct Reader<'r, N> {
    model: &'r Model,
    tables: &'r Tables,
    now: i64,
    new_id: N,
}

impl<'r, N: FnMut() -> String> Reader<'r, N> {
    fn nodes(&mut self, values: &[Json]) -> Result<(Vec<Change>, Vec<String>), Malformed> {
        let mut tables: BTreeMap<usize, (RowBuffer, Vec<String>)> = BTreeMap::new();
        let mut errors = Vec::new();
        for value in values {
            let (index, own, object) = self.object(value)?;
            let (id, shown) = self.id(own, object)?;
            let values = match self.values(own, object) {
                Ok(values) => values,
                Err(problem) => {
                    let Type { name, .. } = own;
                    errors.push(format!("The model {name} with id {shown} has an {problem}"));
                    continue;
                }
            };
            let (rows, failures) = tables.entry(index.0).or_default();
            for column in &self.tables.tables[index.0].columns {
                rows.push(&self.column(own, column, &id, &values));
            }
            rows.end_row();
            failures.push(format!("Failure inserting {} with Id: {shown}.", own.table));
        }
        let changes = tables.into_iter().map(|(table, (rows, of_each))| {
            let of_all = format!("Failure inserting {}.", self.tables.tables[table].name);
            let failures = Failures { of_each, of_all };
            Change { table, kind: ChangeKind::Insert(rows), failures }
        });
        Ok((changes.collect(), errors))
    }

    /// The value of a column of a node.
    fn column(
        &self,
        own: &Type,
        column: &storage::tables::Column,
        id: &Value,
        values: &BTreeMap<&str, Value>,
    ) -> Value {
        let StoredValue::Field(name) = &column.stores else { return Value::Null };
        if let Some(value) = values.get(&**name) {
            return value.clone();
        }
        let field = own.fields.iter().position(|field| field.name == *name);
        let is_key = match own.key {
            Key::Hidden => field.is_none() && **name == *ID,
            Key::Field(key) => field == Some(key),
        };
        if is_key {
            return id.clone();
        }
        let is_moment = match field.map(|field| &own.fields[field].kind) {
            Some(FieldKind::Scalar(scalar)) => {
                matches!(scalar.behaviour, Behaviour::CreatedAt | Behaviour::UpdatedAt)
            }
            Some(FieldKind::ScalarList { .. } | FieldKind::Relation { .. }) => false,
            // The moments of version 1.0 that have no field.
            None => column.r#type == ColumnType::Timestamp,
        };
        if is_moment { timestamp(self.now) } else { Value::Null }
    }

    /// The values of a node by the names of their fields.
    fn values(
        &self,
        own: &'r Type,
        object: &'r Map<String, Json>,
    ) -> Result<BTreeMap<&'r str, Value>, String> {
        let mut values = BTreeMap::new();
        for (name, value) in object {
            let field = own.fields.iter().find(|field| *field.name == **name);
            let scalar = match field.map(|field| &field.kind) {
                Some(FieldKind::Scalar(scalar)) => Some(scalar),
                Some(FieldKind::ScalarList { .. } | FieldKind::Relation { .. }) | None => None,
            };
            let invalid = || format!("invalid value for field' {name}'.");
            if let Some(scalar) = scalar {
                let value = self.value(scalar.r#type, value).ok_or_else(invalid)?;
                values.insert(name.as_str(), value);
            } else if own.hidden.iter().any(|moment| *moment.column() == **name) {
                let value = self.value(ScalarType::DateTime, value).ok_or_else(invalid)?;
                values.insert(name.as_str(), value);
            } else if ![TYPE_NAME, ID, "createdAt", "updatedAt"].contains(&name.as_str()) {
                return Err(format!("unknown field '{name}' in field list."));
            }
        }
        Ok(values)
    }

    /// A value of a type as its column has it; `None` if it is none.
    fn value(&self, r#type: ScalarType, value: &Json) -> Option<Value> {
        let text = || value.as_str().filter(|text| !text.contains('\0'));
        match r#type {
            ScalarType::String => Some(Value::Text(text()?.into())),
            ScalarType::Id => {
                let text = text().filter(|text| text.len() <= MOST_ID_BYTES)?;
                Some(Value::Text(text.into()))
            }
            ScalarType::Uuid => {
                let text = text().filter(|text| is_uuid(text))?;
                Some(Value::Text(text.to_ascii_lowercase()))
            }
            ScalarType::Enum(index) => {
                let labels = &self.model.enums.get(index.0)?.values;
                let text = text().filter(|text| labels.iter().any(|label| **label == **text))?;
                Some(Value::Text(text.into()))
            }
            ScalarType::Boolean => Some(Value::Boolean(value.as_bool()?)),
            ScalarType::Int => {
                let digits = value.is_number().then(|| value.to_string())?;
                convert(Raw::Number(&digits), &ColumnType::Int32).ok()
            }
            ScalarType::Float => {
                let digits = value.is_number().then(|| value.to_string())?;
                convert(Raw::Number(&digits), &ColumnType::Decimal).ok()
            }
            ScalarType::DateTime => {
                let text = text()?;
                let moment = moment::read(text).or_else(|| moment::read(&in_iso(text)?))?;
                Some(timestamp(moment.micros))
            }
            ScalarType::Json => Some(Value::Text(value.to_string())),
        }
    }

    fn lists(&self, values: &'r [Json]) -> Result<Vec<Change>, Malformed> {
        /// The lists of a table, and the places of their rows among them.
        #[derive(Default)]
        struct Lists {
            lists: Vec<(Value, String, Vec<Value>)>,
            places: HashMap<String, usize>,
        }
        let mut tables: BTreeMap<usize, Lists> = BTreeMap::new();
        for value in values {
            let (_, own, object) = self.object(value)?;
            let (id, shown) = self.id(own, object)?;
            let mut members =
                object.iter().filter(|(name, _)| ![TYPE_NAME, ID].contains(&&***name));
            let (Some((name, list)), None) = (members.next(), members.next()) else {
                return malformed("an element of `lists` has `_typeName`, `id` and one list");
            };
            let field = own.fields.iter().find(|field| *field.name == **name);
            let Some(FieldKind::ScalarList { r#type, .. }) = field.map(|field| &field.kind) else {
                return malformed(format!("the type {} has no list {name}", own.name));
            };
            let elements = list.as_array().map(|list| {
                list.iter().map(|element| self.value(*r#type, element)).collect::<Option<Vec<_>>>()
            });
            let Some(Some(elements)) = elements else {
                return malformed(format!(
                    "the list {name} of {} with id {shown} has a value that is none of its type",
                    own.name
                ));
            };
            let is_own = |table: &Table| match &table.stores {
                Stored::List { of, field } => *of == own.name && **field == **name,
                Stored::Entity(_) | Stored::Group(_) | Stored::Relation(_) => false,
            };
            let Some(table) = self.tables.tables.iter().position(is_own) else { continue };
            let Lists { lists, places } = tables.entry(table).or_default();
            match places.get(&shown).and_then(|place| lists.get_mut(*place)) {
                Some((_, _, known)) => known.extend(elements),
                None => {
                    places.insert(shown.clone(), lists.len());
                    lists.push((id, shown, elements));
                }
            }
        }
        let changes = tables.into_iter().map(|(table, Lists { lists, .. })| {
            let name = &self.tables.tables[table].name;
            let of_each = lists.iter().flat_map(|(_, id, elements)| {
                let of = move |element: &Value| {
                    let shown = shown(element);
                    format!(
                        "Failure inserting into listTable {name} for the id {id} for value {shown}."
                    )
                };
                elements.iter().map(of)
            });
            let of_all = format!("Failure inserting into listTable {name}:");
            let failures = Failures { of_each: of_each.collect(), of_all };
            Change { table, kind: ChangeKind::Append(lists), failures }
        });
        Ok(changes.collect())
    }

    fn relations(&mut self, values: &[Json]) -> Result<Vec<Change>, Malformed> {
        let mut relations: BTreeMap<usize, Vec<(Value, Value, String)>> = BTreeMap::new();
        for value in values {
            let sides = value.as_array().map(Vec::as_slice);
            let Some([left, right]) = sides else {
                return malformed("an element of `relations` is a list of two objects");
            };
            let (left, right) = match (left[FIELD_NAME].as_str(), right[FIELD_NAME].as_str()) {
                (Some(_), _) => (left, right),
                (None, Some(_)) => (right, left),
                (None, None) => {
                    return malformed("an element of `relations` has a `fieldName` on one side");
                }
            };
            let (_, own, own_object) = self.object(left)?;
            let (_, other, other_object) = self.object(right)?;
            let (index, end) = self.end(own, left[FIELD_NAME].as_str().unwrap_or_default())?;
            let (own_id, own_shown) = self.id(own, own_object)?;
            let (other_id, other_shown) = self.id(other, other_object)?;
            let expected = self.model.relations[index.0].end(end.other()).r#type;
            if self.model.types[expected.0].name != other.name {
                return malformed(format!(
                    "the other side of a relation of {} is {}, not {}",
                    own.name, self.model.types[expected.0].name, other.name
                ));
            }
            let pair = match end {
                End::A => (own_id, other_id, format!("{own_shown} and {other_shown}")),
                End::B => (other_id, own_id, format!("{other_shown} and {own_shown}")),
            };
            relations.entry(index.0).or_default().push(pair);
        }
        let mut changes = Vec::new();
        for (index, pairs) in relations {
            changes.extend(self.relation(&self.model.relations[index], &pairs));
        }
        Ok(changes)
    }

    /// The change of the pairs of a relation.
    fn relation(
        &mut self,
        relation: &Relation,
        pairs: &[(Value, Value, String)],
    ) -> Option<Change> {
        let mut rows = RowBuffer::default();
        let (table, kind) = match &relation.storage {
            RelationStorage::Inline { end, column } => {
                let of = relation.end(*end).r#type;
                for (a, b, _) in pairs {
                    let (key, value) = match end {
                        End::A => (a, b),
                        End::B => (b, a),
                    };
                    rows.push(key);
                    rows.push(value);
                    rows.end_row();
                }
                let own = self.model.types.get(of.0)?;
                let key = key_field(own).map_or(ID, |(_, scalar)| &scalar.column).into();
                (of.0, ChangeKind::SetColumn { key, column: column.clone(), pairs: rows })
            }
            RelationStorage::Table { table, id_column, .. } => {
                let tables = &self.tables.tables;
                let table = tables.iter().position(|own| own.name == *table)?;
                for (a, b, _) in pairs {
                    if id_column.is_some() {
                        rows.push(&Value::Text((self.new_id)()));
                    }
                    rows.push(a);
                    rows.push(b);
                    rows.end_row();
                }
                (table, ChangeKind::Insert(rows))
            }
        };
        let begin =
            format!("Failure inserting into relationtable {}", self.tables.tables[table].name);
        let of_each = pairs.iter().map(|(_, _, ids)| format!("{begin} with ids {ids}.")).collect();
        let failures = Failures { of_each, of_all: format!("{begin}.") };
        Some(Change { table, kind, failures })
    }

    /// The end of a relation that a field of a type is.
    fn end(&self, own: &Type, name: &str) -> Result<(RelationIndex, End), Malformed> {
        let field = own.fields.iter().find(|field| *field.name == *name);
        match field.map(|field| &field.kind) {
            Some(FieldKind::Relation { relation, end, .. }) => Ok((*relation, *end)),
            Some(FieldKind::Scalar(_) | FieldKind::ScalarList { .. }) | None => {
                malformed(format!("the type {} has no relation {name}", own.name))
            }
        }
    }

    /// An object with the type that it names.
    fn object<'v>(
        &self,
        value: &'v Json,
    ) -> Result<(TypeIndex, &'r Type, &'v Map<String, Json>), Malformed> {
        let Some(object) = value.as_object() else {
            return malformed("an element of `values` is no object");
        };
        let Some(name) = object.get(TYPE_NAME).and_then(Json::as_str) else {
            return malformed("an element of `values` has no `_typeName`");
        };
        match self.model.types.iter().position(|own| *own.name == *name) {
            Some(index) => Ok((TypeIndex(index), &self.model.types[index], object)),
            None => malformed(format!("the datamodel has no type {name}")),
        }
    }

    /// The id of an object, as a value and as messages have it.
    fn id(&self, own: &Type, object: &Map<String, Json>) -> Result<(Value, String), Malformed> {
        let of_numbers = key_field(own).is_some_and(|(_, scalar)| scalar.r#type == ScalarType::Int);
        if of_numbers {
            return malformed(format!(
                "the ids of {} are numbers, which Prisma's format does not import",
                own.name
            ));
        }
        let r#type = key_field(own).map_or(ScalarType::Id, |(_, scalar)| scalar.r#type);
        let found = object.get(ID).and_then(|id| Some((self.value(r#type, id)?, id.as_str()?)));
        match found {
            Some((id, shown)) => Ok((id, shown.to_owned())),
            None => malformed(format!("an object of {} has no `id` that is one", own.name)),
        }
    }
}

/// A value as messages have it.
fn shown(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    let mut text = Vec::new();
    if let Some(value) = transfer::value::Row::new(&bytes).next() {
        transfer::value::text::write_plain(value, &mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A moment of the form `2017-11-29 14:35:13`, which Prisma reads as one in UTC, in that of ISO 8601.
fn in_iso(text: &str) -> Option<String> {
    let (day, time) = text.split_once(' ')?;
    let has_form = |text: &str, separator: char, lengths: [usize; 3]| {
        text.split(separator).map(str::len).eq(lengths)
            && text.chars().all(|c| c == separator || c.is_ascii_digit())
    };
    (has_form(day, '-', [4, 2, 2]) && has_form(time, ':', [2, 2, 2]))
        .then(|| format!("{day}T{time}Z"))
}

/// A moment in the form of its column: in UTC, with milliseconds.
fn timestamp(micros: i64) -> Value {
    let mut text = Vec::new();
    moment::write_for_database(micros.div_euclid(1_000) * 1_000, &mut text);
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end_matches("+00:00");
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    Value::Text(format!("{clock}.{fraction:0<3}"))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    groups.len() == lengths.len()
        && groups.iter().zip(lengths).all(|(group, length)| {
            group.len() == length && group.chars().all(|c| c.is_ascii_hexdigit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_without_a_zone_are_in_utc() {
        let of = |text: &str| moment::read(&in_iso(text)?).map(|moment| timestamp(moment.micros));
        assert_eq!(of("2017-11-29 14:35:13"), Some(timestamp(1_511_966_113_000_000)));
        for text in ["2017-11-29T14:35:13", "2017-11-29 14:35", "2017-11-29 1b:35:13", "x y"] {
            assert_eq!(in_iso(text), None, "{text}");
        }
    }

    #[test]
    fn moments_have_milliseconds() {
        let check = |text: &str, expected: &str| {
            let found = timestamp(moment::read(text).unwrap().micros);
            assert_eq!(found, Value::Text(expected.into()), "{text}");
        };
        check("2017-11-29 14:35:13", "2017-11-29 14:35:13.000");
        check("2017-12-05T12:34:23.2509Z", "2017-12-05 12:34:23.250");
        check("2017-12-05T12:34:23+0100", "2017-12-05 11:34:23.000");
        check("1969-12-31T23:59:59.9999Z", "1969-12-31 23:59:59.999");
    }

    #[test]
    fn uuids_have_five_groups() {
        assert!(is_uuid("550e8400-e29b-11d4-a716-446655440000"));
        for other in
            ["", "550e8400e29b11d4a716446655440000", "550e8400-e29b-11d4-a716-44665544000g"]
        {
            assert!(!is_uuid(other), "{other}");
        }
    }
}
