//! Relationships from tables to tables of further sources (`to_source`): the keys of all rows go to
//! the other source in one request, which gives the rows of each key.
//! <https://hasura.io/docs/2.0/schema/postgres/remote-relationships/cross-db-relationships/>

use api::binding::{FieldBinding, ResolverId};
use graphql::operation::OperationKind;
use hasura_metadata::Problem;
use hasura_metadata::types::name::QualifiedName;
use hasura_metadata::types::remote_relationship::ToSource;
use http::Method;
use http_resolvers::body::BodyTemplate;
use http_resolvers::remote_path::{KEYS, KEYS_IN, RemotePath, RemoteStep};
use http_resolvers::remote_schema::{RemoteField, RemoteKind, RemoteSchema};
use http_resolvers::{AnswerRules, HttpResolver, InputSource, RequestBody};
use serde_json::Value;

use super::access::RelationshipOrigin;
use super::paths::nothing;
use super::relationships::{field_of, wrong};
use super::types::input;
use super::{Remote, ServedSchema};
use crate::draft::{Draft, DraftField};
use crate::further_sources::key_queries::{self, Incoming, NUMBER, ROWS};
use crate::metadata::ServedSource;
use crate::plan::Planned;
use crate::schema::Build;

/// A relationship, and the table that has it.
#[derive(Clone, Copy)]
pub(super) struct FromTable<'m> {
    pub(super) planned: &'m Planned<'m>,
    pub(super) table: &'m QualifiedName,
    pub(super) name: &'m str,
}

/// Adds the fields of a relationship. The error is a sentence.
pub(super) fn add(
    build: &mut Build<'_>,
    served: &ServedSource,
    remote: &mut Remote<'_>,
    from: FromTable<'_>,
    to: &ToSource,
    resolvers: &mut Vec<HttpResolver>,
) -> Result<(), Problem> {
    let FromTable { planned, name, .. } = from;
    let wrong =
        |message: String| wrong(&to.place, format!("The remote relationship {name}: {message}"));
    let target = &*to.source.text;
    let found =
        remote.served.iter().position(|one| one.source.is_some_and(|(own, _)| own == target));
    let Some(number) = found else {
        let remedy = match served.metadata().sources.iter().any(|one| one.name.text == target) {
            true => "it is not served: give its address with `--further-source NAME=URL`",
            false => "the metadata has no such source",
        };
        remote.ignored.push(wrong(format!("it leads to the source {target}; {remedy}.")));
        return Ok(());
    };
    let schema = &remote.served[number];
    let keys = keys_of(planned, to).map_err(wrong)?;
    let (steps, rows) = steps(served, schema, &from, to).map_err(wrong)?;
    let mut made = Vec::new();
    for field in rows {
        let known = match field.name.strip_prefix(ROWS) {
            Some(end) => format!("{name}{end}"),
            None => continue,
        };
        if build.draft.has_field(&planned.name, &known) {
            let message = format!("the type {} has another field {known}.", planned.name);
            return Err(wrong(message));
        }
        made.push((known, field));
    }
    let source = target;
    for (known, field) in made {
        let added = Added { planned, name: &known, field, steps: &steps, keys: &keys };
        let origin = added.add(&mut build.draft, &remote.served[number], source, resolvers);
        remote.origins.add(RelationshipOrigin { schema: number, ..origin }, Vec::new());
    }
    Ok(())
}

/// The columns of the other table, each with the field of this side that is equal.
fn keys_of(planned: &Planned<'_>, to: &ToSource) -> Result<Vec<(Box<str>, Box<str>)>, String> {
    if to.field_mapping.is_empty() {
        return Err("it has no field_mapping.".to_owned());
    }
    let mapping = to.field_mapping.iter().map(|(own, other)| {
        let field = field_of(planned, own);
        let field = field.ok_or_else(|| format!("the table has no column {own}."))?;
        Ok((other.text.as_str().into(), field.into()))
    });
    mapping.collect()
}

/// The fields up to the rows of keys, and the fields of these with the related rows.
fn steps<'s>(
    served: &ServedSource,
    schema: &'s ServedSchema<'_>,
    from: &FromTable<'_>,
    to: &ToSource,
) -> Result<(Vec<(Box<str>, Box<str>)>, Vec<&'s RemoteField>), String> {
    let own = &*served.source().name.text;
    let is_this = |known: &Incoming<'_>| {
        known.from == own && *known.table == from.table.parts && known.name == from.name
    };
    let mut incoming = key_queries::incoming(served.metadata(), &to.source.text);
    let number = incoming.position(|known| is_this(&known));
    let path = number
        .zip(schema.source)
        .and_then(|(number, (_, source))| source.path_of(&key_queries::root_field(number)));
    let missing = || {
        format!(
            "the source {} does not track the table {}, or it has no such columns.",
            to.source.text,
            to.table.0.sort_key()
        )
    };
    let path = path.ok_or_else(missing)?;
    let rows = rows_of(schema.schema, &path).ok_or_else(missing)?;
    Ok((path, rows))
}

fn rows_of<'s>(
    schema: &'s RemoteSchema,
    path: &[(Box<str>, Box<str>)],
) -> Option<Vec<&'s RemoteField>> {
    let (r#type, field) = path.last()?;
    let keys = schema.fields(r#type).iter().find(|known| known.name == *field)?;
    let fields = schema.fields(&keys.r#type.name).iter();
    let rows: Vec<_> = fields.filter(|field| field.name.starts_with(ROWS)).collect();
    (!rows.is_empty()).then_some(rows)
}

/// A field of the relationship: its rows, or aggregates of them.
struct Added<'a> {
    planned: &'a Planned<'a>,
    name: &'a str,
    field: &'a RemoteField,
    steps: &'a [(Box<str>, Box<str>)],
    keys: &'a [(Box<str>, Box<str>)],
}

impl Added<'_> {
    fn add(
        &self,
        draft: &mut Draft,
        served: &ServedSchema<'_>,
        source: &str,
        resolvers: &mut Vec<HttpResolver>,
    ) -> RelationshipOrigin {
        let Self { planned, name, field, keys, .. } = *self;
        let of = format!("{}.{name}", planned.name);
        let arguments = field.arguments.iter().map(|one| input(one, served.names, &of));
        // As many as relationships of a file.
        let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
        let r#type = field.r#type.to_string();
        let made = DraftField::new(name, r#type, FieldBinding::Resolved(id)).verbatim();
        draft.add_field(&planned.name, made.with(arguments.collect()));
        let mut inputs: Vec<Box<str>> = keys.iter().map(|(_, field)| field.clone()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let steps = self.remote_steps(served.schema);
        let server = served.server();
        let (kind, schema) = (OperationKind::Query, (*served.schema).clone());
        let origin = RelationshipOrigin {
            object: planned.name.clone(),
            field: name.to_owned(),
            schema: 0,
            steps: steps.clone(),
            is_document: false,
        };
        debug_assert!(served.source.is_some_and(|(own, _)| own == source));
        resolvers.push(HttpResolver {
            parent: planned.name.as_str().into(),
            field: name.into(),
            url: served.url.clone(),
            method: Method::POST,
            body: RequestBody::Remote(Box::new(RemotePath { kind, schema, steps, server })),
            is_batch: true,
            headers: served.headers.clone(),
            inputs: InputSource::Fields(inputs.into()),
            answers: AnswerRules::Strict,
            timeout: None,
        });
        origin
    }

    /// The steps with the keys as arguments, in the order of the keys.
    fn remote_steps(&self, schema: &RemoteSchema) -> Vec<RemoteStep> {
        let mut steps: Vec<RemoteStep> = Vec::new();
        let last = self.steps.len().saturating_sub(1);
        for (number, (r#type, field)) in self.steps.iter().enumerate() {
            let given = match number == last {
                false => nothing(),
                true => {
                    let key = |(column, field): &(Box<str>, Box<str>)| {
                        (column.clone(), BodyTemplate::Input(field.clone()))
                    };
                    let keys = BodyTemplate::Object(self.keys.iter().map(key).collect());
                    let keys = BodyTemplate::Object(vec![(KEYS.into(), keys)]);
                    let mut given = vec![(KEYS_IN.into(), keys)];
                    given.extend(sorted(schema, (r#type, field)));
                    BodyTemplate::Object(given)
                }
            };
            let place = (r#type.clone(), field.clone());
            steps.push(RemoteStep { place, r#type: r#type.clone(), field: field.clone(), given });
        }
        let keys = steps.last().map(|step| (&step.r#type, &step.field));
        let keys = keys.and_then(|(r#type, field)| {
            let mut fields = schema.fields(r#type).iter();
            Some(fields.find(|known| known.name == *field)?.r#type.name.clone())
        });
        let (r#type, field) = (keys.unwrap_or_default(), self.field.name.clone());
        let place = (r#type.clone(), field.clone());
        steps.push(RemoteStep { place, r#type, field, given: nothing() });
        steps
    }
}

/// The argument that sorts the rows of keys by their numbers.
fn sorted(
    schema: &RemoteSchema,
    (r#type, field): (&str, &str),
) -> Option<(Box<str>, BodyTemplate)> {
    let field = schema.fields(r#type).iter().find(|known| *known.name == *field)?;
    let inputs = |name: &str| match schema.types.get(name).map(|known| &known.kind) {
        Some(RemoteKind::Input { fields }) => Some(fields),
        Some(_) | None => None,
    };
    let mut orders = field.arguments.iter().filter_map(|argument| {
        let members = inputs(&argument.r#type.name)?;
        let number = members.iter().find(|member| *member.name == *NUMBER)?;
        let RemoteKind::Enum { values } = &schema.types.get(&number.r#type.name)?.kind else {
            return None;
        };
        let upwards = values.iter().find(|value| value.name.eq_ignore_ascii_case("asc"))?;
        Some((argument.name.clone(), Value::from(&*upwards.name)))
    });
    let (argument, upwards) = orders.next()?;
    let order = BodyTemplate::Object(vec![(NUMBER.into(), BodyTemplate::Value(upwards))]);
    Some((argument, BodyTemplate::List(vec![order])))
}
