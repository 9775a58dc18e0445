//! Which operations are cached, and for how long: by the directive `@cached(ttl:, refresh:)`, or by the
//! root fields that they select.

use std::time::Duration;

use graphql::operation::{FieldRef, Operation, OperationKind, Selection, SelectionSetId};
use graphql::schema::{FieldId, Schema, TypeKind};
use graphql::{ErrorCode, GraphQLError};
use rustc_hash::FxHashMap;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::CacheUse;
use crate::live_directive::known;

/// The name of the directive, and of its arguments.
const DIRECTIVE: &str = "cached";
const TTL: &str = "ttl";
const REFRESH: &str = "refresh";

/// The default of the directive's `ttl`.
const DEFAULT_SECONDS: i64 = 60;

/// The largest `ttl`, in seconds.
pub const MOST_SECONDS: u64 = 86_400;

/// The name that stands for all root fields without an entry of their own.
const ALL: &str = "*";

/// A root field of queries, and how long answers with it are kept; `*` for all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheField {
    pub name: Box<str>,
    pub ttl: Duration,
}

impl CacheField {
    /// True for the entry of all other fields.
    pub(crate) fn is_of_all(&self) -> bool {
        &*self.name == ALL
    }
}

/// A root field that the schema does not have.
#[derive(Debug, thiserror::Error)]
#[error("the cache is to keep answers of `{name}`, which is no root field of queries{known}")]
pub struct CachePolicyError {
    name: Box<str>,
    /// Some of them.
    known: String,
}

/// The root fields whose answers are cached.
#[derive(Debug, Default)]
pub(crate) struct CachePolicy {
    fields: FxHashMap<FieldId, Duration>,
    others: Option<Duration>,
}

/// The wish for a cached answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheWish {
    pub(crate) ttl: Duration,
    /// True if a new answer is to be made.
    pub(crate) refresh: bool,
    pub(crate) by_directive: bool,
    /// True if the document names a time: then the answer may be old for it.
    pub(crate) has_time: bool,
}

impl CacheWish {
    /// The highest age of an answer that the request may have; `None` if a new one is made.
    pub(super) fn most_age(self, allowed: CacheUse) -> Option<Duration> {
        match allowed {
            _ if self.refresh => None,
            CacheUse::Refresh | CacheUse::Bypass => None,
            CacheUse::Younger(age) => Some(age),
            CacheUse::Answer => Some(Duration::MAX),
        }
    }
}

/// The reason for which an operation is not cached, though that is wished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    Deferred,
    Introspection,
    Resolved,
    Passwords,
    Volatile,
}

impl Obstacle {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Deferred => "it has deferred fragments",
            Self::Introspection => "it selects the schema",
            Self::Resolved => "other servers give values of its fields",
            Self::Passwords => "it compares passwords",
            Self::Volatile => {
                "its answer differs each time, since it has the current time or calls a volatile \
                 function; `@cached` with a `ttl` caches it nevertheless"
            }
        }
    }
}

impl CachePolicy {
    pub(crate) fn new(fields: &[CacheField], schema: &Schema) -> Result<Self, CachePolicyError> {
        let mut policy = Self::default();
        for field in fields {
            let CacheField { name, ttl } = field;
            if field.is_of_all() {
                policy.others = Some(*ttl);
                continue;
            }
            let field = schema.query.and_then(|query| schema.find_field(query, name));
            let Some(field) = field else {
                let known = root_names(schema);
                return Err(CachePolicyError { name: name.clone(), known });
            };
            policy.fields.insert(field, *ttl);
        }
        Ok(policy)
    }

    /// The wish of an operation for a cached answer; `None` without one.
    pub(crate) fn wish(
        &self,
        schema: &Schema,
        operation: &Operation,
        variables: &Map<ByteString, Json>,
    ) -> Result<Option<CacheWish>, GraphQLError> {
        if operation.kind != OperationKind::Query {
            return Ok(None);
        }
        if let Some(applied) = operation.directives.iter().find(|own| &*own.name == DIRECTIVE) {
            let (mut seconds, mut refresh, mut has_time) = (DEFAULT_SECONDS, false, false);
            for (argument, value) in &applied.arguments {
                let value = known(value, operation, variables);
                match &*schema[*argument].name {
                    // Absent variables stand for the default.
                    TTL if !value.is_null() => {
                        seconds = value.as_i64().unwrap_or(-1);
                        has_time = true;
                    }
                    REFRESH => refresh = value == Json::Bool(true),
                    _ => {}
                }
            }
            let ttl = u64::try_from(seconds).ok().filter(|seconds| *seconds <= MOST_SECONDS);
            let ttl = Duration::from_secs(ttl.ok_or_else(wrong_ttl)?);
            let wish = CacheWish { ttl, refresh, by_directive: true, has_time };
            return Ok(Some(wish).filter(|wish| !wish.ttl.is_zero()));
        }
        if self.fields.is_empty() && self.others.is_none() {
            return Ok(None);
        }
        let mut least = None;
        let is_cached = self.find_least(operation, operation.root, &mut least);
        let ttl = least.filter(|ttl| is_cached && !ttl.is_zero());
        Ok(ttl.map(|ttl| CacheWish { ttl, refresh: false, by_directive: false, has_time: false }))
    }

    /// Finds the least time of the fields of a selection set; false if one is not cached.
    fn find_least(
        &self,
        operation: &Operation,
        set: SelectionSetId,
        least: &mut Option<Duration>,
    ) -> bool {
        operation.selection_set(set).selections.iter().all(|selection| match selection {
            Selection::Field(selected) => match selected.field {
                FieldRef::Typename => true,
                FieldRef::Introspection => false,
                FieldRef::Field(field) => {
                    let ttl = self.fields.get(&field).copied().or(self.others);
                    *least = [*least, ttl].into_iter().flatten().min();
                    ttl.is_some()
                }
            },
            Selection::Fragment { selection_set, .. } => {
                self.find_least(operation, *selection_set, least)
            }
        })
    }
}

fn wrong_ttl() -> GraphQLError {
    let message = format!("The \"ttl\" of \"@cached\" must be from 0 to {MOST_SECONDS} seconds.");
    GraphQLError::new(ErrorCode::BadUserInput, message)
}

/// Some of the root fields, for an error.
fn root_names(schema: &Schema) -> String {
    let TypeKind::Object { fields, .. } = (match schema.query {
        Some(query) => &schema[query].kind,
        None => return String::new(),
    }) else {
        return String::new();
    };
    let names: Vec<&str> = fields.iter().take(8).map(|field| &*schema[*field].name).collect();
    format!("; some are {}", names.join(", "))
}
