//! Values of fields as a change feed prints them.

use catalog::{Catalog, FieldId, Scalar, Type};
use ir::Operand;
use source::Variables;
use source::operand::{Resolved, resolve};

/// A value of a field, as its database prints it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldValue {
    pub field: FieldId,
    pub text: Box<[u8]>,
}

impl FieldValue {
    /// The value of an operand: `Some(None)` if it is null, which equals nothing, and `None` if its
    /// text is not known.
    pub(crate) fn resolve(
        field: FieldId,
        operand: &Operand,
        catalog: &Catalog,
        variables: Variables<'_>,
    ) -> Option<Option<Self>> {
        let resolved = resolve(operand, variables).ok()?;
        let text = match (&catalog[field].r#type, resolved) {
            (_, Resolved::Null) => return Some(None),
            (Type::Scalar(Scalar::Boolean), Resolved::Boolean(value)) => {
                if value { "t" } else { "f" }.to_owned()
            }
            (
                Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64),
                Resolved::Integer(number),
            ) => number.to_string(),
            // The API may take numbers of 64 bits as texts.
            (
                Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64),
                Resolved::Text(text) | Resolved::Number(text),
            ) => text.parse::<i64>().ok()?.to_string(),
            (Type::Scalar(Scalar::Text) | Type::Enum(_), Resolved::Text(text)) => text.into_owned(),
            (Type::Scalar(Scalar::Uuid), Resolved::Text(text)) => uuid(&text)?,
            _ => return None,
        };
        Some(Some(Self { field, text: text.into_bytes().into() }))
    }
}

/// Returns true if equal values of a type have the same text.
pub(crate) fn has_one_text(r#type: &Type) -> bool {
    match r#type {
        Type::Scalar(
            Scalar::Boolean
            | Scalar::Int16
            | Scalar::Int32
            | Scalar::Int64
            | Scalar::Text
            | Scalar::Uuid,
        )
        | Type::Enum(_) => true,
        Type::Scalar(_)
        | Type::Domain(_)
        | Type::Composite(_)
        | Type::Range(_)
        | Type::Row(_)
        | Type::List(_) => false,
    }
}

/// A UUID as PostgreSQL prints it. Hyphens are optional on input.
fn uuid(text: &str) -> Option<String> {
    let digits: String =
        text.chars().filter(|character| !matches!(character, '-' | '{' | '}')).collect();
    let digits = digits.to_ascii_lowercase();
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Some(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn uuids_have_one_text() {
        let printed = Some("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11".to_owned());
        assert_eq!(uuid("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"), printed);
        assert_eq!(uuid("{a0eebc999c0b4ef8bb6d6bb9bd380a11}"), printed);
        assert_eq!(uuid("a0eebc99"), None);
        assert_eq!(uuid("g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), None);
    }
}
