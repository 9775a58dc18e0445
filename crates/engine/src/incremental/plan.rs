//! The plan of an operation in parts, made once for a document, a structure of its variables and an
//! access set.

use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::Arc;

use access::AccessSet;
use dialects::Lowered;
use graphql::GraphQLError;
use graphql::defer::split::{FragmentPlace, SplitOperation, marker};
use graphql::operation::{AppliedDirective, Location, Operation, Selection};
use graphql::variables::{Observation, Steering, Structure, Variables};
use source::Session;

use super::agreement::{Selected, Snapshots, bound_nulls};
use crate::documents::{CachedDocument, CachedPlan as _};
use crate::engine::Engine;
use crate::prepare::{PlanKey, Prepared};

/// Attempts to find fragments that can be sent apart. Each attempt lowers the whole operation once
/// more.
const ATTEMPTS: usize = 3;

/// The deferred fragments of an operation.
#[derive(Debug, Default)]
pub(crate) struct DeferredPlan {
    /// Those that are sent later. Each comes after those that contain it.
    pub(crate) fragments: Vec<DeferredFragment>,
    /// Those that are sent with the part around them, with the reasons.
    pub(crate) included: Vec<IncludedFragment>,
}

/// A label, if there is one.
struct Label<'l>(Option<&'l str>);

/// A line and a column.
struct PrintedLocation(Location);

/// A fragment that is sent later.
#[derive(Debug)]
pub(crate) struct DeferredFragment {
    pub(crate) label: Option<Box<str>>,
    pub(crate) location: Location,
    /// The plan of its operation.
    pub(crate) prepared: Arc<Prepared>,
}

/// A fragment that is sent with the part around it.
#[derive(Debug)]
pub(crate) struct IncludedFragment {
    pub(crate) label: Option<Box<str>>,
    pub(crate) location: Location,
    pub(crate) obstacle: DeferralObstacle,
}

/// Reasons why a fragment is not sent later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DeferralObstacle {
    #[error("@cascade depends on all selected fields")]
    Cascade,
    #[error("other servers give values of the operation, or it compares passwords")]
    Resolved,
    #[error(
        "a list that another part selects, too, has no unique order, or the source no snapshots"
    )]
    Order,
    #[error("it is on an object below one that has it, too")]
    Recursion,
    #[error("the part around it has all of its fields")]
    Nothing,
}

impl DeferredPlan {
    /// Prints which fragments are sent later, and why the others are not.
    pub(crate) fn print(&self, out: &mut String) {
        // Writing to a string cannot fail.
        for DeferredFragment { label, location, prepared } in &self.fragments {
            let count = prepared.plan.levels().iter().filter(|level| level.has_statement()).count();
            let graph = prepared.plan.graph().map_or(0, |graph| graph.statements().count());
            let _ = writeln!(
                out,
                "deferred fragment{} at {}: sent later, after {} statements of its own",
                Label(label.as_deref()),
                PrintedLocation(*location),
                count + graph
            );
        }
        for IncludedFragment { label, location, obstacle } in &self.included {
            let (label, place) = (Label(label.as_deref()), PrintedLocation(*location));
            let _ = writeln!(
                out,
                "deferred fragment{label} at {place}: not sent later, since {obstacle}"
            );
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> u64 {
        let lists = self.fragments.capacity() * size_of::<DeferredFragment>()
            + self.included.capacity() * size_of::<IncludedFragment>();
        let labels = self.fragments.iter().map(|fragment| &fragment.label);
        let labels = labels.chain(self.included.iter().map(|fragment| &fragment.label));
        let labels: usize = labels.flatten().map(|label| label.len()).sum();
        let plans: u64 = self.fragments.iter().map(|fragment| fragment.prepared.weight()).sum();
        (size_of::<Self>() + lists + labels) as u64 + plans
    }
}

impl Engine {
    /// The plan of a document in parts. Its own statements are those of the initial part.
    pub(crate) fn plan_in_parts(
        &self,
        known: &Arc<CachedDocument<Prepared>>,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
        is_known: &mut bool,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        let access = self.access_set(session)?;
        let access = access.as_deref();
        let key = PlanKey::of(access).in_parts();
        if let Some(plan) = known.plan(&key, variables) {
            *is_known = true;
            return Ok(plan);
        }
        let operation = &known.document.operation;
        let planner = Planner {
            engine: self,
            access,
            variables,
            introspection: self.introspect(&known.document, operation_name, variables, session)?,
        };
        let mut prepared = planner.plan(operation)?;
        prepared.key = key;
        let prepared = Arc::new(prepared);
        self.documents.keep(known, operation_name, &prepared);
        Ok(prepared)
    }
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(label) => write!(f, " {label:?}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PrintedLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.line, self.0.column)
    }
}

struct Planner<'e> {
    engine: &'e Engine,
    access: Option<&'e AccessSet>,
    variables: &'e Variables,
    introspection: dialects::Introspection,
}

/// A split operation, lowered.
struct LoweredParts {
    split: SplitOperation,
    initial: Lowered,
    fragments: Vec<Lowered>,
}

impl LoweredParts {
    fn all(&self) -> impl Iterator<Item = &Lowered> {
        [&self.initial].into_iter().chain(&self.fragments)
    }
}

impl Planner<'_> {
    fn plan(&self, operation: &Operation) -> Result<Prepared, Vec<GraphQLError>> {
        let steering = Steering::new(self.variables);
        let mut places = operation.deferred_fragments(&steering);
        let mut seen = vec![steering.into_structure()];
        let mut included = Vec::new();
        if let Some(obstacle) = self.obstacle(operation) {
            include(operation, &mut places, &mut included, obstacle);
        }
        let mut attempts = 0;
        let parts = loop {
            let parts = self.lower(operation, &places)?;
            seen.extend(parts.all().map(|lowered| lowered.structure.clone()));
            attempts += 1;
            let is_resolved =
                |lowered: &Lowered| !lowered.resolved.is_empty() || !lowered.passwords.is_empty();
            let obstacles = match parts.all().any(is_resolved) {
                true => vec![Some(DeferralObstacle::Resolved); places.len()],
                false => self.obstacles(&parts),
            };
            if obstacles.iter().all(Option::is_none) {
                break parts;
            }
            if attempts >= ATTEMPTS {
                include(operation, &mut places, &mut included, DeferralObstacle::Order);
                continue;
            }
            for (place, obstacle) in places.clone().iter().zip(obstacles) {
                if let Some(obstacle) = obstacle {
                    let mut one = vec![*place];
                    include(operation, &mut one, &mut included, obstacle);
                    places.retain(|other| other != place);
                }
            }
        };
        self.compile(parts, included, seen)
    }

    /// The reason why no fragment of the operation is sent later.
    fn obstacle(&self, operation: &Operation) -> Option<DeferralObstacle> {
        let cascade = self.engine.api.cascade()?;
        let is_cascade = |own: &AppliedDirective| *own.name == *cascade;
        let selections = operation.selection_sets.iter().flat_map(|set| &set.selections);
        let mut directives = selections.flat_map(|selection| match selection {
            Selection::Field(field) => &field.directives,
            Selection::Fragment { directives, .. } => directives,
        });
        let cascades = directives.any(is_cascade) || operation.directives.iter().any(is_cascade);
        cascades.then_some(DeferralObstacle::Cascade)
    }

    fn lower(
        &self,
        operation: &Operation,
        places: &[FragmentPlace],
    ) -> Result<LoweredParts, Vec<GraphQLError>> {
        let split = operation.split(places);
        let lower = |operation: &Operation| {
            const ALL: Range<usize> = dialects::ALL_ROOTS;
            self.engine.lower_operation(operation, self.variables, &self.introspection, ALL)
        };
        let initial = lower(&split.initial)?;
        let fragments = split.fragments.iter().map(|fragment| lower(&fragment.operation));
        let fragments = fragments.collect::<Result<_, _>>()?;
        Ok(LoweredParts { split, initial, fragments })
    }

    /// For each fragment the reason why it cannot be sent later.
    fn obstacles(&self, parts: &LoweredParts) -> Vec<Option<DeferralObstacle>> {
        let engine = self.engine;
        let snapshots = match engine.source.has_snapshots() {
            true => Snapshots::Yes,
            false => Snapshots::No,
        };
        let of = |lowered| Selected::of(lowered, &engine.catalog, snapshots);
        let initial = of(&parts.initial);
        let fragments: Vec<_> = parts.fragments.iter().map(of).collect();
        let obstacle = |(number, own): (usize, &Selected<'_>)| {
            if own.is_within_itself(&marker(number)) {
                return Some(DeferralObstacle::Recursion);
            }
            if own.is_within(&initial) {
                return Some(DeferralObstacle::Nothing);
            }
            let others = fragments.iter().enumerate();
            let mut others = others.filter(|(other, _)| *other != number).map(|(_, other)| other);
            let disagrees = own.disagrees(&initial) || others.any(|other| own.disagrees(other));
            disagrees.then_some(DeferralObstacle::Order)
        };
        fragments.iter().enumerate().map(obstacle).collect()
    }

    fn compile(
        &self,
        parts: LoweredParts,
        included: Vec<IncludedFragment>,
        seen: Vec<Structure>,
    ) -> Result<Prepared, Vec<GraphQLError>> {
        let LoweredParts { split, initial, fragments: lowered } = parts;
        let mut fragments = Vec::with_capacity(lowered.len());
        for (number, (fragment, mut lowered)) in
            split.fragments.into_iter().zip(lowered).enumerate()
        {
            bound_nulls(&mut lowered.shape, &marker(number));
            lowered.structure = Structure::default();
            let prepared = Arc::new(self.engine.compile(lowered, self.access, None)?);
            let (label, location) = (fragment.label, fragment.location);
            fragments.push(DeferredFragment { label, location, prepared });
        }
        let mut prepared = self.engine.compile(initial, self.access, None)?;
        prepared.structure = union(seen);
        prepared.deferred = Some(Box::new(DeferredPlan { fragments, included }));
        Ok(prepared)
    }
}

/// All observations, each once.
fn union(structures: Vec<Structure>) -> Structure {
    let mut observations: Vec<Observation> = Vec::new();
    for observation in structures.into_iter().flat_map(|structure| structure.observations) {
        if !observations.contains(&observation) {
            observations.push(observation);
        }
    }
    Structure { observations }
}

/// Moves fragments to the parts around them.
fn include(
    operation: &Operation,
    places: &mut Vec<FragmentPlace>,
    included: &mut Vec<IncludedFragment>,
    obstacle: DeferralObstacle,
) {
    for place in std::mem::take(places) {
        let (label, location) = operation.describe_fragment(place);
        included.push(IncludedFragment { label, location, obstacle });
    }
}
