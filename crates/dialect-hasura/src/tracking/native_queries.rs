//! Native queries of metadata in terms of the catalog, with the relationships that lead from them and
//! to them.

use catalog::builder::NewRelationship;
use catalog::{Catalog, EntityId, FieldId, FunctionId, FunctionResult, RelatedRows};
use hasura_metadata::suggestions::RelationshipKind;
use hasura_metadata::types::name::Name;
use hasura_metadata::types::native_query::{NativeQuery, QueryRelationship};
use hasura_metadata::types::permission::SelectPermissionEntry;
use hasura_metadata::types::relationship::ManualConfiguration;
use hasura_metadata::types::source::Source;
use hasura_metadata::{Location, Problem};
use ir::{Hop, HopDirection};

use super::{find_table, missing, missing_column, remedy};
use crate::native_queries::{NativeQueries, wrong};

/// The logical models and native queries of a source.
#[derive(Debug, Default)]
pub(crate) struct TrackedQueries<'m> {
    pub(crate) models: Vec<TrackedModel<'m>>,
    pub(crate) queries: Vec<TrackedQuery<'m>>,
}

/// A logical model of which a native query returns rows.
#[derive(Debug)]
pub(crate) struct TrackedModel<'m> {
    pub(crate) name: &'m str,
    pub(crate) place: &'m Location,
    pub(crate) entity: EntityId,
    pub(crate) permissions: &'m [SelectPermissionEntry],
}

/// A native query.
#[derive(Debug)]
pub(crate) struct TrackedQuery<'m> {
    pub(crate) query: &'m NativeQuery,
    pub(crate) function: FunctionId,
    /// The index of its model.
    pub(crate) model: usize,
    /// In the order of the metadata, objects first.
    pub(crate) relationships: Vec<QueryRelation<'m>>,
}

/// A relationship of a native query, or one that leads to a native query.
#[derive(Debug)]
pub(crate) struct QueryRelation<'m> {
    pub(crate) name: &'m Name,
    pub(crate) kind: RelationshipKind,
    pub(crate) target: RelationTarget,
}

/// The rows that a relationship leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RelationTarget {
    Table {
        hop: Hop,
        entity: EntityId,
    },
    Query {
        /// The function of the related rows.
        function: FunctionId,
        /// The index of the native query.
        query: usize,
    },
}

impl<'m> TrackedQueries<'m> {
    /// Finds the functions of the native queries, without relationships.
    pub(super) fn new(catalog: &Catalog, source: &'m Source, problems: &mut Vec<Problem>) -> Self {
        let mut native = NativeQueries::new(source);
        problems.append(&mut native.problems);
        problems.append(&mut native.problems_of(catalog));
        let mut own = Self::default();
        for (written, query) in native.written.queries.iter().zip(&native.queries) {
            let Some(function) = catalog.find_written(&written.name) else {
                if catalog.written_problems().is_empty() {
                    let message = "Native queries need PostgreSQL or SQLite: remove it.";
                    problems.push(wrong(&query.place, message.into()));
                }
                continue;
            };
            let FunctionResult::Rows(entity) = function.result else { continue };
            let known = own.models.iter().position(|model| model.entity == entity);
            let model = known.unwrap_or_else(|| {
                let model = &native.models[written.model];
                let (name, place, permissions) = (model.name, model.place, model.permissions);
                own.models.push(TrackedModel { name, place, entity, permissions });
                own.models.len() - 1
            });
            let relationships = Vec::new();
            let function = function.id;
            own.queries.push(TrackedQuery { query, function, model, relationships });
        }
        // Fields that only name another model need a relationship of their name.
        for (written, query) in native.written.queries.iter().zip(&native.queries) {
            for field in &native.models[written.model].references {
                let all = query.object_relationships.iter().chain(&query.array_relationships);
                if !all.into_iter().any(|one| one.name.text == field.name.text) {
                    let message = format!(
                        "The field `{}` is of a logical model, and the native query `{}` has no \
                         relationship of this name. Add one, or remove the field.",
                        field.name.text, &*query.root_field_name
                    );
                    problems.push(wrong(&field.place, message));
                }
            }
        }
        own
    }

    fn entity(&self, query: usize) -> EntityId {
        self.models[self.queries[query].model].entity
    }

    fn require(&self, name: &Name) -> Result<usize, Problem> {
        let known = || self.queries.iter().map(|one| &*one.query.root_field_name);
        known().position(|known| known == name.text).ok_or_else(|| {
            let message = format!(
                "The native query `{}` is not served. {}",
                name.text,
                remedy(name, known())
            );
            missing(&name.place, message)
        })
    }

    /// Adds the relationships of the native queries, and declares in the catalog what they need.
    pub(super) fn add_relationships(
        &mut self,
        catalog: &mut Catalog,
        tracked: &[EntityId],
        problems: &mut Vec<Problem>,
    ) {
        for place in 0..self.queries.len() {
            let (query, entity) = (self.queries[place].query, self.entity(place));
            let kind = |kind| move |one: &'m QueryRelationship| (kind, one);
            let objects = query.object_relationships.iter().map(kind(RelationshipKind::Object));
            let arrays = query.array_relationships.iter().map(kind(RelationshipKind::Array));
            for (kind, QueryRelationship { name, using, .. }) in objects.chain(arrays) {
                let found = match &using.remote_table {
                    None => self.to_query(catalog, entity, name, using),
                    Some(_) => to_table(catalog, entity, kind, (name, using), tracked),
                };
                match found {
                    Ok(target) => {
                        let relation = QueryRelation { name, kind, target };
                        self.queries[place].relationships.push(relation);
                    }
                    Err(mut own) => problems.append(&mut own),
                }
            }
        }
    }

    /// Declares the rows of a native query that are related to rows of an entity.
    pub(super) fn to_query(
        &self,
        catalog: &mut Catalog,
        near: EntityId,
        name: &Name,
        manual: &ManualConfiguration,
    ) -> Result<RelationTarget, Vec<Problem>> {
        let Some(target) = &manual.remote_native_query else {
            let message = "The relationship has neither `remote_table` nor `remote_native_query`.";
            return Err(vec![missing(&manual.place, message.into())]);
        };
        let query = self.require(target).map_err(|problem| vec![problem])?;
        let fields = mapping(catalog, near, self.entity(query), manual)?;
        let related = RelatedRows { of: self.queries[query].function, fields };
        let function = catalog.declare_related_rows(name.text.as_str().into(), near, related);
        Ok(RelationTarget::Query { function, query })
    }
}

/// Declares the relationship of a native query with a table.
fn to_table(
    catalog: &mut Catalog,
    near: EntityId,
    kind: RelationshipKind,
    (name, manual): (&Name, &ManualConfiguration),
    tracked: &[EntityId],
) -> Result<RelationTarget, Vec<Problem>> {
    let one = |problem| vec![problem];
    let Some(table) = &manual.remote_table else { return Err(Vec::new()) };
    let entity = find_table(catalog, table).map_err(one)?.id;
    if !tracked.contains(&entity) {
        let message = format!(
            "The relationship `{}` leads to {}, which is not tracked. Track it, or remove the \
             relationship.",
            name.text,
            catalog.qualified_name(entity)
        );
        return Err(one(missing(&name.place, message)));
    }
    let (own, others) = mapping(catalog, near, entity, manual)?.into_iter().unzip();
    let direction = match kind {
        RelationshipKind::Object => HopDirection::Forward,
        RelationshipKind::Array => HopDirection::Backward,
    };
    let (from, from_fields, to, to_fields) = match direction {
        HopDirection::Forward => (near, own, entity, others),
        HopDirection::Backward => (entity, others, near, own),
    };
    let name = name.text.as_str().into();
    let relationship = catalog.declare_relationship(NewRelationship {
        name,
        from,
        from_fields,
        to,
        to_fields,
        description: None,
    });
    Ok(RelationTarget::Table { hop: Hop { relationship, direction }, entity })
}

/// The pairs of fields of a mapping, or what is wrong with it.
fn mapping(
    catalog: &Catalog,
    near: EntityId,
    far: EntityId,
    manual: &ManualConfiguration,
) -> Result<Vec<(FieldId, FieldId)>, Vec<Problem>> {
    let (mut fields, mut problems) = (Vec::new(), Vec::new());
    for (column, remote) in &manual.column_mapping {
        match (catalog.find_field(near, column), catalog.find_field(far, remote)) {
            (Some(own), Some(other)) => fields.push((own.id, other.id)),
            (own, other) => {
                let place = &remote.place;
                if own.is_none() {
                    problems.push(missing_column(catalog, near, column, place));
                }
                if other.is_none() {
                    problems.push(missing_column(catalog, far, remote, place));
                }
            }
        }
    }
    if manual.column_mapping.is_empty() {
        let message = "The key `column_mapping` has no column.";
        problems.push(missing(&manual.place, message.into()));
    }
    match problems.is_empty() {
        true => Ok(fields),
        false => Err(problems),
    }
}
