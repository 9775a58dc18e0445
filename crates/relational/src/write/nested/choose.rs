//! A choice between two writes, by whether a row is there.

use catalog::EntityId;
use ir::{Filter, Write};
use source::CompileError;
use sql::{Expression, Select, SelectItem};

use super::super::super::compile::Compiler;
use super::super::super::level::{Unit, When};
use super::super::super::parents::equal_fields;
use super::super::super::statement::Statement;
use super::Node;
use super::outer::{Given, Outer};

impl Compiler<'_> {
    /// Whether rows that a node reaches can be kept from changing: those on other servers only where a
    /// value names the server.
    pub(super) fn may_lock(&self, entity: EntityId, filter: &Filter, node: &Node<'_>) -> bool {
        let entity = &self.catalog[entity];
        !entity.distribution.is_remote()
            || node.link.is_none() && entity.is_on_one_server(&equal_fields(filter))
    }

    /// Looks for the row, which is kept from changing, and does one write or the other. What they
    /// give stands in one level.
    pub(super) fn choose(
        &mut self,
        node: &Node<'_>,
        (filter, found, missing): (&Filter, &Write, &Write),
        unit: &mut Unit,
    ) -> Result<Outer, CompileError> {
        if !self.when.is_empty() {
            return Err(CompileError::not_built("a choice within a choice"));
        }
        if node.link.is_some_and(|link| !link.is_of_one()) {
            return Err(CompileError::not_built("a choice for each of several rows"));
        }
        if !node.write.children.is_empty() || !node.write.check.is_all() {
            return Err(CompileError::not_built("writes below a choice"));
        }
        let entity = node.write.entity;
        let mut statement = Statement::default();
        let alias = statement.alias();
        let (condition, how) = self.reached(node, (filter, None), alias, &mut statement)?;
        let mut select = Select::from(self.table(entity, alias));
        select.items = vec![SelectItem { expression: Expression::Boolean(true), name: None }];
        select.filter = Some(condition);
        select.locked = self.may_lock(entity, filter, node);
        let name = self.catalog.qualified_name(entity);
        let level = self.push_write_of(name, &select.into(), statement, how)?;
        let [there, absent] = [true, false].map(|is_there| vec![When { level, is_there }]);
        let mut wanted = node.wanted.clone();
        self.add_keys(found, &mut wanted)?;
        self.add_keys(missing, &mut wanted)?;
        self.when.clone_from(&there);
        let of_found = self.before(found, unit)?;
        self.when.clone_from(&absent);
        let of_missing = self.before(missing, unit)?;
        self.when.clone_from(&there);
        let (step, link) = (node.step, node.link);
        let first = Node { step, write: found, link, wanted: wanted.clone(), of: None };
        let found_outer = self.own(&first, &of_found, unit)?;
        let of = Some(found_outer.level);
        self.when.clone_from(&absent);
        let second = Node { step, write: missing, link, wanted, of };
        let missing_outer = self.own(&second, &of_missing, unit)?;
        // What is required of either is tested when both could be done.
        let round = self.levels.last().map_or(self.round, |level| level.round);
        if let Some(level) = self.levels.get_mut(usize::from(found_outer.level.0)) {
            level.round = round;
        }
        self.when.clone_from(&there);
        self.after(found, &found_outer, unit)?;
        self.when.clone_from(&absent);
        self.after(missing, &missing_outer, unit)?;
        self.when.clear();
        let Outer { entity, level, keys, .. } = found_outer;
        Ok(Outer { entity, level, keys, given: Given::Any })
    }
}
