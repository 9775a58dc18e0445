//! An answer of a subgraph into the arena.

use graphql::schema::{TypeId, TypeKind, TypeRef};

use super::arena::{Arena, Cell, ObjectId};
use super::json::{Json, Kind, NoJson, Span};
use super::{ErrorKind, ExecutionError, Step};
use crate::outline::{ItemId, PositionId, Tree, What};
use crate::plan::{Asked, Entry, Selection};
use crate::supergraph::Supergraph;

/// Reads what one request was answered.
pub(super) struct Reader<'r> {
    pub(super) supergraph: &'r Supergraph,
    pub(super) tree: &'r Tree,
    pub(super) arena: &'r mut Arena,
    pub(super) errors: &'r mut Vec<ExecutionError>,
    pub(super) buffer: u32,
    pub(super) bytes: &'r [u8],
}

/// The parts of an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    pub(super) data: Option<usize>,
    pub(super) errors: Option<Span>,
}

/// Where the parts of an answer are; the text as a whole is JSON then.
pub(super) fn parts(bytes: &[u8]) -> Result<Parts, NoJson> {
    let mut json = Json::new(bytes);
    let mut parts = Parts::default();
    if json.begin(b'{', b'}')? {
        loop {
            let name = json.name()?;
            let kind = json.kind()?;
            let (start, end) = json.skip()?;
            match name {
                b"data" if parts.data.is_some() => return Err(NoJson),
                b"data" => parts.data = (kind != Kind::Null).then_some(start),
                b"errors" if kind == Kind::List => parts.errors = Some((start, end)),
                _ => {}
            }
            if !json.next(b'}')? {
                break;
            }
        }
    }
    if json.is_at_end() { Ok(parts) } else { Err(NoJson) }
}

impl Reader<'_> {
    /// Reads an object that stands at `at` as what `selections` ask, by type, of an object of the
    /// arena. What comes behind it.
    pub(super) fn object(
        &mut self,
        at: usize,
        selection: &Selection,
        object: ObjectId,
    ) -> Result<usize, NoJson> {
        let mut json = Json::new(self.bytes);
        json.go_to(at);
        self.members(&mut json, selection, object)?;
        Ok(json.at())
    }

    /// Reads what an entity was answered that stands at `at`.
    pub(super) fn entity(
        &mut self,
        at: usize,
        entry: &Entry,
        object: ObjectId,
    ) -> Result<(), NoJson> {
        let mut json = Json::new(self.bytes);
        json.go_to(at);
        if entry.on.is_some() && self.arena.object(object).r#type.is_none() {
            self.read_type(&mut json, object)?;
        }
        let own = self.arena.object(object).r#type;
        let of_own = entry.selections.iter().find(|(base, _)| Some(*base) == own);
        // One asked as an interface stands for all types.
        let only = entry.selections.first().filter(|_| entry.selections.len() == 1);
        let is_interface = |base: TypeId| !self.supergraph.is_object(base);
        let only = only.filter(|(base, _)| is_interface(*base));
        if let Some((_, selection)) = of_own.or(only) {
            self.members(&mut json, selection, object)?;
        }
        Ok(())
    }

    fn members(
        &mut self,
        json: &mut Json<'_>,
        selection: &Selection,
        object: ObjectId,
    ) -> Result<(), NoJson> {
        if selection.typename {
            self.read_type(json, object)?;
        }
        if !json.begin(b'{', b'}')? {
            return Ok(());
        }
        let mut seen: Vec<ItemId> = Vec::new();
        loop {
            let name = json.name()?;
            let r#type = self.arena.object(object).r#type;
            match find(selection, name, r#type) {
                Some(asked) => {
                    // A name that comes twice says two things of one value.
                    if seen.contains(&asked.item) {
                        return Err(NoJson);
                    }
                    seen.push(asked.item);
                    self.member(json, asked, object)?;
                }
                None => {
                    json.skip()?;
                }
            }
            if !json.next(b'}')? {
                return Ok(());
            }
        }
    }

    /// Looks for the type of an object that is about to be read.
    fn read_type(&mut self, json: &mut Json<'_>, object: ObjectId) -> Result<(), NoJson> {
        let start = json.at();
        if json.begin(b'{', b'}')? {
            loop {
                let name = json.name()?;
                if name == b"__typename" && json.kind()? == Kind::Text {
                    let (start, end) = json.text()?;
                    let name = self
                        .bytes
                        .get(start + 1..end - 1)
                        .and_then(|name| std::str::from_utf8(name).ok());
                    if let Some(r#type) =
                        name.and_then(|name| self.supergraph.schema.find_type(name))
                    {
                        self.arena.set_type(object, r#type);
                    }
                    break;
                }
                json.skip()?;
                if !json.next(b'}')? {
                    break;
                }
            }
        }
        json.go_to(start);
        Ok(())
    }

    fn member(
        &mut self,
        json: &mut Json<'_>,
        asked: &Asked,
        object: ObjectId,
    ) -> Result<(), NoJson> {
        let item = self.tree.item(asked.item);
        let What::Field { field, .. } = &item.what else {
            json.skip()?;
            return Ok(());
        };
        let r#type = self.supergraph.schema[*field].r#type;
        let known = self.arena.cell(object, asked.item);
        let mut indexes = Vec::new();
        let cell = self.value(json, r#type, asked, object, known, &mut indexes)?;
        self.arena.set(object, asked.item, cell);
        Ok(())
    }

    /// Recursion is bounded by the wrappers of types and the depth of the tree.
    fn value(
        &mut self,
        json: &mut Json<'_>,
        r#type: TypeRef,
        asked: &Asked,
        parent: ObjectId,
        known: Cell,
        indexes: &mut Vec<u32>,
    ) -> Result<Cell, NoJson> {
        let kind = json.kind()?;
        if kind == Kind::Null {
            json.word()?;
            return Ok(Cell::Null);
        }
        if let Some(element) = r#type.item() {
            if kind != Kind::List {
                return self.wrong(json, asked, parent, indexes);
            }
            return self.list(json, element, asked, parent, known, indexes);
        }
        match (&asked.below, self.tree.item(asked.item).child) {
            (Some(selection), Some(child)) => {
                if kind != Kind::Object {
                    return self.wrong(json, asked, parent, indexes);
                }
                let object = match known {
                    Cell::Object(object) => object,
                    Cell::Absent
                    | Cell::Null
                    | Cell::Failed
                    | Cell::Leaf { .. }
                    | Cell::List { .. } => {
                        let own = self.own_type(child);
                        self.arena.add_object(child, own, Some(parent), indexes)
                    }
                };
                self.members(json, selection, object)?;
                Ok(Cell::Object(object))
            }
            _ => self.leaf(json, kind, r#type.base, asked, parent, indexes),
        }
    }

    /// The type of all objects of a position, if there is only one.
    fn own_type(&self, position: PositionId) -> Option<TypeId> {
        let r#type = self.tree.position(position).r#type;
        self.supergraph.is_object(r#type).then_some(r#type)
    }

    fn list(
        &mut self,
        json: &mut Json<'_>,
        element: TypeRef,
        asked: &Asked,
        parent: ObjectId,
        known: Cell,
        indexes: &mut Vec<u32>,
    ) -> Result<Cell, NoJson> {
        let known: Vec<Cell> = match known {
            Cell::List { start, end } => self.arena.list(start, end).to_vec(),
            Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } | Cell::Object(_) => {
                Vec::new()
            }
        };
        let mut cells = Vec::new();
        if json.begin(b'[', b']')? {
            loop {
                let place = cells.len();
                let before = known.get(place).copied().unwrap_or(Cell::Absent);
                indexes.push(u32::try_from(place).unwrap_or(u32::MAX));
                let cell = self.value(json, element, asked, parent, before, indexes)?;
                indexes.pop();
                cells.push(cell);
                if !json.next(b']')? {
                    break;
                }
            }
        }
        if !known.is_empty() && known.len() != cells.len() {
            // Two subgraphs say that one list has different lengths: there is no telling which.
            return Err(NoJson);
        }
        Ok(self.arena.add_list(&cells))
    }

    fn leaf(
        &mut self,
        json: &mut Json<'_>,
        kind: Kind,
        base: TypeId,
        asked: &Asked,
        parent: ObjectId,
        indexes: &[u32],
    ) -> Result<Cell, NoJson> {
        let start = json.at();
        let (span, is_right) = match kind {
            Kind::Text => (json.text()?, self.is_text(base)),
            Kind::Number => {
                let (span, is_integer) = json.number()?;
                (span, self.is_number(base, is_integer, self.bytes.get(span.0..span.1)))
            }
            Kind::Boolean => {
                (json.word()?, matches!(self.scalar(base), Scalar::Boolean | Scalar::Any))
            }
            Kind::Null | Kind::List | Kind::Object => {
                (json.skip()?, self.scalar(base) == Scalar::Any)
            }
        };
        if !is_right {
            json.go_to(start);
            return self.wrong(json, asked, parent, indexes);
        }
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(Cell::Leaf { buffer: self.buffer, start: narrow(span.0), end: narrow(span.1) })
    }

    fn is_text(&self, base: TypeId) -> bool {
        match self.scalar(base) {
            Scalar::Text | Scalar::Id | Scalar::Enum | Scalar::Any => true,
            Scalar::Int | Scalar::Float | Scalar::Boolean => false,
        }
    }

    fn is_number(&self, base: TypeId, is_integer: bool, digits: Option<&[u8]>) -> bool {
        match self.scalar(base) {
            Scalar::Int => {
                let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
                is_integer && digits.is_some_and(|digits| digits.parse::<i32>().is_ok())
            }
            Scalar::Id => is_integer,
            Scalar::Float | Scalar::Any => true,
            Scalar::Text | Scalar::Enum | Scalar::Boolean => false,
        }
    }

    fn scalar(&self, base: TypeId) -> Scalar {
        let definition = &self.supergraph.schema[base];
        match (&definition.kind, &*definition.name) {
            (TypeKind::Enum { .. }, _) => Scalar::Enum,
            (_, "Int") => Scalar::Int,
            (_, "Float") => Scalar::Float,
            (_, "String") => Scalar::Text,
            (_, "ID") => Scalar::Id,
            (_, "Boolean") => Scalar::Boolean,
            _ => Scalar::Any,
        }
    }

    /// A value that is not of its type: an error at its place, and the rest of the answer is read.
    fn wrong(
        &mut self,
        json: &mut Json<'_>,
        asked: &Asked,
        parent: ObjectId,
        indexes: &[u32],
    ) -> Result<Cell, NoJson> {
        json.skip()?;
        let item = self.tree.item(asked.item);
        let mut path = self.arena.path(self.tree, parent);
        path.push(Step::Key(item.key.clone()));
        path.extend(indexes.iter().map(|index| Step::Index(*index as usize)));
        let kind = ErrorKind::Value { field: item.key.clone() };
        self.errors.push(ExecutionError { kind, path });
        Ok(Cell::Failed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Int,
    Float,
    Text,
    Id,
    Boolean,
    Enum,
    /// A scalar of the schema's own: any JSON.
    Any,
}

/// What is asked under a name of objects of a type.
fn find<'s>(selection: &'s Selection, name: &[u8], r#type: Option<TypeId>) -> Option<&'s Asked> {
    let is_named = |asked: &&Asked| asked.key.as_bytes() == name;
    let common = selection.fields.iter().find(is_named);
    common.or_else(|| {
        let own = selection.fragments.iter().find(|(on, _)| Some(*on) == r#type)?;
        own.1.fields.iter().find(is_named)
    })
}
