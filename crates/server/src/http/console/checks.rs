//! The findings of `thalweg check`, with their remedies.

use engine::Worker;
use serde_json::{Value, json};

pub(super) fn checks(worker: &Worker) -> Value {
    let notes = worker.engine().notes().map(|note| {
        json!({
            "kind": note.kind.label(),
            "subject": note.subject,
            "message": note.message,
            "remedy": note.remedy,
        })
    });
    json!({ "notes": notes.collect::<Vec<_>>() })
}
