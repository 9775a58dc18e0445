//! Values of composite types as texts that a [`Seal`] makes of them: tokens.

use std::fmt::Debug;
use std::sync::Arc;

use super::composite::{has_value, write_composite};
use super::{LeafError, Member};
use crate::cursor::Value;

/// Makes a text of a value.
pub trait Seal: Debug + Send + Sync {
    /// The text of a value, which is passed as a JSON object; `None` where it has no text.
    fn seal(&self, object: &[u8]) -> Option<String>;
}

/// Sealing of a value.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The sealed members.
    pub members: Box<[Member]>,
    /// The signer; without one, a value is an error.
    pub seal: Option<Arc<dyn Seal>>,
}

impl PartialEq for Sealed {
    fn eq(&self, other: &Self) -> bool {
        let is_same_seal = match (&self.seal, &other.seal) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_same_seal && self.members == other.members
    }
}

/// Appends the text of a value; a value of nulls is null.
pub(super) fn write_sealed(
    sealed: &Sealed,
    value: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LeafError> {
    if !has_value(value) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    let mut object = Vec::new();
    write_composite(&sealed.members, value, &mut object)?;
    let text = sealed.seal.as_ref().and_then(|seal| seal.seal(&object));
    // The value itself is not shown: it is secret.
    let text = text.ok_or_else(|| LeafError::new("Token", "what cannot be signed", Value::Null))?;
    crate::escape::write_string(&text, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaf::check::{check_text, member};
    use crate::leaf::{Leaf, Part};

    #[derive(Debug)]
    struct Length;

    impl Seal for Length {
        fn seal(&self, object: &[u8]) -> Option<String> {
            Some(format!("{} of \"{}\"", object.len(), String::from_utf8_lossy(object)))
        }
    }

    fn leaf(seal: Option<Arc<dyn Seal>>) -> Leaf {
        let members = Box::new([
            member("role", Part::Attribute(0), Leaf::Text),
            member("id", Part::Attribute(1), Leaf::BigInt),
        ]);
        Leaf::Sealed(Box::new(Sealed { members, seal }))
    }

    #[test]
    fn a_value_is_sealed_as_an_object_and_one_of_nulls_is_null() {
        let sealed = leaf(Some(Arc::new(Length)));
        check_text(&sealed, "(a,7)", r#""21 of \"{\"role\":\"a\",\"id\":\"7\"}\"""#);
        check_text(&sealed, "(,7)", r#""22 of \"{\"role\":null,\"id\":\"7\"}\"""#);
        check_text(&sealed, "(,)", "null");
        let refused = "Token cannot represent what cannot be signed: null";
        check_text(&leaf(None), "(a,7)", refused);
        check_text(
            &sealed,
            "a",
            "Object cannot represent a value that is not of a composite type: \"a\"",
        );
    }
}
