//! The policy file.

use std::path::Path;
use std::sync::Arc;

use engine::PolicyFile;

use crate::failure::Failure;

/// Reads the policy file, if there is one.
pub(crate) fn policies(path: Option<&Path>) -> Result<Option<Arc<PolicyFile>>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let refused =
        |error: String| Failure::Usage(format!("the policy file {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let file = PolicyFile::parse(&text).map_err(|problems| {
        let problems =
            problems.iter().map(|problem| format!("the policy file {}: {problem}", path.display()));
        Failure::Usage(problems.collect::<Vec<_>>().join("\nerror: "))
    })?;
    Ok(Some(Arc::new(file)))
}
