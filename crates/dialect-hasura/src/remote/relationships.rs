//! Remote relationships: fields of tables whose values are those of a remote schema, with columns and
//! computed fields of the row as arguments.
//! <https://hasura.io/docs/2.0/remote-schemas/remote-relationships/>

use api::binding::{FieldBinding, ResolverId};
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::remote_relationship::{
    RemoteRelationship, RemoteRelationshipDefinition,
};
use hasura_metadata::{Location, Problem, ProblemKind};
use http_resolvers::remote_path::{PathServer, RemotePath};
use http_resolvers::{HttpResolver, InputSource};

use super::access::RelationshipOrigin;
use super::paths::{self, FoundPath, Side};
use super::source_relationships::{self, FromTable};
use super::{Remote, ServedSchema};
use crate::Options;
use crate::actions::relationships::find_planned;
use crate::draft::DraftField;
use crate::plan::Planned;
use crate::schema::Build;
use graphql::operation::OperationKind;

/// Adds the relationships of tables in the API. What does not fit is left out, and told.
pub(super) fn add(
    build: &mut Build<'_>,
    options: &Options,
    remote: &mut Remote<'_>,
    resolvers: &mut Vec<HttpResolver>,
    problems: &mut Vec<Problem>,
) {
    let Some(served) = options.metadata.served() else { return };
    for table in &served.source().tables {
        // A table that is not in the API is told elsewhere.
        let Some(planned) = find_planned(build, &table.table) else { continue };
        for relationship in table.remote_relationships.iter() {
            let lhs = lhs(&table.table);
            if let RemoteRelationshipDefinition::ToSource(to) = &relationship.definition {
                let (table, name) = (&table.table, &*relationship.name.text);
                let from = FromTable { planned, table, name };
                let added = source_relationships::add(build, served, remote, from, to, resolvers);
                problems.extend(added.err());
                continue;
            }
            if let Err(problem) = add_one(build, planned, &lhs, remote, relationship, resolvers) {
                problems.push(problem);
            }
        }
    }
}

fn add_one(
    build: &mut Build<'_>,
    planned: &Planned<'_>,
    lhs: &str,
    remote: &mut Remote<'_>,
    relationship: &RemoteRelationship,
    resolvers: &mut Vec<HttpResolver>,
) -> Result<(), Problem> {
    let (lhs_fields, fields, schema, place) = match &relationship.definition {
        // Added apart.
        RemoteRelationshipDefinition::ToSource(_) => return Ok(()),
        RemoteRelationshipDefinition::ToRemoteSchema(to) => {
            (&to.lhs_fields, &to.remote_field, &to.remote_schema, &to.place)
        }
        RemoteRelationshipDefinition::Legacy(to) => {
            (&to.hasura_fields, &to.remote_field, &to.remote_schema, &to.place)
        }
    };
    let name = &*relationship.name.text;
    let wrong =
        |message: String| wrong(place, format!("The remote relationship {name}: {message}"));
    if build.draft.has_field(&planned.name, name) {
        return Err(wrong(format!("the type {} has another field of the name.", planned.name)));
    }
    let (number, served) = find_served(remote, &schema.text).map_err(wrong)?;
    let find = |field: &str| {
        if !lhs_fields.iter().any(|known| *known.text == *field) {
            return Err(format!("`${field}` is not among its lhs_fields."));
        }
        let of_row = || format!("`${field}` is no column and no computed scalar of the table.");
        field_of(planned, field).map(Into::into).ok_or_else(of_row)
    };
    let side = Side { find: &find, suffix: format!("{lhs}{name}") };
    let found = paths::find(&mut build.draft, served, fields, &side).map_err(wrong)?;
    let FoundPath { steps, field, arguments, inputs, derived } = found;
    // A row whose columns are null has no value.
    let r#type = field.r#type.named(&served.names.r#type(&field.r#type.name));
    let r#type = r#type.trim_end_matches('!');
    // As many as relationships of a file.
    let id = ResolverId(u32::try_from(resolvers.len()).unwrap_or(u32::MAX));
    let made = DraftField::new(name, r#type, FieldBinding::Resolved(id)).verbatim();
    build.draft.add_field(&planned.name, made.with(arguments));
    let (kind, schema) = (OperationKind::Query, (*served.schema).clone());
    let path = RemotePath { kind, schema, steps, server: PathServer::Http };
    let origin = RelationshipOrigin {
        object: planned.name.clone(),
        field: name.to_owned(),
        schema: number,
        steps: path.steps.clone(),
        is_document: false,
        keys: None,
    };
    let inputs = InputSource::Fields(inputs.into());
    resolvers.push(served.resolver((&planned.name, name), path, inputs));
    remote.origins.add(origin, derived);
    Ok(())
}

/// A remote schema in the API, with its index.
pub(super) fn find_served<'r, 'o>(
    remote: &'r Remote<'o>,
    name: &str,
) -> Result<(usize, &'r ServedSchema<'o>), String> {
    let mut served = remote.served.iter().enumerate();
    let found = served.find(|(_, one)| *one.definition.name.text == *name);
    found.ok_or_else(|| format!("the remote schema {name} is not served."))
}

/// The name in the API of a column or a computed scalar.
pub(super) fn field_of<'p>(planned: &'p Planned<'_>, name: &str) -> Option<&'p str> {
    let column = planned.read().find(|column| *column.field.name == *name);
    let computed = || {
        let scalars = planned.computed.iter().filter(|known| known.find_operand().is_some());
        scalars.map(|known| known.name.as_str()).find(|known| *known == name)
    };
    column.map(|column| column.name()).or_else(computed)
}

/// A table in names of new types: with its schema, unless it is `public`.
fn lhs(table: &QualifiedName) -> String {
    match &table.parts {
        NameParts::InSchema { schema, name } if &**schema == "public" => name_of(name),
        NameParts::InSchema { schema, name } => name_of(&format!("{schema}_{name}")),
        _ => name_of(&table.sort_key()),
    }
}

/// A text as a part of a name.
pub(super) fn name_of(text: &str) -> String {
    text.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }).collect()
}

pub(super) fn wrong(place: &Location, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: place.clone(), message }
}
