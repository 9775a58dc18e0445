//! Body of a subgraph response: `data` and `errors`, from JSON text or recorded values.
//! <https://spec.graphql.org/draft/#sec-Response-Format>

use super::arena::{Cell, Object, ObjectId};
use super::copy::copy;
use super::json::{Json, Span};
use super::map_errors::typename_at;
use super::read::{ObjectType, ReadError, Reader};
use super::represent::Owner;
use super::request::{Batch, FetchInputs};
use super::tokens::TokenReader;
use crate::plan::{Entities, Fetch, Shape, entities_key};

/// Top-level members of a response.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Envelope {
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
    fetch_inputs: &FetchInputs,
    batch: &Batch,
) -> Result<Envelope, ReadError> {
    let mut envelope = Envelope::default();
    let (mut has_data, mut has_errors) = (false, false);
    if reader.tokens.begin(b'{', b'}')? {
        loop {
            let name = reader.tokens.name()?;
            let byte = reader.tokens.peek()?;
            match name {
                b"data" => {
                    if std::mem::replace(&mut has_data, true) {
                        return Err(ReadError::DuplicateMember);
                    }
                    match byte {
                        b'n' => reader.tokens.null()?,
                        b'{' => {
                            envelope.data = Some(reader.tokens.at());
                            envelope.is_whole = data(reader, fetch, fetch_inputs, batch)?;
                        }
                        _ => return Err(ReadError::Mismatch),
                    }
                }
                b"errors" => {
                    if std::mem::replace(&mut has_errors, true) {
                        return Err(ReadError::DuplicateMember);
                    }
                    let start = reader.tokens.at();
                    reader.tokens.skip()?;
                    let span = (start, reader.tokens.at());
                    match byte {
                        b'n' => {}
                        b'[' => envelope.errors = Some(span),
                        _ => return Err(ReadError::Mismatch),
                    }
                }
                _ => drop(reader.tokens.skip()?),
            }
            if !reader.tokens.next(b'}')? {
                break;
            }
        }
    }
    if !reader.tokens.is_at_end() {
        return Err(ReadError::InvalidJson);
    }
    // Without errors there is no reason for missing data.
    if envelope.data.is_some() && envelope.errors.is_none() && !envelope.is_whole {
        return Err(ReadError::Mismatch);
    }
    Ok(envelope)
}

/// Reads recorded values, which are the data only.
pub(super) fn read_recorded<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    fetch: &Fetch,
    fetch_inputs: &FetchInputs,
    batch: &Batch,
    has_errors: bool,
) -> Result<Envelope, ReadError> {
    let start = match reader.tokens.peek()? {
        b'n' => return Ok(Envelope::default()),
        b'{' => reader.tokens.at(),
        _ => return Err(ReadError::Mismatch),
    };
    let is_whole = data(reader, fetch, fetch_inputs, batch)?;
    if !is_whole && !has_errors {
        return Err(ReadError::Mismatch);
    }
    Ok(Envelope { data: Some(start), is_whole, errors: None })
}

/// Reads `data`; returns whether all lists of entities are present.
fn data<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    fetch: &Fetch,
    fetch_inputs: &FetchInputs,
    batch: &Batch,
) -> Result<bool, ReadError> {
    if let Some(root) = &fetch.root {
        root_objects(reader, &root.shape, &fetch_inputs.roots)?;
        return Ok(true);
    }
    let lists = batch.lists();
    let mut seen = vec![false; lists];
    if reader.tokens.begin(b'{', b'}')? {
        loop {
            let name = reader.tokens.name()?;
            let list = (0..lists).find(|place| entities_key(*place, lists).as_bytes() == name);
            match list.and_then(|place| Some((place, planned(fetch, fetch_inputs, batch, place)?)))
            {
                None => reader.tokens.skip()?,
                Some((place, _)) if seen.get(place) == Some(&true) => {
                    return Err(ReadError::DuplicateMember);
                }
                Some((place, list)) => match reader.tokens.peek()? {
                    b'n' => reader.tokens.null()?,
                    b'[' => {
                        entities(reader, list, fetch_inputs, batch, batch.list(place))?;
                        seen[place] = true;
                    }
                    _ => return Err(ReadError::Mismatch),
                },
            }
            if !reader.tokens.next(b'}')? {
                break;
            }
        }
    }
    Ok(seen.iter().all(|seen| *seen))
}

/// Returns the list of entities at this index of the document.
fn planned<'f>(
    fetch: &'f Fetch,
    fetch_inputs: &'f FetchInputs,
    batch: &Batch,
    place: usize,
) -> Option<&'f Entities> {
    fetch_inputs.entities(fetch, batch.list(place))
}

/// Reads the data of a root type, for all root objects of the fetch.
fn root_objects<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    shape: &Shape,
    roots: &[ObjectId],
) -> Result<(), ReadError> {
    let start = reader.tokens.at();
    let Some((first, others)) = roots.split_first() else {
        reader.tokens.skip()?;
        return Ok(());
    };
    reader.members(shape, *first)?;
    let end = reader.tokens.at();
    for other in others {
        if !copy(reader.arena, (*first, shape), (*other, shape))? {
            again(reader, start, shape, *other)?;
        }
    }
    reader.tokens.go_to(end);
    Ok(())
}

/// Reads the same data for another object.
fn again<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    start: usize,
    shape: &Shape,
    object: ObjectId,
) -> Result<(), ReadError> {
    reader.tokens.go_to(start);
    reader.members(shape, object)
}

/// Reads a list of entities. A wrong number of entities is an error, since they could not be
/// assigned to their representations.
fn entities<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    list: &Entities,
    fetch_inputs: &FetchInputs,
    batch: &Batch,
    place: usize,
) -> Result<(), ReadError> {
    let length = ReadError::Length { expected: batch.len(place) };
    let mut index = 0;
    if reader.tokens.begin(b'[', b']')? {
        loop {
            let owners = batch.owners(fetch_inputs, place, index).ok_or(length)?;
            match reader.tokens.peek()? {
                b'n' => {
                    reader.tokens.null()?;
                    miss(reader, list, owners, Cell::Unknown);
                }
                b'{' => entity(reader, list, owners)?,
                _ => invalid_entity(reader, list, owners)?,
            }
            index += 1;
            if !reader.tokens.next(b']')? {
                break;
            }
        }
    }
    if index == batch.len(place) { Ok(()) } else { Err(length) }
}

/// Reads an entity for its first object, and copies it to the others.
fn entity<'f, F: TokenReader<'f>>(
    reader: &mut Reader<'_, F>,
    list: &Entities,
    owners: &[Owner],
) -> Result<(), ReadError> {
    let start = reader.tokens.at();
    let Some((first, others)) = owners.split_first() else {
        reader.tokens.skip()?;
        return Ok(());
    };
    if list.typename {
        for owner in owners {
            if !learn_type(reader, list, *owner)? {
                return invalid_entity(reader, list, owners);
            }
        }
    }
    let shape_of = |reader: &Reader<'_, F>, owner: &Owner| {
        list.shape(owner.entry, reader.arena.object(owner.object).r#type)
    };
    let read = shape_of(reader, first);
    match read {
        Some((_, shape)) => reader.members(shape, first.object)?,
        None => reader.tokens.skip()?,
    }
    let end = reader.tokens.at();
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
    reader.tokens.go_to(end);
    Ok(())
}

/// Handles an entity that is not an object of a requested type: all its fields have failed.
#[cold]
fn invalid_entity<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    list: &Entities,
    owners: &[Owner],
) -> Result<(), ReadError> {
    reader.tokens.peek()?;
    reader.tokens.skip()?;
    if let Some(owner) = owners.first() {
        reader.defects.entity.get_or_insert(owner.object);
    }
    miss(reader, list, owners, Cell::Failed(reader.causes.entity));
    Ok(())
}

/// Sets all absent fields of these objects to a cell without a value.
#[cold]
fn miss<'f>(
    reader: &mut Reader<'_, impl TokenReader<'f>>,
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
    reader: &mut Reader<'_, impl TokenReader<'f>>,
    list: &Entities,
    owner: Owner,
) -> Result<bool, ReadError> {
    let entry = list.entries.get(owner.entry as usize);
    let is_known = reader.arena.object(owner.object).r#type.is_some();
    if is_known || entry.is_none_or(|entry| entry.on.is_none()) {
        return Ok(true);
    }
    let position = reader.arena.object(owner.object).position;
    match reader.type_ahead(position)? {
        ObjectType::Type(r#type) => reader.arena.set_type(owner.object, r#type),
        ObjectType::Interface => {}
        ObjectType::Impossible => return Ok(false),
    }
    Ok(true)
}
