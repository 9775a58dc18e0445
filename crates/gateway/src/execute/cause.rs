//! Why values are missing. An error is kept with the values that are missing because of it, and
//! reported where the answer has null instead of them: under the names of the answer, at each of their
//! places, and only where the answer has such a place.

use graphql::operation::Location;

use super::arena::{Arena, Cell, ObjectId, Place};
use super::errors::{ErrorKind, Errors, ExecutionError, Path};
use super::path::{first_place, is_meant};
use super::tell::located;
use crate::outline::{ItemId, ids};
use crate::plan::Plan;
use crate::supergraph::Supergraph;

/// One error is reported at so many of its places; the others are counted.
const MOST_PLACES: usize = 10;

ids! {
    /// Why a value is missing.
    CauseId "cause";
}

impl CauseId {
    /// A value is not of its type: the error names the field at which the null stands.
    pub(super) const VALUE: Self = Self(u32::MAX);
    /// An error that is counted, and not reported.
    pub(super) const COUNTED: Self = Self(u32::MAX - 1);
}

/// Scope of an error. Of two errors for one value the one with the smaller scope, which is the later
/// of these, is its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// A subgraph left something out, and does not say why.
    Omission,
    /// A request as a whole: reported once.
    Request,
    /// An entity, or whatever needs a value that failed.
    Entity,
    /// One value.
    Field,
}

/// An error, and how it is reported.
#[derive(Debug)]
pub(super) struct Cause {
    kind: ErrorKind,
    scope: Scope,
    /// The steps from the value that is missing to the field that the error is about, where that is
    /// known: a subgraph's own nulls have gone up to the value.
    below: Path,
    /// Where that field stands in the document.
    location: Option<Location>,
    /// At how many places it is reported.
    places: usize,
    /// One more error for the same values.
    next: Option<CauseId>,
    /// The same error, for values that need the one that is missing.
    derived: Option<CauseId>,
    /// Where it is reported if no null of the answer is there because of it.
    origin: Option<Origin>,
}

/// The place that a subgraph, or the gateway, says that an error is at.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) object: ObjectId,
    /// The items below the object, as far as clients see them, with the steps to the last of them.
    pub(super) items: Vec<ItemId>,
    pub(super) steps: Path,
    /// Whether a value is missing there, or below what clients see.
    pub(super) is_null: bool,
    /// Whether it is about something that clients do not see.
    pub(super) is_hidden: bool,
}

impl Cause {
    pub(super) fn new(kind: ErrorKind, scope: Scope, origin: Option<Origin>) -> Self {
        let (below, location, places) = (Path::new(), None, 0);
        Self { kind, scope, below, location, places, next: None, derived: None, origin }
    }

    pub(super) fn below(self, below: Path, location: Option<Location>) -> Self {
        Self { below, location, ..self }
    }
}

impl Errors {
    /// The id that the next cause has.
    pub(super) fn next_cause(&self) -> CauseId {
        CauseId::new(self.causes.len())
    }

    pub(super) fn add(&mut self, cause: Cause) -> CauseId {
        let id = self.next_cause();
        self.causes.push(cause);
        id
    }

    /// The same error for values that need a value of `field` which has failed.
    pub(super) fn derived(&mut self, id: CauseId, field: &str) -> CauseId {
        if id == CauseId::VALUE {
            let kind = ErrorKind::Value { field: field.into() };
            return self.add(Cause::new(kind, Scope::Entity, None));
        }
        let next = self.next_cause();
        let Some(cause) = self.causes.get_mut(id.index()) else { return id };
        // An error of a whole request, or of an entity, holds for these as it is.
        if cause.scope < Scope::Field {
            return id;
        }
        if let Some(derived) = cause.derived {
            return derived;
        }
        cause.derived = Some(next);
        let derived =
            Cause { next: cause.next, ..Cause::new(cause.kind.clone(), Scope::Entity, None) };
        self.add(derived)
    }

    /// Says why a value is missing, unless something with a smaller scope says it. Nothing happens
    /// where there is a value.
    pub(super) fn fail(&mut self, arena: &mut Arena, place: Place, cause: CauseId) {
        match arena.at_place(place) {
            Cell::Leaf { .. } | Cell::Object(_) | Cell::List { .. } => {}
            Cell::Absent | Cell::Null | Cell::Unknown => arena.fail(place, cause),
            Cell::Failed(known) => {
                if self.scope(known) < self.scope(cause) {
                    arena.fail(place, cause);
                } else if self.scope(known) == self.scope(cause) {
                    self.join(known, cause);
                }
            }
        }
    }

    fn scope(&self, id: CauseId) -> Scope {
        self.causes.get(id.index()).map_or(Scope::Field, |cause| cause.scope)
    }

    /// Reports one more error wherever another one is reported.
    fn join(&mut self, known: CauseId, cause: CauseId) {
        let Some(kind) = self.causes.get(cause.index()).map(|cause| cause.kind.clone()) else {
            return;
        };
        let mut last = known;
        while let Some(one) = self.causes.get(last.index()) {
            // The same error again, or one that is there before: causes never lead around in a circle.
            if one.kind == kind || last >= cause {
                return;
            }
            match one.next {
                Some(next) => last = next,
                None => break,
            }
        }
        if let Some(last) = self.causes.get_mut(last.index()) {
            last.next = Some(cause);
        }
    }

    /// Reports why there is a null at a place of the answer, under the name of a field.
    pub(super) fn explain(
        &mut self,
        id: CauseId,
        field: &str,
        place: impl Fn() -> (Path, Option<Location>),
    ) {
        if id == CauseId::VALUE {
            let (path, location) = place();
            let kind = ErrorKind::Value { field: field.into() };
            return self.push(ExecutionError { kind, path, location });
        }
        let mut next = Some(id);
        while let Some(cause) = next.and_then(|id| self.causes.get_mut(id.index())) {
            next = cause.next;
            cause.places += 1;
            let is_whole = cause.scope == Scope::Request;
            let most = if is_whole { 1 } else { MOST_PLACES };
            if cause.places > most {
                if !is_whole {
                    self.count(1);
                }
                continue;
            }
            let (mut path, location) = place();
            path.extend(cause.below.iter().cloned());
            let location = cause.location.or(location);
            let kind = cause.kind.clone();
            self.push(ExecutionError { kind, path, location });
        }
    }

    /// Reports the errors that no null of the answer is there because of, where they are about
    /// something that the answer has.
    pub(super) fn finish(&mut self, supergraph: &Supergraph, plan: &Plan, arena: &Arena) {
        for cause in std::mem::take(&mut self.causes) {
            let Cause { kind, scope, places: 0, origin: Some(origin), .. } = cause else {
                continue;
            };
            let Origin { object, items, steps, is_null, is_hidden } = origin;
            let is_whole = scope <= Scope::Request;
            let first = items.first().map(|item| plan.tree.item(*item));
            let is_meant =
                first.is_none_or(|item| is_meant(supergraph, &plan.tree, arena, item, object));
            // A null that clients do not see, and nothing that they see is null because of it.
            let is_unseen = is_null && is_hidden;
            let place = first_place(supergraph, &plan.tree, arena, object);
            if !is_whole && (is_unseen || !is_meant || place.is_none()) {
                continue;
            }
            let is_there = is_meant && place.is_some();
            let mut path = place.unwrap_or_default();
            path.extend(steps.into_iter().filter(|_| is_there));
            let last = items.last().filter(|_| is_there);
            let location = last.and_then(|item| located(plan.tree.item(*item).location));
            self.push(ExecutionError { kind, path, location });
        }
    }
}
