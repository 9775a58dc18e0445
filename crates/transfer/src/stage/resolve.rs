//! Links between objects are checked, and become columns and pairs.
//!
//! Links are sorted by their targets and joined with the objects, which finds dangling ones; the
//! valid ones are sorted by the rows that hold them and joined with the objects again, which finds
//! missing and surplus ones. An object that is rejected makes links to it dangle, so this is
//! repeated until no further one is rejected: once, if all is well.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use storage::tables::Side;

use super::assemble::{Assembled, Link, NODE, Node, broken};
use super::facts::{Content, Fact, NEW, Read};
use super::keys::KeyMatches;
use super::lookups::{LOOKED_UP, StoredTargets};
use super::report::Origin;
use super::staged::{self, Staged, Writers};
use super::{Existing, Ids, Settings, StageError};
use crate::mapping::{Mapping, RelationStorage};
use crate::spill::{Entries, Sorted, Sorter};

/// The state of the checks.
pub(super) struct Resolver<'r> {
    mapping: &'r Mapping,
    settings: &'r Settings,
    folder: &'r Path,
    nodes: PathBuf,
    rejected: FxHashMap<u64, Rc<str>>,
    /// Weak objects of which there is another definition.
    merged: FxHashSet<u64>,
    /// Links that contradict others: the relation, the holder, and the other object.
    surplus: FxHashSet<(usize, u64, u64)>,
    /// The objects and slots of rejected links.
    denied: FxHashSet<(u64, u64)>,
    /// The relations that each object holds, and those whose other end holds them.
    slots: Vec<Vec<Slot>>,
}

/// A relation with one object at the other end, as an object has it.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) number: u64,
    relation: usize,
    /// The column, if its table has it.
    pub(super) column: Option<usize>,
    is_required: bool,
    field: Box<str>,
}

/// Checked links.
struct Checked {
    /// By the object and the number of its slot: the other object, and the origin.
    holders: Sorted,
    /// Of each relation with a table of pairs.
    pairs: Vec<Option<Sorted>>,
    rejected_links: Vec<(Origin, Rc<str>)>,
    valid: u64,
}

/// The nodes in the order of their ids.
pub(super) struct Nodes {
    reader: BufReader<File>,
}

/// The links of one object.
pub(super) struct ResolvedLink {
    pub(super) slot: u64,
    pub(super) other: u64,
    origin: u64,
}

/// Checks the links, and writes the rows of all tables.
pub(super) fn resolve(
    mapping: &Mapping,
    settings: &Settings,
    read: &Read,
    assembled: Assembled,
    existing: &mut dyn Existing,
    folder: &Path,
) -> Result<Staged, StageError> {
    let Assembled { nodes, rows, mut links, keys, mut rejected } = assembled;
    let mut merged = FxHashSet::default();
    let mut found = KeyMatches { links: &mut links, rejected: &mut rejected, merged: &mut merged };
    let early: FxHashSet<u64> = found.rejected.keys().copied().collect();
    keys.resolve(mapping, read, existing, &mut found)?;
    let links = links.finish()?;
    let slots = (0..mapping.objects.len()).map(|object| slots(mapping, object)).collect();
    let (surplus, denied) = (FxHashSet::default(), FxHashSet::default());
    let mut resolver =
        Resolver { mapping, settings, folder, nodes, rejected, merged, surplus, denied, slots };
    resolver.refuse_collisions(existing)?;
    let checked = loop {
        let before = (resolver.rejected.len(), resolver.surplus.len());
        let checked = resolver.check_links(&links, existing)?;
        if checked.rejected_links.len() as u64 > settings.most_rejected {
            return Err(StageError::TooMany(settings.most_rejected));
        }
        resolver.check_holders(&checked.holders)?;
        if before == (resolver.rejected.len(), resolver.surplus.len()) {
            break checked;
        }
    };
    for (origin, reason) in &checked.rejected_links {
        read.rejections.borrow_mut().reject(*origin, reason, 1)?;
    }
    let base = match settings.ids {
        Ids::Keep => existing.last_id().max(read.largest),
        Ids::New => existing.last_id(),
    };
    let mut writers = Writers::new(mapping, folder, (base, read.new_ids.clone()))?;
    let stored = resolver.write(&mut writers, &rows, &checked, read, &early)?;
    for (relation, pairs) in checked.pairs.iter().enumerate() {
        if let (Some(pairs), RelationStorage::Pairs { table, near, .. }) =
            (pairs, &mapping.relations[relation].place)
        {
            writers.write_pairs(*table, *near == 0, pairs)?;
        }
    }
    let mut counts = read.counts.clone();
    counts.stored = stored + checked.valid;
    let rejections = read.rejections.replace(super::Rejections::new(settings.most_rejected));
    counts.rejected = rejections.values();
    writers.finish(counts, rejections, base + read.new_ids.count)
}

/// The relations of an object with one object at the other end.
fn slots(mapping: &Mapping, object: usize) -> Vec<Slot> {
    let mut slots = Vec::new();
    for (relation, own) in mapping.relations.iter().enumerate() {
        let RelationStorage::Columns { side, columns } = &own.place else { continue };
        let table = mapping.objects[object].table;
        let column = columns.iter().find(|(of, _)| *of == table).map(|(_, column)| *column);
        let (holder, other) = (own.end(*side), own.end(side.other()));
        if let (true, Some(column)) = (holder.objects.contains(&object), column) {
            slots.push(Slot {
                number: relation as u64 * 2,
                relation,
                column: Some(column),
                is_required: holder.is_required,
                field: holder.field.clone(),
            });
        }
        if other.is_single && !own.is_symmetric && other.objects.contains(&object) {
            slots.push(Slot {
                number: relation as u64 * 2 + 1,
                relation,
                column: None,
                is_required: other.is_required,
                field: other.field.clone(),
            });
        }
    }
    slots
}

impl Resolver<'_> {
    fn is_gone(&self, id: u64) -> bool {
        self.rejected.contains_key(&id) || self.merged.contains(&id)
    }

    /// Refuses ids of files that rows of the database have.
    fn refuse_collisions(&self, existing: &mut dyn Existing) -> Result<(), StageError> {
        if self.settings.ids == Ids::New || existing.is_empty() {
            return Ok(());
        }
        let mut nodes = Nodes::open(&self.nodes)?;
        loop {
            let mut ids = Vec::with_capacity(LOOKED_UP);
            while ids.len() < LOOKED_UP {
                match nodes.next()? {
                    Some(node) if node.id < NEW && !self.is_gone(node.id) => ids.push(node.id),
                    Some(_) => {}
                    None => break,
                }
            }
            if ids.is_empty() {
                return Ok(());
            }
            let tables = existing.tables_of(&ids)?;
            let taken = ids.iter().zip(tables).find_map(|(id, table)| Some((id, table?)));
            if let Some((id, table)) = taken {
                let name = &self.mapping.tables.tables[table].name;
                return Err(StageError::Refused(format!(
                    "the id {id:#x} belongs to an object of {name} already; with `--ids new` all \
                     objects get new ids"
                )));
            }
        }
    }

    /// Joins the links with their targets.
    fn check_links(
        &mut self,
        links: &Sorted,
        existing: &mut dyn Existing,
    ) -> Result<Checked, StageError> {
        let memory = self.settings.memory;
        self.denied.clear();
        let mut holders = Sorter::new(self.folder, "holders").limit(memory);
        let relations = self.mapping.relations.iter().enumerate();
        let mut pairs: Vec<Option<Sorter>> = relations
            .map(|(index, relation)| match relation.place {
                RelationStorage::Pairs { .. } => {
                    let name = format!("pairs-{index}");
                    Some(Sorter::new(self.folder, &name).limit(memory))
                }
                RelationStorage::Columns { .. } => None,
            })
            .collect();
        let (mut rejected_links, mut valid) = (Vec::new(), 0);
        let mut nodes = Nodes::open(&self.nodes)?;
        let mut node = nodes.next()?;
        let mut stored = StoredTargets::new(links, &self.nodes)?;
        let mut targets = Targets { entries: links.entries()?, next: None };
        targets.advance()?;
        let mut parallel = Vec::new();
        while let Some(to) = targets.take(&mut parallel)? {
            while node.is_some_and(|node| node.id < to) {
                node = nodes.next()?;
            }
            let own = node.filter(|node| node.id == to && !self.is_gone(to));
            let table = match own {
                Some(_) => None,
                None => stored.table_of(to, |id| self.is_gone(id), existing)?,
            };
            let is_stored = table.is_some();
            let object = own.map(|node| node.object).or_else(|| {
                self.mapping.objects.iter().position(|object| Some(object.table) == table)
            });
            for link in &parallel {
                let objects = &self.mapping.relations[link.relation].end(link.side.other()).objects;
                match self.problem(link, to, object, objects, is_stored) {
                    Some(reason) => {
                        let reason: Rc<str> = reason.into();
                        if link.is_strict && !self.is_gone(link.from) {
                            self.rejected.insert(link.from, reason.clone());
                        }
                        rejected_links.push((link.origin, reason));
                        self.deny(link, to);
                    }
                    None => {
                        valid += 1;
                        self.hold(link, to, &mut holders, &mut pairs)?;
                    }
                }
            }
        }
        let pairs = pairs.into_iter().map(|sorter| sorter.map(Sorter::finish).transpose());
        let pairs = pairs.collect::<Result<_, _>>()?;
        Ok(Checked { holders: holders.finish()?, pairs, rejected_links, valid })
    }

    /// The reason why a link is rejected.
    fn problem(
        &self,
        link: &Link,
        to: u64,
        object: Option<usize>,
        objects: &[usize],
        is_stored: bool,
    ) -> Option<String> {
        let relation = &self.mapping.relations[link.relation];
        if let Some(reason) = self.rejected.get(&link.from) {
            return Some(format!("its object is rejected: {reason}"));
        }
        let Some(object) = object else {
            return Some(match self.rejected.contains_key(&to) {
                true => "it refers to an object that is rejected".into(),
                false => "it refers to an object that is not there".into(),
            });
        };
        if !objects.contains(&object) {
            let name = &self.mapping.objects[object].name;
            let field = &relation.end(link.side).field;
            return Some(format!("`{field}` refers to no object of {name}"));
        }
        let (holder, other) = match &relation.place {
            RelationStorage::Columns { side, .. } if *side == link.side => (link.from, to),
            RelationStorage::Columns { .. } if is_stored => {
                return Some("it would change an object that the database has already".into());
            }
            RelationStorage::Columns { .. } => (to, link.from),
            RelationStorage::Pairs { .. } => return None,
        };
        let is_surplus = self.surplus.contains(&(link.relation, holder, other));
        is_surplus.then(|| "there is another object already".into())
    }

    /// Notes that both objects of a rejected link lack each other.
    fn deny(&mut self, link: &Link, to: u64) {
        let RelationStorage::Columns { side, .. } = &self.mapping.relations[link.relation].place
        else {
            return;
        };
        let number = link.relation as u64 * 2;
        let (holder, other) = match *side == link.side {
            true => (link.from, to),
            false => (to, link.from),
        };
        self.denied.extend([(holder, number), (other, number + 1)]);
    }

    /// Whether an object without a required reference is rejected: not if the other object was deleted
    /// before an export, which leaves null.
    fn is_rejected_without(&self, node: &Node, slot: &Slot) -> bool {
        let columns = &self.mapping.tables.tables[self.mapping.objects[node.object].table].columns;
        let is_column_required = slot.column.is_some_and(|column| columns[column].is_required);
        node.needs_references || is_column_required || self.denied.contains(&(node.id, slot.number))
    }

    /// Adds a link to the objects that hold it.
    fn hold(
        &self,
        link: &Link,
        to: u64,
        holders: &mut Sorter,
        pairs: &mut [Option<Sorter>],
    ) -> Result<(), StageError> {
        let relation = &self.mapping.relations[link.relation];
        let number = link.relation as u64 * 2;
        let payload = |other: u64| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&other.to_le_bytes());
            bytes[8..].copy_from_slice(&link.origin.number().to_le_bytes());
            bytes
        };
        match &relation.place {
            RelationStorage::Columns { side, .. } => {
                let (holder, other) = match *side == link.side {
                    true => (link.from, to),
                    false => (to, link.from),
                };
                holders.push((holder, number), &payload(other))?;
                if relation.is_symmetric {
                    holders.push((other, number), &payload(holder))?;
                } else if relation.end(side.other()).is_single {
                    holders.push((other, number + 1), &payload(holder))?;
                }
            }
            RelationStorage::Pairs { .. } => {
                let Some(sorter) = &mut pairs[link.relation] else { return Ok(()) };
                let (near, far) = match link.side {
                    Side::Near => (link.from, to),
                    Side::Far => (to, link.from),
                };
                sorter.push((near, far), &[])?;
                if relation.is_symmetric {
                    sorter.push((far, near), &[])?;
                }
            }
        }
        Ok(())
    }

    /// Joins the objects with what they hold: required references must be there, and single ones
    /// have one object.
    fn check_holders(&mut self, holders: &Sorted) -> Result<(), StageError> {
        let mut nodes = Nodes::open(&self.nodes)?;
        let mut holding = Holding { entries: holders.entries()?, next: None };
        holding.advance()?;
        while let Some(node) = nodes.next()? {
            let held = holding.take(node.id)?;
            if self.is_gone(node.id) {
                continue;
            }
            for slot in &self.slots[node.object] {
                let own = held.iter().filter(|held| held.slot == slot.number);
                let Some(first) = own.clone().min_by_key(|held| (held.origin, held.other)) else {
                    if slot.is_required && self.is_rejected_without(&node, slot) {
                        let name = &self.mapping.objects[node.object].name;
                        let field = &slot.field;
                        let reason = format!("{name}.{field} is required, and refers to no object");
                        self.rejected.insert(node.id, reason.into());
                    }
                    continue;
                };
                for surplus in own.filter(|held| held.other != first.other) {
                    let (holder, other) = match slot.column {
                        Some(_) => (node.id, surplus.other),
                        None => (surplus.other, node.id),
                    };
                    self.surplus.insert((slot.relation, holder, other));
                    if self.mapping.relations[slot.relation].is_symmetric {
                        self.surplus.insert((slot.relation, other, holder));
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the rows of all objects that are not rejected, and returns the number of their values.
    fn write(
        &self,
        writers: &mut Writers<'_>,
        rows: &Path,
        checked: &Checked,
        read: &Read,
        early: &FxHashSet<u64>,
    ) -> Result<u64, StageError> {
        let mut nodes = Nodes::open(&self.nodes)?;
        let mut rows = BufReader::with_capacity(1 << 20, File::open(rows)?);
        let mut holding = Holding { entries: checked.holders.entries()?, next: None };
        holding.advance()?;
        let mut values = Vec::new();
        let mut stored = 0;
        let mut late: FxHashMap<u64, (Rc<str>, u32)> = FxHashMap::default();
        while let Some(node) = nodes.next()? {
            staged::read_row(&mut rows, &mut values)?;
            let held = holding.take(node.id)?;
            match self.rejected.get(&node.id) {
                Some(reason) => {
                    late.insert(node.id, (reason.clone(), node.values));
                }
                None => {
                    stored += u64::from(node.values);
                    if !self.merged.contains(&node.id) {
                        writers.write(&node, &values, &held, &self.slots[node.object])?;
                    }
                }
            }
        }
        late.retain(|id, _| !early.contains(id));
        reject_values(read, late)?;
        Ok(stored)
    }
}

/// Rejects the values of objects that were rejected after their rows were made. Values that are
/// rejected for themselves are no values of a row, and are passed by: they have a record of their
/// own, or else the others are found when all are read once more.
fn reject_values(read: &Read, mut late: FxHashMap<u64, (Rc<str>, u32)>) -> Result<(), StageError> {
    for passes_by in [true, false] {
        late.retain(|_, (_, left)| *left > 0);
        if late.is_empty() {
            return Ok(());
        }
        let mut entries = read.facts.entries()?;
        let mut rejections = read.rejections.borrow_mut();
        while let Some(((subject, _), payload)) = entries.next_entry()? {
            let Some((reason, left)) = late.get_mut(&subject) else { continue };
            let fact = Fact::read(payload).ok_or_else(broken)?;
            let is_value = matches!(fact.content, Content::Type | Content::Value(_));
            let is_passed = passes_by && rejections.has(fact.origin, reason);
            if is_value && *left > 0 && !is_passed {
                *left -= 1;
                rejections.reject(fact.origin, reason, 1)?;
            }
        }
    }
    Ok(())
}

/// The links in the order of their targets.
struct Targets<'t> {
    entries: Entries<'t>,
    next: Option<(u64, Link)>,
}

impl Targets<'_> {
    fn advance(&mut self) -> Result<(), StageError> {
        self.next = match self.entries.next_entry()? {
            None => None,
            Some(((to, _), payload)) => Some((to, Link::read(payload).ok_or_else(broken)?)),
        };
        Ok(())
    }

    /// Reads the next target, and the links to it from one object in the order of the files.
    /// References by unique values come in the order of hashes, which differs between imports.
    fn take(&mut self, links: &mut Vec<Link>) -> Result<Option<u64>, StageError> {
        links.clear();
        let Some((to, first)) = self.next else { return Ok(None) };
        while let Some((_, link)) =
            self.next.take_if(|(other, link)| (*other, link.from) == (to, first.from))
        {
            links.push(link);
            self.advance()?;
        }
        links.sort_by_key(|link| (link.origin, link.relation, link.side == Side::Far));
        Ok(Some(to))
    }
}

struct Holding<'h> {
    entries: Entries<'h>,
    next: Option<(u64, ResolvedLink)>,
}

impl Holding<'_> {
    fn advance(&mut self) -> Result<(), StageError> {
        self.next = match self.entries.next_entry()? {
            None => None,
            Some(((id, slot), payload)) => {
                let (other, origin) = payload.split_first_chunk().ok_or_else(broken)?;
                let origin = origin.first_chunk().ok_or_else(broken)?;
                let (other, origin) = (u64::from_le_bytes(*other), u64::from_le_bytes(*origin));
                Some((id, ResolvedLink { slot, other, origin }))
            }
        };
        Ok(())
    }

    /// The links that an object holds. Objects are taken in the order of their ids.
    fn take(&mut self, id: u64) -> Result<Vec<ResolvedLink>, StageError> {
        let mut held: Vec<ResolvedLink> = Vec::new();
        while let Some((owner, link)) = self.next.take_if(|(owner, _)| *owner <= id) {
            let is_known = |one: &ResolvedLink| one.slot == link.slot && one.other == link.other;
            if owner == id && !held.iter().rev().take(4).any(is_known) {
                held.push(link);
            }
            self.advance()?;
        }
        Ok(held)
    }
}

impl Nodes {
    pub(super) fn open(path: &Path) -> Result<Self, StageError> {
        Ok(Self { reader: BufReader::with_capacity(1 << 20, File::open(path)?) })
    }

    pub(super) fn next(&mut self) -> Result<Option<Node>, StageError> {
        let mut bytes = [0; NODE];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(Node::read(&bytes).ok_or_else(broken)?)),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
