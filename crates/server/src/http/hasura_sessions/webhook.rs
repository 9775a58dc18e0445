//! A webhook, which gives requests their sessions.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressRequest, EgressSettings, Network};
use clients::hosts::AllowedHost;
use clients::log_throttle::LogThrottle;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Uri};
use serde_json_bytes::{Map, Value as Json};

use super::error::SessionError;
use super::hook_answer::HookAnswer;
use super::hook_cache::HookCache;
use crate::options::{HookMode, HookSetting};

/// The size limit of an answer: sessions have a few variables.
const MOST_ANSWER_BYTES: usize = 256 << 10;

/// Connections to the webhook of one thread: each request of a client needs one.
const MOST_CONNECTIONS: usize = 64;

/// Concurrent requests to the webhook, over all threads.
const MOST_REQUESTS: usize = 1024;

/// A webhook that is down fails every request.
static FAILED: LogThrottle = LogThrottle::new(Duration::from_secs(10));

/// Headers of clients that a webhook does not receive by GET, as in Hasura: they are about the client's
/// request, not about who sends it.
const OWN: [&str; 14] = [
    "content-length",
    "content-md5",
    "user-agent",
    "host",
    "origin",
    "referer",
    "accept",
    "accept-encoding",
    "accept-language",
    "accept-datetime",
    "cache-control",
    "connection",
    "dnt",
    "content-type",
];

/// Headers of one connection, which no proxy passes on either:
/// <https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1>.
const OF_CONNECTION: [&str; 9] = [
    "content-encoding",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A webhook.
#[derive(Debug)]
pub(super) struct Webhook {
    setting: HookSetting,
    egress: Arc<Egress>,
    cache: Option<HookCache>,
}

/// A session of the webhook, and the time at which it ends, if it does.
#[derive(Clone, Debug)]
pub(super) struct HookSession {
    pub(super) answer: Arc<HookAnswer>,
    pub(super) until: Option<Instant>,
}

impl Webhook {
    pub(super) fn new(setting: HookSetting) -> Result<Self, ConnectError> {
        // No other host: redirects are not followed, either.
        let host = setting.url.host().unwrap_or_default().to_ascii_lowercase();
        let everywhere =
            ["0.0.0.0/0", "::/0"].iter().filter_map(|text| text.parse::<Network>().ok());
        let settings = EgressSettings {
            hosts: vec![AllowedHost::Named(host.into())],
            // The operator names the address, which is that of a neighbour more often than not.
            networks: everywhere.collect(),
            timeout: setting.timeout.0,
            most_bytes: MOST_ANSWER_BYTES,
            connections: MOST_CONNECTIONS,
            most_requests: MOST_REQUESTS,
            authorities: None,
        };
        let is_encrypted = setting.url.scheme_str() == Some("https");
        let egress = Egress::new(settings, is_encrypted)?;
        let cache = setting.cache.map(|lifetime| HookCache::new(lifetime.0));
        Ok(Self { setting, egress, cache })
    }

    /// A client of one thread.
    pub(super) fn client(&self) -> Client {
        Client::new(&self.egress)
    }

    pub(super) fn url(&self) -> &Uri {
        &self.setting.url
    }

    /// Whether the webhook receives the GraphQL request.
    pub(super) fn reads_request(&self) -> bool {
        self.setting.mode == HookMode::Post && self.setting.sends_request
    }

    /// Asks for the session of a request.
    pub(super) async fn ask(
        &self,
        client: &Client,
        headers: &HeaderMap,
        request: Option<&Json>,
    ) -> Result<HookSession, SessionError> {
        let (headers, body) = self.question(headers, request);
        let key = self.cache.as_ref().map(|_| HookCache::key(&headers, &body));
        if let Some((cache, key)) = self.cache.as_ref().zip(key.as_deref())
            && let Some(session) = cache.find(key, Instant::now())
        {
            return Ok(session);
        }
        let body = match self.setting.mode {
            HookMode::Get => Bytes::new(),
            HookMode::Post => body.to_string().into(),
        };
        let question = EgressRequest {
            method: match self.setting.mode {
                HookMode::Get => Method::GET,
                HookMode::Post => Method::POST,
            },
            url: self.setting.url.clone(),
            headers: match self.setting.mode {
                HookMode::Get => headers,
                HookMode::Post => {
                    let json = HeaderValue::from_static("application/json");
                    HeaderMap::from_iter([(CONTENT_TYPE, json)])
                }
            },
            body,
            deadline: None,
            timeout: None,
            reserve: &|_| true,
        };
        let response = client.send(question).await.map_err(|error| {
            self.log(&error);
            SessionError::HookUnreachable
        })?;
        let answer = HookAnswer::read(response.status, &response.body, SystemTime::now());
        let answer = Arc::new(answer.inspect_err(|error| match error {
            // Clients without a session are usual.
            SessionError::HookRefused => {}
            _ => self.log(&format!("status {}: {}", response.status, error.error().message)),
        })?);
        let now = Instant::now();
        let until = answer.lifetime.and_then(|lifetime| now.checked_add(lifetime));
        let session = HookSession { answer, until };
        if let Some((cache, key)) = self.cache.as_ref().zip(key) {
            cache.keep(key, session.clone(), now);
        }
        Ok(session)
    }

    /// The headers and the body that the webhook receives. In the mode POST the body has the headers.
    fn question(&self, headers: &HeaderMap, request: Option<&Json>) -> (HeaderMap, Json) {
        match self.setting.mode {
            HookMode::Get => {
                let is_passed = |name: &HeaderName| {
                    !OWN.contains(&name.as_str()) && !OF_CONNECTION.contains(&name.as_str())
                };
                let passed = headers.iter().filter(|(name, _)| is_passed(name));
                let passed = passed.map(|(name, value)| (name.clone(), value.clone()));
                let mut all = HeaderMap::new();
                passed.for_each(|(name, value)| {
                    all.append(name, value);
                });
                (all, Json::Null)
            }
            HookMode::Post => {
                let texts = headers.iter().map(|(name, value)| {
                    let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
                    (name.as_str().into(), Json::from(text))
                });
                let mut body = Map::new();
                body.insert("headers", Json::Object(texts.collect()));
                if self.setting.sends_request {
                    body.insert("request", request.cloned().unwrap_or_default());
                }
                (HeaderMap::new(), Json::Object(body))
            }
        }
    }

    fn log(&self, error: &dyn std::fmt::Display) {
        if let Some(times) = FAILED.record() {
            let url = redact::address(&self.setting.url.to_string()).into_owned();
            tracing::warn!(url, times, %error, "the webhook gives no session");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;
    use crate::options::Time;

    fn question(mode: HookMode, sends_request: bool) -> (Vec<String>, Json) {
        let setting = HookSetting {
            url: "http://127.0.0.1:1/".parse().unwrap(),
            mode,
            sends_request,
            timeout: Time(Duration::from_secs(1)),
            cache: None,
        };
        let hook = Webhook::new(setting).unwrap();
        let mut headers = HeaderMap::new();
        for name in OWN.iter().chain(&OF_CONNECTION).chain(&["cookie", "x-a", "authorization"]) {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static("v"));
        }
        headers.append("x-a", HeaderValue::from_static("w"));
        let request = json!({ "query": "{ a }" });
        let (headers, body) = hook.question(&headers, Some(&request));
        let line = |(name, value): (&HeaderName, &HeaderValue)| {
            format!("{name}: {}", value.to_str().unwrap())
        };
        let mut lines: Vec<_> = headers.iter().map(line).collect();
        lines.sort();
        (lines, body)
    }

    #[test]
    fn a_webhook_receives_the_headers_that_say_who_asks() {
        let (headers, body) = question(HookMode::Get, true);
        assert_eq!(headers, ["authorization: v", "cookie: v", "x-a: v", "x-a: w"]);
        assert_eq!(body, Json::Null);
    }

    #[test]
    fn by_post_it_receives_all_headers_and_the_request() {
        let (headers, body) = question(HookMode::Post, true);
        assert!(headers.is_empty());
        assert_eq!(body["request"], json!({ "query": "{ a }" }));
        let own = body["headers"].as_object().unwrap();
        assert_eq!(own.len(), OWN.len() + OF_CONNECTION.len() + 3);
        assert_eq!(own.get("x-a"), Some(&json!("w")));
        let (_, body) = question(HookMode::Post, false);
        assert_eq!(body.as_object().unwrap().len(), 1);
    }
}
