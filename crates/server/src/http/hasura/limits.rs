//! API limits of the metadata: depth, nodes, rate, time and batches of operations, for all roles and
//! for single ones. The administrator has none.
//! <https://hasura.io/docs/2.0/security/api-limits/>

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{ApiWorker, Caller};
use graphql::operation::{FieldRef, Operation, Selection, SelectionSetId};
use graphql::{ErrorCode, GraphQLError, Request};
use hasura_metadata::types::limits::{ApiLimits, CountLimit, RateLimitRule, UniqueParameters};
use serde_json::Value;

use super::{is_admin, role_of};
use crate::http::client_address::ClientAddress;
use crate::http::refusal::Refusal;
use crate::http::service::Service;

/// The time in which requests are counted.
const WINDOW: Duration = Duration::from_secs(60);

/// Number of counters beyond which those of silent clients are removed.
const MANY: usize = 10_000;

/// The limits with the counters of requests.
#[derive(Debug)]
pub(super) struct OperationLimits {
    limits: ApiLimits,
    counters: Mutex<HashMap<String, Counter>>,
}

/// Requests of one client: in the present window, and in the one before.
#[derive(Clone, Copy, Debug)]
struct Counter {
    start: Instant,
    current: u64,
    previous: u64,
}

/// The size of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Levels of fields with selections.
    depth: u64,
    /// Fields with selections.
    nodes: u64,
}

impl OperationLimits {
    /// The limits of metadata, if there are some. Adds a problem for each that is not served.
    pub(super) fn new(limits: &ApiLimits, problems: &mut Vec<String>) -> Option<Self> {
        if limits.disabled {
            return None;
        }
        let times = limits.time_limit.iter();
        let mut times = times.flat_map(|time| time.per_role.values().chain([&time.global]));
        if times.any(|time| seconds(time).is_none()) {
            problems.push("api_limits.time_limit: a limit is no number of seconds".to_owned());
        }
        let is_empty = limits.batch_limit.is_none()
            && limits.depth_limit.is_none()
            && limits.node_limit.is_none()
            && limits.rate_limit.is_none()
            && limits.time_limit.is_none();
        (!is_empty).then(|| Self { limits: limits.clone(), counters: Mutex::default() })
    }

    /// Counts an operation.
    pub(super) fn count_operation(
        &self,
        caller: &Caller,
        client: ClientAddress,
    ) -> Result<(), GraphQLError> {
        let Some(rate) = &self.limits.rate_limit else { return Ok(()) };
        let role = role_of(caller);
        let rule = of_role(&rate.per_role, role).unwrap_or(&rate.global);
        self.count(rule, role, (caller, client), Instant::now())
    }

    /// Checks the size of an operation.
    pub(super) fn check_size(
        &self,
        service: &Service,
        request: &Request,
        caller: &Caller,
    ) -> Result<(), GraphQLError> {
        let role = role_of(caller);
        let (depth, nodes) = (&self.limits.depth_limit, &self.limits.node_limit);
        let ApiWorker::Source(worker) = &service.worker else { return Ok(()) };
        if depth.is_none() && nodes.is_none() {
            return Ok(());
        }
        // An invalid document gets its own error.
        let Ok(document) = worker.document(request, &caller.session) else { return Ok(()) };
        let size = Size::of(&document.operation);
        for (limit, found, code, what) in [
            (depth, size.depth, "depth-limit-exceeded", "depth"),
            (nodes, size.nodes, "node-limit-exceeded", "node"),
        ] {
            let Some(limit) = limit else { continue };
            let most = count_of(limit, role);
            if found > most {
                return Err(exceeded(
                    code,
                    format!("{what} limit exceeded: the operation has {found}, {most} is allowed"),
                ));
            }
        }
        Ok(())
    }

    /// The time that an operation of a role may take.
    pub(super) fn time_limit(&self, caller: &Caller) -> Option<Duration> {
        let time = self.limits.time_limit.as_ref()?;
        seconds(of_role(&time.per_role, role_of(caller)).unwrap_or(&time.global))
    }

    fn batch_limit(&self, caller: &Caller) -> Option<u64> {
        Some(count_of(self.limits.batch_limit.as_ref()?, role_of(caller)))
    }

    fn count(
        &self,
        rule: &RateLimitRule,
        role: Option<&str>,
        (caller, client): (&Caller, ClientAddress),
        now: Instant,
    ) -> Result<(), GraphQLError> {
        let mut key = role.unwrap_or_default().to_owned();
        match &rule.unique_params {
            None => {}
            Some(UniqueParameters::SessionVariables(names)) => {
                let claims = caller.session.claims.as_deref();
                for name in names {
                    let value = claims.and_then(|claims| claims.get(&name.to_ascii_lowercase()));
                    let value = value.and_then(|value| value.as_str());
                    // A text of JSON has an end of its own.
                    key.push_str(&Value::from(value).to_string());
                }
            }
            Some(UniqueParameters::Ip) => {
                // Clients of a Unix socket have no address, and are counted together.
                let address = client.address().map(|address| address.to_string());
                key.push_str(&Value::from(address).to_string());
            }
        }
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if counters.len() >= MANY {
            counters.retain(|_, counter| now.duration_since(counter.start) < 2 * WINDOW);
        }
        let new = Counter { start: now, current: 0, previous: 0 };
        let counter = counters.entry(key).or_insert(new);
        let most = rule.max_reqs_per_min;
        match counter.count(now, most) {
            true => Ok(()),
            false => {
                let message =
                    format!("rate limit exceeded: {most} requests are allowed in a minute");
                Err(exceeded("rate-limit-exceeded", message))
            }
        }
    }
}

impl Counter {
    /// Counts a request in a sliding window; false if it is one too many. Of the window before, the
    /// part counts that is not a minute ago yet.
    fn count(&mut self, now: Instant, most: u64) -> bool {
        let elapsed = now.duration_since(self.start);
        if elapsed >= 2 * WINDOW {
            *self = Self { start: now, current: 0, previous: 0 };
        } else if elapsed >= WINDOW {
            *self = Self { start: self.start + WINDOW, current: 0, previous: self.current };
        }
        let elapsed = now.duration_since(self.start).as_millis();
        let window = WINDOW.as_millis();
        let left = u128::from(self.previous) * window.saturating_sub(elapsed) / window;
        if left + u128::from(self.current) >= u128::from(most) {
            return false;
        }
        self.current += 1;
        true
    }
}

impl Size {
    /// The size without introspection; fragments are expanded.
    fn of(operation: &Operation) -> Self {
        let mut known = vec![None; operation.selection_sets.len()];
        Self::of_set(operation, operation.root, &mut known)
    }

    /// Each selection set is counted once. Validation limits their depth, and fragments have no cycle.
    fn of_set(operation: &Operation, set: SelectionSetId, known: &mut Vec<Option<Self>>) -> Self {
        let place = set.0 as usize;
        if let Some(Some(size)) = known.get(place) {
            return *size;
        }
        let selections = operation.selection_sets.get(place).map(|set| set.selections.as_slice());
        let mut size = Self::default();
        for selection in selections.unwrap_or_default() {
            let (of_selection, own) = match selection {
                Selection::Fragment { selection_set, .. } => {
                    (Self::of_set(operation, *selection_set, known), 0)
                }
                Selection::Field(field) => match (field.selection_set, field.field) {
                    (Some(set), FieldRef::Field(_)) => (Self::of_set(operation, set, known), 1),
                    (Some(_), FieldRef::Introspection | FieldRef::Typename) | (None, _) => continue,
                },
            };
            size.depth = size.depth.max(of_selection.depth + own);
            size.nodes = size.nodes.saturating_add(of_selection.nodes).saturating_add(own);
        }
        if let Some(known) = known.get_mut(place) {
            *known = Some(size);
        }
        size
    }
}

/// The time that the operations of a caller may take; `None` without a limit.
pub(in crate::http) fn time_limit(service: &Service, caller: &Caller) -> Option<Duration> {
    let limits = service.settings.hasura.as_ref()?.limits.as_ref()?;
    if is_admin(service, caller) { None } else { limits.time_limit(caller) }
}

/// The error of an operation that takes longer.
pub(in crate::http) fn too_slow(limit: Duration) -> Refusal {
    let seconds = limit.as_secs_f64();
    let message = format!("time limit exceeded: an operation may take {seconds} s");
    Refusal::Operation(exceeded("time-limit-exceeded", message))
}

/// Checks the number of requests in a batch.
pub(in crate::http) fn check_batch(
    service: &Service,
    found: usize,
    caller: &Caller,
) -> Result<(), Refusal> {
    let Some(limits) = service.settings.hasura.as_ref().and_then(|own| own.limits.as_ref()) else {
        return Ok(());
    };
    match limits.batch_limit(caller) {
        Some(most) if found as u64 > most && !is_admin(service, caller) => {
            let message = format!("batch limit exceeded: {found} requests, {most} are allowed");
            Err(Refusal::Operation(exceeded("batch-limit-exceeded", message)))
        }
        Some(_) | None => Ok(()),
    }
}

fn count_of(limit: &CountLimit, role: Option<&str>) -> u64 {
    *of_role(&limit.per_role, role).unwrap_or(&limit.global)
}

fn of_role<'l, T>(
    per_role: &'l std::collections::BTreeMap<String, T>,
    role: Option<&str>,
) -> Option<&'l T> {
    role.and_then(|role| per_role.get(role))
}

fn seconds(number: &serde_json::Number) -> Option<Duration> {
    Duration::try_from_secs_f64(number.as_f64()?).ok()
}

/// The error in Hasura's form.
fn exceeded(code: &str, message: impl Display) -> GraphQLError {
    let mut error = GraphQLError::new(ErrorCode::QueryTooComplex, message.to_string());
    for (key, value) in [("path", "$"), ("code", code)] {
        error.extensions.push((key.into(), Value::from(value).to_string().into()));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_in_a_sliding_window() {
        let start = Instant::now();
        let mut counter = Counter { start, current: 0, previous: 0 };
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!((0..4).all(|_| counter.count(at(1), 4)));
        assert!(!counter.count(at(59), 4));
        // Half of them are less than a minute ago.
        assert!(counter.count(at(90), 4));
        assert!(counter.count(at(90), 4));
        assert!(!counter.count(at(90), 4));
        assert!(counter.count(at(300), 4));
    }
}
