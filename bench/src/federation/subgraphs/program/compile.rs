//! Selections to sets of fields, as the specification collects them (section 6.3.2).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::document::{Condition, Document, Given, Selection, What};
use super::super::schema::{Kind, Type};
use super::super::shop::{Data, Subgraph};
use super::{Field, FieldValue, ProgramError, Set};

#[derive(Debug)]
pub(super) struct Compiler<'d> {
    pub(super) subgraph: Subgraph,
    pub(super) data: Data,
    pub(super) document: &'d Document,
    /// Values of variables, for conditions.
    pub(super) variables: &'d Map<String, Value>,
    pub(super) sets: Vec<Set>,
}

/// The selections of one key.
#[derive(Debug)]
struct Collected<'d> {
    key: &'d str,
    name: &'d str,
    arguments: &'d BTreeMap<String, Given>,
    selections: Vec<&'d [Selection]>,
}

impl<'d> Compiler<'d> {
    pub(super) fn set(
        &mut self,
        of: Type,
        selections: &[&'d [Selection]],
    ) -> Result<usize, ProgramError> {
        let mut collected = Vec::new();
        for selections in selections {
            self.collect(of, selections, &mut collected)?;
        }
        let mut fields = Vec::new();
        for one in collected {
            fields.push(self.field(of, &one)?);
        }
        let is_fixed = fields.iter().all(|field| self.is_fixed(&field.value));
        let prepared = is_fixed.then(|| (0..self.places(of)).map(|_| OnceCell::new()).collect());
        self.sets.push(Set { fields, prepared });
        Ok(self.sets.len() - 1)
    }

    fn collect(
        &self,
        of: Type,
        selections: &'d [Selection],
        all: &mut Vec<Collected<'d>>,
    ) -> Result<(), ProgramError> {
        for selection in selections {
            if !selection.conditions.iter().all(|condition| self.holds(condition)) {
                continue;
            }
            match &selection.what {
                What::Field { key, name, arguments, selections } => {
                    match all.iter_mut().find(|one| one.key == key) {
                        Some(known) => known.selections.push(selections),
                        None => {
                            let selections = vec![selections.as_slice()];
                            all.push(Collected { key, name, arguments, selections });
                        }
                    }
                }
                What::Inline { on, selections } => {
                    if on.as_ref().is_none_or(|on| of.is(on)) {
                        self.collect(of, selections, all)?;
                    }
                }
                What::Spread(name) => {
                    let fragment = self.document.fragments.get(name);
                    let fragment = fragment.ok_or_else(|| ProgramError::Fragment(name.clone()))?;
                    if of.is(&fragment.on) {
                        self.collect(of, &fragment.selections, all)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, of: Type, one: &Collected<'d>) -> Result<Field, ProgramError> {
        let kind = self.subgraph.field(of, one.name).ok_or_else(|| ProgramError::Field {
            of: of.name(),
            name: one.name.to_owned(),
            subgraph: self.subgraph.name(),
        })?;
        let value = match kind {
            Kind::Leaf(leaf) => FieldValue::Leaf(leaf),
            Kind::Edge(edge) => {
                let argument = edge.argument().and_then(|name| one.arguments.get(name)).cloned();
                let mut sets = BTreeMap::new();
                for target in edge.targets(self.subgraph) {
                    sets.insert(*target, self.set(*target, &one.selections)?);
                }
                FieldValue::Edge { edge, argument, sets }
            }
        };
        Ok(Field { key: format!("\"{}\":", one.key), value })
    }

    fn holds(&self, condition: &Condition) -> bool {
        let value = condition.given.resolve(self.variables);
        (value == Value::Bool(true)) == condition.wanted
    }

    fn is_fixed(&self, value: &FieldValue) -> bool {
        match value {
            FieldValue::Leaf(leaf) => leaf.is_fixed(),
            FieldValue::Edge { argument, sets, .. } => {
                let is_prepared =
                    |set: &usize| self.sets.get(*set).is_some_and(|set| set.prepared.is_some());
                matches!(argument, None | Some(Given::Constant(_)))
                    && sets.values().all(is_prepared)
            }
        }
    }

    /// The number of objects of a type.
    fn places(&self, of: Type) -> usize {
        match of {
            Type::Query | Type::Service => 1,
            Type::User => self.data.users(),
            Type::Product => self.data.products(),
            Type::Review => self.data.reviews(),
        }
    }
}
