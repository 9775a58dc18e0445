//! Relationships from tables to root fields of remote schemas, for the role `admin`.

use std::collections::BTreeMap;

use api::binding::{FieldBinding, ResolverId};
use graphql::operation::OperationKind;
use hasura_metadata::json::Json;
use hasura_metadata::types::name::Name;
use hasura_metadata::types::remote_relationship::{
    LegacyToRemoteSchema, RemoteArgument, RemoteFields, RemoteRelationship,
    RemoteRelationshipDefinition, ToRemoteSchema,
};
use hasura_metadata::{Location, Problem, ProblemKind};
use http::Method;
use http_resolvers::headers::Headers;
use http_resolvers::remote_schema::{
    RemoteField, RemoteInput, RemoteKind, RemoteSchema, RemoteTypeText,
};
use http_resolvers::{AnswerRules, HttpResolver, InputSource, RemoteOperation, RequestBody};

use super::ServedSchema;
use crate::Options;
use crate::actions::relationships::find_planned;
use crate::draft::DraftField;
use crate::plan::Planned;
use crate::schema::Build;

/// Adds the relationships of the tables of metadata.
pub(super) fn add(
    build: &mut Build<'_>,
    options: &Options,
    schemas: &[ServedSchema<'_>],
    resolvers: &mut Vec<HttpResolver>,
    problems: &mut Vec<Problem>,
) {
    let Some(served) = options.metadata.served() else { return };
    for table in &served.source().tables {
        // A table that is not in the API is told elsewhere.
        let Some(planned) = find_planned(build, &table.table) else { continue };
        for relationship in table.remote_relationships.iter() {
            match relationship_of(build, planned, schemas, relationship) {
                // The table of `support` tells that these are not served.
                Ok(None) => {}
                Ok(Some((resolver, r#type))) => {
                    // As many as relationships of a file.
                    let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
                    let name = &relationship.name.text;
                    let field = DraftField::new(name, r#type, FieldBinding::Resolved(id));
                    build.draft.add_field(&planned.name, field.verbatim());
                    resolvers.push(resolver);
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
}

/// The resolver and the type of a relationship; `None` of one to another source.
fn relationship_of(
    build: &Build<'_>,
    planned: &Planned<'_>,
    schemas: &[ServedSchema<'_>],
    relationship: &RemoteRelationship,
) -> Result<Option<(HttpResolver, String)>, Problem> {
    let (lhs, fields, schema, place) = match &relationship.definition {
        RemoteRelationshipDefinition::ToSource(_) => return Ok(None),
        RemoteRelationshipDefinition::ToRemoteSchema(to) => {
            let ToRemoteSchema { lhs_fields, remote_field, remote_schema, place, .. } = to;
            (lhs_fields, remote_field, remote_schema, place)
        }
        RemoteRelationshipDefinition::Legacy(to) => {
            let LegacyToRemoteSchema { hasura_fields, remote_field, remote_schema, place, .. } = to;
            (hasura_fields, remote_field, remote_schema, place)
        }
    };
    let name = &*relationship.name.text;
    let wrong =
        |message: String| wrong(place, format!("The remote relationship {name}: {message}"));
    if build.draft.has_field(&planned.name, name) {
        return Err(wrong(format!("the type {} has another field of the name.", planned.name)));
    }
    let served = schemas.iter().find(|one| one.definition.name.text == schema.text);
    let served =
        served.ok_or_else(|| wrong(format!("the remote schema {} is not served.", schema.text)))?;
    let (root, remote) = only(fields).ok_or_else(|| {
        wrong("`remote_field` has one root field of the remote schema.".to_owned())
    })?;
    if remote.field.is_some() {
        return Err(wrong("fields below a root field are not served.".to_owned()));
    }
    let mut known = served.schema.fields(&served.schema.query).iter();
    let known = known.find(|known| *known.name == *root);
    let field = known.ok_or_else(|| wrong(format!("the remote schema has no query {root}.")))?;
    let writer = Writer { schema: served.schema, planned, lhs, variables: BTreeMap::new() };
    let (operation, inputs) = writer.operation(field, &remote.arguments).map_err(wrong)?;
    let r#type = served.names.r#type(&field.r#type.name);
    if served.names.is_root(&field.r#type.name) {
        return Err(wrong(format!("the query {root} has a root type.")));
    }
    let r#type = field.r#type.named(&r#type);
    let resolver = HttpResolver {
        parent: planned.name.as_str().into(),
        field: name.into(),
        url: served.url.clone(),
        method: Method::POST,
        body: RequestBody::Operation(Box::new(operation)),
        is_batch: false,
        headers: Headers::clone(&served.headers),
        inputs: InputSource::Fields(inputs.into()),
        answers: AnswerRules::Strict,
        timeout: Some(super::timeout(served.definition)),
    };
    // A row whose columns are null has no value.
    Ok(Some((resolver, r#type.trim_end_matches('!').to_owned())))
}

fn only(
    fields: &RemoteFields,
) -> Option<(&str, &hasura_metadata::types::remote_relationship::RemoteField)> {
    let mut fields = fields.iter();
    match (fields.next(), fields.next()) {
        (Some((name, field)), None) => Some((name, field)),
        _ => None,
    }
}

/// The arguments of a query so far.
struct Writer<'w> {
    schema: &'w RemoteSchema,
    planned: &'w Planned<'w>,
    lhs: &'w [Name],
    /// The types of the variables, by the names of the columns in the API.
    variables: BTreeMap<Box<str>, String>,
}

impl<'w> Writer<'w> {
    /// The operation, and the fields of the row that are its variables.
    fn operation(
        mut self,
        field: &RemoteField,
        arguments: &BTreeMap<String, RemoteArgument>,
    ) -> Result<(RemoteOperation, Vec<Box<str>>), String> {
        let given = self.members(&field.name, &field.arguments, arguments)?;
        if self.variables.is_empty() {
            return Err("no argument is a column of the table.".to_owned());
        }
        let declared: Vec<String> = self
            .variables
            .iter()
            .map(|(name, r#type)| format!("${name}: {type}", r#type = r#type))
            .collect();
        let text = format!("query ({}) {{ {}({given})", declared.join(", "), field.name);
        let operation = RemoteOperation {
            kind: OperationKind::Query,
            text: text.into(),
            field: field.name.clone(),
            arguments: Vec::new(),
            batch: None,
            is_introspected: false,
        };
        Ok((operation, self.variables.into_keys().collect()))
    }

    /// Arguments of a field, or members of an input object.
    fn members(
        &mut self,
        of: &str,
        known: &[RemoteInput],
        given: &BTreeMap<String, RemoteArgument>,
    ) -> Result<String, String> {
        for input in known {
            let is_required = input.r#type.behind.ends_with('!') && input.default.is_none();
            if is_required && !given.contains_key(&*input.name) {
                return Err(format!("{of} needs {}.", input.name));
            }
        }
        let mut text = String::new();
        for (name, value) in given {
            let input = known.iter().find(|input| *input.name == **name);
            let input = input.ok_or_else(|| format!("{of} has no {name}."))?;
            let value = self.argument(value, &input.r#type)?;
            let separator = if text.is_empty() { "" } else { ", " };
            text.push_str(&format!("{separator}{name}: {value}"));
        }
        Ok(text)
    }

    /// A value of a type. Recursion is bounded by the depth of metadata.
    fn argument(
        &mut self,
        value: &RemoteArgument,
        r#type: &RemoteTypeText,
    ) -> Result<String, String> {
        match value {
            RemoteArgument::Field(name) => self.variable(name, r#type),
            RemoteArgument::Literal(value) => self.literal(value, r#type),
            RemoteArgument::List(items) => {
                let item = self.item(r#type)?;
                let items = items.iter().map(|one| self.argument(one, &item));
                Ok(format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", ")))
            }
            RemoteArgument::Object(members) => {
                let known = self.input_fields(r#type)?;
                Ok(format!("{{{}}}", self.members(&r#type.name, known, members)?))
            }
        }
    }

    fn variable(&mut self, name: &Name, r#type: &RemoteTypeText) -> Result<String, String> {
        if !self.lhs.iter().any(|known| known.text == name.text) {
            return Err(format!("`${}` is not among its lhs_fields.", name.text));
        }
        let mut columns = self.planned.read();
        let column = columns.find(|column| *column.field.name == *name.text);
        let column =
            column.ok_or_else(|| format!("`${}` is no column of the table.", name.text))?;
        let r#type = r#type.to_string();
        match self.variables.get(column.name()) {
            Some(known) if *known != r#type => Err(format!(
                "`${}` has two types, {known} and {type}, which is not served.",
                name.text,
                r#type = r#type
            )),
            Some(_) | None => {
                self.variables.insert(column.name().into(), r#type);
                Ok(format!("${}", column.name()))
            }
        }
    }

    fn literal(&self, value: &Json, r#type: &RemoteTypeText) -> Result<String, String> {
        let is_enum = self
            .schema
            .types
            .get(&r#type.name)
            .is_some_and(|known| matches!(known.kind, RemoteKind::Enum { .. }));
        match value {
            Json::String(name) if is_enum => match graphql::schema::is_name(name) {
                true => Ok(name.clone()),
                false => Err(format!("{name:?} is no value of {}.", r#type.name)),
            },
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(value.compact()),
            Json::Array(_) | Json::Object(_) => {
                Err(format!("the value {} is not served.", value.compact()))
            }
        }
    }

    /// The type of the items of a list.
    fn item(&self, r#type: &RemoteTypeText) -> Result<RemoteTypeText, String> {
        let before = r#type.before.strip_prefix('[');
        let behind = r#type.behind.trim_end_matches('!').strip_suffix(']');
        match (before, behind) {
            (Some(before), Some(behind)) => Ok(RemoteTypeText {
                before: before.into(),
                name: r#type.name.clone(),
                behind: behind.into(),
            }),
            _ => Err(format!("{type} is no list.", r#type = r#type)),
        }
    }

    fn input_fields(&self, r#type: &RemoteTypeText) -> Result<&'w [RemoteInput], String> {
        match self.schema.types.get(&r#type.name).map(|known| &known.kind) {
            Some(RemoteKind::Input { fields }) if r#type.before.is_empty() => Ok(fields),
            Some(_) | None => Err(format!("{type} is no input object.", r#type = r#type)),
        }
    }
}

fn wrong(place: &Location, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: place.clone(), message }
}
