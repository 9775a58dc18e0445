//! Resolves the names of a rule.

use std::sync::Arc;

use access::{Check, Condition, FieldSet, Grant, Permission, Presets, Privilege};
use catalog::{Catalog, Entity, EntityId, FieldId, Generated};
use graphql::similar_names;
use ir::Operand;

use super::file::{self, Columns, OperandValue};
use super::problem::{PolicyProblem, PolicyProblems};

/// Resolves the names of a file in a catalog.
pub(super) struct Resolver<'c> {
    pub(super) catalog: &'c Catalog,
    /// The line of the element that is being resolved.
    pub(super) line: usize,
}

impl Resolver<'_> {
    pub(super) fn wrong<T>(&self, message: impl Into<Box<str>>) -> Result<T, PolicyProblems> {
        Err(PolicyProblem { line: self.line, message: message.into() }.into())
    }

    /// ` (did you mean `name`?)`, if one of the names is like this one.
    pub(super) fn suggestion<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
        let similar = similar_names(name, known);
        similar.first().map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default()
    }

    pub(super) fn rule(&mut self, rule: &file::Rule) -> Result<Grant, PolicyProblems> {
        self.line = rule.line;
        let entity = self.entity(&rule.entity)?;
        let mut problems = PolicyProblems::default();
        let read = rule.read.as_ref().and_then(|file::Read { line, rows, columns, limit }| {
            self.line = *line;
            let rows = problems.keep(self.condition(entity, rows));
            let fields = problems.keep(self.columns(entity, columns));
            let (rows, fields) = (Arc::new(rows?), fields?);
            let (presets, check) = (Presets::default(), Check::None);
            Some(Arc::new(Permission { rows, limit: limit.map(Box::new), fields, presets, check }))
        });
        let insert = rule.insert.as_ref().and_then(|insert| {
            let file::Insert { line, columns, presets, check } = insert;
            self.line = *line;
            let fields = problems.keep(self.columns(entity, columns));
            let presets = problems.keep(self.presets(entity, presets));
            let check = match check {
                Some(check) => {
                    let check = problems.keep(self.condition(entity, check));
                    check.map(|check| Check::Condition(Arc::new(check)))
                }
                None => Some(Check::None),
            };
            let (fields, presets, check) = (fields?, presets?, check?);
            let rows = Arc::new(Condition::always());
            Some(Arc::new(Permission { rows, limit: None, fields, presets, check }))
        });
        let update = rule.update.as_ref().and_then(|update| {
            let file::Update { line, rows, columns, presets, check } = update;
            self.line = *line;
            let rows = problems.keep(self.condition(entity, rows));
            let fields = problems.keep(self.columns(entity, columns));
            let presets = problems.keep(self.presets(entity, presets));
            let condition =
                check.as_ref().map(|check| problems.keep(self.condition(entity, check)));
            let rows = rows?;
            let check = match condition {
                Some(condition) => Check::Condition(Arc::new(condition?)),
                None => Check::Rows(Arc::new(self.deciding(&rows).into())),
            };
            let (rows, fields, presets) = (Arc::new(rows), fields?, presets?);
            Some(Arc::new(Permission { rows, limit: None, fields, presets, check }))
        });
        let delete = rule.delete.as_ref().and_then(|file::Delete { line, rows }| {
            self.line = *line;
            let rows = Arc::new(problems.keep(self.condition(entity, rows))?);
            let fields = FieldSet::default();
            let (presets, check) = (Presets::default(), Check::None);
            Some(Arc::new(Permission { rows, limit: None, fields, presets, check }))
        });
        problems.none()?;
        let permissions = [
            (Privilege::Read, read),
            (Privilege::Insert, insert),
            (Privilege::Update, update),
            (Privilege::Delete, delete),
        ];
        let granted = permissions.into_iter();
        let granted = granted.filter_map(|(privilege, permission)| Some((privilege, permission?)));
        Ok(Grant::new(Arc::new(rule.name.clone()), entity, granted.collect()))
    }

    /// The entity of a name: `namespace.name`, or the name alone where one entity has it.
    pub(super) fn entity(&self, name: &str) -> Result<EntityId, PolicyProblems> {
        let full = |entity: &&Entity| self.catalog.qualified_name(entity.id) == name;
        let named: Vec<&Entity> =
            self.catalog.entities().filter(|entity| *entity.name == *name).collect();
        match (self.catalog.entities().find(full), named.as_slice()) {
            (Some(entity), _) => Ok(entity.id),
            (None, [entity]) => Ok(entity.id),
            (None, []) => {
                let meant =
                    Self::suggestion(name, self.catalog.entities().map(|entity| &*entity.name));
                self.wrong(format!("the source has no table or view `{name}`{meant}"))
            }
            (None, [one, ..]) => {
                let one = self.catalog.qualified_name(one.id);
                let message = format!("several tables are called `{name}`: write `{one}`, say");
                self.wrong(message)
            }
        }
    }

    pub(super) fn field(&self, entity: EntityId, name: &str) -> Result<FieldId, PolicyProblems> {
        match self.catalog.find_field(entity, name) {
            Some(field) => Ok(field.id),
            None => {
                let fields = self.catalog.fields_of(entity);
                let meant = Self::suggestion(name, fields.map(|field| &*field.name));
                let entity = self.catalog.qualified_name(entity);
                self.wrong(format!("`{entity}` has no column `{name}`{meant}"))
            }
        }
    }

    fn columns(&self, entity: EntityId, columns: &Columns) -> Result<FieldSet, PolicyProblems> {
        match columns {
            Columns::All => Ok(self.catalog[entity].fields.iter().copied().collect()),
            Columns::These(names) => {
                let fields = PolicyProblems::all(names.iter().map(|name| self.field(entity, name)));
                fields.map(|fields| fields.into_iter().collect())
            }
        }
    }

    fn presets(
        &mut self,
        entity: EntityId,
        presets: &[(Box<str>, OperandValue)],
    ) -> Result<Presets, PolicyProblems> {
        let preset = |(name, value): &(Box<str>, OperandValue)| {
            let field = self.field(entity, name)?;
            if let Some(Generated::Stored | Generated::IdentityAlways) =
                self.catalog[field].generated
            {
                return self.wrong(format!("`{name}` cannot be written: the source makes it"));
            }
            Ok((field, operand(value)))
        };
        Ok(Arc::new(PolicyProblems::all(presets.iter().map(preset))?.into()))
    }

    /// The fields that a condition reads, of the rows and of related rows.
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
}

/// The operand of a value in a file.
pub(super) fn operand(value: &OperandValue) -> Operand {
    match value {
        OperandValue::Value(value) => Operand::Constant(value.clone()),
        OperandValue::Claim(name) => Operand::Claim(name.clone()),
    }
}

/// The entity of a name, as policy files write it.
pub(super) fn find_entity(catalog: &Catalog, name: &str) -> Result<EntityId, Box<str>> {
    Resolver { catalog, line: 0 }.entity(name).map_err(PolicyProblems::into_message)
}
