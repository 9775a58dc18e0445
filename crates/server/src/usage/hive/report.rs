//! The requests of one report.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use engine::Api;
use engine::documents::Document;
use graphql::operation::OperationKind;
use serde_json::{Map, Value as Json, json};

use super::operation::ReportedOperation;

/// A request in the queue.
#[derive(Debug)]
pub(super) struct QueuedRequest {
    /// The API that validated the document. The queue is short, so that it is dropped soon after a
    /// reload.
    pub(super) api: Api,
    pub(super) document: Arc<Document>,
    /// The name and the version of the client.
    pub(super) client: [Option<Box<str>>; 2],
    /// The time of the request since 1970.
    pub(super) begun: Duration,
    pub(super) elapsed: Duration,
    pub(super) errors: usize,
    pub(super) is_ok: bool,
}

impl QueuedRequest {
    /// Length of its document, which the cache may have dropped.
    pub(super) fn bytes(&self) -> u64 {
        self.document.text().len() as u64
    }
}

/// A report to which requests are added.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// By the address of the document, which stays the same while the document is here.
    documents: HashMap<*const Document, (Arc<Document>, Option<Box<str>>)>,
    map: Map<String, Json>,
    operations: Vec<Json>,
    subscriptions: Vec<Json>,
    /// Length of the texts of documents and coordinates.
    bytes: usize,
}

/// Requests of one report.
const MOST_REQUESTS: usize = 2_000;

/// Length of the texts of one report: Hive accepts 15 MB.
const MOST_BYTES: usize = 4 << 20;

impl Report {
    /// The number of requests.
    pub(super) fn len(&self) -> usize {
        self.operations.len() + self.subscriptions.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= MOST_REQUESTS || self.bytes >= MOST_BYTES
    }

    pub(super) fn add(&mut self, request: QueuedRequest) {
        let QueuedRequest { api, document, client, begun, elapsed, errors, is_ok } = request;
        let kind = document.operation.kind;
        let Some(key) = self.key(&api, document) else { return };
        let mut entry = json!({
            "timestamp": u64::try_from(begun.as_millis()).unwrap_or(u64::MAX),
            "operationMapKey": key,
        });
        if let [Some(name), version] = client {
            let version = version.unwrap_or_default();
            entry["metadata"] = json!({ "client": { "name": name, "version": version } });
        }
        match kind {
            OperationKind::Subscription => self.subscriptions.push(entry),
            OperationKind::Query | OperationKind::Mutation => {
                entry["execution"] = json!({
                    "ok": is_ok && errors == 0,
                    "duration": u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
                    "errorsTotal": errors,
                });
                self.operations.push(entry);
            }
        }
    }

    /// The key of an operation; `None` if it is not reported.
    fn key(&mut self, api: &Api, document: Arc<Document>) -> Option<Box<str>> {
        if let Some((_, key)) = self.documents.get(&Arc::as_ptr(&document)) {
            return key.clone();
        }
        let operation = ReportedOperation::new(api.schema(), &document);
        let key = operation.map(|operation| {
            let ReportedOperation { key, name, text, fields } = operation;
            self.bytes += text.len() + fields.iter().map(String::len).sum::<usize>();
            let mut record = json!({ "operation": text, "fields": fields });
            if let Some(name) = name {
                record["operationName"] = json!(name);
            }
            self.map.insert(key.to_string(), record);
            key
        });
        self.documents.insert(Arc::as_ptr(&document), (document, key.clone()));
        key
    }

    /// The body of the report.
    pub(super) fn into_body(self) -> Vec<u8> {
        let size = self.len();
        let Self { map, operations, subscriptions, .. } = self;
        let mut report = json!({ "size": size, "map": map, "operations": operations });
        if !subscriptions.is_empty() {
            report["subscriptionOperations"] = Json::Array(subscriptions);
        }
        report.to_string().into_bytes()
    }
}
