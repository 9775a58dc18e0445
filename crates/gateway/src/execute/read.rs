//! Reader of one object of a subgraph response into the arena.

use graphql::schema::TypeId;
use response::BudgetExceeded;

use super::arena::{Arena, Cell, ObjectId};
use super::cause::CauseId;
use super::duplicates::{Candidate, Duplicates, Lookup};
use super::errors::Errors;
use super::json::{InvalidJson, Json};
use super::tokens::{EMBEDDED_JSON, TokenReader};
use crate::outline::{ItemId, PositionId, Tree};
use crate::plan::{Read, Scalar, Shape, Value};
use supergraph::Supergraph;

/// Reader of one subgraph response.
#[derive(Debug)]
pub(super) struct Reader<'r, F> {
    pub(super) supergraph: &'r Supergraph,
    pub(super) tree: &'r Tree,
    pub(super) arena: &'r mut Arena,
    pub(super) tokens: F,
    /// Index of the response among the buffers of the arena.
    pub(super) buffer: u32,
    pub(super) defects: Defects,
    pub(super) causes: Causes,
    /// Objects read so far, if equal ones are deduplicated.
    pub(super) duplicates: Option<Duplicates>,
    /// Last runtime type: the next is usually the same.
    last: Option<TypeId>,
}

/// Defects of a response that is used all the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Defects {
    /// Number of values that do not have their type.
    pub(super) values: usize,
    /// First object whose entity is not an object; reported once.
    pub(super) entity: Option<ObjectId>,
    /// First selected field that is missing; reported once.
    pub(super) missing: Option<(ObjectId, ItemId)>,
}

impl Defects {
    /// Whether there are no defects.
    pub(super) fn is_empty(&self) -> bool {
        let Self { values, entity, missing } = self;
        *values == 0 && entity.is_none() && missing.is_none()
    }
}

/// Ids of the causes for defects of the response that is being read; the causes are added after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Causes {
    pub(super) missing: CauseId,
    pub(super) entity: CauseId,
}

impl Causes {
    /// Returns the ids of the next causes.
    pub(super) fn next(errors: &Errors) -> Self {
        let missing = errors.next_cause();
        Self { missing, entity: CauseId::new(missing.index() + 1) }
    }
}

/// Reason why a response cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadError {
    InvalidJson,
    /// A member occurs twice.
    DuplicateMember,
    /// The number of entities differs from that of the representations.
    Length {
        expected: usize,
    },
    /// The response does not have the form of the request.
    Mismatch,
    BudgetExceeded,
}

/// Type of an object according to its `__typename`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectType {
    Type(TypeId),
    /// An interface or union that the object belongs to.
    Interface,
    /// Missing, or a type that is impossible here.
    Impossible,
}

impl From<InvalidJson> for ReadError {
    fn from(_: InvalidJson) -> Self {
        Self::InvalidJson
    }
}

impl From<BudgetExceeded> for ReadError {
    fn from(_: BudgetExceeded) -> Self {
        Self::BudgetExceeded
    }
}

impl<'r, 'f, F: TokenReader<'f>> Reader<'r, F> {
    pub(super) fn new(
        supergraph: &'r Supergraph,
        tree: &'r Tree,
        arena: &'r mut Arena,
        tokens: F,
        (buffer, causes): (u32, Causes),
    ) -> Self {
        let defects = Defects::default();
        Self {
            supergraph,
            tree,
            arena,
            tokens,
            buffer,
            defects,
            causes,
            duplicates: None,
            last: None,
        }
    }

    /// Reads an object into one of the arena. Recursion is bounded by the depth of the tree.
    pub(super) fn members(&mut self, shape: &Shape, object: ObjectId) -> Result<(), ReadError> {
        let r#type = self.arena.object(object).r#type;
        let (common, own) = shape.members_of(r#type);
        let mut seen = Seen::default();
        if !self.tokens.begin(b'{', b'}')? {
            self.record_missing(common.iter().chain(own), &seen, object);
            return Ok(());
        }
        let mut has_type = false;
        // Subgraphs nearly always respond in the order of the document.
        let mut expected = 0;
        let mut read_count = 0;
        let cells = self.arena.index(object, 0);
        loop {
            let next =
                common.get(expected).or_else(|| own.get(expected.checked_sub(common.len())?));
            match next {
                Some(read) if self.tokens.take_prefix(&read.prefix) => {
                    seen.see(expected)?;
                    read_count += 1;
                    expected += 1;
                    self.member(read, object, cells)?;
                }
                _ if self.tokens.take_typename() => {
                    // Two `__typename` members may contradict each other.
                    if std::mem::replace(&mut has_type, true) {
                        return Err(ReadError::DuplicateMember);
                    }
                    self.tokens.skip()?;
                }
                _ => {
                    let name = self.tokens.name()?;
                    let all = common.iter().chain(own).enumerate();
                    let found = find(all, name);
                    if let Some((place, read)) = found {
                        seen.see(place)?;
                        read_count += 1;
                        expected = place + 1;
                        self.member(read, object, cells)?;
                    } else {
                        self.tokens.skip()?;
                    }
                }
            }
            if !self.tokens.next(b'}')? {
                break;
            }
        }
        if read_count < common.len() + own.len() {
            self.record_missing(common.iter().chain(own), &seen, object);
        }
        Ok(())
    }

    /// Records the missing members of an object.
    #[cold]
    fn record_missing<'s>(
        &mut self,
        all: impl Iterator<Item = &'s Read>,
        seen: &Seen,
        object: ObjectId,
    ) {
        for (place, read) in all.enumerate() {
            for read in std::iter::once(read).chain(&read.also).filter(|_| !seen.has(place)) {
                if self.arena.cell(object, read.slot) == Cell::Absent {
                    self.arena.set(object, read.slot, Cell::Failed(self.causes.missing));
                    self.defects.missing.get_or_insert((object, read.item));
                }
            }
        }
    }

    #[inline]
    fn member(&mut self, read: &Read, object: ObjectId, cells: usize) -> Result<(), ReadError> {
        if let (Value::Leaf(scalar), 0, []) = (&read.value, read.lists, &*read.also) {
            // The most frequent case.
            let cell = match self.tokens.peek()? {
                b'n' => self.tokens.null().map(|()| Cell::Null)?,
                byte => self.leaf(*scalar, byte)?,
            };
            self.arena.set_at(cells + read.slot as usize, cell);
            return Ok(());
        }
        let start = self.tokens.at();
        self.item(read, object)?;
        if read.also.is_empty() { Ok(()) } else { self.others(start, read, object) }
    }

    #[inline]
    fn item(&mut self, read: &Read, object: ObjectId) -> Result<(), ReadError> {
        let known = self.arena.cell(object, read.slot);
        let cell = self.value(read, read.lists, object, known)?;
        self.arena.set(object, read.slot, cell);
        Ok(())
    }

    /// Reads a member again for the other items that share its response name.
    #[cold]
    fn others(&mut self, start: usize, read: &Read, object: ObjectId) -> Result<(), ReadError> {
        for other in &read.also {
            self.tokens.go_to(start);
            self.item(other, object)?;
        }
        Ok(())
    }

    /// Recursion is bounded by list nesting and by the depth of the tree.
    fn value(
        &mut self,
        read: &Read,
        lists: u8,
        parent: ObjectId,
        known: Cell,
    ) -> Result<Cell, ReadError> {
        let byte = self.tokens.peek()?;
        if byte == b'n' {
            self.tokens.null()?;
            return Ok(Cell::Null);
        }
        if byte == EMBEDDED_JSON
            && (lists > 0 || matches!(read.value, Value::Objects { .. }))
            && let Some(json) = self.tokens.embedded_json()
        {
            return self.embedded_value(json, read, lists, parent, known);
        }
        if let Some(lists) = lists.checked_sub(1) {
            return if byte == b'[' {
                self.list(read, lists, parent, known)
            } else {
                self.mistyped()
            };
        }
        match &read.value {
            Value::Leaf(scalar) => self.leaf(*scalar, byte),
            Value::Objects { .. } if byte != b'{' => self.mistyped(),
            Value::Objects { position, r#type, is_alone, shape } => {
                let mut begin = None;
                // Only objects that no other fetch adds members to can be shared.
                if *is_alone && known == Cell::Absent {
                    match self.look_up(read) {
                        Some(Lookup::Duplicate(object, length)) => {
                            self.arena.mark_repeated(object);
                            self.tokens.go_to(self.tokens.at() + length);
                            return Ok(Cell::Object(object));
                        }
                        Some(Lookup::First(first)) => begin = Some(first),
                        None => {}
                    }
                }
                let r#type = match (*r#type, shape.typename) {
                    (None, true) => match self.type_ahead(*position)? {
                        ObjectType::Type(r#type) => Some(r#type),
                        ObjectType::Interface => None,
                        ObjectType::Impossible => return self.mistyped(),
                    },
                    (one, _) => one,
                };
                let object = match known {
                    Cell::Object(object) => match (self.arena.object(object).r#type, r#type) {
                        (Some(known), Some(other)) if known != other => return self.mistyped(),
                        (None, Some(r#type)) => {
                            self.arena.set_type(object, r#type);
                            object
                        }
                        (Some(_) | None, _) => object,
                    },
                    Cell::Absent
                    | Cell::Null
                    | Cell::Unknown
                    | Cell::Failed(_)
                    | Cell::Leaf { .. }
                    | Cell::List { .. } => {
                        self.arena.add_object(*position, r#type, Some(parent))?
                    }
                };
                self.members(shape, object)?;
                if let Some(begin) = begin {
                    self.insert(read, begin, object);
                }
                Ok(Cell::Object(object))
            }
        }
    }

    /// Looks up whether an equal object was read before.
    #[inline]
    fn look_up(&mut self, read: &Read) -> Option<Lookup> {
        let bytes = self.tokens.comparable_bytes()?;
        self.duplicates.as_mut()?.look_up(read, bytes, self.tokens.at())
    }

    #[inline]
    fn insert(&mut self, read: &Read, begin: Candidate, object: ObjectId) {
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.insert(read, begin, self.tokens.at(), object);
        }
    }

    /// Reads a value that is stored as one JSON text, such as an array or JSON column.
    fn embedded_value(
        &mut self,
        json: Json<'f>,
        read: &Read,
        lists: u8,
        parent: ObjectId,
        known: Cell,
    ) -> Result<Cell, ReadError> {
        let Self { supergraph, tree, buffer, causes, .. } = *self;
        let mut inner = Reader::new(supergraph, tree, &mut *self.arena, json, (buffer, causes));
        let cell = inner.value(read, lists, parent, known)?;
        let Defects { values, missing, .. } = inner.defects;
        self.defects.missing = self.defects.missing.or(missing);
        self.defects.values += values;
        self.tokens.skip()?;
        Ok(cell)
    }

    fn list(
        &mut self,
        read: &Read,
        lists: u8,
        parent: ObjectId,
        known: Cell,
    ) -> Result<Cell, ReadError> {
        let known = match known {
            Cell::List { start, end } => Some((start, end)),
            Cell::Absent
            | Cell::Null
            | Cell::Unknown
            | Cell::Failed(_)
            | Cell::Leaf { .. }
            | Cell::Object(_) => None,
        };
        let begin = self.arena.open_list();
        if self.tokens.begin(b'[', b']')? {
            loop {
                let before = known.and_then(|(start, end)| {
                    self.arena.list(start, end).get(self.arena.open_length(begin)).copied()
                });
                let before = before.unwrap_or(Cell::Absent);
                let cell = self.value(read, lists, parent, before)?;
                let keeps = before.is_value() && !cell.is_value();
                self.arena.push(if keeps { before } else { cell })?;
                if !self.tokens.next(b']')? {
                    break;
                }
            }
        }
        if known.is_some_and(|(start, end)| (end - start) as usize != self.arena.open_length(begin))
        {
            // Two subgraphs returned lists of different lengths for one field, so the elements
            // cannot be matched.
            return Err(ReadError::Mismatch);
        }
        Ok(self.arena.close_list(begin)?)
    }

    #[inline]
    fn leaf(&mut self, scalar: Scalar, byte: u8) -> Result<Cell, ReadError> {
        let Some((start, end)) = self.tokens.leaf(scalar, byte)? else { return self.mistyped() };
        // Responses are limited far below.
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Ok(Cell::Leaf { buffer: self.buffer, start: narrow(start), end: narrow(end) })
    }

    /// Records a value that does not have its type, and skips it.
    #[cold]
    fn mistyped(&mut self) -> Result<Cell, ReadError> {
        self.tokens.peek()?;
        self.defects.values += 1;
        self.tokens.skip()?;
        Ok(Cell::Failed(CauseId::VALUE))
    }

    /// Returns the type of the next object without consuming it.
    pub(super) fn type_ahead(&mut self, position: PositionId) -> Result<ObjectType, ReadError> {
        let start = self.tokens.at();
        let mut found = ObjectType::Impossible;
        if self.tokens.begin(b'{', b'}')? {
            loop {
                let is_type = self.tokens.take_typename() || self.tokens.name()? == b"__typename";
                if is_type && self.tokens.peek()? == b'"' {
                    let name = self.tokens.quoted()?;
                    found = self.object_type(position, name);
                    break;
                }
                self.tokens.skip()?;
                if !self.tokens.next(b'}')? {
                    break;
                }
            }
        }
        self.tokens.go_to(start);
        Ok(found)
    }

    /// Whether an abstract type has possible types in common with a position.
    fn overlaps(&self, own: TypeId, position: PositionId) -> bool {
        let Self { supergraph, tree, .. } = self;
        let is_abstract = supergraph.is_composite(own) && !supergraph.is_object(own);
        is_abstract && supergraph.possible(own).intersects(&tree.position(position).possible)
    }

    fn object_type(&mut self, position: PositionId, name: &[u8]) -> ObjectType {
        let schema = &self.supergraph.schema;
        let last = self.last.filter(|last| schema[*last].name.as_bytes() == name);
        let known = last.or_else(|| schema.find_type(std::str::from_utf8(name).ok()?));
        self.last = known.or(self.last);
        match known {
            Some(own) if self.supergraph.contains(&self.tree.position(position).possible, own) => {
                ObjectType::Type(own)
            }
            // A subgraph with an interface object returns the name of the interface.
            Some(own) if self.overlaps(own, position) => ObjectType::Interface,
            Some(_) | None => ObjectType::Impossible,
        }
    }
}

/// Finds a member by its name, which may be escaped.
fn find<'s>(
    mut all: impl Iterator<Item = (usize, &'s Read)>,
    name: &[u8],
) -> Option<(usize, &'s Read)> {
    if !name.contains(&b'\\') {
        return all.find(|(_, read)| read.name() == name);
    }
    let quoted = [b"\"", name, b"\""].concat();
    let name: String = serde_json_bytes::serde_json::from_slice(&quoted).ok()?;
    all.find(|(_, read)| read.name() == name.as_bytes())
}

/// Set of the members read so far, by index.
#[derive(Debug, Default)]
struct Seen {
    /// Bits of the first 64.
    first: u64,
    /// Bits of the others.
    others: Vec<u64>,
}

impl Seen {
    /// Adds a member; an error if it is there already.
    #[inline]
    fn see(&mut self, place: usize) -> Result<(), ReadError> {
        const BITS: usize = u64::BITS as usize;
        let word = match (place / BITS).checked_sub(1) {
            None => &mut self.first,
            Some(other) => {
                self.others.resize(self.others.len().max(other + 1), 0);
                &mut self.others[other]
            }
        };
        let bit = 1 << (place % BITS);
        if *word & bit != 0 {
            return Err(ReadError::DuplicateMember);
        }
        *word |= bit;
        Ok(())
    }

    fn has(&self, place: usize) -> bool {
        const BITS: usize = u64::BITS as usize;
        let word = match (place / BITS).checked_sub(1) {
            None => Some(&self.first),
            Some(other) => self.others.get(other),
        };
        word.is_some_and(|word| word >> (place % BITS) & 1 == 1)
    }
}
