//! Values of a part of a response, by the names of the response.

use graphql::PathSegment;
use graphql::defer::split::marked_fragment;
use response::{BudgetExceeded, MemoryReservation, Recorded, Shape, Token, TokenKind};
use rustc_hash::FxHashMap;

/// A value.
#[derive(Debug, Default)]
pub(super) enum Value {
    #[default]
    Null,
    /// JSON, as a range of the texts of its part.
    Leaf {
        start: u32,
        end: u32,
    },
    Object(Vec<Member>),
    List(Vec<Value>),
}

/// A member of an object.
pub(super) type Member = (NameId, Value);

/// A name of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NameId(u32);

/// The names of all parts.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: FxHashMap<Box<str>, NameId>,
    list: Vec<Name>,
}

#[derive(Debug)]
struct Name {
    text: Box<str>,
    /// `"name":`
    key: Box<[u8]>,
    /// The fragment whose marker it is.
    marked: Option<usize>,
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Name(NameId),
    Index(usize),
}

/// A path of response names and indexes.
pub(super) type Path = Vec<Step>;

/// An object of a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct DeferredObject {
    pub(super) fragment: usize,
    pub(super) path: Path,
}

/// A part that was executed.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) data: Value,
    pub(super) texts: Vec<u8>,
    /// The reservation of both.
    pub(super) held: MemoryReservation,
}

impl Names {
    fn of_shape(&mut self, shape: &Shape) -> Vec<NameId> {
        let mut ids = Vec::with_capacity(shape.fields.len());
        for field in &shape.fields {
            let id = self.known.get(&field.name).copied().unwrap_or_else(|| {
                let id = NameId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
                self.known.insert(field.name.clone(), id);
                let marked = marked_fragment(&field.name);
                self.list.push(Name { text: field.name.clone(), key: field.key().into(), marked });
                id
            });
            ids.push(id);
        }
        ids
    }

    fn get(&self, id: NameId) -> Option<&Name> {
        self.list.get(id.0 as usize)
    }

    pub(super) fn text(&self, id: NameId) -> &str {
        self.get(id).map_or("", |name| &name.text)
    }

    /// The fragment whose marker a name is.
    pub(super) fn marked(&self, id: NameId) -> Option<usize> {
        self.get(id)?.marked
    }

    /// Whether a path of an error begins with a path.
    pub(super) fn is_below(&self, error: &[PathSegment], path: &[Step]) -> bool {
        error.len() >= path.len() && self.agrees(error, path)
    }

    /// Whether one of the paths begins with the other.
    pub(super) fn agrees(&self, error: &[PathSegment], path: &[Step]) -> bool {
        error.iter().zip(path).all(|(segment, step)| match (segment, step) {
            (PathSegment::Field(name), Step::Name(id)) => **name == *self.text(*id),
            (PathSegment::Index(index), Step::Index(own)) => index == own,
            (PathSegment::Field(_), Step::Index(_)) | (PathSegment::Index(_), Step::Name(_)) => {
                false
            }
        })
    }

    /// Writes the members of an object as JSON, without markers.
    pub(super) fn write_object<'v>(
        &self,
        members: impl IntoIterator<Item = &'v Member>,
        texts: &[u8],
        out: &mut Vec<u8>,
    ) {
        out.push(b'{');
        let mut is_first = true;
        for (id, value) in members {
            let Some(Name { key, marked: None, .. }) = self.get(*id) else { continue };
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            out.extend_from_slice(key);
            self.write(value, texts, out);
        }
        out.push(b'}');
    }

    /// Writes a value as JSON. Recursion is bounded by the depth of the operation.
    pub(super) fn write(&self, value: &Value, texts: &[u8], out: &mut Vec<u8>) {
        match value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Leaf { start, end } => {
                let text = texts.get(*start as usize..*end as usize);
                out.extend_from_slice(text.unwrap_or(b"null"));
            }
            Value::Object(members) => self.write_object(members, texts, out),
            Value::List(elements) => {
                out.push(b'[');
                for (place, element) in elements.iter().enumerate() {
                    if place > 0 {
                        out.push(b',');
                    }
                    self.write(element, texts, out);
                }
                out.push(b']');
            }
        }
    }

    /// Writes a path as JSON.
    pub(super) fn write_path(&self, path: &[Step], out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, step) in path.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match step {
                // Names need no escapes.
                Step::Name(id) => {
                    out.push(b'"');
                    out.extend_from_slice(self.text(*id).as_bytes());
                    out.push(b'"');
                }
                Step::Index(index) => out.extend_from_slice(index.to_string().as_bytes()),
            }
        }
        out.push(b']');
    }

    /// Adds the objects of fragments in a value, outer ones first. Recursion is bounded by the depth
    /// of the operation.
    pub(super) fn find(&self, value: &Value, path: &mut Path, found: &mut Vec<DeferredObject>) {
        match value {
            Value::Null | Value::Leaf { .. } => {}
            Value::Object(members) => {
                let marked = members.iter().filter_map(|(id, _)| self.marked(*id));
                let marked: Vec<_> = marked.collect();
                let here = marked.into_iter();
                found.extend(here.map(|fragment| DeferredObject { fragment, path: path.clone() }));
                for (id, member) in members {
                    path.push(Step::Name(*id));
                    self.find(member, path, found);
                    path.pop();
                }
            }
            Value::List(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    path.push(Step::Index(index));
                    self.find(element, path, found);
                    path.pop();
                }
            }
        }
    }
}

impl Value {
    /// The value at a path.
    pub(super) fn at(&mut self, path: &[Step]) -> Option<&mut Value> {
        let mut value = self;
        for step in path {
            value = match (step, value) {
                (Step::Name(id), Value::Object(members)) => {
                    &mut members.iter_mut().find(|(own, _)| own == id)?.1
                }
                (Step::Index(index), Value::List(elements)) => elements.get_mut(*index)?,
                (Step::Name(_) | Step::Index(_), _) => return None,
            };
        }
        Some(value)
    }
}

impl Part {
    /// The values on a tape, by the names of the shape.
    pub(super) fn read(
        names: &mut Names,
        shape: &Shape,
        recorded: Recorded,
        mut held: MemoryReservation,
    ) -> Result<Self, BudgetExceeded> {
        let Recorded { tokens, texts, .. } = recorded;
        // While it is read, both forms exist. A member of an object is the largest part of a value.
        let values = tokens.len() * 2 * size_of::<Member>();
        held.grow_to(held.bytes() + values as u64)?;
        let fields = names.of_shape(shape);
        let mut tokens = tokens.into_iter();
        let data = match tokens.next() {
            Some(first) => value(first.kind, &mut tokens, &fields),
            None => Value::Null,
        };
        held.shrink_to((values + texts.capacity()) as u64);
        Ok(Self { data, texts, held })
    }
}

/// Reads a value whose first token is known. Recursion is bounded by the depth of the operation.
fn value(first: TokenKind, tokens: &mut impl Iterator<Item = Token>, fields: &[NameId]) -> Value {
    match first {
        TokenKind::Null | TokenKind::End => Value::Null,
        TokenKind::Leaf { start, end, .. } => Value::Leaf { start, end },
        TokenKind::Object => {
            let mut members = Vec::new();
            while let Some(Token { field, kind }) = tokens.next() {
                if kind == TokenKind::End {
                    break;
                }
                let member = value(kind, tokens, fields);
                if let Some(id) = fields.get(field as usize) {
                    members.push((*id, member));
                }
            }
            Value::Object(members)
        }
        TokenKind::List => {
            let mut elements = Vec::new();
            while let Some(Token { kind, .. }) = tokens.next() {
                if kind == TokenKind::End {
                    break;
                }
                elements.push(value(kind, tokens, fields));
            }
            Value::List(elements)
        }
    }
}
