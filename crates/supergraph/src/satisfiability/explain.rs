//! Reasons why a field cannot be resolved, for each subgraph that returns its objects.

use graphql::schema::{FieldId, TypeId};

use super::conditions::Condition;
use super::reachable::{Reachability, Reached};
use super::visits::{Jump, RuntimeType, Visit, VisitId};
use super::{Attempt, Reason};
use crate::{FieldIn, FieldSetId, OverrideCondition, SetSelection, SubgraphId, Supergraph};

/// A field that is not resolved in a state.
#[derive(Debug)]
pub(super) struct Failure<'f> {
    pub(super) object: TypeId,
    pub(super) field: FieldId,
    /// One assignment of labels for which it is not resolved.
    pub(super) missing: Condition,
    /// The objects as subgraphs return them.
    pub(super) entries: &'f [(VisitId, Condition)],
    /// The visits that are reached from these.
    pub(super) reached: &'f Reached,
    pub(super) contexts: &'f [Condition],
}

/// Returns the reasons of a failure, for each subgraph that returns the objects.
pub(super) fn explain(reachability: &mut Reachability<'_>, failure: &Failure<'_>) -> Vec<Attempt> {
    let mut attempts: Vec<(SubgraphId, Attempt)> = Vec::new();
    for (entry, condition) in failure.entries {
        let visit = reachability.visits.visit(*entry);
        let is_there = reachability.visits.conditions.implies(failure.missing, *condition);
        if !is_there || attempts.iter().any(|(known, _)| *known == visit.subgraph) {
            continue;
        }
        let mut explaining = Explaining { reachability, failure, visit };
        let reasons = explaining.reasons();
        let subgraph = explaining.name(visit.subgraph);
        attempts.push((visit.subgraph, Attempt { subgraph, reasons }));
    }
    attempts.sort_by_key(|(subgraph, _)| *subgraph);
    attempts.into_iter().map(|(_, attempt)| attempt).collect()
}

/// Prints a field set as a subgraph's schema has it.
pub(super) fn print_field_set(supergraph: &Supergraph, set: FieldSetId) -> String {
    let selections = supergraph.field_set(set).selections.iter();
    let printed = selections.map(|selection| print_selection(supergraph, selection));
    printed.collect::<Vec<_>>().join(" ")
}

/// Recursion is bounded by the nesting of field sets.
fn print_selection(supergraph: &Supergraph, selection: &SetSelection) -> String {
    match selection {
        SetSelection::Typename => "__typename".into(),
        SetSelection::Field { field, set, .. } => {
            let below = set.map(|set| format!(" {{ {} }}", print_field_set(supergraph, set)));
            format!("{}{}", supergraph.schema[*field].name, below.unwrap_or_default())
        }
        SetSelection::On(set) => {
            let on = &supergraph.schema[supergraph.field_set(*set).parent].name;
            format!("... on {on} {{ {} }}", print_field_set(supergraph, *set))
        }
    }
}

struct Explaining<'e, 's> {
    reachability: &'e mut Reachability<'s>,
    failure: &'e Failure<'e>,
    /// The objects as the subgraph returns them.
    visit: Visit,
}

impl<'s> Explaining<'_, 's> {
    fn reasons(&mut self) -> Vec<Reason> {
        let mut reasons = vec![self.own_reason()];
        let supergraph = self.reachability.visits.supergraph;
        let jumps = self.reachability.visits.jumps(self.failure.object);
        for subgraph in supergraph.subgraph_ids() {
            if subgraph == self.visit.subgraph {
                continue;
            }
            let jumps: Vec<Jump> =
                jumps.iter().filter(|jump| jump.subgraph == subgraph).copied().collect();
            let owner = self.owner(subgraph);
            if self.is_reached(subgraph) {
                let reason = owner.and_then(|owner| self.refusal(subgraph, owner));
                reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
                continue;
            }
            let mut keys: Vec<(TypeId, FieldSetId)> = Vec::new();
            for jump in &jumps {
                let Some(key) = jump.key else { continue };
                if !keys.contains(&(jump.on, key)) {
                    keys.push((jump.on, key));
                    let reason = self.key_reason(jump, key);
                    reasons.push(reason);
                }
            }
            let is_owner = owner.is_some_and(|owner| !owner.is_external);
            if keys.is_empty() && is_owner {
                reasons.push(self.no_key(subgraph));
            }
        }
        reasons
    }

    /// Returns the reason why the subgraph itself does not resolve the field.
    fn own_reason(&mut self) -> Reason {
        let supergraph = self.reachability.visits.supergraph;
        let field = self.field();
        let name = &supergraph.schema[self.failure.field].name;
        let visit = self.visit;
        let own = self.reachability.visits.declared(&visit, name);
        let reason = own.and_then(|own| match own.is_external {
            true => Some(Reason::External { field: field.clone() }),
            false => self.refusal(visit.subgraph, own),
        });
        reason.unwrap_or(Reason::NoField { field })
    }

    /// Returns the reason why a subgraph that is reached and has the field does not resolve it.
    fn refusal(&mut self, subgraph: SubgraphId, own: &'s FieldIn) -> Option<Reason> {
        let field = self.field();
        let when = self.reachability.visits.conditions.of(&own.when);
        if !self.reachability.visits.conditions.implies(self.failure.missing, when) {
            return match &own.when {
                OverrideCondition::Always => None,
                OverrideCondition::On(label) | OverrideCondition::Off(label) => {
                    let subgraph = self.name(subgraph);
                    let is_active = matches!(own.when, OverrideCondition::Off(_));
                    let label = label.clone();
                    Some(Reason::Overridden { subgraph, field, label, is_active })
                }
            };
        }
        if own.is_external {
            return None;
        }
        let subgraph_name = self.name(subgraph);
        if own.context.iter().any(|taken| {
            let place = self.reachability.visits.context(&taken.sources);
            place.is_some_and(|place| {
                let set = self.failure.contexts[place];
                !self.reachability.visits.conditions.implies(self.failure.missing, set)
            })
        }) {
            return Some(Reason::Context { subgraph: subgraph_name, field });
        }
        let Some(requires) = own.requires else {
            // The subgraph has no key by which context values can be sent.
            let is_context = !own.context.is_empty();
            return is_context.then(|| self.no_key_for_inputs(subgraph));
        };
        let fields = self.unresolved(requires);
        Some(match fields.is_empty() {
            // Required fields are sent with a representation, which needs a key.
            true => self.no_key_for_inputs(subgraph),
            false => Reason::Requires { subgraph: subgraph_name, field, fields },
        })
    }

    fn key_reason(&mut self, jump: &Jump, key: FieldSetId) -> Reason {
        let supergraph = self.reachability.visits.supergraph;
        let fields = self.unresolved(key);
        let is_typename_missing = fields.is_empty() && jump.runtime_type != RuntimeType::Any;
        Reason::Key {
            to: self.name(jump.subgraph),
            on: supergraph.schema[jump.on].name.clone(),
            key: print_field_set(supergraph, key),
            from: self.name(self.visit.subgraph),
            fields: if is_typename_missing { vec!["__typename".into()] } else { fields },
        }
    }

    fn no_key_for_inputs(&self, subgraph: SubgraphId) -> Reason {
        let on = self.reachability.visits.supergraph.schema[self.failure.object].name.clone();
        Reason::NoKeyForInputs { subgraph: self.name(subgraph), field: self.field(), on }
    }

    fn no_key(&self, to: SubgraphId) -> Reason {
        let supergraph = self.reachability.visits.supergraph;
        let object = self.failure.object;
        let types = std::iter::once(object).chain(supergraph.interfaces(object).iter().copied());
        let keys = types.filter_map(|on| supergraph.type_in(on, to)).map(|known| known.keys.len());
        let (to, field) = (self.name(to), self.field());
        let on = supergraph.schema[object].name.clone();
        match keys.sum::<usize>() {
            0 => Reason::NoKey { to, field, on },
            _ => Reason::NoResolvableKey { to, field, on },
        }
    }

    /// Returns the selections of a field set that are not resolved.
    fn unresolved(&mut self, set: FieldSetId) -> Vec<String> {
        let supergraph = self.reachability.visits.supergraph;
        let mut unresolved = Vec::new();
        for selection in &supergraph.field_set(set).selections {
            let object = self.failure.object;
            let holds =
                self.reachability.selection_holds(self.failure.reached, object, selection, None);
            if !self.reachability.visits.conditions.implies(self.failure.missing, holds) {
                unresolved.push(print_selection(supergraph, selection));
            }
        }
        unresolved
    }

    /// Returns the field as a subgraph declares it for the object type or an interface object.
    fn owner(&self, subgraph: SubgraphId) -> Option<&'s FieldIn> {
        let supergraph = self.reachability.visits.supergraph;
        let object = self.failure.object;
        let name = &supergraph.schema[self.failure.field].name;
        let is_interface_object = |interface: &TypeId| {
            let known = supergraph.type_in(*interface, subgraph);
            known.is_some_and(|known| known.is_interface_object)
        };
        let interfaces = supergraph.interfaces(object).iter().copied().filter(is_interface_object);
        let mut types = std::iter::once(object).chain(interfaces);
        types.find_map(|parent| {
            let field = supergraph.find_field(parent, name)?;
            supergraph.field_in(field, subgraph)
        })
    }

    /// Whether a subgraph is reached for the assignment of labels.
    fn is_reached(&mut self, subgraph: SubgraphId) -> bool {
        let reached = self.failure.reached;
        reached.iter().any(|(visit, condition)| {
            self.reachability.visits.visit(visit).subgraph == subgraph
                && self.reachability.visits.conditions.implies(self.failure.missing, condition)
        })
    }

    fn field(&self) -> String {
        let schema = &self.reachability.visits.supergraph.schema;
        let Failure { object, field, .. } = self.failure;
        format!("{}.{}", schema[*object].name, schema[*field].name)
    }

    fn name(&self, subgraph: SubgraphId) -> std::sync::Arc<str> {
        self.reachability.visits.supergraph.subgraph(subgraph).name.clone()
    }
}
