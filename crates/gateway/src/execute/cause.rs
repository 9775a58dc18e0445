//! Causes of null values. An error is stored with the cells that are null because of it, and
//! reported where the response has null instead of them: under the response names, at each place,
//! and only where the response has such a place.

use graphql::operation::Location;

use super::arena::{Arena, Cell, CellAddress, ObjectId};
use super::errors::{ErrorKind, Errors, ExecutionError, Path};
use super::map_errors::document_location;
use super::path::{first_place, has_path};
use crate::outline::{ItemId, Parts, ids};
use crate::plan::Plan;
use supergraph::Supergraph;

/// Maximum number of places at which one error is reported; further ones are only counted.
const MAX_PLACES: usize = 10;

ids! {
    /// Cause of a missing value.
    CauseId "cause";
}

impl CauseId {
    /// The value does not have its type; the error is reported at the null and names its field.
    pub(super) const VALUE: Self = Self(u32::MAX);
    /// The error is only counted, not reported.
    pub(super) const COUNTED: Self = Self(u32::MAX - 1);
}

/// Scope of an error, from the widest to the narrowest. Of two errors for one value the one with
/// the narrower scope is the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// A value is missing from a subgraph response that reports no error for it.
    Omission,
    /// A whole request; reported once.
    Request,
    /// An entity, or a field that requires a failed value.
    Entity,
    /// One value.
    Field,
}

/// An error and where it is reported.
#[derive(Debug)]
pub(super) struct Cause {
    kind: ErrorKind,
    scope: Scope,
    /// Path from the null to the field that the error is about, if known: null propagation in the
    /// subgraph moved the null up.
    below: Path,
    /// Location of that field in the document.
    location: Option<Location>,
    /// Number of places at which it was reported in a list of errors.
    places: usize,
    /// The list of errors in which it was reported last.
    payload: Option<u32>,
    /// Linked list of further errors for the same values.
    next: Option<CauseId>,
    /// The same error, for values that require the failed one.
    derived: Option<CauseId>,
    /// Place of the error if no null in the response is caused by it.
    origin: Option<Origin>,
}

/// Place of an error according to the subgraph or the gateway.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) object: ObjectId,
    /// Visible items below the object, and the path to the last of them.
    pub(super) items: Vec<ItemId>,
    pub(super) steps: Path,
    /// Whether the value there, or a hidden value below it, is missing.
    pub(super) is_null: bool,
    /// Whether the error is about a hidden item.
    pub(super) is_hidden: bool,
}

impl Cause {
    pub(super) fn new(kind: ErrorKind, scope: Scope, origin: Option<Origin>) -> Self {
        let (below, location, places, payload) = (Path::new(), None, 0, None);
        Self { kind, scope, below, location, places, payload, next: None, derived: None, origin }
    }

    pub(super) fn below(self, below: Path, location: Option<Location>) -> Self {
        Self { below, location, ..self }
    }
}

impl Errors {
    /// Id of the next cause.
    pub(super) fn next_cause(&self) -> CauseId {
        CauseId::new(self.causes.len())
    }

    pub(super) fn add(&mut self, cause: Cause) -> CauseId {
        let id = self.next_cause();
        self.causes.push(cause);
        id
    }

    /// Returns the cause for values that require the failed value of `field`.
    pub(super) fn derived(&mut self, id: CauseId, field: &str) -> CauseId {
        if id == CauseId::VALUE {
            let kind = ErrorKind::Value { field: field.into() };
            return self.add(Cause::new(kind, Scope::Entity, None));
        }
        let next = self.next_cause();
        let Some(cause) = self.causes.get_mut(id.index()) else { return id };
        // An error of a whole request or entity is its own derived error.
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

    /// Sets the cause of a missing value, unless it has one with a narrower scope. No effect if
    /// there is a value.
    pub(super) fn fail(&mut self, arena: &mut Arena, place: CellAddress, cause: CauseId) {
        match arena.cell_at(place) {
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

    /// Adds an error that is reported wherever another one is.
    fn join(&mut self, known: CauseId, cause: CauseId) {
        let Some(kind) = self.causes.get(cause.index()).map(|cause| cause.kind.clone()) else {
            return;
        };
        let mut last = known;
        while let Some(one) = self.causes.get(last.index()) {
            // Equal errors are skipped, and so are earlier ones: the list must not become circular.
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

    /// Reports the cause of a null in the response, under the response name of its field.
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
        let payload = self.payload;
        let mut next = Some(id);
        while let Some(cause) = next.and_then(|id| self.causes.get_mut(id.index())) {
            next = cause.next;
            if cause.payload.replace(payload) != Some(payload) {
                cause.places = 0;
            }
            cause.places += 1;
            let is_whole = cause.scope == Scope::Request;
            let most = if is_whole { 1 } else { MAX_PLACES };
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

    /// Reports the errors that caused no null in the response, if it contains the place they are
    /// about. `delivered` are the parts of the response that are written.
    pub(super) fn finish(
        &mut self,
        supergraph: &Supergraph,
        plan: &Plan,
        arena: &Arena,
        delivered: Parts,
    ) {
        let mut causes = std::mem::take(&mut self.causes);
        for cause in &mut causes {
            let Cause { kind, scope, payload: None, origin: Some(origin), .. } = &*cause else {
                continue;
            };
            let Origin { object, items, steps, is_null, is_hidden } = origin;
            let is_whole = *scope <= Scope::Request;
            let mut parts = items.iter().map(|item| plan.tree.item(*item).parts);
            if !is_whole && !parts.all(|parts| parts.intersects(delivered)) {
                continue;
            }
            let has_path = has_path(supergraph, &plan.tree, arena, *object, (items, steps));
            // A missing hidden value that caused no visible null.
            let is_unseen = *is_null && *is_hidden;
            let place = first_place(supergraph, &plan.tree, arena, *object);
            if !is_whole && (is_unseen || !has_path || place.is_none()) {
                continue;
            }
            let is_there = has_path && place.is_some();
            let mut path = place.unwrap_or_default();
            path.extend(steps.iter().filter(|_| is_there).cloned());
            let last = items.last().filter(|_| is_there);
            let location = last.and_then(|item| document_location(plan.tree.item(*item).location));
            self.push(ExecutionError { kind: kind.clone(), path, location });
            cause.payload = Some(self.payload);
        }
        self.causes = causes;
    }
}
