//! What the names of a rule mean.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::{Catalog, Entity, EntityId, FieldId, Generated};
use ir::Operand;

use super::super::condition::Condition;
use super::super::file::{self, Columns, Said};
use super::{Check, Resolved, Rule, Unresolved};

/// Finds what the names of a file mean.
pub(super) struct Resolver<'c> {
    pub(super) catalog: &'c Catalog,
    pub(super) claims: Vec<Box<str>>,
    /// Of what is being resolved.
    pub(super) line: usize,
}

impl Resolver<'_> {
    pub(super) fn wrong<T>(&self, message: impl Into<Box<str>>) -> Result<T, Unresolved> {
        Err(Unresolved { line: self.line, message: message.into() })
    }

    pub(super) fn claim(&mut self, name: &str) -> usize {
        let known = self.claims.iter().position(|known| **known == *name);
        known.unwrap_or_else(|| {
            self.claims.push(name.into());
            self.claims.len() - 1
        })
    }

    pub(super) fn rule(&mut self, rule: &file::Rule) -> Result<Rule, Unresolved> {
        self.line = rule.line;
        let entity = self.entity(&rule.entity)?;
        let everything = || Condition::All(Vec::new());
        let read = match &rule.read {
            Some(file::Read { line, rows, columns }) => {
                self.line = *line;
                let (rows, fields) =
                    (self.condition(entity, rows)?, self.columns(entity, columns)?);
                Some(Resolved { rows, fields, presets: Vec::new(), check: Check::Nothing })
            }
            None => None,
        };
        let insert = match &rule.insert {
            Some(file::Insert { line, columns, presets, check }) => {
                self.line = *line;
                let fields = self.columns(entity, columns)?;
                let presets = self.presets(entity, presets)?;
                let check = match check {
                    Some(check) => Check::Said(self.condition(entity, check)?),
                    None => Check::Nothing,
                };
                Some(Resolved { rows: everything(), fields, presets, check })
            }
            None => None,
        };
        let update = match &rule.update {
            Some(file::Update { line, rows, columns, presets, check }) => {
                self.line = *line;
                let (rows, fields) =
                    (self.condition(entity, rows)?, self.columns(entity, columns)?);
                let presets = self.presets(entity, presets)?;
                let check = match check {
                    Some(check) => Check::Said(self.condition(entity, check)?),
                    None => Check::Rows(self.deciding(&rows).into()),
                };
                Some(Resolved { rows, fields, presets, check })
            }
            None => None,
        };
        let delete = match &rule.delete {
            Some(file::Delete { line, rows }) => {
                self.line = *line;
                let (rows, fields) = (self.condition(entity, rows)?, HashSet::new());
                Some(Resolved { rows, fields, presets: Vec::new(), check: Check::Nothing })
            }
            None => None,
        };
        Ok(Rule { name: Arc::from(&*rule.name), entity, read, insert, update, delete })
    }

    /// The entity of a name: `namespace.name`, or the name alone where one entity has it.
    pub(super) fn entity(&self, name: &str) -> Result<EntityId, Unresolved> {
        let full = |entity: &&Entity| self.catalog.qualified_name(entity.id) == name;
        let named: Vec<&Entity> =
            self.catalog.entities().filter(|entity| *entity.name == *name).collect();
        match (self.catalog.entities().find(full), named.as_slice()) {
            (Some(entity), _) => Ok(entity.id),
            (None, [entity]) => Ok(entity.id),
            (None, []) => self.wrong(format!("the source has no table or view `{name}`")),
            (None, [one, ..]) => {
                let one = self.catalog.qualified_name(one.id);
                let message = format!("several tables are called `{name}`: write `{one}`, say");
                self.wrong(message)
            }
        }
    }

    pub(super) fn field(&self, entity: EntityId, name: &str) -> Result<FieldId, Unresolved> {
        match self.catalog.find_field(entity, name) {
            Some(field) => Ok(field.id),
            None => {
                let entity = self.catalog.qualified_name(entity);
                self.wrong(format!("`{entity}` has no column `{name}`"))
            }
        }
    }

    fn columns(&self, entity: EntityId, columns: &Columns) -> Result<HashSet<FieldId>, Unresolved> {
        match columns {
            Columns::All => Ok(self.catalog[entity].fields.iter().copied().collect()),
            Columns::These(names) => names.iter().map(|name| self.field(entity, name)).collect(),
        }
    }

    fn presets(
        &mut self,
        entity: EntityId,
        presets: &[(Box<str>, Said)],
    ) -> Result<Vec<(FieldId, Operand, Option<usize>)>, Unresolved> {
        let mut resolved = Vec::with_capacity(presets.len());
        for (name, said) in presets {
            let field = self.field(entity, name)?;
            if let Some(Generated::Stored | Generated::IdentityAlways) =
                self.catalog[field].generated
            {
                return self.wrong(format!("`{name}` cannot be written: the source makes it"));
            }
            let (operand, claim) = self.said(said);
            resolved.push((field, operand, claim));
        }
        Ok(resolved)
    }

    /// The fields that decide which rows are meant: those of the rows, and of others that they lead
    /// to.
    fn deciding(&self, rows: &Condition) -> Vec<FieldId> {
        let (mut fields, mut hops) = (Vec::new(), Vec::new());
        rows.fields(&mut fields);
        rows.hops(&mut hops);
        for hop in hops {
            let relationship = &self.catalog[hop.relationship];
            fields.extend(relationship.from_fields.iter().chain(&relationship.to_fields));
        }
        fields
    }

    pub(super) fn said(&mut self, said: &Said) -> (Operand, Option<usize>) {
        match said {
            Said::Value(value) => (Operand::Constant(value.clone()), None),
            Said::Claim(name) => (Operand::Claim(name.clone()), Some(self.claim(name))),
        }
    }
}
