//! Fields of remote schemas to which relationships lead, with the values that the relationships give
//! to their arguments, and the arguments that clients may give.

use std::collections::BTreeMap;

use hasura_metadata::json::Json;
use hasura_metadata::types::remote_relationship::{RemoteArgument, RemoteField, RemoteFields};
use http_resolvers::body::BodyTemplate;
use http_resolvers::remote_path::RemoteStep;
use http_resolvers::remote_schema::{
    RemoteField as KnownField, RemoteInput, RemoteKind, RemoteTypeText,
};
use serde_json::Value;

use super::ServedSchema;
use super::types::{input, taken};
use crate::draft::{Draft, DraftInput};

/// A field at the end of a path, and what clients may give to it.
#[derive(Debug)]
pub(super) struct FoundPath<'s> {
    pub(super) steps: Vec<RemoteStep>,
    pub(super) field: &'s KnownField,
    pub(super) arguments: Vec<DraftInput>,
    /// The fields of this side that are values, sorted.
    pub(super) inputs: Vec<Box<str>>,
    /// New types of inputs, each with the type at the server of which it is a part.
    pub(super) derived: Vec<(String, Box<str>)>,
}

/// The side of a relationship from which it leads.
pub(super) struct Side<'s> {
    /// The name in the API of a field of this side that arguments may refer to, or why there is none.
    pub(super) find: &'s dyn Fn(&str) -> Result<Box<str>, String>,
    /// The end of the names of new input types.
    pub(super) suffix: String,
}

/// The template without values.
pub(super) fn nothing() -> BodyTemplate {
    BodyTemplate::Object(Vec::new())
}

/// Finds the field of a relationship, and adds the types of its arguments. The error is a sentence.
pub(super) fn find<'s>(
    draft: &mut Draft,
    served: &'s ServedSchema<'_>,
    fields: &RemoteFields,
    side: &Side<'_>,
) -> Result<FoundPath<'s>, String> {
    let mut finding = Finding { draft, served, side, inputs: Vec::new(), derived: Vec::new() };
    let (mut name, mut remote) = only(fields)
        .ok_or_else(|| "`remote_field` has one root field of the remote schema.".to_owned())?;
    let mut r#type: &str = &served.schema.query;
    let mut steps = Vec::new();
    let (field, arguments) = loop {
        let known = served.schema.fields(r#type).iter().find(|known| *known.name == *name);
        let field = known.ok_or_else(|| match steps.is_empty() {
            true => format!("the remote schema has no query {name}."),
            false => format!("{type} has no field {name}.", r#type = r#type),
        })?;
        if served.names.is_root(&field.r#type.name) {
            return Err(format!("the field {name} has a root type."));
        }
        let is_last = remote.field.is_none();
        let given = finding.members(name, &field.arguments, &remote.arguments, is_last)?;
        let place = (served.names.r#type(r#type).into(), served.names.field(r#type, name).into());
        let (own, at) = (r#type.into(), field.name.clone());
        steps.push(RemoteStep { place, r#type: own, field: at, given });
        let Some(next) = &remote.field else {
            break (field, finding.rest_of(&field.arguments, &remote.arguments, &side.suffix)?);
        };
        let is_object = served
            .schema
            .types
            .get(&field.r#type.name)
            .is_some_and(|known| matches!(known.kind, RemoteKind::Object { .. }));
        if !is_object || !field.r#type.before.is_empty() {
            return Err(format!("{name} is no single object, which a field below it needs."));
        }
        r#type = &field.r#type.name;
        (name, remote) =
            only(next).ok_or_else(|| "each `field` below a field has one field.".to_owned())?;
    };
    let Finding { mut inputs, derived, .. } = finding;
    inputs.sort_unstable();
    inputs.dedup();
    Ok(FoundPath { steps, field, arguments, inputs, derived })
}

fn only(fields: &RemoteFields) -> Option<(&str, &RemoteField)> {
    let mut fields = fields.iter();
    match (fields.next(), fields.next()) {
        (Some((name, field)), None) => Some((name, field)),
        _ => None,
    }
}

struct Finding<'f, 's, 'o> {
    draft: &'f mut Draft,
    served: &'s ServedSchema<'o>,
    side: &'f Side<'f>,
    inputs: Vec<Box<str>>,
    derived: Vec<(String, Box<str>)>,
}

impl<'s> Finding<'_, 's, '_> {
    /// The values of arguments, or of members of an input object. A client may give the missing ones
    /// of the last field.
    fn members(
        &mut self,
        of: &str,
        known: &[RemoteInput],
        given: &BTreeMap<String, RemoteArgument>,
        is_last: bool,
    ) -> Result<BodyTemplate, String> {
        for input in known {
            let is_required = input.r#type.is_required() && input.default.is_none();
            if is_required && !is_last && !given.contains_key(&*input.name) {
                return Err(format!("{of} needs {}.", input.name));
            }
        }
        let mut members = Vec::with_capacity(given.len());
        for (name, value) in given {
            let input = known.iter().find(|input| *input.name == **name);
            let input = input.ok_or_else(|| format!("{of} has no {name}."))?;
            let value = self.value(value, &input.r#type, is_last)?;
            members.push((name.as_str().into(), value));
        }
        Ok(BodyTemplate::Object(members))
    }

    /// A value of a type. Recursion is bounded by the depth of metadata.
    fn value(
        &mut self,
        value: &RemoteArgument,
        r#type: &RemoteTypeText,
        is_last: bool,
    ) -> Result<BodyTemplate, String> {
        match value {
            RemoteArgument::Field(name) => {
                let name = (self.side.find)(&name.text)?;
                self.inputs.push(name.clone());
                Ok(BodyTemplate::Input(name))
            }
            RemoteArgument::Literal(value) => self.literal(value, r#type).map(BodyTemplate::Value),
            RemoteArgument::List(items) => {
                let item =
                    r#type.item().ok_or_else(|| format!("{type} is no list.", r#type = r#type))?;
                let items = items.iter().map(|one| self.value(one, &item, is_last));
                Ok(BodyTemplate::List(items.collect::<Result<_, _>>()?))
            }
            RemoteArgument::Object(members) => {
                let known = self.input_fields(r#type)?;
                self.members(&r#type.name, known, members, is_last)
            }
        }
    }

    fn literal(&self, value: &Json, r#type: &RemoteTypeText) -> Result<Value, String> {
        let kind = self.served.schema.types.get(&r#type.name).map(|known| &known.kind);
        let text = value.compact();
        let value: Value =
            serde_json::from_str(&text).map_err(|_| format!("the value {text} is not served."))?;
        let base = &*r#type.name;
        let fits = match (&value, kind) {
            (Value::Null, _) => return Err("null is not allowed here.".to_owned()),
            (Value::String(name), Some(RemoteKind::Enum { values })) => {
                values.iter().any(|known| *known.name == **name)
            }
            (_, Some(RemoteKind::Enum { .. } | RemoteKind::Input { .. })) => false,
            (Value::Bool(_), _) => !["Int", "Float", "String", "ID"].contains(&base),
            (Value::Number(number), _) => match base {
                "Int" | "ID" => number.is_i64(),
                "String" | "Boolean" => false,
                _ => true,
            },
            (Value::String(_), _) => !["Int", "Float", "Boolean"].contains(&base),
            (Value::Array(_) | Value::Object(_), _) => false,
        };
        match fits {
            true => Ok(value),
            false => Err(format!("{text} is no value of {type}.", r#type = r#type)),
        }
    }

    fn input_fields(&self, r#type: &RemoteTypeText) -> Result<&'s [RemoteInput], String> {
        match self.served.schema.types.get(&r#type.name).map(|known| &known.kind) {
            Some(RemoteKind::Input { fields }) if r#type.before.is_empty() => Ok(fields),
            Some(_) | None => Err(format!("{type} is no input object.", r#type = r#type)),
        }
    }

    /// The arguments, or members, that a client may give beside these.
    fn rest_of(
        &mut self,
        known: &[RemoteInput],
        given: &BTreeMap<String, RemoteArgument>,
        of: &str,
    ) -> Result<Vec<DraftInput>, String> {
        let mut arguments = Vec::new();
        for argument in known {
            match given.get(&*argument.name) {
                None => arguments.push(input(argument, self.served.names, of)),
                Some(value) => {
                    let Some(r#type) = self.rest(&argument.r#type, value)? else { continue };
                    let binding = taken(of, &argument.name);
                    let made = DraftInput::new(&argument.name, r#type, binding).verbatim();
                    arguments.push(made.described_by(argument.description.as_deref()));
                }
            }
        }
        Ok(arguments)
    }

    /// The type of what a client may give beside a value; `None` for nothing.
    fn rest(
        &mut self,
        r#type: &RemoteTypeText,
        value: &RemoteArgument,
    ) -> Result<Option<String>, String> {
        match value {
            RemoteArgument::Field(_) | RemoteArgument::Literal(_) => Ok(None),
            RemoteArgument::List(items) => {
                let ([item], Some(of)) = (items.as_slice(), r#type.item()) else { return Ok(None) };
                let end = if r#type.is_required() { "]!" } else { "]" };
                Ok(self.rest(&of, item)?.map(|of| format!("[{of}{end}")))
            }
            RemoteArgument::Object(given) => {
                let known = self.input_fields(r#type)?;
                let name = format!("{}_remote_rel_{}", r#type.name, self.side.suffix);
                let members = self.rest_of(known, given, &name)?;
                if members.is_empty() {
                    return Ok(None);
                }
                if self.draft.has(&name) {
                    return Err(format!("another type of the API has the name {name}."));
                }
                self.draft.input(&name, None, members);
                let derived = r#type.named(&name);
                self.derived.push((name, r#type.name.clone()));
                Ok(Some(derived))
            }
        }
    }
}
