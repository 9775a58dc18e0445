//! Relationships from objects of actions to tables of the served source.

use api::binding::FieldBinding;
use hasura_metadata::naming::RootField;
use hasura_metadata::types::action::{CustomTypes, ObjectType, TypeRelationship};
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::remote_relationship::RelationshipType;
use hasura_metadata::{Problem, ProblemKind};
use http_resolvers::related_field::{RelatedField, RelatedForm, RelatedKey, RelatedRows};

use super::{GIVEN, problem};
use crate::draft::{Draft, DraftField};
use crate::plan::Planned;
use crate::schema::{Build, rows};
use crate::tracking::namespace;

/// A relationship, whose field is in the types of the API.
#[derive(Debug)]
pub(super) struct Relationship {
    pub(super) object: String,
    pub(super) field: String,
    pub(super) related: RelatedField,
}

/// Adds the relationships of the object types that are in the API.
pub(super) fn add(
    build: &mut Build<'_>,
    source: &str,
    objects: &[String],
    types: &CustomTypes,
    problems: &mut Vec<Problem>,
) -> Vec<Relationship> {
    let mut added = Vec::new();
    let known =
        types.objects.iter().filter(|object| objects.iter().any(|one| **one == *object.name));
    for object in known {
        for relationship in &object.relationships {
            match add_one(build, source, object, relationship) {
                Ok(mut relationships) => added.append(&mut relationships),
                Err(problem) => problems.push(problem),
            }
        }
    }
    added
}

fn add_one(
    build: &mut Build<'_>,
    source: &str,
    object: &ObjectType,
    relationship: &TypeRelationship,
) -> Result<Vec<Relationship>, Problem> {
    let (name, place) = (&*relationship.name, &relationship.place);
    let wrong = |message: String| problem(ProblemKind::WrongValue, place, message);
    // `remote` adds those that lead to further sources, when their types are in the API.
    if relationship.source.0.text != source {
        return Ok(Vec::new());
    }
    if build.draft.has_field(&object.name, name) {
        let message = format!("The type {} has another field {name}.", &*object.name);
        return Err(problem(ProblemKind::Duplicate, place, message));
    }
    let target = target(build, relationship)?;
    let mut keys = Vec::with_capacity(relationship.field_mapping.len());
    for (member, column) in &relationship.field_mapping {
        check_member(&build.draft, object, member)
            .map_err(|message| wrong(format!("The relationship {name}: {message}")))?;
        let known = target.read().find(|known| *known.field.name == **column);
        let known = known.filter(|known| known.values.lists == 0 && known.values.is_comparable());
        let known = known.ok_or_else(|| {
            wrong(format!(
                "The relationship {name}: {} has no column {} whose values can be compared.",
                target.name, &**column
            ))
        })?;
        keys.push(RelatedKey {
            member: member.as_str().into(),
            column: known.name().into(),
            r#type: (&*known.values.scalar).into(),
        });
    }
    if keys.is_empty() {
        return Err(wrong(format!("The relationship {name} has no field_mapping.")));
    }
    let is_list = relationship.r#type == RelationshipType::Array;
    let kind = if is_list { RelatedKind::Array } else { RelatedKind::Object };
    let added = related_fields(build, (&object.name, name), target, &keys, kind);
    let added = added.map_err(|message| problem(ProblemKind::Duplicate, place, message))?;
    let object = object.name.to_string();
    let of = |(field, related)| Relationship { object: object.clone(), field, related };
    Ok(added.into_iter().map(of).collect())
}

/// Checks that a field of an object is a key: a scalar or an enum. The error is a sentence.
pub(crate) fn check_member(draft: &Draft, object: &ObjectType, member: &str) -> Result<(), String> {
    let field = object.fields.iter().find(|field| *field.name == *member);
    let field = field.ok_or_else(|| format!("{} has no field {member}.", &*object.name))?;
    let is_list =
        matches!(field.r#type.expression, graphql::definitions::TypeExpression::List { .. });
    match is_list || !draft.has_leaf(field.r#type.expression.base()) {
        false => Ok(()),
        true => Err(format!("the field {member} is no single scalar.")),
    }
}

/// Whether an object has one related row or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelatedKind {
    Object,
    Array,
}

/// Adds the fields of a relationship to a table: of an array also one of aggregates. The error is a
/// sentence.
pub(crate) fn related_fields(
    build: &mut Build<'_>,
    (object, name): (&str, &str),
    target: &Planned<'_>,
    keys: &[RelatedKey],
    kind: RelatedKind,
) -> Result<Vec<(String, RelatedField)>, String> {
    let mut added = Vec::new();
    let mut add = |build: &mut Build<'_>, name: &str, field: DraftField, root, form| {
        let path = root_path(build, target.root(root));
        let related = RelatedField::Rows(RelatedRows { path, keys: keys.into(), form });
        build.draft.add_field(object, field.verbatim());
        added.push((name.to_owned(), related));
    };
    match kind {
        RelatedKind::Object => {
            let field = DraftField::new(name, target.name.as_str(), given(object, name));
            add(build, name, field, RootField::Select, RelatedForm::One);
        }
        RelatedKind::Array => {
            let aggregate = build.plan.naming.word(&format!("{name}_aggregate"));
            if build.draft.has_field(object, &aggregate) {
                return Err(format!("The type {object} has another field {aggregate}."));
            }
            let field = rows::list(name, target, given(object, name));
            add(build, name, field, RootField::Select, RelatedForm::All);
            let field = rows::aggregate(&aggregate, target, given(object, &aggregate));
            add(build, &aggregate, field, RootField::SelectAggregate, RelatedForm::Aggregate);
        }
    }
    Ok(added)
}

/// The fields from the type of queries to a root field of a table.
pub(crate) fn root_path(build: &Build<'_>, root: String) -> Box<[Box<str>]> {
    let namespace = build.plan.naming.namespace();
    namespace.map(Into::into).into_iter().chain([root.into()]).collect()
}

/// The table of a relationship in the API.
fn target<'b>(
    build: &Build<'b>,
    relationship: &TypeRelationship,
) -> Result<&'b Planned<'b>, Problem> {
    let table = &relationship.remote_table;
    find_planned(build, table).ok_or_else(|| {
        let message = format!(
            "The relationship {} leads to the table {}, which is not tracked.",
            &*relationship.name,
            table.sort_key()
        );
        problem(ProblemKind::MissingPart, &table.place, message)
    })
}

/// The table of a name of metadata in the API.
pub(crate) fn find_planned<'b>(
    build: &Build<'b>,
    table: &QualifiedName,
) -> Option<&'b Planned<'b>> {
    let NameParts::InSchema { schema, name } = &table.parts else { return None };
    let namespace = namespace(build.catalog, schema);
    build.plan.entities.iter().find(|planned| {
        *planned.entity.name == **name && planned.entity.namespace.as_deref() == namespace
    })
}

/// The binding of a field. Each has a text of its own, so that no two of them are one in the API.
fn given(object: &str, field: &str) -> FieldBinding {
    FieldBinding::Refused(format!("{GIVEN} {object}.{field}").into())
}
