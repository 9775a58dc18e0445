//! Mapping of the errors in a subgraph response to the values that are missing because of them.
//! <https://spec.graphql.org/draft/#sec-Errors>

use graphql::operation::Location;
use rustc_hash::FxHashSet;

use super::arena::{Arena, Cell, CellAddress, ObjectId};
use super::cause::{Cause, CauseId, Origin, Scope};
use super::errors::{ErrorKind, Errors, Path, Step};
use super::json::{InvalidJson, Json, Span};
use super::request::{Batch, FetchInputs};
use super::subgraph_error::SubgraphError;
use crate::outline::{ItemId, ItemKind, PositionId, Tree};
use crate::plan::{Entities, Fetch, Plan, Read, Shape, Value, entities_key};

/// Maximum number of reported errors of one response; further ones are only counted.
const MAX_MAPPED: usize = 100;

/// Maximum number of values that one error is mapped to. There are several where an entity occurs
/// at several places, or where the runtime type of an object is unknown.
const MAX_VALUES: usize = 10_000;

/// Maps the errors of one response to missing values.
#[derive(Debug)]
pub(super) struct ErrorMapper<'t> {
    pub(super) plan: &'t Plan,
    pub(super) arena: &'t mut Arena,
    pub(super) errors: &'t mut Errors,
    pub(super) fetch: &'t Fetch,
    pub(super) fetch_inputs: &'t FetchInputs,
    pub(super) batch: &'t Batch,
}

/// An object with the shapes that were selected on it: one, or one per type if its runtime type is
/// unknown.
#[derive(Clone, Debug)]
struct Target<'t> {
    object: ObjectId,
    shapes: Vec<&'t Shape>,
}

/// Selects which missing values of an object have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// Absent values only, also of objects that another fetch returned.
    Absent,
    /// Null values as well, and those below.
    Null,
}

/// A value that a subgraph error is about.
#[derive(Debug)]
struct Found {
    object: ObjectId,
    /// First cell on the path that has no value.
    place: Option<CellAddress>,
    /// Visible items and path from the object on.
    items: Vec<ItemId>,
    steps: Path,
    /// Length of the path up to that cell.
    steps_to_place: usize,
    is_hidden: bool,
}

/// Cursor of a walk along an error path.
#[derive(Clone, Debug)]
struct PathCursor<'t> {
    /// The object reached, if there is one.
    object: Option<ObjectId>,
    shapes: Vec<&'t Shape>,
    /// The value reached, while there is one.
    value: Option<CellAddress>,
}

/// Where the first steps of an error path lead.
#[derive(Debug)]
struct Addressed<'t, 'p> {
    /// The objects of the root or of the entity, each with its shapes.
    targets: Vec<Target<'t>>,
    /// The list that the entity is in.
    list: Option<&'t Entities>,
    /// The other steps.
    rest: &'p [Step],
}

impl<'t> PathCursor<'t> {
    fn object(target: &Target<'t>) -> Self {
        PathCursor { object: Some(target.object), shapes: target.shapes.clone(), value: None }
    }
}

impl<'t> ErrorMapper<'t> {
    /// Records the failure of the whole request: one error.
    pub(super) fn fail(&mut self, kind: ErrorKind) -> CauseId {
        let cause = Cause::new(kind, Scope::Request, self.request_origin());
        let cause = self.errors.add(cause);
        self.fail_all(Missing::Absent, cause);
        cause
    }

    /// Sets the cause of all absent values to an error of the response.
    pub(super) fn fail_absent(&mut self, cause: CauseId) {
        let cause = self.errors.derived(cause, "");
        self.fail_all(Missing::Absent, cause);
    }

    /// Returns the place of an error of the whole request: the only root field, or the first
    /// object.
    fn request_origin(&self) -> Option<Origin> {
        let target = self.targets().into_iter().next()?;
        let (mut items, mut steps) = (Vec::new(), Vec::new());
        if let (Some(_), [shape]) = (&self.fetch.root, &*target.shapes)
            && let ([read], true) = (&*shape.members, shape.own.is_empty())
            && self.plan.tree.item(read.item).is_visible
        {
            items.push(read.item);
            steps.push(Step::Key(self.plan.tree.item(read.item).key.clone()));
        }
        Some(Origin { object: target.object, items, steps, is_null: false, is_hidden: false })
    }

    /// Maps the errors of a subgraph response; returns the first cause.
    pub(super) fn map_errors(
        &mut self,
        bytes: &[u8],
        (start, _): Span,
    ) -> Result<Option<CauseId>, InvalidJson> {
        let mut json = Json::new(bytes);
        json.go_to(start);
        let (mut count, mut first) = (0, None);
        let mut is_all_counted = false;
        if json.begin(b'[', b']')? {
            loop {
                count += 1;
                let SubgraphError { message, path, extensions } = SubgraphError::read(&mut json)?;
                let subgraph = self.fetch.subgraph;
                let kind = ErrorKind::Subgraph { subgraph, message, extensions };
                let kind = (count <= MAX_MAPPED).then_some(kind);
                // Errors that are only counted are mapped to all nulls once.
                let is_known = kind.is_none() && path.is_empty();
                if !(is_known && std::mem::replace(&mut is_all_counted, is_known)) {
                    let cause = self.map_error(&path, kind);
                    first = first.or(Some(cause));
                }
                if !json.next(b']')? {
                    break;
                }
            }
        }
        self.errors.count(count.saturating_sub(MAX_MAPPED));
        Ok(first)
    }

    /// Maps a subgraph error by its path; without a kind it is only counted.
    fn map_error(&mut self, path: &[Step], kind: Option<ErrorKind>) -> CauseId {
        let counted = CauseId::COUNTED;
        let Some(Addressed { targets, list, rest }) = self.addressed(path) else {
            return self.map_to_request(kind);
        };
        let Some(first) = rest.first() else {
            return self.map_to_entity(&targets, kind);
        };
        // The document selects the field for other objects that share the entity.
        let is_of_others = |target: &Target<'t>| match (first, list) {
            (Step::Key(name), Some(list)) => {
                self.reads(&PathCursor::object(target), name).is_empty() && list.selects(name)
            }
            (Step::Key(_) | Step::Index(_), _) => false,
        };
        let concerned: Vec<_> = targets.iter().filter(|target| !is_of_others(target)).collect();
        let mut found = Vec::new();
        for target in &concerned {
            let begin = Found {
                object: target.object,
                place: None,
                items: Vec::new(),
                steps: Vec::new(),
                steps_to_place: 0,
                is_hidden: false,
            };
            self.follow(&PathCursor::object(target), rest, begin, &mut found);
        }
        let is_unknown = found.iter().all(|found| found.items.is_empty() && !found.is_hidden);
        if is_unknown && !concerned.is_empty() {
            // The path has nothing that was selected: the error may be the reason of every null.
            return match self.fetch.root {
                Some(_) => self.map_to_request(kind),
                None => self.map_to_entity(&targets, kind),
            };
        }
        let cause = match kind {
            Some(kind) => self.fail_found(found, &kind),
            None => {
                found.iter().filter_map(|found| found.place).for_each(|place| {
                    self.errors.fail(self.arena, place, counted);
                });
                counted
            }
        };
        // The null of a whole entity was propagated from this error.
        let derived = self.errors.derived(cause, "");
        for target in &targets {
            self.fail_values(target, Missing::Absent, derived, &mut FxHashSet::default());
        }
        cause
    }

    /// Maps an error to the whole request.
    fn map_to_request(&mut self, kind: Option<ErrorKind>) -> CauseId {
        let cause = match kind {
            Some(kind) => {
                let cause = Cause::new(kind, Scope::Request, self.request_origin());
                self.errors.add(cause)
            }
            None => CauseId::COUNTED,
        };
        self.fail_all(Missing::Null, cause);
        cause
    }

    /// Maps an error to an entity.
    fn map_to_entity(&mut self, targets: &[Target<'t>], kind: Option<ErrorKind>) -> CauseId {
        let (items, steps) = (Vec::new(), Vec::new());
        let origin = targets.first().map(|target| target.object);
        let origin =
            origin.map(|object| Origin { object, items, steps, is_null: false, is_hidden: false });
        let cause = match kind {
            Some(kind) => self.errors.add(Cause::new(kind, Scope::Entity, origin)),
            None => CauseId::COUNTED,
        };
        let mut seen = FxHashSet::default();
        for target in targets {
            self.fail_values(target, Missing::Null, cause, &mut seen);
        }
        cause
    }

    /// Sets the cause of the values found. Values with the same remaining path to the failed field
    /// share one cause.
    fn fail_found(&mut self, found: Vec<Found>, kind: &ErrorKind) -> CauseId {
        let mut causes: Vec<(Path, CauseId)> = Vec::new();
        for Found { object, place, items, steps, steps_to_place, is_hidden } in found {
            let below = steps.get(steps_to_place..).unwrap_or_default().to_vec();
            let known = causes.iter().find(|(known, _)| *known == below).map(|(_, cause)| *cause);
            let cause = known.unwrap_or_else(|| {
                let location = items.last().filter(|_| !below.is_empty());
                let location = location
                    .and_then(|item| document_location(self.plan.tree.item(*item).location));
                let is_null = place.is_some();
                let origin = Origin { object, items, steps, is_null, is_hidden };
                // The origin is reported once, if no null is caused.
                let origin = Some(origin).filter(|_| causes.is_empty());
                let cause = Cause::new(kind.clone(), Scope::Field, origin);
                let cause = self.errors.add(cause.below(below.clone(), location));
                causes.push((below, cause));
                cause
            });
            if let Some(place) = place {
                self.errors.fail(self.arena, place, cause);
            }
        }
        let first = causes.first().map(|(_, cause)| *cause);
        // Without a value it concerns, the error is reported only if nulls are derived from it.
        first.unwrap_or_else(|| self.errors.add(Cause::new(kind.clone(), Scope::Field, None)))
    }

    /// Follows an error path. Recursion is bounded by the length of the path and by the depth of
    /// the tree.
    fn follow(&self, at: &PathCursor<'t>, path: &[Step], mut found: Found, all: &mut Vec<Found>) {
        if all.len() >= MAX_VALUES {
            return;
        }
        let Some((step, rest)) = path.split_first() else {
            all.push(found);
            return;
        };
        match step {
            Step::Index(index) => {
                let value = at.value.and_then(|place| element(self.arena, place, *index));
                if value.is_none() && at.value.is_some() {
                    // The list is shorter, or null.
                    all.push(found);
                    return;
                }
                if !found.is_hidden {
                    found.steps.push(step.clone());
                }
                let at = PathCursor { object: None, value, shapes: at.shapes.clone() };
                self.step_into(at, rest, found, all);
            }
            Step::Key(name) => {
                let reads = self.reads(at, name);
                let keys = |read: &&Read| &self.plan.tree.item(read.item).key;
                let is_one = reads.windows(2).all(|pair| keys(&pair[0]) == keys(&pair[1]));
                let is_within = at.object.is_some() || at.value.is_none();
                let is_of_all = |read: &&Read| {
                    let item = self.plan.tree.item(read.item);
                    self.plan.tree.position(item.position).possible.is_subset(&item.types)
                };
                let is_one = is_one && reads.iter().all(is_of_all);
                if reads.is_empty() || !is_within || (at.object.is_none() && !is_one) {
                    // The value has one of several types, which may use different response names.
                    all.push(found);
                    return;
                }
                let most = if at.object.is_some() { reads.len() } else { 1 };
                for read in reads.into_iter().take(most) {
                    let item = self.plan.tree.item(read.item);
                    let mut found = Found {
                        object: found.object,
                        place: found.place,
                        items: found.items.clone(),
                        steps: found.steps.clone(),
                        steps_to_place: found.steps_to_place,
                        is_hidden: found.is_hidden || !item.is_visible,
                    };
                    if !found.is_hidden {
                        found.items.push(read.item);
                        found.steps.push(Step::Key(item.key.clone()));
                    }
                    let value = at.object.map(|object| self.arena.address_of(object, read.slot));
                    let shapes = match &read.value {
                        Value::Objects { shape, .. } => vec![shape],
                        Value::Leaf(_) => Vec::new(),
                    };
                    self.step_into(PathCursor { object: None, shapes, value }, rest, found, all);
                }
            }
        }
    }

    fn step_into(
        &self,
        mut at: PathCursor<'t>,
        rest: &[Step],
        mut found: Found,
        all: &mut Vec<Found>,
    ) {
        match at.value.map(|place| (place, self.arena.cell_at(place))) {
            Some((_, Cell::Object(object))) => at.object = Some(object),
            Some((place, Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_))) => {
                found.place = found.place.or(Some(place));
                found.steps_to_place = found.steps.len();
                at.value = None;
            }
            Some((_, Cell::Leaf { .. } | Cell::List { .. })) | None => {}
        }
        self.follow(&at, rest, found, all);
    }

    /// Returns what is read under a name; for an unknown runtime type, of any type.
    fn reads(&self, at: &PathCursor<'t>, name: &str) -> Vec<&'t Read> {
        let r#type = at.object.and_then(|object| self.arena.object(object).r#type);
        let mut all = Vec::new();
        for shape in &at.shapes {
            let (common, own) = shape.members_of(r#type);
            let others = shape.own.iter().filter(|_| r#type.is_none());
            let others = others.flat_map(|(_, members)| members);
            let named = common.iter().chain(own).chain(others);
            let named = named.filter(|read| read.name() == name.as_bytes());
            all.extend(named.flat_map(|read| std::iter::once(read).chain(&read.also)));
        }
        all
    }

    /// Returns the objects that an error path begins at; `None` if there are none.
    fn addressed<'p>(&self, path: &'p [Step]) -> Option<Addressed<'t, 'p>> {
        if path.is_empty() {
            return None;
        }
        if self.fetch.root.is_some() {
            let targets = self.targets();
            let is_one = !targets.is_empty();
            return is_one.then_some(Addressed { targets, list: None, rest: path });
        }
        let [Step::Key(key), Step::Index(index), rest @ ..] = path else { return None };
        let lists = self.batch.lists();
        let place = (0..lists).find(|place| *entities_key(*place, lists) == **key)?;
        let list = self.batch.list(place);
        let owners = self.batch.owners(self.fetch_inputs, list, *index)?;
        let entities = self.fetch_inputs.entities(self.fetch, list)?;
        let targets = owners.iter().map(|owner| {
            let own = self.arena.object(owner.object).r#type;
            let shapes = entities.shapes(owner.entry, own).iter().map(|(_, shape)| shape);
            Target { object: owner.object, shapes: shapes.collect() }
        });
        Some(Addressed { targets: targets.collect(), list: Some(entities), rest })
    }

    /// Returns all objects of the response, each with its shapes.
    fn targets(&self) -> Vec<Target<'t>> {
        let root = self.fetch.root.iter();
        let mut all: Vec<_> = root
            .flat_map(|root| {
                let roots = self.fetch_inputs.roots.iter();
                roots.map(|object| Target { object: *object, shapes: vec![&root.shape] })
            })
            .collect();
        for place in 0..self.fetch_inputs.lists.len() {
            let Some(entities) = self.fetch_inputs.entities(self.fetch, place) else { continue };
            for owner in self.batch.all_owners(self.fetch_inputs, place) {
                let own = self.arena.object(owner.object).r#type;
                let shapes = entities.shapes(owner.entry, own).iter().map(|(_, shape)| shape);
                all.push(Target { object: owner.object, shapes: shapes.collect() });
            }
        }
        all
    }

    fn fail_all(&mut self, missing: Missing, cause: CauseId) {
        let mut seen = FxHashSet::default();
        for target in self.targets() {
            self.fail_values(&target, missing, cause, &mut seen);
        }
    }

    /// Sets the cause of missing values of an object, once per object. Recursion is bounded by the
    /// depth of the tree.
    fn fail_values(
        &mut self,
        target: &Target<'t>,
        missing: Missing,
        cause: CauseId,
        seen: &mut FxHashSet<ObjectId>,
    ) {
        let Target { object, shapes } = target;
        let r#type = self.arena.object(*object).r#type;
        if r#type.is_none() {
            let position = self.arena.object(*object).position;
            if let Some(item) = typename_at(&self.plan.tree, position) {
                let place = self.arena.address_of(*object, self.arena.slot(item));
                self.fail_cell(place, &[], (missing, cause), seen);
            }
        }
        for shape in shapes {
            let others = shape.own.iter().filter(|_| r#type.is_none());
            let others = others.flat_map(|(_, members)| members);
            let others = others.flat_map(|read| std::iter::once(read).chain(&read.also));
            for read in shape.reads_of(r#type).chain(others) {
                let below = match &read.value {
                    Value::Objects { shape, .. } => vec![shape],
                    Value::Leaf(_) => Vec::new(),
                };
                let place = self.arena.address_of(*object, read.slot);
                self.fail_cell(place, &below, (missing, cause), seen);
            }
        }
    }

    /// Recursion is bounded by list nesting and by the depth of the tree.
    fn fail_cell(
        &mut self,
        place: CellAddress,
        shapes: &[&'t Shape],
        (missing, cause): (Missing, CauseId),
        seen: &mut FxHashSet<ObjectId>,
    ) {
        match (self.arena.cell_at(place), missing) {
            (Cell::Absent | Cell::Unknown, _) | (Cell::Null | Cell::Failed(_), Missing::Null) => {
                self.errors.fail(self.arena, place, cause);
            }
            (Cell::Object(object), _) => {
                if seen.insert(object) {
                    let target = Target { object, shapes: shapes.to_vec() };
                    self.fail_values(&target, missing, cause, seen);
                }
            }
            (Cell::List { start, end }, _) => {
                for place in start..end {
                    self.fail_cell(
                        CellAddress::Element(place as usize),
                        shapes,
                        (missing, cause),
                        seen,
                    );
                }
            }
            (Cell::Leaf { .. }, _) | (Cell::Null | Cell::Failed(_), Missing::Absent) => {}
        }
    }
}

/// Returns the `__typename` item of a position, if there is one.
pub(super) fn typename_at(tree: &Tree, position: PositionId) -> Option<ItemId> {
    let mut items = tree.position(position).items.iter().copied();
    items.find(|item| tree.item(*item).kind == ItemKind::Typename)
}

/// Returns the location of an item in the document; hidden items have none.
pub(super) fn document_location(location: Location) -> Option<Location> {
    (location.line > 0).then_some(location)
}

fn element(arena: &Arena, place: CellAddress, index: usize) -> Option<CellAddress> {
    match arena.cell_at(place) {
        Cell::List { start, end } => {
            let place = (start as usize).checked_add(index)?;
            (place < end as usize).then_some(CellAddress::Element(place))
        }
        Cell::Absent
        | Cell::Null
        | Cell::Unknown
        | Cell::Failed(_)
        | Cell::Leaf { .. }
        | Cell::Object(_) => None,
    }
}
