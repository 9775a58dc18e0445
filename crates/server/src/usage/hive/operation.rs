//! An operation as Hive knows it: its text without literals, which may be personal data, and the schema
//! coordinates that it uses, in Hive's notation: `Type.field.argument`.

use std::collections::BTreeSet;

use engine::documents::Document;
use graphql::schema::{Schema, TypeId, TypeKind};
use graphql::usage::{UsedPart, used_parts};
use sha2::{Digest, Sha256};

/// Bytes of the hash that a key has.
const KEY_BYTES: usize = 16;

/// An operation in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportedOperation {
    /// The same for equal operations, in all reports.
    pub(super) key: Box<str>,
    pub(super) name: Option<Box<str>>,
    pub(super) text: Box<str>,
    pub(super) fields: BTreeSet<String>,
}

impl ReportedOperation {
    /// `None` if the operation selects no field of the schema, but `__typename` or introspection.
    pub(super) fn new(schema: &Schema, document: &Document) -> Option<Self> {
        let parts = used_parts(schema, &document.operation);
        if !parts.iter().any(|part| matches!(part, UsedPart::Field(..))) {
            return None;
        }
        let name = document.operation.name.clone();
        let text = without_literals(document.text());
        let mut hash = Sha256::new();
        hash.update(name.as_deref().unwrap_or_default());
        hash.update([0]);
        hash.update(&text);
        let key = hash.finalize();
        let key: String = key.iter().take(KEY_BYTES).map(|byte| format!("{byte:02x}")).collect();
        let fields = fields(schema, &parts);
        Some(Self { key: key.into(), name, text: text.into(), fields })
    }
}

/// Coordinates in Hive's notation. A field of an enum type uses all its values, as in Hive's own
/// clients.
fn fields(schema: &Schema, parts: &[UsedPart]) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    for part in parts {
        match part {
            UsedPart::Type(_) | UsedPart::InputField(..) | UsedPart::EnumValue(..) => {
                fields.insert(part.coordinate(schema));
            }
            UsedPart::Field(_, field) => {
                fields.insert(part.coordinate(schema));
                if let TypeKind::Enum { .. } = schema[schema[*field].r#type.base].kind {
                    add_whole(schema, schema[*field].r#type.base, &mut fields);
                }
            }
            UsedPart::Argument(parent, field, argument) => {
                let field = UsedPart::Field(*parent, *field).coordinate(schema);
                fields.insert([&field, ".", &*schema[*argument].name].concat());
            }
            UsedPart::VariableType(r#type) => add_whole(schema, *r#type, &mut fields),
            // Hive counts no directives.
            UsedPart::Directive(_) | UsedPart::DirectiveArgument(..) => {}
        }
    }
    fields
}

/// Adds all parts of an enum or input object type.
fn add_whole(schema: &Schema, r#type: TypeId, fields: &mut BTreeSet<String>) {
    let mut waiting = vec![r#type];
    let mut known = BTreeSet::new();
    while let Some(r#type) = waiting.pop() {
        if !known.insert(r#type) {
            continue;
        }
        fields.insert(schema[r#type].name.to_string());
        match &schema[r#type].kind {
            TypeKind::Enum { values } => fields.extend(
                values.iter().map(|id| UsedPart::EnumValue(r#type, *id).coordinate(schema)),
            ),
            TypeKind::InputObject { fields: inputs } => {
                for id in inputs {
                    fields.insert(UsedPart::InputField(r#type, *id).coordinate(schema));
                    waiting.push(schema[*id].r#type.base);
                }
            }
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. } => {}
        }
    }
}

/// Replaces numbers by 0 and strings by "", and shortens white space. The document is valid.
fn without_literals(text: &str) -> String {
    let mut rest = text;
    let mut written = String::with_capacity(text.len());
    while let Some(first) = rest.chars().next() {
        match first {
            '#' => rest = &rest[rest.find(['\n', '\r']).unwrap_or(rest.len())..],
            '"' => {
                written.push_str("\"\"");
                rest = after_string(rest);
            }
            '-' | '0'..='9' => {
                written.push('0');
                rest = rest.trim_start_matches(|one: char| {
                    one.is_ascii_alphanumeric() || matches!(one, '-' | '+' | '.')
                });
            }
            '_' | 'A'..='Z' | 'a'..='z' => {
                let is_of_name = |one: char| one.is_ascii_alphanumeric() || one == '_';
                let end = rest.find(|one| !is_of_name(one)).unwrap_or(rest.len());
                let (name, behind) = rest.split_at(end);
                written.push_str(name);
                rest = behind;
            }
            ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}' => {
                if !written.is_empty() && !written.ends_with(' ') {
                    written.push(' ');
                }
                rest = &rest[first.len_utf8()..];
            }
            _ => {
                written.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    written.truncate(written.trim_end().len());
    written
}

/// The text after the string or block string at its beginning.
fn after_string(text: &str) -> &str {
    let (quotes, mut rest) = match text.strip_prefix("\"\"\"") {
        Some(rest) => ("\"\"\"", rest),
        None => ("\"", text.strip_prefix('"').unwrap_or(text)),
    };
    let is_block = quotes.len() == 3;
    loop {
        if let Some(behind) = rest.strip_prefix(quotes) {
            return behind;
        }
        let escape = if is_block { "\\\"\"\"" } else { "\\" };
        if let Some(escaped) = rest.strip_prefix(escape) {
            rest = escaped;
            if is_block {
                continue;
            }
        }
        let mut characters = rest.chars();
        if characters.next().is_none() {
            return "";
        }
        rest = characters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_left_out() {
        let check = |text, expected| assert_eq!(without_literals(text), expected, "{text}");
        check(
            "{ a(b: \"secret\", c: -1.5e+3, d: [1, 2]) { e1 } }",
            "{ a(b: \"\" c: 0 d: [0 0]) { e1 } }",
        );
        check("{ a(b: \"x \\\" y\", c: \"\") { d } }", "{ a(b: \"\" c: \"\") { d } }");
        check("{ a(b: \"\"\"x \\\"\"\" \" y\"\"\") }", "{ a(b: \"\") }");
        check("{ a(b: \"\"\"\"\"\") }", "{ a(b: \"\") }");
        check("{ a(b: \"\\\\\") c }", "{ a(b: \"\") c }");
        check("{ a # 1 \"secret\n  b }", "{ a b }");
        check(
            "query A2($b3: [Int!] = 4) { ...F ... on T5 { c(d: $b3, e: X6) @f } }",
            "query A2($b3: [Int!] = 0) { ...F ... on T5 { c(d: $b3 e: X6) @f } }",
        );
        check("{ a(b: \"ü\") }\n\n", "{ a(b: \"\") }");
        // The document is valid, but a mistake must not loop.
        check("\"\\", "\"\"");
        check("\"\"\"", "\"\"");
    }
}
