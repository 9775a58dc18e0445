//! Who asks, as far as the answer of a supergraph depends on it.

use serde_json_bytes::Value as Json;
use source::Session;

use super::Gateway;
use super::headers::{Forwarded, PLAN};

/// Who asks, and what of their request subgraphs may be told.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    pub session: Session,
    /// Only where there are subgraphs, and apart: most requests have none.
    pub forwarded: Option<Box<Forwarded>>,
}

impl Gateway {
    /// The labels that a request names, by a header and by a claim.
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

    /// Whether the answer says how it was planned.
    pub(super) fn tells_plan(&self, caller: &Caller) -> bool {
        let forwarded = caller.forwarded.as_ref().filter(|_| self.options.expose_plan);
        forwarded.is_some_and(|forwarded| forwarded.values(&PLAN).any(|value| value == "1"))
    }
}
