//! Byte offsets in a document as lines and columns.

use apollo_compiler::parser::SourceSpan;

use crate::operation::Location;

/// The starts of lines, and the bytes that continue a character.
pub(crate) struct Positions {
    lines: Vec<usize>,
    continuations: Vec<usize>,
}

impl Positions {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        let mut continuations = Vec::new();
        for (offset, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => lines.push(offset + 1),
                b'\r' if bytes.get(offset + 1) != Some(&b'\n') => lines.push(offset + 1),
                0x80..=0xbf => continuations.push(offset),
                _ => {}
            }
        }
        Self { lines, continuations }
    }

    pub(crate) fn location(&self, span: Option<SourceSpan>) -> Location {
        let offset = span.map_or(0, |span| span.offset());
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or_default();
        let continuations_before =
            |end: usize| self.continuations.partition_point(|place| *place < end);
        let characters =
            offset - start - (continuations_before(offset) - continuations_before(start));
        Location::new(line, characters + 1)
    }
}
