//! Satisfiability: whether every operation over the API of a supergraph can be planned.
//!
//! A path of a client is a root field, fields below it, and type conditions. Each path must be
//! resolvable from the subgraphs that can be reached where it is, for all combinations of override
//! labels. The rules are those of Apollo's documentation:
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/composition>
//!
//! 1. [`conditions`]: Boolean functions of override labels
//! 2. [`visits`]: the objects of a type as one subgraph returns them, their fields there, and the
//!    jumps to other subgraphs by keys
//! 3. [`reachable`]: the visits that are reached by keys from those of the subgraphs that return an
//!    object: a least fixpoint in which keys and required fields are resolved
//! 4. [`walk`]: all states of paths, breadth first. A state is the object type with the visits of
//!    the subgraphs that return its objects; a state that reaches everything that a visited one
//!    reaches is skipped.
//! 5. [`explain`], [`operations`], `message`: the reasons, the example operation, and the text
//!
//! The number of states depends on the types and the distinct sets of subgraphs that return their
//! objects, and not on the number of paths. Type conditions need no states: a state is that of one
//! object type. Labels need no states, either: each visit has the condition under which it is
//! reached. [`Limits`] bound what remains; beyond them the result is
//! [`Unsatisfiable::TooManyPaths`].
//!
//! Keys and required fields are resolved from all subgraphs that return the object, and those that
//! are reached from them, as the planner of the gateway resolves them. Apollo's composition resolves
//! them from one subgraph at a time, and required fields from the subgraph that requires them. It
//! also permits `@requires` where no key of the subgraph is resolvable; nothing can be sent there.
//! Inside of field sets all contexts (`@fromContext`) are assumed to be set. An interface without
//! implementations has no objects, so that nothing below it is unsatisfiable.

mod conditions;
mod explain;
mod message;
mod operations;
mod reachable;
mod visits;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use graphql::operation::OperationKind;
use graphql::schema::{FieldId, TypeId, TypeKind};
use rustc_hash::FxHashMap;

use crate::Supergraph;
use conditions::Conditions;
use reachable::Reachability;
use visits::Visits;
use walk::{Walk, Walked};

/// Something that the subgraphs cannot resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsatisfiable {
    Field(UnresolvableField),
    /// A root field of a mutation or subscription that several subgraphs have, none of which
    /// satisfies all operations below it.
    RootField {
        /// An operation that cannot be planned.
        operation: String,
        coordinate: String,
        /// Override labels for which it cannot be planned, with whether each is active.
        labels: Vec<(Arc<str>, bool)>,
        /// The first finding for each subgraph.
        executors: Vec<(Arc<str>, Unsatisfiable)>,
    },
    /// A field of several subgraphs whose possible runtime types have nothing in common.
    RuntimeTypes {
        operation: String,
        coordinate: String,
        /// The abstract type of the field.
        r#type: Arc<str>,
        /// Runtime types by subgraph.
        subgraphs: Vec<(Arc<str>, Vec<Arc<str>>)>,
    },
    /// The limits were exceeded; there may be more findings than the others.
    TooManyPaths(Limits),
}

/// A field of several subgraphs that have different possible runtime types of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeTypes {
    /// An operation that selects the field.
    pub operation: String,
    pub coordinate: String,
    /// The abstract type of the field.
    pub r#type: Arc<str>,
    /// Runtime types by subgraph.
    pub subgraphs: Vec<(Arc<str>, Vec<Arc<str>>)>,
}

/// A field that cannot be resolved on some path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvableField {
    /// An operation that selects it by the shortest path, and cannot be planned.
    pub operation: String,
    /// `Type.field`; the interface if no subgraph returns the runtime types of its objects.
    pub coordinate: String,
    /// Override labels for which the operation cannot be planned, with whether each is active;
    /// others do not matter.
    pub labels: Vec<(Arc<str>, bool)>,
    pub attempts: Vec<Attempt>,
}

/// The reasons why a field cannot be resolved for objects that a subgraph returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub subgraph: Arc<str>,
    pub reasons: Vec<Reason>,
}

/// A reason why a field cannot be resolved. Fields are coordinates; the others are names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    NoField {
        field: String,
    },
    External {
        field: String,
    },
    /// A progressive override assigns the field to another subgraph.
    Overridden {
        subgraph: Arc<str>,
        field: String,
        label: Arc<str>,
        is_active: bool,
    },
    /// Required `fields` are not resolved.
    Requires {
        subgraph: Arc<str>,
        field: String,
        fields: Vec<String>,
    },
    /// Required fields or contexts are sent with a key, and none can be used.
    NoKeyForInputs {
        subgraph: Arc<str>,
        field: String,
        on: Arc<str>,
    },
    /// No enclosing object sets a context.
    Context {
        subgraph: Arc<str>,
        field: String,
    },
    NoKey {
        to: Arc<str>,
        field: String,
        on: Arc<str>,
    },
    NoResolvableKey {
        to: Arc<str>,
        field: String,
        on: Arc<str>,
    },
    /// `fields` of the key are not resolved.
    Key {
        to: Arc<str>,
        on: Arc<str>,
        key: String,
        from: Arc<str>,
        fields: Vec<String>,
    },
    NoRuntimeType {
        interface: Arc<str>,
    },
}

/// Limits of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of visited states.
    pub states: usize,
    /// Maximum number of distinct conditions of override labels.
    pub conditions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 200_000, conditions: 1_000_000 }
    }
}

/// The findings of a check, with its work.
#[derive(Clone, Debug)]
pub struct Checked {
    pub findings: Vec<Unsatisfiable>,
    /// Shared fields with some runtime types in common: satisfiable, if their subgraphs return only
    /// these.
    pub shared: Vec<RuntimeTypes>,
    /// Number of visited states.
    pub states: usize,
    /// Number of times that reached visits were computed.
    pub computations: usize,
}

/// Returns everything that cannot be resolved, within the default limits.
#[must_use]
pub fn check(supergraph: &Supergraph) -> Vec<Unsatisfiable> {
    check_within(supergraph, Limits::default()).findings
}

/// Returns everything that cannot be resolved, within limits.
#[must_use]
pub fn check_within(supergraph: &Supergraph, limits: Limits) -> Checked {
    let api = &supergraph.api;
    let mut fields: FxHashMap<TypeId, Vec<_>> = FxHashMap::default();
    for (id, _) in api.schema.types() {
        fields.insert(api.r#type(id), api_fields(supergraph, id));
    }
    let conditions = Conditions::new(supergraph.labels(), limits.conditions);
    let mut reachability = Reachability::new(Visits::new(supergraph, conditions));
    let schema = &supergraph.schema;
    let roots = [
        (OperationKind::Query, schema.query),
        (OperationKind::Mutation, schema.mutation),
        (OperationKind::Subscription, schema.subscription),
    ];
    let (mut findings, mut shared, mut states) = (Vec::new(), Vec::new(), 0);
    for (kind, root) in roots {
        let Some(root) = root.filter(|root| api.has(*root)) else { continue };
        let walk = Walk::new(&mut reachability, &fields, kind, limits, states);
        let Walked { findings: found, shared: own, count, is_exceeded } = walk.run(root);
        shared.extend(own);
        findings.extend(found.into_iter().map(|found| found.finding));
        states = count;
        if is_exceeded {
            break;
        }
    }
    Checked { findings, shared, states, computations: reachability.work }
}

impl Unsatisfiable {
    /// The published code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Field(_) | Self::RootField { .. } => "SATISFIABILITY_ERROR",
            Self::RuntimeTypes { .. } => "SHAREABLE_HAS_MISMATCHED_RUNTIME_TYPES",
            Self::TooManyPaths(_) => "MAX_VALIDATION_SUBGRAPH_PATHS_EXCEEDED",
        }
    }

    /// An operation to which it applies.
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        match self {
            Self::Field(UnresolvableField { operation, .. })
            | Self::RootField { operation, .. }
            | Self::RuntimeTypes { operation, .. } => Some(operation),
            Self::TooManyPaths(_) => None,
        }
    }

    /// The coordinate of the field or type.
    #[must_use]
    pub fn coordinate(&self) -> Option<&str> {
        match self {
            Self::Field(UnresolvableField { coordinate, .. })
            | Self::RootField { coordinate, .. }
            | Self::RuntimeTypes { coordinate, .. } => Some(coordinate),
            Self::TooManyPaths(_) => None,
        }
    }

    /// Override labels for which the operation cannot be planned, with whether each is active.
    #[must_use]
    pub fn labels(&self) -> &[(Arc<str>, bool)] {
        match self {
            Self::Field(field) => &field.labels,
            Self::RootField { labels, .. } => labels,
            Self::RuntimeTypes { .. } | Self::TooManyPaths(_) => &[],
        }
    }
}

/// Returns the visible fields of an API type, by their ids in the supergraph.
fn api_fields(supergraph: &Supergraph, api_type: TypeId) -> Vec<FieldId> {
    let api = &supergraph.api;
    match &api.schema[api_type].kind {
        TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
            fields.iter().map(|field| api.field(*field)).collect()
        }
        TypeKind::Scalar
        | TypeKind::Union { .. }
        | TypeKind::Enum { .. }
        | TypeKind::InputObject { .. } => Vec::new(),
    }
}
