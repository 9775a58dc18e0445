//! Header propagation: rules for the request headers of a subgraph.
//!
//! The rules of a subgraph are applied in their order, beginning without headers: without rules a
//! subgraph receives only the request id and the trace context.
//! Hop-by-hop headers and those of the body
//! (<https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>) are never propagated, whatever the
//! rules are, since the connection and the body are other ones.

mod name;
mod trace;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json_bytes::Value as Json;
use source::Claims;

pub use name::{NameError, Names, is_own};
pub use trace::Trace;

/// Trace context of a request: <https://www.w3.org/TR/trace-context/>.
pub const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Header by which a client requests the query plan.
pub const PLAN: HeaderName = HeaderName::from_static("thalweg-plan");

/// Id of a request, which is in its response and in the log as well.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Rules for the headers of one subgraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(Box<[Rule]>);

/// A rule, which changes the headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Sets headers with these names to the client's values.
    Forward(Names),
    /// Sets a header to a value.
    Insert { name: HeaderName, value: HeaderSource },
    /// Removes headers with these names.
    Remove(Names),
    /// Renames a header; if it is not set yet takes the client's value.
    Rename { from: HeaderName, to: HeaderName },
}

/// A value that clients cannot choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderSource {
    Value(HeaderValue),
    /// A claim of the token. Without the claim the header is not sent, not even with the client's
    /// value.
    Claim(Box<str>),
}

/// Client headers that the rules of all subgraphs read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadHeaders {
    names: Vec<Names>,
    /// True if all headers are read, those of the connection excepted.
    reads_all: bool,
}

/// Headers of a client request that may be propagated.
#[derive(Clone, Default)]
pub struct Forwarded {
    /// Headers that some rule reads.
    headers: HeaderMap,
    /// Headers for every subgraph.
    always: Vec<(HeaderName, HeaderValue)>,
    /// Trace of this process, if it exports spans; otherwise the client's trace context is
    /// propagated.
    pub trace: Option<Trace>,
}

impl Rules {
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        Self(rules.into())
    }

    /// Whether the rules read a client header.
    #[must_use]
    pub fn reads(&self, name: &HeaderName) -> bool {
        self.0.iter().filter_map(Rule::read_names).any(|names| names.contain(name))
    }

    /// Returns the headers for a fetch; `number` is its index in the plan.
    #[must_use]
    pub fn apply(&self, forwarded: &Forwarded, claims: Option<&Claims>, number: u32) -> HeaderMap {
        let mut sent = HeaderMap::new();
        for rule in &self.0 {
            rule.apply(&mut sent, &forwarded.headers, claims);
        }
        for (name, value) in &forwarded.always {
            sent.insert(name.clone(), value.clone());
        }
        forwarded.set_parent(&mut sent, number);
        sent
    }
}

impl Rule {
    /// Client headers that the rule reads.
    fn read_names(&self) -> Option<Names> {
        match self {
            Self::Forward(names) => Some(names.clone()),
            Self::Rename { from, .. } => Some(Names::One(from.clone())),
            Self::Insert { .. } | Self::Remove(_) => None,
        }
    }

    fn apply(&self, sent: &mut HeaderMap, client: &HeaderMap, claims: Option<&Claims>) {
        match self {
            Self::Forward(Names::One(name)) => replace(sent, name, client.get_all(name)),
            Self::Forward(names @ Names::Like(_)) => {
                for name in client.keys().filter(|name| names.contain(name)) {
                    replace(sent, name, client.get_all(name));
                }
            }
            Self::Insert { name, value } => {
                // Removed even if there is no value, so that clients cannot set it.
                sent.remove(name);
                if let Some(value) = value.find(claims) {
                    sent.insert(name.clone(), value);
                }
            }
            Self::Remove(Names::One(name)) => drop(sent.remove(name)),
            Self::Remove(names @ Names::Like(_)) => {
                let gone: Vec<_> =
                    sent.keys().filter(|name| names.contain(name)).cloned().collect();
                for name in gone {
                    sent.remove(name);
                }
            }
            Self::Rename { from, to } => {
                let values: Vec<_> = match sent.contains_key(from) {
                    true => sent.get_all(from).iter().cloned().collect(),
                    false => client.get_all(from).iter().cloned().collect(),
                };
                sent.remove(from);
                replace(sent, to, &values);
            }
        }
    }
}

/// Replaces the values of a header; without values it stays as it is.
fn replace<'v>(
    sent: &mut HeaderMap,
    name: &HeaderName,
    values: impl IntoIterator<Item = &'v HeaderValue>,
) {
    let mut values = values.into_iter();
    let Some(first) = values.next() else { return };
    sent.insert(name.clone(), first.clone());
    for value in values {
        sent.append(name.clone(), value.clone());
    }
}

impl HeaderSource {
    fn find(&self, claims: Option<&Claims>) -> Option<HeaderValue> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Claim(name) => value_of(claims?.get(name)?),
        }
    }
}

/// Converts a claim: a string as it is, other values as JSON. Values that are not allowed in a
/// header are dropped.
fn value_of(claim: &Json) -> Option<HeaderValue> {
    let value = match claim {
        Json::Null => return None,
        Json::String(text) => HeaderValue::from_str(text.as_str())
            .or_else(|_| HeaderValue::from_bytes(text.as_str().as_bytes())),
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
            HeaderValue::try_from(claim.to_string())
        }
    };
    let mut value = value.ok()?;
    // Personal data: kept out of logs and of HPACK tables.
    value.set_sensitive(true);
    Some(value)
}

impl ReadHeaders {
    /// Collects the client headers that some rules read.
    #[must_use]
    pub fn of<'r>(rules: impl IntoIterator<Item = &'r Rules>) -> Self {
        let mut all: Vec<Names> = Vec::new();
        for names in rules.into_iter().flat_map(|rules| &rules.0).filter_map(Rule::read_names) {
            if !all.contains(&names) {
                all.push(names);
            }
        }
        Self { names: all, reads_all: false }
    }

    /// Adds all client headers.
    pub fn add_all(&mut self) {
        self.reads_all = true;
    }

    /// Adds a client header that is read independently of rules.
    pub fn add(&mut self, name: HeaderName) {
        let names = Names::One(name);
        if !self.names.contains(&names) {
            self.names.push(names);
        }
    }

    /// Whether no client headers are read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.reads_all
    }

    /// Returns the names of the read headers; `None` if a pattern matches some of them, or all are
    /// read.
    #[must_use]
    pub fn names(&self) -> Option<Vec<&HeaderName>> {
        if self.reads_all {
            return None;
        }
        let names = self.names.iter().map(|names| match names {
            Names::One(name) => Some(name),
            Names::Like(_) => None,
        });
        names.collect()
    }

    /// Collects the headers of a request.
    #[must_use]
    pub fn collect(&self, headers: &HeaderMap) -> Forwarded {
        let mut always = Vec::new();
        // `tracestate` has no meaning without `traceparent`.
        if let Some(parent) = headers.get(TRACEPARENT) {
            always.push((TRACEPARENT, parent.clone()));
            always.extend(headers.get(TRACESTATE).map(|state| (TRACESTATE, state.clone())));
        }
        if self.is_empty() {
            return Forwarded { always, ..Forwarded::default() };
        }
        let mut forwarded = HeaderMap::new();
        let is_wanted = |name: &&HeaderName| {
            (self.reads_all || self.names.iter().any(|names| names.contain(name)))
                && !name::is_of_connection(headers, name)
        };
        for name in headers.keys().filter(is_wanted) {
            replace(&mut forwarded, name, headers.get_all(name));
        }
        Forwarded { headers: forwarded, always, trace: None }
    }
}

impl Forwarded {
    /// Returns true if the client sent no header that is read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.headers.is_empty()
    }

    /// Returns the client's headers that are read, on which responses of other servers may depend.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the client's values of a header.
    pub fn values(&self, name: &HeaderName) -> impl Iterator<Item = &HeaderValue> {
        self.headers.get_all(name).iter()
    }

    /// Returns the client's first value of a header.
    #[must_use]
    pub fn find(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.headers.get(name)
    }

    /// Sets the trace context of a request to another server; `number` is its index in the
    /// operation.
    pub fn set_trace_context(&self, sent: &mut HeaderMap, number: u32) {
        for (name, value) in &self.always {
            if *name == TRACEPARENT || *name == TRACESTATE {
                sent.insert(name.clone(), value.clone());
            }
        }
        self.set_parent(sent, number);
    }

    /// Sets the span of this process as the parent, if it exports spans.
    fn set_parent(&self, sent: &mut HeaderMap, number: u32) {
        if let Some(parent) = self.trace.and_then(|trace| trace.parent(number)) {
            sent.insert(TRACEPARENT, parent);
        }
    }

    /// Sets a header for every subgraph.
    pub fn set(&mut self, name: HeaderName, value: HeaderValue) {
        self.always.retain(|(known, _)| *known != name);
        self.always.push((name, value));
    }
}

/// Names only: values may contain tokens.
impl std::fmt::Debug for Forwarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let always = self.always.iter().map(|(name, _)| name);
        f.debug_set().entries(self.headers.keys().chain(always)).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    fn names(text: &str) -> Names {
        text.parse().unwrap()
    }

    fn name(text: &str) -> HeaderName {
        text.parse().unwrap()
    }

    fn forward(text: &str) -> Rule {
        Rule::Forward(names(text))
    }

    fn insert(header: &str, value: &'static str) -> Rule {
        let value = HeaderSource::Value(HeaderValue::from_static(value));
        Rule::Insert { name: name(header), value }
    }

    fn claim(header: &str, claim: &str) -> Rule {
        Rule::Insert { name: name(header), value: HeaderSource::Claim(claim.into()) }
    }

    fn rename(from: &str, to: &str) -> Rule {
        Rule::Rename { from: name(from), to: name(to) }
    }

    /// Returns the sent headers for a request with these headers, sorted.
    fn sent(rules: Vec<Rule>, head: &[(&str, &str)], claims: Option<Json>) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (header, value) in head {
            headers.append(name(header), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let rules = Rules::new(rules);
        let forwarded = ReadHeaders::of([&rules]).collect(&headers);
        let claims = claims.map(Claims::new);
        let sent = rules.apply(&forwarded, claims.as_ref(), 0);
        let text = |value: &HeaderValue| String::from_utf8(value.as_bytes().to_vec()).unwrap();
        let mut lines: Vec<_> =
            sent.iter().map(|(header, value)| format!("{header}: {}", text(value))).collect();
        lines.sort();
        lines
    }

    #[test]
    fn nothing_is_passed_on_that_no_rule_names() {
        let head = [("authorization", "Bearer a"), ("x-tenant", "7"), ("cookie", "a=b")];
        assert_eq!(sent(Vec::new(), &head, None), [""; 0]);
        assert_eq!(sent(vec![forward("x-tenant")], &head, None), ["x-tenant: 7"]);
        assert_eq!(sent(vec![forward("Authorization")], &head, None), ["authorization: Bearer a"]);
    }

    #[test]
    fn all_values_of_a_header_are_passed_on() {
        let head = [("x-a", "1"), ("x-b", "2"), ("x-a", "3")];
        assert_eq!(sent(vec![forward("x-a")], &head, None), ["x-a: 1", "x-a: 3"]);
        assert_eq!(sent(vec![forward("x-*")], &head, None), ["x-a: 1", "x-a: 3", "x-b: 2"]);
    }

    #[test]
    fn who_somebody_is_is_passed_on_by_its_name_alone() {
        let head = [("authorization", "Bearer a"), ("cookie", "a=b"), ("x-a", "1")];
        assert_eq!(sent(vec![forward("*")], &head, None), ["x-a: 1"]);
        let named = vec![forward("*"), forward("cookie")];
        assert_eq!(sent(named, &head, None), ["cookie: a=b", "x-a: 1"]);
    }

    #[test]
    fn what_belongs_to_a_connection_or_a_body_is_not_passed_on() {
        let head = [
            ("connection", "keep-alive, X-Hop"),
            ("content-length", "9"),
            ("content-type", "application/json"),
            ("content-encoding", "gzip"),
            ("host", "shop.example"),
            ("accept-encoding", "br"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("if-none-match", "\"a\""),
            ("x-hop", "1"),
            ("x-a", "1"),
        ];
        assert_eq!(sent(vec![forward("*")], &head, None), ["x-a: 1"]);
        assert_eq!(sent(vec![forward("x-hop")], &head, None), [""; 0]);
    }

    #[test]
    fn a_value_takes_the_place_of_what_the_client_sent() {
        let head = [("x-user", "admin"), ("x-user", "root")];
        let rules = || vec![forward("x-*"), insert("x-user", "shop")];
        assert_eq!(sent(rules(), &head, None), ["x-user: shop"]);
        // In the reverse order the value is a default.
        let rules = || vec![insert("x-user", "shop"), forward("x-*")];
        assert_eq!(sent(rules(), &head, None), ["x-user: admin", "x-user: root"]);
        assert_eq!(sent(rules(), &[], None), ["x-user: shop"]);
    }

    #[test]
    fn claims_are_sent_as_text() {
        let check = |value: Json, expected: &[&str]| {
            let claims = json!({ "user": { "id": value } });
            assert_eq!(sent(vec![claim("x-user", "user.id")], &[], Some(claims)), expected);
        };
        check(json!("ada"), &["x-user: ada"]);
        check(json!("Zoë"), &["x-user: Zoë"]);
        check(json!(7), &["x-user: 7"]);
        check(json!(true), &["x-user: true"]);
        check(json!(["a", "b"]), &["x-user: [\"a\",\"b\"]"]);
        check(json!({ "a": 1 }), &["x-user: {\"a\":1}"]);
        check(json!(null), &[]);
        // A line break would begin another header.
        check(json!("a\r\nx-admin: 1"), &[]);
    }

    #[test]
    fn without_the_claim_the_client_does_not_say_it_either() {
        let head = [("x-user", "admin")];
        let rules = || vec![forward("x-*"), claim("x-user", "sub")];
        assert_eq!(sent(rules(), &head, None), [""; 0]);
        assert_eq!(sent(rules(), &head, Some(json!({ "other": 1 }))), [""; 0]);
        assert_eq!(sent(rules(), &head, Some(json!({ "sub": "ada" }))), ["x-user: ada"]);
    }

    #[test]
    fn later_rules_take_away_and_rename() {
        let head = [("x-a", "1"), ("x-b", "2"), ("x-secret", "3")];
        let rules = vec![forward("x-*"), Rule::Remove(names("x-secret"))];
        assert_eq!(sent(rules, &head, None), ["x-a: 1", "x-b: 2"]);
        let rules = vec![forward("x-*"), insert("y", "4"), Rule::Remove(names("x-*"))];
        assert_eq!(sent(rules, &head, None), ["y: 4"]);
        let rules = vec![forward("x-*"), rename("x-a", "tenant"), Rule::Remove(names("x-*"))];
        assert_eq!(sent(rules, &head, None), ["tenant: 1"]);
        // The rule renames a client header that no rule forwarded.
        assert_eq!(sent(vec![rename("x-a", "tenant")], &head, None), ["tenant: 1"]);
        assert_eq!(sent(vec![rename("x-none", "tenant")], &head, None), [""; 0]);
        let rules = vec![insert("x-a", "9"), rename("x-a", "tenant")];
        assert_eq!(sent(rules, &head, None), ["tenant: 9"]);
    }

    #[test]
    fn a_trace_and_the_id_of_a_request_go_to_all() {
        let mut headers = HeaderMap::new();
        headers.insert(TRACEPARENT, HeaderValue::from_static("00-a-b-01"));
        headers.insert(TRACESTATE, HeaderValue::from_static("a=b"));
        headers.insert(REQUEST_ID, HeaderValue::from_static("of the client"));
        let rules = Rules::new(vec![forward("*"), insert("x-a", "1")]);
        let mut forwarded = ReadHeaders::of([&rules]).collect(&headers);
        forwarded.set(REQUEST_ID, HeaderValue::from_static("7"));
        forwarded.set(TRACEPARENT, HeaderValue::from_static("00-a-c-01"));
        let check = |rules: &Rules, count| {
            let sent = rules.apply(&forwarded, None, 0);
            assert_eq!(sent.len(), count, "{sent:?}");
            assert_eq!(sent[TRACEPARENT], "00-a-c-01");
            assert_eq!(sent[TRACESTATE], "a=b");
            assert_eq!(sent[REQUEST_ID], "7");
        };
        check(&rules, 4);
        check(&Rules::default(), 3);
        forwarded.trace = Some(Trace::new(1, 12, true));
        let sent = rules.apply(&forwarded, None, 2);
        assert_eq!(sent[TRACEPARENT], "00-00000000000000000000000000000001-0000000000000009-01");
        headers.remove(TRACEPARENT);
        let sent = rules.apply(&ReadHeaders::of([&rules]).collect(&headers), None, 0);
        assert!(!sent.contains_key(TRACESTATE), "{sent:?}");
    }

    #[test]
    fn only_what_is_wanted_is_kept() {
        let tenant = Rules::new(vec![forward("x-tenant")]);
        let other = Rules::new(vec![forward("x-tenant"), rename("x-a", "y")]);
        let read_headers = ReadHeaders::of([&tenant, &other, &Rules::default()]);
        assert_eq!(read_headers.names.len(), 2);
        assert!(tenant.reads(&name("x-tenant")) && !tenant.reads(&name("x-a")));
        assert!(other.reads(&name("x-a")) && !other.reads(&name("y")));
        assert!(ReadHeaders::of([&Rules::new(vec![insert("a", "b")])]).is_empty());
        let mut headers = HeaderMap::new();
        for text in ["x-tenant", "x-a", "y", "authorization"] {
            headers.insert(name(text), HeaderValue::from_static("hunter2"));
        }
        let text = format!("{:?}", read_headers.collect(&headers));
        assert!(text.contains("x-tenant") && text.contains("x-a"), "{text}");
        assert!(!text.contains("authorization") && !text.contains("hunter2"), "{text}");
    }
}
