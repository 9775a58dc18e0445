//! Changes of relationships: fields that refer to other rows.

use catalog::{EntityId, FieldId};
use ir::{ChildWrite, ExistingLink, Filter, HopDirection, Operand, Value, WriteKind};
use source::CompileError;
use sql::{Expression, Select, SelectItem, Set, Update};

use super::super::super::compile::Compiler;
use super::super::super::level::{Parents, Unit};
use super::super::super::row_set::Scope;
use super::super::super::statement::Statement;
use super::outer::{Given, Outer, OuterRow, Which, whiches};
use super::refuse_below;

/// The rows that begin or cease to refer to others, by a filter on them.
struct Change<'r> {
    entity: EntityId,
    filter: &'r Filter,
    which: Which,
}

/// What becomes of a reference where no row is found that it should lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfound {
    Keep,
    Clear,
}

impl Compiler<'_> {
    /// Links and unlinks rows.
    pub(super) fn relink(
        &mut self,
        child: &ChildWrite,
        outer: &Outer,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        refuse_below(&child.write)?;
        if let WriteKind::Link { filter, existing: ExistingLink::Refuse(otherwise) } =
            &child.write.kind
        {
            self.expect_unlinked(child, outer, (filter, otherwise), unit)?;
        }
        let (near, far) = self.hop_fields(child.hop);
        let (near, far) = (near.to_vec(), far.to_vec());
        let entity = child.write.entity;
        for which in whiches(&child.parents) {
            match (&child.write.kind, child.hop.direction) {
                (WriteKind::Link { filter, .. }, HopDirection::Backward) => {
                    self.refer(&Change { entity, filter, which }, outer, (&near, &far))?;
                }
                (WriteKind::Unlink { filter }, HopDirection::Backward) => {
                    self.release(&Change { entity, filter, which }, outer, (&near, &far))?;
                }
                (WriteKind::SetLinks { filter }, HopDirection::Backward) => {
                    let others = Filter::Except(Box::new(filter.clone()));
                    let released = Change { entity, filter: &others, which };
                    self.release(&released, outer, (&near, &far))?;
                    self.refer(&Change { entity, filter, which }, outer, (&near, &far))?;
                }
                (WriteKind::Link { filter, .. }, HopDirection::Forward) => {
                    let change = Change { entity, filter, which };
                    self.set_outer(&change, outer, (&near, &far), Unfound::Keep)?;
                }
                (WriteKind::SetLinks { filter }, HopDirection::Forward) => {
                    let change = Change { entity, filter, which };
                    self.set_outer(&change, outer, (&near, &far), Unfound::Clear)?;
                }
                (WriteKind::Unlink { filter }, HopDirection::Forward) => {
                    self.clear_outer(child, filter, outer, which)?;
                }
                _ => return Err(CompileError::not_built("this change of a relationship")),
            }
        }
        Ok(())
    }

    /// Makes rows refer to the row above.
    fn refer(
        &mut self,
        change: &Change<'_>,
        outer: &Outer,
        (near, far): (&[FieldId], &[FieldId]),
    ) -> Result<(), CompileError> {
        let is_one = match (change.which, outer.given) {
            (Which::Row(_), _) | (Which::Each, Given::OneAtMost | Given::Rows(1)) => true,
            (Which::Each, Given::Rows(_) | Given::Any) => false,
        };
        if !is_one {
            return Err(CompileError::not_built("links of rows to several others"));
        }
        let mut statement = Statement::default();
        let alias = statement.alias();
        let mut sets = Vec::with_capacity(far.len());
        let mut how = Parents::Top;
        for (near, far) in near.iter().zip(far) {
            let near = std::slice::from_ref(near);
            let row = self.outer_row(outer, near, change.which, &mut statement)?;
            let OuterRow { mut values, item, how: by } = row;
            how = by;
            let value = values.pop().unwrap_or(Expression::Boolean(false));
            let value = match item {
                None => value,
                Some(item) => {
                    let mut select = Select::from(item);
                    select.items = vec![SelectItem { expression: value, name: None }];
                    select.limit = Some(Expression::Number(1));
                    Expression::Subquery(Box::new(select))
                }
            };
            sets.push(Set { column: self.column_name(*far), value });
        }
        let table = Select::from(self.table(change.entity, alias));
        let mut scope = Scope::new(table, alias);
        let filter = self.condition(change.filter, &mut scope, &mut statement)?;
        self.push_sets(change.entity, (alias, sets, filter), statement, how)
    }

    /// Makes rows that refer to the rows above refer to none.
    fn release(
        &mut self,
        change: &Change<'_>,
        outer: &Outer,
        (near, far): (&[FieldId], &[FieldId]),
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let sets = self.nulls(far, &mut statement)?;
        let place = (change.which, alias);
        let (belongs, how) = self.belongs(outer, (near, far), place, &mut statement)?;
        let mut conditions = vec![belongs];
        if !change.filter.is_all() {
            let mut scope = Scope::new(Select::from(self.table(change.entity, alias)), alias);
            conditions.push(self.condition(change.filter, &mut scope, &mut statement)?);
        }
        let filter = Expression::all(conditions);
        self.push_sets(change.entity, (alias, sets, filter), statement, how)
    }

    /// Makes the rows above refer to the row that is found, or to none.
    fn set_outer(
        &mut self,
        change: &Change<'_>,
        outer: &Outer,
        (near, far): (&[FieldId], &[FieldId]),
        unfound: Unfound,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let mut sets = Vec::with_capacity(near.len());
        for (near, far) in near.iter().zip(far) {
            let found = self.found(change.entity, *far, change.filter, &mut statement)?;
            let value = Expression::Subquery(Box::new(found));
            sets.push(Set { column: self.column_name(*near), value });
        }
        let key = self.key_fields(outer)?;
        let place = (change.which, alias);
        let (belongs, how) = self.belongs(outer, (&key, &key), place, &mut statement)?;
        let mut conditions = vec![belongs];
        if let (Unfound::Keep, Some(far)) = (unfound, far.first()) {
            let found = self.found(change.entity, *far, change.filter, &mut statement)?;
            conditions.push(Expression::Exists(Box::new(found)));
        }
        let filter = Expression::all(conditions);
        self.push_sets(outer.entity, (alias, sets, filter), statement, how)
    }

    /// Makes the rows above refer to none, where they refer to a row that passes.
    fn clear_outer(
        &mut self,
        child: &ChildWrite,
        filter: &Filter,
        outer: &Outer,
        which: Which,
    ) -> Result<(), CompileError> {
        let mut statement = Statement::default();
        let alias = statement.alias();
        let near = self.hop_fields(child.hop).0.to_vec();
        let sets = self.nulls(&near, &mut statement)?;
        let key = self.key_fields(outer)?;
        let (belongs, how) = self.belongs(outer, (&key, &key), (which, alias), &mut statement)?;
        let mut conditions = vec![belongs];
        if !filter.is_all() {
            let related = Filter::Relation {
                hop: child.hop,
                quantifier: ir::Quantifier::Some,
                filter: Box::new(filter.clone()),
            };
            let mut scope = Scope::new(Select::from(self.table(outer.entity, alias)), alias);
            conditions.push(self.condition(&related, &mut scope, &mut statement)?);
        }
        let filter = Expression::all(conditions);
        self.push_sets(outer.entity, (alias, sets, filter), statement, how)
    }

    fn nulls(
        &self,
        fields: &[FieldId],
        statement: &mut Statement,
    ) -> Result<Vec<Set>, CompileError> {
        let null = Operand::Constant(Value::Null);
        let set = |field: &FieldId| {
            let value = self.stored(*field, &null, statement)?;
            Ok(Set { column: self.column_name(*field), value })
        };
        fields.iter().map(set).collect()
    }

    pub(super) fn key_fields(&self, outer: &Outer) -> Result<Vec<FieldId>, CompileError> {
        let key = self.catalog[outer.entity].primary_key();
        let key = key.ok_or(CompileError::not_built("writes below rows without a key"))?;
        Ok(key.fields.clone())
    }

    fn push_sets(
        &mut self,
        entity: EntityId,
        (alias, sets, filter): (sql::Alias, Vec<Set>, Expression),
        statement: Statement,
        how: Parents,
    ) -> Result<(), CompileError> {
        let table = self.table_name(entity);
        let update = Update { table, alias, sets, filter, returning: Vec::new() };
        let name = self.catalog.qualified_name(entity);
        self.push_write_of(name, &sql::Statement::Update(update), statement, how)?;
        Ok(())
    }
}
