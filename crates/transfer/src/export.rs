//! Objects → files, as Dgraph exports them.

use storage::tables::ColumnType;

use crate::mapping::{Holds, Mapping, ObjectType};
use crate::value::{Row, ValueRef, text};

/// Formats of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A triple on each line.
    Rdf,
    /// A list of objects.
    Json,
    /// An object on each line.
    Lines,
}

/// Writes objects into a buffer.
#[derive(Debug)]
pub struct Writer<'w> {
    mapping: &'w Mapping,
    format: ExportFormat,
    out: Vec<u8>,
    objects: u64,
}

impl<'w> Writer<'w> {
    #[must_use]
    pub fn new(mapping: &'w Mapping, format: ExportFormat) -> Self {
        let out = if format == ExportFormat::Json { b"[".to_vec() } else { Vec::new() };
        Self { mapping, format, out, objects: 0 }
    }

    /// The bytes that are not taken yet.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// The number of objects.
    #[must_use]
    pub fn objects(&self) -> u64 {
        self.objects
    }

    /// Writes an object: its row, and the ids of the objects of each member that its row does not
    /// have.
    pub fn write(&mut self, object: usize, row: Row<'_>, links: &[Vec<u64>]) {
        let object = &self.mapping.objects[object];
        let values: Vec<ValueRef<'_>> = row.collect();
        let Some(ValueRef::Integer(id)) = values.get(object.key) else { return };
        let id = id.cast_unsigned();
        match self.format {
            ExportFormat::Rdf => self.triples(object, id, &values, links),
            ExportFormat::Json => {
                self.out.extend_from_slice(if self.objects > 0 { b",\n" } else { b"\n" });
                self.object(object, id, &values, links);
            }
            ExportFormat::Lines => {
                self.object(object, id, &values, links);
                self.out.push(b'\n');
            }
        }
        self.objects += 1;
    }

    /// Writes the end of the file.
    pub fn finish(&mut self) {
        if self.format == ExportFormat::Json {
            self.out.extend_from_slice(b"\n]\n");
        }
    }

    fn object(
        &mut self,
        object: &ObjectType,
        id: u64,
        values: &[ValueRef<'_>],
        links: &[Vec<u64>],
    ) {
        let out = &mut self.out;
        out.extend_from_slice(format!("{{\"uid\":\"{id:#x}\",\"dgraph.type\":[").as_bytes());
        for (place, name) in names(object).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            text::write_json_string(name, out);
        }
        out.push(b']');
        for (place, member) in object.members.iter().enumerate() {
            let start = |out: &mut Vec<u8>| {
                out.push(b',');
                text::write_json_string(&member.predicate, out);
                out.push(b':');
            };
            match member.holds {
                Holds::Key => {}
                Holds::Column(column) => match values.get(column) {
                    None | Some(ValueRef::Null) => {}
                    Some(value @ ValueRef::List(_)) if !member.is_list => {
                        start(out);
                        // A vector.
                        let mut inner = Vec::new();
                        text::write_json(*value, &mut inner);
                        text::write_json_string(&String::from_utf8_lossy(&inner), out);
                    }
                    Some(value) => {
                        start(out);
                        text::write_json(*value, out);
                    }
                },
                Holds::Objects { .. } => {
                    let ids = links.get(place).map(Vec::as_slice).unwrap_or_default();
                    if ids.is_empty() || member.predicate.starts_with('~') {
                        continue;
                    }
                    start(out);
                    if member.is_list {
                        out.push(b'[');
                    }
                    for (place, id) in ids.iter().enumerate() {
                        if place > 0 {
                            out.push(b',');
                        }
                        out.extend_from_slice(format!("{{\"uid\":\"{id:#x}\"}}").as_bytes());
                    }
                    if member.is_list {
                        out.push(b']');
                    }
                }
            }
        }
        out.push(b'}');
    }

    fn triples(
        &mut self,
        object: &ObjectType,
        id: u64,
        values: &[ValueRef<'_>],
        links: &[Vec<u64>],
    ) {
        let columns = &self.mapping.tables.tables[object.table].columns;
        let out = &mut self.out;
        for name in names(object) {
            out.extend_from_slice(format!("<{id:#x}> <dgraph.type> ").as_bytes());
            text::write_json_string(name, out);
            out.extend_from_slice(b"^^<xs:string> <0x0> .\n");
        }
        for (place, member) in object.members.iter().enumerate() {
            let (predicate, language) = match member.predicate.split_once('@') {
                Some((predicate, language)) => (predicate, Some(language)),
                None => (&*member.predicate, None),
            };
            let subject = format!("<{id:#x}> <{predicate}> ");
            match member.holds {
                Holds::Key => {}
                Holds::Column(column) => {
                    let Some(value) = values.get(column) else { continue };
                    let r#type = &columns[column].r#type;
                    let ending = ending(r#type, language);
                    let mut one = |value: ValueRef<'_>| {
                        if value == ValueRef::Null {
                            return;
                        }
                        let mut plain = Vec::new();
                        text::write_plain(value, &mut plain);
                        out.extend_from_slice(subject.as_bytes());
                        text::write_json_string(&String::from_utf8_lossy(&plain), out);
                        out.extend_from_slice(ending.as_bytes());
                    };
                    match value {
                        ValueRef::List(items) if member.is_list => items.for_each(one),
                        value => one(*value),
                    }
                }
                Holds::Objects { .. } if member.predicate.starts_with('~') => {}
                Holds::Objects { .. } => {
                    for id in links.get(place).map(Vec::as_slice).unwrap_or_default() {
                        out.extend_from_slice(subject.as_bytes());
                        out.extend_from_slice(format!("<{id:#x}> <0x0> .\n").as_bytes());
                    }
                }
            }
        }
    }
}

/// The names of the type and of its interfaces.
fn names(object: &ObjectType) -> impl Iterator<Item = &str> {
    std::iter::once(&*object.name).chain(object.interfaces.iter().map(|name| &**name))
}

/// The end of a triple with a value: its language or its type, and the namespace.
fn ending(r#type: &ColumnType, language: Option<&str>) -> String {
    if let Some(language) = language {
        return format!("@{language} <0x0> .\n");
    }
    let name = match r#type {
        ColumnType::Boolean => "xs:boolean",
        ColumnType::Int32 | ColumnType::Int64 | ColumnType::Serial { .. } => "xs:int",
        ColumnType::Float64 | ColumnType::Decimal => "xs:float",
        ColumnType::Text
        | ColumnType::Enum(_)
        | ColumnType::Json
        | ColumnType::Identifier
        | ColumnType::Uuid
        | ColumnType::JsonText => "xs:string",
        ColumnType::DateTime | ColumnType::Timestamp => "xs:dateTime",
        ColumnType::Point | ColumnType::Polygon | ColumnType::MultiPolygon => "geo:geojson",
        ColumnType::Vector => "xs:[]float32",
        ColumnType::Password => "xs:password",
    };
    format!("^^<{name}> <0x0> .\n")
}
