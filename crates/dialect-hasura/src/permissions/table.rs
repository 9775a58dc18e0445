//! The permissions of one role on one table.

use std::cell::RefCell;
use std::sync::Arc;

use access::{Check, Condition, FieldSet, Permission, Presets};
use catalog::{Catalog, EntityId, FieldId, FunctionId, Generated};
use hasura_metadata::types::expression::BooleanExpression;
use hasura_metadata::types::permission::{
    ColumnPresets, Columns, DeletePermission, InputValidation, InsertPermission, QueryRootField,
    SelectPermission, SubscriptionRootField, UpdatePermission,
};
use hasura_metadata::{Location, Problem};
use http_resolvers::HttpResolver;
use ir::{Filter, Operand};

use super::super::{Options, SchemaKind};
use super::expression::Expressions;
use super::operand::ValueType;
use super::tables::{Tables, problem};
use super::validation;

/// A permission to read rows.
#[derive(Debug, PartialEq)]
pub(super) struct Select {
    pub(super) permission: Arc<Permission>,
    /// The fields that the role sees in the schema. In the Relay API, ids and cursors have the
    /// fields of the key, too.
    pub(super) seen: FieldSet,
    pub(super) allows_aggregates: bool,
    pub(super) query: RootFields,
    pub(super) subscription: RootFields,
    /// The functions of its computed fields.
    pub(super) computed: Vec<FunctionId>,
}

/// A permission to change rows.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    pub(super) permission: Arc<Permission>,
    pub(super) is_for_backends: bool,
    /// The server that checks the inputs first.
    pub(super) validation: Option<Arc<HttpResolver>>,
}

impl Change {
    /// The columns that requests may set.
    pub(super) fn assigned(&self) -> impl Iterator<Item = FieldId> + '_ {
        let presets = &self.permission.presets;
        let is_preset = |field: &FieldId| presets.iter().any(|(preset, _)| preset == field);
        self.permission.fields.iter().copied().filter(move |field| !is_preset(field))
    }
}

/// The root fields that read a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RootFields {
    pub(super) select: bool,
    pub(super) by_key: bool,
    pub(super) aggregate: bool,
    pub(super) stream: bool,
}

impl RootFields {
    const ALL: Self = Self { select: true, by_key: true, aggregate: true, stream: true };

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            select: self.select || other.select,
            by_key: self.by_key || other.by_key,
            aggregate: self.aggregate || other.aggregate,
            stream: self.stream || other.stream,
        }
    }

    fn of_query(fields: Option<&[QueryRootField]>) -> Self {
        let Some(fields) = fields else { return Self::ALL };
        let mut own = Self::default();
        for field in fields {
            match field {
                QueryRootField::Select => own.select = true,
                QueryRootField::SelectByPk => own.by_key = true,
                QueryRootField::SelectAggregate => own.aggregate = true,
            }
        }
        own
    }

    fn of_subscription(fields: Option<&[SubscriptionRootField]>) -> Self {
        let Some(fields) = fields else { return Self::ALL };
        let mut own = Self::default();
        for field in fields {
            match field {
                SubscriptionRootField::Select => own.select = true,
                SubscriptionRootField::SelectByPk => own.by_key = true,
                SubscriptionRootField::SelectAggregate => own.aggregate = true,
                SubscriptionRootField::SelectStream => own.stream = true,
            }
        }
        own
    }
}

/// The compiler of the permissions on one table or logical model.
pub(super) struct TableCompiler<'a> {
    catalog: &'a Catalog,
    tables: &'a Tables<'a>,
    entity: EntityId,
    options: &'a Options,
    shared: RefCell<Shared>,
}

/// The different conditions, columns and presets of the permissions so far. There are few: the permissions of
/// all roles for reading, inserting, updating and deleting rows are about the same rows.
#[derive(Default)]
struct Shared {
    conditions: Vec<Arc<Condition>>,
    fields: Vec<FieldSet>,
    presets: Vec<Presets>,
}

/// The equal one of those that are known, or a new one.
fn share<T: Clone + PartialEq>(known: &mut Vec<T>, new: T) -> T {
    match known.iter().find(|known| **known == new) {
        Some(known) => known.clone(),
        None => {
            known.push(new.clone());
            new
        }
    }
}

/// A permission, or all problems of it.
type Compiled<T> = Result<T, Vec<Problem>>;

impl<'a> TableCompiler<'a> {
    pub(super) fn new(
        catalog: &'a Catalog,
        tables: &'a Tables<'a>,
        entity: EntityId,
        options: &'a Options,
    ) -> Self {
        Self { catalog, tables, entity, options, shared: RefCell::default() }
    }

    pub(super) fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    pub(super) fn select(&self, select: &SelectPermission) -> Compiled<Select> {
        let mut problems = Vec::new();
        let seen = self.columns(&select.columns, &mut problems);
        let fields = match self.options.schema {
            SchemaKind::Lists => seen.clone(),
            SchemaKind::Relay => self.with_key(&seen),
        };
        let rows = self.condition(&select.filter, &mut problems);
        let mut computed = Vec::new();
        for name in &select.computed_fields {
            let entity = self.entity;
            match self.tables.require_computed(self.catalog, entity, name, &name.place) {
                Ok(function) => computed.push(function),
                Err(problem) => problems.push(problem),
            }
        }
        done(problems)?;
        let (presets, check) = (self.share_presets(Vec::new()), Check::None);
        let permission =
            Permission { rows, limit: select.limit.map(Box::new), fields, presets, check };
        Ok(Select {
            permission: Arc::new(permission),
            seen,
            allows_aggregates: select.allow_aggregations,
            query: RootFields::of_query(select.query_root_fields.as_deref()),
            subscription: RootFields::of_subscription(select.subscription_root_fields.as_deref()),
            computed,
        })
    }

    /// The fields with those of the primary key.
    fn with_key(&self, fields: &FieldSet) -> FieldSet {
        let key = self.catalog[self.entity].primary_key();
        let key = key.into_iter().flat_map(|key| &key.fields);
        fields.iter().chain(key).copied().collect()
    }

    pub(super) fn insert(&self, insert: &InsertPermission) -> Compiled<Change> {
        let mut problems = Vec::new();
        let validation = self.validation("insert", insert.validate_input.as_ref(), &mut problems);
        let fields = self.columns(insert.columns.as_ref().unwrap_or(&Columns::All), &mut problems);
        let presets = self.presets(&insert.set, &insert.place, &mut problems);
        let check = self.check(&insert.check, &mut problems);
        done(problems)?;
        let rows = self.share_condition(Condition::always());
        let permission = Permission { rows, limit: None, fields, presets, check };
        Ok(Change {
            permission: Arc::new(permission),
            is_for_backends: insert.backend_only,
            validation,
        })
    }

    pub(super) fn update(&self, update: &UpdatePermission) -> Compiled<Change> {
        let mut problems = Vec::new();
        let validation = self.validation("update", update.validate_input.as_ref(), &mut problems);
        let fields = self.columns(&update.columns, &mut problems);
        let presets = self.presets(&update.set, &update.place, &mut problems);
        let rows = self.condition(&update.filter, &mut problems);
        let check = match &update.check {
            Some(check) => self.check(check, &mut problems),
            None => Check::None,
        };
        done(problems)?;
        let permission = Permission { rows, limit: None, fields, presets, check };
        Ok(Change {
            permission: Arc::new(permission),
            is_for_backends: update.backend_only,
            validation,
        })
    }

    pub(super) fn delete(&self, delete: &DeletePermission) -> Compiled<Change> {
        let mut problems = Vec::new();
        let validation = self.validation("delete", delete.validate_input.as_ref(), &mut problems);
        let rows = self.condition(&delete.filter, &mut problems);
        done(problems)?;
        let (presets, check) = (self.share_presets(Vec::new()), Check::None);
        let fields = FieldSet::default();
        let permission = Permission { rows, limit: None, fields, presets, check };
        Ok(Change {
            permission: Arc::new(permission),
            is_for_backends: delete.backend_only,
            validation,
        })
    }

    fn condition(
        &self,
        expression: &BooleanExpression,
        problems: &mut Vec<Problem>,
    ) -> Arc<Condition> {
        self.share_condition(match self.filter(expression, problems) {
            filter if filter.is_all() => Condition::always(),
            filter => Condition::Row(filter),
        })
    }

    fn share_condition(&self, condition: Condition) -> Arc<Condition> {
        share(&mut self.shared.borrow_mut().conditions, Arc::new(condition))
    }

    fn check(&self, expression: &BooleanExpression, problems: &mut Vec<Problem>) -> Check {
        match self.filter(expression, problems) {
            filter if filter.is_all() => Check::None,
            filter => Check::Condition(self.share_condition(Condition::Row(filter))),
        }
    }

    fn filter(&self, expression: &BooleanExpression, problems: &mut Vec<Problem>) -> Filter {
        let (catalog, tables) = (self.catalog, self.tables);
        let mut expressions = Expressions { catalog, tables, problems: Vec::new() };
        let filter = expressions.filter(self.entity, expression);
        problems.append(&mut expressions.problems);
        filter
    }

    fn columns(&self, columns: &Columns, problems: &mut Vec<Problem>) -> FieldSet {
        let fields = match columns {
            Columns::All => self.catalog[self.entity].fields.iter().copied().collect(),
            Columns::Listed(names) => {
                let column = |(name, place)| self.column(name, place, problems);
                names.iter().filter_map(column).collect()
            }
        };
        share(&mut self.shared.borrow_mut().fields, fields)
    }

    fn column(
        &self,
        name: &str,
        place: impl Fn() -> Location,
        problems: &mut Vec<Problem>,
    ) -> Option<FieldId> {
        let entity = self.entity;
        if let Some(field) = self.catalog.find_field(entity, name) {
            return Some(field.id);
        }
        match Tables::require_column(self.catalog, entity, name, &place()) {
            Ok(field) => Some(field.id),
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    fn presets(
        &self,
        presets: &ColumnPresets,
        place: &Location,
        problems: &mut Vec<Problem>,
    ) -> Presets {
        let mut compiled = Vec::new();
        for (name, preset) in presets {
            let Some(field) = self.column(name, || place.clone(), problems) else { continue };
            if let Some(Generated::Stored | Generated::IdentityAlways) =
                self.catalog[field].generated
            {
                let message = format!(
                    "The column `{name}` cannot have a preset: the database generates its values."
                );
                problems.push(problem(place, message));
                continue;
            }
            let of = ValueType::new(self.catalog, &self.catalog[field].r#type);
            match of.preset(preset, place) {
                Ok(operand) => compiled.push((field, operand)),
                Err(problem) => problems.push(problem),
            }
        }
        self.share_presets(compiled)
    }

    fn share_presets(&self, presets: Vec<(FieldId, Operand)>) -> Presets {
        share(&mut self.shared.borrow_mut().presets, Arc::new(presets.into()))
    }

    fn validation(
        &self,
        change: &str,
        validation: Option<&InputValidation>,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<HttpResolver>> {
        let table = self.catalog.qualified_name(self.entity);
        match validation::resolver(&table, change, validation?, &self.options.environment) {
            Ok(resolver) => Some(Arc::new(resolver)),
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    pub(super) fn entity(&self) -> EntityId {
        self.entity
    }
}

fn done(problems: Vec<Problem>) -> Compiled<()> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}
