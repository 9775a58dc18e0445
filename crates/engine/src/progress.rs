//! State of a running request, for other threads.

use std::sync::{Arc, OnceLock};

use crate::documents::Document;
use crate::report::Planned;

/// What is known so far of a running request.
#[derive(Debug, Default)]
pub struct Progress {
    document: OnceLock<Arc<Document>>,
    plan: OnceLock<Planned>,
}

impl Progress {
    /// The document, once it is valid.
    #[must_use]
    pub fn document(&self) -> Option<&Arc<Document>> {
        self.document.get()
    }

    /// The plan, once there is one.
    #[must_use]
    pub fn plan(&self) -> Option<&Planned> {
        self.plan.get()
    }

    /// Sets the document, unless it is known.
    pub(crate) fn set_document(&self, document: &Arc<Document>) {
        let _ = self.document.set(Arc::clone(document));
    }

    /// Sets the plan, unless there is one.
    pub(crate) fn set_plan(&self, plan: &Planned) {
        let _ = self.plan.set(plan.clone());
    }
}
