//! The tables of models, and the tables without one.

use catalog::{Catalog, Entity, EntityId, NoteKind};
use graphql::similar_names;

use super::Stage;
use crate::model::Model;

/// Prisma Migrate's own table.
const MIGRATIONS: &str = "_prisma_migrations";

impl Stage<'_> {
    /// Finds the table of each model. One that is missing is a mistake, unless the model is ignored.
    pub(super) fn find_tables(&mut self) {
        let schema = self.schema;
        for model in &schema.models {
            let found = find(self.catalog, model.schema.as_deref(), &model.table);
            let entity = match found.as_slice() {
                [entity] => Some(*entity),
                [] if model.is_ignored => None,
                [] => {
                    let message = self.missing(model);
                    self.mistake(model.at, message);
                    None
                }
                [..] => {
                    let names: Vec<String> =
                        found.iter().map(|id| self.catalog.qualified_name(*id)).collect();
                    let message = format!(
                        "{}: there are {}: choose one with @@schema(\"…\").",
                        model.name,
                        names.join(" and ")
                    );
                    self.mistake(model.at, message);
                    None
                }
            };
            if let Some(entity) = entity.filter(|entity| self.entities.contains(&Some(*entity))) {
                let table = self.catalog.qualified_name(entity);
                let message = format!("{}: another model has the table {table}.", model.name);
                self.mistake(model.at, message);
            }
            self.entities.push(entity);
            let Some(entity) = entity else { continue };
            if model.is_ignored {
                self.catalog.leave_out_entity(entity);
                continue;
            }
            self.catalog.name_entity(entity, model.name.clone());
            if let Some(text) = &model.documentation {
                self.catalog.describe_entity(entity, text);
            }
        }
    }

    fn missing(&self, model: &Model) -> String {
        let names: Vec<&str> = self.catalog.entities().map(|entity| &*entity.name).collect();
        let (name, table) = (&model.name, &model.table);
        let place = match &model.schema {
            Some(schema) if self.catalog.capabilities().namespaces => {
                format!(" in the schema \"{schema}\"")
            }
            _ => String::new(),
        };
        let others = find(self.catalog, None, table);
        let remedy = match similar_names(table, names.iter().copied()).first() {
            _ if !others.is_empty() => {
                let others: Vec<String> =
                    others.iter().map(|id| self.catalog.qualified_name(*id)).collect();
                format!("there is {}: correct @@schema.", others.join(", "))
            }
            Some(similar) => format!("did you mean @@map(\"{similar}\")?"),
            None => "correct @@map, migrate the database, or serve the schema that has it.".into(),
        };
        format!("{name}: the database has no table or view \"{table}\"{place}: {remedy}")
    }

    /// Leaves out the tables and views that are no model.
    pub(super) fn leave_out_rest(&mut self) {
        let is_known = |entity: &&Entity| {
            self.entities.contains(&Some(entity.id)) || self.joins.contains(&entity.id)
        };
        let rest: Vec<EntityId> = self
            .catalog
            .entities()
            .filter(|entity| !is_known(entity))
            .map(|entity| entity.id)
            .collect();
        for entity in rest {
            self.catalog.leave_out_entity(entity);
            if &*self.catalog[entity].name == MIGRATIONS {
                continue;
            }
            let subject = self.catalog.qualified_name(entity);
            self.catalog.note(catalog::Note {
                kind: NoteKind::LeftOut,
                subject: subject.into(),
                message: "the Prisma schema has no model for it.".into(),
                remedy: "add one, as `prisma db pull` does, or leave it out.".into(),
            });
        }
    }
}

/// The tables and views with a name, of one namespace or of all that are served.
pub(super) fn find(catalog: &Catalog, namespace: Option<&str>, name: &str) -> Vec<EntityId> {
    let namespace = namespace.filter(|_| catalog.capabilities().namespaces);
    let is_in = |entity: &&Entity| match namespace {
        Some(namespace) => entity.namespace.as_deref() == Some(namespace),
        None => true,
    };
    let entities = catalog.entities().filter(|entity| &*entity.name == name);
    entities.filter(is_in).map(|entity| entity.id).collect()
}
