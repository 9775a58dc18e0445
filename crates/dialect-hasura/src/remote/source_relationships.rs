//! Relationships from tables to tables of other sources (`to_source`): the keys of all rows go to
//! the other source in one request, which gives the rows of each key.
//! <https://hasura.io/docs/2.0/schema/postgres/remote-relationships/cross-db-relationships/>

use api::binding::{FieldBinding, ResolverId};
use graphql::operation::OperationKind;
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::remote_relationship::{RemoteRelationshipDefinition, ToSource};
use hasura_metadata::{Location, Problem};
use http_resolvers::body::BodyTemplate;
use http_resolvers::related_field::{RelatedField, RelatedSource};
use http_resolvers::remote_path::{KEYS, KEYS_IN, RemotePath, RemoteStep};
use http_resolvers::remote_schema::{RemoteField, RemoteKind, RemoteSchema};
use http_resolvers::{HttpResolver, InputSource};
use rustc_hash::FxHashSet;
use serde_json::Value;

use super::access::{RelationshipKeys, RelationshipOrigin};
use super::paths::nothing;
use super::relationships::{field_of, wrong};
use super::type_relationships::TypeRelationship;
use super::types::{given, input};
use super::{Remote, ServedSchema};
use crate::draft::{Draft, DraftField};
use crate::key_queries::{self, Incoming, NUMBER, ROWS};
use crate::metadata::ServedSource;
use crate::plan::Planned;
use crate::schema::Build;
use crate::source_table::SourceTable;

/// A column with a field, or a type with a field.
type NamePair = (Box<str>, Box<str>);

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
    let own = &*served.source().name.text;
    let relationship = (own, &from.table.parts, name);
    let (steps, rows) = steps(served, schema, relationship, to).map_err(wrong)?;
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
    for (known, field) in made {
        let added =
            Added { object: &planned.name, name: &known, field, steps: &steps, keys: &keys };
        let (origin, related) = added.add(&mut build.draft, &remote.served[number], resolvers);
        remote.origins.add(RelationshipOrigin { schema: number, ..origin }, Vec::new());
        remote.relationships.push(related);
    }
    Ok(())
}

/// Adds the relationships from tables of further sources.
pub(super) fn add_all(
    build: &mut Build<'_>,
    served: &ServedSource,
    remote: &mut Remote<'_>,
    problems: &mut Vec<Problem>,
) {
    for from in 0..remote.served.len() {
        let Some((source, api)) = remote.served[from].source else { continue };
        let sources = &served.metadata().sources;
        let of_source = sources.iter().find(|one| one.name.text == source);
        let is_first = served.source().name.text == source;
        for table in of_source.filter(|_| !is_first).iter().flat_map(|source| &source.tables) {
            // A table that is not in the API is told elsewhere.
            let Some(known) = api.tables.iter().find(|known| known.is(&table.table.parts)) else {
                continue;
            };
            for relationship in table.remote_relationships.iter() {
                let name = &*relationship.name.text;
                let wrong = |place: &Location, message: String| {
                    wrong(place, format!("The remote relationship {name}: {message}"))
                };
                let RemoteRelationshipDefinition::ToSource(to) = &relationship.definition else {
                    let message =
                        "relationships of further sources to remote schemas are not served.";
                    remote.ignored.push(wrong(&relationship.name.place, message.to_owned()));
                    continue;
                };
                let parts = &table.table.parts;
                let from = FromSource { number: from, source, table: known, parts, name };
                match add_from(build, served, remote, from, to) {
                    Ok(()) => {}
                    Err(message) => problems.push(wrong(&to.place, message)),
                }
            }
        }
    }
}

/// A relationship of a further source.
#[derive(Clone, Copy)]
struct FromSource<'m> {
    /// Its index among the served ones.
    number: usize,
    source: &'m str,
    table: &'m SourceTable,
    parts: &'m NameParts,
    name: &'m str,
}

fn add_from(
    build: &mut Build<'_>,
    served: &ServedSource,
    remote: &mut Remote<'_>,
    from: FromSource<'_>,
    to: &ToSource,
) -> Result<(), String> {
    let target = &*to.source.text;
    let mut known = remote.served.iter();
    let found = known.position(|one| one.source.is_some_and(|(own, _)| own == target));
    let found = found.ok_or_else(|| match *served.source().name.text == *target {
        true => format!("it leads to the source {target}, whose database is not PostgreSQL."),
        false => format!(
            "it leads to the source {target}, which is not served: give its address with \
             `--further-source NAME=URL`."
        ),
    })?;
    check_mapping(to)?;
    let mut keys = Vec::with_capacity(to.field_mapping.len());
    for (own, other) in &to.field_mapping {
        let field = from.table.field_of(own);
        let field = field.ok_or_else(|| format!("the table has no column {own}."))?;
        keys.push((other.text.as_str().into(), field.into()));
    }
    let relationship = (from.source, from.parts, from.name);
    let (steps, rows) = steps(served, &remote.served[found], relationship, to)?;
    let mut made = Vec::new();
    for field in rows {
        let Some(end) = field.name.strip_prefix(ROWS) else { continue };
        let known = format!("{}{end}", from.name);
        if build.draft.has_field(&from.table.r#type, &known) {
            return Err(format!("the type {} has another field {known}.", from.table.r#type));
        }
        made.push((known, field));
    }
    for (name, field) in made {
        let object = &*from.table.r#type;
        let added = Added { object, name: &name, field, steps: &steps, keys: &keys };
        let of = format!("{object}.{name}");
        let schema = &remote.served[found];
        let arguments = field.arguments.iter().map(|one| input(one, schema.names, &of)).collect();
        let draft = DraftField::new(&name, field.r#type.to_string(), given(object, &name));
        build.draft.add_field(object, draft.verbatim().with(arguments));
        let related = added.related(schema);
        let keys = RelationshipKeys {
            schema: remote.served[from.number].definition.name.text.as_str().into(),
            r#type: from.table.r#type.clone(),
            fields: added.inputs(),
        };
        let origin = RelationshipOrigin {
            object: object.to_owned(),
            field: name.clone(),
            schema: found,
            steps: added.remote_steps(schema.schema),
            is_document: false,
            keys: Some(keys),
        };
        remote.origins.add(origin, Vec::new());
        remote.relationships.push(related);
    }
    Ok(())
}

/// Refuses a mapping without columns, and one that has a column of the other table twice: a key is an
/// object with a member for each of them.
fn check_mapping(to: &ToSource) -> Result<(), String> {
    if to.field_mapping.is_empty() {
        return Err("it has no field_mapping.".to_owned());
    }
    let mut known = FxHashSet::default();
    match to.field_mapping.values().find(|other| !known.insert(&*other.text)) {
        None => Ok(()),
        Some(twice) => Err(format!(
            "its field_mapping leads to the column {} twice; map one column to each.",
            twice.text
        )),
    }
}

/// The columns of the other table, each with the field of this side that is equal.
fn keys_of(planned: &Planned<'_>, to: &ToSource) -> Result<Vec<NamePair>, String> {
    check_mapping(to)?;
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
    (own, table, name): (&str, &NameParts, &str),
    to: &ToSource,
) -> Result<(Vec<NamePair>, Vec<&'s RemoteField>), String> {
    let is_this =
        |known: &Incoming<'_>| known.from == own && known.table == table && known.name == name;
    let mut incoming = key_queries::incoming(served.metadata(), &to.source.text);
    let number = incoming.position(|known| is_this(&known));
    let path = number
        .zip(schema.source)
        .and_then(|(number, (_, source))| source.path_of(&key_queries::root_field(number)));
    let missing = || {
        format!(
            "the source {} does not track the table {}, or it has no such columns, or names \
             with `{{{{`.",
            to.source.text,
            to.table.0.sort_key()
        )
    };
    let path = path.ok_or_else(missing)?;
    let rows = rows_of(schema.schema, &path).ok_or_else(missing)?;
    Ok((path, rows))
}

fn rows_of<'s>(schema: &'s RemoteSchema, path: &[NamePair]) -> Option<Vec<&'s RemoteField>> {
    let (r#type, field) = path.last()?;
    let keys = schema.fields(r#type).iter().find(|known| known.name == *field)?;
    let fields = schema.fields(&keys.r#type.name).iter();
    let rows: Vec<_> = fields.filter(|field| field.name.starts_with(ROWS)).collect();
    (!rows.is_empty()).then_some(rows)
}

/// A field of the relationship: its rows, or aggregates of them.
struct Added<'a> {
    object: &'a str,
    name: &'a str,
    field: &'a RemoteField,
    steps: &'a [NamePair],
    keys: &'a [NamePair],
}

impl Added<'_> {
    /// The fields of this side that are keys, sorted.
    fn inputs(&self) -> Vec<Box<str>> {
        let mut inputs: Vec<Box<str>> = self.keys.iter().map(|(_, field)| field.clone()).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn path(&self, served: &ServedSchema<'_>) -> RemotePath {
        let (kind, schema) = (OperationKind::Query, (*served.schema).clone());
        let (steps, server) = (self.remote_steps(served.schema), served.server());
        RemotePath { kind, schema, steps, server }
    }

    /// The field as one of objects that another source gives.
    fn related(&self, served: &ServedSchema<'_>) -> TypeRelationship {
        let (path, members) = (self.path(served), self.inputs().into());
        let related = RelatedField::Source(Box::new(RelatedSource { path, members }));
        TypeRelationship { object: self.object.to_owned(), field: self.name.to_owned(), related }
    }

    /// Adds the field to the type of a table of the first source.
    fn add(
        &self,
        draft: &mut Draft,
        served: &ServedSchema<'_>,
        resolvers: &mut Vec<HttpResolver>,
    ) -> (RelationshipOrigin, TypeRelationship) {
        let Self { object, name, field, .. } = *self;
        let of = format!("{object}.{name}");
        let arguments = field.arguments.iter().map(|one| input(one, served.names, &of));
        // As many as relationships of a file.
        let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
        let r#type = field.r#type.to_string();
        let made = DraftField::new(name, r#type, FieldBinding::Resolved(id)).verbatim();
        draft.add_field(object, made.with(arguments.collect()));
        let path = self.path(served);
        let origin = RelationshipOrigin {
            object: object.to_owned(),
            field: name.to_owned(),
            schema: 0,
            steps: path.steps.clone(),
            is_document: false,
            keys: None,
        };
        let inputs = InputSource::Fields(self.inputs().into());
        resolvers.push(served.resolver((object, name), path, inputs));
        (origin, self.related(served))
    }

    /// The steps with the keys as arguments, in the order of the keys.
    fn remote_steps(&self, schema: &RemoteSchema) -> Vec<RemoteStep> {
        let mut steps: Vec<RemoteStep> = Vec::new();
        let last = self.steps.len().saturating_sub(1);
        for (number, (r#type, field)) in self.steps.iter().enumerate() {
            let given = match number == last {
                false => nothing(),
                true => {
                    let key = |(column, field): &NamePair| {
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
