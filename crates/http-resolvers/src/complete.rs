//! Value completion: the selected fields of a value as JSON of a response
//! (<https://spec.graphql.org/draft/#sec-Value-Completion>).

use graphql::PathSegment;
use graphql::schema::TypeRef;
use serde_json::value::RawValue;

use crate::answer::{items, members};
use crate::coerce::{coerce, coerce_strictly};
use crate::projection::{Member, ObjectProjection, ProjectedField, Projection};
use crate::related_field::key_alias;
use crate::resolver::AnswerRules;
use crate::selection_text::alias;
use crate::splice::MARK;

/// Completes the values of one field.
#[derive(Debug)]
pub struct Completion<'p> {
    pub projection: &'p Projection,
    pub r#type: TypeRef,
    /// The type as text, for messages.
    pub type_text: &'p str,
    /// The name of the field, for messages.
    pub field: &'p str,
    /// True if the keys of the answer are the response names of its request.
    pub has_aliases: bool,
    pub rules: AnswerRules,
    /// The most bytes of output.
    pub most: usize,
}

/// A value that does not fit the schema, at its place within the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionError {
    pub message: String,
    pub path: Vec<PathSegment>,
}

/// The reason why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// A null at a non-null position, which propagates.
    Null,
    /// The limit of bytes is reached.
    TooLong,
}

/// The most errors of one value that are reported.
const MOST_ERRORS: usize = 100;

const SCALAR_EXPECTED: &str = "An object type was returned, but GraphQL was expecting a scalar.";
const ITEM_EXPECTED: &str = "A list was returned, but GraphQL was expecting just one item.";
const LIST_EXPECTED: &str = "An item was returned, but GraphQL was expecting a list of items.";
const MISMATCH: &str = " This indicates a mismatch between the GraphQL and remote schemas. The value \
     was resolved as null (which may trigger GraphQL error propagation) and as much other data as \
     possible returned.";

/// The answer of a remote schema, for messages.
const ANSWER: &str = "response of the remote schema";

/// State of one completion.
struct State<'c, 'p> {
    completion: &'c Completion<'p>,
    path: Vec<PathSegment>,
    errors: &'c mut Vec<CompletionError>,
    output: &'c mut Vec<u8>,
    /// The length of the output at which the limit is reached.
    end: usize,
}

/// The field of a value, for messages.
#[derive(Clone, Copy)]
struct FieldContext<'a> {
    projection: &'a Projection,
    field: &'a str,
    type_text: &'a str,
}

impl Completion<'_> {
    /// Appends the value to the output; an absent one is null.
    pub fn write(
        &self,
        value: Option<&RawValue>,
        output: &mut Vec<u8>,
        errors: &mut Vec<CompletionError>,
    ) -> Result<(), Incomplete> {
        let end = output.len().saturating_add(self.most);
        let mut state = State { completion: self, path: Vec::new(), errors, output, end };
        let context = FieldContext {
            projection: self.projection,
            field: self.field,
            type_text: self.type_text,
        };
        state.value(context, self.r#type, value.map_or("null", RawValue::get))
    }
}

impl State<'_, '_> {
    /// Recursion is bounded by the depth of the selections and of types.
    fn value(
        &mut self,
        context: FieldContext<'_>,
        r#type: TypeRef,
        text: &str,
    ) -> Result<(), Incomplete> {
        if self.output.len() > self.end {
            return Err(Incomplete::TooLong);
        }
        if self.completion.rules == AnswerRules::Action {
            return self.passed(context, r#type, text);
        }
        let start = self.output.len();
        if text == "null" {
            if r#type.is_list() && self.is_lenient() {
                self.output.extend_from_slice(b"[]");
            } else if r#type.is_non_null() {
                self.error(match self.completion.rules {
                    AnswerRules::Lenient => format!(
                        "Non-nullable field '{}' (type {}) was not present in result from Dgraph.  \
                         GraphQL error propagation triggered.",
                        context.field, context.type_text
                    ),
                    AnswerRules::Strict | AnswerRules::Action if self.path.is_empty() => {
                        format!("got null for the {ANSWER}")
                    }
                    AnswerRules::Strict | AnswerRules::Action => {
                        format!("expecting not null value for field \"{}\"", context.field)
                    }
                });
                return Err(Incomplete::Null);
            } else {
                self.output.extend_from_slice(b"null");
            }
            return Ok(());
        }
        let written = match r#type.item() {
            Some(item) => self.list(context, item, text),
            None => self.single(context, r#type, text),
        };
        match written {
            Err(Incomplete::Null) if !r#type.is_non_null() => {
                self.output.truncate(start);
                self.output.extend_from_slice(b"null");
                Ok(())
            }
            written => written,
        }
    }

    /// The value of an action, whose type was checked: scalars are any JSON. A value that cannot have
    /// the selected fields is null, as an absent one is.
    fn passed(
        &mut self,
        context: FieldContext<'_>,
        r#type: TypeRef,
        text: &str,
    ) -> Result<(), Incomplete> {
        let Projection::Objects(objects) = context.projection else {
            self.output.extend_from_slice(text.as_bytes());
            return Ok(());
        };
        match text.bytes().next() {
            Some(b'{') => self.object(objects, text),
            // As in Hasura also where the type has no list; more lists than the type has are null.
            Some(b'[') => {
                let item = r#type.item().unwrap_or(r#type);
                let is_nested = r#type.item().is_some();
                self.output.push(b'[');
                for (idx, one) in items(text).unwrap_or_default().into_iter().enumerate() {
                    if idx > 0 {
                        self.output.push(b',');
                    }
                    match one.get() {
                        one if is_nested || one.starts_with('{') => {
                            self.value(context, item, one)?
                        }
                        _ => self.output.extend_from_slice(b"null"),
                    }
                }
                self.output.push(b']');
                Ok(())
            }
            Some(_) | None => {
                self.output.extend_from_slice(b"null");
                Ok(())
            }
        }
    }

    fn list(
        &mut self,
        context: FieldContext<'_>,
        item: TypeRef,
        text: &str,
    ) -> Result<(), Incomplete> {
        let Some(items) = text.starts_with('[').then(|| items(text)).and_then(Result::ok) else {
            return Err(match self.completion.rules {
                AnswerRules::Lenient => self.mismatch(LIST_EXPECTED),
                AnswerRules::Strict | AnswerRules::Action => {
                    self.error(format!("expecting array for the {ANSWER}"));
                    Incomplete::Null
                }
            });
        };
        self.output.push(b'[');
        for (idx, one) in items.into_iter().enumerate() {
            if idx > 0 {
                self.output.push(b',');
            }
            self.path.push(PathSegment::Index(idx));
            let written = self.value(context, item, one.get());
            self.path.pop();
            written?;
        }
        self.output.push(b']');
        Ok(())
    }

    fn single(
        &mut self,
        context: FieldContext<'_>,
        r#type: TypeRef,
        text: &str,
    ) -> Result<(), Incomplete> {
        let is_any = is_foreign_scalar(context.projection, self.completion.rules);
        if text.starts_with('[') && !is_any && self.is_lenient() {
            // A list of one is its element, as in Dgraph.
            return match items(text).as_deref() {
                Ok([only]) => self.value(context, r#type, only.get()),
                Ok(_) | Err(_) => Err(self.mismatch(ITEM_EXPECTED)),
            };
        }
        match context.projection {
            Projection::Objects(objects) if text.starts_with('{') => self.object(objects, text),
            Projection::Scalar(_) | Projection::Enum(_)
                if text.starts_with('{') && !is_any && self.is_lenient() =>
            {
                Err(self.mismatch(SCALAR_EXPECTED))
            }
            Projection::Enum(names) => match serde_json::from_str::<String>(text) {
                Ok(name) if names.iter().any(|known| **known == *name) => {
                    self.output.extend_from_slice(text.as_bytes());
                    Ok(())
                }
                Ok(_) | Err(_) => Err(self.no_coercion(context, text)),
            },
            Projection::Scalar(name) => match self.coerce(name, text) {
                true => Ok(()),
                false => Err(self.no_coercion(context, text)),
            },
            Projection::Objects(_) => Err(self.no_coercion(context, text)),
        }
    }

    fn object(&mut self, objects: &[ObjectProjection], text: &str) -> Result<(), Incomplete> {
        let members = members(text).unwrap_or_default();
        let find =
            |key: &str| members.iter().find(|(known, _)| known == key).map(|(_, one)| one.get());
        let named = find("__typename").and_then(|text| serde_json::from_str::<String>(text).ok());
        let known = named.and_then(|name| objects.iter().find(|one| *one.remote_type == *name));
        let object = match (known, objects) {
            (Some(object), _) | (None, [object]) => object,
            // Without a name, all types of the position have to be read alike.
            (None, [first, others @ ..])
                if !first.selects_typename()
                    && others.iter().all(|one| one.fields == first.fields) =>
            {
                first
            }
            (None, _) => {
                self.error("The type of an object is unknown: its `__typename` is missing.".into());
                return Err(Incomplete::Null);
            }
        };
        self.output.push(b'{');
        for (idx, field) in object.fields.iter().enumerate() {
            if idx > 0 {
                self.output.push(b',');
            }
            self.output.push(b'"');
            // Response names need no escapes.
            self.output.extend_from_slice(field.response_name.as_bytes());
            self.output.extend_from_slice(b"\":");
            let (name, key) = match &field.member {
                Member::Field { name, key, .. } => (name, key),
                Member::Typename => {
                    self.output.push(b'"');
                    self.output.extend_from_slice(object.r#type.as_bytes());
                    self.output.push(b'"');
                    continue;
                }
                Member::Related { number, related, .. } => {
                    let placeholder = format!("{{\"{MARK}\":{number}");
                    self.output.extend_from_slice(placeholder.as_bytes());
                    for (number, member) in related.members().enumerate() {
                        let value = match self.completion.has_aliases {
                            true => find(&key_alias(member)),
                            false => find(member),
                        };
                        let value = value.unwrap_or("null");
                        self.output
                            .extend_from_slice(format!(",\"{MARK}{number}\":{value}").as_bytes());
                    }
                    self.output.push(b'}');
                    continue;
                }
            };
            let value = find(self.key(object, field, key));
            let context = FieldContext {
                projection: &field.projection,
                field: name,
                type_text: &field.type_text,
            };
            self.path.push(PathSegment::Field(field.response_name.clone()));
            let written = match value {
                None if field.r#type.is_non_null()
                    && self.completion.rules == AnswerRules::Strict =>
                {
                    let field = context.field;
                    self.error(format!("field \"{field}\" expected in {ANSWER}, but not found"));
                    Err(Incomplete::Null)
                }
                value => self.value(context, field.r#type, value.unwrap_or("null")),
            };
            self.path.pop();
            written?;
        }
        self.output.push(b'}');
        Ok(())
    }

    fn key<'f>(
        &self,
        object: &ObjectProjection,
        field: &'f ProjectedField,
        key: &'f str,
    ) -> &'f str {
        match self.completion.has_aliases {
            true => alias(object, field).unwrap_or(key),
            false => key,
        }
    }

    fn coerce(&mut self, name: &str, text: &str) -> bool {
        match self.completion.rules {
            AnswerRules::Lenient => coerce(name, text, self.output),
            AnswerRules::Strict | AnswerRules::Action => coerce_strictly(name, text, self.output),
        }
    }

    fn is_lenient(&self) -> bool {
        self.completion.rules == AnswerRules::Lenient
    }

    fn mismatch(&mut self, expected: &str) -> Incomplete {
        self.error([expected, MISMATCH].concat());
        Incomplete::Null
    }

    fn no_coercion(&mut self, context: FieldContext<'_>, text: &str) -> Incomplete {
        let base = context.type_text.trim_matches(['[', ']', '!']);
        if !self.is_lenient() {
            let kind = kind(text);
            self.error(format!("got {kind} for the {ANSWER}, expecting {base}"));
            return Incomplete::Null;
        }
        let shown: String = text.trim_matches('"').chars().take(100).collect();
        self.error(format!(
            "Error coercing value '{shown}' for field '{}' to type {base}.",
            context.field
        ));
        Incomplete::Null
    }

    fn error(&mut self, message: String) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(CompletionError { message, path: self.path.clone() });
        }
    }
}

/// True for scalars that may be any JSON.
fn is_foreign_scalar(projection: &Projection, rules: AnswerRules) -> bool {
    let Projection::Scalar(name) = projection else { return false };
    match rules {
        AnswerRules::Lenient => !crate::coerce::is_known(name),
        AnswerRules::Strict | AnswerRules::Action => !crate::coerce::is_built_in(name),
    }
}

/// The kind of a JSON value by its first character, for messages.
fn kind(text: &str) -> &'static str {
    match text.bytes().next() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "scalar String",
        Some(b't' | b'f') => "scalar Boolean",
        Some(_) | None => "scalar Number",
    }
}
