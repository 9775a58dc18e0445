//! Many-to-many relations, as in the plugin pg-many-to-many.
//!
//! Each table with two foreign keys joins the tables that they refer to. A row is returned once,
//! however often it is joined; where the join table is unique for two rows, its other columns are
//! fields of the edge, otherwise the edge has the join rows. Without the option, only relations with
//! a given name are there.

use catalog::{FieldId, Relationship};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};
use ir::{Hop, HopDirection};

use super::aggregates;
use super::arguments::{self, Collection};
use super::build::{Build, field};
use super::claims::Claimant;
use super::connection::{self, Connected};
use super::decomposed;
use super::descriptions;
use super::entity::{Served, column_definition};
use super::tags::deprecation;
use super::tags::omit::{Action, omits};
use api::binding::{EdgeField, FieldBinding, RowsBinding, RowsForm, RowsFrom};

/// A relation from an entity through a join entity to another.
#[derive(Clone, Copy, Debug)]
struct JoinPath<'a> {
    /// The foreign key that refers to the entity.
    left: &'a Relationship,
    /// The foreign key that refers to the other one.
    right: &'a Relationship,
    /// The index of the join entity among the served ones.
    junction: usize,
    /// The index of the other one.
    target: usize,
}

/// Adds the fields of one entity.
pub(super) fn add(build: &mut Build<'_>, served: &mut [Served<'_>], index: usize) {
    let Some(entity) = served.get(index).map(|one| one.entity) else { return };
    let catalog = build.catalog;
    for left in &entity.incoming {
        let left = &catalog[*left];
        for right in &catalog[left.from].outgoing {
            let right = &catalog[*right];
            let is_given = find_given(build, left, right).is_some();
            if !build.options.many_to_many && !is_given {
                continue;
            }
            let Some(way) = find_way(build, served, left, right) else { continue };
            let collections = way.collections(build);
            if collections.has_connections() {
                way.add(build, served, index, Collection::Connection);
            }
            if collections.has_lists() {
                way.add(build, served, index, Collection::List);
            }
        }
    }
}

/// The given name of the relation along two foreign keys.
fn find_given<'a>(build: &Build<'a>, left: &Relationship, right: &Relationship) -> Option<&'a str> {
    let mut joins = build.catalog.given().joins(left.to);
    let join = joins.find(|join| (join.near, join.far) == (left.id, right.id))?;
    Some(&join.name)
}

/// The relation along two foreign keys, if there is one. As in the plugin each is of one column,
/// and neither is unique for the join rows by itself.
fn find_way<'a>(
    build: &Build<'_>,
    served: &[Served<'_>],
    left: &'a Relationship,
    right: &'a Relationship,
) -> Option<JoinPath<'a>> {
    let offered = |relationship: &Relationship| {
        build.offers_relationship(relationship, Action::Read)
            && !omits(build.relationship_tags(relationship), Action::ManyToMany)
    };
    let shown = |entity| {
        let place = build.places.get(&entity).copied().filter(|_| build.is_readable(entity))?;
        (!omits(build.entity_tags(entity), Action::ManyToMany)).then_some(place)
    };
    if left.id == right.id || !offered(left) || !offered(right) {
        return None;
    }
    let junction = shown(left.from)?;
    let target = shown(right.to)?;
    let one = build.places.get(&left.to).copied()?;
    let columns = [
        (one, &left.to_fields),
        (junction, &left.from_fields),
        (junction, &right.from_fields),
        (target, &right.to_fields),
    ];
    for (place, fields) in columns {
        let entity = served.get(place)?;
        if fields.len() != 1 || !fields.iter().all(|field| entity.column(*field).is_some()) {
            return None;
        }
    }
    let keys = &build.catalog[left.from].keys;
    let is_key = |fields: &Vec<FieldId>| keys.iter().any(|key| key.fields == *fields);
    let is_many = !is_key(&left.from_fields) && !is_key(&right.from_fields);
    is_many.then_some(JoinPath { left, right, junction, target })
}

impl JoinPath<'_> {
    fn hops(&self) -> (Hop, Hop) {
        let near = Hop { relationship: self.left.id, direction: HopDirection::Backward };
        let far = Hop { relationship: self.right.id, direction: HopDirection::Forward };
        (near, far)
    }

    fn collections(&self, build: &Build<'_>) -> super::SimpleCollections {
        build.collections_of(self.right, self.right.to)
    }

    /// True if a row is joined to another one at most once.
    fn is_once(&self, build: &Build<'_>) -> bool {
        let mut fields = [self.left.from_fields.clone(), self.right.from_fields.clone()].concat();
        fields.sort_unstable();
        build.catalog[self.left.from].keys.iter().any(|key| {
            let mut key = key.fields.clone();
            key.sort_unstable();
            key == fields
        })
    }

    /// The field's name, and the base of its types' names.
    fn names(&self, build: &Build<'_>, collection: Collection) -> (String, String) {
        if let Some(given) = find_given(build, self.left, self.right) {
            let name = match collection {
                Collection::Connection => given.to_owned(),
                Collection::List => build.given_list_name(given, self.collections(build)),
            };
            return (name, given.to_owned());
        }
        let columns: Vec<FieldId> =
            [self.left.from_fields.as_slice(), self.right.from_fields.as_slice()].concat();
        let target = build.table_name(self.right.to);
        let junction = build.table_name(self.left.from);
        let columns = build.column_names(&columns);
        let tags = build.relationship_tags(self.right);
        let connection = match tags.text("manyToManyFieldName") {
            Some(name) => name.into(),
            None => build.inflection.many_to_many(target, junction, &columns),
        };
        let name = match (collection, tags.text("manyToManySimpleFieldName")) {
            (Collection::Connection, _) => connection.clone(),
            (Collection::List, Some(name)) => name.into(),
            (Collection::List, None) => {
                build.inflection.many_to_many_list(target, junction, &columns)
            }
        };
        (name, connection)
    }

    /// The remedy for a taken name.
    fn rename(&self, build: &Build<'_>, tag: &str) -> Box<str> {
        build.rename_join(find_given(build, self.left, self.right), self.right, tag)
    }

    fn add(
        &self,
        build: &mut Build<'_>,
        served: &mut [Served<'_>],
        index: usize,
        collection: Collection,
    ) {
        let (name, base) = self.names(build, collection);
        let subject = format!(
            "what {} joins by {}",
            build.entity_name(self.left.from),
            build.names(&self.right.from_fields).join(", ")
        );
        let Some(one) = served.get_mut(index) else { return };
        let Some(parent) = one.types else { return };
        let claimant = Claimant { subject: &subject, what: "many-to-many relation" };
        if let Err(note) = one.fields.claim(&name, claimant) {
            let tag = match collection {
                Collection::Connection => "manyToManyFieldName",
                Collection::List => "manyToManySimpleFieldName",
            };
            build.note_with(note, |build| self.rename(build, tag));
            return;
        }
        let served = &*served;
        let Some(target) = served.get(self.target) else { return };
        let Some(row) = target.types.map(|types| TypeRef::named(types.row)) else { return };
        let (r#type, form) = match collection {
            Collection::List => (row.non_null().list().non_null(), RowsForm::List),
            Collection::Connection => {
                let Some(connection) = self.add_connection(build, served, index, &base, row) else {
                    return;
                };
                (TypeRef::named(connection).non_null(), RowsForm::Connection)
            }
        };
        let description = descriptions::reads_connection(&target.name);
        let (near, far) = self.hops();
        let binding = FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Through { near, far },
            entity: target.entity.id,
            form,
            default_limit: None,
        });
        let deprecated = deprecation(build.entity_tags(target.entity.id));
        let definition = FieldDefinition { deprecated, ..field(&name, &description, r#type) };
        let id = build.api.add_field(parent.row, definition, binding);
        arguments::add(build, id, collection, target);
    }

    fn add_connection(
        &self,
        build: &mut Build<'_>,
        served: &[Served<'_>],
        index: usize,
        base: &str,
        row: TypeRef,
    ) -> Option<TypeId> {
        let (one, target) = (served.get(index)?, served.get(self.target)?);
        let junction = served.get(self.junction)?;
        let edge = build.inflection.many_to_many_type(&one.name, base, "edge");
        let connected = Connected {
            subject: &build.entity_name(self.left.from),
            connection: &build.inflection.many_to_many_type(&one.name, base, "connection"),
            edge: &edge,
            item: &target.name,
            through: Some(&junction.name),
            row: row.non_null_if(!build.options.setof_functions_contain_nulls),
            has_page_info: true,
        };
        let connection = match connection::add_types(build, &connected) {
            Ok(connection) => connection,
            Err(note) => {
                build.note_with(note, |build| self.rename(build, "manyToManyFieldName"));
                return None;
            }
        };
        aggregates::add_to(build, target, connection);
        let edge = build.api.schema().find_type(&edge)?;
        match self.is_once(build) {
            true => self.add_columns(build, junction, edge),
            false => self.add_rows(build, junction, edge),
        }
        Some(connection)
    }

    /// Adds the other columns of the join rows to an edge.
    fn add_columns(&self, build: &mut Build<'_>, junction: &Served<'_>, edge: TypeId) {
        for column in &junction.columns {
            let fields = [&self.left.from_fields, &self.right.from_fields];
            let joins = fields.iter().any(|fields| fields.contains(&column.field));
            let taken = build.api.schema().find_field(edge, &column.name).is_some();
            if joins || taken {
                continue;
            }
            if build.catalog.find_rows(&build.catalog[column.field].r#type).is_some() {
                decomposed::note_not_on_edge(build, column.field);
                continue;
            }
            let definition = column_definition(build, column);
            let binding = FieldBinding::Edge(EdgeField::Column(column.field));
            build.api.add_field(edge, definition, binding);
        }
    }

    /// Adds the join rows to an edge.
    fn add_rows(&self, build: &mut Build<'_>, junction: &Served<'_>, edge: TypeId) {
        let collections = build.collections_of(self.right, self.left.from);
        let (near, far) = self.hops();
        let description = descriptions::reads_connection(&junction.name);
        let Some(types) = junction.types else { return };
        let mut forms = Vec::new();
        if let (true, Some(connection)) = (collections.has_connections(), types.connection) {
            let r#type = TypeRef::named(connection).non_null();
            let name = build.backward_many_name(self.right);
            forms.push((name, r#type, RowsForm::Connection, Collection::Connection));
        }
        if collections.has_lists() {
            let r#type = TypeRef::named(types.row).non_null().list().non_null();
            let name = build.backward_list_name(self.right);
            forms.push((name, r#type, RowsForm::List, Collection::List));
        }
        for (name, r#type, form, collection) in forms {
            if build.api.schema().find_field(edge, &name).is_some() {
                continue;
            }
            let binding = FieldBinding::Rows(RowsBinding {
                from: RowsFrom::Joining { near, far },
                entity: junction.entity.id,
                form,
                default_limit: None,
            });
            let deprecated = deprecation(build.entity_tags(junction.entity.id));
            let definition = FieldDefinition { deprecated, ..field(&name, &description, r#type) };
            let id = build.api.add_field(edge, definition, binding);
            arguments::add(build, id, collection, junction);
        }
    }
}
