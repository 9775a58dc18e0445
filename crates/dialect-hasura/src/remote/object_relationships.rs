//! Relationships from objects of actions and of remote schemas to tables of further sources: the value
//! of each object is that of a query of the same API, as of relationships to the served source.
//!
//! The keys of all objects could go to the source in one request, as those of rows do
//! (`source_relationships`). That needs a field of the source for each relationship, whose keys have
//! the types of the other server; answers of actions are small, and equal objects share one query.

use hasura_metadata::types::action::{ObjectType, TypeRelationship as ActionRelationship};
use hasura_metadata::types::name::QualifiedName;
use hasura_metadata::types::remote_relationship::RelationshipType;
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::related_field::{RelatedField, RelatedForm, RelatedKey, RelatedRows};
use http_resolvers::remote_schema::{RemoteField, RemoteInput, RemoteKind, RemoteSchema};

use super::type_relationships::TypeRelationship;
use super::types::{given, input};
use super::{Remote, ServedSchema};
use crate::actions::relationships::{RelatedKind, check_member};
use crate::draft::DraftField;
use crate::further_sources::SourceSchema;
use crate::metadata::ServedSource;
use crate::schema::Build;
use crate::source_table::SourceTable;

/// The table of a further source to which a relationship leads.
pub(super) struct Target<'m> {
    pub(super) source: &'m str,
    pub(super) table: &'m QualifiedName,
    pub(super) kind: RelatedKind,
    /// The keys of fields in the answer, each with the column that is equal.
    pub(super) columns: Vec<(Box<str>, &'m str)>,
}

/// Adds the relationships from objects of actions that lead to further sources.
pub(super) fn add_of_actions(
    build: &mut Build<'_>,
    served: &ServedSource,
    (objects, remote): (&[String], &mut Remote<'_>),
    problems: &mut Vec<Problem>,
) {
    let own = &served.source().name.text;
    let types = served.metadata().custom_types.objects.iter();
    for object in types.filter(|object| objects.iter().any(|known| **known == *object.name)) {
        for relationship in object.relationships.iter() {
            if relationship.source.0.text == *own {
                continue;
            }
            match add_of_action(build, remote, object, relationship) {
                Ok(added) => remote.relationships.extend(added),
                Err(message) => problems.push(Problem {
                    kind: ProblemKind::WrongValue,
                    place: relationship.place.clone(),
                    message: format!("The relationship {}: {message}", &*relationship.name),
                }),
            }
        }
    }
}

fn add_of_action(
    build: &mut Build<'_>,
    remote: &Remote<'_>,
    object: &ObjectType,
    relationship: &ActionRelationship,
) -> Result<Vec<TypeRelationship>, String> {
    let (source, table) = (&*relationship.source.0.text, &relationship.remote_table);
    let kind = match relationship.r#type {
        RelationshipType::Object => RelatedKind::Object,
        RelationshipType::Array => RelatedKind::Array,
    };
    let mut columns = Vec::with_capacity(relationship.field_mapping.len());
    for (member, column) in &relationship.field_mapping {
        check_member(&build.draft, object, member)?;
        columns.push((member.as_str().into(), &**column));
    }
    let target = Target { source, table, kind, columns };
    add(build, remote, (&object.name, &relationship.name), &target)
}

/// Adds the fields of a relationship: of an array also one of aggregates. The error is a sentence.
pub(super) fn add(
    build: &mut Build<'_>,
    remote: &Remote<'_>,
    (object, name): (&str, &str),
    target: &Target<'_>,
) -> Result<Vec<TypeRelationship>, String> {
    let mut served = remote.served.iter();
    let found = served.find_map(|one| {
        let (_, source) = one.source.filter(|(known, _)| *known == target.source)?;
        Some((one, source))
    });
    let (schema, source) = found.ok_or_else(|| {
        format!(
            "it leads to the source {}, which is not served: give its address with \
             `--further-source NAME=URL`.",
            target.source
        )
    })?;
    let mut tables = source.tables.iter();
    let table = tables.find(|table| table.is(&target.table.parts));
    let table = table.ok_or_else(|| {
        let key = target.table.sort_key();
        format!("the source {} does not track the table {key}.", target.source)
    })?;
    let list = root(source, table.list.as_deref())
        .ok_or_else(|| format!("the table {} has no root field of its rows.", table.r#type))?;
    let keys = keys(source, table, &list, target)?;
    let mut fields = match target.kind {
        RelatedKind::Object => vec![(name.to_owned(), RelatedForm::One, list)],
        RelatedKind::Array => vec![(name.to_owned(), RelatedForm::All, list)],
    };
    let aggregate = root(source, table.aggregate.as_deref());
    if let Some(aggregate) = aggregate.filter(|_| target.kind == RelatedKind::Array) {
        let name = build.plan.naming.word(&format!("{name}_aggregate"));
        fields.push((name, RelatedForm::Aggregate, aggregate));
    }
    if let Some((name, ..)) = fields.iter().find(|(name, ..)| build.draft.has_field(object, name)) {
        return Err(format!("the type {object} has another field {name}."));
    }
    let added = fields.into_iter().map(|(name, form, root)| {
        let made = draft_of(schema, (object, &name), (form, table), root.field);
        build.draft.add_field(object, made);
        let rows = RelatedRows { path: root.path.into(), keys: keys.as_slice().into(), form };
        let related = RelatedField::Rows(rows);
        TypeRelationship { object: object.to_owned(), field: name, related }
    });
    Ok(added.collect())
}

/// A root field of a source, with the fields from the type of queries to it.
struct Root<'s> {
    path: Vec<Box<str>>,
    field: &'s RemoteField,
}

fn root<'s>(source: &'s SourceSchema, name: Option<&str>) -> Option<Root<'s>> {
    let steps = source.path_of(name?)?;
    let (parent, name) = steps.last()?;
    let field = source.schema.fields(parent).iter().find(|field| field.name == *name)?;
    Some(Root { path: steps.iter().map(|(_, field)| field.clone()).collect(), field })
}

fn draft_of(
    schema: &ServedSchema<'_>,
    (object, name): (&str, &str),
    (form, table): (RelatedForm, &SourceTable),
    root: &RemoteField,
) -> DraftField {
    let given = given(object, name);
    match form {
        RelatedForm::One => DraftField::new(name, &*table.r#type, given).verbatim(),
        RelatedForm::All | RelatedForm::Aggregate => {
            let of = format!("{object}.{name}");
            let arguments = root.arguments.iter().map(|one| input(one, schema.names, &of));
            let made = DraftField::new(name, root.r#type.to_string(), given).verbatim();
            made.with(arguments.collect())
        }
    }
}

/// The columns of the conditions, with the types of their values.
fn keys(
    source: &SourceSchema,
    table: &SourceTable,
    list: &Root<'_>,
    target: &Target<'_>,
) -> Result<Vec<RelatedKey>, String> {
    if target.columns.is_empty() {
        return Err("it has no field_mapping.".to_owned());
    }
    let condition = list.field.arguments.iter().find(|one| &*one.name == "where");
    let key = |(member, column): &(Box<str>, &str)| {
        let field = table.field_of(column);
        let found = field.zip(condition).and_then(|(field, condition)| {
            let members = members(&source.schema, &condition.r#type.name);
            let operators = members.iter().find(|one| *one.name == *field)?;
            let operators = members_of(&source.schema, operators);
            let equal = operators.iter().find(|one| &*one.name == "_eq")?;
            let is_single = equal.r#type.before.is_empty();
            is_single.then_some((field, &equal.r#type.name))
        });
        let (field, r#type) = found.ok_or_else(|| {
            format!("{} has no column {column} whose values can be compared.", table.r#type)
        })?;
        Ok(RelatedKey { member: member.clone(), column: field.into(), r#type: r#type.clone() })
    };
    target.columns.iter().map(key).collect()
}

fn members_of<'s>(schema: &'s RemoteSchema, input: &RemoteInput) -> &'s [RemoteInput] {
    members(schema, &input.r#type.name)
}

fn members<'s>(schema: &'s RemoteSchema, r#type: &str) -> &'s [RemoteInput] {
    match schema.types.get(r#type).map(|known| &known.kind) {
        Some(RemoteKind::Input { fields }) => fields,
        Some(_) | None => &[],
    }
}
