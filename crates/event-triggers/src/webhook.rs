//! Addresses and headers of webhooks, with values of environment variables.

use hasura_metadata::types::connection::TextOrEnv;
use hasura_metadata::types::webhook::{Header, HeaderValue, RequestTransform, ResponseTransform};
use hasura_webhooks::{request_transform, response_transform};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue as HttpValue, Uri};

/// Where and how events are sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Webhook {
    pub(crate) url: Uri,
    pub(crate) headers: HeaderMap,
    /// The headers as the log has them: a value of the environment is replaced by its variable.
    pub(crate) shown: Vec<(Box<str>, Box<str>)>,
    /// Templates that change requests and answers; `None` without such.
    pub(crate) transforms: Option<Box<http_resolvers::webhook::Webhook>>,
}

/// The header with the id of an event of a subscription.
const EVENT_ID: HeaderName = HeaderName::from_static("x-thalweg-event-id");

/// The values of environment variables.
pub type Environment<'e> = &'e dyn Fn(&str) -> Option<String>;

impl Webhook {
    /// Resolves an address and headers. The error is a sentence.
    pub(crate) fn resolve(
        address: &TextOrEnv,
        headers: &[Header],
        environment: Environment<'_>,
    ) -> Result<Self, String> {
        let text = match address {
            TextOrEnv::Text(text) => fill_in(text, environment)?,
            // The value of a variable is no template.
            TextOrEnv::FromEnv(name) => variable(name, environment)?,
        };
        let url = url(&text)?;
        let mut resolved = HeaderMap::new();
        let mut shown: Vec<(Box<str>, Box<str>)> = Vec::new();
        resolved.insert(CONTENT_TYPE, HttpValue::from_static("application/json"));
        shown.push((CONTENT_TYPE.as_str().into(), "application/json".into()));
        for header in headers {
            let (value, visible) = match &header.value {
                HeaderValue::Text(text) => (text.clone(), text.clone()),
                HeaderValue::FromEnv(name) => (variable(name, environment)?, name.clone()),
            };
            let name = HeaderName::try_from(&header.name)
                .map_err(|_| format!("{:?} is no name of a header", header.name))?;
            let value = HttpValue::try_from(value)
                .map_err(|_| format!("the value of the header {name} has invalid characters"))?;
            shown.retain(|(known, _)| **known != *name.as_str());
            shown.push((name.as_str().into(), visible.into()));
            resolved.insert(name, value);
        }
        Ok(Self { url, headers: resolved, shown, transforms: None })
    }

    /// A webhook with headers whose values the log does not have. The error is a sentence.
    pub(crate) fn of_headers(address: &str, mut headers: HeaderMap) -> Result<Self, String> {
        let url = url(address)?;
        let json = HttpValue::from_static("application/json");
        headers.entry(CONTENT_TYPE).or_insert(json);
        let shown = headers.keys().map(|name| (name.as_str().into(), "(not logged)".into()));
        Ok(Self { url, shown: shown.collect(), headers, transforms: None })
    }

    /// The webhook with the id of an event, by which a receiver knows one that is sent again.
    pub(crate) fn with_event(mut self, id: &str) -> Self {
        if let Ok(id) = HttpValue::try_from(id) {
            self.headers.insert(EVENT_ID, id);
        }
        self
    }

    /// The webhook with the transforms of metadata. The error is a sentence.
    pub(crate) fn transformed(
        mut self,
        request: Option<&RequestTransform>,
        response: Option<&ResponseTransform>,
    ) -> Result<Self, String> {
        let request = request.map(request_transform).transpose();
        let response = response.and_then(response_transform).transpose();
        let (request, response) =
            (request.map_err(|problem| problem.message)?, response.map_err(|one| one.message)?);
        if request.is_some() || response.is_some() {
            let headers = self.headers.iter();
            self.transforms = Some(Box::new(http_resolvers::webhook::Webhook {
                base_url: self.url.to_string().into(),
                headers: headers.map(|(name, value)| (name.clone(), value.clone())).collect(),
                client_headers: None,
                request,
                response,
            }));
        }
        Ok(self)
    }
}

/// Fills in `{{VARIABLE}}`, anywhere in a text.
fn fill_in(text: &str, environment: Environment<'_>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            return Err(format!("{text:?} has {{{{ without }}}}"));
        };
        filled.push_str(&variable(name.trim(), environment)?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn variable(name: &str, environment: Environment<'_>) -> Result<String, String> {
    environment(name).ok_or_else(|| format!("the environment variable {name} is not set"))
}

/// An absolute address of HTTP. Errors do not repeat it: it may have a password.
fn url(text: &str) -> Result<Uri, String> {
    let shown = || redact::address(text);
    let url = text.trim().parse::<Uri>();
    let url = url.map_err(|error| format!("{:?} is no address: {error}", shown()))?;
    match (url.scheme_str(), url.host()) {
        (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(url),
        _ => Err(format!("{:?} is no address of HTTP, as in https://example.org/hook", shown())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "BASE" => Some("http://hooks:8080".into()),
            "SECRET" => Some("s3cret".into()),
            "BROKEN" => Some("a\nb".into()),
            _ => None,
        }
    }

    fn header(name: &str, value: HeaderValue) -> Header {
        Header { place: Default::default(), name: name.into(), value }
    }

    fn check(address: &TextOrEnv, headers: &[Header], expected: Result<&str, &str>) {
        let resolved = Webhook::resolve(address, headers, &environment);
        let resolved = resolved.map(|webhook| webhook.url.to_string());
        assert_eq!(resolved, expected.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn addresses_have_values_of_the_environment() {
        let text = |text: &str| TextOrEnv::Text(text.into());
        check(&text("https://a.example/x?y=1"), &[], Ok("https://a.example/x?y=1"));
        check(&text("{{BASE}}/a"), &[], Ok("http://hooks:8080/a"));
        check(&text("{{ BASE }}/a"), &[], Ok("http://hooks:8080/a"));
        check(&TextOrEnv::FromEnv("BASE".into()), &[], Ok("http://hooks:8080/"));
        check(&text("{{NO}}/a"), &[], Err("the environment variable NO is not set"));
        check(&text("{{BASE/a"), &[], Err(r#""{{BASE/a" has {{ without }}"#));
        let error = r#""/a" is no address of HTTP, as in https://example.org/hook"#;
        check(&text("/a"), &[], Err(error));
        let error = r#""ftp://a/b" is no address of HTTP, as in https://example.org/hook"#;
        check(&text("ftp://a/b"), &[], Err(error));
    }

    #[test]
    fn the_log_has_no_values_of_the_environment() {
        let headers = [
            header("X-Secret", HeaderValue::FromEnv("SECRET".into())),
            header("Content-Type", HeaderValue::Text("application/x".into())),
        ];
        let address = TextOrEnv::FromEnv("BASE".into());
        let webhook = Webhook::resolve(&address, &headers, &environment).unwrap();
        assert_eq!(webhook.headers["x-secret"], "s3cret");
        assert_eq!(webhook.headers["content-type"], "application/x");
        let shown = webhook.shown.iter().map(|(name, value)| (&**name, &**value));
        let expected = [("x-secret", "SECRET"), ("content-type", "application/x")];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn headers_that_cannot_be_sent_are_refused() {
        let address = || TextOrEnv::FromEnv("BASE".into());
        let bad = header("a b", HeaderValue::Text("x".into()));
        check(&address(), &[bad], Err(r#""a b" is no name of a header"#));
        let bad = header("a", HeaderValue::FromEnv("BROKEN".into()));
        check(&address(), &[bad], Err("the value of the header a has invalid characters"));
    }
}
