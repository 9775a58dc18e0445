//! Files of a request as parameters in PostgreSQL's binary format: as text, their bytes would be
//! twice as many.

use relational::{ParameterKind, ValueKind};
use source::SourceError;
use source::operand::Resolved;
use tokio_postgres::types::{Oid, Type};
use uploads::File;

/// The form of a parameter that takes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileForm {
    One,
    List,
}

/// The format codes of parameters in the Bind message.
/// <https://www.postgresql.org/docs/current/protocol-message-formats.html>
pub(super) const TEXT: i16 = 0;
pub(super) const BINARY: i16 = 1;

/// The form in which a parameter takes files; `None` if it takes none. `type` is that of the parameter,
/// or 0.
pub(super) fn form(kind: ParameterKind, r#type: Oid) -> Option<FileForm> {
    match kind {
        ParameterKind::Value { kind: ValueKind::Bytes, .. }
        | ParameterKind::Stored { kind: ValueKind::Bytes, .. } => Some(FileForm::One),
        ParameterKind::List { kind: ValueKind::Bytes, .. }
        | ParameterKind::StoredArray { kind: ValueKind::Bytes, .. }
        | ParameterKind::KeyList { kind: ValueKind::Bytes, .. } => Some(FileForm::List),
        // The column or the argument is an array.
        ParameterKind::Value { kind: ValueKind::List, .. }
        | ParameterKind::Stored { kind: ValueKind::List, .. }
        | ParameterKind::Argument { .. }
        | ParameterKind::ArgumentList { .. } => match r#type {
            of if of == Type::BYTEA.oid() => Some(FileForm::One),
            of if of == Type::BYTEA_ARRAY.oid() => Some(FileForm::List),
            _ => None,
        },
        _ => None,
    }
}

/// The error of a file in a parameter that takes none.
pub(super) fn misplaced(file: &File, kind: ParameterKind) -> SourceError {
    let name = match kind {
        ParameterKind::Value { kind, .. }
        | ParameterKind::Stored { kind, .. }
        | ParameterKind::List { kind, .. }
        | ParameterKind::StoredArray { kind, .. }
        | ParameterKind::KeyList { kind, .. } => kind.type_name(),
        _ => ValueKind::Text.type_name(),
    };
    SourceError::input(file.misplaced(name))
}

/// Appends an array of `bytea` in the binary format; `None` if an element is neither a file nor
/// null, and nothing is appended.
pub(super) fn write_binary_list(items: &[Resolved<'_>], out: &mut Vec<u8>) -> Option<()> {
    let is_binary = |item: &Resolved<'_>| matches!(item, Resolved::File(_) | Resolved::Null);
    let count = i32::try_from(items.len()).ok()?;
    if !items.iter().all(is_binary) {
        return None;
    }
    let has_null = i32::from(items.contains(&Resolved::Null));
    // Dimensions, nulls, the type of the elements, their number and the first index.
    for number in [1, has_null, Type::BYTEA.oid().cast_signed(), count, 1] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    for item in items {
        match item {
            Resolved::File(File { content, .. }) => {
                // A request is far smaller than this.
                let length = i32::try_from(content.len()).ok()?;
                out.extend_from_slice(&length.to_be_bytes());
                out.extend_from_slice(content);
            }
            _ => out.extend_from_slice(&(-1_i32).to_be_bytes()),
        }
    }
    Some(())
}

/// Appends the text of a file: hexadecimal, after `\x`.
pub(super) fn write_text(file: &File, out: &mut Vec<u8>) {
    out.reserve(2 * file.content.len() + 2);
    out.extend_from_slice(b"\\x");
    for byte in &file.content {
        for digit in [byte >> 4, byte & 15] {
            out.push(b"0123456789abcdef"[usize::from(digit)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn file(content: &'static [u8]) -> File {
        File { content: Bytes::from_static(content), place: "variables.a".into() }
    }

    #[test]
    fn a_list_of_files_is_a_binary_array() {
        let (one, empty) = (file(b"\0\xff"), file(b""));
        let items = [Resolved::File(&one), Resolved::Null, Resolved::File(&empty)];
        let mut out = Vec::new();
        write_binary_list(&items, &mut out).unwrap();
        let expected = [
            &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 17, 0, 0, 0, 3, 0, 0, 0, 1][..],
            &[0, 0, 0, 2, 0, 255, 255, 255, 255, 255, 0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(out, expected);
        let mixed = [Resolved::File(&one), Resolved::Text("\\x00".into())];
        let mut out = Vec::new();
        assert_eq!((write_binary_list(&mixed, &mut out), out.len()), (None, 0));
    }

    #[test]
    fn the_text_of_a_file_is_hexadecimal() {
        let mut out = Vec::new();
        write_text(&file(b"\0\xfe\x10"), &mut out);
        assert_eq!(out, b"\\x00fe10");
    }
}
