//! Conditions: Boolean functions of the labels of progressive overrides, as reduced ordered binary
//! decision diagrams.
//!
//! Equal functions have equal ids, so the labels of all paths are correlated, and no assignment of
//! labels is enumerated. Without labels only two conditions exist, and all operations on them are
//! comparisons. <https://en.wikipedia.org/wiki/Binary_decision_diagram>

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::OverrideCondition;

/// A Boolean function of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Condition(u32);

impl Condition {
    pub(super) const FALSE: Self = Self(0);
    pub(super) const TRUE: Self = Self(1);

    pub(super) fn is_never(self) -> bool {
        self == Self::FALSE
    }

    pub(super) fn is_always(self) -> bool {
        self == Self::TRUE
    }
}

/// A decision by one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Decision {
    label: u32,
    inactive: Condition,
    active: Condition,
}

/// All conditions of one check.
#[derive(Debug)]
pub(super) struct Conditions {
    /// Sorted.
    labels: Vec<Arc<str>>,
    /// By condition; the first two are the constants.
    decisions: Vec<Decision>,
    by_decision: FxHashMap<Decision, Condition>,
    /// Results of [`Conditions::choose`].
    chosen: FxHashMap<[Condition; 3], Condition>,
    max: usize,
    is_exceeded: bool,
}

impl Conditions {
    /// `max` is the maximum number of decisions.
    pub(super) fn new(labels: Vec<Arc<str>>, max: usize) -> Self {
        let constant = |value| Decision { label: u32::MAX, inactive: value, active: value };
        Self {
            labels,
            decisions: vec![constant(Condition::FALSE), constant(Condition::TRUE)],
            by_decision: FxHashMap::default(),
            chosen: FxHashMap::default(),
            max,
            is_exceeded: false,
        }
    }

    /// Whether the maximum number of decisions is exceeded; results are wrong then.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    /// Returns the condition of an override.
    pub(super) fn of(&mut self, when: &OverrideCondition) -> Condition {
        let (label, inactive, active) = match when {
            OverrideCondition::Always => return Condition::TRUE,
            OverrideCondition::On(label) => (label, Condition::FALSE, Condition::TRUE),
            OverrideCondition::Off(label) => (label, Condition::TRUE, Condition::FALSE),
        };
        let label = self.labels.partition_point(|known| known < label);
        let label = u32::try_from(label).unwrap_or(u32::MAX);
        self.decide(Decision { label, inactive, active })
    }

    pub(super) fn and(&mut self, left: Condition, right: Condition) -> Condition {
        self.choose(left, right, Condition::FALSE)
    }

    pub(super) fn or(&mut self, left: Condition, right: Condition) -> Condition {
        self.choose(left, Condition::TRUE, right)
    }

    /// Returns the condition under which `left` holds and `right` does not.
    pub(super) fn minus(&mut self, left: Condition, right: Condition) -> Condition {
        self.choose(right, Condition::FALSE, left)
    }

    /// Whether `left` implies `right`.
    pub(super) fn implies(&mut self, left: Condition, right: Condition) -> bool {
        left == right || self.minus(left, right).is_never()
    }

    /// Returns the labels that make a condition hold, with whether each is active; labels that do
    /// not matter are omitted.
    pub(super) fn assignment(&self, mut condition: Condition) -> Vec<(Arc<str>, bool)> {
        let mut assignment = Vec::new();
        while condition > Condition::TRUE {
            let decision = self.decisions[condition.0 as usize];
            let is_active = decision.inactive.is_never();
            condition = if is_active { decision.active } else { decision.inactive };
            assignment.push((Arc::clone(&self.labels[decision.label as usize]), is_active));
        }
        assignment
    }

    /// Returns a condition that holds for one assignment of all labels, and implies `condition`.
    pub(super) fn point(&mut self, condition: Condition) -> Condition {
        let assignment = self.assignment(condition);
        let mut point = Condition::TRUE;
        for label in self.labels.clone() {
            let is_active =
                assignment.iter().any(|(known, is_active)| *known == label && *is_active);
            let literal = match is_active {
                true => self.of(&OverrideCondition::On(label)),
                false => self.of(&OverrideCondition::Off(label)),
            };
            point = self.and(point, literal);
        }
        point
    }

    /// Returns `then` where `test` holds, and `otherwise` elsewhere. Recursion is bounded by the
    /// number of labels.
    fn choose(&mut self, test: Condition, then: Condition, otherwise: Condition) -> Condition {
        match (test, then, otherwise) {
            (Condition::TRUE, result, _) | (Condition::FALSE, _, result) => return result,
            (_, Condition::TRUE, Condition::FALSE) => return test,
            (_, then, otherwise) if then == otherwise => return then,
            _ => {}
        }
        let key = [test, then, otherwise];
        if let Some(known) = self.chosen.get(&key) {
            return *known;
        }
        let label = key.iter().map(|one| self.decisions[one.0 as usize].label).min();
        let label = label.unwrap_or(u32::MAX);
        let [(off_test, on_test), (off_then, on_then), (off_otherwise, on_otherwise)] =
            key.map(|one| self.halves(one, label));
        let inactive = self.choose(off_test, off_then, off_otherwise);
        let active = self.choose(on_test, on_then, on_otherwise);
        let result = self.decide(Decision { label, inactive, active });
        self.chosen.insert(key, result);
        result
    }

    /// Returns a condition with a label inactive, and active; the label is not behind its first one.
    fn halves(&self, condition: Condition, label: u32) -> (Condition, Condition) {
        let decision = self.decisions[condition.0 as usize];
        match condition > Condition::TRUE && decision.label == label {
            true => (decision.inactive, decision.active),
            false => (condition, condition),
        }
    }

    fn decide(&mut self, decision: Decision) -> Condition {
        if decision.inactive == decision.active {
            return decision.active;
        }
        if let Some(known) = self.by_decision.get(&decision) {
            return *known;
        }
        if self.decisions.len() >= self.max {
            self.is_exceeded = true;
            return Condition::FALSE;
        }
        let id = Condition(u32::try_from(self.decisions.len()).unwrap_or(u32::MAX));
        self.decisions.push(decision);
        self.by_decision.insert(decision, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_of_labels_have_equal_ids() {
        let names = ["a", "b"].map(Arc::<str>::from);
        let mut all = Conditions::new(names.to_vec(), 100);
        let [a, b] = names.clone().map(|name| all.of(&OverrideCondition::On(name)));
        let [not_a, not_b] = names.map(|name| all.of(&OverrideCondition::Off(name)));
        let both = all.and(a, b);
        let neither = all.and(not_a, not_b);
        let some = all.or(a, b);
        assert_eq!(all.or(a, not_a), Condition::TRUE);
        assert_eq!(all.and(b, not_b), Condition::FALSE);
        assert_eq!(all.minus(Condition::TRUE, some), neither);
        assert!(all.implies(both, some) && !all.implies(some, both));
        assert_eq!(all.assignment(both), [("a".into(), true), ("b".into(), true)]);
        assert!(!all.is_exceeded());
    }
}
