//! Webhooks: requests that send JSON to a handler, and what becomes of its answer.
//!
//! * `transform`: templates that change the request, and the answer before it is read
//! * `client_headers`: headers of the client that the handler receives, too

mod client_headers;
#[cfg(test)]
mod tests;
mod transform;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use serde_json::{Map, Value};

use crate::exact_number;
use crate::http_call::HttpCall;

pub use client_headers::ClientHeaders;
pub use transform::{
    BodyTexts, QueryTexts, RequestTexts, RequestTransform, ResponseTransform, TextError,
    TransformError,
};

/// A handler, and how requests to it are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    /// The address, as templates have it in `$base_url`.
    pub base_url: Box<str>,
    /// Headers with values of the definitions, which are marked as sensitive.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Headers of the client that are forwarded; `None` for no header.
    pub client_headers: Option<ClientHeaders>,
    pub request: Option<RequestTransform>,
    pub response: Option<ResponseTransform>,
}

/// The client of a request to a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookClient<'a> {
    /// Session variables, with names in lower case.
    pub session: &'a Map<String, Value>,
    pub headers: Option<&'a HeaderMap>,
}

/// A request to a webhook, with what the templates of its answer use.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookCall {
    pub call: HttpCall,
    /// `$request` of the template of the answer; null without a transform of the request.
    context: Value,
}

impl Webhook {
    /// The request that sends `payload` to the handler at `url`, which is the parsed `base_url`.
    pub fn call(
        &self,
        url: &Uri,
        payload: &Value,
        client: WebhookClient<'_>,
    ) -> Result<WebhookCall, TransformError> {
        let mut headers = HeaderMap::new();
        if let (Some(wanted), Some(of_client)) = (&self.client_headers, client.headers) {
            wanted.forward(of_client, &mut headers);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        let body = Bytes::from(exact_number::text(payload));
        let call = HttpCall { method: Method::POST, url: url.clone(), headers, body };
        match &self.request {
            None => Ok(WebhookCall { call, context: Value::Null }),
            Some(transform) => {
                // Templates know doubles.
                let payload = exact_number::rounded(payload);
                let (call, context) =
                    transform.apply(call, &self.base_url, &payload, client.session)?;
                Ok(WebhookCall { call, context })
            }
        }
    }

    /// The body of an answer, changed by its transform.
    pub fn answer(
        &self,
        call: &WebhookCall,
        session: &Map<String, Value>,
        status: u16,
        body: Bytes,
    ) -> Result<Bytes, TransformError> {
        match &self.response {
            None => Ok(body),
            Some(transform) => transform.apply(&call.context, session, status, &body),
        }
    }
}
