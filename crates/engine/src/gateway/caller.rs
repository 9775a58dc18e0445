//! Parts of a request that its client chooses by headers and claims.

use serde_json_bytes::Value as Json;

use super::headers::PLAN;
use super::{Caller, Gateway};

impl Gateway {
    /// Returns the override labels that a request activates by header and claim.
    pub(super) fn named_labels(&self, caller: &Caller) -> Vec<Box<str>> {
        let options = &self.options;
        let mut named = Vec::new();
        if let (Some(header), Some(forwarded)) = (&options.label_header, &caller.forwarded) {
            let values = forwarded.values(header).filter_map(|value| value.to_str().ok());
            named.extend(self.labels.known(values.flat_map(|value| value.split(','))));
        }
        if let (Some(claim), Some(claims)) = (&options.label_claim, &caller.session.claims) {
            match claims.get(claim) {
                Some(Json::String(text)) => {
                    named.extend(self.labels.known(text.as_str().split(',')));
                }
                Some(Json::Array(texts)) => {
                    named.extend(self.labels.known(texts.iter().filter_map(Json::as_str)));
                }
                Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => {}
            }
        }
        named
    }

    /// Whether the response contains the query plan.
    pub(super) fn exposes_plan(&self, caller: &Caller) -> bool {
        let forwarded = caller.forwarded.as_ref().filter(|_| self.options.expose_plan);
        forwarded.is_some_and(|forwarded| forwarded.values(&PLAN).any(|value| value == "1"))
    }
}
