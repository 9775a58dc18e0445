//! Root fields of mutations and subscriptions: exactly one subgraph executes each, also if several
//! have it.

use std::rc::Rc;

use graphql::schema::FieldId;

use super::super::Unsatisfiable;
use super::super::conditions::Condition;
use super::super::operations::{self, PathStep};
use super::super::visits::VisitId;
use super::{PathFinding, State, StateId, Walk};

impl Walk<'_, '_> {
    /// Visits the root fields of a mutation or subscription: exactly one subgraph executes each.
    pub(super) fn visit_single_executors(&mut self, root: StateId) {
        let (object, entries) =
            (self.states[root.0].object, Rc::clone(&self.states[root.0].entries));
        let contexts = Rc::clone(&self.states[root.0].contexts);
        let reached = self.reached(root);
        for field in self.fields.get(&object).map_or(&[][..], Vec::as_slice) {
            let mut executors = Vec::new();
            for (visit, condition) in &*entries {
                let Some(edge) = self.reachability.visits.edge(*visit, *field) else { continue };
                let resolved = self.reachability.resolved_by(&edge, *condition, Some(&contexts));
                if !resolved.is_never() {
                    executors.push((*visit, resolved));
                }
            }
            match executors.len() {
                0 | 1 => {
                    let below = self.visit_field(root, &reached, *field);
                    self.queue_all(below);
                }
                _ => self.visit_alternatives(root, *field, &executors),
            }
        }
    }

    /// Checks that for all labels some executor of a root field satisfies everything below it.
    fn visit_alternatives(
        &mut self,
        root: StateId,
        field: FieldId,
        executors: &[(VisitId, Condition)],
    ) {
        let supergraph = self.reachability.visits.supergraph;
        let reached = self.reached(root);
        self.check_runtime_types(root, &reached, field);
        let (mut executed, mut failing) = (Condition::FALSE, Condition::TRUE);
        let mut walked = Vec::new();
        for (executor, condition) in executors {
            let mut walk =
                Walk::new(self.reachability, self.fields, self.kind, self.limits, self.count);
            let State { object, contexts, .. } = &self.states[root.0];
            walk.states.push(State {
                object: *object,
                entries: [(*executor, *condition)].into(),
                contexts: Rc::clone(contexts),
                parent: None,
            });
            let reached = walk.reached(StateId(0));
            let below = walk.visit_field(StateId(0), &reached, field);
            walk.queue_all(below);
            walk.visit_queue();
            let Walk { count, findings, failing: own, is_exceeded, .. } = walk;
            self.count = count;
            if is_exceeded {
                return self.exceed();
            }
            walked.push((*executor, self.without_runtime_types(findings)));
            let conditions = &mut self.reachability.visits.conditions;
            executed = conditions.or(executed, *condition);
            let satisfied = conditions.minus(*condition, own);
            failing = conditions.minus(failing, satisfied);
        }
        let conditions = &mut self.reachability.visits.conditions;
        let missing = conditions.minus(Condition::TRUE, executed);
        failing = conditions.and(failing, executed);
        if !missing.is_never() {
            self.fail(missing);
            self.find_missing(root, &reached, field, missing);
        }
        if failing.is_never() {
            return;
        }
        self.fail(failing);
        let point = self.reachability.visits.conditions.point(failing);
        let mut paths = Vec::new();
        let mut failed = Vec::new();
        for (executor, findings) in walked {
            let conditions = &mut self.reachability.visits.conditions;
            let found = findings.into_iter().find(|found| conditions.implies(point, found.when));
            let Some(PathFinding { path, finding, .. }) = found else { continue };
            let subgraph = self.reachability.visits.visit(executor).subgraph;
            failed.push((supergraph.subgraph(subgraph).name.clone(), finding));
            paths.push(path);
        }
        let finding = Unsatisfiable::RootField {
            operation: operations::print(supergraph, self.kind, paths.iter().map(Vec::as_slice)),
            coordinate: self.coordinate(self.states[root.0].object, field),
            labels: self.reachability.visits.conditions.assignment(failing),
            executors: failed,
        };
        let path = vec![PathStep { on: None, field }];
        self.findings.push(PathFinding { path, when: failing, finding });
    }

    /// Takes over findings about runtime types, which apply to all executors; returns the others.
    fn without_runtime_types(&mut self, findings: Vec<PathFinding>) -> Vec<PathFinding> {
        let (runtime_types, others) = findings.into_iter().partition::<Vec<_>, _>(|one| {
            matches!(one.finding, Unsatisfiable::RuntimeTypes { .. })
        });
        for found in runtime_types {
            if found.path.last().is_some_and(|last| self.mismatched.insert(last.field)) {
                self.findings.push(found);
            }
        }
        others
    }
}
