//! The file of rejected values: a JSON object for each record and reason.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::json;
use transfer::read::{Records, Source};
use transfer::stage::{Rejected, Staged};

use crate::failure::Failure;

/// Writes the file, if something is rejected. The files are read again for the texts of the records.
pub(super) fn write(path: &Path, sources: &[Source], staged: &Staged) -> Result<(), Failure> {
    let mut rejected = staged.rejections.records().peekable();
    if rejected.peek().is_none() {
        return Ok(());
    }
    let failed = |error: io::Error| Failure::Document { file: path.into(), error };
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    let mut open: Option<(usize, Records)> = None;
    let mut last: Option<(usize, u64, u64, String)> = None;
    for Rejected { file, record, reason, values } in rejected {
        let Some(source) = sources.get(file) else { continue };
        let is_known = last.as_ref().is_some_and(|last| (last.0, last.1) == (file, record));
        if !is_known {
            if open.as_ref().is_none_or(|(index, _)| *index != file) {
                open = Some((file, Records::open(source).map_err(Failure::other)?));
            }
            let Some((_, records)) = &mut open else { continue };
            while let Some(found) = records.next_record().map_err(Failure::other)? {
                if found.number == record {
                    last = Some((file, record, found.line, found.text()));
                    break;
                }
            }
        }
        let (line, text) =
            last.as_ref().map_or((0, ""), |(_, _, line, text)| (*line, text.as_str()));
        let object = json!({
            "file": source.name,
            "line": line,
            "reason": &*reason,
            "values": values,
            "text": text,
        });
        writeln!(out, "{object}").map_err(failed)?;
    }
    out.flush().map_err(failed)
}
