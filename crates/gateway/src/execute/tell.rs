//! What went wrong with an answer, at the places of the client's answer.
//! <https://spec.graphql.org/draft/#sec-Errors>

use graphql::operation::Location;
use serde_json_bytes::Value as JsonValue;
use serde_json_bytes::serde_json;

use super::arena::{Arena, Cell, ObjectId, Place};
use super::errors::{ErrorKind, Errors, ExecutionError, Invalid, Path, Step};
use super::feed::Feed;
use super::json::{Json, NoJson, Span};
use super::needed::needed_by;
use super::path::{Places, places};
use super::read::Wrong;
use super::request::{Asked, Part};
use crate::outline::ItemId;
use crate::plan::{Fetch, Plan, Read, Shape, Value, entities_key};
use crate::supergraph::Supergraph;

/// An error of an entity is told at so many of its places; the others are counted.
const MOST_PLACES: usize = 10;

/// So many errors of one answer are looked at; the others are counted.
const MOST_TOLD: usize = 100;

/// What a subgraph adds to an error is dropped where it is longer.
const MOST_EXTENSIONS: usize = 16 << 10;

/// Tells what went wrong with the answer to one request.
#[derive(Debug)]
pub(super) struct Teller<'t> {
    pub(super) plan: &'t Plan,
    pub(super) arena: &'t mut Arena,
    pub(super) errors: &'t mut Errors,
    pub(super) fetch: &'t Fetch,
    pub(super) asked: &'t Asked,
    pub(super) part: &'t Part,
}

/// An object, and what was asked of it.
type Target<'t> = (ObjectId, &'t Shape);

/// Which of the values of an object have failed that are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    /// Those that nobody gave.
    Absent,
    /// Those that are null, too.
    Null,
}

impl<'t> Teller<'t> {
    /// There is no usable answer: one error.
    pub(super) fn fail(&mut self, kind: ErrorKind) {
        self.lose_all(Lost::Absent);
        self.tell_at_first(kind);
    }

    /// What nobody gave is told.
    pub(super) fn lose_absent(&mut self) {
        self.lose_all(Lost::Absent);
    }

    /// Tells an error at the one field that was asked of a root, or at the first of the objects that
    /// were asked for.
    fn tell_at_first(&mut self, kind: ErrorKind) {
        let root = self.fetch.root.as_ref().map(|root| &root.selection);
        let root = root.filter(|selection| selection.fragments.is_empty());
        let only = root.and_then(|selection| match &*selection.fields {
            [asked] => Some((*self.asked.roots.first()?, asked.item)),
            _ => None,
        });
        match only {
            Some((object, item)) => {
                let path = first_place(self.plan, self.arena, object);
                self.errors.push(needing(self.plan, path, item, kind));
            }
            None => {
                let first = self.targets().first().map(|(object, _)| *object);
                self.tell_at(first, kind);
            }
        }
    }

    fn tell_at(&mut self, object: Option<ObjectId>, kind: ErrorKind) {
        let path = object.map(|object| first_place(self.plan, self.arena, object));
        let path = path.unwrap_or_default();
        let location = object.and_then(|object| self.location_of(object));
        self.errors.push(ExecutionError { kind, path, location });
    }

    /// Values that are not of their types, by where they stand in `data`, which begins at `start`.
    pub(super) fn wrong<'f>(&mut self, feed: &mut impl Feed<'f>, start: usize, wrong: &Wrong) {
        // The answer was read already.
        let paths = paths_to(feed, start, &wrong.places).unwrap_or_default();
        for path in paths {
            let field = |path: &Path| ErrorKind::Value { field: last_key(path) };
            self.tell(&path, &field);
        }
        self.errors.count(wrong.more);
        let entity = wrong.entity.and_then(|place| paths_to(feed, start, &[place]).ok()?.pop());
        if let Some(path) = entity {
            let kind = ErrorKind::Invalid { subgraph: self.fetch.subgraph, why: Invalid::Entity };
            let objects = self.objects_of(&path).map(|(objects, _)| objects).unwrap_or_default();
            self.tell_at(objects.first().map(|(object, _)| *object), kind);
        }
    }

    /// Something that was asked is not there: the first of it, where it is needed.
    pub(super) fn lacking(&mut self, (object, item): (ObjectId, ItemId)) {
        let kind = ErrorKind::Invalid { subgraph: self.fetch.subgraph, why: Invalid::Lacking };
        let path = first_place(self.plan, self.arena, object);
        self.errors.push(needing(self.plan, path, item, kind));
    }

    /// The errors that a subgraph tells: whether there are any.
    pub(super) fn told(&mut self, bytes: &[u8], (start, _): Span) -> Result<bool, NoJson> {
        let mut json = Json::new(bytes);
        json.go_to(start);
        let mut count = 0;
        if json.begin(b'[', b']')? {
            loop {
                count += 1;
                if count <= MOST_TOLD {
                    let told = Told::read(&mut json)?;
                    let subgraph = self.fetch.subgraph;
                    let Told { message, path, extensions } = told;
                    self.tell(&path, &|_| ErrorKind::Subgraph {
                        subgraph,
                        message: message.clone(),
                        extensions: extensions.clone(),
                    });
                } else {
                    json.skip()?;
                }
                if !json.next(b']')? {
                    break;
                }
            }
        }
        self.errors.count(count.saturating_sub(MOST_TOLD));
        Ok(count > 0)
    }

    /// Tells an error at all places that the path in the subgraph's answer stands for.
    fn tell(&mut self, path: &[Step], kind: &dyn Fn(&Path) -> ErrorKind) {
        let Some((objects, rest)) = self.objects_of(path) else {
            self.lose_all(Lost::Null);
            return self.tell_at_first(kind(&Vec::new()));
        };
        let mut told = 0;
        for (object, shape) in objects {
            let (below, item) = self.follow(object, shape, rest);
            let location = item.map_or_else(
                || self.location_of(object),
                |item| located(self.plan.tree.item(item).location),
            );
            let most = MOST_PLACES.saturating_sub(told);
            let Places { paths, more } = places(self.arena, &self.plan.tree, object, most);
            told += paths.len();
            for mut path in paths {
                path.extend(below.iter().cloned());
                self.errors.push(ExecutionError { kind: kind(&path), path, location });
            }
            self.errors.count(more);
        }
    }

    /// The objects that the first steps of a path stand for, each with what was asked of it, and the
    /// other steps; nothing if they stand for none.
    fn objects_of<'p>(&self, path: &'p [Step]) -> Option<(Vec<Target<'t>>, &'p [Step])> {
        let fetch = self.fetch;
        if path.is_empty() {
            return None;
        }
        if let Some(root) = &fetch.root {
            let roots = self.asked.roots.iter().map(|object| (*object, &root.shape));
            return Some((roots.collect(), path));
        }
        let [Step::Key(key), Step::Index(index), rest @ ..] = path else { return None };
        let lists = self.part.lists();
        let place = (0..lists).find(|place| *entities_key(*place, lists) == **key)?;
        let list = self.part.list(place);
        let owners = self.part.owners(self.asked, list, *index)?;
        let list = fetch.entities.get(self.asked.lists.get(list)?.planned)?;
        let objects = owners.iter().filter_map(|owner| {
            let shape = list.shape(owner.entry, self.arena.object(owner.object).r#type)?;
            Some((owner.object, shape.1))
        });
        Some((objects.collect(), rest))
    }

    /// Goes down from an object as a path of the subgraph's answer says. What of it clients know, and
    /// the last of their items; what is not there at its end has failed.
    fn follow(&mut self, object: ObjectId, shape: &Shape, path: &[Step]) -> (Path, Option<ItemId>) {
        if path.is_empty() {
            self.lose(object, shape, Lost::Null);
        }
        let (mut steps, mut last, mut is_visible) = (Vec::new(), None, true);
        let (mut shape, mut object, mut place) = (Some(shape), Some(object), None);
        for step in path {
            match step {
                Step::Key(name) => {
                    let Some(read) = shape.and_then(|shape| self.find(shape, object, name)) else {
                        break;
                    };
                    if is_visible {
                        // What is hidden is told where it is needed.
                        is_visible = self.plan.tree.item(read.item).is_visible;
                        let shown = needed_by(self.plan, read.item);
                        if let Some(shown) = shown {
                            steps.push(Step::Key(self.plan.tree.item(shown).key.clone()));
                            last = Some(shown);
                        }
                    }
                    place = object.map(|object| self.arena.place_of(object, read.slot));
                    shape = match &read.value {
                        Value::Objects { shape, .. } => Some(shape),
                        Value::Leaf(_) => None,
                    };
                }
                Step::Index(index) => {
                    if is_visible {
                        steps.push(step.clone());
                    }
                    place = place.and_then(|place| element(self.arena, place, *index));
                }
            }
            object = None;
            match place.map(|place| (place, self.arena.at_place(place))) {
                Some((_, Cell::Object(below))) => object = Some(below),
                Some((place_, Cell::Absent | Cell::Null | Cell::Failed)) => {
                    self.arena.fail(place_);
                    place = None;
                }
                Some((_, Cell::Leaf { .. } | Cell::List { .. })) | None => {}
            }
        }
        (steps, last)
    }

    /// What is read under a name; where nobody knows the object's type, of any.
    fn find<'s>(&self, shape: &'s Shape, object: Option<ObjectId>, name: &str) -> Option<&'s Read> {
        let r#type = object.and_then(|object| self.arena.object(object).r#type);
        let (common, own) = shape.members_of(r#type);
        let others = shape.own.iter().filter(|_| object.is_none());
        let mut all = common.iter().chain(own).chain(others.flat_map(|(_, members)| members));
        all.find(|read| read.name() == name.as_bytes())
    }

    /// All objects that the answer is about, each with what was asked of it.
    fn targets(&self) -> Vec<Target<'t>> {
        let fetch = self.fetch;
        let root = fetch.root.iter();
        let mut all: Vec<_> = root
            .flat_map(|root| self.asked.roots.iter().map(|object| (*object, &root.shape)))
            .collect();
        for (place, list) in self.asked.planned(fetch) {
            for owner in self.part.all_owners(self.asked, place) {
                let own = self.arena.object(owner.object).r#type;
                all.extend(list.shape(owner.entry, own).map(|(_, shape)| (owner.object, shape)));
            }
        }
        all
    }

    fn lose_all(&mut self, lost: Lost) {
        let fetch = self.fetch;
        if let Some(root) = &fetch.root {
            for object in &self.asked.roots {
                self.lose(*object, &root.shape, lost);
            }
        }
        for (place, list) in self.asked.planned(fetch) {
            for owner in self.part.all_owners(self.asked, place) {
                let own = self.arena.object(owner.object).r#type;
                if let Some((_, shape)) = list.shape(owner.entry, own) {
                    self.lose(owner.object, shape, lost);
                }
            }
        }
    }

    /// Why values of an object are not there is told.
    fn lose(&mut self, object: ObjectId, shape: &Shape, lost: Lost) {
        for read in shape.reads_of(self.arena.object(object).r#type) {
            let place = self.arena.place_of(object, read.slot);
            let is_lost = match self.arena.at_place(place) {
                Cell::Absent => true,
                Cell::Null => lost == Lost::Null,
                Cell::Failed | Cell::Leaf { .. } | Cell::Object(_) | Cell::List { .. } => false,
            };
            if is_lost {
                self.arena.fail(place);
            }
        }
    }

    /// Where the field is that gives an object.
    fn location_of(&self, object: ObjectId) -> Option<Location> {
        let item = self.plan.tree.position(self.arena.object(object).position).parent?;
        located(self.plan.tree.item(item).location)
    }
}

/// Keys that are null and may not be: each is told where it is needed, and has failed from now on.
pub(super) fn tell_nulls(
    (supergraph, plan): (&Supergraph, &Plan),
    arena: &mut Arena,
    errors: &mut Errors,
    nulls: &[(ObjectId, ItemId)],
) {
    let mut left = MOST_TOLD;
    for (object, key) in nulls {
        arena.fail(arena.place_of(*object, arena.slot(*key)));
        if left == 0 {
            errors.count(1);
            continue;
        }
        let item = plan.tree.item(*key);
        let parent = plan.tree.parent_of(supergraph, item);
        let Places { paths, more } = places(arena, &plan.tree, *object, left);
        left -= paths.len();
        errors.count(more);
        for path in paths {
            let kind = ErrorKind::Null { parent, field: item.key.clone() };
            errors.push(needing(plan, path, *key, kind));
        }
    }
}

/// An error of an item of an object, which stands at a place: at the field that needs it.
fn needing(plan: &Plan, mut path: Path, item: ItemId, kind: ErrorKind) -> ExecutionError {
    let shown = needed_by(plan, item);
    path.extend(shown.map(|shown| Step::Key(plan.tree.item(shown).key.clone())));
    let location = shown.and_then(|shown| located(plan.tree.item(shown).location));
    ExecutionError { kind, path, location }
}

/// The first place where an object stands.
fn first_place(plan: &Plan, arena: &Arena, object: ObjectId) -> Path {
    let places = places(arena, &plan.tree, object, 1);
    places.paths.into_iter().next().unwrap_or_default()
}

/// Hidden items stand nowhere in the document.
pub(super) fn located(location: Location) -> Option<Location> {
    (location.line > 0).then_some(location)
}

fn element(arena: &Arena, place: Place, index: usize) -> Option<Place> {
    match arena.at_place(place) {
        Cell::List { start, end } => {
            let place = (start as usize).checked_add(index)?;
            (place < end as usize).then_some(Place::Element(place))
        }
        Cell::Absent | Cell::Null | Cell::Failed | Cell::Leaf { .. } | Cell::Object(_) => None,
    }
}

fn last_key(path: &Path) -> Box<str> {
    let key = path.iter().rev().find_map(|step| match step {
        Step::Key(key) => Some(key.clone()),
        Step::Index(_) => None,
    });
    key.unwrap_or_default()
}

/// An error of a subgraph.
#[derive(Debug, Default)]
struct Told {
    message: Box<str>,
    path: Path,
    extensions: Option<Box<str>>,
}

impl Told {
    fn read(json: &mut Json<'_>) -> Result<Self, NoJson> {
        let mut told = Self::default();
        if json.peek()? != b'{' {
            json.skip()?;
            return Ok(told);
        }
        if !json.begin(b'{', b'}')? {
            return Ok(told);
        }
        loop {
            let name = json.name()?;
            let kind = json.peek()?;
            json.take_unfit();
            let (start, end) = json.skip()?;
            let text = json.bytes().get(start..end).unwrap_or_default();
            let is_fit = !json.take_unfit();
            match name {
                b"message" => told.message = serde_json::from_slice(text).unwrap_or_default(),
                b"path" => told.path = path(text),
                b"extensions" if kind == b'{' && is_fit && text.len() <= MOST_EXTENSIONS => {
                    told.extensions = std::str::from_utf8(text).ok().map(Into::into);
                }
                _ => {}
            }
            if !json.next(b'}')? {
                return Ok(told);
            }
        }
    }
}

/// The steps of a path, as far as they are some.
fn path(text: &[u8]) -> Path {
    let steps: Vec<JsonValue> = serde_json::from_slice(text).unwrap_or_default();
    let steps = steps.iter().map_while(|step| match step {
        JsonValue::String(key) => Some(Step::Key(key.as_str().into())),
        JsonValue::Number(index) => {
            index.as_u64().and_then(|index| usize::try_from(index).ok()).map(Step::Index)
        }
        _ => None,
    });
    steps.collect()
}

/// A step within an answer.
#[derive(Clone, Copy, Debug)]
enum Within<'j> {
    Member(&'j [u8]),
    Element(usize),
}

/// The ways to some places of an answer, which are in their order: looked for from `start` on.
fn paths_to<'f>(
    feed: &mut impl Feed<'f>,
    start: usize,
    places: &[usize],
) -> Result<Vec<Path>, NoJson> {
    feed.go_to(start);
    let mut places = places.iter().peekable();
    let (mut paths, mut way) = (Vec::new(), Vec::new());
    while places.peek().is_some() {
        let byte = feed.peek()?;
        if places.next_if(|place| **place == feed.at()).is_some() {
            paths.push(way.iter().map(step).collect());
        }
        let is_within = match byte {
            b'[' => feed.begin(b'[', b']')?.then_some(Within::Element(0)),
            b'{' if feed.begin(b'{', b'}')? => Some(Within::Member(feed.name()?)),
            b'{' => None,
            _ => feed.skip().map(|()| None)?,
        };
        if is_within.is_some() {
            way.extend(is_within);
            continue;
        }
        loop {
            let next = match way.pop() {
                None => return Ok(paths),
                Some(Within::Element(place)) => {
                    feed.next(b']')?.then_some(Within::Element(place + 1))
                }
                Some(Within::Member(_)) if feed.next(b'}')? => Some(Within::Member(feed.name()?)),
                Some(Within::Member(_)) => None,
            };
            if next.is_some() {
                way.extend(next);
                break;
            }
        }
    }
    Ok(paths)
}

fn step(within: &Within<'_>) -> Step {
    match within {
        Within::Member(name) => Step::Key(String::from_utf8_lossy(name).into()),
        Within::Element(place) => Step::Index(*place),
    }
}
