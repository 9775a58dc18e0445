//! Rows to entities, keys, indexes and relationships.

use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Attribute, Builder, Capabilities, Catalog, ConstraintComment, EntityId, EntityKind, FieldId,
    Index, IndexCoverage, Key, Note, NoteKind, RowEstimate, VectorIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

use relational::{note_unindexed, predicate};
use sql::Flavor;

use super::privileges::Privileges;
use super::read::Found;
use super::rows::{self, Column, Constraint, ConstraintForm, Relation, Target};
use super::types::{Made, Types, by_relation};
use super::{ArgumentOids, FieldType, PhysicalTypes, partitions};
use crate::product::Product;

const CAPABILITIES: Capabilities = Capabilities {
    any_values: false,
    comments: true,
    json_content: false,
    json_equality: true,
    namespaces: true,
    statistics: true,
    time_zones: true,
};

/// The catalog, and the physical types of its parts by the indexes of their ids.
pub(super) fn fill(found: &Found<'_>) -> (Catalog, PhysicalTypes) {
    let mut fill = Fill {
        builder: Builder::new(CAPABILITIES),
        namespaces: found.namespaces.iter().map(|namespace| namespace.name.as_str()).collect(),
        types: Types::new(&found.types, &found.attributes),
        fields: FxHashMap::default(),
        physical: Vec::with_capacity(found.columns.len()),
        physical_rows: Vec::with_capacity(found.relations.len()),
        one_table: Vec::with_capacity(found.relations.len()),
        physical_arguments: Vec::with_capacity(found.functions.len()),
        privileges: found.privileges.as_ref(),
        namespace_names: found
            .namespaces
            .iter()
            .map(|namespace| (namespace.oid, namespace.name.as_str()))
            .collect(),
    };
    fill.entities(found);
    for rows::ColumnDefault { relation, number, value } in &found.defaults {
        if let (Some(field), Some(value)) = (fill.fields.get(&(*relation, *number)), value) {
            fill.builder.set_default(*field, value.clone());
        }
    }
    fill.constraints(&found.constraints);
    fill.constraint_comments(&found.constraint_comments);
    fill.distribute(&found.distributed);
    for index in &found.indexes {
        fill.index(index);
    }
    for index in &found.vector_indexes {
        fill.vector_index(index);
    }
    fill.functions(&found.functions);
    fill.called(found.called.as_ref());
    fill.written(&found.written);
    fill.composites();
    let shared = partitions::shared(&mut fill, &found.partition_keys);
    let entities = std::mem::take(&mut fill.types.entities);
    let types = PhysicalTypes {
        fields: fill.physical,
        row_arrays: fill.physical_rows,
        one_table: fill.one_table,
        arguments: fill.physical_arguments,
        range_elements: fill.types.elements,
        product: match fill.builder.catalog().is_distributed() {
            true => Product::Citus,
            false => found.product,
        },
    };
    let mut catalog = fill.builder.finish();
    // The index of a partitioned table cannot be made while rows are written.
    let partitioned: FxHashSet<EntityId> = found
        .relations
        .iter()
        .filter(|relation| relation.partitioned)
        .filter_map(|relation| entities.get(&relation.oid).copied())
        .collect();
    for relation in &found.relations {
        // One that was never analyzed has -1 of them, and 0 before PostgreSQL 14.
        if let Some(rows) = relation.estimated_rows.filter(|rows| *rows >= 1.0)
            && let Some(entity) = entities.get(&relation.oid)
        {
            catalog.estimate_rows(*entity, RowEstimate::About(rows as u64));
        }
    }
    let locks = |entity| partitioned.contains(&entity);
    note_unindexed(&mut catalog, &Flavor::POSTGRES, |_, _| None, locks);
    catalog.note_fan_out();
    for relationship in shared {
        catalog.declare_relationship(relationship);
    }
    (catalog, types)
}

/// The catalog while it is filled.
pub(super) struct Fill<'a> {
    pub(super) builder: Builder,
    /// The served ones.
    namespaces: FxHashSet<&'a str>,
    /// By oid.
    pub(super) namespace_names: FxHashMap<u32, &'a str>,
    pub(super) types: Types<'a>,
    /// By the relation's oid and the column's number.
    fields: FxHashMap<(u32, i16), FieldId>,
    /// By field.
    pub(super) physical: Vec<FieldType>,
    /// The types of arrays of rows, by entity.
    pub(super) physical_rows: Vec<u32>,
    /// Whether keys identify all of its rows, by entity.
    pub(super) one_table: Vec<bool>,
    /// The types of arguments, by function.
    pub(super) physical_arguments: Vec<Vec<ArgumentOids>>,
    /// `None`: rights are ignored.
    pub(super) privileges: Option<&'a Privileges>,
}

impl Fill<'_> {
    fn entities(&mut self, found: &Found<'_>) {
        for relation in &found.relations {
            let namespace = self.namespace_names.get(&relation.namespace).copied();
            let namespace = namespace.unwrap_or_default();
            let id = self.builder.entity(
                Some(namespace.into()),
                relation.name.as_str().into(),
                relation.kind,
                boxed(relation.description.as_ref()),
            );
            let access = relation.access;
            let access = self.privileges.map_or(access, |of| of.entity(relation.oid, access));
            self.builder.set_write_access(id, access);
            if relation.triggered {
                self.builder.trigger(id);
            }
            self.types.entities.insert(relation.oid, id);
            self.physical_rows.push(relation.row_array);
            self.one_table.push(relation.one_table);
        }
        // After all tables: a column may hold a row of a later one.
        let columns = by_relation(&found.columns);
        for relation in &found.relations {
            let Some(id) = self.types.entities.get(&relation.oid).copied() else { continue };
            for column in columns.get(&relation.oid).copied().unwrap_or_default() {
                self.field(id, relation, column);
            }
        }
    }

    fn field(&mut self, entity: EntityId, relation: &Relation, column: &Column) {
        let subject = self.subject(entity, &[".", &column.name]);
        let (oid, modifier) = (column.r#type, column.modifier);
        let r#type = self.types.make_field(&mut self.builder, &subject, oid, modifier);
        let nullable = match relation.kind {
            EntityKind::Table | EntityKind::ForeignTable => {
                !column.not_null && !self.types.forbids_null(column.r#type)
            }
            // PostgreSQL does not follow constraints through a query.
            EntityKind::View
            | EntityKind::MaterializedView
            | EntityKind::Record
            | EntityKind::Model
            | EntityKind::ValueSet
            | EntityKind::Composite
            | EntityKind::Node
            | EntityKind::Edge => true,
        };
        let field = NewField {
            name: column.name.as_str().into(),
            r#type,
            nullable,
            has_default: column.has_default
                || column.generated.is_some()
                || self.types.has_default(column.r#type),
            generated: column.generated,
            description: boxed(column.description.as_ref()),
        };
        let id = self.builder.field(entity, field);
        if let Some(privileges) = self.privileges {
            self.builder.set_field_access(id, privileges.field(column.relation, column.number));
        }
        self.fields.insert((column.relation, column.number), id);
        let Column { r#type: oid, modifier, deterministic, .. } = *column;
        self.physical.push(self.types.physical(oid, modifier, deterministic));
    }

    /// Each composite type has an entity, for access to its fields.
    fn composites(&mut self) {
        for Made { id, array, attributes } in std::mem::take(&mut self.types.composites) {
            let composite = &self.builder.catalog()[id];
            let (namespace, name) = (composite.namespace.clone(), composite.name.clone());
            let description = composite.description.clone();
            let made = composite.attributes.clone();
            let entity = self.builder.entity(namespace, name, EntityKind::Composite, description);
            self.physical_rows.resize(entity.index(), 0);
            self.physical_rows.push(array);
            for (attribute, column) in made.into_iter().zip(attributes) {
                let Attribute { name, r#type, description } = attribute;
                let (nullable, has_default, generated) = (true, false, None);
                let field =
                    NewField { name, r#type, nullable, has_default, generated, description };
                self.builder.field(entity, field);
                let Column { r#type: oid, modifier, .. } = *column;
                // Values come from wherever they were made.
                self.physical.push(self.types.physical(oid, modifier, false));
            }
            self.builder.set_rows(id, entity);
        }
    }

    /// They come sorted, so that duplicates of a foreign key are neighbours.
    fn constraints(&mut self, constraints: &[Constraint]) {
        let mut previous: Option<(&Constraint, &Target)> = None;
        for constraint in constraints {
            let Some((entity, fields)) = self.part(constraint.relation, &constraint.columns) else {
                continue;
            };
            match &constraint.form {
                ConstraintForm::Key { kind, deferrable } => self.builder.key(
                    entity,
                    Key {
                        name: constraint.name.as_str().into(),
                        kind: *kind,
                        fields,
                        enforced: true,
                        deferrable: *deferrable,
                        description: boxed(constraint.description.as_ref()),
                    },
                ),
                ConstraintForm::ForeignKey(target) => {
                    let same = previous.filter(|(previous, previous_target)| {
                        previous.relation == constraint.relation
                            && previous.columns == constraint.columns
                            && *previous_target == target
                    });
                    match same {
                        Some((same, _)) => self.leave_out_repeated(entity, constraint, same),
                        None => self.foreign_key(entity, fields, constraint, target),
                    }
                    previous = Some((constraint, target));
                }
            }
        }
    }

    fn constraint_comments(&mut self, comments: &[rows::ConstraintComment]) {
        for comment in comments {
            self.builder.constraint_comment(ConstraintComment {
                namespace: Some(comment.namespace.as_str().into()),
                owner: comment.owner.as_str().into(),
                name: comment.name.as_str().into(),
                description: comment.description.as_str().into(),
            });
        }
    }

    fn foreign_key(
        &mut self,
        from: EntityId,
        from_fields: Vec<FieldId>,
        constraint: &Constraint,
        target: &Target,
    ) {
        let name = &constraint.name;
        if target.period {
            self.leave_out(
                from,
                constraint,
                &format!("the foreign key {name} compares periods, not values."),
                "add a foreign key over values for the way that is wanted.",
            );
            return;
        }
        let Some((to, to_fields)) = self.part(target.relation, &target.columns) else {
            let Target { namespace, name: table, .. } = target;
            let remedy = self.remedy(target);
            self.leave_out(
                from,
                constraint,
                &format!("the foreign key {name} refers to {namespace}.{table}, not served here."),
                &remedy,
            );
            return;
        };
        let relationship = self.builder.relationship(NewRelationship {
            name: name.as_str().into(),
            from,
            from_fields,
            to,
            to_fields,
            description: boxed(constraint.description.as_ref()),
        });
        if constraint.always_found {
            self.builder.always_found(relationship);
        }
    }

    /// The remedy for a foreign key whose target is not served.
    pub(super) fn remedy(&self, target: &Target) -> String {
        if target.partition {
            "refer to the partitioned table, which stands for its partitions.".into()
        } else if self.namespaces.contains(target.namespace.as_str()) {
            "refer to a table that does not belong to an extension.".into()
        } else {
            format!("serve the schema {}, too.", target.namespace)
        }
    }

    fn index(&mut self, index: &rows::Index) {
        if let Some((entity, fields)) = self.part(index.relation, &index.columns) {
            let covers = match &index.predicate {
                None => IndexCoverage::All,
                Some(condition) => self.covered(entity, condition),
            };
            let (name, finds, unique) = (index.name.as_str().into(), index.finds, index.unique);
            self.builder.index(entity, Index { name, fields, covers, finds, unique });
        }
    }

    fn vector_index(&mut self, index: &rows::VectorIndex) {
        if let Some((entity, fields)) = self.part(index.relation, &[index.column])
            && let Some(field) = fields.first()
        {
            let (dimensions, metric) = (index.dimensions, index.metric);
            let namespace = index.namespace.as_str().into();
            let index = VectorIndex { field: *field, dimensions, metric, namespace };
            self.builder.vector_index(entity, index);
        }
    }

    /// The rows that an index with a condition is over.
    fn covered(&self, entity: EntityId, condition: &str) -> IndexCoverage {
        let catalog = self.builder.catalog();
        let names = predicate::not_null_columns(condition).unwrap_or_default();
        let fields = names.iter().map(|name| Some(catalog.find_field(entity, name)?.id));
        match fields.collect::<Option<Vec<FieldId>>>() {
            Some(fields) if !fields.is_empty() => IndexCoverage::NotNull(fields),
            Some(_) | None => IndexCoverage::Some,
        }
    }

    /// The entity and its fields of these numbers; `None` if the relation is not served.
    pub(super) fn part(&self, relation: u32, columns: &[i16]) -> Option<(EntityId, Vec<FieldId>)> {
        let entity = *self.types.entities.get(&relation)?;
        let fields = columns.iter().map(|number| self.fields.get(&(relation, *number)).copied());
        Some((entity, fields.collect::<Option<_>>()?))
    }

    fn leave_out_repeated(&mut self, from: EntityId, again: &Constraint, first: &Constraint) {
        let message = format!("the foreign key {} says what {} says.", again.name, first.name);
        self.leave_out(from, again, &message, "drop one of the two constraints.");
    }

    fn leave_out(&mut self, from: EntityId, constraint: &Constraint, message: &str, remedy: &str) {
        self.builder.note(Note {
            kind: NoteKind::LeftOut,
            subject: self.subject(from, &[" ", &constraint.name]).into(),
            message: message.into(),
            remedy: remedy.into(),
        });
    }

    /// The subject of a note: the entity and its parts.
    pub(super) fn subject(&self, entity: EntityId, rest: &[&str]) -> String {
        let mut subject = self.builder.catalog().qualified_name(entity);
        subject.extend(rest.iter().copied());
        subject
    }
}

fn boxed(text: Option<&String>) -> Option<Box<str>> {
    text.map(|text| text.as_str().into())
}
