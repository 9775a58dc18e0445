//! Representations of entities, deduplicated.

use ahash::RandomState;
use graphql::schema::TypeId;
use hashbrown::HashTable;

use super::arena::{Arena, Cell, ObjectId, PREFIX_BYTES};
use super::cause::CauseId;
use super::map_errors::typename_at;
use crate::outline::{ItemId, ItemKind, Tree};
use crate::plan::{Entities, Entry, Form, Member, Nesting};
use supergraph::Supergraph;

/// Representations of a list of entities, with the objects that each stands for.
#[derive(Debug, Default)]
pub(super) struct Representations {
    pub(super) texts: Texts,
    /// Objects by representation.
    owners: Vec<Owner>,
    /// Index of the first owner of each representation; one more entry marks the end.
    first: Vec<u32>,
    /// Representations that are still to be fetched.
    pub(super) left: Vec<u32>,
}

/// An object that a representation stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    /// Index of its entry in the list.
    pub(super) entry: u32,
    pub(super) object: ObjectId,
}

impl Representations {
    /// Objects of one representation.
    pub(super) fn owners(&self, text: u32) -> &[Owner] {
        let end = |text: u32| self.first.get(text as usize).copied().unwrap_or_default() as usize;
        self.owners.get(end(text)..end(text + 1)).unwrap_or_default()
    }

    /// Returns the representations of a subset of the objects, in groups of one representation.
    pub(super) fn part(&self, some: &[(u32, Owner)]) -> Self {
        let mut part = Self::default();
        let mut found = Vec::with_capacity(some.len());
        for (text, owner) in some {
            part.texts.bytes.extend_from_slice(self.texts.text(*text));
            found.push((part.texts.end(), *owner));
        }
        part.group(&found);
        part.leave_all();
        part
    }

    fn leave_all(&mut self) {
        // Requests are limited far below.
        self.left = (0..u32::try_from(self.texts.len()).unwrap_or(u32::MAX)).collect();
    }

    /// All objects, grouped by representation.
    pub(super) fn all_owners(&self) -> &[Owner] {
        &self.owners
    }

    /// Groups objects by their representation.
    fn group(&mut self, found: &[(u32, Owner)]) {
        let mut first = vec![0; self.texts.len() + 1];
        for (text, _) in found {
            first[*text as usize + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let Some((_, owner)) = found.first() else { return };
        let mut next = first.clone();
        self.owners = vec![*owner; found.len()];
        for (text, owner) in found {
            let place = &mut next[*text as usize];
            self.owners[*place as usize] = *owner;
            *place += 1;
        }
        self.first = first;
    }
}

/// Distinct texts in one buffer.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Offset of the end of each text.
    ends: Vec<usize>,
    /// Hash table of the texts. The values come from databases that others can write, so the hash
    /// is keyed against collision attacks.
    known: HashTable<u32>,
    state: RandomState,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Total length of all texts.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn text(&self, place: u32) -> &[u8] {
        text(&self.bytes, &self.ends, place)
    }

    /// Returns the index of a text.
    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        let hash = self.state.hash_one(text);
        self.known.find(hash, |place| self.text(*place) == text).copied()
    }

    /// Ends the text that was written last and returns its index, or that of an equal text.
    fn end(&mut self) -> u32 {
        let start = self.ends.last().copied().unwrap_or_default();
        let Self { bytes, ends, known, state } = self;
        let new = bytes.get(start..).unwrap_or_default();
        let hash = state.hash_one(new);
        if let Some(place) = known.find(hash, |place| text(bytes, ends, *place) == new) {
            let place = *place;
            bytes.truncate(start);
            return place;
        }
        // Requests are limited far below.
        let place = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        ends.push(bytes.len());
        known.insert_unique(hash, place, |place| state.hash_one(text(bytes, ends, *place)));
        place
    }

    /// Discards what was written since the last text.
    fn cancel(&mut self) {
        self.bytes.truncate(self.ends.last().copied().unwrap_or_default());
    }

    /// Returns the representations of some objects, without those that have none; and for each the
    /// first of its objects.
    pub(super) fn of(
        supergraph: &Supergraph,
        arena: &Arena,
        form: &Form,
        name: TypeId,
        objects: impl Iterator<Item = ObjectId>,
    ) -> (Self, Vec<ObjectId>) {
        let (mut texts, mut of) = (Self::default(), Vec::new());
        let writer = RepresentationWriter { supergraph, tree: None, arena };
        let mut writer = CachedWriter::new(writer, form, name);
        for object in objects {
            if writer.write(object, &mut texts).is_ok_and(|text| text as usize == of.len()) {
                of.push(object);
            }
        }
        (texts, of)
    }
}

fn text<'t>(bytes: &'t [u8], ends: &[usize], place: u32) -> &'t [u8] {
    let end = |place: usize| ends.get(place).copied().unwrap_or_default();
    let place = place as usize;
    bytes.get(place.checked_sub(1).map_or(0, end)..end(place)).unwrap_or_default()
}

/// Reason why an object has no representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unrepresentable {
    /// A nullable key is null: there is no entity to fetch.
    NoKey,
    /// A non-null value of an object is null.
    Null(ObjectId, ItemId),
    /// A non-null value of an object is in no response.
    Unknown(ObjectId, ItemId),
    /// A value failed.
    Failed(CauseId, ItemId),
}

/// Objects without a representation.
#[derive(Debug, Default)]
pub(super) struct Unrepresented {
    /// Objects without a key.
    pub(super) keyless: Vec<Owner>,
    /// Objects that lack some inputs.
    pub(super) partial: Vec<Owner>,
}

/// Returns the deduplicated representations of a list of entities.
pub(super) fn representations(
    writer: RepresentationWriter<'_>,
    list: &Entities,
    unrepresented: &mut Unrepresented,
) -> Representations {
    let objects = |entry: &Entry| writer.arena.objects_at(entry.position);
    representations_of(writer, list, objects, unrepresented)
}

/// Returns the representations of some objects of each entry.
pub(super) fn representations_of<'o>(
    writer: RepresentationWriter<'_>,
    list: &Entities,
    objects: impl Fn(&Entry) -> &'o [ObjectId],
    unrepresented: &mut Unrepresented,
) -> Representations {
    let mut all = Representations::default();
    let mut found = Vec::new();
    for (place, entry) in (0..).zip(&list.entries) {
        let mut writers: Vec<(TypeId, CachedWriter<'_>)> = Vec::new();
        for object in objects(entry) {
            let owner = Owner { entry: place, object: *object };
            let name = match type_name(writer.supergraph, writer.arena, entry, *object) {
                TypeName::Type(name) => name,
                TypeName::Unknown => {
                    unrepresented.partial.push(owner);
                    continue;
                }
                TypeName::Other => continue,
            };
            let known = writers.iter().position(|(of, _)| *of == name);
            let known = known.unwrap_or_else(|| {
                writers.push((name, CachedWriter::new(writer, &entry.form, name)));
                writers.len() - 1
            });
            match writers[known].1.write(*object, &mut all.texts) {
                Ok(text) => found.push((text, owner)),
                Err(Unrepresentable::NoKey) if entry.keys.len() == 1 => {
                    unrepresented.keyless.push(owner)
                }
                Err(
                    Unrepresentable::NoKey
                    | Unrepresentable::Null(..)
                    | Unrepresentable::Unknown(..)
                    | Unrepresentable::Failed(..),
                ) => unrepresented.partial.push(owner),
            }
        }
    }
    all.group(&found);
    all.leave_all();
    all
}

/// Number of slots of the cache.
const CACHE_SLOTS: usize = 32;

/// Writer of the representations of one type, with a cache.
struct CachedWriter<'s> {
    writer: RepresentationWriter<'s>,
    form: &'s Form,
    /// Common prefix of all representations.
    head: Vec<u8>,
    /// Slots of the members, if all members are leaves.
    slots: Vec<u32>,
    /// Direct-mapped cache of objects with their texts, by a hash of their leaves: many objects of
    /// a response are few entities, whose texts need not be written again.
    cache: [Option<(ObjectId, u32)>; CACHE_SLOTS],
}

impl<'s> CachedWriter<'s> {
    fn new(writer: RepresentationWriter<'s>, form: &'s Form, name: TypeId) -> Self {
        let is_flat = form.members.iter().all(|member| member.below.is_empty());
        let members = form.members.iter().filter(|_| is_flat);
        let slots = members.map(|member| writer.arena.slot(member.item)).collect();
        Self { writer, form, head: writer.head(name), slots, cache: [None; CACHE_SLOTS] }
    }

    /// Writes the representation of an object and returns its index.
    fn write(&mut self, object: ObjectId, texts: &mut Texts) -> Result<u32, Unrepresentable> {
        let place = self.place(object);
        let known = place.and_then(|place| self.cache[place]);
        if let Some((_, text)) = known.filter(|(known, _)| self.is_same(*known, object)) {
            return Ok(text);
        }
        if let Err(why) = self.writer.text(self.form, &self.head, object, &mut texts.bytes) {
            texts.cancel();
            return Err(why);
        }
        let text = texts.end();
        if let Some(place) = place {
            self.cache[place] = Some((object, text));
        }
        Ok(text)
    }

    /// Cache slot of an object; `None` if a member is not a leaf.
    #[inline]
    fn place(&self, object: ObjectId) -> Option<usize> {
        // A large odd number, so that the highest bits depend on all bits.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let arena = self.writer.arena;
        let cells = arena.cells_of(arena.object(object));
        let mut hash = 0_u64;
        for slot in &self.slots {
            let cell = *cells.get(*slot as usize)?;
            let (length, begin) = arena.prefix_of(cell)?;
            hash = (hash ^ begin).wrapping_mul(SPREAD);
            if length > PREFIX_BYTES {
                // Long texts often have the same prefix.
                let end = arena.leaf_of(cell).and_then(<[u8]>::last_chunk);
                hash = (hash ^ end.map_or(0, |end| u64::from_le_bytes(*end))).wrapping_mul(SPREAD);
            }
        }
        let place = hash >> (u64::BITS - CACHE_SLOTS.ilog2());
        usize::try_from(place).ok().filter(|_| !self.slots.is_empty())
    }

    /// Whether two objects have the same leaves.
    #[inline]
    fn is_same(&self, one: ObjectId, other: ObjectId) -> bool {
        let arena = self.writer.arena;
        let (one, other) = (arena.object(one), arena.object(other));
        let (one, other) = (arena.cells_of(one), arena.cells_of(other));
        self.slots.iter().all(|slot| {
            let slot = *slot as usize;
            let (Some(one), Some(other)) = (one.get(slot), other.get(slot)) else { return false };
            let begin = arena.prefix_of(*one);
            begin == arena.prefix_of(*other)
                && begin.is_some_and(|(length, _)| {
                    length <= PREFIX_BYTES || arena.leaf_of(*one) == arena.leaf_of(*other)
                })
        })
    }
}

/// Type name in the representation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypeName {
    Type(TypeId),
    /// The runtime type is unknown.
    Unknown,
    /// The object's type is not one of the entry.
    Other,
}

pub(super) fn type_name(
    supergraph: &Supergraph,
    arena: &Arena,
    entry: &Entry,
    object: ObjectId,
) -> TypeName {
    match (entry.on, arena.object(object).r#type) {
        (_, Some(own)) if !supergraph.contains(&entry.types, own) => TypeName::Other,
        (Some(on), _) => TypeName::Type(on),
        (None, Some(own)) => TypeName::Type(own),
        (None, None) => TypeName::Unknown,
    }
}

/// Writes objects by representation forms.
#[derive(Clone, Copy)]
pub(super) struct RepresentationWriter<'f> {
    pub(super) supergraph: &'f Supergraph,
    /// With the tree, absent nullable values are written as null; without it they are an error.
    pub(super) tree: Option<&'f Tree>,
    pub(super) arena: &'f Arena,
}

impl RepresentationWriter<'_> {
    /// Writes a representation behind its type.
    fn text(
        &self,
        form: &Form,
        head: &[u8],
        object: ObjectId,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        text.extend_from_slice(head);
        self.members(form, object, false, text)?;
        text.push(b'}');
        Ok(())
    }

    /// Returns the common prefix of the representations of a type.
    fn head(&self, name: TypeId) -> Vec<u8> {
        let mut head = b"{".to_vec();
        self.r#type(name, &mut head);
        head
    }

    fn r#type(&self, name: TypeId, text: &mut Vec<u8>) {
        text.extend_from_slice(b"\"__typename\":\"");
        text.extend_from_slice(self.supergraph.schema[name].name.as_bytes());
        text.push(b'"');
    }

    /// Writes the members of an object by a form.
    pub(super) fn members(
        &self,
        form: &Form,
        object: ObjectId,
        mut is_first: bool,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        for member in &form.members {
            let cell = self.arena.cell_of(object, member.item);
            if member.is_key && cell == Cell::Null && !member.is_non_null {
                return Err(Unrepresentable::NoKey);
            }
            let separator = usize::from(std::mem::take(&mut is_first));
            text.extend_from_slice(member.prefix.get(separator..).unwrap_or_default());
            self.value((object, member), 0, cell, text)?;
        }
        Ok(())
    }

    /// Writes a cell. Absent values are null: if that is not allowed, the nearest enclosing value
    /// that may be null is. Keys must be complete. Recursion is bounded by the nesting of field
    /// sets and of lists.
    fn value(
        &self,
        (of, member): (ObjectId, &Member),
        level: u8,
        cell: Cell,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        let start = text.len();
        let result = match cell {
            Cell::Leaf { buffer, start, end } => {
                text.extend_from_slice(self.arena.leaf(buffer, start, end));
                return Ok(());
            }
            Cell::Failed(cause) => return Err(Unrepresentable::Failed(cause, member.item)),
            Cell::Null if member.is_key && level > 0 => {
                text.extend_from_slice(b"null");
                return Ok(());
            }
            Cell::Absent | Cell::Unknown if self.tree.is_none() => {
                return Err(Unrepresentable::NoKey);
            }
            Cell::Absent | Cell::Unknown => Err(Unrepresentable::Unknown(of, member.item)),
            Cell::Null => Err(Unrepresentable::Null(of, member.item)),
            Cell::List { start, end } => self.list((of, member), level, (start, end), text),
            Cell::Object(below) => self.object(below, member, text),
        };
        let may_be_null = match result {
            Err(Unrepresentable::Unknown(..)) => true,
            Err(Unrepresentable::Null(..)) => cell == Cell::Null,
            Ok(()) | Err(Unrepresentable::NoKey | Unrepresentable::Failed(..)) => false,
        };
        match result {
            Err(_) if may_be_null && !member.is_key && !self.is_non_null(member, level) => {
                text.truncate(start);
                text.extend_from_slice(b"null");
                Ok(())
            }
            result => result,
        }
    }

    fn list(
        &self,
        of: (ObjectId, &Member),
        level: u8,
        (start, end): (u32, u32),
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        text.push(b'[');
        for (place, cell) in self.arena.list(start, end).iter().enumerate() {
            if place > 0 {
                text.push(b',');
            }
            self.value(of, level + 1, *cell, text)?;
        }
        text.push(b']');
        Ok(())
    }

    fn object(
        &self,
        object: ObjectId,
        member: &Member,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        let own: Option<TypeId> = self.arena.object(object).r#type;
        let form = match own {
            Some(own) => {
                let mut below = member.below.iter();
                below.find(|(types, _)| self.supergraph.contains(types, own))
            }
            None => member.below.first(),
        };
        text.push(b'{');
        if let Some((_, form)) = form {
            if form.typename {
                let Some(own) = own else { return Err(self.untyped(object, member)) };
                self.r#type(own, text);
            }
            self.members(form, object, !form.typename, text)?;
        }
        text.push(b'}');
        Ok(())
    }

    /// Returns the reason if a member needs a runtime type that is unknown.
    #[cold]
    fn untyped(&self, object: ObjectId, member: &Member) -> Unrepresentable {
        let position = self.arena.object(object).position;
        let typename = self.tree.and_then(|tree| typename_at(tree, position));
        match typename.map(|item| (item, self.arena.cell_of(object, item))) {
            Some((item, Cell::Failed(cause))) => Unrepresentable::Failed(cause, item),
            Some((item, _)) => Unrepresentable::Unknown(object, item),
            None => Unrepresentable::Unknown(object, member.item),
        }
    }

    /// Whether the value within this many lists is non-null.
    #[cold]
    fn is_non_null(&self, member: &Member, level: u8) -> bool {
        let kind = self.tree.map(|tree| &tree.item(member.item).kind);
        match kind {
            Some(ItemKind::Field { field, .. }) => {
                Nesting::new(self.supergraph.schema[*field].r#type).is_non_null(level)
            }
            Some(ItemKind::Typename | ItemKind::Introspection) | None => {
                member.is_non_null && level == 0
            }
        }
    }
}

/// Writes a cell as the JSON of a context argument; `object` writes objects. Recursion is bounded
/// by list nesting.
pub(super) fn write_cell(
    arena: &Arena,
    (cell, item): (Cell, ItemId),
    object: &impl Fn(ObjectId, &mut Vec<u8>) -> Result<(), Unrepresentable>,
    text: &mut Vec<u8>,
) -> Result<(), Unrepresentable> {
    match cell {
        Cell::Failed(cause) => return Err(Unrepresentable::Failed(cause, item)),
        Cell::Absent | Cell::Null | Cell::Unknown => text.extend_from_slice(b"null"),
        Cell::Leaf { buffer, start, end } => {
            text.extend_from_slice(arena.leaf(buffer, start, end));
        }
        Cell::List { start, end } => {
            text.push(b'[');
            for (place, cell) in arena.list(start, end).iter().enumerate() {
                if place > 0 {
                    text.push(b',');
                }
                write_cell(arena, (*cell, item), object, text)?;
            }
            text.push(b']');
        }
        Cell::Object(id) => object(id, text)?,
    }
    Ok(())
}
