//! Templates that change a request to a webhook, and its answer before it is read.

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Uri};
use kriti::{Environment, Scope, Template};
use serde_json::{Map, Value, json};

use crate::http_call::HttpCall;

/// A transform of requests as metadata has it: templates as texts.
#[derive(Clone, Debug, Default)]
pub struct RequestTexts<'t> {
    pub method: Option<&'t str>,
    pub url: Option<&'t str>,
    pub query: Option<QueryTexts<'t>>,
    pub added_headers: Vec<(&'t str, &'t str)>,
    pub removed_headers: Vec<&'t str>,
    pub body: Option<BodyTexts<'t>>,
}

/// Templates of the parameters of an address.
#[derive(Clone, Debug)]
pub enum QueryTexts<'t> {
    /// Names and values; a parameter without a value has none.
    Pairs(Vec<(&'t str, Option<&'t str>)>),
    /// All of them, as in an address.
    Whole(&'t str),
}

/// Templates of a body.
#[derive(Clone, Debug)]
pub enum BodyTexts<'t> {
    Remove,
    Json(&'t str),
    /// Names and values of a form.
    Form(Vec<(&'t str, &'t str)>),
}

/// What is wrong with the texts of a transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {reason}")]
pub struct TextError {
    /// The key of the transform.
    pub part: Box<str>,
    pub reason: Box<str>,
}

/// Why a request or an answer cannot be transformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    #[error("the template of {part}: {error}")]
    Template { part: &'static str, error: kriti::EvaluateError },
    #[error(
        "the template of the address makes no address that begins with `http://` or `https://`"
    )]
    Url,
    #[error("the template of the header `{0}` makes no value of a header")]
    Header(HeaderName),
}

/// A transform of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestTransform {
    method: Option<Method>,
    url: Option<Template>,
    query: Option<QueryTransform>,
    added_headers: Vec<(HeaderName, Template)>,
    removed_headers: Vec<HeaderName>,
    body: Option<BodyTransform>,
}

#[derive(Clone, Debug, PartialEq)]
enum QueryTransform {
    Pairs(Vec<(Template, Option<Template>)>),
    Whole(Template),
}

#[derive(Clone, Debug, PartialEq)]
enum BodyTransform {
    Remove,
    Json(Template),
    Form(Vec<(Box<str>, Template)>),
}

/// A transform of answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseTransform(BodyTransform);

/// The most bytes, about, of the values of one template.
const MOST_BYTES: usize = 16 << 20;

/// The variables of requests, and those of answers.
const OF_REQUESTS: Scope<'static> = Scope {
    variables: &["$body", "$session_variables", "$query_params", "$base_url"],
    has_session: true,
};
const OF_ANSWERS: Scope<'static> =
    Scope { variables: &["$body", "$request", "$response"], has_session: true };

/// Headers of the connection, which no template sets.
const OWN: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl RequestTransform {
    /// Reads the templates.
    pub fn new(texts: &RequestTexts<'_>) -> Result<Self, TextError> {
        let method = texts.method.map(|text| {
            let method = text.to_ascii_uppercase().parse();
            method.map_err(|_| wrong("method", "it is no method of HTTP"))
        });
        let query = texts.query.as_ref().map(|query| {
            Ok(match query {
                QueryTexts::Pairs(pairs) => {
                    let pairs = pairs.iter().map(|(name, value)| {
                        let template = |text| read_text(&format!("query_params.{name}"), text);
                        Ok((template(name)?, value.map(template).transpose()?))
                    });
                    QueryTransform::Pairs(pairs.collect::<Result<_, TextError>>()?)
                }
                QueryTexts::Whole(text) => QueryTransform::Whole(read_text("query_params", text)?),
            })
        });
        let mut added_headers = Vec::with_capacity(texts.added_headers.len());
        for (name, value) in &texts.added_headers {
            let part = format!("request_headers.add_headers.{name}");
            added_headers.push((header(&part, name)?, read_text(&part, value)?));
        }
        let removed = texts.removed_headers.iter();
        let removed = removed.map(|name| header("request_headers.remove_headers", name));
        Ok(Self {
            method: method.transpose()?,
            url: texts.url.map(|text| read_text("url", text)).transpose()?,
            query: query.transpose()?,
            added_headers,
            removed_headers: removed.collect::<Result<_, _>>()?,
            body: texts
                .body
                .as_ref()
                .map(|body| BodyTransform::new(body, OF_REQUESTS))
                .transpose()?,
        })
    }

    /// The changed request, with the `$request` of the template of its answer.
    pub(super) fn apply(
        &self,
        call: HttpCall,
        base_url: &str,
        payload: &Value,
        session: &Map<String, Value>,
    ) -> Result<(HttpCall, Value), TransformError> {
        let pairs = form_urlencoded::parse(call.url.query().unwrap_or_default().as_bytes());
        let pairs: Vec<_> = pairs.map(|(name, value)| json!([name, value])).collect();
        let (query, base_url) = (Value::Array(pairs), Value::String(base_url.to_owned()));
        let session_variables = Value::Object(session.clone());
        let variables = [
            ("$body", payload),
            ("$session_variables", &session_variables),
            ("$query_params", &query),
            ("$base_url", &base_url),
        ];
        let environment =
            Environment { variables: &variables, session: Some(session), most_bytes: MOST_BYTES };
        let HttpCall { mut method, mut url, mut headers, mut body } = call;
        if let Some(own) = &self.method {
            method = own.clone();
        }
        if let Some(template) = &self.url {
            url = parse_url(&text(template, &environment, "url")?)?;
        }
        if let Some(transform) = &self.query {
            url = with_query(&url, &transform.apply(&environment)?)?;
        }
        match &self.body {
            None => {}
            Some(BodyTransform::Remove) => body = Bytes::new(),
            Some(transform @ BodyTransform::Json(_)) => body = transform.apply(&environment)?,
            Some(transform @ BodyTransform::Form(_)) => {
                body = transform.apply(&environment)?;
                let form = HeaderValue::from_static("application/x-www-form-urlencoded");
                headers.insert(CONTENT_TYPE, form);
            }
        }
        self.change_headers(&mut headers, &environment)?;
        let context = json!({
            "base_url": base_url,
            "body": payload,
            "query_params": query,
            "session_variables": session_variables,
        });
        // Each part of the request has the whole context, as in Hasura.
        let context = json!({
            "method": context,
            "url": context,
            "body": context,
            "query_params": context,
            "request_headers": context,
        });
        Ok((HttpCall { method, url, headers, body }, context))
    }

    /// Removes headers, then adds some.
    fn change_headers(
        &self,
        headers: &mut HeaderMap,
        environment: &Environment<'_>,
    ) -> Result<(), TransformError> {
        for name in &self.removed_headers {
            headers.remove(name);
        }
        for (name, template) in &self.added_headers {
            let value = text(template, environment, "a header")?;
            let value = HeaderValue::from_bytes(value.as_bytes());
            let mut value = value.map_err(|_| TransformError::Header(name.clone()))?;
            value.set_sensitive(true);
            headers.insert(name.clone(), value);
        }
        Ok(())
    }
}

impl ResponseTransform {
    /// Reads the templates.
    pub fn new(texts: &BodyTexts<'_>) -> Result<Self, TextError> {
        BodyTransform::new(texts, OF_ANSWERS).map(Self)
    }

    pub(super) fn apply(
        &self,
        request: &Value,
        session: &Map<String, Value>,
        status: u16,
        body: &[u8],
    ) -> Result<Bytes, TransformError> {
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let response = json!({ "status": status });
        let variables = [("$body", &body), ("$request", request), ("$response", &response)];
        let environment =
            Environment { variables: &variables, session: Some(session), most_bytes: MOST_BYTES };
        match &self.0 {
            BodyTransform::Remove => Ok(Bytes::from_static(b"null")),
            transform @ BodyTransform::Json(_) => transform.apply(&environment),
            // The form is a text of JSON.
            transform @ BodyTransform::Form(_) => {
                let form = transform.apply(&environment)?;
                Ok(Value::String(String::from_utf8_lossy(&form).into_owned()).to_string().into())
            }
        }
    }
}

impl QueryTransform {
    /// The query of an address. A parameter whose name or value is the text `null` is left out, as in
    /// Hasura: that is the text of a null.
    fn apply(&self, environment: &Environment<'_>) -> Result<String, TransformError> {
        let pairs = match self {
            Self::Whole(template) => {
                let query = text(template, environment, "query_params")?;
                let pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
                let mut output = Serializer::new(String::new());
                output.extend_pairs(pairs);
                return Ok(output.finish());
            }
            Self::Pairs(pairs) => pairs,
        };
        let mut output = Serializer::new(String::new());
        for (name, value) in pairs {
            let name = text(name, environment, "query_params")?;
            let value = value.as_ref().map(|value| text(value, environment, "query_params"));
            let value = value.transpose()?;
            match value.as_deref() {
                _ if name == "null" => {}
                Some("null") => {}
                Some(value) => drop(output.append_pair(&name, value)),
                None => drop(output.append_key_only(&name)),
            }
        }
        Ok(output.finish())
    }
}

impl BodyTransform {
    fn new(texts: &BodyTexts<'_>, scope: Scope<'_>) -> Result<Self, TextError> {
        Ok(match texts {
            BodyTexts::Remove => Self::Remove,
            BodyTexts::Json(text) => {
                let template = Template::parse(text, scope);
                Self::Json(template.map_err(|error| wrong("body", &error.to_string()))?)
            }
            BodyTexts::Form(pairs) => {
                let pairs = pairs.iter().map(|(name, value)| {
                    let template = Template::parse_text(value, scope);
                    let part = format!("body.form_template.{name}");
                    let template = template.map_err(|error| wrong(&part, &error.to_string()))?;
                    Ok(((*name).into(), template))
                });
                Self::Form(pairs.collect::<Result<_, TextError>>()?)
            }
        })
    }

    fn apply(&self, environment: &Environment<'_>) -> Result<Bytes, TransformError> {
        match self {
            Self::Remove => Ok(Bytes::new()),
            Self::Json(template) => {
                let value = template.evaluate(environment);
                let value = value.map_err(|error| TransformError::Template { part: "body", error });
                Ok(Bytes::from(value?.to_string()))
            }
            Self::Form(pairs) => {
                let mut output = Serializer::new(String::new());
                for (name, value) in pairs {
                    output.append_pair(name, &text(value, environment, "body")?);
                }
                Ok(Bytes::from(output.finish()))
            }
        }
    }
}

fn read_text(part: &str, text: &str) -> Result<Template, TextError> {
    let template = Template::parse_text(text, OF_REQUESTS);
    template.map_err(|error| wrong(part, &error.to_string()))
}

fn header(part: &str, name: &str) -> Result<HeaderName, TextError> {
    let name: HeaderName = name.parse().map_err(|_| wrong(part, "it is no name of a header"))?;
    match OWN.contains(&name.as_str()) {
        true => Err(wrong(part, "the header belongs to the connection, and is made by the server")),
        false => Ok(name),
    }
}

fn wrong(part: &str, reason: &str) -> TextError {
    TextError { part: part.into(), reason: reason.into() }
}

fn text(
    template: &Template,
    environment: &Environment<'_>,
    part: &'static str,
) -> Result<String, TransformError> {
    match template.evaluate(environment) {
        Ok(Value::String(text)) => Ok(text),
        Ok(other) => Ok(other.to_string()),
        Err(error) => Err(TransformError::Template { part, error }),
    }
}

/// The address that a template has made. What a client sends may be in it, so it is checked like
/// any address; the hosts that requests may reach are checked when it is sent.
fn parse_url(text: &str) -> Result<Uri, TransformError> {
    let url: Uri = text.parse().map_err(|_| TransformError::Url)?;
    let is_http = matches!(url.scheme_str(), Some("http" | "https"));
    let has_user = url.authority().is_some_and(|authority| authority.as_str().contains('@'));
    match is_http && !has_user && url.host().is_some_and(|host| !host.is_empty()) {
        true => Ok(url),
        false => Err(TransformError::Url),
    }
}

fn with_query(url: &Uri, query: &str) -> Result<Uri, TransformError> {
    let target = match query {
        "" => url.path().to_owned(),
        query => format!("{}?{query}", url.path()),
    };
    let mut parts = url.clone().into_parts();
    parts.path_and_query = Some(target.parse().map_err(|_| TransformError::Url)?);
    Uri::from_parts(parts).map_err(|_| TransformError::Url)
}
