//! Answers of actions: the check of a value against the output type of its action.
//!
//! As in Hasura, the check reaches the type of the value and the fields of the output type, selected
//! or not; values of these fields are any JSON.

use graphql::schema::TypeRef;
use serde_json::value::RawValue;

use crate::answer::{items, members};
use crate::coerce::is_built_in;

/// The output type of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionOutput<'a> {
    pub r#type: TypeRef,
    /// The name of the type without its lists.
    pub base: &'a str,
    /// Non-null fields of an object type, without relationships; `None` for a scalar or an enum.
    pub required: Option<Vec<&'a str>>,
}

impl ActionOutput<'_> {
    /// Checks the value of an answer; the error is for clients.
    pub fn check(&self, value: &RawValue) -> Result<(), String> {
        self.check_as(self.r#type, value.get())
    }

    /// Recursion is bounded by the lists of the type.
    fn check_as(&self, r#type: TypeRef, text: &str) -> Result<(), String> {
        let item = r#type.item();
        // Custom scalars and enums are any JSON, null too.
        if item.is_none() && self.required.is_none() && !is_built_in(self.base) {
            return Ok(());
        }
        let first = text.bytes().next().unwrap_or(b'n');
        match (first, item) {
            (b'n', _) if r#type.is_non_null() => {
                Err("got null for the action webhook response".to_owned())
            }
            (b'n', _) => Ok(()),
            (b'[', Some(item)) => {
                let items = items(text).unwrap_or_default();
                items.into_iter().try_for_each(|one| self.check_as(item, one.get()))
            }
            (_, Some(_)) => Err("expecting array for the action webhook response".to_owned()),
            (b'[', None) => Err(self.got("array")),
            (b'{', None) => match &self.required {
                Some(required) => check_object(required, text),
                None => Err(self.got("object")),
            },
            (b'"', None) => self.scalar("String", &["String", "ID"]),
            (b't' | b'f', None) => self.scalar("Boolean", &["Boolean"]),
            // Hasura calls numbers texts here.
            (_, None) => self.scalar("String", &["Int", "Float"]),
        }
    }

    fn scalar(&self, found: &str, allowed: &[&str]) -> Result<(), String> {
        match allowed.contains(&self.base) {
            true => Ok(()),
            false => Err(self.got(&format!("scalar {found}"))),
        }
    }

    fn got(&self, found: &str) -> String {
        format!("got {found} for the action webhook response, expecting {}", self.base)
    }
}

fn check_object(required: &[&str], text: &str) -> Result<(), String> {
    let members = members(text).unwrap_or_default();
    for name in required {
        match members.iter().find(|(key, _)| key == name) {
            None => {
                return Err(format!(
                    "field \"{name}\" expected in webhook response, but not found"
                ));
            }
            Some((_, value)) if value.get() == "null" => {
                return Err(format!("expecting not null value for field \"{name}\""));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use graphql::schema::{Schema, TypeDefinition, TypeKind, Wrapper};

    use super::*;

    fn check(wrappers: &[Wrapper], base: &str, required: Option<&[&str]>, text: &str) -> String {
        let kind = TypeKind::Scalar;
        let definition = TypeDefinition { name: "T".into(), description: None, kind };
        let named = TypeRef::named(Schema::default().add_type(definition).unwrap());
        let wrap = |known: TypeRef, wrapper: &Wrapper| match wrapper {
            Wrapper::NonNull => known.non_null(),
            Wrapper::List => known.list(),
        };
        let r#type = wrappers.iter().fold(named, wrap);
        let output = ActionOutput { r#type, base, required: required.map(<[_]>::to_vec) };
        let value = RawValue::from_string(text.to_owned()).unwrap();
        output.check(&value).err().unwrap_or_default()
    }

    #[test]
    fn values_fit_the_output_type() {
        use Wrapper::{List, NonNull};
        let user = Some(&["id"][..]);
        for (wrappers, base, required, text) in [
            (&[][..], "User", user, r#"{"id": "any", "more": 1}"#),
            (&[], "User", user, "null"),
            (&[NonNull, List], "User", user, r#"[{"id": 1}, {"id": [2]}]"#),
            (&[NonNull], "day", None, "null"),
            (&[], "Int", None, "1.5"),
            (&[], "ID", None, r#""x""#),
            (&[List], "Boolean", None, "[true, null]"),
        ] {
            assert_eq!(check(wrappers, base, required, text), "", "{base} {text}");
        }
        for (wrappers, base, required, text, error) in [
            (&[NonNull][..], "User", user, "null", "got null for the action webhook response"),
            (&[NonNull, List], "User", user, "[null]", "got null for the action webhook response"),
            (&[], "User", user, "{}", "field \"id\" expected in webhook response, but not found"),
            (&[], "User", user, "{\"id\": null}", "expecting not null value for field \"id\""),
            (&[], "User", user, "[]", "got array for the action webhook response, expecting User"),
            (&[List], "User", user, "{}", "expecting array for the action webhook response"),
            (&[], "Int", None, "{}", "got object for the action webhook response, expecting Int"),
            (
                &[],
                "User",
                user,
                "true",
                "got scalar Boolean for the action webhook response, expecting User",
            ),
            (
                &[],
                "ID",
                None,
                "1",
                "got scalar String for the action webhook response, expecting ID",
            ),
        ] {
            assert_eq!(check(wrappers, base, required, text), error, "{base} {text}");
        }
    }
}
