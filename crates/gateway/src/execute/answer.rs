//! Body of a subgraph response: `data` and `errors`, from JSON text or recorded values.
//! <https://spec.graphql.org/draft/#sec-Response-Format>

use super::arena::{Cell, Object, ObjectId};
use super::copy::copy;
use super::feed::Feed;
use super::json::{Json, Span};
use super::read::{Reader, Said, Unread};
use super::represent::Owner;
use super::request::{Asked, Part};
use super::tell::typename_at;
use crate::plan::{Entities, Fetch, Shape, entities_key};

/// Top-level members of a response.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    /// Offset of `data`, unless it is null.
    pub(super) data: Option<usize>,
    /// Whether the data of the root, or all lists of entities, are present.
    pub(super) is_whole: bool,
    /// Span of `errors`, if it is a list.
    pub(super) errors: Option<Span>,
}

/// Reads a JSON response. After an error its contents must be rolled back.
pub(super) fn read(
    reader: &mut Reader<'_, Json<'_>>,
    fetch: &Fetch,
    asked: &Asked,
    part: &Part,
) -> Result<Parts, Unread> {
    let mut parts = Parts::default();
    let (mut has_data, mut has_errors) = (false, false);
    if reader.feed.begin(b'{', b'}')? {
        loop {
            let name = reader.feed.name()?;
            let byte = reader.feed.peek()?;
            match name {
                b"data" => {
                    if std::mem::replace(&mut has_data, true) {
                        return Err(Unread::Twice);
                    }
                    match byte {
                        b'n' => reader.feed.null()?,
                        b'{' => {
                            parts.data = Some(reader.feed.at());
                            parts.is_whole = data(reader, fetch, asked, part)?;
                        }
                        _ => return Err(Unread::Unfit),
                    }
                }
                b"errors" => {
                    if std::mem::replace(&mut has_errors, true) {
                        return Err(Unread::Twice);
                    }
                    let start = reader.feed.at();
                    reader.feed.skip()?;
                    let span = (start, reader.feed.at());
                    match byte {
                        b'n' => {}
                        b'[' => parts.errors = Some(span),
                        _ => return Err(Unread::Unfit),
                    }
                }
                _ => drop(reader.feed.skip()?),
            }
            if !reader.feed.next(b'}')? {
                break;
            }
        }
    }
    if !reader.feed.is_at_end() {
        return Err(Unread::NoJson);
    }
    // Without errors there is no reason for missing data.
    if parts.data.is_some() && parts.errors.is_none() && !parts.is_whole {
        return Err(Unread::Unfit);
    }
    Ok(parts)
}

/// Reads recorded values, which are the data only.
pub(super) fn read_recorded<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    fetch: &Fetch,
    asked: &Asked,
    part: &Part,
    has_errors: bool,
) -> Result<Parts, Unread> {
    let start = match reader.feed.peek()? {
        b'n' => return Ok(Parts::default()),
        b'{' => reader.feed.at(),
        _ => return Err(Unread::Unfit),
    };
    let is_whole = data(reader, fetch, asked, part)?;
    if !is_whole && !has_errors {
        return Err(Unread::Unfit);
    }
    Ok(Parts { data: Some(start), is_whole, errors: None })
}

/// Reads `data`; returns whether all lists of entities are present.
fn data<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    fetch: &Fetch,
    asked: &Asked,
    part: &Part,
) -> Result<bool, Unread> {
    if let Some(root) = &fetch.root {
        root_objects(reader, &root.shape, &asked.roots)?;
        return Ok(true);
    }
    let lists = part.lists();
    let mut seen = vec![false; lists];
    if reader.feed.begin(b'{', b'}')? {
        loop {
            let name = reader.feed.name()?;
            let list = (0..lists).find(|place| entities_key(*place, lists).as_bytes() == name);
            match list.and_then(|place| Some((place, planned(fetch, asked, part, place)?))) {
                None => reader.feed.skip()?,
                Some((place, _)) if seen.get(place) == Some(&true) => return Err(Unread::Twice),
                Some((place, list)) => match reader.feed.peek()? {
                    b'n' => reader.feed.null()?,
                    b'[' => {
                        entities(reader, list, asked, part, part.list(place))?;
                        seen[place] = true;
                    }
                    _ => return Err(Unread::Unfit),
                },
            }
            if !reader.feed.next(b'}')? {
                break;
            }
        }
    }
    Ok(seen.iter().all(|seen| *seen))
}

/// Returns the list of entities at this index of the document.
fn planned<'f>(
    fetch: &'f Fetch,
    asked: &'f Asked,
    part: &Part,
    place: usize,
) -> Option<&'f Entities> {
    asked.entities(fetch, part.list(place))
}

/// Reads the data of a root type, for all root objects of the fetch.
fn root_objects<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    shape: &Shape,
    roots: &[ObjectId],
) -> Result<(), Unread> {
    let start = reader.feed.at();
    let Some((first, others)) = roots.split_first() else {
        reader.feed.skip()?;
        return Ok(());
    };
    reader.members(shape, *first)?;
    let end = reader.feed.at();
    for other in others {
        if !copy(reader.arena, (*first, shape), (*other, shape))? {
            again(reader, start, shape, *other)?;
        }
    }
    reader.feed.go_to(end);
    Ok(())
}

/// Reads the same data for another object.
fn again<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    start: usize,
    shape: &Shape,
    object: ObjectId,
) -> Result<(), Unread> {
    reader.feed.go_to(start);
    reader.members(shape, object)
}

/// Reads a list of entities. A wrong number of entities is an error, since they could not be
/// assigned to their representations.
fn entities<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    list: &Entities,
    asked: &Asked,
    part: &Part,
    place: usize,
) -> Result<(), Unread> {
    let length = Unread::Length { asked: part.len(place) };
    let mut index = 0;
    if reader.feed.begin(b'[', b']')? {
        loop {
            let owners = part.owners(asked, place, index).ok_or(length)?;
            match reader.feed.peek()? {
                b'n' => {
                    reader.feed.null()?;
                    miss(reader, list, owners, Cell::Unknown);
                }
                b'{' => entity(reader, list, owners)?,
                _ => wrong(reader, list, owners)?,
            }
            index += 1;
            if !reader.feed.next(b']')? {
                break;
            }
        }
    }
    if index == part.len(place) { Ok(()) } else { Err(length) }
}

/// Reads an entity for its first object, and copies it to the others.
fn entity<'f, F: Feed<'f>>(
    reader: &mut Reader<'_, F>,
    list: &Entities,
    owners: &[Owner],
) -> Result<(), Unread> {
    let start = reader.feed.at();
    let Some((first, others)) = owners.split_first() else {
        reader.feed.skip()?;
        return Ok(());
    };
    if list.typename {
        for owner in owners {
            if !learn_type(reader, list, *owner)? {
                return wrong(reader, list, owners);
            }
        }
    }
    let shape_of = |reader: &Reader<'_, F>, owner: &Owner| {
        list.shape(owner.entry, reader.arena.object(owner.object).r#type)
    };
    let read = shape_of(reader, first);
    match read {
        Some((_, shape)) => reader.members(shape, first.object)?,
        None => reader.feed.skip()?,
    }
    let end = reader.feed.at();
    for other in others {
        let Some((base, shape)) = shape_of(reader, other) else { continue };
        let is_copied = match read {
            // The same type has the same selection.
            Some((known, read)) if known == base => {
                copy(reader.arena, (first.object, read), (other.object, shape))?
            }
            Some(_) | None => false,
        };
        if !is_copied {
            again(reader, start, shape, other.object)?;
        }
    }
    reader.feed.go_to(end);
    Ok(())
}

/// Handles an entity that is not an object of a requested type: all its fields have failed.
#[cold]
fn wrong<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    list: &Entities,
    owners: &[Owner],
) -> Result<(), Unread> {
    reader.feed.peek()?;
    reader.feed.skip()?;
    if let Some(owner) = owners.first() {
        reader.wrong.entity.get_or_insert(owner.object);
    }
    miss(reader, list, owners, Cell::Failed(reader.causes.entity));
    Ok(())
}

/// Sets all absent fields of these objects to a cell without a value.
#[cold]
fn miss<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    list: &Entities,
    owners: &[Owner],
    instead: Cell,
) {
    for Owner { entry, object } in owners {
        let Object { r#type: own, position, .. } = *reader.arena.object(*object);
        let typename = typename_at(reader.tree, position).filter(|_| own.is_none());
        let typename = typename.map(|item| reader.arena.slot(item));
        let shapes = list.shapes(*entry, own).iter();
        let reads = shapes.flat_map(|(_, shape)| shape.reads_of(own)).map(|read| read.slot);
        for slot in reads.chain(typename) {
            if reader.arena.cell(*object, slot) == Cell::Absent {
                reader.arena.set(*object, slot, instead);
            }
        }
    }
}

/// Reads `__typename` of an entity that was represented by an interface type; returns `false` if
/// the type is impossible here.
fn learn_type<'f>(
    reader: &mut Reader<'_, impl Feed<'f>>,
    list: &Entities,
    owner: Owner,
) -> Result<bool, Unread> {
    let entry = list.entries.get(owner.entry as usize);
    let is_known = reader.arena.object(owner.object).r#type.is_some();
    if is_known || entry.is_none_or(|entry| entry.on.is_none()) {
        return Ok(true);
    }
    let position = reader.arena.object(owner.object).position;
    match reader.type_ahead(position)? {
        Said::Type(r#type) => reader.arena.set_type(owner.object, r#type),
        Said::Interface => {}
        Said::Impossible => return Ok(false),
    }
    Ok(true)
}
